"""What the groups look like: plots, and the colours that all pictures share."""

from __future__ import annotations

from importlib import import_module

_ROOMS = ("palette", "plots")

__all__ = ["explore", "palette", "plots"]  # found by __getattr__: no room is loaded before it is asked for


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"coterie.show.{name}")
    if name == "explore":
        return import_module("coterie.show.explorer.launch").explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
