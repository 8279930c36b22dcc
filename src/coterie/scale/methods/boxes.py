"""Boxes that together are the whole space, with about as many rows in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Data, FloatArray

THINNEST = 8  # times the reach: a box that is thinner would be mostly halo
FEWEST_ROWS = 16  # of the sample; fewer tell nothing about a median


@dataclass(frozen=True, eq=False)
class Box:
    """Rows with ``low <= x < high`` in every column."""

    low: FloatArray
    high: FloatArray

    def owns(self, X: Data) -> npt.NDArray[np.bool_]:
        """Return which rows are in the box; each row is in one box."""
        inside: Any = ((self.low <= X) & (self.high > X)).all(axis=1)
        return np.asarray(inside)

    def reaches(self, X: Data, reach: float) -> npt.NDArray[np.bool_]:
        """Return which rows are in the box or at most `reach` away in every column."""
        inside: Any = ((self.low - reach <= X) & (self.high + reach >= X)).all(axis=1)
        return np.asarray(inside)


def cut_space(sample: Data, n_boxes: int, reach: float) -> list[Box]:
    """Cut space at medians of a sample, always the fullest box, along its longest side.

    Examples
    --------
    >>> [box.high.tolist() for box in cut_space(np.arange(100.0)[:, None], 2, reach=1.0)]
    [[49.5], [inf]]
    """
    d = sample.shape[1]
    parts: list[tuple[Box, Any]] = [(Box(np.full(d, -np.inf), np.full(d, np.inf)), sample.astype(np.float64))]
    while len(parts) < n_boxes:
        fullest = max(range(len(parts)), key=lambda i: len(parts[i][1]))
        halves = _halve(*parts[fullest], reach)
        if halves is None:
            break
        parts[fullest : fullest + 1] = halves
    return [box for box, _ in parts]


def _halve(box: Box, rows: FloatArray, reach: float) -> list[tuple[Box, FloatArray]] | None:
    if len(rows) < FEWEST_ROWS:
        return None
    extent = rows.max(axis=0) - rows.min(axis=0)
    column = int(np.argmax(extent))
    if extent[column] < THINNEST * reach:
        return None
    middle = float(np.median(rows[:, column]))
    below = rows[:, column] < middle
    if below.all() or not below.any():
        return None
    high, low = box.high.copy(), box.low.copy()
    high[column], low[column] = middle, middle
    return [(Box(box.low, high), rows[below]), (Box(low, box.high), rows[~below])]
