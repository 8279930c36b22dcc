"""The geometries that come with Coterie: which distance has which barycentre, and why it descends."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Centers
from coterie.distance.catalogue import Distance
from coterie.distance.geometry import Barycentre, Clusters, register_geometry
from coterie.distance.learning import exponent_of


def _column_by_column(clusters: Clusters, distance: Distance, n_threads: int, *, kind: Any) -> Centers:
    labels = np.ascontiguousarray(clusters.labels, dtype=np.int32)
    weights = None if clusters.weights is None else np.ascontiguousarray(clusters.weights, dtype=np.float64)
    return np.asarray(
        _core.barycentres(
            clusters.rows, labels, clusters.n_clusters, weights, kind, p=distance.p, n_threads=n_threads
        )
    )


def _unit_means(clusters: Clusters, distance: Distance, n_threads: int) -> Centers:
    """Divide means by their lengths. Where rows cancel, every direction is as good: the first row's."""
    means = _column_by_column(clusters, distance, n_threads, kind=_core.Barycentre.mean)
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means, dtype=np.float64))
    for cluster in np.flatnonzero(lengths <= means.shape[1] * np.finfo(means.dtype).eps):
        counts = clusters.labels == cluster
        if clusters.weights is not None:
            counts &= clusters.weights > 0
        means[cluster] = clusters.rows[int(np.argmax(counts))]
        lengths[cluster] = 1.0
    return np.asarray((means / lengths[:, None]).astype(means.dtype))


_NEARER = "A row moves only to a nearer centre"
_LEAST_SQUARES = (
    f"{_NEARER}; the mean is the one point with the least sum of squared distances, also after a linear map "
    "such as scaling or whitening."
)
_SSE = "sum of squared distances to the centres (SSE)"

_mean = partial(_column_by_column, kind=_core.Barycentre.mean)
_MEAN_OF_DISTANCES = Barycentre("mean", 2.0, _SSE, _LEAST_SQUARES, _mean)
_MEAN_OF_SQUARES = Barycentre("mean", 1.0, _SSE, _LEAST_SQUARES, _mean)
_MEDIAN = Barycentre(
    "median",
    1.0,
    "sum of Manhattan distances to the centres",
    f"{_NEARER}; the sum splits into one sum of |x - c| per column, least at a median.",
    partial(_column_by_column, kind=_core.Barycentre.median),
)
_UNIT_MEAN = Barycentre(
    "unit mean",
    1.0,
    "sum of one minus the cosine with the centres",
    f"{_NEARER}; among unit vectors c the sum of x.c is greatest in the direction of the mean.",
    _unit_means,
)
_MODE = Barycentre(
    "mode",
    1.0,
    "sum of the shares of cells that differ from the centres",
    f"{_NEARER}; the sum splits by column, and the commonest value differs from the fewest rows.",
    partial(_column_by_column, kind=_core.Barycentre.mode),
)


def _of_minkowski(distance: Distance) -> Barycentre | None:
    p = exponent_of(distance)
    if p < 1 or np.isinf(p):
        return None  # below 1 the sums are not convex; at infinity they do not split by column
    if p == 1:
        return _MEDIAN
    if p == 2:
        return _MEAN_OF_DISTANCES
    return Barycentre(
        "p-centre",
        p,
        f"sum of distances to the centres, each to the power {p:g}",
        f"{_NEARER}; the sum splits into one convex sum of |x - c|^p per column, which is minimised.",
        partial(_column_by_column, kind=_core.Barycentre.p_centre),
    )


register_geometry("euclidean", lambda _: _MEAN_OF_DISTANCES)
register_geometry("sqeuclidean", lambda _: _MEAN_OF_SQUARES)
register_geometry("seuclidean", lambda _: _MEAN_OF_DISTANCES)
register_geometry("mahalanobis", lambda _: _MEAN_OF_DISTANCES)
register_geometry("manhattan", lambda _: _MEDIAN)
register_geometry("minkowski", _of_minkowski)
register_geometry("cosine", lambda _: _UNIT_MEAN)
register_geometry("correlation", lambda _: _UNIT_MEAN)
register_geometry("spearman", lambda _: _UNIT_MEAN)
register_geometry("hamming", lambda _: _MODE)
