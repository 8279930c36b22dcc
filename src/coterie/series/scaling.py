"""Series made comparable: each on its own scale, or all of one length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coterie._support.typing import MatrixLike
from coterie._support.validation import Choice, Whole, check_parameter
from coterie.errors import InvalidData
from coterie.series.collection import Points, SeriesCollection, collect, read_series

FLAT = 1e-12  # a spread below this share of the largest value is rounding: the series is constant
NORMALISATIONS = ("z", "range", "mean", "none")


def normalise(X: MatrixLike, *, how: str = "z") -> SeriesCollection:
    """Return the series, each column of each on its own scale, so that shapes are compared, not levels.

    Parameters
    ----------
    X : series
        As `read_series` takes them.
    how : {"z", "range", "mean", "none"}, default="z"
        "z": mean 0 and standard deviation 1; "range": from 0 to 1; "mean": mean 0; "none": as they are. A
        constant series becomes 0.

    Examples
    --------
    >>> normalise([[1.0, 2.0, 3.0], [5.0, 5.0]], how="range")[0].ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    check_parameter(how, Choice(*NORMALISATIONS), name="how", who="normalise")
    series = read_series(X, who="normalise")
    if how == "none":
        return series
    if series.has_one_length:
        block = series.values.reshape(*series.shape, series.n_columns)
        moved = _normalised(block.transpose(1, 0, 2), how).transpose(1, 0, 2)
        return replace(series, values=np.ascontiguousarray(moved).reshape(series.values.shape))
    return collect([_normalised(one, how) for one in series], ids=series.ids)


def _normalised(one: Points, how: str) -> Points:
    """Return a series, or series of one length side by side, with points along the first axis."""
    centre = one.min(axis=0) if how == "range" else one.mean(axis=0)
    moved = one - centre
    if how == "mean":
        return np.asarray(moved)
    width = np.ptp(one, axis=0) if how == "range" else np.sqrt((moved**2).mean(axis=0))
    is_flat = width <= FLAT * np.abs(one).max(axis=0)
    return np.asarray(np.where(is_flat, 0.0, moved / np.where(is_flat, 1.0, width)))


def resample(X: MatrixLike, n_points: int) -> SeriesCollection:
    """Return the series with as many points each, by straight lines between their own.

    Parameters
    ----------
    X : series
        As `read_series` takes them.
    n_points : int
        How many points, at least 1.

    Examples
    --------
    >>> resample([[0.0, 1.0], [0.0, 2.0, 4.0, 6.0]], 3).to_array()[:, :, 0].tolist()
    [[0.0, 0.5, 1.0], [0.0, 3.0, 6.0]]
    """
    check_parameter(n_points, Whole(1), name="n_points", who="resample")
    series = read_series(X, who="resample")
    return collect([_resampled(one, int(n_points)) for one in series], ids=series.ids)


def _resampled(one: Points, n_points: int) -> Points:
    if len(one) == n_points:
        return one
    places = np.linspace(0, len(one) - 1, n_points)
    return np.column_stack([np.interp(places, np.arange(len(one)), column) for column in one.T])


def derivatives(series: SeriesCollection, *, who: str) -> SeriesCollection:
    """Return the slopes that derivative DTW compares: the mean of those to the point before and around it."""
    short = np.flatnonzero(series.lengths < 3)
    if len(short):
        raise InvalidData(
            f"{who} needs at least 3 points in every series, series {short[0]} has "
            f"{series.lengths[short[0]]}. Take dtw for shorter ones."
        )
    slopes = [((one[1:-1] - one[:-2]) + (one[2:] - one[:-2]) / 2) / 2 for one in series]
    return collect(slopes, ids=series.ids)
