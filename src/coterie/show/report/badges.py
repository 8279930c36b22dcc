"""The facts beside the answer: stable, by chance, separated, true."""

from __future__ import annotations

from typing import Any

from coterie.evaluate.belief import SIGNIFICANT, STABLE
from coterie.show.report.facts import Badge, LabelingFacts, Tone
from coterie.show.report.numbers import p_in_words
from coterie.show.report.subject import Subject

GOOD_SILHOUETTE, FAIR_SILHOUETTE = 0.5, 0.25
GOOD_AGREEMENT, FAIR_AGREEMENT = 0.8, 0.4


def badges_of(subject: Subject, chosen: LabelingFacts) -> tuple[Badge, ...]:
    """Return the badges of an answer, as many as there are facts for."""
    badges = []
    if subject.stability is not None and subject.k > 1:
        badges.append(_stable(subject.stability))
    if subject.significance is not None:
        badges.append(_by_chance(subject.significance, has_groups=subject.k > 1))
    if chosen.silhouette is not None:
        badges.append(_separated(chosen.silhouette))
    if chosen.truth is not None:
        _, value, meaning = chosen.truth.measures[0]
        badges.append(_true(value, meaning))
    return tuple(badges)


def _stable(stability: Any) -> Badge:
    value = float(stability.overall)
    about = f"mean Jaccard index over {stability.n_resamples} resamples; 1 is always the same groups"
    if value >= STABLE:
        return Badge("stable", f"{value:.2f}", "good", about)
    return Badge("not stable", f"{value:.2f}", "poor", about)


def _by_chance(significance: Any, *, has_groups: bool) -> Badge:
    value, n_draws = float(significance.p_value), len(significance.draws)
    about = f"how often data without groups look as good, in {n_draws:,} draws"
    if not has_groups:
        about = f"how often data without groups are divided as well as these at best, in {n_draws:,} draws"
        return Badge("like data without groups", p_in_words(value, n_draws), "plain", about)
    if value <= SIGNIFICANT:
        return Badge("not by chance", p_in_words(value, n_draws), "good", about)
    return Badge("could be chance", p_in_words(value, n_draws), "poor", about)


def _separated(value: float) -> Badge:
    tone = _tone(value, GOOD_SILHOUETTE, FAIR_SILHOUETTE)
    word = {"good": "well separated", "fair": "partly separated", "poor": "hardly separated"}[tone]
    about = "mean silhouette of the rows on this page; 1 is far apart, 0 is touching"
    return Badge(word, f"{value:.2f}", tone, about)


def _true(value: float, meaning: str) -> Badge:
    tone = _tone(value, GOOD_AGREEMENT, FAIR_AGREEMENT)
    word = {"good": "agrees", "fair": "agrees in part", "poor": "hardly agrees"}[tone]
    return Badge(f"{word} with the truth", f"{value:.2f}", tone, f"adjusted Rand index: {meaning}")


def _tone(value: float, good: float, fair: float) -> Tone:
    return "good" if value >= good else "fair" if value >= fair else "poor"
