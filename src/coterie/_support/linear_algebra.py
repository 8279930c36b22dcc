"""Decisions about matrices that LAPACK would make by its last bits, made by thresholds instead."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from coterie._support.typing import FloatArray

EQUAL_SHARE = 1e-6  # entries of an axis that differ by less than this share of the largest are equally large
LEAST_PIVOT = 1e-14  # of a Cholesky factor of correlations: below, a column is a combination of others


def settle_signs(axes: FloatArray) -> FloatArray:
    """Return the columns, each turned so that its largest entry is positive, the first of equally large ones.

    An eigenvector may point either way. Entries that are equal in exact arithmetic differ by rounding:
    without a threshold, that would choose among them.

    Examples
    --------
    >>> settle_signs(np.array([[-0.6, 0.0], [0.6000000000000001, -2.0]]))
    array([[ 0.6, -0. ],
           [-0.6,  2. ]])
    """
    sizes = np.abs(axes)
    first = (sizes >= (1 - EQUAL_SHARE) * sizes.max(axis=0, initial=0.0)).argmax(axis=0)
    largest = np.take_along_axis(axes, first[None], axis=0)
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))


def factor_correlations(matrix: FloatArray) -> tuple[FloatArray, int | None]:
    """Return the lower Cholesky factor of a matrix with unit diagonal, and its first dependent column.

    That is the first column which is, within rounding, a combination of those before it; None where there is
    none. With one, the factor is of no use.

    Examples
    --------
    >>> factor_correlations(np.array([[1.0, 0.6], [0.6, 1.0]]))
    (array([[1. , 0. ],
           [0.6, 0.8]]), None)
    >>> factor_correlations(np.ones((2, 2)))[1]
    1
    """
    lower, failed_at = lapack.dpotrf(matrix, lower=1)
    pivots = np.diagonal(lower)[: failed_at - 1 if failed_at else len(matrix)] ** 2
    low = np.flatnonzero(~(pivots >= LEAST_PIVOT))
    if low.size:
        return lower, int(low[0])
    return lower, failed_at - 1 if failed_at else None


def is_positive_definite(matrix: FloatArray) -> bool:
    """Return whether a symmetric matrix has an inverse that is more than rounding, whatever its units.

    Examples
    --------
    >>> is_positive_definite(np.diag([1e-30, 1e30])), is_positive_definite(np.ones((2, 2)))
    (True, False)
    """
    variances = np.diagonal(matrix)
    if not ((variances > 0) & np.isfinite(variances)).all():
        return False
    roots = np.sqrt(variances)
    correlations = matrix / roots[:, None] / roots
    return bool(np.isfinite(correlations).all()) and factor_correlations(correlations)[1] is None
