"""Which method and how many groups: decided on a sample, with the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import Indices
from coterie.cluster import find_method
from coterie.errors import InvalidParameter
from coterie.evaluate import Significance, Stability
from coterie.pipeline import Candidate, Recipe, make_estimator
from coterie.pipeline.check_belief import believe
from coterie.pipeline.compete import Contest
from coterie.pipeline.request import Asked
from coterie.pipeline.running import ROWS_PER_GROUP, one_group, run_contest
from coterie.scale.preparing import Prepared
from coterie.scale.settling import Labelling
from coterie.select import Evidence, Verdict

GIVEN = "it was given"


@dataclass(frozen=True, eq=False)
class Choice:
    """A method and a number of groups.

    Parameters
    ----------
    winner : Candidate
        How groups are found; one group where nothing divides the rows.
    contest : Contest or None
        All candidates; None where nothing was compared.
    evidence : Evidence
        What speaks for the number of groups.
    compared : array
        Places in the sample of the rows that methods were compared on.
    notes : tuple of str
        What was done.
    """

    winner: Candidate
    contest: Contest | None
    evidence: Evidence
    compared: Indices
    notes: tuple[str, ...]


def choose(prepared: Prepared, asked: Asked, seed: int, tracker: Tracker, *, is_settled: bool) -> Choice:
    """Compare methods on a sample, or take the one that was given.

    Parameters
    ----------
    prepared : Prepared
        The rows.
    asked : Asked
        Methods, numbers of groups, budget.
    seed : int
        Of the comparison.
    tracker : Tracker
        Hears of every method.
    is_settled : bool
        Whether one method with one number of groups was given, and no evidence is wanted.
    """
    sample, points = prepared.sample, prepared.points
    n_compared = min(len(points), asked.budget.rows)
    compared = np.arange(len(points))
    if n_compared < len(points):
        draw = np.random.default_rng(seed).choice(len(points), n_compared, replace=False)
        compared = np.sort(draw)
    if is_settled or _is_beyond(asked, n_compared, sample.n_rows):
        winner = _given(asked, seed)
        note = (
            () if is_settled else (f"{winner.k:,} groups are too many to be judged on {n_compared:,} rows",)
        )
        return Choice(winner, None, _evidence_of(winner), compared, note)
    contest = run_contest(points[compared], asked, seed, tracker)
    notes = () if n_compared == sample.n_rows else (
        f"methods were compared on {n_compared:,} of {sample.n_rows:,} rows; a group of fewer than about "
        f"{ROWS_PER_GROUP * sample.n_rows // n_compared:,} rows may be missed",
    )  # fmt: skip
    return Choice(contest.winner or one_group(seed), contest, contest.evidence, compared, notes)


def doubt(
    choice: Choice, prepared: Prepared, labelling: Labelling, asked: Asked, seed: int, tracker: Tracker
) -> tuple[Stability | None, Significance | None]:
    """Return whether the groups come back in resamples of the compared rows, and whether they are chance."""
    if choice.contest is None or not len(labelling.numbers):
        return None, None
    compared = choice.compared
    points = np.ascontiguousarray(prepared.points[compared])
    labels = labelling.of_rows(prepared.sample.rows[compared], points)
    k = len(labelling.numbers)
    if k > 1 and len(np.unique(labels[labels >= 0])) < k:
        return None, None  # a group that no compared row belongs to cannot come back
    return believe(points, labels, choice.contest, asked, seed, tracker)


def is_one_way(asked: Asked) -> bool:
    """Return whether there is nothing to choose: one method, and a number of groups where it takes one."""
    methods = asked.methods or ("kmeans",)
    if len(methods) > 1:
        return False
    if asked.ks is not None:
        return len(asked.ks) == 1
    return asked.methods is not None and not find_method(methods[0]).needs_k


def _is_beyond(asked: Asked, n_compared: int, n_rows: int) -> bool:
    """Return whether one number of groups is too large for the compared rows; several such are refused."""
    if asked.ks is None or n_compared == n_rows:
        return False
    if len(asked.ks) > 1 and asked.ks[-1] > n_compared // ROWS_PER_GROUP:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {n_compared // ROWS_PER_GROUP} to be chosen on {n_compared:,} "
            f"rows, got {asked.ks[-1]}. Give one number, or more budget."
        )
    return asked.ks[0] > n_compared // ROWS_PER_GROUP


def _given(asked: Asked, seed: int) -> Candidate:
    method = find_method((asked.methods or ("kmeans",))[0])
    k = None if asked.ks is None else asked.ks[0]
    estimator = make_estimator(method, Recipe(method.name, k, distance=asked.distance, seed=seed))
    parameters: Mapping[str, Any] = estimator.get_params(deep=False)
    return Candidate(method.name, k or 1, np.zeros(0, np.int32), {}, GIVEN, dict(parameters))


def _evidence_of(winner: Candidate) -> Evidence:
    verdict = Verdict(winner.k, {}, (f"{find_method(winner.method).title}: {GIVEN}",), (), 1.0)
    return Evidence(winner.method, (winner.k,), (), {}, (), verdict)
