"""Hierarchical k-means: every group is split by k-means, down to single rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import Data, Labels, MatrixLike, RandomState, SparseData, Weights
from coterie._support.validation import (
    Choice,
    Constraint,
    Flag,
    Function,
    Nothing,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import Instance, Record, Schema, Tensor
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.plan import KMeansPlan
from coterie.cluster.kmeans.points import Stopping
from coterie.cluster.kmeans.runs import Reporter, warn_if_fewer
from coterie.cluster.kmeans.splitting import Divider, descend, descent_to
from coterie.cluster.kmeans.starts import START_CONSTRAINTS
from coterie.cluster.state_checks import check_descent
from coterie.tree import Dendrogram


class HierarchicalKMeans(CenterClusterer):
    """A tree by k-means: every group is split into `branching` groups, down to single rows.

    The tree says at every level which rows belong together; `labels_` are its cut into `n_clusters`, the
    group with most inertia being opened first. Splits are made from the top, where they matter, and are never
    taken back.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups `labels_` and `predict` tell apart.
    branching : int, default=2
        Into how many groups a group is split. With more than 2, `labels_` may have fewer than `n_clusters`
        groups: none is opened that would make more.
    min_size : int, default=1
        Groups of at most so many rows are not split.
    max_depth : int or None, default=None
        Groups so many splits below the root are not split. None: no limit.
    split : {"all", "largest", "worst"}, default="all"
        "all": every group, down to single rows. "largest" and "worst": only the group with most rows, or with
        most inertia, until there are `n_clusters`; the last split may have fewer branches.
    init : {"k-means++", "random", "random partition"} or callable, default="k-means++"
        First centres of each split.
    n_init : int, default=1
        How many starts of each split.
    max_iter, tol : int, default=300; float, default=1e-4
        When the k-means of a split ends, see `KMeans`.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same tree, whatever the number of threads.
    progress : None, bool or callable, default=None
        True shows a line on a terminal; a callable is called with a `Progress` now and then.

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
    n_features_in_ : int
        Number of columns.

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

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_clusters": Whole(1),
        "branching": Whole(2),
        "min_size": Whole(1),
        "max_depth": Nothing() | Whole(1),
        "split": Choice("all", "largest", "worst"),
        "init": Choice("k-means++", "random", "random partition") | Function(),
        "n_init": Whole(1),
        "max_iter": START_CONSTRAINTS["max_iter"],
        "tol": START_CONSTRAINTS["tol"],
        "random_state": START_CONSTRAINTS["random_state"],
        "progress": Nothing() | Flag() | Function(),
    }

    _schema: ClassVar[Schema] = {
        **CenterClusterer._schema,
        "dendrogram_": Instance(Dendrogram, n_leaves="rows"),
        "_descent": Record(
            starts=Tensor("nodes+1", kind="i8", low=0),
            children=Tensor("nodes-1", kind="i8", low=0, below="nodes"),
            centers=Tensor("nodes", "columns"),
            origins=Tensor("nodes", "columns"),
            labels=Tensor("nodes", kind="i4", low=-1, below="clusters"),
        ),
    }

    dendrogram_: Dendrogram
    _descent: dict[str, Any]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        branching: int = 2,
        min_size: int = 1,
        max_depth: int | None = None,
        split: str = "all",
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
        progress: ProgressOption = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.branching = branching
        self.min_size = min_size
        self.max_depth = max_depth
        self.split = split
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.progress = progress

    @classmethod
    def _check_state(cls, state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        check_descent(state["_descent"], who=cls.__name__)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group of each row, by going down the tree to the nearest centre of every split.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        labels : array of int32 of shape (n_samples,)
            For the rows of `fit` these are `labels_`.
        """
        rows = self._check_new(X)
        return descend(self._descent, rows)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> Mapping[str, Any]:
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
            quiet = Reporter(track(None, ""), is_verbose=False, tolerance=self.tol)
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
            number = max(may_split, key=(sizes if self.split == "largest" else inertias).__getitem__)
            if divider.split(number, min(self.branching, self.n_clusters - len(leaves) + 1)):
                leaves.remove(number)
                leaves.extend(divider.nodes[number].children)
