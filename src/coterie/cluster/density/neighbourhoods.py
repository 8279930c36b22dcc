"""Who is within a radius of whom, asked in pieces that fit in memory: no list of neighbours is ever kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    Indices,
    Labels,
    MetricLike,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie.distance import Distance
from coterie.distance.engines import TREE_MOST_FEATURES, tree_form
from coterie.distance.input import with_explicit_diagonal
from coterie.distance.near_graph import near_distances, near_rows
from coterie.distance.rows import RowSets
from coterie.distance.scikit_learn import measure_by_scikit_learn

CELLS_PER_BLOCK = 1 << 22  # distances at a time: 32 MB
MOST_COLUMNS_OF_TREES = 15  # up to these scikit-learn measures float32 rows in float64
MOST_LEAVES_SHARE = 0.4  # above it, comparing all pairs by tiles is faster than a tree

Mask = npt.NDArray[np.bool_]


class DenseGroups(NamedTuple):
    """Which rows are core points, the labels, and the engine that found them."""

    is_core: Mask
    labels: Labels
    algorithm: str
    recall: float = 1.0  # of the neighbours that were looked at
    is_exact: bool = True

    def among(self, is_in: Mask) -> DenseGroups:
        """Return the same for all rows, of which these were the ones that could have neighbours."""
        is_core = np.zeros(len(is_in), dtype=bool)
        labels = np.full(len(is_in), -1, dtype=np.intp)
        is_core[is_in], labels[is_in] = self.is_core, self.labels
        return DenseGroups(is_core, labels, self.algorithm, self.recall, self.is_exact)


def find_clusters(space: Neighbourhoods, min_samples: float, weights: Weights | None) -> DenseGroups:
    """Label rows by growing each cluster from its lowest core point until nothing new is near."""
    totals = space.weights(weights)
    is_core = totals >= min_samples
    labels = np.full(space.n, -1, dtype=np.intp)
    n_clusters = 0
    for seed in np.flatnonzero(is_core):
        if labels[seed] >= 0:
            continue
        labels[seed] = n_clusters
        front = np.array([seed]) if weights is not None or totals[seed] > 1 else np.empty(0, dtype=np.intp)
        while len(front):
            others = np.flatnonzero(labels < 0)
            reached = others[space.near(front, others)]
            labels[reached] = n_clusters
            front = reached[is_core[reached]]
        n_clusters += 1
    return DenseGroups(is_core, labels, space.algorithm)


def find_in_rows(
    rows: RowSets, radius: float, min_samples: float, weights: Weights | None, threads: int
) -> DenseGroups:
    """Run DBSCAN on prepared rows by the engine that suits them."""
    form = tree_form(rows.distance)
    if form is not None:
        tree = _core.KDTree(rows.X, form.metric, rows.distance.p, n_threads=threads)
        reach = radius / form.factor
        is_low = rows.X.shape[1] <= TREE_MOST_FEATURES
        if is_low or _core.share_within(tree, reach) < MOST_LEAVES_SHARE:
            is_core, labels = _core.dbscan(tree, reach, float(min_samples), weights, threads)
            return DenseGroups(is_core.astype(bool), labels.astype(np.intp), "kd_tree")
    X = rows.X
    if X.shape[1] <= MOST_COLUMNS_OF_TREES and rows.distance.kernel is not _core.Kernel.dot:
        X = X.astype(np.float64, copy=False)  # pairs on the radius; the dot kernel decides so by itself
    return find_clusters(TileNeighbourhoods(X, rows.distance, radius, threads), min_samples, weights)


@dataclass
class TileNeighbourhoods:
    """Rows under a distance of the engine; all pairs are compared."""

    X: Data
    distance: Distance
    radius: float
    threads: int
    algorithm: str = "tiles"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def weights(self, weights: Weights | None) -> Weights:
        """Return the weight within the radius of each row."""
        metric = self.distance.metric
        counts = _core.count_below(self.X, self.X, metric, self.radius, self.threads)
        if weights is None:
            return counts.astype(np.float64)
        totals = np.empty(self.n)
        for rows in _blocks(counts):
            starts = np.concatenate([[0], np.cumsum(counts[rows])])
            index, _ = _core.list_below(self.X[rows], self.X, metric, self.radius, starts, self.threads)
            totals[rows] = np.add.reduceat(np.append(weights[index], 0.0), starts[:-1])
        return totals

    def near(self, rows: Indices, others: Indices) -> Mask:
        """Return which of the others are near to any of the rows."""
        counts = _core.count_below(
            self.X[others], self.X[rows], self.distance.metric, self.radius, self.threads
        )
        return np.asarray(counts > 0)


def _blocks(counts: AnyArray) -> Iterator[slice]:
    """Cut rows into runs with so many neighbours that their lists fit in memory."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + CELLS_PER_BLOCK)))
        yield slice(start, stop)
        start = stop


@dataclass
class BlockNeighbourhoods:
    """Rows under a distance that only scikit-learn knows, or sparse rows: blocks of a matrix at a time."""

    X: CheckedRows
    metric: MetricLike
    params: ValuesByName
    radius: float
    is_near_itself: bool = False  # whether a row is its own neighbour whatever its distance is said to be
    algorithm: str = "blocks"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def weights(self, weights: Weights | None) -> Weights:
        """Return the weight within the radius of each row."""
        values = np.ones(self.n) if weights is None else weights
        totals: list[Weights] = []
        first = 0
        for is_near in self._near(self.X, self.X):
            if self.is_near_itself:
                np.fill_diagonal(is_near[:, first:], True)
            totals.append(is_near @ values)
            first += len(is_near)
        return np.concatenate(totals)

    def near(self, rows: Indices, others: Indices) -> Mask:
        """Return which of the others are near to any of the rows."""
        if not len(others):
            return np.zeros(0, dtype=bool)
        blocks = self._near(self.X[others], self.X[rows])
        return np.concatenate([is_near.any(axis=1) for is_near in blocks])

    def k_distances(self, k: int) -> Distances:
        """Return the distance of each row to its k-th nearest other row."""
        return np.concatenate(
            [np.partition(block, k, axis=1)[:, k] for block in self._distances(self.X, self.X)]
        )

    def _near(self, A: CheckedRows, B: CheckedRows) -> Iterator[Mask]:
        """Yield which rows are near to which; Euclidean distances by their squares, as in scikit-learn."""
        is_squared = self.metric == "euclidean" and not self.params
        radius = self.radius * self.radius if is_squared else self.radius
        for block in self._distances(A, B, **({"squared": True} if is_squared else {})):
            yield block <= radius

    def _distances(self, A: CheckedRows, B: CheckedRows, **squared: bool) -> Iterator[Distances]:
        from sklearn.metrics import pairwise_distances

        params = self.params | squared
        step = max(1, CELLS_PER_BLOCK // B.shape[0])
        for start in range(0, A.shape[0], step):
            block = A[start : start + step]
            measure = partial(pairwise_distances, block, B, metric=self.metric, **params)
            yield measure_by_scikit_learn(measure, self.metric, who="DBSCAN")


@dataclass
class MatrixNeighbourhoods:
    """A dense matrix of distances, read by rows."""

    D: Distances
    radius: float
    algorithm: str = "matrix"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.D)

    def weights(self, weights: Weights | None) -> Weights:
        """Return the weight within the radius of each row."""
        values = np.ones(self.n) if weights is None else weights
        step = max(1, CELLS_PER_BLOCK // self.n)
        blocks = [self.D[start : start + step] <= self.radius for start in range(0, self.n, step)]
        return np.concatenate([block @ values for block in blocks])

    def near(self, rows: Indices, others: Indices) -> Mask:
        """Return which of the others are near to any of the rows."""
        step = max(1, CELLS_PER_BLOCK // self.n)
        is_near = np.zeros(self.n, dtype=bool)
        for start in range(0, len(rows), step):
            is_near |= (self.D[rows[start : start + step]] <= self.radius).any(axis=0)
        return np.asarray(is_near[others])


class GraphNeighbourhoods:
    """A sparse matrix of distances: what is not stored is not near; every row is near to itself."""

    algorithm = "graph"

    def __init__(self, graph: SparseData, radius: float) -> None:
        assert issparse(graph)
        near = with_explicit_diagonal(graph)
        is_within = near.data <= radius
        row_of = np.repeat(np.arange(near.shape[0]), np.diff(near.indptr))[is_within]
        self.n = int(near.shape[0])
        self._index = near.indices[is_within]
        self._row_of = row_of
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(row_of, minlength=self.n))])

    def weights(self, weights: Weights | None) -> Weights:
        """Return the weight within the radius of each row."""
        values = None if weights is None else weights[self._index]
        return np.bincount(self._row_of, weights=values, minlength=self.n).astype(np.float64)

    def near(self, rows: Indices, others: Indices) -> Mask:
        """Return which of the others are near to any of the rows."""
        is_near = np.zeros(self.n, dtype=bool)
        for row in rows:
            is_near[self._index[self._starts[row] : self._starts[row + 1]]] = True
        return np.asarray(is_near[others])


def find_near(
    rows: RowSets | None,
    n_neighbors: int | None,
    eps: float,
    task: tuple[int, Weights | None, int],
    *,
    who: str,
) -> DenseGroups:
    """Return the clusters of the graph of approximate neighbours: parts that core points hold together."""
    min_samples, weights, threads = task
    near = near_rows(rows, n_neighbors, min_samples, threads, who=who)
    n = len(near.index)
    graph = near_distances(near)
    row_of = np.repeat(np.arange(n), np.diff(graph.indptr))
    is_within = graph.data <= eps
    tails, heads = row_of[is_within], graph.indices[is_within]
    own = np.ones(n) if weights is None else weights
    is_core = own + np.bincount(tails, weights=own[heads], minlength=n) >= min_samples
    joins = is_core[tails] & is_core[heads]
    links = csr_array((np.ones(joins.sum()), (tails[joins], heads[joins])), shape=(n, n))
    part = connected_components(links, directed=False)[1]
    labels = np.full(n, -1, dtype=np.intp)
    _, first, inverse = np.unique(part[is_core], return_index=True, return_inverse=True)
    labels[is_core] = np.argsort(np.argsort(first))[inverse] if len(first) else labels[is_core]
    is_border = ~is_core[tails] & is_core[heads]
    lowest = np.full(n, n, dtype=np.intp)
    np.minimum.at(lowest, tails[is_border], labels[heads[is_border]])
    labels = np.where(~is_core & (lowest < n), lowest, labels)
    is_exact = near.algorithm_used != "descent" and near.index.shape[1] == n - 1
    return DenseGroups(is_core, labels, "approximate", near.recall, is_exact)


# the two questions of DBSCAN about n rows and a radius
Neighbourhoods: TypeAlias = (
    TileNeighbourhoods | BlockNeighbourhoods | MatrixNeighbourhoods | GraphNeighbourhoods
)
