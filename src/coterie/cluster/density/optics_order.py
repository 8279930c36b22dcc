"""The order of OPTICS, from rows, matrices and graphs: which row is reached when, how far, from where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Distances,
    FloatArray,
    Indices,
    MatrixLike,
    MetricLike,
    Model,
    Settings,
    SparseData,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie.cluster.density.metric import (
    is_boolean,
    note_no_direction,
    resolve_distance,
    shared_name,
    sparse_metric,
    takes_sparse_rows,
    without_direction,
)
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK
from coterie.cluster.density.reachability import metric_by_differences
from coterie.cluster.density.weight_lists import Core, core_by_weight, core_of_blocks
from coterie.distance import Distance, input_kind
from coterie.distance.engines import TreeForm, tree_form
from coterie.distance.input import dense_rows, with_explicit_diagonal
from coterie.distance.rows import RowSets, prepare_rows
from coterie.distance.scikit_learn import measure_by_scikit_learn
from coterie.errors import InvalidData

DECIMALS = np.finfo(np.float64).precision  # equal distances are to be equal whatever their rounding
WHO = "OPTICS"


class OpticsGraph(NamedTuple):
    """The order of visits; per row its core distance, its reachability and the row it was reached from."""

    ordering: Indices
    core_distances: FloatArray
    reachability: FloatArray
    predecessor: Indices


def order_rows(
    X: CheckedRows,
    *,
    min_samples: int,
    max_eps: float,
    metric: MetricLike,
    metric_params: Settings | None,
    p: float | None,
    n_jobs: int | None,
    weights: Weights | None = None,
) -> tuple[OpticsGraph, str, ValuesByName]:
    """Return the order of checked input, the engine, and what its distance was told or learned."""
    space, values = make_space(X, metric, metric_params, p, n_jobs)
    core = space.core_distances(min_samples, weights).astype(np.float64)
    core[core > max_eps] = np.inf
    core = np.around(core, DECIMALS)
    ordering, reachability, predecessor = space.walk(core, max_eps)
    graph = OpticsGraph(ordering.astype(np.intp), core, reachability, predecessor.astype(np.intp))
    return graph, space.algorithm, values


def counted_part(
    X: CheckedRows, weights: Weights | None, *, is_matrix: bool
) -> tuple[CheckedRows, Weights | None]:
    """Return the rows that weigh something, of a matrix their columns too, and their weights."""
    if weights is None:
        return X, None
    kept = np.flatnonzero(weights > 0)
    part, weights = X, weights[kept]
    if len(kept) < X.shape[0]:
        part = X[kept][:, kept] if is_matrix else X[kept]
        part = part if issparse(part) else np.ascontiguousarray(part)
    return part, None if (weights == 1).all() else weights


def with_idle_rows(graph: OpticsGraph, weights: Weights | None) -> OpticsGraph:
    """Return the order of all rows: those of no weight come last, out of reach."""
    if weights is None:
        return graph
    kept, idle = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
    core, reach = np.full(len(weights), np.inf), np.full(len(weights), np.inf)
    before = np.full(len(weights), -1, dtype=np.intp)
    core[kept], reach[kept] = graph.core_distances, graph.reachability
    before[kept] = np.append(kept, -1)[graph.predecessor]
    return OpticsGraph(np.concatenate([kept[graph.ordering], idle]), core, reach, before)


def compute_optics_graph(
    X: MatrixLike,
    *,
    min_samples: float = 5,
    max_eps: float = np.inf,
    metric: MetricLike = "minkowski",
    p: float | None = 2,
    metric_params: Settings | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    n_jobs: int | None = None,
    sample_weight: VectorLike | None = None,
) -> OpticsGraph:
    """Return the order of OPTICS without clusters, as scikit-learn's function of the name does.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; or their distances with ``metric="precomputed"``.
    min_samples, max_eps, metric, p, metric_params, algorithm, leaf_size, n_jobs
        As in `OPTICS`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; those of weight 0 come last, out of reach.

    Examples
    --------
    >>> graph = compute_optics_graph([[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]], min_samples=2)
    >>> graph.ordering
    array([0, 1, 2, 5, 3, 4])
    >>> graph.predecessor
    array([-1,  0,  1,  5,  3,  2])
    """
    from coterie.cluster.density.optics import OPTICS

    model = OPTICS(
        min_samples=min_samples,
        max_eps=max_eps,
        metric=metric,
        p=p,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        n_jobs=n_jobs,
    )
    model._check_parameters()
    data = model._check_rows(X)
    return model._order(data, model._check_weights(sample_weight, data.shape[0]))[0]


Walk: TypeAlias = tuple[npt.NDArray[np.int64], Core, npt.NDArray[np.int64]]  # ordering, reach, predecessors


class TreeSpace:
    """Rows under a distance that a kd-tree knows."""

    algorithm = "kd_tree"

    def __init__(self, rows: RowSets, form: TreeForm, threads: int) -> None:
        self._tree: Any = _core.KDTree(rows.X, form.metric, rows.distance.p, n_threads=threads)
        self._points = rows.X
        self._factor = form.factor
        self._threads = threads

    def core_distances(self, k: int, weights: Weights | None) -> Core:
        """Return the distance of each row to its k-th nearest, itself included, or to as much weight."""
        if weights is not None:
            return core_by_weight(self._nearest, weights, k, first=k) * self._factor
        _, near = self._tree.query_self(k, include_self=True, n_threads=self._threads)
        return np.asarray(near[:, k - 1] * self._factor)

    def _nearest(self, rows: Indices, k: int) -> tuple[AnyArray, Distances]:
        found: tuple[AnyArray, Distances] = self._tree.query(self._points[rows], k, n_threads=self._threads)
        return found

    def walk(self, core: Core, radius: float) -> Walk:
        """Return the order of visits."""
        return _core.optics_of_tree(self._tree, self._factor, core, radius)


@dataclass
class RowSpace:
    """Distances that are found row by row: `distances_of` gives those of some rows to all."""

    n: int
    distances_of: Callable[[slice], Distances]
    algorithm: str

    def core_distances(self, k: int, weights: Weights | None) -> Core:
        """Return the distance of each row to its k-th nearest, itself included, or to as much weight."""
        if weights is not None:
            return core_of_blocks(self.distances_of, weights, k)
        step = max(1, CELLS_PER_BLOCK // self.n)
        blocks = [self.distances_of(slice(start, start + step)) for start in range(0, self.n, step)]
        return np.concatenate([np.partition(block, k - 1, axis=1)[:, k - 1] for block in blocks])

    def walk(self, core: Core, radius: float) -> Walk:
        """Return the order of visits."""

        def distances_from(row: int) -> Core:
            return np.ascontiguousarray(self.distances_of(slice(row, row + 1))[0], dtype=np.float64)

        return _core.optics_of_rows(distances_from, core, radius)


class GraphSpace:
    """A sparse matrix of distances: what is not stored is out of reach; every row is near to itself."""

    algorithm = "graph"

    def __init__(self, graph: SparseData) -> None:
        near = with_explicit_diagonal(graph)
        self._values = np.ascontiguousarray(near.data, dtype=np.float64)
        self._columns = np.ascontiguousarray(near.indices, dtype=np.int32)
        self._starts = np.ascontiguousarray(near.indptr, dtype=np.int64)

    def core_distances(self, k: int, weights: Weights | None) -> Core:
        """Return the distance of each row to its k-th nearest, itself included, or to as much weight."""
        if weights is not None:
            return self._core_by_weight(k, weights)
        fewest = int(np.diff(self._starts).min())
        if fewest < k:
            raise InvalidData(
                f"{k} neighbors are required, but some rows of the sparse X of {WHO} store only {fewest}, "
                f"themselves included. Lower min_samples, or store the distances of more neighbours."
            )
        lists = np.split(self._values, self._starts[1:-1])
        return np.array([np.partition(values, k - 1)[k - 1] for values in lists])

    def _core_by_weight(self, least: int, weights: Weights) -> Core:
        core = np.empty(len(weights))
        for row, start, stop in zip(range(len(core)), self._starts, self._starts[1:], strict=False):
            values, columns = self._values[start:stop], self._columns[start:stop]
            order = np.lexsort((columns, values))
            total = np.cumsum(weights[columns[order]])
            if total[-1] < least:
                raise InvalidData(
                    f"neighbors of the weight {least} are required, but those that row {row} of the sparse X "
                    f"of {WHO} stores weigh {total[-1]:g}, itself included. Lower min_samples, or store the "
                    f"distances of more neighbours."
                )
            core[row] = values[order[np.argmax(total >= least)]]
        return core

    def walk(self, core: Core, radius: float) -> Walk:
        """Return the order of visits."""
        return _core.optics_of_graph(self._values, self._columns, self._starts, core, radius)


Space: TypeAlias = TreeSpace | RowSpace | GraphSpace  # the two questions of OPTICS about n rows


@dataclass(frozen=True)
class RowDistance:
    """How distances between rows are found: by the engine, or by scikit-learn if `distance` is None."""

    metric: MetricLike
    params: Settings
    distance: Distance | None

    def between(self, A: CheckedRows, B: CheckedRows, threads: int) -> Distances:
        """Return the distances of all rows of A to all rows of B."""
        if self.distance is not None and not without_direction(self.distance, A, B):
            rows = prepare_rows(A, B, self.distance, {}, who=WHO)
            metric = metric_by_differences(rows.distance)
            return np.asarray(_core.pairwise(rows.X, rows.others, metric, threads))
        from sklearn.metrics import pairwise_distances

        if is_boolean(self.metric):
            A, B = A.astype(bool), B.astype(bool)
        name = shared_name(self.metric)
        return measure_by_scikit_learn(
            lambda: np.asarray(pairwise_distances(A, B, metric=name, **self.params)), self.metric, who=WHO
        )

    @property
    def takes_sparse(self) -> bool:
        """Whether sparse rows are measured as they are."""
        return self.distance is None and takes_sparse_rows(self.metric)


def find_measure(
    metric: MetricLike, metric_params: Settings | None, p: float | None, *, is_sparse: bool
) -> RowDistance:
    """Return how the distances that the parameters mean are found."""
    params = dict(metric_params or {})
    name = sparse_metric(metric, params.get("p", p)) if is_sparse else None
    if name is not None:
        return RowDistance(name, {} if metric == "minkowski" else params, None)
    distance = resolve_distance(metric, metric_params, p)
    if distance is None or distance.function is not None:
        return RowDistance(metric, params, None)
    return RowDistance(metric, params, distance)


def fitted_measure(model: Model, *, is_sparse: bool) -> RowDistance:
    """Return how the distances of a fitted model are found, with what its distance was told or learned."""
    values = model._distance_values
    p = None if "p" in values else model.p
    return find_measure(model.metric, values or model.metric_params, p, is_sparse=is_sparse)


def make_space(
    X: CheckedRows, metric: MetricLike, metric_params: Settings | None, p: float | None, n_jobs: int | None
) -> tuple[Space, ValuesByName]:
    """Return the space of checked input, and what its distance was told or learned."""
    if input_kind(metric) == "distances":
        return (GraphSpace(X) if issparse(X) else RowSpace(len(X), lambda rows: X[rows], "matrix")), {}
    measure = find_measure(metric, metric_params, p, is_sparse=issparse(X))
    X = dense_rows(X, who=WHO) if issparse(X) and not measure.takes_sparse else X
    threads = resolve_threads(n_jobs)
    if note_no_direction(resolve_distance(metric, metric_params, p), X, WHO) or measure.distance is None:
        return RowSpace(X.shape[0], lambda rows: measure.between(X[rows], X, threads), "blocks"), {}
    rows = prepare_rows(X, None, measure.distance, {}, who=WHO)
    values = rows.distance.told
    form = tree_form(rows.distance)
    if form is not None:  # its leaves are scanned faster than single rows by tiles, in any dimension
        return TreeSpace(rows, form, threads), values
    metric_of_rows = metric_by_differences(rows.distance)

    def distances_of(some: slice) -> Distances:
        return np.asarray(_core.pairwise(rows.X[some], rows.X, metric_of_rows, threads))

    return RowSpace(len(rows.X), distances_of, "tiles"), values


def nearest_reach(D: Distances, core: Core, most: Core) -> tuple[Indices, Core]:
    """Return for each row of D the column of the least ``max(core, distance)`` that is at most `most`."""
    reach = np.maximum(D, core)
    reach[reach > most] = np.inf
    best = np.argmin(reach, axis=1)
    return best, reach[np.arange(len(best)), best]
