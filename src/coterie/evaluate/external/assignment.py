"""The heaviest matching of classes with clusters, also when they are too many for a matrix."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from coterie.evaluate.labelings import AnyArray

DENSE_CELLS = 2_000_000  # a dense assignment of more would need 16 MB and more

Floats = npt.NDArray[np.float64]


def heaviest_matching(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    """Return the greatest sum of cell weights over matchings of rows with columns.

    Weights are at least 0; cells that are not listed weigh 0.

    Examples
    --------
    >>> heaviest_matching(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([3.0, 2.0, 2.0]), (2, 2))
    5.0
    """
    if shape[0] * shape[1] <= DENSE_CELLS:
        return _dense(rows, columns, weights, shape)
    return _by_parts(rows, columns, weights, shape)


def _dense(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    table = np.zeros(shape)
    table[rows, columns] = weights
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def _by_parts(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    # rows and columns that share no cell, however indirectly, can be matched apart
    n_rows, n_columns = shape
    n_vertices = n_rows + n_columns
    graph = coo_array((np.ones(rows.size, dtype=np.int8), (rows, n_rows + columns)), shape=(n_vertices,) * 2)
    n_parts, part_of = connected_components(graph, directed=False)
    rows_in = np.bincount(part_of[:n_rows], minlength=n_parts)
    columns_in = np.bincount(part_of[n_rows:], minlength=n_parts)
    part_of_cell = part_of[rows]
    heaviest = np.zeros(n_parts)
    np.maximum.at(heaviest, part_of_cell, weights)
    is_star = np.minimum(rows_in, columns_in) <= 1  # only one of its cells can be chosen
    total = float(heaviest[is_star].sum())
    order = np.argsort(part_of_cell, kind="stable")
    ends = np.cumsum(np.bincount(part_of_cell, minlength=n_parts))
    for part in np.flatnonzero(~is_star):
        cells = order[ends[part - 1] if part else 0 : ends[part]]
        total += _one_part(rows[cells], columns[cells], weights[cells])
    return total


def _one_part(rows: AnyArray, columns: AnyArray, weights: Floats) -> float:
    names_of_rows, rows = np.unique(rows, return_inverse=True)
    names_of_columns, columns = np.unique(columns, return_inverse=True)
    shape = names_of_rows.size, names_of_columns.size
    if shape[0] * shape[1] <= DENSE_CELLS:
        return _dense(rows, columns, weights, shape)
    if shape[0] > shape[1]:  # the solver goes through the rows
        return _sparse(columns, rows, weights, shape[::-1])
    return _sparse(rows, columns, weights, shape)


def _sparse(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    # every row may also stay alone, in a column of its own, at the price of an empty cell
    n_rows, n_columns = shape
    price = float(weights.max()) + 1.0
    all_rows = np.concatenate([rows, np.arange(n_rows)])
    all_columns = np.concatenate([columns, n_columns + np.arange(n_rows)])
    costs = np.concatenate([price - weights, np.full(n_rows, price)])
    graph = csr_array((costs, (all_rows, all_columns)), shape=(n_rows, n_columns + n_rows))
    matched = min_weight_full_bipartite_matching(graph)
    return float((price - np.asarray(graph[matched])).sum())
