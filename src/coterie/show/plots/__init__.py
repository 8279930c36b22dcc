"""Plots with matplotlib: a function per picture, which takes a value and ``ax=None`` and returns the Axes.

Pictures of several panels return the Figure. Nothing is shown or saved: ``ax.figure.savefig("groups.png")``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coterie.show.plots.points import scatter

# Where each picture lives; matplotlib is not loaded before one is drawn. No module has the name of a picture:
# importing it would hide the function.
_HOMES = {
    "scatter": "points",
}

__all__ = [
    "scatter",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from coterie.errors import did_you_mean

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{did_you_mean(name, _HOMES)}")
    value = getattr(import_module(f"coterie.show.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
