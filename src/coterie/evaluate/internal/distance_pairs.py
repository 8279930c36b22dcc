"""Measures from all pairs of samples: distances within clusters should be smaller than between them.

c_index, gamma and tau put all distances in order, which takes memory for each pair; `sample_size` draws
samples from every cluster instead and compares those alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np

from coterie._support.stoppable import stoppable
from coterie._support.typing import FloatArray, MatrixLike, RandomState, ValuesByName, VectorLike
from coterie._support.validation import Nothing, Seed, Whole, check_parameter, require_memory
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.internal.sampling import Estimate, draw_from_each
from coterie.evaluate.internal.spaces import Space, read_space
from coterie.evaluate.labelings import Noise
from coterie.tree import Dendrogram

SMALLEST_SQUARED, LARGEST_SQUARED = 1e-100, 1e100  # sums of squares beyond may vanish or overflow
BYTES_PER_PAIR = 32  # the distances, their order, and what sorting takes
pair_measure = partial(
    measure, group="pairs by distance", needs="data", is_scale_free=True, compares_pairs=True
)


class PairDistances(NamedTuple):
    """Distances of the pairs of samples, apart by whether they share a cluster."""

    within: FloatArray
    between: FloatArray


class Order(NamedTuple):
    """Pairs of a distance within and one between clusters, by which is smaller."""

    right: int  # the one within
    wrong: int
    n_within: int
    n_between: int


@pair_measure(symbol="C", low=0, high=1, greater_is_better=False, reference="hubert-1976")
def c_index(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Sum of distances within clusters, between the least (0) and the greatest (1) sum of as many pairs.

    Examples
    --------
    >>> c_index([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    0.0
    """
    how = (metric, sample_size, random_state, noise, "c_index", kwds)
    return _of_pairs(_c_index, X, labels, *how)


def _c_index(pairs: PairDistances) -> float:
    count = pairs.within.size
    ordered = stoppable(_sorted_together, *pairs)
    low, high = ordered[:count].sum(), ordered[ordered.size - count :].sum()
    if high == low:
        return 0.0
    return float(min(1.0, max(0.0, (stoppable(np.sort, pairs.within).sum() - low) / (high - low))))


def _sorted_together(*parts: FloatArray) -> FloatArray:
    together = np.concatenate(parts)
    together.sort()
    return together


@pair_measure(symbol="Gamma", low=-1, high=1, reference="baker-1975")
def gamma(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Goodman-Kruskal gamma of distance and being apart: (s+ - s-) / (s+ + s-).

    s+ counts the pairs of a distance within a cluster and one between clusters of which the one within is
    smaller, s- those of which it is greater; equal ones do not count.

    Examples
    --------
    >>> gamma([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    1.0
    """
    how = (metric, sample_size, random_state, noise, "gamma", kwds)
    return _of_pairs(_gamma, X, labels, *how)


def _gamma(pairs: PairDistances) -> float:
    order = _count(pairs)
    counted = order.right + order.wrong
    return (order.right - order.wrong) / counted if counted else 0.0


@pair_measure(symbol="Tau", low=-1, high=1, reference="rohlf-1974")
def tau(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Kendall's tau of distance and being apart: (s+ - s-) / sqrt(N_w N_b N (N - 1) / 2).

    s+ and s- as in `gamma`; of N pairs of samples N_w are within clusters and N_b between. Far below 1 even
    for perfect clusters, for most pairs of distances are of one kind.

    Examples
    --------
    >>> round(tau([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.7303
    """
    how = (metric, sample_size, random_state, noise, "tau", kwds)
    return _of_pairs(_tau, X, labels, *how)


def _tau(pairs: PairDistances) -> float:
    order = _count(pairs)
    total = order.n_within + order.n_between
    return (order.right - order.wrong) / sqrt(order.n_within * order.n_between * (total * (total - 1) // 2))


def _of_pairs(
    function: Callable[[PairDistances], float],
    X: MatrixLike,
    labels: VectorLike,
    metric: DistanceLike,
    sample_size: int | None,
    random_state: RandomState,
    noise: Noise,
    who: str,
    options: ValuesByName,
) -> float:
    how = (metric, sample_size, random_state, noise, who, options)
    return _of_sample(lambda space, groups: function(all_pairs(space, groups, who)), X, labels, None, *how)


def _of_sample(
    function: Callable[[Space, SampleGroups], float],
    X: MatrixLike,
    labels: VectorLike,
    sample_weight: VectorLike | None,
    metric: DistanceLike,
    sample_size: int | None,
    random_state: RandomState,
    noise: Noise,
    who: str,
    options: ValuesByName,
) -> float:
    """Return a measure of all samples, or its estimate from a few of every cluster."""
    check_parameter(sample_size, Whole(3) | Nothing(), name="sample_size", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    partition = read_partition(labels, noise).weigh(sample_weight, who=who).require_groups()
    space = read_space(X, metric, partition, who=who, options=options)
    if sample_size is not None and sample_size < partition.n_samples:
        kept = draw_from_each(partition, sample_size, random_state)
        partition, space = partition.take(kept).require_groups(), space.take(kept)
        return Estimate.of_draw(function(space, partition), partition.n_samples)
    return function(space, partition)


def all_pairs(space: Space, partition: SampleGroups, who: str) -> PairDistances:
    """Return the distances of all pairs, in the order of rows."""
    n = partition.n_samples
    require_memory(
        BYTES_PER_PAIR * n * (n - 1) // 2,
        f"{who} of {n:,} samples",
        "It keeps the distances of all pairs: use sample_size=5000.",
    )
    sizes = np.bincount(partition.codes)
    n_within = int((sizes * (sizes - 1) // 2).sum())
    pairs = PairDistances(np.empty(n_within), np.empty(n * (n - 1) // 2 - n_within))
    ends = [0, 0]
    numbers = np.arange(n)
    for rows, distances in space.blocks():
        is_later = numbers[rows, None] < numbers
        is_same = partition.codes[rows, None] == partition.codes
        for kind, is_kind in enumerate((is_same, ~is_same)):
            found = distances[is_later & is_kind]
            pairs[kind][ends[kind] : ends[kind] + found.size] = found
            ends[kind] += found.size
    return pairs


def _count(pairs: PairDistances) -> Order:
    ordered = stoppable(np.sort, pairs.between)
    within = stoppable(np.sort, pairs.within)
    smaller = int(stoppable(np.searchsorted, ordered, within, "left").sum())
    at_most = int(stoppable(np.searchsorted, ordered, within, "right").sum())
    return Order(within.size * ordered.size - at_most, smaller, within.size, ordered.size)


@pair_measure(symbol="PB", low=-1, high=1, reference="milligan-1981")
def point_biserial(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Pearson correlation of the distances of pairs with being in different clusters (0 or 1).

    R's fpc calls it Pearson gamma. Exact for any number of samples: distances are summed, not kept.

    Examples
    --------
    >>> round(point_biserial([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.9562
    """
    how = (metric, sample_size, random_state, noise, "point_biserial", kwds)
    return _of_sample(_correlation, X, labels, sample_weight, *how)


def _correlation(space: Space, partition: SampleGroups, unit: float = 1.0) -> float:
    n, sizes, codes = partition.total, partition.totals, partition.codes
    weights = np.ones(codes.size) if partition.sample_weight is None else partition.sample_weight
    n_within = float((sizes * (sizes - 1)).sum())  # every pair counts twice here
    n_between = n * (n - 1) - n_within
    if not (n_within > 0 and n_between > 0):
        raise InvalidData(
            f"sample_weight of point_biserial says how many copies of a sample there are: with {n:g} in all, "
            f"no group holds a pair. Give weights that add up to more than 1 in a group."
        )
    total = within = largest = 0.0
    for rows, measured in space.blocks():
        distances = measured / unit
        largest = max(largest, float(distances.max(initial=0.0)))
        with np.errstate(over="ignore"):  # measured again below, in a unit of their size
            total += float(weights[rows] @ (distances @ weights))
            within += float(weights[rows] @ (np.where(codes[rows, None] == codes, distances, 0) @ weights))
    if largest > 0 and not SMALLEST_SQUARED < largest < LARGEST_SQUARED:
        return _correlation(space, partition, unit=largest)
    mean = total / (n_within + n_between)
    squares = sum(
        float(weights[rows] @ (np.square(measured / unit - mean, dtype=np.float64) @ weights))
        for rows, measured in space.blocks()
    )
    variance = (squares - n * mean**2) / (n_within + n_between)  # without the zeros of the diagonal
    if variance <= 0:
        return 0.0
    gap = (total - within) / n_between - within / n_within
    share = n_within / (n_within + n_between)
    return float(np.clip(gap * sqrt(share * (1 - share) / variance), -1.0, 1.0))


@measure(
    symbol="CPCC", group="trees", needs="tree", low=-1, high=1, is_scale_free=True, reference="sokal-1962"
)
def cophenetic_correlation(
    X: MatrixLike, cophenetic: VectorLike | Dendrogram, *, metric: DistanceLike = "euclidean", **kwds: object
) -> float:
    """Pearson correlation of the distances of pairs with the heights at which a tree joins them.

    Parameters
    ----------
    cophenetic : Dendrogram, or array-like of shape (n_samples * (n_samples - 1) / 2,)
        The tree; or the height of the join of every pair, in the order of SciPy's condensed distances, as
        ``scipy.cluster.hierarchy.cophenet`` gives it.

    Examples
    --------
    >>> round(cophenetic_correlation([[0.0], [1.0], [5.0]], [1.0, 4.5, 4.5]), 4)
    0.9707
    """
    who = "cophenetic_correlation"
    given: VectorLike = cophenetic.cophenetic() if isinstance(cophenetic, Dendrogram) else cophenetic
    heights = np.asarray(given, dtype=np.float64)
    n = np.shape(X)[0]
    if heights.shape != (n * (n - 1) // 2,) or not np.isfinite(heights).all():
        raise InvalidData(
            f"cophenetic of {who} must be {n * (n - 1) // 2} finite heights, one per pair of {n} samples, "
            f"got shape {heights.shape}."
        )
    together = SampleGroups(np.zeros(n, dtype=np.int32), np.zeros(1, dtype=np.int64))
    space = read_space(X, metric, together, who=who, options=kwds)
    distances = all_pairs(space, together, who).within
    is_flat = distances.size < 2 or np.ptp(distances) == 0 or np.ptp(heights) == 0
    return 0.0 if is_flat else float(np.clip(np.corrcoef(distances, heights)[0, 1], -1.0, 1.0))
