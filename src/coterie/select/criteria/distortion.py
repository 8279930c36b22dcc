"""Criteria from the distortion alone: where more clusters stop paying."""

from __future__ import annotations

import numpy as np

from coterie.select.catalogue import criterion
from coterie.select.curve import Values
from coterie.select.rules import ChosenK, Measured, first_at_most, largest
from coterie.select.subject import Subject

HARTIGAN_LIMIT = 10.0  # Hartigan's own rule of thumb
SENSITIVITY = 1.0  # of Kneedle, the authors' value


def curvatures(ks: tuple[int, ...], values: Values) -> Values:
    """Return the curvature ``|y''| / (1 + y'^2)^(3/2)`` of a curve that is scaled to the unit square.

    Derivatives are those of the parabola through three neighbours; the ends have none.

    Examples
    --------
    >>> curvatures((1, 2, 3, 4, 5), np.array([10.0, 6.0, 2.0, 1.0, 0.0])).round(2)
    array([nan, 0. , 1.7, 0. , nan])
    """
    x, y = np.asarray(ks, dtype=np.float64), values
    x = (x - x[0]) / max(x[-1] - x[0], 1.0)
    height = np.ptp(y)
    y = (y - y.min()) / (height if height > 0 else 1.0)
    found = np.full(len(ks), np.nan)
    if len(ks) >= 3:
        before, after = np.diff(x)[:-1], np.diff(x)[1:]
        left, right = np.diff(y)[:-1] / before, np.diff(y)[1:] / after
        slope = (left * after + right * before) / (before + after)
        bend = 2 * (right - left) / (before + after)
        found[1:-1] = np.maximum(bend, 0.0) / (1 + slope**2) ** 1.5
    return found


def bend(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the point of largest curvature; a curve that never bends has none."""
    known = np.isfinite(found.values)
    if known.sum() < 3:
        return ChosenK(None, "an elbow needs at least three values")
    some = tuple(k for k, is_known in zip(ks, known, strict=True) if is_known)
    bends = np.nan_to_num(curvatures(some, found.values[known]))
    if bends.max() <= 0:
        return ChosenK(None, "the curve has no elbow")
    at = int(np.argmax(bends))
    return ChosenK(some[at], f"largest curvature, {bends[at]:.3g}")


@criterion(
    "Elbow",
    symbol="distortion",
    group="distortion",
    greater_is_better=None,
    needs="distances",
    rule="largest curvature of the distortion",
    choose=bend,
    reference="torino-lectures",
    votes=1,
)
def elbow(subject: Subject) -> Measured:
    """Distortion: the method's objective function; the sum of squares within clusters where it has none."""
    return Measured(_distortion(subject))


def _distortion(subject: Subject) -> Values:
    if subject.partitioner.takes_rows or subject.partitions.inertias:
        return subject.distortion
    return np.full(len(subject.ks), np.nan)


def knee(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the first maximum after which the difference falls below Kneedle's threshold."""
    known = np.flatnonzero(np.isfinite(found.values))
    if known.size < 3:
        return ChosenK(None, "a knee needs at least three values")
    values = found.values[known]
    step = SENSITIVITY / (known.size - 1)
    peak: int | None = None
    for at in range(1, known.size):
        is_peak = values[at] > values[at - 1] and (at + 1 == known.size or values[at] >= values[at + 1])
        if is_peak and at + 1 < known.size:
            peak = at
        elif peak is not None and values[at] < values[peak] - step:
            return ChosenK(ks[known[peak]], f"the distortion is {values[peak]:.2f} below its chord")
    return ChosenK(None, "the curve has no knee")


@criterion(
    "Kneedle",
    symbol="kneedle",
    group="distortion",
    greater_is_better=True,
    needs="distances",
    rule="first maximum after which the value falls by one step",
    choose=knee,
    reference="satopaa-2011",
    echoes="elbow",
)
def kneedle(subject: Subject) -> Measured:
    """How far the distortion lies below the straight line between its ends, in the unit square."""
    values = _distortion(subject)
    known = np.isfinite(values)
    found = np.full(len(subject.ks), np.nan)
    if known.sum() >= 2:
        x, y = np.asarray(subject.ks, dtype=np.float64)[known], values[known]
        height = np.ptp(y)
        if height > 0:
            found[known] = (1 - (y - y.min()) / height) - (x - x[0]) / (x[-1] - x[0])
    return Measured(found)


@criterion(
    "Hartigan",
    symbol="Hartigan",
    group="distortion",
    greater_is_better=False,
    needs="rows",
    rule="the fewest clusters with at most 10",
    choose=first_at_most(HARTIGAN_LIMIT),
    reference="hartigan-1975",
    votes=1,
    can_choose_one=True,
)
def hartigan(subject: Subject) -> Measured:
    """Gain of one more cluster: (W(k) / W(k + 1) - 1) (n - k - 1), W the sum of squares within."""
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        here, after = _within(subject, k), _within(subject, k + 1)
        if here == 0:
            found[at] = 0.0
        elif np.isfinite(after) and subject.n_rows - k - 1 > 0:
            found[at] = np.inf if after == 0 else (here / after - 1) * (subject.n_rows - k - 1)
    return Measured(found)


@criterion(
    "Krzanowski-Lai",
    symbol="KL",
    group="distortion",
    greater_is_better=True,
    needs="rows",
    choose=largest,
    reference="krzanowski-1988",
    votes=1,
)
def krzanowski_lai(subject: Subject) -> Measured:
    """|D(k) / D(k + 1)|, D(k) = (k - 1)^(2/d) W(k - 1) - k^(2/d) W(k): a drop with none after it."""
    power = 2.0 / subject.X.shape[1]

    def drop(k: int) -> float:
        before, here = _within(subject, k - 1), _within(subject, k)
        return float((k - 1) ** power * before - k**power * here)

    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        if k < 2:
            continue
        here, after = drop(k), drop(k + 1)
        if np.isfinite(here) and np.isfinite(after) and after != 0:
            found[at] = abs(here / after)
    return Measured(found)


def _within(subject: Subject, k: int) -> float:
    """W(k); that of one cluster is known even when it was not asked for."""
    if k == 1:
        return subject.total
    return subject.sums[k].within if k in subject.sums else float("nan")
