"""Graphs of rows: weights that are stored, or products that store nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.typing import Data, FloatArray, Labels, Weights
from coterie._support.validation import require_memory

DOUBLE_ROUNDING = 1e-12
SINGLE_ROUNDING = 5e-7  # relative error of a product of affinities in float32
FAINT_IN_SINGLE = 1e-30  # sums of affinities in float32 lose their digits below
BYTES_STORED = 40  # per pair: the identity, padded; the product; and its entries as CSR


class Graph(Protocol):
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

    def times_at(self, points: Any, V: FloatArray) -> FloatArray:
        """Return the rows of some of the points of that product, to double precision."""

    def stored(self) -> Any:
        """Return the matrix that `times` multiplies by, as CSR, if it fits in memory."""

    def among(self, points: Any) -> Graph:
        """Return the graph of some of the points."""

    def parts(self) -> Labels:
        """Return the connected component of each point."""


@dataclass(frozen=True, eq=False)
class MatrixGraph:
    """A graph whose weights are stored, dense or as CSR, with zeros on the diagonal."""

    weights: Any
    own: float | FloatArray = 1.0
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

    def times_at(self, points: Any, V: FloatArray) -> FloatArray:
        return np.asarray(self.weights[points] @ V)

    def stored(self) -> Any:
        return sparse.csr_array(self.weights)

    def among(self, points: Any) -> Graph:
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

    def times_at(self, points: Any, V: FloatArray) -> FloatArray:
        exact = GaussianGraph(self.X.astype(np.float64), self.gamma, self.scales, self.threads)
        within, others = exact.among(points), exact.among(~points)
        return within.times(V[points]) + gaussian_product(others, within.X, within.scales, V[~points])

    def stored(self) -> Any:
        require_memory(
            BYTES_STORED * self.n**2,
            f"the affinity matrix of {self.n:,} rows, stored for this eigen_solver,",
            "Use eigen_solver=None, which needs no matrix, or affinity='nearest_neighbors'.",
        )
        return sparse.csr_array(self.times(np.eye(self.n)))

    def among(self, points: Any) -> GaussianGraph:
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
    if SINGLE_ROUNDING * max(1.0, extent * narrowest) <= tol:
        unit = _power_of_two(root)
        width = 1.0 if scales is None else _power_of_two(float(scales.max()))
        rows = np.ascontiguousarray((X - middle) * (unit * width), dtype=np.float32)
        narrowed = None if scales is None else scales / width
        single = GaussianGraph(rows, gamma / unit / unit, narrowed, threads, width)
        if single.degrees.min() > FAINT_IN_SINGLE:
            return single
    return GaussianGraph(X.astype(np.float64, copy=False), gamma, scales, threads)


def scales_of(graph: Graph) -> FloatArray | None:
    """Return the local scales of a graph in the unit of the rows that it was made of."""
    if not isinstance(graph, GaussianGraph) or graph.scales is None:
        return None
    return graph.scales * graph.width


def _power_of_two(value: float) -> float:
    """Return a near power of two, by which numbers are multiplied without rounding."""
    return float(2.0 ** np.round(np.log2(value))) if value > 0 else 1.0


def clipped(values: Any, dtype: np.dtype[Any]) -> FloatArray:
    """Return factors of exponents as finite numbers: infinity times 0, of equal rows, is no number.

    Examples
    --------
    >>> clipped([1.0, 1e300], np.dtype("float32"))
    array([1.0000000e+00, 3.4028235e+38], dtype=float32)
    """
    return np.asarray(np.minimum(values, float(np.finfo(dtype).max)), dtype=dtype)


def gaussian_product(graph: GaussianGraph, X: Data, scales: FloatArray | None, V: FloatArray) -> FloatArray:
    """Return the weights of the rows of X with those of a graph, times the values of the latter."""
    dtype = graph.X.dtype
    values = np.ascontiguousarray(V, dtype=dtype)
    own, others = (None if given is None else clipped(given, dtype) for given in (scales, graph.scales))
    gamma = float(clipped(graph.gamma, dtype))
    return _core.affinity_product(X, graph.X, values, gamma, own, others, graph.threads)
