"""Columns and ribbons of an alluvial plot: sizes, order, colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Labels

GAP = 0.25  # between clusters of the last column, all together as a share of the rows

Places = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """The clusters of one k: their labels and sizes."""

    k: int
    labels: Labels
    sizes: Counts

    @classmethod
    def of(cls, k: int, labels: Labels) -> Level:
        """Return the level of a labeling; rows labelled below -1 are left out.

        Examples
        --------
        >>> Level.of(2, np.array([0, 1, 1])).sizes
        array([1, 2])
        """
        present, sizes = np.unique(labels[labels >= -1], return_counts=True)
        return cls(k, present, sizes)


@dataclass(frozen=True, eq=False)
class Flow:
    """How many rows (`sizes`) go from a cluster (`sources`) to the next (`targets`), numbered per level."""

    sources: Counts
    targets: Counts
    sizes: Counts

    def ends(self, left: Places, right: Places) -> tuple[Places, Places]:
        """Return where each ribbon begins and ends, given the tops of the clusters of both columns.

        Examples
        --------
        >>> flow = Flow(np.array([0, 0]), np.array([0, 1]), np.array([3, 2]))
        >>> flow.ends(np.array([0.0]), np.array([0.0, 4.0]))
        (array([0., 3.]), array([0., 4.]))
        """
        begin, end = np.zeros(self.sizes.size), np.zeros(self.sizes.size)
        for places, own, other, tops, partners in (
            (begin, self.sources, self.targets, left, right),
            (end, self.targets, self.sources, right, left),
        ):
            order = np.lexsort((partners[other], own))
            sizes = self.sizes[order]
            before = np.cumsum(sizes) - sizes
            first = np.searchsorted(own[order], own[order])
            places[order] = tops[own[order]] + before - before[first]
        return begin, end


def flows_between(before: Labels, after: Labels, left: Level, right: Level) -> Flow:
    """Count the rows that two labelings share, cluster by cluster.

    Examples
    --------
    >>> one, two = np.array([0, 0, 0]), np.array([0, 1, 1])
    >>> flows_between(one, two, Level.of(1, one), Level.of(2, two)).sizes
    array([1, 2])
    """
    is_in = (before >= -1) & (after >= -1)
    source = np.searchsorted(left.labels, before[is_in])
    target = np.searchsorted(right.labels, after[is_in])
    pairs, sizes = np.unique(source * right.labels.size + target, return_counts=True)
    return Flow(pairs // right.labels.size, pairs % right.labels.size, sizes)


def arrange(levels: list[Level], flows: list[Flow]) -> list[Places]:
    """Return the top of each cluster: each column in the order of where its members come from.

    Examples
    --------
    >>> arrange([Level(1, np.array([0]), np.array([4]))], [])
    [array([-2.])]
    """
    gap = GAP * float(levels[0].sizes.sum()) / max(level.sizes.size for level in levels)
    tops: list[Places] = []
    for at, level in enumerate(levels):
        order = np.argsort(-level.sizes, kind="stable")
        if at:
            flow, above = flows[at - 1], tops[at - 1] + levels[at - 1].sizes / 2
            pull = np.bincount(
                flow.targets, weights=flow.sizes * above[flow.sources], minlength=level.sizes.size
            )
            order = np.lexsort((-level.sizes, pull / level.sizes))
        heights = level.sizes[order] + gap
        places = np.zeros(level.sizes.size)
        places[order] = np.cumsum(heights) - heights - (heights.sum() - gap) / 2
        tops.append(places)
    return tops


def color_levels(levels: list[Level], flows: list[Flow], anchor: int) -> list[Labels]:
    """Return the number of each cluster's colour: its label in the anchor column, passed on from there.

    Along the widest ribbons first, each cluster gives its number to one of the next column; those that are
    left get new numbers. Noise has -1.

    Examples
    --------
    >>> one, two = np.array([0, 0, 0]), np.array([1, 0, 0])
    >>> levels = [Level.of(1, one), Level.of(2, two)]
    >>> color_levels(levels, [flows_between(one, two, *levels)], anchor=1)
    [array([0]), array([0, 1])]
    """
    colors: list[Labels] = [np.zeros(0, dtype=np.int64)] * len(levels)
    colors[anchor] = levels[anchor].labels.astype(np.int64)
    unused = int(colors[anchor].max()) + 1
    for at in range(anchor - 1, -1, -1):
        flow = flows[at]
        colors[at] = _passed_on(flow.targets, flow.sources, flow.sizes, colors[at + 1], levels[at], unused)
        unused = max(unused, int(colors[at].max()) + 1)
    for at in range(anchor + 1, len(levels)):
        flow = flows[at - 1]
        colors[at] = _passed_on(flow.sources, flow.targets, flow.sizes, colors[at - 1], levels[at], unused)
        unused = max(unused, int(colors[at].max()) + 1)
    return colors


def _passed_on(
    givers: Counts, takers: Counts, sizes: Counts, colors: Labels, level: Level, unused: int
) -> Labels:
    found = np.where(level.labels < 0, -1, -2)
    is_spent = colors < 0
    for at in np.argsort(-sizes, kind="stable").tolist():
        giver, taker = givers[at], takers[at]
        if found[taker] == -2 and not is_spent[giver]:
            found[taker], is_spent[giver] = colors[giver], True
    is_new = found == -2
    found[is_new] = unused + np.arange(is_new.sum())
    return found
