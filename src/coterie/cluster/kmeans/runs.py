"""Restarts of k-means: the plan that parameters make, each start to where it ends, the best of them."""

from __future__ import annotations

from dataclasses import dataclass

from coterie._support.progress import Tracker
from coterie._support.rounding import is_lower
from coterie._support.typing import Centers, Data, Init, RandomState, SparseData
from coterie.cluster.kmeans.breathing import Phase, Way, breathe
from coterie.cluster.kmeans.empty_clusters import run_without_holes
from coterie.cluster.kmeans.points import KMeansRun, Points, Report, Stopping, with_team
from coterie.cluster.kmeans.spaces import FittedGeometry
from coterie.cluster.kmeans.starts import Start, check_centers, make_start, seed_of_restart
from coterie.errors import InvalidParameter


@dataclass(frozen=True)
class KMeansPlan:
    """What to run: checked parameters, with every "auto" resolved but the algorithm's."""

    n_clusters: int
    init: Init
    n_init: int
    stopping: Stopping
    algorithm: str
    seed: int
    who: str
    improve: str | None = None
    record: bool = False


def prepared_init(init: Init, X: Data | SparseData, space: FittedGeometry, *, who: str) -> Init:
    """Return a start in the space of the rows: centres are prepared like rows, a callable sees the data."""
    if isinstance(init, str):
        return init
    if not callable(init):
        return space.prepare(init, name="init")

    def start(prepared: Init, n_clusters: int, random_state: RandomState) -> Centers:
        made = init(X, n_clusters, random_state=random_state)
        centers = check_centers(made, n_clusters, X, name="the result of init", who=who)
        prepared_centers: Centers = space.prepare(centers, name="the result of init")
        return prepared_centers

    return start


def check_improve(improve: str | None, space: FittedGeometry, *, who: str) -> None:
    """Refuse to breathe where centres are not means: new ones are placed next to old ones."""
    if improve is not None and not (space.has_means or space.has_unit_means):
        raise InvalidParameter(
            f'improve="{improve}" of {who} needs centres that are means, those of the geometry '
            f"{space.geometry.name} are not. Use n_init=10."
        )


@dataclass(frozen=True)
class BestRun:
    """The way to the least inertia, and the start it began with."""

    start: Start
    way: Way


class IterationReporter:
    """Tells whoever wants to know how far the iterations are: `verbose` prints, `tracker` shows progress."""

    def __init__(self, tracker: Tracker, *, is_verbose: bool, tolerance: float) -> None:
        self._tracker = tracker
        self._is_verbose = is_verbose
        self._tolerance = tolerance
        self._n_done = 0

    def callback(self) -> Report | None:
        """Return what the engine calls after every iteration, None when nobody looks."""
        return self._iteration if self._is_verbose or self._tracker.is_watched else None

    def _iteration(self, iteration: int, inertia: float) -> None:
        self._n_done += 1
        self._tracker.report(self._n_done)
        self.say(f"Iteration {iteration - 1}, inertia {inertia}.")

    def ended(self, run: KMeansRun) -> None:
        """Say why a run ended."""
        if run.is_strict:
            self.say(f"Converged at iteration {run.n_iter - 1}: strict convergence.")
        elif run.center_shift <= self._tolerance:
            self.say(
                f"Converged at iteration {run.n_iter - 1}: center shift {run.center_shift} within tolerance "
                f"{self._tolerance}."
            )

    def say(self, text: str) -> None:
        """Print, if asked to."""
        if self._is_verbose:
            print(text)


def best_of_restarts(points: Points, plan: KMeansPlan, reporter: IterationReporter) -> BestRun:
    """Return the best of ``plan.n_init`` runs, improved if the plan says so; ties go to the first."""
    best: BestRun | None = None
    points = with_team(points, plan.n_clusters)
    for restart in range(plan.n_init):
        seed = seed_of_restart(plan.seed, restart)
        start = make_start(points, plan.init, plan.n_clusters, seed, who=plan.who, record=plan.record)
        reporter.say("Initialization complete")
        run = run_without_holes(points, start.centers, plan.stopping, plan.algorithm, reporter.callback())
        reporter.ended(run)
        if best is None or is_lower(run.inertia, best.way.run.inertia):
            best = BestRun(start, Way(run, (Phase("start", start.centers, run.n_iter),)))
    assert best is not None  # n_init is at least 1
    if plan.improve is None:
        return best
    report = reporter.callback()
    return BestRun(best.start, breathe(best.way, points, plan.stopping, plan.algorithm, plan.seed, report))
