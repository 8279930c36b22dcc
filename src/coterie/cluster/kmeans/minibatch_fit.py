"""Mini-batch k-means from the first centres to the last step."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.caller import caller_level
from coterie._support.progress import Tracker
from coterie._support.threads import resolve_threads
from coterie._support.typing import Centers, Data, SparseData, Weights
from coterie.cluster.kmeans.minibatch_steps import BatchState, Draw, Patience, PatienceRules, StepRules, step
from coterie.cluster.kmeans.spaces import label_rows, points_of
from coterie.cluster.kmeans.starts import make_start, seed_of_restart

INIT_BATCHES = 3  # rows that starts are picked from, in batches or in clusters


@dataclass(frozen=True)
class MiniBatchPlan:
    """What to run: checked parameters, with every "auto" and None resolved against the data."""

    n_clusters: int
    init: Any
    n_init: int
    init_size: int
    batch_size: int
    max_iter: int
    tol: float
    max_no_improvement: int | None
    reassignment_ratio: float
    seed: int
    who: str
    say: Callable[[str], None]

    @property
    def step_rules(self) -> StepRules:
        """The part that concerns a single step."""
        return StepRules(self.reassignment_ratio, resolve_threads(), self.say)


@dataclass(frozen=True)
class BatchFit:
    """Where the steps ended; the inertia per row is an estimate from the batches."""

    state: BatchState
    n_steps: int
    inertia_per_row: float


def resolve_init_size(init_size: int | None, batch_size: int, n_clusters: int, n_rows: int) -> int:
    """Return how many rows starts are picked from.

    Examples
    --------
    >>> resolve_init_size(None, batch_size=5, n_clusters=10, n_rows=100)
    15
    """
    if init_size is None:
        size = INIT_BATCHES * batch_size
        size = size if size >= n_clusters else INIT_BATCHES * n_clusters
    elif init_size < n_clusters:
        warnings.warn(
            f"init_size={init_size} should be larger than n_clusters={n_clusters}. Setting it to "
            f"min(3*n_clusters, n_samples)",
            RuntimeWarning,
            stacklevel=caller_level(),
        )
        size = INIT_BATCHES * n_clusters
    else:
        size = init_size
    return min(size, n_rows)


def first_state(X: Data | SparseData, weights: Weights | None, plan: MiniBatchPlan) -> BatchState:
    """Return the best of ``plan.n_init`` starts, judged on a random part of the rows."""
    draw = Draw(X.shape[0], weights, np.random.default_rng([plan.seed, 1]))
    judges = X[draw(plan.init_size)] if plan.n_init > 1 else None
    best: Centers | None = None
    least = np.inf
    for restart in range(plan.n_init):
        plan.say(f"Init {restart + 1}/{plan.n_init} with method {plan.init}")
        centers = _one_start(X, weights, draw, plan, seed_of_restart(plan.seed, restart))
        if judges is None:
            best = centers
            break
        inertia = label_rows(judges, centers, centers.mean(axis=0), None)[1]
        plan.say(f"Inertia for init {restart + 1}/{plan.n_init}: {inertia}")
        if best is None or inertia < least:
            best, least = centers, inertia
    assert best is not None  # n_init is at least 1
    return BatchState(best, np.zeros(plan.n_clusters))


def run_batches(
    X: Data | SparseData, weights: Weights | None, plan: MiniBatchPlan, tracker: Tracker
) -> BatchFit:
    """Make steps until patience or `max_iter` ends them."""
    n_rows = X.shape[0]
    n_steps = plan.max_iter * n_rows // plan.batch_size
    state, rules = first_state(X, weights, plan), plan.step_rules
    random = np.random.default_rng([plan.seed, 2])
    draw = Draw(n_rows, weights, random)
    smoothing = min(1.0, plan.batch_size * 2.0 / (n_rows + 1))
    tolerance = plan.tol * points_of(X, weights).mean_variance if plan.tol else 0.0
    patience = Patience(PatienceRules(tolerance, plan.max_no_improvement, smoothing, n_steps, plan.say))
    n_done = 0
    for n_done in range(1, n_steps + 1):
        # rows are drawn by weight, so that in the batch they weigh the same
        before = state.centers
        state, inertia = step(state, X[draw(plan.batch_size)], None, random, rules)
        tracker.report(n_done, total=n_steps)
        shift = float(((state.centers - before) ** 2).sum()) if tolerance else 0.0
        if patience.is_over(inertia / plan.batch_size, shift):
            break
    return BatchFit(state, n_done, patience.inertia_per_row)


def _one_start(
    X: Data | SparseData, weights: Weights | None, draw: Draw, plan: MiniBatchPlan, seed: int
) -> Centers:
    if plan.init_size < X.shape[0]:
        X, weights = X[draw(plan.init_size)], None
    points = points_of(X, weights)
    centers = make_start(points, plan.init, plan.n_clusters, seed, who=plan.who).centers
    # with too few different rows, some centres begin at the same place
    return np.ascontiguousarray(np.resize(centers, (plan.n_clusters, X.shape[1])))
