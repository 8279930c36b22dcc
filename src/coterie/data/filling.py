"""Missing values taken from the most similar row: unlike a median, they repeat nowhere and make no groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data

MOST_DONORS = 5_000  # rows that values are taken from: those with the fewest gaps
NUMBERS_AT_ONCE = 1 << 22  # distances in a block
OBSERVED = _core.Metric(_core.Kernel.observed, _core.Finish.identity)


def fill_from_similar(X: Data) -> Data:
    """Return the rows with each gap filled from the most similar row that has a value.

    Rows are compared by standardised columns in which both have a value. A row that shares none with any
    other gets the column's median. The rows must have a value in every column at least once.

    Parameters
    ----------
    X : array of shape (n, d)
        NaN marks what is missing.

    Examples
    --------
    >>> fill_from_similar(np.array([[1.0, 10.0], [1.1, np.nan], [5.0, 50.0], [np.nan, 49.0]])).tolist()
    [[1.0, 10.0], [1.1, 10.0], [5.0, 50.0], [5.0, 49.0]]
    """
    is_missing = np.isnan(X)
    if not is_missing.any():
        return X
    order = np.argsort(is_missing.sum(axis=1), kind="stable")[:MOST_DONORS]
    donors = np.sort(order)
    scaled = _standardised(X)
    filled, medians = X.copy(), np.nanmedian(X, axis=0)
    gappy = np.flatnonzero(is_missing.any(axis=1))
    step = max(1, NUMBERS_AT_ONCE // len(donors))
    for first in range(0, len(gappy), step):
        rows = gappy[first : first + step]
        apart = _core.pairwise(
            np.ascontiguousarray(scaled[rows]),
            np.ascontiguousarray(scaled[donors]),
            OBSERVED,
            resolve_threads(),
        )
        for column in np.flatnonzero(is_missing[rows].any(axis=0)):
            _fill_column(X, filled, (rows, donors, apart), int(column), medians[column])
    return filled


def _fill_column(X: Data, filled: Data, near: tuple[Any, Any, Any], column: int, median: Any) -> None:
    rows, donors, apart = near
    wants, has = np.isnan(X[rows, column]), ~np.isnan(X[donors, column])
    if not has.any():
        filled[rows[wants], column] = median
        return
    among = apart[np.ix_(wants, has)]
    nearest = np.argmin(among, axis=1)
    values = X[donors[has][nearest], column]
    is_alone = np.isinf(among[np.arange(len(nearest)), nearest])
    filled[rows[wants], column] = np.where(is_alone, median, values)


def _standardised(X: Data) -> Data:
    """Return columns of mean 0 and variance 1; constant ones 0."""
    means, spreads = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    return np.ascontiguousarray((X - means) / np.where(spreads > 0, spreads, 1.0), dtype=X.dtype)
