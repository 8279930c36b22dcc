"""Nearest rows, k nearest rows, and rows within a radius."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, MatrixLike, MetricLike, Settings, ValuesByName
from coterie._support.validation import Choice, Flag, Nothing, Number, Whole, check_parameter
from coterie._support.validation.schema import Sometimes, Tensor, Text, check_starts
from coterie.distance.approximate import (
    INNER_PRODUCT,
    SparseSpace,
    dense_space,
    descend,
    exact_is_faster,
    refuse_uncodable,
    sparse_exact_is_faster,
    sparse_unit_rows,
)
from coterie.distance.catalogue import Distance, RowFunction, find_distance
from coterie.distance.engines import (
    ALGORITHMS,
    Algorithm,
    NearRows,
    choose_engine,
    smallest_by_tiles,
    smallest_by_tree,
    within_by_tiles,
    within_by_tree,
)
from coterie.distance.input import input_kind
from coterie.distance.pairwise import distance_matrix, matrix_as_distances
from coterie.distance.rows import RowSets, prepare_rows
from coterie.errors import InvalidParameter


@saved()
class Nearest:
    """The nearest row of Y for each row of X: index and distance, shape (n,); and the engine used."""

    index: Indices = held(Tensor("rows", kind="i8", low=0, may_be_empty=True))
    distance: Distances = held(Tensor("rows", allow="all", may_be_empty=True))
    algorithm_used: str = held(Text())


@saved()
class Neighbours:
    """The k nearest rows, nearest first: indices and distances, shape (n, k); and how they were found.

    Parameters
    ----------
    index, distance : arrays of shape (n, k)
        Rows and how far they are.
    algorithm_used : str
        The engine: "tiles", "kd_tree", "matrix", "function", "sparse", or "descent", which is approximate.
    recall : float, default=1.0
        Share of the true neighbours among them: 1 of exact engines, else measured on a sample of rows.
    """

    index: Indices = held(Tensor("rows", "neighbours", kind="i8", low=0, may_be_empty=True))
    distance: Distances = held(Tensor("rows", "neighbours", allow="all", may_be_empty=True))
    algorithm_used: str = held(Text())
    recall: float = held(Sometimes(Number(0.0, 1.0)), default=1.0)


@saved()
class Neighbourhoods:
    """The rows within a radius: row i has ``index[starts[i]:starts[i + 1]]``, in rising order."""

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_starts(state["starts"], sizes["pairs"], who=cls.__name__, name="starts")

    starts: Indices = held(Tensor("rows+1", kind="i8", low=0))
    index: Indices = held(Tensor("pairs", kind="i8", low=0, may_be_empty=True))
    distance: Distances = held(Tensor("pairs", allow="all", may_be_empty=True))
    algorithm_used: str = held(Text())


def nearest(
    X: MatrixLike,
    Y: MatrixLike,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    **params: object,
) -> Nearest:
    """Return for each row of X the nearest row of Y; of several, the one with the lowest index.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows.
    Y : array-like of shape (m, d)
        Rows to choose from.
    metric : str, callable or Distance, default="euclidean"
        As in `pairwise_distances`.
    algorithm : {"auto", "tiles", "kd_tree"}, default="auto"
        The engine; "auto" takes the faster one. All are exact.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> nearest([[0, 0], [9, 9]], [[1, 0], [8, 9], [0, 1]]).index
    array([0, 1])
    """
    found = _find_nearest(_Query(X, Y, metric, params, algorithm, n_jobs, "nearest"), 1, False)
    return Nearest(found.index[:, 0], found.distance[:, 0], found.algorithm_used)


def k_nearest(
    X: MatrixLike,
    Y: MatrixLike | None = None,
    n_neighbors: int = 5,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    exclude_self: bool | None = None,
    algorithm: Algorithm = "auto",
    recall: float | None = None,
    n_jobs: int | None = None,
    **params: Any,
) -> Neighbours:
    """Return for each row of X the k nearest rows of Y, or of X itself; equally near ones by index.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows.
    Y : array-like of shape (m, d), default=None
        Rows to choose from; None: those of X.
    n_neighbors : int, default=5
        How many.
    metric : str, callable or Distance, default="euclidean"
        As in `pairwise_distances`; "precomputed" takes the distances among the rows as X, and "inner_product"
        finds the largest products: their distance is minus the product.
    exclude_self : bool, default=None
        Whether a row is left out of its own neighbours. None: yes. Only without Y.
    algorithm : {"auto", "tiles", "kd_tree"}, default="auto"
        The engine; "auto" takes the faster one. All are exact.
    recall : float in (0, 1], default=None
        Share of the true neighbours that is enough: with many rows of many columns, 0.95 takes a fraction of
        the time. The result says how many of them were found (`recall`), measured on a sample of rows, and
        whether all pairs were compared after all, because that is faster (`algorithm_used`). For the rows of
        X among themselves, with "cosine", the Euclidean distances, "hamming" and "inner_product"; sparse rows
        with "cosine". None: exact.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> k_nearest([[0.0], [1.0], [3.0]], n_neighbors=1).index.ravel()
    array([1, 0, 1])
    """
    who = "k_nearest"
    skip = _resolve_exclude_self(exclude_self, Y, who)
    query = _Query(X, Y, _with_products(metric), params, algorithm, n_jobs, who)
    return _answer(query, n_neighbors, skip, recall)


def nearest_of_each(
    X: MatrixLike,
    n_neighbors: int,
    metric: str | RowFunction | Distance,
    *,
    recall: float | None,
    n_jobs: int | None,
    params: ValuesByName,
    who: str,
) -> Neighbours:
    """Return for each row of X its nearest others, as `k_nearest` does; errors name the caller `who`."""
    query = _Query(X, None, _with_products(metric), params, "auto", n_jobs, who)
    return _answer(query, n_neighbors, True, recall)


def _answer(query: _Query, n_neighbors: int, skip: bool, recall: float | None) -> Neighbours:
    check_parameter(recall, Nothing() | Number(0.0, 1.0, open_below=True), name="recall", who=query.who)
    if recall is None or (recall == 1.0 and not issparse(query.X)):
        return _find_nearest(query, n_neighbors, skip)
    _refuse_exact_options(query, skip)
    return _find_approximately(query, n_neighbors, float(recall))


def neighbours_within(
    X: MatrixLike,
    Y: MatrixLike | None = None,
    radius: float = 1.0,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    exclude_self: bool | None = None,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    **params: object,
) -> Neighbourhoods:
    """Return for each row of X the rows of Y, or of X itself, that are at most `radius` away.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows.
    Y : array-like of shape (m, d), default=None
        Rows to choose from; None: those of X.
    radius : float, default=1.0
        Greatest distance, inclusive.
    metric : str, callable or Distance, default="euclidean"
        As in `pairwise_distances`; "precomputed" takes the distances among the rows as X.
    exclude_self : bool, default=None
        Whether a row is left out of its own neighbours. None: yes. Only without Y.
    algorithm : {"auto", "tiles", "kd_tree"}, default="auto"
        The engine; "auto" takes the faster one. All are exact.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> found = neighbours_within([[0.0], [1.0], [3.0]], radius=2)
    >>> found.starts, found.index
    (array([0, 1, 3, 4]), array([1, 0, 2, 1]))
    """
    who = "neighbours_within"
    check_parameter(radius, Number(0.0), name="radius", who=who)
    skip = _resolve_exclude_self(exclude_self, Y, who)
    found, used = _find_within(_Query(X, Y, metric, params, algorithm, n_jobs, who), float(radius))
    assert found.starts is not None
    if skip:
        found = _without_self(found)
    return Neighbourhoods(np.asarray(found.starts), found.index, found.distance, used)


class _Query(NamedTuple):
    """What the three questions have in common."""

    X: MatrixLike
    Y: MatrixLike | None
    metric: MetricLike
    params: ValuesByName
    algorithm: Algorithm
    n_jobs: int | None
    who: str

    def matrix(self) -> Distances | None:
        """Return the matrix if X is one."""
        if input_kind(self.metric) == "data":
            return None
        threads = resolve_threads(self.n_jobs)
        return matrix_as_distances(self.X, self.Y, self.metric, self.params, who=self.who, threads=threads)

    def rows(self) -> RowSets:
        """Return the rows as the engines take them."""
        threads = resolve_threads(self.n_jobs)
        return prepare_rows(self.X, self.Y, self.metric, self.params, who=self.who, threads=threads)


def _find_nearest(query: _Query, k: int, skip: bool) -> Neighbours:
    D = query.matrix()
    if D is not None:
        return smallest_of_matrix(D, _check_k(k, D.shape[1], skip, query.who), skip)
    rows = query.rows()
    return _nearest_of(rows, query, _check_k(k, len(rows.others), skip, query.who), skip)


def _nearest_of(rows: RowSets, query: _Query, k: int, skip: bool) -> Neighbours:
    if rows.distance.function is not None:
        return smallest_of_matrix(distance_matrix(rows), k, skip, "function")
    used = choose_engine(rows, query.algorithm, who=query.who)
    find = smallest_by_tree if used == "kd_tree" else smallest_by_tiles
    found = find(rows, k, skip, resolve_threads(query.n_jobs))
    return Neighbours(found.index, found.distance, used)


def _find_approximately(query: _Query, k: int, recall: float) -> Neighbours:
    distance = find_distance(query.metric, **query.params)
    refuse_uncodable(distance, query.who)
    threads = resolve_threads(query.n_jobs)
    if issparse(query.X):
        return _among_sparse(query, k, recall, distance, threads)
    rows = query.rows()
    k = _check_k(k, len(rows.X), True, query.who)
    return near_of_rows(rows, k, recall, threads, who=query.who)


def near_of_rows(rows: RowSets, k: int, recall: float, threads: int, *, who: str) -> Neighbours:
    """Return the approximate neighbours of prepared rows; exact ones where these take less time."""
    refuse_uncodable(rows.distance, who)
    space = None if exact_is_faster(len(rows.X), k, rows.distance, rows.X.shape[1]) else dense_space(rows)
    if space is None:
        used = choose_engine(rows, "auto", who=who)
        find = smallest_by_tree if used == "kd_tree" else smallest_by_tiles
        exact = find(rows, k, True, threads)
        return Neighbours(exact.index, exact.distance, used)
    found, _ = descend(space, k, recall, threads, who=who)
    return Neighbours(found.index, found.distance, "descent", found.recall)


def _among_sparse(query: _Query, k: int, recall: float, distance: Distance, threads: int) -> Neighbours:
    rows = sparse_unit_rows(query.X, distance, who=query.who)
    n = rows.shape[0]
    k = _check_k(k, n, True, query.who)
    space = SparseSpace(rows)
    if recall == 1.0 or sparse_exact_is_faster(n, k):
        return Neighbours(*space.exact(np.arange(n), k, threads), "sparse")
    found, _ = descend(space, k, recall, threads, who=query.who)
    return Neighbours(found.index, found.distance, "descent", found.recall)


def _find_within(query: _Query, radius: float) -> tuple[NearRows, str]:
    D = query.matrix()
    if D is not None:
        return _within_of(D, radius), "matrix"
    rows = query.rows()
    if rows.distance.function is not None:
        return _within_of(distance_matrix(rows), radius), "function"
    used = choose_engine(rows, query.algorithm, who=query.who)
    find = within_by_tree if used == "kd_tree" else within_by_tiles
    return find(rows, radius, resolve_threads(query.n_jobs)), used


def _resolve_exclude_self(exclude_self: bool | None, Y: MatrixLike, who: str) -> bool:
    check_parameter(exclude_self, Nothing() | Flag(), name="exclude_self", who=who)
    if exclude_self and Y is not None:
        raise InvalidParameter(
            f"exclude_self=True of {who} is for the rows of X among themselves: leave Y out."
        )
    return Y is None if exclude_self is None else bool(exclude_self)


def _with_products(metric: MetricLike) -> MetricLike:
    return INNER_PRODUCT if isinstance(metric, str) and metric == INNER_PRODUCT.name else metric


def _refuse_exact_options(query: _Query, skip: bool) -> None:
    """Refuse what approximate neighbours do not have."""
    if query.Y is not None:
        raise InvalidParameter(
            f"recall of {query.who} is for the rows of X among themselves: leave Y out, or query a "
            f"coterie.distance.NeighbourIndex of the rows of Y."
        )
    if input_kind(query.metric) != "data":
        raise InvalidParameter(f"recall of {query.who} must be None for a matrix, which is searched exactly.")
    check_parameter(query.algorithm, Choice(*ALGORITHMS), name="algorithm", who=query.who)
    if query.algorithm != "auto" or not skip:
        option = "exclude_self=False" if not skip else f'algorithm="{query.algorithm}"'
        raise InvalidParameter(f"{option} of {query.who} is for exact neighbours: leave recall out.")


def _check_k(k: int, n_rows: int, skip: bool, who: str) -> int:
    check_parameter(k, Whole(1), name="n_neighbors", who=who)
    most = n_rows - 1 if skip else n_rows
    if k > most:
        rows = f"{n_rows} rows to choose from" + (", the row itself left out" if skip else "")
        raise InvalidParameter(f"n_neighbors of {who} must be at most {most} ({rows}), got {k}.")
    return int(k)


def smallest_of_matrix(D: Distances, k: int, skip: bool, used: str = "matrix") -> Neighbours:
    """Return the k smallest entries of each row of a matrix, equal ones by index, without the row itself.

    Examples
    --------
    >>> D = np.array([[0.0, 2.0, 2.0], [2.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> smallest_of_matrix(D, 1, True).index.ravel().tolist()
    [1, 2, 1]
    """
    index, distance = _core.smallest_of_matrix(np.ascontiguousarray(D), k, skip)
    return Neighbours(index, distance, used)


def _within_of(D: Distances, radius: float) -> NearRows:
    row, index = np.nonzero(radius >= D)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(D)))])
    return NearRows(index, D[row, index], starts)


def _without_self(found: NearRows) -> NearRows:
    assert found.starts is not None
    n = len(found.starts) - 1
    row = np.repeat(np.arange(n), np.diff(found.starts))
    is_other = found.index != row
    counts = np.bincount(row[is_other], minlength=n)
    return NearRows(found.index[is_other], found.distance[is_other], np.concatenate([[0], np.cumsum(counts)]))
