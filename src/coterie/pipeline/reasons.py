"""Why one number of groups, and one method, is chosen over the others, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from coterie.pipeline.candidates import Candidate
from coterie.pipeline.judge.density_valleys import ENOUGH, Separation

TIE = 0.1  # differences of rank below that say nothing
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


def explain(pair: Judged, best: Judged | None, *, is_best: bool) -> Candidate:
    """Return the candidate with what speaks for the winner, or against any other."""
    candidate, separation = pair
    reason = _for(separation) if is_best else _against(pair, best)
    return replace(candidate, reason=reason)


def _against(pair: Judged, best: Judged | None) -> str:
    """Say what decided between a candidate and the winner."""
    candidate, separation = pair
    n_weak = _n_weak(separation)
    if n_weak:
        return _weak_borders(len(separation.evidence), n_weak)
    if best is None:
        return _against_any(separation)
    winner, other = best
    lead = other.rank - separation.rank
    is_simpler = candidate.k == winner.k and complexity(winner) < complexity(candidate)
    if lead < 0:
        if candidate.k == winner.k and separation.crossing > other.crossing:
            return "slightly better separated, but more nearest-neighbour pairs cross its borders"
        if separation.likelihood < other.likelihood:
            return "better separated, but its groups are less likely as normal clouds"
        why = "the simpler model" if is_simpler else f"{winner.k} groups with significant borders"
        return f"slightly better separated, but too little to outweigh {why}"
    if separation.score < other.score - CLOSE:
        return "separates the groups less clearly than the winner"
    if lead > 0 and ENOUGH * (separation.crossing - other.crossing) >= lead / 2:
        return f"close, but {100 * separation.crossing:.2g}% of nearest-neighbour pairs cross its borders"
    if lead > TIE:
        return "close: the winner's borders are slightly clearer"
    return (
        "as good as the winner, which is the simpler model"
        if is_simpler
        else "separates as well as the winner"
    )


def why_number(k: int, best: dict[int, Judged]) -> str:
    """Say what decided between this number of groups and the best of the others."""
    own = best[k][1]
    others = {n: separation for n, (_, separation) in best.items() if n != k}
    if not others:
        return "the only number of groups that was compared"
    if own.score > max(other.score for other in others.values()):
        return "its groups are the best separated, compared with null data"
    n, other = max(others.items(), key=lambda item: item[1].rank)
    if other.rank > own.rank:
        return f"k = {n} is hardly better separated, and all borders of {k} groups are significant"
    if other.score < own.score:
        n, other = max(others.items(), key=lambda item: item[1].score)
    if other.crossing > own.crossing:
        return f"k = {n} separates as well, but its borders cut more nearest-neighbour pairs"
    return f"k = {n} is separated as well"


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
