"""The rows that methods are compared on: all of them, or a sample without copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coterie._support.linear_algebra import principal_components
from coterie._support.typing import CheckedRows, Data, Indices, Mask
from coterie.data.categories import UNSEEN
from coterie.data.missing import fill_from_similar
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.judge.rounding import FEW_ROWS
from coterie.pipeline.request import FitRequest
from coterie.pipeline.row_order import row_order
from coterie.pipeline.rows.protocol import SAMPLE_ROWS, Compared

FEW_COPIES = 0.1  # of the rows: so many change no density
SHARED = 0.9  # of the different rows that a column which is not rounded tells apart
MIXED_COST = 2  # so many times fewer mixed rows are compared: their methods take longer
ROWS_PER_GROUP = 8  # that a group must have among those compared
ENOUGH_COMPLETE = 50  # rows without filled values, from which methods are compared on those alone
ROWS_AT_ONCE = 256  # whose products stay in the cache


def n_sampled(request: FitRequest) -> int:
    """Return how many rows are drawn where there are more; those compared are among them."""
    return max(SAMPLE_ROWS, request.budget.rows)


def compare_some(
    points: Data,
    numbers: Indices,
    n_rows: int,
    request: FitRequest,
    *,
    mixed: MixedColumns | None = None,
    find_order: Callable[[], Indices] | None = None,
) -> Compared:
    """Return the rows of a sample that methods are compared on: without copies, up to the budget.

    Parameters
    ----------
    points : array
        The sample, scaled.
    numbers : array
        Which rows of the whole it consists of.
    n_rows : int
        Rows of the whole.
    request : FitRequest
        Numbers of groups, budget, seed.
    mixed : MixedColumns, default=None
        Which columns are categories; None: none.
    find_order : callable, default=None
        Gives the order of the sample by its values; None: it is sorted here, if need be.
    """
    values = points if mixed is None else np.where(np.isnan(points), UNSEEN, points)
    rows = np.arange(len(points)) if request.pairs else without_copies(values)
    if request.ks is not None and request.ks[-1] > len(rows):
        rows = np.arange(len(points))
    n_different = len(rows)
    most = request.budget.rows if mixed is None else request.budget.rows // MIXED_COST
    if n_different > most:
        is_all = n_different == len(points)
        by_value = find_order() if find_order and is_all else rows[row_order(np.asarray(points)[rows])]
        rng = np.random.default_rng(request.seed)
        rows = np.sort(rng.choice(by_value, most, replace=False))
    note = _note(len(points), n_different, len(rows), n_rows)
    found = np.ascontiguousarray(points[rows])
    found = turned(found, request) if mixed is None else found
    return Compared(found, numbers[rows], n_rows, note, mixed=mixed)


def compare_sample(
    points: Data,
    gaps: Mask | None,
    numbers: Indices,
    n_rows: int,
    request: FitRequest,
    mixed: MixedColumns | None,
    *,
    is_observed: bool,
    find_order: Callable[[], Indices] | None = None,
) -> Compared:
    """Return the rows of a sample that methods are compared on: complete ones, where there are enough.

    Parameters
    ----------
    points : array of shape (n, d)
        The sample, scaled and filled.
    gaps : array of bool of shape (n, d) or None
        Which values were filled; None: none.
    numbers, n_rows, request, mixed, find_order
        As in `compare_some`.
    is_observed : bool
        Whether values are those of the most similar row; else medians, which repeat.
    """
    n_columns = points.shape[1]
    if gaps is not None:  # filled values can look like a group
        complete = np.flatnonzero(~gaps.any(axis=1))
        if len(complete) >= ENOUGH_COMPLETE:
            points, numbers, gaps, find_order = points[complete], numbers[complete], None, None
        elif not is_observed and mixed is None:
            points, find_order = fill_from_similar(np.where(gaps, np.nan, points)), None
    compared = compare_some(points, numbers, n_rows, request, mixed=mixed, find_order=find_order)
    is_turned = compared.points.shape[1] != n_columns or compared.mixed is not None
    if gaps is None or is_turned:
        return compared
    return replace(compared, filled=gaps[np.searchsorted(numbers, compared.rows)])


def _note(n_sample: int, n_different: int, n_compared: int, n_rows: int) -> str:
    if n_different < n_sample == n_rows:
        copies = f"{n_rows - n_different:,} of {n_rows:,} rows repeat others; methods were compared on "
        return copies + (
            f"the {n_different:,} distinct rows" if n_compared == n_different else f"{n_compared:,}"
        )
    least = ROWS_PER_GROUP * n_rows // n_compared
    missed = f"a group of fewer than about {least:,} rows may be missed"
    return f"methods were compared on {n_compared:,} of {n_rows:,} rows; {missed}"


def without_copies(X: CheckedRows) -> Indices:
    """Return the rows to judge by: the first of equal ones, unless rounding made them equal.

    A row that was copied (by a join, by drawing with replacement) is one observation. Where every column has
    values that different rows share, equal rows are what rounding makes of near ones, and stay.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> len(without_copies(np.repeat(X, 6, axis=0))), len(without_copies(np.repeat(X.round(), 6, axis=0)))
    (50, 300)
    """
    everything = np.arange(len(X))
    weights = np.random.default_rng(0).uniform(1.0, 2.0, X.shape[1])
    parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(X), ROWS_AT_ONCE)]
    codes = np.concatenate([(X[part] * weights).sum(axis=1) for part in parts] or [np.zeros(0)])
    first = np.sort(np.unique(codes, return_index=True)[1])
    if len(first) > (1.0 - FEW_COPIES) * len(X) or len(first) <= FEW_ROWS:
        return everything
    rows = X[first]
    return first if any(len(np.unique(column)) > SHARED * len(rows) for column in rows.T) else everything


def turned(points: Data, request: FitRequest) -> Data:
    """Return the points; of more columns than rows, turned so that few are left.

    Any n points lie in n - 1 dimensions: Euclidean distances do not change.
    """
    n_rows, n_columns = points.shape
    if n_columns <= n_rows or request.distance is not None:
        return points
    centred = points - points.mean(axis=0, dtype=np.float64)
    turned = principal_components(centred).scores()
    return turned if turned.shape[1] else np.ascontiguousarray(points[:, :1])
