"""Linkage: from rows, distances or similarities to the matrix of merges."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import MatrixLike
from coterie._support.validation import Choice, Flag, Nothing, Whole, check_parameter, require_memory
from coterie.distance import Distance
from coterie.distance.catalogue import RowFunction
from coterie.distance.input import GraphInput, Input, RowsInput
from coterie.distance.near_graph import near_distances, near_rows, near_tree
from coterie.distance.rows import RowSets
from coterie.distance.spanning import tree_of_rows
from coterie.errors import InvalidParameter
from coterie.tree._linkage_facts import METHODS, LinkageMethod
from coterie.tree._linkage_graph import GRAPH_METHODS, graph_arrays
from coterie.tree.dendrogram import Dendrogram
from coterie.tree.linkage_input import WAY_OUT, by_differences, is_worth_rounds, read_input, square_matrix

Symmetrize: TypeAlias = Literal["mean", "min", "max"]
LinkageMatrix: TypeAlias = npt.NDArray[np.float64]

_WHO = "linkage"
_MOST_MERGED = 24  # rows per cluster that is left after the first rounds


def linkage(
    X: MatrixLike,
    method: str = "single",
    metric: str | RowFunction | Distance = "euclidean",
    optimal_ordering: bool = False,
    *,
    symmetrize: Symmetrize | None = None,
    neighbors: str = "exact",
    n_neighbors: int | None = None,
    n_jobs: int | None = None,
    **params: Any,
) -> LinkageMatrix:
    """Return the merges of agglomerative clustering as SciPy's linkage matrix.

    Row i merges the clusters ``Z[i, 0]`` and ``Z[i, 1]`` at the height ``Z[i, 2]`` into cluster n + i of
    ``Z[i, 3]`` rows; clusters below n are single rows. The contract is that of
    ``scipy.cluster.hierarchy.linkage``, and without ties so is the answer.

    Parameters
    ----------
    X : array-like or sparse matrix
        With the name of a distance as `metric`: rows of shape (n, d). With ``metric="precomputed"`` or
        ``"similarity"``: a square matrix, or a sparse one whose missing entries are infinitely far (not at
        all similar). A vector is always a condensed matrix: the n (n - 1) / 2 numbers above the diagonal.
    method : str, default="single"
        When two clusters are near: "single" (nearest members), "complete" (farthest members), "average"
        (mean over the pairs between them), "weighted" (mean of the distances of its two parts), "ward"
        (increase of the sum of squares), "centroid", "median" (of the two centres), "average_merged" (mean
        over all pairs of the union, those within each cluster included) or "minimax" (smallest ball about a
        member).
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a function of two rows, or a distance. "precomputed": `X`
        holds distances. "similarity": `X` holds similarities, and heights are similarities, which fall. Ward,
        centroid and median take rows with Euclidean distances, or distances that are taken to be such.
    optimal_ordering : bool, default=False
        Whether to swap the two parts of merges such that neighbouring leaves are as near as can be. Needs the
        distances of all pairs, and much time for more than some thousand rows.
    symmetrize : {"mean", "min", "max"}, default=None
        How two similarities S[i, j] and S[j, i] that differ (scores of a classifier, say) become one. None:
        they must be equal.
    neighbors : {"exact", "approximate"}, default="exact"
        "approximate": "single" and "average" linkage of many dense rows merge along a graph of approximate
        neighbours (`coterie.distance.k_nearest` with ``recall=0.95``), whose parts are joined by near pairs,
        in memory that grows with the rows. Average linkage then knows only the linked pairs: where one part
        of a cluster has no link to a third cluster, the other part alone says how far that is, and a merge
        below an earlier one is put at its height. With all other rows as neighbours both are exact.
    n_neighbors : int, default=None
        Neighbours in that graph; None: 16.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance, such as ``p=3``.

    Returns
    -------
    ndarray of float64 of shape (n - 1, 4)
        Of the merges whose parts exist, the one of the least (height, smaller id, larger id) comes next. Of
        equally near clusters the one with the lowest row is taken; so ties are settled in the same way for
        any number of threads.

    Notes
    -----
    Single linkage on any named distance, Ward, centroid and median, and average on squared Euclidean or
    cosine distances keep no matrix: memory grows with the rows. Other methods keep a square matrix of the
    type of the rows, 4 n^2 bytes for float32, and take time of n^2; "minimax" of n^3 at worst. Complete,
    average and weighted linkage of 10,000 rows or more first merge what are each other's nearest without a
    matrix, by lists of near clusters, until a twelfth of the clusters is left: the matrix then has less than
    a hundredth of the cells. Rows with few mutual neighbours (many columns, many equal rows) leave more.

    Examples
    --------
    >>> linkage([[0.0], [1.0], [3.0]], "average")
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 2.5, 3. ]])
    >>> S = [[1, 0.9, 0.1], [0.9, 1, 0.7], [0.1, 0.7, 1]]
    >>> linkage(S, "complete", "similarity")
    array([[0. , 1. , 0.9, 2. ],
           [2. , 3. , 0.1, 3. ]])
    """
    check_parameter(method, Choice(*METHODS), name="method", who=_WHO)
    check_parameter(symmetrize, Nothing() | Choice("mean", "min", "max"), name="symmetrize", who=_WHO)
    threads = resolve_threads(n_jobs)
    check_parameter(optimal_ordering, Flag(), name="optimal_ordering", who=_WHO)
    check_parameter(neighbors, Choice("exact", "approximate"), name="neighbors", who=_WHO)
    check_parameter(n_neighbors, Nothing() | Whole(1), name="n_neighbors", who=_WHO)
    given = read_input(X, metric, params, symmetrize, threads, who=_WHO)
    if neighbors == "approximate":
        Z = _link_near(given, METHODS[method], n_neighbors, threads)
    else:
        Z = link(given, METHODS[method], threads, who=_WHO)
    return _ordered(Z, given, METHODS[method], threads) if optimal_ordering else Z


def link(given: Input, method: LinkageMethod, threads: int, *, who: str) -> LinkageMatrix:
    """Return the linkage matrix of checked input."""
    _refuse_mismatch(given, method, who)
    sign = -1.0 if given.kind == "similarities" else 1.0
    if isinstance(given, GraphInput):
        arrays = graph_arrays(given.values, sign)
        Z = np.asarray(_core.link_graph(*arrays, method.rule, True, None, given.n - 1))
        Z[:, 2] *= sign
        return Z
    if isinstance(given, RowsInput):
        linked = _link_rows(given, method, threads)
        if linked is not None:
            return linked
    Z = np.asarray(_core.link_matrix(square_matrix(given, method, threads, who=who), method.rule, threads))
    Z[:, 2] *= sign
    return Z


def _link_near(given: Input, method: LinkageMethod, n_neighbors: int | None, threads: int) -> LinkageMatrix:
    """Return the linkage matrix along the graph of approximate neighbours."""
    if method.name not in ("single", "average"):
        raise InvalidParameter(
            f'neighbors="approximate" of {_WHO} is for the methods single and average, got {method.name}.'
        )
    rows = None
    if isinstance(given, RowsInput) and given.distance is not None:
        rows = RowSets(given.values, None, given.distance)
    if rows is not None and len(rows.X) < 2:
        return link(given, method, threads, who=_WHO)
    near = near_rows(rows, n_neighbors, 1, threads, who=_WHO)
    assert rows is not None
    tree = near_tree(rows, near, threads=threads)
    if method.is_spanning_tree:
        return np.asarray(_core.link_edges(tree.edges, tree.distance.astype(np.float64, copy=False)))
    arrays = graph_arrays(near_distances(near, tree), 1.0)
    Z = np.asarray(_core.link_graph(*arrays, method.rule, False, None, given.n - 1))
    np.maximum.accumulate(Z[:, 2], out=Z[:, 2])
    return Z


def _link_rows(given: RowsInput, method: LinkageMethod, threads: int) -> LinkageMatrix | None:
    """Return the linkage matrix without the distances of all pairs; None where these are needed."""
    rows, distance = given.values, given.distance
    assert distance is not None
    if method.is_spanning_tree and distance.function is None:
        tree = tree_of_rows(RowSets(rows, None, distance), threads=threads)
        return np.asarray(_core.link_edges(tree.edges, tree.distance.astype(np.float64, copy=False)))
    if method.takes_rows(distance):
        Z = np.asarray(_core.link_rows(rows, method.rule, threads))
        method.finish(Z[:, 2], distance)
        return Z
    if not method.has_first_rounds or not is_worth_rounds(given):
        return None
    # merge by rounds first: a matrix of the clusters that are left is much smaller
    what = f"{method.name} linkage of {given.n:,} rows"
    require_memory((given.n // _MOST_MERGED) ** 2 * rows.itemsize, what, WAY_OUT)
    first = _core.first_rounds(rows, by_differences(given).metric, method.rule, threads)
    what += f", of which {first.n_left:,} clusters are left after the first merges"
    require_memory(first.n_left**2 * rows.itemsize, what, WAY_OUT)
    return np.asarray(first.link())


def _ordered(Z: LinkageMatrix, given: Input, method: LinkageMethod, threads: int) -> LinkageMatrix:
    if given.kind == "similarities" or isinstance(given, GraphInput):
        raise InvalidParameter(
            f"optimal_ordering of {_WHO} needs the distances of all pairs, got "
            f"{'a sparse graph' if isinstance(given, GraphInput) else 'similarities'}."
        )
    tree = Dendrogram.from_linkage(Z)
    D = square_matrix(given, method, threads, who=_WHO)
    return tree.reordered(tree.leaf_order(optimal=True, distances=D)).to_linkage()


def _refuse_mismatch(given: Input, method: LinkageMethod, who: str) -> None:
    if isinstance(given, GraphInput) and method.name not in GRAPH_METHODS:
        raise InvalidParameter(
            f'method="{method.name}" of {who} is not defined with infinite distances, got a sparse graph. '
            f"Use one of {', '.join(GRAPH_METHODS)}."
        )
    if not method.needs_euclidean:
        return
    name = method.name
    if given.kind == "similarities":
        raise InvalidParameter(
            f'method="{name}" of {who} needs distances, got similarities. Use "single", "complete" or '
            f'"average", or turn them into Euclidean distances.'
        )
    distance = given.distance if isinstance(given, RowsInput) else None
    if distance is not None and distance.euclidean_form != "distance":
        raise InvalidParameter(
            f'method="{name}" of {who} requires the distance metric to be Euclidean, got '
            f'metric="{distance.name}". Use "average" or "complete" with it.'
        )
