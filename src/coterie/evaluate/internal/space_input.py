"""Data or distances as the space that internal measures work in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import MatrixLike
from coterie._support.validation import check_data, refuse_heavy
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.internal.native_distances import find_native
from coterie.evaluate.internal.partitions import Partition
from coterie.evaluate.internal.spaces import ForeignSpace, MatrixSpace, NativeSpace, Space, VectorSpace

DENSE_NUMBERS = 1 << 25  # a sparse matrix of at most so many cells is made dense: 256 MiB


class NeedsRows(InvalidParameter):
    """A measure was given distances where it needs the rows of the data."""


def read_space(
    X: MatrixLike, metric: Any, partition: Partition, *, who: str, options: dict[str, Any] | None = None
) -> Space:
    """Return the samples of a partition with their distances, or say what is wrong with them."""
    options = options or {}
    space = _read_space(X, metric, partition, who, options)
    if isinstance(space, VectorSpace):
        refuse_heavy(space.X, partition.sample_weight, who=who)
    return space


def _read_space(X: MatrixLike, metric: Any, partition: Partition, who: str, options: dict[str, Any]) -> Space:
    if isinstance(metric, str) and metric == "precomputed":
        return _align(MatrixSpace(_read_matrix(X, who)), partition, who)
    checked: Any = check_data(X, who=who, accept_sparse=True, may_be_distances=True)
    if issparse(checked) and checked.shape[0] * checked.shape[1] > max(DENSE_NUMBERS, 4 * checked.nnz):
        return _align(ForeignSpace(checked, metric, options, who), partition, who)
    dense = np.ascontiguousarray(checked.toarray()) if issparse(checked) else checked
    native = find_native(metric, options, dense)
    if native is None:
        return _align(ForeignSpace(checked, metric, options, who), partition, who)
    return _align(NativeSpace(dense, native), partition, who)


def read_vectors(
    X: MatrixLike, metric: Any, partition: Partition, *, who: str, options: dict[str, Any] | None = None
) -> VectorSpace:
    """Return the samples as rows of numbers: for measures that need centroids."""
    if isinstance(metric, str) and metric == "precomputed":
        raise NeedsRows(f'{who} needs centroids, so metric must be a distance of rows, got "precomputed".')
    space = read_space(X, metric, partition, who=who, options=options)
    assert isinstance(space, VectorSpace)
    if issparse(space.X):
        raise InvalidData(f"{who} needs centroids: X must be dense, got a sparse matrix. Use X.toarray().")
    return space


def _align(space: Space, partition: Partition, who: str) -> Space:
    n_labels = partition.n_samples + partition.n_left_out
    if n_labels != space.n_samples:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: [{space.n_samples}, {n_labels}]. "
            f"{who} needs a label per row."
        )
    if partition.rows is None:
        return space
    return space.take(partition.rows)


def _read_matrix(X: Any, who: str) -> Any:
    matrix = check_data(X, who=who, accept_sparse=True, may_be_distances=True, squares=False)
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidData(
            f'X of {who} must be square with metric="precomputed": distances between all samples, got shape '
            f"{matrix.shape}."
        )
    is_whole = (X if issparse(X) else np.asarray(X)).dtype.kind in "iu"
    tolerance = 0.0 if is_whole else float(np.finfo(matrix.dtype).eps) * 100
    if np.any(np.abs(matrix.diagonal()) > tolerance):
        raise InvalidData(
            f"The precomputed distance matrix of {who} contains non-zero elements on the diagonal. "
            f"Use np.fill_diagonal(X, 0)."
        )
    return matrix
