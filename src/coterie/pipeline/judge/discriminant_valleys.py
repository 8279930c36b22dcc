"""Valleys along lines: whether two groups are apart in the one direction that tells them apart best.

Neighbourhoods see little in many columns: there the rows of one group are nearly as far from each other as
from those of the next. Along the line of the best linear discriminant the density has one dimension, and a
valley shows. The discriminant of one half of the rows is judged by the other half, so that it cannot find a
valley that is not there: on one cloud, cut in two by k-means, Ward's method or a mixture, the depths of
`benchmarks/line_null.py` hardly depend on rows, columns or method.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import digamma, gammaln

from coterie._support.linear_algebra import principal_components
from coterie._support.typing import Data, FloatArray, Labels

SPLITS = 4  # of the rows in halves: the mean over several depends less on one of them
# the window of the density holds the smaller group's rows over this number; the depth that one cloud rarely
# exceeds: benchmarks/line_null.py
BARS = {2: 2.4, 4: 2.9, 8: 3.4}
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

Sums: TypeAlias = tuple[int, FloatArray, FloatArray]  # rows, mean, scatter


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

    def of(self, labels: Labels, k: int) -> LinesOfGroups:
        """Return the lines of one partition, of labels 0..k-1."""
        return LinesOfGroups(self, labels, k)


class LinesOfGroups:
    """The groups of one partition: the sums that discriminants are made of, and the rows."""

    def __init__(self, lines: Lines, labels: Labels, k: int) -> None:
        members = [np.flatnonzero(labels == group) for group in range(k)]
        self._rows = [lines.rows[own] for own in members]
        self._told = [np.argsort(lines.order[own], kind="stable")[:MOST_TOLD] for own in members]
        self._halves = [lines.halves[:, own] for own in members]
        self._known: dict[int, list[tuple[Sums, Sums]]] = {}
        self._straight: dict[int, float] = {}

    def _sums(self, group: int) -> list[tuple[Sums, Sums]]:
        """Return the sums of both halves of a group in each split, found when first asked for."""
        if group not in self._known:
            rows = self._rows[group]
            self._known[group] = [(_sums(rows[half]), _sums(rows[~half])) for half in self._halves[group]]
        return self._known[group]

    def straightness(self, group: int) -> float:
        """Return 1 for a group like a cloud, 0 for one that is bent or hollow: lines cut such in two."""
        if group not in self._straight:
            bend = negentropy_of(self._rows[group][self._told[group]])
            self._straight[group] = float(np.clip((BENT - bend) / (BENT - CLOUD), 0.0, 1.0))
        return self._straight[group]

    def evidence(self, low: int, high: int) -> float:
        """Return by how much the valley between two groups is deeper than those of one cloud."""
        found = self.depths(low, high)
        return max((depth - BARS[parts] for parts, depth in found.items()), default=NOTHING)

    def depths(self, low: int, high: int) -> dict[int, float]:
        """Return the depth of the valley between two groups for each window, mean of the splits."""
        if min(len(self._rows[low]), len(self._rows[high])) < LEAST_ROWS:
            return {}
        pairs = [self._projected(low, high, split) for split in range(SPLITS)]
        found = [valleys_between(*pair) for pair in pairs if pair is not None]
        if not found:
            return {}
        return {parts: float(np.mean([each[parts] for each in found])) for parts in found[0]}

    def _projected(self, low: int, high: int, split: int) -> tuple[FloatArray, FloatArray] | None:
        """Return the rows of both groups, those of each half on the discriminant of the other half."""
        found = [np.empty(len(self._rows[group])) for group in (low, high)]
        for judged in (0, 1):
            line = _discriminant(self._sums(low)[split][1 - judged], self._sums(high)[split][1 - judged])
            if line is None:
                return None
            axis, middle = line
            for group, projected in zip((low, high), found, strict=True):
                half = self._halves[group][split]
                own = ~half if judged else half
                projected[own] = self._rows[group][own] @ axis - middle
        return found[0], found[1]


def valleys_between(one: FloatArray, other: FloatArray) -> dict[int, float]:
    """Return the depth of the deepest valley between the medians of two groups on a line, for each window.

    Examples
    --------
    >>> one = np.linspace(0, 1, 50)
    >>> valleys_between(one, one + 1)[4] < BARS[4] < valleys_between(one, one + 3)[4]
    True
    """
    smaller = min(len(one), len(other))
    along = np.sort(np.concatenate([one, other]))
    first, last = sorted((median_of(one), median_of(other)))
    widths = {parts: smaller // parts for parts in BARS}
    return {at: _depth(along, first, last, width) for at, width in widths.items() if width >= LEAST_WINDOW}


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
    spread, axes = np.linalg.eigh(centred.T @ centred / n_rows)
    n_axes = min(int((spread > NO_SPREAD * spread[-1]).sum()), MOST_AXES)
    if not n_axes:
        return np.inf
    along = centred @ (axes[:, -n_axes:] / np.sqrt(spread[-n_axes:]))
    norms = (along**2).sum(axis=1)
    squares = norms[:, None] + norms - 2.0 * along @ along.T
    squares.partition(NEAR, axis=1)  # the row itself is at 0
    reach = np.log(np.maximum(squares[:, NEAR], NO_SPREAD)).mean() / 2.0
    volume = n_axes / 2 * np.log(np.pi) - gammaln(n_axes / 2 + 1)
    entropy = digamma(n_rows) - digamma(NEAR) + volume + n_axes * reach
    return float(n_axes / 2 * (1.0 + np.log(2.0 * np.pi)) - entropy)


def median_of(values: FloatArray) -> float:
    """Return the median of some numbers; NumPy's own spends most of its time on cases that do not arise here.

    Examples
    --------
    >>> median_of(np.array([3.0, 1.0, 2.0])), median_of(np.array([4.0, 1.0, 3.0, 2.0]))
    (2.0, 2.5)
    """
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    parted = np.partition(values, (half - 1, half))
    return float((parted[half - 1] + parted[half]) / 2)


def _depth(along: FloatArray, first: float, last: float, window: int) -> float:
    """Return the depth of the deepest valley between two places, in standard errors."""
    ends, starts = along[window:], along[:-window]
    density = -np.log(np.maximum(ends - starts, np.finfo(np.float64).tiny))
    within = (starts + ends >= 2 * first) & (starts + ends <= 2 * last)
    if not within.any():
        return NOTHING
    peaks = np.minimum(np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1])
    return float((peaks - density)[within].max() * np.sqrt(window / 2.0))


def _sums(rows: FloatArray) -> Sums:
    """Return number, mean and scatter."""
    if not len(rows):
        return 0, np.zeros(rows.shape[1]), np.zeros((rows.shape[1], rows.shape[1]))
    mean = rows.mean(axis=0)
    centred = rows - mean
    return len(rows), mean, centred.T @ centred


def _discriminant(one: Sums, other: Sums) -> tuple[FloatArray, float] | None:
    """Return the axis on which two groups have unit spread, and where their middle is on it."""
    (n_one, mean, scatter), (n_other, other_mean, other_scatter) = one, other
    if not n_one or not n_other:
        return None
    n_rows, d = n_one + n_other, len(mean)
    within = (scatter + other_scatter) / n_rows
    # shrunk towards a sphere, the more the fewer rows there are for each column
    share, spread = d / (n_rows + d), np.trace(within) / d
    if not spread > 0:
        return None
    shrunk = (1.0 - share) * within
    shrunk[np.diag_indices(d)] += share * spread
    axis = np.linalg.solve(shrunk, other_mean - mean)
    length = float(np.sqrt(axis @ shrunk @ axis))
    if not length > 0:
        return None
    axis = axis / length
    return axis, float(axis @ (mean + other_mean)) / 2.0


def _leading(centred: FloatArray) -> FloatArray:
    """Return the rows in their leading principal directions, where they have many columns."""
    if centred.shape[1] <= MOST_DIMENSIONS:
        return np.ascontiguousarray(centred)
    return principal_components(centred).scores(MOST_DIMENSIONS)
