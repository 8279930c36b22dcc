"""The silhouette: how much nearer each sample is to its own cluster than to the next one.

With a the mean distance to the other samples of the own cluster and b the least mean distance to another
cluster, s = (b - a) / max(a, b). A sample alone in its cluster scores 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from coterie._typing import FloatArray, MatrixLike, RandomState, VectorLike
from coterie._validation import Choice, Nothing, Seed, Whole, check_parameter
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import measure
from coterie.evaluate.labelings import Noise
from coterie.evaluate.partitions import Partition, read_partition
from coterie.evaluate.sampling import Estimate, draw_from_each
from coterie.evaluate.silhouette_value import Silhouette, coefficients
from coterie.evaluate.space_input import read_space
from coterie.evaluate.spaces import Space, reduce_sums

Sample: TypeAlias = Literal["random", "stratified"]
DEFAULT_SIZE = 10_000

silhouette_measure = partial(measure, group="silhouettes", needs="data", low=-1, high=1, is_scale_free=True)


def silhouette(
    X: MatrixLike, labels: VectorLike, *, metric: Any = "euclidean", noise: Noise = "cluster", **kwds: Any
) -> Silhouette:
    """Return the silhouette of every sample, of every cluster and of the whole.

    Every distance is computed, none is kept: memory grows with the number of samples. Squared Euclidean and
    cosine distances take a formula instead, in time that grows with samples times clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.
    **kwds
        Further parameters of the distance.

    Returns
    -------
    silhouette : Silhouette
        A value that prints as a table.

    Examples
    --------
    >>> silhouette([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    4 samples, 2 clusters, silhouette 0.7980
    cluster   size  silhouette  misassigned
    0            2      0.7980            0
    1            2      0.7980            0
    """
    partition = read_partition(labels, noise).require_groups()
    space = read_space(X, metric, partition, who="silhouette", options=kwds)
    return Silhouette.of(space.group_sums(partition), partition)


def silhouette_samples(
    X: MatrixLike, labels: VectorLike, *, metric: Any = "euclidean", noise: Noise = "cluster", **kwds: Any
) -> FloatArray:
    """Return the silhouette coefficient of every sample; NaN for noise that is left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.
    **kwds
        Further parameters of the distance.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [1.0], [2.0], [3.0], [3.0]], [0, 1, 1, 1, 2, 2])
    array([0. , 0.5, 0.5, 0. , 1. , 1. ])
    """
    partition = read_partition(labels, noise).require_groups()
    space = read_space(X, metric, partition, who="silhouette_samples", options=kwds)
    values = coefficients(space.group_sums(partition), partition.codes, partition.sizes)
    if partition.rows is None:
        return values
    scattered = np.full(np.shape(labels)[0], np.nan)
    scattered[partition.rows] = values
    return scattered


@silhouette_measure(symbol="sil", reference="rousseeuw-1987", peer="sklearn.metrics.silhouette_score")
def silhouette_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    sample: Sample = "random",
    size: int | None = None,
    noise: Noise = "cluster",
    **kwds: Any,
) -> float:
    """Mean silhouette of all samples: how much nearer they are to their own cluster than to the next.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows.
    sample_size : int, default=None
        As in scikit-learn: the score of so many samples alone, drawn at random. None: of all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.
    sample : {"random", "stratified"}, default="random"
        "stratified" draws samples from every cluster and compares each with all the data: the result is an
        unbiased `Estimate` of the exact score with its standard error, and no small cluster is missed.
    size : int, default=None
        Samples to draw with "stratified"; None: 10,000. All of them when there are no more.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.
    **kwds
        Further parameters of the distance.

    Examples
    --------
    >>> round(silhouette_score([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.798
    """
    who = "silhouette_score"
    check_parameter(sample, Choice("random", "stratified"), name="sample", who=who)
    check_parameter(sample_size, Whole(1) | Nothing(), name="sample_size", who=who)
    check_parameter(size, Whole(2) | Nothing(), name="size", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    partition = read_partition(labels, noise)
    space = read_space(X, metric, partition, who=who, options=kwds)
    if sample == "stratified":
        if sample_size is not None:
            raise InvalidParameter('sample="stratified" of silhouette_score takes size=, got sample_size=.')
        return _estimate(space, partition.require_groups(), size or DEFAULT_SIZE, random_state)
    if size is not None:
        raise InvalidParameter('size of silhouette_score needs sample="stratified".')
    if sample_size is not None:
        kept = _random_state(random_state).permutation(partition.n_samples)[:sample_size]
        partition, space = partition.take(kept), space.take(kept)
    partition.require_groups()
    return float(coefficients(space.group_sums(partition), partition.codes, partition.sizes).mean())


def _random_state(random_state: RandomState) -> Any:
    if isinstance(random_state, np.random.Generator):
        return random_state
    return check_random_state(random_state)


def _estimate(space: Space, partition: Partition, size: int, random_state: RandomState) -> float:
    if size >= partition.n_samples:
        return float(coefficients(space.group_sums(partition), partition.codes, partition.sizes).mean())
    drawn = draw_from_each(partition, size, random_state)
    sums = space.sums_of(drawn, partition)
    values = coefficients(
        reduce_sums(sums, partition.codes[drawn], partition.sizes), partition.codes[drawn], partition.sizes
    )
    return Estimate.of_strata(values, partition.codes[drawn], partition.sizes)
