"""Graphs of near neighbours: what communities, embeddings and maps of many columns are made of."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from coterie._support.declarations import held, saved
from coterie._support.threads import map_in_order, resolve_threads
from coterie._support.typing import Distances, FloatArray, MatrixLike, SparseData
from coterie._support.validation import Choice, check_parameter
from coterie._support.validation.schema import Instance, Tensor
from coterie.distance.catalogue import Distance, RowFunction
from coterie.distance.neighbours import Neighbours, nearest_of_each
from coterie.errors import InvalidParameter

GraphWeights: TypeAlias = Literal["fuzzy", "gaussian", "plain"]
GRAPH_WEIGHTS = ("fuzzy", "gaussian", "plain")

BISECTIONS = 64  # UMAP's, like the two numbers below
TOLERANCE = 1e-5  # of the sum of a row's weights
LEAST_SCALE = 1e-3  # of the mean distance of a row's neighbours
WEIGHT_STEPS = 2.0**32  # digits of weights: the last ones of NumPy's exponential depend on the processor
NUMBERS_AT_ONCE = 2**18  # a block of distances that stays in the second-level cache


@saved(eq=False)
class NeighbourGraph:
    """The graph of near neighbours of rows.

    Parameters
    ----------
    weights : CSR array of shape (n, n)
        Symmetric, in (0, 1], without loops: rows i and j have an edge where one is a neighbour of the other.
    neighbours : Neighbours
        The neighbours of each row, nearest first, from which the graph was made.
    """

    weights: SparseData = held(Tensor("rows", "rows", low=0, high=1, sparse=True, may_be_empty=True))
    neighbours: Neighbours = held(Instance(Neighbours))


def neighbour_graph(
    X: MatrixLike,
    n_neighbors: int = 15,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    weights: GraphWeights = "fuzzy",
    recall: float | None = None,
    n_jobs: int | None = None,
    **params: Any,
) -> NeighbourGraph:
    """Return the graph in which every row has an edge to each of its nearest rows.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows.
    n_neighbors : int, default=15
        How many neighbours of each row, itself not counted.
    metric : str, callable or Distance, default="euclidean"
        As in `pairwise_distances`; "precomputed" takes the distances among the rows as X.
    weights : {"fuzzy", "gaussian", "plain"}, default="fuzzy"
        "fuzzy": UMAP's. A neighbour at distance d of row i weighs ``exp(-(d - nearest_i) / scale_i)``, where
        nearest_i is the distance of the nearest row that is not a copy and scale_i makes the weights of row i
        add up to ``log2(n_neighbors)``; an edge weighs ``a + b - a b``, a and b the weights in both
        directions. "gaussian": ``exp(-d^2 / (far_i far_j))``, far_i the distance of the last neighbour of
        row i. "plain": 1.
    recall : float in (0, 1], default=None
        Share of the true neighbours that is enough, as in `k_nearest`; None: exact.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> neighbour_graph([[0.0], [1.0], [3.0]], n_neighbors=1, weights="plain").weights.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_parameter(weights, Choice(*GRAPH_WEIGHTS), name="weights", who="neighbour_graph")
    if isinstance(metric, str) and metric == "inner_product" and weights != "plain":
        raise InvalidParameter(
            f'weights of neighbour_graph must be "plain" for inner_product, which has negative distances, '
            f'got "{weights}".'
        )
    near = nearest_of_each(
        X, n_neighbors, metric, recall=recall, n_jobs=n_jobs, params=params, who="neighbour_graph"
    )
    return NeighbourGraph(graph_weights(near, weights, resolve_threads(n_jobs)), near)


def graph_weights(near: Neighbours, weights: GraphWeights, threads: int = 1) -> SparseData:
    """Return the symmetric weights of the edges between rows and their neighbours, as CSR."""
    if weights == "fuzzy":
        directed = _directed(near, fuzzy_weights(near.distance, threads))
        both = directed.multiply(directed.T)
        graph = directed + directed.T - both
    elif weights == "gaussian":
        directed = _directed(near, gaussian_weights(near))
        graph = directed.maximum(directed.T)
    else:
        directed = _directed(near, np.ones(near.index.shape))
        graph = directed.maximum(directed.T)
    graph = csr_array(graph)
    graph.eliminate_zeros()
    share, power = np.frexp(graph.data)
    graph.data = np.ldexp(np.round(share * WEIGHT_STEPS) / WEIGHT_STEPS, power)
    graph.sort_indices()
    return graph


def fuzzy_weights(distance: Distances, threads: int = 1) -> FloatArray:
    """Return UMAP's weights of the neighbours of each row, before the two directions are combined.

    Examples
    --------
    >>> fuzzy_weights(np.array([[1.0, 2.0, 3.0, 4.0]])).round(3)
    array([[1.   , 0.544, 0.296, 0.161]])
    """
    out = np.empty(distance.shape, dtype=np.float64)
    step = max(1, NUMBERS_AT_ONCE // max(1, distance.shape[1]))

    def weigh(first: int) -> None:
        out[first : first + step] = _fuzzy_block(distance[first : first + step].astype(np.float64))

    map_in_order(weigh, range(0, len(distance), step), threads)
    return out


def gaussian_weights(near: Neighbours) -> FloatArray:
    """Return Gaussian weights with a scale per row: the distance of its last neighbour.

    Examples
    --------
    >>> from coterie.distance import k_nearest
    >>> gaussian_weights(k_nearest([[0.0], [1.0], [3.0]], n_neighbors=1)).round(3).ravel()
    array([0.368, 0.368, 0.135])
    """
    far = near.distance[:, -1].astype(np.float64)
    scale = far[:, None] * far[near.index]
    squares = near.distance.astype(np.float64) ** 2
    # copies have no scale: they are as near as can be
    exponents = np.divide(squares, scale, out=np.where(squares > 0, np.inf, 0.0), where=scale > 0)
    return np.asarray(np.exp(-exponents))


def _directed(near: Neighbours, values: FloatArray) -> SparseData:
    n, k = near.index.shape
    graph = csr_array((values.ravel(), near.index.flatten(), np.arange(n + 1) * k), shape=(n, n))
    graph.sort_indices()  # of the copy that flatten made
    return graph


def _fuzzy_block(distance: FloatArray) -> FloatArray:
    k = distance.shape[1]
    rest = np.maximum(distance - _nearest_other(distance)[:, None], 0.0)
    scale = _scales(rest, float(np.log2(k)))
    scale = np.maximum(scale, LEAST_SCALE * distance.sum(axis=1) / (k + 1))
    share = np.divide(rest, scale[:, None], out=np.zeros_like(rest), where=scale[:, None] > 0)
    return np.asarray(np.exp(-share))


def _nearest_other(distance: FloatArray) -> FloatArray:
    """Return the distance of the nearest row that is not a copy; 0 where all are."""
    found = np.where(distance > 0, distance, np.inf).min(axis=1)
    return np.where(np.isfinite(found), found, 0.0)


def _scales(rest: FloatArray, target: float) -> FloatArray:
    """Return per row the scale at which exp(-rest / scale) adds up to the target, by bisection."""
    scale, low, high = np.ones(len(rest)), np.zeros(len(rest)), np.full(len(rest), np.inf)
    is_open = np.ones(len(rest), dtype=bool)
    for _ in range(BISECTIONS):
        at = np.flatnonzero(is_open)
        if not len(at):
            break
        mid = scale[at]
        total = np.exp(-rest[at] / mid[:, None]).sum(axis=1)
        is_open[at] = np.abs(total - target) >= TOLERANCE
        is_above = total > target
        high[at] = np.where(is_above, mid, high[at])
        low[at] = np.where(is_above, low[at], mid)
        middle = np.where(np.isfinite(high[at]), (low[at] + high[at]) / 2, mid * 2)
        scale[at] = np.where(is_open[at], middle, mid)
    return scale
