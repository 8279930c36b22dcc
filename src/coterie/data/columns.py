"""Which columns of a table can be clustered, and why the others cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.validation.schema import Instance, ListOf, Schema, Text
from coterie.data.sampling import draw_rows
from coterie.data.schema import (
    HEAD_ROWS,
    KEY_ROWS,
    is_key_name,
    is_text,
    kind_of_key,
    kind_of_type,
    may_name_rows,
)
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

MOSTLY_NUMBERS = 0.9  # above this share, stray text in a column is worth pointing at
LISTED = 5
MOST_COMPARED = 1_000  # names that may be meant
KEY_REASONS = ("a key", "row numbers")

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?$|\d{1,2}[./]\d{1,2}[./]\d{2,4}$")


@dataclass(frozen=True)
class LeftOut:
    """A column that is not used, and why."""

    _schema: ClassVar[Schema] = {"name": Text(), "reason": Text()}

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{shortened(self.name)} ({self.reason})"


@dataclass(frozen=True)
class ColumnChoice:
    """The columns to cluster by, and those left out."""

    _schema: ClassVar[Schema] = {
        "used": ListOf(Text(), kind=tuple),
        "left_out": ListOf(Instance(LeftOut), kind=tuple),
    }

    used: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    def renamed_reason(self, name: str, reason: str) -> ColumnChoice:
        """Return the same choice with another reason why a column is left out."""
        changed = (LeftOut(one.name, reason) if one.name == name else one for one in self.left_out)
        return replace(self, left_out=tuple(changed))


def choose_columns(
    source: str, frame: Any, *, drop: Sequence[str] = (), keep: Sequence[str] = ()
) -> ColumnChoice:
    """Choose the numeric columns of a polars frame that say something about the rows.

    Parameters
    ----------
    source : str
        Name of the table in messages.
    frame : polars.DataFrame
        Cleaned by `numbers_from_text`.
    drop : sequence of str
        Columns to leave out whatever they are.
    keep : sequence of str
        Numeric columns to use even if they look like a key or are constant.
    """
    check_names(source, frame.columns, [*drop, *keep])
    used, left_out = [], []
    for name in frame.columns:
        reason = "dropped" if name in drop else reason_to_leave_out(frame[name], is_kept=name in keep)
        if reason is None:
            used.append(name)
            continue
        if name in keep:
            raise InvalidParameter(
                f'{source}: column "{shortened(name)}" cannot be kept: it is {reason}, numbers are needed.'
            )
        left_out.append(LeftOut(name, reason))
    if not used:
        listed = ", ".join(str(column) for column in left_out[:LISTED]) + (
            " ..." if len(left_out) > LISTED else ""
        )
        is_text = any(column.reason == "text" for column in left_out)
        way_out = " Encode them as numbers first, such as one column of 0 and 1 per value." if is_text else ""
        raise InvalidData(f"{source}: no column of numbers to cluster by: {listed}.{way_out}")
    return ColumnChoice(tuple(used), tuple(left_out))


def check_names(source: str, columns: Sequence[str], names: Iterable[str]) -> None:
    """Refuse names that the table does not have, offering the nearest."""
    known = frozenset(columns)
    for name in names:
        if name not in known:
            listed = ", ".join(map(shortened, columns[:LISTED])) + (" ..." if len(columns) > LISTED else "")
            near = did_you_mean(name, columns[:MOST_COMPARED]) or f" It has: {listed}"
            raise InvalidParameter(f'{source}: no column "{shortened(name)}".{near}')


def numbers_from_text(frame: Any) -> Any:
    """Turn text columns that hold nothing but numbers (blanks around them, a plus sign) into numbers."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    changed = []
    for series in frame:
        if series.dtype == polars.String and series.null_count() < len(series):
            numbers = series.str.strip_chars().cast(polars.Float64, strict=False)
            if numbers.null_count() == series.null_count():
                changed.append(numbers)
    return frame.with_columns(changed) if changed else frame


def reason_to_leave_out(series: Any, *, is_kept: bool) -> str | None:
    """Return why a column cannot be used, or None; a kept one may be a key or constant, not text."""
    reason = kind_of_values(series)
    if reason is not None or is_kept:
        return reason
    key = _kind_of_key(series) if series.dtype.is_integer() else None
    # by what is computed with: whole numbers above 2**53 may be one number there
    return "constant" if key is None and float(series.min()) == float(series.max()) else key


def kind_of_values(series: Any) -> str | None:
    """Return what a column holds instead of numbers: text, dates, nothing; None for numbers."""
    if series.null_count() == len(series):
        return "empty"
    return _kind_of_text(series) if is_text(series.dtype) else kind_of_type(series.dtype)


def names_rows(series: Any) -> bool:
    """Return whether a column identifies the rows."""
    return reason_to_leave_out(series, is_kept=False) in KEY_REASONS


def _kind_of_key(series: Any) -> str | None:
    polars = require("polars", extra="cli", purpose="Reading tables")
    first = series.head(HEAD_ROWS).cast(polars.Float64)
    if series.null_count() or not may_name_rows(series.name, first.to_numpy()):
        return None
    rows = draw_rows(len(series), KEY_ROWS, 0)
    drawn = series.gather(rows)
    values = drawn.cast(polars.Float64).to_numpy()
    return kind_of_key(series.name, values, rows, len(series), n_different=drawn.n_unique())


def _kind_of_text(series: Any) -> str:
    polars = require("polars", extra="cli", purpose="Reading tables")
    texts = series.cast(polars.String).drop_nulls()
    if all(_DATE.match(text) for text in texts.head(20)):
        return "a date"
    if len(texts) == len(series) and texts.n_unique() == len(texts) and is_key_name(series.name):
        return "a key"
    numbers = series.cast(polars.String).str.strip_chars().cast(polars.Float64, strict=False)
    is_stray = numbers.is_null() & series.is_not_null()
    stray = int(is_stray.sum())
    if 0 < stray <= (1 - MOSTLY_NUMBERS) * len(texts):
        row = int(is_stray.arg_max())
        return (
            f'text in {stray:,} of {len(series):,} rows, such as "{shortened(series[row])}" in row {row + 1}'
        )
    return "text"
