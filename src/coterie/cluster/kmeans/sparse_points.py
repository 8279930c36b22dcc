"""Sparse points: the passes of k-means over CSR rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.sparsefuncs import mean_variance_axis

from coterie import _core
from coterie._support.typing import Centers, FloatArray, Indices, Labels, SparseData, Weights
from coterie.cluster.kmeans.points import (
    Report,
    Run,
    Stopping,
    TwoNearest,
    engine_options,
    inertia_of,
    row_blocks,
    run_of,
)


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
        if self.weights is None:
            return None
        shares: Weights = self.weights / self.weights.max()  # they may be too large for float32
        return shares.astype(self.X.dtype)

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Any:
        return _core.kmeans_seed_sparse(
            *self.csr, self.X.shape[1], n_clusters, self.weights, n_candidates, seed, record, self.n_threads
        )

    def run(self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None) -> Run:
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


def csr_parts(X: SparseData) -> tuple[Any, Any, Any]:
    """Return values, columns and row starts of a CSR matrix in the types that the engine takes."""
    return X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)
