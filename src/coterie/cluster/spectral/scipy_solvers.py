"""Eigenvectors by SciPy's solvers: ARPACK, and LOBPCG with or without a preconditioner."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg
from sklearn.exceptions import ConvergenceWarning

from coterie._support.typing import FloatArray
from coterie.cluster.spectral.amg import inverse_of_laplacian
from coterie.cluster.spectral.problem import (
    GUARDS,
    MOST_PRODUCTS,
    Eigenpairs,
    Eigenproblem,
    Product,
    are_settled,
    not_settled,
    tolerance_at,
)

MOST_ROUNDS = 3  # of ARPACK, each with a smaller tolerance
STEPS = 40  # of LOBPCG between looks at the wanted vectors: it waits for its last one
LOBPCG_TOLERANCE = 1e-15**0.5  # SciPy's own, per row, where none is asked for


def by_arpack(problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int) -> Eigenpairs:
    """Return the largest pairs besides the known ones, by Lanczos' method with restarts."""
    start: FloatArray = np.random.default_rng(seed).normal(size=problem.n)
    tol = max(tol, problem.rounding) if tol else 0.0  # 0: as good as can be
    pairs = None
    for _ in range(MOST_ROUNDS):
        try:
            values, vectors = eigsh(_operator(problem), k=k, which="LA", v0=start, tol=tol)
        except ArpackNoConvergence:
            if pairs is None:
                raise not_settled(k) from None
            return pairs  # to the tolerance that was asked for, though not to the spread of the eigenvalues
        pairs = _sorted(values, vectors)
        limit = tolerance_at(problem, pairs.values, n_settled, tol)
        if tol <= limit:
            break
        tol, start = limit, vectors.sum(axis=1)
    assert pairs is not None
    return pairs


def by_lobpcg(
    problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int, *, inverse: Any
) -> Eigenpairs:
    """Return the largest pairs besides the known ones; `inverse` is a preconditioner or None."""
    operator = _operator(problem)
    block: FloatArray = np.random.default_rng(seed).normal(size=(problem.n, k + GUARDS))
    tol = tol or LOBPCG_TOLERANCE * problem.n
    limit = max(tol, problem.rounding)
    for _ in range(max(MOST_PRODUCTS // STEPS, 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the guards, too: the pairs are looked at below
            steps = min(STEPS, MOST_PRODUCTS)
            found = lobpcg(operator, block, M=inverse, tol=limit, maxiter=steps, largest=True)
        pairs = _sorted(*found)
        block = pairs.vectors
        residuals = np.linalg.norm(operator.matmat(block) - block * pairs.values, axis=0)[:k]
        if are_settled(problem, pairs.values, residuals, n_settled, tol):
            return Eigenpairs(pairs.values[:k], block[:, :k])
        limit = tolerance_at(problem, pairs.values, n_settled, tol)
    _warn(float(residuals.max()), limit, "lobpcg" if inverse is None else "amg")
    return Eigenpairs(pairs.values[:k], block[:, :k])


def inverse_of(problem: Eigenproblem, seed: int) -> LinearOperator:
    """Return what is nearly the inverse of the Laplacian, away from the known directions."""
    top = float(problem.known_values[0])
    laplacian = top * sparse.eye_array(problem.n) - problem.stored()
    nearly = inverse_of_laplacian(laplacian, problem.known, top - problem.lowest, seed)

    def multiply(columns: FloatArray) -> FloatArray:
        found = np.column_stack([nearly.matvec(column) for column in problem.deflate(columns).T])
        return problem.deflate(found)

    return _linear(multiply, problem.n)


def _operator(problem: Eigenproblem) -> LinearOperator:
    def multiply(columns: FloatArray) -> FloatArray:
        rest = problem.deflate(columns)
        # the known directions go to the end of the spectrum
        return problem.deflate(problem.product(rest)) + problem.lowest * (columns - rest)

    return _linear(multiply, problem.n)


def _linear(multiply: Product, n: int) -> LinearOperator:
    def shaped(V: Any) -> Any:
        return multiply(V.reshape(n, -1)).reshape(V.shape)

    return LinearOperator((n, n), matvec=shaped, matmat=shaped, dtype=np.float64)


def _sorted(values: FloatArray, vectors: FloatArray) -> Eigenpairs:
    order = np.argsort(-values)
    return Eigenpairs(values[order], vectors[:, order])


def _warn(reached: float, wanted: float, solver: str) -> None:
    warnings.warn(
        f"{solver} settled the eigenvectors to {reached:.2g} only, not to {wanted:.2g}. Use another "
        f'eigen_solver (None, "arpack"), or a larger eigen_tol.',
        ConvergenceWarning,
        stacklevel=2,
    )
