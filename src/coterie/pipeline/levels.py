"""Levels: partitions of the same rows, coarse and fine, each supported and nested in the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coterie._support.typing import Labels
from coterie.evaluate import contingency_table
from coterie.pipeline.candidates import Candidate

NESTED = 0.97  # of the rows: so many of each finer group lie in one coarser group
LIKE_THE_ANSWER = 1.0  # least silhouette of a coarser level, as a share of the answer
LEAST_SILHOUETTE = 0.25  # of a finer level


def levels_of(
    winner: Candidate | None, ranked: Sequence[Candidate], silhouettes: Mapping[int, float]
) -> tuple[Candidate, ...]:
    """Return the levels of granularity, coarsest first, the answer among them; none if it is the only one.

    Any union of clear groups has clear borders. A number is a level of its own only where the silhouette is
    larger than for the numbers next to it.

    Parameters
    ----------
    winner : Candidate or None
        The answer.
    ranked : sequence of Candidate
        All candidates, best first.
    silhouettes : mapping of int to float
        Mean silhouette of the best partition of each number of groups.
    """
    if winner is None:
        return ()
    best: dict[int, Candidate] = {winner.k: winner}
    for candidate in ranked:
        best.setdefault(candidate.k, candidate)
    found = [winner]
    for k in sorted(best, key=lambda k: abs(k - winner.k)):
        candidate = best[k]
        if (
            k != winner.k
            and _is_level(candidate, winner, silhouettes)
            and _is_nested_in_all(candidate, found)
        ):
            found.append(candidate)
    return tuple(sorted(found, key=lambda one: one.k)) if len(found) > 1 else ()


def describe_level(level: Candidate, k: int) -> str:
    """Return how a level relates to an answer of `k` groups.

    Examples
    --------
    >>> nine = Candidate("kmeans", 9, np.zeros(0, np.int32), {}, "", {})
    >>> describe_level(nine, 3)
    'also: 9 groups inside these'
    """
    if level.k > k:
        return f"also: {level.k} groups inside these"
    return f"also: {level.k} larger groups that these lie in"


def _is_level(candidate: Candidate, winner: Candidate, silhouettes: Mapping[int, float]) -> bool:
    own, of_winner = silhouettes.get(candidate.k, np.nan), silhouettes.get(winner.k, np.nan)
    beside = [silhouettes.get(candidate.k + step, np.nan) for step in (-1, 1)]
    is_peak = all(not other >= own for other in beside)
    least = LIKE_THE_ANSWER * of_winner if candidate.k < winner.k else LEAST_SILHOUETTE
    return bool(candidate.scores["weakest_valley"] > 0 and is_peak and own >= least)


def _is_nested_in_all(candidate: Candidate, levels: Sequence[Candidate]) -> bool:
    pairs = [sorted([candidate, level], key=lambda one: one.k) for level in levels]
    return all(is_nested(fine.labels, coarse.labels) for coarse, fine in pairs)


def is_nested(fine: Labels, coarse: Labels, share: float = NESTED) -> bool:
    """Return whether nearly all rows of each finer group, at least a share, lie in one coarser group.

    Examples
    --------
    >>> is_nested(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])), is_nested(np.r_[0, 1, 0], np.r_[0, 1, 1])
    (True, False)
    """
    inside = (fine >= 0) & (coarse >= 0)
    if not inside.any():
        return False
    counts = contingency_table(fine[inside], coarse[inside]).toarray()
    return bool((counts.max(axis=1) >= share * counts.sum(axis=1)).all())
