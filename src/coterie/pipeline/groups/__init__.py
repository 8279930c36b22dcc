"""Groups of the rows of a table: numbered by size, described in its units, able to predict new rows."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
