"""Distances that the native engine computes, as internal measures ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._typing import Data
from coterie.evaluate.centroids import squared_to_own, weighted_means
from coterie.evaluate.partitions import Partition

SumsOfRows: TypeAlias = Callable[[Data], npt.NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class NativeDistance:
    """A distance of the engine: how rows are prepared, what is computed, and a shortcut for sums.

    ``mean_sums(prepared, partition)`` returns the function that gives the sums of distances from rows to
    every group without looking at pairs; None: there is no such formula.
    """

    metric: Any
    prepare: Callable[[Data], Data]
    mean_sums: Callable[[Data, Partition], SumsOfRows] | None = None
    self_distances: Callable[[Data], Data] | None = None  # what the formula gives for a row and itself


def find_native(metric: Any, options: dict[str, Any]) -> NativeDistance | None:
    """Return the engine's distance of that name, or None when it has none."""
    if not isinstance(metric, str):
        return None
    if metric == "minkowski" and set(options) <= {"p"} and options.get("p", 2) >= 1:
        return NativeDistance(
            _core.Metric(_core.Kernel.minkowski, _core.Finish.power_root, float(options.get("p", 2))), _as_is
        )
    return None if options else NATIVE.get(metric)


def _as_is(X: Data) -> Data:
    return X


def _unit_rows(X: Data) -> Data:
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(length == 0, 1, length), dtype=X.dtype)


def _centred_unit_rows(X: Data) -> Data:
    return _unit_rows(X - X.mean(axis=1, keepdims=True))


def _squared_sums(X: Data, partition: Partition) -> SumsOfRows:
    """Sum of |x - y|^2 over a group of n: n |x - mean|^2 plus the group's own sum of squares."""
    means = weighted_means(X, partition)
    scatter = partition.sums(squared_to_own(X, means, partition.codes))
    squared = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)

    def of_rows(rows: Data) -> npt.NDArray[np.float64]:
        to_means = _core.pairwise(np.ascontiguousarray(rows, dtype=np.float64), means, squared)
        return np.asarray(to_means * partition.sizes + scatter)

    return of_rows


def _cosine_sums(X: Data, partition: Partition) -> SumsOfRows:
    """Sum of 1 - x.y over a group of n unit rows: n - x.(sum of the rows)."""
    totals = np.asarray(partition.indicator().T @ X.astype(np.float64))

    def of_rows(rows: Data) -> npt.NDArray[np.float64]:
        return np.asarray(np.maximum(0.0, partition.sizes - rows.astype(np.float64) @ totals.T))

    return of_rows


def _cosine_to_itself(X: Data) -> Data:
    return np.asarray(
        1.0 - np.any(X, axis=1)
    )  # a row of zeros is at distance 1 from every row, but 0 from itself


def _metric(kernel: str, finish: str = "identity") -> Any:
    return _core.Metric(getattr(_core.Kernel, kernel), getattr(_core.Finish, finish))


EUCLIDEAN = NativeDistance(_metric("dot", "norm"), _as_is)
SQUARED = NativeDistance(_metric("dot", "squared_norm"), _as_is, _squared_sums)
MANHATTAN = NativeDistance(_metric("manhattan"), _as_is)

COSINE_METRIC = _metric("dot", "cosine")

NATIVE = {
    "euclidean": EUCLIDEAN,
    "l2": EUCLIDEAN,
    "sqeuclidean": SQUARED,
    "manhattan": MANHATTAN,
    "cityblock": MANHATTAN,
    "l1": MANHATTAN,
    "chebyshev": NativeDistance(_metric("chebyshev"), _as_is),
    "canberra": NativeDistance(_metric("canberra"), _as_is),
    "hamming": NativeDistance(_metric("hamming", "mean"), _as_is),
    "cosine": NativeDistance(COSINE_METRIC, _unit_rows, _cosine_sums, _cosine_to_itself),
    "correlation": NativeDistance(COSINE_METRIC, _centred_unit_rows, _cosine_sums, _cosine_to_itself),
}
