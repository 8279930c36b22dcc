"""Rounded columns as the continuous ones that they stand for: else every value of a survey is a hill."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Data, FloatArray

FEW_ROWS = 10  # data of no more different rows than that are these rows, not rounded ones
ATOM = 0.8  # a value that more of the rows have is no rounding
LEAST_CATEGORIES = 3  # two columns of one category are a flag and its opposite
COLUMNS_AT_ONCE = 64  # whose numbers stay in the cache
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
    coded, widths, categories = np.zeros(X.shape[1], dtype=bool), _widths(X), _categories(X)
    if not categories and not widths.any():
        return X
    rng, spread = np.random.default_rng(seed), np.array(X)
    for columns in categories:
        coded[columns] = True
        _spread_category(spread, columns, rng)
    plain = np.flatnonzero(~coded)
    for first in range(0, len(plain), COLUMNS_AT_ONCE):
        some = plain[first : first + COLUMNS_AT_ONCE]
        spread[:, some] += (widths[some, None] * (rng.random((len(some), len(X))) - 0.5)).T
    return spread


def _categories(X: Data) -> list[slice]:
    """Return the runs of columns that code one category each: one of them is high in every row."""
    low, high = X.min(axis=0), X.max(axis=0)
    is_flag = ((low == X) | (high == X)).all(axis=0) & (low < high)
    found, start, at_work = [], 0, np.zeros(len(X), dtype=np.int64)
    for at in np.flatnonzero(is_flag).tolist():
        if at > start and not is_flag[at - 1]:
            start, at_work = at, np.zeros(len(X), dtype=np.int64)
        at_work = at_work + (X[:, at] > low[at])
        if at_work.max() > 1:
            start, at_work = at + 1, np.zeros(len(X), dtype=np.int64)
        elif at_work.all():
            if at + 1 - start >= LEAST_CATEGORIES:
                found.append(slice(start, at + 1))
            start, at_work = at + 1, np.zeros(len(X), dtype=np.int64)
    return found


def _spread_category(X: Data, columns: slice, rng: np.random.Generator) -> None:
    """Replace each category by shares of which it has the largest, with the spread of the columns kept."""
    coded = X[:, columns]
    low, high = coded.min(axis=0), coded.max(axis=0)
    n_rows, m = coded.shape
    shares = rng.dirichlet(np.ones(m), n_rows)
    rows, category, largest = np.arange(n_rows), (coded > low).argmax(axis=1), shares.argmax(axis=1)
    shares[rows, largest], shares[rows, category] = shares[rows, category], shares[rows, largest]
    X[:, columns] = low + (high - low) * (1.0 / m + np.sqrt(m + 1.0) * (shares - 1.0 / m))


def _widths(X: Data) -> FloatArray:
    """Return how far apart the values of each rounded column are; 0 where it is not rounded."""
    n_rows, found = len(X), np.zeros(X.shape[1])
    ordered = np.sort(X.T, axis=1)
    n_values = 1 + (ordered[:, 1:] > ordered[:, :-1]).sum(axis=1)
    rounded = np.flatnonzero((n_values > 1) & (n_values < n_rows))
    if rounded.size:
        steps = np.diff(ordered[rounded], axis=1)
        starts = np.maximum.accumulate(np.where(steps > 0, np.arange(1, n_rows), 0), axis=1)
        longest = 1 + (np.arange(1, n_rows) - starts).max(axis=1)  # the first run begins at 0
        by_size, n_steps = np.sort(steps, axis=1), n_values[rounded] - 1
        line, first = np.arange(len(rounded)), n_rows - 1 - n_steps  # equal values come before all steps
        middle = (by_size[line, first + (n_steps - 1) // 2] + by_size[line, first + n_steps // 2]) / 2
        widest = WIDEST * X[:, rounded].std(axis=0, dtype=np.float64)
        found[rounded] = np.where(longest > ATOM * n_rows, 0.0, np.minimum(middle, widest))
    return found


def _are_few(X: Data) -> bool:
    if any(len(np.unique(column)) > FEW_ROWS for column in X.T):
        return False
    return len(np.unique(X, axis=0)) <= FEW_ROWS
