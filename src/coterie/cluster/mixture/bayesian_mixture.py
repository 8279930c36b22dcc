"""Bayesian Gaussian mixtures: components that the rows do not need lose their weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.rounding import is_lower
from coterie._support.typing import (
    Data,
    FittedAttributes,
    FloatArray,
    MatrixLike,
    RandomState,
    Settings,
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
    check_n_clusters,
)
from coterie._support.validation.schema import COUNT, FLAG, Either, ListOf, Several, Tensor, wrong
from coterie.cluster.base import Listener
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.gaussian_mixture import Teller, warn_if_hidden, warn_unless_converged
from coterie.cluster.mixture.parameters import expected, label_rows
from coterie.cluster.mixture.posterior import Concentration, Posterior, Prior, make_prior
from coterie.cluster.mixture.predict import MixtureClusterer
from coterie.cluster.mixture.starts import STARTS, Draws, StartRows, check_last_fit
from coterie.errors import InvalidParameter

LEAST_PRECISION = 1e-300  # of a mean and of shares: densities have their inverses
_PROCESS, _DISTRIBUTION = "dirichlet_process", "dirichlet_distribution"


@dataclass(eq=False)
class _Run:
    """One way from a start to an optimum."""

    posterior: Posterior
    bounds: list[float] = field(default_factory=list)
    converged: bool = False

    @property
    def bound(self) -> float:
        """The last lower bound."""
        return self.bounds[-1] if self.bounds else -np.inf


_PER_COMPONENT = Tensor("components", kind="f8", above=0)
_CONCENTRATIONS = Tensor("components", kind="f8", low=LEAST_PRECISION)


@estimator
class BayesianGaussianMixture(MixtureClusterer):
    """Gaussian mixture by variational Bayes; superfluous components get almost no weight.

    The parameters of the mixture have priors: a Dirichlet distribution or process for the weights, a
    Gauss-Wishart distribution for means and precisions. The posterior is approximated by a product of the
    same kinds, and every iteration raises a lower bound of the evidence,

        ln p(X) >= E[ln p(X, parameters)] - E[ln q(parameters)].

    With a small `weight_concentration_prior` few components keep any weight: their number is an answer, not a
    parameter. A drop-in for scikit-learn's class: from the same start, the same numbers.

    Parameters
    ----------
    n_components : int, default=1
        The most components. Those without rows keep a weight near 0.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Any covariances, one for all, along the axes, or round.
    tol : float, default=1e-3
        Stop when the lower bound, of all rows together, gains less than this.
    reg_covar : float, default=1e-6
        Added to the variances of the rows of a component.
    n_init : int, default=1
        How many starts; the run of the largest lower bound is kept.
    init_params : {"kmeans", "whitened", "k-means++", "random", "random_from_data"}, default="kmeans"
        First assignment: the groups of k-means; those of k-means after the rows are stretched so that near
        ones differ by as much in every direction (Art, Gnanadesikan and Kettenring 1982); one row per
        component by k-means++ or at random; or random shares.
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}
        Prior of the weights; "dirichlet_process" by default: earlier components take more, later ones less.
    weight_concentration_prior : float, default=None
        Its concentration: small values leave components empty, large ones share the rows out evenly. None:
        1 / `n_components`.
    mean_precision_prior : float, default=None
        How many rows the prior mean weighs. None: 1.
    mean_prior : array of shape (n_features,), default=None
        Where means are expected. None: the mean of the rows.
    degrees_of_freedom_prior : float, default=None
        How firmly covariances are believed; above n_features - 1. None: n_features.
    covariance_prior : float or array, default=None
        Expected covariance, times the degrees of freedom: (n_features, n_features) for "full" and "tied",
        (n_features,) for "diag", a number for "spherical". None: that of all rows.
    warm_start : bool, default=False
        Whether `fit` goes on from the posterior of the last one.
    verbose : int, default=0
        Whether to print every start (1), and times and changes (2).

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Expected share of each component.
    means_ : array of shape (n_components, n_features)
        Expected mean of each component.
    covariances_, precisions_, precisions_cholesky_ : arrays
        Covariances, their inverses, and upper triangular U with ``precision = U @ U.T``, of the shapes that
        `GaussianMixture` gives them.
    weight_concentration_prior_, mean_precision_prior_, degrees_of_freedom_prior_ : float
        The priors that were used.
    mean_prior_, covariance_prior_ : array, or float for "spherical"
        The priors that were used.
    weight_concentration_ : array of shape (n_components,), or tuple of two
        Posterior of the weights; for the process, both parameters of each stick's Beta distribution.
    mean_precision_ : array of shape (n_components,)
        How many rows each mean rests on.
    degrees_of_freedom_ : array of shape (n_components,), a number for "tied"
        How firmly each covariance is believed.

    Examples
    --------
    >>> from coterie.cluster import BayesianGaussianMixture
    >>> X = [[1, 2], [1, 4], [1, 0], [2, 2], [10, 2], [10, 4], [10, 0], [11, 2]]
    >>> model = BayesianGaussianMixture(4, weight_concentration_prior=1e-3, random_state=0).fit(X)
    >>> model.n_components_used_
    2
    """

    n_components: int = parameter(Whole(1), default=1)
    _: KW_ONLY
    covariance_type: str = parameter(Choice("full", "tied", "diag", "spherical"), default="full")
    tol: float = parameter(Number(0), default=1e-3)
    reg_covar: float = parameter(Number(0), default=1e-6)
    max_iter: int = parameter(Whole(0), default=100)
    n_init: int = parameter(Whole(1), default=1)
    init_params: str = parameter(Choice(*STARTS), default="kmeans")
    weight_concentration_prior_type: str = parameter(Choice(_PROCESS, _DISTRIBUTION), default=_PROCESS)
    weight_concentration_prior: float | None = parameter(Nothing() | Number(LEAST_PRECISION), default=None)
    mean_precision_prior: float | None = parameter(Nothing() | Number(LEAST_PRECISION), default=None)
    mean_prior: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    degrees_of_freedom_prior: float | None = parameter(Nothing() | Number(0, open_below=True), default=None)
    covariance_prior: MatrixLike | float | None = parameter(
        Nothing() | AnArray() | Number(0, open_below=True), default=None
    )
    random_state: RandomState = None
    warm_start: bool = parameter(Flag(), default=False)
    verbose: int = parameter(Flag() | Whole(0), default=0)
    verbose_interval: int = parameter(Whole(1), "Iterations between two lines.", default=10)
    progress: ProgressOption = None

    n_components_used_: int = fitted(COUNT, "How many components are the likeliest of some row.")
    converged_: bool = fitted(FLAG)
    n_iter_: int = fitted(COUNT)
    lower_bound_: float = fitted(Number(), "Lower bound of the log evidence of all rows, without constants.")
    lower_bounds_: list[float] = fitted(ListOf(Number()), "The same after each iteration.")
    weight_concentration_prior_: float = fitted(Number(LEAST_PRECISION))
    mean_precision_prior_: float = fitted(Number(LEAST_PRECISION))
    degrees_of_freedom_prior_: float = fitted(Number(0, open_below=True))
    mean_prior_: FloatArray = fitted(Tensor("columns", kind="f8"))
    covariance_prior_: FloatArray | float = fitted(
        Either(Tensor("columns", "columns", kind="f8"), Tensor("columns", kind="f8"), Number(0))
    )
    weight_concentration_: Concentration = fitted(
        Either(_CONCENTRATIONS, Several(_CONCENTRATIONS, _CONCENTRATIONS, kind=tuple))
    )
    mean_precision_: FloatArray = fitted(Tensor("components", kind="f8", low=LEAST_PRECISION))
    degrees_of_freedom_: FloatArray | float = fitted(Either(_PER_COMPONENT, Number(0, open_below=True)))

    _objective_words = "lower bound of the evidence"
    row_attributes = ("labels_",)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        who, kind, d = cls.__name__, state["covariance_type"], sizes["columns"]
        is_process = state["weight_concentration_prior_type"] == _PROCESS
        if isinstance(state["weight_concentration_"], tuple) != is_process:
            raise wrong("weight_concentration_", who, "fit weight_concentration_prior_type", "another kind")
        if isinstance(state["degrees_of_freedom_"], np.ndarray) == (kind == "tied"):
            raise wrong("degrees_of_freedom_", who, f'fit covariance_type="{kind}"', "another kind")
        if not np.min(state["degrees_of_freedom_"]) > d - 1:
            raise wrong("degrees_of_freedom_", who, f"be above {d - 1}", np.min(state["degrees_of_freedom_"]))
        shape = {"diag": (d,), "spherical": ()}.get(kind, (d, d))
        if np.shape(state["covariance_prior_"]) != shape:
            raise wrong(
                "covariance_prior_", who, f"have the shape {shape}", np.shape(state["covariance_prior_"])
            )

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_components, len(X), who=who, name="n_components")
        prior = make_prior(X, weights, FAMILIES[self.covariance_type], self, who=who)
        shift = np.average(X, axis=0, weights=weights).astype(np.float64)
        warn_if_hidden(np.sqrt(np.average((X - shift) ** 2, axis=0, weights=weights)), self.reg_covar)
        with track(self.progress, "Bayesian mixture: iteration").also(listener) as tracker:
            teller = Teller(tracker, self.verbose, self.verbose_interval)
            best = self._best_run(_Problem(X, weights, prior, shift), teller)
        warn_unless_converged(best, self.max_iter)
        return self._found(_Problem(X, weights, prior, shift), best)

    def _best_run(self, problem: _Problem, teller: Teller) -> _Run:
        if self.warm_start and hasattr(self, "converged_"):
            teller.begin_run(0)
            earlier = self.lower_bound_ if self.lower_bounds_ else -np.inf
            return teller.end_run(self._run(problem, self._last_posterior(problem), earlier, teller))
        draws, family = Draws(self.random_state), problem.prior.family
        rows = StartRows(problem.X, problem.weights, self.n_components, family)
        best: _Run | None = None
        for start in range(self.n_init):
            teller.begin_run(start)
            first = problem.prior.posterior(STARTS[self.init_params](rows, draws))
            run = teller.end_run(self._run(problem, first, -np.inf, teller))
            best = run if best is None or is_lower(best.bound, run.bound) else best
        assert best is not None
        return best

    def _run(self, problem: _Problem, start: Posterior, earlier: float, teller: Teller) -> _Run:
        """Raise the bound step by step, until it gains less than `tol`."""
        run = _Run(start)
        for iteration in range(1, self.max_iter + 1):
            before = run.bound if run.bounds else earlier
            bound, run.posterior = problem.step(run.posterior)
            run.bounds.append(bound)
            teller.report(iteration, bound, bound - before)
            if abs(bound - before) < self.tol:
                run.converged = True
                break
        return run

    def _last_posterior(self, problem: _Problem) -> Posterior:
        """Return the posterior of the last fit under the prior of this one."""
        who, prior = type(self).__name__, problem.prior
        shape = (self.n_components, problem.X.shape[1])
        check_last_fit(self.means_, self.precisions_cholesky_, prior.family, shape, who=who)
        if isinstance(self.weight_concentration_, tuple) != prior.is_process:
            raise InvalidParameter(
                f"warm_start of {who} goes on from the last fit, whose weight_concentration_prior_type was "
                f"another. Set warm_start=False to start again."
            )
        return self._posterior(prior).astype(np.dtype(np.float64))

    def _posterior(self, prior: Prior) -> Posterior:
        return Posterior(
            prior,
            self.weight_concentration_,
            self.mean_precision_,
            self.means_,
            np.asarray(self.degrees_of_freedom_),
            self.covariances_,
            self.precisions_cholesky_,
        )

    def _parameters(self) -> Posterior:
        return self._posterior(
            Prior(
                FAMILIES[self.covariance_type],
                isinstance(self.weight_concentration_, tuple),
                self.weight_concentration_prior_,
                self.mean_precision_prior_,
                self.mean_prior_,
                self.degrees_of_freedom_prior_,
                np.asarray(self.covariance_prior_),
                self.reg_covar,
            )
        )

    def _found(self, problem: _Problem, best: _Run) -> FittedAttributes:
        prior, posterior = problem.prior, best.posterior.astype(problem.X.dtype)
        labels, _ = label_rows(problem.X, posterior, problem.shift)
        degrees, covariance = posterior.degrees_of_freedom, prior.covariance
        return {
            "weights_": posterior.weights.astype(problem.X.dtype),
            "means_": posterior.means,
            "covariances_": posterior.covariances,
            "precisions_": posterior.precisions,
            "precisions_cholesky_": posterior.factors,
            "labels_": labels,
            "n_components_used_": len(np.unique(labels)),
            "converged_": best.converged,
            "n_iter_": len(best.bounds),
            # without iterations, that of the start
            "lower_bound_": best.bound if best.bounds else problem.bound(best.posterior),
            "lower_bounds_": best.bounds,
            "weight_concentration_prior_": prior.concentration,
            "mean_precision_prior_": prior.mean_precision,
            "mean_prior_": prior.mean,
            "degrees_of_freedom_prior_": prior.degrees_of_freedom,
            "covariance_prior_": covariance if covariance.ndim else float(covariance),
            "weight_concentration_": posterior.concentration,
            "mean_precision_": posterior.mean_precision,
            "degrees_of_freedom_": degrees if degrees.ndim else float(degrees),
            "_shift": problem.shift,
        }


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows, and the priors."""

    X: Data
    weights: Weights | None
    prior: Prior
    shift: FloatArray

    def step(self, posterior: Posterior) -> tuple[float, Posterior]:
        """Return the bound that one iteration reaches, and the posterior that it leads to."""
        native = posterior.native(self.shift)
        found = expected(self.X, self.weights, native, posterior.family, posterior.means)
        after = self.prior.posterior(found.statistics)
        return after.bound(found.entropy), after

    def bound(self, posterior: Posterior) -> float:
        """Return the bound of a posterior with its own shares."""
        native = posterior.native(self.shift)
        return posterior.bound(
            expected(self.X, self.weights, native, posterior.family, posterior.means).entropy
        )
