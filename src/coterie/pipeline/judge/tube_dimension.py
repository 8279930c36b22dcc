"""In how many directions groups extend, however they are bent: one for a tube, a moon or a ring.

A path along a tube cannot go round a thin spot, so that a tube cut across shows deeper valleys by chance than
a round cloud does. Two tubes side by side do not count as one: a third of their rows reaches over both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.linear_algebra import principal_components
from coterie._support.typing import Data, Doubles, FloatArray, Indices, Labels, Mask

Wholes: TypeAlias = npt.NDArray[np.int64]
Measure: TypeAlias = Callable[[Doubles, Wholes, Wholes, Wholes], Doubles]
OfPairs: TypeAlias = dict[tuple[bytes, bytes], float]

CONTACTS = (12, 24, 48, 96)  # rows next to where two groups meet: a curve is thin at some of these scales
THIN = 0.9  # of their variance is along one direction
# correlation of the group with the place along it: 0.87 where rows fill the line, more where there is a gap
APART, EMPTY = 0.7, 0.95


@dataclass(eq=False)
class KnownExtents:
    """What was found for pairs of groups of some rows: partitions of one tree have most of them in common."""

    X: Data
    joint: OfPairs = field(default_factory=dict)
    at_border: OfPairs = field(default_factory=dict)

    @cached_property
    def points(self) -> Doubles:
        """The rows in float64; not made where nothing is asked, which is often so in many columns."""
        return np.ascontiguousarray(self.X, dtype=np.float64)


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
    known : KnownExtents, default=None
        Keeps what was found about these rows.

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

    def __init__(
        self,
        X: Data,
        labels: Labels,
        order: Indices,
        known: KnownExtents | None = None,
    ) -> None:
        self._members = order[np.argsort(labels[order], kind="stable")]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
        self._known = known or KnownExtents(X)

    def of(self, low: Indices, high: Indices) -> FloatArray:
        """Return in how many directions the two groups of each pair extend together.

        A third of the rows of both is that much further away than half as many, from where they extend
        further: next to a large tube a small group may lie alongside.
        """
        return self._asked(_core.joint_extents, self._known.joint, low, high)

    def at_border(self, low: Indices, high: Indices) -> FloatArray:
        """Return in how many directions the groups extend at their border: one where they meet end to end.

        The rows next to the border spread as far as the groups do, but for the direction across it.
        """
        return self._asked(_core.border_extents, self._known.at_border, low, high)

    def _asked(self, measure: Measure, known: OfPairs, low: Indices, high: Indices) -> FloatArray:
        """Return what is measured about each pair, once for the same two groups."""
        names = self._names
        pairs = [(names[one], names[other]) for one, other in zip(low, high, strict=True)]
        new = [at for at, pair in enumerate(pairs) if pair not in known]
        if new:
            found = measure(self._known.points, self._members, self._starts, np.c_[low, high][new])
            known.update(zip((pairs[at] for at in new), found.tolist(), strict=True))
        return np.array([known[pair] for pair in pairs])

    @cached_property
    def _names(self) -> list[bytes]:
        """What stands for the rows of each group, whatever partition it is found in."""
        bounds = self._starts.tolist()
        return [
            blake2b(self._members[first:end].tobytes(), digest_size=16).digest()
            for first, end in pairwise(bounds)
        ]


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
