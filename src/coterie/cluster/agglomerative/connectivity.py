"""Connectivity: which rows may merge directly, as a symmetric graph in one piece."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.caller import caller_level
from coterie._support.typing import Data, SparseData
from coterie._support.validation import check_sparse
from coterie.distance import Distance, pairwise_distances
from coterie.distance.pairwise import called
from coterie.errors import InvalidData


@dataclass(frozen=True)
class Connectivity:
    """A symmetric CSR graph without a diagonal, and of how many pieces it was before they were joined."""

    graph: SparseData
    n_components: int


def check_connectivity(connectivity: Any, X: Data, distance: Distance | None, *, who: str) -> Connectivity:
    """Return the graph of a connectivity matrix or of a function that makes one from the rows.

    Pieces of the graph are joined by their nearest pairs of rows, with a warning. `distance` is None when X
    holds distances.
    """
    graph = connectivity(X) if callable(connectivity) else connectivity
    is_sparse = sparse.issparse(graph)
    graph = sparse.csr_array(
        check_sparse(graph, who=who, name="connectivity") if is_sparse else np.asarray(graph)
    )
    if graph.shape != (len(X), len(X)):
        raise InvalidData(
            f"connectivity of {who} must be a matrix of shape {(len(X), len(X))}, one row per sample, got "
            f"{graph.shape}."
        )
    graph = sparse.coo_array(graph)
    keep = (graph.row != graph.col) & (graph.data != 0)
    graph = _symmetric(graph.row[keep], graph.col[keep], len(X))
    n_components, component = connected_components(graph, directed=False)
    if n_components > 1:
        warnings.warn(
            f"the connectivity matrix of {who} has {n_components} > 1 connected components. Completing it to "
            f"avoid stopping the tree early.",
            stacklevel=caller_level(),
        )
        bridges = _bridges(X, distance, component, n_components)
        coo = sparse.coo_array(graph)
        graph = _symmetric(
            np.concatenate([coo.row, bridges[:, 0]]), np.concatenate([coo.col, bridges[:, 1]]), len(X)
        )
    return Connectivity(graph, int(n_components))


def edge_lengths(graph: SparseData, X: Data, distance: Distance | None) -> npt.NDArray[np.float64]:
    """Return the distance of the two rows of every edge, in the order of the graph."""
    coo = sparse.coo_array(graph)
    if distance is None:
        return np.asarray(X[coo.row, coo.col], dtype=np.float64)
    rows = distance.prepare(X)
    if distance.function is not None:
        pairs = zip(coo.row.tolist(), coo.col.tolist(), strict=True)
        return np.array([called(distance, rows[i], rows[j], (i, j)) for i, j in pairs], dtype=np.float64)
    return np.asarray(_core.pairwise_along(rows, *_pattern(graph), distance.metric), dtype=np.float64)


def _pattern(graph: SparseData) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return columns and row starts as the engine takes them."""
    return graph.indices.astype(np.int32, copy=False), graph.indptr.astype(np.int64, copy=False)


def _symmetric(rows: Any, columns: Any, n: int) -> SparseData:
    ones = np.ones(2 * len(rows))
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    graph = sparse.csr_array((ones, both), shape=(n, n))
    graph.sum_duplicates()
    graph.sort_indices()
    return graph


def _bridges(X: Data, distance: Distance | None, component: Any, n_components: int) -> Any:
    """Return the nearest pair of rows of every two pieces."""
    members = [np.flatnonzero(component == piece) for piece in range(n_components)]
    pairs = []
    for first, second in combinations(members, 2):
        if distance is None:
            D = X[np.ix_(first, second)]
        else:
            D = pairwise_distances(X[first], X[second], metric=distance)
        i, j = np.unravel_index(int(np.argmin(D)), D.shape)
        pairs.append((first[i], second[j]))
    return np.array(pairs, dtype=np.intp)


def link_along(
    connectivity: Connectivity, X: Data, distance: Distance | None, rule: Any, n_merges: int
) -> Any:
    """Return at most `n_merges` merges along the edges of the graph, as SciPy's matrix."""
    graph = connectivity.graph
    is_ward = rule == _core.LinkageRule.ward
    lengths: npt.NDArray[np.float64] = np.zeros(graph.nnz)
    if not is_ward:
        lengths = edge_lengths(graph, X, distance)
    rows = None
    if is_ward and distance is not None:
        rows = np.ascontiguousarray(distance.prepare(X), dtype=np.float64)
    return np.asarray(
        _core.link_graph(
            lengths,
            *_pattern(graph),
            rule,
            False,
            rows,
            n_merges,
        )
    )
