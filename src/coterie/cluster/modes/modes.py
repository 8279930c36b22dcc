"""Mode clustering: one cluster per hill of the density that stands out of its surroundings."""

from __future__ import annotations

from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.typing import (
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    SparseData,
    Weights,
)
from coterie._support.validation import Choice, Flag, Nothing, Number, Whole, check_data
from coterie._support.validation.schema import Tensor
from coterie.cluster.base import Clusterer, Listener
from coterie.cluster.modes.mode_tree import ModeTree, grow_mode_tree, null_depth
from coterie.distance import distances, nearest
from coterie.distance.row_distances import RowDistances
from coterie.errors import InvalidParameter


@estimator
class ModeClustering(Clusterer):
    """Mode clustering: rows that climb to the same peak of the density; any shape.

    The density at a row comes from the distance to its `n_neighbors`-th neighbour. Between two peaks the best
    path over the spanning tree of mutual reachability has a lowest point; how far the lower peak rises above
    it, in standard errors, is the depth of the valley. Valleys that are not deeper than those of one uniform
    cloud of as many rows and dimensions are filled: their hills are one cluster. Every row has a cluster.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters: the deepest valleys divide them. None: as many as stand out.
    n_neighbors : int, default=8
        Neighbours of the density: few follow thin shapes, many smooth broad hills.
    min_depth : float, default=None
        Least depth of a valley, in standard errors, when `n_clusters` is None; None: what one cloud without
        clusters exceeds in one case of twenty.
    background : bool, default=False
        Whether the sparse rows are a cluster of their own, which `n_clusters` counts: for dense groups within
        a sparse one, from which no valley divides them. Rows are told apart by their densities where these
        fall in two best.
    metric : str, default="euclidean"
        A distance of `coterie.distance.distances()`.

    Attributes
    ----------
    mode_indices_ : array of shape (n_clusters,)
        The row at the peak of each cluster.
    depths_ : array of shape (n_samples - 1,)
        Depth of all valleys, deepest first: a gap in them is the place to cut.
    dimension_ : float
        Dimension of the data at the scale of the neighbourhoods; the number of columns where there are too
        few rows to tell.

    Notes
    -----
    Time is that of a nearest neighbour search and a spanning tree; memory grows with the rows. After the
    persistence-based clustering of Chazal and others (key chazal-2013 of docs/references.md).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.cluster import ModeClustering
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, 400)
    >>> radius = np.repeat([1.0, 3.0], 200)
    >>> rings = np.c_[np.cos(angle), np.sin(angle)] * radius[:, None] + rng.normal(0, 0.1, (400, 2))
    >>> np.bincount(ModeClustering(2).fit(rings).labels_).tolist()
    [200, 200]
    """

    n_clusters: int | None = parameter(Whole(1) | Nothing(), default=None)
    n_neighbors: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    min_depth: float | None = parameter(Number(0.0) | Nothing(), default=None)
    background: bool = parameter(Flag(), default=False)
    metric: str = parameter(
        Choice(among=lambda: [distance.name for distance in distances()]), default="euclidean"
    )
    n_jobs: int | None = parameter(Whole() | Nothing(), default=None)

    mode_indices_: Indices = fitted(Tensor("clusters", kind="i8", low=0, below="rows"))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"), "Cluster of each row.")
    depths_: FloatArray = fitted(Tensor("rows-1", kind="f8", low=0))
    dimension_: float = fitted(Number(0, open_below=True))
    _rows: FloatArray = fitted(Tensor("rows", "columns"))

    row_attributes = ("labels_", "_rows")

    def with_rows_at(self, places: Indices) -> Self:
        """Return the estimator as if the row that was fitted at each place stood at another.

        Parameters
        ----------
        places : array of shape (n_samples,)
            Where each row of `fit` stands.
        """
        moved = super().with_rows_at(places)
        moved.mode_indices_ = places[self.mode_indices_]
        return moved

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster of the nearest row of the fit."""
        scikit_learn.check_is_fitted(self)
        rows: CheckedRows = check_data(X, estimator=self, reset=False)
        found = nearest(rows, self._rows, self._metric_of_fit(self._rows), n_jobs=self.n_jobs)
        return np.asarray(self.labels_[found.index])

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        rows: CheckedRows = X
        n_rows = rows.shape[0]
        if self.n_clusters is not None and self.n_clusters > n_rows:
            raise InvalidParameter(
                f"n_clusters of ModeClustering must be at most n_samples={n_rows}, got {self.n_clusters}."
            )
        if n_rows == 1:
            return self._found(rows, np.zeros(1, np.int32), np.zeros(1), np.zeros(0), float(rows.shape[1]))
        n_neighbors = min(self.n_neighbors, n_rows - 1)
        among = RowDistances(rows, self.metric, n_jobs=self.n_jobs)
        tree = grow_mode_tree(among, np.asarray(among.k_nearest(n_neighbors).distance), n_neighbors)
        k = self.n_clusters if self.n_clusters is not None else self._count(tree, rows)
        labels = tree.cut(k, background=self.background)
        return self._found(rows, labels, tree.log_density, tree.depths, tree.dimension)

    def _count(self, tree: ModeTree, X: Data) -> int:
        least = self.min_depth
        if least is None:
            least = float(null_depth(len(X), tree.n_neighbors, tree.dimension, extent_of(X)))
        return int((tree.depths > least).sum()) + 1 + int(self.background)

    def _found(
        self, X: Data, labels: Labels, density: FloatArray, depths: FloatArray, dimension: float
    ) -> FittedAttributes:
        # clusters in the order of their first rows: labels do not depend on the tree's own numbers
        _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        labels = order[labels].astype(np.int32)
        by_height = np.lexsort((np.arange(len(labels)), -density, labels))
        starts = np.searchsorted(labels[by_height], np.arange(len(first)))
        return {
            "labels_": labels,
            "mode_indices_": by_height[starts],
            "depths_": np.sort(depths)[::-1],
            "dimension_": dimension,
            "_rows": X,
        }


def extent_of(X: FloatArray) -> float:
    """Return in how many directions rows extend: (sum v)^2 / sum v^2 of the variances v of their axes.

    Examples
    --------
    >>> extent_of(np.array([[1.0, 0.0, 5.0], [-1.0, 0.0, 5.0], [0.0, 1.0, 5.0], [0.0, -1.0, 5.0]]))
    2.0
    """
    scaled = np.ldexp(X, -np.frexp(np.abs(X).max())[1])  # the ratio knows no unit: no square leaves the range
    matrix = np.atleast_2d(np.cov(scaled.T))
    squares = float((matrix**2).sum())
    return float(np.trace(matrix)) ** 2 / squares if squares > 0 else 1.0
