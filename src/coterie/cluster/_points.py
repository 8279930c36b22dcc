"""Points in a space with means: what k-means needs to know about them, whatever the storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from coterie import _core
from coterie._typing import Centers, Data, Distances, FloatArray, Indices, Labels, SparseData, Weights

Report: TypeAlias = Callable[[int, float], object]  # iteration, inertia
SQUARED = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)
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
MOST_REPAIRS = 10  # each is an iteration more than was asked for


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
        options = _options(stopping, self.mean_variance, algorithm, self.n_threads)
        return _run_of(_core.kmeans_fit(self.X, start, self.weights, options, report, self.columns))

    def rows(self, indices: Indices) -> Centers:
        return self.X[indices]

    def label(self, centers: Centers) -> Labels:
        labels: Labels = _core.kmeans_labels(self.X, centers, self.origin, None, self.n_threads)[0]
        return labels

    def two_nearest(self, centers: Centers) -> TwoNearest:
        index, value = _core.nearest_two(self.X, centers, SQUARED, self.n_threads)
        return TwoNearest(*index, *value)

    def inertia(self, centers: Centers, labels: Labels) -> float:
        return _inertia(lambda rows: self.X[rows], self.weights, centers, labels)


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Rows of a CSR matrix, with the Euclidean distance."""

    X: SparseData
    weights: Weights | None
    n_threads: int

    @property
    def csr(self) -> tuple[Any, Any, Any]:
        """Values, columns and row starts as the engine takes them."""
        return csr_parts(self.X)

    @cached_property
    def mean_variance(self) -> float:
        return float(np.mean(mean_variance_axis(self.X, axis=0, weights=self._weights_of_dtype)[1]))

    @property
    def origin(self) -> FloatArray:
        """Zero: sparse rows are not shifted."""
        return np.zeros(self.X.shape[1], dtype=self.X.dtype)

    @property
    def _weights_of_dtype(self) -> Weights | None:
        return None if self.weights is None else self.weights.astype(self.X.dtype)

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Any:
        return _core.kmeans_seed_sparse(
            *self.csr, self.X.shape[1], n_clusters, self.weights, n_candidates, seed, record, self.n_threads
        )

    def run(self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None) -> Run:
        options = _options(stopping, self.mean_variance, algorithm, self.n_threads)
        fit = _core.kmeans_fit_sparse(*self.csr, self.X.shape[1], start, self.weights, options, report)
        return _run_of(fit)

    def rows(self, indices: Indices) -> Centers:
        found: Centers = self.X[indices].toarray()
        return found

    def label(self, centers: Centers) -> Labels:
        labels: Labels = _core.sparse_nearest(*self.csr, centers, self.n_threads)[0]
        return labels

    def two_nearest(self, centers: Centers) -> TwoNearest:
        n_rows, dtype = self.X.shape[0], self.X.dtype
        index, value = np.zeros((2, n_rows), np.int32), np.full((2, n_rows), np.inf, dtype)
        for rows in _blocks(n_rows):
            squared = _core.sparse_pairwise_squared(*csr_parts(self.X[rows]), centers, self.n_threads)
            order = np.argsort(squared, axis=1, kind="stable")[:, :2].T
            index[: len(order), rows] = order
            value[: len(order), rows] = np.take_along_axis(squared, order.T, axis=1).T
        return TwoNearest(*index, *value)

    def inertia(self, centers: Centers, labels: Labels) -> float:
        return _inertia(lambda rows: self.X[rows].toarray(), self.weights, centers, labels)


def points_of(X: Data | SparseData, weights: Weights | None, n_threads: int) -> Points:
    """Return the rows of a checked matrix as points."""
    if issparse(X):
        return SparsePoints(X, weights, n_threads)
    return DensePoints.of(X, weights, n_threads)


def run_without_holes(
    points: Points, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
) -> Run:
    """Run, and go on while the last assignment left a centre without rows: the next update gives it one."""
    run = points.run(start, stopping, algorithm, report)
    for _ in range(MOST_REPAIRS):
        if run.is_strict or np.bincount(run.labels, minlength=len(start)).all():
            break
        more = points.run(run.centers, ONE_ITERATION, algorithm, report)
        if np.array_equal(more.centers, run.centers):
            break  # there are fewer different rows than centres
        run = replace(more, n_iter=run.n_iter + more.n_iter)
    return run


def means_of(points: Points, labels: Labels, k: int) -> Centers:
    """Return the weighted mean of the rows of each label; labels without weight are left out."""
    n_rows = len(labels)
    weights = np.ones(n_rows) if points.weights is None else points.weights
    belongs = csr_array((weights, (labels, np.arange(n_rows))), shape=(k, n_rows))
    totals = belongs.sum(axis=1)
    sums = belongs @ points.X
    sums = sums.toarray() if issparse(sums) else sums
    means: Centers = (sums[totals > 0] / totals[totals > 0, None]).astype(points.X.dtype)
    return means


def csr_parts(X: SparseData) -> tuple[Any, Any, Any]:
    """Return values, columns and row starts of a CSR matrix in the types that the engine takes."""
    return X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)


def _options(stopping: Stopping, mean_variance: float, algorithm: str, n_threads: int) -> Any:
    return _core.KMeansOptions(
        max_iter=stopping.max_iter,
        tol=stopping.tol * mean_variance,
        tol_inertia=-1.0 if stopping.tol_inertia is None else stopping.tol_inertia,
        algorithm=getattr(_core.KMeansAlgorithm, algorithm),
        n_threads=n_threads,
    )


def _run_of(fit: Any) -> Run:
    return Run(
        fit.centres, fit.labels, fit.inertia, fit.n_iter, fit.algorithm, fit.is_strict, fit.centre_shift
    )


def _blocks(n_rows: int) -> Iterator[slice]:
    return (slice(first, first + ROWS_PER_BLOCK) for first in range(0, n_rows, ROWS_PER_BLOCK))


def _inertia(
    rows_of: Callable[[slice], Any], weights: Weights | None, centers: Centers, labels: Labels
) -> float:
    total = 0.0
    for rows in _blocks(len(labels)):
        away = rows_of(rows).astype(np.float64) - centers[labels[rows]]
        squared = np.einsum("ij,ij->i", away, away)
        total += float(squared.sum() if weights is None else squared @ weights[rows])
    return total
