"""Which of several partitions wins that the judge cannot tell apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coterie.pipeline.judge.cloud_likelihood import are_same_groups, log_likelihood
from coterie.pipeline.judge.density_valleys import Separation, Valleys
from coterie.pipeline.reasons import NATS, TIE, Judged, complexity, has_noise, joins_what_is_divided

AS_CROSSED = 2.0  # times the crossing of another partition, up to which both cut through the same overlap


def settle_ties(judged: list[Judged], valleys: Valleys | None) -> None:
    """Move the partition to the front that wins, of those that the judge cannot tell apart.

    Parameters
    ----------
    judged : list of pairs
        Candidates and what the judge says of them, the best first.
    valleys : Valleys or None
        The judge; None: groups cannot be clouds, as some columns are categories.
    """
    _prefer_all_rows(judged)
    _prefer_finer(judged)
    _prefer_least_crossed(judged)
    _prefer_simple(judged)
    if valleys is not None:
        _prefer_likeliest(judged, valleys)


def _prefer_all_rows(judged: list[Judged]) -> None:
    """Move a partition without noise to the front, where the best has some and is hardly better."""
    if not judged or not has_noise(judged[0][0]):
        return
    _, separation = judged[0]
    whole = [
        at
        for at, (candidate, other) in enumerate(judged)
        if not has_noise(candidate) and separation.rank - other.rank <= separation.error
    ]
    if whole:
        judged.insert(0, judged.pop(whole[0]))


def _prefer_finer(judged: list[Judged]) -> None:
    """Move more groups to the front that are all apart, of partitions that the judge cannot tell apart.

    They do not join what borders beyond doubt divide.
    """
    if not judged:
        return
    best, separation = judged[0]
    finer = [
        at
        for at, (candidate, other) in enumerate(judged)
        if candidate.k > best.k
        and other.evidence.min() > 0
        and separation.rank - other.rank <= other.error
        and not joins_what_is_divided(candidate, judged[0])
    ]
    if finer:
        judged.insert(0, judged.pop(finer[0]))


def _prefer_least_crossed(judged: list[Judged]) -> None:
    """Move the borders to the front that divide fewest neighbours, of as many groups that are all apart."""
    if not judged:
        return
    best, separation = judged[0]
    tied = [
        at
        for at, (candidate, other) in enumerate(judged)
        if candidate.k == best.k
        and other.evidence.min() > 0
        and separation.rank - other.rank <= separation.error
    ]
    if tied:
        judged.insert(0, judged.pop(min(tied, key=lambda at: (judged[at][1].crossing, at))))


def _prefer_simple(judged: list[Judged]) -> None:
    """Move the simplest model to the front, of those with as many groups that the judge cannot tell apart."""
    if not judged:
        return
    best, separation = judged[0]
    tied = [at for at, pair in enumerate(judged) if pair[0].k == best.k and _are_tied(pair[1], separation)]
    judged.insert(0, judged.pop(min(tied, key=lambda at: (complexity(judged[at][0]), at))))


def _prefer_likeliest(judged: list[Judged], valleys: Valleys) -> None:
    """Move the likeliest of the same groups to the front, where all of them are clouds.

    Valleys do not tell where rows of an overlap belong: of many cuts some look deeper by chance. Of those
    about as likely, the simplest model.
    """
    if not judged or not _are_clouds_apart(judged[0], valleys):
        return
    best, separation = judged[0]
    for at, (candidate, other) in enumerate(judged):
        if (
            candidate.k == best.k
            and other.crossing <= AS_CROSSED * separation.crossing
            and _are_clouds_apart((candidate, other), valleys)
            and are_same_groups(candidate.labels, best.labels)
        ):
            likelihood = log_likelihood(valleys.X, candidate.labels)
            judged[at] = candidate, replace(other, likelihood=likelihood)
    likeliest = max((other.likelihood for _, other in judged if other.likelihood > -np.inf), default=None)
    if likeliest is not None:
        tied = [at for at, (_, other) in enumerate(judged) if likeliest - other.likelihood <= NATS]
        judged.insert(0, judged.pop(min(tied, key=lambda at: (complexity(judged[at][0]), at))))


def _are_clouds_apart(pair: Judged, valleys: Valleys) -> bool:
    candidate, separation = pair
    return bool(separation.evidence.min() > 0) and valleys.are_clouds(candidate.labels)


def _are_tied(separation: Separation, best: Separation) -> bool:
    """Return whether a partition into as many groups is as good, and divides no more neighbours."""
    lead = best.rank - separation.rank
    within = lead <= TIE or (lead <= best.error and separation.evidence.min() > 0)
    return within and separation.crossing <= best.crossing
