"""What affinity propagation is given: similarities of rows, and how much each prefers to be an exemplar."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie import _core
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Distances,
    FloatArray,
    Indices,
)
from coterie.cluster.kmeans.points import csr_parts
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter

LARGEST = 1e290  # of similarities: sums of messages stay finite whatever the rows and iterations
ROWS_AT_ONCE = 256
SAMPLE = 100_000  # cells that a median is looked for by
BRACKET = (0.48, 0.52)  # shares of the sample between which the median lies, or all cells are sorted


def similarities_of(X: CheckedRows, threads: int) -> Distances:
    """Return minus the squared distances of all pairs of rows.

    Examples
    --------
    >>> similarities_of(np.array([[0.0], [3.0]]), 1)
    array([[ 0., -9.],
           [-9.,  0.]])
    """
    if not issparse(X):
        S = pairwise_distances(X, metric="sqeuclidean", n_jobs=threads or None)
        return np.asarray(np.subtract(0.0, S, out=S))  # a row is at 0 from itself, not at -0
    S = np.empty((X.shape[0], X.shape[0]), dtype=X.dtype)
    for first in range(0, X.shape[0], ROWS_AT_ONCE):  # some rows at a time are dense
        block = np.ascontiguousarray(X[first : first + ROWS_AT_ONCE].toarray())
        S[:, first : first + ROWS_AT_ONCE] = _core.sparse_pairwise_squared(*csr_parts(X), block, threads)
    np.subtract(0.0, S, out=S)
    np.fill_diagonal(S, 0.0)
    return S


def check_preference(preference: npt.ArrayLike | None, S: Distances, *, who: str) -> AnyArray:
    """Return the preferences: one for all rows, or one for each.

    Examples
    --------
    >>> check_preference(None, np.array([[0.0, -4.0], [-2.0, 0.0]]), who="it")
    array(-1.)
    """
    if preference is None:
        return np.asarray(median_of(S))
    try:
        values = np.asarray(preference, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full((0, 0), np.nan)
    n = len(S)
    if values.shape not in ((), (n,)) or not np.isfinite(values).all():
        raise InvalidParameter(
            f"preference of {who} must be one finite number, or {n:,}, one for each row, got "
            f"{_shown_preference(preference, values)}."
        )
    largest = min(LARGEST, float(np.finfo(S.dtype).max) / 4)
    if np.abs(values).max() > largest:
        raise InvalidParameter(
            f"preference of {who} must be at most {largest:.0e} in size for similarities in {S.dtype}, got "
            f"{np.abs(values).max():.3g}."
        )
    return values


def median_of(S: Distances) -> np.floating[Any]:
    """Return ``np.median(S)`` without a copy of all cells: a sample says between which two to look closely.

    Examples
    --------
    >>> median_of(np.array([[0.0, -4.0], [-2.0, 0.0]]))
    np.float64(-1.0)
    """
    sample = np.sort(S.ravel()[:: max(1, S.size // SAMPLE)])
    if S.size <= 2 * SAMPLE:
        return np.median(S)
    low, high = (sample[int(share * len(sample))] for share in BRACKET)
    below, at_low, at_high, between = 0, 0, 0, []
    for first in range(0, len(S), ROWS_AT_ONCE):
        rows = S[first : first + ROWS_AT_ONCE]
        below += int(np.count_nonzero(rows < low))
        at_low += int(np.count_nonzero(rows == low))
        at_high += int(np.count_nonzero(rows == high))
        between.append(rows[(rows > low) & (rows < high)])
    inner = np.sort(np.concatenate(between))
    limits = np.cumsum([below, at_low, len(inner), at_high if high > low else 0])
    ranks = [(S.size - 1) // 2, S.size // 2]
    if ranks[0] < below or ranks[1] >= limits[-1]:
        return np.median(S)  # the sample was not typical
    middle = [
        low if rank < limits[1] else inner[rank - limits[1]] if rank < limits[2] else high for rank in ranks
    ]
    return np.mean(np.array(middle, dtype=S.dtype))


def _shown_preference(preference: npt.ArrayLike | None, values: AnyArray) -> str:
    if values.ndim == 1 and not np.isfinite(values).all():
        return "one that is not finite"
    return f"an array of shape {values.shape}" if values.ndim == 1 else f"{preference!r}"[:60]


def has_one_value(values: AnyArray) -> bool:
    """Return whether all numbers are equal."""
    return bool((values == values.flat[0]).all())


def has_equal_similarities(S: Distances) -> bool:
    """Return whether all similarities of different rows are equal.

    Examples
    --------
    >>> has_equal_similarities(np.array([[7.0, 1.0], [1.0, 3.0]]))
    True
    """
    first = S[0, 1]
    return all((row[:i] == first).all() and (row[i + 1 :] == first).all() for i, row in enumerate(S))


def add_noise(S: Distances, draws: np.random.RandomState) -> None:
    """Add noise as small as rounding, so that no two similarities are equal; in place, in blocks of rows."""
    limits = np.finfo(S.dtype)
    for first in range(0, len(S), ROWS_AT_ONCE):
        rows = S[first : first + ROWS_AT_ONCE]
        rows += (limits.eps * rows + limits.tiny * 100) * draws.standard_normal(size=rows.shape)


def _total_similarities(S: Distances, members: Indices) -> FloatArray:
    """Return how alike all members are to each, added up row by row."""
    total = np.zeros(len(members), dtype=S.dtype)
    for member in members:
        total += S[member, members]
    return total


def _refuse_huge(S: Distances, who: str) -> None:
    largest = max(float(S.max()), -float(S.min()))
    if largest > LARGEST:
        raise InvalidData(
            f"similarities of {who} must be at most {LARGEST:.0e} in size, so that messages add up, got "
            f"{largest:.3g}. Divide X by a constant."
        )
