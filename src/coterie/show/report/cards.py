"""The card of each group: size, what sets it apart, who is typical, who is at the border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.typing import Indices, Labels
from coterie.show.report.facts import ApartFacts, CardFacts, ContrastFacts, RowFacts, RuleFacts
from coterie.show.report.means import GroupMeans
from coterie.show.report.sample import dense
from coterie.show.report.subject import Subject, shorten

MOST_CARDS = 60
MOST_APART = 5
MOST_NAMED = 3
MOST_CONTRASTS = 24  # columns of the table of differences


@dataclass(frozen=True, eq=False)
class Deck:
    """What the cards of one labeling are made from; `labels` and `values` are those of the held rows."""

    subject: Subject
    colors: tuple[int, ...]
    profile: GroupMeans
    places: Indices
    labels: Labels
    values: Any
    is_chosen: bool

    def cards(self) -> tuple[CardFacts, ...]:
        """Return the cards, one per group; of very many groups only the largest have one."""
        largest = np.sort(np.argsort(-self.profile.sizes, kind="stable")[:MOST_CARDS])
        points = dense(self.subject.points[self.places])
        return tuple(self._card(int(group), points) for group in largest)

    def _card(self, group: int, points: Any) -> CardFacts:
        held = np.flatnonzero(self.labels == group)
        values = None if self.values is None else self.values[held]
        stability, verdict = self._stability(group)
        return CardFacts(
            number=group + 1,
            color=self.colors[group],
            size=int(self.profile.sizes[group]),
            share=float(self.profile.sizes[group] / self.subject.n_all),
            words=words(self.profile, group),
            apart=apart_facts(self.profile, group),
            typical=self._named("typical", group, held[_nearest_to_mean(points[held])]),
            borderline=self._named(
                "borderline", group, () if values is None else held[np.argsort(values, kind="stable")]
            ),
            silhouette=None if values is None or not len(values) else float(np.mean(values)),
            stability=stability,
            verdict=verdict,
            rule=self._rule(group),
        )

    def _named(self, which: str, group: int, held: Any) -> tuple[RowFacts, ...]:
        """Return rows by name: those that the profile found among all rows, else those of the held ones."""
        rows = getattr(self.subject.profile, which, None) if self.is_chosen else None
        if rows is not None:
            places = [self.subject.place_of(int(row)) for row in rows[group][:MOST_NAMED]]
            return tuple(self._row(place) for place in places)
        return tuple(self._row(int(self.places[place])) for place in held[:MOST_NAMED])

    def _row(self, row: int) -> RowFacts:
        place = int(np.searchsorted(self.places, row))
        is_held = place < len(self.places) and self.places[place] == row
        return RowFacts(place if is_held else None, self.subject.name_of(row))

    def _stability(self, group: int) -> tuple[float | None, str | None]:
        found = self.subject.stability
        if not self.is_chosen or found is None or group >= len(found.per_cluster):
            return None, None
        return float(found.per_cluster[group]), found.verdicts[group]

    def _rule(self, group: int) -> RuleFacts | None:
        rules = getattr(self.subject.profile, "rules", None) if self.is_chosen else None
        if rules is None or rules[group] is None:
            return None
        rule = rules[group]
        return RuleFacts(rule.text, float(rule.precision), float(rule.recall))


def apart_facts(profile: GroupMeans, group: int) -> tuple[ApartFacts, ...]:
    """Return the columns in which a group differs most, with its mean and that of all rows."""
    differences = profile.differences[group]
    order = np.argsort(-np.abs(differences), kind="stable")[:MOST_APART]
    return tuple(
        ApartFacts(
            shorten(profile.columns[column]),
            float(differences[column]),
            float(profile.means[group, column]),
            float(profile.overall[column]),
        )
        for column in order.tolist()
    )


def words(profile: GroupMeans, group: int) -> str:
    """Say in what a group is high or low; by how much stands beside it."""
    named = [f"{shorten(name)} {'high' if by > 0 else 'low'}" for name, by in profile.apart(group)[:3]]
    return ", ".join(named) if named else "close to the average in every column"


def contrast_finding(profile: GroupMeans) -> str:
    """Say which column tells the groups apart best: the share of its variance that lies between them."""
    if len(profile.sizes) < 2:
        return "One group: nothing to tell apart"
    shares = _between(profile)
    best = int(np.argmax(shares))
    name = shorten(profile.columns[best])
    share = min(1.0, float(shares[best]))
    percent = f"{100 * share:.0f}\u00a0%" if share < 0.995 else "nearly all"
    return f"{name} tells the groups apart best: {percent} of its variance is between them"


def _between(profile: GroupMeans) -> Any:
    """Return the share of each column's variance that lies between the groups."""
    weights = profile.sizes / max(1, int(profile.sizes.sum()))
    return weights @ np.square(profile.differences)


def contrast_facts(profile: GroupMeans) -> ContrastFacts:
    """Return the differences of all groups in the columns that tell most, the best of them first."""
    shown_groups = profile.differences[:MOST_CARDS]
    telling = np.argsort(-np.abs(shown_groups).max(axis=0, initial=0.0), kind="stable")[:MOST_CONTRASTS]
    telling = telling[np.argsort(-_between(profile)[telling], kind="stable")]
    return ContrastFacts(
        finding=contrast_finding(profile),
        columns=tuple(shorten(profile.columns[column]) for column in telling.tolist()),
        differences=tuple(tuple(row) for row in np.round(shown_groups[:, telling].T, 2).tolist()),
        n_hidden=len(profile.columns) - len(telling),
    )


def _nearest_to_mean(points: Any) -> Any:
    if not len(points):
        return []
    return np.argsort(np.square(points - points.mean(axis=0)).sum(axis=1), kind="stable")
