"""Distances that the native engine computes, as internal measures ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.spatial.distance
from sklearn.metrics.pairwise import distance_metrics

from coterie import _core
from coterie._support.typing import Data
from coterie.distance import get_distance
from coterie.errors import InvalidParameter
from coterie.evaluate.internal.centroids import squared_to_own, weighted_means
from coterie.evaluate.internal.partitions import Partition

SumsOfRows: TypeAlias = Callable[[Data], npt.NDArray[np.float64]]
NORM = (_core.Kernel.dot, _core.Finish.norm)
SQUARED = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)


@dataclass(frozen=True, eq=False)
class NativeDistance:
    """A distance of the engine: how rows are prepared, what is computed, and a shortcut for sums.

    ``mean_sums(prepared, partition)`` returns the function that gives the sums of distances from rows to
    every group without looking at pairs; None: there is no such formula.
    """

    metric: Any
    prepare: Callable[[Data], Data]
    is_plain_euclidean: bool = False
    mean_sums: Callable[[Data, Partition], SumsOfRows] | None = None
    self_distances: Callable[[Data], Data] | None = None  # what the formula gives for a row and itself
    squared_metric: Any = None  # for least and greatest distances, without roots; None: there is none


def find_native(metric: Any, options: dict[str, Any], X: Data) -> NativeDistance | None:
    """Return the distance of the catalogue as the engine computes it, or None when it does not."""
    try:
        distance = get_distance(metric, **options).fit(X)
    except InvalidParameter:
        if isinstance(metric, str) and _is_known_elsewhere(metric):
            return None
        raise
    if distance.kernel is None:
        return None
    mean_sums = {_core.Finish.squared_norm: _squared_sums, _core.Finish.cosine: _cosine_sums}
    return NativeDistance(
        metric=distance.metric,
        prepare=distance.prepare,
        is_plain_euclidean=distance.euclidean_form == "distance" and distance.transform is None,
        mean_sums=mean_sums.get(distance.finish),
        self_distances=_cosine_to_itself if distance.finish == _core.Finish.cosine else None,
        squared_metric=SQUARED if (distance.kernel, distance.finish) == NORM else None,
    )


def _is_known_elsewhere(name: str) -> bool:
    return name in distance_metrics() or name in scipy.spatial.distance.__all__


def _squared_sums(X: Data, partition: Partition) -> SumsOfRows:
    """Sum of |x - y|^2 over a group of n: n |x - mean|^2 plus the group's own sum of squares."""
    means = weighted_means(X, partition)
    scatter = partition.sums(squared_to_own(X, means, partition.codes))

    def of_rows(rows: Data) -> npt.NDArray[np.float64]:
        to_means = _core.pairwise(np.ascontiguousarray(rows, dtype=np.float64), means, SQUARED)
        return np.asarray(to_means * partition.totals + scatter)

    return of_rows


def _cosine_sums(X: Data, partition: Partition) -> SumsOfRows:
    """Sum of 1 - x.y over a group of n unit rows: n - x.(sum of the rows)."""
    totals = np.asarray(partition.indicator().T @ X.astype(np.float64))
    # unit rows are so by rounding: what is left of equal ones must be 0, as by pairs
    nothing = float(np.finfo(X.dtype).eps) * (4 + np.sqrt(X.shape[1])) * partition.totals

    def of_rows(rows: Data) -> npt.NDArray[np.float64]:
        sums = partition.totals - rows.astype(np.float64) @ totals.T
        return np.asarray(np.where(sums > nothing, sums, 0.0))

    return of_rows


def _cosine_to_itself(X: Data) -> Data:
    return np.asarray(
        1.0 - np.any(X, axis=1)
    )  # a row of zeros is at distance 1 from every row, but 0 from itself
