"""What lower rooms ask of higher ones. The root of the package says who answers: no room imports upward."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_PROVIDERS: dict[str, str] = {}
_MOVED: dict[str, Mapping[str, str]] = {}


def provide(name: str, where: str) -> None:
    """Say which ``module:attribute`` answers to a name; it is imported when somebody asks.

    Examples
    --------
    >>> provide("square_root", "math:sqrt")
    >>> ask("square_root")(9.0)
    3.0
    """
    _PROVIDERS[name] = where


def ask(name: str) -> Any:
    """Return what the root of the package provides under a name."""
    module, _, attribute = _PROVIDERS[name].partition(":")
    return getattr(import_module(module), attribute)


def move(module: str, homes: Mapping[str, str]) -> None:
    """Say where names of a module live now, so that an old import still finds them."""
    _MOVED[module] = homes


def moved(module: str, name: str) -> Any:
    """Return a name that has moved out of a module; an AttributeError for any other."""
    home = _MOVED.get(module, {}).get(name)
    if home is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
