"""Self-organizing maps: a grid of vectors that is laid through the rows, neighbours next to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.linear_algebra import principal_components
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Data,
    Distances,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Constraint,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
    require_memory,
)
from coterie._support.validation.parameters import is_number
from coterie._support.validation.schema import COUNT, Size, Sometimes, Tensor, check_squares, wrong
from coterie.cluster.base import DistanceTransformer, Listener, about_one
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.cluster.kmeans.points import SQUARED, DensePoints, row_blocks, with_team
from coterie.cluster.kmeans.starts import check_centers
from coterie.cluster.som.grid import LAYOUTS, Grid
from coterie.errors import InvalidParameter

DECAYS = ("exponential", "linear", "inverse")
LAST_SIGMA = 0.35  # neighbours then count by a sixtieth: close to the rows, and still in order
WIDTH_OF_PLANE = 1.5  # standard deviations to either side that the first grid spans


@estimator
class SelfOrganizingMap(DistanceTransformer):
    """Self-organizing map (SOM): a grid of nodes whose neighbours have similar vectors.

    The batch algorithm: every row goes to the node with the nearest vector, every vector to the mean of all
    rows, weighted by how near their node is on the grid,

        v_j = sum over rows i of  h(j, node of i) x_i / sum over rows of h,    h = exp(-d^2 / (2 sigma^2)),

    d being the distance of two nodes on the grid. Sigma shrinks from epoch to epoch: first the grid unfolds,
    then it settles among the rows. There is no order of rows, and with `init="pca"` nothing random.

    Parameters
    ----------
    n_rows, n_columns : int, default=10
        Size of the grid. About ``5 sqrt(n_samples)`` nodes suit most data.
    layout : {"rectangular", "hexagonal"}, default="rectangular"
        Nodes with up to eight neighbours, or with up to six.
    n_clusters : int, default=None
        Groups of nodes, made by Ward's method from the vectors of the nodes that have rows. None: every node
        is a group.
    sigma : float or (float, float), default=None
        Reach of a node on the grid: at first, or at first and in the last epoch. None: from half of the
        longer side down to 0.35; one number: from it down to 0.35.
    learning_rate : float or (float, float), default=1.0
        How far a vector moves to its new place: all the way with 1. Two numbers: in the first and in the last
        epoch.
    decay : {"exponential", "linear", "inverse"}, default="exponential"
        How sigma and learning rate get from their first value to their last one.
    init : {"pca", "random"} or array of shape (n_nodes, n_features), default="pca"
        First vectors: a plane along the two main axes of the rows, random rows, or given ones, row by row.
    random_state : int, RandomState, Generator or None, default=None
        For `init="random"`. Same number, same data: same result, whatever the number of threads.

    Attributes
    ----------
    nodes_ : array of int32 of shape (n_samples,)
        The node of each row: that with the nearest vector.
    labels_ : array of int32 of shape (n_samples,)
        The group of each row: its node, or the group of its node.
    node_labels_ : array of int32 of shape (n_nodes,)
        The group of each node.
    hits_ : array of shape (n_rows, n_columns)
        Weight of the rows at each node.
    u_matrix_ : array of shape (n_rows, n_columns)
        Mean distance of each vector to those of the neighbours: ridges divide groups.
    topographic_error_ : float
        Share of rows whose two nearest nodes are not neighbours.

    Examples
    --------
    >>> from coterie.cluster import SelfOrganizingMap
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> som = SelfOrganizingMap(2, 3, n_clusters=2).fit(X)
    >>> bool((som.labels_[:3] != som.labels_[3:]).all())
    True
    >>> som.codebook_.shape, som.u_matrix_.shape
    ((6, 2), (2, 3))
    """

    n_rows: int = parameter(Whole(1), default=10)
    n_columns: int = parameter(Whole(1), default=10)
    _: KW_ONLY
    layout: str = parameter(Choice(*LAYOUTS), default="rectangular")
    n_clusters: int | None = parameter(Nothing() | Whole(1), default=None)
    sigma: float | Sequence[float] | None = parameter(
        Nothing() | Number(0, open_below=True) | AnArray(), default=None
    )
    learning_rate: float | Sequence[float] = parameter(Number(0, 1, open_below=True) | AnArray(), default=1.0)
    decay: str = parameter(Choice(*DECAYS), default="exponential")
    init: str | MatrixLike = parameter(Choice("pca", "random") | AnArray(), default="pca")
    n_epochs: int = parameter(Whole(1), "Passes over all rows.", default=20)
    random_state: RandomState = None
    progress: ProgressOption = None

    codebook_: FloatArray = fitted(Tensor("nodes", "columns"), "The vector of each node, row by row.")
    nodes_: Labels = fitted(Tensor("rows", kind="i", low=0, below="nodes"))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="nodes"))
    node_labels_: Labels = fitted(Tensor("nodes", kind="i", low=0, below="nodes"))
    hits_: FloatArray = fitted(Tensor(None, None, kind="f8", low=0))
    u_matrix_: FloatArray = fitted(Tensor(None, None, kind="f8", low=0))
    quantization_error_: float = fitted(Number(0), "Mean distance of a row to the vector of its node.")
    topographic_error_: float = fitted(Number(0, 1))
    n_iter_: int = fitted(COUNT, "Epochs.")
    _origin: FloatArray = fitted(Tensor("columns"))
    _n_features_out: int = fitted(Sometimes(Size("nodes")))

    row_attributes = ("labels_", "nodes_")

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, shape = cls.__name__, (state["n_rows"], state["n_columns"])
        if shape[0] * shape[1] != sizes["nodes"]:
            raise wrong("codebook_", who, f"have {shape[0] * shape[1]:,} nodes", f"{sizes['nodes']:,}")
        for name in ("hits_", "u_matrix_"):
            if state[name].shape != shape:
                raise wrong(name, who, f"have the shape {shape}", state[name].shape)
        for name in ("codebook_", "_origin"):
            check_squares(state[name], who=who, name=name)
        if not np.array_equal(state["node_labels_"][state["nodes_"]], state["labels_"]):
            raise wrong("labels_", who, "be the groups of nodes_", "others")

    @property
    def grid(self) -> Grid:
        """The grid: where nodes stand, and which are neighbours."""
        return Grid(int(self.n_rows), int(self.n_columns), self.layout)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group of each row: its node, or the group of its node."""
        nodes = self._nodes_of(self._check_new(X))
        return np.asarray(self.node_labels_[nodes])

    def places(self, X: MatrixLike) -> Indices:
        """Return the row and column of the grid to which each row of `X` goes, of shape (n_samples, 2)."""
        nodes = self._nodes_of(self._check_new(X))
        return np.column_stack(np.divmod(nodes, self.n_columns))

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to the vector of each node."""
        from coterie.distance import find_distance

        data, metric = self._check_new(X), find_distance("euclidean").metric
        found: Distances = _core.pairwise(data, self.codebook_.astype(data.dtype), metric, resolve_threads())
        return found

    def quantization_error(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> float:
        """Return the mean distance of rows to the vectors of their nodes."""
        data = self._check_new(X)
        weights = self._check_weights(sample_weight, len(data))
        return _quantization_error(data, weights, self.codebook_, self._nodes_of(data))

    def topographic_error(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> float:
        """Return the share of rows whose two nearest nodes are not neighbours on the grid."""
        data = self._check_new(X)
        weights = self._check_weights(sample_weight, len(data))
        return _topographic_error(data, weights, self.codebook_, self.grid)

    def score(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> float:
        """Return minus the quantization error: the higher the better."""
        return -self.quantization_error(X, sample_weight)

    def _check_new(self, X: MatrixLike) -> Data:
        data: Data = super()._check_new(X)
        # a float64 model places float32 rows in its own precision
        return data.astype(np.promote_types(data.dtype, self.codebook_.dtype), copy=False)

    def _nodes_of(self, X: Data) -> Labels:
        return _nearest(X, self.codebook_, self._origin, resolve_threads())

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who, grid = type(self).__name__, self.grid
        n_rows, n_columns = X.shape
        require_memory(
            6 * 8 * grid.n_nodes * (n_columns + 1) + 8 * (grid.n_rows**2 + grid.n_columns**2),
            f"a map of {grid.n_nodes:,} nodes",
            "Use fewer rows and columns of the grid.",
        )
        if self.n_clusters is not None:
            check_n_clusters(self.n_clusters, min(n_rows, grid.n_nodes), who=who)
        scaled, power = (None, 0) if weights is None else about_one(weights)
        points = with_team(DensePoints.of(X, scaled, resolve_threads()), grid.n_nodes)
        assert isinstance(points, DensePoints)
        schedule = self._schedule(grid)
        with track(self.progress, "map: epoch", total=int(self.n_epochs)).also(listener) as tracker:
            codebook = self._train(points, self._first(points, grid, who), grid, schedule, tracker)
        nodes = _nearest(X, codebook, points.origin, points.n_threads)
        hits = np.bincount(nodes, scaled, minlength=grid.n_nodes).astype(np.float64)
        node_labels = self._group_nodes(codebook, np.bincount(nodes, minlength=grid.n_nodes))
        return {
            "codebook_": codebook,
            "nodes_": nodes,
            "labels_": node_labels[nodes],
            "node_labels_": node_labels,
            "hits_": np.ldexp(hits, power).reshape(grid.n_rows, grid.n_columns),
            "u_matrix_": grid.u_matrix(codebook),
            "quantization_error_": _quantization_error(X, scaled, codebook, nodes),
            "topographic_error_": _topographic_error(X, scaled, codebook, grid),
            "n_iter_": int(self.n_epochs),
            "_origin": points.origin,
            "_n_features_out": grid.n_nodes,
        }

    def _schedule(self, grid: Grid) -> Callable[[int], tuple[float, float]]:
        """Return what gives sigma and learning rate of an epoch, counted from 0."""
        who = type(self).__name__
        widest = max(grid.n_rows, grid.n_columns) / 2
        sigma: Any = (max(widest, LAST_SIGMA), LAST_SIGMA) if self.sigma is None else self.sigma
        sigma = (sigma, min(float(sigma), LAST_SIGMA)) if is_number(sigma) else sigma
        rate = (self.learning_rate,) * 2 if is_number(self.learning_rate) else self.learning_rate
        sigmas = _first_and_last(sigma, "sigma", Number(0, open_below=True), who)
        rates = _first_and_last(rate, "learning_rate", Number(0, 1, open_below=True), who)
        last = int(self.n_epochs) - 1

        def values(epoch: int) -> tuple[float, float]:
            share = epoch / last if last else 1.0
            return _decayed(*sigmas, share, self.decay), _decayed(*rates, share, self.decay)

        return values

    def _first(self, points: DensePoints, grid: Grid, who: str) -> FloatArray:
        if not isinstance(self.init, str):
            return check_centers(self.init, grid.n_nodes, points.X, who=who)
        if self.init == "random":
            heavy = np.flatnonzero(np.ones(len(points.X)) if points.weights is None else points.weights)
            random = np.random.default_rng(check_seed(self.random_state))
            picks = random.choice(heavy, grid.n_nodes, replace=len(heavy) < grid.n_nodes)
            return np.asarray(points.X[picks])
        return _plane(points, grid).astype(points.X.dtype)

    def _train(
        self,
        points: DensePoints,
        codebook: FloatArray,
        grid: Grid,
        schedule: Callable[[int], tuple[float, float]],
        tracker: Tracker,
    ) -> FloatArray:
        origin = points.origin.astype(np.float64)
        for epoch in range(int(self.n_epochs)):
            sigma, rate = schedule(epoch)
            nodes = _nearest(points.X, codebook, points.origin, points.n_threads)
            sizes = np.bincount(nodes, points.weights, minlength=grid.n_nodes).astype(np.float64)
            means = _core.barycentres(
                points.X,
                nodes.astype(np.int32, copy=False),
                grid.n_nodes,
                points.weights,
                _core.Barycentre.mean,
                n_threads=points.n_threads,
            )
            away = np.where((sizes > 0)[:, None], means - origin, 0.0)
            sums = grid.smooth(np.column_stack([sizes, sizes[:, None] * away]), sigma)
            is_reached = sums[:, 0] > 0  # else no row is near enough to be more than nothing
            moved = origin + sums[:, 1:] / np.where(is_reached, sums[:, 0], 1.0)[:, None]
            before = codebook.astype(np.float64)
            target = moved if rate == 1 else before + rate * (moved - before)
            codebook = np.ascontiguousarray(
                np.where(is_reached[:, None], target, before), dtype=points.X.dtype
            )
            tracker.report(epoch + 1)
        return codebook

    def _group_nodes(self, codebook: FloatArray, counts: Indices) -> Labels:
        """Return the group of each node; a node without rows is in the group of the nearest one with rows."""
        from coterie.cluster.agglomerative.agglomerative import AgglomerativeClustering

        if self.n_clusters is None:
            return np.arange(len(codebook), dtype=np.int32)
        used = np.flatnonzero(counts)
        n_groups = min(int(self.n_clusters), len(used))
        warn_if_fewer(n_groups, int(self.n_clusters))
        vectors = np.ascontiguousarray(codebook[used], dtype=np.float64)
        labels: Labels = np.zeros(len(used), dtype=np.int32)
        if n_groups > 1:
            labels = AgglomerativeClustering(n_groups, linkage="ward").fit(vectors).labels_
        nearest = _nearest(codebook.astype(np.float64), vectors, vectors.mean(axis=0), 1)
        nearest[used] = np.arange(len(used))  # of equal vectors, a node with rows keeps its own
        return np.asarray(labels[nearest], dtype=np.int32)


def _nearest(X: Data, codebook: FloatArray, origin: FloatArray, n_threads: int) -> Labels:
    """Return the node with the nearest vector for each row, the first of equals."""
    vectors = codebook.astype(X.dtype, copy=False)
    labels: Labels = _core.kmeans_labels(X, vectors, origin.astype(X.dtype, copy=False), None, n_threads)[0]
    return labels


def _quantization_error(X: Data, weights: Weights | None, codebook: FloatArray, nodes: Labels) -> float:
    distances = np.empty(len(X))
    for rows in row_blocks(len(X)):
        away = X[rows].astype(np.float64) - codebook[nodes[rows]]
        distances[rows] = np.sqrt(np.einsum("ij,ij->i", away, away))
    return float(np.average(distances, weights=weights))


def _topographic_error(X: Data, weights: Weights | None, codebook: FloatArray, grid: Grid) -> float:
    if grid.n_nodes == 1:
        return 0.0
    (first, second), _ = _core.nearest_two(
        X, codebook.astype(X.dtype, copy=False), SQUARED, resolve_threads()
    )
    return float(np.average(~grid.are_neighbours(first, second), weights=weights))


def _first_and_last(values: Any, name: str, allowed: Constraint, who: str) -> tuple[float, float]:
    try:
        first, last = values
    except (TypeError, ValueError):
        first, last = None, None
    if not (allowed.accepts(first) and allowed.accepts(last)):
        raise InvalidParameter(
            f"{name} of {who} must be {allowed.describe()}, or two of them for the first and the last epoch, "
            f"got {values!r:.80}."
        )
    return float(first), float(last)


def _decayed(first: float, last: float, share: float, decay: str) -> float:
    """Return the value at a share of the way from the first to the last one; rounding leads never beyond."""
    if decay == "linear":
        value = first + (last - first) * share
    elif decay == "exponential":
        value = float(first ** (1 - share) * last**share)
    else:
        value = 1 / ((1 - share) / first + share / last)
    low, high = sorted((first, last))
    return min(max(value, low), high)


def _plane(points: DensePoints, grid: Grid) -> FloatArray:
    """Return vectors on the plane of the two main axes of the rows, the longer side along the first."""
    mean = np.asarray(points.columns.mean, dtype=np.float64)
    away = points.X.astype(np.float64) - mean
    if points.weights is not None:
        away *= np.sqrt(points.weights / points.weights.max())[:, None]
    axes, scores, _ = principal_components(away).plane()
    total = len(away) if points.weights is None else points.weights.sum() / points.weights.max()
    spreads = WIDTH_OF_PLANE * np.sqrt(np.square(scores).sum(axis=0) / total)
    along = axes * spreads  # one column per axis
    places = grid.places
    span = np.ptp(places, axis=0)
    unit = np.where(span > 0, 2 * places / np.where(span > 0, span, 1.0) - 1, 0.0)
    if span[1] > span[0]:
        unit = unit[:, ::-1]
    return np.asarray(mean + unit[:, :1] * along[:, 0] + unit[:, 1:] * along[:, 1])
