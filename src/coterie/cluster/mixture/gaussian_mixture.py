"""Gaussian mixtures: elliptical groups with soft memberships, fitted by expectation-maximisation."""

from __future__ import annotations

import time
from typing import Protocol, Self, TypeVar

import numpy as np

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.typing import (
    Data,
    FittedAttributes,
    FloatArray,
    FloatType,
    Labels,
    MatrixLike,
    RandomState,
    SparseData,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Flag,
    Nothing,
    Number,
    Whole,
    check_data,
    check_n_clusters,
)
from coterie._support.validation.schema import COUNT, FLAG, Instance, ListOf, Maybe, Real, Sometimes
from coterie.cluster.base import Listener, about_one
from coterie.cluster.mixture.criteria import LikelihoodClusterer
from coterie.cluster.mixture.em import EMRun, Problem, fit_run, leaves_last_step
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.growth import MixtureGrowth, grow_mixture
from coterie.cluster.mixture.history import MixtureHistory
from coterie.cluster.mixture.parameters import Parameters, Statistics, expectation, label_rows
from coterie.cluster.mixture.predict import MixtureClusterer
from coterie.cluster.mixture.starts import STARTS, Draws, GivenStart, StartRows, check_last_fit
from coterie.errors import DataNotice, InvalidParameter

HIDING = 10  # times the largest variance: with so much added to all, no two components differ


@estimator
class GaussianMixture(MixtureClusterer, LikelihoodClusterer):
    """Gaussian mixture model, fitted by expectation-maximisation.

    The density of a row is

        p(x) = sum over components k of  weight_k N(x; mean_k, covariance_k),

    and expectation-maximisation raises the likelihood, the product of p over all rows, by turns: every row
    gets a share in every component, ``share_k(x) = weight_k N(x; mean_k, covariance_k) / p(x)``; every
    component gets the weighted mean and covariance of its shares. No step lowers the likelihood. With one
    shrinking variance for all components the shares become 0 and 1, and the steps become those of k-means.
    A drop-in for scikit-learn's class.

    Parameters
    ----------
    covariance_type : str, default="full"
        "full": any covariances; "tied": one for all; "diag": along the axes; "spherical": round. Or a family
        of mclust, three letters for volume, shape and axes, each E (equal for all), V (varying) or I (those
        of the identity): "EII", "VII", "EEI", "VEI", "EVI", "VVI", "EEE", "VEE", "EVE", "VVE", "EEV", "VEV",
        "EVV", "VVV".
    tol : float, default=1e-3
        Stop when the mean log-likelihood of a row gains less than this.
    reg_covar : float, default=1e-6
        Added to the variances. With 0, components without extent are refused.
    init_params : {"kmeans", "whitened", "k-means++", "random", "random_from_data"}, default="kmeans"
        First assignment: the groups of k-means; those of k-means after the rows are stretched so that near
        ones differ by as much in every direction (Art, Gnanadesikan and Kettenring 1982); one row per
        component by k-means++ or at random; or random shares.
    weights_init, means_init, precisions_init : arrays, default=None
        First parameters, instead of those of the first assignment.
    warm_start : bool, default=False
        Whether `fit` goes on from the parameters of the last one.
    verbose : int, default=0
        Whether to print every start (1), and times and changes (2).
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates every third step (see `varadhan-2008` of the references); where the likelihood
        would fall, the plain step is taken instead.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Share of all rows in each component.
    means_ : array of shape (n_components, n_features)
        The middle of each component.
    covariances_, precisions_, precisions_cholesky_ : arrays
        Covariances, their inverses, and upper triangular U with ``precision = U @ U.T``. Shapes:
        (n_components, n_features, n_features) for "full", (n_features, n_features) for "tied" and "EEE",
        (n_components, n_features) for "diag" and families that end in I, (n_components,) for "spherical",
        "EII" and "VII".
    lower_bounds_ : list of float
        Mean log-likelihood at each iteration; never falls.
    history_ : MixtureHistory or None
        The steps of the best run, if asked for.

    Examples
    --------
    >>> from coterie.cluster import GaussianMixture
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = GaussianMixture(2, means_init=[[1, 2], [10, 2]], random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.weights_.round(2)
    array([0.5, 0.5])
    >>> model.predict_proba([[5.5, 2.0]]).round(2)
    array([[0.5, 0.5]])
    """

    n_components: int = parameter(Whole(1), "How many components.", default=1)
    _: KW_ONLY
    covariance_type: str = parameter(Choice(*FAMILIES), default="full")
    tol: float = parameter(Number(0), default=1e-3)
    reg_covar: float = parameter(Number(0), default=1e-6)
    max_iter: int = parameter(Whole(0), default=100)
    n_init: int = parameter(Whole(1), "How many starts; the run of largest likelihood is kept.", default=1)
    init_params: str = parameter(Choice(*STARTS), default="kmeans")
    weights_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    means_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    precisions_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    random_state: RandomState = None
    warm_start: bool = parameter(Flag(), default=False)
    verbose: int = parameter(Flag() | Whole(0), default=0)
    verbose_interval: int = parameter(Whole(1), "Iterations between two lines.", default=10)
    acceleration: str | None = parameter(Nothing() | Choice("squarem"), default=None)
    history: bool = parameter(Flag(), "Whether to record every step in `history_`.", default=False)
    progress: ProgressOption = None

    converged_: bool = fitted(FLAG)
    n_iter_: int = fitted(COUNT)
    lower_bound_: float = fitted(Number(), "Mean log-likelihood at its last iteration.")
    lower_bounds_: list[float] = fitted(ListOf(Number()))
    history_: MixtureHistory | None = fitted(Maybe(Instance(MixtureHistory)))
    _total_weight: float = fitted(Sometimes(Real()))  # of all rows seen

    row_attributes = ("labels_",)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        check_n_clusters(self.n_components, len(X), who=type(self).__name__, name="n_components")
        total = float(len(X) if weights is None else weights.sum())
        problem = self._problem(X, weights)
        with track(self.progress, "mixture: iteration").also(listener) as tracker:
            best = self._best_run(problem, Teller(tracker, self.verbose, self.verbose_interval))
        warn_unless_converged(best, self.max_iter)
        return {**self._found(problem, best), "_total_weight": total}

    @fitting
    def partial_fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Take in more rows by incremental expectation-maximisation.

        Rows seen before are not kept: they stand as weight, mean and covariance of their shares in each
        component, which they keep (neal-1998). The shares of the new rows and the parameters improve by
        turns, until the mean log-likelihood of the new rows gains less than `tol`. The first call fits the
        rows as `fit` does. Components keep their numbers; no component is restarted.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            More rows.
        """
        self._check_parameters()
        if not hasattr(self, "converged_"):
            return self.fit(X, sample_weight=sample_weight)
        data = check_data(X, estimator=self, reset=False).astype(self.means_.dtype, copy=False)
        weights = self._check_weights(sample_weight, len(data))
        total = float(len(data) if weights is None else weights.sum())

        def evaluate(parameters: Parameters) -> tuple[float, Statistics]:
            return expectation(data, weights, parameters, self._shift)

        self.take_in(grow_mixture(self, evaluate, total))
        self.labels_ = label_rows(data, self._parameters(), self._shift)[0]
        return self

    @property
    def weight_seen(self) -> float:
        """Weight of all rows that the parameters come from."""
        if not hasattr(self, "_total_weight"):
            raise InvalidParameter(
                f"this {type(self).__name__} does not know how many rows it was fitted to: it was saved by "
                f"an earlier version. Fit again, then add rows."
            )
        return self._total_weight

    def take_in(self, growth: MixtureGrowth) -> None:
        """Take the parameters that more rows have led to; `labels_` is dropped."""
        parameters = growth.parameters.astype(self.means_.dtype)
        self.__dict__.pop("labels_", None)
        self.__dict__.update(
            weights_=parameters.weights,
            means_=parameters.means,
            covariances_=parameters.covariances,
            precisions_=parameters.precisions,
            precisions_cholesky_=parameters.factors,
            converged_=growth.converged,
            n_iter_=len(growth.bounds),
            lower_bound_=growth.bounds[-1],
            lower_bounds_=list(growth.bounds),
            history_=None,
            _total_weight=growth.weight,
        )

    def _n_free(self) -> int:
        k, d = (int(size) for size in self.means_.shape)
        return FAMILIES[self.covariance_type].n_covariance_parameters(k, d) + k * d + k - 1

    _n_parameters = _n_free  # as scikit-learn's tests call it

    def _parameters(self, dtype: FloatType | None = None) -> Parameters:
        parameters = Parameters(
            FAMILIES[self.covariance_type],
            self.weights_,
            self.means_,
            self.covariances_,
            self.precisions_cholesky_,
        )
        return parameters if dtype is None else parameters.astype(dtype)

    def _problem(self, X: Data, weights: Weights | None) -> Problem:
        weights = None if weights is None else about_one(weights)[0]
        shift = np.average(X, axis=0, weights=weights).astype(np.float64)
        spread = np.sqrt(np.average((X - shift) ** 2, axis=0, weights=weights))
        warn_if_hidden(spread, self.reg_covar)
        return Problem(
            X,
            weights,
            family=FAMILIES[self.covariance_type],
            reg_covar=self.reg_covar,
            tol=self.tol,
            max_iter=self.max_iter,
            accelerate=self.acceleration is not None,
            record=self.history,
            shift=shift,
            spread=np.where(spread > 0, spread, 1.0),
        )

    def _best_run(self, problem: Problem, teller: Teller) -> EMRun:
        shape = (self.n_components, problem.X.shape[1])
        if self.warm_start and hasattr(self, "converged_"):
            check_last_fit(
                self.means_, self.precisions_cholesky_, problem.family, shape, who=type(self).__name__
            )
            teller.begin_run(0)
            earlier = self.lower_bound_ if self.lower_bounds_ else -np.inf  # no step was made from the start
            return teller.end_run(
                fit_run(problem, self._parameters(np.dtype(np.float64)), earlier, teller.report)
            )
        parts = (self.weights_init, self.means_init, self.precisions_init)
        given = GivenStart.checked(*parts, problem.family, shape)
        draws = Draws(self.random_state)
        rows = StartRows(problem.X, problem.weights, self.n_components, problem.family)
        best: EMRun | None = None
        for start in range(self.n_init):
            teller.begin_run(start)
            statistics = None if given.is_complete else STARTS[self.init_params](rows, draws)
            first = given.complete(statistics, problem.family, self.reg_covar)
            run = teller.end_run(fit_run(problem, first, -np.inf, teller.report))
            best = run if best is None or is_lower(best.bound, run.bound) else best
        assert best is not None
        return best

    def _found(self, problem: Problem, best: EMRun) -> FittedAttributes:
        parameters, labels, bound = _judged(problem, best)
        if leaves_last_step(problem, best, bound):
            parameters, labels, bound = _judged(problem, best)
        best.note(problem, best.kind, bound)
        return {
            "weights_": parameters.weights,
            "means_": parameters.means,
            "covariances_": parameters.covariances,
            "precisions_": parameters.precisions,
            "precisions_cholesky_": parameters.factors,
            "labels_": labels,
            "converged_": best.converged,
            "n_iter_": len(best.bounds),
            "lower_bound_": best.bound if best.bounds else bound,  # without iterations, that of the start
            "lower_bounds_": best.bounds,
            "history_": MixtureHistory(tuple(best.steps)) if self.history else None,
            "_shift": problem.shift,
        }


def _judged(problem: Problem, run: EMRun) -> tuple[Parameters, Labels, float]:
    """Return the parameters in the precision of the rows, their labels, and their mean log-likelihood."""
    parameters = run.parameters.astype(problem.X.dtype)
    labels, logs = label_rows(problem.X, parameters, problem.shift)
    return parameters, labels, float(np.average(logs, weights=problem.weights))


def warn_unless_converged(best: EndedRun, max_iter: int) -> None:
    """Say so when the best run was cut short; without iterations nobody expects an end."""
    if not best.converged and max_iter > 0:
        warn_caller(
            "Best performing initialization did not converge. Try different init parameters, or increase "
            "max_iter, tol, or check for degenerate data.",
            scikit_learn.ConvergenceWarning,
        )


def warn_if_hidden(spread: FloatArray, reg_covar: float) -> None:
    """Say so when `reg_covar` far exceeds the variance of every column: groups then look like one."""
    largest, reg_covar = float(spread.max()) ** 2, float(reg_covar)
    if 0 < HIDING * largest < reg_covar:
        warn_caller(
            f"reg_covar={reg_covar:g} is far larger than the variance of every column (the largest is "
            f"{largest:.1g}) and hides the groups. Scale the columns, or choose a smaller reg_covar.",
            DataNotice,
        )


class EndedRun(Protocol):
    """How a run ended."""

    @property
    def converged(self) -> bool:
        """Whether it stopped by itself."""
        ...

    @property
    def bound(self) -> float:
        """What it has reached."""
        ...


_Run = TypeVar("_Run", bound=EndedRun)


class Teller:
    """Reports iterations to whoever listens, and prints them when asked to."""

    def __init__(self, tracker: Tracker, verbose: int, interval: int) -> None:
        self._tracker = tracker
        self._verbose = int(verbose)
        self._interval = interval
        self._began = self._last = time.monotonic()

    def begin_run(self, start: int) -> None:
        """Say that a start begins."""
        self._began = self._last = time.monotonic()
        if self._verbose:
            print(f"Initialization {start}")

    def report(self, iteration: int, bound: float, change: float) -> None:
        """Say that an iteration is done."""
        self._tracker.report(iteration)
        if self._verbose == 0 or iteration % self._interval:
            return
        now = time.monotonic()
        details = (
            f"\t time lapse {now - self._last:.5f}s\t ll change {change:.5f}" if self._verbose > 1 else ""
        )
        self._last = now
        print(f"  Iteration {iteration}{details}")

    def end_run(self, run: _Run) -> _Run:
        """Say how a run ended, and return it."""
        if self._verbose:
            words = "converged" if run.converged else "did not converge"
            seconds = time.monotonic() - self._began
            details = (
                f". time lapse {seconds:.5f}s\t lower bound {run.bound:.5f}" if self._verbose > 1 else "."
            )
            print(f"Initialization {words}{details}")
        return run
