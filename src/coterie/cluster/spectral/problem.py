"""A symmetric operator whose largest eigenvalues are wanted, and when they are found well enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coterie._support.typing import FloatArray
from coterie.errors import InvalidData

Product = Callable[[FloatArray], FloatArray]

GUARDS = 6  # vectors beyond those asked for: they take the slow convergence upon themselves
MOST_PRODUCTS = 5000
DEFAULT_TOLERANCE = 1e-5
SHARE_OF_SPREAD = 0.01  # residual over the distance of the wanted eigenvalues from the next
ROUGH_TOLERANCE = 1e-3  # of vectors whose eigenvalue only is wanted, as a share of the lowest possible one


@dataclass(frozen=True, eq=False)
class Eigenproblem:
    """A symmetric operator on vectors of length `n`, and the eigenvectors of it that are known beforehand.

    Parameters
    ----------
    product : callable
        ``product(V)`` for V of shape (n, b).
    n : int
        Length of vectors.
    known : array of shape (n, c)
        Orthonormal eigenvectors with the largest eigenvalues.
    known_values : array of shape (c,)
        Their eigenvalues.
    lowest : float
        A lower bound of all eigenvalues.
    is_cheap : bool
        Whether a product costs less than making its vectors orthogonal to others.
    rounding : float
        Error of products, below which no residual can be expected to fall.
    stored : callable
        ``stored()`` is the operator as a sparse matrix; refused where that does not fit in memory.
    """

    product: Product
    n: int
    known: FloatArray
    known_values: FloatArray
    lowest: float
    is_cheap: bool
    rounding: float
    stored: Callable[[], Any]

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
        f"the {k} leading eigenvectors did not settle within {MOST_PRODUCTS} products. Increase eigen_tol, "
        f"or use more neighbours: the graph has next to no structure at this scale."
    )
