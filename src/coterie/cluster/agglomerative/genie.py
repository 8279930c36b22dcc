"""Genie: single linkage that does not leave one giant cluster and many single rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coterie import _core
from coterie._support.declarations import KW_ONLY, estimator, parameter
from coterie._support.typing import (
    AnyArray,
    Data,
    FittedAttributes,
    Indices,
    MatrixLike,
    MetricLike,
    SparseData,
    Weights,
)
from coterie._support.validation import Anything, Flag, Nothing, Number, Whole, check_n_clusters
from coterie.cluster.agglomerative.predict import KnownClusters
from coterie.cluster.agglomerative.row_tree import RowTree
from coterie.cluster.agglomerative.tree_labels import cut_tree
from coterie.cluster.base import Listener
from coterie.distance import SpanningTree, k_nearest, spanning_tree
from coterie.distance.input import distance_of_rows
from coterie.errors import InvalidParameter


@estimator
class Genie(RowTree):
    """Genie: merge along the minimum spanning tree, shortest edge first, but keep cluster sizes even.

    Single linkage follows groups of any shape, and ends with one giant cluster and a few outliers. Genie
    watches the Gini index of the sizes: while it is above the threshold, only merges of a smallest cluster
    are allowed [gagolewski-2016]. Groups may be long, curved or round; they should not differ in size by
    orders of magnitude.

    Parameters
    ----------
    gini_threshold : float from 0 to 1, default=0.3
        How unequal the sizes may be before a smallest cluster must be merged; 1 is single linkage.
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a function of two rows, or a distance; "precomputed": `X` is
        a square matrix of distances.
    min_samples : int, default=1
        1: distances as they are. More: mutual reachability distances, as in `HDBSCAN`; sparse regions and
        noise are moved away from dense ones.
    noise : bool, default=False
        Whether leaves of the spanning tree count for no cluster size. Those that are not among the
        `min_samples` nearest of a row that is not a leaf get the label -1. Needs `min_samples` of at least 2.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Cluster of each row; -1 is noise.
    children_ : array of shape (n_samples - 1, 2)
        The nodes that each merge joins: below n_samples rows, then merges as they came.
    distances_ : array of shape (n_samples - 1,)
        The height of each merge: the length of its edge, or of a later one that is shorter, so that heights
        rise.

    Notes
    -----
    `predict` places a new row in the cluster of the nearest row of `fit` that is not noise. After the
    spanning tree, merging takes O(n log n) time.

    Examples
    --------
    >>> from coterie.cluster import Genie
    >>> model = Genie(2).fit([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0], [12.0], [30.0]])
    >>> model.labels_
    array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    >>> model.predict([[4.0], [50.0]])
    array([1, 0])
    """

    n_clusters: int = parameter(Whole(1), "How many clusters to cut the tree into.", default=2)
    _: KW_ONLY
    gini_threshold: float = parameter(Number(0.0, 1.0), default=0.3)
    metric: MetricLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    min_samples: int = parameter(Whole(1), default=1)
    noise: bool = parameter(Flag(), default=False)
    n_jobs: int | None = parameter(Nothing() | Whole(None), default=None)

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        if self.noise and self.min_samples < 2:
            raise InvalidParameter(
                f"noise=True of Genie needs min_samples of at least 2, got {self.min_samples}: the "
                f"distance to the nearest rows tells noise from the rest."
            )
        return super()._check_rows(X)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who, n = type(self).__name__, len(X)
        check_n_clusters(self.n_clusters, n, who=who)
        if self.min_samples > n:
            raise InvalidParameter(
                f"min_samples of {who} must be at most the {n} rows, got {self.min_samples}."
            )
        distance = distance_of_rows(self.metric)
        distance = None if distance is None else distance.fit(X)
        reach = self._reach(X, self.metric if distance is None else distance)
        inner = _inner_rows(reach.tree.edges, n) if self.noise else None
        children, along = _core.genie_merges(reach.tree.edges, float(self.gini_threshold), inner)
        if inner is not None and self.n_clusters > inner.sum():
            raise InvalidParameter(
                f"n_clusters of {who} must be at most {inner.sum()} with noise=True, got "
                f"{self.n_clusters}: the other rows are leaves of the spanning tree."
            )
        lengths = np.asarray(reach.tree.distance, dtype=np.float64)[along]
        labels = cut_tree(children, n, self.n_clusters)
        known = KnownClusters.learn("single", labels, children, distance, X, 1.0)
        if inner is not None:
            labels[(inner == 0) & ~_is_near_inner(reach.neighbours, inner)] = -1
        return {
            "children_": children,
            "distances_": np.minimum.accumulate(lengths[::-1])[::-1].copy(),
            "n_leaves_": n,
            "labels_": labels,
            "_known": known,
        }

    def _reach(self, X: Data, metric: MetricLike) -> _Reach:
        """Return the spanning tree of the distances, or of mutual reachability, and the nearest rows."""
        if self.min_samples == 1:
            return _Reach(spanning_tree(X, metric, n_jobs=self.n_jobs), None)
        near = k_nearest(X, None, self.min_samples - 1, metric, n_jobs=self.n_jobs)
        core = np.asarray(near.distance)[:, -1]
        return _Reach(spanning_tree(X, metric, core_distances=core, n_jobs=self.n_jobs), near.index)


def genie_children(tree: SpanningTree, gini_threshold: float) -> Indices:
    """Return the nodes that each merge joins, along a spanning tree that is known already.

    Examples
    --------
    >>> genie_children(spanning_tree([[0.0], [1.0], [5.0]]), 0.3).tolist()
    [[0, 1], [2, 3]]
    """
    children: Indices = _core.genie_merges(tree.edges, float(gini_threshold), None)[0]
    return children


class _Reach(NamedTuple):
    tree: SpanningTree
    neighbours: Indices | None


def _inner_rows(edges: Indices, n: int) -> AnyArray:
    """Return 1 for rows with two edges or more, 0 for leaves; of two rows, both count."""
    return np.ascontiguousarray((np.bincount(edges.ravel(), minlength=n) > 1) | (n == 2), dtype=np.uint8)


def _is_near_inner(neighbours: AnyArray | None, inner: AnyArray) -> AnyArray:
    """Return which rows are among the nearest of a row that is not a leaf."""
    assert neighbours is not None  # leaves are asked for, so that they were looked for
    is_near = np.zeros(len(inner), dtype=bool)
    is_near[neighbours[inner == 1].ravel()] = True
    return is_near
