"""Kernels: inner products of rows in another space, as a matrix or in blocks, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.stoppable import stoppable
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, AnyFunction, Data, FloatArray, Indices, ValuesByName, Weights
from coterie.distance.pairwise import refuse_order
from coterie.errors import InvalidData

KERNELS = ("rbf", "linear", "poly", "sigmoid", "cosine")
BLOCK_BYTES = 2**26  # rows that are computed at once


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """A kernel with its parameters."""

    name: str  # one of `KERNELS`, or "" for a function
    gamma: float = 1.0  # as in the formulas of `KernelKMeans`
    degree: float = 3.0
    coef0: float = 1.0
    function: Callable[..., float] | None = None  # a user's function of two rows

    @property
    def is_surely_positive(self) -> bool:
        """Whether the matrix is positive semi-definite for any rows."""
        is_power = self.name == "poly" and self.coef0 >= 0 and float(self.degree).is_integer()
        return self.name in ("rbf", "linear", "cosine") or is_power

    def between(self, X: Data, Y: Data) -> FloatArray:
        """Return the kernel of every row of X with every row of Y."""
        if self.function is not None:
            return np.array([[_called(self.function, x, y) for y in Y] for x in X], dtype=X.dtype)
        if self.name == "rbf":
            squared = _core.pairwise(X, Y, _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm))
            _core.exponentiate(squared, -self.gamma, resolve_threads())
            return np.asarray(squared)
        if self.name == "cosine":
            X, Y = _unit_rows(X), _unit_rows(Y)
        products = inner_products(X, Y)
        return products if self.name in ("linear", "cosine") else self._of_products(products)

    def of_itself(self, X: Data) -> FloatArray:
        """Return the kernel of every row with itself."""
        if self.function is not None:
            return np.array([_called(self.function, x, x) for x in X], dtype=np.float64)
        if self.name == "rbf":
            return np.ones(len(X))
        rows = _unit_rows(X) if self.name == "cosine" else X
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return np.asarray(squares) if self.name in ("linear", "cosine") else self._of_products(squares)

    def _of_products(self, products: FloatArray) -> FloatArray:
        """Turn inner products, in their place, into values of "poly" or "sigmoid"."""
        with np.errstate(over="ignore", invalid="ignore"):
            products *= self.gamma
            products += self.coef0
            if self.name == "sigmoid":
                return np.tanh(products, out=products)
            least = float(products.min())
            np.power(products, self.degree, out=products)
        if not np.isfinite(products).all():
            self._refuse_power(least, products.dtype)
        return products

    def _refuse_power(self, least: float, dtype: npt.DTypeLike) -> None:
        if least < 0 and not float(self.degree).is_integer():
            raise InvalidData(
                f"the kernel (gamma x.y + coef0)^degree has no value for gamma x.y + coef0 = {least:.3g} and "
                f"degree={self.degree:g}. Choose a whole degree, or a larger coef0."
            )
        raise InvalidData(
            f"the kernel (gamma x.y + coef0)^degree overflows {dtype} numbers. Choose a smaller gamma or "
            f"degree, or scale the data first."
        )


def inner_products(X: Data, Y: Data) -> FloatArray:
    """Return x.y of every row of X with every row of Y; equal rows get equal bits."""
    products = np.asarray(_core.pairwise(X, Y, _core.Metric(_core.Kernel.dot, _core.Finish.identity)))
    return np.negative(products, out=products)  # the engine's product comes with a minus


def kernel_of(
    kernel: str | AnyFunction, gamma: float, degree: float, coef0: float, params: ValuesByName | None
) -> KernelFunction:
    """Return the kernel that the parameters of an estimator name."""
    if callable(kernel):
        told = params or {}
        return KernelFunction("", function=lambda x, y: kernel(x, y, **told))
    return KernelFunction(kernel, gamma, degree, coef0)


def scaled_gamma(X: Data, weights: Weights | None) -> float:
    """Return one over the number of columns times the weighted variance of all numbers."""
    means = X.mean(axis=1, dtype=np.float64)
    center = np.average(means, weights=weights)
    squares = np.square(X - center, dtype=np.float64).mean(axis=1)
    spread = float(np.average(squares, weights=weights)) * X.shape[1]
    return 1.0 / spread if spread > 0 else 1.0


def _unit_rows(X: Data) -> Data:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    return np.asarray(X / np.where(lengths > 0, lengths, 1.0).astype(X.dtype)[:, None], order="C")


def _called(function: Callable[..., float], x: Data, y: Data) -> float:
    answer = function(x, y)
    try:
        value = float(answer)
    except (TypeError, ValueError, OverflowError):
        value = np.nan
    if not np.isfinite(value):
        raise InvalidData(f"the kernel function must return a finite number, got {answer!r}.")
    return value


Sums: TypeAlias = npt.NDArray[np.float64]
Groups: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class KernelMatrix:
    """A matrix that is kept."""

    K: FloatArray
    diagonal: FloatArray

    def rows(self, ids: Indices) -> FloatArray:
        """Return the kernel of these rows with all rows."""
        return np.asarray(self.K[ids])

    def add(self, sums: Sums, ids: Indices, groups: Groups, factors: Sums) -> None:
        """Add factor times the row of each id to the sums of its group."""
        _core.add_rows(sums, self.K, ids, groups, factors, resolve_threads())


@dataclass(frozen=True, eq=False)
class KernelBlocks:
    """Rows of data, and of others that their kernel is taken with: no matrix is kept."""

    kernel: KernelFunction
    X: Data
    others: Data
    diagonal: FloatArray

    def rows(self, ids: Indices) -> FloatArray:
        return self.kernel.between(np.ascontiguousarray(self.X[ids]), self.others)

    def add(self, sums: Sums, ids: Indices, groups: Groups, factors: Sums) -> None:
        step = max(1, BLOCK_BYTES // (len(self.others) * self.X.itemsize))
        for first in range(0, len(ids), step):
            part = slice(first, first + step)
            block = self.rows(ids[part])
            _core.add_rows(sums, block, np.arange(len(block)), groups[part], factors[part], resolve_threads())


KernelRows: TypeAlias = KernelMatrix | KernelBlocks


def kernel_matrix(kernel: KernelFunction, X: Data) -> FloatArray:
    """Return the kernel of all rows with each other, exactly symmetric."""
    if kernel.function is None:
        return kernel.between(X, X)
    refuse_order(kernel.between, X, "kernel")
    K = np.zeros((len(X), len(X)), dtype=X.dtype)
    for i in range(len(X)):
        K[i, i:] = kernel.between(X[i : i + 1], X[i:])[0]
        K[i:, i] = K[i, i:]
    return K


def least_eigenvalue_share(rows: KernelRows, n_rows: int, seed: int, most: int) -> float:
    """Return least / largest eigenvalue of the kernel of a sample of rows: below 0, no inner product."""
    sample: AnyArray = np.arange(n_rows)
    if n_rows > most:
        sample = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    values = stoppable(np.linalg.eigvalsh, rows.rows(sample)[:, sample].astype(np.float64))
    return float(values[0] / max(np.abs(values).max(), np.finfo(np.float64).tiny))
