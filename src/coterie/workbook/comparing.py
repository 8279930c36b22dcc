"""Two states of a workbook side by side: rows that groups share, names that match, rows that moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import AnyArray, Indices, Labels
from coterie.evaluate import adjusted_rand_score, match
from coterie.workbook.state import Group, State


@dataclass(frozen=True, eq=False)
class StateComparison:
    """Groups of one state by groups of another, over the rows that both have."""

    counts: AnyArray  # (k_a + 1, k_b + 1): rows by group of each; the last row and column are noise
    # names_a, names_b: names of the groups
    names_a: list[str]
    names_b: list[str]
    matched: list[tuple[int, int]]  # groups that correspond one to one, by `coterie.match`
    moved: Indices  # rows that are in another group than the one that corresponds to theirs
    ari: float  # adjusted Rand index, noise being a group
    # groups_a, groups_b: the groups themselves
    groups_a: tuple[Group, ...]
    groups_b: tuple[Group, ...]
    # labels of the second state, numbered as the groups of the first that they correspond to; those that
    # correspond to none follow
    labels_b: Labels

    @property
    def text(self) -> str:
        """The comparison in a sentence."""
        if not len(self.moved):
            return "The same groups."
        return (
            f"{count_of(len(self.moved), 'row')} moved to another group (adjusted Rand index {self.ari:.2f})."
        )


def compare_states(a: State, b: State) -> StateComparison:
    """Compare the groups of two states of the same data.

    Examples
    --------
    >>> from coterie.workbook import Workbook
    >>> book = Workbook.open(np.arange(8.0).reshape(4, 2))
    >>> one = book.apply({"op": "new", "rows": [0, 1]}).state
    >>> other = book.apply({"op": "new", "rows": [1]}).state
    >>> compare_states(one, other).moved.tolist()
    [1]
    """
    both = np.flatnonzero((a.labels >= -1) & (b.labels >= -1))
    ours = np.where(a.labels[both] < 0, a.k, a.labels[both]).astype(np.int64)
    theirs = np.where(b.labels[both] < 0, b.k, b.labels[both]).astype(np.int64)
    shape = (a.k + 1, b.k + 1)
    counts = np.bincount(ours * shape[1] + theirs, minlength=shape[0] * shape[1]).reshape(shape)
    names = (
        match(np.where(ours == a.k, -1, ours), np.where(theirs == b.k, -1, theirs)).names if len(both) else {}
    )
    matched = sorted((int(old), int(new)) for new, old in names.items() if int(old) < a.k)  # others are new
    partner = np.full(a.k + 1, -1)
    partner[a.k] = b.k  # noise corresponds to noise
    for old, new in matched:
        partner[old] = new
    moved = both[partner[ours] != theirs]
    ari = float(adjusted_rand_score(ours, theirs)) if len(both) else 1.0
    return StateComparison(
        counts,
        [a.title(group.id) for group in a.groups],
        [b.title(group.id) for group in b.groups],
        matched,
        moved,
        ari,
        a.groups,
        b.groups,
        _renumbered(b, matched, a.k),
    )


def _renumbered(b: State, matched: list[tuple[int, int]], k: int) -> Labels:
    numbers = np.full(b.k, -1)
    for old, new in matched:
        numbers[new] = old
    free = np.flatnonzero(numbers < 0)
    numbers[free] = k + np.arange(len(free))
    if not b.k:
        return b.labels
    return np.where(b.labels >= 0, numbers[np.maximum(b.labels, 0)], b.labels).astype(np.int32)
