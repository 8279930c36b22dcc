"""The hills of the density: which rows climb to one peak, and how deep the valleys between peaks are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, Distances, FloatArray, Indices, Labels, VectorLike
from coterie.distance.row_distances import RowDistances

COPIES = 1e3  # rows that occur often have a radius so much smaller than the least distance of two others
# What a tube adds to a line, by how many dimensions its neighbourhoods have more; nothing with many cells.
_TUBE, _TUBE_PER_DIMENSION, _TUBE_FROM, _TUBE_MOST = 0.6, 0.25, 0.4, 4.0
_TUBE_CELLS = (25.0, 100.0)


@dataclass(frozen=True, eq=False)
class ModeTree:
    """A spanning tree of the rows, and at each edge the depth of the valley that it crosses.

    The density of a row is ``1 / r^d``, r the distance to its `n_neighbors`-th neighbour. Rows and edges
    appear from the densest to the sparsest. When an edge joins two hills, the lower one ends there; the
    logarithm of its peak's density over that of the edge is the *persistence* of the edge. In units of its
    standard error, sqrt(2 / n_neighbors), that is the *depth*.
    """

    n_neighbors: int  # neighbours that the density is estimated from
    dimension: float  # of the density; estimated from how distances grow with the number of neighbours
    radii: Distances  # distance of each row to its `n_neighbors`-th neighbour
    edges: Indices  # rows of each edge
    lengths: Distances  # mutual reachability of each edge, ascending
    depths: FloatArray  # depth of the valley at each edge, in standard errors

    @property
    def log_density(self) -> FloatArray:
        """Logarithm of the density of each row, up to a constant."""
        return np.asarray(-self.dimension * np.log(self.radii))

    @property
    def is_dense(self) -> npt.NDArray[np.bool_]:
        """Whether each row is dense rather than sparse: the two whose log-densities vary least within.

        All are dense where all densities are equal.
        """
        height = self.log_density
        ordered = np.sort(height)
        counts = np.arange(1, len(ordered))
        below, total = np.cumsum(ordered)[:-1], ordered.sum()
        # between two parts of fixed values, the variance within is least where that between is largest
        between = below**2 / counts + (total - below) ** 2 / counts[::-1]
        between[ordered[1:] <= ordered[:-1]] = -np.inf  # equal rows stay together
        if not np.isfinite(between).any():
            return np.ones(len(height), dtype=bool)
        return np.asarray(height >= ordered[int(between.argmax()) + 1])

    @property
    def unit(self) -> float:
        """Standard errors per unit of log-density: of a difference of two, from `n_neighbors` each."""
        return float(np.sqrt(self.n_neighbors / 2.0))

    def cut(self, n_clusters: int, *, background: bool = False) -> Labels:
        """Return the labels after cutting the tree at its n_clusters - 1 deepest valleys.

        With a background, the sparse rows are the last of the clusters, and one valley fewer is cut.
        """
        if background and n_clusters > 1:
            return np.where(self.is_dense, self.cut(n_clusters - 1), n_clusters - 1).astype(np.int32)
        n_rows = len(self.radii)
        keep = np.ones(len(self.edges), dtype=bool)
        keep[np.argsort(-self.depths, kind="stable")[: n_clusters - 1]] = False
        edges = np.ascontiguousarray(self.edges, dtype=np.int64)
        return np.asarray(_core.forest_parts(edges, keep.view(np.uint8), n_rows))


def grow_mode_tree(rows: RowDistances, reach: Distances, n_neighbors: int) -> ModeTree:
    """Return the mode tree of rows.

    Parameters
    ----------
    rows : RowDistances
        The rows.
    reach : array of shape (n, m)
        Distances of each row to its m nearest others, nearest first.
    n_neighbors : int
        At most m.
    """
    radii = positive(reach[:, n_neighbors - 1])
    if not reach[:, n_neighbors - 1].any():  # every row occurs often: the densest there is
        lengths = np.asarray(rows.spanning_tree().distance)
        radii *= lengths[lengths > 0].min(initial=np.inf) / COPIES if lengths.any() else 1.0
    dimension = min(dimension_at(reach, n_neighbors), float(rows.n_columns))
    tree = rows.spanning_tree(radii)
    edges, lengths = np.asarray(tree.edges), np.maximum(np.asarray(tree.distance), radii.min())
    unit = dimension * np.sqrt(n_neighbors / 2.0)
    depths = _persistence(edges, -np.log(lengths), -np.log(radii)) * unit
    return ModeTree(n_neighbors, dimension, radii, edges, lengths, depths)


def dimension_at(reach: Distances, n_neighbors: int) -> float:
    """Return the dimension of the data at the scale of so many neighbours: how fast distances grow with them.

    Twice the neighbours are 2^(1/d) times as far away in d dimensions.

    Examples
    --------
    >>> line = np.arange(1, 9) / 2.0
    >>> round(dimension_at(np.tile(line, (3, 1)), 8), 6)
    1.0
    """
    fewer = max(2, n_neighbors // 2)
    if fewer >= n_neighbors:
        return float("inf")
    near, far = reach[:, fewer - 1], reach[:, n_neighbors - 1]
    told = near > 0
    growth = float(np.mean(np.log(far[told] / near[told]))) if told.any() else 0.0
    return float(np.log(n_neighbors / fewer) / growth) if growth > 0 else float("inf")


def positive(radii: Distances) -> FloatArray:
    """Return the radii in float64; those of zero (rows that occur often) become as small as the smallest."""
    found = np.asarray(radii, dtype=np.float64)
    above = found[found > 0]
    return np.maximum(found, above.min() if above.size else 1.0)


def _persistence(edges: Indices, height: FloatArray, peaks: FloatArray) -> FloatArray:
    """Return at each edge how far the lower of the two hills that it joins rises above it."""
    return np.asarray(
        _core.hill_rises(
            np.ascontiguousarray(edges, dtype=np.int64),
            np.asarray(height, dtype=np.float64),
            np.asarray(peaks, dtype=np.float64),
        )
    )


# Depth that 95 % of samples of one uniform cloud stay below, by the dimension that `dimension_at` reports for
# it and by the number of cells n / n_neighbors: benchmarks/valley_null.py. One Gaussian and one
# t-distribution stay lower.
_CELLS = np.log([4.0, 7.5, 11.0, 18.0, 28.0, 47.0, 78.0, 140.0, 375.0, 2000.0])
_DIMENSIONS = np.array([0.9, 1.75, 2.5, 3.95, 5.9])
_DEPTHS = np.array(
    [
        [1.70, 2.10, 2.46, 2.84, 3.12, 3.56, 3.84, 3.94, 4.49, 5.0],
        [0.90, 1.20, 1.70, 1.96, 2.22, 2.51, 2.63, 2.93, 3.38, 3.8],
        [0.70, 0.90, 1.57, 1.66, 1.78, 1.98, 2.23, 2.53, 3.05, 3.5],
        [0.70, 0.86, 1.19, 1.26, 1.51, 1.66, 1.87, 2.12, 2.51, 3.0],
        [0.60, 0.73, 1.18, 1.34, 1.34, 1.43, 1.62, 2.03, 2.37, 2.8],
    ]
)


def null_depth(
    n_rows: VectorLike, n_neighbors: AnyArray | int, dimension: VectorLike, extent: VectorLike
) -> FloatArray:
    """Return the depth that the deepest valley of a cloud without clusters exceeds in one case of twenty.

    Parameters
    ----------
    n_rows : float or array
        Rows of the cloud, or of several.
    n_neighbors : int or array
        Neighbours that the density is estimated from.
    dimension : float or array
        What `dimension_at` reports for that number of neighbours.
    extent : float or array
        In how many directions the cloud extends: 1 for a tube, however thick a neighbourhood of it is. A path
        along a tube cannot go round a thin spot, so that valleys without meaning are deeper.

    Examples
    --------
    >>> bool(null_depth(500, 10, 2.0, 2.0) < null_depth(500, 10, 2.0, 1.0))
    True
    """
    cells = np.log(np.maximum(np.asarray(n_rows, dtype=np.float64) / n_neighbors, 1.0))
    across = np.clip(np.minimum(dimension, extent), _DIMENSIONS[0], _DIMENSIONS[-1])
    above = np.clip(np.searchsorted(_DIMENSIONS, across), 1, len(_DIMENSIONS) - 1)
    share = (across - _DIMENSIONS[above - 1]) / (_DIMENSIONS[above] - _DIMENSIONS[above - 1])
    by_dimension = np.array([np.interp(cells, _CELLS, row).ravel() for row in _DEPTHS])
    place = np.arange(by_dimension.shape[1]).reshape(cells.shape)
    low, high = by_dimension[above - 1, place], by_dimension[above, place]
    few, many = np.log(_TUBE_CELLS)
    fewness = np.clip((many - cells) / (many - few), 0.0, 1.0)
    more = np.clip(dimension - np.minimum(dimension, extent), 0.0, _TUBE_MOST)
    tube = (_TUBE + _TUBE_PER_DIMENSION * more) * np.minimum(more / _TUBE_FROM, 1.0) * fewness
    return np.asarray(low + share * (high - low) + tube)
