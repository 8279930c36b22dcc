"""Breathing k-means: add centres where the error is large, remove those that are least missed, repeat.

The idea is Fritzke's (docs/references.md). With D1 and D2 the distances of a row to its nearest and second
nearest centre, the error of a centre is the sum of D1^2 over its rows, and its utility, what the inertia
would grow by without it, is the sum of D2^2 - D1^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie import _core
from coterie._support.rounding import is_lower, rising_order
from coterie._support.typing import Centers, FloatArray, Indices, Labels
from coterie.cluster.kmeans.empty_clusters import run_without_holes
from coterie.cluster.kmeans.points import KMeansRun, Points, Report, Stopping, TwoNearest

# Chosen on the sets of benchmarks/rows/breathing.py, digits, and mixtures and uniform data in 8 and 16
# dimensions.
MOST_ADDED = 5  # centres added and removed in one breath
OFFSET = 0.1  # how far from its parent a new centre starts, in root mean squared errors of the parent
FREEZE_RADIUS = 1.1  # how far neighbours of a removed centre must stay, in mean distances to the nearest
GROW_TOL = 1e-3  # more centres than wanted need not settle well
SHRINK_TOL = 1e-6
LEAST_GAIN = 1e-4  # relative decrease of the inertia that is worth another breath of the same size

NORM = _core.Metric(_core.Kernel.dot, _core.Finish.norm)
MOST_EXCHANGES = 10
ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}  # relative: of squared distances


def breathe(
    first: Way, points: Points, stopping: Stopping, algorithm: str, seed: int, report: Report | None
) -> Way:
    """Return a way on from the end of the first one to an inertia that is at most the same."""
    random = np.random.default_rng([seed, 1])
    grow_stopping = replace(stopping, tol=max(stopping.tol, GROW_TOL))
    shrink_stopping = replace(stopping, tol=min(stopping.tol, SHRINK_TOL))
    best, k = first.run, len(first.run.centers)
    last, n_added = best, min(MOST_ADDED, k if k > 1 else 0, points.X.shape[0] - k)
    phases = list(first.phases)
    while n_added > 0 and best.inertia > 0:
        more = _grown(points, best, n_added, random)
        grown = points.run(more, grow_stopping, algorithm, report)
        fewer = _shrunk(points, grown.centers, n_added)
        last = run_without_holes(points, fewer, shrink_stopping, algorithm, report)
        phases += [Phase("grow", more, grown.n_iter), Phase("shrink", fewer, last.n_iter)]
        is_worth_it = last.inertia < best.inertia * (1 - LEAST_GAIN)
        best = last if is_lower(last.inertia, best.inertia) else best
        n_added -= not is_worth_it
    if last is not best:
        phases.append(Phase("return", best.centers, 0))
    return exchange(Way(best, tuple(phases)), points, shrink_stopping, algorithm, report)


def _grown(points: Points, run: KMeansRun, n_added: int, random: np.random.Generator) -> Centers:
    """Return the centres and, next to each of those with the largest error, another one."""
    nearest = points.two_nearest(run.centers)
    k = len(run.centers)
    error = totals(points, nearest.labels, nearest.nearest, k)
    weight = totals(points, nearest.labels, None, k)
    parents = rising_order(-error, ROUNDING[run.centers.dtype])[:n_added]
    spread = np.sqrt(error[parents] / np.maximum(weight[parents], np.finfo(np.float64).tiny))
    direction = random.normal(size=(n_added, run.centers.shape[1]))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    added = run.centers[parents] + OFFSET * spread[:, None] * direction
    return np.vstack([run.centers, points.place(added.astype(run.centers.dtype))])


def _shrunk(points: Points, centers: Centers, n_removed: int) -> Centers:
    """Return the centres without those of least utility, taking no two that are close to each other."""
    nearest = points.two_nearest(centers)
    utility = totals(points, nearest.labels, nearest.second - nearest.nearest, len(centers))
    order = rising_order(utility, ROUNDING[centers.dtype])
    between = _core.pairwise(centers, centers, NORM)
    np.fill_diagonal(between, np.inf)
    is_close = between < FREEZE_RADIUS * between.min(axis=1).mean()
    is_frozen = np.zeros(len(centers), dtype=bool)
    removed: list[int] = []
    for center in order:
        if len(removed) < n_removed and not is_frozen[center]:
            removed.append(int(center))
            is_frozen |= is_close[center]
    # when freezing left too few, utility alone decides
    rest = [int(center) for center in order if center not in removed]
    return np.delete(centers, removed + rest[: n_removed - len(removed)], axis=0)


@dataclass(frozen=True)
class Phase:
    """A stretch of iterations: why it began, where, and how long it was."""

    kind: str  # "start", "grow", "shrink", "exchange" or "return"
    centers: Centers
    n_iter: int


@dataclass(frozen=True)
class Way:
    """The best run so far, and all stretches of iterations up to it."""

    run: KMeansRun
    phases: tuple[Phase, ...]


def totals(points: Points, labels: Labels, values: FloatArray | None, k: int) -> FloatArray:
    """Return the weighted sum of values (of ones) over the rows of each centre."""
    weights: FloatArray | None = points.weights
    if values is not None:
        weights = values if weights is None else values * weights
    return np.bincount(labels, weights, minlength=k).astype(np.float64)


def exchange(way: Way, points: Points, stopping: Stopping, algorithm: str, report: Report | None) -> Way:
    """Move all rows that profit at once and run again, as long as that lowers the inertia.

    Plain iterations cannot see this at their optimum. A row of weight w leaves centre a (weight A, distance
    D1) for centre b (weight B, distance D2) with profit if

        w A / (A - w) D1^2  >  w B / (B + w) D2^2,

    because both centres follow it. At the nearest centre D1 <= D2, yet the inequality can hold (Hartigan's
    test).
    """
    for _ in range(MOST_EXCHANGES):
        nearest = points.two_nearest(way.run.centers)
        rows = _profiting_rows(points, nearest, len(way.run.centers))
        if rows.size == 0:
            break
        labels = nearest.labels.copy()
        labels[rows] = nearest.second_labels[rows]
        start = points.means(labels, len(way.run.centers))
        run = run_without_holes(points, start, stopping, algorithm, report)
        if not is_lower(run.inertia, way.run.inertia):
            break
        way = Way(run, (*way.phases, Phase("exchange", start, run.n_iter)))
    return way


def _profiting_rows(points: Points, nearest: TwoNearest, k: int) -> Indices:
    heavy = totals(points, nearest.labels, None, k)
    weights = 1.0 if points.weights is None else points.weights
    here, there = heavy[nearest.labels], heavy[nearest.second_labels]
    with np.errstate(divide="ignore", invalid="ignore"):  # a centre that would lose its only row
        saved = here / (here - weights) * nearest.nearest
    # a row and a centre without weight: nothing is paid
    paid = there / np.maximum(there + weights, np.finfo(np.float64).tiny) * nearest.second
    profits = np.isfinite(saved) & (here > weights) & (saved * (1 - ROUNDING[points.X.dtype]) > paid)
    return np.flatnonzero(profits & (points.weights > 0) if points.weights is not None else profits)
