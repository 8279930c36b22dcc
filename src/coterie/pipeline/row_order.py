"""An order of rows and columns that depends on their values alone, so that answers hold still.

Seeds draw rows by their place, and ties go to the first: methods run on rows in this order, and what they
find is put back. Any order of the table's rows and columns then gives the same groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coterie._support.threads import map_in_order, resolve_threads
from coterie._support.typing import AnyArray, CheckedRows, Data, Indices, Model

QUANTILES = 9  # by which columns are compared first
DIGITS = 9  # of a column's values: rounding by a shift or another unit must not change the order
COLUMNS_AT_ONCE = 16  # sorted together: a cache line of their rows
ROWS_AT_ONCE = 256  # put in order together: they stay in the cache
LEAST_IN_THREADS = 1 << 20  # numbers: fewer are done before threads have begun
MOST_KEYS = 12  # columns that rows are sorted by; ties of these are broken by the rest of the row


@dataclass(frozen=True, eq=False)
class RowOrder:
    """Places of rows and columns in an order that their values decide.

    Examples
    --------
    >>> X = np.array([[3.0, 1.0], [1.0, 10.0], [2.0, 5.0]])
    >>> order = order_of(X)
    >>> order.take(X).tolist() == order_of(X[::-1, ::-1]).take(X[::-1, ::-1]).tolist()
    True
    >>> order.put_back(order.take(X)[:, 0]).tolist() in X.T.tolist()
    True
    """

    # rows, columns: which row, and which column, comes at each place
    rows: Indices
    columns: Indices

    def take(self, points: CheckedRows) -> AnyArray:
        """Return rows and columns in this order."""
        return np.ascontiguousarray(points[self.rows][:, self.columns])

    def put_back(self, values: AnyArray) -> AnyArray:
        """Return values of the ordered rows in the order that the rows had."""
        if len(values) != len(self.rows):
            return values  # a candidate without labels
        found = np.empty_like(values)
        found[self.rows] = values
        return found


def order_of(points: Data) -> RowOrder:
    """Return the order of some rows and their columns by value; a missing one comes before all others."""
    is_missing = np.isnan(points)
    if is_missing.any():
        points = np.where(is_missing, np.nanmin(points, initial=0.0) - 1.0, points)
    columns = _columns(points)
    return RowOrder(_rows(points, columns), columns)


def order_of_mixed(rows: Data) -> RowOrder:
    """Return the order of rows of numbers and codes by value; the columns stay where they are."""
    return RowOrder(order_of(rows).rows, np.arange(rows.shape[1]))


def order_as_given(points: Data) -> RowOrder:
    """Return the order that rows and columns have."""
    return RowOrder(*(np.arange(size) for size in points.shape))


def row_order(points: Data) -> Indices:
    """Return the rows in the order of `order_of`."""
    return order_of(points).rows


def _columns(points: Data) -> Indices:
    n_rows, n_columns = points.shape
    if n_columns < 2 or not n_rows:
        return np.arange(n_columns)
    places = np.unique(np.linspace(0, n_rows - 1, QUANTILES).astype(np.int64))
    whole = _sorted_columns(points)
    ranked = whole[:, places].T.astype(np.float64)
    unit = float(np.abs(ranked - ranked[0]).max()) or 1.0
    keys = np.round((ranked - ranked[0]) / unit, DIGITS)
    order = np.lexsort(keys[::-1])
    at = _places_of_ties(keys[:, order])
    if at.size:  # 0 and 1 in columns of codes: the one with more of its lowest value comes first
        lowest = np.zeros(n_columns)
        lowest[order[at]] = [
            -np.searchsorted(whole[column], whole[column, 0] + 0.1**DIGITS / 2 * unit, "right")
            for column in order[at]
        ]
        keys = np.vstack([keys, lowest])
        order = np.lexsort(keys[::-1])
        at = _places_of_ties(keys[:, order])
    if at.size:  # all values decide
        values = whole[order[at]].astype(np.float64)
        rounded = np.round((values - values[:, :1]) / unit, DIGITS).astype(">f8")
        some = order[at][_lexicographic(rounded)]
        order[at] = some[np.lexsort(keys[::-1][:, some])]
    return np.asarray(order)


def _sorted_columns(points: Data) -> AnyArray:
    """Return the values of each column, rising, a row for each.

    Sorting whole columns takes a fifth of the time of NumPy's partition at several places.
    """
    whole = np.empty(points.shape[::-1], dtype=points.dtype)

    def sort(columns: slice) -> None:
        whole[columns] = points[:, columns].T
        whole[columns].sort(axis=1)

    starts = range(0, points.shape[1], COLUMNS_AT_ONCE)
    is_small = points.size < LEAST_IN_THREADS
    threads = 1 if is_small else resolve_threads()
    map_in_order(sort, [slice(start, start + COLUMNS_AT_ONCE) for start in starts], threads)
    return whole


def _rows(points: Data, columns: Indices) -> Indices:
    """Return the order of the rows by their values in some columns, the first ones first."""
    keys = points[:, columns[:MOST_KEYS]].T[::-1]
    order = np.lexsort(keys)
    at = _places_of_ties(keys[:, order]) if len(columns) > MOST_KEYS else order[:0]
    if at.size:
        some = order[at]
        some = some[_lexicographic(_taken(points, some, columns))]
        order[at] = some[np.lexsort(keys[:, some])]
    return np.asarray(order)


def _taken(points: Data, rows: Indices, columns: Indices) -> AnyArray:
    """Return some rows with their columns in some order."""
    found = np.empty((len(rows), len(columns)), dtype=points.dtype)

    def take(some: slice) -> None:
        found[some] = points[rows[some]][:, columns]

    starts = range(0, len(rows), ROWS_AT_ONCE)
    threads = 1 if found.size < LEAST_IN_THREADS else resolve_threads()
    map_in_order(take, [slice(start, start + ROWS_AT_ONCE) for start in starts], threads)
    return found


def _places_of_ties(ordered: AnyArray) -> Indices:
    """Return which columns of an array equal the one before or after them.

    Examples
    --------
    >>> _places_of_ties(np.array([[1, 1, 2, 3, 3]])).tolist()
    [0, 1, 3, 4]
    """
    tied = (ordered[:, 1:] == ordered[:, :-1]).all(axis=0)
    return np.flatnonzero(np.concatenate([tied, [False]]) | np.concatenate([[False], tied]))


def _lexicographic(rows: AnyArray) -> Indices:
    """Return rows in the order of their bytes; equal ones stay as they are.

    Numbers of at least 0 are in their own order if the first byte counts most.

    Examples
    --------
    >>> _lexicographic(np.array([[0.5, 3.0], [0.5, 2.0], [0.0, 9.0]], dtype=">f8")).tolist()
    [2, 1, 0]
    """
    whole = np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))
    return np.asarray(np.ascontiguousarray(rows).view(whole).ravel().argsort(kind="stable"))


def fit_in_order(estimator: Model, points: Data, find_order: Callable[[], Indices] | None = None) -> Model:
    """Return the estimator fitted to rows in the order of their values, as if fitted to them as they are.

    An estimator that cannot be put back is fitted to the rows as they are. `find_order` gives the order where
    it may be known.
    """
    if not hasattr(estimator, "with_rows_at") or estimator.row_attributes is None:
        return estimator.fit(points)
    rows = row_order(points) if find_order is None else find_order()
    return estimator.fit(np.ascontiguousarray(points[rows])).with_rows_at(rows)
