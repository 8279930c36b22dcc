"""The Euclidean distance of rows with missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Data, Distances, FloatArray, MatrixLike
from coterie._support.validation import check_data, explain, largest_safe, require_memory
from coterie.errors import InvalidData, InvalidParameter

NAME = "nan_euclidean"


def nan_euclidean(X: MatrixLike, Y: MatrixLike | None, *, who: str, squared: bool = False) -> Distances:
    """Return Euclidean distances over the cells that both rows have, scaled up to all columns.

    Examples
    --------
    >>> nan_euclidean([[0.0, 1.0], [1.0, np.nan]], [[0.0, 0.0]], who="this function")
    array([[1.        ],
           [1.41421356]])
    """
    if not isinstance(squared, bool | np.bool_):
        raise InvalidParameter(f"squared of {NAME} must be True or False, got {squared!r}.")
    rows = _check(X, who, "X")
    others = rows if Y is None else _check(Y, who, "Y")
    n, m, n_columns = len(rows), len(others), rows.shape[1]
    if others.shape[1] != n_columns:
        raise InvalidData(
            f"X and Y of {who} must have as many columns as each other, got {n_columns} and "
            f"{others.shape[1]}."
        )
    way_out = "Pass fewer rows."
    require_memory(4 * 8 * n * m, f"the {NAME} distances of {n:,} x {m:,} rows", way_out)
    sums, counts = _sums_over_shared(rows.astype(np.float64), others.astype(np.float64))
    if not counts.all():
        row, other = (int(at) for at in np.unravel_index(int(np.argmin(counts)), counts.shape))
        raise InvalidData(
            f"row {row} of X and row {other} of {'X' if Y is None else 'Y'} have no column in which both "
            f"have a value: their {NAME} distance is undefined. Leave such rows out, or fill in values."
        )
    sums *= n_columns / counts
    D = sums if squared else np.sqrt(sums, out=sums)
    return np.asarray(D, dtype=np.promote_types(rows.dtype, others.dtype))


def _sums_over_shared(rows: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sums of squared differences and numbers of shared cells; differences first: nothing cancels."""
    sums = np.zeros((len(rows), len(others)))
    counts = np.zeros_like(sums)
    for column in range(rows.shape[1]):
        difference = rows[:, column, None] - others[:, column]
        is_shared = ~np.isnan(difference)
        counts += is_shared
        np.square(difference, out=difference)
        np.add(sums, difference, out=sums, where=is_shared)
    return sums, counts


def _check(X: MatrixLike, who: str, name: str) -> Data:
    checked: Any = check_data(X, who=who, name=name, squares=False, may_be_missing=True)
    safe = largest_safe(checked.dtype, checked.shape)
    if np.isinf(checked).any():
        raise explain.not_finite(np.where(np.isnan(checked), 0.0, checked), None, who, name)
    if (np.abs(checked) > safe).any():
        raise explain.too_large(np.where(np.isnan(checked), 0.0, checked), None, name, safe)
    rows: Data = checked
    return rows
