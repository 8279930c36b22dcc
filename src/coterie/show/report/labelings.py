"""Every stop of the slider: who is with whom, in lasting colours, and what that looks like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie._support.typing import Indices
from coterie.pipeline.partition import Partition, RowSilhouettes
from coterie.show.report.cards import Deck, contrast_facts
from coterie.show.report.evidence import truth_table
from coterie.show.report.facts import LabelingFacts
from coterie.show.report.page_budget import USUAL, PageBudget
from coterie.show.report.subject import ReportSubject

APART = 0.6  # mean silhouette from which a group is said to stand apart
MOST_STOPS = 20  # of the slider


def map_finding(found: RowSilhouettes | None, k: int, many: str = "rows") -> str:
    """Say which groups stand apart and which touch; `many` is what is grouped.

    Examples
    --------
    >>> import numpy as np
    >>> labels, neighbours = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    >>> map_finding(RowSilhouettes(labels, np.array([0.9, 0.8, 0.9, 0.8]), neighbours), 2)
    'The groups stand apart'
    """
    if found is None:
        return f"All {many}, no groups among them" if k <= 1 else f"Where the {many} lie"
    n_groups, pair = len(found.groups), found.touching()
    apart = found.groups[found.per_group >= APART].tolist()
    if pair is None and len(apart) == n_groups:
        return "The groups stand apart"
    if pair is None:
        is_most = n_groups > 2 and 2 * len(apart) >= n_groups
        return f"{len(apart)} of {n_groups} groups stand apart" if is_most else "The groups lie side by side"
    touch = f"groups {min(pair) + 1} and {max(pair) + 1} touch"
    alone = [group for group in apart if group not in pair]
    if len(alone) == 1:
        return f"Group {alone[0] + 1} stands apart; {touch}"
    return touch[0].upper() + touch[1:]


def silhouette_finding(found: RowSilhouettes | None) -> str:
    r"""Say which group overlaps which, or which one is loosest.

    Examples
    --------
    >>> import numpy as np
    >>> labels, neighbours = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    >>> silhouette_finding(RowSilhouettes(labels, np.array([0.9, -0.1, 0.9, 0.8]), neighbours))
    'Group 1 overlaps group 2: 50\xa0% of its rows are nearer to it'
    """
    if found is None or len(found.groups) < 2:
        return "One group alone has no silhouette"
    overlap = found.overlap()
    if overlap is not None:
        worst, other, share = overlap
        said = f"{100 * share:.0f}\u00a0%" if share >= 0.01 else f"{100 * share:.1g}\u00a0%"
        return f"Group {worst + 1} overlaps group {other + 1}: {said} of its rows are nearer to it"
    loosest = int(found.per_group.argmin())
    n_nearer = found.n_nearer
    nearest = "Every row" if not n_nearer else f"All but {n_nearer} of {len(found.values):,} rows"
    is_or_are = "is nearest to its own group" if not n_nearer else "are nearest to their own group"
    group, mean = found.groups[loosest], found.per_group[loosest]
    return f"{nearest} {is_or_are}; group {group + 1} is the loosest ({mean:.2f})"


@dataclass(frozen=True, eq=False)
class Stop:
    """A partition of all rows, and the colour of each of its groups."""

    partition: Partition
    colors: tuple[int, ...]

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.colors)


def stops(subject: ReportSubject, budget: PageBudget = USUAL) -> tuple[list[Stop], int]:
    """Return the stops by number of groups, and which one is chosen."""
    chosen = Stop(subject.partition, tuple(range(subject.k)))
    levels = [k for k in subject.levels if k in subject.others]
    near = near_numbers(subject.others, subject.k, budget)
    others = {k: subject.others[k] for k in [*near, *levels]}
    below = _follow(chosen, [others[k] for k in sorted(others, reverse=True) if k < subject.k])
    above = _follow(chosen, [others[k] for k in sorted(others) if k > subject.k])
    return [*reversed(below), chosen, *above], len(below)


def near_numbers(numbers: Iterable[int], k: int, budget: PageBudget = USUAL) -> list[int]:
    """Return the numbers of groups next to `k` whose cards fit on a page, nearest first.

    Examples
    --------
    >>> near_numbers(range(2, 7), 3), near_numbers(range(2, 70), 60)
    ([2, 4, 5, 6], [59, 61, 58, 62])
    """
    near = sorted((other for other in numbers if other > 1 and other != k), key=lambda other: abs(other - k))
    has_room = np.cumsum(near) <= budget.cards
    return [other for other, fits in zip(near[:MOST_STOPS], has_room, strict=False) if fits]


def _follow(first: Stop, partitions: list[Partition]) -> list[Stop]:
    found, last = [], first
    for partition in partitions:
        last = Stop(partition, _lasting_colors(last, partition))
        found.append(last)
    return found


def _lasting_colors(before: Stop, partition: Partition) -> tuple[int, ...]:
    """Return colours that go from a group to the one that takes most of its rows; others get new ones."""
    k, old_labels, labels = partition.k, before.partition.labels, partition.labels
    inside = (old_labels >= 0) & (labels >= 0)
    pairs = old_labels[inside].astype(np.int64) * k + labels[inside]
    shared = np.bincount(pairs, minlength=before.k * k).reshape(before.k, k)
    colors: dict[int, int] = {}
    for old, new in zip(*linear_sum_assignment(-shared), strict=True):
        if shared[old, new]:
            colors[int(new)] = before.colors[int(old)]
    unused = (color for color in range(before.k + 2 * k) if color not in before.colors)
    return tuple(colors[group] if group in colors else next(unused) for group in range(k))


def labeling_facts(subject: ReportSubject, stop: Stop, places: Indices, *, is_chosen: bool) -> LabelingFacts:
    """Return what the page says about one stop."""
    partition, held = stop.partition, stop.partition.among(places)
    silhouettes, means = held.silhouettes, partition.means
    deck = Deck(subject, stop.colors, means, places, held, is_chosen, partition.labels)
    return LabelingFacts(
        k=stop.k,
        is_chosen=is_chosen,
        labels=tuple(held.labels.tolist()),
        colors=stop.colors,
        sizes=tuple(means.sizes.tolist()),
        n_noise=subject.n_all - int(means.sizes.sum()) if (partition.labels == -1).any() else 0,
        silhouettes=None if silhouettes is None else tuple(map(_three_digits, silhouettes.values.tolist())),
        silhouette=None if silhouettes is None else silhouettes.mean,
        map_finding=map_finding(silhouettes, stop.k, subject.units[1]),
        silhouette_finding=silhouette_finding(silhouettes),
        cards=deck.cards(),
        contrast=None if subject.tells_by_rows else contrast_facts(means),
        truth=None if partition.truth is None else truth_table(partition.truth),
        role=_role(subject, stop.k, is_chosen=is_chosen),
    )


def _role(subject: ReportSubject, k: int, *, is_chosen: bool) -> str:
    """Say what a stop of the slider is: the answer, a guess, a level that is supported too, or neither."""
    if not is_chosen:
        return "a level" if k in subject.levels else "what if"
    if subject.verdict is None or subject.verdict.announcement == subject.verdict.count:
        return "the answer"
    return "best guess"


def _three_digits(value: float) -> float | None:
    """Return a silhouette for the page; one below 0 stays below, since the page counts and selects them."""
    if np.isnan(value):
        return None
    return min(round(value, 3), -0.001) if value < 0 else round(value, 3)
