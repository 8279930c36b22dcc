"""Core distances and the spanning tree of mutual reachability, from matrices and sparse graphs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.typing import Distances, SparseData, Weights
from coterie.cluster.density.condensed_tree import Ids
from coterie.cluster.density.weight_lists import core_of_blocks
from coterie.distance import Distance
from coterie.errors import InvalidData

LEAST = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True, eq=False)
class ReachabilityTree:
    """Edges of the spanning tree by distance, core distances, and how they were found."""

    edges: Ids
    distance: npt.NDArray[np.float64]
    core: npt.NDArray[np.float64]
    algorithm: str


def metric_by_differences(distance: Distance) -> Any:
    """Return the metric with Euclidean distances from differences: equal rows are exactly 0 apart."""
    exact = {
        _core.Finish.norm: _core.Finish.root,
        _core.Finish.squared_norm: _core.Finish.identity,
        _core.Finish.cosine: _core.Finish.half,
    }
    if distance.kernel != _core.Kernel.dot or distance.finish not in exact:
        return distance.metric
    return _core.Metric(_core.Kernel.squared_difference, exact[distance.finish])


def of_matrix(
    D: Distances, min_samples: int, alpha: float, algorithm: str, weights: Weights | None = None
) -> ReachabilityTree:
    """Return the tree of a matrix of distances, infinite ones too; alpha divides core distances as well."""
    scaled = np.ascontiguousarray(D / alpha, dtype=np.float64)
    core = core_of_matrix(scaled, min_samples, weights)
    found = in_scikit_learns_order(
        *_core.grow_of_matrix(scaled, core, 1.0), core, algorithm, joins_previous=True
    )
    if np.isinf(found.distance).any():
        warnings.warn(
            "The minimum spanning tree contains edge weights with value infinity. Potentially, you are "
            "missing too many distances in the initial distance matrix for the given neighborhood size.",
            UserWarning,
            stacklevel=6,
        )
    return found


def of_matrix_as_trees(
    D: Distances, min_samples: int, alpha: float, algorithm: str, weights: Weights | None = None
) -> ReachabilityTree:
    """Return the tree of a matrix as scikit-learn's trees grow it: alpha spares core distances."""
    core = core_of_matrix(D, min_samples, weights)
    grown = _core.grow_of_matrix(np.ascontiguousarray(D, dtype=np.float64), core, alpha)
    return in_scikit_learns_order(*grown, core, algorithm, joins_previous=False)


def core_of_matrix(D: Distances, min_samples: int, weights: Weights | None) -> Any:
    """Return the distance of each row to its `min_samples`-th nearest, itself included; or to that weight."""
    if weights is not None:
        return core_of_blocks(lambda rows: D[rows], weights, min_samples)
    return np.ascontiguousarray(np.partition(D, min_samples - 1, axis=1)[:, min_samples - 1])


def in_scikit_learns_order(
    edges: Any, distance: Any, core: Any, algorithm: str, *, joins_previous: bool
) -> ReachabilityTree:
    """Return a tree that grew from the first row with its edges by distance, equal ones as scikit-learn's.

    It sorts by `numpy.argsort`, which is not stable: the order of equal edges follows from where all edges
    are. Its trees of matrices join a row to the one that joined before it, wherever it was reached from.
    """
    if joins_previous:
        edges[0, 0], edges[1:, 0] = 0, edges[:-1, 1].copy()
    order = np.argsort(distance)
    return ReachabilityTree(np.ascontiguousarray(edges[order]), distance[order], core, algorithm)


def of_graph(
    graph: SparseData, min_samples: int, alpha: float, max_distance: float, weights: Weights | None = None
) -> ReachabilityTree:
    """Return the tree of a sparse matrix: only stored pairs are joined, and all must hang together."""
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    near = csr_array(graph, dtype=np.float64, copy=True)
    near.data /= alpha
    counts = np.diff(near.indptr)
    core = _core_of_graph(near, min_samples) if weights is None else _by_weight(near, min_samples, weights)
    row_of = np.repeat(np.arange(len(counts)), counts)
    reach = np.maximum(np.maximum(core[row_of], core[near.indices]), near.data)
    near.data = np.where(np.isfinite(reach), reach, max_distance if max_distance > 0 else near.data)
    near.data[near.data == 0] = LEAST  # SciPy takes a stored 0 for no edge
    n_parts = connected_components(near, directed=False, return_labels=False)
    if n_parts > 1:
        raise InvalidData(
            f"Sparse mutual reachability matrix has {n_parts} connected components. HDBSCAN cannot be "
            f"performed on a disconnected graph. Ensure that the sparse distance matrix has only one."
        )
    tree: Any = minimum_spanning_tree(near).tocoo()
    tree.data[tree.data == LEAST] = 0.0
    order = np.argsort(tree.data)  # not stable, as in scikit-learn
    edges = np.column_stack([tree.row, tree.col]).astype(np.int64)[order]
    return ReachabilityTree(np.ascontiguousarray(edges), tree.data[order], core, "graph")


def _core_of_graph(near: SparseData, min_samples: int) -> Any:
    """Return the distance of each row to its `min_samples`-th nearest of those that are stored."""
    counts = np.diff(near.indptr)
    if (counts < min_samples).any():
        raise _too_few_neighbours(min_samples, "fewer than")
    lists = np.split(near.data, near.indptr[1:-1])
    return np.array([np.partition(values, min_samples - 1)[min_samples - 1] for values in lists])


def _by_weight(near: SparseData, min_samples: int, weights: Weights) -> Any:
    """Return the distance within which the stored neighbours weigh enough; copies are near each other."""
    near.sort_indices()
    core = np.empty(near.shape[0])
    for row, (values, columns) in enumerate(
        zip(np.split(near.data, near.indptr[1:-1]), np.split(near.indices, near.indptr[1:-1]), strict=True)
    ):
        order = np.argsort(values, kind="stable")
        copies = 0.0 if row in columns else max(weights[row] - 1.0, 0.0)  # no row is its own neighbour unsaid
        total = np.cumsum(np.append(copies, weights[columns[order]]))
        if total[-1] < min_samples:
            raise _too_few_neighbours(min_samples, "a weight of less than")
        core[row] = np.append(0.0, values[order])[np.argmax(total >= min_samples)]
    return core


def _too_few_neighbours(min_samples: int, less: str) -> InvalidData:
    return InvalidData(
        f"There exists points with {less} {min_samples} neighbors. Ensure your distance matrix has "
        f"non-zero values for at least `min_sample`={min_samples} neighbors for each points (i.e. K-nn "
        f"graph), or specify a `max_distance` in `metric_params` to use when distances are missing."
    )
