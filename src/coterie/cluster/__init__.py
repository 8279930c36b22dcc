"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

from typing import Any

from coterie.cluster.catalogue import CATALOGUE, Method, find_method

__all__ = ["KMeans", "Method", "catalogue", "find_method"]


def catalogue() -> tuple[Method, ...]:
    """Return every method, in the order in which lists show them.

    Examples
    --------
    >>> [method.name for method in catalogue()][0]
    'kmeans'
    """
    return CATALOGUE


def __getattr__(name: str) -> Any:
    for method in CATALOGUE:
        if name == method.class_name:
            return method.load()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
