"""Files, frames and arrays become tables; tables become prepared rows: columns, missing values, scaling."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
