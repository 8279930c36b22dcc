"""What criteria look at: the rows, their clusterings, and the sums that several criteria share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.progress import Tracker
from coterie._support.typing import CheckedRows, Data, Labels
from coterie.distance import find_distance
from coterie.distance.catalogue import DistanceLike
from coterie.evaluate.belief import MixedColumns
from coterie.evaluate.internal import SampleGroups, Scatter, Space, read_space
from coterie.select.curve import Values
from coterie.select.partitioners import Partitioner
from coterie.select.partitions import LabelsByK
from coterie.select.rules import Measured

Measure: TypeAlias = "Callable[[Subject], Measured]"


@dataclass(frozen=True)
class Effort:
    """How much is drawn where something is drawn."""

    sample_size: int  # rows that criteria of all pairs look at, when there are more
    rerun_size: int  # rows that the method is run on again, when there are more
    n_draws: int  # data sets without clusters, for the gap statistic
    n_splits: int  # splits of the rows in two, for prediction strength
    n_folds: int  # parts of the rows that are held out in turn
    n_resamples: int  # bootstrap samples


@dataclass(frozen=True, eq=False)
class SquareSums:
    """What sums of squares give, of one clustering."""

    within: float  # sum of squared distances to the own centroid
    centroids: Values
    mean_distance: Values  # to the centroid, of each cluster


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows (or distances) with their clusterings."""

    X: Data  # checked rows, or a matrix of distances
    ks: tuple[int, ...]  # numbers of clusters, ascending
    partitioner: Partitioner  # the method
    partitions: LabelsByK  # its clusterings of all rows
    effort: Effort  # how much to draw
    mixed: MixedColumns | None  # which columns are categories; None: none
    metric: DistanceLike  # between rows
    seed: int  # of every draw
    tracker: Tracker = field(repr=False)  # hears of the steps

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @cached_property
    def _found(self) -> dict[Measure, Measured]:
        return {}

    def shared(self, measure: Measure) -> Measured:
        """Return what a criterion found, computed once for all that ask."""
        if measure not in self._found:
            self._found[measure] = measure(self)
        return self._found[measure]

    def random(self, *purpose: int) -> np.random.Generator:
        """Return the generator of one purpose: criteria do not disturb each other's draws."""
        return np.random.default_rng([self.seed, *purpose])

    def labels(self, k: int) -> Labels | None:
        """Return the labels of one k, None where there are none."""
        return self.partitions.labels[k]

    @cached_property
    def sums(self) -> dict[int, SquareSums]:
        """Sums of squares of every clustering there is."""
        found = {}
        for k in self.ks:
            labels = self.labels(k)
            if labels is not None:
                found[k] = sums_of(self.X, labels, k)
        return found

    @cached_property
    def within(self) -> Values:
        """Sum of squared distances to the own centroid, of each k."""
        return np.array([self.sums[k].within if k in self.sums else np.nan for k in self.ks])

    @cached_property
    def total(self) -> float:
        """Sum of squared distances of all rows to their mean."""
        return float(((self.X - self.X.mean(axis=0, dtype=np.float64)) ** 2).sum(dtype=np.float64))

    @cached_property
    def distortion(self) -> Values:
        """The method's objective, where it has one; else the sum of squares within clusters."""
        inertias = self.partitions.inertias
        if inertias:
            return np.array([inertias[k] if self.labels(k) is not None else np.nan for k in self.ks])
        return self.within if self.mixed is None else self._dispersion

    @cached_property
    def _dispersion(self) -> Values:
        """Sum over clusters of (sum of distances of pairs) / (2 x size), of the sampled rows."""
        found = np.full(len(self.ks), np.nan)
        for at, k in enumerate(self.ks):
            labels = self.labels(k)
            if labels is None:
                continue
            whole = partition_of(labels, k)
            partition = whole if self.sample is None else whole.take(self.sample)
            own = np.concatenate(
                [
                    np.take_along_axis(sums, partition.codes[rows, None], axis=1)[:, 0]
                    for rows, sums in self.space.sums_to_groups(partition)
                ]
            )
            found[at] = float((own / partition.totals[partition.codes]).sum() / 2)
        return found

    @cached_property
    def sample(self) -> npt.NDArray[np.intp] | None:
        """Rows for criteria of all pairs; None: all."""
        if self.n_rows <= self.effort.sample_size:
            return None
        return np.sort(self.random(1).choice(self.n_rows, self.effort.sample_size, replace=False))

    @cached_property
    def space(self) -> Space:
        """The sampled rows with the method's distance."""
        how = self.partitioner
        metric = self.metric if how.takes_rows else "precomputed"
        if self.sample is not None and how.takes_rows and _is_plain_euclidean(metric):
            few = self.X[self.sample].astype(np.float64)
            # the error of the draw is far above that of single precision, which is twice as fast
            rows = np.ascontiguousarray(few - few.mean(axis=0), dtype=np.float32)
            return read_space(rows, metric, _together(len(rows)), who="choose_k")
        whole: CheckedRows = read_space(self.X, metric, _together(self.n_rows), who="choose_k")
        return whole if self.sample is None else whole.take(self.sample)  # type: ignore[no-any-return]

    def sampled(self, k: int) -> SampleGroups | None:
        """Return the sampled rows' clusters; None where criteria of pairs have nothing to compare."""
        labels = self.labels(k)
        if labels is None or k < 2:
            return None
        whole = partition_of(labels, k)
        part = whole if self.sample is None else whole.take(self.sample)
        return part if 1 < part.n_clusters < part.n_samples else None

    @property
    def sample_note(self) -> str:
        """How the criteria of pairs were found, if not from all rows."""
        return "" if self.sample is None else f"estimated from {self.sample.size:,} of {self.n_rows:,} rows"

    @cached_property
    def rerun_rows(self) -> Data:
        """Rows that the method is run on again."""
        if self.n_rows <= self.effort.rerun_size:
            return self.X
        rows = np.sort(self.random(2).choice(self.n_rows, self.effort.rerun_size, replace=False))
        return np.ascontiguousarray(self.X[rows])

    @property
    def rerun_note(self) -> str:
        """The same for criteria that run the method again."""
        n_rows = len(self.rerun_rows)
        return "" if n_rows == self.n_rows else f"estimated from {n_rows:,} of {self.n_rows:,} rows"


def _is_plain_euclidean(metric: DistanceLike) -> bool:
    distance = find_distance(metric)
    return distance.euclidean_form == "distance" and distance.transform is None


def _together(n_rows: int) -> SampleGroups:
    return partition_of(np.zeros(n_rows, dtype=np.int32), 1)


def partition_of(labels: Labels, k: int) -> SampleGroups:
    """Return labels 0..k-1 as internal measures take them."""
    return SampleGroups(np.ascontiguousarray(labels, dtype=np.int32), np.arange(k))


def sums_of(X: Data, labels: Labels, k: int) -> SquareSums:
    """Return the sums of one clustering."""
    partition = partition_of(labels, k)
    scatter = Scatter(X, partition)
    squared = scatter.squared
    distance = partition.sums(np.sqrt(squared)) / partition.totals
    return SquareSums(float(squared.sum()), scatter.centroids, distance)
