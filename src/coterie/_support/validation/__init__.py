"""Checks that estimators and functions share; everything behind them assumes valid input."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
