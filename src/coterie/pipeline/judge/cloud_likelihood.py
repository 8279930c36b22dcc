"""How likely groups are as normal clouds: where the borders between clouds that overlap belong.

Valleys tell which groups there are. Which group a row between two clouds belongs to they tell badly: of many
cuts through one valley some are deeper by chance. The likelihood of the clouds has no such choice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.stoppable import stoppable
from coterie._support.typing import FloatArray, Labels

ROWS_PER_COLUMN = 4  # of the smallest group: else its covariance is not told
SHARED = 0.5  # of the rows of either group: less, and it is another group
NO_SPREAD = 1e-12  # of the variance of all rows: a group without any is no cloud


def log_likelihood(X: Any, labels: Labels) -> float:
    """Return the log-likelihood of rows in groups that are normal clouds, up to a constant of the rows.

    Each group has its own mean, covariance and share of the rows; -inf where it has too few of them.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows.
    labels : array of shape (n,)
        Their groups, 0..k-1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (100, 2)), rng.normal(4, 1, (100, 2))]
    >>> own = np.repeat([0, 1], 100)
    >>> shifted = (X[:, 0] > 3).astype(int)
    >>> bool(log_likelihood(X, own) > log_likelihood(X, shifted))
    True
    """
    rows: FloatArray = np.asarray(X, dtype=np.float64)
    n_rows, d = rows.shape
    least = NO_SPREAD * float(rows.var(axis=0).max(initial=0.0))
    total = 0.0
    for group in range(int(labels.max(initial=-1)) + 1):
        own = rows[labels == group]
        if len(own) < ROWS_PER_COLUMN * d:
            return -np.inf
        centred = own - own.mean(axis=0)
        spreads = stoppable(np.linalg.eigvalsh, centred.T @ centred / len(own))
        if spreads[0] <= least:
            return -np.inf
        total += len(own) * (np.log(len(own) / n_rows) - float(np.log(spreads).sum()) / 2.0)
    return total


def are_same_groups(one: Labels, other: Labels) -> bool:
    """Return whether two partitions have the same groups, up to rows at their borders.

    Parameters
    ----------
    one, other : arrays of shape (n,)
        Groups of the rows, 0..k-1.

    Examples
    --------
    >>> are_same_groups(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 1, 0]))
    False
    >>> are_same_groups(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0]))
    True
    """
    k = int(max(one.max(), other.max())) + 1
    both = np.bincount(one.astype(np.int64) * k + other, minlength=k * k).reshape(k, k)
    either = both.sum(axis=1)[:, None] + both.sum(axis=0) - both
    shared = both > SHARED * either
    return bool((shared.any(axis=1)).all() and (shared.any(axis=0)).all())
