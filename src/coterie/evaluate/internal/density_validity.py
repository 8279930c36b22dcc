"""Measures for clusters of any shape: dense inside, sparse between."""

from __future__ import annotations

from functools import partial
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coterie._support.typing import AnyArray, MatrixLike, VectorLike
from coterie._support.validation import Nothing, Number, check_parameter
from coterie.distance.catalogue import DistanceLike
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.centroids import Scatter, read_scatter
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.internal.spaces import NeedsRows, Space, VectorSpace, read_space
from coterie.evaluate.labelings import Noise

Numbers = npt.NDArray[np.float64]

density_measure = partial(measure, group="density", needs="data", is_scale_free=True)


@density_measure(symbol="S_Dbw", low=0, high=inf, greater_is_better=False, reference="halkidi-2001")
def s_dbw(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Scatter of the clusters, relative to that of the data, plus the density half-way between them.

    Scat is the mean over clusters of |σ(cluster)| / |σ(data)|, σ the vector of variances. Dens_bw is the mean
    over pairs of clusters of the density at the middle of their centroids over the greater of the densities
    at the centroids, where density counts the samples of the two clusters within the mean standard deviation.

    Examples
    --------
    >>> round(s_dbw([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1]), 4)
    0.1104
    """
    given = read_scatter(X, labels, noise, sample_weight, who="s_dbw").require_groups()
    scatter, partition = _of_unit_spread(given), given.partition
    squared = (scatter.X - scatter.centroids[partition.codes]) ** 2
    variances = np.asarray(partition.indicator().T @ squared) / partition.totals[:, None]
    lengths = np.linalg.norm(variances, axis=1)
    whole = np.average((scatter.X - scatter.mean) ** 2, axis=0, weights=partition.sample_weight)
    total = float(np.linalg.norm(whole))
    if total == 0:
        return 0.0
    radius = sqrt(float(lengths.sum())) / partition.n_clusters
    return float(lengths.mean()) / total + _density_between(scatter, radius)


def _of_unit_spread(scatter: Scatter) -> Scatter:
    """Return the rows in units in which even the squares of variances are ordinary numbers."""
    X = scatter.X.astype(np.float64)
    power = np.frexp(np.abs(X - scatter.mean).max())[1]
    return Scatter(np.ldexp(X, -power), scatter.partition)


def _density_between(scatter: Scatter, radius: float) -> float:
    partition, centroids = scatter.partition, scatter.centroids
    rows = [scatter.X[members].astype(np.float64) for members in partition.members]
    weights = [_weights(partition, members) for members in partition.members]
    k, total = partition.n_clusters, 0.0
    for i in range(k):
        for j in range(i + 1, k):
            pair = np.concatenate([rows[i], rows[j]])
            points = np.stack([centroids[i], centroids[j], (centroids[i] + centroids[j]) / 2])
            counts = np.concatenate([weights[i], weights[j]])
            near = [float(counts @ (((pair - point) ** 2).sum(axis=1) <= radius**2)) for point in points]
            total += near[2] / max(near[:2]) if max(near[:2]) else 0.0
    return 2 * total / (k * (k - 1))


def _weights(partition: SampleGroups, members: npt.NDArray[np.intp]) -> Numbers:
    return np.ones(members.size) if partition.sample_weight is None else partition.sample_weight[members]


class ClusterDensity(NamedTuple):
    """What density-based validation knows of one cluster."""

    core: Numbers  # all-points core distance of each member
    sparseness: float  # the longest edge between inner points of its spanning tree
    inner: npt.NDArray[np.intp]  # members with more than one edge of the tree; all, where there are none


@density_measure(symbol="DBCV", low=-1, high=1, reference="moulavi-2014", compares_pairs=True)
def dbcv(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    n_features: float | None = None,
    noise: Noise = "singletons",
    **kwds: object,
) -> float:
    """Density-based validation: clusters are dense along their spanning tree and apart from each other.

    Distances are replaced by the greatest of themselves and the core distances of their ends. The sparseness
    of a cluster is the longest inner edge of its spanning tree, its separation the least distance from its
    inner points to those of another cluster; its validity is (separation - sparseness) / max of the two. The
    score is the mean over all samples; a sample alone, as noise is by default, counts 0.

    Many edges are equally long; of those the tree takes the one with the smaller plain distance, so that the
    order of samples does not matter. Other software takes the first one, and gives other values.

    Parameters
    ----------
    n_features : float, default=None
        Dimension of the data, for the core distances; None: the columns of X. Distances do not tell it, so
        it must be given with ``metric="precomputed"``.
    noise : {"cluster", "exclude", "singletons"}, default="singletons"
        What to do with samples labelled -1; the definition counts them with value 0.

    Examples
    --------
    >>> round(dbcv([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]], [0, 0, 0, 1, 1, 1]), 4)
    0.8333
    """
    check_parameter(n_features, Number(0.0, open_below=True) | Nothing(), name="n_features", who="dbcv")
    partition = read_partition(labels, noise).require_groups()
    space = read_space(X, metric, partition, who="dbcv", options=kwds)
    dimension = _dimension(space, n_features)
    groups = [members for members in partition.members if members.size > 1]
    densities = [_density(space, members, dimension) for members in groups]
    if len(groups) < 2:
        return 0.0
    separations = _separations(space, groups, densities)
    validity = [
        (gap - density.sparseness) / max(gap, density.sparseness) if max(gap, density.sparseness) > 0 else 0.0
        for gap, density in zip(separations, densities, strict=True)
    ]
    sizes = np.array([members.size for members in groups])
    return float(sizes @ np.array(validity) / partition.n_samples)


def _dimension(space: Space, n_features: float | None) -> float:
    if n_features is not None:
        return float(n_features)
    if isinstance(space, VectorSpace):
        return float(space.X.shape[1])
    raise NeedsRows(
        'n_features of dbcv must be given with metric="precomputed", got None: distances do not tell the '
        "dimension of the data. Give the number of columns of the data, or the data themselves."
    )


def _density(space: Space, members: npt.NDArray[np.intp], dimension: float) -> ClusterDensity:
    core = np.empty(members.size)
    step = max(1, (1 << 22) // members.size)
    for first in range(0, members.size, step):
        rows = members[first : first + step]
        core[first : first + step] = _core_distances(space.block(rows, members), first, dimension)
    parents, lengths = _spanning_tree(space, members, core)
    degrees = np.bincount(np.concatenate([parents, np.arange(1, members.size)]), minlength=members.size)
    is_inner = degrees > 1
    ends = np.arange(1, members.size)
    inner_edges = lengths[is_inner[parents] & is_inner[ends]]
    sparseness = float((inner_edges if inner_edges.size else lengths).max())
    inner = np.flatnonzero(is_inner) if is_inner.any() else np.arange(members.size)
    return ClusterDensity(core, sparseness, inner)


def _core_distances(distances: AnyArray, first: int, dimension: float) -> Numbers:
    """(mean over the others of d^-dimension)^(-1/dimension), by logarithms: powers overflow."""
    with np.errstate(divide="ignore"):
        logs = -dimension * np.log(distances.astype(np.float64))
    at = np.arange(len(logs))
    logs[at, first + at] = -np.inf
    largest = logs.max(axis=1)
    is_same = np.isinf(largest)  # another sample at the same place: the core distance is 0
    shifted = np.where(is_same, 0.0, largest)
    with np.errstate(over="ignore"):
        sums = np.exp(logs - shifted[:, None]).sum(axis=1)
        means = shifted + np.log(np.where(is_same, 1.0, sums)) - np.log(logs.shape[1] - 1)
    return np.where(is_same, 0.0, np.exp(-means / dimension))


def _spanning_tree(
    space: Space, members: npt.NDArray[np.intp], core: Numbers
) -> tuple[npt.NDArray[np.intp], Numbers]:
    """Return the edge of each member but the first: the other end, and the length (Prim).

    Many lengths are equal core distances; the plain distance decides, so that the order of samples does not.
    """
    n = members.size
    best, plain = np.full(n, np.inf), np.full(n, np.inf)
    parent, is_out, at = np.zeros(n, dtype=np.intp), np.ones(n, dtype=bool), 0
    for _ in range(n - 1):
        is_out[at] = False
        row = space.block(members[at : at + 1], members)[0].astype(np.float64)
        reach = np.maximum(row, np.maximum(core, core[at]))
        is_nearer = is_out & ((reach < best) | ((reach == best) & (row < plain)))
        best[is_nearer], plain[is_nearer], parent[is_nearer] = reach[is_nearer], row[is_nearer], at
        least = best[is_out].min()
        at = int(np.where(is_out & (best == least), plain, np.inf).argmin())
    return parent[1:], best[1:]


def _separations(
    space: Space, groups: list[npt.NDArray[np.intp]], densities: list[ClusterDensity]
) -> list[float]:
    least = [inf] * len(groups)
    for i, first in enumerate(densities):
        for j in range(i + 1, len(groups)):
            second = densities[j]
            distances = space.block(groups[i][first.inner], groups[j][second.inner])
            cores = np.maximum(first.core[first.inner, None], second.core[second.inner])
            gap = float(np.maximum(distances, cores).min())
            least[i], least[j] = min(least[i], gap), min(least[j], gap)
    return least
