"""Trees and graphs of approximate neighbours, for methods that would otherwise compare all pairs of rows.

Every row is joined to its nearest ones. Where the graph falls apart, its parts are joined by the nearest
pairs between some rows of each part and all rows outside of it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, Distances, FloatArray, Indices, SparseData
from coterie.distance.neighbours import Neighbours, near_of_rows
from coterie.distance.rows import RowSets
from coterie.distance.spanning import SpanningTree
from coterie.errors import InvalidParameter, ParameterNotice

RECALL = 0.95
FEWEST_NEIGHBOURS = 16
ROWS_PER_PART = 64  # that look for the nearest row outside of their part
ROWS_AT_ONCE = 4096  # of all parts together
CELLS_PER_BLOCK = 1 << 23
WIDE_COLUMNS, MANY_ROWS = 30, 20_000  # from where comparing all pairs takes long
SECONDS_PER_PAIR = 1.5e-10  # and column, on two cores of 2026


def note_exact_cost(rows: RowSets, who: str) -> None:
    """Tell how long all pairs of many wide rows may take, and what takes less."""
    n_rows, n_columns = len(rows.X), rows.X.shape[1]
    if n_rows <= MANY_ROWS or n_columns <= WIDE_COLUMNS:
        return
    seconds = SECONDS_PER_PAIR * n_rows**2 * n_columns
    time = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
    warn_caller(
        f"{who} compares all pairs of {n_rows:,} rows x {n_columns} columns, which may take about {time}. "
        f'neighbors="approximate" takes a fraction of that.',
        ParameterNotice,
    )


def near_rows(
    rows: RowSets | None, n_neighbors: int | None, least: int, threads: int, *, who: str
) -> Neighbours:
    """Return the approximate neighbours of prepared rows: at least `least` of each, unless told how many."""
    if rows is None or rows.distance.function is not None:
        raise InvalidParameter(
            f'neighbors of {who} must be "exact" for sparse rows, rows without a direction, matrices and '
            f"functions: approximate neighbours are those of dense rows under cosine, hamming and the "
            f"Euclidean distances."
        )
    n = len(rows.X)
    wanted = max(FEWEST_NEIGHBOURS, 2 * least) if n_neighbors is None else max(n_neighbors, least)
    return near_of_rows(rows, min(wanted, n - 1), RECALL, threads, who=who)


def near_tree(
    rows: RowSets, near: Neighbours, core: FloatArray | None = None, alpha: float = 1.0, threads: int = 0
) -> SpanningTree:
    """Return the least spanning tree of the graph of near rows, its parts joined.

    Parameters
    ----------
    rows : Rows
        Prepared rows.
    near : Neighbours
        Their neighbours.
    core : array of shape (n,), default=None
        When given, the length of an edge is ``max(core[i], core[j], distance / alpha)``.
    alpha : float, default=1.0
        Divides the distances.

    Examples
    --------
    >>> from coterie.distance.rows import prepare_rows
    >>> rows = prepare_rows([[0.0], [1.0], [9.0], [9.5]], None, "euclidean", {}, who="me")
    >>> tree = near_tree(rows, near_of_rows(rows, 1, 0.95, 1, who="me"))
    >>> tree.edges.tolist(), tree.distance.tolist()
    ([[2, 3], [0, 1], [1, 2]], [0.5, 1.0, 8.0])
    """
    n, k = near.index.shape
    core = np.zeros(n) if core is None else core
    tails, heads = np.repeat(np.arange(n), k), near.index.ravel()
    edges, length = _sorted_edges(tails, heads, near.distance.ravel().astype(np.float64) / alpha, core)
    keep = _core.joining_edges(edges, n).astype(bool)
    edges, length = edges[keep], length[keep]
    while len(edges) < n - 1:
        graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
        part = connected_components(graph, directed=False)[1]
        bridges = _bridges(rows, part, core, alpha, threads)
        edges, length = np.concatenate([edges, bridges[0]]), np.concatenate([length, bridges[1]])
        keep = _core.joining_edges(edges, n).astype(bool)
        edges, length = edges[keep], length[keep]
    order = np.lexsort((edges[:, 1], edges[:, 0], length))
    return SpanningTree(np.ascontiguousarray(edges[order]), length[order], "approximate")


def _sorted_edges(
    tails: Indices, heads: Indices, distance: FloatArray, core: FloatArray
) -> tuple[SparseData, FloatArray]:
    """Return edges by (length, lower row, higher row), so that any processor sorts them alike."""
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    length = np.maximum(np.maximum(core[low], core[high]), distance)
    order = np.lexsort((high, low, length))
    return np.column_stack([low, high]).astype(np.int64)[order], length[order]


def _bridges(
    rows: RowSets, part: AnyArray, core: FloatArray, alpha: float, threads: int
) -> tuple[SparseData, FloatArray]:
    """Return for every part but the largest the shortest edge found to a row outside of it."""
    sizes = np.bincount(part)
    largest = int(np.argmax(sizes))
    per_part = max(1, min(ROWS_PER_PART, ROWS_AT_ONCE // (len(sizes) - 1)))
    asked = _drawn_rows(part, sizes, largest, per_part)
    nearest, reach = _nearest_outside(rows, asked, part, core, alpha, threads)
    order = np.lexsort((nearest, asked, reach, part[asked]))
    first = order[np.unique(part[asked][order], return_index=True)[1]]
    return _sorted_edges(asked[first], nearest[first], reach[first], core)


def _drawn_rows(part: AnyArray, sizes: AnyArray, largest: int, per_part: int) -> Indices:
    """Return up to so many rows of each part but one, evenly among its rows."""
    order = np.argsort(part, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    drawn = [
        order[np.unique(np.linspace(starts[p], starts[p + 1] - 1, min(per_part, sizes[p])).astype(np.intp))]
        for p in range(len(sizes))
        if p != largest
    ]
    return np.asarray(np.concatenate(drawn))


def _nearest_outside(
    rows: RowSets, asked: Indices, part: AnyArray, core: FloatArray, alpha: float, threads: int
) -> tuple[Indices, FloatArray]:
    nearest, reach = np.empty(len(asked), dtype=np.intp), np.empty(len(asked))
    step = max(1, CELLS_PER_BLOCK // len(part))
    for first in range(0, len(asked), step):
        some = asked[first : first + step]
        D = _core.pairwise(rows.X[some], rows.X, rows.distance.metric, threads).astype(np.float64) / alpha
        D = np.maximum(np.maximum(D, core[None, :]), core[some][:, None])
        D[part[some][:, None] == part[None, :]] = np.inf
        nearest[first : first + step] = D.argmin(axis=1)
        reach[first : first + step] = D.min(axis=1)
    return nearest, reach


def near_distances(near: Neighbours, tree: SpanningTree | None = None) -> csr_array:
    """Return the symmetric graph of distances between near rows, and along a tree; zeros are stored.

    Examples
    --------
    >>> near = Neighbours(np.array([[1], [0], [1]]), np.array([[1.0], [1.0], [2.0]]), "tiles")
    >>> near_distances(near).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """
    n, k = near.index.shape
    tails, heads = np.repeat(np.arange(n), k), near.index.ravel()
    values: Distances = near.distance.ravel().astype(np.float64)
    if tree is not None:
        tails, heads = np.append(tails, tree.edges[:, 0]), np.append(heads, tree.edges[:, 1])
        values = np.append(values, tree.distance)
    keys = np.concatenate([tails * n + heads, heads * n + tails])
    keys, first = np.unique(keys, return_index=True)
    columns = (keys % n).astype(np.int32)
    starts = np.searchsorted(keys, np.arange(n + 1) * n)
    return csr_array((np.tile(values, 2)[first], columns, starts), shape=(n, n))
