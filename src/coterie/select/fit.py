"""Clustering without questions: look at the data, prepare, compare methods, answer, and say how sure."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._progress import ProgressOption, Tracker, track
from coterie._typing import Labels
from coterie._validation import Seed, check_parameter, check_seed
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput
from coterie.evaluate import Comparison, Significance, Stability, compare, significance, stability
from coterie.groups import Prepared, Recipe, describe_groups, prepare_table
from coterie.read import Table, as_table, check_policy
from coterie.select.asked import Asked, check_asked
from coterie.select.candidate import Candidate
from coterie.select.clustering import Clustering
from coterie.select.compete import Contest, compete
from coterie.select.families import Task
from coterie.select.valleys import Valleys

ONE_SCALE = 5.0  # columns whose spreads differ by no more are taken to be in one unit, and left as they are
LEAST_ROWS = 4
TOO_FEW = 10  # rows below which no method can tell groups from chance
ROWS_PER_GROUP = 8
SOME_GROUPS = 8  # numbers up to this are always tried
MARGIN = 1.3  # numbers are tried up to so many times the hills of the density
HILL = 1.2  # standard errors that a hill rises at least
STAGES = 3


def fit(
    X: Any,
    method: str = "auto",
    k: Any = "auto",
    *,
    distance: str = "auto",
    scale: str = "auto",
    truth: Any = None,
    budget: str = "normal",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
    random_state: Any = 0,
    progress: ProgressOption = None,
) -> Clustering:
    """Find the groups in data: how many, by which method, and whether to believe them.

    Several methods are tried for every sensible number of groups. One judge compares them, whatever method
    they come from: between each two neighbouring groups the density must fall, at some scale, further than it
    does within one cloud of as many rows; a partition that divides what nothing divides loses. "No groups" is
    an answer like any other.

    Parameters
    ----------
    X : array-like, DataFrame, Table, or path of a file
        The data. Of tables, columns of text, dates, keys and constants are left out, with a note.
    method : str, default="auto"
        A name of `coterie.cluster.catalogue()`, several joined by commas, or "auto".
    k : int, range, "A..B" or "auto", default="auto"
        Number of groups, numbers to choose from, or whatever there is, 1 (no groups) included.
    distance : str, default="auto"
        A name of `coterie.distance.catalogue()`; "auto" is Euclidean.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        "auto" standardises the columns when their spreads differ by more than five times.
    truth : str or array-like, default=None
        Column, or class of each row: not used to find the groups, only to compare with.
    budget : {"fast", "normal", "thorough"}, default="normal"
        How long it may take.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values.
    random_state : int, RandomState, Generator or None, default=0
        Same number, same data, same answer.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Returns
    -------
    Clustering

    Examples
    --------
    >>> import coterie
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> coterie.fit(X, budget="fast").k
    3
    >>> coterie.fit(rng.normal(size=(200, 2)), budget="fast").k
    1
    """
    began = time.perf_counter()
    asked = check_asked(method, k, distance, scale, budget)
    check_policy(missing)
    check_parameter(random_state, Seed(), name="random_state", who="coterie.fit")
    seed = check_seed(random_state)
    table = as_table(X)
    classes, dropped = _truth(table, truth)
    prepared = _prepare(table, asked, [*drop, *dropped], keep, missing)
    with track(progress, "comparing methods", total=None) as tracker:
        judged = _sample(prepared, asked, seed)
        contest = _compete(prepared.points[judged], asked, seed, tracker)
        estimator, labels, notes = _settle(prepared, asked, contest, judged, seed)
        recipe = _recipe(prepared, asked, contest, seed)
        groups = describe_groups(
            prepared, recipe, estimator, labels, seconds=time.perf_counter() - began, notes=tuple(notes)
        )
        points = prepared.points[judged]
        stable, chance = _believe(points, groups.labels, prepared, judged, contest, asked, seed, tracker)
    return Clustering(
        groups=groups,
        method=recipe.method,
        evidence=contest.evidence,
        stability=stable,
        significance=chance,
        runners_up=contest.others,
        comparison=_comparison(classes, groups.labels),
        notes=groups.notes,
        budget=asked.budget.name,
        seed=seed,
        seconds=time.perf_counter() - began,
        table=table,
        classes=classes,
        arguments={
            "method": method,
            "k": k,
            "distance": distance,
            "scale": scale,
            "truth": truth,
            "budget": budget,
            "drop": list(drop),
            "keep": list(keep),
            "missing": missing,
            "random_state": random_state,
        },
    )


def _truth(table: Table, truth: Any) -> tuple[Any, list[str]]:
    """Return the class of each row, and the column to leave out because it holds them."""
    if truth is None:
        return None, []
    if isinstance(truth, str):
        if truth not in table.columns:
            raise InvalidParameter(f'{table.source}: no column "{truth}" to compare with.')
        if table.is_matrix:
            return np.asarray(table.content)[:, table.columns.index(truth)], [truth]
        return np.array([str(value) for value in table.content[truth]]), [truth]
    classes = np.asarray(truth)
    if classes.shape != (table.n_rows,):
        raise InvalidData(f"truth must have one class per row, {table.n_rows}, got shape {classes.shape}.")
    return classes, []


def _comparison(classes: Any, labels: Labels) -> Comparison | None:
    if classes is None:
        return None
    there = labels != -2
    return compare(classes[there], labels[there])


def _prepare(table: Table, asked: Asked, drop: Sequence[str], keep: Sequence[str], missing: str) -> Prepared:
    scale = "none" if asked.scale is None else asked.scale
    prepared = prepare_table(table, scale=scale, drop=drop, keep=keep, missing=missing)
    if issparse(prepared.points):
        raise UnsupportedInput(
            f"{table.source}: coterie.fit takes dense data, got a sparse matrix. Use coterie.cluster.KMeans, "
            "which takes sparse ones, or X.toarray()."
        )
    n_rows = len(prepared.complete.rows)
    if n_rows < LEAST_ROWS:
        raise InvalidData(f"{table.source}: coterie.fit needs at least {LEAST_ROWS} rows, got {n_rows}.")
    if asked.scale is None and _needs_scaling(prepared.complete.X):
        prepared = prepare_table(table, scale="standard", drop=drop, keep=keep, missing=missing)
    return prepared


def _needs_scaling(X: Any) -> bool:
    spreads = np.asarray(X.std(axis=0, dtype=np.float64))
    spreads = spreads[spreads > 0]
    return bool(spreads.size and spreads.max() > ONE_SCALE * spreads.min())


def _sample(prepared: Prepared, asked: Asked, seed: int) -> Any:
    """Return the rows that methods are compared on, in their order."""
    n_rows = len(prepared.complete.rows)
    if n_rows <= asked.budget.rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, asked.budget.rows, replace=False))


def _compete(points: Any, asked: Asked, seed: int, tracker: Tracker) -> Contest:
    points = np.ascontiguousarray(points)
    valleys = Valleys(points, asked.distance or "euclidean")
    task = Task(valleys, asked.numbers(_most(valleys, asked)), asked.distance, asked.budget, seed)
    return compete(task, asked.methods_for(points), tracker, may_be_one=asked.may_be_one)


def _most(valleys: Valleys, asked: Asked) -> int:
    """Return the largest number of groups that is worth trying."""
    n_rows = len(valleys.X)
    hills = max(int((tree.depths > HILL).sum()) + 1 for tree in valleys.trees)
    most = max(SOME_GROUPS, int(MARGIN * hills) + 2)
    return max(2, min(most, n_rows // ROWS_PER_GROUP, asked.budget.most_clusters))


def _settle(
    prepared: Prepared, asked: Asked, contest: Contest, judged: Any, seed: int
) -> tuple[Any, Labels, list[str]]:
    """Return the fitted estimator of the winner, the label of every row, and what was done."""
    n_rows = len(prepared.complete.rows)
    notes = [] if n_rows == len(judged) else [f"methods were compared on {len(judged):,} of {n_rows:,} rows"]
    if n_rows < TOO_FEW:
        notes.append(f"{n_rows} rows are too few to tell groups from chance")
    winner = contest.winner or one_group(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if contest.winner is None or n_rows == len(judged):
            estimator = winner.make().fit(prepared.points)
            return estimator, _labels_of(estimator, prepared.points), notes
        estimator = winner.make().fit(np.ascontiguousarray(prepared.points[judged]))
        if winner.method == "kmeans" and asked.distance is None:
            start = np.asarray(estimator.cluster_centers_)
            whole = replace(winner, parameters={**winner.parameters, "init": start, "n_init": 1})
            estimator = whole.make().fit(prepared.points)
            return estimator, _labels_of(estimator, prepared.points), notes
        notes.append("the other rows are placed by its predict")
        return estimator, np.asarray(estimator.predict(prepared.points)), notes


def one_group(seed: int) -> Candidate:
    """Return the candidate of all rows in one group."""
    return Candidate("kmeans", 1, np.zeros(0, np.int32), {}, "", {"n_clusters": 1, "random_state": seed})


def _labels_of(estimator: Any, points: Any) -> Labels:
    labels = getattr(estimator, "labels_", None)
    return np.asarray(estimator.predict(points) if labels is None else labels)


def _recipe(prepared: Prepared, asked: Asked, contest: Contest, seed: int) -> Recipe:
    winner = contest.winner or one_group(seed)
    starts = winner.parameters.get("n_init")
    scale = prepared.scaling.how
    return Recipe(winner.method, winner.k, scale, asked.distance, starts, None, seed)


def _believe(
    points: Any,
    labels: Labels,
    prepared: Prepared,
    judged: Any,
    contest: Contest,
    asked: Asked,
    seed: int,
    tracker: Tracker,
) -> tuple[Stability | None, Significance | None]:
    """Return whether the groups come back in resamples, and whether data without groups look as good."""
    chosen = contest.winner or (contest.others[0] if contest.others else None)
    if chosen is None or len(points) < TOO_FEW:
        return None, None
    budget, points = asked.budget, np.ascontiguousarray(points)
    numbers = labels[prepared.complete.rows][judged] - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stable = None
        if contest.winner is not None:
            tracker.report(1, stage="stability", total=STAGES)
            numbers = np.where(numbers < 0, -1, numbers)
            stable = stability(
                chosen.make(), points, n_resamples=budget.resamples, labels=numbers, random_state=seed
            )
        tracker.report(2, stage="chance", total=STAGES)
        chance = significance(
            chosen.make(),
            points,
            measure=separation,
            n_draws=budget.draws,
            sample_size=min(budget.draw_rows, len(points)),
            random_state=seed,
        )
    return stable, chance


def separation(X: Any, labels: Any) -> float:
    """Return how well groups are apart, by `Valleys`: what the p-value compares."""
    return Valleys(np.ascontiguousarray(X)).judge(np.asarray(labels)).score
