"""Points in a space with means: what k-means needs to know about them, whatever the storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from coterie import _core
from coterie._support.typing import Centers, Data, Distances, FloatArray, Indices, Labels, SparseData, Weights

Report: TypeAlias = Callable[[int, float], object]  # iteration, inertia
SQUARED = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)
ONE_THREAD_WORK = 1 << 21  # numbers times clusters: below, waking a thread takes as long as the work
ROWS_PER_BLOCK = 4096  # for passes that make temporary rows: they stay in cache


@dataclass(frozen=True)
class Stopping:
    """When iterations end.

    Parameters
    ----------
    max_iter : int
        Most iterations.
    tol : float
        Squared shift of all centres together, as a share of the mean variance of the columns.
    tol_inertia : float or None
        Relative decrease of the inertia that is not worth another iteration.
    """

    max_iter: int
    tol: float = 0.0
    tol_inertia: float | None = None


@dataclass(frozen=True)
class Run:
    """Where iterations ended."""

    centers: Centers
    labels: Labels
    inertia: float
    n_iter: int
    algorithm: str
    is_strict: bool  # no label changed any more
    center_shift: float  # squared, of the last iteration


ONE_ITERATION = Stopping(max_iter=1, tol=-1.0)


class TwoNearest(NamedTuple):
    """The nearest centre of each row and the next one, and the squared distances to both."""

    labels: Labels
    second_labels: Labels  # meaningless where there is one centre only
    nearest: Distances
    second: Distances  # infinite where there is one centre only


class Points(Protocol):
    """Rows, their weights, and the passes over them."""

    @property
    def X(self) -> Data | SparseData: ...  # noqa: N802  # the field's word

    @property
    def weights(self) -> Weights | None: ...

    @property
    def mean_variance(self) -> float: ...

    @property
    def origin(self) -> FloatArray: ...

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Any: ...

    def run(
        self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
    ) -> Run: ...

    def rows(self, indices: Indices) -> Centers: ...

    def means(self, labels: Labels, k: int) -> Centers: ...

    def place(self, centers: Centers) -> Centers: ...

    def label(self, centers: Centers) -> Labels: ...

    def two_nearest(self, centers: Centers) -> TwoNearest: ...

    def inertia(self, centers: Centers, labels: Labels) -> float: ...


@dataclass(frozen=True, eq=False)
class DensePoints:
    """Rows of a C-ordered matrix, with the Euclidean distance."""

    X: Data
    weights: Weights | None
    n_threads: int
    columns: Any  # _core.ColumnMoments
    memory: Any = field(default_factory=_core.KMeansMemory)  # what one run leaves to the next

    @classmethod
    def of(cls, X: Data, weights: Weights | None, n_threads: int) -> DensePoints:
        """Take the matrix as it is and measure its columns."""
        return cls(X, weights, n_threads, _core.column_moments(X, weights, n_threads))

    @property
    def mean_variance(self) -> float:
        return float(np.mean(self.columns.variance))

    @property
    def origin(self) -> FloatArray:
        """The point that the engine takes rows relative to: the mean, in the type of the data."""
        return np.asarray(self.columns.mean, dtype=self.X.dtype)

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Any:
        return _core.kmeans_seed(self.X, n_clusters, self.weights, n_candidates, seed, record, self.n_threads)

    def run(self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None) -> Run:
        options = engine_options(stopping, self.mean_variance, algorithm, self.n_threads)
        return run_of(
            _core.kmeans_fit(self.X, start, self.weights, options, report, self.columns, self.memory)
        )

    def rows(self, indices: Indices) -> Centers:
        return self.X[indices]

    def means(self, labels: Labels, k: int) -> Centers:
        """Return the weighted mean of the rows of each label; labels without weight are left out."""
        kind = _core.Barycentre.mean
        means: Centers = _core.barycentres(
            self.X, labels.astype(np.int32, copy=False), k, self.weights, kind, n_threads=self.n_threads
        )
        return means[~np.isnan(means).any(axis=1)]

    def place(self, centers: Centers) -> Centers:
        """Return the centres as they are: they may be anywhere."""
        return centers

    def label(self, centers: Centers) -> Labels:
        labels: Labels = _core.kmeans_labels(self.X, centers, self.origin, None, self.n_threads)[0]
        return labels

    def two_nearest(self, centers: Centers) -> TwoNearest:
        index, value = _core.nearest_two(self.X, centers, SQUARED, self.n_threads)
        return TwoNearest(*index, *value)

    def inertia(self, centers: Centers, labels: Labels) -> float:
        return inertia_of(lambda rows: self.X[rows], self.weights, centers, labels)


@dataclass(frozen=True, eq=False)
class SpherePoints(DensePoints):
    """Rows of length one with centres of length one; half a squared distance is one minus the cosine."""

    @property
    def origin(self) -> FloatArray:
        """Zero: directions are not shifted."""
        return np.zeros(self.X.shape[1], dtype=self.X.dtype)

    def run(self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None) -> Run:
        options = engine_options(stopping, self.mean_variance, algorithm, self.n_threads, unit_centers=True)
        halved = None if report is None else lambda iteration, inertia: report(iteration, inertia / 2)
        run = run_of(
            _core.kmeans_fit(self.X, start, self.weights, options, halved, self.columns, self.memory)
        )
        return replace(run, inertia=run.inertia / 2)

    def means(self, labels: Labels, k: int) -> Centers:
        return self.place(super().means(labels, k))

    def place(self, centers: Centers) -> Centers:
        """Return the centres with length one; a centre at zero stays."""
        lengths = np.linalg.norm(centers.astype(np.float64), axis=1, keepdims=True)
        return (centers / np.where(lengths > 0, lengths, 1.0)).astype(centers.dtype)

    def inertia(self, centers: Centers, labels: Labels) -> float:
        return super().inertia(centers, labels) / 2


def with_team(points: Points, k: int) -> Points:
    """Return the points; with one thread where passes over them are too short to be worth a second."""
    if isinstance(points, DensePoints) and points.X.size * k <= ONE_THREAD_WORK:
        return replace(points, n_threads=1)
    return points


def engine_options(
    stopping: Stopping, mean_variance: float, algorithm: str, n_threads: int, *, unit_centers: bool = False
) -> Any:
    """Return the options of a run as the engine takes them."""
    return _core.KMeansOptions(
        max_iter=stopping.max_iter,
        tol=stopping.tol * mean_variance,
        tol_inertia=-1.0 if stopping.tol_inertia is None else stopping.tol_inertia,
        algorithm=getattr(_core.KMeansAlgorithm, algorithm),
        unit_centres=unit_centers,
        n_threads=n_threads,
    )


def run_of(fit: Any) -> Run:
    """Return what the engine gives back as a run."""
    return Run(
        fit.centres, fit.labels, fit.inertia, fit.n_iter, fit.algorithm, fit.is_strict, fit.centre_shift
    )


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Return slices that together are all rows."""
    return (slice(first, first + ROWS_PER_BLOCK) for first in range(0, n_rows, ROWS_PER_BLOCK))


def inertia_of(
    rows_of: Callable[[slice], Any], weights: Weights | None, centers: Centers, labels: Labels
) -> float:
    """Return the weighted sum of squared distances of rows to their centres, a block of rows at a time."""
    total = 0.0
    for rows in row_blocks(len(labels)):
        away = rows_of(rows).astype(np.float64) - centers[labels[rows]]
        squared = np.einsum("ij,ij->i", away, away)
        total += float(squared.sum() if weights is None else squared @ weights[rows])
    return total
