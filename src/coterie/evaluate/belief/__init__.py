"""Whether to believe a clustering: stability, significance, null models, consensus."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
