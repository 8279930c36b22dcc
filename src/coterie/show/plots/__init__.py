"""Plots with matplotlib: a function per picture, which takes a value and ``ax=None`` and returns the Axes.

Pictures of several panels return the Figure. Nothing is shown or saved: ``ax.figure.savefig("groups.png")``.
"""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
