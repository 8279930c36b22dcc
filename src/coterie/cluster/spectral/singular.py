"""Rows and columns of a matrix scaled to weigh alike, and the singular vectors of what that leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import settle_signs
from coterie._support.typing import CheckedRows, FloatArray, LinearOperator
from coterie.cluster.spectral.eigen import Eigenproblem, largest_pairs
from coterie.errors import DataNotice, InvalidData

BALANCED = 1e-5  # change of all entries together at which a matrix counts as balanced
MOST_ROUNDS = 1000  # of scaling rows and columns
TOLERANCE = 1e-8  # of eigenvectors, as a share of the largest eigenvalue
LEAST_VALUE = 1e-6  # a singular value below this share of the largest is rounding, its vectors are anything
ROUNDING = 1e-13  # of a product, as a share of the largest eigenvalue


def nonnegative(X: CheckedRows, least: float = 0.0, *, who: str = "biclustering") -> CheckedRows:
    """Return the matrix, with a number added to all entries where some are too small."""
    lowest = float(X.min())
    if lowest >= least:
        return X
    if sparse.issparse(X):
        raise InvalidData(
            f"X of {who} is sparse and has the negative entry {lowest:.3g}: adding a number to all entries "
            f"would fill it. Use X.toarray(), or leave negative entries out."
        )
    return X + (least - lowest)


def scale_normalize(X: CheckedRows) -> tuple[CheckedRows, FloatArray, FloatArray]:
    """Divide entries by the roots of the sums of their row and column; a row without a sum becomes 0.

    Returns the scaled matrix, and the factors of rows and columns.

    Examples
    --------
    >>> scale_normalize(np.array([[1.0, 3.0], [3.0, 1.0]]))[0]
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """
    X = nonnegative(X)
    rows, columns = (_inverse_roots(np.asarray(X.sum(axis=axis)).ravel()) for axis in (1, 0))
    return _scaled(X, rows, columns), rows, columns


def _inverse_roots(sums: FloatArray) -> FloatArray:
    return np.asarray(np.where(sums > 0, 1.0 / np.sqrt(np.where(sums > 0, sums, 1.0)), 0.0))


def bistochastic_normalize(X: CheckedRows) -> CheckedRows:
    """Scale rows and columns until all rows have one sum and all columns another."""
    X = nonnegative(X)
    rows, columns = np.ones(X.shape[0]), np.ones(X.shape[1])
    for _ in range(MOST_ROUNDS):
        sums = rows * np.asarray(X @ columns), columns * np.asarray(X.T @ rows)
        steps = tuple(map(_inverse_roots, sums))
        rows, columns = rows * steps[0], columns * steps[1]
        (low, high), (least, most) = (_extremes(step) for step in steps)
        # what an entry can still change by; all entries together are at most the root of their number
        if max(high * most - 1, 1 - low * least) * np.sqrt(min(X.shape)) < BALANCED:
            break
    return _scaled(X, rows, columns)


def _extremes(factors: FloatArray) -> tuple[float, float]:
    """Return the least and the greatest factor that is not 0."""
    used = factors[factors > 0]
    return (float(used.min()), float(used.max())) if len(used) else (1.0, 1.0)


def _scaled(X: CheckedRows, rows: FloatArray, columns: FloatArray) -> CheckedRows:
    if sparse.issparse(X):
        return sparse.csr_array(sparse.diags_array(rows) @ X @ sparse.diags_array(columns))
    return rows[:, None] * X * columns


def log_normalize(X: CheckedRows) -> FloatArray:
    """Take logarithms and remove what rows and columns add by themselves: interactions are left."""
    if sparse.issparse(X):
        raise InvalidData(
            "Cannot compute log of a sparse matrix, because log(x) diverges to -infinity as x goes to 0. "
            'Use X.toarray(), or method="bistochastic".'
        )
    logs = np.log(nonnegative(X, 1.0))
    return np.asarray(logs - logs.mean(axis=1)[:, None] - logs.mean(axis=0) + logs.mean())


@dataclass(frozen=True, eq=False)
class Normalized:
    """A matrix whose trivial right singular vector is known."""

    matrix: CheckedRows
    trivial: FloatArray  # a unit vector over the columns
    value: float  # its squared singular value; for one of value 0, an upper bound of all others
    row_factors: FloatArray
    column_factors: FloatArray


def normalize(X: CheckedRows, method: str, *, who: str) -> Normalized:
    """Return the matrix scaled by a method of `SpectralBiclustering`."""
    if method == "log":
        matrix = log_normalize(X)
        constant = np.ones(X.shape[1]) / np.sqrt(X.shape[1])  # rows add up to 0
        bound = float(np.square(matrix).sum())
        return Normalized(matrix, constant, bound, np.ones(X.shape[0]), np.ones(X.shape[1]))
    X = nonnegative(X, who=who)
    _warn_of_empty(X, who)
    before = X if method == "scale" else bistochastic_normalize(X)
    matrix, rows, columns = scale_normalize(before)
    roots = np.divide(1.0, columns, out=np.zeros_like(columns), where=columns > 0)  # of the sums of columns
    length = np.linalg.norm(roots)
    if length == 0:
        raise InvalidData(f"all entries of X of {who} are zero: there is nothing to divide.")
    return Normalized(matrix, roots / length, 1.0, rows, columns)


def _warn_of_empty(X: CheckedRows, who: str) -> None:
    for axis, kind in ((1, "row"), (0, "column")):
        empty = np.flatnonzero(np.asarray(X.sum(axis=axis)).ravel() == 0)
        if len(empty):
            warn_caller(
                f"{len(empty):,} {kind}s of X of {who} have the sum zero, e.g. {kind} {empty[0]}: they "
                f"belong to no group, and their labels mean nothing. Leave such {kind}s out.",
                DataNotice,
            )


def singular_vectors(
    found: Normalized, n_wanted: int, *, solver: str | None, seed: int, n_vectors: int | None, who: str
) -> tuple[FloatArray, FloatArray]:
    """Return the left and right singular vectors besides the trivial ones, the largest first, as columns.

    Signs are settled by the largest entry of each right vector. Where the matrix has fewer, there are fewer.

    Parameters
    ----------
    found : Normalized
        The matrix.
    n_wanted : int
        How many of each.
    solver : None or "arpack"
        Our own block methods, or Lanczos' method.
    seed : int
        Of the first vectors.
    n_vectors : int or None
        How many the solver works with.
    who : str
        Name to use in messages.
    """
    A, is_wide = found.matrix, found.matrix.shape[1] > found.matrix.shape[0]
    trivial = found.trivial
    if is_wide:  # the smaller of the two matrices of products
        A = A.T
        n = A.shape[1]
        trivial = _unit(found.matrix @ found.trivial) if found.value == 1.0 else np.full(n, 1 / np.sqrt(n))
    problem = _gram_problem(A, trivial, found.value)
    k = min(n_wanted, A.shape[1] - 1)
    if k < 1:
        return np.zeros((found.matrix.shape[0], 0)), np.zeros((found.matrix.shape[1], 0))
    try:
        pairs = largest_pairs(
            problem,
            min(k + 2, A.shape[1]),  # the next value tells how close the wanted ones are to others
            k + 1,
            solver=solver,
            tol=TOLERANCE * found.value,
            seed=seed,
            n_vectors=n_vectors,
        )
    except InvalidData:
        raise InvalidData(
            f"the {k} leading singular vectors of X of {who} did not converge: their singular values hardly "
            f"differ. Ask for fewer (n_components), or increase n_svd_vecs."
        ) from None
    values, right = pairs.values[1 : k + 1], settle_signs(pairs.vectors[:, 1 : k + 1])
    largest = 1.0 if found.value == 1.0 else max(float(values.max(initial=0.0)), 0.0)
    kept = values > LEAST_VALUE**2 * largest
    right = np.ascontiguousarray(right[:, kept])
    left = np.asarray(A @ right) / np.sqrt(values[kept])
    if not is_wide:
        return left, right
    turned = settle_signs(left)  # the rule looks at the right vectors of the matrix itself
    signs = np.where((turned * left).sum(axis=0) < 0, -1.0, 1.0)
    return right * signs, turned


def _gram_problem(A: LinearOperator, trivial: FloatArray, value: float) -> Eigenproblem:
    """Return the eigenproblem of ``A.T @ A``."""
    transposed = A.T.tocsr() if sparse.issparse(A) else A.T

    def product(V: FloatArray) -> FloatArray:
        return np.asarray(transposed @ (A @ V))

    return Eigenproblem(
        product,
        A.shape[1],
        trivial[:, None],
        np.array([value]),
        -value,  # 0 would do, but would ask as much of the next vector as of the wanted ones
        sparse.issparse(A),
        ROUNDING * value,
        lambda: sparse.csr_array(transposed @ A),
    )


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))
