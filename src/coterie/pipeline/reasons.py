"""Why one number of groups, and one method, is chosen over the others, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from coterie.pipeline.candidates import Candidate
from coterie.pipeline.judge.density_valleys import ENOUGH, Separation
from coterie.pipeline.levels import is_nested

TIE = 0.1  # differences of rank below that say nothing
NATS = 2.0  # differences of log-likelihood below that say nothing
INSIDE = 0.9  # of the rows of a finer group lie in one coarser group, at least; the rest is at borders
SIMPLEST_FIRST = (
    "kmeans",
    "mixture",
    "agglomerative",
    "genie",
    "modes",
    "spectral",
)  # by what it takes to place a row
MIXED_SIMPLEST_FIRST = ("kprototypes", "latent-classes", "kmedoids", "agglomerative")
CLOSE = 0.5  # in units of evidence: less of a lead is a close call
Judged: TypeAlias = tuple[Candidate, Separation]


def complexity(candidate: Candidate) -> int:
    """Return the place of a method among the others, the simplest first."""
    names = MIXED_SIMPLEST_FIRST if candidate.n_levels else SIMPLEST_FIRST
    return names.index(candidate.method) if candidate.method in names else len(names)


def has_noise(candidate: Candidate) -> bool:
    """Return whether a partition leaves rows out."""
    return bool((candidate.labels < 0).any())


def joins_what_is_divided(finer: Candidate, best: Judged) -> bool:
    """Return whether all borders of a partition are beyond doubt, and a finer one does not follow them."""
    candidate, separation = best
    is_certain = separation.evidence.min() >= ENOUGH
    return bool(is_certain and not is_nested(finer.labels, candidate.labels, INSIDE))


def _for(separation: Separation) -> str:
    """Say how many borders between the groups of the winner are significant."""
    n_borders, n_weak = len(separation.evidence), _n_weak(separation)
    if n_borders == 1:
        return f"its border is {'not ' if n_weak else ''}significant"
    if not n_weak:
        return f"{'both' if n_borders == 2 else f'all {n_borders}'} borders are significant"
    return _weak_borders(n_borders, n_weak)


def _n_weak(separation: Separation) -> int:
    """Return how many borders are not clearer than those of null data."""
    return int((separation.evidence <= 0).sum())


def _weak_borders(n_borders: int, n_weak: int) -> str:
    if n_borders == 1:
        return "its border is not significant"
    if n_weak == n_borders:
        return f"{'neither of its' if n_borders == 2 else f'none of its {n_borders}'} borders is significant"
    return f"{n_weak} of its {n_borders} borders {'is' if n_weak == 1 else 'are'} not significant"


def explain(
    pair: Judged, best: Judged | None, *, is_best: bool, ranks: Mapping[int, float] | None = None
) -> Candidate:
    """Return the candidate with what speaks for the winner, or against any other.

    Parameters
    ----------
    pair : Candidate and Separation
        What to explain.
    best : Candidate and Separation, or None
        The winner; None: there are no groups.
    is_best : bool
        Whether the candidate is the winner.
    ranks : mapping of int to float, default=None
        The largest rank of each number of groups; None: those of the two.
    """
    candidate, separation = pair
    reason = _for(separation) if is_best else _against(pair, best, ranks or {})
    return replace(candidate, reason=reason)


def _against(pair: Judged, best: Judged | None, ranks: Mapping[int, float]) -> str:
    """Say what decided between a candidate and the winner."""
    candidate, separation = pair
    n_weak = _n_weak(separation)
    if n_weak and (best is None or not _n_weak(best[1])):
        return _weak_borders(len(separation.evidence), n_weak)
    if best is None:
        return _against_any(separation)
    winner, other = best
    lead = other.rank - separation.rank
    if lead < 0:
        return _against_better(pair, best, max(ranks.get(winner.k, other.rank), other.rank))
    if separation.score < other.score - CLOSE:
        return "separates the groups less clearly than the winner"
    if lead > 0 and ENOUGH * (separation.crossing - other.crossing) >= lead / 2:
        return f"close, but {100 * separation.crossing:.2g}% of nearest-neighbour pairs cross its borders"
    if lead > TIE:
        return "close: the winner's borders are slightly clearer"
    return (
        "as good as the winner, which is the simpler model"
        if _is_simpler(winner, candidate)
        else "separates as well as the winner"
    )


def _is_simpler(winner: Candidate, candidate: Candidate) -> bool:
    return candidate.k == winner.k and complexity(winner) < complexity(candidate)


def _against_better(pair: Judged, best: Judged, best_rank: float) -> str:
    """Say which tie a candidate lost that is better separated than the winner.

    `best_rank` is the largest of as many groups as the winner has, which won before ties were settled among
    them.
    """
    (candidate, separation), (winner, other) = pair, best
    if candidate.k == winner.k and separation.likelihood < other.likelihood - NATS:
        return "better separated, but its groups are less likely as normal clouds"
    is_slight = separation.rank - other.rank <= max(separation.error, other.error)
    why = _tie_that_was_lost(pair, best) if is_slight or candidate.k == winner.k else ""
    if why:
        return f"{'slightly ' if is_slight else ''}better separated, but {why}"
    if candidate.k == winner.k:
        return f"better separated, but other splits into {winner.k} groups are as good"
    if separation.rank <= best_rank:
        return f"separates the groups less clearly than the best split into {winner.k} groups"
    return f"hardly better separated than the best split into {winner.k} groups"


def _tie_that_was_lost(pair: Judged, best: Judged) -> str:
    """Say what a winner has that is separated slightly less; nothing: none of what settles ties."""
    (candidate, separation), (winner, other) = pair, best
    if has_noise(candidate) and not has_noise(winner):
        return f"{100 * float((candidate.labels < 0).mean()):.2g}% of the rows are left out as noise"
    if candidate.k == winner.k and separation.crossing > other.crossing:
        return "more nearest-neighbour pairs cross its borders"
    if _is_simpler(winner, candidate):
        return "the winner is the simpler model"
    if candidate.k < winner.k and not _n_weak(other):
        return f"too little to outweigh {winner.k} groups with significant borders"
    if candidate.k > winner.k and joins_what_is_divided(candidate, best):
        return f"it joins rows that the clear borders of {winner.k} groups divide"
    return ""


def why_number(k: int, best: Mapping[int, Judged], ranks: Mapping[int, float] | None = None) -> str:
    """Say what decided between this number of groups and the best of the others.

    Parameters
    ----------
    k : int
        The number.
    best : mapping of int to Candidate and Separation
        The best of each number, the winner among them.
    ranks : mapping of int to float, default=None
        The largest rank of each number, before ties were settled; None: those of the best.
    """
    own = best[k][1]
    others = {n: pair for n, pair in best.items() if n != k}
    if not others:
        return "the only number of groups that was compared"
    if own.score > max(other.score for _, other in others.values()):
        return "its groups are the best separated, compared with null data"
    n, (candidate, other) = max(others.items(), key=lambda item: item[1][1].rank)
    if other.rank > own.rank:
        return _why_not_better(n, (candidate, other), best[k], (ranks or {}).get(k, own.rank))
    if other.score < own.score:
        n, (_, other) = max(others.items(), key=lambda item: item[1][1].score)
    if other.crossing > own.crossing:
        return f"k = {n} separates as well, but its borders cut more nearest-neighbour pairs"
    return f"k = {n} is separated as well"


def _why_not_better(n: int, pair: Judged, winner: Judged, best_rank: float) -> str:
    """Say why another number of groups lost a tie, although its best is better separated than the winner."""
    (candidate, other), (chosen, own) = pair, winner
    if other.rank <= best_rank:
        return f"k = {n} is not better separated than the best split into {chosen.k} groups"
    if has_noise(candidate) and not has_noise(chosen):
        return f"k = {n} is hardly better separated, and leaves rows out as noise"
    if n < chosen.k and not _n_weak(own):
        return f"k = {n} is hardly better separated, and all borders of {chosen.k} groups are significant"
    if _n_weak(other) and not _n_weak(own):
        return f"k = {n} is hardly better separated, and not all of its borders are significant"
    if n > chosen.k and joins_what_is_divided(candidate, winner):
        return f"k = {n} is hardly better separated, and joins rows that clear borders divide"
    return f"k = {n} is hardly better separated"


def why_none(judged: Sequence[Judged]) -> str:
    """Say why there are no groups."""
    if not judged:
        return "no method proposed a split"
    candidate, separation = judged[0]
    named, n_weak = f"the best split ({candidate.title})", _n_weak(separation)
    if not n_weak:
        return f"{named} is {_against_any(separation)}"
    if separation.score > 0:
        return f"{named}: {_weak_borders(len(separation.evidence), n_weak)}"
    return f"{named} is no better separated than null data"


def _against_any(separation: Separation) -> str:
    """Say why groups whose borders are all significant are not the answer, but that there are none."""
    if separation.rank > 0:
        return "hardly better separated than null data: by less than half a standard error"
    crossing = f"{100 * separation.crossing:.2g}% of nearest-neighbour pairs cross its borders"
    return f"no better separated than null data, as {crossing}"
