"""Time series: distances that let time stretch, barycentres, and groups of series."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
