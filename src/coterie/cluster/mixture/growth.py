"""Mixtures of rows that keep coming: incremental expectation-maximisation on sufficient statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coterie._support.typing import Model
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.parameters import Parameters, Statistics

FEWEST_ITERATIONS = 2  # the first bound is that of the old parameters


@dataclass(frozen=True, eq=False)
class MixtureGrowth:
    """Where a mixture stands after more rows."""

    parameters: Parameters  # in float64
    weight: float  # of all rows seen
    # after each iteration, a lower bound of the mean log-likelihood of all rows seen; it never falls
    bounds: tuple[float, ...]
    converged: bool  # whether the last iteration gained less than `tol`


def grow_mixture(
    model: Model, evaluate: Callable[[Parameters], tuple[float, Statistics]], weight: float
) -> MixtureGrowth:
    """Improve the parameters of a fitted mixture with new rows, of this total weight.

    Parameters
    ----------
    model : GaussianMixture
        Fitted; it is not changed.
    evaluate : callable
        Takes parameters; returns the log-likelihood of the new rows under them, and the statistics of the
        shares of these rows.
    weight : float
        Of the new rows.
    """
    family, reg_covar = FAMILIES[model.covariance_type], float(model.reg_covar)
    first = Parameters(
        family, model.weights_, model.means_, model.covariances_, model.precisions_cholesky_
    ).astype(np.dtype(np.float64))
    seen, n_seen = statistics_of_fit(first, model.weight_seen, reg_covar), model.weight_seen
    before, parameters = expected_log_likelihood(seen, first), first
    bounds: list[float] = []
    converged = False
    for _ in range(max(FEWEST_ITERATIONS, int(model.max_iter))):
        total, new = evaluate(parameters)
        # shares of rows seen stay, so what they gain or lose is known exactly
        old = n_seen * float(model.lower_bound_) + expected_log_likelihood(seen, parameters) - before
        bounds.append((old + total) / (n_seen + weight))
        if len(bounds) > 1 and bounds[-1] - bounds[-2] < model.tol:
            converged = True
            break
        parameters = joined(seen, new).parameters(family, reg_covar)
    return MixtureGrowth(parameters, n_seen + weight, tuple(bounds), converged)


def statistics_of_fit(parameters: Parameters, weight: float, reg_covar: float) -> Statistics:
    """Return the statistics that have these parameters as their maximum, for rows of this total weight."""
    k, d = parameters.means.shape
    covariances, storage = parameters.covariances, parameters.family.storage
    if storage == "tied":
        scatter = np.repeat(covariances[None], k, axis=0)
    elif storage == "spherical":
        scatter = np.repeat(covariances[:, None], d, axis=1)
    else:
        scatter = covariances.copy()
    if scatter.ndim == 3:
        scatter[:, range(d), range(d)] -= reg_covar
    else:
        scatter = np.maximum(scatter - reg_covar, 0.0)
    return Statistics(parameters.weights * weight, parameters.means, scatter)


def joined(first: Statistics, second: Statistics) -> Statistics:
    """Return the statistics of two sets of rows together.

    Examples
    --------
    >>> one, other = (Statistics(np.ones(1), np.array([[x]]), np.zeros((1, 1))) for x in (0.0, 2.0))
    >>> both = joined(one, other)
    >>> both.means, both.scatter
    (array([[1.]]), array([[1.]]))
    """
    weights = first.weights + second.weights
    share = second.weights / weights
    apart = second.means - first.means
    means = first.means + share[:, None] * apart
    if first.scatter.ndim == 2:
        scatter = first.scatter + share[:, None] * (second.scatter - first.scatter)
        return Statistics(weights, means, scatter + (share * (1 - share))[:, None] * apart**2)
    scatter = first.scatter + share[:, None, None] * (second.scatter - first.scatter)
    between = (share * (1 - share))[:, None, None] * (apart[:, :, None] * apart[:, None, :])
    return Statistics(weights, means, scatter + between)


def expected_log_likelihood(statistics: Statistics, parameters: Parameters) -> float:
    """Return the sum over rows and components of share times log of weight and density."""
    d = parameters.means.shape[1]
    precisions, factors = parameters.precisions, parameters.factors
    away = statistics.means - parameters.means
    if parameters.family.storage == "spherical":
        precisions, factors = (np.repeat(part[:, None], d, axis=1) for part in (precisions, factors))
    if statistics.scatter.ndim == 2:
        roots, squares = factors, (precisions * (statistics.scatter + away**2)).sum(axis=1)
    else:
        roots = np.diagonal(factors, axis1=-2, axis2=-1)
        moved = statistics.scatter + away[:, :, None] * away[:, None, :]
        squares = (np.broadcast_to(precisions, moved.shape) * moved).sum(axis=(1, 2))
    with np.errstate(divide="ignore"):
        logs = np.log(parameters.weights)
    logs = logs + np.log(roots).sum(axis=-1) - d / 2 * np.log(2 * np.pi) - squares / 2
    held = statistics.weights > 0
    return float(statistics.weights[held] @ np.broadcast_to(logs, statistics.weights.shape)[held])
