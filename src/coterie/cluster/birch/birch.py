"""BIRCH: a tree of summaries in one pass, then clusters of the summaries."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Centers,
    Data,
    Distances,
    FittedAttributes,
    Labels,
    MatrixLike,
    Model,
    Settings,
    SparseData,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Constraint,
    Flag,
    Nothing,
    Number,
    Whole,
    check_data,
    require_memory,
)
from coterie._support.validation.parameters import is_whole
from coterie._support.validation.schema import Instance, Size, Sometimes, Tensor, check_squares, wrong
from coterie.cluster.agglomerative.tree_labels import cut_tree
from coterie.cluster.base import DistanceTransformer, Listener
from coterie.cluster.birch.cf_tree import CFTree, GrowthRules, grow
from coterie.cluster.birch.nodes import CFNode, LinkedTree, link_nodes
from coterie.cluster.kmeans.points import csr_parts
from coterie.distance import find_distance
from coterie.distance.engines import TREE_LEAST_POINTS, TREE_MOST_FEATURES, smallest_by_tree
from coterie.distance.input import RowsInput
from coterie.distance.rows import RowSets
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import METHODS
from coterie.tree.linkage import link


class AClusterer(Constraint):
    """An estimator with `fit_predict`."""

    def accepts(self, value: object) -> bool:
        return hasattr(value, "fit_predict") and not inspect.isclass(value)

    def describe(self) -> str:
        return "an estimator with fit_predict"


@estimator
class Birch(DistanceTransformer):
    """BIRCH: summarise the rows in one pass by a tree of subclusters, then cluster the subclusters.

    A subcluster of rows x_i with weights w_i is kept as three facts,

        W = sum w_i,    c = sum w_i x_i / W,    S = sum w_i |x_i - c|^2,

    and its radius is sqrt(S / W). Every row goes down the tree to the nearest centre c of each node, and
    joins the subcluster where it ends if the radius then is at most `threshold`; otherwise it starts a
    subcluster of its own. A node of more than `branching_factor` entries is split about the two that are
    farthest apart. Memory grows with the subclusters; rows may come from a stream. A drop-in for
    scikit-learn's class.

    Parameters
    ----------
    threshold : float, default=0.5
        The largest radius of a subcluster: smaller values make more subclusters.
    n_clusters : int, estimator or None, default=3
        What becomes of the subclusters, whose centres all count alike. A number: Ward's tree of them is cut
        into so many clusters. An estimator: its `fit_predict` decides (a clone is fitted). None: each one is
        a cluster.
    n_jobs : int or None, default=None
        Threads that label rows and build Ward's tree; rows enter the tree one after the other. The answer
        does not depend on it.

    Attributes
    ----------
    subcluster_labels_ : array of int of shape (n_subclusters,)
        The cluster of each subcluster.
    labels_ : array of int of shape (n_samples,)
        The cluster of the nearest subcluster of each row, if `compute_labels`; of the last batch after
        `partial_fit`.
    tree_ : CFTree
        The whole tree, with the weight, centre and radius of every subcluster.
    root_, dummy_leaf_ : CFNode
        The same tree as objects, made when asked for: its root, and an empty node whose `next_leaf_` is the
        first leaf.

    Notes
    -----
    The subclusters are those of scikit-learn, which keeps sums of rows and of squares instead and so loses
    digits where the data lie far from zero; float32 rows are summed in float64 here. Where a node is split,
    the half of the entry that came first comes first; scikit-learn leaves that to rounding, so its
    subclusters may come in another order. `partial_fit` without data renews `labels_` too.

    A row of weight w enters as w equal rows at once. One after the other they would give the same tree unless
    some were turned away, or led elsewhere by a split in between. All weights times a constant give the same
    tree; a row of weight 0 does not enter.

    Examples
    --------
    >>> from coterie.cluster import Birch
    >>> X = [[0, 1], [0.3, 1], [-0.3, 1], [0, -1], [0.3, -1], [-0.3, -1]]
    >>> model = Birch(n_clusters=None).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.tree_
    CFTree of 2 subclusters, weight 6 (leaves: 1, levels: 1)
    >>> model.predict([[9, 9], [9, -9]])
    array([0, 1])
    """

    _takes_sparse = True
    _has_dense_centers = True
    _sometimes = ("labels_", "_nearest")

    _: KW_ONLY
    threshold: float = parameter(Number(0.0, open_below=True), default=0.5)
    branching_factor: int = parameter(Whole(2), "Most entries of a node, at least 2.", default=50)
    n_clusters: int | Model | None = parameter(Nothing() | Whole(1) | AClusterer(), default=3)
    compute_labels: bool = parameter(Flag(), "Whether to label the rows.", default=True)
    n_jobs: int | None = parameter(Nothing() | Whole(), default=None)
    progress: ProgressOption = None

    tree_: CFTree = fitted(Instance(CFTree, n_subclusters="subclusters", n_columns="columns"))
    subcluster_centers_: Centers = fitted(Tensor("subclusters", "columns"), "The centres, leaf by leaf.")
    subcluster_labels_: Labels = fitted(Tensor("subclusters", kind="i", low=-1, below="subclusters"))
    labels_: Labels = fitted(Sometimes(Tensor("rows", kind="i", low=-1, below="subclusters")))
    # of the labelled rows: the subclusters, which may be clustered again
    _nearest: Labels = fitted(Sometimes(Tensor("rows", kind="i", low=0, below="subclusters")))
    _n_features_out: int = fitted(Size("subclusters"))

    @property
    def root_(self) -> CFNode:
        """The root of the tree; its entries are `subclusters_`, their nodes `child_`."""
        return self._nodes("root_").root

    @property
    def dummy_leaf_(self) -> CFNode:
        """An empty node before the first leaf, which is its `next_leaf_`."""
        return self._nodes("dummy_leaf_").dummy_leaf

    def _get_leaves(self) -> list[CFNode]:
        """Return the leaves in their order; scikit-learn's tests ask for them by this name."""
        return self._nodes("_get_leaves()").leaves

    def _nodes(self, name: str) -> LinkedTree:
        tree = getattr(self, "tree_", None)
        if tree is None:
            raise AttributeError(f"{name} of {type(self).__name__} is there after fit only.")
        return link_nodes(tree, self.threshold, self.branching_factor)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, labels = cls.__name__, state["subcluster_labels_"]
        check_squares(state["subcluster_centers_"], who=who, name="subcluster_centers_")
        used = np.unique(labels[labels >= 0])
        is_ours = state["n_clusters"] is None or is_whole(state["n_clusters"])  # an estimator numbers at will
        if is_ours and len(used) and used[-1] >= len(used):
            raise wrong("subcluster_labels_", who, f"hold numbers below {len(used)}, its clusters", used[-1])
        rows = state.get("labels_")
        if rows is not None and "_nearest" in state and (rows != labels[state["_nearest"]]).any():
            raise wrong("labels_", who, "be those of the nearest subclusters", "others")

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        return self._grown(None, X, weights, listener, X.dtype)

    @fitting
    def partial_fit(
        self, X: MatrixLike | None = None, y: None = None, sample_weight: VectorLike | None = None
    ) -> Self:
        """Add rows to the tree, which the first call begins; without rows, cluster the subclusters again.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features), default=None
            More rows. None: only `n_clusters` is applied again, say after `set_params`.
        """
        self._check_parameters()
        if X is None:
            self._cluster_anew(sample_weight)
            return self
        tree = getattr(self, "tree_", None)
        data = check_data(X, estimator=self, reset=tree is None, accept_sparse=True)
        self._require_centers(data)
        weights = self._check_weights(sample_weight, data.shape[0])
        dtype = data.dtype if tree is None else self.subcluster_centers_.dtype
        found = self._grown(tree, data, weights, None, dtype)
        for name in self._sometimes:
            self.__dict__.pop(name, None)
        self.__dict__.update(found)
        return self

    def fit_predict(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Labels:
        """Find the clusters and return the label of each row, also without `compute_labels`."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if self.compute_labels else self.predict(X)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster of the nearest subcluster for each row; `labels_` for those of `fit`."""
        data = self._check_new(X)
        nearest = nearest_subclusters(data, self.subcluster_centers_, resolve_threads(self.n_jobs))
        return self.subcluster_labels_[nearest]

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to the centre of each subcluster: dense, also for sparse rows."""
        data, n_threads = self._check_new(X), resolve_threads(self.n_jobs)
        return distances_to_subclusters(data, self.subcluster_centers_, n_threads, who=type(self).__name__)

    def _cluster_anew(self, sample_weight: VectorLike | None) -> None:
        scikit_learn.check_is_fitted(self)
        who = type(self).__name__
        if sample_weight is not None:
            raise InvalidParameter(f"sample_weight of {who} weighs rows, got weights without X.")
        n_threads = resolve_threads(self.n_jobs)
        labels = label_subclusters(self.subcluster_centers_, self.n_clusters, n_threads, who=who)
        self.subcluster_labels_ = labels
        if hasattr(self, "_nearest"):
            self.labels_ = labels[self._nearest]

    def _grown(
        self,
        tree: CFTree | None,
        X: Data | SparseData,
        weights: Weights | None,
        listener: Listener | None,
        dtype: npt.DTypeLike,
    ) -> ValuesByName:
        """Return the fitted attributes for a tree that takes in more rows."""
        n_threads, who = resolve_threads(self.n_jobs), type(self).__name__
        rules = GrowthRules(self.threshold, self.branching_factor)
        with track(self.progress, "BIRCH: row", total=X.shape[0]).also(listener) as tracker:
            tree = grow(tree, X, weights, rules, tracker)
        centers = tree.subcluster_centers.astype(dtype)
        labels = label_subclusters(centers, self.n_clusters, n_threads, who=who)
        found = {
            "tree_": tree,
            "subcluster_centers_": centers,
            "subcluster_labels_": labels,
            "_n_features_out": len(centers),
        }
        if self.compute_labels:
            nearest = nearest_subclusters(X, centers, n_threads)
            found |= {"labels_": labels[nearest], "_nearest": nearest}
        return found


def label_subclusters(
    centers: Centers, n_clusters: int | Model | None, n_threads: int, *, who: str
) -> Labels:
    """Return the cluster of each subcluster.

    `n_clusters` None: each is a cluster of its own; a number: Ward's tree is cut; else a clone decides.

    Examples
    --------
    >>> label_subclusters(np.array([[0.0], [9.0], [1.0]]), 2, 1, who="Birch")
    array([0, 1, 0])
    """
    n = len(centers)
    if n_clusters is None:
        return np.arange(n)
    if not is_whole(n_clusters):
        return _labels_by(n_clusters, centers, who)
    if n < n_clusters:
        warn_caller(
            f"Number of subclusters found ({n}) by {who} is less than n_clusters={n_clusters}: each is a "
            f"cluster. Decrease the threshold.",
            scikit_learn.ConvergenceWarning,
        )
        return np.arange(n)
    if n == 1:
        return np.zeros(1, dtype=np.intp)
    distance = find_distance("euclidean")
    Z = link(RowsInput(distance.prepare(centers), distance), METHODS["ward"], n_threads, who=who)
    return cut_tree(Z[:, :2].astype(np.intp), n, int(n_clusters))


def nearest_subclusters(X: Data | SparseData, centers: Centers, n_threads: int) -> Labels:
    """Return the subcluster whose centre is nearest to each row, the first one of equals."""
    data, centers = _in_one_type(X, centers)
    if issparse(data):
        nearest: Labels = _core.sparse_nearest(*csr_parts(data), centers, n_threads)[0]
        return nearest
    # by the centres alone: a row gets the same label in whatever company
    if centers.shape[1] <= TREE_MOST_FEATURES and len(centers) >= TREE_LEAST_POINTS:
        found = smallest_by_tree(RowSets(data, centers, find_distance("euclidean")), 1, False, n_threads)
        return found.index[:, 0].astype(np.int32)
    origin = centers.mean(axis=0, dtype=np.float64).astype(centers.dtype)
    nearest, _ = _core.kmeans_labels(data, centers, origin, None, n_threads)
    return nearest


def distances_to_subclusters(
    X: Data | SparseData, centers: Centers, n_threads: int, *, who: str
) -> Distances:
    """Return the distance of each row to each centre."""
    data, centers = _in_one_type(X, centers)
    n_rows, n = data.shape[0], len(centers)
    require_memory(
        n_rows * n * data.dtype.itemsize,
        f"transform of {who} for {n_rows:,} rows and {n:,} subclusters",
        "Transform fewer rows at a time, or raise the threshold.",
    )
    if not issparse(data):
        found: Distances = _core.pairwise(data, centers, find_distance("euclidean").metric, n_threads)
        return found
    squared: Distances = _core.sparse_pairwise_squared(*csr_parts(data), centers, n_threads)
    return np.asarray(np.sqrt(squared, out=squared))


def _labels_by(estimator: Model, centers: Centers, who: str) -> Labels:
    labels = np.asarray(scikit_learn.clone(estimator, safe=False).fit_predict(centers))
    if labels.shape != (len(centers),):
        raise InvalidData(
            f"n_clusters of {who} must give one label per subcluster, {len(centers)} in all, got an array of "
            f"shape {labels.shape} from {type(estimator).__name__}."
        )
    return labels


def _in_one_type(X: Data | SparseData, centers: Centers) -> tuple[Data | SparseData, Centers]:
    """Return both in the wider of their types."""
    dtype = np.promote_types(X.dtype, centers.dtype)
    return X.astype(dtype, copy=False), centers.astype(dtype, copy=False)
