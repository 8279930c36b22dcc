"""Every stop of the slider: who is with whom, in lasting colours, and what that looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from coterie._support.typing import Indices, Labels
from coterie.errors import CoterieError
from coterie.evaluate import silhouette
from coterie.show.report.cards import Deck, contrast_facts
from coterie.show.report.facts import LabelingFacts
from coterie.show.report.findings import map_finding, silhouette_finding
from coterie.show.report.means import GroupMeans
from coterie.show.report.room import USUAL, Room
from coterie.show.report.sample import dense
from coterie.show.report.subject import Subject
from coterie.show.report.truth import truth_table

MOST_STOPS = 20  # of the slider


@dataclass(frozen=True, eq=False)
class Stop:
    """A labeling of all rows, and the colour of each of its groups."""

    labels: Labels
    colors: tuple[int, ...]

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.colors)


def stops(subject: Subject, room: Room = USUAL) -> tuple[list[Stop], int]:
    """Return the stops by number of groups, and which one is chosen."""
    chosen = Stop(subject.labels, tuple(range(subject.k)))
    others = _others(subject.labelings, subject.k, room)
    below = _follow(chosen, [others[k] for k in sorted(others, reverse=True) if k < subject.k])
    above = _follow(chosen, [others[k] for k in sorted(others) if k > subject.k])
    return [*reversed(below), chosen, *above], len(below)


def _others(labelings: Mapping[int, Labels], k: int, room: Room) -> dict[int, Labels]:
    return {other: labelings[other] for other in near_numbers(labelings, k, room)}


def near_numbers(numbers: Iterable[int], k: int, room: Room = USUAL) -> list[int]:
    """Return the numbers of groups next to `k` whose cards a page has room for, nearest first.

    Examples
    --------
    >>> near_numbers(range(2, 7), 3), near_numbers(range(2, 70), 60)
    ([2, 4, 5, 6], [59, 61, 58, 62])
    """
    near = sorted((other for other in numbers if other > 1 and other != k), key=lambda other: abs(other - k))
    has_room = np.cumsum(near) <= room.cards
    return [other for other, fits in zip(near[:MOST_STOPS], has_room, strict=False) if fits]


def _follow(first: Stop, labelings: list[Labels]) -> list[Stop]:
    found, last = [], first
    for labels in labelings:
        last = Stop(labels, _lasting_colors(last, labels))
        found.append(last)
    return found


def _lasting_colors(before: Stop, labels: Labels) -> tuple[int, ...]:
    """Return colours that go from a group to the one that takes most of its rows; others get new ones."""
    k = int(labels.max(initial=-1)) + 1
    inside = (before.labels >= 0) & (labels >= 0)
    pairs = before.labels[inside].astype(np.int64) * k + labels[inside]
    shared = np.bincount(pairs, minlength=before.k * k).reshape(before.k, k)
    colors: dict[int, int] = {}
    for old, new in zip(*linear_sum_assignment(-shared), strict=True):
        if shared[old, new]:
            colors[int(new)] = before.colors[int(old)]
    unused = (color for color in range(before.k + 2 * k) if color not in before.colors)
    return tuple(colors[group] if group in colors else next(unused) for group in range(k))


def labeling_facts(
    subject: Subject, stop: Stop, profile: GroupMeans, places: Indices, *, is_chosen: bool
) -> LabelingFacts:
    """Return what the page says about one stop."""
    labels = stop.labels[places]
    values, neighbours = _silhouettes(subject, labels, places)
    made = Deck(subject, stop.colors, profile, places, labels, values, is_chosen)
    return LabelingFacts(
        k=stop.k,
        is_chosen=is_chosen,
        labels=tuple(labels.tolist()),
        colors=stop.colors,
        sizes=tuple(profile.sizes.tolist()),
        n_noise=subject.n_all - int(profile.sizes.sum()) if (stop.labels == -1).any() else 0,
        silhouettes=None if values is None else tuple(_three_digits(value) for value in values.tolist()),
        silhouette=None if values is None else float(np.nanmean(values)),
        map_finding=map_finding(labels, values, neighbours, stop.k),
        silhouette_finding=silhouette_finding(labels, values, neighbours),
        cards=made.cards(),
        contrast=contrast_facts(profile),
        truth=None if subject.classes is None else truth_table(subject.classes, stop.labels, stop.k),
    )


def _three_digits(value: float) -> float | None:
    """Return a silhouette for the page; one below 0 stays below, since the page counts and selects them."""
    if np.isnan(value):
        return None
    return min(round(value, 3), -0.001) if value < 0 else round(value, 3)


def _silhouettes(subject: Subject, labels: Labels, places: Indices) -> tuple[Any, Any]:
    """Return each held row's silhouette among the held rows and the nearest other group, or None."""
    inside = labels >= 0
    n_groups = len(np.unique(labels[inside]))
    if n_groups < 2 or n_groups >= int(inside.sum()):
        return None, None
    points = dense(subject.points[places[inside]])
    try:
        found = silhouette(points, labels[inside], metric=subject.metric)
    except CoterieError:  # a distance that needs more than rows, a fitted one for example
        return None, None
    values, neighbours = np.full(len(labels), np.nan), np.full(len(labels), -1)
    values[inside], neighbours[inside] = found.values, found.neighbours
    return values, neighbours
