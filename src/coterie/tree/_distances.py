"""Distances between leaves, as the functions on trees need them: given, or Euclidean from data."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import CheckedRows, MatrixLike
from coterie._support.validation import check_data, require_memory
from coterie.errors import InvalidData, InvalidParameter


def require_one(who: str, X: MatrixLike, distances: MatrixLike) -> None:
    """Refuse both or neither of data and distances."""
    if (X is None) == (distances is None):
        raise InvalidParameter(f"{who} needs X= (rows of data, Euclidean) or distances=, one of them.")


def read_rows(X: MatrixLike, n_leaves: int, who: str) -> CheckedRows:
    """Return data with a row per leaf."""
    rows = check_data(X, who=who)
    if rows.shape[0] != n_leaves:
        raise InvalidData(f"X of {who} must have a row per leaf, {n_leaves} of them, got {rows.shape[0]}.")
    return rows


def euclidean() -> _core.Metric:
    """Return the Euclidean distance as the engine sees it."""
    return _core.Metric(_core.Kernel.dot, _core.Finish.norm)


def square_distances(
    X: MatrixLike, distances: MatrixLike, n_leaves: int, who: str
) -> npt.NDArray[np.float64]:
    """Return the square matrix of distances between leaves."""
    require_one(who, X, distances)
    require_memory(
        8 * n_leaves**2, f"a square of distances of {n_leaves:,} leaves", "Use a part of the tree."
    )
    if X is not None:
        rows = read_rows(X, n_leaves, who).astype(np.float64, copy=False)
        return np.asarray(_core.pairwise_self(rows, euclidean()))
    given = read_distances(distances, n_leaves, who)
    if given.ndim == 2:
        return given
    from scipy.spatial.distance import squareform

    return np.asarray(squareform(given, checks=False))


def condensed_distances(distances: MatrixLike, n_leaves: int, who: str) -> npt.NDArray[np.float64]:
    """Return the condensed distances between leaves."""
    given = read_distances(distances, n_leaves, who)
    return given if given.ndim == 1 else given[np.triu_indices(n_leaves, 1)]


def read_distances(distances: MatrixLike, n_leaves: int, who: str) -> npt.NDArray[np.float64]:
    """Return condensed or square distances as floats, or say what is wrong with them."""
    given = np.asarray(distances)
    n_pairs = n_leaves * (n_leaves - 1) // 2
    if given.shape not in ((n_pairs,), (n_leaves, n_leaves)):
        raise InvalidData(
            f"distances of {who} must be condensed ({n_pairs},) or square ({n_leaves}, {n_leaves}), "
            f"got shape {given.shape}."
        )
    if given.dtype != np.float64 or not given.flags.c_contiguous:
        what = f"a copy of the distances of {n_leaves:,} leaves"
        require_memory(8 * given.size, what, "Give float64 numbers in rows, which need no copy.")
    given = np.ascontiguousarray(given, dtype=np.float64)
    if np.isnan(given).any():
        place = ", ".join(str(at) for at in np.argwhere(np.isnan(given))[0])
        raise InvalidData(f"distances of {who} must not be NaN, got distances[{place}].")
    if given.ndim == 2 and not np.allclose(given, given.T):
        row, column = np.argwhere(~np.isclose(given, given.T))[0]
        raise InvalidData(
            f"distances of {who} must be symmetric, got distances[{row}, {column}] = {given[row, column]:g} "
            f"and distances[{column}, {row}] = {given[column, row]:g}."
        )
    return given
