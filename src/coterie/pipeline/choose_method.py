"""Which method and how many groups: candidates compared by one judge, or as asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.threads import workers
from coterie._support.typing import Data, Labels, ValuesByName
from coterie.cluster import find_method
from coterie.cluster.modes import null_depth
from coterie.errors import InvalidParameter
from coterie.evaluate import silhouette_score
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.candidates import Candidate, MixedPoints, Task, different, propose
from coterie.pipeline.judge.density_valleys import ENOUGH, ERROR, Valleys, compact
from coterie.pipeline.levels import levels_of
from coterie.pipeline.reasons import CLOSE, Judged, explain, why_none, why_number
from coterie.pipeline.recipe import make_estimator
from coterie.pipeline.request import ROW_SETTINGS, FitRequest
from coterie.pipeline.row_order import RowOrder, order_as_given, order_of, order_of_mixed
from coterie.pipeline.rows.protocol import Compared
from coterie.pipeline.rows.sampling import ROWS_PER_GROUP
from coterie.pipeline.rows.tables import LEAST_ROWS
from coterie.pipeline.ties import settle_ties
from coterie.select import Curve, Evidence, Verdict

STEPS_AFTER = 2  # stability and significance
SILHOUETTE_ROWS = 1_000
RUNNERS_UP = 5
SOME_GROUPS = 8  # numbers up to this are always tried
MARGIN = 1.3  # numbers are tried up to so many times the hills of the density
HILL = 1.2  # standard errors that a hill rises at least
SMOOTH = 12  # neighbours of a density that shows few spurious hills
RISING = 0.9  # share of the largest number tried from which larger ones are tried as well
GIVEN = "asked for"
ONLY_ONE = "asked for; no other number was compared"


@dataclass(frozen=True, eq=False)
class Contest:
    """All candidates, best first, and the evidence."""

    winner: Candidate | None  # the best; None: there are no groups
    ranked: tuple[Candidate, ...]  # the best of each method and number, best first, the winner included
    evidence: Evidence  # what speaks for the number of groups
    is_apart: bool  # whether the best is better separated than null data, whatever was asked for
    notes: tuple[str, ...] = ()  # what was not tried

    @property
    def levels(self) -> tuple[Candidate, ...]:
        """Partitions into coarser and finer groups that are supported as well, the winner among them."""
        silhouettes = self.evidence.curve("silhouette")
        values = dict(zip(silhouettes.ks, silhouettes.values.tolist(), strict=True))
        return levels_of(self.winner, self.ranked, values)

    @property
    def runners_up(self) -> tuple[Candidate, ...]:
        """The best that tell something else than the winner and each other."""
        if self.winner is None:
            return different(self.ranked, RUNNERS_UP)
        return different(self.ranked, RUNNERS_UP + 1)[1:]


def run_contest(
    points: Data,
    request: FitRequest,
    tracker: Tracker,
    *,
    steps_after: int = 0,
    mixed: MixedColumns | None = None,
) -> Contest:
    """Let methods propose clusterings of some points and return them judged, best first.

    Parameters
    ----------
    points : array
        Scaled rows; a few thousand at most.
    request : FitRequest
        Methods, numbers of groups, budget.
    tracker : Tracker
        Hears of every method.
    steps_after : int, default=0
        Steps of the same work that follow, so that the time left counts them.
    mixed : MixedColumns, default=None
        Which columns of the points are categories; None: none.
    """
    order = contest_order(points, request, mixed)
    taken = order.take(points)
    rows = None if mixed is None else MixedPoints(taken, mixed)
    valleys = valleys_of(taken, request, mixed)
    most, beyond = _most(valleys, request)
    task, may_be_one = Task(valleys, request.numbers(most, len(taken)), request, rows), request.may_be_one
    began = time.perf_counter()
    judged = _judge_all(task, tracker, steps_after)
    while request.ks is None and most < beyond and _still_rises(judged, most):
        first, most = most + 1, min(2 * most, beyond)
        more = Task(valleys, tuple(range(first, most + 1)), request, rows)
        judged += _judge_all(more, tracker, steps_after)
    judged.sort(key=lambda pair: -pair[1].rank)
    is_apart = _are_any_apart(judged, is_mixed=mixed is not None)
    ranks = {1: 0.0, **{candidate.k: separation.rank for candidate, separation in reversed(judged)}}
    settle_ties(judged, None if mixed is not None else valleys)
    wins = bool(judged) and (not may_be_one or is_apart)
    best_of_k = _best_of_each_k(judged)
    why_one = ONLY_ONE if request.is_one_group else why_none(judged)
    evidence = _evidence(task, best_of_k, judged[0][0].k if wins else 1, why_one, ranks, began)
    best = judged[0] if wins else None
    ranked = [
        explain(pair, best, is_best=wins and at == 0, ranks=ranks)
        for at, pair in enumerate(_distinct(judged))
    ]
    found = tuple(replace(each, labels=order.put_back(each.labels)) for each in ranked)
    labelings = {k: None if one is None else order.put_back(one) for k, one in evidence.labelings.items()}
    evidence = replace(evidence, labelings=labelings)
    is_last = wins and request.ks is None and found[0].k == most
    notes = (f"more than {most:,} groups were not tried",) if is_last and most > SOME_GROUPS else ()
    return Contest(found[0] if wins else None, found, evidence, is_apart, notes)


def contest_order(points: Data, request: FitRequest, mixed: MixedColumns | None) -> RowOrder:
    """Return the order in which methods see the rows."""
    if request.settings:
        return order_as_given(points)
    return order_of(points) if mixed is None else order_of_mixed(points)


def valleys_of(rows: Data, request: FitRequest, mixed: MixedColumns | None) -> Valleys:
    """Return the judge of some rows; of mixed ones, by the continuous points that they stand for."""
    if mixed is None:
        return Valleys(rows, request.distance or "euclidean")
    return Valleys(np.ascontiguousarray(mixed.points(rows)), blurred=True)


def _judge_all(task: Task, tracker: Tracker, steps_after: int) -> list[Judged]:
    """Return what every method proposes, judged: one thread judges while the next proposal is made."""
    methods = task.request.methods_to_compare(is_mixed=task.mixed is not None) if task.ks else ()
    judged: list[Callable[[], Judged]] = []
    with workers(1) as pool:
        for at, method in enumerate(methods):
            stage = f"comparing methods: {find_method(method).title}"
            tracker.report(at, stage=stage, total=len(methods) + steps_after)
            for parameters, labels in propose(method, task):
                labels = compact(np.asarray(labels)).astype(np.int32)
                if _is_worth_judging(task, labels):
                    judged.append(pool.submit(_judged, task, method, parameters, labels).result)
        return [result() for result in judged]


def _still_rises(judged: Sequence[Judged], most: int) -> bool:
    """Return whether the best of all has about as many groups as were tried: more may be better."""
    best = max(judged, key=lambda pair: pair[1].rank, default=None)
    return best is not None and best[1].rank > 0 and best[0].k >= RISING * most


def _most(valleys: Valleys, request: FitRequest) -> tuple[int, int]:
    """Return the largest number of groups that is tried first, and the largest that is worth trying."""
    n_rows = len(valleys.X)
    smooth = [tree for tree in valleys.trees if tree.n_neighbors >= SMOOTH] or valleys.trees[-1:]
    hills = max(int((tree.depths > HILL).sum()) + 1 for tree in smooth)
    beyond = max(2, n_rows // ROWS_PER_GROUP)
    at_once = max(request.budget.most_clusters, int(MARGIN * _significant_hills(valleys)) + 2)
    return min(max(SOME_GROUPS, int(MARGIN * hills) + 2), beyond, at_once), beyond


def _significant_hills(valleys: Valleys) -> int:
    """Return how many hills of the density rise further than a single cluster would show, at any scale.

    So many groups are tried whatever the budget: with half of them, every partition joins some, and none
    looks good enough to try more.
    """
    n_rows = len(valleys.X)
    counts = [
        int((tree.depths > null_depth(n_rows, tree.n_neighbors, tree.dimension, tree.dimension)).sum()) + 1
        for tree in valleys.trees
    ]
    return max(counts)


def _are_any_apart(judged: Sequence[Judged], *, is_mixed: bool) -> bool:
    """Return whether some partition is better than one group, whose rank is 0.

    A lead of one border that the next sample may not show is none, unless categories blur valleys; several
    borders that are all significant are not chance.
    """
    best = judged[0][1].rank if judged else 0.0
    significant = [other for _, other in judged if other.evidence.min() > 0]
    if best > (0.0 if is_mixed else ERROR):
        return bool(significant)
    return any(other.rank > 0 and len(other.evidence) > 1 for other in significant)


def _is_worth_judging(task: Task, labels: Labels) -> bool:
    """Return whether there are groups, as many as were asked for, and no crumbs."""
    k = int(labels.max()) + 1
    is_within = k <= max(task.most_share * len(labels), 2) and task.ks[0] <= k <= task.ks[-1]
    return k >= 2 and (is_within or task.request.is_settled)


def _judged(task: Task, method: str, parameters: ValuesByName, labels: Labels) -> Judged:
    separation = task.valleys.judge(labels)
    scores = {
        "separation": separation.score,
        "weakest_valley": float(separation.evidence.min()),
        "crossing": separation.crossing,
        "noise": float((labels < 0).mean()),
    }
    k = int(labels.max()) + 1
    return Candidate(method, k, labels, scores, "", parameters, task.n_levels), separation


def _best_of_each_k(
    judged: Sequence[Judged],
) -> dict[int, Judged]:
    best: dict[int, Judged] = {}
    for pair in judged:
        best.setdefault(pair[0].k, pair)
    return dict(sorted(best.items()))


def _distinct(judged: Sequence[Judged]) -> list[Judged]:
    """Return the best candidate of each method and number of groups, best first."""
    seen: dict[tuple[str, int], Judged] = {}
    for pair in judged:
        seen.setdefault((pair[0].method, pair[0].k), pair)
    return list(seen.values())


def _evidence(
    task: Task,
    best: dict[int, Judged],
    k: int,
    why_one: str,
    ranks: dict[int, float],
    began: float,
) -> Evidence:
    ks = (1, *best)
    labelings: dict[int, Labels | None] = {1: np.zeros(len(task.rows), dtype=np.int32)}
    labelings |= {k: candidate.labels for k, (candidate, _) in best.items()}
    crossing = [0.0, *(separation.crossing for _, separation in best.values())]
    curves = (
        Curve(
            "separation",
            "separation",
            ks,
            np.array([0.0, *(separation.score for _, separation in best.values())]),
            None,
            True,
            k,
            why_one if k == 1 else why_number(k, best, ranks),
        ),
        Curve(
            "crossing",
            "crossing",
            ks,
            np.array(crossing),
            None,
            False,
            None,
            "small is good, 0 for one group",
        ),
        _silhouettes(task, ks, labelings),
    )
    verdict = _verdict(k, ranks, curves, curves[0].reason)
    return Evidence("auto", ks, curves, labelings, (), verdict, (), time.perf_counter() - began)


def _silhouettes(task: Task, ks: tuple[int, ...], labelings: dict[int, Labels | None]) -> Curve:
    mixed = task.mixed
    points = task.rows if mixed is None else mixed.columns.factors(mixed.rows)
    metric = task.metric if mixed is None else "euclidean"
    rows = np.random.default_rng(task.seed).permutation(len(task.rows))[:SILHOUETTE_ROWS]
    values = np.full(len(ks), np.nan)
    for at, k in enumerate(ks[1:], start=1):
        labels = np.asarray(labelings[k])[rows]
        inside = labels >= 0
        n_here = np.unique(labels[inside]).size
        if 1 < n_here < inside.sum():
            values[at] = silhouette_score(points[rows][inside], labels[inside], metric=metric)
    choice = None if np.isnan(values).all() else int(ks[int(np.nanargmax(values))])
    note = f"from {SILHOUETTE_ROWS:,} rows" if len(task.rows) > SILHOUETTE_ROWS else ""
    return Curve("silhouette", "silhouette", ks, values, None, True, choice, "largest", note)


def _verdict(k: int, ranks: dict[int, float], curves: Sequence[Curve], reason: str) -> Verdict:
    """Return the number, and what speaks against it; `ranks` has the best of each number."""
    lead = ranks[k] - max((rank for number, rank in ranks.items() if number != k), default=-ENOUGH)
    error = ERROR * float(np.sqrt(max(k - 1, 1)))
    better = sorted(number for number, rank in ranks.items() if rank - ranks[k] > error)
    near = {number for number, rank in ranks.items() if number != k and ranks[k] - rank < CLOSE}
    against = [] if not better else [f"{_numbers(better)} would be better"]
    close = sorted(near - set(better))
    against += [] if not close else [f"{_numbers(close)} {'is' if len(close) == 1 else 'are'} close"]
    against += [
        f"{curve.title} would choose {curve.choice}" for curve in curves if curve.choice not in (None, k)
    ]
    return Verdict(k, {}, (reason,), tuple(against), float(1.0 / (1.0 + np.exp(-2.0 * max(lead, 0.0)))))


def _numbers(ks: Sequence[int]) -> str:
    """Name some numbers of groups.

    Examples
    --------
    >>> _numbers([2]), _numbers([1, 2, 3])
    ('k = 2', 'k = 1, k = 2 and k = 3')
    """
    *most, last = (f"k = {number}" for number in ks)
    return f"{', '.join(most)} and {last}" if most else last


@dataclass(frozen=True, eq=False)
class ChosenMethod:
    """A method and a number of groups."""

    winner: Candidate  # how groups are found; one group where the data show none
    contest: Contest | None  # all candidates; None where nothing was compared
    evidence: Evidence  # what speaks for the number of groups
    notes: tuple[str, ...] = ()  # what was done


def choose_method(compared: Compared, request: FitRequest, tracker: Tracker) -> ChosenMethod:
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
    n_levels = () if compared.mixed is None else compared.mixed.n_levels
    given = replace(_given(request), n_levels=n_levels) if request.is_settled else None
    if given is not None and not (request.believe and len(compared.rows) >= LEAST_ROWS):
        return ChosenMethod(given, None, _evidence_of(given))
    if _is_beyond(request, compared):
        winner = given or replace(_as_kmeans(request, is_mixed=bool(n_levels)), n_levels=n_levels)
        note = f"{winner.k:,} groups are too many to be judged on {len(compared.rows):,} rows"
        return ChosenMethod(winner, None, _evidence_of(winner), (note,))
    steps = STEPS_AFTER if request.believe else 0
    some = request.among(compared.rows, compared.n_rows)
    contest = run_contest(compared.points, some, tracker, steps_after=steps, mixed=compared.mixed)
    notes = (*contest.notes, *(() if compared.is_whole else (compared.note,)))
    winner = given or _for_all_rows(contest.winner, request) or one_group(request.seed, n_levels)
    return ChosenMethod(winner, contest, contest.evidence, notes)


def _for_all_rows(winner: Candidate | None, request: FitRequest) -> Candidate | None:
    """Return the winner with limits and pairs of all rows instead of those compared."""
    told = {name: request.settings[name] for name in ROW_SETTINGS if name in request.settings}
    return winner if winner is None or not told else replace(winner, parameters={**winner.parameters, **told})


def one_group(seed: int, n_levels: tuple[int, ...] = ()) -> Candidate:
    """Return the candidate of all rows in one group."""
    if n_levels:
        parameters = {"n_clusters": 1, "random_state": seed}
        return Candidate("kprototypes", 1, np.zeros(0, np.int32), {}, "", parameters, n_levels)
    return Candidate("kmeans", 1, np.zeros(0, np.int32), {}, "", {"n_clusters": 1, "random_state": seed})


def _given(request: FitRequest) -> Candidate:
    """Return the one way that was asked for."""
    assert request.methods is not None
    return _candidate(request, request.methods[0])


def _as_kmeans(request: FitRequest, *, is_mixed: bool = False) -> Candidate:
    """Return k-means, which takes any number of groups, where methods cannot be compared."""
    usual = "kmedoids" if request.distance is not None else "kprototypes"
    return _candidate(request, (request.methods or (usual if is_mixed else "kmeans",))[0])


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
