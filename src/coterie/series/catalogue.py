"""The distances between time series, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Indices, Settings, ValuesByName
from coterie._support.validation import (
    Constraint,
    Nothing,
    Number,
    Whole,
    unknown_name,
)
from coterie._support.validation.parameters import is_whole
from coterie.distance import Parameter
from coterie.distance.catalogue import check_settings

ANYWHERE = -1  # the engine's word for no window
BEYOND_ALL = 2**31  # no series has as many points: a window or skip of that many is not a limit


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
    kind: _core.Elastic | None
    parameters: tuple[Parameter, ...]
    is_metric: bool = False
    values: Mapping[str, object] | None = None

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


_GAMMA = Number(1e-100, 1e100)  # its inverse and its sums must be numbers
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
    check_settings(distance.name, distance.parameters, params)
    return replace(distance, values={**(distance.values or {}), **params})
