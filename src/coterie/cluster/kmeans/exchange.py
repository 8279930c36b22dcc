"""Moves of single rows: what plain iterations cannot see at their optimum.

A row of weight w leaves centre a (weight A, distance D1) for centre b (weight B, distance D2) with profit if

    w A / (A - w) D1^2  >  w B / (B + w) D2^2,

because both centres follow it. At the nearest centre D1 <= D2, yet the inequality can hold (Hartigan's test).
"""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Indices
from coterie.cluster.kmeans.phases import Phase, Way, totals
from coterie.cluster.kmeans.points import Points, Report, Stopping, TwoNearest, run_without_holes

MOST_EXCHANGES = 10
LEAST_PROFIT = 1e-9  # relative; less is rounding


def exchange(way: Way, points: Points, stopping: Stopping, algorithm: str, report: Report | None) -> Way:
    """Move all rows that profit at once and run again, as long as that lowers the inertia."""
    for _ in range(MOST_EXCHANGES):
        nearest = points.two_nearest(way.run.centers)
        rows = _profiting_rows(points, nearest, len(way.run.centers))
        if rows.size == 0:
            break
        labels = nearest.labels.copy()
        labels[rows] = nearest.second_labels[rows]
        start = points.means(labels, len(way.run.centers))
        run = run_without_holes(points, start, stopping, algorithm, report)
        if not run.inertia < way.run.inertia:
            break
        way = Way(run, (*way.phases, Phase("exchange", start, run.n_iter)))
    return way


def _profiting_rows(points: Points, nearest: TwoNearest, k: int) -> Indices:
    heavy = totals(points, nearest.labels, None, k)
    weights = 1.0 if points.weights is None else points.weights
    here, there = heavy[nearest.labels], heavy[nearest.second_labels]
    with np.errstate(divide="ignore", invalid="ignore"):  # a centre that would lose its only row
        saved = here / (here - weights) * nearest.nearest
    paid = there / (there + weights) * nearest.second
    profits = np.isfinite(saved) & (here > weights) & (saved * (1 - LEAST_PROFIT) > paid)
    return np.flatnonzero(profits & (points.weights > 0) if points.weights is not None else profits)
