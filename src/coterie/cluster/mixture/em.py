"""Expectation-maximisation: plain steps, or extrapolated ones, taken back where the likelihood would fall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from coterie._support.typing import Data, FloatArray, Weights
from coterie.cluster.mixture.families import Family
from coterie.cluster.mixture.history import MixtureStep
from coterie.cluster.mixture.parameters import Parameters, Statistics, expectation
from coterie.errors import InvalidData

ROUNDING = 64  # units in the last place by which a likelihood may seem to fall

Report = Callable[[int, float, float], None]  # iteration, likelihood, change


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, and how a mixture is to be fitted to them."""

    X: Data
    weights: Weights | None
    family: Family
    reg_covar: float
    tol: float
    max_iter: int
    accelerate: bool
    record: bool
    shift: FloatArray
    spread: FloatArray  # standard deviation of each column: the unit of steps

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(len(self.X)) if self.weights is None else float(self.weights.sum())

    def evaluate(self, parameters: Parameters) -> tuple[float, Statistics]:
        """Return the mean log-likelihood, and the statistics for the next parameters."""
        total, statistics = expectation(self.X, self.weights, parameters, self.shift)
        return total / self.total_weight, statistics

    def maximise(self, statistics: Statistics) -> Parameters:
        """Return the likeliest parameters for the statistics."""
        return statistics.parameters(self.family, self.reg_covar)

    def slack(self, bound: float) -> float:
        """Return how much rounding alone may move a likelihood."""
        return ROUNDING * float(np.finfo(self.X.dtype).eps) * max(1.0, abs(bound))


@dataclass
class EMRun:
    """One way from a start to an optimum."""

    parameters: Parameters
    bounds: list[float] = field(default_factory=list)
    converged: bool = False
    steps: list[MixtureStep] = field(default_factory=list)
    kind: str = "start"  # where `parameters` come from
    recent: list[Statistics] = field(default_factory=list)  # consecutive ones, for the next extrapolation
    fallback: Parameters | None = None  # where to go on from when an extrapolation fails
    previous: Parameters | None = None  # the last ones that were evaluated and taken

    @property
    def bound(self) -> float:
        """The last likelihood that was taken."""
        return self.bounds[-1] if self.bounds else -np.inf

    def note(self, problem: Problem, kind: str, bound: float) -> None:
        """Record the current parameters, if asked for."""
        if problem.record:
            own = self.parameters
            self.steps.append(MixtureStep(kind, own.weights, own.means, own.covariances, bound))


def fit_run(problem: Problem, start: Parameters, earlier_bound: float, report: Report) -> EMRun:
    """Iterate from a start until the mean log-likelihood gains less than `tol`."""
    return continue_run(problem, EMRun(start), earlier_bound, report)


def continue_run(problem: Problem, run: EMRun, earlier_bound: float, report: Report) -> EMRun:
    """Iterate from where a run stands; `report` hears of every iteration before the next one begins."""
    for iteration in range(len(run.bounds) + 1, problem.max_iter + 1):
        before = run.bound if run.bounds else earlier_bound
        bound, statistics = problem.evaluate(run.parameters)
        if run.bounds and bound < before - problem.slack(before):
            if not _take_back(problem, run, bound):
                break
            continue
        run.note(problem, run.kind, bound)
        run.bounds.append(bound)
        run.previous = run.parameters
        _advance(problem, run, statistics)
        report(iteration, bound, bound - before)
        if abs(bound - before) < problem.tol:
            run.converged = True
            if run.kind == "jump":  # nobody has looked at it: end with the plain step
                run.parameters, run.kind = problem.maximise(statistics), "step"
            break
    return run


def _take_back(problem: Problem, run: EMRun, bound: float) -> bool:
    """Leave parameters that lowered the likelihood; return whether to go on."""
    run.note(problem, "rejected", bound)
    if run.kind == "jump" and run.fallback is not None:
        run.parameters, run.kind, run.recent = run.fallback, "step", []
        run.bounds.append(run.bound)
        return True
    assert run.previous is not None
    run.parameters, run.converged = run.previous, True  # only reg_covar makes a plain step fall
    return False


def leaves_last_step(problem: Problem, run: EMRun, bound: float) -> bool:
    """Return whether the last parameters, which no iteration has judged, lowered the likelihood: go back."""
    is_judged = run.previous is None or run.parameters is run.previous
    if is_judged or bound >= run.bound - problem.slack(run.bound):
        return False
    run.note(problem, "rejected", bound)
    assert run.previous is not None
    run.parameters = run.previous
    return True


def _advance(problem: Problem, run: EMRun, statistics: Statistics) -> None:
    """Move to the next parameters: the likeliest ones, or an extrapolation of the last three statistics."""
    run.recent.append(statistics)
    plain = problem.maximise(statistics)
    run.parameters, run.kind, run.fallback = plain, "step", None
    if not problem.accelerate or len(run.recent) < 3:
        return
    jump = extrapolate(run.recent, problem.spread)
    run.recent = []
    if jump is None:
        return
    try:
        run.parameters = problem.maximise(jump)
    except InvalidData:  # the extrapolated matrices are not covariances
        return
    run.kind, run.fallback = "jump", plain


def extrapolate(recent: list[Statistics], spread: FloatArray) -> Statistics | None:
    """Extrapolate three consecutive statistics by squared steps (SQUAREM), None where they hardly move.

    With r the first step and v the change from the first step to the second, the point is ``s + 2 a r +
    a^2 v``, ``a = |r| / |v|``; a = 1 is where the two steps led.
    """
    first, second, third = (_as_vector(statistics, spread) for statistics in recent)
    r = second - first
    v = (third - second) - r
    length = float(np.linalg.norm(v))
    a = float(np.linalg.norm(r)) / length if length > 0 else 0.0
    if not 1.0 < a < np.inf:
        return None
    return _as_statistics(first + 2 * a * r + a * a * v, recent[0], spread)


def _as_vector(statistics: Statistics, spread: FloatArray) -> FloatArray:
    units = spread**2 if statistics.scatter.ndim == 2 else np.outer(spread, spread)
    parts = (
        np.log(statistics.weights / statistics.weights.sum()),
        statistics.means / spread,
        statistics.scatter / units,
    )
    return np.concatenate([part.ravel() for part in parts])


def _as_statistics(vector: FloatArray, like: Statistics, spread: FloatArray) -> Statistics:
    k, n_means = len(like.weights), like.means.size
    units = spread**2 if like.scatter.ndim == 2 else np.outer(spread, spread)
    logarithms = vector[:k] - vector[:k].max()
    weights = np.exp(logarithms) * like.weights.sum() / np.exp(logarithms).sum()
    means = vector[k : k + n_means].reshape(like.means.shape) * spread
    return Statistics(weights, means, vector[k + n_means :].reshape(like.scatter.shape) * units)
