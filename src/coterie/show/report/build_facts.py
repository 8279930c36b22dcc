"""From what was found to what the page says."""

from __future__ import annotations

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import Indices
from coterie.evaluate import Significance, Stability
from coterie.evaluate.belief import SIGNIFICANT, STABLE, is_stable
from coterie.pipeline import FitVerdict
from coterie.pipeline.many_columns import few_of_each
from coterie.pipeline.verdict import stability_text
from coterie.show.palette import cluster_colors
from coterie.show.report.evidence import (
    chance_facts,
    evidence_facts,
    runner_facts,
    stability_facts,
    truth_facts,
)
from coterie.show.report.facts import Badge, DataFacts, LabelingFacts, MadeFacts, ReportFacts, Tone
from coterie.show.report.labelings import labeling_facts, stops
from coterie.show.report.maps import map_facts, tree_facts
from coterie.show.report.numbers import plain
from coterie.show.report.page_budget import USUAL, PageBudget, draw_rows, sample_facts
from coterie.show.report.subject import ReportSubject, shorten

GOOD_SILHOUETTE, FAIR_SILHOUETTE = 0.5, 0.25
GOOD_AGREEMENT, FAIR_AGREEMENT = 0.8, 0.4
GOOD: Tone = "good"
POOR: Tone = "poor"
MOST_COLUMNS_NAMED = 200
MOST_COLORS = 120


def badges_of(subject: ReportSubject, chosen: LabelingFacts) -> tuple[Badge, ...]:
    """Return the badges of an answer, as many as there are facts for."""
    badges = []
    if subject.stability is not None and subject.k > 1:
        badges.append(_stable(subject.stability, subject.verdict))
    if subject.significance is not None:
        badges.append(_null(subject.significance, has_groups=subject.k > 1))
    if chosen.silhouette is not None:
        badges.append(_silhouette(chosen.silhouette))
    if chosen.truth is not None:
        _, value, meaning = chosen.truth.measures[0]
        badges.append(_true(value, meaning))
    return tuple(badges)


def _stable(stability: Stability, verdict: FitVerdict | None) -> Badge:
    value = float(stability.overall)
    about = (
        f"mean Jaccard index over {stability.n_resamples} resamples with the same method and k; "
        f"{STABLE} and more, of at least half of the groups too, is stable"
    )
    holds = is_stable(value) if verdict is None else verdict.is_stable
    word, tone = ("stable", GOOD) if holds else ("not stable", POOR)
    return Badge(word, stability_text(value), tone, about)


def _null(significance: Significance, *, has_groups: bool) -> Badge:
    tone: Tone = "plain"
    if has_groups:
        tone = "good" if significance.p_value <= SIGNIFICANT else "poor"
    about = f"{significance.p_in_words} of {significance.against}, grouped in the same way"
    return Badge(significance.verdict, f"p = {plain(significance.p_value, 2)}", tone, about)


def _silhouette(value: float) -> Badge:
    tone = _tone(value, GOOD_SILHOUETTE, FAIR_SILHOUETTE)
    word = {"good": "high silhouette", "fair": "medium silhouette", "poor": "low silhouette"}[tone]
    about = (
        f"mean over the rows on this page; 1 is well separated, 0 is touching; {GOOD_SILHOUETTE} and more is "
        f"high, below {FAIR_SILHOUETTE} low"
    )
    return Badge(word, f"{value:.2f}".replace("-", "−"), tone, about)


def _true(value: float, meaning: str) -> Badge:
    tone = _tone(value, GOOD_AGREEMENT, FAIR_AGREEMENT)
    word = {"good": "agrees", "fair": "agrees in part", "poor": "hardly agrees"}[tone]
    return Badge(f"{word} with the truth", f"{value:.2f}", tone, f"adjusted Rand index: {meaning}")


def _tone(value: float, good: float, fair: float) -> Tone:
    """Return how good a value is, as it is printed: with two decimals."""
    value = round(value, 2)
    return "good" if value >= good else "fair" if value >= fair else "poor"


def build_facts(subject: ReportSubject, budget: PageBudget = USUAL) -> ReportFacts:
    """Return the facts of a report that fit on a page."""
    found, chosen = stops(subject, budget)
    places = draw_rows(subject.labels, subject.seed, _named_rows(subject), most=budget.rows)
    labelings = tuple(
        labeling_facts(subject, stop, places, is_chosen=at == chosen) for at, stop in enumerate(found)
    )
    is_guess = subject.k > 1 and subject.verdict is not None and subject.verdict.convincing is False
    return ReportFacts(
        title=shorten(subject.title),
        headline=subject.headline,
        lead=subject.lead,
        badges=badges_of(subject, labelings[chosen]),
        palette=_palette(labelings),
        sample=sample_facts(subject, places, subject.partition.means, budget),
        maps=map_facts(subject, places),
        labelings=labelings,
        chosen=chosen,
        data=_data(subject),
        made=MadeFacts((*subject.made, _held(subject, places)), subject.command, subject.python),
        tree=tree_facts(subject, places),
        evidence=None if subject.evidence is None else evidence_facts(subject.evidence, is_guess=is_guess),
        stability=None if subject.stability is None else stability_facts(subject.stability),
        chance=None if subject.significance is None else chance_facts(subject.significance),
        truth=None if subject.at_hand.classes is None else truth_facts(subject.at_hand, places),
        runners_up=runner_facts(subject.runners_up, subject.winner),
    )


def _named_rows(subject: ReportSubject) -> list[int]:
    """Return the places of rows that cards name: the page must hold them, or they could not be selected."""
    found = (getattr(subject.profile, which, None) for which in ("typical", "borderline"))
    rows = [int(row) for groups in found if groups is not None for group in groups[:60] for row in group[:3]]
    return [subject.place_of(row) for row in rows]


def _palette(labelings: tuple[LabelingFacts, ...]) -> tuple[str, ...]:
    n_colors = 1 + max((color for labeling in labelings for color in labeling.colors), default=0)
    return tuple(cluster_colors(min(n_colors, MOST_COLORS)))


def _data(subject: ReportSubject) -> DataFacts:
    used = subject.columns if subject.used is None else tuple(subject.used)
    hidden = len(used) - MOST_COLUMNS_NAMED
    more = (f"and {hidden:,} more columns",) if hidden > 0 else ()
    return DataFacts(
        source=subject.title,
        n_rows=subject.n_rows,
        n_grouped=subject.n_all,
        columns=tuple(shorten(name) for name in used[:MOST_COLUMNS_NAMED]) + more,
        left_out=tuple(few_of_each(subject.left_out)),
        scaling=subject.scaling,
        missing=tuple((shorten(name), n) for name, n in subject.missing[:MOST_COLUMNS_NAMED]),
        notes=tuple(subject.notes),
        n_columns=len(used),
        units=subject.units,
        extent=subject.extent or count_of(len(used), "column"),
    )


def _held(subject: ReportSubject, places: Indices) -> tuple[str, str]:
    if len(places) == subject.n_all:
        return "rows on this page", f"all {len(places):,}"
    if subject.n_all != subject.n_grouped:
        return (
            "rows on this page",
            f"{len(places):,} of {count_of(subject.n_all, 'row')}; sizes and means are of all rows, rules, "
            f"the comparison with the truth and the shade of {count_of(subject.n_grouped, 'row')} drawn at "
            f"random",
        )
    smallest = int(np.unique(subject.labels[places], return_counts=True)[1].min())
    return (
        "rows on this page",
        f"a sample of {len(places):,} of {count_of(subject.n_grouped, 'row')} (at least {smallest} of each "
        f"group, otherwise by size); sizes, means, rules and the comparison with the truth are of all rows, "
        f"silhouettes of the sample",
    )
