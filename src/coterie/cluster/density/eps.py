"""Which radius suits DBSCAN: the knee of the curve of k-distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.typing import Distances, MatrixLike, MetricLike
from coterie._support.validation import Whole, check_data, check_parameter
from coterie._support.validation.schema import COUNT, Real, Tensor
from coterie.distance import k_nearest
from coterie.errors import InvalidParameter

ROUNDING = 64  # units in the last place by which two ways to compute a distance may differ


@saved()
class EpsSuggestion:
    """A radius for DBSCAN and the curve it was read from.

    Parameters
    ----------
    k_distances : array of shape (n_samples,)
        Distance of each row to its `min_samples`-th neighbour, itself counted, in rising order.
    """

    eps: float = held(Real(0), "The distance at the knee.")
    k_distances: Distances = held(Tensor("rows", low=0, allow="inf", may_be_empty=True))
    knee: int = held(COUNT, "Place of the knee in the curve: so many rows would be core points.")
    min_samples: int = held(COUNT, "What was asked for.")

    @property
    def radius(self) -> float:
        """The distance at the knee and a little more: rounding must not leave out the rows that have it."""
        return self.eps * (1 + ROUNDING * float(np.finfo(self.k_distances.dtype).eps))


def suggest_eps(
    X: MatrixLike,
    min_samples: int = 5,
    *,
    metric: MetricLike = "euclidean",
    n_jobs: int | None = None,
    **params: Any,
) -> EpsSuggestion:
    """Return a radius for `DBSCAN`: the knee of the sorted k-distances.

    Rows of clusters have small k-distances, noise has large ones. The knee is the point of the curve that
    lies farthest below the straight line between its ends, both axes scaled to [0, 1].

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; or their distances with ``metric="precomputed"``.
    min_samples : int, default=5
        As in `DBSCAN`; at least 2.
    metric : str, callable or Distance, default="euclidean"
        As in `coterie.distance.pairwise_distances`.
    n_jobs : int, default=None
        Threads.
    **params
        Parameters of the distance.

    References
    ----------
    ester-1996, satopaa-2011

    Examples
    --------
    >>> found = suggest_eps([[0.0], [1.0], [2.0], [3.0], [30.0]], min_samples=2)
    >>> found.eps, found.knee
    (1.0, 4)
    """
    check_parameter(min_samples, Whole(1), name="min_samples", who="suggest_eps")

    def k_distances(k: int) -> Distances:
        return k_nearest(X, n_neighbors=k, metric=metric, n_jobs=n_jobs, **params).distance[:, -1]

    n_rows = X.shape[0] if hasattr(X, "shape") else len(check_data(X, who="suggest_eps", squares=False))
    return suggest_eps_of(k_distances, n_rows, min_samples)


def suggest_eps_of(k_distances: Callable[[int], Distances], n: int, min_samples: int) -> EpsSuggestion:
    """Return the radius for n rows, of which `k_distances(k)` gives the distances to their k-th nearest."""
    if n == 1:
        return EpsSuggestion(1.0, np.zeros(1), 1, min_samples)
    if min_samples > n:
        raise InvalidParameter(
            f"min_samples of suggest_eps must be at most the number of rows, {n}, got {min_samples}. Lower "
            f"it."
        ).in_shell(
            f"min_samples must be at most the number of rows, {n}, got {min_samples}. Lower it: --set "
            f"min_samples=2."
        )
    return read_curve(np.sort(k_distances(max(1, min_samples - 1))), min_samples)


def read_curve(curve: Distances, min_samples: int) -> EpsSuggestion:
    """Return the radius at the knee of rising k-distances; never 0, which would make every row noise."""
    place = _knee(curve)
    eps = float(curve[place]) if curve[place] > 0 else float(curve[curve > 0][0]) if curve.any() else 1.0
    return EpsSuggestion(eps, curve, place + 1, min_samples)


def _knee(curve: Distances) -> int:
    """Return the place of the point farthest below the line between the ends."""
    span = float(curve[-1] - curve[0])
    if span == 0:
        return len(curve) - 1
    below = np.linspace(0.0, 1.0, len(curve)) - (curve - curve[0]) / span
    return int(np.argmax(below))
