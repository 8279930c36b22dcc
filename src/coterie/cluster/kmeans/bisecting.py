"""Bisecting k-means: one group is split in two, again and again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.rounding import first_largest
from coterie._support.typing import (
    AnyFunction,
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Init,
    Labels,
    Model,
    RandomState,
    Settings,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import Choice, Flag, check_n_clusters, check_seed
from coterie._support.validation.schema import Instance, ListOf, Tensor, wrong
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.state_checks import check_leaf_labels, check_merges
from coterie.tree import Dendrogram


@estimator
class BisectingKMeans(CenterClusterer):
    """Bisecting k-means: split the worst group in two until there are enough.

    A drop-in for scikit-learn's class. The splits make a tree: `children_` and `heights_` tell it.

    Parameters
    ----------
    init : {"random", "k-means++", "random partition"} or callable, default="random"
        First centres of every split, see `KMeans`.
    n_init : int, default=1
        Starts per split; the best one is kept.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which group is split next: that of the largest sum of squares, or that of the most rows.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres. Fewer than `n_clusters`, with a warning, when `X` has fewer different rows.
    labels_ : array of int32 of shape (n_samples,)
        Group of each row.
    inertia_ : float
        Sum of squared distances of the rows to the centres of their groups.
    children_ : array of shape (n_clusters - 1, 2)
        Two parts of each split group: below n_clusters groups, then splits from the last to the first.
    heights_ : array of shape (n_clusters - 1,)
        Sum of squares of the group that each split divides.
    dendrogram_ : Dendrogram
        The splits as a tree: leaf c is group c.
    n_iter_ : int
        Iterations of all splits together.

    Examples
    --------
    >>> from coterie.cluster import BisectingKMeans
    >>> X = [[0.0], [1.0], [10.0], [11.0], [30.0]]
    >>> model = BisectingKMeans(3, random_state=0, init="k-means++").fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.5, 10.5, 30.0]
    """

    n_clusters: int = 8
    _: KW_ONLY
    init: Init = "random"
    n_init: int | str = 1
    random_state: RandomState = None
    max_iter: int = 300
    verbose: int = 0
    tol: float = parameter(meaning="As in `KMeans`.", default=1e-4)
    copy_x: bool = parameter(Flag(), "Kept for scikit-learn's sake: `X` is never changed.", default=True)
    algorithm: str = parameter(Choice("lloyd", "elkan"), "As in `KMeans`.", default="lloyd")
    bisecting_strategy: str = parameter(
        Choice("biggest_inertia", "largest_cluster"), default="biggest_inertia"
    )

    children_: Indices = fitted(Tensor("clusters-1", 2, kind="i8"))
    heights_: FloatArray = fitted(Tensor("clusters-1", kind="f8", low=0))
    _splits: list[KMeans] = fitted(ListOf(Instance(KMeans, n_features_in_="columns"), "clusters-1"))
    _divided: Indices = fitted(Tensor("clusters-1", kind="i8", low=0))
    _group_of_node: Labels = fitted(Tensor("nodes", kind="i4", low=-1, below="clusters"))

    @property
    def dendrogram_(self) -> Dendrogram:
        """The tree of splits; leaves are groups, a node is as high as the sum of squares of its group."""
        scikit_learn.check_is_fitted(self)
        return Dendrogram.from_children(self.children_, self.heights_)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        divided, group_of_node, who = state["_divided"], state["_group_of_node"], cls.__name__
        check_merges(state["children_"], sizes["clusters"], who=who)
        # split i divides a node that is there, into the nodes 2 i + 1 and 2 i + 2
        is_there = (divided <= 2 * np.arange(len(divided))).all() and len(np.unique(divided)) == len(divided)
        if not is_there or any(len(model.cluster_centers_) > 2 for model in state["_splits"]):
            raise wrong("_divided", who, "divide each node at most once, in two", "others")
        if sizes["nodes"] != 2 * len(divided) + 1:
            raise wrong("_group_of_node", who, f"have {2 * len(divided) + 1} nodes", sizes["nodes"])
        is_leaf = ~np.isin(np.arange(sizes["nodes"]), divided)
        check_leaf_labels(group_of_node, is_leaf, who=who, name="_group_of_node")

    def _place(self, X: Data | SparseData) -> Labels:
        node = np.zeros(X.shape[0], dtype=np.intp)
        for split, (divided, model) in enumerate(zip(self._divided, self._splits, strict=True)):
            rows = np.flatnonzero(node == divided)
            if len(rows):
                node[rows] = 2 * split + 1 + model.predict(X[rows])
        return np.asarray(self._group_of_node[node])

    def _label(self, X: Data | SparseData, weights: Weights | None) -> tuple[Labels, float]:
        labels = self._place(X)
        return labels, self._inertia(X, labels, weights)

    def _inertia(self, X: Data | SparseData, labels: Labels, weights: Weights | None) -> float:
        squared = self._distances(X)[np.arange(len(labels)), labels].astype(np.float64) ** 2
        return float(squared.sum() if weights is None else squared @ weights)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        check_n_clusters(self.n_clusters, X.shape[0], who=type(self).__name__)
        seeds = np.random.default_rng(check_seed(self.random_state))
        whole = KMeans(1, init="random", n_init=1, random_state=0).fit(X, sample_weight=weights)
        tree = bisect(
            X,
            weights,
            self.n_clusters,
            whole.inertia_,
            (lambda group: group.inertia)
            if self.bisecting_strategy == "biggest_inertia"
            else (lambda group: len(group.rows)),
            lambda rows, own: self._two_means(seeds).fit(rows, sample_weight=own),
        )
        warn_if_fewer(len(tree.groups), self.n_clusters)
        return self._found(X, weights, whole, tree)

    def _two_means(self, seeds: np.random.Generator) -> KMeans:
        return KMeans(
            2,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            verbose=self.verbose,
            algorithm=self.algorithm,
            random_state=int(seeds.integers(2**32)),
        )

    def _found(
        self, X: Data | SparseData, weights: Weights | None, whole: KMeans, tree: Bisection
    ) -> ValuesByName:
        group_of_node = tree.group_of_node()
        centers = np.empty((len(tree.groups), X.shape[1]), dtype=X.dtype)
        labels = np.empty(X.shape[0], dtype=np.int32)
        for group in tree.groups:
            label = group_of_node[group.node]
            parent, side = divmod(group.node - 1, 2)
            model_centers = (
                whole.cluster_centers_ if group.node == 0 else tree.models[parent].cluster_centers_
            )
            centers[label] = model_centers[0 if group.node == 0 else side]
            labels[group.rows] = label
        self.cluster_centers_, self._origin, self._prepared_centers = centers, whole._origin, None
        return {
            "labels_": labels,
            "inertia_": self._inertia(X, labels, weights),
            "children_": tree.children(),
            "heights_": np.array(tree.heights[::-1]),
            "n_iter_": sum(model.n_iter_ for model in tree.models),
            "_splits": tree.models,
            "_divided": np.array(tree.divided, dtype=np.intp),
            "_group_of_node": group_of_node,
            "_n_features_out": len(centers),
        }


@dataclass(frozen=True, eq=False)
class SplitCandidate:
    """A group that may be split: its node in the tree, its rows and their sum of squares."""

    node: int
    rows: Indices
    inertia: float

    @property
    def can_be_split(self) -> bool:
        """Whether there are two different rows."""
        return len(self.rows) > 1 and self.inertia > 0


@dataclass(eq=False)
class Bisection:
    """The tree so far. Node 0 holds all rows; split i makes the nodes 2 i + 1 and 2 i + 2."""

    groups: list[SplitCandidate]
    models: list[Model] = field(default_factory=list)  # what decides at each split
    divided: list[int] = field(default_factory=list)  # the node that each split divides
    heights: list[float] = field(default_factory=list)  # its sum of squares

    def group_of_node(self) -> Labels:
        """Return the group that each node is, numbered from left to right; -1 for nodes that were split."""
        split_of = {node: split for split, node in enumerate(self.divided)}
        label = np.full(2 * len(self.models) + 1, -1, dtype=np.int32)
        pending, n_groups = [0], 0
        while pending:
            node = pending.pop()
            if node in split_of:
                pending += [2 * split_of[node] + 2, 2 * split_of[node] + 1]
            else:
                label[node] = n_groups
                n_groups += 1
        return label

    def children(self) -> Indices:
        """Return the tree as merges: groups first, then the splits from the last to the first."""
        n_splits, group = len(self.models), self.group_of_node()
        split_of = {node: split for split, node in enumerate(self.divided)}

        def merged(node: int) -> int:
            return int(group[node]) if group[node] >= 0 else n_splits + 1 + (n_splits - 1 - split_of[node])

        pairs = [sorted((merged(2 * i + 1), merged(2 * i + 2))) for i in range(n_splits - 1, -1, -1)]
        return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def bisect(
    X: Data | SparseData,
    weights: Weights | None,
    n_clusters: int,
    inertia: float,
    score: Callable[[SplitCandidate], float],
    fit: Callable[[Data | SparseData, Weights | None], Model],
) -> Bisection:
    """Split the group of the highest score until there are `n_clusters`, or none can be split."""
    tree = Bisection([SplitCandidate(0, np.arange(X.shape[0]), inertia)])
    while len(tree.groups) < n_clusters:
        candidates = [group for group in tree.groups if group.can_be_split]
        if not candidates:
            break
        group = first_largest(candidates, score)
        rows, own = X[group.rows], None if weights is None else weights[group.rows]
        model = _fit_quietly(fit, rows, own)
        if len(model.cluster_centers_) < 2:  # equal rows, whose mean is off by rounding
            whole = replace(group, inertia=0.0)
            tree.groups = [whole if other is group else other for other in tree.groups]
            continue
        parts = _parts(group, model, rows, own, 2 * len(tree.models) + 1)
        tree.models.append(model)
        tree.divided.append(group.node)
        tree.heights.append(group.inertia)
        tree.groups = [other for other in tree.groups if other is not group] + parts
    return tree


def _fit_quietly(fit: AnyFunction, rows: CheckedRows, weights: Weights | None) -> Model:
    """Fit two means; that there is one only is for the whole fit to say, about its own n_clusters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters", scikit_learn.ConvergenceWarning)
        return fit(rows, weights)


def _parts(
    group: SplitCandidate, model: Model, rows: CheckedRows, weights: Weights | None, first_node: int
) -> list[SplitCandidate]:
    labels = model.labels_
    squared = model.transform(rows)[np.arange(len(labels)), labels].astype(np.float64) ** 2
    squared = squared if weights is None else squared * weights
    return [
        SplitCandidate(first_node + side, group.rows[labels == side], float(squared[labels == side].sum()))
        for side in (0, 1)
    ]
