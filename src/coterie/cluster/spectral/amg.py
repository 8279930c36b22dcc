"""A preconditioner from algebraic multigrid: an approximate inverse of a graph's Laplacian."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.optional import require
from coterie._support.typing import FloatArray
from coterie.errors import InvalidParameter, MissingDependency

SHIFT = 1e-5  # of the Laplacian, as a share of its largest possible eigenvalue: it is singular


def require_amg() -> Any:
    """Return the package pyamg, or refuse the solver, as scikit-learn does, and say how to get it."""
    try:
        return require("pyamg", extra="amg", purpose='eigen_solver="amg"')
    except MissingDependency as error:
        raise InvalidParameter(str(error)) from None


def inverse_of_laplacian(laplacian: Any, known: FloatArray, largest: float, seed: int) -> Any:
    """Return a linear operator that is nearly the inverse of a stored Laplacian.

    Smoothed aggregation with one V-cycle per product (see `vanek-1996` of the references).

    Parameters
    ----------
    laplacian : sparse array of shape (n, n)
        Symmetric and positive semi-definite.
    known : array of shape (n, c)
        Vectors that it sends to zero.
    largest : float
        A bound of its eigenvalues.
    seed : int
        Of the estimates that the aggregation makes.
    """
    n = laplacian.shape[0]
    shifted = sparse.csr_matrix(laplacian + SHIFT * largest * sparse.eye_array(n))  # what pyamg takes
    shifted.indices, shifted.indptr = shifted.indices.astype(np.int32), shifted.indptr.astype(np.int32)
    near_null = np.abs(known).sum(axis=1, keepdims=True)
    with _seeded(seed):
        levels = require_amg().smoothed_aggregation_solver(shifted, B=near_null, symmetry="symmetric")
    return levels.aspreconditioner()


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Let pyamg, which draws from NumPy's global state, draw the same every time; then put this back."""
    before = np.random.get_state()  # noqa: NPY002  # the state that pyamg uses
    np.random.seed(seed % 2**32)  # noqa: NPY002  # the state that pyamg uses
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002  # the state that pyamg uses
