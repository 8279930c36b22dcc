"""The reachability plot of weighted rows: a row of weight w has the places of its w copies.

The first copy has the reachability of the row. The others come right after it, reached from it at its core
distance, or from where it was reached itself if that is nearer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Indices, Weights
from coterie.cluster.density.optics_order import DECIMALS

Plot = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of equal reachability in the order of visits: of a row its first copy, then all others.

    Parameters
    ----------
    reach, length : arrays of float
        Height of each stretch, and the weight that it stands for.
    came_from : array of int
        The stretch that each was reached from, or -1.
    visit : array of int
        Place of its row in the order of visits.
    """

    reach: Plot
    length: Plot
    came_from: Indices
    visit: Indices


def one_by_one(reach: Plot, came_from: Indices) -> Stretches:
    """Return the plot of rows that all weigh 1."""
    n = len(reach)
    return Stretches(reach, np.ones(n), came_from, np.arange(n))


def with_copies(reach: Plot, came_from: Indices, core: Plot, weights: Weights) -> Stretches:
    """Return the plot of weighted rows; all arguments are in the order of visits."""
    counts = np.where(weights > 0, 1 + (weights > 1), 0)
    visit = np.repeat(np.arange(len(reach)), counts)
    first = np.append(np.cumsum(counts) - counts, -1)  # the last: of no predecessor
    is_rest = np.arange(len(visit)) > first[visit]
    own = np.around(core, DECIMALS)  # rounded as an offer
    is_from_itself = is_rest & (own < reach)[visit]
    return Stretches(
        np.where(is_from_itself, own[visit], reach[visit]),
        np.where(is_rest, weights[visit] - 1, np.minimum(weights[visit], 1)),
        np.where(is_from_itself, first[visit], first[came_from[visit]]),
        visit,
    )
