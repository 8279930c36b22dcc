"""What a graph may be made of: rows, sparse or not, and matrices or graphs that were given."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.validation import require_memory
from coterie.errors import InvalidData

NEARLY_SYMMETRIC = 1e-5  # as a share of the largest weight; scikit-learn takes as much


def dense_rows(X: Any, who: str) -> Any:
    """Return sparse rows as a matrix, if it fits in memory: affinities are computed from whole rows."""
    if not sparse.issparse(X):
        return X
    require_memory(
        X.shape[0] * X.shape[1] * X.dtype.itemsize,
        f"a dense copy of {X.shape[0]:,} sparse rows, which {who} needs,",
        "Take fewer columns first, e.g. by sklearn.decomposition.TruncatedSVD, or pass a graph with "
        "affinity='precomputed'.",
    )
    return np.ascontiguousarray(X.toarray())


def check_sparse_graph(graph: Any, who: str, *, must_be_symmetric: bool) -> Any:
    """Return a graph whose weights are at least 0 and, if it must be, the same in both directions."""
    check_non_negative(graph.data, who)
    if not must_be_symmetric or not graph.nnz:
        return graph
    gap = abs(graph - graph.T).max()
    if gap > NEARLY_SYMMETRIC * abs(graph.data).max():
        raise InvalidData(
            f"X of {who} must be a symmetric matrix of weights, got X and its transpose apart by "
            f"{gap:.3g}. Pass (X + X.T) / 2."
        )
    return graph if gap == 0 else (graph + graph.T) / 2


def nearly_symmetric(weights: Any) -> Any:
    """Return a dense matrix that is symmetric but for rounding in float32 as a symmetric one."""
    gap = np.abs(weights - weights.T).max(initial=0.0)
    is_rounding = 0 < gap <= NEARLY_SYMMETRIC * np.abs(weights).max()
    return (weights + weights.T) / 2 if is_rounding else weights


def check_non_negative(weights: Any, who: str) -> Any:
    """Return weights of at least 0."""
    if weights.size and weights.min() < 0:
        raise InvalidData(
            f"X of {who} must be weights of at least 0, got {weights.min():.3g}. Similarities of both signs "
            f"can be shifted, distances turned into affinities by exp(-distance**2 / h)."
        )
    return weights
