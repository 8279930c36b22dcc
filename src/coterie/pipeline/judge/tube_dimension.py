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
AT_BORDER, LEAST_AT_BORDER = 0.15, 5  # share of the rows that are next to the border, and least number
AT_AN_END = 1.0  # standard deviations from the middle
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

    def at_border(self, low: int, high: int) -> float:
        """Return in how many directions the groups extend at their border: one where they meet end to end.

        The rows next to the border spread as far as the groups do, but for the direction across it.
        """
        members = [self._members[group] for group in (low, high)]
        few = [np.asarray(self._X[own[:MOST_ROWS]], dtype=np.float64) for own in members]
        one, other = few
        squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2.0 * one @ other.T
        shares = [_share_at_border(rows, squares.min(axis=1 - side)) for side, rows in enumerate(few)]
        return 1.0 / (1.0 - min(max(shares), 0.9))


def _share_at_border(rows: FloatArray, away: FloatArray) -> float:
    """Return the share of the spread of some rows that those next to the border have, 1 if not at an end."""
    n_near = max(LEAST_AT_BORDER, round(AT_BORDER * len(rows)))
    if n_near >= len(rows):
        return 1.0
    near = rows[np.argpartition(away, n_near)[:n_near]]
    spread = rows.var(axis=0).sum()
    offset = ((near.mean(axis=0) - rows.mean(axis=0)) ** 2).sum()
    return float(near.var(axis=0).sum() / spread) if offset > AT_AN_END**2 * spread else 1.0


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
