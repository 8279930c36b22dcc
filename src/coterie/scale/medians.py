"""Exact medians of columns in blocks, in two passes: counts in bins of a range, then the middle values.

The range comes from a sample; its bins are equal steps in the order of floating point numbers. The first pass
counts, the second collects the values of the bins that hold the two middle ranks. A range that does not hold
them, or bins with too many values, are tried again with other bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import AnyArray, Data, FloatArray, Indices, VectorLike
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import compute, fold, tasks

BINS = 1 << 14
WIDE = 6.0  # standard errors of a rank of the sample, to each side of the median
MOST_COLLECTED = 1 << 20  # values of a column
MOST_PASSES = 8  # a range of 2**64 values and bins of 2**14 need five
SIGN = np.uint64(1) << np.uint64(63)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


def order_keys(values: VectorLike) -> npt.NDArray[np.uint64]:
    """Return whole numbers in the order of floats.

    Examples
    --------
    >>> keys = order_keys(np.array([-2.0, -0.5, 0.0, 3.0]))
    >>> bool((np.diff(keys.astype(object)) > 0).all())
    True
    """
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    return np.where(bits & SIGN, bits ^ ALL_BITS, bits | SIGN)


@dataclass(frozen=True)
class Range:
    """Keys from `low` to `high`, both included, in which a middle value is looked for."""

    low: int
    high: int

    @property
    def width(self) -> int:
        """How many keys a bin has."""
        return -(-(self.high - self.low + 1) // BINS)


@dataclass(frozen=True, eq=False)
class Counted:
    """Values of a column below the range, and in each of its bins; or how often each value occurs."""

    below: int
    bins: Indices
    values: Data

    def at(self, rank: int) -> Any:
        """Return the value of a rank among all values of the column."""
        return self.values[np.searchsorted(self.below + np.cumsum(self.bins), rank, side="right")]


def medians(blocks: Blocks, sample: Data, n_known: AnyArray) -> FloatArray:
    """Return the median of the known values of every column, exact.

    Parameters
    ----------
    blocks : Blocks
        The rows; NaN marks what is missing.
    sample : array of shape (n, d)
        Some of them, from which the first ranges come.
    n_known : array of shape (d,)
        How many values each column has.
    """
    if len(sample) == blocks.n_rows:
        return np.asarray(np.nanmedian(sample, axis=0))
    found = np.full(blocks.n_columns, np.nan)
    ranks = {at: ((int(n) - 1) // 2, int(n) // 2) for at, n in enumerate(n_known) if n}
    ranges = {at: _first_range(sample[:, at]) for at in ranks}
    for _ in range(MOST_PASSES):
        counted: dict[int, Counted] = compute(fold(tasks(blocks, _count, ranges, {}), _add))
        ranges = {at: _narrowed(ranges[at], counted[at], ranks[at]) for at in ranges}
        small = {at: one for at, one in ranges.items() if _n_within(one, counted[at]) <= MOST_COLLECTED}
        if len(small) < len(ranges):
            continue
        collected: dict[int, Counted] = compute(fold(tasks(blocks, _count, {}, ranges), _add))
        for at, one in collected.items():
            found[at] = np.mean(np.array([one.at(rank) for rank in ranks[at]], dtype=blocks.dtype))
        break
    return found.astype(blocks.dtype)


def _first_range(column: Data) -> Range:
    known = np.sort(column[~np.isnan(column)])
    if not len(known):
        return Range(0, int(ALL_BITS))
    margin = WIDE * 0.5 * np.sqrt(len(known))
    places = np.clip([len(known) / 2 - margin, len(known) / 2 + margin], 0, len(known) - 1).astype(int)
    low, high = (int(key) for key in order_keys(known[places]))
    return Range(low, high)


def _count(
    block: Block, _weights: Block | None, counted: dict[int, Range], collected: dict[int, Range]
) -> dict[int, Counted]:
    X = block.read()
    found = {}
    for at, one in (counted | collected).items():
        values = X[:, at]
        values = values[~np.isnan(values)]
        keys = order_keys(values)
        below = int((keys < np.uint64(one.low)).sum())
        is_within = (keys >= np.uint64(one.low)) & (keys <= np.uint64(one.high))
        if at in collected:
            different, times = np.unique(values[is_within], return_counts=True)
            found[at] = Counted(below, times, different)
            continue
        places = ((keys[is_within] - np.uint64(one.low)) // np.uint64(one.width)).astype(np.int64)
        found[at] = Counted(below, np.bincount(places, minlength=BINS), values[:0])
    return found


def _add(total: dict[int, Counted] | None, found: list[dict[int, Counted]]) -> dict[int, Counted]:
    for one in found:
        if total is None:
            total = one
            continue
        total = {at: _both(total[at], more) for at, more in one.items()}
    assert total is not None
    return total


def _both(a: Counted, b: Counted) -> Counted:
    if not len(a.values) and not len(b.values) and len(a.bins) == len(b.bins):
        return Counted(a.below + b.below, a.bins + b.bins, a.values)
    values, places = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    times = np.bincount(places, np.concatenate([a.bins, b.bins]), minlength=len(values))
    return Counted(a.below + b.below, times.astype(np.int64), values)


def _narrowed(one: Range, counted: Counted, ranks: tuple[int, int]) -> Range:
    """Return the bins that hold the middle ranks; a range beyond the old one if they are not in it."""
    ends = counted.below + np.cumsum(counted.bins)
    if ranks[0] < counted.below:
        return Range(0, one.high)
    if ranks[1] >= ends[-1]:
        return Range(one.low, int(ALL_BITS))
    first, last = (int(np.searchsorted(ends, rank, side="right")) for rank in ranks)
    return Range(one.low + first * one.width, min(one.low + (last + 1) * one.width - 1, one.high))


def _n_within(narrowed: Range, counted: Counted) -> int:
    """Return how many values the new range has at most; too many if it lies beyond the bins."""
    if narrowed.low == 0 or narrowed.high == int(ALL_BITS):
        return MOST_COLLECTED + 1
    return min(2 * int(counted.bins.max()), narrowed.high - narrowed.low + 1)
