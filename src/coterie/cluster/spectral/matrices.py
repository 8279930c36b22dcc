"""Stored graphs: sparse and dense matrices of weights, put into the form that the graphs of rows have."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.typing import FloatArray
from coterie.errors import InvalidData


def ones_at(columns: Any, starts: Any, shape: tuple[int, int]) -> Any:
    """Return a CSR matrix of ones."""
    matrix = sparse.csr_array((np.ones(len(columns)), columns, starts), shape=shape)
    matrix.sort_indices()
    return matrix


def averaged(directed: Any) -> Any:
    """Return the mean of a directed graph and its reverse, without loops."""
    return without_diagonal(sparse.csr_array(0.5 * (directed + directed.T)))


def without_diagonal(weights: Any) -> Any:
    """Return a copy in float64 without loops and, where it is sparse, without stored zeros."""
    if sparse.issparse(weights):
        trimmed = sparse.coo_array(weights)
        keep = (trimmed.row != trimmed.col) & (trimmed.data != 0)
        entries = (trimmed.data[keep].astype(np.float64), (trimmed.row[keep], trimmed.col[keep]))
        return sparse.csr_array(entries, shape=trimmed.shape)
    copied = np.array(weights, dtype=np.float64)
    np.fill_diagonal(copied, 0.0)
    return copied


def with_diagonal(weights: Any, own: float | FloatArray) -> Any:
    """Return a copy in which every point has a weight with itself."""
    if sparse.issparse(weights):
        return sparse.csr_array(weights + sparse.diags_array(np.full(weights.shape[0], own)))
    copied = np.array(weights)
    np.fill_diagonal(copied, own)
    return copied


def diagonal_of(weights: Any) -> FloatArray:
    """Return the weight of every point with itself, or with a copy of it."""
    return np.array(weights.diagonal(), dtype=np.float64)


def nearest_entries(distances: Any, n_neighbors: int) -> Any:
    """Return ones at the smallest stored distances of each row, by index where equal."""
    entries = sparse.csr_array(distances) if sparse.issparse(distances) else _all_entries(distances)
    counts = np.diff(entries.indptr)
    if counts.min(initial=n_neighbors) < n_neighbors:
        row = int(np.argmin(counts))
        raise InvalidData(
            f"every row of a matrix of neighbours must have n_neighbors={n_neighbors} distances, row {row} "
            f"has {counts[row]}. Store more neighbours, or lower n_neighbors."
        )
    rows = np.repeat(np.arange(entries.shape[0]), counts)
    order = np.lexsort((entries.indices, entries.data, rows))
    rank = np.arange(len(rows)) - entries.indptr[rows]
    kept = order[rank < n_neighbors]
    return ones_at(entries.indices[kept], np.arange(entries.shape[0] + 1) * n_neighbors, entries.shape)


def _all_entries(matrix: Any) -> Any:
    n, m = matrix.shape
    columns = np.tile(np.arange(m), n)
    return sparse.csr_array((np.asarray(matrix).ravel(), columns, np.arange(n + 1) * m), shape=(n, m))
