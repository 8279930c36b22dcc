"""The parameters of a Gaussian mixture, and the sums from which the next ones are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from coterie._core import Mixture, mixture_labels, mixture_shares, mixture_sums
from coterie._support.linear_algebra import factor_correlations
from coterie._support.stoppable import stoppable
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, FloatArray, FloatType, Labels, Weights
from coterie.cluster.mixture.families import Family
from coterie.errors import InvalidData

LEAST_WEIGHT = 10 * float(np.finfo(np.float64).eps)  # what scikit-learn adds to the weight of a component
ILL_DEFINED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for "
    "instance caused by singleton or collapsed samples). Try to decrease the number of components, increase "
    "reg_covar, or scale the input data."
)


class Placing(Protocol):
    """Whatever gives rows to components."""

    def native(self, shift: FloatArray) -> Mixture:
        """Return the densities as native code takes them; `shift` is a point amid the data."""
        ...


@dataclass(frozen=True, eq=False)
class Parameters:
    """Weights, means, covariances, factors U of the precisions ``U @ U.T``, in the family's storage."""

    family: Family
    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    factors: FloatArray

    def native(self, shift: FloatArray) -> Mixture:
        """Return them as native code takes them; `shift` is a point amid the data."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(self.weights)
        return native_mixture(self.family, log_weights, self.means, self.factors, shift)

    def astype(self, dtype: FloatType) -> Parameters:
        """Return the same numbers in another precision, or say that they do not fit."""
        arrays = (self.weights, self.means, self.covariances, self.factors)
        with np.errstate(over="ignore"):
            cast = Parameters(self.family, *(array.astype(dtype) for array in arrays))
            held = (cast.weights, cast.means, cast.covariances, cast.factors, cast.precisions)
        refuse_overflow(held, self.covariances, dtype)
        return cast

    @property
    def precisions(self) -> FloatArray:
        """Inverse covariances."""
        return precisions_of(self.factors, self.family)


@dataclass(frozen=True, eq=False)
class Statistics:
    """What an expectation step finds: per component its weight, mean and own covariance (or variances)."""

    weights: FloatArray
    means: FloatArray
    scatter: FloatArray

    def parameters(self, family: Family, reg_covar: float) -> Parameters:
        """Return the likeliest parameters."""
        scatter, reg_covar = self.scatter.copy(), float(reg_covar)
        if scatter.ndim == 3:
            scatter[:, range(scatter.shape[1]), range(scatter.shape[1])] += reg_covar
        else:
            scatter += reg_covar
        with np.errstate(all="ignore"):  # what comes out of singular scatter is refused next
            covariances = family.likeliest(self.weights, scatter)
        if not np.isfinite(covariances).all():  # where components share a part, only their own scatter tells
            _refuse_singular(scatter)
        factors = precision_factors(covariances, family)
        return Parameters(family, self.weights / self.weights.sum(), self.means, covariances, factors)


def refuse_overflow(arrays: Iterable[FloatArray], covariances: FloatArray, dtype: FloatType) -> None:
    """Refuse parameters that are not finite in the type of the rows."""
    if not all(np.isfinite(array).all() for array in arrays):
        fix = "Scale the columns of X" if dtype == np.float64 else "Convert X to float64, scale its columns"
        raise InvalidData(
            f"the covariances of the mixture, up to {float(np.abs(covariances).max()):.3g}, or their "
            f"inverses overflow {dtype}. {fix}, or choose another reg_covar."
        )


class Expectation(NamedTuple):
    """What an expectation step finds."""

    log_likelihood: float  # of all rows
    statistics: Statistics  # of the shares
    entropy: float  # of the shares: minus the sum of share * log(share)


def expected(
    X: Data, weights: Weights | None, native: Mixture, family: Family, means: FloatArray
) -> Expectation:
    """Return what an expectation step finds under densities about these means."""
    total, sizes, deviations, scatter, entropy = mixture_sums(X, native, weights, resolve_threads())
    if not np.isfinite(total):
        raise InvalidData(
            "the likelihood of the mixture is not a number: some rows are too far from every component for "
            f"{X.dtype} numbers. Scale the columns, or increase reg_covar."
        )
    if family.kernel_shape != "diag":
        scatter = scatter.reshape(len(sizes), X.shape[1], X.shape[1])
    return Expectation(float(total), statistics_of(sizes, deviations, scatter, means), float(entropy))


def expectation(
    X: Data, weights: Weights | None, parameters: Parameters, shift: FloatArray
) -> tuple[float, Statistics]:
    """Return the log-likelihood of all rows under the parameters, and the statistics of its shares."""
    found = expected(X, weights, parameters.native(shift), parameters.family, parameters.means)
    return found.log_likelihood, found.statistics


def statistics_of(
    sizes: FloatArray, deviations: FloatArray, scatter: FloatArray, origins: FloatArray
) -> Statistics:
    """Move sums about `origins` to the means; a component without rows stays at its origin."""
    divisors = sizes + LEAST_WEIGHT
    moves = deviations / divisors[:, None]
    if scatter.ndim == 2:
        spread = np.maximum(scatter / divisors[:, None] - moves**2, 0.0)
    else:
        spread = scatter / divisors[:, None, None] - moves[:, :, None] * moves[:, None, :]
    return Statistics(divisors, origins + moves, spread)


def label_rows(X: Data, parameters: Placing, shift: FloatArray) -> tuple[Labels, FloatArray]:
    """Return the likeliest component and the log-likelihood of each row."""
    labels, logs = mixture_labels(X, parameters.native(shift), resolve_threads())
    return labels, logs


def share_rows(X: Data, parameters: Placing, shift: FloatArray) -> FloatArray:
    """Return the probability of each component for each row."""
    return mixture_shares(X, parameters.native(shift), resolve_threads())


def log_determinants(factors: FloatArray, family: Family, n_columns: int) -> FloatArray:
    """Return the logarithm of the determinant of each U; one number where all components share it."""
    if family.storage == "spherical":
        return np.asarray(n_columns * np.log(factors))
    return np.asarray(np.log(factors if family.kernel_shape == "diag" else _diagonals(factors)).sum(axis=-1))


def native_mixture(
    family: Family, log_weights: FloatArray, means: FloatArray, factors: FloatArray, shift: FloatArray
) -> Mixture:
    """Return weighted normal densities as native code takes them.

    Parameters
    ----------
    family : Family
        Of the covariances.
    log_weights : array of shape (n_components,)
        What is added to the logarithm of each density.
    means, factors : arrays
        Means, and factors U of the precisions ``U @ U.T`` in the family's storage.
    shift : array of shape (n_columns,)
        A point amid the data.
    """
    d = means.shape[1]
    logs = log_weights + log_determinants(factors, family, d) - d / 2 * np.log(2 * np.pi)
    if family.storage == "spherical":
        factors = np.repeat(factors[:, None], d, axis=1)
    return Mixture(
        family.kernel_shape,
        np.ascontiguousarray(shift, dtype=np.float64),
        np.ascontiguousarray(logs, dtype=np.float64),
        np.ascontiguousarray(means - shift, dtype=np.float64),
        np.ascontiguousarray(factors, dtype=np.float64).reshape(-1),
    )


def precision_factors(covariances: FloatArray, family: Family) -> FloatArray:
    """Return upper triangular U with ``U @ U.T`` the inverse, or roots of inverse variances."""
    if family.kernel_shape == "diag":
        _refuse_flat(covariances.reshape(len(covariances), -1))
        return np.asarray(1.0 / np.sqrt(covariances))
    _refuse_flat(np.atleast_2d(_diagonals(covariances)))
    lower, roots = _cholesky(covariances)
    identity = np.broadcast_to(np.eye(covariances.shape[-1]), covariances.shape)
    inverse = stoppable(np.linalg.solve, lower, identity)
    return np.triu(np.swapaxes(inverse, -1, -2) / roots[..., :, None])


def precisions_of(factors: FloatArray, family: Family) -> FloatArray:
    """Return the precisions ``U @ U.T``, or squares, of factors."""
    if family.kernel_shape == "diag":
        return np.asarray(factors**2)
    return np.asarray(factors @ np.swapaxes(factors, -1, -2))


def factors_of_precisions(precisions: FloatArray, family: Family) -> FloatArray:
    """Return upper triangular U with ``U @ U.T`` these precisions."""
    if family.kernel_shape == "diag":
        return np.sqrt(precisions)
    reversed_rows = precisions[..., ::-1, ::-1]
    return np.ascontiguousarray(stoppable(np.linalg.cholesky, reversed_rows)[..., ::-1, ::-1])


def _diagonals(matrices: FloatArray) -> FloatArray:
    return np.diagonal(matrices, axis1=-2, axis2=-1)


def _refuse_flat(variances: FloatArray) -> None:
    """Refuse components without extent, naming one and its column."""
    flat = ~((variances > 0) & np.isfinite(variances))
    if flat.any():
        component, column = np.argwhere(flat)[0]
        where = f" in column {column}" if variances.shape[1] > 1 else ""
        raise InvalidData(f"{ILL_DEFINED} Component {component} has no variance{where}.")


def _refuse_singular(scatter: FloatArray) -> None:
    """Refuse components of which some direction has no extent, naming one and its column."""
    if scatter.ndim == 2:
        _refuse_flat(scatter)
        return
    _refuse_flat(_diagonals(scatter))
    _cholesky(scatter)


def _cholesky(matrices: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower factors of the correlations, and the standard deviations.

    A column that is, within rounding, a combination of earlier ones is refused.
    """
    d = matrices.shape[-1]
    roots = np.sqrt(_diagonals(matrices))
    correlations = matrices / (roots[..., :, None] * roots[..., None, :])
    factors = np.empty_like(correlations)
    for component, matrix in enumerate(correlations.reshape(-1, d, d)):
        lower, column = factor_correlations(matrix)
        factors.reshape(-1, d, d)[component] = lower
        if column is not None:
            raise InvalidData(
                f"{ILL_DEFINED} In component {component}, column {column} is a linear combination of the "
                f"columns before it."
            )
    return factors, roots
