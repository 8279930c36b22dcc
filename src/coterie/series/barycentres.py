"""Barycentres: the series with the least sum of squared distances to some others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import MatrixLike, VectorLike, Weights
from coterie._support.validation import (
    Nothing,
    Number,
    Whole,
    check_parameter,
    check_sample_weight,
    require_memory,
)
from coterie.errors import InvalidData
from coterie.series.catalogue import find_series_distance, radius_of
from coterie.series.collection import Points, SeriesCollection, read_series
from coterie.series.distances import matrix_of
from coterie.series.scaling import resample


@dataclass(frozen=True, eq=False)
class Barycentre:
    """The middle of some series.

    Parameters
    ----------
    values : array of shape (n_points, n_columns)
        The middle itself.
    cost : float
        Weighted sum of squared DTW distances, or of soft-DTW, to the series.
    n_iter : int
        Iterations.
    """

    values: Points
    cost: float
    n_iter: int


def dtw_barycentre(
    X: MatrixLike,
    *,
    init: npt.ArrayLike | None = None,
    weights: VectorLike | None = None,
    window: int | None = None,
    max_iter: int = 100,
    tol: float = 1e-5,
    n_jobs: int | None = None,
) -> Barycentre:
    """Return the middle of series by DTW barycentre averaging (DBA).

    Every point moves to the mean of the points that best paths match with it, again and again; no step raises
    the cost.

    Parameters
    ----------
    X : series
        As `read_series` takes them.
    init : array-like of shape (n_points,) or (n_points, n_columns), default=None
        Where to begin, and how long the middle is; None: the series with the least sum of squared distances
        to the others.
    weights : array-like of shape (n_series,), default=None
        Weight of each series.
    window : int, default=None
        As in `dtw`.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-5
        Stop when the cost falls by at most this share.
    n_jobs : int, default=None
        Threads; None: as OpenMP is told.

    Examples
    --------
    >>> dtw_barycentre([[0, 2, 0], [0, 0, 2, 0], [0, 2, 2, 0]]).values.ravel().tolist()
    [0.0, 2.0, 0.0]
    """
    series = read_series(X, who="dtw_barycentre")
    check_parameter(window, Nothing() | Whole(0), name="window", who="dtw_barycentre")
    heavy, threads = _weights(weights, len(series), "dtw_barycentre"), resolve_threads(n_jobs)
    _check_stop(max_iter, tol, "dtw_barycentre")
    radius = radius_of(window)
    start = medoid(series, heavy, window, threads) if init is None else _start(init, series, "dtw_barycentre")
    return average(series, start, heavy, radius, max_iter=int(max_iter), tol=float(tol), threads=threads)


def soft_dtw_barycentre(
    X: MatrixLike,
    *,
    gamma: float = 1.0,
    init: npt.ArrayLike | None = None,
    weights: VectorLike | None = None,
    max_iter: int = 50,
    tol: float = 1e-3,
    n_jobs: int | None = None,
) -> Barycentre:
    """Return the middle of series by soft-DTW, whose derivative L-BFGS follows.

    Parameters
    ----------
    X : series
        As `read_series` takes them.
    gamma : float, default=1.0
        Smoothness, above 0.
    init : array-like of shape (n_points,) or (n_points, n_columns), default=None
        Where to begin, and how long the middle is; None: the mean of the series, resampled to the length of
        the longest.
    weights : array-like of shape (n_series,), default=None
        Weight of each series.
    max_iter : int, default=50
        Most iterations.
    tol : float, default=1e-3
        Of `scipy.optimize.minimize`.
    n_jobs : int, default=None
        Threads; None: as OpenMP is told.

    Examples
    --------
    >>> found = soft_dtw_barycentre([[0.0, 1.0, 0.0], [0.0, 3.0, 0.0]], gamma=0.01)
    >>> found.values.ravel().round(1).tolist()
    [0.0, 2.0, 0.0]
    """
    who = "soft_dtw_barycentre"
    series = read_series(X, who=who)
    heavy, threads = _weights(weights, len(series), who), resolve_threads(n_jobs)
    find_series_distance("soft_dtw", gamma=gamma)  # refuses a gamma that it does not take
    _check_stop(max_iter, tol, who)
    start = soft_start(series, heavy) if init is None else _start(init, series, who)
    return soft_average(
        series, start, heavy, float(gamma), max_iter=int(max_iter), tol=float(tol), threads=threads
    )


def average(
    series: SeriesCollection,
    start: Points,
    weights: Weights,
    radius: int,
    *,
    max_iter: int,
    tol: float,
    threads: int,
) -> Barycentre:
    """Return the barycentre that DBA finds from a start."""
    centre, best, cost = start, start, np.inf
    require_memory(
        4 * len(start) * int(series.lengths.max()) * threads,
        "Paths to a barycentre",
        "Shorten the series first, e.g. by coterie.series.resample.",
    )
    for n_iter in range(1, max_iter + 2):
        sums, totals, now = _core.matched_points(
            centre, series.values, series.starts, weights, radius, threads
        )
        if now < cost:
            best = centre
        if n_iter > max_iter or cost - now <= tol * abs(now):
            return Barycentre(best, min(cost, now), n_iter - 1)
        cost = now
        centre = np.ascontiguousarray(sums / totals[:, None])
    raise AssertionError("the last round returns")


def soft_average(
    series: SeriesCollection,
    start: Points,
    weights: Weights,
    gamma: float,
    *,
    max_iter: int,
    tol: float,
    threads: int,
) -> Barycentre:
    """Return the barycentre that L-BFGS finds from a start."""
    shape = start.shape
    require_memory(
        8 * 16 * (len(start) + 1) * (int(series.lengths.max()) + 1) * threads,
        "The derivative of soft-DTW",
        "Shorten the series first, e.g. by coterie.series.resample.",
    )

    def value_and_gradient(flat: Points) -> tuple[float, Points]:
        value, gradient = _core.soft_dtw_gradient(
            np.ascontiguousarray(flat.reshape(shape)), series.values, series.starts, weights, gamma, threads
        )
        return value, gradient.ravel()

    found = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        tol=tol,
        options={"maxiter": max_iter},
    )
    return Barycentre(np.ascontiguousarray(found.x.reshape(shape)), float(found.fun), int(found.nit))


def soft_start(series: SeriesCollection, weights: Weights) -> Points:
    """Return the mean of the series, each resampled to the length of the longest."""
    block = resample(series, int(series.lengths.max())).to_array()
    return np.ascontiguousarray(np.average(block, axis=0, weights=weights))


def medoid(series: SeriesCollection, weights: Weights, window: int | None, threads: int) -> Points:
    """Return the series with the least weighted sum of squared distances to all; the first of equals."""
    distances = matrix_of(find_series_distance("dtw", window=window), series, None, threads=threads)
    return np.ascontiguousarray(series[int(((distances**2) * weights[None, :]).sum(axis=1).argmin())])


def _weights(weights: VectorLike | None, n_series: int, who: str) -> Weights:
    given = check_sample_weight(weights, n_series, who=who)
    return np.ones(n_series) if given is None else np.ascontiguousarray(given, dtype=np.float64)


def _check_stop(max_iter: object, tol: object, who: str) -> None:
    check_parameter(max_iter, Whole(1), name="max_iter", who=who)
    check_parameter(tol, Number(0), name="tol", who=who)


def _start(init: npt.ArrayLike | None, series: SeriesCollection, who: str) -> Points:
    start = read_series([init], who=who, name="init").values
    if start.shape[1] != series.n_columns:
        raise InvalidData(f"init of {who} must have {series.n_columns} columns, got {start.shape[1]}.")
    return start
