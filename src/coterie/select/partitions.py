"""The clusterings of the same rows into 1, 2, 3 ... clusters, however a method comes by them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from coterie._support.typing import Centers, Data, Labels, Model
from coterie.cluster.kmeans import (
    FittedGeometry,
    KMeansRun,
    Points,
    Stopping,
    fit_space,
    n_candidates,
    run_without_holes,
    seed_of_restart,
    with_team,
)
from coterie.distance import Geometry

SEEDING_ROWS = 5_000  # of more rows, a sample decides between starts


@dataclass(frozen=True, eq=False)
class CenterRuns:
    """The best run of each k."""

    space: FittedGeometry
    runs: dict[int, KMeansRun]

    def place(self, k: int, rows: Data) -> Labels:
        """Return the nearest centre of each row."""
        return self.space.label(self.space.prepare(rows), self.runs[k].centers, None)[0]


def run_all(
    X: Data, ks: Sequence[int], geometry: str | Geometry, stopping: Stopping, *, n_starts: int, seed: int
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
) -> dict[int, KMeansRun]:
    runs: dict[int, KMeansRun] = {}
    before: KMeansRun | None = None
    for k in sorted(ks):
        first = list(starts[k])
        if before is not None and k > 2:  # between one centre and two nothing is gained
            first.append(_grow(points, before.centers, k, rng))
        tried = [run_without_holes(points, start, stopping, "auto") for start in first]
        before = runs[k] = min(tried, key=lambda run: run.inertia)
    return runs


def _points(space: FittedGeometry, rows: Data, k: int) -> Points:
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


@dataclass(frozen=True, eq=False)
class LabelsByK:
    """Labels by number of clusters, and what is known besides."""

    # labels 0..k-1 of each k; None where the method did not find so many clusters
    labels: Mapping[int, Labels | None]
    # what the method made small, where it is that kind of method
    inertias: Mapping[int, float] = field(default_factory=dict)

    def place(self, k: int, rows: Data) -> Labels:
        """Return the cluster of each new row."""
        raise NotImplementedError

    def model(self, k: int) -> Model:
        """Return the fitted estimator of one k, or None."""
        return None


@dataclass(frozen=True, eq=False)
class CenterPartitions(LabelsByK):
    """From runs of k-means."""

    runs: CenterRuns = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        return self.runs.place(k, rows)


@dataclass(frozen=True, eq=False)
class NestedPartitions(LabelsByK):
    """Cuts of one tree; new rows go to the finest clusters, which are then joined."""

    finest: Model = field(kw_only=True)  # the estimator, fitted at the largest k

    def place(self, k: int, rows: Data) -> Labels:
        found = self.labels[k]
        assert found is not None
        coarser = np.zeros(int(self.finest.labels_.max()) + 1, dtype=np.int32)
        coarser[self.finest.labels_] = found
        return np.asarray(coarser[self.finest.predict(rows)])

    def model(self, k: int) -> Model:
        return self.finest


@dataclass(frozen=True, eq=False)
class FittedPartitions(LabelsByK):
    """From one fit for each k."""

    models: Mapping[int, Model] = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        placed: Labels = self.models[k].predict(rows)
        return placed

    def model(self, k: int) -> Model:
        return self.models.get(k)


@dataclass(frozen=True, eq=False)
class SpectralPartitions(LabelsByK):
    """From the leading coordinates of one graph."""

    graph: Model = field(kw_only=True)  # the estimator, fitted at the largest k
    centers: Mapping[int, Centers] = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        from coterie.distance import nearest

        coordinates = np.ascontiguousarray(self.graph._place(self.graph._check_new_rows(rows))[:, :k])
        return nearest(coordinates, self.centers[k]).index.astype(np.int32)

    def model(self, k: int) -> Model:
        return self.graph


def dense_labels(labels: object, k: int) -> Labels | None:
    """Return labels 0..k-1, or None when there are not k clusters.

    Examples
    --------
    >>> dense_labels([5, 5, 7], 2), dense_labels([5, 5, 7], 3)
    (array([0, 0, 1], dtype=int32), None)
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    return codes.astype(np.int32) if names.size == k and names[0] >= 0 else None


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence what fits of one k say: the evidence tells which k have no clustering."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
