"""What HDBSCAN is given: rows of which some may not be finite, a matrix of distances, or a sparse graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    Indices,
    MatrixLike,
    MetricLike,
    Model,
    ValuesByName,
    Weights,
)
from coterie._support.validation import check_data, refuse_tiny, require_memory
from coterie._support.validation.data import TOLERANCE
from coterie.cluster.density.metric import (
    in_parts,
    is_boolean,
    is_known,
    note_no_direction,
    resolve_distance,
    shared_name,
    takes_sparse_rows,
)
from coterie.cluster.density.reachability import (
    ReachabilityTask,
    ReachabilityTree,
    of_graph,
    of_matrix,
    of_matrix_as_trees,
    of_near_rows,
    of_rows,
)
from coterie.distance import Distance, input_kind
from coterie.distance.input import InputRules, dense_rows, resolve_input
from coterie.distance.near_graph import near_rows
from coterie.distance.pairwise import distance_matrix
from coterie.distance.rows import RowSets, prepare_rows
from coterie.distance.scikit_learn import measure_by_scikit_learn
from coterie.errors import InvalidData, InvalidParameter

if TYPE_CHECKING:
    from coterie.cluster.density.hdbscan import HDBSCAN

INFINITE, MISSING = -2, -3  # labels of rows that are not finite
# distances with a tree of scikit-learn, known without its import, which takes longer than a small fit
HAVE_TREES = frozenset(("euclidean", "manhattan", "chebyshev", "minkowski"))
EXPECTED = "The precomputed distance matrix is expected to be symmetric, however"
MATRIX_RULES = InputRules(
    kinds=("data", "distances"),
    takes_sparse=True,
    symmetry="free",  # distances may be infinite
    not_square=EXPECTED + " it has shape {shape}. Please verify that it was constructed correctly.",
    missing="np.nan values found in precomputed-dense: X of HDBSCAN must not hold NaN.",
)


@dataclass
class HDBSCANInput:
    """Checked input: the finite rows that count, or their matrix, where they were, and what they weigh."""

    X: CheckedRows
    is_matrix: bool
    finite: Indices
    infinite: Indices
    missing: Indices
    rows: RowSets | None
    weights: Weights | None = None
    idle: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # finite rows of no weight
    idle_rows: CheckedRows = None  # these rows, or their distances to those that count

    @property
    def n_rows(self) -> int:
        """All rows of the input."""
        return self.n_finite + len(self.idle) + len(np.union1d(self.infinite, self.missing))

    @property
    def n_finite(self) -> int:
        """Rows that are clustered."""
        return len(self.finite)

    @property
    def distance_values(self) -> ValuesByName:
        """Parameters of the distance, learned ones included."""
        return {} if self.rows is None else self.rows.distance.told

    def spread(self, values: AnyArray, *, infinite: float, missing: float) -> AnyArray:
        """Put the values of finite rows, those of no weight last, in their places."""
        spread = np.empty(self.n_rows, dtype=values.dtype)
        spread[self.finite] = values[: self.n_finite]
        spread[self.idle] = values[self.n_finite :]
        spread[self.infinite] = infinite
        spread[self.missing] = missing
        return spread

    def reachability(self, model: HDBSCAN) -> ReachabilityTree:
        """Return the spanning tree of mutual reachability."""
        min_samples = model.min_cluster_size if model.min_samples is None else model.min_samples
        self._refuse_too_few(min_samples)
        alpha, weights = float(model.alpha), self.weights
        is_near = model.neighbors == "approximate"
        if is_near and (self.is_matrix or self.rows is None):
            near_rows(None, None, 1, 1, who="HDBSCAN")  # refuses
        if self.n_finite == 1:  # copies of one row
            algorithm = ("graph" if issparse(self.X) else "matrix") if self.is_matrix else "tiles"
            return ReachabilityTree(np.empty((0, 2), dtype=np.int64), np.empty(0), np.zeros(1), algorithm)
        if self.is_matrix and issparse(self.X):
            max_distance = dict(model.metric_params or {}).get("max_distance", 0.0)
            return of_graph(self.X, min_samples, alpha, max_distance, weights)
        if self.is_matrix:
            return of_matrix(self.X, min_samples, alpha, "matrix", weights)
        is_brute = issparse(self.X) or model.algorithm == "brute" or not has_tree(model.metric)
        if (self.rows is None or self.rows.distance.function is not None) and not is_near:
            D = self._all_distances(model)
            make = of_matrix if is_brute else of_matrix_as_trees
            return make(D, min_samples, alpha, "matrix", weights)
        told = model.metric.told if isinstance(model.metric, Distance) else {}
        params, threads = told | dict(model.metric_params or {}), resolve_threads(model.n_jobs)
        name = shared_name(model.metric)
        assert self.rows is not None
        task = ReachabilityTask(
            self.X, self.rows, name, params, min_samples, alpha, is_brute, threads, weights
        )
        return of_near_rows(task, model.n_neighbors) if is_near else of_rows(task)

    def _refuse_too_few(self, min_samples: int) -> None:
        if self.weights is not None and min_samples > self.weights.sum():
            raise InvalidParameter(
                f"min_samples ({min_samples}) must be at most the total weight of the samples in X "
                f"({self.weights.sum():g}): min_samples of HDBSCAN, which is min_cluster_size unless given, "
                f"counts rows by their weight."
            )
        if self.weights is None and min_samples > self.n_finite:
            raise InvalidParameter(
                f"min_samples ({min_samples}) must be at most the number of samples in X ({self.n_finite}): "
                f"min_samples of HDBSCAN, which is min_cluster_size unless given, counts rows. Lower it."
            ).in_shell(
                f"min_samples must be at most the number of rows, {self.n_finite}, got {min_samples}; it is "
                f"min_cluster_size unless given. Lower it: --set min_cluster_size=2."
            )

    def _all_distances(self, model: HDBSCAN) -> Distances:
        if self.rows is not None:
            return distance_matrix(self.rows, threads=resolve_threads(model.n_jobs))
        n = self.n_finite
        way_out = "Use a distance of coterie.distance.distances(), and dense rows."
        require_memory(8 * n * n, f"the distance matrix of {n:,} x {n:,} rows", way_out)
        return scikit_learns_distances(model, self.X, self.X)


def scikit_learns_distances(model: Model, A: CheckedRows, B: CheckedRows) -> Distances:
    """Return the distances of a metric that only scikit-learn knows, by its trees or by its pairs."""
    from sklearn.metrics import DistanceMetric, pairwise_distances

    name, params = shared_name(model.metric), dict(model.metric_params or {})
    A, B = (rows.astype(bool) if is_boolean(name) else rows for rows in (A, B))

    def measure() -> Distances:
        if has_tree(name) and model.algorithm != "brute" and not issparse(A):
            return np.asarray(DistanceMetric.get_metric(name, **params).pairwise(A, B))
        return np.asarray(pairwise_distances(A, None if A is B else B, metric=name, **params))

    return measure_by_scikit_learn(measure, name, who="HDBSCAN")


def check_algorithm(algorithm: str, metric: MetricLike) -> None:
    """Refuse a tree for distances that scikit-learn has none for, as it does."""
    if algorithm not in ("kd_tree", "ball_tree"):
        return
    from sklearn.neighbors import BallTree, KDTree

    trees = {"kd_tree": ("KDTree", KDTree.valid_metrics), "ball_tree": ("BallTree", BallTree.valid_metrics)}
    metric_name = shared_name(metric)
    name, valid = trees[algorithm]
    if metric_name not in valid:
        raise InvalidParameter(
            f"{metric_name} is not a valid metric for a {name}-based algorithm. Please select a different "
            f"metric."
        )


def has_tree(metric: MetricLike) -> bool:
    """Return whether scikit-learn has a tree for the distance: there alpha spares core distances."""
    name = shared_name(metric)
    if isinstance(name, str) and name in HAVE_TREES:
        return True
    from sklearn.neighbors import BallTree, KDTree

    return isinstance(name, str) and name in {*KDTree.valid_metrics, *BallTree.valid_metrics}


def as_measured(model: Model, distance: Distance, *sets: Data) -> tuple[Data, ...]:
    """Return rows as the distance takes them; scikit-learn's trees have another Bray-Curtis distance."""
    return in_parts(distance, *sets) if has_tree(model.metric) and model.algorithm != "brute" else sets


def prepared(model: Model, distance: Distance | None, data: Data) -> RowSets | None:
    """Return rows as the engine takes them, under what the distance learns from them; None without one."""
    if distance is None:
        return None
    return prepare_rows(as_measured(model, distance, data)[0], None, distance, {}, who="HDBSCAN")


def check_input(model: HDBSCAN, X: MatrixLike) -> HDBSCANInput:
    """Return the input of a fit."""
    given = _check_features(model, X) if input_kind(model.metric) == "data" else _check_matrix(model, X)
    if given.n_finite == 1:
        raise InvalidData("n_samples=1 while HDBSCAN requires more than one sample")
    return given


def _check_features(model: HDBSCAN, X: MatrixLike) -> HDBSCANInput:
    data = check_data(X, estimator=model, accept_sparse=True, may_be_missing=True).astype(np.float64)
    if issparse(data) and model.algorithm not in ("auto", "brute"):
        raise InvalidParameter("Sparse data matrices only support algorithm `brute`.")
    sums = np.zeros(data.shape[0]) if model._takes_gaps and not issparse(data) else row_sums(data)
    missing, infinite = np.flatnonzero(np.isnan(sums)), np.flatnonzero(np.isinf(sums))
    finite = np.flatnonzero(np.isfinite(sums))
    data = data if len(finite) == len(sums) else data[finite]
    data = dense_rows(data, who="HDBSCAN") if issparse(data) and not takes_sparse_rows(model.metric) else data
    if len(finite) < 2:
        raise InvalidData(f"n_samples={len(finite)} while HDBSCAN requires more than one sample")
    is_foreign = has_tree(model.metric) and model.metric != "p" and not is_known(model.metric)
    distance = None if is_foreign else resolve_distance(model.metric, model.metric_params)
    if distance is not None and distance.squares_numbers:
        check_data(
            data, who="HDBSCAN", accept_sparse=True, may_be_distances=True, may_have_gaps=distance.takes_gaps
        )
        refuse_tiny(data, None, "X")
    if note_no_direction(distance, data, "HDBSCAN") or issparse(data):
        distance = None
    return HDBSCANInput(data, False, finite, infinite, missing, prepared(model, distance, data))


def row_sums(data: CheckedRows) -> AnyArray:
    """Return a number per row that is as finite as the row: its sum, or 0 where only the sum overflows."""
    with np.errstate(invalid="ignore", over="ignore"):
        sums = np.asarray(data.sum(axis=1)).ravel()
    odd = np.flatnonzero(~np.isfinite(sums))
    if len(odd) and not issparse(data):
        sums[odd[np.isfinite(data[odd]).all(axis=1)]] = 0.0
    return sums


def _check_matrix(model: HDBSCAN, X: MatrixLike) -> HDBSCANInput:
    given = resolve_input(X, input_kind(model.metric), estimator=model, rules=MATRIX_RULES)
    D: CheckedRows = given.values.astype(np.float64, copy=False)
    values = D.data if issparse(D) else D
    if values.size and values.min() < 0:
        raise InvalidData(f"distances of HDBSCAN must be at least 0, got {values.min():g}.")
    if _largest_asymmetry(D) > TOLERANCE[np.dtype(np.float64)] * max(1.0, values.max(initial=0.0)):
        raise InvalidData(f"{EXPECTED} its values appear to be asymmetric. Please verify how it was made.")
    nothing = np.empty(0, dtype=np.intp)
    return HDBSCANInput(D, True, np.arange(given.n), nothing, nothing, None)


def _largest_asymmetry(D: CheckedRows) -> float:
    if issparse(D):
        apart = abs(D - D.T)
        return float(apart.max()) if apart.nnz else 0.0
    if np.isfinite(D).all():
        return float(_core.matrix_facts(D).largest_asymmetry)
    return 0.0 if np.array_equal(D, D.T) else np.inf
