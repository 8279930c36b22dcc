"""What an operation may hold: small checks, each of which refuses a value in words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from coterie._printing import shortened, visible
from coterie._support.typing import Indices
from coterie.errors import InvalidParameter, did_you_mean

LONGEST_NAME = 200
LONGEST_NOTE = 10_000
MOST_GROUPS = 100_000  # that one operation names
MOST_COLUMNS = 100_000
MOST_SETTINGS = 100
LARGEST_SEED = 2**64 - 1
MOST_ROWS = 2**31 - 1
MOST_LABEL_TEXT = 1 << 28  # characters of labels in base64
GROUP_ID = re.compile(r"g[1-9][0-9]{0,8}\Z")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}\Z")
Setting: TypeAlias = str | int | float | bool | None
Check: TypeAlias = Callable[[object], object]


def refuse(must: str, got: object) -> InvalidParameter:
    """Return the error about a value; who calls it adds where."""
    return InvalidParameter(f"must be {must}, got {shortened(repr(got))}.")


def text(longest: int) -> Check:
    """Return the check of a text without control characters; what surrounds it is cut off."""

    def check(value: object) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise refuse(f"text of at most {longest:,} characters", value)
        return visible(value).strip()

    return check


def whole(least: int, most: int = LARGEST_SEED) -> Check:
    """Return the check of a whole number."""

    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise refuse(f"a whole number from {least:,} to {most:,}", value)
        return value

    return check


def nothing_or(inner: Check) -> Check:
    """Return the check that lets None pass."""
    return lambda value: None if value is None else inner(value)


def choice(*names: str) -> Check:
    """Return the check of one of several words."""

    def check(value: object) -> str:
        if value not in names or not isinstance(value, str):
            near = did_you_mean(value, names)
            raise InvalidParameter(f"must be one of {', '.join(names)}, got {shortened(repr(value))}.{near}")
        return value

    return check


def flag(value: object) -> bool:
    """Check yes or no."""
    if not isinstance(value, bool):
        raise refuse("true or false", value)
    return value


def group_id(value: object) -> str:
    """Check the id of a group: g1, g2 and so on."""
    if not isinstance(value, str) or not GROUP_ID.match(value):
        raise refuse('the id of a group, such as "g3"', value)
    return value


def group_ids(value: object) -> list[str]:
    """Check two or more ids of different groups."""
    if not isinstance(value, list) or not 2 <= len(value) <= MOST_GROUPS:
        raise refuse("a list of two or more ids of groups", value)
    found = [group_id(one) for one in value]
    if len(set(found)) < len(found):
        raise refuse("a list of different groups", value)
    return found


def colour(value: object) -> str | None:
    """Check a colour: #rrggbb, or nothing for the usual one."""
    if value is None:
        return None
    if not isinstance(value, str) or not COLOUR.match(value):
        raise refuse('a colour such as "#0072b2", or null', value)
    return value.lower()


def number_of_groups(value: object) -> int | str:
    """Check k: a number, a range "2..8", or "auto"."""
    if isinstance(value, str) and (value == "auto" or re.fullmatch(r"\d{1,6}(\.\.\d{1,6})?", value)):
        return value
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise refuse('a number from 1, a range such as "2..8", or "auto"', value)
    return value


def names(value: object) -> list[str]:
    """Check a list of names of columns."""
    if not isinstance(value, list) or len(value) > MOST_COLUMNS:
        raise refuse("a list of names of columns", value)
    if not all(isinstance(one, str) for one in value):
        raise refuse("a list of names of columns", value)
    return list(value)


def mapping_of(inner: Check, most: int = MOST_COLUMNS) -> Check:
    """Return the check of an object whose values pass the inner check."""

    def check(value: object) -> dict[str, object]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise refuse(f"an object of at most {most:,} entries", value)
        return {str(name): inner(one) for name, one in value.items()}

    return check


def weight(value: object) -> float:
    """Check the weight of a column: above 0, up to 1,000."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1_000:
        raise refuse("a number above 0, at most 1,000", value)
    return float(value)


def setting(value: object) -> Setting:
    """Check the value of a method's parameter: a number, a word, yes or no, or nothing."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if isinstance(value, float) and not math.isfinite(value):
            raise refuse("a finite number", value)
        return value
    if isinstance(value, str) and len(value) <= LONGEST_NAME:
        return value
    raise refuse("a number, a word, true, false or null", value)


def label_text(value: object) -> str:
    """Check packed labels: base64, see `coterie.workbook.rowsets.pack_labels`."""
    if not isinstance(value, str) or len(value) > MOST_LABEL_TEXT or not BASE64.match(value):
        raise refuse("labels as base64 text", value)
    return value


def row_list(value: object) -> Indices:
    """Check a list of row numbers, counted from 0; whether the data have them is seen when it is applied."""
    if isinstance(value, np.ndarray):
        found = value
    elif isinstance(value, list) and all(type(one) is int for one in value):
        if any(not 0 <= one < MOST_ROWS for one in value):
            raise refuse("a list of row numbers from 0", value)
        found = np.array(value, dtype=np.int64)
    else:
        raise refuse("a list of row numbers from 0", value)
    if found.ndim != 1 or found.dtype.kind not in "iu" or (found.size and int(found.min()) < 0):
        raise refuse("a list of row numbers from 0", value)
    if not found.size:
        raise refuse("a list of at least one row", value)
    return found.astype(np.int64)


def row_ranges(value: object) -> Indices:
    """Check ranges of rows: [[first, last + 1], ...]."""
    if (
        not isinstance(value, list)
        or not 0 < len(value) <= MOST_ROWS
        or not all(_is_range(one) for one in value)
    ):
        raise refuse("ranges of rows such as [[0, 10], [25, 30]], the second number excluded", value)
    return np.array(value, dtype=np.int64)


def _is_range(one: object) -> bool:
    return (
        isinstance(one, list)
        and len(one) == 2
        and all(type(end) is int for end in one)
        and 0 <= one[0] < one[1] <= MOST_ROWS
    )


def unique_rows(rows: Indices | None, ranges: Indices | None, n_rows: int) -> Indices:
    """Return row numbers in ascending order, each once; refuse what the data do not have.

    Examples
    --------
    >>> unique_rows(np.array([5, 2]), np.array([[0, 3]]), 9).tolist()
    [0, 1, 2, 5]
    """
    most = max(
        -1 if rows is None or not len(rows) else int(rows.max()),
        -1 if ranges is None or not len(ranges) else int(ranges[:, 1].max()) - 1,
    )
    if most >= n_rows:
        raise InvalidParameter(f"rows must be below {n_rows:,}, the number of rows, got {most:,}.")
    chosen = np.zeros(n_rows, dtype=bool)
    if rows is not None:
        chosen[rows] = True
    for first, stop in () if ranges is None else ranges.tolist():
        chosen[first:stop] = True
    return np.flatnonzero(chosen)
