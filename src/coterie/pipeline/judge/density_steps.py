"""Whether a dense group lies within a sparse one: no valley divides them, but hardly a row is in between.

The density of a single cluster falls smoothly, so that its rows have all densities from the highest to the
lowest. Where a dense spot lies in a sparse background, they have two, and few in between: along the axis of
the log-density there is a valley, which is measured as those along lines in space are.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from coterie._support.typing import FloatArray, Labels
from coterie.pipeline.judge.discriminant_valleys import BARS, NOTHING, valleys_between

LEAST_NEIGHBOURS = 12  # of a density that is told well enough
# beyond the bar of a line: neighbours share their densities, several scales are tried; benchmarks/cut_null.py
SEVERAL = 2.0
# length of the mean of unit vectors from the dense group to the sparse rows: 0 all around it, 1 on one side
ONE_SIDED = 0.6
CERTAIN = 3.0  # evidence above that counts no more


def evidence_of_step(rows: FloatArray, log_densities: Iterable[FloatArray], labels: Labels) -> float:
    """Return by how much fewer rows have a density between those of two groups than in one cluster.

    Rows in the wrong group by their density take away from it: of two such partitions the sharper is better.

    Parameters
    ----------
    rows : array of shape (n, d)
        The rows.
    log_densities : iterable of arrays of shape (n,)
        Their log-densities, one for each number of neighbours.
    labels : array of shape (n,)
        0 or 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = np.r_[rng.normal(0, 0.3, (200, 2)), rng.uniform(-5, 5, (200, 2))]
    >>> density = -np.log(np.sort(np.linalg.norm(rows[:, None] - rows, axis=2), axis=1)[:, 20])
    >>> spot = np.repeat([0, 1], 200)
    >>> bool(evidence_of_step(rows, [density], spot) > 2)
    True
    >>> bool(evidence_of_step(rows, [density], np.tile([0, 1], 200)) < 0.1)  # groups of the same density
    True
    """
    first = labels == 0
    found = NOTHING
    for density in log_densities:
        if not np.isfinite(density).all():
            continue
        one, other = density[first], density[~first]
        is_first_dense = np.median(one) > np.median(other)
        if not _surrounds(rows, first if is_first_dense else ~first):
            return NOTHING
        depths = valleys_between(one[None], other[None])
        step = max((depth - BARS[parts] - SEVERAL for parts, depth in depths.items()), default=NOTHING)
        middle = (np.median(one) + np.median(other)) / 2
        wrong = float(((density > middle) != (first if is_first_dense else ~first)).mean())
        found = max(found, min(step, CERTAIN) - 2.0 * CERTAIN * wrong)
    return float(found)


def _surrounds(rows: FloatArray, is_dense: npt.NDArray[np.bool_]) -> bool:
    """Return whether the rows of the sparse group lie around the dense one, not at one side of it."""
    towards = rows[~is_dense] - rows[is_dense].mean(axis=0)
    lengths = np.linalg.norm(towards, axis=1)
    towards = towards[lengths > 0] / lengths[lengths > 0, None]
    return len(towards) > 0 and float(np.linalg.norm(towards.mean(axis=0))) < ONE_SIDED
