"""What speaks for the groups: criteria, stability, null data, classes, and what the words mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Indices
from coterie.cluster import find_method
from coterie.errors import CoterieError
from coterie.evaluate import Significance, Stability
from coterie.evaluate.belief import VERDICTS, is_stable
from coterie.pipeline import Candidate
from coterie.pipeline.judge.density_valleys import ENOUGH
from coterie.pipeline.partition import ClassTable, RowsAtHand
from coterie.select import Curve, Evidence
from coterie.select.catalogue import find_criterion
from coterie.show.report.facts import (
    ChanceFacts,
    CurveFacts,
    EvidenceFacts,
    RunnerFacts,
    StabilityFacts,
    TruthFacts,
    TruthTable,
)
from coterie.show.report.numbers import plain, rounded
from coterie.show.report.subject import shorten

BINS = 24
MOST_RUNNERS = 12
SAME = 0.995  # a Jaccard index that is written 1.00
JUDGE = "separation"  # the criterion that decides where methods are compared
SAID = {"weakest_valley": "weakest border"}  # a reader sees borders, the judge measures valleys
MOST_CLASSES = 30
MOST_GROUPS = 60
MEASURES = (
    ("adjusted_rand_score", "adjusted Rand", "pairs of rows; 0 is chance, 1 is equal"),
    ("normalized_mutual_info_score", "normalised mutual information", "0 is nothing in common, 1 is equal"),
    ("purity_score", "purity", "rows in the largest class of their group"),
    ("matched_accuracy", "matched accuracy", "rows in the group that is matched with their class"),
)
WORDS = {
    "separation": "how much lower the density is at the borders between groups than null data would show, "
    f"in standard errors, summed over the borders (at most {ENOUGH:g} each); larger is better, 0 and below "
    "is not significant",
    "weakest border": "the same for the least clear border, not limited; 0 and below is not significant",
    "crossing": "share of nearest-neighbour pairs that cross a border between groups; small is good",
    "noise": "share of rows in no group",
    "silhouette": "how much nearer rows are to their own group than to the next; 1 is well separated",
}


def evidence_facts(evidence: Evidence, *, is_guess: bool = False) -> EvidenceFacts:
    """Return the criteria over the numbers of groups, and what they choose, which may be a guess.

    The bars show what decides: the separation at each k where methods were compared, and otherwise how many
    of the criteria on the page choose it.
    """
    verdict, ks = evidence.verdict, tuple(int(k) for k in evidence.ks)
    chosen = [curve.choice for curve in evidence.curves if curve.choice is not None]
    counts = tuple(chosen.count(k) for k in ks)
    judge = next((curve for curve in evidence.curves if curve.name == JUDGE), None)
    return EvidenceFacts(
        finding=_decided_in_words(ks, evidence, is_guess=is_guess)
        or _counted_in_words(ks, counts, int(evidence.k)),
        ks=ks,
        bars=_bars(counts, judge),
        k=int(evidence.k),
        curves=tuple(_curve(curve) for curve in evidence.curves),
        reasons=() if _is_alone(ks, int(evidence.k)) else tuple(verdict.reasons),
        disagreements=tuple(verdict.disagreements),
    )


def _bars(counts: Sequence[int], judge: Curve | None) -> tuple[tuple[float, str], ...]:
    if judge is None:
        return tuple((float(n), count_of(n, "criterion", "criteria")) for n in counts)
    return tuple((max(0.0, value), f"{JUDGE} {plain(value)}") for value in map(float, judge.values))


def _curve(curve: Curve) -> CurveFacts:
    return CurveFacts(
        name=curve.name,
        title=curve.title,
        values=rounded(curve.values),
        errors=None if curve.errors is None else rounded(curve.errors),
        choice=None if curve.choice is None else int(curve.choice),
        reason=curve.reason,
    )


def _decided_in_words(ks: Sequence[int], evidence: Evidence, *, is_guess: bool) -> str:
    """Say what the judge decided and whether others agree: the judge itself is not one vote among them."""
    k, names = int(evidence.k), [curve.name for curve in evidence.curves]
    if JUDGE not in names or _is_alone(ks, k):
        return ""
    others = [curve for curve in evidence.curves if curve.name != JUDGE and curve.choice is not None]
    said = [f"{one.title} {'agrees' if one.choice == k else f'prefers k = {one.choice}'}" for one in others]
    decided = "Best guess by separation: k =" if is_guess else "Separation decides for k ="
    return "; ".join([f"{decided} {k}", *said])


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
    said = f"{own} of {count_of(total, 'criterion', 'criteria')} {_say(own)} k = {k}"
    if own + n_second == total:
        return f"{said}, the other{'' if n_second == 1 else f' {n_second}'} k = {second}"
    return f"{said}, {n_second} {_say(n_second)} k = {second}"


def _is_alone(ks: Sequence[int], k: int) -> bool:
    """Return whether `k` was compared with nothing but one group."""
    return len(ks) == 2 and ks[0] == 1 and k == ks[1]


def _say(n: int) -> str:
    return "says" if n == 1 else "say"


def stability_facts(stability: Stability) -> StabilityFacts:
    """Return how well each group comes back."""
    per_group = np.asarray(stability.per_cluster, dtype=np.float64)
    agreement = getattr(stability, "agreement", None)
    return StabilityFacts(
        finding=_stability_in_words(per_group),
        scheme=str(stability.scheme),
        n_resamples=int(stability.n_resamples),
        overall=float(stability.overall),
        agreement=None if agreement is None else float(agreement),
        per_group=tuple(round(one, 2) if np.isfinite(one) else None for one in per_group.tolist()),
        spreads=tuple(
            None if one is None else (round(one[0], 3), round(one[1], 3)) for one in stability.ranges
        ),
        verdicts=tuple(stability.verdicts),
        scale=_scale_in_words(),
    )


def _scale_in_words() -> str:
    """Return the limits of the words for stability."""
    *limits, (_, lowest) = VERDICTS
    return ", ".join([*(f"{word} from {level}" for level, word in limits), f"else {lowest}"])


def _stability_in_words(per_group: FloatArray) -> str:
    if len(per_group) == 1:
        return f"One group: its mean Jaccard is {per_group[0]:.2f}"
    weakest = int(np.nanargmin(per_group))
    value = per_group[weakest]
    if value >= SAME:
        return "Every group is stable: all resamples give the same rows"
    if is_stable(value):
        return f"Every group is stable; the least stable is group {weakest + 1} ({value:.2f})"
    n_weak = sum(not is_stable(one) for one in per_group)
    if n_weak == 1:
        return f"Group {weakest + 1} is not stable ({value:.2f}); the others are"
    some = f"{n_weak} of {len(per_group)} groups"
    return f"{some} are not stable, group {weakest + 1} the least ({value:.2f})"


def chance_facts(significance: Significance) -> ChanceFacts:
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


def _words(name: object) -> str:
    text = name if isinstance(name, str) else getattr(name, "__name__", "the measure")
    if text in SAID:
        return SAID[text]
    return text.removesuffix("_score").replace("_", " ")


def runner_facts(candidates: Sequence[Candidate], winner: Candidate | None = None) -> tuple[RunnerFacts, ...]:
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


def truth_facts(rows: RowsAtHand, places: Indices) -> TruthFacts:
    """Return the classes of the held rows."""
    names, codes = rows.class_codes
    held = np.where(codes < MOST_CLASSES, codes, -1)[places]
    shown = tuple(shorten(name) for name in names[:MOST_CLASSES])
    return TruthFacts(shown, tuple(held.tolist()), max(0, len(names) - MOST_CLASSES))


def truth_table(found: ClassTable) -> TruthTable:
    """Return classes by groups, purities and measures, as many as the page has room for."""
    shown = found.counts[:MOST_CLASSES, :MOST_GROUPS]
    return TruthTable(
        counts=tuple(tuple(row) for row in shown.tolist()),
        purity=tuple(found.purity[:MOST_GROUPS].tolist()),
        measures=tuple((title, found.agreement[name], meaning) for name, title, meaning in MEASURES),
        finding=_truth_in_words(found),
    )


def _truth_in_words(found: ClassTable) -> str:
    """Say which group mixes classes most, or that none does."""
    table = found.counts
    if not table.size or not table.sum():
        return "No row has both a class and a group"
    mixed = found.most_mixed()
    if mixed is None:
        split = (table > 0).sum(axis=1).max()
        return "Every group holds one class" + ("" if split > 1 else ", and every class is one group")
    largest = np.argsort(-table[:, mixed], kind="stable")[:2]
    first, second = (f"{table[one, mixed]:,} of {_called(found.names[one])}" for one in largest)
    return f"Group {mixed + 1} mixes {first} with {second}"


def _called(name: str) -> str:
    """Return the name of a class; "class 2" where it is a number, which would read as a count."""
    is_number = name.replace(".", "", 1).lstrip("+-").isdigit()
    return f"class {shorten(name)}" if is_number else shorten(name)


def meaning(word: str) -> str:
    """Return what a word means; nothing where it says so itself.

    Examples
    --------
    >>> meaning("noise")
    'share of rows in no group'
    """
    if word in WORDS:
        return WORDS[word]
    try:
        summary = find_criterion(word).summary
    except CoterieError:
        return ""
    return summary[:1].lower() + summary[1:].rstrip(".")


def glossary(words: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return title and meaning of those that have one, from names and titles.

    Examples
    --------
    >>> glossary([("noise", "noise"), ("k", "k")])
    (('noise', 'share of rows in no group'),)
    """
    return tuple((title, meaning(name)) for name, title in words if meaning(name))
