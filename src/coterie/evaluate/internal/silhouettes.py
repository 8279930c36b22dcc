"""The silhouette: how much nearer each sample is to its own cluster than to the next one.

With a the mean distance to the other samples of the own cluster and b the least mean distance to another
cluster, s = (b - a) / max(a, b). A sample alone in its cluster scores 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from coterie._support.typing import FloatArray, MatrixLike, RandomState, VectorLike
from coterie._support.validation import Choice, Nothing, Seed, Whole, check_parameter
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.partitions import Partition, read_partition
from coterie.evaluate.internal.sampling import Estimate, draw_from_each
from coterie.evaluate.internal.silhouette_value import Silhouette, coefficients
from coterie.evaluate.internal.space_input import read_space
from coterie.evaluate.internal.spaces import Space, reduce_sums
from coterie.evaluate.labelings import Noise

Sample: TypeAlias = Literal["random", "stratified"]
DEFAULT_SIZE = 10_000

silhouette_measure = partial(measure, group="silhouettes", needs="data", low=-1, high=1, is_scale_free=True)


def silhouette(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: Any = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: Any,
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
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.
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
    partition = _read_groups(labels, noise, sample_weight, "silhouette").require_groups()
    space = read_space(X, metric, partition, who="silhouette", options=kwds)
    return Silhouette.of(space.group_sums(partition), partition)


def silhouette_samples(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: Any = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: Any,
) -> FloatArray:
    """Return the silhouette coefficient of every sample; NaN for noise that is left out, and for weight 0.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.
    **kwds
        Further parameters of the distance.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [1.0], [2.0], [3.0], [3.0]], [0, 1, 1, 1, 2, 2])
    array([0. , 0.5, 0.5, 0. , 1. , 1. ])
    """
    partition = _read_groups(labels, noise, sample_weight, "silhouette_samples").require_groups()
    space = read_space(X, metric, partition, who="silhouette_samples", options=kwds)
    values = _values(space, partition)
    if partition.rows is None:
        return values
    scattered = np.full(np.shape(labels)[0], np.nan)
    scattered[partition.rows] = values
    return scattered


@silhouette_measure(
    symbol="sil", reference="rousseeuw-1987", peer="sklearn.metrics.silhouette_score", compares_pairs=True
)
def silhouette_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    sample: Sample = "random",
    size: int | None = None,
    sample_weight: VectorLike | None = None,
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
        The result is an `Estimate` that says so.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.
    sample : {"random", "stratified"}, default="random"
        "stratified" draws samples from every cluster and compares each with all the data: the result is an
        unbiased `Estimate` of the exact score with its standard error, and no small cluster is missed.
    size : int, default=None
        Samples to draw with "stratified"; None: 10,000. All of them when there are no more.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.
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
    partition = _read_groups(labels, noise, sample_weight, who)
    space = read_space(X, metric, partition, who=who, options=kwds)
    if sample == "stratified":
        if sample_size is not None:
            raise InvalidParameter('sample="stratified" of silhouette_score takes size=, got sample_size=.')
        return _estimate(space, partition.require_groups(), size or DEFAULT_SIZE, random_state)
    if size is not None:
        raise InvalidParameter('size of silhouette_score needs sample="stratified".')
    if sample_size is not None:
        kept = _random_state(random_state).permutation(partition.n_samples)[:sample_size]
        partition, space = partition.take(kept).require_groups(), space.take(kept)
        return Estimate.of_draw(partition.mean(_values(space, partition)), partition.n_samples)
    return partition.require_groups().mean(_values(space, partition))


def _read_groups(labels: VectorLike, noise: Noise, sample_weight: VectorLike | None, who: str) -> Partition:
    partition = read_partition(labels, noise).weigh(sample_weight, who=who)
    if partition.totals.min() < 1:
        raise InvalidData(
            f"sample_weight of {who} counts samples: every cluster must weigh at least 1, got "
            f"{partition.totals.min():.3g} for cluster {partition.names[partition.totals.argmin()]}."
        )
    return partition


def _values(space: Space, partition: Partition) -> npt.NDArray[np.float64]:
    return coefficients(space.group_sums(partition), partition.codes, partition.totals)


def _random_state(random_state: RandomState) -> Any:
    if isinstance(random_state, np.random.Generator):
        return random_state
    return check_random_state(random_state)


def _estimate(space: Space, partition: Partition, size: int, random_state: RandomState) -> float:
    if size >= partition.n_samples:
        return partition.mean(_values(space, partition))
    drawn = draw_from_each(partition, size, random_state)
    codes, totals = partition.codes[drawn], partition.totals
    values = coefficients(reduce_sums(space.sums_of(drawn, partition), codes, totals), codes, totals)
    if partition.sample_weight is not None:  # the plain mean of these is the weighted mean of the silhouettes
        values *= partition.sample_weight[drawn] * (partition.n_samples / partition.total)
    return Estimate.of_strata(values, codes, partition.sizes)
