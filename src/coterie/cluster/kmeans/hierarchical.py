"""Hierarchical k-means: every group is split by k-means, down to single rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.rounding import first_largest
from coterie._support.typing import (
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Init,
    Labels,
    RandomState,
    Settings,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    Choice,
    Nothing,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import Instance, Record, Tensor
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer, without_empty
from coterie.cluster.kmeans.points import Points, Stopping, row_blocks
from coterie.cluster.kmeans.runs import IterationReporter, KMeansPlan, best_of_restarts
from coterie.cluster.kmeans.spaces import label_rows, points_of
from coterie.cluster.kmeans.starts import INIT
from coterie.cluster.state_checks import check_descent
from coterie.tree import Dendrogram


@estimator
class HierarchicalKMeans(CenterClusterer):
    """Hierarchical (top-down) k-means: every group is split into `branching` groups, down to single rows.

    The tree says at every level which rows belong together; `labels_` are its cut into `n_clusters`, the
    group with most inertia being opened first. Splits are made from the top, where they matter, and are never
    taken back.

    Parameters
    ----------
    branching : int, default=2
        Into how many groups a group is split. With more than 2, `labels_` may have fewer than `n_clusters`
        groups: none is opened that would make more.
    max_depth : int or None, default=None
        Groups so many splits below the root are not split. None: no limit.
    split : {"all", "largest", "worst"}, default="all"
        "all": every group, down to single rows. "largest" and "worst": only the group with most rows, or with
        most inertia, until there are `n_clusters`; the last split may have fewer branches.
    init : {"k-means++", "random", "random partition"} or callable, default="k-means++"
        First centres of each split.
    max_iter, tol : int, default=300; float, default=1e-4
        When the k-means of a split ends, see `KMeans`.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same tree, whatever the number of threads.

    Attributes
    ----------
    dendrogram_ : Dendrogram
        The tree: leaves are rows, a node is as high as the inertia of its group. A group that was not split
        holds its rows as children.
    cluster_centers_ : array of shape (n_clusters, n_features)
        Centres of the groups of `labels_`.
    labels_ : array of int32 of shape (n_samples,)
        The group of each row.
    inertia_ : float
        Weighted sum of squared distances of the rows to the centres of their groups.
    n_iter_ : int
        Iterations of k-means, of all splits together.

    Examples
    --------
    >>> from coterie.cluster import HierarchicalKMeans
    >>> X = [[0.0], [1.0], [10.0], [11.5], [30.0]]
    >>> model = HierarchicalKMeans(3, random_state=0).fit(X)
    >>> model.dendrogram_.cut(3)
    array([0, 0, 1, 1, 2])
    >>> model.dendrogram_.sizes
    array([2, 2, 4, 5])
    """

    n_clusters: int = parameter(Whole(1), "How many groups `labels_` and `predict` tell apart.", default=8)
    _: KW_ONLY
    branching: int = parameter(Whole(2), default=2)
    min_size: int = parameter(Whole(1), "Groups of at most so many rows are not split.", default=1)
    max_depth: int | None = parameter(Nothing() | Whole(1), default=None)
    split: str = parameter(Choice("all", "largest", "worst"), default="all")
    init: Init = parameter(INIT, default="k-means++")
    n_init: int = parameter(Whole(1), "How many starts of each split.", default=1)
    max_iter: int = 300
    tol: float = 1e-4
    random_state: RandomState = None
    progress: ProgressOption = None

    dendrogram_: Dendrogram = fitted(Instance(Dendrogram, n_leaves="rows"))
    _descent: ValuesByName = fitted(
        Record(
            starts=Tensor("nodes+1", kind="i8", low=0),
            children=Tensor("nodes-1", kind="i8", low=0, below="nodes"),
            centers=Tensor("nodes", "columns"),
            origins=Tensor("nodes", "columns"),
            labels=Tensor("nodes", kind="i4", low=-1, below="clusters"),
        )
    )

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        check_descent(state["_descent"], who=cls.__name__)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, X.shape[0], who=who)
        plan = KMeansPlan(
            n_clusters=self.branching,
            init=self.init,
            n_init=self.n_init,
            stopping=Stopping(self.max_iter, self.tol),
            algorithm="auto",
            seed=check_seed(self.random_state),
            who=who,
        )
        with track(self.progress, "hierarchical k-means: row placed", total=X.shape[0]).also(
            listener
        ) as tracker:
            quiet = IterationReporter(track(None, ""), is_verbose=False, tolerance=self.tol)
            divider = Divider(X, weights, plan, quiet)
            if self.split == "all":
                self._split_all(divider, tracker)
            else:
                self._split_some(divider)
        groups = divider.expanded(self.n_clusters)
        if self.branching == 2:
            warn_if_fewer(len(groups), self.n_clusters)
        nodes = [divider.nodes[number] for number in groups]
        labels = np.empty(X.shape[0], dtype=np.int32)
        for label, node in enumerate(nodes):
            labels[node.rows] = label
        return {
            "n_iter_": divider.n_iter,
            "dendrogram_": divider.row_tree(),
            "cluster_centers_": np.stack([node.center for node in nodes]).astype(X.dtype, copy=False),
            "labels_": labels,
            "inertia_": float(sum(node.inertia for node in nodes)),
            "_descent": descent_to(divider, groups),
            "_n_features_out": len(groups),
            "_origin": nodes[0].center * 0,
            "_prepared_centers": None,
        }

    def _place(self, X: Data | SparseData) -> Labels:
        return descend(self._descent, X)

    def _may_split(self, divider: Divider, number: int) -> bool:
        node = divider.nodes[number]
        is_deep = self.max_depth is not None and node.depth >= self.max_depth
        return len(node.rows) > self.min_size and not is_deep and not node.is_whole

    def _split_all(self, divider: Divider, tracker: Tracker) -> None:
        waiting, n_placed = [0], 0
        while waiting:
            number = waiting.pop()
            if self._may_split(divider, number) and divider.split(number, self.branching):
                waiting.extend(divider.nodes[number].children)
            else:
                n_placed += len(divider.nodes[number].rows)
                tracker.report(n_placed)

    def _split_some(self, divider: Divider) -> None:
        leaves = [0]
        while len(leaves) < self.n_clusters:
            may_split = [number for number in leaves if self._may_split(divider, number)]
            if not may_split:
                return
            sizes = {number: len(divider.nodes[number].rows) for number in may_split}
            inertias = {number: divider.nodes[number].inertia for number in may_split}
            number = first_largest(may_split, (sizes if self.split == "largest" else inertias).__getitem__)
            if divider.split(number, min(self.branching, self.n_clusters - len(leaves) + 1)):
                leaves.remove(number)
                leaves.extend(divider.nodes[number].children)


@dataclass(eq=False)
class SplitNode:
    """A group: its rows, its mean, and the groups it was split into."""

    rows: Indices
    center: FloatArray
    inertia: float  # weighted sum of squared distances to the centre
    depth: int
    children: list[int] = field(default_factory=list)
    origin: FloatArray | None = None  # what the split took rows relative to
    is_whole: bool = False  # cannot be split: its rows are equal


class Divider:
    """A tree of groups that grows by splits; node 0 is the root."""

    def __init__(
        self, X: Data | SparseData, weights: Weights | None, plan: KMeansPlan, reporter: IterationReporter
    ) -> None:
        self._X, self._weights, self._plan, self._reporter = X, weights, plan, reporter
        in_one = np.zeros(X.shape[0], dtype=np.int32)
        points = points_of(X, weights)
        center = points.means(in_one, 1)
        inertia = float(_inertias(points, center, in_one)[0])
        self.nodes = [SplitNode(np.arange(X.shape[0]), center[0], inertia, 0)]
        self.n_iter = 0  # of k-means, in all splits

    def split(self, number: int, branching: int) -> bool:
        """Split a node into at most so many groups; False if its rows are all alike."""
        node = self.nodes[number]
        weights = None if self._weights is None else self._weights[node.rows]
        n_heavy = len(node.rows) if weights is None else int(np.count_nonzero(weights))
        k = min(int(branching), n_heavy)  # of NumPy it may be of 8 bits
        if k < 2 or node.is_whole:
            node.is_whole = True
            return False
        seed = int(np.random.SeedSequence([self._plan.seed, number]).generate_state(1, np.uint64)[0])
        is_everything = len(node.rows) == self._X.shape[0]
        points = points_of(self._X if is_everything else self._X[node.rows], weights)
        plan = replace(self._plan, n_clusters=k, seed=seed if number else self._plan.seed)
        run = best_of_restarts(points, plan, self._reporter).way.run
        self.n_iter += run.n_iter
        centers, labels = without_empty(run.centers, run.labels)
        if len(centers) < 2:
            node.is_whole = True
            return False
        node.origin = points.origin
        inertias = _inertias(points, centers, labels)
        for child, center in enumerate(centers):
            node.children.append(len(self.nodes))
            rows = node.rows[labels == child]
            inertia = 0.0 if len(rows) == 1 else min(float(inertias[child]), node.inertia)
            self.nodes.append(SplitNode(rows, center, inertia, node.depth + 1))
        return True

    def expanded(self, n_clusters: int) -> list[int]:
        """Return at most so many nodes that hold all rows: the one with most inertia is opened first."""
        open_nodes = [0]
        while True:
            may_open = [
                number
                for number in open_nodes
                if self.nodes[number].children
                and len(open_nodes) + len(self.nodes[number].children) - 1 <= n_clusters
            ]
            if not may_open:
                return open_nodes
            worst = first_largest(may_open, lambda number: self.nodes[number].inertia)
            at = open_nodes.index(worst)
            open_nodes[at : at + 1] = self.nodes[worst].children

    def row_tree(self) -> Dendrogram:
        """Return the tree of all rows; a node is as high as its inertia, groups not split hold their rows."""
        n, children, heights = self._X.shape[0], [], []
        inner = [number for number, node in enumerate(self.nodes) if len(node.rows) > 1]
        name = {number: n + at for at, number in enumerate(inner)}
        for number in inner:
            node = self.nodes[number]
            below = [name.get(child, int(self.nodes[child].rows[0])) for child in node.children]
            children.append(below or node.rows.tolist())
            heights.append(node.inertia)
        return Dendrogram.from_nodes(children, heights)


def _inertias(points: Points, centers: FloatArray, labels: Labels) -> FloatArray:
    """Return the weighted sum of squared distances of each group to its centre."""
    squared = np.empty(len(labels))
    for block in row_blocks(len(labels)):
        rows: Any = points.X[block]
        away = (rows.toarray() if issparse(rows) else rows) - centers[labels[block]]
        squared[block] = np.einsum("ij,ij->i", away, away, dtype=np.float64)
    weighted = squared if points.weights is None else squared * points.weights
    return np.bincount(labels, weighted, minlength=len(centers)).astype(np.float64)


def descent_to(divider: Divider, groups: list[int]) -> ValuesByName:
    """Return what `descend` needs to take new rows to these nodes, as plain arrays."""
    label = {number: at for at, number in enumerate(groups)}
    kept, at = [0], 0
    while at < len(kept):  # breadth first: children come after their parents
        if kept[at] not in label:
            kept.extend(divider.nodes[kept[at]].children)
        at += 1
    place = {number: at for at, number in enumerate(kept)}
    nodes = [divider.nodes[number] for number in kept]
    families = [
        [] if number in label else [place[child] for child in divider.nodes[number].children]
        for number in kept
    ]
    blank = np.zeros_like(nodes[0].center)
    return {
        "starts": np.cumsum([0, *(len(family) for family in families)]),
        "children": np.array([child for family in families for child in family], dtype=np.int64),
        "centers": np.stack([node.center for node in nodes]),
        "origins": np.stack([blank if node.origin is None else node.origin for node in nodes]),
        "labels": np.array([label.get(number, -1) for number in kept], dtype=np.int32),
    }


def descend(descent: ValuesByName, X: Data | SparseData) -> Labels:
    """Return the group of each row: from the root on to the nearest child."""
    labels = np.full(X.shape[0], -1, dtype=np.int32)
    waiting = [(0, np.arange(X.shape[0]))]
    while waiting:
        node, rows = waiting.pop()
        family = descent["children"][descent["starts"][node] : descent["starts"][node + 1]]
        if len(family) == 0:
            labels[rows] = descent["labels"][node]
        elif len(rows):
            centers = descent["centers"][family].astype(X.dtype, copy=False)
            origin = descent["origins"][node].astype(X.dtype, copy=False)
            nearest, _ = label_rows(X[rows], centers, origin, None)
            waiting += [(int(child), rows[nearest == at]) for at, child in enumerate(family)]
    return labels
