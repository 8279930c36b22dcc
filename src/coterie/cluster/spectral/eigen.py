"""The largest eigenvalues of a symmetric operator: our own block methods, SciPy's solvers, multigrid."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, lobpcg

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import lanczos
from coterie._support.optional import require
from coterie._support.stoppable import stoppable
from coterie._support.threads import one_thread
from coterie._support.typing import FloatArray, SparseData
from coterie.errors import InvalidData, InvalidParameter, MissingDependency

Product = Callable[[FloatArray], FloatArray]

GUARDS = 6  # vectors beyond those asked for: they take the slow convergence upon themselves
MOST_PRODUCTS = 5000
DEFAULT_TOLERANCE = 1e-5
SHARE_OF_SPREAD = 0.01  # residual over the distance of the wanted eigenvalues from the next
ROUGH_TOLERANCE = 1e-3  # of vectors whose eigenvalue only is wanted, as a share of the lowest possible one
MOST_BLOCKS = 16  # blocks of one Krylov space
BASIS_BYTES = 2**28  # memory of a Krylov space and its image
FIRST_BLOCKS = 4  # of a small Krylov space that tells a filter where to begin
FILTER_DEGREE = 16
DENSE_ROWS = 200  # below, LAPACK is quicker
ROWS_OF_ONE_THREAD = 4096  # up to these, threads of LAPACK wait for each other longer than they work
MOST_ROUNDS = 3  # of ARPACK, each with a smaller tolerance
STEPS = 40  # of LOBPCG between looks at the wanted vectors: it waits for its last one
LOBPCG_TOLERANCE = 1e-15**0.5  # SciPy's own, per row, where none is asked for
SHIFT = 1e-5  # of the Laplacian, as a share of its largest possible eigenvalue: it is singular


@dataclass(frozen=True, eq=False)
class Eigenproblem:
    """A symmetric operator on vectors of length `n`, and those of its eigenvectors that are already known."""

    product: Product  # ``product(V)`` for V of shape (n, b)
    n: int  # length of vectors
    known: FloatArray  # orthonormal eigenvectors with the largest eigenvalues
    known_values: FloatArray  # their eigenvalues
    lowest: float  # a lower bound of all eigenvalues
    is_cheap: bool  # whether a product costs less than making its vectors orthogonal to others
    rounding: float  # error of products, below which no residual can be expected to fall
    # ``stored()`` is the operator as a sparse matrix; refused where that does not fit in memory
    stored: Callable[[], SparseData]

    def deflate(self, V: FloatArray) -> FloatArray:
        """Remove the known directions."""
        return V - self.known @ (self.known.T @ V) if self.known.shape[1] else V


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenvalues from the largest down, and their vectors as columns."""

    values: FloatArray
    vectors: FloatArray


def are_settled(
    problem: Eigenproblem, values: FloatArray, residuals: FloatArray, n_settled: int, tol: float
) -> bool:
    """Say whether the wanted vectors are within the tolerance, and within the spread of eigenvalues."""
    n_settled = max(n_settled, 0)
    limit = tolerance_at(problem, values, n_settled, tol)
    exact, rough = residuals[:n_settled], residuals[n_settled:]
    loose = max(limit, -ROUGH_TOLERANCE * problem.lowest)
    return bool(exact.max(initial=0.0) <= limit and rough.max(initial=0.0) <= loose)


def tolerance_at(problem: Eigenproblem, values: FloatArray, n_settled: int, tol: float) -> float:
    """Return the residual to reach: the tolerance, or less where the wanted eigenvalues are close."""
    spread = float(problem.known_values[0] - values[max(n_settled, 0)])
    return max(min(tol, SHARE_OF_SPREAD * spread), problem.rounding)


def not_settled(k: int) -> InvalidData:
    """Return the error that says so."""
    return InvalidData(
        f"the {k} leading eigenvectors did not converge within {MOST_PRODUCTS} products. Increase eigen_tol, "
        f"or use more neighbours: the graph has almost no structure at this scale."
    )


def largest_pairs(
    problem: Eigenproblem,
    k: int,
    n_settled: int,
    *,
    solver: str | None,
    tol: float,
    seed: int,
    n_vectors: int | None = None,
) -> Eigenpairs:
    """Return the `k` largest eigenvalues and vectors, the known ones among them.

    The first `n_settled` are settled to the tolerance; of the others, only the values are good. `n_vectors`
    is how many vectors the block methods hold beyond those asked for, and ARPACK in all.
    """
    n_known = problem.known.shape[1]
    missing = k - n_known
    if missing <= 0:
        return Eigenpairs(problem.known_values[:k], problem.known[:, :k])
    with one_thread("blas") if problem.n <= ROWS_OF_ONE_THREAD else nullcontext():
        found = _missing_pairs(problem, missing, n_settled - n_known, solver, tol, seed, n_vectors)
    return Eigenpairs(
        np.concatenate([problem.known_values, found.values]), np.hstack([problem.known, found.vectors])
    )


def _missing_pairs(
    problem: Eigenproblem,
    k: int,
    n_settled: int,
    solver: str | None,
    tol: float,
    seed: int,
    n_vectors: int | None,
) -> Eigenpairs:
    guards = GUARDS if n_vectors is None or solver is not None else n_vectors
    if problem.n <= DENSE_ROWS or k + problem.known.shape[1] + guards >= problem.n // 2:
        return _by_lapack(problem, k)
    if solver is None:
        search = _by_filtered_blocks if problem.is_cheap else _by_block_krylov
        return search(problem, k, n_settled, tol, seed, guards)
    if solver == "arpack":
        return by_arpack(problem, k, n_settled, tol, seed, n_vectors)
    inverse = inverse_of(problem, seed) if solver == "amg" else None
    return by_lobpcg(problem, k, n_settled, tol, seed, inverse=inverse)


def _by_lapack(problem: Eigenproblem, k: int) -> Eigenpairs:
    matrix = problem.product(np.eye(problem.n))
    # the known ones go to the end of the spectrum
    scale = 3 * float(np.abs(matrix).sum(axis=1).max(initial=0.0)) or 1.0
    matrix = matrix - scale * problem.known @ problem.known.T
    values, vectors = stoppable(np.linalg.eigh, _symmetric(matrix))
    return Eigenpairs(values[::-1][:k], vectors[:, ::-1][:, :k])


def _by_filtered_blocks(
    problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int, guards: int
) -> Eigenpairs:
    """Multiply a block by a Chebyshev polynomial that is large on the wanted eigenvalues only, repeatedly."""
    width = min(k + guards, problem.n - problem.known.shape[1])
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


def _by_block_krylov(
    problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int, guards: int
) -> Eigenpairs:
    """Grow a Krylov space block by block, and restart from its best vectors until they settle."""
    width = min(k + guards, problem.n - problem.known.shape[1])
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


def by_arpack(
    problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int, n_vectors: int | None = None
) -> Eigenpairs:
    """Return the largest pairs besides the known ones, by Lanczos' method with restarts."""
    ncv = None if n_vectors is None else min(max(n_vectors, k + 2), problem.n)
    start: FloatArray = np.random.default_rng(seed).normal(size=problem.n)
    tol = max(tol, problem.rounding) if tol else 0.0  # 0: as good as can be
    pairs = None
    for _ in range(MOST_ROUNDS):
        try:
            values, vectors = lanczos(_operator(problem), seed, k=k, which="LA", v0=start, tol=tol, ncv=ncv)
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
    problem: Eigenproblem, k: int, n_settled: int, tol: float, seed: int, *, inverse: LinearOperator | None
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
    """Return what is nearly the inverse of the Laplacian, away from the known directions.

    Smoothed aggregation with one V-cycle per product (see `vanek-1996` of the references).
    """
    top = float(problem.known_values[0])
    shift = SHIFT * (top - problem.lowest)
    shifted = sparse.csr_matrix((top + shift) * sparse.eye_array(problem.n) - problem.stored())  # for pyamg
    shifted.indices, shifted.indptr = shifted.indices.astype(np.int32), shifted.indptr.astype(np.int32)
    near_null = np.abs(problem.known).sum(axis=1, keepdims=True)
    with _seeded(seed):
        levels = require_amg().smoothed_aggregation_solver(shifted, B=near_null, symmetry="symmetric")
    nearly = levels.aspreconditioner()

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
    def shaped(V: FloatArray) -> FloatArray:
        return multiply(V.reshape(n, -1)).reshape(V.shape)

    return LinearOperator((n, n), matvec=shaped, matmat=shaped, dtype=np.float64)


def _sorted(values: FloatArray, vectors: FloatArray) -> Eigenpairs:
    order = np.argsort(-values, kind="stable")
    return Eigenpairs(values[order], vectors[:, order])


def _warn(reached: float, wanted: float, solver: str) -> None:
    warn_caller(
        f"{solver} converged to {reached:.2g} only, not to {wanted:.2g}. Use another "
        f'eigen_solver (None, "arpack"), or a larger eigen_tol.',
        scikit_learn.ConvergenceWarning,
    )


def require_amg() -> ModuleType:
    """Return the package pyamg, or refuse the solver, as scikit-learn does, and say how to get it."""
    try:
        return require("pyamg", extra="amg", purpose='eigen_solver="amg"')
    except MissingDependency as error:
        raise InvalidParameter(str(error)) from None


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Let pyamg, which draws from NumPy's global state, draw the same every time; then put this back."""
    before = np.random.get_state()  # noqa: NPY002  # the state that pyamg uses
    np.random.seed(seed % 2**32)  # noqa: NPY002  # the state that pyamg uses
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002  # the state that pyamg uses
