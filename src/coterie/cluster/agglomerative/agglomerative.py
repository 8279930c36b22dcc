"""Agglomerative clustering: the nearest two clusters merge, again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.typing import (
    AnyArray,
    Data,
    Distances,
    FittedAttributes,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    Settings,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Anything,
    Choice,
    Flag,
    Function,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
)
from coterie._support.validation.schema import COUNT, Size, Sometimes, Tensor
from coterie.cluster.agglomerative.merging import Tree, TreeTask, build_tree, check_settings
from coterie.cluster.agglomerative.predict import KNOWN, KnownClusters
from coterie.cluster.agglomerative.row_tree import TreeClusterer
from coterie.cluster.agglomerative.tree_labels import cut_tree, label_heads
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.constraints import pairs_among
from coterie.cluster.state_checks import check_labels_used, check_merges, check_square, is_matrix
from coterie.distance import Distance
from coterie.distance.input import InputRules, distance_of_rows, resolve_input
from coterie.errors import InvalidParameter
from coterie.tree import METHODS, Dendrogram

RULES = InputRules(
    min_rows=2,
    not_square="Distance matrix should be square, got matrix of shape {shape}: X of {who} must be {kind} of "
    "all pairs of rows.",
)


@estimator
class AgglomerativeClustering(TreeClusterer):
    """Agglomerative (bottom-up hierarchical) clustering, with the whole tree.

    A drop-in for scikit-learn's class. Single, Ward, centroid and median linkage, and average linkage of
    squared Euclidean or cosine distances, need memory for the rows only; others keep a square matrix.

    Parameters
    ----------
    n_clusters : int or None, default=2
        How many clusters to cut the tree into; None when `distance_threshold` is given.
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a function of two rows, or a distance. "precomputed": `X` is
        a square matrix of distances. "similarity": of similarities; heights are then similarities.
    memory : None, str or object with the joblib.Memory interface, default=None
        Where to keep trees that were computed before.
    connectivity : array-like, sparse matrix or callable, default=None
        Which rows may merge directly; a function makes it from `X`. Only for "ward", "complete", "average"
        and "single". Clusters are then as far apart as the edges between them say, for "ward" as their
        centroids.
    compute_full_tree : "auto" or bool, default="auto"
        Whether to go on after `n_clusters`; only with connectivity does stopping save anything. "auto": when
        `n_clusters` is below the larger of 100 and 2 % of the rows, or `distance_threshold` is given.
    linkage : str, default="ward"
        When two clusters are near, see `coterie.tree.linkage`.
    distance_threshold : float or None, default=None
        Clusters that are so far apart, or farther, do not merge. With similarities: so similar, or less.
    compute_distances : bool, default=False
        Whether to keep the heights as `distances_` even without `distance_threshold`.
    symmetrize : {"mean", "min", "max"}, default=None
        How similarities S[i, j] and S[j, i] that differ become one.
    must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
        Pairs of rows that must, or must not, be in one cluster; for "ward", "complete", "average" and
        "weighted". Rows that must be together count as distance 0 from each other.

    Attributes
    ----------
    children_ : array of shape (n_merges, 2)
        The nodes that each merge joins: below n_samples rows, then merges as they came.
    distances_ : array of shape (n_merges,)
        The height of each merge, if asked for.
    n_leaves_, n_connected_components_ : int
        Number of rows; of pieces of the connectivity before they were joined.
    dendrogram_ : Dendrogram
        The tree.

    Notes
    -----
    `predict` places a new row in the cluster that is nearest by the linkage's own distance: that of the
    nearest member (single), of the farthest (complete), the mean over the members (average; weighted with
    its shares; average_merged with the pairs within), the smallest ball (minimax), the centre (centroid,
    median), or what the row would add to the sum of squares (ward). Clusters do not change. The rows of `fit`
    need not get their `labels_` back: a merge may have taken them elsewhere.

    Examples
    --------
    >>> from coterie.cluster import AgglomerativeClustering
    >>> X = [[1, 2], [1, 4], [1, 0], [8, 2], [8, 4], [8, 0]]
    >>> model = AgglomerativeClustering().fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0])
    >>> model.predict([[0, 0], [9, 5]])
    array([1, 0])
    """

    n_clusters: int | None = parameter(Whole(1) | Nothing(), default=2)
    _: KW_ONLY
    metric: MetricLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    memory: object = parameter(Anything(), default=None)  # scikit-learn checks it
    connectivity: SparseData = parameter(Nothing() | AnArray() | Function(), default=None)
    compute_full_tree: bool | str = parameter(Choice("auto") | Flag(), default="auto")
    linkage: str = parameter(Choice(*METHODS), default="ward")
    distance_threshold: float | None = parameter(Nothing() | Number(), default=None)
    compute_distances: bool = parameter(Flag(), default=False)
    symmetrize: str | None = parameter(Nothing() | Choice("mean", "min", "max"), default=None)
    must_link: MatrixLike = parameter(Nothing() | AnArray(), default=None)
    cannot_link: MatrixLike = parameter(Nothing() | AnArray(), default=None)

    n_leaves_: int = fitted(Size("rows", 1))
    n_clusters_: int = fitted(Size("clusters", 1), "Number of clusters.")
    n_connected_components_: int = fitted(COUNT)
    children_: Indices = fitted(Tensor("merges", 2, kind="i8", may_be_empty=True))
    labels_: Labels = fitted(Tensor("rows", kind="i8", low=0, below="clusters"), "Cluster of each row.")
    _heights: Distances = fitted(Tensor("merges", kind="f8", allow="inf"))
    distances_: Distances = fitted(Sometimes(Tensor("merges", kind="f8", allow="inf")))
    _known: ValuesByName = fitted(KNOWN)

    _sometimes = ("distances_",)

    row_attributes = ("labels_",)

    @property
    def dendrogram_(self) -> Dendrogram:
        """The tree of all merges, for cuts, orders, pictures and files."""
        scikit_learn.check_is_fitted(self)
        if len(self.children_) < self.n_leaves_ - 1:
            raise InvalidParameter(
                "dendrogram_ of AgglomerativeClustering needs the whole tree: compute_full_tree=True."
            )
        is_similarity = self._kind == "similarities"
        return Dendrogram(
            self.children_, self._heights, heights_are="similarities" if is_similarity else "distances"
        )

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, metric = cls.__name__, state["metric"]
        check_merges(state["children_"], sizes["rows"], who=who)
        check_labels_used(state["labels_"], sizes["clusters"], who=who)
        KnownClusters.check(state["linkage"], metric, state["_known"], sizes["columns"], who=who)
        if is_matrix(metric):
            check_square(sizes, who=who)

    def restricted_to(self, rows: Indices, n_rows: int) -> Self:
        """Return an unfitted copy for some of the rows of a data set, a bootstrap resample for example.

        Parameters
        ----------
        rows : array of int
            Which rows, each once.
        n_rows : int
            How many there are in all; the pairs number these.

        Returns
        -------
        AgglomerativeClustering
            With the pairs among these rows.
        """
        copy: Self = scikit_learn.clone(self)
        if self.must_link is None and self.cannot_link is None:
            return copy
        who = type(self).__name__
        must, cannot = pairs_among(self.must_link, self.cannot_link, np.asarray(rows), n_rows, who=who)
        copy.must_link = must if len(must) else None
        copy.cannot_link = cannot if len(cannot) else None
        return copy

    def predict(self, X: MatrixLike) -> Labels:
        """Return for each row the cluster that is nearest by the linkage's own distance.

        A model of a matrix takes the distances, or similarities, of new rows to the rows of `fit`.
        """
        data = self._check_new(X)
        distance = distance_of_rows(self.metric, self._known["distance"])
        known = KnownClusters(self.linkage, self.labels_, self.children_, distance, self._known)
        return known.nearest(data, self._sign)

    @property
    def _sign(self) -> float:
        """Minus one where larger means nearer."""
        return -1.0 if self._kind == "similarities" else 1.0

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        who, kind = type(self).__name__, self._kind
        check_settings(self, kind, who)
        distance = distance_of_rows(self.metric)
        given = resolve_input(
            X, kind, estimator=self, rules=RULES, distance=distance, symmetrize=self.symmetrize
        )
        checked: Data = given.values
        return checked

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        n, kind = len(X), self._kind
        if self.n_clusters is not None:
            check_n_clusters(self.n_clusters, n, who=type(self).__name__)
        distance = distance_of_rows(self.metric)
        distance = None if distance is None else distance.fit(X)
        is_full = self._is_full(n)
        n_merges = n - 1 if is_full or self.n_clusters is None else n - self.n_clusters
        task = TreeTask(
            kind,
            distance,
            self.linkage,
            self.connectivity,
            n_merges,
            self.must_link,
            self.cannot_link,
            type(self).__name__,
        )
        tree = scikit_learn.check_memory(self.memory).cache(build_tree)(X, task)
        return self._found(X, Tree(*tree), distance, is_full)

    def _is_full(self, n: int) -> bool:
        if self.connectivity is None or self.n_clusters is None:
            return True
        if self.compute_full_tree == "auto":
            return self.n_clusters < max(100, 0.02 * n)
        return bool(self.compute_full_tree)

    def _found(self, X: Data, tree: Tree, distance: Distance | None, is_full: bool) -> ValuesByName:
        n, heights = len(X), tree.Z[:, 2]
        children = tree.Z[:, :2].astype(np.intp)
        n_clusters = self._n_clusters_at(heights)
        labels = cut_tree(children, n, n_clusters) if is_full else label_heads(children, n)
        found: ValuesByName = {
            "children_": children,
            "n_leaves_": n,
            "n_connected_components_": tree.n_components,
            "n_clusters_": n_clusters,
            "labels_": labels,
            "_heights": heights.copy(),
            "_known": KnownClusters.learn(self.linkage, labels, children, distance, X, self._sign),
        }
        if self.compute_distances or self.distance_threshold is not None:
            found["distances_"] = heights.copy()
        return found

    def _n_clusters_at(self, heights: AnyArray) -> int:
        is_similarity = self._kind == "similarities"
        forbidden = int(np.isinf(heights).sum()) + 1
        if self.distance_threshold is not None:
            apart = (
                heights <= self.distance_threshold if is_similarity else heights >= self.distance_threshold
            )
            return int(np.count_nonzero(apart)) + 1
        assert self.n_clusters is not None
        if self.n_clusters < forbidden:
            raise InvalidParameter(
                f"n_clusters of {type(self).__name__} must be at least {forbidden}, got {self.n_clusters}: "
                f"cannot_link leaves no fewer."
            )
        return self.n_clusters
