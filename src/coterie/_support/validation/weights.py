"""Weights of samples."""

from __future__ import annotations

from numbers import Real

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie._support.typing import AnyArray, CheckedRows, VectorLike, Weights
from coterie.errors import InvalidData

LARGEST_TOTAL = 1e100  # times squares of data up to 1e100 it is still a number
SMALLEST_LARGEST = 1e-100
NEGLIGIBLE = 1e-100


def check_sample_weight(
    sample_weight: VectorLike | None,
    n_samples: int,
    *,
    dtype: npt.DTypeLike = np.float64,
    who: str = "this function",
) -> Weights | None:
    """Return the weights as a C-ordered vector, or None when all samples weigh the same.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        None and one number for all mean: unweighted. They may add up to 1e100, and the largest must be at
        least 1e-100; what is below a 1e-100th of the largest counts as 0.
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
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight)
    weights = _as_vector(sample_weight, who)
    if weights.shape != (n_samples,):
        raise InvalidData(
            f"sample_weight.shape == {weights.shape}, expected {(n_samples,)}! {who} needs a weight per row."
        )
    _refuse_values(weights, who)
    with np.errstate(over="ignore"):
        total = float(weights.sum(dtype=np.float64))
    refuse_sizes(total, float(weights.max()), who=who, row=int(np.argmax(weights)))
    # beside the largest these are nothing, and products with them would vanish or lose their digits
    weights = np.where(weights < float(weights.max()) * NEGLIGIBLE, 0, weights)
    return np.ascontiguousarray(weights, dtype=dtype)


def refuse_heavy(X: CheckedRows, weights: Weights | None, *, who: str) -> None:
    """Refuse rows whose squared differences overflow when they are weighted and summed.

    `check_data` has made sure that they do not while every row counts once.

    Examples
    --------
    >>> refuse_heavy(np.array([[1.0], [2.0]]), np.array([1e90, 1.0]), who="KMeans")
    """
    if weights is None or X.shape[0] == 0:
        return
    values = X.data if issparse(X) else X
    # cells may be missing, where a method takes gaps
    least = float(np.fmin.reduce(values, axis=None, initial=0.0))
    largest = max(abs(least), abs(float(np.fmax.reduce(values, axis=None, initial=0.0))))
    refuse_heavy_sums(largest, float(np.sum(weights)), X.shape, who=who)


def refuse_heavy_sums(largest: float, total: float, shape: tuple[int, int], *, who: str) -> None:
    """Refuse what `refuse_heavy` refuses, from the largest value and the total of the weights.

    Examples
    --------
    >>> refuse_heavy_sums(2.0, 1e90, (2, 1), who="KMeans")
    """
    n_rows, n_columns = shape
    safe = float(np.sqrt(np.finfo(np.float64).max / (4.0 * n_columns) / total)) if total > n_rows else np.inf
    if largest > safe:
        raise InvalidData(
            f"X of {who} holds {largest:.3g}, and sample_weight adds up to {total:.3g}: "
            f"weighted sums of squares overflow above {safe:.2g}. Divide the weights or the data by a "
            f"constant."
        )


def refuse_sizes(total: float, largest: float, *, who: str, row: int | None = None) -> None:
    """Refuse weights whose sums, or products with values, would leave the range of numbers.

    Examples
    --------
    >>> refuse_sizes(3.0, 2.0, who="KMeans")
    """
    where = "" if row is None else f" at row {row}"
    if total > LARGEST_TOTAL:
        raise InvalidData(
            f"sample_weight of {who} must add up to at most {LARGEST_TOTAL:g}, got {total:.3g}, the largest "
            f"{largest:.3g}{where}: weighted sums would overflow. Divide the weights by a constant."
        )
    if largest < SMALLEST_LARGEST:
        raise InvalidData(
            f"sample_weight of {who} must have a weight of at least {SMALLEST_LARGEST:g}, got {largest:.3g} "
            f"as the largest: weighted sums would vanish. Multiply the weights by a constant."
        )


def _as_vector(sample_weight: VectorLike, who: str) -> AnyArray:
    try:
        weights = np.asarray(sample_weight)
    except ValueError:
        raise InvalidData(f"sample_weight of {who} must be one number per row, got lists of them.") from None
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(np.float64)
        except OverflowError:
            raise InvalidData(
                f"sample_weight of {who} must add up to at most {LARGEST_TOTAL:g}, got a whole number of "
                f"more than 308 digits. Divide the weights by a constant."
            ) from None
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


def _refuse_values(weights: AnyArray, who: str) -> None:
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
