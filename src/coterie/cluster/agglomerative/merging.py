"""The tree of agglomerative clustering: with or without connectivity, with or without constraints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, Data, Distances, Indices, MatrixLike, Model, SparseData
from coterie._support.validation import check_pairs, check_sparse
from coterie.distance import Distance, find_distance, pairwise_distances
from coterie.distance.input import InputKind, MatrixInput, RowsInput, SimilarityInput
from coterie.distance.pairwise import called
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import METHODS, LinkageMethod
from coterie.tree.linkage import LinkageMatrix, link
from coterie.tree.linkage_input import square_matrix

GRAPH_METHODS = ("ward", "complete", "average", "single")
CONSTRAINED_METHODS = ("ward", "complete", "average", "weighted")


class TreeTask(NamedTuple):
    """What the tree depends on."""

    kind: InputKind
    distance: Distance | None
    method: str
    connectivity: MatrixLike | None
    n_merges: int
    must_link: MatrixLike | None
    cannot_link: MatrixLike | None
    who: str


class Tree(NamedTuple):
    """Merges as SciPy's matrix, fewer than n - 1 if that was asked for; pieces of the connectivity."""

    Z: LinkageMatrix
    n_components: int


def check_settings(model: Model, kind: InputKind, who: str) -> None:
    """Refuse parameters of agglomerative clustering that do not go together."""
    if (model.n_clusters is None) == (model.distance_threshold is None):
        raise InvalidParameter(
            f"Exactly one of n_clusters and distance_threshold of {who} has to be set, and the other needs "
            f"to be None; got {model.n_clusters} and {model.distance_threshold}."
        )
    if model.distance_threshold is not None and not model.compute_full_tree:
        raise InvalidParameter(
            f"compute_full_tree must be True if distance_threshold is set, got False for {who}."
        )
    if model.symmetrize is not None and kind != "similarities":
        raise InvalidParameter(f'symmetrize of {who} is for metric="similarity", got {model.metric!r}.')
    form = find_distance(model.metric).euclidean_form if kind == "data" else "distance"
    is_euclidean = kind != "similarities" and form == "distance"
    if METHODS[model.linkage].needs_euclidean and not is_euclidean:
        raise InvalidParameter(
            f'linkage="{model.linkage}" of {who} can only work with euclidean distances, got '
            f'metric="{model.metric}". Use "average" or "complete" with it.'
        )


def build_tree(X: Data, task: TreeTask) -> Tree:
    """Return the tree of rows, or of a checked matrix of distances or similarities."""
    method = METHODS[task.method]
    _refuse_unknown_pairs(task)
    if task.connectivity is not None:
        distance = None if task.kind == "distances" else task.distance
        connected = check_connectivity(task.connectivity, X, distance, who=task.who)
        return Tree(link_along(connected, X, distance, method.rule, task.n_merges), connected.n_components)
    given = _given(X, task)
    if task.must_link is None and task.cannot_link is None:
        return Tree(link(given, method, 0, who=task.who), 1)
    return Tree(_link_constrained(given, method, task), 1)


def _given(X: Data, task: TreeTask) -> RowsInput | MatrixInput:
    if task.distance is not None:
        return RowsInput(task.distance.prepare(X), task.distance)
    return SimilarityInput(X) if task.kind == "similarities" else MatrixInput(X)


def _link_constrained(given: RowsInput | MatrixInput, method: LinkageMethod, task: TreeTask) -> LinkageMatrix:
    must = check_pairs(task.must_link, given.n, name="must_link", who=task.who)
    cannot = check_pairs(task.cannot_link, given.n, name="cannot_link", who=task.who)
    D = constrain(square_matrix(given, method, 0, who=task.who), must, cannot, who=task.who)
    Z = np.asarray(_core.link_matrix(D, method.rule, 0))
    if given.kind == "similarities":
        np.negative(Z[:, 2], out=Z[:, 2])
    return Z


def _refuse_unknown_pairs(task: TreeTask) -> None:
    """Refuse combinations that have no meaning."""
    is_constrained = task.must_link is not None or task.cannot_link is not None
    if task.connectivity is not None and task.method not in GRAPH_METHODS:
        raise InvalidParameter(
            f'connectivity of {task.who} goes with linkage {", ".join(GRAPH_METHODS)}, got "{task.method}".'
        )
    if task.connectivity is not None and (is_constrained or task.kind == "similarities"):
        raise InvalidParameter(
            f"connectivity of {task.who} goes with rows or distances, without must_link and cannot_link."
        )
    if task.connectivity is not None and METHODS[task.method].needs_euclidean and task.distance is None:
        raise InvalidParameter(
            f'linkage="{task.method}" of {task.who} with connectivity needs rows, got distances: use '
            f'"average".'
        )
    if is_constrained and task.method not in CONSTRAINED_METHODS:
        raise InvalidParameter(
            f"must_link and cannot_link of {task.who} go with linkage {', '.join(CONSTRAINED_METHODS)}, got "
            f'"{task.method}".'
        )


def constrain(D: Distances, must_link: Indices, cannot_link: Indices, *, who: str) -> Distances:
    """Set the distances of pairs that must merge to the least, of those that must not to infinity, in place.

    What holds for two rows holds for all that must be with either of them.
    """
    n = len(D)
    ones = np.ones(len(must_link))
    _, block = connected_components(sparse.coo_array((ones, must_link.T), shape=(n, n)), directed=False)
    least = min(0.0, float(D.min()))
    for one in np.unique(block[must_link[:, 0]]):
        rows = np.flatnonzero(block == one)
        D[np.ix_(rows, rows)] = least
    for i, j in cannot_link:
        if block[i] == block[j]:
            raise InvalidParameter(
                f"cannot_link of {who} says that rows {i} and {j} must not be together, must_link that they "
                f"must."
            )
        rows, others = np.flatnonzero(block == block[i]), np.flatnonzero(block == block[j])
        D[np.ix_(rows, others)] = np.inf
        D[np.ix_(others, rows)] = np.inf
    return D


@dataclass(frozen=True)
class Connectivity:
    """A symmetric CSR graph without a diagonal, and of how many pieces it was before they were joined."""

    graph: SparseData
    n_components: int


def check_connectivity(
    connectivity: MatrixLike, X: Data, distance: Distance | None, *, who: str
) -> Connectivity:
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
        warn_caller(
            f"the connectivity matrix of {who} has {n_components} > 1 connected components. Completing it to "
            f"avoid stopping the tree early."
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


def _symmetric(rows: AnyArray, columns: AnyArray, n: int) -> SparseData:
    ones = np.ones(2 * len(rows))
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    graph = sparse.csr_array((ones, both), shape=(n, n))
    graph.sum_duplicates()
    graph.sort_indices()
    return graph


def _bridges(X: Data, distance: Distance | None, component: AnyArray, n_components: int) -> Indices:
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
    connectivity: Connectivity, X: Data, distance: Distance | None, rule: _core.LinkageRule, n_merges: int
) -> npt.NDArray[np.float64]:
    """Return at most `n_merges` merges along the edges of the graph, as SciPy's matrix."""
    graph = connectivity.graph
    is_ward = rule == _core.LinkageRule.ward
    lengths: npt.NDArray[np.float64] = np.zeros(graph.nnz)
    if not is_ward:
        lengths = edge_lengths(graph, X, distance)
    rows = None
    if is_ward and distance is not None:
        rows = np.ascontiguousarray(distance.prepare(X), dtype=np.float64)
    return np.asarray(_core.link_graph(lengths, *_pattern(graph), rule, False, rows, n_merges))
