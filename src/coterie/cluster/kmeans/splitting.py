"""Groups that are split by k-means again and again, and the way down for new rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import Data, FloatArray, Indices, Labels, SparseData, Weights
from coterie.cluster.kmeans.plan import KMeansPlan
from coterie.cluster.kmeans.points import Points, row_blocks
from coterie.cluster.kmeans.runs import Reporter, best_of_restarts, without_empty
from coterie.cluster.kmeans.spaces import label_rows, points_of
from coterie.tree import Dendrogram


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
        self, X: Data | SparseData, weights: Weights | None, plan: KMeansPlan, reporter: Reporter
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
            worst = max(may_open, key=lambda number: self.nodes[number].inertia)
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


def descent_to(divider: Divider, groups: list[int]) -> dict[str, Any]:
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


def descend(descent: dict[str, Any], X: Data | SparseData) -> Labels:
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
