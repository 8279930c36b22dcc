"""How spread out each cluster is, and Davies-Bouldin, which compares that with how far clusters are apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.typing import FloatArray, MatrixLike, VectorLike
from coterie._support.validation import Choice, check_parameter
from coterie.distance.catalogue import DistanceLike
from coterie.evaluate.catalogue import measure, shares_parameters
from coterie.evaluate.internal.centroids import weighted_means
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.internal.spaces import Space, VectorSpace, read_space, read_vectors
from coterie.evaluate.labelings import Noise

Dispersion: TypeAlias = Literal[
    "sse", "mean_pairwise", "diameter", "mean_to_centroid", "rms_to_centroid", "radius"
]
Representative: TypeAlias = Literal["centroid", "medoid"]
DISPERSIONS = Choice("sse", "mean_pairwise", "diameter", "mean_to_centroid", "rms_to_centroid", "radius")
REPRESENTATIVES = Choice("centroid", "medoid")
PAIRWISE = ("mean_pairwise", "diameter")  # these need no representative

Numbers = npt.NDArray[np.float64]
separation_measure = partial(measure, group="separation", needs="data", is_scale_free=True)


@dataclass(frozen=True, eq=False)
class Representatives:
    """Distances to and between the points that stand for the clusters."""

    to_own: Numbers  # of each sample to the point of its cluster
    between: Numbers  # n_clusters x n_clusters


def represent(space: Space, partition: SampleGroups, kind: Representative) -> Representatives:
    """Return the distances to, and between, the centroids or medoids of the clusters."""
    if kind == "medoid":
        medoids = find_medoids(space, partition)
        return Representatives(
            to_medoids(space, partition, medoids), space.block(medoids, medoids).astype(np.float64)
        )
    assert isinstance(space, VectorSpace)
    centroids = weighted_means(space.X, partition)
    return Representatives(space.to_own(centroids, partition.codes), space.among(centroids))


def find_medoids(space: Space, partition: SampleGroups) -> npt.NDArray[np.intp]:
    """Return the sample of each cluster with the least sum of distances to the others."""
    medoids = np.empty(partition.n_clusters, dtype=np.intp)
    for group, members in enumerate(partition.members):
        alone = partition.take(members)
        medoids[group] = members[space.take(members).group_sums(alone).own_sum.argmin()]
    return medoids


def to_medoids(space: Space, partition: SampleGroups, medoids: npt.NDArray[np.intp]) -> Numbers:
    """Return the distance of each sample to the medoid of its cluster."""
    distances = np.empty(partition.n_samples)
    for group, members in enumerate(partition.members):
        distances[members] = space.block(members, medoids[group : group + 1])[:, 0]
    return distances


def spread(
    kind: Dispersion, space: Space, partition: SampleGroups, representatives: Representatives | None
) -> Numbers:
    """Return the dispersion of each cluster."""
    totals = partition.totals
    if kind == "diameter":
        return np.asarray(np.maximum(space.extremes(partition)[1].diagonal(), 0.0), dtype=np.float64)
    if kind == "mean_pairwise":
        return np.asarray(space.between_sums(partition).diagonal() / _pairs(partition))
    assert representatives is not None
    to_own = representatives.to_own
    if kind == "radius":
        largest = np.zeros(partition.n_clusters)
        np.maximum.at(largest, partition.codes, to_own)
        return largest
    values = to_own if kind == "mean_to_centroid" else to_own**2
    sums = partition.sums(values)
    if kind == "sse":
        return sums
    return np.sqrt(sums / totals) if kind == "rms_to_centroid" else sums / totals


def _pairs(partition: SampleGroups) -> Numbers:
    """Twice the pairs of each cluster; 1 where there is none, and the sum of its distances 0."""
    pairs = partition.totals * (partition.totals - 1)
    return np.where(pairs > 0, pairs, 1.0)


@shares_parameters
def dispersions(
    X: MatrixLike,
    labels: VectorLike,
    *,
    kind: Dispersion = "sse",
    representative: Representative = "centroid",
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> FloatArray:
    """Return how spread out each cluster is, in the order of the sorted labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"`` (which have medoids, but no centroids).
    kind : str, default="sse"
        "sse": sum of squared distances to the representative; "mean_to_centroid", "rms_to_centroid": their
        mean and root mean square; "radius": the largest of them; "mean_pairwise": mean distance between two
        samples; "diameter": the largest.
    representative : {"centroid", "medoid"}, default="centroid"
        What stands for a cluster: the mean of its rows, or the sample with least distances to the others.

    Examples
    --------
    >>> dispersions([[2, 1], [2, 3], [8, 1], [8, 4]], [0, 0, 1, 1], kind="diameter")
    array([2., 3.])
    """
    check_parameter(kind, DISPERSIONS, name="kind", who="dispersions")
    check_parameter(representative, REPRESENTATIVES, name="representative", who="dispersions")
    partition = read_partition(labels, noise).weigh(sample_weight, who="dispersions")
    is_alone = kind in PAIRWISE
    read = read_space if is_alone or representative == "medoid" else read_vectors
    space = read(X, metric, partition, who="dispersions", options=kwds)
    return spread(kind, space, partition, None if is_alone else represent(space, partition, representative))


@separation_measure(
    symbol="DB", low=0, high=inf, greater_is_better=False, reference="davies-1979", in_scikit_learn=True
)
def davies_bouldin_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    dispersion: Dispersion = "mean_to_centroid",
    representative: Representative = "centroid",
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Mean over the clusters of (S_i + S_j) / M_ij with the worst other cluster: dispersion by distance.

    M_ij is the distance between the representatives of two clusters, S_i a dispersion. Where all dispersions,
    or all distances of representatives, are 0 the score is 0, as in scikit-learn.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"`` and ``representative="medoid"``.
    dispersion : str, default="mean_to_centroid"
        Any kind of `dispersions`.
    representative : {"centroid", "medoid"}, default="centroid"
        What stands for a cluster.

    Examples
    --------
    >>> round(davies_bouldin_score([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1], dispersion="sse"), 4)
    0.6667
    """
    who = "davies_bouldin_score"
    check_parameter(dispersion, DISPERSIONS, name="dispersion", who=who)
    check_parameter(representative, REPRESENTATIVES, name="representative", who=who)
    partition = read_partition(labels, noise).weigh(sample_weight, who=who).require_groups()
    read = read_space if representative == "medoid" else read_vectors
    space = read(X, metric, partition, who=who, options=kwds)
    representatives = represent(space, partition, representative)
    spreads, gaps = spread(dispersion, space, partition, representatives), representatives.between
    if np.allclose(spreads, 0) or np.allclose(gaps, 0):
        return 0.0
    gaps[gaps == 0] = np.inf
    return float(((spreads[:, None] + spreads) / gaps).max(axis=1).mean())
