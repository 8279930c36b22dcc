"""Rows to rows: what turns one distance into another, simpler one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.threads import map_in_order
from coterie._support.typing import Data, FloatArray, Indices
from coterie.errors import InvalidData

FLAT = 1e-10  # of a matrix: a singular value below this share of the largest is rounding
Mask = npt.NDArray[np.bool_]
NUMBERS_AT_ONCE = 2**18  # a block of this many float64 stays in the second-level cache


class UndefinedRow(Exception):
    """A row has no image: where in the block, why, and what to do about it."""

    def __init__(self, row: int, reason: str, way_out: str = "") -> None:
        super().__init__(reason)
        self.row, self.reason, self.way_out = row, reason, way_out


class Transform(Protocol):
    """A map of rows; both directions take and give blocks of float64."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the rows as the simpler distance wants them."""
        ...

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return rows (centres, say) in the units of the data, as far as that is possible."""
        ...


def transform_rows(
    transform: Transform | None, rows: Data, *, name: str, distance: str, threads: int = 1
) -> Data:
    """Return the rows under a transform, in their own number type; None leaves them as they are.

    A transform that says how many columns it makes gives float64.

    Examples
    --------
    >>> transform_rows(UnitLength(), np.array([[3.0, 4.0]]), name="X", distance="cosine")
    array([[0.6, 0.8]])
    """
    if transform is None:
        return rows
    n_columns = getattr(transform, "n_columns", None)
    out = np.empty_like(rows) if n_columns is None else np.empty((len(rows), n_columns))
    step = max(1, NUMBERS_AT_ONCE // max(rows.shape[1], n_columns or 0))

    def transform_block(first: int) -> None:
        block = rows[first : first + step].astype(np.float64, copy=False)
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # each thread has its own
                out[first : first + step] = transform.forward(block)
        except UndefinedRow as problem:
            undefined = "" if problem.way_out else f": its {distance} distance is undefined"
            way_out = problem.way_out or "Leave such rows out, or choose another distance."
            raise InvalidData(
                f"row {first + problem.row} of {name} {problem.reason}{undefined}. {way_out}"
            ) from None

    map_in_order(transform_block, range(0, len(rows), step), threads)
    return out


@dataclass(frozen=True)
class ColumnScaling:
    """(rows - offset) * factors, column by column."""

    offset: FloatArray
    factors: FloatArray

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the rows with every column in its new unit."""
        return np.asarray((rows - self.offset) * self.factors)

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the rows in the old units; NaN in columns whose factor is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.factors > 0, rows / self.factors, np.nan) + self.offset)


@dataclass(frozen=True)
class ColumnWhitening:
    """(rows - offset) @ matrix."""

    offset: FloatArray
    matrix: FloatArray

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the rows in coordinates where the distance is Euclidean."""
        return np.asarray((rows - self.offset) @ self.matrix)

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the rows in the old coordinates (the nearest ones, if the matrix is singular)."""
        return np.asarray(rows @ np.linalg.pinv(self.matrix, rcond=FLAT) + self.offset)


@dataclass(frozen=True)
class UnitLength:
    """Rows divided by their length."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the directions of the rows."""
        peaks = np.abs(rows).max(axis=1, keepdims=True)
        if not peaks.all():
            raise UndefinedRow(int(np.argmin(peaks)), "has length zero")
        scaled = rows / peaks  # so that no square overflows or vanishes
        return np.asarray(scaled / np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None])

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the directions themselves: their lengths are gone."""
        return rows


@dataclass(frozen=True)
class CentredUnitLength(UnitLength):
    """Rows minus their own mean, divided by their length."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the profiles of the rows."""
        is_constant = rows.max(axis=1) == rows.min(axis=1)
        if is_constant.any():
            raise UndefinedRow(int(np.argmax(is_constant)), "is constant")
        scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
        return super().forward(scaled - scaled.mean(axis=1, keepdims=True))


@dataclass(frozen=True)
class RankedUnitLength(CentredUnitLength):
    """Ranks within each row, centred, divided by their length."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the profiles of the ranks."""
        return super().forward(_core.row_ranks(np.ascontiguousarray(rows)))


@dataclass(frozen=True)
class Presence:
    """1 where a number is not zero: the set of what a row has."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return each row as the set of its non-zero features."""
        return np.asarray((rows != 0).astype(np.float64))

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the sets themselves."""
        return rows


@dataclass(frozen=True)
class SetCodes:
    """The codes of what a row has: a value of each category, 1 for yes, NaN, which equals nothing, for no."""

    # values of each column of categories, whose codes begin at 0; 0: a column of yes and no
    levels: tuple[int, ...]

    @property
    def offset(self) -> FloatArray:
        """Zero, of as many columns as the rows have: what suffices to make it again from its levels."""
        return np.zeros(len(self.levels))

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return each row as the codes of its set; all unknown ones are one value that no known row has."""
        n_levels = np.array(self.levels)
        present = np.where(rows != 0, 1.0, np.nan)
        known = np.where((rows >= 0) & (rows < n_levels), rows, -1.0)
        return np.where(n_levels > 0, known, present)

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the codes themselves, 0 for no."""
        return np.asarray(np.nan_to_num(rows))


@dataclass(frozen=True, eq=False)
class SharedCells:
    """Rows as they are, each of which shares a column with every row that was learned from."""

    # (n_patterns, n_columns): the columns in which rows of the data have values; patterns that contain
    # another are left out
    patterns: Mask

    @property
    def offset(self) -> FloatArray:
        """Zero: rows are not shifted."""
        return np.zeros(self.patterns.shape[1])

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the rows, if none is without a common column."""
        is_there = ~np.isnan(rows)
        lonely = first_without_common(is_there, self.patterns)
        if lonely is not None:
            row = lonely[0]
            has_any = is_there[row].any()
            raise UndefinedRow(
                row, "has values in no column that some row of the data has" if has_any else "has no values"
            )
        return rows

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the rows."""
        return rows


def first_without_common(is_there: Mask, others: Mask) -> tuple[int, int] | None:
    """Return the first row and another that have no column in which both have a value; None: there are none.

    Examples
    --------
    >>> first_without_common(np.array([[True, True], [True, False]]), np.array([[False, True]]))
    (1, 0)
    """
    if not len(is_there) or not len(others) or (is_there.all(axis=0) & others.all(axis=0)).any():
        return None
    least = int(is_there.sum(axis=1).min()), int(others.sum(axis=1).min())
    if sum(least) > is_there.shape[1]:
        return None  # two rows that have so many columns share one
    columns = others.astype(np.float32).T
    step = max(1, NUMBERS_AT_ONCE // len(others))
    for first in range(0, len(is_there), step):
        shared = is_there[first : first + step].astype(np.float32) @ columns
        if not shared.all():
            row, other = np.unravel_index(int(np.argmin(shared)), shared.shape)
            return first + int(row), int(other)
    return None


@dataclass(frozen=True, eq=False)
class ColumnMix:
    """Numbers by their range, then categories, then what may be absent; NaN where a cell is missing."""

    order: Indices  # the columns of the data in the order of the engine
    # n_numbers, n_categories: how many of them are numbers, and categories; the rest is present or absent
    n_numbers: int
    n_categories: int
    # offset, spans: least value and range of each number, in the order of the data
    offset: FloatArray
    spans: FloatArray
    weights: FloatArray  # of the columns, in the order of the data

    @property
    def columns(self) -> _core.MixedColumns:
        """What the engine is told of the columns."""
        weights = np.ascontiguousarray(self.weights[self.order], dtype=np.float64)
        return _core.MixedColumns(self.n_numbers, self.n_categories, weights)

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return numbers from 0 to their weight (those beyond the range at its nearest end), and codes."""
        is_missing = np.isnan(rows)
        is_empty = is_missing[:, self.weights > 0].all(axis=1)
        if is_empty.any():
            raise UndefinedRow(int(np.argmax(is_empty)), "has no value in any column that counts")
        numbers, rest = np.split(self.order, [self.n_numbers])
        out = rows[:, self.order]
        share = (rows[:, numbers] - self.offset[numbers]) / self.spans[numbers]
        out[:, : self.n_numbers] = np.clip(share, 0.0, 1.0) * self.weights[numbers]
        presences = rest[self.n_categories :]
        is_gone = is_missing[:, presences]
        out[:, self.n_numbers + self.n_categories :] = np.where(is_gone, np.nan, rows[:, presences] != 0)
        return out

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the rows in the units of the data; NaN in numbers of weight 0."""
        out = np.empty_like(rows)
        out[:, self.order] = rows
        numbers = self.order[: self.n_numbers]
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, numbers] = (
                out[:, numbers] / self.weights[numbers] * self.spans[numbers] + self.offset[numbers]
            )
        return out
