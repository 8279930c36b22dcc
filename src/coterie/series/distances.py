"""Distances of time series that let time stretch: a catalogue, pairs, matrices and nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, MatrixLike
from coterie._support.validation import (
    Whole,
    check_parameter,
    require_memory,
)
from coterie.errors import InvalidData, InvalidParameter
from coterie.series.catalogue import SeriesDistance, find_series_distance
from coterie.series.collection import SeriesCollection, read_series
from coterie.series.scaling import derivatives
from coterie.series.shape import shape_distances


@dataclass(frozen=True, eq=False)
class WarpingPath:
    """Which points of two series DTW matches.

    Parameters
    ----------
    distance : float
        The DTW distance.
    pairs : array of int of shape (n_pairs, 2)
        Matched points, in order: of the first series, of the second.
    """

    distance: float
    pairs: Indices


@dataclass(frozen=True, eq=False)
class NearestSeries:
    """The nearest series of each query.

    Parameters
    ----------
    distances : array of shape (n_queries, k)
        Nearest first.
    indices : array of int of shape (n_queries, k)
        Which series; of equally near ones the lowest number comes first.
    n_compared : int
        Pairs whose distance was computed, at least in part; all others were ruled out by lower bounds.
    """

    distances: Distances
    indices: Indices
    n_compared: int


def dtw(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    window: int | None = None,
    open_begin: int | float = 0,
    open_end: int | float = 0,
) -> float:
    """Return the dynamic time warping distance of two series.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series; lengths may differ.
    window : int, default=None
        Sakoe-Chiba band: most steps in time between matched points, beyond the difference of the lengths
        (tslearn's `sakoe_chiba_radius`, dtaidistance's `window` - 1). None: any.
    open_begin, open_end : int or pair of int, default=0
        How many points at the begin, or end, may stay unmatched: of either series, or of x and of y.

    Examples
    --------
    >>> dtw([0, 0, 1, 2, 1, 0], [0, 1, 2, 1, 0, 0])
    0.0
    >>> dtw([1, 2, 3], [2, 3, 4, 9], open_begin=1, open_end=(0, 2))
    0.0
    """
    return _of_two(x, y, "dtw", window=window, open_begin=open_begin, open_end=open_end)


def ddtw(x: npt.ArrayLike, y: npt.ArrayLike, *, window: int | None = None) -> float:
    """Return the DTW distance of the slopes of two series; parameters as in `dtw`.

    Examples
    --------
    >>> ddtw([0, 1, 2, 3], [5, 6, 7, 8])
    0.0
    """
    return _of_two(x, y, "ddtw", window=window)


def soft_dtw(x: npt.ArrayLike, y: npt.ArrayLike, *, gamma: float = 1.0) -> float:
    """Return soft-DTW: the smooth minimum over all ways to match two series, of squared differences.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series; lengths may differ.
    gamma : float, default=1.0
        Smoothness, above 0.

    Examples
    --------
    >>> round(soft_dtw([1.0], [3.0], gamma=0.1), 6)
    4.0
    """
    return _of_two(x, y, "soft_dtw", gamma=gamma)


def soft_dtw_divergence(x: npt.ArrayLike, y: npt.ArrayLike, *, gamma: float = 1.0) -> float:
    """Return soft-DTW less its value for equal series; parameters as in `soft_dtw`.

    Examples
    --------
    >>> soft_dtw_divergence([1.0, 2.0], [1.0, 2.0])
    0.0
    """
    return _of_two(x, y, "soft_dtw_divergence", gamma=gamma)


def erp(x: npt.ArrayLike, y: npt.ArrayLike, *, gap: float = 0.0, window: int | None = None) -> float:
    """Return the edit distance with real penalty: points are matched, or left out at |x - gap|.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series; lengths may differ.
    gap : float, default=0.0
        What a left-out point is compared with.
    window : int, default=None
        As in `dtw`.

    Examples
    --------
    >>> erp([1, 2, 3], [1, 3])
    2.0
    """
    return _of_two(x, y, "erp", gap=gap, window=window)


def msm(x: npt.ArrayLike, y: npt.ArrayLike, *, cost: float = 1.0, window: int | None = None) -> float:
    """Return the move-split-merge distance: values are moved, doubled or joined.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series; lengths may differ.
    cost : float, default=1.0
        Of a split or merge.
    window : int, default=None
        As in `dtw`.

    Examples
    --------
    >>> msm([1, 2, 3], [1, 2, 2, 3], cost=0.5)
    0.5
    """
    return _of_two(x, y, "msm", cost=cost, window=window)


def sbd(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return the shape-based distance: one minus the greatest correlation over all shifts.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series; lengths may differ.

    Examples
    --------
    >>> round(sbd([0, 1, 2, 0, 0], [0, 0, 1, 2, 0]), 6)
    0.0
    """
    return _of_two(x, y, "sbd")


def dtw_path(
    x: Any, y: Any, *, window: int | None = None, open_begin: Any = 0, open_end: Any = 0
) -> WarpingPath:
    """Return the DTW distance of two series and which of their points it matches; parameters as in `dtw`.

    Examples
    --------
    >>> dtw_path([1, 2, 3], [1, 2, 2, 3]).pairs.tolist()
    [[0, 0], [1, 1], [1, 2], [2, 3]]
    """
    distance = find_series_distance("dtw", window=window, open_begin=open_begin, open_end=open_end)
    first, second = _two(x, y, "dtw_path")
    require_memory(
        8 * (len(first.values) + 1) * (len(second.values) + 1),
        "The table of a warping path",
        "Shorten the series first, e.g. by coterie.series.resample.",
    )
    found, at_x, at_y = _core.warping_path(first.values, second.values, distance.radius, distance.skips)
    return WarpingPath(float(found), np.column_stack([at_x, at_y]))


def pairwise(
    X: MatrixLike,
    Y: MatrixLike | None = None,
    *,
    metric: str | SeriesDistance = "dtw",
    n_jobs: int | None = None,
    **params: object,
) -> Distances:
    """Return the distances of all pairs of series, for methods that take ``metric="precomputed"``.

    Parameters
    ----------
    X : series
        As `read_series` takes them: a list, an array of two or three dimensions, NaN-padded or not.
    Y : series, default=None
        The columns of the matrix; None: X itself.
    metric : str or SeriesDistance, default="dtw"
        A name of `series_distances`.
    n_jobs : int, default=None
        Threads; None: as OpenMP is told. The answer does not depend on it.
    **params
        Parameters of the distance, such as ``window=10``.

    Returns
    -------
    array of shape (n_series of X, n_series of Y)
        Symmetric, with zeros on the diagonal where a distance has them.

    Examples
    --------
    >>> pairwise([[0, 1, 0], [0, 0, 1, 0], [3, 3]]).round(2).tolist()
    [[0.0, 0.0, 4.69], [0.0, 0.0, 5.57], [4.69, 5.57, 0.0]]
    """
    distance = find_series_distance(metric, **params)
    first = read_series(X, who="pairwise")
    second = first if Y is None else read_series(Y, who="pairwise", name="Y")
    return matrix_of(distance, first, None if Y is None else second, threads=resolve_threads(n_jobs))


def matrix_of(
    distance: SeriesDistance, X: SeriesCollection, Y: SeriesCollection | None, *, threads: int
) -> Distances:
    """Return the distances of all pairs of two collections, or of one."""
    other = X if Y is None else Y
    _refuse_columns(X, other, distance.name)
    require_memory(
        8 * len(X) * len(other),
        f"The matrix of {len(X):,} x {len(other):,} distances",
        "Compare with fewer series, e.g. with coterie.series.nearest.",
    )
    if distance.kind is None:
        return shape_distances(X, other, is_same=Y is None, threads=threads)
    if distance.name == "ddtw":
        X, other = (derivatives(one, who="ddtw") for one in (X, other))
        return _pairs(distance, X, None if Y is None else other, threads)
    found = _pairs(distance, X, Y, threads)
    if distance.name == "soft_dtw_divergence":
        own, others = _own_values(distance, X, threads), _own_values(distance, other, threads)
        found -= 0.5 * (own[:, None] + others[None, :])
        if Y is None:
            np.fill_diagonal(found, 0.0)
        np.maximum(found, 0.0, out=found)  # below 0 by rounding only
    return found


def _pairs(
    distance: SeriesDistance, X: SeriesCollection, Y: SeriesCollection | None, threads: int
) -> Distances:
    assert distance.kind is not None
    is_same = Y is None and distance.is_symmetric
    other = X if Y is None else Y
    found: Distances = _core.series_pairs(
        X.values, X.starts, other.values, other.starts, is_same,
        distance.kind, distance.radius, distance.number, distance.skips, threads,
    )  # fmt: skip
    return found


def _own_values(distance: SeriesDistance, X: SeriesCollection, threads: int) -> Distances:
    assert distance.kind is not None
    found: Distances = _core.series_paired(
        X.values, X.starts, X.values, X.starts, distance.kind, distance.radius, distance.number,
        distance.skips, threads,
    )  # fmt: skip
    return found


def nearest(
    queries: MatrixLike,
    X: MatrixLike,
    *,
    k: int = 1,
    metric: str | SeriesDistance = "dtw",
    n_jobs: int | None = None,
    **params: object,
) -> NearestSeries:
    """Return the k nearest series of each query.

    DTW with closed ends rules out most pairs by lower bounds (LB_Kim, LB_Keogh both ways) and stops the other
    comparisons once they cannot win; the answer is that of comparing all pairs, to the bit.

    Parameters
    ----------
    queries, X : series
        As `read_series` takes them.
    k : int, default=1
        How many, at most as there are series in X.
    metric : str or SeriesDistance, default="dtw"
        A name of `series_distances`.
    n_jobs : int, default=None
        Threads; None: as OpenMP is told.
    **params
        Parameters of the distance, such as ``window=10``.

    Examples
    --------
    >>> found = nearest([[0, 1, 0]], [[3, 3], [0, 0, 1, 0], [0, 2, 0]], k=2)
    >>> found.indices.tolist(), found.distances.tolist()
    ([[1, 2]], [[0.0, 1.0]])
    """
    distance = find_series_distance(metric, **params)
    first = read_series(queries, who="nearest", name="queries")
    second = read_series(X, who="nearest")
    _refuse_columns(first, second, distance.name)
    check_parameter(k, Whole(1), name="k", who="nearest")
    if k > len(second):
        raise InvalidParameter(f"k of nearest must be at most the {len(second)} series of X, got {k}.")
    threads = resolve_threads(n_jobs)
    if distance.kind == _core.Elastic.dtw and not distance.skips.any():
        if distance.name == "ddtw":
            first, second = (derivatives(one, who="ddtw") for one in (first, second))
        apart, which, counts = _core.series_nearest(
            first.values, first.starts, second.values, second.starts, int(k), distance.radius, threads
        )
        return NearestSeries(apart, which, int(counts[3]))
    matrix = matrix_of(distance, first, second, threads=threads)
    which = np.argsort(matrix, axis=1, kind="stable")[:, : int(k)]
    return NearestSeries(np.take_along_axis(matrix, which, axis=1), which, matrix.size)


def _of_two(x: npt.ArrayLike, y: npt.ArrayLike, metric: str, **params: object) -> float:
    distance = find_series_distance(metric, **params)
    first, second = _two(x, y, metric)
    return float(matrix_of(distance, first, second, threads=1)[0, 0])


def _two(x: npt.ArrayLike, y: npt.ArrayLike, who: str) -> tuple[SeriesCollection, SeriesCollection]:
    first, second = read_series([x], who=who, name="x"), read_series([y], who=who, name="y")
    _refuse_columns(first, second, who)
    return first, second


def _refuse_columns(X: SeriesCollection, Y: SeriesCollection, who: str) -> None:
    if X.n_columns != Y.n_columns:
        raise InvalidData(
            f"{who} compares series of the same columns, got {X.n_columns} and {Y.n_columns} numbers per "
            f"point."
        )
