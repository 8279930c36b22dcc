"""Checks of pairs of rows that must, or must not, be in one group."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Indices, MatrixLike
from coterie.errors import InvalidParameter


def check_pairs(pairs: MatrixLike | None, n: int, *, name: str, who: str) -> Indices:
    """Return pairs of rows as an array of shape (n_pairs, 2); None: no pairs."""
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
