"""The largest eigenvalues of a symmetric operator that is known by its products only."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from coterie._support.threads import one_thread
from coterie._support.typing import FloatArray
from coterie.cluster.spectral.problem import (
    GUARDS,
    MOST_PRODUCTS,
    Eigenpairs,
    Eigenproblem,
    are_settled,
    not_settled,
)
from coterie.cluster.spectral.scipy_solvers import by_arpack, by_lobpcg, inverse_of

MOST_BLOCKS = 16  # blocks of one Krylov space
BASIS_BYTES = 2**28  # memory of a Krylov space and its image
FIRST_BLOCKS = 4  # of a small Krylov space that tells a filter where to begin
FILTER_DEGREE = 16
DENSE_ROWS = 200  # below, LAPACK is quicker
ROWS_OF_ONE_THREAD = 4096  # up to these, threads of LAPACK wait for each other longer than they work


def largest_pairs(
    problem: Eigenproblem, k: int, n_settled: int, *, solver: str | None, tol: float, seed: int
) -> Eigenpairs:
    """Return the `k` largest eigenvalues and vectors, the known ones among them.

    The first `n_settled` are settled to the tolerance; of the others, only the values are good.
    """
    n_known = problem.known.shape[1]
    missing = k - n_known
    if missing <= 0:
        return Eigenpairs(problem.known_values[:k], problem.known[:, :k])
    with one_thread("blas") if problem.n <= ROWS_OF_ONE_THREAD else nullcontext():
        found = _missing_pairs(problem, missing, n_settled - n_known, solver, tol, seed)
    return Eigenpairs(
        np.concatenate([problem.known_values, found.values]), np.hstack([problem.known, found.vectors])
    )


def _missing_pairs(
    problem: Eigenproblem, k: int, n_settled: int, solver: str | None, tol: float, seed: int
) -> Eigenpairs:
    if problem.n <= DENSE_ROWS or k + problem.known.shape[1] + GUARDS >= problem.n // 2:
        return _by_lapack(problem, k)
    if solver is None:
        search = _by_filtered_blocks if problem.is_cheap else _by_block_krylov
        return search(problem, k, n_settled, tol, seed)
    if solver == "arpack":
        return by_arpack(problem, k, n_settled, tol, seed)
    inverse = inverse_of(problem, seed) if solver == "amg" else None
    return by_lobpcg(problem, k, n_settled, tol, seed, inverse=inverse)


def _by_lapack(problem: Eigenproblem, k: int) -> Eigenpairs:
    matrix = problem.product(np.eye(problem.n))
    # the known ones go to the end of the spectrum
    scale = 3 * float(np.abs(matrix).sum(axis=1).max(initial=0.0)) or 1.0
    matrix = matrix - scale * problem.known @ problem.known.T
    values, vectors = np.linalg.eigh(_symmetric(matrix))
    return Eigenpairs(values[::-1][:k], vectors[:, ::-1][:, :k])


def _by_filtered_blocks(problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int) -> Eigenpairs:
    """Multiply a block by a Chebyshev polynomial that is large on the wanted eigenvalues only, repeatedly."""
    width = min(k + GUARDS, problem.n - problem.known.shape[1])
    space = _KrylovSpace(problem, np.random.default_rng(seed).normal(size=(problem.n, width)), FIRST_BLOCKS)
    for _ in range(FIRST_BLOCKS):
        space.grow()
    pairs = space.best(width)
    for _ in range(MOST_PRODUCTS // FILTER_DEGREE):
        block = np.linalg.qr(problem.deflate(_filtered(problem, pairs)))[0]
        image = problem.deflate(problem.product(block))
        values, small = np.linalg.eigh(_symmetric(block.T @ image))
        values, small = values[::-1], small[:, ::-1]
        pairs = Eigenpairs(values, block @ small)
        residuals = np.linalg.norm(image @ small - pairs.vectors * values, axis=0)
        if are_settled(problem, values, residuals[:k], n_settled, tol):
            return Eigenpairs(values[:k], pairs.vectors[:, :k])
    raise not_settled(k)


def _filtered(problem: Eigenproblem, pairs: Eigenpairs) -> FloatArray:
    """Damp everything between the least possible eigenvalue and the last of the pairs."""
    middle = (problem.lowest + pairs.values[-1]) / 2
    half = max((pairs.values[-1] - problem.lowest) / 2, np.finfo(np.float64).tiny)
    before, now = pairs.vectors, (problem.product(pairs.vectors) - middle * pairs.vectors) / half
    for _ in range(FILTER_DEGREE - 1):
        after = problem.product(now)
        after -= middle * now
        after *= 2 / half
        after -= before
        before, now = now, after
    return np.asarray(now / np.linalg.norm(now, axis=0))


def _symmetric(matrix: FloatArray) -> FloatArray:
    return np.asarray((matrix + matrix.T) / 2)


def _by_block_krylov(problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int) -> Eigenpairs:
    """Grow a Krylov space block by block, and start anew from its best vectors until they settle."""
    width = min(k + GUARDS, problem.n - problem.known.shape[1])
    most_blocks = BASIS_BYTES // (8 * problem.n * width)
    n_blocks = int(np.clip(min(most_blocks, problem.n // (2 * width)), 3, MOST_BLOCKS))
    block: FloatArray = np.random.default_rng(seed).normal(size=(problem.n, width))
    for _ in range(MOST_PRODUCTS // n_blocks):
        space = _KrylovSpace(problem, block, n_blocks)
        for _ in range(n_blocks):
            space.grow()
            values, residuals = space.residuals()
            if are_settled(problem, values, residuals[:k], n_settled, tol):
                pairs = space.best(k)
                return Eigenpairs(pairs.values, pairs.vectors)
        block = space.best(width).vectors
    raise not_settled(k)


class _KrylovSpace:
    """An orthonormal basis of the blocks V, A V, A A V ..., and the operator in it."""

    def __init__(self, problem: Eigenproblem, block: FloatArray, n_blocks: int) -> None:
        self._problem = problem
        self._width = block.shape[1]
        self._basis = np.empty((problem.n, n_blocks * self._width), order="F")
        self._operator = np.zeros((n_blocks * self._width, n_blocks * self._width))
        self._size = 0
        self._next, self._leak = np.linalg.qr(problem.deflate(block))

    def grow(self) -> None:
        """Take the next block in, and make the one after it."""
        first, self._size = self._size, self._size + self._width
        self._basis[:, first : self._size] = self._next
        basis = self._basis[:, : self._size]
        rest = self._problem.deflate(self._problem.product(self._next))
        inside = basis.T @ rest
        self._operator[: self._size, first : self._size] = inside
        self._operator[first : self._size, : self._size] = inside.T
        rest -= basis @ inside
        rest -= basis @ (basis.T @ rest)  # once loses orthogonality to rounding
        self._next, self._leak = np.linalg.qr(self._problem.deflate(rest))

    def residuals(self) -> tuple[FloatArray, FloatArray]:
        """Return the best values, and how far their vectors are from eigenvectors: what leaks out."""
        values, small = self._small()
        last = small[self._size - self._width :, : self._width]
        return values[: self._width], np.asarray(np.linalg.norm(self._leak @ last, axis=0))

    def best(self, count: int) -> Eigenpairs:
        """Return the largest pairs of the operator in this space."""
        values, small = self._small()
        return Eigenpairs(values[:count], self._basis[:, : self._size] @ small[:, :count])

    def _small(self) -> tuple[FloatArray, FloatArray]:
        values, vectors = np.linalg.eigh(self._operator[: self._size, : self._size])
        return values[::-1], vectors[:, ::-1]
