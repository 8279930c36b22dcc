"""Ward's tree and the trees of other linkages as functions, as scikit-learn has them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from coterie._support.caller import warn_caller
from coterie._support.typing import (
    AnyFunction,
    CheckedRows,
    Distances,
    FloatArray,
    Indices,
    MatrixLike,
    MetricLike,
)
from coterie._support.validation import (
    Choice,
    Flag,
    Nothing,
    Whole,
    check_data,
    check_n_clusters,
    check_parameter,
)
from coterie.cluster.agglomerative.merging import Tree, TreeTask, build_tree
from coterie.distance import check_distance_matrix, find_distance
from coterie.distance.input import distance_of_rows
from coterie.errors import DataNotice, InvalidData, InvalidParameter

TreeParts = tuple[Any, ...]  # children, components, leaves, parents, and distances if asked for


def ward_tree(
    X: MatrixLike,
    *,
    connectivity: MatrixLike | None = None,
    n_clusters: int | None = None,
    return_distance: bool = False,
) -> TreeParts:
    """Return Ward's tree of the rows: `AgglomerativeClustering` without a cut.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; one number per row may come as shape (n_samples,).
    connectivity : array-like or sparse matrix, default=None
        Which rows may merge directly.
    n_clusters : int, default=None
        With connectivity: where to stop.
    return_distance : bool, default=False
        Whether to return the heights of the merges too.

    Returns
    -------
    children : array of int of shape (n_merges, 2)
        The nodes that each merge joins: below n_samples rows, then merges as they came.
    n_connected_components : int
        Pieces of the connectivity before they were joined.
    n_leaves : int
        Number of rows.
    parents : array of int of shape (n_nodes,) or None
        With connectivity: the node that each was merged into, or itself.
    distances : array of shape (n_merges,)
        Heights, if asked for.

    Examples
    --------
    >>> children, *_, heights = ward_tree([[0.0], [1.0], [5.0]], return_distance=True)
    >>> children.tolist(), heights.round(2).tolist()
    ([[0, 1], [2, 3]], [1.0, 5.2])
    """
    check_parameter(return_distance, Flag(), name="return_distance", who="ward_tree")
    rows = _rows(X, "euclidean", "ward_tree")
    return _parts(rows, "euclidean", "ward", connectivity, n_clusters, return_distance, who="ward_tree")


def linkage_tree(
    X: MatrixLike,
    connectivity: MatrixLike | None = None,
    n_clusters: int | None = None,
    linkage: str = "complete",
    affinity: MetricLike = "euclidean",
    return_distance: bool = False,
) -> TreeParts:
    """Return the tree of the rows by complete, average or single linkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, or with ``affinity="precomputed"`` the square matrix of their distances.
    connectivity : array-like or sparse matrix, default=None
        Which rows may merge directly.
    n_clusters : int, default=None
        With connectivity: where to stop.
    linkage : {"complete", "average", "single"}, default="complete"
        When two clusters are near.
    affinity : str or callable, default="euclidean"
        A distance of `coterie.distance.distances()`, or "precomputed". A function, as in scikit-learn: with
        connectivity, of two rows; without, of all rows: it returns the matrix of distances.
    return_distance : bool, default=False
        Whether to return the heights of the merges too.

    Returns
    -------
    children, n_connected_components, n_leaves, parents, distances
        As in `ward_tree`.

    Examples
    --------
    >>> children, *_, heights = linkage_tree([[0.0], [1.0], [5.0]], linkage="single", return_distance=True)
    >>> children.tolist(), heights.tolist()
    ([[0, 1], [2, 3]], [1.0, 4.0])
    """
    who = "linkage_tree"
    check_parameter(linkage, Choice("complete", "average", "single"), name="linkage", who=who)
    check_parameter(return_distance, Flag(), name="return_distance", who=who)
    rows = _rows(X, affinity, who)
    if isinstance(affinity, str) and affinity == "cosine" and (~rows.any(axis=1)).any():
        raise InvalidData(
            "Cosine affinity cannot be used when X contains zero vectors, which have no direction. Leave "
            "these rows out."
        )
    if callable(affinity) and connectivity is None:
        rows, affinity = _matrix_by(affinity, rows), "precomputed"
    return _parts(rows, affinity, linkage, connectivity, n_clusters, return_distance, who=who)


def _rows(X: MatrixLike, affinity: MetricLike, who: str) -> CheckedRows:
    """Return checked rows, or a checked matrix of distances; numbers alone are rows of one column."""
    if isinstance(affinity, str) and affinity == "precomputed":
        shape = np.shape(X)
        if len(shape) == 2 and shape[0] != shape[1]:
            raise InvalidData(f"Distance matrix should be square, got matrix of shape {shape}: X of {who}.")
        return check_distance_matrix(X, who=who)
    given = np.reshape(np.asarray(X), (-1, 1)) if np.ndim(X) == 1 else X
    squares = callable(affinity) or find_distance(affinity).squares_numbers
    return check_data(given, who=who, min_rows=2, squares=squares, may_be_distances=True)


def _matrix_by(function: AnyFunction, rows: CheckedRows) -> Distances:
    D = np.asarray(function(rows))
    if D.shape != (len(rows), len(rows)):
        raise InvalidParameter(
            f"affinity of linkage_tree must return a matrix of shape {(len(rows), len(rows))}, the distances "
            f"of all rows, got the shape {D.shape}."
        )
    return check_distance_matrix(D, who="linkage_tree", name="the answer of affinity")


def _parts(
    rows: CheckedRows,
    affinity: MetricLike,
    linkage: str,
    connectivity: MatrixLike | None,
    n_clusters: int | None,
    return_distance: bool,
    *,
    who: str,
) -> TreeParts:
    n = len(rows)
    check_parameter(n_clusters, Nothing() | Whole(1), name="n_clusters", who=who)
    if n_clusters is not None:
        check_n_clusters(n_clusters, n, who=who)
    if n_clusters is not None and connectivity is None:
        warn_caller(
            f"n_clusters of {who} stops the tree early only with connectivity: the whole tree is returned.",
            DataNotice,
        )
    is_whole = connectivity is None or n_clusters is None
    distance = distance_of_rows(affinity)
    kind: Literal["distances", "data"] = "distances" if distance is None else "data"
    distance = None if distance is None else distance.fit(rows)
    n_merges = n - 1 if is_whole else n - int(n_clusters or 1)
    task = TreeTask(kind, distance, linkage, connectivity, n_merges, None, None, who)
    tree: Tree = build_tree(rows, task)
    children: Indices = tree.Z[:, :2].astype(np.intp)
    heights: FloatArray = tree.Z[:, 2].copy()
    parents = None if connectivity is None else _parents(children, n)
    parts = (children, tree.n_components, n, parents)
    return (*parts, heights) if return_distance else parts


def _parents(children: Indices, n_leaves: int) -> Indices:
    """Return the node that each was merged into, or itself."""
    parents = np.arange(n_leaves + len(children))
    parents[children] = (n_leaves + np.arange(len(children)))[:, None]
    return parents
