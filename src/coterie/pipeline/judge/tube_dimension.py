"""In how many directions groups extend, however they are bent: one for a tube, a moon or a ring.

A path along a tube cannot go round a thin spot, so that a tube cut across shows deeper valleys by chance than
a round cloud does. Two tubes side by side are no tube: a third of their rows reaches over both.
"""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Data, FloatArray, Indices, Labels
from coterie.pipeline.judge.discriminant_valleys import median_of

MOST_ROWS = 128  # of two groups, in which neighbours are counted
MOST_ANCHORS = 16  # of each group, which count them
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
        members = [self._members[group] for group in (low, high)]
        share = min(1.0, MOST_ROWS / sum(map(len, members)))
        few = [own[: max(1, round(share * len(own)))] for own in members]
        rows = np.asarray(self._X[np.concatenate(few)], dtype=np.float64)
        if len(rows) < LEAST_ROWS:
            return np.inf
        # as the group sees it that extends further: next to a large tube a small group may lie alongside
        return max(extent_from(np.asarray(self._X[own[:MOST_ANCHORS]]), rows) for own in members)


def extent_from(anchors: Data, rows: FloatArray) -> float:
    """Return the dimension that distances from anchors to rows have at the scale of a third of the rows."""
    squares = (anchors**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1) - 2.0 * anchors @ rows.T
    far = len(rows) // FAR
    near = far // 2
    squares.partition((near, far), axis=1)
    told = squares[:, near] > 0
    if not told.any():
        return np.inf
    # the logarithms of squares are twice those of distances
    growth = median_of(np.log(squares[told, far] / squares[told, near])) / 2.0
    return float(np.log(far / near)) / growth if growth > 0 else np.inf
