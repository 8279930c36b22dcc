"""An index of rows: their approximate neighbours, and those of rows that come later."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, Data, MatrixLike, MetricLike, Settings, ValuesByName
from coterie._support.validation import Nothing, Number, Whole, check_data, check_parameter
from coterie._support.validation.schema import DictOf, Instance, Plain, Tensor, Text, wrong
from coterie.distance.approximate import (
    INNER_PRODUCT,
    SAMPLE,
    SEED,
    choose_coding,
    dense_space,
    descend,
    distances_along,
    exact_is_faster,
    measure_recall,
    refuse_uncodable,
)
from coterie.distance.catalogue import Distance, find_distance
from coterie.distance.neighbours import Neighbours, k_nearest
from coterie.distance.rows import RowSets, prepare_rows
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput

_WHO = "NeighbourIndex"
DOORS = 128  # rows that every search begins at, beside one of each part of the graph
MOST_PARTS = 4096  # of a graph that falls apart: with more of them, all rows are compared
SHORTEST_SEARCH = 32  # near rows that a search keeps; longer while its recall is below the wanted one
LONGEST_SEARCH = 512
DEGREE = 2  # edges of the graph, as a multiple of n_neighbors


@saved(eq=False)
class NeighbourIndex:
    """Rows in which neighbours of new rows are found without comparing them with all.

    Made by `NeighbourIndex.fit`; `coterie.save` writes it to a file.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows.
    recall : float
        Share of the true neighbours that a query looks for.
    graph : array of shape (n, degree)
        Edges between near rows, along which queries search, -1 where a row has fewer; degree 0: queries
        compare all pairs.

    Examples
    --------
    >>> index = NeighbourIndex.fit([[0.0], [1.0], [3.0]], n_neighbors=1)
    >>> index.query([[2.2]]).index
    array([[2]])
    """

    X: Data = held(Tensor("rows", "columns"))
    metric: str = held(Text(), "Name of the distance.")
    params: ValuesByName = held(DictOf(Text(), Plain()), "Its parameters, given and learned.")
    neighbours: Neighbours = held(Instance(Neighbours), "The neighbours of each of these rows.")
    recall: float = held(Number(0.0, 1.0, open_below=True))
    graph: AnyArray = held(Tensor("rows", "edges", kind="i4", low=-1, below="rows", may_be_empty=True))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        near = state["neighbours"].index
        if near.shape[0] != sizes["rows"] or near.shape[1] < 1 or near.max() >= sizes["rows"]:
            raise wrong("neighbours", cls.__name__, f"be those of its {sizes['rows']:,} rows", near.shape)

    @classmethod
    def fit(
        cls,
        X: MatrixLike,
        n_neighbors: int = 16,
        metric: str | Distance = "euclidean",
        *,
        recall: float = 0.95,
        n_jobs: int | None = None,
        **params: object,
    ) -> NeighbourIndex:
        """Return an index of the rows of X.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        n_neighbors : int, default=16
            How many neighbours of each row, itself not counted.
        metric : str or Distance, default="euclidean"
            As in `k_nearest` with `recall`.
        recall : float in (0, 1], default=0.95
            Share of the true neighbours that is enough, among the rows and of queries.
        n_jobs : int, default=None
            Threads; the answer does not depend on it.
        **params
            Parameters of the distance.
        """
        check_parameter(recall, Number(0.0, 1.0, open_below=True), name="recall", who=_WHO)
        if issparse(X):
            raise UnsupportedInput(f"X of {_WHO} must be dense, got a sparse matrix. Pass X.toarray().")
        distance = _find(metric, params)
        refuse_uncodable(distance, _WHO)
        rows = prepare_rows(X, None, distance, {}, who=_WHO)
        n = len(rows.X)
        given = np.ascontiguousarray(check_data(X, who=_WHO))
        check_parameter(n_neighbors, Whole(1), name="n_neighbors", who=_WHO)
        is_exact = recall == 1.0 or exact_is_faster(n, n_neighbors, rows.distance, rows.X.shape[1])
        space = None if is_exact else dense_space(rows)
        if space is None:
            near = k_nearest(given, None, n_neighbors, rows.distance, n_jobs=n_jobs)
            graph = np.empty((n, 0), dtype=np.int32)
            return cls(given, rows.distance.name, rows.distance.told, near, float(recall), graph)
        threads = resolve_threads(n_jobs)
        found, descent = descend(space, n_neighbors, recall, threads, who=_WHO)
        near = Neighbours(found.index, found.distance, "descent", found.recall)
        graph = descent.lists.graph(DEGREE * n_neighbors, threads)
        return cls(given, rows.distance.name, rows.distance.told, near, float(recall), graph)

    def query(
        self, X: MatrixLike, n_neighbors: int | None = None, *, n_jobs: int | None = None
    ) -> Neighbours:
        """Return for each row of X the nearest rows of the index; equally near ones by index.

        Parameters
        ----------
        X : array-like of shape (m, d)
            New rows.
        n_neighbors : int, default=None
            How many; None: as many as in `fit`.
        n_jobs : int, default=None
            Threads; the answer does not depend on it.
        """
        who = f"query of {_WHO}"
        check_parameter(n_neighbors, Nothing() | Whole(1), name="n_neighbors", who=who)
        k = self.neighbours.index.shape[1] if n_neighbors is None else int(n_neighbors)
        if k > len(self.X):
            raise InvalidParameter(f"n_neighbors of {who} must be at most {len(self.X)}, its rows, got {k}.")
        given = np.ascontiguousarray(check_data(X, who=who), dtype=self.X.dtype)
        if given.shape[1] != self.X.shape[1]:
            raise InvalidData(f"X of {who} must have {self.X.shape[1]} columns, got {given.shape[1]}.")
        threads = resolve_threads(n_jobs)
        if self.graph.shape[1] == 0 or 2 * k > LONGEST_SEARCH or len(self._parts) > MOST_PARTS:
            return k_nearest(given, self.X, k, self.distance, n_jobs=threads)
        return self._search(self.distance.prepare(given), k, threads)

    def _search(self, queries: Data, k: int, threads: int) -> Neighbours:
        rows = self._rows
        coding = choose_coding(rows.X, self.distance)
        assert coding is not None
        codes = coding.encode(queries, threads)
        at = np.unique(np.linspace(0, len(queries) - 1, SAMPLE).astype(np.intp))
        nearest = _core.smallest(queries[at], rows.X, self.distance.metric, k, False, threads)[0]
        exact = np.sort(distances_along(queries[at], rows.X, nearest, self.distance, threads), axis=1)
        size = max(SHORTEST_SEARCH, 2 * k)
        while True:
            near = self._coded.search(codes, self.graph, self._doors, size, threads)
            distance = distances_along(queries, rows.X, near, self.distance, threads)
            index, value = _core.keep_nearest(near, distance, k, threads)
            recall = measure_recall(value[at], exact)
            if recall >= self.recall or 2 * size > LONGEST_SEARCH:
                break
            size *= 2
        is_short = np.flatnonzero((index < 0).any(axis=1))
        if len(is_short):
            found = _core.smallest(queries[is_short], rows.X, self.distance.metric, k, False, threads)
            index[is_short], value[is_short] = found
        return Neighbours(index.astype(np.intp, copy=False), value, "descent", recall)

    @cached_property
    def distance(self) -> Distance:
        """How far rows are from each other."""
        return _find(self.metric, self.params).fit(self.X)

    @cached_property
    def _rows(self) -> RowSets:
        return RowSets(self.distance.prepare(self.X), None, self.distance)

    @cached_property
    def _coded(self) -> _core.CodedRows:
        coding = choose_coding(self._rows.X, self.distance)
        assert coding is not None
        return coding.encode(self._rows.X, 0)

    @cached_property
    def _parts(self) -> AnyArray:
        """The first row of each part that no edge leads into: from these a search gets anywhere."""
        n = len(self.graph)
        is_edge = self.graph >= 0
        counts = is_edge.sum(axis=1)
        heads = self.graph[is_edge]
        starts = np.concatenate([[0], np.cumsum(counts)])
        edges = csr_array((np.ones(starts[-1], dtype=np.int8), heads, starts), shape=(n, n))
        part = connected_components(edges, connection="strong")[1]
        first = np.unique(part, return_index=True)[1]
        tails = np.repeat(part, counts)
        is_entered = np.zeros(len(first), dtype=bool)
        is_entered[part[heads][part[heads] != tails]] = True
        return np.asarray(first[~is_entered])

    @cached_property
    def _doors(self) -> AnyArray:
        draw = np.random.default_rng(SEED)
        drawn = draw.choice(len(self.X), min(DOORS, len(self.X)), replace=False)
        return np.unique(np.concatenate([drawn, self._parts])).astype(np.int32)


def _find(metric: MetricLike, params: Settings) -> Distance:
    is_product = isinstance(metric, str) and metric == INNER_PRODUCT.name
    return find_distance(INNER_PRODUCT if is_product else metric, **params)
