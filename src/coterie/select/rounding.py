"""Rounded columns as the continuous ones that they stand for: else every value of a survey is a hill."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._typing import Data

FEW_ROWS = 10  # data of no more different rows than that are these rows, not rounded ones
ATOM = 0.8  # a value that more of the rows have is no rounding
WIDEST = 2.0  # standard deviations that a value may have been rounded from


def spread_rounded(X: Data, seed: int = 0) -> Data:
    """Return the rows with each rounded value spread evenly over the values that are rounded to it.

    Examples
    --------
    >>> stars = np.random.default_rng(0).integers(1, 6, (100, 4)).astype(float)
    >>> spread = spread_rounded(stars)
    >>> bool(np.abs(spread - stars).max() <= 0.5), len(np.unique(spread[:, 0]))
    (True, 100)
    """
    if _are_few(X):
        return X
    rng, spread = np.random.default_rng(seed), np.array(X)
    for column in spread.T:
        column += _width(column) * (rng.random(len(column)) - 0.5)
    return spread


def _width(column: Any) -> float:
    """Return how far apart the values of a rounded column are; 0 where it is not rounded."""
    values, counts = np.unique(column, return_counts=True)
    if not 1 < len(values) < len(column) or counts.max() > ATOM * len(column):
        return 0.0
    return min(float(np.median(np.diff(values))), WIDEST * float(column.std(dtype=np.float64)))


def _are_few(X: Data) -> bool:
    if any(len(np.unique(column)) > FEW_ROWS for column in X.T):
        return False
    return len(np.unique(X, axis=0)) <= FEW_ROWS
