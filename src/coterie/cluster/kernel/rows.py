"""Where kernel k-means gets its kernel from: a matrix, or blocks of rows that are computed when needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, FloatArray, Indices
from coterie.cluster.kernel.functions import KernelFunction
from coterie.cluster.pair_order import refuse_order

Sums: TypeAlias = npt.NDArray[np.float64]
Groups: TypeAlias = npt.NDArray[np.int32]

BLOCK_BYTES = 2**26  # rows that are computed at once


class KernelRows(Protocol):
    """The kernel of all rows with each other."""

    @property
    def diagonal(self) -> FloatArray: ...

    def rows(self, ids: Indices) -> FloatArray:
        """Return the kernel of these rows with all rows."""

    def add(self, sums: Sums, ids: Indices, groups: Groups, factors: Sums) -> None:
        """Add factor times the row of each id to the sums of its group."""


@dataclass(frozen=True, eq=False)
class KernelMatrix:
    """A matrix that is kept."""

    K: FloatArray
    diagonal: FloatArray

    def rows(self, ids: Indices) -> FloatArray:
        return np.asarray(self.K[ids])

    def add(self, sums: Sums, ids: Indices, groups: Groups, factors: Sums) -> None:
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
    sample: Any = np.arange(n_rows)
    if n_rows > most:
        sample = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    values = np.linalg.eigvalsh(rows.rows(sample)[:, sample].astype(np.float64))
    return float(values[0] / max(np.abs(values).max(), np.finfo(np.float64).tiny))
