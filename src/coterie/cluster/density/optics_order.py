"""The order of OPTICS: which row is reached when, how far, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import FloatArray, Indices, MatrixLike, VectorLike, Weights
from coterie.cluster.density.optics_space import make_space

DECIMALS = np.finfo(np.float64).precision  # equal distances are to be equal whatever their rounding


class OpticsGraph(NamedTuple):
    """The order of visits; per row its core distance, its reachability and the row it was reached from."""

    ordering: Indices
    core_distances: FloatArray
    reachability: FloatArray
    predecessor: Indices


def order_rows(
    X: Any,
    *,
    min_samples: int,
    max_eps: float,
    metric: Any,
    metric_params: Mapping[str, Any] | None,
    p: float | None,
    n_jobs: int | None,
    weights: Weights | None = None,
) -> tuple[OpticsGraph, str, dict[str, Any]]:
    """Return the order of checked input, the engine, and what its distance was told or learned."""
    space, values = make_space(X, metric, metric_params, p, n_jobs)
    core = space.core_distances(min_samples, weights).astype(np.float64)
    core[core > max_eps] = np.inf
    core = np.around(core, DECIMALS)
    ordering, reachability, predecessor = space.walk(core, max_eps)
    graph = OpticsGraph(ordering.astype(np.intp), core, reachability, predecessor.astype(np.intp))
    return graph, space.algorithm, values


def counted_part(X: Any, weights: Weights | None, *, is_matrix: bool) -> tuple[Any, Weights | None]:
    """Return the rows that weigh something, of a matrix their columns too, and their weights."""
    if weights is None:
        return X, None
    kept = np.flatnonzero(weights > 0)
    part, weights = X, weights[kept]
    if len(kept) < X.shape[0]:
        part = X[kept][:, kept] if is_matrix else X[kept]
        part = part if issparse(part) else np.ascontiguousarray(part)
    return part, None if (weights == 1).all() else weights


def with_idle_rows(graph: OpticsGraph, weights: Weights | None) -> OpticsGraph:
    """Return the order of all rows: those of no weight come last, out of reach."""
    if weights is None:
        return graph
    kept, idle = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
    core, reach = np.full(len(weights), np.inf), np.full(len(weights), np.inf)
    before = np.full(len(weights), -1, dtype=np.intp)
    core[kept], reach[kept] = graph.core_distances, graph.reachability
    before[kept] = np.append(kept, -1)[graph.predecessor]
    return OpticsGraph(np.concatenate([kept[graph.ordering], idle]), core, reach, before)


def compute_optics_graph(
    X: MatrixLike,
    *,
    min_samples: float = 5,
    max_eps: float = np.inf,
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    n_jobs: int | None = None,
    sample_weight: VectorLike | None = None,
) -> OpticsGraph:
    """Return the order of OPTICS without clusters, as scikit-learn's function of the name does.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; or their distances with ``metric="precomputed"``.
    min_samples, max_eps, metric, p, metric_params, algorithm, leaf_size, n_jobs
        As in `OPTICS`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 come last, out of reach.

    Returns
    -------
    OpticsGraph

    Examples
    --------
    >>> graph = compute_optics_graph([[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]], min_samples=2)
    >>> graph.ordering
    array([0, 1, 2, 5, 3, 4])
    >>> graph.predecessor
    array([-1,  0,  1,  5,  3,  2])
    """
    from coterie.cluster.density.optics import OPTICS

    model = OPTICS(
        min_samples=min_samples,
        max_eps=max_eps,
        metric=metric,
        p=p,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        n_jobs=n_jobs,
    )
    model._check_parameters()
    data = model._check_rows(X)
    return model._order(data, model._check_weights(sample_weight, data.shape[0]))[0]
