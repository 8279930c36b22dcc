"""The correlation of distances with being apart: from sums over all pairs of samples; none is kept."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from coterie._support.typing import MatrixLike, RandomState, VectorLike
from coterie._support.validation import Nothing, Seed, Whole, check_parameter
from coterie.evaluate.internal.distance_pairs import pair_measure
from coterie.evaluate.internal.partitions import Partition, read_partition
from coterie.evaluate.internal.sampling import Estimate, draw_from_each
from coterie.evaluate.internal.space_input import read_space
from coterie.evaluate.internal.spaces import Space
from coterie.evaluate.labelings import Noise


@pair_measure(symbol="PB", low=-1, high=1, reference="milligan-1981")
def point_biserial(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: Any,
) -> float:
    """Pearson correlation of the distances of pairs with being in different clusters (0 or 1).

    R's fpc calls it Pearson gamma. Exact for any number of samples: distances are summed, not kept.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows.
    sample_size : int, default=None
        Compare so many samples, drawn from every cluster, and return an `Estimate`; None: all.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.
    **kwds
        Further parameters of the distance.

    Examples
    --------
    >>> round(point_biserial([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.9562
    """
    who = "point_biserial"
    check_parameter(sample_size, Whole(3) | Nothing(), name="sample_size", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    partition = read_partition(labels, noise).weigh(sample_weight, who=who).require_groups()
    space = read_space(X, metric, partition, who=who, options=kwds)
    if sample_size is not None and sample_size < partition.n_samples:
        kept = draw_from_each(partition, sample_size, random_state)
        partition, space = partition.take(kept).require_groups(), space.take(kept)
        return Estimate.of_draw(_correlation(space, partition), partition.n_samples)
    return _correlation(space, partition)


def _correlation(space: Space, partition: Partition) -> float:
    n, sizes, codes = partition.total, partition.totals, partition.codes
    weights = np.ones(codes.size) if partition.sample_weight is None else partition.sample_weight
    n_within = float((sizes * (sizes - 1)).sum())  # every pair counts twice here
    n_between = n * (n - 1) - n_within
    total = within = 0.0
    for rows, distances in space.blocks():
        total += float(weights[rows] @ (distances @ weights))
        within += float(weights[rows] @ (np.where(codes[rows, None] == codes, distances, 0) @ weights))
    mean = total / (n_within + n_between)
    squares = sum(
        float(weights[rows] @ (np.square(distances - mean, dtype=np.float64) @ weights))
        for rows, distances in space.blocks()
    )
    variance = (squares - n * mean**2) / (n_within + n_between)  # without the zeros of the diagonal
    if variance <= 0:
        return 0.0
    gap = (total - within) / n_between - within / n_within
    share = n_within / (n_within + n_between)
    return float(np.clip(gap * sqrt(share * (1 - share) / variance), -1.0, 1.0))
