"""The facts beside the answer: stability, test against null data, silhouette, truth."""

from __future__ import annotations

from typing import Any

from coterie.evaluate.belief import SIGNIFICANT, STABLE
from coterie.show.report.facts import Badge, LabelingFacts, Tone
from coterie.show.report.numbers import plain
from coterie.show.report.subject import Subject

GOOD_SILHOUETTE, FAIR_SILHOUETTE = 0.5, 0.25
GOOD_AGREEMENT, FAIR_AGREEMENT = 0.8, 0.4


def badges_of(subject: Subject, chosen: LabelingFacts) -> tuple[Badge, ...]:
    """Return the badges of an answer, as many as there are facts for."""
    badges = []
    if subject.stability is not None and subject.k > 1:
        badges.append(_stable(subject.stability))
    if subject.significance is not None:
        badges.append(_null(subject.significance, has_groups=subject.k > 1))
    if chosen.silhouette is not None:
        badges.append(_silhouette(chosen.silhouette))
    if chosen.truth is not None:
        _, value, meaning = chosen.truth.measures[0]
        badges.append(_true(value, meaning))
    return tuple(badges)


def _stable(stability: Any) -> Badge:
    value = float(stability.overall)
    about = (
        f"mean Jaccard index over {stability.n_resamples} resamples with the same method and k; "
        f"{STABLE} and more is stable"
    )
    if value >= STABLE:
        return Badge("stable", f"{value:.2f}", "good", about)
    return Badge("not stable", f"{value:.2f}", "poor", about)


def _null(significance: Any, *, has_groups: bool) -> Badge:
    tone: Tone = "plain"
    if has_groups:
        tone = "good" if significance.p_value <= SIGNIFICANT else "poor"
    about = f"{significance.p_in_words} of {significance.against}, grouped in the same way"
    return Badge(significance.verdict, f"p = {plain(significance.p_value, 2)}", tone, about)


def _silhouette(value: float) -> Badge:
    tone = _tone(value, GOOD_SILHOUETTE, FAIR_SILHOUETTE)
    word = {"good": "high silhouette", "fair": "medium silhouette", "poor": "low silhouette"}[tone]
    about = (
        f"mean over the rows on this page; 1 is far apart, 0 is touching; {GOOD_SILHOUETTE} and more is "
        f"high, below {FAIR_SILHOUETTE} low"
    )
    return Badge(word, f"{value:.2f}".replace("-", "−"), tone, about)


def _true(value: float, meaning: str) -> Badge:
    tone = _tone(value, GOOD_AGREEMENT, FAIR_AGREEMENT)
    word = {"good": "agrees", "fair": "agrees in part", "poor": "hardly agrees"}[tone]
    return Badge(f"{word} with the truth", f"{value:.2f}", tone, f"adjusted Rand index: {meaning}")


def _tone(value: float, good: float, fair: float) -> Tone:
    return "good" if value >= good else "fair" if value >= fair else "poor"
