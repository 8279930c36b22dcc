"""Neighbourhoods that are measured by the weight of their rows instead of by their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.typing import AnyArray, Distances, Indices, Weights
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK

Ask: TypeAlias = Callable[
    [Indices, int], tuple[AnyArray, Distances]
]  # the k nearest of some rows: index and distance
Core: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WeightLists:
    """The nearest rows of some queries, by (distance, index), and their weight from the first to each."""

    which: Indices
    index: Indices
    distance: Distances
    total: Weights

    def place_of(self, least: float) -> Indices:
        """Return where each list first holds that weight; its last place if it never does."""
        has_enough = self.total >= least
        has_enough[:, -1] = True
        return np.asarray(np.argmax(has_enough, axis=1))


def lists_of_weight(
    ask: Ask, n_queries: int, weights: Weights, least: float, *, first: int
) -> Iterator[WeightLists]:
    """Yield lists that hold the weight `least`, or all rows; those of queries in sparse parts are longer.

    `ask` gives index and distance of the k nearest rows for some queries, a block at a time. Lists have
    `first` rows; those that are too light are asked for again, twice as long.
    """
    k, pending = min(first, len(weights)), np.arange(n_queries)
    while len(pending):
        step, light = max(1, CELLS_PER_BLOCK // k), []
        for start in range(0, len(pending), step):
            which = pending[start : start + step]
            index, distance = ask(which, k)
            total = np.cumsum(weights[index], axis=1)
            is_done = (total[:, -1] >= least) | (k == len(weights))
            yield WeightLists(which[is_done], index[is_done], distance[is_done], total[is_done])
            light.append(which[~is_done])
        pending, k = np.concatenate(light), min(2 * k, len(weights))


def core_by_weight(ask: Ask, weights: Weights, least: float, *, first: int) -> Core:
    """Return the least radius of each row within which the rows, itself included, weigh `least`."""
    core = np.empty(len(weights))
    for lists in lists_of_weight(ask, len(weights), weights, least, first=first):
        at = lists.place_of(least)
        core[lists.which] = lists.distance[np.arange(len(at)), at]
    return core


def core_of_blocks(distances_of: Callable[[slice], Distances], weights: Weights, least: float) -> Core:
    """Return the same from all distances of some rows at a time: they are sorted once."""

    def ask(rows: Indices, k: int) -> tuple[Indices, Distances]:
        block = distances_of(slice(rows[0], rows[-1] + 1))
        index = np.argsort(block, axis=1, kind="stable")
        return index, np.take_along_axis(block, index, axis=1)

    return core_by_weight(ask, weights, least, first=len(weights))
