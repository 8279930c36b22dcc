"""Measures from sums of squares: within clusters, between them, in total."""

from __future__ import annotations

from functools import partial
from math import inf, log

import numpy as np

from coterie._support.typing import MatrixLike, VectorLike
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure, shares_parameters
from coterie.evaluate.internal.centroids import read_scatter, squared_between
from coterie.evaluate.labelings import Noise

squares_measure = partial(measure, group="sums of squares", needs="data")


@squares_measure(symbol="SSE", low=0, high=inf, greater_is_better=False, reference="simovici-lectures")
def sse(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Sum of squared Euclidean distances of the samples to the centroids of their clusters (cohesion).

    `dispersions` with ``kind="sse"`` gives the sum of each cluster. Also called `wcss`.

    Examples
    --------
    >>> sse([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1])
    4.0
    """
    return float(read_scatter(X, labels, noise, sample_weight, who="sse").within.sum())


wcss = sse


@squares_measure(symbol="BSS", low=0, high=inf, reference="simovici-lectures")
def bss(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Squared distances of the centroids to the mean of all, by cluster size: separation, TSS - SSE.

    Examples
    --------
    >>> bss([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1])
    36.0
    """
    return read_scatter(X, labels, noise, sample_weight, who="bss").between


@shares_parameters
def tss(X: MatrixLike, *, sample_weight: VectorLike | None = None) -> float:
    """Return the sum of squared Euclidean distances of all samples to their mean.

    Examples
    --------
    >>> tss([[2, 1], [2, 3], [8, 1], [8, 3]])
    40.0
    """
    together = np.zeros(np.shape(X)[0], dtype=np.int8)
    return float(read_scatter(X, together, "cluster", sample_weight, who="tss").within.sum())


@squares_measure(
    symbol="CH", low=0, high=inf, is_scale_free=True, reference="calinski-1974", in_scikit_learn=True
)
def calinski_harabasz_score(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Variance ratio of n samples in k clusters: (BSS / (k - 1)) / (SSE / (n - k)); 1 where SSE is 0.

    Examples
    --------
    >>> calinski_harabasz_score([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1])
    18.0
    """
    who = "calinski_harabasz_score"
    scatter = read_scatter(X, labels, noise, sample_weight, who=who).require_groups()
    within, k, n = float(scatter.within.sum()), scatter.partition.n_clusters, scatter.partition.total
    if n < k:
        raise InvalidData(
            f"sample_weight of {who} counts samples: it must add up to at least {k}, the number of clusters, "
            f"got {n:.3g}. Multiply the weights by a constant."
        )
    return 1.0 if within == 0 else scatter.between * (n - k) / (within * (k - 1))


@squares_measure(symbol="BH", low=0, high=inf, greater_is_better=False, reference="ball-1965")
def ball_hall(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Mean over the clusters of their mean squared distance to the centroid.

    Examples
    --------
    >>> ball_hall([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1])
    1.0
    """
    scatter = read_scatter(X, labels, noise, sample_weight, who="ball_hall")
    return float((scatter.within / scatter.partition.totals).mean())


@squares_measure(symbol="Hart", low=-inf, high=inf, is_scale_free=True, reference="hartigan-1975")
def hartigan(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Logarithm of separation over cohesion: log(BSS / SSE); infinite where one of them is 0.

    Examples
    --------
    >>> round(hartigan([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1]), 4)
    2.1972
    """
    scatter = read_scatter(X, labels, noise, sample_weight, who="hartigan").require_groups()
    within, between = float(scatter.within.sum()), scatter.between
    if within == 0 or between == 0:
        return 0.0 if within == between else (inf if within == 0 else -inf)
    return log(between / within)


@squares_measure(
    symbol="XB", low=0, high=inf, greater_is_better=False, is_scale_free=True, reference="xie-1991"
)
def xie_beni_score(
    X: MatrixLike, labels: VectorLike, *, sample_weight: VectorLike | None = None, noise: Noise = "cluster"
) -> float:
    """Mean squared distance to the own centroid over the least squared distance of two centroids.

    Examples
    --------
    >>> round(xie_beni_score([[2, 1], [2, 3], [8, 1], [8, 3]], [0, 0, 1, 1]), 4)
    0.0278
    """
    scatter = read_scatter(X, labels, noise, sample_weight, who="xie_beni_score").require_groups()
    gaps = squared_between(scatter.centroids)
    np.fill_diagonal(gaps, np.inf)
    mean, least = float(scatter.within.sum()) / scatter.partition.total, float(gaps.min())
    return mean / least if least > 0 else (inf if mean > 0 else 0.0)
