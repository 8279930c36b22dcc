"""One answer from many criteria: what they agree on, why, and who disagrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.typing import JsonObject
from coterie._support.validation.schema import COUNT, DictOf, ListOf, Real, Text
from coterie.select.catalogue import find_criterion
from coterie.select.curve import Curve


@saved(eq=False)
class Verdict:
    """How many clusters, by all criteria together.

    Parameters
    ----------
    votes : dict of int to int
        Votes for each number: two of most criteria, one of those that err often. Of criteria that say the
        same in two ways one votes. Empty where no vote was taken: `coterie.fit` decides by separation.
    reasons, disagreements : tuple of str
        Why, and who says otherwise.
    confidence : float
        Share of the votes that went to `k`; without a vote, how clear the lead is.

    Examples
    --------
    >>> Verdict(3, {3: 4, 2: 1}, ("largest silhouette",), ("Dunn would choose 2",), 0.8)
    3 clusters (4 of 5 votes)
    """

    k: int = held(COUNT, "The answer; 1 means that there are no clusters.")
    votes: dict[int, int] = held(DictOf(COUNT, COUNT))
    reasons: tuple[str, ...] = held(ListOf(Text(), kind=tuple))
    disagreements: tuple[str, ...] = held(ListOf(Text(), kind=tuple))
    confidence: float = held(Real(0))

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return {
            "k": self.k,
            "votes": {str(k): count for k, count in self.votes.items()},
            **facts_of(self, "reasons", "disagreements", "confidence"),
        }

    def __repr__(self) -> str:
        what = "no clusters" if self.k == 1 else f"{self.k} clusters"
        if not self.votes:
            return what
        return f"{what} ({self.votes.get(self.k, 0)} of {sum(self.votes.values())} votes)"


def judge(curves: Sequence[Curve], ks: tuple[int, ...], trivial: Set[int]) -> Verdict:
    """Return the verdict of all curves.

    First, whether there are clusters at all: criteria with a null model decide, since stability alone is not
    enough (a uniform square is cut into the same four parts each time); without any of these, all criteria
    that can answer 1. If fewer than half of their votes say 1, the number with the most votes wins, of those
    that are not trivial; ties go to the number that curves rank higher on average, then to fewer clusters.
    """
    voters = voting(curves)
    count = _count(voters)
    if not count:
        return Verdict(1, {}, ("no criterion is defined for these data",), (), 0.0)
    asked = _count(_able_to_deny(curves, voters))
    if 1 in ks and asked.get(1, 0) * 2 >= sum(asked.values()) > 0:
        return _explain(1, count, curves)
    candidates = [k for k in count if k != 1 and k not in trivial] or [k for k in count if k != 1]
    if not candidates:
        return _explain(1, count, curves)
    ranks = _mean_ranks(voters, ks)
    return _explain(max(candidates, key=lambda k: (count[k], -ranks[k], -k)), count, curves)


def _able_to_deny(curves: Sequence[Curve], voters: Sequence[Curve]) -> list[Curve]:
    """Return the curves that decide whether there are clusters."""
    able = [curve for curve in voters if curve.choice and find_criterion(curve.name).can_choose_one]
    strict = [curve for curve in able if find_criterion(curve.name).has_null]
    return (
        strict
        or able
        or [curve for curve in curves if curve.choice and find_criterion(curve.name).can_choose_one]
    )


def _count(curves: Sequence[Curve]) -> dict[int, int]:
    """Return the votes for each number of clusters, ascending."""
    votes: Counter[int] = Counter()
    for curve in curves:
        if curve.choice is not None:
            votes[curve.choice] += find_criterion(curve.name).votes
    return {k: votes[k] for k in sorted(votes)}


def voting(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves that vote: those that do not echo another one that is there."""
    names = {curve.name for curve in curves}
    return [curve for curve in curves if find_criterion(curve.name).echoes not in names]


def _mean_ranks(curves: Sequence[Curve], ks: tuple[int, ...]) -> dict[int, float]:
    """Return the mean rank of each k over the curves with a direction; 0 is best."""
    rows = []
    for curve in curves:
        if curve.greater_is_better is not None:
            scores = curve.values if curve.greater_is_better else -curve.values
            usable = np.where(np.isfinite(scores), scores, -np.inf)
            rows.append(np.argsort(np.argsort(-usable, kind="stable"), kind="stable"))
    means = np.mean(rows, axis=0) if rows else np.zeros(len(ks))
    return dict(zip(ks, means.tolist(), strict=True))


def _explain(k: int, votes: dict[int, int], curves: Sequence[Curve]) -> Verdict:
    reasons = [f"{curve.title}: {curve.reason}" for curve in curves if curve.choice == k]
    others = [
        f"{curve.title} would choose {curve.choice}: {curve.reason}"
        for curve in curves
        if curve.choice not in (None, k)
    ]
    share = votes.get(k, 0) / sum(votes.values())
    return Verdict(k, votes, tuple(reasons), tuple(others), share)
