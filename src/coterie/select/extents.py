"""In how many directions groups extend, however they are bent: one for a tube, a moon or a ring.

A path along a tube cannot go round a thin spot, so that a tube cut across shows deeper valleys by chance than
a round cloud does. Two tubes side by side are no tube: a third of their rows reaches over both.
"""

from __future__ import annotations

import numpy as np

from coterie._typing import Data, FloatArray, Indices, Labels

MOST_ROWS = 128  # of two groups, in which neighbours are counted
ANCHORS = 4  # one of so many of these rows counts them
LEAST_ROWS = 16
FAR = 3  # distances of a third of the rows tell the extent, against those of half as many


class Extents:
    """The rows of one partition, to ask how any two of its groups extend.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows.
    labels : array of shape (n,)
        Their groups, 0..k-1.
    order : array of shape (n,)
        The rows in random order: a few of them stand for all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> turn = rng.uniform(0, 2 * np.pi, 400)
    >>> ring = np.c_[np.cos(turn), np.sin(turn)]
    >>> halves = (turn > np.pi).astype(int)
    >>> round(Extents(ring, halves, np.arange(400)).of(0, 1))
    1
    >>> round(Extents(rng.random((400, 2)), halves, np.arange(400)).of(0, 1))
    2
    """

    def __init__(self, X: Data, labels: Labels, order: Indices) -> None:
        self._X = X
        grouped = order[np.argsort(labels[order], kind="stable")]
        ends = np.cumsum(np.bincount(labels))
        self._members = np.split(grouped, ends[:-1])

    def of(self, low: int, high: int) -> float:
        """Return in how many directions the two groups extend together."""
        # as many rows of both, as far as there are: else a large tube would hide what is next to it
        rows = np.concatenate([self._members[group][: MOST_ROWS // 2] for group in (low, high)])
        return growth_of(np.asarray(self._X[rows], dtype=np.float64))


def growth_of(rows: FloatArray) -> float:
    """Return the dimension that the distances of the rows have at the scale of a third of them."""
    if len(rows) < LEAST_ROWS:
        return np.inf
    anchors = rows[::ANCHORS] if len(rows) >= ANCHORS * LEAST_ROWS else rows
    squares = (anchors**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1) - 2.0 * anchors @ rows.T
    far = len(rows) // FAR  # the row itself is its own nearest
    near = far // 2
    squares.partition((near, far), axis=1)
    told = squares[:, near] > 0
    if not told.any():
        return np.inf
    # squares are twice the distances in logarithms; few rows next to a group that is far away say nothing
    growth = float(np.median(np.log(squares[told, far] / squares[told, near]))) / 2.0
    return float(np.log(far / near)) / growth if growth > 0 else np.inf
