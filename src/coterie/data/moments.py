"""Mean, variance and extent of columns: the same bits from one matrix as from blocks of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Data, FloatArray


def column_moments(X: Data) -> Any:
    """Return the `ColumnMoments` of a C-ordered matrix without missing values.

    Examples
    --------
    >>> column_moments(np.array([[1.0, 5.0], [3.0, 5.0]])).mean
    [2.0, 5.0]
    """
    first = np.array(X[0])
    sums = np.asarray(add_sums([_core.column_sums(X, first)]), dtype=np.float64)
    return _core.moments_of_sums(sums, first)


def add_sums(tables: Sequence[FloatArray]) -> FloatArray:
    """Add the rows of tables of sums, one after the other as the engine does."""
    table = np.concatenate(tables)
    width = (table.shape[1] - 1) // 4
    added = np.add.accumulate(table, axis=0)[-1]
    added[2 * width : 3 * width] = table[:, 2 * width : 3 * width].min(axis=0)
    added[3 * width : 4 * width] = table[:, 3 * width : 4 * width].max(axis=0)
    return np.asarray(added)
