"""From what was found to what the page says."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Indices
from coterie.show.palette import cluster_colors
from coterie.show.report.badges import badges_of
from coterie.show.report.evidence import (
    chance_facts,
    evidence_facts,
    runner_facts,
    stability_facts,
)
from coterie.show.report.facts import DataFacts, LabelingFacts, MadeFacts, ReportFacts
from coterie.show.report.labelings import labeling_facts, stops
from coterie.show.report.maps import map_facts
from coterie.show.report.means import means_of_stop
from coterie.show.report.numbers import count
from coterie.show.report.room import USUAL, Room
from coterie.show.report.sample import draw_rows, sample_facts
from coterie.show.report.subject import Subject, shorten
from coterie.show.report.trees import tree_facts
from coterie.show.report.truth import truth_facts

MOST_COLUMNS_NAMED = 200
MOST_COLORS = 120


def gather(subject: Subject, room: Room = USUAL) -> ReportFacts:
    """Return the facts of a report that fit into its room."""
    found, chosen = stops(subject, room)
    places = draw_rows(subject.labels, subject.seed, _named_rows(subject), most=room.rows)
    profiles = [
        means_of_stop(subject, stop.labels, stop.k, is_chosen=at == chosen) for at, stop in enumerate(found)
    ]
    labelings = tuple(
        labeling_facts(subject, stop, profile, places, is_chosen=at == chosen)
        for at, (stop, profile) in enumerate(zip(found, profiles, strict=True))
    )
    return ReportFacts(
        title=shorten(subject.title),
        headline=subject.headline,
        lead=subject.lead,
        badges=badges_of(subject, labelings[chosen]),
        palette=_palette(labelings),
        sample=sample_facts(subject, places, profiles[chosen], room),
        maps=map_facts(subject, places),
        labelings=labelings,
        chosen=chosen,
        data=_data(subject),
        made=MadeFacts((*subject.made, _held(subject, places)), subject.command, subject.python),
        tree=tree_facts(subject, places),
        evidence=None if subject.evidence is None else evidence_facts(subject.evidence),
        stability=None if subject.stability is None else stability_facts(subject.stability),
        chance=None if subject.significance is None else chance_facts(subject.significance),
        truth=None if subject.classes is None else truth_facts(subject.classes, places),
        runners_up=runner_facts(subject.runners_up, subject.winner),
    )


def _named_rows(subject: Subject) -> list[int]:
    """Return the places of rows that cards name: the page must hold them, or they could not be selected."""
    found = (getattr(subject.profile, which, None) for which in ("typical", "borderline"))
    rows = [int(row) for groups in found if groups is not None for group in groups[:60] for row in group[:3]]
    return [subject.place_of(row) for row in rows]


def _palette(labelings: tuple[LabelingFacts, ...]) -> tuple[str, ...]:
    n_colors = 1 + max((color for labeling in labelings for color in labeling.colors), default=0)
    return tuple(cluster_colors(min(n_colors, MOST_COLORS)))


def _data(subject: Subject) -> DataFacts:
    hidden = len(subject.columns) - MOST_COLUMNS_NAMED
    more = (f"and {hidden:,} more columns",) if hidden > 0 else ()
    return DataFacts(
        source=subject.title,
        n_rows=subject.n_rows,
        n_grouped=subject.n_all,
        columns=tuple(shorten(name) for name in subject.columns[:MOST_COLUMNS_NAMED]) + more,
        left_out=tuple((shorten(name), reason) for name, reason in subject.left_out[:MOST_COLUMNS_NAMED]),
        scaling=subject.scaling,
        missing=tuple((shorten(name), n) for name, n in subject.missing[:MOST_COLUMNS_NAMED]),
        notes=tuple(subject.notes),
    )


def _held(subject: Subject, places: Indices) -> tuple[str, str]:
    if len(places) == subject.n_all:
        return "rows on this page", f"all {len(places):,}"
    if subject.whole is not None:
        return (
            "rows on this page",
            f"{len(places):,} of {count(subject.n_all, 'row')}; sizes and means are of all rows, rules, the "
            f"comparison with the truth and the shade of {count(subject.n_grouped, 'row')} drawn at random",
        )
    smallest = int(np.unique(subject.labels[places], return_counts=True)[1].min())
    return (
        "rows on this page",
        f"a sample of {len(places):,} of {count(subject.n_grouped, 'row')} (at least {smallest} of each "
        f"group, otherwise by size); sizes, means, rules and the comparison with the truth are of all rows, "
        f"silhouettes of the sample",
    )
