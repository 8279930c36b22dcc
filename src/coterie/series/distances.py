"""Distances of time series that let time stretch: a catalogue, pairs, matrices and nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, Settings, ValuesByName
from coterie._support.validation import (
    Constraint,
    Nothing,
    Number,
    Whole,
    check_parameter,
    require_memory,
    unknown_name,
)
from coterie._support.validation.parameters import is_whole
from coterie.distance import Parameter
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.series.collection import SeriesCollection, read_series
from coterie.series.scaling import derivatives
from coterie.series.shape import shape_distances

ANYWHERE = -1  # the engine's word for no window
BEYOND_ALL = 2**31  # no series has as many points: a window or skip of that many is no limit


def radius_of(window: int | None) -> int:
    """Return how far a path may leave the diagonal, as the engine takes it.

    Examples
    --------
    >>> radius_of(3), radius_of(None) == radius_of(10**30) == ANYWHERE
    (3, True)
    """
    return ANYWHERE if window is None or window >= BEYOND_ALL else int(window)


class Skips(Constraint):
    """A whole number from 0, or two of them."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        if is_whole(value):
            return bool(value >= 0)
        return isinstance(value, list | tuple) and len(value) == 2 and all(map(self.accepts, value))

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "a whole number from 0, or two of them: for the first series and for the second"


@dataclass(frozen=True, eq=False)
class SeriesDistance:
    """A distance of time series: what it is called, means, takes, and how the engine computes it.

    Parameters
    ----------
    name, summary, formula : str
        What it is called; one line of what it means; how it is computed.
    kind : enum of the engine, or None
        None: by Fourier transforms.
    parameters : tuple of Parameter
        What it can be told.
    is_metric : bool
        Whether the triangle inequality holds.
    values : mapping
        What it has been told.

    Examples
    --------
    >>> find_series_distance("msm").is_metric
    True
    """

    name: str
    summary: str
    formula: str
    kind: Any
    parameters: tuple[Parameter, ...]
    is_metric: bool = False
    values: Mapping[str, Any] | None = None

    @property
    def told(self) -> ValuesByName:
        """Its parameters with their values."""
        return {one.name: one.default for one in self.parameters} | dict(self.values or {})

    @property
    def radius(self) -> int:
        """How far a path may leave the diagonal, as the engine takes it."""
        return radius_of(self.told.get("window"))

    @property
    def number(self) -> float:
        """The one number that the engine's rule takes: gap, cost or gamma."""
        told = self.told
        return float(next((told[name] for name in ("gap", "cost", "gamma") if name in told), 1.0))

    @property
    def skips(self) -> Indices:
        """Points that may stay unmatched: begin of the first and second series, then their ends."""
        told = self.told
        given = [told.get(name, 0) for name in ("open_begin", "open_end")]
        pairs = [(one, one) if is_whole(one) else tuple(one) for one in given]
        return np.array([min(one, BEYOND_ALL) for one in (*pairs[0], *pairs[1])], dtype=np.int64)

    @property
    def is_symmetric(self) -> bool:
        """Whether swapping the two series changes nothing."""
        begin_x, begin_y, end_x, end_y = self.skips.tolist()
        return bool(begin_x == begin_y and end_x == end_y)

    def __repr__(self) -> str:
        given = dict(self.values or {})
        return f"SeriesDistance({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in given.items())])})"


_WINDOW = Parameter(
    "window",
    "most steps in time between matched points, beyond the difference of lengths; None: any",
    None,
    Nothing() | Whole(0),
)
_OPEN = (
    Parameter(
        "open_begin", "points at the begin that may stay unmatched, or one number per series", 0, Skips()
    ),
    Parameter("open_end", "the same at the end", 0, Skips()),
)
_GAMMA = Number(1e-100)  # its inverse must be a number
_DISTANCES = (
    SeriesDistance(
        "dtw",
        "Dynamic time warping: the cheapest way to match points in order, each with one or more.",
        "sqrt(min over paths of sum |x_i - y_j|^2)",
        _core.Elastic.dtw,
        (_WINDOW, *_OPEN),
    ),
    SeriesDistance(
        "ddtw",
        "DTW of slopes: levels do not count, rises and falls do.",
        "dtw(x', y')",
        _core.Elastic.dtw,
        (_WINDOW, *_OPEN),
    ),
    SeriesDistance(
        "soft_dtw",
        "DTW with a smooth minimum, which has a derivative; may be negative, and is not 0 for equal series.",
        "softmin over paths of sum |x_i - y_j|^2",
        _core.Elastic.soft_dtw,
        (Parameter("gamma", "smoothness, above 0; towards 0 it is DTW squared", 1.0, _GAMMA),),
    ),
    SeriesDistance(
        "soft_dtw_divergence",
        "Soft-DTW made a divergence: 0 for equal series, never negative.",
        "s(x, y) - (s(x, x) + s(y, y)) / 2",
        _core.Elastic.soft_dtw,
        (Parameter("gamma", "smoothness, above 0", 1.0, _GAMMA),),
    ),
    SeriesDistance(
        "erp",
        "Edit distance with real penalty: points are matched, or left out at their distance to a gap value.",
        "min over edits of sum |x_i - y_j| or |x_i - g|",
        _core.Elastic.erp,
        (Parameter("gap", "the value of a gap", 0.0, Number()), _WINDOW),
        is_metric=True,
    ),
    SeriesDistance(
        "msm",
        "Move, split, merge: points are moved, doubled or joined; a shift of level costs at every point.",
        "min over edits of sum |move| + cost per split or merge",
        _core.Elastic.msm,
        (Parameter("cost", "of a split or merge, at least 0", 1.0, Number(0)), _WINDOW),
        is_metric=True,
    ),
    SeriesDistance(
        "sbd",
        "Shape-based distance: one minus the best correlation over all shifts; 0 to 2.",
        "1 - max over shifts of (x * y) / (|x| |y|)",
        None,
        (),
    ),
)


def series_distances() -> tuple[SeriesDistance, ...]:
    """Return every distance of time series, in the order of the catalogue.

    Examples
    --------
    >>> [distance.name for distance in series_distances()][:2]
    ['dtw', 'ddtw']
    """
    return _DISTANCES


def find_series_distance(metric: str | SeriesDistance = "dtw", /, **params: object) -> SeriesDistance:
    """Return the distance of that name with these parameters, or offer the nearest.

    Parameters
    ----------
    metric : str or SeriesDistance
        A name of the catalogue.
    **params
        Parameters of the distance, such as ``window=10``.

    Examples
    --------
    >>> find_series_distance("dtw", window=10)
    SeriesDistance('dtw', window=10)
    """
    if isinstance(metric, SeriesDistance):
        found = metric
    else:
        by_name = {one.name: one for one in _DISTANCES}
        if not isinstance(metric, str) or metric not in by_name:
            raise unknown_name(
                "distance of time series",
                str(metric),
                list(by_name),
                listed_by="coterie.series.series_distances()",
                in_shell="coterie distances",
            )
        found = by_name[metric]
    return _told(found, params) if params else found


def _told(distance: SeriesDistance, params: Settings) -> SeriesDistance:
    allowed = {one.name: one for one in distance.parameters}
    for name, value in params.items():
        if name not in allowed:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no parameters"
            raise InvalidParameter(
                f"the distance {distance.name} {takes}, got {name}.{did_you_mean(name, allowed)}"
            )
        check_parameter(value, allowed[name].allowed, name=name, who=distance.name)
    return replace(distance, values={**(distance.values or {}), **params})


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


def dtw(x: Any, y: Any, *, window: int | None = None, open_begin: Any = 0, open_end: Any = 0) -> float:
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


def ddtw(x: Any, y: Any, *, window: int | None = None) -> float:
    """Return the DTW distance of the slopes of two series; parameters as in `dtw`.

    Examples
    --------
    >>> ddtw([0, 1, 2, 3], [5, 6, 7, 8])
    0.0
    """
    return _of_two(x, y, "ddtw", window=window)


def soft_dtw(x: Any, y: Any, *, gamma: float = 1.0) -> float:
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


def soft_dtw_divergence(x: Any, y: Any, *, gamma: float = 1.0) -> float:
    """Return soft-DTW less its value for equal series; parameters as in `soft_dtw`.

    Examples
    --------
    >>> soft_dtw_divergence([1.0, 2.0], [1.0, 2.0])
    0.0
    """
    return _of_two(x, y, "soft_dtw_divergence", gamma=gamma)


def erp(x: Any, y: Any, *, gap: float = 0.0, window: int | None = None) -> float:
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


def msm(x: Any, y: Any, *, cost: float = 1.0, window: int | None = None) -> float:
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


def sbd(x: Any, y: Any) -> float:
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
    X: Any, Y: Any = None, *, metric: str | SeriesDistance = "dtw", n_jobs: int | None = None, **params: Any
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
    is_same = Y is None and distance.is_symmetric
    other = X if Y is None else Y
    found: Distances = _core.series_pairs(
        X.values, X.starts, other.values, other.starts, is_same,
        distance.kind, distance.radius, distance.number, distance.skips, threads,
    )  # fmt: skip
    return found


def _own_values(distance: SeriesDistance, X: SeriesCollection, threads: int) -> Distances:
    found: Distances = _core.series_paired(
        X.values, X.starts, X.values, X.starts, distance.kind, distance.radius, distance.number,
        distance.skips, threads,
    )  # fmt: skip
    return found


def nearest(
    queries: Any,
    X: Any,
    *,
    k: int = 1,
    metric: str | SeriesDistance = "dtw",
    n_jobs: int | None = None,
    **params: Any,
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


def _of_two(x: Any, y: Any, metric: str, **params: Any) -> float:
    distance = find_series_distance(metric, **params)
    first, second = _two(x, y, metric)
    return float(matrix_of(distance, first, second, threads=1)[0, 0])


def _two(x: Any, y: Any, who: str) -> tuple[SeriesCollection, SeriesCollection]:
    first, second = read_series([x], who=who, name="x"), read_series([y], who=who, name="y")
    _refuse_columns(first, second, who)
    return first, second


def _refuse_columns(X: SeriesCollection, Y: SeriesCollection, who: str) -> None:
    if X.n_columns != Y.n_columns:
        raise InvalidData(
            f"{who} compares series of the same columns, got {X.n_columns} and {Y.n_columns} numbers per "
            f"point."
        )
