"""Centres of the clusters of HDBSCAN: means and medoids weighted by strength of membership and weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._typing import FloatArray, Labels


def cluster_centers(model: Any, given: Any, labels: Labels, strength: FloatArray) -> dict[str, Any]:
    """Return the centres that `store_centers` asks for, by the names of their attributes."""
    wanted = {"centroid": ("centroids_",), "medoid": ("medoids_",), "both": ("centroids_", "medoids_")}
    makers = {"centroids_": _centroid, "medoids_": _medoid}
    names = wanted.get(model.store_centers or "", ())
    strength = strength if given.weights is None else strength * given.weights
    found: dict[str, Any] = {}
    for name in names:
        rows = [
            makers[name](model, given.X[labels == c], strength[labels == c]) for c in range(labels.max() + 1)
        ]
        found[name] = np.array(rows).reshape(len(rows), given.X.shape[1])
    return found


def _centroid(model: Any, rows: Any, weights: FloatArray) -> FloatArray:
    dense = rows.toarray() if issparse(rows) else rows
    return np.asarray(np.average(dense, weights=weights, axis=0))


def _medoid(model: Any, rows: Any, weights: FloatArray) -> FloatArray:
    """Return the row with the least weighted sum of distances to the others."""
    from sklearn.metrics import pairwise_distances_chunked

    chunks = pairwise_distances_chunked(
        rows,
        metric=model.metric,
        reduce_func=lambda block, _: block @ weights,
        **dict(model.metric_params or {}),
    )
    medoid = rows[int(np.argmin(np.concatenate(list(chunks))))]
    return np.asarray(medoid.toarray().ravel() if issparse(medoid) else medoid)
