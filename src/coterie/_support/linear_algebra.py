"""Decisions about matrices that LAPACK would make by its last bits, made by thresholds instead."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from inspect import signature

import numpy as np

from coterie._support.stoppable import stoppable
from coterie._support.threads import one_thread
from coterie._support.typing import AnyFunction, FloatArray, LinearOperator

EQUAL_SHARE = 1e-6  # entries of an axis that differ by less than this share of the largest are equally large
FLAT = 1e-13  # a direction with less than this share of the largest variance is rounding
MOST_STEPS = 64  # of Lanczos' iteration; what has not converged by then is left to LAPACK
CHECKED_STEPS = 4  # between two looks at the residual
RESIDUAL = 1e-11  # of the largest eigenvalue
# rows of a matrix up to which LAPACK finds all axes about as fast in one thread: two mostly wait for each
# other, and take three times the processor time for 500 to 1,500 rows
ROWS_OF_ONE_THREAD = 2_000
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


def symmetric_axes(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues of a symmetric matrix, rising, and its axes with settled signs as columns.

    Examples
    --------
    >>> symmetric_axes(np.diag([4.0, 1.0]))
    (array([1., 4.]), array([[0., 1.],
           [1., 0.]]))
    """
    with one_thread("blas") if len(matrix) <= ROWS_OF_ONE_THREAD else nullcontext():
        values, vectors = stoppable(np.linalg.eigh, matrix)
    return values, settle_signs(vectors)


def lanczos(operator: LinearOperator, seed: int, **options: object) -> tuple[FloatArray, FloatArray]:
    """Return eigenpairs of a symmetric operator by SciPy's ARPACK, the same ones whenever it is called.

    ARPACK draws a new vector where its space cannot grow, and SciPy 1.17 does so from the system's entropy
    unless it is given a generator.

    Examples
    --------
    >>> lanczos(np.diag([1.0, 2.0, 3.0, 9.0]), 0, k=1)[0].round(6)
    array([9.])
    """
    from scipy.sparse.linalg import eigsh

    own = {"rng": np.random.default_rng(seed)} if _takes_generator(eigsh) else {}
    values, vectors = eigsh(operator, **options, **own)
    return values, vectors


def leading_axes(matrices: FloatArray) -> FloatArray:
    """Return the axis of the largest eigenvalue of each positive semidefinite matrix, as rows, signs settled.

    Lanczos' iteration with all matrices in step, from one fixed vector and with every vector made orthogonal
    to all before it. Where the largest eigenvalue has several axes, the one nearest to that vector is found,
    on every processor.

    Parameters
    ----------
    matrices : array of shape (m, d, d)
        Symmetric, none of zeros.

    Examples
    --------
    >>> abs(leading_axes(np.array([np.diag([4.0, 1.0]), [[2.0, 1.0], [1.0, 2.0]]]))).round(6).tolist()
    [[1.0, 0.0], [0.707107, 0.707107]]
    """
    count, size = matrices.shape[:2]
    most = min(size, MOST_STEPS)
    basis = np.zeros((count, most + 1, size))
    start = np.random.default_rng(0).standard_normal((size,))
    basis[:, 0] = start / np.sqrt((start**2).sum())
    small = np.zeros((count, most, most))
    axes = np.zeros((count, size))
    for step in range(most):
        image = matrices @ basis[:, step, :, None]
        so_far = basis[:, : step + 1]
        for _ in range(2):  # once leaves rounding behind, which grows
            along = so_far @ image
            image = image - so_far.transpose(0, 2, 1) @ along
            small[:, step, step] += along[:, step, 0]
        left = np.sqrt((image[:, :, 0] ** 2).sum(axis=1))
        if (step + 1) % CHECKED_STEPS == 0 or step + 1 == most:
            values, vectors = np.linalg.eigh(small[:, : step + 1, : step + 1])
            axes = (so_far.transpose(0, 2, 1) @ vectors[:, :, -1:])[:, :, 0]
            is_done = left * np.abs(vectors[:, -1, -1]) <= RESIDUAL * values[:, -1]
            if is_done.all():
                return settle_signs(axes.T).T
        is_new = left > FLAT * small[:, 0, 0]  # else the space cannot grow: its axis is exact
        if step + 1 < most:
            small[:, step, step + 1] = small[:, step + 1, step] = np.where(is_new, left, 0.0)
        basis[:, step + 1] = (
            np.where(is_new, 1.0 / np.where(is_new, left, 1.0), 0.0)[:, None] * image[:, :, 0]
        )
    for at in np.flatnonzero(~is_done):
        axes[at] = np.linalg.eigh(matrices[at])[1][:, -1]
    return settle_signs(axes.T).T


@cache
def _takes_generator(function: AnyFunction) -> bool:
    return "rng" in signature(function).parameters


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Centred rows along the axes of their variance, from the least to the largest."""

    rows: FloatArray  # (n, d): their mean is 0
    squares: FloatArray  # (r,): sum of squares along each axis, rising
    vectors: FloatArray  # the axes as columns; of rows of more columns than rows, the unit scores instead

    @property
    def _is_wide(self) -> bool:
        n_rows, n_columns = self.rows.shape
        return bool(n_columns > n_rows)

    def axes(self, most: int | None = None) -> FloatArray:
        """Return the axes as columns, or so many of the largest, still rising."""
        last = slice(-most if most else None, None)
        if not self._is_wide:
            return self.vectors[:, last]
        return np.asarray(self.rows.T @ (self.vectors[:, last] / np.sqrt(self.squares[last])))

    def scores(self, most: int | None = None) -> FloatArray:
        """Return where the rows are along the axes, or along so many of the largest, still rising."""
        last = slice(-most if most else None, None)
        if not self._is_wide:
            return np.ascontiguousarray(self.rows @ self.vectors[:, last])
        return np.ascontiguousarray(self.vectors[:, last] * np.sqrt(self.squares[last]))

    def plane(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the two largest axes, the larger first, the scores along them, and their shares.

        A second axis that the rows do not have is 0.
        """
        axes, scores = (np.asarray(found(2)[:, ::-1]) for found in (self.axes, self.scores))
        total, missing = float(self.squares.sum()), ((0, 0), (0, 2 - axes.shape[1]))
        shares = np.pad(self.squares[-2:][::-1] / (total if total > 0 else 1.0), missing[1])
        return np.pad(axes, missing), np.pad(scores, missing), shares


def principal_components(centred: FloatArray) -> PrincipalComponents:
    """Return the principal components of centred rows; of more columns than rows, without those of rounding.

    Examples
    --------
    >>> found = principal_components(np.array([[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]]))
    >>> found.scores(1).round(6).ravel().tolist()
    [-2.236068, 0.0, 2.236068]
    """
    rows = np.asarray(centred, dtype=np.float64)
    n_rows, n_columns = rows.shape
    if n_columns <= n_rows:
        squares, axes = symmetric_axes(rows.T @ rows)
        return PrincipalComponents(rows, np.maximum(squares, 0.0), axes)
    squares, scores = symmetric_axes(rows @ rows.T)
    kept = squares > squares[-1] * max(FLAT, np.finfo(np.float64).eps * n_rows)
    return PrincipalComponents(rows, squares[kept], scores[:, kept])


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
    from scipy.linalg import lapack  # here: it takes longer to import than the rest

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
