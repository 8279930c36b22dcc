"""Starting parameters that a user gives: shapes, ranges, positive definiteness, in scikit-learn's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.linear_algebra import is_positive_definite
from coterie._support.typing import FloatArray
from coterie.cluster.mixture.families import Family
from coterie.errors import InvalidParameter


def check_weights(weights: Any, n_components: int) -> FloatArray:
    """Return the weights as float64, or say what is wrong with them."""
    checked = _numbers(weights, "weights", (n_components,))
    if (checked < 0).any() or (checked > 1).any():
        raise InvalidParameter(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{checked.min():.5f}, min value {checked.max():.5f}"
        )
    tolerance = 1e-6 if np.asarray(weights).dtype == np.float32 else 1e-8
    if abs(1.0 - checked.sum()) > tolerance:
        raise InvalidParameter(
            f"The parameter 'weights' should be normalized, but got sum(weights) = {checked.sum():.5f}"
        )
    return checked


def check_means(means: Any, shape: tuple[int, int]) -> FloatArray:
    """Return the means as float64, or say what is wrong with them."""
    return _numbers(means, "means", shape)


def check_precisions(precisions: Any, family: Family, shape: tuple[int, int]) -> FloatArray:
    """Return the precisions as float64, or say what is wrong with them."""
    checked = _numbers(precisions, f"{family.name} precision", _stored_shape(family, shape))
    if family.kernel_shape == "diag":
        if not (checked > 0).all():
            raise InvalidParameter(f"'{family.name} precision' should be positive")
        return checked
    is_symmetric = np.allclose(checked, np.swapaxes(checked, -1, -2))
    turned = checked[..., ::-1, ::-1].reshape(-1, *checked.shape[-2:])  # as they will be factored
    if not is_symmetric or not all(map(is_positive_definite, turned)):
        raise InvalidParameter(f"'{family.name} precision' should be symmetric, positive-definite")
    return checked


def check_last_fit(means: FloatArray, factors: FloatArray, family: Family, shape: tuple[int, int]) -> None:
    """Refuse to go on from parameters of other components, columns or covariances."""
    if means.shape != shape or factors.shape != _stored_shape(family, shape):
        raise InvalidParameter(
            f"warm_start of GaussianMixture goes on from the last fit, of {means.shape[0]} components, "
            f"{means.shape[1]} columns and precisions of shape {factors.shape}, got n_components={shape[0]}, "
            f'{shape[1]} columns and covariance_type="{family.name}". Set warm_start=False to begin anew.'
        )


def _stored_shape(family: Family, shape: tuple[int, int]) -> tuple[int, ...]:
    k, d = shape
    return {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[family.storage]


def _numbers(values: Any, name: str, shape: tuple[int, ...]) -> FloatArray:
    try:
        checked = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"The parameter '{name}' should be numbers, got {values!r:.80}") from None
    if checked.shape != shape:
        raise InvalidParameter(
            f"The parameter '{name}' should have the shape of {shape}, but got {checked.shape}"
        )
    if not np.isfinite(checked).all():
        raise InvalidParameter(f"The parameter '{name}' should be finite, got NaN or infinity")
    return checked
