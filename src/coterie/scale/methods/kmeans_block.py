"""Rows of a block that stay in memory: plain passes first where these are cheap, bounds later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coterie import _core
from coterie._support.typing import Centers

PLAIN_PASSES = 8  # bounds are made when so many have gone by: centres then move little
MOST_PRODUCTS = 512  # per row, clusters times columns: fewer cost no more than looking at bounds
FEWEST_COLUMNS = 3  # with fewer the engine passes whole boxes of rows at once


def is_plain_cheaper(n_clusters: int, n_columns: int) -> bool:
    """Return whether a first pass over all centres costs less than bounds do while centres move much."""
    return n_columns >= FEWEST_COLUMNS and n_clusters * n_columns <= MOST_PRODUCTS


class PlainFirst:
    """A block of the engine that begins with plain passes; its sums are those of any other.

    Parameters
    ----------
    make : callable
        Makes the block for an algorithm.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self._native = make(_core.KMeansAlgorithm.lloyd)
        self._n_passes = 0

    def assign(self, centers: Centers) -> Any:
        """Return the sums of the nearest centres."""
        if self._n_passes == PLAIN_PASSES:
            self._native = self._make(_core.KMeansAlgorithm.auto)
        self._n_passes += 1
        return self._native.assign(centers)

    def own_distances(self) -> Any:
        """Return the squared distances to the own centres, and the sums of every 1024 of them."""
        return self._native.own_distances()

    @property
    def algorithm(self) -> str:
        """What found the nearest centres."""
        return str(self._native.algorithm)
