"""Which method and how many groups: compared on some rows, or as asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.progress import Tracker
from coterie.cluster import find_method
from coterie.errors import InvalidParameter
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.check_belief import STEPS
from coterie.pipeline.contest import Contest, run_contest
from coterie.pipeline.recipe import make_estimator
from coterie.pipeline.request import FitRequest
from coterie.pipeline.rows import LEAST_ROWS, ROWS_PER_GROUP, Compared
from coterie.select import Evidence, Verdict

GIVEN = "asked for"


@dataclass(frozen=True, eq=False)
class Choice:
    """A method and a number of groups.

    Parameters
    ----------
    winner : Candidate
        How groups are found; one group where the data show none.
    contest : Contest or None
        All candidates; None where nothing was compared.
    evidence : Evidence
        What speaks for the number of groups.
    notes : tuple of str
        What was done.
    """

    winner: Candidate
    contest: Contest | None
    evidence: Evidence
    notes: tuple[str, ...] = ()


def choose_method(compared: Compared, request: FitRequest, tracker: Tracker) -> Choice:
    """Compare methods on some rows, or take the one that was asked for.

    Parameters
    ----------
    compared : Compared
        The rows.
    request : FitRequest
        Methods, numbers of groups, budget, and whether evidence is wanted.
    tracker : Tracker
        Hears of every method.
    """
    given = _given(request) if request.is_settled else None
    if given is not None and not (request.believe and len(compared.rows) >= LEAST_ROWS):
        return Choice(given, None, _evidence_of(given))
    if _is_beyond(request, compared):
        winner = given or _as_kmeans(request)
        note = f"{winner.k:,} groups are too many to be judged on {len(compared.rows):,} rows"
        return Choice(winner, None, _evidence_of(winner), (note,))
    steps = STEPS if request.believe else 0
    contest = run_contest(compared.points, request, tracker, steps_after=steps)
    notes = () if compared.is_whole else (compared.note,)
    return Choice(given or contest.winner or one_group(request.seed), contest, contest.evidence, notes)


def one_group(seed: int) -> Candidate:
    """Return the candidate of all rows in one group."""
    return Candidate("kmeans", 1, np.zeros(0, np.int32), {}, "", {"n_clusters": 1, "random_state": seed})


def _given(request: FitRequest) -> Candidate:
    """Return the one way that was asked for."""
    assert request.methods is not None
    return _candidate(request, request.methods[0])


def _as_kmeans(request: FitRequest) -> Candidate:
    """Return k-means, which takes any number of groups, where methods cannot be compared."""
    return _candidate(request, (request.methods or ("kmeans",))[0])


def _candidate(request: FitRequest, name: str) -> Candidate:
    method = find_method(name)
    k = None if request.ks is None else request.ks[0]
    estimator = make_estimator(method, request.recipe(name, k))
    return Candidate(name, k or 1, np.zeros(0, np.int32), {}, GIVEN, dict(estimator.get_params(deep=False)))


def _evidence_of(winner: Candidate) -> Evidence:
    verdict = Verdict(winner.k, {}, (f"{find_method(winner.method).title}: {GIVEN}",), (), 1.0)
    return Evidence(winner.method, (winner.k,), (), {}, (), verdict)


def _is_beyond(request: FitRequest, compared: Compared) -> bool:
    """Return whether one number of groups is too large for the compared rows; several such are refused."""
    if request.ks is None or compared.is_whole:
        return False
    most = len(compared.rows) // ROWS_PER_GROUP
    if len(request.ks) > 1 and request.ks[-1] > most:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {most:,} to be chosen on {len(compared.rows):,} rows, got "
            f"{request.ks[-1]}. Give one number, or more budget."
        )
    return request.ks[0] > most
