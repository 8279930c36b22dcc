"""Weights of samples."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from coterie._support.typing import VectorLike, Weights
from coterie.errors import InvalidData


def check_sample_weight(
    sample_weight: VectorLike | None, n_samples: int, *, dtype: Any = np.float64, who: str = "this function"
) -> Weights | None:
    """Return the weights as a C-ordered vector, or None when all samples weigh the same.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        None and one number for all mean: unweighted.
    n_samples : int
        How many weights there must be.
    dtype : dtype, default=float64
        Type of the result.
    who : str
        Name to use in messages.

    Examples
    --------
    >>> check_sample_weight([1, 2, 0], 3)
    array([1., 2., 0.])
    """
    if sample_weight is None:
        return None
    weights = (
        np.full(n_samples, sample_weight)
        if isinstance(sample_weight, Real)
        else _as_vector(sample_weight, who)
    )
    if weights.shape != (n_samples,):
        raise InvalidData(
            f"sample_weight.shape == {weights.shape}, expected {(n_samples,)}! {who} needs a weight per row."
        )
    _refuse_values(weights, who)
    return np.ascontiguousarray(weights, dtype=dtype)


def _as_vector(sample_weight: VectorLike, who: str) -> Any:
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidData(
                f"sample_weight of {who} must be numbers, got values of type {weights.dtype}."
            ) from None
    if weights.ndim != 1:
        raise InvalidData(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array of shape {weights.shape} "
            f"for sample_weight of {who}."
        )
    return weights


def _refuse_values(weights: Any, who: str) -> None:
    for is_wrong, words in (
        (np.isnan(weights), "Input sample_weight contains NaN"),
        (np.isinf(weights), "Input sample_weight contains infinity"),
        (weights < 0, "Negative values in data passed to `sample_weight`"),
    ):
        if is_wrong.any():
            first = int(np.argmax(is_wrong))
            raise InvalidData(
                f"{words}: {int(is_wrong.sum()):,} of {weights.size:,}, the first at row {first}. "
                f"Weights of {who} must be finite and at least 0."
            )
    if not weights.any():
        raise InvalidData(
            f"Sample weights must contain at least one non-zero number, all weights of {who} are zero."
        )
