"""The rule by which rows become a graph: who is how near to whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import KERNEL_PARAMS, pairwise_kernels

from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, FloatArray
from coterie._support.validation import require_memory
from coterie.cluster.spectral.graphs import (
    GaussianGraph,
    Graph,
    MatrixGraph,
    clipped,
    gaussian_graph,
    gaussian_product,
)
from coterie.cluster.spectral.matrices import (
    averaged,
    diagonal_of,
    nearest_entries,
    ones_at,
    with_diagonal,
    without_diagonal,
)
from coterie.distance import k_nearest, neighbours_within, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter

KERNELS = tuple(sorted(set(KERNEL_PARAMS) - {"rbf", "additive_chi2"}))  # additive chi^2 is never positive
GRAPHS = ("nearest_neighbors", "mutual_neighbors", "epsilon")
GIVEN = ("precomputed", "precomputed_nearest_neighbors")
GAUSSIANS = ("rbf", "self_tuning")
AFFINITIES = (*GAUSSIANS, *GRAPHS, *GIVEN, *KERNELS)


@dataclass(frozen=True, eq=False)
class Affinity:
    """The rule by which rows become a graph."""

    kind: str | Callable[..., float]
    gamma: float = 1.0
    n_neighbors: int = 10
    epsilon: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0
    params: dict[str, Any] = field(default_factory=dict)
    n_jobs: int | None = None

    def graph(self, X: Any, tol: float = 0.0) -> Graph:
        """Return the graph of the rows, or of a given matrix; `tol` is how rough products may be."""
        if self.kind in GAUSSIANS:
            scales = self.scales(X, None)
            return gaussian_graph(X, self.gamma, scales, tol, resolve_threads(self.n_jobs))
        if self.kind == "precomputed":
            return MatrixGraph(without_diagonal(X), diagonal_of(X))
        if self.kind == "precomputed_nearest_neighbors":
            return MatrixGraph(averaged(nearest_entries(X, self.n_neighbors)))
        if self.kind in GRAPHS:
            return MatrixGraph(self._neighbour_graph(X))
        stored = self.kernel(X, None)
        return MatrixGraph(without_diagonal(stored), diagonal_of(stored))

    def between(
        self, X: Any, graph_rows: Data, scales: FloatArray | None
    ) -> Callable[[FloatArray], FloatArray]:
        """Return how values of the graph's rows are summed for new rows, by weights with these."""
        if self.kind in GAUSSIANS:
            graph = GaussianGraph(graph_rows, self.gamma, scales, resolve_threads(self.n_jobs))
            own = self.scales(X, graph_rows)
            return lambda V: gaussian_product(graph, X, own, V)
        if self.kind in GRAPHS:
            weights = self._neighbours(X, graph_rows)
        elif self.kind == "precomputed_nearest_neighbors":
            weights = nearest_entries(X, self.n_neighbors)
        else:
            weights = X if self.kind == "precomputed" else self.kernel(X, graph_rows)
        return lambda V: np.asarray(weights @ V)

    def scales(self, X: Data, others: Data | None) -> FloatArray | None:
        """Return one over the distance to the last of the nearest neighbours, for local scaling."""
        if self.kind != "self_tuning":
            return None
        available = len(X) - 1 if others is None else len(others)
        found = k_nearest(X, others, min(self.n_neighbors, available), n_jobs=self.n_jobs)
        distances = np.asarray(found.distance[:, -1], dtype=np.float64)
        positive = distances[distances > 0]
        return 1.0 / np.where(distances > 0, distances, positive.min() if positive.size else 1.0)

    def kernel(self, X: Any, Y: Any) -> Any:
        """Return the matrix of a kernel, stored."""
        n = X.shape[0] * (X if Y is None else Y).shape[0]
        way_out = "Use affinity='nearest_neighbors' or 'rbf', or landmarks=1000."
        require_memory(3 * 8 * n, f"the affinity matrix of {X.shape[0]:,} rows", way_out)
        params = dict(self.params)
        if not callable(self.kind):
            params |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        with np.errstate(all="ignore"):
            values = pairwise_kernels(X, Y, metric=self.kind, filter_params=True, **params)
        if not np.isfinite(values.data if sparse.issparse(values) else values).all():
            raise InvalidData(
                f"affinity={self.kind!r} of these rows is not a finite number for some pair. Scale the "
                f"columns, or choose a smaller gamma or degree."
            )
        return values

    def matrix(self, X: Any) -> Any:
        """Return the whole matrix as scikit-learn's `affinity_matrix_` has it, with the diagonal."""
        if self.kind == "precomputed":
            return X
        if self.kind not in GAUSSIANS:
            graph = self.graph(X)
            assert isinstance(graph, MatrixGraph)
            return with_diagonal(graph.weights, graph.own)
        require_memory(8 * len(X) ** 2, f"the affinity matrix of {len(X):,} rows", "It is not needed by fit.")
        exponents = pairwise_distances(X, metric="sqeuclidean")
        with np.errstate(over="ignore"):  # beyond all numbers an affinity is 0
            exponents *= -clipped(self.gamma, exponents.dtype)
            if (scales := self.scales(X, None)) is not None:
                scales = clipped(scales, exponents.dtype)
                exponents *= scales[:, None]
                exponents *= scales
        return np.exp(exponents, out=exponents)

    def _neighbour_graph(self, X: Data) -> Any:
        directed = self._neighbours(X, None)
        if self.kind == "mutual_neighbors":
            return sparse.csr_array(directed.minimum(directed.T))
        return directed if self.kind == "epsilon" else averaged(directed)

    def _neighbours(self, X: Data, others: Data | None) -> Any:
        """Return ones where a row has a neighbour. As in scikit-learn, a row is its own first neighbour."""
        n_others = len(X) if others is None else len(others)
        if self.kind == "epsilon":
            near = neighbours_within(X, others, self.epsilon, n_jobs=self.n_jobs)
            return ones_at(near.index, near.starts, (len(X), n_others))
        count = self.n_neighbors - (others is None)
        if self.n_neighbors > n_others:
            raise InvalidParameter(
                f"n_neighbors must be at most n_samples={n_others}, got {self.n_neighbors}: a row is its own "
                f"first neighbour."
            )
        if count == 0:
            return sparse.csr_array((len(X), n_others))
        index = k_nearest(X, others, count, n_jobs=self.n_jobs).index
        return ones_at(index.ravel(), np.arange(len(X) + 1) * count, (len(X), n_others))
