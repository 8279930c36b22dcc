"""How large numbers may be for the distances between them to be finite, distance by distance."""

from __future__ import annotations

from math import exp, inf, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import Data, FloatArray
from coterie._support.validation import explain
from coterie._support.validation import largest_safe as largest_to_square
from coterie.errors import InvalidData

if TYPE_CHECKING:
    from coterie.distance.catalogue import Distance

ROOM = 4.0  # a difference is at most twice the largest number; twice that leaves room for rounding
VANISHING = 2.0**-900  # of the largest number: dividing by it overflows only where it cancels once more


def largest_safe(distance: Distance, dtype: npt.DTypeLike, shape: tuple[int, int]) -> float:
    """Return the largest size of numbers of prepared rows for which distances, and their sums, are finite.

    Examples
    --------
    >>> from coterie.distance import find_distance
    >>> largest_safe(find_distance("manhattan"), np.dtype("float64"), (10, 2)) < 1e307
    True
    >>> largest_safe(find_distance("hamming"), np.dtype("float64"), (10, 2))
    inf
    """
    n_rows, n_columns = max(1, shape[0]), max(1, shape[1])
    if distance.kernel in (None, _core.Kernel.hamming, _core.Kernel.gower):
        return inf
    if distance.euclidean_form in ("distance", "square") or distance.kernel == _core.Kernel.observed:
        return largest_to_square(dtype, shape)
    if distance.kernel == _core.Kernel.dot:
        return inf  # of directions or of sets: prepared numbers are at most 1
    # sums over rows are kept in float64, which has room for any number of float32 distances
    terms = n_columns if dtype == np.float32 else n_rows * n_columns
    most = log(float(np.finfo(dtype).max)) - log(ROOM * terms)
    if distance.kernel != _core.Kernel.minkowski:
        return exp(most)
    if distance.p >= 1:
        return exp(most / distance.p) / 2
    return exp(max(-inf, most - log(n_columns) / distance.p)) / 2  # the power after the sum is what grows


def refuse_overflow(distance: Distance, rows: Data, *, name: str) -> None:
    """Refuse prepared rows with numbers so large that distances overflow, or between which they are infinite.

    Examples
    --------
    >>> from coterie.distance import find_distance
    >>> refuse_overflow(find_distance("manhattan"), np.array([[0.0], [1.7e308]]), name="X")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: Input X contains a value too large for float64: 1.7e+308 in X[:, 0]; manhattan
    distances overflow above 2.2e+307. Scale the data first: divide X by a constant.
    """
    safe = largest_safe(distance, rows.dtype, rows.shape)
    if rows.size == 0 or distance.domain == "mixed" or safe == inf:
        return  # ranges are learned first, and cells may be missing
    if distance.takes_gaps and np.isnan(rows).any():
        rows = np.where(np.isnan(rows), np.zeros((), dtype=rows.dtype), rows)
    low, high = float(rows.min()), float(rows.max())
    if not max(-low, high) <= safe:
        raise _too_large(distance, rows, safe, name)
    if distance.kernel == _core.Kernel.braycurtis and low < 0:
        refuse_opposites(distance, rows, rows, names=(name, name))


def refuse_opposites(distance: Distance, rows: Data, others: Data, *, names: tuple[str, str]) -> None:
    """Refuse rows x and y = -x under the Bray-Curtis distance, which divides by the sum of |x + y|.

    Examples
    --------
    >>> from coterie.distance import find_distance
    >>> X = np.array([[1.0, -2.0], [0.0, 1.0], [-1.0, 2.0]])
    >>> refuse_opposites(find_distance("braycurtis"), X, X, names=("X", "X"))
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: row 0 of X and row 2 of X are opposite (x = -y): their braycurtis distance is
    infinite. It is meant for amounts, which are not negative: choose another distance, or shift the columns.
    """
    if distance.kernel != _core.Kernel.braycurtis:
        return
    pair = find_opposites(np.asarray(rows, dtype=np.float64), np.asarray(others, dtype=np.float64))
    if pair is not None:
        raise InvalidData(
            f"row {pair[0]} of {names[0]} and row {pair[1]} of {names[1]} are opposite (x = -y): their "
            f"{distance.name} distance is infinite. It is meant for amounts, which are not negative: choose "
            f"another distance, or shift the columns."
        )


def find_opposites(rows: FloatArray, others: FloatArray) -> tuple[int, int] | None:
    """Return a row and another that is its negative but for vanishing numbers, or None; zeros are not.

    Examples
    --------
    >>> find_opposites(np.array([[0.0], [2.0]]), np.array([[0.0], [-2.0]]))
    (1, 1)
    """
    at_rows, at_others = (np.flatnonzero(points.any(axis=1)) for points in (rows, others))
    while len(at_rows) and len(at_others):
        peak = max(float(np.abs(rows[at_rows]).max()), float(np.abs(others[at_others]).max()))
        left, right = (_without_vanishing(part, peak) for part in (rows[at_rows], others[at_others]))
        pair = _first_opposites(left, right)
        if pair is not None:
            return int(at_rows[pair[0]]), int(at_others[pair[1]])
        # rows of which nothing is left may still be opposite to each other
        at_rows, at_others = at_rows[~left.any(axis=1)], at_others[~right.any(axis=1)]
    return None


def _without_vanishing(rows: FloatArray, peak: float) -> FloatArray:
    return np.where(np.abs(rows) < peak * VANISHING, 0.0, rows)


def _first_opposites(rows: FloatArray, others: FloatArray) -> tuple[int, int] | None:
    """Return two opposite rows: a sum of theirs, weighted by numbers without a pattern, is opposite too."""
    factors = np.random.default_rng(0).uniform(0.5, 1.0, rows.shape[1]) / rows.shape[1]
    sums, other_sums = np.einsum("ij,j->i", rows, factors), -np.einsum("ij,j->i", others, factors)
    for value in np.intersect1d(sums[rows.any(axis=1)], other_sums[others.any(axis=1)]):
        for i in np.flatnonzero(sums == value):
            is_opposite = (other_sums == value) & (others == -rows[i]).all(axis=1)
            if is_opposite.any():
                return int(i), int(np.argmax(is_opposite))
    return None


def _too_large(distance: Distance, rows: Data, safe: float, name: str) -> InvalidData:
    if not np.isfinite(rows).all():
        return InvalidData(
            f"the {distance.name} distances of {name} overflow: its numbers are too large, or parameters of "
            f"the distance make them so. Divide {name} by a constant first, or change the parameters."
        )
    what = f"{distance.name} distances"
    if distance.kernel == _core.Kernel.minkowski:
        what += f" with p={distance.p:g}"
    return explain.too_large(rows, None, name, safe, what)
