"""Minimum spanning trees: single linkage and density-based clustering grow from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, MatrixLike, VectorLike
from coterie._support.validation import Number, check_parameter
from coterie._support.validation.schema import Tensor, Text
from coterie.distance.catalogue import Distance, RowFunction
from coterie.distance.engines import Algorithm, choose_engine, tree_form
from coterie.distance.input import input_kind
from coterie.distance.pairwise import distance_matrix, matrix_as_distances
from coterie.distance.rows import RowSets, prepare_rows
from coterie.errors import InvalidData

_WHO = "spanning_tree"


@saved()
class SpanningTree:
    """The n - 1 edges that join all rows at the least total distance.

    Parameters
    ----------
    edges : array of shape (n - 1, 2)
        The two rows of each edge, the lower one first.
    distance : array of shape (n - 1,)
        Length of each edge; edges are sorted by it, equal ones by their rows.
    """

    edges: Indices = held(Tensor("edges", 2, kind="i8", low=0, below="edges+1", may_be_empty=True))
    distance: Distances = held(Tensor("edges", allow="all", may_be_empty=True))
    algorithm_used: str = held(Text(), 'The engine: "kd_tree", "tiles", "matrix" or "function".')


def spanning_tree(
    X: MatrixLike,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    core_distances: VectorLike | None = None,
    alpha: float = 1.0,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    **params: object,
) -> SpanningTree:
    """Return the minimum spanning tree of the rows of X.

    Edges are ordered by (distance, lower row, higher row): no two are equal in that order, so that there is
    one tree, whatever the number of threads.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows; or their distances with ``metric="precomputed"``.
    metric : str, callable or Distance, default="euclidean"
        As in `pairwise_distances`.
    core_distances : array-like of shape (n,), default=None
        When given, the length of an edge is the mutual reachability
        ``max(core_distances[i], core_distances[j], distance(i, j) / alpha)``.
    alpha : float, default=1.0
        Divides the distances.
    algorithm : {"auto", "tiles", "kd_tree"}, default="auto"
        The engine; "auto" takes the faster one. All are exact.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> tree = spanning_tree([[0.0], [1.0], [5.0], [3.0]])
    >>> tree.edges.tolist(), tree.distance.tolist()
    ([[0, 1], [1, 3], [2, 3]], [1.0, 2.0, 2.0])
    """
    check_parameter(alpha, Number(0.0, open_below=True), name="alpha", who=_WHO)
    threads = resolve_threads(n_jobs)
    if input_kind(metric) != "data":
        D = matrix_as_distances(X, None, metric, params, who=_WHO, threads=threads)
        return tree_of_matrix(D, core_distances, alpha)
    rows = prepare_rows(X, None, metric, params, who=_WHO)
    return tree_of_rows(rows, core_distances, alpha, algorithm, threads)


def tree_of_rows(
    rows: RowSets,
    core_distances: VectorLike | None = None,
    alpha: float = 1.0,
    algorithm: Algorithm = "auto",
    threads: int = 0,
) -> SpanningTree:
    """Return the minimum spanning tree of prepared rows."""
    if rows.distance.function is not None:
        return tree_of_matrix(distance_matrix(rows, threads=threads), core_distances, alpha, "function")
    if choose_engine(rows, algorithm, who=_WHO) == "kd_tree":
        return _by_tree(rows, core_distances, alpha, threads)
    core = _core_of(core_distances, len(rows.X), rows.X.dtype)
    edges, distance = _core.spanning_tree(rows.X, rows.distance.metric, core, float(alpha), threads)
    return SpanningTree(edges, distance, "tiles")


def _by_tree(rows: RowSets, core_distances: VectorLike | None, alpha: float, threads: int) -> SpanningTree:
    form = tree_form(rows.distance)
    assert form is not None
    tree = _core.KDTree(rows.X, form.metric, rows.distance.p, n_threads=threads)
    core = _core_of(core_distances, len(rows.X), rows.X.dtype)
    factor = rows.X.dtype.type(form.factor)
    if core is not None:
        core = core / factor
    edges, distance = _core.spanning_tree_of_tree(tree, core, float(alpha), n_threads=threads)
    return SpanningTree(edges, distance * factor, "kd_tree")


def tree_of_neighbours(
    tree: Any, index: Indices, distance: Distances, core_distances: VectorLike | None, threads: int = 0
) -> SpanningTree:
    """Return the minimum spanning tree of the rows of a kd-tree, whose nearest others are known.

    The more of them, the fewer searches: with core distances, those beyond the core count.
    """
    core = _core_of(core_distances, len(index), distance.dtype)
    edges, lengths = _core.spanning_tree_of_neighbours(tree, index, distance, core, 1.0, threads)
    return SpanningTree(edges, lengths, "kd_tree")


def tree_of_matrix(
    D: Distances, core_distances: VectorLike | None = None, alpha: float = 1.0, used: str = "matrix"
) -> SpanningTree:
    """Return the minimum spanning tree of a checked matrix of distances."""
    edges, distance = _core.spanning_tree_of_matrix(
        D, _core_of(core_distances, len(D), D.dtype), float(alpha)
    )
    return SpanningTree(edges, distance, used)


def _core_of(core_distances: VectorLike | None, n_rows: int, dtype: npt.DTypeLike) -> Any:
    if core_distances is None:
        return None
    given = np.asarray(core_distances)
    is_of_numbers, has_shape = given.dtype.kind in "fiub", given.shape == (n_rows,)
    if not is_of_numbers or not has_shape or not (given >= 0).all():
        what = " with negative numbers or NaN" if is_of_numbers else f" of type {given.dtype}"
        raise InvalidData(
            f"core_distances of {_WHO} must be one number of at least 0 per row, {n_rows}, got the shape "
            f"{given.shape}{what if has_shape else ''}."
        )
    with np.errstate(over="ignore"):
        core = np.ascontiguousarray(given, dtype=dtype)
    largest = np.max(given, where=np.isinf(core), initial=0.0)
    if np.isfinite(largest) and largest > 0:
        raise InvalidData(
            f"core_distances of {_WHO} must fit in {core.dtype}, the type of X, got {largest:g}. Pass X in "
            f"float64."
        )
    return core
