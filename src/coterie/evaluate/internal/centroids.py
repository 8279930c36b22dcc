"""Centroids, and how far samples are from theirs: what half of the internal measures are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, Data, MatrixLike, VectorLike
from coterie._support.validation import check_data
from coterie.errors import InvalidData
from coterie.evaluate.internal.partitions import SampleGroups, read_partition
from coterie.evaluate.labelings import Noise

ROWS_PER_BLOCK = 1 << 15
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Rows with their groups and weights; squared Euclidean distances to means."""

    X: Data
    partition: SampleGroups

    @cached_property
    def centroids(self) -> Numbers:
        """Weighted mean of each group."""
        return weighted_means(self.X, self.partition)

    @cached_property
    def mean(self) -> Numbers:
        """Weighted mean of all rows."""
        return np.asarray(self.partition.totals @ self.centroids / self.partition.total)

    @cached_property
    def squared(self) -> Numbers:
        """Squared distance of each row to its centroid."""
        return squared_to_own(self.X, self.centroids, self.partition.codes)

    @cached_property
    def within(self) -> Numbers:
        """Weighted sum of squares of each group."""
        return self.partition.sums(self.squared)

    @cached_property
    def between(self) -> float:
        """Weighted sum of squared distances from the centroids to the mean."""
        return float(self.partition.totals @ ((self.centroids - self.mean) ** 2).sum(axis=1))

    def require_groups(self) -> Scatter:
        """Refuse one group, and as many groups as samples."""
        self.partition.require_groups()
        return self


def read_scatter(
    X: MatrixLike, labels: VectorLike, noise: Noise, sample_weight: VectorLike | None, *, who: str
) -> Scatter:
    """Return checked data with the groups of their rows."""
    partition = read_partition(labels, noise).weigh(sample_weight, who=who)
    checked = check_data(X, who=who, may_be_distances=True)
    n_labels = int(np.shape(labels)[0])
    if n_labels != checked.shape[0]:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: [{checked.shape[0]}, {n_labels}]. "
            f"{who} needs a label per row."
        )
    return Scatter(checked if partition.rows is None else checked[partition.rows], partition)


def weighted_means(X: Data, partition: SampleGroups) -> Numbers:
    """Return the weighted mean row of each group in float64; rows are centred first: nothing cancels."""
    shift = X[: min(len(X), 1000)].mean(axis=0, dtype=np.float64)
    sums = np.zeros((partition.n_clusters, X.shape[1]))
    indicator = partition.indicator()
    for rows in _row_blocks(len(X)):
        sums += indicator[rows].T @ (X[rows] - shift)
    return np.asarray(sums / partition.totals[:, None] + shift)


def squared_to_own(X: Data, points: Numbers, own: npt.NDArray[np.int32]) -> Numbers:
    """Return the squared Euclidean distance of each row to its own point."""
    squared = np.empty(len(X))
    for rows in _row_blocks(len(X)):
        difference = X[rows] - points[own[rows]]
        np.einsum("ij,ij->i", difference, difference, out=squared[rows])
    return squared


def squared_between(points: Numbers) -> Numbers:
    """Return the squared Euclidean distances between all points."""
    metric = _core.Metric(_core.Kernel.squared_difference, _core.Finish.identity)
    contiguous: AnyArray = np.ascontiguousarray(points, dtype=np.float64)
    return np.asarray(_core.pairwise(contiguous, contiguous, metric))


def _row_blocks(n: int) -> Iterator[slice]:
    for first in range(0, n, ROWS_PER_BLOCK):
        yield slice(first, min(first + ROWS_PER_BLOCK, n))
