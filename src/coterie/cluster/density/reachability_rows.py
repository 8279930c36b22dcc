"""The spanning tree of mutual reachability of rows, with ties decided as scikit-learn decides them.

A row reaches all its near neighbours at its own core distance, so that equally long edges are everywhere, and
the order of equal merges decides which clusters there are. scikit-learn grows the tree from the first row:
the lowest of equally near rows comes next. From the lists of nearest rows and any spanning tree the same tree
follows, unless distances themselves tie, as those of rounded numbers do. Then all pairs are compared in
scikit-learn's arithmetic, up to a number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Indices, Weights
from coterie.cluster.density.reachability import (
    ReachabilityTree,
    core_of_matrix,
    in_scikit_learns_order,
    metric_by_differences,
)
from coterie.cluster.density.weight_lists import core_by_weight
from coterie.distance.engines import choose_engine, tree_form
from coterie.distance.rows import Rows

SPARE_NEIGHBOURS = 3  # beyond the core distance: lists that end exactly there decide nothing
MOST_ROWS_OF_A_MATRIX = 5000  # 200 MB, twice
MOST_STEPS_OF_A_WALK = 2e9  # pairs times columns; most are pruned: a tenth of a second in three dimensions


@dataclass(frozen=True)
class Task:
    """What is asked: rows as they were given and as prepared, and the parameters of the reachability."""

    X: Any
    rows: Rows
    metric: Any
    metric_params: Mapping[str, Any]
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
class Grown:
    """Edges in the order of growth, core distances, and whether ties can have changed nothing."""

    edges: Any
    distance: Any
    core: Any
    algorithm: str
    is_certain: bool

    def sorted_as(self, task: Task) -> ReachabilityTree:
        """Return the tree by distance."""
        return in_scikit_learns_order(
            self.edges, self.distance, self.core, self.algorithm, joins_previous=task.is_brute
        )


def of_rows(task: Task) -> ReachabilityTree:
    """Return the tree as scikit-learn grows it."""
    if task.is_brute and _rounds_by_side(task.rows) and len(task.rows.X) <= MOST_ROWS_OF_A_MATRIX:
        return _by_scikit_learns_matrix(task).sorted_as(task)
    is_by_tree = choose_engine(task.rows, "auto", who="HDBSCAN") == "kd_tree"
    grown = _by_tree(task) if is_by_tree else _by_tiles(task)
    if not grown.is_certain and len(task.rows.X) <= MOST_ROWS_OF_A_MATRIX:
        grown = _by_scikit_learns_matrix(task)
    return grown.sorted_as(task)


def _rounds_by_side(rows: Rows) -> bool:
    """Return whether scikit-learn's matrix is not symmetric in the last bit: that breaks ties at random."""
    return bool(rows.distance.kernel == _core.Kernel.dot and rows.distance.finish == _core.Finish.norm)


def _tree_of(task: Task) -> Any:
    form = tree_form(task.rows.distance)
    assert form is not None
    return _core.KDTree(task.rows.X, form.metric, task.rows.distance.p, n_threads=task.threads)


def _is_walked(task: Task) -> bool:
    """Return whether ties are worth a walk over all points: not where scikit-learn rounds in another way."""
    n, n_columns = task.rows.X.shape
    is_known = tree_form(task.rows.distance) is not None and not task.is_brute
    return is_known and n * n * n_columns <= MOST_STEPS_OF_A_WALK


def _by_tree(task: Task) -> Grown:
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
    return Grown(edges, distance * factor, core * factor, "kd_tree", is_certain)


def _given_core(task: Task, tree: Any) -> Any:
    """Return the core distances by weight; None without weights: the tree finds them with its lists."""
    if task.weights is None:
        return None

    def ask(rows: Indices, k: int) -> tuple[Any, Any]:
        index, distance = tree.query(task.rows.X[rows], k, n_threads=task.threads)
        return index, distance

    return core_by_weight(ask, task.weights, task.min_samples, first=task.min_samples) / task.core_divisor


def _by_tiles(task: Task) -> Grown:
    """Return the tree by comparing all pairs in tiles."""
    X, k = task.rows.X, min(len(task.rows.X) - 1, task.min_samples - 1 + SPARE_NEIGHBOURS)
    by_differences = metric_by_differences(
        task.rows.distance
    )  # as far from a to b as from b to a, to the last bit
    index, distances = _core.smallest(X, X, by_differences, k, True, task.threads)
    near: Any = distances.astype(np.float64)
    core = _core_of_lists(task, near, by_differences)
    edges, length = _core.spanning_tree(X, task.rows.distance.metric, core, task.alpha, task.threads)
    tree: Any = (edges, length.astype(np.float64))
    grown, is_certain = _core.regrow(index.astype(np.int64), near, core, task.alpha, *tree)
    if not is_certain and _is_walked(task):
        return _by_tree(task)
    return Grown(*grown, core, "tiles", is_certain)


def _core_of_lists(task: Task, near: Any, metric: Any) -> Any:
    """Return the core distances: from the nearest other rows, or by weight."""
    if task.weights is None:
        n_others = task.min_samples - 1
        return near[:, n_others - 1] / task.core_divisor if n_others else np.zeros(len(near))

    def ask(rows: Indices, k: int) -> tuple[Any, Any]:
        X = task.rows.X
        return _core.smallest(X[rows], X, metric, k, False, task.threads)

    return core_by_weight(ask, task.weights, task.min_samples, first=task.min_samples) / task.core_divisor


def _by_scikit_learns_matrix(task: Task) -> Grown:
    """Return the tree from all distances, in scikit-learn's arithmetic where it has the distance."""
    try:
        D = _scikit_learns_matrix(task)
    except (TypeError, ValueError):  # a distance, or a parameter of one, that only we have
        metric = metric_by_differences(task.rows.distance)
        D = np.asarray(_core.pairwise(task.rows.X, task.rows.X, metric, task.threads), dtype=np.float64)
    D = D / task.alpha if task.is_brute else D
    core = core_of_matrix(D, task.min_samples, task.weights)
    alpha = 1.0 if task.is_brute else task.alpha
    return Grown(*_core.grow_of_matrix(np.ascontiguousarray(D), core, alpha), core, "matrix", True)


def _scikit_learns_matrix(task: Task) -> Any:
    from sklearn.metrics import DistanceMetric, pairwise_distances

    if task.is_brute:
        return np.asarray(pairwise_distances(task.X, metric=task.metric, **task.metric_params))
    return DistanceMetric.get_metric(task.metric, **task.metric_params).pairwise(task.X)
