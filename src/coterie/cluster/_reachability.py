"""Core distances and the spanning tree of mutual reachability, from rows, matrices and sparse graphs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from coterie import _core
from coterie._typing import Distances, SparseData
from coterie.cluster._condensed import Ids
from coterie.distance import Distance
from coterie.distance._rows import Rows
from coterie.distance.engines import choose_engine, tree_form
from coterie.errors import InvalidData

LEAST = float(np.nextafter(0.0, 1.0))
SPARE_NEIGHBOURS = 3  # beyond the core distance: lists that end exactly there decide nothing

# Many pairs reach each other at the same distance, a core distance: which edge comes first decides where rows
# between clusters go. Up to here as scikit-learn decides, beyond by (distance, lower row, higher row).
MOST_ROWS_FOR_SCIKIT_LEARNS_TIES = 3000


@dataclass(frozen=True, eq=False)
class ReachabilityTree:
    """Edges of the spanning tree by distance, core distances, and how they were found."""

    edges: Ids
    distance: npt.NDArray[np.float64]
    core: npt.NDArray[np.float64]
    algorithm: str
    grows_from_first_row: bool = True


def of_rows(
    rows: Rows, min_samples: int, alpha: float, *, scale_core: bool, threads: int
) -> ReachabilityTree:
    """Return the tree of prepared rows; `scale_core`: alpha divides core distances as well."""
    if len(rows.X) <= MOST_ROWS_FOR_SCIKIT_LEARNS_TIES:
        D = _by_differences(rows, threads)
        if scale_core:
            return of_matrix(D, min_samples, alpha, "matrix")
        return _grown(D, min_samples, alpha, "matrix", join_previous=False)
    if choose_engine(rows, "auto", who="HDBSCAN") != "kd_tree":
        _, near = _core.smallest(rows.X, rows.X, rows.distance.metric, min_samples, False, threads)
        core: Any = np.ascontiguousarray(near[:, -1]) / (alpha if scale_core else 1.0)
        edges, distance = _core.spanning_tree(rows.X, rows.distance.metric, core, alpha, threads)
        return ReachabilityTree(edges, distance.astype(np.float64), core, "tiles")
    form = tree_form(rows.distance)
    assert form is not None
    tree = _core.KDTree(rows.X, form.metric, rows.distance.p, n_threads=threads)
    k = min(len(rows.X), min_samples + SPARE_NEIGHBOURS)
    index, near = tree.query_self(k, include_self=True, n_threads=threads)
    core = np.ascontiguousarray(near[:, min_samples - 1]) / (alpha if scale_core else 1.0)
    edges, distance = _core.spanning_tree_of_tree(tree, core, alpha, index, near, threads)
    scaled = distance.astype(np.float64) * form.factor
    return ReachabilityTree(edges, scaled, core * form.factor, "kd_tree")


def _by_differences(rows: Rows, threads: int) -> Distances:
    """Return all distances, rounded like those of scikit-learn."""
    return np.asarray(_core.pairwise_self(rows.X, metric_by_differences(rows.distance), threads))


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


def of_matrix(D: Distances, min_samples: int, alpha: float, algorithm: str) -> ReachabilityTree:
    """Return the tree of a matrix of distances, infinite ones too; alpha divides core distances as well."""
    scaled = np.ascontiguousarray(D / alpha, dtype=np.float64)
    found = _grown(scaled, min_samples, 1.0, algorithm, join_previous=True)
    if np.isinf(found.distance).any():
        warnings.warn(
            "The minimum spanning tree contains edge weights with value infinity. Potentially, you are "
            "missing too many distances in the initial distance matrix for the given neighborhood size.",
            UserWarning,
            stacklevel=6,
        )
    return found


def _grown(
    D: Any, min_samples: int, alpha: float, algorithm: str, *, join_previous: bool
) -> ReachabilityTree:
    """Return the tree as scikit-learn grows and sorts it, so that rows between clusters go the same way."""
    core: Any = np.ascontiguousarray(np.partition(D, min_samples - 1, axis=1)[:, min_samples - 1])
    edges, distance = _core.grow_from_first_row(D, core, alpha, join_previous)
    order = np.argsort(distance)
    return ReachabilityTree(
        np.ascontiguousarray(edges[order]), distance[order], core, algorithm, grows_from_first_row=False
    )


def of_graph(graph: SparseData, min_samples: int, alpha: float, max_distance: float) -> ReachabilityTree:
    """Return the tree of a sparse matrix: only stored pairs are joined, and all must hang together."""
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    near = csr_array(graph, dtype=np.float64, copy=True)
    near.data /= alpha
    counts = np.diff(near.indptr)
    if (counts < min_samples).any():
        raise InvalidData(
            f"There exists points with fewer than {min_samples} neighbors. Ensure your distance matrix has "
            f"non-zero values for at least `min_sample`={min_samples} neighbors for each points (i.e. K-nn "
            f"graph), or specify a `max_distance` in `metric_params` to use when distances are missing."
        )
    core = np.array(
        [
            np.partition(near.data[start : start + count], min_samples - 1)[min_samples - 1]
            for start, count in zip(near.indptr[:-1], counts, strict=True)
        ]
    )
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
    return ReachabilityTree(np.ascontiguousarray(edges), tree.data[order], core, "graph", False)
