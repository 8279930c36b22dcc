"""How many groups, how stable, how they compare with null data, and what else was compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie.cluster import find_method
from coterie.evaluate.belief import STABLE, VERDICTS
from coterie.show.report.belief_facts import (
    ChanceFacts,
    CurveFacts,
    EvidenceFacts,
    RunnerFacts,
    StabilityFacts,
)
from coterie.show.report.numbers import count, plain, rounded

BINS = 24
MOST_RUNNERS = 12
SAME = 0.995  # a Jaccard index that is written 1.00
JUDGE = "separation"  # the criterion that decides where methods are compared
SAID = {"weakest_valley": "weakest border"}  # a reader sees borders, the judge measures valleys


def evidence_facts(evidence: Any) -> EvidenceFacts:
    """Return the criteria over the numbers of groups, and what they choose.

    The bars show what decides: the separation at each k where methods were compared, and otherwise how many
    of the criteria on the page choose it.
    """
    verdict, ks = evidence.verdict, tuple(int(k) for k in evidence.ks)
    chosen = [curve.choice for curve in evidence.curves if curve.choice is not None]
    counts = tuple(chosen.count(k) for k in ks)
    judge = next((curve for curve in evidence.curves if curve.name == JUDGE), None)
    return EvidenceFacts(
        finding=_decided_in_words(ks, evidence) or _counted_in_words(ks, counts, int(evidence.k)),
        ks=ks,
        bars=_bars_of_counts(counts) if judge is None else _bars_of_judge(judge),
        k=int(evidence.k),
        curves=tuple(_curve(curve) for curve in evidence.curves),
        reasons=() if _is_alone(ks, int(evidence.k)) else tuple(verdict.reasons),
        disagreements=tuple(verdict.disagreements),
    )


def _bars_of_counts(counts: Sequence[int]) -> tuple[tuple[float, str], ...]:
    return tuple((float(n), count(n, "criterion", "criteria")) for n in counts)


def _bars_of_judge(judge: Any) -> tuple[tuple[float, str], ...]:
    return tuple((max(0.0, value), f"{JUDGE} {plain(value)}") for value in map(float, judge.values))


def _curve(curve: Any) -> CurveFacts:
    return CurveFacts(
        name=curve.name,
        title=curve.title,
        values=rounded(curve.values),
        errors=None if curve.errors is None else rounded(curve.errors),
        choice=None if curve.choice is None else int(curve.choice),
        reason=curve.reason,
    )


def _decided_in_words(ks: Sequence[int], evidence: Any) -> str:
    """Say what the judge decided and whether others agree: the judge itself is not one vote among them."""
    k, names = int(evidence.k), [curve.name for curve in evidence.curves]
    if JUDGE not in names or _is_alone(ks, k):
        return ""
    others = [curve for curve in evidence.curves if curve.name != JUDGE and curve.choice is not None]
    said = [f"{one.title} {'agrees' if one.choice == k else f'prefers k = {one.choice}'}" for one in others]
    return "; ".join([f"Separation decides for k = {k}", *said])


def _counted_in_words(ks: Sequence[int], counts: Sequence[int], k: int) -> str:
    if _is_alone(ks, k):
        return f"No other number of groups than {k} was compared"
    total = sum(counts)
    own = counts[ks.index(k)] if k in ks else 0
    if not total:
        return f"k = {k}"
    others = [other for other in ks if other != k and counts[ks.index(other)]]
    if not others:
        all_of_them = {1: "The one criterion that chooses says", 2: "Both criteria that choose say"}
        return f"{all_of_them.get(total, f'All {total} criteria that choose say')} k = {k}"
    second = max(others, key=lambda other: counts[ks.index(other)])
    n_second = counts[ks.index(second)]
    said = f"{own} of {count(total, 'criterion', 'criteria')} {_say(own)} k = {k}"
    if own + n_second == total:
        return f"{said}, the other{'' if n_second == 1 else f' {n_second}'} k = {second}"
    return f"{said}, {n_second} {_say(n_second)} k = {second}"


def _is_alone(ks: Sequence[int], k: int) -> bool:
    """Return whether `k` was compared with nothing but one group."""
    return len(ks) == 2 and ks[0] == 1 and k == ks[1]


def _say(n: int) -> str:
    return "says" if n == 1 else "say"


def stability_facts(stability: Any) -> StabilityFacts:
    """Return how well each group comes back."""
    per_group = np.asarray(stability.per_cluster, dtype=np.float64)
    scores = np.asarray(stability.scores, dtype=np.float64).reshape(-1, len(per_group))
    with np.errstate(invalid="ignore"):
        bands = [_band(scores[:, group]) for group in range(len(per_group))]
    agreement = getattr(stability, "agreement", None)
    return StabilityFacts(
        finding=_stability_in_words(per_group),
        scheme=str(stability.scheme),
        n_resamples=int(stability.n_resamples),
        overall=float(stability.overall),
        agreement=None if agreement is None else float(agreement),
        per_group=rounded(per_group, 3),
        spreads=tuple(bands),
        verdicts=tuple(stability.verdicts),
        scale=_scale_in_words(),
    )


def _scale_in_words() -> str:
    """Return the limits of the words for stability."""
    *limits, (_, lowest) = VERDICTS
    return ", ".join([*(f"{word} from {level}" for level, word in limits), f"else {lowest}"])


def _band(scores: Any) -> tuple[float, float] | None:
    known = scores[np.isfinite(scores)]
    return tuple(np.quantile(known, [0.1, 0.9]).round(3).tolist()) if known.size else None


def _stability_in_words(per_group: Any) -> str:
    if len(per_group) == 1:
        return f"One group: its mean Jaccard is {per_group[0]:.2f}"
    weakest = int(np.nanargmin(per_group))
    value = per_group[weakest]
    if value >= SAME:
        return "Every group is stable: always the same rows"
    if value >= STABLE:
        return f"Every group is stable; the least stable is group {weakest + 1} ({value:.2f})"
    n_weak = int((per_group < STABLE).sum())
    if n_weak == 1:
        return f"Group {weakest + 1} is not stable ({value:.2f}); the others are"
    some = f"{n_weak} of {len(per_group)} groups"
    return f"{some} are not stable, group {weakest + 1} the least ({value:.2f})"


def chance_facts(significance: Any) -> ChanceFacts:
    """Return the histogram of the draws of null data, and where the data stand."""
    draws, against = np.asarray(significance.draws, dtype=np.float64), str(significance.against)
    draws = draws[np.isfinite(draws)]
    has_spread = len(np.unique(draws)) > 1
    counts, edges = np.histogram(draws, bins=BINS) if has_spread else (draws[:0], np.unique(draws))
    p_value, observed = float(significance.p_value), float(significance.observed)
    measure = _words(significance.measure)
    return ChanceFacts(
        finding=f"{significance.verdict} ({significance.p_in_words})",
        measure=measure,
        null=against,
        observed=observed,
        p_value=p_value,
        edges=tuple(edges.tolist()),
        counts=tuple(int(n) for n in counts),
        n_draws=len(draws),
        how="" if (how := str(getattr(significance, "how", "exact"))) == "exact" else how,
    )


def _words(name: Any) -> str:
    text = name if isinstance(name, str) else getattr(name, "__name__", "the measure")
    if text in SAID:
        return SAID[text]
    return text.removesuffix("_score").replace("_", " ")


def runner_facts(candidates: Sequence[Any], winner: Any = None) -> tuple[RunnerFacts, ...]:
    """Return what was compared with the scores that it was judged by, the winner first."""
    first = [] if winner is None or not candidates else [winner]
    return tuple(
        RunnerFacts(
            method=find_method(one.method).title,
            k=int(one.k),
            scores=tuple((_words(name), float(value)) for name, value in list(one.scores.items())[:4]),
            reason=str(one.reason),
            is_winner=one is winner,
        )
        for one in [*first, *candidates][:MOST_RUNNERS]
    )
