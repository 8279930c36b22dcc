"""Silhouettes from one point per cluster: in time that grows with samples times clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie._support.typing import CheckedRows, Distances, MatrixLike, VectorLike
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidParameter
from coterie.evaluate.internal.centroids import weighted_means
from coterie.evaluate.internal.dispersion import find_medoids
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.internal.silhouettes import silhouette_measure
from coterie.evaluate.internal.spaces import BLOCK_NUMBERS, NativeSpace, VectorSpace, read_space, read_vectors
from coterie.evaluate.labelings import Noise

Numbers = npt.NDArray[np.float64]


@silhouette_measure(symbol="simplified sil", reference="hruschka-2004")
def simplified_silhouette_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Mean silhouette with distances to centroids in place of mean distances to samples.

    As for the silhouette, a sample alone in its cluster scores 0: else many small clusters would do best.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data.

    Examples
    --------
    >>> round(simplified_silhouette_score([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.899
    """
    who = "simplified_silhouette_score"
    partition = read_partition(labels, noise).weigh(sample_weight, who=who).require_groups()
    space = read_vectors(X, metric, partition, who=who, options=kwds)
    own, other = _own_and_other(space, weighted_means(space.X, partition), partition)
    is_alone = (partition.sizes == 1) & (partition.totals <= 1)
    # centroids of equal rows differ from them by rounding
    nothing = float(4 * np.finfo(space.X.dtype).eps * np.abs(space.X).max())
    return _score(partition, own, np.where(is_alone[partition.codes], own, other), nothing)


@silhouette_measure(symbol="medoid sil", reference="lenssen-2024", compares_pairs=True)
def medoid_silhouette_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    medoids: VectorLike | None = None,
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Mean silhouette with distances to medoids in place of mean distances to samples.

    Parameters
    ----------
    medoids : array-like of shape (n_clusters,), default=None
        Row of the medoid of each cluster, in any order; None: they are looked for, which takes all distances
        within the clusters.

    Examples
    --------
    >>> round(medoid_silhouette_score([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.8958
    """
    who = "medoid_silhouette_score"
    partition = read_partition(labels, noise).weigh(sample_weight, who=who).require_groups()
    space = read_space(X, metric, partition, who=who, options=kwds)
    chosen = find_medoids(space, partition) if medoids is None else _check_medoids(medoids, partition, who)
    if isinstance(space, VectorSpace):
        return _score(partition, *_own_and_other(space, space.X[chosen], partition))
    return _score(partition, *_reduce(space.block(slice(None), chosen), partition.codes))


def _check_medoids(medoids: VectorLike, partition: SampleGroups, who: str) -> npt.NDArray[np.intp]:
    rows = np.asarray(medoids)
    kept = np.arange(partition.n_samples) if partition.rows is None else partition.rows
    if rows.dtype.kind not in "iu" or rows.shape != (partition.n_clusters,) or not np.isin(rows, kept).all():
        raise InvalidParameter(
            f"medoids of {who} must be a row per cluster: {partition.n_clusters} whole numbers of rows that "
            f"are not noise, got {np.array2string(rows, threshold=8)}."
        )
    found = np.searchsorted(kept, rows)
    order = np.argsort(partition.codes[found])
    if not np.array_equal(partition.codes[found][order], np.arange(partition.n_clusters)):
        raise InvalidParameter(f"medoids of {who} must be one row of each cluster, got two of the same one.")
    return np.asarray(found[order], dtype=np.intp)


def _own_and_other(
    space: VectorSpace, points: CheckedRows, partition: SampleGroups
) -> tuple[Numbers, Numbers]:
    """Distances to the own point, and to the nearest other one."""
    if not isinstance(space, NativeSpace):
        return _by_blocks(space, points, partition)
    (first, _), (near, second) = space.nearest_two_to(points)
    is_own = first == partition.codes
    own, other = near.astype(np.float64), np.where(is_own, second, near).astype(np.float64)
    elsewhere = np.flatnonzero(~is_own)
    if elsewhere.size:
        away = space.take(elsewhere)
        assert isinstance(away, NativeSpace)
        own[elsewhere] = away.to_own(points, partition.codes[elsewhere])
    return own, other


def _by_blocks(space: VectorSpace, points: CheckedRows, partition: SampleGroups) -> tuple[Numbers, Numbers]:
    step = max(256, BLOCK_NUMBERS // partition.n_clusters)
    parts = [
        _reduce(space.to(points, slice(first, first + step)), partition.codes[first : first + step])
        for first in range(0, partition.n_samples, step)
    ]
    own, other = zip(*parts, strict=True)
    return np.concatenate(own), np.concatenate(other)


def _reduce(distances: Distances, own: npt.NDArray[np.int32]) -> tuple[Numbers, Numbers]:
    at = np.arange(own.size)
    to_own = distances[at, own].astype(np.float64)
    others = distances.astype(np.float64)
    others[at, own] = np.inf
    return to_own, others.min(axis=1)


def _score(partition: SampleGroups, a: Numbers, b: Numbers, nothing: float = 0.0) -> float:
    largest = np.maximum(a, b)
    return partition.mean(np.divide(b - a, largest, out=np.zeros_like(a), where=largest > nothing))
