"""The Dunn family: the least distance between clusters over the greatest dispersion of one."""

from __future__ import annotations

from math import inf
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.typing import AnyArray, MatrixLike, VectorLike
from coterie._support.validation import Choice, check_parameter
from coterie.distance.catalogue import DistanceLike
from coterie.evaluate.internal.dispersion import (
    PAIRWISE,
    Representatives,
    represent,
    separation_measure,
    spread,
)
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.internal.spaces import Space, read_space, read_vectors
from coterie.evaluate.labelings import Noise

Between: TypeAlias = Literal["min", "max", "mean", "centroid", "hausdorff"]
Within: TypeAlias = Literal["diameter", "mean_pairwise", "mean_to_centroid", "radius"]
BETWEEN = Choice("min", "max", "mean", "centroid", "hausdorff")
WITHIN = Choice("diameter", "mean_pairwise", "mean_to_centroid", "radius")


@separation_measure(symbol="Dunn", low=0, high=inf, reference="dunn-1974", compares_pairs=True)
def dunn_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    between: Between = "min",
    within: Within = "diameter",
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Least dissimilarity of two clusters over the greatest dispersion of one.

    The classic form is the default. Centroid distance over the largest distance to a centroid is
    ``between="centroid", within="radius"``; ``between="mean", within="mean_pairwise"`` is the
    form that R's fpc calls dunn2. Infinite where no cluster has an extent.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"`` (for forms without centroids).
    between : {"min", "max", "mean", "centroid", "hausdorff"}, default="min"
        Dissimilarity of two clusters: least, greatest or mean distance of their samples, distance of their
        centroids, or the farthest that a sample of one is from the nearest of the other.
    within : {"diameter", "mean_pairwise", "mean_to_centroid", "radius"}, default="diameter"
        Dispersion of a cluster: greatest or mean distance of two samples, mean or greatest distance to the
        centroid.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts, which changes means and centroids alone.

    Examples
    --------
    >>> points = [[2, 1], [2, 3], [8, 1], [8, 3]]
    >>> dunn_score(points, [0, 0, 1, 1])
    3.0
    >>> dunn_score(points, [0, 0, 1, 1], between="centroid", within="radius")
    6.0
    """
    check_parameter(between, BETWEEN, name="between", who="dunn_score")
    check_parameter(within, WITHIN, name="within", who="dunn_score")
    partition = read_partition(labels, noise).weigh(sample_weight, who="dunn_score").require_groups()
    needs_centroids = between == "centroid" or within not in PAIRWISE
    read = read_vectors if needs_centroids else read_space
    space = read(X, metric, partition, who="dunn_score", options=kwds)
    centroids = represent(space, partition, "centroid") if needs_centroids else None
    if (between, within) == ("min", "diameter"):  # one pass gives both
        smallest, largest = space.extremes(partition)
        return _ratio(smallest, max(0.0, float(largest.diagonal().max())))
    greatest = float(spread(within, space, partition, centroids).max())
    return _ratio(_gaps(between, space, partition, centroids), greatest)


def _gaps(
    between: Between, space: Space, partition: SampleGroups, centroids: Representatives | None
) -> AnyArray:
    if between == "centroid":
        assert centroids is not None
        return centroids.between
    if between == "mean":
        return space.between_sums(partition) / np.outer(partition.totals, partition.totals)
    if between == "hausdorff":
        return _hausdorff(space, partition)
    smallest, largest = space.extremes(partition)
    return smallest if between == "min" else largest


def _hausdorff(space: Space, partition: SampleGroups) -> npt.NDArray[np.float64]:
    directed = np.zeros((partition.n_clusters, partition.n_clusters))
    for group, members in enumerate(partition.members):
        np.maximum.at(directed[:, group], partition.codes, space.nearest_in(members))
    return np.maximum(directed, directed.T)


def _ratio(gaps: AnyArray, greatest: float) -> float:
    apart = gaps[~np.eye(len(gaps), dtype=bool)]
    least = float(apart.min())
    return least / greatest if greatest > 0 else (inf if least > 0 else 0.0)
