"""Distances: the one catalogue, matrices and neighbours, and geometries (a distance with its barycentre)."""

from collections.abc import Mapping
from typing import Any

from coterie._support.caller import warn_caller
from coterie._support.lazy import lazy_package
from coterie.distance.catalogue import Distance, distances

_find, __dir__, __all__ = lazy_package(__name__)
_RENAMED = {"get_distance": "find_distance", "get_geometry": "find_geometry"}


def catalogue() -> Mapping[str, Distance]:
    """Return all distances by name. Deprecated: use `distances`."""
    warn_caller("coterie.distance.catalogue is deprecated: use distances().", DeprecationWarning)
    return {distance.name: distance for distance in distances()}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        return _find(name)
    new = _RENAMED[name]
    warn_caller(f"coterie.distance.{name} is deprecated: use {new}.", DeprecationWarning)
    return globals().get(new) or _find(new)
