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
from typing import Any, Protocol

import numpy as np

from coterie import _core
from coterie._typing import Distances
from coterie.cluster._reachability import (
    ReachabilityTree,
    core_of_matrix,
    in_scikit_learns_order,
    of_matrix,
)
from coterie.distance._rows import Rows
from coterie.distance.engines import choose_engine, tree_form

SPARE_NEIGHBOURS = 3  # beyond the core distance: lists that end exactly there decide nothing
MOST_LISTED = 1 << 22  # entries of longer lists, where the usual ones end between equal distances
MOST_ROWS_OF_A_MATRIX = 3000  # 72 MB
MOST_ROWS_PAIR_BY_PAIR = 20_000  # half a second in three dimensions


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

    @property
    def core_divisor(self) -> float:
        """By what core distances are divided."""
        return self.alpha if self.is_brute else 1.0


class Engine(Protocol):
    """The two questions about prepared rows; distances times the factor are those of the rows."""

    name: str
    factor: float

    def nearest(self, k: int) -> tuple[Any, Any]: ...

    def spanning_tree(self, core: Any, alpha: float, index: Any, near: Any) -> tuple[Any, Any]: ...


class TreeEngine:
    """Rows in a kd-tree."""

    name = "kd_tree"

    def __init__(self, rows: Rows, threads: int) -> None:
        form = tree_form(rows.distance)
        assert form is not None
        self.factor = form.factor
        self.tree: Any = _core.KDTree(rows.X, form.metric, rows.distance.p, n_threads=threads)
        self._threads = threads

    def nearest(self, k: int) -> tuple[Any, Any]:
        """Return the k nearest rows of each row, itself included, and their distances."""
        return self.tree.query_self(k, include_self=True, n_threads=self._threads)

    def spanning_tree(self, core: Any, alpha: float, index: Any, near: Any) -> tuple[Any, Any]:
        """Return the edges of a spanning tree and their lengths."""
        return _core.spanning_tree_of_tree(self.tree, core, alpha, index, near, self._threads)


class TileEngine:
    """Rows of which all pairs are compared, in tiles."""

    name = "tiles"
    factor = 1.0

    def __init__(self, rows: Rows, threads: int) -> None:
        self._rows = rows
        self._threads = threads

    def nearest(self, k: int) -> tuple[Any, Any]:
        """Return the k nearest rows of each row, itself included, and their distances."""
        X, metric = self._rows.X, self._rows.distance.metric
        index, near = _core.smallest(X, X, metric, k, False, self._threads)
        return index.astype(np.int64), near.astype(np.float64)

    def spanning_tree(self, core: Any, alpha: float, index: Any, near: Any) -> tuple[Any, Any]:
        """Return the edges of a spanning tree and their lengths."""
        return _core.spanning_tree(self._rows.X, self._rows.distance.metric, core, alpha, self._threads)


def of_rows(task: Task) -> ReachabilityTree:
    """Return the tree as scikit-learn grows it."""
    is_by_tree = choose_engine(task.rows, "auto", who="HDBSCAN") == "kd_tree"
    engine: Engine = (TreeEngine if is_by_tree else TileEngine)(task.rows, task.threads)
    index, near, core = _lists(task, engine)
    tree = engine.spanning_tree(core, task.alpha, index, near)
    grown, is_certain = _core.regrow(index, near, core, task.alpha, *tree)
    if not is_certain:
        compared = _pair_by_pair(task, engine)
        if compared is not None:
            return compared
    edges, distance = grown
    return in_scikit_learns_order(
        edges, distance * engine.factor, core * engine.factor, engine.name, joins_previous=task.is_brute
    )


def _lists(task: Task, engine: Engine) -> tuple[Any, Any, Any]:
    """Return the nearest rows of each row, beyond its core distance where possible, and core distances."""
    n = len(task.rows.X)
    length = min(n, task.min_samples + SPARE_NEIGHBOURS)
    while True:
        index, near = engine.nearest(length)
        core = np.ascontiguousarray(near[:, task.min_samples - 1]) / task.core_divisor
        is_enough = length == n or (near[:, -1] / task.alpha > core).all()
        if is_enough or 2 * length * n > MOST_LISTED:
            return index, near, core
        length = min(n, 2 * length)


def _pair_by_pair(task: Task, engine: Engine) -> ReachabilityTree | None:
    """Return the tree from all distances in scikit-learn's arithmetic; None if there are too many."""
    n = len(task.rows.X)
    if not task.is_brute and tree_form(task.rows.distance) is not None and n <= MOST_ROWS_PAIR_BY_PAIR:
        of_points = engine if isinstance(engine, TreeEngine) else TreeEngine(task.rows, task.threads)
        core = np.ascontiguousarray(of_points.nearest(task.min_samples)[1][:, -1])
        grown = _core.grow_of_tree(of_points.tree, core, task.alpha)
        return in_scikit_learns_order(*grown, core, "kd_tree", joins_previous=False)
    if n > MOST_ROWS_OF_A_MATRIX:
        return None
    if task.is_brute:
        return of_matrix(_scikit_learns_matrix(task), task.min_samples, task.alpha, "matrix")
    D = _scikit_learns_matrix(task)
    core = core_of_matrix(D, task.min_samples)
    grown = _core.grow_of_matrix(D, core, task.alpha)
    return in_scikit_learns_order(*grown, core, "matrix", joins_previous=False)


def _scikit_learns_matrix(task: Task) -> Distances:
    from sklearn.metrics import DistanceMetric, pairwise_distances

    if task.is_brute:
        return np.asarray(pairwise_distances(task.X, metric=task.metric, **task.metric_params))
    found: Distances = DistanceMetric.get_metric(task.metric, **task.metric_params).pairwise(task.X)
    return found
