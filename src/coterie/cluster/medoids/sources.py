"""Where k-medoids gets its distances: a given matrix, or rows that the engine compares when asked to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, Distances, FloatArray, Indices, Labels, MetricLike, Weights
from coterie._support.validation import available_memory
from coterie.distance import Distance, pairwise_distances
from coterie.distance.input import InputKind
from coterie.distance.matrices import reverse_similarities
from coterie.distance.pairwise import refuse_order

Report: TypeAlias = Callable[[int, float], object]
# Beyond this many columns a matrix that is kept is read faster than its rows are computed again.
COMPUTED_MOST_FEATURES = 64
SHARE_OF_MEMORY = 4  # a matrix is kept only if it takes at most this part of what is free


def make_source(X: Data, kind: InputKind, distance: Distance | None) -> Source:
    """Return where distances come from: a matrix of distances or similarities, or rows under a distance."""
    everything = np.arange(X.shape[0])
    if distance is None:
        return GivenDistances(X if kind == "distances" else reverse_similarities(X), everything)
    if distance.function is not None:
        refuse_order(lambda A, B: pairwise_distances(A, B, metric=distance), X, "distance")
        return GivenDistances(pairwise_distances(X, metric=distance), everything)
    rows = np.ascontiguousarray(distance.prepare(X))
    if X.shape[1] > COMPUTED_MOST_FEATURES and _fits(len(X) ** 2 * X.itemsize):
        return GivenDistances(_core.pairwise_self(rows, distance.metric, resolve_threads()), everything)
    return ComputedDistances(rows, distance.metric, everything)


def _fits(n_bytes: int) -> bool:
    free = available_memory()
    return free is None or n_bytes <= free // SHARE_OF_MEMORY


@dataclass(frozen=True, eq=False)
class GivenDistances:
    """The rows of a distance matrix: from candidates to points; `points` says which candidates these are."""

    D: Distances
    points: Indices

    @property
    def n_candidates(self) -> int:
        return len(self.D)

    def rows(self, candidates: Indices) -> Distances:
        """Return the distances from these candidates to all points."""
        return np.asarray(self.D[candidates])

    def take(self, ids: Indices) -> GivenDistances:
        """Return the source in which these are all candidates and all points."""
        return GivenDistances(np.ascontiguousarray(self.D[np.ix_(ids, ids)]), np.arange(len(ids)))

    def against(self, ids: Indices) -> GivenDistances:
        """Return the source with the same candidates and only these points."""
        return GivenDistances(np.ascontiguousarray(self.D[:, ids]), ids)

    def build(self, candidates: Indices, weights: Weights | None, k: int, threads: int) -> list[int]:
        return _core.build_medoids(self.D, candidates, weights, k, threads)

    def swap(
        self,
        candidates: Indices,
        weights: Weights | None,
        starts: Indices,
        options: _core.SwapOptions,
        report: Report | None,
    ) -> list[_core.SwapOutcome]:
        return _core.swap_medoids(self.D, candidates, weights, starts, options, report)

    def nearest(self, medoids: Indices, threads: int) -> tuple[Labels, Distances]:
        """Return the nearest medoid of every candidate (the lowest of equals) and how far it is."""
        return nearest_column(self.D[:, medoids])

    def nearest_two(self, medoids: Indices, threads: int) -> tuple[FloatArray, FloatArray]:
        two = np.partition(self.D[:, medoids], 1, axis=1)
        return two[:, 0], two[:, 1]


@dataclass(frozen=True, eq=False)
class ComputedDistances:
    """Prepared rows, compared by the engine in panels: no matrix is kept."""

    X: Data
    metric: MetricLike
    points: Indices

    @property
    def n_candidates(self) -> int:
        return len(self.X)

    @property
    def _others(self) -> Data:
        is_everything = len(self.points) == len(self.X)
        return self.X if is_everything else np.ascontiguousarray(self.X[self.points])

    def rows(self, candidates: Indices) -> Distances:
        return np.asarray(_core.pairwise(np.ascontiguousarray(self.X[candidates]), self._others, self.metric))

    def take(self, ids: Indices) -> ComputedDistances:
        return ComputedDistances(np.ascontiguousarray(self.X[ids]), self.metric, np.arange(len(ids)))

    def against(self, ids: Indices) -> ComputedDistances:
        return ComputedDistances(self.X, self.metric, ids)

    def build(self, candidates: Indices, weights: Weights | None, k: int, threads: int) -> list[int]:
        return _core.build_medoids(self.X, self._others, self.metric, candidates, weights, k, threads)

    def swap(
        self,
        candidates: Indices,
        weights: Weights | None,
        starts: Indices,
        options: _core.SwapOptions,
        report: Report | None,
    ) -> list[_core.SwapOutcome]:
        return _core.swap_medoids(
            self.X, self._others, self.metric, candidates, weights, starts, options, report
        )

    def nearest(self, medoids: Indices, threads: int) -> tuple[Labels, Distances]:
        found: tuple[Labels, Distances] = _core.nearest_exact(
            self.X, np.ascontiguousarray(self.X[medoids]), self.metric, threads
        )
        return found

    def nearest_two(self, medoids: Indices, threads: int) -> tuple[FloatArray, FloatArray]:
        _, two = _core.nearest_two(self.X, np.ascontiguousarray(self.X[medoids]), self.metric, threads)
        return two[0], two[1]


Source: TypeAlias = GivenDistances | ComputedDistances


def nearest_column(D: Distances) -> tuple[Labels, Distances]:
    """Return the column of the least distance of each row (the lowest of equals) and that distance."""
    labels = D.argmin(axis=1).astype(np.int32)
    return labels, np.asarray(D[np.arange(len(D)), labels])
