"""HDBSCAN: DBSCAN for every radius at once, and the clusters that last longest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    Doubles,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    Settings,
    SparseData,
    Tags,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie._support.validation import Choice, Constraint, Flag, Nothing, Number, Whole, check_parameter
from coterie._support.validation.schema import (
    VALUES,
    Instance,
    Maybe,
    Several,
    Sometimes,
    Tensor,
    Text,
    wrong,
)
from coterie.cluster.base import Listener, WeightedClusterer
from coterie.cluster.density.condensed_tree import (
    CondensedTree,
    SelectedClusters,
    condense,
    label_rows,
    labels_at,
    nearest_chosen,
    outlier_scores,
    select_clusters,
    strengths,
)
from coterie.cluster.density.hdbscan_input import (
    INFINITE,
    MISSING,
    HDBSCANInput,
    check_algorithm,
    check_input,
    scikit_learns_distances,
)
from coterie.cluster.density.hdbscan_predict import hang, place_idle_rows, soft_membership, split_rows, weigh
from coterie.cluster.density.metric import METRIC_CONSTRAINTS, is_boolean, scikit_learn_metrics
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK
from coterie.cluster.density.optics_clusters import UNBOUNDED
from coterie.cluster.state_checks import check_density_metric, check_given, check_merges, is_matrix
from coterie.distance import find_distance, pairwise_distances
from coterie.distance.scikit_learn import measure_by_scikit_learn
from coterie.errors import InvalidParameter


@estimator
class HDBSCAN(WeightedClusterer):
    """Hierarchical density-based clustering (HDBSCAN): any shape, different densities, and noise.

    The *core distance* of a row is the distance to its `min_samples`-th nearest row, itself included; two
    rows reach each other at ``max(core(i), core(j), distance(i, j) / alpha)``. The minimum spanning tree of
    this mutual reachability is a hierarchy of clusters over all radii. Of its clusters with at least
    `min_cluster_size` rows, the most stable ones are selected: those with the largest sum over rows of the
    range of ``1/distance`` in which the row belongs to the cluster. A drop-in replacement for scikit-learn's
    class.

    With `sample_weight` a row of weight w counts as w copies, in core distances and in cluster sizes; a row
    of weight 0 gets the label of `predict`.

    Parameters
    ----------
    min_samples : int, default=None
        Neighbours of the core distance, the row itself included; None is `min_cluster_size`.
    cluster_selection_epsilon : float, default=0.0
        Clusters that split below this distance are not split.
    max_cluster_size : int, default=None
        Most rows of a cluster, for ``cluster_selection_method="eom"``.
    metric : str or callable, default="euclidean"
        A distance of `coterie.distance.distances()` or of scikit-learn, a function of two rows, or
        "precomputed": X is a matrix of distances, dense (infinity: unknown) or sparse.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        With "brute", and for distances that scikit-learn has no tree for, `alpha` divides core distances as
        well, as in scikit-learn. The engine is chosen by the data; see `algorithm_used_`.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Excess of mass, or the finest clusters.
    store_centers : {None, "centroid", "medoid", "both"}, default=None
        Which centres to compute.
    neighbors : {"exact", "approximate"}, default="exact"
        "approximate": core distances and spanning tree are those of a graph of approximate neighbours
        (`coterie.distance.k_nearest` with ``recall=0.95``), for many rows of more than about 30 columns,
        where all pairs take long. Dense rows under cosine, correlation, hamming and the Euclidean distances,
        without `sample_weight`. The tree may miss short edges that the graph lacks; parts of the graph are
        joined by the nearest pairs between up to 64 rows of each and all others. With all other rows as
        neighbours it is exact.
    n_neighbors : int, default=None
        Neighbours in that graph; None: 16, or twice `min_samples` if that is more.

    Attributes
    ----------
    labels_ : array of int of shape (n_samples,)
        Cluster of each row; -1 is noise, -2 a row with an infinite value, -3 one with a missing value.
    probabilities_ : array of shape (n_samples,)
        How deep each row is in its cluster, 0 to 1.
    outlier_scores_ : array of shape (n_samples,)
        Global-local outlier score of each row (GLOSH), 0 to 1; NaN for rows that are not finite.
    condensed_tree_ : CondensedTree
        The hierarchy of clusters; its rows are those that are finite and weigh something.
    centroids_, medoids_ : arrays of shape (n_clusters, n_features)
        Centres weighted by the probabilities and `sample_weight`, if asked for.
    algorithm_used_ : str
        The engine: "kd_tree", "tiles", "matrix", "graph" or "approximate".
    recall_ : float
        Share of the true neighbours in the graph, measured on a sample; 1 of an exact fit.

    References
    ----------
    campello-2013, campello-2015, malzer-2020

    Examples
    --------
    >>> from coterie.cluster import HDBSCAN
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.2], [5.4], [40.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    >>> model.predict([[5.1], [100.0]])
    array([ 1, -1])
    """

    _takes_sparse = True
    _copies_are_dense_spots = True
    _sometimes = ("centroids_", "medoids_")

    _constraints: ClassVar[Mapping[str, Constraint]] = METRIC_CONSTRAINTS

    min_cluster_size: int = parameter(Whole(2), "Least rows of a cluster.", default=5)
    min_samples: int | None = parameter(Whole(1) | Nothing(), default=None)
    cluster_selection_epsilon: float = parameter(Number(0.0), default=0.0)
    max_cluster_size: int | None = parameter(Whole(1) | Nothing(), default=None)
    metric: MetricLike = "euclidean"
    metric_params: Settings | None = None
    # beyond, distances divided by it may leave the range of numbers
    alpha: float = parameter(Number(1e-12, 1e12), "Divides the distances; from 1e-12 to 1e12.", default=1.0)
    algorithm: str = parameter(Choice("auto", "brute", "kd_tree", "ball_tree"), default="auto")
    leaf_size: int = 40
    n_jobs: int | None = None
    cluster_selection_method: str = parameter(Choice("eom", "leaf"), default="eom")
    allow_single_cluster: bool = parameter(Flag(), "Whether all rows may be one cluster.", default=False)
    store_centers: str | None = parameter(Nothing() | Choice("centroid", "medoid", "both"), default=None)
    copy: bool = parameter(Flag(), "Kept for scikit-learn's sake: the input is never changed.", default=True)
    _: KW_ONLY
    neighbors: str = parameter(Choice("exact", "approximate"), default="exact")
    n_neighbors: int | None = parameter(Nothing() | Whole(1), default=None)
    progress: ProgressOption = None

    condensed_tree_: CondensedTree = fitted(
        Instance(CondensedTree, n_rows="rows that count", n_clusters="nodes")
    )
    labels_: Labels = fitted(Tensor("rows", kind="i8", low=MISSING, below="rows"))
    probabilities_: FloatArray = fitted(Tensor("rows", kind="f8", low=0, high=1, allow="nan"))
    outlier_scores_: FloatArray = fitted(Tensor("rows", kind="f8", low=0, high=1, allow="nan"))
    centroids_: FloatArray = fitted(Sometimes(Tensor("clusters", "columns", may_be_empty=True)))
    medoids_: FloatArray = fitted(Sometimes(Tensor("clusters", "columns", may_be_empty=True, of_table=True)))
    algorithm_used_: str = fitted(Text())
    exact_: bool = fitted(Flag(), "Whether the tree is that of all pairs.")
    recall_: float = fitted(Number(0.0, 1.0))
    _chosen: Indices = fitted(Tensor("clusters", kind="i8", low=0, below="nodes", may_be_empty=True))
    _merges: list[AnyArray] = fitted(
        Several(
            Tensor("rows that count-1", kind="i8", low=0),
            Tensor("rows that count-1", kind="i8", low=0),
            Tensor("rows that count-1", kind="f8", low=0, allow="inf"),
        )
    )
    _core_distances: Doubles = fitted(Tensor("rows that count", kind="f8", low=0, allow="inf"))
    _rows: FloatArray | None = fitted(Maybe(Tensor("rows that count", "columns", sparse=True, of_table=True)))
    _weights: Doubles | None = fitted(Maybe(Tensor("rows that count", kind="f8", above=0)))
    _finite_rows: Indices = fitted(Tensor("rows that count", kind="i8", low=0, below="rows"))
    _distance_values: ValuesByName = fitted(VALUES)
    _idle: list[AnyArray] = fitted(
        Several(
            Tensor("idle rows", kind="i8", low=0, below="rows", may_be_empty=True),
            Tensor("idle rows", kind="i8", low=0, below="rows that count", may_be_empty=True),
            Tensor("idle rows", kind="f8", low=0, allow="inf", may_be_empty=True),
        )
    )

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, chosen = cls.__name__, state["_chosen"]
        check_density_metric(state, sizes, who=who)
        check_given(state["_rows"], not is_matrix(state["metric"]), who=who, name="_rows", why="this metric")
        left, right, distances = state["_merges"]
        check_merges(np.column_stack([left, right]), sizes["rows that count"], who=who, name="_merges")
        if (distances[1:] < distances[:-1]).any():  # a difference of infinite ones is none
            raise wrong("_merges", who, "be in the order of their distances", "others")
        if (np.diff(chosen) <= 0).any():
            raise wrong("_chosen", who, "name each cluster once, in rising order", "others")
        tree = state["condensed_tree_"]
        if not np.isin(np.arange(len(chosen)), nearest_chosen(tree, chosen)[tree.last_clusters()[0]]).all():
            raise wrong("_chosen", who, "name clusters that have rows of their own", "others")
        if len(np.unique(state["_finite_rows"])) < sizes["rows that count"]:
            raise wrong("_finite_rows", who, "name each row once", "some twice")
        if int(state["labels_"].max()) >= len(chosen):
            raise wrong(
                "labels_", who, f"hold numbers below {len(chosen)}, its clusters", state["labels_"].max()
            )

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster that each row would hang on, or -1.

        A row that equals one of the fit gets its label. Any other takes the row of the fit that it reaches
        first, and the cluster that this row was in at the density of that reach.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows; with ``metric="precomputed"`` their distances to the rows of the fit.
        """
        scikit_learn.check_is_fitted(self)
        rows, sums = split_rows(self, X)
        labels = np.where(np.isnan(sums), MISSING, INFINITE)
        if rows.shape[0]:
            found = hang(self, rows)
            at = labels_at(self.condensed_tree_, self._chosen, self._selection(), found.row, found.density)
            at = np.where(found.distance == 0, self.labels_[self._finite_rows][found.row], at)
            labels[np.isfinite(sums)] = at
        return labels

    def membership(self, X: MatrixLike) -> FloatArray:
        """Return how much each row belongs to each cluster; what is missing to 1 is noise.

        The share of a cluster is inverse to the distance to its nearest *exemplar*, a row of its densest
        part; all shares together are the density at which the row hangs on, over that of the nearest
        cluster's core.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows; with ``metric="precomputed"`` their distances to the rows of the fit.

        Returns
        -------
        array of shape (n_queries, n_clusters)
        """
        scikit_learn.check_is_fitted(self)
        return soft_membership(self, X)

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Labels:
        """Return the labels of DBSCAN without border points at one distance, from the hierarchy of the fit.

        Parameters
        ----------
        cut_distance : float
            Rows that reach each other below it are in one cluster.
        min_cluster_size : int, default=5
            Smaller clusters, or lighter ones, are noise.
        """
        scikit_learn.check_is_fitted(self)
        check_parameter(cut_distance, UNBOUNDED, name="cut_distance", who="dbscan_clustering")
        check_parameter(min_cluster_size, Whole(1), name="min_cluster_size", who="dbscan_clustering")
        labels, least = self.labels_.copy(), int(min_cluster_size)
        left, right, distance = self._merges
        core = None if self._weights is None else self._core_distances
        cut = _core.cut_below(left, right, distance, float(cut_distance), least, self._weights, core)
        labels[self._finite_rows] = cut
        idle, row, density = self._idle
        with np.errstate(divide="ignore"):
            labels[idle] = np.where(1 / density < cut_distance, cut[row], -1)
        return labels

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        given: HDBSCANInput = weigh(self.__dict__.pop("_input"), self, weights)
        with track(self.progress, "HDBSCAN: spanning tree", total=3).also(listener) as tracker:
            reach = given.reachability(self)
            tracker.report(1, stage="HDBSCAN: condensed tree")
            merges, tree = condense(
                reach.edges, reach.distance, reach.core, self.min_cluster_size, given.weights
            )
            tracker.report(2, stage="HDBSCAN: clusters")
            selection = self._selection()
            chosen = select_clusters(tree, selection)
            labels = label_rows(tree, chosen, selection)
            strength = strengths(tree, chosen, labels)
            tracker.report(3)
        found = {
            "condensed_tree_": tree,
            "algorithm_used_": reach.algorithm,
            "exact_": reach.is_exact,
            "recall_": reach.recall,
            **cluster_centers(self, given, labels, strength),
            "_chosen": chosen,
            "_merges": merges,
            "_core_distances": reach.core,
            "_rows": None if given.is_matrix else given.X,
            "_weights": given.weights,
            "_finite_rows": given.finite,
            "_distance_values": given.distance_values,
        }
        values = {"labels_": labels, "probabilities_": strength, "outlier_scores_": outlier_scores(tree)}
        placed = place_idle_rows(self, given, found, values)
        return found | {
            "labels_": given.spread(placed["labels_"], infinite=INFINITE, missing=MISSING),
            "probabilities_": given.spread(placed["probabilities_"], infinite=0.0, missing=np.nan),
            "outlier_scores_": given.spread(placed["outlier_scores_"], infinite=np.nan, missing=np.nan),
            "_idle": placed["_idle"],
        }

    def _selection(self) -> SelectedClusters:
        return SelectedClusters(
            self.cluster_selection_method,
            self.allow_single_cluster,
            float(self.cluster_selection_epsilon),
            self.max_cluster_size,
        )

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        if self._kind == "distances" and self.store_centers is not None:
            raise InvalidParameter("Cannot store centers when using a precomputed distance matrix.")
        check_algorithm(self.algorithm, self.metric)
        self._input = check_input(self, X)
        checked: Distances = self._input.X
        return checked

    def _check_weights(self, sample_weight: VectorLike | None, n_rows: int) -> Weights | None:
        return super()._check_weights(sample_weight, self._input.n_rows)  # those that are not finite too

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._kind == "data"
        return tags


def cluster_centers(
    model: HDBSCAN, given: HDBSCANInput, labels: Labels, strength: FloatArray
) -> ValuesByName:
    """Return the centres that `store_centers` asks for, by the names of their attributes."""
    wanted = {"centroid": ("centroids_",), "medoid": ("medoids_",), "both": ("centroids_", "medoids_")}
    makers = {"centroids_": _centroid, "medoids_": _medoid}
    names = wanted.get(model.store_centers or "", ())
    strength = strength if given.weights is None else strength * given.weights
    found: ValuesByName = {}
    for name in names:
        rows = [
            makers[name](model, given, given.X[labels == c], strength[labels == c])
            for c in range(labels.max() + 1)
        ]
        found[name] = np.array(rows).reshape(len(rows), given.X.shape[1])
    return found


def _centroid(model: HDBSCAN, given: HDBSCANInput, rows: CheckedRows, weights: FloatArray) -> FloatArray:
    dense = rows.toarray() if issparse(rows) else rows
    return np.asarray(np.average(dense, weights=weights, axis=0))


def _medoid(model: HDBSCAN, given: HDBSCANInput, rows: CheckedRows, weights: FloatArray) -> FloatArray:
    """Return the row with the least weighted sum of distances to the others."""
    is_shared = callable(model.metric) or model.metric in scikit_learn_metrics()
    is_learned = len(given.distance_values) > len(dict(model.metric_params or {}))
    sums = _sums_by_pairs if is_shared and not is_learned else _sums_as_fitted
    medoid = rows[int(np.argmin(sums(model, given, rows, weights)))]
    return np.asarray(medoid.toarray().ravel() if issparse(medoid) else medoid)


def _sums_by_pairs(model: HDBSCAN, given: HDBSCANInput, rows: CheckedRows, weights: FloatArray) -> FloatArray:
    """Return the weighted sums of distances in scikit-learn's arithmetic."""
    from sklearn.metrics import pairwise_distances_chunked

    params = dict(model.metric_params or {})
    rows = rows.astype(bool) if is_boolean(model.metric) else rows

    def measure() -> FloatArray:
        chunks = pairwise_distances_chunked(
            rows, metric=model.metric, reduce_func=lambda block, _: block @ weights, **params
        )
        return np.concatenate(list(chunks))

    return measure_by_scikit_learn(measure, model.metric, who="HDBSCAN")


def _sums_as_fitted(
    model: HDBSCAN, given: HDBSCANInput, rows: CheckedRows, weights: FloatArray
) -> FloatArray:
    """Return them under a distance that scikit-learn's pairs lack, or with what was learned from all rows."""
    step = max(1, CELLS_PER_BLOCK // rows.shape[0])
    blocks = [rows[start : start + step] for start in range(0, rows.shape[0], step)]
    if given.rows is None:
        return np.concatenate([scikit_learns_distances(model, block, rows) @ weights for block in blocks])
    distance = find_distance(given.rows.distance.name, **given.distance_values)
    threads = resolve_threads(model.n_jobs)
    return np.concatenate(
        [pairwise_distances(block, rows, distance, n_jobs=threads) @ weights for block in blocks]
    )
