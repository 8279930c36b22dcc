"""Core distances and the spanning tree of mutual reachability, from rows, matrices and sparse graphs.

A row reaches all its near neighbours at its own core distance, so that equally long edges are everywhere, and
the order of equal merges decides which clusters there are. scikit-learn grows the tree from the first row:
the lowest of equally near rows comes next. From the lists of nearest rows and any spanning tree the same tree
follows, unless distances themselves tie, as those of rounded numbers do. Then all pairs are compared in
scikit-learn's arithmetic, up to a number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.stoppable import ROWS_AT_ONCE, stoppable
from coterie._support.typing import (
    AnyArray,
    Distances,
    Indices,
    MatrixLike,
    MetricLike,
    Settings,
    SparseData,
    Weights,
)
from coterie.cluster.density.condensed_tree import Ids
from coterie.cluster.density.weight_lists import Core, core_by_weight, core_of_blocks
from coterie.distance import Distance
from coterie.distance.engines import choose_engine, tree_form
from coterie.distance.near_graph import near_rows, near_tree, note_exact_cost
from coterie.distance.rows import RowSets
from coterie.errors import InvalidData, InvalidParameter

LEAST = float(np.nextafter(0.0, 1.0))
SPARE_NEIGHBOURS = 3  # beyond the core distance: lists that end exactly there decide nothing
MOST_ROWS_OF_A_MATRIX = 5000  # 200 MB, twice
MOST_STEPS_OF_A_WALK = 2e9  # pairs times columns; most are pruned: a tenth of a second in three dimensions


@dataclass(frozen=True, eq=False)
class ReachabilityTree:
    """Edges of the spanning tree by distance, core distances, and how they were found."""

    edges: Ids
    distance: npt.NDArray[np.float64]
    core: npt.NDArray[np.float64]
    algorithm: str
    recall: float = 1.0  # of the neighbours that it rests on
    is_exact: bool = True


def metric_by_differences(distance: Distance) -> _core.Metric:
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
    scaled = np.ascontiguousarray(D if alpha == 1 else stoppable(np.divide, D, alpha), dtype=np.float64)
    core = core_of_matrix(scaled, min_samples, weights)
    found = by_distance(*_core.grow_of_matrix(scaled, core, 1.0), core, algorithm, joins_previous=True)
    if np.isinf(found.distance).any():
        warn_caller(
            "The minimum spanning tree contains edge weights with value infinity. Potentially, you are "
            "missing too many distances in the initial distance matrix for the given neighborhood size."
        )
    return found


def of_matrix_as_trees(
    D: Distances, min_samples: int, alpha: float, algorithm: str, weights: Weights | None = None
) -> ReachabilityTree:
    """Return the tree of a matrix as scikit-learn's trees grow it: alpha spares core distances."""
    core = core_of_matrix(D, min_samples, weights)
    grown = _core.grow_of_matrix(np.ascontiguousarray(D, dtype=np.float64), core, alpha)
    return by_distance(*grown, core, algorithm, joins_previous=False)


def core_of_matrix(D: Distances, min_samples: int, weights: Weights | None) -> AnyArray:
    """Return the distance of each row to its `min_samples`-th nearest, itself included; or to that weight."""
    if weights is not None:
        return core_of_blocks(lambda rows: D[rows], weights, min_samples)
    core = np.empty(len(D), dtype=D.dtype)
    for first in range(0, len(D), ROWS_AT_ONCE):  # in parts: less memory, and Ctrl-C is heard between them
        rows = slice(first, first + ROWS_AT_ONCE)
        core[rows] = np.partition(D[rows], min_samples - 1, axis=1)[:, min_samples - 1]
    return core


def by_distance(
    edges: AnyArray, distance: AnyArray, core: AnyArray, algorithm: str, *, joins_previous: bool
) -> ReachabilityTree:
    """Return a tree that grew from the first row with its edges by distance, equal ones as they grew.

    In scikit-learn the order of equal edges, which decides clusters, depends on the processor. Its trees of
    matrices join a row to the one that joined before it, wherever it was reached from: so do ours.
    """
    if joins_previous:
        edges[0, 0], edges[1:, 0] = 0, edges[:-1, 1].copy()
    order = np.argsort(distance, kind="stable")
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
    tree: SparseData = minimum_spanning_tree(near).tocoo()
    tree.data[tree.data == LEAST] = 0.0
    order = np.argsort(tree.data, kind="stable")
    edges = np.column_stack([tree.row, tree.col]).astype(np.int64)[order]
    return ReachabilityTree(np.ascontiguousarray(edges), tree.data[order], core, "graph")


def _core_of_graph(near: SparseData, min_samples: int) -> AnyArray:
    """Return the distance of each row to its `min_samples`-th nearest of those that are stored."""
    counts = np.diff(near.indptr)
    if (counts < min_samples).any():
        raise _too_few_neighbours(min_samples, "fewer than")
    lists = np.split(near.data, near.indptr[1:-1])
    return np.array([np.partition(values, min_samples - 1)[min_samples - 1] for values in lists])


def _by_weight(near: SparseData, min_samples: int, weights: Weights) -> AnyArray:
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


@dataclass(frozen=True)
class ReachabilityTask:
    """What is asked: rows as they were given and as prepared, and the parameters of the reachability."""

    X: MatrixLike
    rows: RowSets
    metric: MetricLike
    metric_params: Settings
    min_samples: int
    alpha: float
    is_brute: bool  # as scikit-learn means it: alpha divides core distances as well
    threads: int
    weights: Weights | None = None

    @property
    def core_divisor(self) -> float:
        """By what core distances are divided."""
        return self.alpha if self.is_brute else 1.0


@dataclass(frozen=True)
class ReachabilityEdges:
    """Edges in the order of growth, core distances, and whether ties can have changed nothing."""

    edges: AnyArray
    distance: AnyArray
    core: AnyArray
    algorithm: str
    is_certain: bool

    def sorted_as(self, task: ReachabilityTask) -> ReachabilityTree:
        """Return the tree by distance."""
        return by_distance(self.edges, self.distance, self.core, self.algorithm, joins_previous=task.is_brute)


def of_rows(task: ReachabilityTask) -> ReachabilityTree:
    """Return the tree as scikit-learn grows it."""
    if task.is_brute and _rounds_by_side(task.rows) and len(task.rows.X) <= MOST_ROWS_OF_A_MATRIX:
        return _by_scikit_learns_matrix(task).sorted_as(task)
    is_by_tree = choose_engine(task.rows, "auto", who="HDBSCAN") == "kd_tree"
    if not is_by_tree:
        note_exact_cost(task.rows, "HDBSCAN")
    grown = _by_tree(task) if is_by_tree else _by_tiles(task)
    if not grown.is_certain and len(task.rows.X) <= MOST_ROWS_OF_A_MATRIX:
        grown = _by_scikit_learns_matrix(task)
    return grown.sorted_as(task)


def of_near_rows(task: ReachabilityTask, n_neighbors: int | None) -> ReachabilityTree:
    """Return the tree of the graph of approximate neighbours, grown as that of all pairs is."""
    if task.weights is not None:
        raise InvalidParameter(
            'neighbors="approximate" of HDBSCAN takes no sample_weight: leave it out, or use '
            'neighbors="exact".'
        )
    n = len(task.rows.X)
    near = near_rows(
        task.rows, n_neighbors, task.min_samples - 1 + SPARE_NEIGHBOURS, task.threads, who="HDBSCAN"
    )
    distance = np.ascontiguousarray(near.distance, dtype=np.float64)
    core = np.zeros(n) if task.min_samples < 2 else distance[:, task.min_samples - 2] / task.core_divisor
    tree = near_tree(task.rows, near, core, task.alpha, task.threads)
    index = np.ascontiguousarray(near.index, dtype=np.int64)
    heights = tree.distance.astype(np.float64, copy=False)
    grown, _ = _core.regrow(index, distance, core, task.alpha, tree.edges, heights)
    found = by_distance(*grown, core, "approximate", joins_previous=task.is_brute)
    is_exact = near.recall == 1.0 and near.algorithm_used != "descent" and near.index.shape[1] == n - 1
    return replace(found, recall=near.recall, is_exact=is_exact)


def _rounds_by_side(rows: RowSets) -> bool:
    """Return whether scikit-learn's matrix is not symmetric in the last bit: that breaks ties at random."""
    return bool(rows.distance.kernel == _core.Kernel.dot and rows.distance.finish == _core.Finish.norm)


def _tree_of(task: ReachabilityTask) -> Any:
    form = tree_form(task.rows.distance)
    assert form is not None
    return _core.KDTree(task.rows.X, form.metric, task.rows.distance.p, n_threads=task.threads)


def _is_walked(task: ReachabilityTask) -> bool:
    """Return whether ties are worth a walk over all points: not where scikit-learn rounds in another way."""
    n, n_columns = task.rows.X.shape
    is_known = tree_form(task.rows.distance) is not None and not task.is_brute
    return is_known and n * n * n_columns <= MOST_STEPS_OF_A_WALK


def _by_tree(task: ReachabilityTask) -> ReachabilityEdges:
    """Return the tree by lists of a kd-tree; where distances tie, by a walk over all points."""
    tree = _tree_of(task)
    (edges, distance), core, is_certain = _core.regrow_of_tree(
        tree, task.min_samples, task.alpha, task.core_divisor, task.threads, _given_core(task, tree)
    )
    if not is_certain and _is_walked(task):
        edges, distance = _core.grow_of_tree(tree, core, task.alpha, edges, distance)
        is_certain = True
    form = tree_form(task.rows.distance)
    factor = 1.0 if form is None else form.factor
    return ReachabilityEdges(edges, distance * factor, core * factor, "kd_tree", is_certain)


def _given_core(task: ReachabilityTask, tree: Any) -> Core | None:
    """Return the core distances by weight; None without weights: the tree finds them with its lists."""
    if task.weights is None:
        return None

    def ask(rows: Indices, k: int) -> tuple[AnyArray, Distances]:
        index, distance = tree.query(task.rows.X[rows], k, n_threads=task.threads)
        return index, distance

    return core_by_weight(ask, task.weights, task.min_samples, first=task.min_samples) / task.core_divisor


def _by_tiles(task: ReachabilityTask) -> ReachabilityEdges:
    """Return the tree by comparing all pairs in tiles."""
    X, k = task.rows.X, min(len(task.rows.X) - 1, task.min_samples - 1 + SPARE_NEIGHBOURS)
    by_differences = metric_by_differences(
        task.rows.distance
    )  # as far from a to b as from b to a, to the last bit
    index, distances = _core.smallest(X, X, by_differences, k, True, task.threads)
    near: AnyArray = distances.astype(np.float64)
    core = _core_of_lists(task, near, by_differences)
    edges, length = _core.spanning_tree(X, task.rows.distance.metric, core, task.alpha, task.threads)
    tree = edges, length.astype(np.float64)
    grown, is_certain = _core.regrow(index.astype(np.int64), near, core, task.alpha, *tree)
    if not is_certain and _is_walked(task):
        return _by_tree(task)
    return ReachabilityEdges(*grown, core, "tiles", is_certain)


def _core_of_lists(task: ReachabilityTask, near: AnyArray, metric: _core.Metric) -> AnyArray:
    """Return the core distances: from the nearest other rows, or by weight."""
    if task.weights is None:
        n_others = task.min_samples - 1
        return near[:, n_others - 1] / task.core_divisor if n_others else np.zeros(len(near))

    def ask(rows: Indices, k: int) -> tuple[AnyArray, Distances]:
        X = task.rows.X
        return _core.smallest(X[rows], X, metric, k, False, task.threads)

    return core_by_weight(ask, task.weights, task.min_samples, first=task.min_samples) / task.core_divisor


def _by_scikit_learns_matrix(task: ReachabilityTask) -> ReachabilityEdges:
    """Return the tree from all distances, in scikit-learn's arithmetic where it has the distance."""
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            D = _scikit_learns_matrix(task)
        is_known = bool(np.isfinite(D).all())  # not so between sets with nothing in them
    except (TypeError, ValueError):  # a distance, or a parameter of one, that only we have
        is_known = False
    if not is_known:
        metric = metric_by_differences(task.rows.distance)
        D = np.asarray(_core.pairwise(task.rows.X, task.rows.X, metric, task.threads), dtype=np.float64)
    D = D / task.alpha if task.is_brute else D
    core = core_of_matrix(D, task.min_samples, task.weights)
    alpha = 1.0 if task.is_brute else task.alpha
    return ReachabilityEdges(
        *_core.grow_of_matrix(np.ascontiguousarray(D), core, alpha), core, "matrix", True
    )


def _scikit_learns_matrix(task: ReachabilityTask) -> Distances:
    from sklearn.metrics import DistanceMetric, pairwise_distances

    if task.is_brute:
        return np.asarray(pairwise_distances(task.X, metric=task.metric, **task.metric_params))
    return np.asarray(DistanceMetric.get_metric(task.metric, **task.metric_params).pairwise(task.X))
