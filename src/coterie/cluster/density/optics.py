"""OPTICS: an order of the rows in which clusters of every density are valleys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    CheckedRows,
    Data,
    Distances,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    Settings,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import Anything, Choice, Constraint, Flag, Nothing, Number
from coterie._support.validation.schema import VALUES, Maybe, Sometimes, Tensor, Text
from coterie.cluster.base import Listener, WeightedClusterer
from coterie.cluster.density.metric import METRIC_CONSTRAINTS, RULES, is_boolean
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK, Mask
from coterie.cluster.density.optics_clusters import (
    SIZE,
    UNBOUNDED,
    cluster_optics_dbscan,
    cluster_optics_xi,
    resolve_size,
)
from coterie.cluster.density.optics_order import (
    DECIMALS,
    OpticsGraph,
    counted_part,
    fitted_measure,
    nearest_reach,
    order_rows,
    with_idle_rows,
)
from coterie.cluster.state_checks import check_density_metric, check_given, check_permutation, is_matrix
from coterie.distance.input import far_unless_stored, resolve_input
from coterie.errors import DataNotice, InvalidData, InvalidParameter

LARGEST_DISTANCE = 1e290  # beyond it, rounding to decimals overflows


@estimator
class OPTICS(WeightedClusterer):
    """OPTICS: density-based clusters as valleys of a reachability plot, and noise.

    The *core distance* of a row is the distance to its `min_samples`-th nearest row, itself included. Each
    visited row i gives every other row j within `max_eps` the reachability ``max(core(i), distance(i, j))``;
    a row keeps its lowest value, and the row with the lowest reachability is visited next. Plotted in that
    order, clusters are valleys of reachability. A drop-in replacement for scikit-learn's class with the same
    order and labels, in O(n) memory, whatever `max_eps`.

    With `sample_weight` a row of weight w is that row given w times: `min_samples` and `min_cluster_size`
    count by weight, shares are of the total weight, and copies of a row follow it in the plot at its core
    distance. A row of weight 0 gets the label that `predict` would give it.

    Parameters
    ----------
    min_samples : int or float, default=5
        Rows that make a neighbourhood dense, the row itself included; a float is a share of all rows.
    metric : str or callable, default="minkowski"
        A distance of `coterie.distance.distances()` or of scikit-learn, a function of two rows, or
        "precomputed": X is a matrix of distances; in a sparse one, pairs that are not stored are far apart.
    p : float, default=2
        Exponent of ``metric="minkowski"``.
    cluster_method : {"xi", "dbscan"}, default="xi"
        Valleys with steep sides, see `cluster_optics_xi`, or a cut at `eps`, see `cluster_optics_dbscan`.
    eps : float, default=None
        Radius of the cut; None is `max_eps`.
    xi : float, default=0.05
        Least relative change of reachability that is steep, from 0 to 1.
    predecessor_correction : bool, default=True
        Whether rows at the end of a valley that were reached from outside are left out.
    min_cluster_size : int or float, default=None
        Least rows of a valley; a float is a share of all rows, None is `min_samples`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Kept for scikit-learn's sake: the order never depends on it, and the engine is chosen by the data; see
        `algorithm_used_`.
    memory : str or joblib.Memory, default=None
        Where to keep the order between fits: other clusters of the same rows are then found at once.

    Attributes
    ----------
    labels_ : array of int of shape (n_samples,)
        Cluster of each row; noise is -1.
    ordering_ : array of int of shape (n_samples,)
        Rows in the order of visits; those of weight 0 last.
    reachability_, core_distances_ : arrays of shape (n_samples,)
        Of each row; infinity where there is none.
    predecessor_ : array of int of shape (n_samples,)
        The row that each row was reached from, or -1.
    cluster_hierarchy_ : array of int of shape (n_clusters, 2)
        First and last place in `ordering_` of every valley, smaller ones first; with ``cluster_method="xi"``.

    References
    ----------
    ankerst-1999, schubert-2018

    Examples
    --------
    >>> from coterie.cluster import OPTICS
    >>> X = [[1.0], [1.1], [1.2], [1.3], [8.0], [8.5], [9.0], [9.5], [50.0]]
    >>> model = OPTICS(min_samples=2, max_eps=5.0).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    >>> model.predict([[8.6], [30.0]])
    array([ 1, -1])
    """

    _takes_sparse = True
    _copies_are_dense_spots = True
    _sometimes = ("cluster_hierarchy_",)

    _constraints: ClassVar[Mapping[str, Constraint]] = METRIC_CONSTRAINTS

    _: KW_ONLY
    min_samples: float = parameter(SIZE, default=5)
    max_eps: float = parameter(UNBOUNDED, "Radius beyond which rows do not reach each other.", default=np.inf)
    metric: MetricLike = "minkowski"
    p: float | None = parameter(Number(0.0, open_below=True) | Nothing(), default=2)
    metric_params: Settings | None = None
    cluster_method: str = parameter(Choice("xi", "dbscan"), default="xi")
    eps: float | None = parameter(UNBOUNDED | Nothing(), default=None)
    xi: float = parameter(Number(0.0, 1.0), default=0.05)
    predecessor_correction: bool = parameter(Flag(), default=True)
    min_cluster_size: float | None = parameter(SIZE | Nothing(), default=None)
    algorithm: str = parameter(Choice("auto", "brute", "ball_tree", "kd_tree"), default="auto")
    leaf_size: int = 30
    memory: object = parameter(Anything(), default=None)
    n_jobs: int | None = None
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i8", low=-1, below="rows"))
    cluster_hierarchy_: Indices = fitted(Sometimes(Tensor(None, 2, kind="i8", low=0, below="rows")))
    ordering_: Indices = fitted(Tensor("rows", kind="i8", low=0, below="rows"))
    core_distances_: FloatArray = fitted(Tensor("rows", kind="f8", low=0, allow="inf"))
    reachability_: FloatArray = fitted(Tensor("rows", kind="f8", low=0, allow="inf"))
    predecessor_: Indices = fitted(Tensor("rows", kind="i8", low=-1, below="rows"))
    algorithm_used_: str = fitted(Text(), 'The engine: "kd_tree", "tiles", "matrix", "graph" or "blocks".')
    _rows: CheckedRows = fitted(Maybe(Tensor("rows", "columns", kind="f8", sparse=True, of_table=True)))
    _weights: Weights | None = fitted(Maybe(Tensor("rows", kind="f8", low=0)))
    _distance_values: ValuesByName = fitted(VALUES)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who = cls.__name__
        check_density_metric(state, sizes, who=who)
        check_given(state["_rows"], not is_matrix(state["metric"]), who=who, name="_rows", why="this metric")
        check_permutation(state["ordering_"], who=who, name="ordering_")

    def predict(self, X: MatrixLike) -> Labels:
        """Return for each row the cluster that reaches it, or -1.

        A row that equals one of the fit gets its label. Any other gets the cluster of the row of the fit from
        which its reachability is lowest, of those that do not exceed the scale of their cluster: `eps` for
        ``cluster_method="dbscan"``, else the largest reachability between rows of the cluster.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows; with ``metric="precomputed"`` their distances to the rows of the fit.
        """
        data = self._check_new(X)
        return self._place(data, np.ones(len(self.labels_), dtype=bool))

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        self._refuse_sizes(X.shape[0], weights)
        with track(self.progress, "OPTICS: order of the rows", total=2).also(listener) as tracker:
            graph, algorithm, values = self._order(X, weights)
            tracker.report(1, stage="OPTICS: clusters")
            clusters = self._clusters(graph, weights)
            tracker.report(2)
        found = clusters | {
            "ordering_": graph.ordering,
            "core_distances_": graph.core_distances,
            "reachability_": graph.reachability,
            "predecessor_": graph.predecessor,
            "algorithm_used_": algorithm,
            "_rows": None if self._is_given else X,
            "_weights": weights,
            "_distance_values": values,
        }
        return found | {"labels_": self._with_idle_rows(X, found)}

    def _clusters(self, graph: OpticsGraph, weights: Weights | None) -> ValuesByName:
        if self.cluster_method == "dbscan":
            return {
                "labels_": cluster_optics_dbscan(
                    reachability=graph.reachability,
                    core_distances=graph.core_distances,
                    ordering=graph.ordering,
                    eps=self._radius,
                )
            }
        labels, clusters = cluster_optics_xi(
            reachability=graph.reachability,
            predecessor=graph.predecessor,
            ordering=graph.ordering,
            min_samples=self.min_samples,
            min_cluster_size=self.min_cluster_size,
            xi=self.xi,
            predecessor_correction=self.predecessor_correction,
            core_distances=graph.core_distances,
            sample_weight=weights,
        )
        return {"labels_": labels, "cluster_hierarchy_": clusters}

    def _order(self, X: Data | SparseData, weights: Weights | None) -> tuple[OpticsGraph, str, ValuesByName]:
        part, counts = counted_part(X, weights, is_matrix=self._is_given)
        ordered = scikit_learn.check_memory(self.memory).cache(order_rows, ignore=["n_jobs"])(
            part,
            min_samples=resolve_size(self.min_samples, X.shape[0], "min_samples", weights),
            max_eps=float(self.max_eps),
            metric=self.metric,
            metric_params=self.metric_params,
            p=self.p,
            n_jobs=self.n_jobs,
            weights=counts,
        )
        if np.isinf(ordered[0].reachability).all():
            warn_caller(
                "All reachability values are inf. Set a larger max_eps or all data will be considered "
                "outliers.",
                DataNotice,
            )
        return with_idle_rows(OpticsGraph(*ordered[0]), weights), ordered[1], ordered[2]

    def _refuse_sizes(self, n_rows: int, weights: Weights | None) -> None:
        resolve_size(self.min_samples, n_rows, "min_samples", weights)
        if self.min_cluster_size is not None and self.cluster_method == "xi":
            resolve_size(self.min_cluster_size, n_rows, "min_cluster_size", weights)
        if self.cluster_method == "dbscan" and self._radius > self.max_eps:
            raise InvalidParameter(
                f"Specify an epsilon smaller than {self.max_eps}. Got {self.eps}. eps of OPTICS must be at "
                f"most max_eps: rows farther apart do not reach each other."
            )

    @property
    def _radius(self) -> float:
        return float(self.max_eps if self.eps is None else self.eps)

    @property
    def _is_given(self) -> bool:
        return self._kind == "distances"

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        given = resolve_input(X, self._kind, estimator=self, rules=RULES)
        checked: CheckedRows = given.values.astype(np.float64, copy=False)
        if self._is_given and checked.size and checked.max() > LARGEST_DISTANCE:
            raise InvalidData(
                f"distances of OPTICS must be at most {LARGEST_DISTANCE:g}, got {checked.max():g}: it rounds "
                f"them to {DECIMALS} decimals. Divide X by a constant first."
            )
        if is_boolean(self.metric) and not issparse(checked):
            if np.asarray(X).dtype != bool:
                warn_caller(
                    f"Data will be converted to boolean for metric {self.metric}, to avoid this warning, you "
                    f"may convert the data prior to calling fit.",
                    scikit_learn.DataConversionWarning,
                )
            checked = (checked != 0).astype(np.float64)
        return checked

    def _place(self, data: CheckedRows, counts: Mask) -> Labels:
        """Return the labels of checked rows; only those rows of the fit that count stand for an equal one."""
        n = len(self.labels_)
        core = np.where(self.labels_ >= 0, self.core_distances_, np.inf)
        most = np.append(self._scales(), 0.0)[self.labels_]  # of noise, which reaches nobody
        labels = np.full(data.shape[0], -1, dtype=np.intp)
        step = max(1, CELLS_PER_BLOCK // n)
        for start in range(0, data.shape[0], step):
            D = self._to_fitted(data[start : start + step])
            row, reach = nearest_reach(D, core, most)
            is_equal = (D == 0) & counts
            row = np.where(is_equal.any(axis=1), np.argmax(is_equal, axis=1), row)
            is_placed = is_equal.any(axis=1) | np.isfinite(reach)
            labels[start : start + step] = np.where(is_placed, self.labels_[row], -1)
        return labels

    def _with_idle_rows(self, X: CheckedRows, found: ValuesByName) -> Labels:
        """Return all labels of a fit: rows that weigh nothing get those of new rows."""
        weights, labels = found["_weights"], np.asarray(found["labels_"])
        if weights is None or (weights > 0).all():
            return labels
        fitted = self.from_fitted(found, n_columns=X.shape[1], **self.get_params(deep=False))
        labels[weights == 0] = fitted._place(X[weights == 0], weights > 0)
        return labels

    def _scales(self) -> FloatArray:
        """Return for each cluster the largest reachability at which it takes rows."""
        n_clusters = int(self.labels_.max()) + 1
        if self.cluster_method == "dbscan":
            return np.full(n_clusters, self._radius)
        label, before = self.labels_, self.predecessor_
        is_inside = (label >= 0) & (before >= 0) & (label[before] == label)
        scales = np.zeros(n_clusters)
        np.maximum.at(scales, label[is_inside], self.reachability_[is_inside])
        if self._weights is not None:  # copies are reached from the row itself
            has_copies = (label >= 0) & (self._weights > 1) & (self.core_distances_ < self.reachability_)
            np.maximum.at(scales, label[has_copies], self.core_distances_[has_copies])
        return scales

    def _check_new(self, X: MatrixLike) -> CheckedRows:
        data = super()._check_new(X).astype(np.float64, copy=False)
        is_set = self._table is None and is_boolean(self.metric)
        return (data != 0).astype(np.float64) if is_set else data

    def _to_fitted(self, data: CheckedRows) -> Distances:
        if self._is_given:
            return far_unless_stored(data) if issparse(data) else np.asarray(data)
        rows = self._rows
        if issparse(data) != issparse(rows):  # in the form of the fit, where an equal row is at distance 0
            data = csr_array(data) if issparse(rows) else data.toarray()
        measure = fitted_measure(self, is_sparse=issparse(rows))
        if issparse(rows) and not measure.takes_sparse:
            data, rows = data.toarray(), rows.toarray()
        return measure.between(data, rows, resolve_threads(self.n_jobs))
