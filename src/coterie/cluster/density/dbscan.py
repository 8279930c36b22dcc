"""DBSCAN: clusters are dense regions of any shape; what lies between them is noise."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse

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
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Choice,
    Constraint,
    Flag,
    Function,
    Nothing,
    Number,
    Whole,
    check_sample_weight,
)
from coterie._support.validation.schema import VALUES, Real, Tensor, Text, wrong
from coterie.cluster.base import Listener, WeightedClusterer
from coterie.cluster.density.eps import suggest_eps, suggest_eps_of
from coterie.cluster.density.metric import (
    METRIC_CONSTRAINTS,
    RULES,
    Mask,
    has_distances,
    has_neighbours,
    in_parts,
    is_boolean,
    is_known,
    note_left_out,
    note_no_direction,
    resolve_distance,
    shared_name,
    sparse_metric,
    without_direction,
)
from coterie.cluster.density.neighbourhoods import (
    BlockNeighbourhoods,
    DenseGroups,
    GraphNeighbourhoods,
    MatrixNeighbourhoods,
    find_clusters,
    find_in_rows,
    find_near,
)
from coterie.cluster.state_checks import check_density_metric, check_finite, is_matrix
from coterie.distance import Distance, find_distance, nearest
from coterie.distance.engines import choose_engine
from coterie.distance.input import dense_rows, resolve_input
from coterie.distance.near_graph import note_exact_cost
from coterie.distance.pairwise import distance_matrix
from coterie.distance.rows import RowSets, prepare_rows
from coterie.distance.scikit_learn import measure_by_scikit_learn
from coterie.errors import DataNotice

FEW = 0.01  # share of core points below which a neighbourhood is too small
MANY = 0.95  # share of rows in one cluster, or of noise, that leaves nothing to tell apart
LEAST_ROWS_TO_JUDGE = 50


@dataclass(frozen=True)
class NearestCore:
    """Place among the core points, and distance; infinity where there is none."""

    index: Indices
    distance: Distances

    def among(self, is_in: Mask) -> NearestCore:
        """Return the same for all rows, of which only these have distances."""
        index = np.zeros(len(is_in), dtype=np.intp)
        distance = np.full(len(is_in), np.inf)
        index[is_in], distance[is_in] = self.index, self.distance
        return NearestCore(index, distance)


def _row_minima(D: Distances) -> NearestCore:
    if D.shape[1] == 0:
        return NearestCore(np.zeros(len(D), dtype=np.intp), np.full(len(D), np.inf))
    index = np.argmin(D, axis=1)
    return NearestCore(index, D[np.arange(len(D)), index])


def raise_flags(found: DenseGroups, who: str) -> None:
    """Warn about results that say more about the parameters than about the data."""
    n = len(found.labels)
    if n < LEAST_ROWS_TO_JUDGE:
        return
    shares: FloatArray = np.bincount(found.labels + 1, minlength=2) / n
    hint = "suggest_eps shows the distances to choose from."
    if found.is_core.mean() < FEW:
        n_core = int(found.is_core.sum())
        text = f"{n_core:,} of {n:,} rows are core points: eps is too small, or min_samples too large"
    elif shares[0] > MANY:
        text = f"{shares[0]:.0%} of the rows are noise: eps is too small, or min_samples too large"
    elif shares[1:].max() > MANY:
        share = shares[1:].max()
        text = f"{share:.0%} of the rows are in one cluster: eps is too large, or there is one group"
    else:
        return
    warn_caller(f"{who}: {text}. {hint}", DataNotice)


@estimator
class DBSCAN(WeightedClusterer):
    """Density-based clustering (DBSCAN): dense regions of any shape, and noise.

    A row is a *core point* when at least `min_samples` rows, itself included, are at most `eps` away. Core
    points at most `eps` apart are in one cluster; any other row joins the first cluster with a core point at
    most `eps` away, or is noise, -1. A drop-in replacement for scikit-learn's class with the same labels, in
    O(n) memory, whatever `eps`.

    Parameters
    ----------
    eps : float or "auto", default=0.5
        Radius of a neighbourhood, inclusive. "auto" takes the knee of `suggest_eps`.
    metric : str or callable, default="euclidean"
        A distance of `coterie.distance.distances()` or of scikit-learn, a function of two rows, or
        "precomputed": X is a matrix of distances; in a sparse one, pairs that are not stored are far apart.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        Kept for scikit-learn's sake: the labels never depend on it, and the engine is chosen by the data; see
        `algorithm_used_`.
    p : float, default=None
        Exponent of ``metric="minkowski"``.
    n_jobs : int, default=None
        Threads; None is what OpenMP would use, -1 all processors. The labels do not depend on it.
    neighbors : {"exact", "approximate"}, default="exact"
        "approximate": neighbourhoods hold only rows of a graph of approximate neighbours
        (`coterie.distance.k_nearest` with ``recall=0.95``), in either direction, for many rows of more than
        about 30 columns. Dense rows under cosine, correlation, hamming and the Euclidean distances. Core
        points may be missed, and clusters come apart where the graph lacks a link; none is joined that the
        exact answer keeps apart. With all other rows as neighbours it is exact.
    n_neighbors : int, default=None
        Neighbours in that graph; None: 16, or twice `min_samples` if that is more.

    Attributes
    ----------
    labels_ : array of int of shape (n_samples,)
        Cluster of each row, numbered by their lowest core point; noise is -1.
    core_sample_indices_ : array of int of shape (n_core_samples,)
        The core points.
    components_ : array of shape (n_core_samples, n_features)
        Their rows.
    algorithm_used_ : str
        The engine: "kd_tree", "tiles", "matrix", "graph", "blocks" or "approximate".
    recall_ : float
        Share of the true neighbours in the graph, measured on a sample; 1 of an exact fit.

    References
    ----------
    ester-1996, schubert-2017

    Examples
    --------
    >>> from coterie.cluster import DBSCAN
    >>> X = [[1.0], [1.2], [1.4], [8.0], [8.2], [8.4], [50.0]]
    >>> model = DBSCAN(eps=0.5, min_samples=2).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    >>> model.predict([[8.6], [30.0]])
    array([ 1, -1])
    """

    _takes_sparse = True

    _constraints: ClassVar[Mapping[str, Constraint]] = METRIC_CONSTRAINTS

    eps: float | str = parameter(Number(0.0, open_below=True) | Choice("auto"), default=0.5)
    _: KW_ONLY
    min_samples: int = parameter(Whole(1), "Rows, or weight, that make a neighbourhood dense.", default=5)
    metric: MetricLike = "euclidean"
    metric_params: Settings | None = None
    algorithm: str = parameter(Choice("auto", "ball_tree", "kd_tree", "brute"), default="auto")
    leaf_size: int = 30
    p: float | None = parameter(Number(0.0) | Nothing() | Function(), default=None)
    n_jobs: int | None = None
    neighbors: str = parameter(Choice("exact", "approximate"), default="exact")
    n_neighbors: int | None = parameter(Nothing() | Whole(1), default=None)
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i", low=-1, below="rows", may_be_empty=True))
    core_sample_indices_: Indices = fitted(
        Tensor("core points", kind="i8", low=0, below="rows", may_be_empty=True)
    )
    components_: Data = fitted(
        Tensor("core points", "columns", allow="inf", may_be_empty=True, sparse=True, of_table=True)
    )
    eps_: float = fitted(Real(0), "The radius used.")
    algorithm_used_: str = fitted(Text())
    exact_: bool = fitted(Flag(), "Whether all pairs of rows were compared.")
    recall_: float = fitted(Number(0.0, 1.0))
    _distance_values: ValuesByName = fitted(VALUES)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, metric = cls.__name__, state["metric"]
        check_density_metric(state, sizes, who=who)
        if not is_matrix(metric):
            rows = state["components_"]
            if state.get("_table") is None and not state.get("_has_gaps"):  # else cells may be missing
                check_finite(rows.data if issparse(rows) else rows, who=who, name="components_")
        if (state["labels_"][state["core_sample_indices_"]] < 0).any():
            raise wrong("labels_", who, "put every core point in a cluster", "one that is noise")

    def predict(self, X: MatrixLike) -> Labels:
        """Return for each row the cluster of its nearest core point, if that is at most `eps` away, or -1.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows; with ``metric="precomputed"`` their distances to the rows of the fit.
        """
        nearest = self._nearest_core_points(X)
        labels = np.append(self.labels_[self.core_sample_indices_], -1)  # the last for want of any core point
        eps = min(self.eps_, float(np.finfo(nearest.distance.dtype).max))  # any number is near enough beyond
        return np.where(nearest.distance <= eps, labels[nearest.index], -1)

    def _nearest_core_points(self, X: MatrixLike) -> NearestCore:
        who, checked = type(self).__name__, self._check_new(X)
        if self._is_given:
            return _row_minima(checked[:, self.core_sample_indices_])
        if len(self.core_sample_indices_) == 0:
            return _row_minima(np.empty((checked.shape[0], 0)))
        components = self.components_
        if sparse_metric(self.metric, self._exponent) is None:
            checked, components = (dense_rows(each, who=who) for each in (checked, components))
        if not is_known(self.metric) or issparse(checked) or issparse(components):
            return self._by_scikit_learn(checked, components)
        values = (self.metric_params or {}) if callable(self.metric) else self._distance_values
        distance = find_distance(self.metric, **values)
        if without_direction(distance, checked, components):
            return self._by_scikit_learn(checked, components)
        is_in = has_distances(distance, checked)
        if is_in is not None and not is_in.any():
            return _row_minima(np.empty((checked.shape[0], 0)))
        rows, others = in_parts(distance, checked if is_in is None else checked[is_in], components)
        found = nearest(rows, others, distance, n_jobs=resolve_threads(self.n_jobs))
        nearest_core = NearestCore(found.index, found.distance)
        return nearest_core if is_in is None else nearest_core.among(is_in)

    def _by_scikit_learn(self, rows: CheckedRows, others: CheckedRows) -> NearestCore:
        from sklearn.metrics import pairwise_distances_argmin_min

        params = dict(self.metric_params or {})
        metric = shared_name(self.metric)
        if metric == "minkowski":
            metric = sparse_metric(metric, self._exponent)
            params.pop("p", None)
        if is_boolean(metric):
            rows, others = rows.astype(bool), others.astype(bool)
        measure = partial(pairwise_distances_argmin_min, rows, others, metric=metric, metric_kwargs=params)
        with warnings.catch_warnings():
            # the fit has told of booleans
            warnings.simplefilter("ignore", scikit_learn.DataConversionWarning)
            return NearestCore(*measure_by_scikit_learn(measure, metric, who=type(self).__name__))

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        distance = None if self._is_given else resolve_distance(self.metric, self.metric_params, self.p)
        distance = None if note_no_direction(distance, X, type(self).__name__) else distance
        measured, is_in = self._measured(X, distance)
        if is_in is not None and weights is not None:
            weights = weights[is_in]
        rows = None if issparse(measured) else self._rows(measured, distance)
        with track(self.progress, "DBSCAN: radius", total=2).also(listener) as tracker:
            eps = self._radius(measured, rows)
            tracker.report(1, stage="DBSCAN: neighbourhoods")
            found = self._find(measured, rows, eps, weights)
            found = found if is_in is None else found.among(is_in)
            tracker.report(2)
        raise_flags(found, type(self).__name__)
        core = np.flatnonzero(found.is_core)
        return {
            "labels_": found.labels,
            "core_sample_indices_": core,
            "components_": X[core].copy(),
            "eps_": eps,
            "algorithm_used_": found.algorithm,
            "exact_": found.is_exact,
            "recall_": found.recall,
            "_distance_values": {} if rows is None else rows.distance.told,
        }

    @property
    def _is_given(self) -> bool:
        return self._kind == "distances"

    def _measured(self, X: CheckedRows, distance: Distance | None) -> tuple[CheckedRows, Mask | None]:
        """Return the rows that can have neighbours as the distance takes them, and which these are."""
        who = type(self).__name__
        if self._is_given or (issparse(X) and sparse_metric(self.metric, self._exponent) is not None):
            return X, None
        dense = dense_rows(X, who=who)
        if distance is None:
            return dense, None
        is_in = has_neighbours(distance, dense, 0.0 if isinstance(self.eps, str) else self.eps)
        if is_in is not None:
            note_left_out(is_in, distance, who)
        return in_parts(distance, dense if is_in is None else dense[is_in])[0], is_in

    def _rows(self, X: CheckedRows, distance: Distance | None) -> RowSets | None:
        return None if distance is None else prepare_rows(X, None, distance, {}, who=type(self).__name__)

    def _radius(self, X: CheckedRows, rows: RowSets | None) -> float:
        if self.eps != "auto":
            return float(self.eps)
        if rows is None and not self._is_given and not issparse(X):
            found = suggest_eps_of(self._blocks(X, np.inf).k_distances, X.shape[0], self.min_samples)
            return found.radius
        metric = self.metric if rows is None else rows.distance
        dense = dense_rows(X, who=type(self).__name__)
        return suggest_eps(dense, min_samples=self.min_samples, metric=metric, n_jobs=self.n_jobs).radius

    def _find(self, X: CheckedRows, rows: RowSets | None, eps: float, weights: Weights | None) -> DenseGroups:
        if self.neighbors == "approximate":
            return self._find_near(rows, eps, weights)
        if self._is_given and issparse(X):
            return find_clusters(GraphNeighbourhoods(X, eps), self.min_samples, weights)
        if self._is_given:
            return find_clusters(MatrixNeighbourhoods(X, eps), self.min_samples, weights)
        if rows is None:
            return find_clusters(self._blocks(X, eps), self.min_samples, weights)
        threads = resolve_threads(self.n_jobs)
        if rows.distance.function is not None:
            D = distance_matrix(rows, threads=threads)
            return find_clusters(MatrixNeighbourhoods(D, eps), self.min_samples, weights)
        if choose_engine(rows, "auto", who=type(self).__name__) != "kd_tree":
            note_exact_cost(rows, type(self).__name__)
        return find_in_rows(rows, eps, self.min_samples, weights, threads)

    def _find_near(self, rows: RowSets | None, eps: float, weights: Weights | None) -> DenseGroups:
        """Return the clusters of the graph of near rows."""
        who, threads = type(self).__name__, resolve_threads(self.n_jobs)
        if rows is None or len(rows.X) > 1:
            return find_near(rows, self.n_neighbors, eps, (self.min_samples, weights, threads), who=who)
        return find_in_rows(rows, eps, self.min_samples, weights, threads)

    @property
    def _exponent(self) -> float | None:
        return dict(self.metric_params or {}).get("p", self.p)

    def _blocks(self, X: CheckedRows, eps: float) -> BlockNeighbourhoods:
        name = sparse_metric(self.metric, self._exponent) if issparse(X) else None
        params = {} if self.metric == "minkowski" else dict(self.metric_params or {})
        # as in scikit-learn, where a row of zeros, 1 from all by its cosine, is near to itself unless sparse
        is_near_itself = is_known(self.metric) and not issparse(X)
        X = X.astype(bool) if is_boolean(self.metric) and not issparse(X) else X
        return BlockNeighbourhoods(X, name or shared_name(self.metric), params, eps, is_near_itself)

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        return resolve_input(X, self._kind, estimator=self, rules=RULES).values

    def _check_weights(self, sample_weight: VectorLike | None, n_rows: int) -> Weights | None:
        """Return the weights; negative ones are allowed: such a row keeps its neighbours from being core."""
        if sample_weight is None:
            return None
        weights = np.asarray(sample_weight)
        sizes = np.abs(weights) if weights.dtype.kind in "biuf" else weights
        check_sample_weight(sizes, n_rows, who=type(self).__name__)
        weights = weights.astype(np.float64)
        return np.ascontiguousarray(np.broadcast_to(weights, (n_rows,)))


def dbscan(
    X: MatrixLike,
    eps: float | str = 0.5,
    *,
    min_samples: int = 5,
    metric: MetricLike = "minkowski",
    metric_params: Settings | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: VectorLike | None = None,
    n_jobs: int | None = None,
) -> tuple[Indices, Labels]:
    """Return the core points and the labels of DBSCAN: `DBSCAN` as a function, as scikit-learn has it.

    Parameters
    ----------
    X, eps, min_samples, metric, metric_params, algorithm, leaf_size, p, n_jobs
        As in `DBSCAN`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row.

    Examples
    --------
    >>> core, labels = dbscan([[0.0], [0.1], [9.0]], eps=0.5, min_samples=2)
    >>> core, labels
    (array([0, 1]), array([ 0,  0, -1]))
    """
    model = DBSCAN(
        eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
