"""Rows whose distances are asked for several times: checked once, a matrix where that saves time."""

from __future__ import annotations

from functools import cached_property

from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, MatrixLike, MetricLike, VectorLike
from coterie.distance.engines import choose_engine, smallest_by_tiles, smallest_by_tree
from coterie.distance.neighbours import Neighbours, smallest_of_matrix
from coterie.distance.pairwise import distance_matrix
from coterie.distance.rows import prepare_rows
from coterie.distance.spanning import SpanningTree, tree_of_matrix, tree_of_rows

MOST_ROWS_OF_A_MATRIX = 6_000  # 288 MB of float64


class RowDistances:
    """Neighbours and spanning trees of the same rows, without comparing all pairs again for each.

    A kd-tree is faster than the matrix where there is one; beyond some thousand rows there is no matrix.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows.
    metric : str or Distance, default="euclidean"
        Their distance.
    n_jobs : int, default=None
        Threads; no answer depends on it.

    Examples
    --------
    >>> near = RowDistances([[0.0], [1.0], [5.0], [3.0]])
    >>> near.k_nearest(1).index.ravel().tolist(), near.spanning_tree().distance.tolist()
    ([1, 0, 3, 1], [1.0, 2.0, 2.0])
    """

    def __init__(self, X: MatrixLike, metric: MetricLike = "euclidean", *, n_jobs: int | None = None) -> None:
        self._threads = resolve_threads(n_jobs)
        self._rows = prepare_rows(X, None, metric, {}, who="coterie")
        self._is_tree = (
            self._rows.distance.function is None
            and choose_engine(self._rows, "auto", who="coterie") == "kd_tree"
        )

    @property
    def n_columns(self) -> int:
        """Columns of the rows."""
        return int(self._rows.X.shape[1])

    @cached_property
    def matrix(self) -> Distances | None:
        """The distances of all pairs; None where a kd-tree is faster, or rows are many."""
        if self._is_tree or len(self._rows.X) > MOST_ROWS_OF_A_MATRIX:
            return None
        return distance_matrix(self._rows, threads=self._threads)

    def k_nearest(self, n_neighbors: int) -> Neighbours:
        """Return the nearest other rows of each row, equally near ones by index."""
        if self.matrix is not None:
            return smallest_of_matrix(self.matrix, n_neighbors, True)
        find = smallest_by_tree if self._is_tree else smallest_by_tiles
        found = find(self._rows, n_neighbors, True, self._threads)
        return Neighbours(found.index, found.distance, "kd_tree" if self._is_tree else "tiles")

    def spanning_tree(self, core_distances: VectorLike | None = None) -> SpanningTree:
        """Return the minimum spanning tree, of mutual reachability where core distances are given."""
        if self.matrix is not None:
            return tree_of_matrix(self.matrix, core_distances)
        return tree_of_rows(self._rows, core_distances, threads=self._threads)
