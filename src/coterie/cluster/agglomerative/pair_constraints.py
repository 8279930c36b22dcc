"""Pairs of rows that must, or must not, end in one cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie._support.typing import Distances
from coterie.errors import InvalidParameter


def check_pairs(pairs: Any, n: int, *, name: str, who: str) -> Any:
    """Return pairs of rows as an array of shape (n_pairs, 2); None is no pair."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.intp)
    found = np.asarray(pairs)
    if found.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InvalidParameter(
            f"{name} of {who} must be pairs of row numbers, an array of shape (n_pairs, 2), got shape "
            f"{found.shape} of {found.dtype}."
        )
    wrong = (found < 0) | (found >= n)
    if wrong.any():
        raise InvalidParameter(
            f"{name} of {who} must name rows from 0 to {n - 1}, got {int(found[wrong][0])}."
        )
    return found.astype(np.intp)


def constrain(D: Distances, must_link: Any, cannot_link: Any, *, who: str) -> Distances:
    """Set the distances of pairs that must merge to the least, of those that must not to infinity, in place.

    What holds for two rows holds for all that must be with either of them.
    """
    n = len(D)
    ones = np.ones(len(must_link))
    _, block = connected_components(sparse.coo_array((ones, must_link.T), shape=(n, n)), directed=False)
    least = min(0.0, float(D.min()))
    for one in np.unique(block[must_link[:, 0]]):
        rows = np.flatnonzero(block == one)
        D[np.ix_(rows, rows)] = least
    for i, j in cannot_link:
        if block[i] == block[j]:
            raise InvalidParameter(
                f"cannot_link of {who} says that rows {i} and {j} must not be together, must_link that they "
                f"must."
            )
        rows, others = np.flatnonzero(block == block[i]), np.flatnonzero(block == block[j])
        D[np.ix_(rows, others)] = np.inf
        D[np.ix_(others, rows)] = np.inf
    return D
