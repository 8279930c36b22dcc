"""In how many directions groups extend, however they are bent: one for a tube, a moon or a ring.

A path along a tube cannot go round a thin spot, so that a tube cut across shows deeper valleys by chance than
a round cloud does. Two tubes side by side do not count as one: a third of their rows reaches over both.
"""

from __future__ import annotations

import numpy as np

from coterie import _core
from coterie._support.linear_algebra import principal_components
from coterie._support.typing import FloatArray, Indices, Labels, Mask

CONTACTS = (12, 24, 48, 96)  # rows next to where two groups meet: a curve is thin at some of these scales
THIN = 0.9  # of their variance is along one direction
# correlation of the group with the place along it: 0.87 where rows fill the line, more where there is a gap
APART, EMPTY = 0.7, 0.95


class Extents:
    """The rows of one partition, to ask how any two of its groups extend.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows, in float64.
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
    >>> round(Extents(ring, halves, np.arange(400)).of([0], [1])[0])
    1
    >>> round(Extents(rng.random((400, 2)), halves, np.arange(400)).of([0], [1])[0])
    2
    """

    def __init__(self, X: FloatArray, labels: Labels, order: Indices) -> None:
        self._X = np.ascontiguousarray(X, dtype=np.float64)
        self._members = order[np.argsort(labels[order], kind="stable")]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])

    def of(self, low: Indices, high: Indices) -> FloatArray:
        """Return in how many directions the two groups of each pair extend together.

        A third of the rows of both is that much further away than half as many, from where they extend
        further: next to a large tube a small group may lie alongside.
        """
        return np.asarray(_core.joint_extents(self._X, self._members, self._starts, np.c_[low, high]))

    def at_border(self, low: Indices, high: Indices) -> FloatArray:
        """Return in how many directions the groups extend at their border: one where they meet end to end.

        The rows next to the border spread as far as the groups do, but for the direction across it.
        """
        return np.asarray(_core.border_extents(self._X, self._members, self._starts, np.c_[low, high]))


def is_curve_cut_across(rows: FloatArray, is_first: Mask) -> bool:
    """Return whether rows next to a border fill a thin line, one group at either end of it.

    Parameters
    ----------
    rows : array of shape (n, d)
        The rows of two groups, those nearest to where they meet first.
    is_first : array of bool of shape (n,)
        Which are of the first group.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> along = rng.permutation(np.linspace(-0.5, 0.5, 96))
    >>> line = np.c_[along, 0.05 * rng.normal(size=96)]
    >>> is_curve_cut_across(line, along < 0), is_curve_cut_across(line, line[:, 1] < 0)
    (True, False)
    """
    for n_near in (n for n in CONTACTS if n <= len(rows) // 2):
        first = is_first[:n_near]
        if first.all() or not first.any():
            continue
        found = principal_components(rows[:n_near] - rows[:n_near].mean(axis=0))
        if found.squares[-1:].sum() > THIN * found.squares.sum():
            along = found.scores(1)[:, 0]
            if APART < abs(float(np.corrcoef(along, first)[0, 1])) < EMPTY:
                return True
    return False
