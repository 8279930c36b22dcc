"""Points as k-means sees them: dense, sparse, on the sphere, or in any geometry with barycentres."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.typing import (
    AnyArray,
    Centers,
    CheckedRows,
    Data,
    Distances,
    FloatArray,
    Indices,
    Labels,
    SparseData,
    Weights,
)
from coterie._support.validation import engine_count

if TYPE_CHECKING:
    from coterie.cluster.kmeans.looped_points import GeometryPoints
    from coterie.cluster.kmeans.observed import ObservedPoints

Report: TypeAlias = Callable[[int, float], object]  # iteration, inertia
SQUARED = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)
ONE_THREAD_WORK = 1 << 21  # numbers times clusters: below, waking a thread takes as long as the work
ROWS_PER_BLOCK = 4096  # for passes that make temporary rows: they stay in cache


@dataclass(frozen=True)
class Stopping:
    """When iterations end."""

    max_iter: int  # most iterations
    tol: float = 0.0  # squared shift of all centres together, as a share of the mean variance of the columns
    tol_inertia: float | None = None  # relative decrease of the inertia that is not worth another iteration

    def __post_init__(self) -> None:
        # parameters may be NumPy's numbers of fewer bits, products with which overflow
        object.__setattr__(self, "max_iter", engine_count(self.max_iter))
        object.__setattr__(self, "tol", float(self.tol))
        if self.tol_inertia is not None:
            object.__setattr__(self, "tol_inertia", float(self.tol_inertia))


@dataclass(frozen=True)
class KMeansRun:
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


@dataclass(frozen=True, eq=False)
class DensePoints:
    """Rows of a C-ordered matrix, with the Euclidean distance."""

    X: Data
    weights: Weights | None
    n_threads: int
    columns: _core.ColumnMoments
    memory: _core.KMeansMemory = field(default_factory=_core.KMeansMemory)  # what one run leaves to the next

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

    def run(
        self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
    ) -> KMeansRun:
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

    def run(
        self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
    ) -> KMeansRun:
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
) -> _core.KMeansOptions:
    """Return the options of a run as the engine takes them."""
    return _core.KMeansOptions(
        max_iter=stopping.max_iter,
        tol=stopping.tol * mean_variance,
        tol_inertia=-1.0 if stopping.tol_inertia is None else stopping.tol_inertia,
        algorithm=getattr(_core.KMeansAlgorithm, algorithm),
        unit_centres=unit_centers,
        n_threads=n_threads,
    )


def run_of(fit: Any) -> KMeansRun:
    """Return what the engine gives back as a run."""
    return KMeansRun(
        fit.centres, fit.labels, fit.inertia, fit.n_iter, fit.algorithm, fit.is_strict, fit.centre_shift
    )


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Return slices that together are all rows."""
    return (slice(first, first + ROWS_PER_BLOCK) for first in range(0, n_rows, ROWS_PER_BLOCK))


def inertia_of(
    rows_of: Callable[[slice], CheckedRows], weights: Weights | None, centers: Centers, labels: Labels
) -> float:
    """Return the weighted sum of squared distances of rows to their centres, a block of rows at a time."""
    total = 0.0
    for rows in row_blocks(len(labels)):
        away = rows_of(rows).astype(np.float64) - centers[labels[rows]]
        squared = np.einsum("ij,ij->i", away, away)
        total += float(squared.sum() if weights is None else squared @ weights[rows])
    return total


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Rows of a CSR matrix, with the Euclidean distance."""

    X: SparseData
    weights: Weights | None
    n_threads: int

    @property
    def csr(self) -> tuple[FloatArray, AnyArray, AnyArray]:
        """Values, columns and row starts as the engine takes them."""
        return csr_parts(self.X)

    @cached_property
    def mean_variance(self) -> float:
        from sklearn.utils.sparsefuncs import mean_variance_axis

        return float(np.mean(mean_variance_axis(self.X, axis=0, weights=self._weights_of_dtype)[1]))

    @property
    def origin(self) -> FloatArray:
        """Zero: sparse rows are not shifted."""
        return np.zeros(self.X.shape[1], dtype=self.X.dtype)

    @property
    def _weights_of_dtype(self) -> Weights | None:
        if self.weights is None:
            return None
        shares: Weights = self.weights / self.weights.max()  # they may be too large for float32
        return shares.astype(self.X.dtype)

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Any:
        return _core.kmeans_seed_sparse(
            *self.csr, self.X.shape[1], n_clusters, self.weights, n_candidates, seed, record, self.n_threads
        )

    def run(
        self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
    ) -> KMeansRun:
        options = engine_options(stopping, self.mean_variance, algorithm, self.n_threads)
        fit = _core.kmeans_fit_sparse(*self.csr, self.X.shape[1], start, self.weights, options, report)
        return run_of(fit)

    def rows(self, indices: Indices) -> Centers:
        found: Centers = self.X[indices].toarray()
        return found

    def means(self, labels: Labels, k: int) -> Centers:
        """Return the weighted mean of the rows of each label; labels without weight are left out."""
        weights = np.ones(len(labels)) if self.weights is None else self.weights
        belongs = csr_array((weights, (labels, np.arange(len(labels)))), shape=(k, len(labels)))
        totals = belongs.sum(axis=1)
        means: Centers = (belongs @ self.X).toarray()[totals > 0] / totals[totals > 0, None]
        return means.astype(self.X.dtype)

    def place(self, centers: Centers) -> Centers:
        """Return the centres as they are: they may be anywhere."""
        return centers

    def label(self, centers: Centers) -> Labels:
        labels: Labels = _core.sparse_nearest(*self.csr, centers, self.n_threads)[0]
        return labels

    def two_nearest(self, centers: Centers) -> TwoNearest:
        n_rows, dtype = self.X.shape[0], self.X.dtype
        index, value = np.zeros((2, n_rows), np.int32), np.full((2, n_rows), np.inf, dtype)
        for rows in row_blocks(n_rows):
            squared = _core.sparse_pairwise_squared(*csr_parts(self.X[rows]), centers, self.n_threads)
            order = np.argsort(squared, axis=1, kind="stable")[:, :2].T
            index[: len(order), rows] = order
            value[: len(order), rows] = np.take_along_axis(squared, order.T, axis=1).T
        return TwoNearest(*index, *value)

    def inertia(self, centers: Centers, labels: Labels) -> float:
        return inertia_of(lambda rows: self.X[rows].toarray(), self.weights, centers, labels)


def csr_parts(X: SparseData) -> tuple[FloatArray, AnyArray, AnyArray]:
    """Return values, columns and row starts of a CSR matrix in the types that the engine takes."""
    return X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)


# rows, their weights, and the passes over them
Points: TypeAlias = "DensePoints | SparsePoints | GeometryPoints | ObservedPoints"
