"""Rows to rows: what turns one distance into another, simpler one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from coterie import _core
from coterie._support.typing import Data, FloatArray
from coterie.errors import InvalidData

FLAT = 1e-10  # of a matrix: a singular value below this share of the largest is rounding
NUMBERS_AT_ONCE = 2**18  # a block of this many float64 stays in the second-level cache


class UndefinedRow(Exception):
    """A row has no image: where in the block, and why."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row, self.reason = row, reason


class Transform(Protocol):
    """A map of rows; both directions take and give blocks of float64."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the rows as the simpler distance wants them."""
        ...

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return rows (centres, say) in the units of the data, as far as that is possible."""
        ...


def transform_rows(transform: Transform | None, rows: Data, *, name: str, distance: str) -> Data:
    """Return the rows under a transform, in their own number type; None leaves them as they are.

    Examples
    --------
    >>> transform_rows(UnitLength(), np.array([[3.0, 4.0]]), name="X", distance="cosine")
    array([[0.6, 0.8]])
    """
    if transform is None:
        return rows
    out = np.empty_like(rows)
    step = max(1, NUMBERS_AT_ONCE // rows.shape[1])
    for first in range(0, len(rows), step):
        block = rows[first : first + step].astype(np.float64, copy=False)
        try:
            out[first : first + step] = transform.forward(block)
        except UndefinedRow as problem:
            raise InvalidData(
                f"row {first + problem.row} of {name} {problem.reason}: its {distance} distance is "
                f"undefined. Leave such rows out, or choose another distance."
            ) from None
    return out


@dataclass(frozen=True)
class Scaling:
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
class Whitening:
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
    """1 where a number is not zero."""

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return each row as the set of its non-zero features."""
        return np.asarray((rows != 0).astype(np.float64))

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the sets themselves."""
        return rows
