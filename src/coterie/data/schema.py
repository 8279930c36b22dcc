"""What the columns of a table are: numbers, text, dates, keys. One set of rules for every source.

A table in memory is looked at as a whole; of data in blocks, the first rows tell the kinds of the columns.
Keys are told by rows that are drawn alike from both, so that the same rows give the same columns.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Indices

HEAD_ROWS = 1000  # first rows, which tell what kind of values a column holds
KEY_ROWS = 1000  # drawn rows, which tell whether whole numbers name the rows
KEY_SHARE = 0.3  # different values per row from which whole numbers called like a key are one
LEAST_ROWS, FEW_ROWS = 3, 100

_KEY_NAME = re.compile(
    r"^(id|key|index|row|nr|no|number|uuid|guid|code|name)$|(_|\b)(id|key|uuid|guid|nr|no)$|Id$|ID$"
)


def is_key_name(name: str) -> bool:
    """Return whether a column is called like a key.

    Examples
    --------
    >>> is_key_name("customer_id"), is_key_name("income")
    (True, False)
    """
    return bool(_KEY_NAME.search(name))


def may_name_rows(name: str, first: FloatArray) -> bool:
    """Return whether whole numbers may be a key or row numbers, by their name and first values."""
    if is_key_name(name):
        return True
    steps = np.diff(first)
    return bool(steps.size and abs(steps[0]) == 1 and (steps == steps[0]).all())


def kind_of_key(
    name: str, values: FloatArray, rows: Indices, n_rows: int, *, n_different: int | None = None
) -> str | None:
    """Return "row numbers" or "a key" for whole numbers that name the rows; None for measurements.

    Parameters
    ----------
    name : str
        Of the column.
    values : array of shape (n,)
        Its whole numbers in some rows, without missing ones.
    rows : array of shape (n,)
        Which rows these are, counted from 0, ascending.
    n_rows : int
        Rows of the table.
    n_different : int, default=None
        How many of the values differ, where floats cannot tell; None: as these do.

    Examples
    --------
    >>> rows = np.arange(5)
    >>> kind_of_key("x", rows + 1.0, rows, 5), kind_of_key("customer_id", rows * 7.0, rows, 5)
    ('row numbers', 'a key')
    >>> kind_of_key("visits", np.array([1.0, 5.0, 2.0, 9.0, 4.0]), rows, 5) is None
    True
    """
    if n_rows < LEAST_ROWS or not len(values):
        return None
    if any(np.ptp(values - counted) == 0 and values.min() >= 0 for counted in (rows, -rows)):
        least = values[0] - rows[0] if values[-1] >= values[0] else values[-1] - (n_rows - 1 - rows[-1])
        if least in (0, 1):
            return "row numbers"
    if not is_key_name(name):
        return None
    share = 1.0 if n_rows < FEW_ROWS else KEY_SHARE  # counts may restart in files, and rows may be copies
    different = len(np.unique(values)) if n_different is None else n_different
    return "a key" if different >= share * len(values) else None


def kind_of_type(dtype: Any) -> str | None:
    """Return why a type holds no numbers, in words; None where it does, or where texts must be looked at.

    Parameters
    ----------
    dtype : polars data type
        Of the column.
    """
    if dtype.is_temporal():
        return "a date"
    if is_text(dtype) or dtype.is_numeric() or str(dtype) == "Boolean":
        return None
    return f"{dtype}, not numbers"


def is_text(dtype: Any) -> bool:
    """Return whether a polars type holds text or categories."""
    return str(dtype).startswith(("String", "Categorical", "Enum"))
