"""Graphs of rows: the rule by which rows become one, and weights that are stored or made where needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    FloatArray,
    FloatType,
    Indices,
    Labels,
    SparseData,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie._support.validation import require_memory
from coterie.distance import Distance, Nearest, k_nearest, nearest, neighbours_within, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter

DOUBLE_ROUNDING = 1e-12
SINGLE_ROUNDING = 5e-7  # relative error of a product of affinities in float32
LARGE_IN_SINGLE = 1e30  # sums of larger numbers may overflow float32
FAINT_IN_SINGLE = 1e-30  # sums of affinities in float32 lose their digits below
BYTES_STORED = 40  # per pair: the identity, padded; the product; and its entries as CSR
GRAPHS = ("nearest_neighbors", "mutual_neighbors", "epsilon")
GIVEN = ("precomputed", "precomputed_nearest_neighbors")
GAUSSIANS = ("rbf", "self_tuning")


def _writeable(rows: CheckedRows) -> CheckedRows:
    """Return rows as scikit-learn's compiled kernels take them, which refuse an array that is read-only."""
    return np.require(rows, requirements="W") if isinstance(rows, np.ndarray) else rows


def _refuse_negative(*sets: CheckedRows | None) -> None:
    for rows in sets:
        least = 0.0 if rows is None else rows.min()
        if least < 0:
            raise InvalidData(
                f'affinity="chi2" is meant for amounts, which are not negative: X has {least:g}. Shift the '
                f"columns, or choose another affinity."
            )


class AffinityGraph(Protocol):
    """Weights between n points; a point has none with itself."""

    @property
    def n(self) -> int: ...

    @property
    def degrees(self) -> FloatArray: ...

    @property
    def is_sparse(self) -> bool: ...

    @property
    def rounding(self) -> float: ...

    @property
    def own(self) -> float | FloatArray:
        """Return the weight between a point and a copy of it."""

    @property
    def masses(self) -> Weights | None:
        """Return how many copies each point stands for; None is one of each."""

    def times(self, V: FloatArray) -> FloatArray:
        """Return the weights times the columns of V."""

    def times_at(self, points: AnyArray, V: FloatArray) -> FloatArray:
        """Return the rows of some of the points of that product, to double precision."""

    def stored(self) -> SparseData:
        """Return the matrix that `times` multiplies by, as CSR, if it fits in memory."""

    def among(self, points: AnyArray) -> AffinityGraph:
        """Return the graph of some of the points."""

    def parts(self) -> Labels:
        """Return the connected component of each point."""


@dataclass(frozen=True, eq=False)
class MatrixGraph:
    """A graph whose weights are stored, dense or as CSR, with zeros on the diagonal."""

    weights: CheckedRows
    own: float | FloatArray = 1.0
    scales: FloatArray | None = None  # of Gaussian weights, by which new rows get theirs
    masses: None = None

    @property
    def n(self) -> int:
        return int(self.weights.shape[0])

    @property
    def is_sparse(self) -> bool:
        return bool(sparse.issparse(self.weights))

    @property
    def rounding(self) -> float:
        return DOUBLE_ROUNDING

    @cached_property
    def degrees(self) -> FloatArray:
        return np.asarray(self.weights.sum(axis=1), dtype=np.float64).ravel()

    def times(self, V: FloatArray) -> FloatArray:
        return np.asarray(self.weights @ V)

    def times_at(self, points: AnyArray, V: FloatArray) -> FloatArray:
        return np.asarray(self.weights[points] @ V)

    def stored(self) -> SparseData:
        return sparse.csr_array(self.weights)

    def among(self, points: AnyArray) -> AffinityGraph:
        own = self.own if isinstance(self.own, float) else self.own[points]
        return MatrixGraph(self.weights[points][:, points], own)

    def parts(self) -> Labels:
        if not sparse.issparse(self.weights) and np.count_nonzero(self.weights) == self.n * (self.n - 1):
            return np.zeros(self.n, dtype=np.int32)
        return np.asarray(connected_components(sparse.csr_array(self.weights), directed=False)[1])


@dataclass(frozen=True, eq=False)
class GaussianGraph:
    """Weights ``exp(-gamma s_i s_j |x_i - x_j|^2)`` that are computed whenever they are needed.

    Scales are in units of `width`, and so are the rows.
    """

    X: Data
    gamma: float
    scales: FloatArray | None
    threads: int = 0
    width: float = 1.0
    own: float = 1.0
    masses: None = None

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def rounding(self) -> float:
        return 4 * SINGLE_ROUNDING if self.X.dtype == np.float32 else DOUBLE_ROUNDING

    @cached_property
    def degrees(self) -> FloatArray:
        return self.times(np.ones((self.n, 1))).ravel()

    def times(self, V: FloatArray) -> FloatArray:
        return gaussian_product(self, self.X, self.scales, V)

    def times_at(self, points: AnyArray, V: FloatArray) -> FloatArray:
        exact = GaussianGraph(self.X.astype(np.float64), self.gamma, self.scales, self.threads)
        within, others = exact.among(points), exact.among(~points)
        return within.times(V[points]) + gaussian_product(others, within.X, within.scales, V[~points])

    def stored(self) -> SparseData:
        require_memory(
            BYTES_STORED * self.n**2,
            f"the affinity matrix of {self.n:,} rows, stored for this eigen_solver,",
            "Use eigen_solver=None, which needs no matrix, or affinity='nearest_neighbors'.",
        )
        return sparse.csr_array(self.times(np.eye(self.n)))

    def among(self, points: AnyArray) -> GaussianGraph:
        scales = None if self.scales is None else self.scales[points]
        return GaussianGraph(np.ascontiguousarray(self.X[points]), self.gamma, scales, self.threads)

    def parts(self) -> Labels:
        return np.zeros(self.n, dtype=np.int32)  # every weight is positive


def gaussian_graph(
    X: Data, gamma: float, scales: FloatArray | None, tol: float, threads: int
) -> GaussianGraph:
    """Return the graph of the rows, in float32 where affinities then are accurate to the tolerance.

    Rounding moves an exponent by about ``1e-7 * extent * sqrt(gamma)``; where that is too much, or a row is
    so far from all others that its affinities have no digits left in float32, products are in float64.
    """
    middle = X.mean(axis=0, dtype=np.float64)
    extent = float(np.abs(X - middle).max(initial=0.0)) * math.sqrt(X.shape[1])
    root = math.sqrt(gamma)  # of Python: products beyond all numbers are infinite, and no error
    narrowest = root * (1.0 if scales is None else float(scales.max()))
    unit = _power_of_two(root)
    width = 1.0 if scales is None else _power_of_two(float(scales.max()))
    is_accurate = SINGLE_ROUNDING * max(1.0, extent * narrowest) <= tol
    if is_accurate and extent * unit * width < LARGE_IN_SINGLE:
        rows = np.ascontiguousarray((X - middle) * (unit * width), dtype=np.float32)
        narrowed = None if scales is None else scales / width
        single = GaussianGraph(rows, gamma / unit / unit, narrowed, threads, width)
        if single.degrees.min() > FAINT_IN_SINGLE:
            return single
    return GaussianGraph(X.astype(np.float64, copy=False), gamma, scales, threads)


def scales_of(graph: AffinityGraph) -> FloatArray | None:
    """Return the local scales of a graph in the unit of the rows that it was made of."""
    if isinstance(graph, GaussianGraph) and graph.scales is not None:
        return graph.scales * graph.width
    return graph.scales if isinstance(graph, MatrixGraph) else None


def _power_of_two(value: float) -> float:
    """Return a near power of two, by which numbers are multiplied without rounding."""
    return float(2.0 ** np.round(np.log2(value))) if value > 0 else 1.0


def clipped(values: VectorLike, dtype: FloatType) -> FloatArray:
    """Return factors of exponents as finite numbers: infinity times 0, of equal rows, is not a number.

    Examples
    --------
    >>> clipped([1.0, 1e300], np.dtype("float32"))
    array([1.0000000e+00, 3.4028235e+38], dtype=float32)
    """
    return np.asarray(np.minimum(values, float(np.finfo(dtype).max)), dtype=dtype)


def gaussian_product(graph: GaussianGraph, X: Data, scales: FloatArray | None, V: FloatArray) -> FloatArray:
    """Return the weights of the rows of X with those of a graph, times the values of the latter."""
    dtype = graph.X.dtype
    largest = np.maximum(V.max(axis=0, initial=0.0), -V.min(axis=0, initial=0.0))
    if dtype == np.float32 and largest.max(initial=0.0) > LARGE_IN_SINGLE:
        powers = np.frexp(largest)[1]  # values over degrees next to 0, say
        return np.ldexp(gaussian_product(graph, X, scales, np.ldexp(V, -powers)), powers)
    values = np.ascontiguousarray(V, dtype=dtype)
    own, others = (None if given is None else clipped(given, dtype) for given in (scales, graph.scales))
    gamma = float(clipped(graph.gamma, dtype))
    return _core.affinity_product(X, graph.X, values, gamma, own, others, graph.threads)


# scikit-learn's, but for "rbf", which has a kernel of ours, and "additive_chi2", which is never positive
KERNELS = ("chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "sigmoid")
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
    params: ValuesByName = field(default_factory=dict)
    n_jobs: int | None = None
    recall: float | None = None  # of the neighbours of rows among themselves; None: all of them
    # of rows, with what it learned from them; None: the Euclidean one, whose affinities are never stored
    distance: Distance | None = None

    @property
    def metric(self) -> Distance | str:
        """Return the distance by which rows are neighbours."""
        return self.distance or "euclidean"

    def graph(self, X: CheckedRows, tol: float = 0.0) -> AffinityGraph:
        """Return the graph of the rows, or of a given matrix; `tol` is how rough products may be."""
        if self.kind in GAUSSIANS:
            scales = self.scales(X, None)
            if self.distance is not None:
                weights = self._gaussian(X, None, scales, scales)
                np.fill_diagonal(weights, 0.0)
                return MatrixGraph(weights, scales=scales)
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
        self, X: CheckedRows, graph_rows: Data, scales: FloatArray | None
    ) -> Callable[[FloatArray], FloatArray]:
        """Return how values of the graph's rows are summed for new rows, by weights with these."""
        if self.kind in GAUSSIANS and self.distance is None:
            graph = GaussianGraph(graph_rows, self.gamma, scales, resolve_threads(self.n_jobs))
            own = self.scales(X, graph_rows)
            return lambda V: gaussian_product(graph, X, own, V)
        if self.kind in GAUSSIANS:
            weights = self._gaussian(X, graph_rows, self.scales(X, graph_rows), scales)
        elif self.kind in GRAPHS:
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
        found = k_nearest(X, others, min(self.n_neighbors, available), self.metric, n_jobs=self.n_jobs)
        distances = np.asarray(found.distance[:, -1], dtype=np.float64)
        positive = distances[distances > 0]
        return 1.0 / np.where(distances > 0, distances, positive.min() if positive.size else 1.0)

    def kernel(self, X: CheckedRows, Y: CheckedRows | None) -> CheckedRows:
        """Return the matrix of a kernel, stored."""
        n = X.shape[0] * (X if Y is None else Y).shape[0]
        way_out = "Use affinity='nearest_neighbors' or 'rbf', or landmarks=1000."
        require_memory(3 * 8 * n, f"the affinity matrix of {X.shape[0]:,} rows", way_out)
        params = dict(self.params)
        if not callable(self.kind):
            params |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            X, Y = _writeable(X), _writeable(Y)
        if self.kind == "chi2":
            _refuse_negative(X, Y)
        with np.errstate(all="ignore"):
            from sklearn.metrics.pairwise import pairwise_kernels

            values = pairwise_kernels(X, Y, metric=self.kind, filter_params=True, **params)
        if not np.isfinite(values.data if sparse.issparse(values) else values).all():
            raise InvalidData(
                f"affinity={self.kind!r} of these rows is not a finite number for some pair. Scale the "
                f"columns, or choose a smaller gamma or degree."
            )
        return values

    def matrix(self, X: CheckedRows) -> CheckedRows:
        """Return the whole matrix as scikit-learn's `affinity_matrix_` has it, with the diagonal."""
        if self.kind == "precomputed":
            return X
        if self.kind not in GAUSSIANS:
            graph = self.graph(X)
            assert isinstance(graph, MatrixGraph)
            return with_diagonal(graph.weights, graph.own)
        scales = self.scales(X, None)
        return self._gaussian(X, None, scales, scales)

    def to_nearest(self, X: CheckedRows, others: CheckedRows) -> Nearest:
        """Return the nearest of other rows for each row, and how far it is; of several, the row itself."""
        found = nearest(X, others, self.metric, n_jobs=self.n_jobs)
        if self.distance is None:
            return found
        return Nearest(_itself_first(X, others, found), found.distance, found.algorithm_used)

    def _gaussian(
        self, X: Data, others: Data | None, own: FloatArray | None, scales: FloatArray | None
    ) -> FloatArray:
        """Return the matrix of Gaussian affinities of rows with others, or among themselves, stored."""
        n_others = len(X) if others is None else len(others)
        way_out = "Use affinity='nearest_neighbors', which needs no matrix."
        require_memory(2 * 8 * len(X) * n_others, f"the affinity matrix of {len(X):,} rows", way_out)
        distances = pairwise_distances(X, others, metric=self.metric, n_jobs=self.n_jobs)
        distances = distances.astype(X.dtype if self.distance is None else np.float64, copy=False)
        largest = np.finfo(distances.dtype).max
        with np.errstate(over="ignore"):  # beyond all numbers an affinity is 0
            if own is None or scales is None:
                exponents = np.square(distances)
            else:
                exponents = distances * clipped(own, distances.dtype)[:, None]
                exponents *= np.multiply(distances, clipped(scales, distances.dtype), out=distances)
            np.minimum(exponents, largest, out=exponents)
            exponents *= -clipped(self.gamma, exponents.dtype)
        return np.exp(exponents, out=exponents)

    def _neighbour_graph(self, X: Data) -> SparseData:
        directed = self._neighbours(X, None)
        if self.kind == "mutual_neighbors":
            return sparse.csr_array(directed.minimum(directed.T))
        return directed if self.kind == "epsilon" else averaged(directed)

    def _neighbours(self, X: Data, others: Data | None) -> SparseData:
        """Return ones where a row has a neighbour. As in scikit-learn, a row is its own first neighbour."""
        n_others = len(X) if others is None else len(others)
        if self.kind == "epsilon":
            near = neighbours_within(X, others, self.epsilon, self.metric, n_jobs=self.n_jobs)
            return ones_at(near.index, near.starts, (len(X), n_others))
        count = self.n_neighbors - (others is None)
        if self.n_neighbors > n_others:
            raise InvalidParameter(
                f"n_neighbors must be at most n_samples={n_others}, got {self.n_neighbors}: a row is its own "
                f"first neighbour."
            )
        if count == 0:
            return sparse.csr_array((len(X), n_others))
        recall = self.recall if others is None else None
        index = k_nearest(X, others, count, self.metric, recall=recall, n_jobs=self.n_jobs).index
        return ones_at(index.ravel(), np.arange(len(X) + 1) * count, (len(X), n_others))


def _itself_first(X: Data, others: Data, found: Nearest) -> Indices:
    """Return the nearest rows, each row itself where it is there: others may be at 0 from it, too."""
    index = found.index.copy()
    asked = np.flatnonzero(found.distance == 0)
    cells = np.vstack([others, X[asked]])
    cells[np.isnan(cells)] = np.inf  # gaps are alike
    _, first, which = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    same = first[which.ravel()[len(others) :]]
    index[asked[same < len(others)]] = same[same < len(others)]
    return index


def ones_at(columns: AnyArray, starts: AnyArray, shape: tuple[int, int]) -> SparseData:
    """Return a CSR matrix of ones."""
    matrix = sparse.csr_array((np.ones(len(columns)), columns, starts), shape=shape)
    matrix.sort_indices()
    return matrix


def averaged(directed: SparseData) -> SparseData:
    """Return the mean of a directed graph and its reverse, without loops."""
    return without_diagonal(sparse.csr_array(0.5 * (directed + directed.T)))


def without_diagonal(weights: CheckedRows) -> CheckedRows:
    """Return a copy in float64 without loops and, where it is sparse, without stored zeros."""
    if sparse.issparse(weights):
        trimmed = sparse.coo_array(weights)
        keep = (trimmed.row != trimmed.col) & (trimmed.data != 0)
        entries = (trimmed.data[keep].astype(np.float64), (trimmed.row[keep], trimmed.col[keep]))
        return sparse.csr_array(entries, shape=trimmed.shape)
    copied = np.array(weights, dtype=np.float64)
    np.fill_diagonal(copied, 0.0)
    return copied


def with_diagonal(weights: CheckedRows, own: float | FloatArray) -> CheckedRows:
    """Return a copy in which every point has a weight with itself."""
    if sparse.issparse(weights):
        return sparse.csr_array(weights + sparse.diags_array(np.full(weights.shape[0], own)))
    copied = np.array(weights)
    np.fill_diagonal(copied, own)
    return copied


def diagonal_of(weights: CheckedRows) -> FloatArray:
    """Return the weight of every point with itself, or with a copy of it."""
    return np.array(weights.diagonal(), dtype=np.float64)


def nearest_entries(distances: CheckedRows, n_neighbors: int) -> SparseData:
    """Return ones at the smallest stored distances of each row, by index where equal."""
    entries = sparse.csr_array(distances) if sparse.issparse(distances) else _all_entries(distances)
    counts = np.diff(entries.indptr)
    if counts.min(initial=n_neighbors) < n_neighbors:
        row = int(np.argmin(counts))
        raise InvalidData(
            f"every row of a matrix of neighbours must have n_neighbors={n_neighbors} distances, row {row} "
            f"has {counts[row]}. Store more neighbours, or lower n_neighbors."
        )
    rows = np.repeat(np.arange(entries.shape[0]), counts)
    order = np.lexsort((entries.indices, entries.data, rows))
    rank = np.arange(len(rows)) - entries.indptr[rows]
    kept = order[rank < n_neighbors]
    return ones_at(entries.indices[kept], np.arange(entries.shape[0] + 1) * n_neighbors, entries.shape)


def _all_entries(matrix: Distances) -> SparseData:
    n, m = matrix.shape
    columns = np.tile(np.arange(m), n)
    return sparse.csr_array((np.asarray(matrix).ravel(), columns, np.arange(n + 1) * m), shape=(n, m))
