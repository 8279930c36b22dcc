"""K-means for many k at once: nested seeds, and every k started also from the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.typing import Centers, Data, Labels
from coterie.cluster.kmeans import (
    Points,
    Run,
    Space,
    Stopping,
    fit_space,
    n_candidates,
    run_without_holes,
    seed_of_restart,
    with_team,
)

SEEDING_ROWS = 5_000  # of more rows, a sample decides between starts


@dataclass(frozen=True, eq=False)
class CenterRuns:
    """The best run of each k."""

    space: Space
    runs: dict[int, Run]

    def place(self, k: int, rows: Data) -> Labels:
        """Return the nearest centre of each row."""
        return self.space.label(self.space.prepare(rows), self.runs[k].centers, None)[0]


def run_all(
    X: Data, ks: Sequence[int], geometry: Any, stopping: Stopping, *, n_starts: int, seed: int
) -> CenterRuns:
    """Return the best run of each k, in ascending order of k.

    Greedy k-means++ picks the seeds of the largest k; the first k of them are as good a start for k clusters.
    One more start is the result of the k before with the missing centres picked in the same way, so that the
    distortion never rises with k. Of many rows, a sample finds the best of the seeds.
    """
    space = fit_space(geometry, X, who="choose_k")
    rows = space.prepare(X)
    rng = np.random.default_rng(seed)
    if len(rows) > SEEDING_ROWS and n_starts > 1:
        sample = np.sort(rng.choice(len(rows), SEEDING_ROWS, replace=False))
        few = _points(space, np.ascontiguousarray(rows[sample]), max(ks))
        tried = _run_each(few, ks, stopping, _nested_seeds(few, max(ks), n_starts, seed), rng)
        starts = {k: [run.centers] for k, run in tried.items()}
        return CenterRuns(space, _run_each(_points(space, rows, max(ks)), ks, stopping, starts, rng))
    points = _points(space, rows, max(ks))
    return CenterRuns(
        space, _run_each(points, ks, stopping, _nested_seeds(points, max(ks), n_starts, seed), rng)
    )


def _nested_seeds(points: Points, largest: int, n_starts: int, seed: int) -> dict[int, list[Centers]]:
    """Return starts for each k up to the largest: the first picks of the same seedings."""
    picks = [
        points.seed(largest, n_candidates(largest), seed_of_restart(seed, start), record=False).indices
        for start in range(n_starts)
    ]
    return {
        k: [points.rows(rows[:k]) for rows in (picks if k > 1 else picks[:1])] for k in range(1, largest + 1)
    }


def _run_each(
    points: Points,
    ks: Sequence[int],
    stopping: Stopping,
    starts: Mapping[int, list[Centers]],
    rng: np.random.Generator,
) -> dict[int, Run]:
    runs: dict[int, Run] = {}
    before: Run | None = None
    for k in sorted(ks):
        first = list(starts[k])
        if before is not None and k > 2:  # between one centre and two nothing is gained
            first.append(_grow(points, before.centers, k, rng))
        tried = [run_without_holes(points, start, stopping, "auto") for start in first]
        before = runs[k] = min(tried, key=lambda run: run.inertia)
    return runs


def _points(space: Space, rows: Data, k: int) -> Points:
    """Return prepared rows as points; few of them are not worth a second thread."""
    return with_team(space.points(rows, None), k)


def _grow(points: Points, centers: Centers, k: int, rng: np.random.Generator) -> Centers:
    """Return k centres: those given, and rows picked one by one as greedy k-means++ does."""
    nearest = points.two_nearest(centers).nearest.astype(np.float64)
    while len(centers) < k and nearest.sum() > 0:
        candidates = rng.choice(nearest.size, size=n_candidates(k), p=nearest / nearest.sum())
        left = [
            np.minimum(nearest, points.two_nearest(points.rows(candidates[at : at + 1])).nearest)
            for at in range(candidates.size)
        ]
        best = int(np.argmin([one.sum() for one in left]))
        nearest = left[best]
        centers = np.ascontiguousarray(np.concatenate([centers, points.rows(candidates[best : best + 1])]))
    return centers
