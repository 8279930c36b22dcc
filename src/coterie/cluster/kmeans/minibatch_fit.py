"""Mini-batch k-means: the first centres, steps, and when to stop making them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.progress import Tracker
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import Centers, CheckedRows, Data, Indices, Init, SparseData, Weights
from coterie.cluster.kmeans.empty_clusters import light_clusters
from coterie.cluster.kmeans.points import csr_parts
from coterie.cluster.kmeans.spaces import label_rows, points_of
from coterie.cluster.kmeans.starts import make_start, seed_of_restart
from coterie.errors import ParameterNotice

INIT_BATCHES = 3  # rows that starts are picked from, in batches or in clusters
ROWS_PER_REASSIGNMENT = 10  # per cluster: how many rows pass before light centres are looked for


@dataclass(frozen=True)
class MiniBatchPlan:
    """What to run: checked parameters, with every "auto" and None resolved against the data."""

    n_clusters: int
    init: Init
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
        warn_caller(
            f"init_size={init_size} should be larger than n_clusters={n_clusters}. Setting it to "
            f"min(3*n_clusters, n_samples)",
            ParameterNotice,
        )
        size = INIT_BATCHES * n_clusters
    else:
        size = init_size
    return min(size, n_rows)


def first_state(X: Data | SparseData, weights: Weights | None, plan: MiniBatchPlan) -> BatchState:
    """Return the best of ``plan.n_init`` starts, judged on a random part of the rows."""
    draw = BatchDraw(X.shape[0], weights, np.random.default_rng([plan.seed, 1]))
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
        if best is None or is_lower(inertia, least):
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
    draw = BatchDraw(n_rows, weights, random)
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
    X: Data | SparseData, weights: Weights | None, draw: BatchDraw, plan: MiniBatchPlan, seed: int
) -> Centers:
    if plan.init_size < X.shape[0]:
        X, weights = X[draw(plan.init_size)], None
    points = points_of(X, weights)
    centers = make_start(points, plan.init, plan.n_clusters, seed, who=plan.who).centers
    # with too few different rows, some centres begin at the same place
    return np.ascontiguousarray(np.resize(centers, (plan.n_clusters, X.shape[1])))


@dataclass(frozen=True, eq=False)
class BatchState:
    """Centres, the weight each has seen, and the rows seen since light centres were looked for."""

    centers: Centers
    counts: Weights
    n_since_look: int = 0


@dataclass(frozen=True)
class StepRules:
    """How a step goes: the share of the largest count below which a centre is light, threads, an ear."""

    reassignment_ratio: float
    n_threads: int
    say: Callable[[str], None]


def step(
    state: BatchState,
    X: Data | SparseData,
    weights: Weights | None,
    random: np.random.Generator,
    rules: StepRules,
) -> tuple[BatchState, float]:
    """Return the state after one batch, and the inertia of the batch before it.

    Each centre moves to the mean of all it has seen: ``c += (mean of its rows - c) * W / (count + W)``, W the
    weight of its rows in this batch.
    """
    move = _move_sparse if issparse(X) else _core.kmeans_step
    centers, counts, inertia = move(X, state.centers, state.counts, weights, rules.n_threads)
    n_since_look = state.n_since_look + X.shape[0]
    moved = BatchState(centers, counts, n_since_look)
    # looked for before the step, as scikit-learn does: a centre without rows is never left alone
    if (state.counts == 0).any() or n_since_look >= ROWS_PER_REASSIGNMENT * len(centers):
        moved = _reassign(replace(moved, n_since_look=0), X, random, rules)
    return moved, inertia


def _move_sparse(
    X: SparseData, centers: Centers, counts: Weights, weights: Weights | None, n_threads: int
) -> tuple[Centers, Weights, float]:
    labels, squared = _core.sparse_nearest(*csr_parts(X), centers, n_threads)
    rows = np.arange(X.shape[0])
    heavy = np.ones(X.shape[0]) if weights is None else weights
    belongs = csr_array((heavy, (labels, rows)), shape=(len(centers), X.shape[0]))
    added = belongs.sum(axis=1)
    means = (belongs @ X).toarray() / np.where(added > 0, added, 1.0)[:, None]
    seen = counts + added
    share = (added / np.where(seen > 0, seen, 1.0))[:, None]
    moved = np.where(share > 0, centers + (means - centers) * share, centers)
    return moved.astype(centers.dtype), seen, float(squared @ heavy)


def _reassign(
    state: BatchState, X: Data | SparseData, random: np.random.Generator, rules: StepRules
) -> BatchState:
    """Return the state with light centres moved to random rows of the batch, at most half of them."""
    counts = state.counts
    is_light = light_clusters(counts, rules.reassignment_ratio, most=X.shape[0] // 2)
    n_light = int(is_light.sum())
    if n_light == 0:
        return state
    rules.say(f"[MiniBatchKMeans] Reassigning {n_light} cluster centers.")
    rows: CheckedRows = X[random.choice(X.shape[0], n_light, replace=False)]
    centers, counts = state.centers.copy(), counts.copy()
    centers[is_light] = rows.toarray() if issparse(rows) else rows
    # not zero, or they would be reassigned at once
    counts[is_light] = counts[~is_light].min()
    return BatchState(centers, counts, state.n_since_look)


class BatchDraw:
    """Draws rows with replacement, by weight."""

    def __init__(self, n_rows: int, weights: Weights | None, random: np.random.Generator) -> None:
        self._n_rows = n_rows
        self._random = random
        self._cumulative = None if weights is None else np.cumsum(weights)

    def __call__(self, size: int) -> Indices:
        if self._cumulative is None:
            return self._random.integers(self._n_rows, size=size)
        values = self._random.random(size) * self._cumulative[-1]
        rows: Indices = np.searchsorted(self._cumulative, values, side="right")
        return np.minimum(rows, self._n_rows - 1, out=rows)


@dataclass(frozen=True)
class PatienceRules:
    """When to stop: see `MiniBatchKMeans`."""

    tolerance: float
    max_no_improvement: int | None
    smoothing: float  # weight of a new batch in the running mean
    n_steps: int
    say: Callable[[str], None]


class Patience:
    """Watches the inertia of the batches and the shift of the centres."""

    def __init__(self, rules: PatienceRules) -> None:
        self._rules = rules
        self._n_done = 0
        self._n_worse = 0
        self._least: float | None = None
        self._smoothed: float | None = None  # without the first batch, which shows the start
        self._latest = 0.0

    @property
    def inertia_per_row(self) -> float:
        """Running mean over the batches."""
        return self._latest if self._smoothed is None else self._smoothed

    def is_over(self, inertia_per_row: float, squared_shift: float) -> bool:
        """Return whether the step just made was the last."""
        rules = self._rules
        self._n_done += 1
        self._latest = inertia_per_row
        at = f"{self._n_done}/{rules.n_steps}"
        if self._n_done == 1:
            rules.say(f"Minibatch step {at}: mean batch inertia: {inertia_per_row}")
            return False
        alpha = 1.0 if self._smoothed is None else rules.smoothing
        self._smoothed = (self._smoothed or 0.0) * (1 - alpha) + inertia_per_row * alpha
        rules.say(
            f"Minibatch step {at}: mean batch inertia: {inertia_per_row}, ewa inertia: {self._smoothed}"
        )
        if rules.tolerance > 0.0 and squared_shift <= rules.tolerance:
            rules.say(f"Converged (small centers change) at step {at}")
            return True
        is_better = self._least is None or self._smoothed < self._least
        self._least = self._smoothed if is_better else self._least
        self._n_worse = 0 if is_better else self._n_worse + 1
        if rules.max_no_improvement is not None and self._n_worse >= rules.max_no_improvement:
            rules.say(f"Converged (lack of improvement in inertia) at step {at}")
            return True
        return False
