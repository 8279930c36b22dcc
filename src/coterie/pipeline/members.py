"""Rows that show what a group is, and rows that might as well be in another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._support.typing import FloatArray, Indices, Labels

SHOWN = 5
NUMBERS_PER_BLOCK = 4_000_000


def find_members(
    X: Any, labels: Labels, means: FloatArray, spread: FloatArray
) -> tuple[list[Indices], list[Indices]]:
    """Return for each group the rows nearest to its mean, and those nearly as near to another mean.

    Columns are taken in standard deviations of all rows. The margin of a row is that of the simplified
    silhouette: (b - a) / max(a, b), with the distances a to the own mean and b to the nearest other one.

    Examples
    --------
    >>> X, means = np.array([[0.0], [1.0], [4.0], [8.0], [10.0]]), np.array([[5 / 3], [9.0]])
    >>> typical, borderline = find_members(X, np.array([0, 0, 0, 1, 1]), means, np.ones(1))
    >>> typical[0].tolist(), borderline[0].tolist()
    ([1, 0, 2], [2, 0, 1])
    """
    if not len(means):
        return [], []
    own, margins = _measure(X, labels, means, spread)
    typical, borderline = [], []
    for group in range(len(means)):
        members = np.flatnonzero(labels == group)
        typical.append(members[_least(own[members])])
        borderline.append(members[_least(margins[members])] if len(means) > 1 else members[:0])
    return typical, borderline


def _least(values: FloatArray) -> Indices:
    if values.size > 4 * SHOWN:
        limit = np.partition(values, SHOWN)[SHOWN]
        candidates = np.flatnonzero(values <= limit)
        return candidates[np.argsort(values[candidates], kind="stable")][:SHOWN]
    return np.argsort(values, kind="stable")[:SHOWN]


def _measure(
    X: Any, labels: Labels, means: FloatArray, spread: FloatArray
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the distance of each row to its own mean, and its margin; meaningless outside the groups."""
    scale = 1.0 / np.where(spread > 0, spread, 1.0)
    centers = means * scale
    own, margins = np.zeros(len(labels)), np.zeros(len(labels))
    step = max(1, NUMBERS_PER_BLOCK // max(1, X.shape[1] + len(means)))
    for first in range(0, len(labels), step):
        block = slice(first, first + step)
        rows = X[block].toarray() if sparse.issparse(X) else np.asarray(X[block], dtype=np.float64)
        distances = _distances(rows * scale, centers)
        at, group = np.arange(len(rows)), np.maximum(labels[block], 0)
        own[block] = distances[at, group]
        if len(means) > 1:
            distances[at, group] = np.inf
            other = distances.min(axis=1)
            larger = np.maximum(other, own[block])
            margins[block] = np.divide(
                other - own[block], larger, out=np.zeros_like(larger), where=larger > 0
            )
    return own, margins


def _distances(rows: FloatArray, centers: FloatArray) -> npt.NDArray[np.float64]:
    middle = centers.mean(axis=0)  # products of numbers far from 0 would lose digits
    rows, centers = rows - middle, centers - middle
    squares = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", centers, centers)
    return np.asarray(np.sqrt(np.maximum(squares - 2 * rows @ centers.T, 0.0)))
