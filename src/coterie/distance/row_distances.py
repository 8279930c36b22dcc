"""Rows whose distances are asked for several times: checked once, a matrix where that saves time."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, MatrixLike, MetricLike, VectorLike
from coterie.distance.engines import choose_engine, smallest_by_tiles, tree_form
from coterie.distance.neighbours import Neighbours, smallest_of_matrix
from coterie.distance.pairwise import distance_matrix
from coterie.distance.rows import prepare_rows
from coterie.distance.spanning import (
    SpanningTree,
    tree_of_matrix,
    tree_of_neighbours,
    tree_of_rows,
)

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
        is_tree = (
            self._rows.distance.function is None
            and choose_engine(self._rows, "auto", who="coterie") == "kd_tree"
        )
        self._form = tree_form(self._rows.distance) if is_tree else None
        self._near: tuple[Indices, Distances] | None = None  # in the tree's own distance
        self._found: Neighbours | None = None  # the most that were asked for

    @property
    def n_columns(self) -> int:
        """Columns of the rows."""
        return int(self._rows.X.shape[1])

    @cached_property
    def matrix(self) -> Distances | None:
        """The distances of all pairs; None where a kd-tree is faster, or rows are many."""
        if self._form is not None or len(self._rows.X) > MOST_ROWS_OF_A_MATRIX:
            return None
        return distance_matrix(self._rows, threads=self._threads)

    @cached_property
    def _tree(self) -> Any:
        assert self._form is not None
        return _core.KDTree(self._rows.X, self._form.metric, self._rows.distance.p, n_threads=self._threads)

    def k_nearest(self, n_neighbors: int) -> Neighbours:
        """Return the nearest other rows of each row, equally near ones by index."""
        if self._found is None or self._found.index.shape[1] < n_neighbors:
            self._found = self._find_nearest(n_neighbors)
        found = self._found
        if found.index.shape[1] == n_neighbors:
            return found
        index, distance = found.index[:, :n_neighbors].copy(), found.distance[:, :n_neighbors].copy()
        return replace(found, index=index, distance=distance)

    def _find_nearest(self, n_neighbors: int) -> Neighbours:
        if self.matrix is not None:
            return smallest_of_matrix(self.matrix, n_neighbors, True)
        if self._form is None:
            found = smallest_by_tiles(self._rows, n_neighbors, True, self._threads)
            return Neighbours(found.index, found.distance, "tiles")
        self._near = self._tree.query_self(n_neighbors, include_self=False, n_threads=self._threads)
        return Neighbours(self._near[0], self._near[1] * self._factor, "kd_tree")

    def spanning_tree(self, core_distances: VectorLike | None = None) -> SpanningTree:
        """Return the minimum spanning tree, of mutual reachability where core distances are given.

        Neighbours that were asked for before save most of the search.
        """
        return self._shortest if core_distances is None else self._spanning_tree(core_distances)

    @cached_property
    def _shortest(self) -> SpanningTree:
        return self._spanning_tree(None)

    def _spanning_tree(self, core_distances: VectorLike | None) -> SpanningTree:
        if self.matrix is not None:
            return tree_of_matrix(self.matrix, core_distances)
        if self._near is None or self._factor != 1:
            return tree_of_rows(self._rows, core_distances, threads=self._threads)
        return tree_of_neighbours(self._tree, *self._near, core_distances, self._threads)

    @property
    def _factor(self) -> Any:
        assert self._form is not None
        return self._rows.X.dtype.type(self._form.factor)
