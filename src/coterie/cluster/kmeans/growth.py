"""K-means of rows that keep coming: what was seen stands as clustering features beside the new rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from coterie._support import scikit_learn
from coterie._support.rounding import is_lower
from coterie._support.typing import Centers, FloatArray, Weights
from coterie.cluster.kmeans.empty_clusters import run_without_holes
from coterie.cluster.kmeans.features import ClusteringFeatures
from coterie.cluster.kmeans.points import KMeansRun, Stopping
from coterie.cluster.kmeans.spaces import points_of
from coterie.cluster.kmeans.starts import make_start, seed_of_restart

STARTS = 3  # fresh ones, on features: new rows may be a cluster that no centre is near
FRESH_GAIN = (
    0.02  # share of the inertia that a fresh start must save: else clusters go on from where they were
)
FINER = 4  # times as many features for comparing starts as are kept


@dataclass(frozen=True, eq=False)
class Growth:
    """Where k-means stands after more rows."""

    centers: Centers  # (n_clusters, n_columns): in the order of the clusters before
    features: ClusteringFeatures  # all rows so far
    inertia: float  # upper bound of the sum of squared distances of all rows to their nearest centres
    n_iter: int  # iterations
    is_fresh: bool  # whether the centres come from a fresh start, which was better than going on


def rows_as_features(X: FloatArray, weights: Weights | None) -> ClusteringFeatures:
    """Return a feature per row."""
    weight = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    kept = weight > 0
    rows = np.asarray(X, dtype=np.float64)
    return ClusteringFeatures(weight[kept], rows[kept], np.zeros(int(kept.sum())))


def grow_centers(
    centers: Centers,
    seen: ClusteringFeatures,
    new: ClusteringFeatures,
    *,
    n_clusters: int,
    stopping: Stopping,
    seed: int,
    n_features: int,
) -> Growth:
    """Move centres to where they belong with new rows, and sum everything up again.

    Parameters
    ----------
    centers : array of shape (n, n_columns)
        Of the rows seen so far.
    seen, new : ClusteringFeatures
        Rows seen so far, and more rows.
    n_clusters : int
        The wanted number of centres.
    stopping : Stopping
        When iterations end.
    seed : int
        Of fresh starts.
    n_features : int
        Most features to keep.
    """
    coarse = ClusteringFeatures.joined([seen, new], n=FINER * n_features, seed=seed)
    start, is_fresh = _best_start(centers, coarse, n_clusters, stopping, seed)
    every = ClusteringFeatures.joined([seen, new], n=len(seen.weights) + len(new.weights), seed=seed)
    run = _run(every, start, stopping)
    kept = every if len(every.weights) <= n_features else coarse
    features = ClusteringFeatures.joined([kept], n=n_features, seed=seed)
    moved = run.centers.astype(centers.dtype)
    inertia = float(run.inertia) + float(every.squares.sum())
    return Growth(moved, features, inertia, run.n_iter, is_fresh)


def _best_start(
    centers: Centers, features: ClusteringFeatures, n_clusters: int, stopping: Stopping, seed: int
) -> tuple[FloatArray, bool]:
    """Return where to go on: from the centres, unless a fresh start on the features is clearly better."""
    before = np.asarray(centers, dtype=np.float64)
    n_clusters = min(n_clusters, len(features.weights))
    warm = _run(features, before, stopping) if len(before) == n_clusters else None
    best: KMeansRun | None = None
    for restart in range(STARTS):
        points = points_of(np.ascontiguousarray(features.means), features.weights)
        start = make_start(points, "k-means++", n_clusters, seed_of_restart(seed, restart), who="KMeans")
        run = _run(features, start.centers, stopping)
        best = run if best is None or is_lower(run.inertia, best.inertia) else best
    assert best is not None
    inner = float(features.squares.sum())
    if warm is not None and best.inertia + inner >= (1 - FRESH_GAIN) * (warm.inertia + inner):
        return before, False
    return _in_order_of(before, best.centers), True


def _run(features: ClusteringFeatures, start: FloatArray, stopping: Stopping) -> KMeansRun:
    points = points_of(np.ascontiguousarray(features.means), features.weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scikit_learn.ConvergenceWarning)
        return run_without_holes(points, np.ascontiguousarray(start), stopping, "auto")


def _in_order_of(before: FloatArray, centers: FloatArray) -> FloatArray:
    """Return centres such that each stands where the nearest earlier one stood, as far as there is one.

    Examples
    --------
    >>> _in_order_of(np.array([[0.0], [9.0]]), np.array([[8.0], [20.0], [1.0]])).ravel()
    array([ 1.,  8., 20.])
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    olds, news = linear_sum_assignment(cdist(before, centers, "sqeuclidean"))
    left = [at for at in range(len(centers)) if at not in set(news.tolist())]
    return np.ascontiguousarray(centers[[*news[np.argsort(olds)], *left]])
