"""Variational Bayes for Gaussian mixtures: the prior, the posterior that rows lead to, and its bound.

The weights have a Dirichlet prior, or sticks that are broken one after the other (a Dirichlet process cut off
at the last component); means and precisions have a Gauss-Wishart prior. The posterior is approximated by a
product of the same kinds, chapter 10.2 of `bishop-2006` and `blei-2006` of the references.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from scipy.special import betaln, digamma, gammaln

from coterie._core import Mixture
from coterie._support.linear_algebra import is_positive_definite
from coterie._support.typing import Data, FloatArray, FloatType, Weights
from coterie._support.validation.parameters import is_number
from coterie.cluster.mixture.families import Family
from coterie.cluster.mixture.parameters import (
    Statistics,
    log_determinants,
    native_mixture,
    precision_factors,
    precisions_of,
    refuse_overflow,
)
from coterie.cluster.mixture.starts import checked_numbers
from coterie.errors import InvalidData, InvalidParameter

# of a Dirichlet distribution, or the two parameters of the Beta distribution of each stick
Concentration: TypeAlias = FloatArray | tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Prior:
    """What is believed of the parameters before any row is seen."""

    family: Family
    is_process: bool  # sticks instead of a Dirichlet distribution
    concentration: float
    mean_precision: float
    mean: FloatArray
    degrees_of_freedom: float
    covariance: FloatArray  # (d, d), (d,) or a number, by the family's storage
    reg_covar: float

    def posterior(self, statistics: Statistics) -> Posterior:
        """Return what is believed once rows with these statistics were seen."""
        sizes, tied = statistics.weights, self.family.storage == "tied"
        mean_precision = self.mean_precision + sizes
        means = self.mean_precision * self.mean + sizes[:, None] * statistics.means
        degrees = self.degrees_of_freedom + (sizes.sum() / len(sizes) if tied else sizes)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused next
            spread = self._spread(statistics, mean_precision)
            each = degrees if tied else degrees.reshape(-1, *[1] * (spread.ndim - 1))
            covariances = (self.covariance + spread) / each
        return Posterior(
            self,
            self._concentration(sizes),
            mean_precision,
            means / mean_precision[:, None],
            np.asarray(degrees),
            covariances,
            precision_factors(covariances, self.family),
        )

    def _concentration(self, sizes: FloatArray) -> Concentration:
        if not self.is_process:
            return self.concentration + sizes
        later = np.append(np.cumsum(sizes[::-1])[-2::-1], 0.0)  # rows of all components behind
        return 1.0 + sizes, self.concentration + later

    def _spread(self, statistics: Statistics, mean_precision: FloatArray) -> FloatArray:
        """Return the scatter of the rows of each component, and of its mean about the prior mean."""
        sizes, away = statistics.weights, statistics.means - self.mean
        pull = self.mean_precision / mean_precision
        if statistics.scatter.ndim == 2:
            spread = statistics.scatter + self.reg_covar + pull[:, None] * away**2
            return np.asarray(
                sizes * spread.mean(axis=1) if self.family.storage == "spherical" else sizes[:, None] * spread
            )
        spread = statistics.scatter + self.reg_covar * np.eye(len(self.mean))
        spread += pull[:, None, None] * away[:, :, None] * away[:, None, :]
        spread *= sizes[:, None, None]
        return np.asarray(spread.sum(axis=0) / len(sizes) if self.family.storage == "tied" else spread)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed of the parameters; arrays in the family's storage."""

    prior: Prior
    concentration: Concentration
    mean_precision: FloatArray
    means: FloatArray
    degrees_of_freedom: FloatArray  # per component; one number where all share a covariance
    covariances: FloatArray
    factors: FloatArray  # U with ``U @ U.T`` the inverse of the covariances

    @property
    def family(self) -> Family:
        """Of the covariances."""
        return self.prior.family

    @property
    def weights(self) -> FloatArray:
        """Expected share of each component."""
        if not isinstance(self.concentration, tuple):
            return np.asarray(self.concentration / self.concentration.sum())
        taken, left = self.concentration
        remaining = np.cumprod(left / (taken + left))[:-1]  # of the stick, before each break
        shares = taken / (taken + left) * np.append(1.0, remaining)
        return np.asarray(shares / shares.sum())

    @property
    def precisions(self) -> FloatArray:
        """Inverse covariances."""
        return precisions_of(self.factors, self.family)

    def native(self, shift: FloatArray) -> Mixture:
        """Return the expected log densities, weighted, as native code takes them."""
        d = self.means.shape[1]
        halves = (self.degrees_of_freedom - np.arange(d).reshape(-1, *[1] * self.degrees_of_freedom.ndim)) / 2
        wishart = d * np.log(2.0) + digamma(halves).sum(axis=0) - d * np.log(self.degrees_of_freedom)
        logs = self._expected_log_weights() + (wishart - d / self.mean_precision) / 2
        return native_mixture(self.family, logs, self.means, self.factors, shift)

    def _expected_log_weights(self) -> FloatArray:
        if not isinstance(self.concentration, tuple):
            return np.asarray(digamma(self.concentration) - digamma(self.concentration.sum()))
        taken, left = self.concentration
        both = digamma(taken + left)
        before = np.append(0.0, np.cumsum(digamma(left) - both)[:-1])
        return np.asarray(digamma(taken) - both + before)

    def bound(self, entropy: float) -> float:
        """Return the lower bound of the evidence, without constants, for shares of that entropy."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused next
            bound = float(entropy + self._log_norms())
        if not np.isfinite(bound):
            raise InvalidData(
                "the lower bound of the evidence overflows. Use smaller priors (degrees_of_freedom_prior, "
                "weight_concentration_prior, mean_precision_prior), or scale the columns."
            )
        return bound

    def _log_norms(self) -> float:
        """Return what the distributions of weights, means and precisions add to the bound."""
        k, d = self.means.shape
        degrees = self.degrees_of_freedom
        logs = log_determinants(self.factors, self.family, d) - d / 2 * np.log(degrees)
        halves = (degrees - np.arange(d).reshape(-1, *[1] * degrees.ndim)) / 2
        wishart = -(degrees * logs + degrees * d / 2 * np.log(2.0) + gammaln(halves).sum(axis=0))
        wishart = k * wishart if self.family.storage == "tied" else wishart.sum()
        if isinstance(self.concentration, tuple):
            weights = -betaln(*self.concentration).sum()
        else:
            weights = gammaln(self.concentration.sum()) - gammaln(self.concentration).sum()
        return float(-wishart - weights - d / 2 * np.log(self.mean_precision).sum())

    def astype(self, dtype: FloatType) -> Posterior:
        """Return it with means and covariances in another precision, or refuse what overflows."""
        with np.errstate(over="ignore"):
            cast = replace(
                self,
                means=self.means.astype(dtype),
                covariances=self.covariances.astype(dtype),
                factors=self.factors.astype(dtype),
            )
            held = (cast.means, cast.covariances, cast.factors, cast.precisions, self.weights)
        refuse_overflow(held, self.covariances, dtype)
        return cast


def make_prior(X: Data, weights: Weights | None, family: Family, options: Any, *, who: str) -> Prior:
    """Return the prior that parameters ask for; what is None is taken from the rows.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Checked rows.
    weights : array or None
        Of the rows.
    family : Family
        Of the covariances.
    options : object
        With the parameters of `BayesianGaussianMixture` as attributes.
    who : str
        Name to use in messages.
    """
    d = X.shape[1]
    given = options.degrees_of_freedom_prior
    if given is not None and not given > d - 1.0:
        raise InvalidParameter(
            f"The parameter 'degrees_of_freedom_prior' should be greater than {d - 1}, but got "
            f"{float(given):.3f}. A Wishart distribution over {d} columns needs more."
        )
    mean = np.average(X, axis=0, weights=weights).astype(np.float64)
    concentration, precision = options.weight_concentration_prior, options.mean_precision_prior
    return Prior(
        family=family,
        is_process=options.weight_concentration_prior_type == "dirichlet_process",
        concentration=1.0 / options.n_components if concentration is None else float(concentration),
        mean_precision=1.0 if precision is None else float(precision),
        mean=mean if options.mean_prior is None else checked_numbers(options.mean_prior, "mean_prior", (d,)),
        degrees_of_freedom=float(d if given is None else given),
        covariance=_covariance_prior(X, weights, mean, family, options.covariance_prior, who),
        reg_covar=float(options.reg_covar),
    )


def _covariance_prior(
    X: Data, weights: Weights | None, mean: FloatArray, family: Family, given: Any, who: str
) -> FloatArray:
    d = X.shape[1]
    if given is None:
        return _covariance_of_rows(X, weights, mean, family, who)
    if family.storage == "spherical":
        if not is_number(given):
            raise InvalidParameter(
                f'covariance_prior of {who} must be a number above 0 with covariance_type="spherical", got '
                f"an array."
            )
        return np.asarray(float(given))
    name = f"{family.name} covariance_prior"
    checked = checked_numbers(given, name, (d,) if family.storage == "diag" else (d, d))
    if family.storage == "diag":
        if not (checked > 0).all():
            raise InvalidParameter(f"'{name}' should be positive")
    elif not np.allclose(checked, checked.T) or not is_positive_definite(checked):
        raise InvalidParameter(f"'{name}' should be symmetric, positive-definite")
    return checked


def _covariance_of_rows(
    X: Data, weights: Weights | None, mean: FloatArray, family: Family, who: str
) -> FloatArray:
    """Return the unbiased covariance of all rows, where a weight counts copies."""
    total = float(len(X)) if weights is None else float(weights.sum())
    if not total > 1:
        raise InvalidData(
            f"sample_weight of {who} counts copies of rows and must add up to more than 1, got {total:.3g}: "
            f"the prior needs a variance. Multiply the weights, or give covariance_prior."
        )
    away = X.astype(np.float64) - mean
    heavy = away if weights is None else away * weights[:, None]
    if family.kernel_shape != "diag":
        return np.asarray(heavy.T @ away / (total - 1))
    variances = (heavy * away).sum(axis=0) / (total - 1)
    return np.asarray(variances if family.storage == "diag" else variances.mean())
