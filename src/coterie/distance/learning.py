"""What distances learn from data: weights, variances, covariances, and a point to measure from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.typing import Data, FloatArray
from coterie.distance.catalogue import Distance
from coterie.distance.transforms import Scaling, Whitening
from coterie.errors import InvalidData, InvalidParameter

SINGULAR = 1e-12  # an eigenvalue below this share of the largest is rounding, not variance
ROUNDING = 1e-14  # of a VI that is given: below, a direction does not count at all


def with_weights(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Scale each column such that its term in the sum gets its weight: w |x - y|^p = |w^(1/p) (x - y)|^p."""
    w = _numbers_per_column(distance, "w", X.shape[1])
    if w.min() < 0:
        column = int(np.argmin(w))
        raise InvalidParameter(
            f"w of {distance.name} must be at least 0 in every column, got {w[column]:g} in column {column}."
        )
    p = exponent_of(distance)
    factors = (w > 0).astype(np.float64) if np.isinf(p) else w ** (1 / p)
    return replace(distance, transform=Scaling(_origin(X), factors))


def with_variances(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Divide each column by its standard deviation, given as V or that of the rows of X and Y together."""
    if distance.values["V"] is None:
        distance = replace(distance, values={"V": _variances(X, Y, distance.name)})
    V = _numbers_per_column(distance, "V", X.shape[1])
    if not V.min() > 0:
        column = int(np.argmin(V))
        raise InvalidData(
            f"column {column} of X has variance {V[column]:g}: {distance.name} divides by it. Leave the "
            f"column out, or give a V that is positive everywhere."
        )
    return replace(distance, transform=Scaling(_origin(X), 1 / np.sqrt(V)))


def with_covariance(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Whiten by the root of VI, given or the inverse covariance of the rows of X and Y together."""
    if distance.values["VI"] is None:
        distance = replace(distance, values={"VI": _inverse_covariance(X, Y, distance.name)})
    VI = _as_numbers(distance, "VI")
    n_columns = X.shape[1]
    if VI.shape != (n_columns, n_columns):
        raise InvalidParameter(
            f"VI of {distance.name} must have the shape {(n_columns, n_columns)} for {n_columns} columns, "
            f"got {VI.shape}."
        )
    symmetric = (VI + VI.T) / 2  # x VI x depends on nothing else
    scale = _deviations(symmetric)
    eigenvalues, vectors = symmetric_axes(symmetric / np.outer(scale, scale))
    if eigenvalues[0] < -SINGULAR * abs(eigenvalues[-1]) or eigenvalues[-1] <= 0:
        raise InvalidParameter(
            f"VI of {distance.name} must be positive semidefinite, got one with the eigenvalue "
            f"{eigenvalues[0]:.3g}: distances would be roots of negative numbers."
        )
    is_flat = eigenvalues <= ROUNDING * eigenvalues[-1]
    matrix = scale[:, None] * vectors * np.sqrt(np.where(is_flat, 0.0, eigenvalues))
    return replace(distance, transform=Whitening(_origin(X), matrix))


def exponent_of(distance: Distance) -> float:
    """Return the p of a distance of Minkowski's family."""
    if distance.kernel == _core.Kernel.manhattan:
        return 1.0
    if distance.kernel == _core.Kernel.chebyshev:
        return np.inf
    return distance.p


def _origin(X: Data) -> FloatArray:
    """Return a point among the data: differences from it lose no digits that distances need."""
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def _as_numbers(distance: Distance, name: str) -> FloatArray:
    try:
        numbers = np.asarray(distance.values[name], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise InvalidParameter(f"{name} of {distance.name} must be an array of finite numbers.")
    return numbers


def _numbers_per_column(distance: Distance, name: str, n_columns: int) -> FloatArray:
    numbers = _as_numbers(distance, name)
    if numbers.shape != (n_columns,):
        raise InvalidParameter(
            f"{name} of {distance.name} must have one number per column, shape {(n_columns,)}, "
            f"got shape {numbers.shape}."
        )
    return numbers


def _variances(X: Data, Y: Data | None, who: str) -> FloatArray:
    n_rows = len(X) + (0 if Y is None else len(Y))
    if n_rows < 2:
        raise InvalidData(f"{who} needs two rows to learn variances, got {n_rows}. Give V.")
    mean, variance = _moments(X)
    if Y is None:
        return np.asarray(variance * (n_rows / (n_rows - 1)))
    other_mean, other_variance = _moments(Y)
    between = (mean - other_mean) ** 2 * (len(X) * len(Y) / n_rows)
    return np.asarray((len(X) * variance + len(Y) * other_variance + between) / (n_rows - 1))


def _moments(X: Data) -> tuple[Any, Any]:
    moments = _core.column_moments(X)
    return np.asarray(moments.mean), np.asarray(moments.variance)


def _inverse_covariance(X: Data, Y: Data | None, who: str) -> FloatArray:
    rows = np.asarray(X if Y is None else np.vstack([X, Y]), dtype=np.float64)
    n_rows, n_columns = rows.shape
    if n_rows <= n_columns:
        raise InvalidData(
            f"{who} needs more rows than columns to learn a covariance, got {n_rows} rows and {n_columns} "
            f"columns. Give VI, e.g. sklearn.covariance.LedoitWolf().fit(X).precision_."
        )
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    scale = _deviations(covariance)
    correlations = covariance / np.outer(scale, scale)
    eigenvalues = np.linalg.eigvalsh(correlations)
    if eigenvalues[0] <= SINGULAR * eigenvalues[-1]:
        raise InvalidData(
            f"the covariance of X is singular: some column is constant or a combination of others, and {who} "
            f"divides by it. Leave such columns out, or give VI, e.g. numpy.linalg.pinv(numpy.cov(X.T))."
        )
    return np.asarray(np.linalg.inv(correlations) / np.outer(scale, scale))


def _deviations(matrix: FloatArray) -> FloatArray:
    """Return the units of the columns of a covariance: they must not decide what is singular."""
    roots = np.sqrt(np.abs(np.diagonal(matrix)))
    return np.where(roots > 0, roots, 1.0)
