"""Centres of the clusters of HDBSCAN: means and medoids weighted by strength of membership and weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.threads import resolve_threads
from coterie._support.typing import FloatArray, Labels
from coterie.cluster.density.hdbscan_input import scikit_learns_distances
from coterie.cluster.density.input import is_boolean, measured_by_scikit_learn, scikit_learn_metrics
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK
from coterie.distance import find_distance, pairwise_distances


def cluster_centers(model: Any, given: Any, labels: Labels, strength: FloatArray) -> dict[str, Any]:
    """Return the centres that `store_centers` asks for, by the names of their attributes."""
    wanted = {"centroid": ("centroids_",), "medoid": ("medoids_",), "both": ("centroids_", "medoids_")}
    makers = {"centroids_": _centroid, "medoids_": _medoid}
    names = wanted.get(model.store_centers or "", ())
    strength = strength if given.weights is None else strength * given.weights
    found: dict[str, Any] = {}
    for name in names:
        rows = [
            makers[name](model, given, given.X[labels == c], strength[labels == c])
            for c in range(labels.max() + 1)
        ]
        found[name] = np.array(rows).reshape(len(rows), given.X.shape[1])
    return found


def _centroid(model: Any, given: Any, rows: Any, weights: FloatArray) -> FloatArray:
    dense = rows.toarray() if issparse(rows) else rows
    return np.asarray(np.average(dense, weights=weights, axis=0))


def _medoid(model: Any, given: Any, rows: Any, weights: FloatArray) -> FloatArray:
    """Return the row with the least weighted sum of distances to the others."""
    is_shared = callable(model.metric) or model.metric in scikit_learn_metrics()
    is_learned = len(given.distance_values) > len(dict(model.metric_params or {}))
    sums = _sums_by_pairs if is_shared and not is_learned else _sums_as_fitted
    medoid = rows[int(np.argmin(sums(model, given, rows, weights)))]
    return np.asarray(medoid.toarray().ravel() if issparse(medoid) else medoid)


def _sums_by_pairs(model: Any, given: Any, rows: Any, weights: FloatArray) -> FloatArray:
    """Return the weighted sums of distances in scikit-learn's arithmetic."""
    from sklearn.metrics import pairwise_distances_chunked

    params = dict(model.metric_params or {})
    rows = rows.astype(bool) if is_boolean(model.metric) else rows
    with measured_by_scikit_learn(model.metric, "HDBSCAN"):
        chunks = pairwise_distances_chunked(
            rows, metric=model.metric, reduce_func=lambda block, _: block @ weights, **params
        )
        return np.concatenate(list(chunks))


def _sums_as_fitted(model: Any, given: Any, rows: Any, weights: FloatArray) -> FloatArray:
    """Return them under a distance that scikit-learn's pairs lack, or with what was learned from all rows."""
    step = max(1, CELLS_PER_BLOCK // rows.shape[0])
    blocks = [rows[start : start + step] for start in range(0, rows.shape[0], step)]
    if given.rows is None:
        return np.concatenate([scikit_learns_distances(model, block, rows) @ weights for block in blocks])
    distance = find_distance(given.rows.distance.name, **given.distance_values)
    threads = resolve_threads(model.n_jobs)
    return np.concatenate(
        [pairwise_distances(block, rows, distance, n_jobs=threads) @ weights for block in blocks]
    )
