"""From a source of distances to medoids: first ones, restarts, and the ways that look at a sample only."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie import _core
from coterie._support.progress import Tracker
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, Distances, Indices, Init, Weights
from coterie._support.validation import engine_count
from coterie.cluster.kmeans.starts import n_candidates, seed_of_restart
from coterie.cluster.medoids.sources import Source
from coterie.errors import InvalidData

SAMPLING = ("clara", "onebatch")
LEAST_SUBSAMPLE = 1000  # of CLARA; subsamples grow with the number of clusters
ROWS_PER_CLUSTER = 40
BATCH_FACTOR = 100  # OneBatchPAM: 100 ln(k n) points [mathelin-2025]
NAMED_MEDOIDS = ("build", "lab", "k-medoids++", "random")
LAB_EXTRA = 10  # LAB looks at 10 + sqrt(n) rows per pick [schubert-2021]


@dataclass(frozen=True)
class MedoidPlan:
    """Everything `KMedoids` was told, checked."""

    n_clusters: int
    method: str
    init: Init
    n_init: int
    max_iter: int
    sample_size: int | None
    n_subsamples: int
    seed: int

    @property
    def maximises_silhouette(self) -> bool:
        """Whether swaps improve the medoid silhouette instead of the sum of distances."""
        return self.method == "fastermsc"


@dataclass(frozen=True, eq=False)
class MedoidRun:
    """Medoids and how they were found."""

    medoids: Indices
    loss: float
    n_swaps: int
    n_iter: int
    is_settled: bool
    is_exact: bool = True  # all rows have judged


def total_distance(near: Distances, weights: Weights | None) -> float:
    """Return the weighted sum of distances; refuse one that no number holds."""
    with np.errstate(over="ignore"):
        total = float(near.sum(dtype=np.float64) if weights is None else near @ weights)
    if not np.isfinite(total):
        raise InvalidData(
            f"the distances of X are too large for float64: the largest to a medoid is {near.max():.3g}, and "
            f"their sum overflows. Divide X by a constant first."
        )
    return total


class Swaps:
    """Runs of swaps that report to one tracker."""

    def __init__(self, plan: MedoidPlan, tracker: Tracker) -> None:
        self._plan, self._tracker = plan, tracker
        self._n_done = 0

    def best(self, source: Source, weights: Weights | None, candidates: Indices) -> MedoidRun:
        """Return the best of the plan's restarts; the first of equals."""
        plan, threads = self._plan, resolve_threads()
        if plan.n_clusters == 1:  # the first pick of BUILD is the answer
            medoids = np.asarray(source.build(candidates, weights, 1, threads), dtype=np.int64)
            return MedoidRun(medoids, total_distance(source.rows(medoids)[0], weights), 0, 1, True)
        starts = [
            first_medoids(plan.init, source, candidates, weights, plan.n_clusters, seed, threads)
            for seed in (seed_of_restart(plan.seed, i) for i in range(plan.n_init))
        ]
        objective = (
            _core.MedoidObjective.silhouette if plan.maximises_silhouette else _core.MedoidObjective.distance
        )
        rule = _core.SwapRule.best if plan.method == "pam" else _core.SwapRule.first
        options = _core.SwapOptions(objective, rule, engine_count(plan.max_iter), threads)
        report = self._pass if self._tracker.is_watched else None
        outcomes = source.swap(candidates, weights, np.stack(starts), options, report)
        found = outcomes[0]
        for outcome in outcomes[1:]:
            found = outcome if is_lower(outcome.loss, found.loss) else found
        medoids = np.asarray(found.medoids, dtype=np.int64)
        return MedoidRun(medoids, found.loss, found.n_swaps, found.n_passes, found.is_settled)

    def _pass(self, iteration: int, loss: float) -> None:
        self._n_done += 1
        self._tracker.report(self._n_done)


def find_medoids(source: Source, weights: Weights | None, plan: MedoidPlan, tracker: Tracker) -> MedoidRun:
    """Return the medoids that the plan's method finds."""
    candidates = np.arange(source.n_candidates) if weights is None else np.flatnonzero(weights)
    if len(candidates) < plan.n_clusters:  # rows without weight cannot be medoids
        plan = replace(plan, n_clusters=len(candidates), init="build")
    size = min(max(_sample_size(plan, source.n_candidates), plan.n_clusters), len(candidates))
    if size == len(candidates):
        return Swaps(plan, tracker).best(source, weights, candidates)
    by_sample = _by_subsamples if plan.method == "clara" else _by_one_batch
    return replace(by_sample(source, weights, candidates, size, plan, tracker), is_exact=False)


def _sample_size(plan: MedoidPlan, n_rows: int) -> int:
    """Return how many rows the plan wants to look at."""
    if plan.method not in SAMPLING:
        return n_rows
    if plan.sample_size is not None:
        return plan.sample_size
    if plan.method == "clara":
        return max(LEAST_SUBSAMPLE, ROWS_PER_CLUSTER * plan.n_clusters)
    return int(BATCH_FACTOR * np.log(plan.n_clusters * n_rows + 1))


def _by_subsamples(
    source: Source,
    weights: Weights | None,
    candidates: Indices,
    size: int,
    plan: MedoidPlan,
    tracker: Tracker,
) -> MedoidRun:
    """CLARA: medoids of subsamples, judged by all rows; each subsample holds the best medoids so far."""
    best: MedoidRun | None = None
    swaps = Swaps(plan, tracker)
    for number in range(plan.n_subsamples):
        random = np.random.default_rng([plan.seed, number])
        drawn = random.choice(candidates, size, replace=False)
        if best is not None:
            others = np.setdiff1d(drawn, best.medoids, assume_unique=True)
            drawn = np.concatenate([best.medoids, others[: size - len(best.medoids)]])
        drawn = np.sort(drawn)
        own_weights = None if weights is None else weights[drawn]
        run = swaps.best(source.take(drawn), own_weights, np.arange(size))
        medoids = drawn[run.medoids]
        _, near = source.nearest(medoids, resolve_threads())
        loss = total_distance(near, weights)
        n_swaps, n_iter = (
            (run.n_swaps, run.n_iter)
            if best is None
            else (best.n_swaps + run.n_swaps, best.n_iter + run.n_iter)
        )
        if best is None or is_lower(loss, best.loss):
            best = MedoidRun(medoids, loss, n_swaps, n_iter, run.is_settled)
        else:
            best = replace(best, n_swaps=n_swaps, n_iter=n_iter)
    assert best is not None  # n_subsamples is at least 1
    return best


def _by_one_batch(
    source: Source,
    weights: Weights | None,
    candidates: Indices,
    size: int,
    plan: MedoidPlan,
    tracker: Tracker,
) -> MedoidRun:
    """OneBatchPAM: all rows are candidates, a weighted batch of rows stands for all of them."""
    batch = np.sort(np.random.default_rng(plan.seed).choice(candidates, size, replace=False))
    owners, _ = source.nearest(batch, resolve_threads())
    stands_for = np.bincount(owners, weights, minlength=size).astype(np.float64)
    return Swaps(plan, tracker).best(source.against(batch), stands_for, candidates)


def check_first_medoids(init: Init, n_clusters: int, n_rows: int, *, who: str) -> Indices:
    """Return given first medoids as row numbers, or say what is wrong with them."""
    rows = np.asarray(init)
    if rows.dtype.kind not in "iu" or rows.shape != (n_clusters,):
        raise InvalidData(
            f"init of {who} must be {n_clusters} row numbers, one per cluster, got an array of "
            f"{rows.dtype} of shape {rows.shape}."
        )
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = rows[(rows < 0) | (rows >= n_rows)][0]
        raise InvalidData(f"init of {who} must be row numbers from 0 to {n_rows - 1}, got {wrong}.")
    if len(np.unique(rows)) != n_clusters:
        raise InvalidData(f"init of {who} must be different rows, got {np.array2string(rows, threshold=8)}.")
    return rows.astype(np.int64)


def first_medoids(
    init: Init, source: Source, candidates: Indices, weights: Weights | None, k: int, seed: int, threads: int
) -> Indices:
    """Return k different candidates to start from; `weights` are those of the points of the source."""
    if not isinstance(init, str):
        return np.asarray(init)
    if init == "build":
        return np.asarray(source.build(candidates, weights, k, threads), dtype=np.int64)
    random = np.random.default_rng(seed)
    if init == "random":
        return random.choice(candidates, k, replace=False).astype(np.int64)
    heavy = np.arange(len(source.points)) if weights is None else np.flatnonzero(weights)
    picker = _Picker(source, weights, random)
    for _ in range(min(k, len(heavy))):
        if init == "lab":
            picker.pick_by_sample(heavy)
        else:
            picker.pick_by_chance(heavy, n_candidates(k))
    return _filled(picker.medoids(), candidates, k, random)


class _Picker:
    """Points that become medoids one by one; keeps how far each point is from them."""

    def __init__(self, source: Source, weights: Weights | None, random: np.random.Generator) -> None:
        self._source, self._weights, self._random = source, weights, random
        self._near: Distances = np.full(len(source.points), np.inf)
        self._picked: list[int] = []

    def medoids(self) -> Indices:
        return self._source.points[self._picked]

    def pick_by_sample(self, heavy: Indices) -> None:
        """Take the point of a sample that lowers the sample's own sum most."""
        left = np.setdiff1d(heavy, self._picked, assume_unique=True)
        size = min(len(left), LAB_EXTRA + int(np.ceil(np.sqrt(len(heavy)))))
        sample = np.sort(self._random.choice(left, size, replace=False))
        among = self._source.rows(self._source.points[sample])[:, sample]
        sums = self._total(np.minimum(among, self._near[sample]), sample)
        self._add(int(sample[np.argmin(sums)]))

    def pick_by_chance(self, heavy: Indices, n_draws: int) -> None:
        """Draw points in proportion to their distance, take the one that lowers the sum most."""
        chances = np.ones(len(heavy)) if not self._picked else self._near[heavy].astype(np.float64)
        chances = chances if self._weights is None else chances * self._weights[heavy]
        if not chances.any():  # every point lies on a medoid
            left = np.setdiff1d(heavy, self._picked, assume_unique=True)
            self._add(int(left[0]))
            return
        draws = heavy[
            self._random.choice(len(heavy), n_draws if self._picked else 1, p=chances / chances.sum())
        ]
        rows = np.minimum(self._source.rows(self._source.points[draws]), self._near)
        self._add(int(draws[np.argmin(self._total(rows, slice(None)))]))

    def _total(self, rows: Distances, columns: slice | AnyArray) -> Distances:
        if self._weights is None:
            return np.asarray(rows.sum(axis=1, dtype=np.float64))
        return np.asarray((rows * self._weights[columns]).sum(axis=1))

    def _add(self, point: int) -> None:
        self._picked.append(point)
        self._near = np.minimum(self._near, self._source.rows(self._source.points[[point]])[0])


def _filled(medoids: Indices, candidates: Indices, k: int, random: np.random.Generator) -> Indices:
    """Add random candidates where there were fewer points than medoids."""
    left = np.setdiff1d(candidates, medoids)
    more = random.choice(left, k - len(medoids), replace=False)
    return np.concatenate([medoids, more]).astype(np.int64)
