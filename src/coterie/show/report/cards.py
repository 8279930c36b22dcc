"""The card of each group: size, what sets it apart, who is typical, who is at the border."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from coterie._support.typing import FloatArray, Indices, Labels
from coterie.pipeline.groups import telling_columns
from coterie.pipeline.partition import GroupMeans, SomeRows, dense
from coterie.pipeline.series import SeriesRows
from coterie.series import resample
from coterie.show.report.facts import ApartFacts, CardFacts, ContrastFacts, LinesFacts, RowFacts, RuleFacts
from coterie.show.report.subject import ReportSubject, shorten

MOST_CARDS = 60
MOST_APART = 5
MOST_NAMED = 3
MOST_CONTRASTS = 24  # columns of the table of differences
WIDTH, HEIGHT, MARGIN = 240.0, 72.0, 3.0  # of the picture of time series
MOST_LINES = 16
MOST_POINTS = 60
OUTSIDE = 0.002  # share of the values at either end that the picture may cut
GREY, DEPTH = 0, 8  # how a PNG calls grey pixels of one byte


@dataclass(frozen=True, eq=False)
class Deck:
    """What the cards of one partition are made from; `held` are the rows that the page holds."""

    subject: ReportSubject
    colors: tuple[int, ...]
    means: GroupMeans
    places: Indices
    held: SomeRows
    is_chosen: bool
    labels: Labels  # of all rows at hand

    def cards(self) -> tuple[CardFacts, ...]:
        """Return the cards, one per group; of very many groups only the largest have one."""
        largest = np.sort(np.argsort(-self.means.sizes, kind="stable")[:MOST_CARDS])
        silhouettes = self.held.silhouettes
        known = (
            {} if silhouettes is None else dict(zip(silhouettes.groups, silhouettes.per_group, strict=True))
        )
        return tuple(self._card(int(group), known.get(group)) for group in largest)

    def _card(self, group: int, silhouette: float | None) -> CardFacts:
        stability, verdict = self._stability(group)
        return CardFacts(
            number=group + 1,
            color=self.colors[group],
            size=int(self.means.sizes[group]),
            share=float(self.means.sizes[group] / self.subject.n_all),
            words=self._words(group),
            apart=() if self.subject.tells_by_rows else apart_facts(self.means, group),
            typical=tuple(map(self._pictured, self._named("typical", group, self.held.typical(group)))),
            borderline=self._named("borderline", group, self.held.borderline(group)),
            silhouette=None if silhouette is None else float(silhouette),
            stability=stability,
            verdict=verdict,
            rule=self._rule(group),
            lines=self._lines(group),
        )

    def _lines(self, group: int) -> LinesFacts | None:
        """Return the lines of a group of time series."""
        rows = self.subject.series
        if rows is None:
            return None
        medoid = self.subject.name_of(rows.medoid(self.labels, group))
        return card_lines(rows, self.labels, group, medoid)

    def _words(self, group: int) -> str:
        """Say what a group is called, and in what it differs."""
        names = self.subject.group_names if self.is_chosen else None
        if names is not None:
            return names[group]
        called = [shorten(self.subject.called[group])] if self.is_chosen and self.subject.called else []
        positions = getattr(self.subject.profile, "positions", ()) if self.is_chosen else ()
        told = {name for each in positions for name in each.columns}
        where = [each.words(group) for each in positions]
        differs = [] if self.subject.tells_by_rows else [*where, *words(self.means, group, told)]
        return ": ".join([*called, *(["; ".join(differs)] if differs else [])])

    def _named(self, which: str, group: int, held: Indices) -> tuple[RowFacts, ...]:
        """Return rows by name: those that the profile found among all rows, else those of the held ones."""
        rows = getattr(self.subject.profile, which, None) if self.is_chosen else None
        if rows is not None:
            places = [self.subject.place_of(int(row)) for row in rows[group][:MOST_NAMED]]
            return tuple(self._row(place) for place in places)
        known = self.subject.typical if self.is_chosen and which == "typical" else None
        if known is not None:
            return tuple(self._row(int(place)) for place in known[group][:MOST_NAMED])
        return tuple(self._row(int(self.places[place])) for place in held[:MOST_NAMED])

    def _pictured(self, row: RowFacts) -> RowFacts:
        """Return the row with its picture, where its columns are pixels."""
        pixels = self.subject.pixels
        if pixels is None or row.place is None:
            return row
        values, (low, high) = (
            dense(self.subject.at_hand.X[self.places[[row.place]]])[0],
            self.subject.extremes,
        )
        return replace(row, picture=picture(pixels.square(values, low), pixels.side, low, high))

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
        if rules is None or rules[group] is None or self.subject.series is not None:
            return None
        rule = rules[group]
        return RuleFacts(rule.text, float(rule.precision), float(rule.recall))


def apart_facts(means: GroupMeans, group: int) -> tuple[ApartFacts, ...]:
    """Return the columns in which a group differs most, with its mean and that of all rows."""
    differences = means.differences[group]
    order = telling_columns(differences, means.category_of, least=0.0)[:MOST_APART]
    return tuple(
        ApartFacts(
            shorten(means.columns[column]),
            float(differences[column]),
            float(means.means[group, column]),
            float(means.overall[column]),
            means.is_share(column),
        )
        for column in order
    )


def words(means: GroupMeans, group: int, told: Collection[str] = ()) -> list[str]:
    """Say in what a group is high or low, but for columns `told` of; by how much stands beside."""
    telling = [at for at in means.telling(group) if means.columns[at] not in told]
    named = [
        f"{shorten(means.columns[at])}: {100 * means.means[group, at]:.0f}\u00a0%"
        if means.is_share(at)
        else f"{shorten(means.columns[at])} {'high' if means.differences[group, at] > 0 else 'low'}"
        for at in telling[:3]
    ]
    if not named and told:
        return []
    return [", ".join(named) if named else "close to the average in every column"]


def contrast_finding(means: GroupMeans) -> str:
    """Say which column tells the groups apart best: the share of its variance that lies between them."""
    if len(means.sizes) < 2:
        return "One group: nothing to tell apart"
    shares = means.between
    best = int(np.argmax(shares))
    name = shorten(means.columns[best])
    share = min(1.0, float(shares[best]))
    percent = f"{100 * share:.0f}\u00a0%" if share < 0.995 else "nearly all"
    return f"{name} tells the groups apart best: {percent} of its variance is between them"


def contrast_facts(means: GroupMeans) -> ContrastFacts:
    """Return the differences of all groups in the columns that tell most, the best of them first."""
    shown_groups = means.differences[:MOST_CARDS]
    telling = np.argsort(-np.abs(shown_groups).max(axis=0, initial=0.0), kind="stable")[:MOST_CONTRASTS]
    telling = telling[np.argsort(-means.between[telling], kind="stable")]
    return ContrastFacts(
        finding=contrast_finding(means),
        columns=tuple(shorten(means.columns[column]) for column in telling.tolist()),
        differences=tuple(tuple(row) for row in np.round(shown_groups[:, telling].T, 2).tolist()),
        n_hidden=len(means.columns) - len(telling),
    )


def picture(values: FloatArray, side: int, low: float, high: float) -> str:
    """Return the address of a PNG that holds the values as grey pixels, row by row, the lowest black.

    Examples
    --------
    >>> picture(np.arange(25.0), 5, 0.0, 24.0)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    shares = (np.asarray(values, dtype=np.float64) - low) / (high - low if high > low else 1.0)
    pixels = np.clip(np.rint(255 * np.nan_to_num(shares)), 0, 255).astype(np.uint8).reshape(side, side)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    content = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, DEPTH, GREY, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(lines, 9))
        + _chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def card_lines(rows: SeriesRows, labels: Labels, group: int, name: str = "") -> LinesFacts:
    """Return the lines of a group: up to 16 members, spread over the group, and its medoid.

    Parameters
    ----------
    rows : SeriesRows
        The series and their distances.
    labels : array of int
        Groups of all series.
    group : int
        Which one.
    name : str
        What the medoid is called.
    """
    members = np.flatnonzero(np.asarray(labels) == group)
    shown = members[np.unique(np.linspace(0, len(members) - 1, min(MOST_LINES, len(members))).astype(int))]
    longest = int(rows.series.lengths.max())
    low, high = np.quantile(rows.series.values, [OUTSIDE, 1 - OUTSIDE])

    def drawn(at: int) -> tuple[str, ...]:
        return _paths(rows.series[int(at)], longest, float(low), float(high))

    return LinesFacts(
        members=tuple(path for at in shown for path in drawn(at)),
        middle=drawn(rows.medoid(labels, group)),
        name=name,
    )


def _paths(one: FloatArray, longest: int, low: float, high: float) -> tuple[str, ...]:
    """Return the line of each column of a series; a shorter series ends earlier."""
    width = (WIDTH - 2 * MARGIN) * (len(one) - 1) / max(1, longest - 1)
    points = resample([one], min(len(one), MOST_POINTS)).values
    across = MARGIN + np.linspace(0, width, len(points))
    shares = np.clip((points - low) / (high - low if high > low else 1.0), 0, 1)
    up = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * shares
    return tuple(
        "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(across, column, strict=True)) for column in up.T
    )
