"""The contest on some points, and its winner fitted to all rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import Labels
from coterie.pipeline.candidate import Candidate
from coterie.pipeline.compete import Contest, compete
from coterie.pipeline.describe import Prepared
from coterie.pipeline.families import Task
from coterie.pipeline.judge.density_valleys import Valleys
from coterie.pipeline.recipe import Recipe
from coterie.pipeline.request import Asked

TOO_FEW = 10  # rows below which no method can tell groups from chance
ROWS_PER_GROUP = 8
SOME_GROUPS = 8  # numbers up to this are always tried
MARGIN = 1.3  # numbers are tried up to so many times the hills of the density
HILL = 1.2  # standard errors that a hill rises at least
SMOOTH = 12  # neighbours of a density that shows few hills by chance


def run_contest(points: Any, asked: Asked, seed: int, tracker: Tracker, *, steps_after: int = 0) -> Contest:
    """Let the methods compete on some points; the tracker hears of the steps that follow too."""
    points = np.ascontiguousarray(points)
    valleys = Valleys(points, asked.distance or "euclidean")
    numbers, is_wish = asked.numbers(_most(valleys, asked)), asked.ks is not None
    task = Task(valleys, numbers, asked.distance, asked.budget, seed, is_wish)
    methods = asked.methods_for(points)
    return compete(task, methods, tracker, may_be_one=asked.may_be_one, steps_after=steps_after)


def _most(valleys: Valleys, asked: Asked) -> int:
    """Return the largest number of groups that is worth trying."""
    n_rows = len(valleys.X)
    smooth = [tree for tree in valleys.trees if tree.n_neighbors >= SMOOTH] or valleys.trees[-1:]
    hills = max(int((tree.depths > HILL).sum()) + 1 for tree in smooth)
    most = max(SOME_GROUPS, int(MARGIN * hills) + 2)
    return max(2, min(most, n_rows // ROWS_PER_GROUP, asked.budget.most_clusters))


def settle(
    prepared: Prepared, asked: Asked, contest: Contest, judged: Any, seed: int
) -> tuple[Any, Labels, list[str]]:
    """Return the fitted estimator of the winner, the label of every row, and what was done."""
    n_rows = len(prepared.complete.rows)
    notes = [] if n_rows == len(judged) else [_compared(prepared, asked, len(judged))]
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


def _compared(prepared: Prepared, asked: Asked, n_judged: int) -> str:
    n_rows = len(prepared.complete.rows)
    if n_judged < asked.budget.rows:
        return f"{n_rows - n_judged:,} of {n_rows:,} rows are copies of others: methods were compared without"
    return f"methods were compared on {n_judged:,} of {n_rows:,} rows"


def one_group(seed: int) -> Candidate:
    """Return the candidate of all rows in one group."""
    return Candidate("kmeans", 1, np.zeros(0, np.int32), {}, "", {"n_clusters": 1, "random_state": seed})


def _labels_of(estimator: Any, points: Any) -> Labels:
    labels = getattr(estimator, "labels_", None)
    return np.asarray(estimator.predict(points) if labels is None else labels)


def recipe_of(prepared: Prepared, asked: Asked, contest: Contest, seed: int) -> Recipe:
    """Return how the winner was found."""
    winner = contest.winner or one_group(seed)
    starts = winner.parameters.get("n_init")
    scale = prepared.scaling.how
    return Recipe(winner.method, winner.k, scale, asked.distance, starts, None, seed)
