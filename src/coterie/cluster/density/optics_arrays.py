"""The arrays of an order of OPTICS as somebody hands them in: one number per row, and rows that exist."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Indices, VectorLike
from coterie.errors import InvalidData


def check_ordering(ordering: VectorLike, *, who: str) -> Indices:
    """Return the order of visits, or say which row it does not visit once.

    Examples
    --------
    >>> check_ordering([2, 0, 1], who="cluster_optics_xi")
    array([2, 0, 1])
    """
    order = _rows(ordering, "ordering", who)
    _refuse_outside(order, 0, len(order), "ordering", who)
    visits = np.bincount(order, minlength=len(order))
    if (visits != 1).any():
        row = int(np.argmax(visits != 1))
        raise InvalidData(
            f"ordering of {who} must name every row once, got row {row} {visits[row]} times. "
            f"Pass the ordering_ of OPTICS as it is."
        )
    return order


def check_predecessor(predecessor: VectorLike, n_rows: int, *, who: str) -> Indices:
    """Return the row that each row was reached from, -1 for none.

    Examples
    --------
    >>> check_predecessor([-1, 0, 1], 3, who="cluster_optics_xi")
    array([-1,  0,  1])
    """
    rows = _rows(predecessor, "predecessor", who)
    _refuse_length(rows, n_rows, "predecessor", who)
    _refuse_outside(rows, -1, n_rows, "predecessor", who)
    return rows


def check_heights(values: VectorLike, n_rows: int, *, name: str, who: str) -> npt.NDArray[np.float64]:
    """Return reachabilities or core distances: numbers or infinity.

    Examples
    --------
    >>> check_heights([np.inf, 1, 2], 3, name="reachability", who="cluster_optics_xi")
    array([inf,  1.,  2.])
    """
    try:
        heights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{name} of {who} must be one number per row, got {_kind(values)}.") from None
    _refuse_length(heights, n_rows, name, who)
    if np.isnan(heights).any():
        row = int(np.argmax(np.isnan(heights)))
        raise InvalidData(f"{name} of {who} must be numbers or infinity, got NaN for row {row}.")
    return heights


def _rows(values: VectorLike, name: str, who: str) -> Indices:
    try:
        rows = np.asarray(values)
    except ValueError:
        rows = np.empty(0, dtype=object)
    is_empty_list = rows.size == 0 and rows.dtype == np.float64
    if rows.ndim != 1 or not (rows.dtype.kind in "iu" or is_empty_list):
        raise InvalidData(f"{name} of {who} must be one whole number per row, got {_kind(values)}.")
    return rows if rows.dtype == np.uint64 else rows.astype(np.intp, copy=False)  # these may not fit


def _refuse_outside(rows: Any, least: int, n_rows: int, name: str, who: str) -> None:
    is_outside = (rows < least) | (rows >= n_rows)
    if is_outside.any():
        at = int(np.argmax(is_outside))
        raise InvalidData(
            f"{name} of {who} must be rows from {least} to {n_rows - 1}, got {rows[at]} at {name}[{at}]."
        )


def _refuse_length(values: Any, n_rows: int, name: str, who: str) -> None:
    if values.shape != (n_rows,):
        raise InvalidData(
            f"{name} of {who} must be one number per row, {n_rows} as ordering has, got the shape "
            f"{values.shape}."
        )


def _kind(values: Any) -> str:
    dtype, shape = getattr(values, "dtype", None), getattr(values, "shape", None)
    return f"a {type(values).__name__}" if dtype is None else f"{dtype} of shape {shape}"
