"""Valleys along lines: whether two groups are apart in the one direction that tells them apart best.

Neighbourhoods see little in many columns: there the rows of one group are nearly as far from each other as
from those of the next. Along the line of the best linear discriminant the density has one dimension, and a
valley shows. The discriminant of one half of the rows is judged by the other half, so that it cannot find a
valley that is not there: on one cloud, cut in two by k-means, Ward's method or a mixture, the depths of
`benchmarks/line_null.py` hardly depend on rows, columns or method.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from scipy.special import digamma, gammaln

from coterie import _core
from coterie._support.linear_algebra import principal_components
from coterie._support.stoppable import stoppable
from coterie._support.typing import Data, Doubles, FloatArray, Labels, Mask

SPLITS = 4  # of the rows in halves: the mean over several depends less on one of them
# the window of the density holds the smaller group's rows over this number; the depth that one cloud rarely
# exceeds: benchmarks/line_null.py
BARS = {2: 2.4, 4: 2.9, 8: 3.4}
BAR_OF_DISTANCE = 1.4  # logarithm of a distance in spreads that one cloud rarely exceeds
SCALE_OF_DISTANCE = 4.0  # evidence for each more of it
MOST_ROWS_OF_DISTANCE = 200  # of two groups: few rows hardly fill a window, but tell how far they spread
LEAST_ROWS = 8  # of the smaller group
LEAST_WINDOW = 3
MOST_DIMENSIONS = 50  # of more columns, the leading principal components
NOTHING = -3.0
# nats that a group is less spread out than a normal cloud: it is one up to the first, bent from the second
CLOUD, BENT = 0.4, 0.7
NEAR = 4  # neighbours that entropy is told by
MOST_AXES = 4  # of more, the leading ones: in many directions rows are too few to tell
MOST_TOLD = 150  # rows that entropy is told by
NO_SPREAD = 1e-12
MOST_SUMS = 2**25  # bytes of sums that are kept

# of both halves of each split: numbers of rows, means, scatters
Sums: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


class Lines:
    """The rows, ready to be projected on the discriminant of any two groups.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows, prepared.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (90, 20)), rng.normal(1.2, 1, (90, 20))]
    >>> lines = Lines(X)
    >>> apart, torn = np.repeat([0, 1], 90), np.tile([0, 1], 90)
    >>> bool(lines.of(apart, 2).evidence(0, 1) > 0 > lines.of(torn, 2).evidence(0, 1))
    True
    """

    def __init__(self, X: Data) -> None:
        rows = np.asarray(X, dtype=np.float64)
        self.rows: FloatArray = _leading(rows - rows.mean(axis=0))
        rng = np.random.default_rng(0)
        self.halves = np.array([rng.permutation(len(rows)) % 2 == 0 for _ in range(SPLITS)])
        self.order = rng.permutation(len(rows))  # a few rows stand for all
        # partitions of one tree have most groups in common: what is known of a group is kept by its rows
        self.sums = RecentSums()
        self.straight: dict[bytes, float] = {}
        self.measured: dict[tuple[bytes, bytes], tuple[dict[int, float], float]] = {}

    def of(self, labels: Labels, k: int) -> LinesOfGroups:
        """Return the lines of one partition, of labels 0..k-1."""
        return LinesOfGroups(self, labels, k)


class RecentSums:
    """The sums of the groups that were asked for last, within some memory.

    Examples
    --------
    >>> recent = RecentSums()
    >>> sums = np.ones(1), np.ones(1), np.ones(1)
    >>> recent.get(b"rows", lambda: sums) is recent.get(b"rows", lambda: None)
    True
    """

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Sums] = OrderedDict()

    def get(self, name: bytes, find: Callable[[], Sums]) -> Sums:
        """Return the sums of a group, found unless they are known."""
        if name in self._known:
            self._known.move_to_end(name)
            return self._known[name]
        found = self._known[name] = find()
        if len(self._known) > MOST_SUMS // sum(part.nbytes for part in found):
            self._known.popitem(last=False)
        return found


class LinesOfGroups:
    """The groups of one partition: the sums that discriminants are made of, and the rows."""

    def __init__(self, lines: Lines, labels: Labels, k: int) -> None:
        members = np.split(
            np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=k))[:-1]
        )
        self._lines, self._members = lines, members
        self._names: dict[int, bytes] = {}
        self._rows: dict[int, FloatArray] = {}

    def _rows_of(self, group: int) -> FloatArray:
        """Return the rows of a group, which has a border with many others."""
        if group not in self._rows:
            self._rows[group] = self._lines.rows[self._members[group]]
        return self._rows[group]

    def _name(self, group: int) -> bytes:
        """Return what stands for the rows of a group, whatever partition it is found in."""
        if group not in self._names:
            self._names[group] = blake2b(self._members[group].tobytes(), digest_size=16).digest()
        return self._names[group]

    def _sums(self, group: int) -> Sums:
        """Return the sums of both halves of a group in each split, found when first asked for."""
        own = self._members[group]
        return self._lines.sums.get(
            self._name(group), lambda: sums_of_halves(self._rows_of(group), self._lines.halves[:, own])
        )

    def straightness(self, group: int) -> float:
        """Return 1 for a group like a cloud, 0 for one that is bent or hollow: lines cut such in two."""
        known, name = self._lines.straight, self._name(group)
        if name not in known:
            own = self._members[group]
            told = own[np.argsort(self._lines.order[own], kind="stable")[:MOST_TOLD]]
            bend = negentropy_of(self._lines.rows[told])
            known[name] = float(np.clip((BENT - bend) / (BENT - CLOUD), 0.0, 1.0))
        return known[name]

    def evidence(self, low: int, high: int) -> float:
        """Return by how much the valley between two groups is deeper than those of one cloud."""
        known, names = self._lines.measured, (self._name(low), self._name(high))
        if names not in known:
            known[names] = self._measure(low, high)
        depths, distance = known[names]
        valley = max((depth - BARS[parts] for parts, depth in depths.items()), default=NOTHING)
        return max(valley, SCALE_OF_DISTANCE * (distance - BAR_OF_DISTANCE), NOTHING)

    def _measure(self, low: int, high: int) -> tuple[dict[int, float], float]:
        """Return the depths of the valley between two groups and, of few rows, how far apart they are."""
        pair = self.on_lines(low, high)
        if pair is None:
            return {}, NOTHING
        is_few = sum(group.shape[1] for group in pair) <= MOST_ROWS_OF_DISTANCE
        return valleys_between(*pair), distance_between(*pair) if is_few else NOTHING

    def on_lines(self, low: int, high: int) -> tuple[FloatArray, FloatArray] | None:
        """Return where the rows of two groups are on the line of each split; None: there are too few rows."""
        if min(len(self._members[low]), len(self._members[high])) < LEAST_ROWS:
            return None
        axes, middles, are_told = _discriminants(self._sums(low), self._sums(high))
        if not are_told.any():
            return None
        one, other = (self._projected(group, axes, middles)[are_told] for group in (low, high))
        return one, other

    def _projected(self, group: int, axes: FloatArray, middles: FloatArray) -> FloatArray:
        """Return the rows of a group in each split, those of each half on the discriminant of the other."""
        own = self._members[group]
        along = axes.reshape(2 * SPLITS, -1) @ self._rows_of(group).T - middles.reshape(-1, 1)
        both = along.reshape(SPLITS, 2, -1)
        return np.where(self._lines.halves[:, own], both[:, 1], both[:, 0])


def valleys_between(one: FloatArray, other: FloatArray) -> dict[int, float]:
    """Return the depth of the deepest valley between the medians of two groups on lines, for each window.

    Parameters
    ----------
    one, other : arrays of shape (lines, rows)
        Where the rows of each group are; the depth is the mean over the lines.

    Examples
    --------
    >>> one = np.linspace(0, 1, 50)[None]
    >>> valleys_between(one, one + 1)[4] < BARS[4] < valleys_between(one, one + 3)[4]
    True
    """
    smaller = min(one.shape[1], other.shape[1])
    widths = {parts: smaller // parts for parts in BARS if smaller // parts >= LEAST_WINDOW}
    if not widths:
        return {}
    along, first, last = _between_medians(one, other)
    windows = np.array(list(widths.values()), dtype=np.int64)
    depths = _core.line_valleys(along, first, last, windows, NOTHING).mean(axis=0)
    return dict(zip(widths, depths.tolist(), strict=True))


def distance_between(one: FloatArray, other: FloatArray) -> float:
    """Return the logarithm of how far two groups are apart in units of the larger spread, mean of the lines.

    The halves of a box are 3.5 standard deviations of one of them apart, those of a normal cloud 2.7: the
    sharper one cloud ends, the further, and nothing ends more sharply than a box.

    Examples
    --------
    >>> one = np.linspace(0, 1, 12)[None]
    >>> distance_between(one, one + 1) < BAR_OF_DISTANCE < distance_between(one, one + 2)
    True
    """
    spread = np.maximum(one.std(axis=1, ddof=1), other.std(axis=1, ddof=1))
    apart = np.abs(one.mean(axis=1) - other.mean(axis=1))
    if not (spread > NO_SPREAD * apart).all():
        return NOTHING
    return float(np.mean(np.log(np.maximum(apart / spread, NO_SPREAD))))


def _between_medians(one: FloatArray, other: FloatArray) -> tuple[Doubles, Doubles, Doubles]:
    """Return the rows of two groups along each line, sorted, and the lower and the higher median."""
    first, last = np.sort([medians_of(one), medians_of(other)], axis=0)
    return np.sort(np.concatenate([one, other], axis=1), axis=1), first, last


def negentropy_of(rows: FloatArray) -> float:
    """Return by how much rows are less spread out than a normal cloud of their covariance, in nats.

    A normal cloud has 0, a box 0.18 for each column, a ring or a crescent 1 or more.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> turn = rng.uniform(0, np.pi, 150)
    >>> crescent = np.c_[np.cos(turn), np.sin(turn)] + rng.normal(0, 0.05, (150, 2))
    >>> bool(negentropy_of(rng.normal(size=(150, 2))) < 0.2 < 1 < negentropy_of(crescent))
    True
    """
    n_rows = len(rows)
    if n_rows < LEAST_ROWS:
        return np.inf
    centred = rows - rows.mean(axis=0)
    spread, axes = stoppable(np.linalg.eigh, centred.T @ centred / n_rows)
    n_axes = min(int((spread > NO_SPREAD * spread[-1]).sum()), MOST_AXES)
    if not n_axes:
        return np.inf
    along = centred @ (axes[:, -n_axes:] / np.sqrt(spread[-n_axes:]))
    reach = _core.mean_log_reach(np.ascontiguousarray(along), NEAR, NO_SPREAD)
    volume = n_axes / 2 * np.log(np.pi) - gammaln(n_axes / 2 + 1)
    entropy = digamma(n_rows) - digamma(NEAR) + volume + n_axes * reach
    return float(n_axes / 2 * (1.0 + np.log(2.0 * np.pi)) - entropy)


def medians_of(lines: FloatArray) -> FloatArray:
    """Return the median of each line; NumPy's own spends most of its time on cases that do not arise here.

    Examples
    --------
    >>> medians_of(np.array([[3.0, 1.0, 2.0]])), medians_of(np.array([[4.0, 1.0, 3.0, 2.0]]))
    (array([2.]), array([2.5]))
    """
    half = lines.shape[1] // 2
    if lines.shape[1] % 2:
        return np.asarray(np.partition(lines, half, axis=1)[:, half])
    parted = np.partition(lines, (half - 1, half), axis=1)
    return np.asarray((parted[:, half - 1] + parted[:, half]) / 2)


def sums_of_halves(rows: FloatArray, halves: Mask) -> Sums:
    """Return number, mean and scatter of both halves of some rows, for each split.

    Examples
    --------
    >>> halves = np.array([[True, True, False]])
    >>> counts, means, scatters = sums_of_halves(np.array([[1.0], [3.0], [8.0]]), halves)
    >>> counts.tolist(), means.ravel().tolist(), scatters.ravel().tolist()
    ([[2.0, 1.0]], [2.0, 8.0], [2.0, 0.0])
    """
    n_splits, d = len(halves), rows.shape[1]
    counts, means, scatters = _core.sum_halves(
        np.ascontiguousarray(rows, dtype=np.float64), np.ascontiguousarray(halves).view(np.uint8)
    )
    return counts, means.reshape(n_splits, 2, d), scatters.reshape(n_splits, 2, d, d)


def _discriminants(one: Sums, other: Sums) -> tuple[FloatArray, FloatArray, Mask]:
    """Return the axes on which two groups have unit spread, their middles, and which splits have both.

    There is one axis for each half of each split.
    """
    (counts, means, scatters), (other_counts, other_means, other_scatters) = one, other
    n_rows, d = counts + other_counts, means.shape[-1]
    within = (scatters + other_scatters) / np.maximum(n_rows, 1.0)[..., None, None]
    # shrunk towards a sphere, the more the fewer rows there are for each column
    share, spread = d / (n_rows + d), np.trace(within, axis1=-2, axis2=-1) / d
    are_told = (counts > 0) & (other_counts > 0) & (spread > 0)
    shrunk = (1.0 - share)[..., None, None] * within
    diagonal = np.arange(d)
    shrunk[..., diagonal, diagonal] += np.where(are_told, share * spread, 1.0)[..., None]
    shift = other_means - means
    axes = np.linalg.solve(shrunk, shift[..., None])[..., 0]
    # axis' S axis with S axis = shift
    lengths = np.sqrt(np.maximum((axes * shift).sum(axis=-1), 0.0))
    are_told &= lengths > 0
    axes = axes / np.where(are_told, lengths, 1.0)[..., None]
    return axes, (axes * (means + other_means)).sum(axis=-1) / 2.0, are_told.all(axis=1)


def _leading(centred: FloatArray) -> FloatArray:
    """Return the rows in their leading principal directions, where they have many columns."""
    if centred.shape[1] <= MOST_DIMENSIONS:
        return np.ascontiguousarray(centred)
    return principal_components(centred).scores(MOST_DIMENSIONS)
