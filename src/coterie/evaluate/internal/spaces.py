"""Where internal measures get distances from: rows in the native engine, a given matrix, or any function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie import _core
from coterie._support.typing import CheckedRows, Data, Distances, MatrixLike, ValuesByName
from coterie._support.validation import check_data, refuse_heavy, require_memory
from coterie.distance import find_distance
from coterie.distance.catalogue import DistanceLike
from coterie.distance.mixed import holds_categories, read_mixed, takes_gaps, takes_table
from coterie.distance.scikit_learn import measure_by_scikit_learn
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.internal.centroids import squared_to_own, weighted_means
from coterie.evaluate.internal.partitions import SampleGroups

SumsOfRows: TypeAlias = Callable[[Data], npt.NDArray[np.float64]]
NORM = (_core.Kernel.dot, _core.Finish.norm)
SQUARED = _core.Metric(_core.Kernel.dot, _core.Finish.squared_norm)
BLOCK_NUMBERS = 1 << 22  # numbers of a block of distances: 32 MiB
WIDEST_WEIGHT = 1e15  # beyond, weighted sums of distances may not fit in float32
ROW_BANDS = 8  # of a symmetric pass: (1 + 1/8) / 2 of all pairs are computed
DENSE_NUMBERS = 1 << 25  # a sparse matrix of at most so many cells is made dense: 256 MiB


Chosen: TypeAlias = slice | npt.NDArray[np.intp]  # some of the samples


@dataclass(frozen=True, eq=False)
class NativeDistance:
    """A distance of the engine: how rows are prepared, what is computed, and a shortcut for sums.

    ``mean_sums(prepared, partition)`` returns the function that gives the sums of distances from rows to
    every group without looking at pairs; None: there is no such formula.
    """

    metric: _core.Metric
    prepare: Callable[[Data], Data]
    is_plain_euclidean: bool = False
    mean_sums: Callable[[Data, SampleGroups], SumsOfRows] | None = None
    self_distances: Callable[[Data], Data] | None = None  # what the formula gives for a row and itself
    squared_metric: _core.Metric | None = (
        None  # for least and greatest distances, without roots; None: there is none
    )


def find_native(metric: DistanceLike, options: ValuesByName, X: Data) -> NativeDistance | None:
    """Return the distance of the catalogue as the engine computes it, or None when it does not."""
    try:
        distance = find_distance(metric, **options).fit(X)
    except InvalidParameter:
        import scipy.spatial.distance
        from sklearn.metrics.pairwise import distance_metrics

        if isinstance(metric, str) and metric in {*distance_metrics(), *scipy.spatial.distance.__all__}:
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


def _squared_sums(X: Data, partition: SampleGroups) -> SumsOfRows:
    """Sum of |x - y|^2 over a group of n: n |x - mean|^2 plus the group's own sum of squares."""
    means = weighted_means(X, partition)
    scatter = partition.sums(squared_to_own(X, means, partition.codes))

    def of_rows(rows: Data) -> npt.NDArray[np.float64]:
        to_means = _core.pairwise(np.ascontiguousarray(rows, dtype=np.float64), means, SQUARED)
        return np.asarray(to_means * partition.totals + scatter)

    return of_rows


def _cosine_sums(X: Data, partition: SampleGroups) -> SumsOfRows:
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


class GroupSums(NamedTuple):
    """What a silhouette is made of, per sample."""

    own_sum: npt.NDArray[np.float64]  # of the distances to the own group
    nearest_mean: npt.NDArray[np.float64]  # least mean distance to another group
    neighbour: npt.NDArray[np.int32]  # that group


class Space:
    """Samples with distances between them; what is general is done block by block."""

    n_samples: int

    def block(self, rows: Chosen, columns: Chosen = slice(None)) -> Distances:
        """Return the distances from some samples to some, as a dense matrix."""
        raise NotImplementedError

    def take(self, kept: npt.NDArray[np.intp]) -> Space:
        """Return the space of some of the samples."""
        raise NotImplementedError

    def blocks(self) -> Iterator[tuple[slice, Distances]]:
        """Yield rows and their distances to all samples."""
        step = max(1, BLOCK_NUMBERS // self.n_samples)
        for first in range(0, self.n_samples, step):
            rows = slice(first, min(first + step, self.n_samples))
            yield rows, self.block(rows)

    def sums_to_groups(self, partition: SampleGroups) -> Iterator[tuple[slice, npt.NDArray[np.float64]]]:
        """Yield rows and the sums of their distances to every group."""
        indicator = partition.indicator()
        for rows, distances in self.blocks():
            yield rows, np.asarray((indicator.T @ distances.T).T)

    def sums_of(self, samples: npt.NDArray[np.intp], partition: SampleGroups) -> npt.NDArray[np.float64]:
        """Return the sums of distances from some samples to every group."""
        indicator, step = partition.indicator(), max(1, BLOCK_NUMBERS // self.n_samples)
        parts = [
            indicator.T @ self.block(samples[first : first + step]).T
            for first in range(0, samples.size, step)
        ]
        return np.concatenate(parts, axis=1).T

    def group_sums(self, partition: SampleGroups) -> GroupSums:
        """Return what a silhouette is made of."""
        parts = [
            reduce_sums(sums, partition.codes[rows], partition.totals)
            for rows, sums in self.sums_to_groups(partition)
        ]
        return GroupSums(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def between_sums(self, partition: SampleGroups) -> npt.NDArray[np.float64]:
        """Return the sum of the distances between every two groups; pairs within one count twice."""
        _require_table(partition)
        total = np.zeros((partition.n_clusters, partition.n_clusters))
        indicator = partition.indicator()
        for rows, sums in self.sums_to_groups(partition):
            total += indicator[rows].T @ sums
        return total

    def extremes(self, partition: SampleGroups) -> tuple[Distances, Distances]:
        """Return the smallest and the largest distance between every two groups."""
        _require_table(partition)
        k = partition.n_clusters
        smallest, largest = np.full((k, k), np.inf), np.full((k, k), -np.inf)
        for rows, distances in self.blocks():
            for group, members in enumerate(partition.members):
                block = distances[:, members]
                np.minimum.at(smallest[:, group], partition.codes[rows], block.min(axis=1))
                np.maximum.at(largest[:, group], partition.codes[rows], block.max(axis=1))
        return smallest, largest

    def nearest_in(self, members: npt.NDArray[np.intp]) -> Distances:
        """Return for every sample the distance to the nearest of some."""
        return np.concatenate([distances[:, members].min(axis=1) for _, distances in self.blocks()])


class MatrixSpace(Space):
    """Distances that are given."""

    def __init__(self, matrix: CheckedRows) -> None:
        self.matrix = matrix
        self.n_samples = matrix.shape[0]

    def block(self, rows: Chosen, columns: Chosen = slice(None)) -> Distances:
        chosen = self.matrix[rows][:, columns]
        return np.asarray(chosen.toarray() if issparse(chosen) else chosen)

    def take(self, kept: npt.NDArray[np.intp]) -> Space:
        return MatrixSpace(self.matrix[kept][:, kept])


class VectorSpace(Space):
    """Rows of numbers; `to` gives distances to other rows."""

    X: CheckedRows

    def to(self, points: CheckedRows, rows: Chosen = slice(None)) -> Distances:
        """Return the distances from some samples to other points of the same features."""
        raise NotImplementedError

    def among(self, points: CheckedRows) -> npt.NDArray[np.float64]:
        """Return the distances between other points."""
        raise NotImplementedError

    def to_own(self, points: CheckedRows, own: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """Return the distance of each sample to its own of several points."""
        distances = np.empty(self.n_samples)
        step = max(256, BLOCK_NUMBERS // len(points))
        for first in range(0, self.n_samples, step):
            rows = slice(first, min(first + step, self.n_samples))
            distances[rows] = self.to(points, rows)[np.arange(own[rows].size), own[rows]]
        return distances


class ForeignSpace(VectorSpace):
    """Rows with a distance that the native engine does not have: scikit-learn's, or a function."""

    def __init__(self, X: CheckedRows, metric: DistanceLike, options: ValuesByName, who: str) -> None:
        self.X, self.metric, self.options, self.who = X, metric, options, who
        self.n_samples = X.shape[0]

    def block(self, rows: Chosen, columns: Chosen = slice(None)) -> Distances:
        distances = self.to(self.X[columns], rows)
        numbers = np.arange(self.n_samples)
        is_same = numbers[rows][:, None] == numbers[columns]
        return np.where(is_same, 0, distances)  # products of sparse rows leave rounding there

    def to(self, points: CheckedRows, rows: Chosen = slice(None)) -> Distances:
        return self._between(self.X[rows], points)

    def among(self, points: CheckedRows) -> npt.NDArray[np.float64]:
        return self._between(points, points).astype(np.float64)

    def _between(self, rows: object, points: CheckedRows) -> Distances:
        from sklearn.metrics import pairwise_distances

        return measure_by_scikit_learn(
            lambda: np.asarray(pairwise_distances(rows, points, metric=self.metric, **self.options)),
            self.metric,
            who=self.who,
        )

    def take(self, kept: npt.NDArray[np.intp]) -> Space:
        return ForeignSpace(self.X[kept], self.metric, self.options, self.who)


class NativeSpace(VectorSpace):
    """Rows of numbers with a distance of the native engine."""

    def __init__(self, X: Data, distance: NativeDistance, prepared: Data | None = None) -> None:
        self.X, self.distance = X, distance
        self.prepared = np.ascontiguousarray(distance.prepare(X)) if prepared is None else prepared
        self.n_samples = X.shape[0]

    def block(self, rows: Chosen, columns: Chosen = slice(None)) -> Distances:
        return self._pairwise(self.prepared[rows], self.prepared[columns])

    def to(self, points: CheckedRows, rows: Chosen = slice(None)) -> Distances:
        other = self.distance.prepare(np.asarray(points, dtype=self.X.dtype))
        return self._pairwise(self.prepared[rows], other)

    def take(self, kept: npt.NDArray[np.intp]) -> Space:
        return NativeSpace(self.X[kept], self.distance, self.prepared[kept])

    def among(self, points: CheckedRows) -> npt.NDArray[np.float64]:
        prepared = self.distance.prepare(np.asarray(points, dtype=np.float64))
        return self._pairwise(prepared, prepared).astype(np.float64)

    def to_own(self, points: CheckedRows, own: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        if self.distance.is_plain_euclidean:
            return np.sqrt(squared_to_own(self.X, points, own))
        return super().to_own(points, own)

    def nearest_two_to(self, points: CheckedRows) -> tuple[npt.NDArray[np.int32], Distances]:
        """Return the two nearest of some points, and how far they are: two rows of each."""
        other = np.ascontiguousarray(self.distance.prepare(np.asarray(points, dtype=self.X.dtype)))
        index, value = _core.nearest_two(self.prepared, other, self.distance.metric)
        return index, value

    def sums_to_groups(self, partition: SampleGroups) -> Iterator[tuple[slice, npt.NDArray[np.float64]]]:
        step = max(256, BLOCK_NUMBERS // partition.n_clusters)
        mean_sums = self.distance.mean_sums
        about = None if mean_sums is None else mean_sums(self.prepared, partition)
        if about is None and partition.sample_weight is not None:
            yield from super().sums_to_groups(partition)
            return
        for first in range(0, self.n_samples, step):
            rows = slice(first, min(first + step, self.n_samples))
            if about is not None:
                yield rows, about(self.prepared[rows])
            else:
                yield rows, self._sums(self.prepared[rows], partition)

    def sums_of(self, samples: npt.NDArray[np.intp], partition: SampleGroups) -> npt.NDArray[np.float64]:
        if partition.sample_weight is not None:
            return super().sums_of(samples, partition)
        return self._sums(self.prepared[samples], partition)

    def group_sums(self, partition: SampleGroups) -> GroupSums:
        if self.distance.mean_sums is not None:
            parts = super().group_sums(partition)
            if self.distance.self_distances is None:
                return parts
            return parts._replace(own_sum=parts.own_sum - self.distance.self_distances(self.prepared))
        own, nearest, neighbour, _ = self._pass(partition)
        return GroupSums(own, nearest, neighbour)

    def between_sums(self, partition: SampleGroups) -> npt.NDArray[np.float64]:
        _require_table(partition)
        if self.distance.mean_sums is not None:
            return super().between_sums(partition)
        return np.asarray(self._pass(partition, between=True)[3])

    def _pass(self, partition: SampleGroups, *, between: bool = False) -> Any:
        weights: Any = partition.sample_weight
        rows, groups = self.prepared, (partition.codes, partition.n_clusters)
        if weights is not None:
            is_wide = weights.max() > WIDEST_WEIGHT or weights.min() < 1 / WIDEST_WEIGHT
            rows = rows.astype(np.float64, copy=False) if is_wide else rows
            weights = np.ascontiguousarray(weights, dtype=rows.dtype)
        return _core.silhouette(rows, *groups, self.distance.metric, between, weights)

    def extremes(self, partition: SampleGroups) -> tuple[Distances, Distances]:
        _require_table(partition)
        order = np.argsort(partition.codes, kind="stable")
        rows, codes = np.ascontiguousarray(self.prepared[order]), partition.codes[order]
        k, step = partition.n_clusters, max(256, -(-self.n_samples // ROW_BANDS))
        squared = self.distance.squared_metric
        metric = self.distance.metric if squared is None else squared
        smallest, largest = np.full((k, k), np.inf), np.full((k, k), -np.inf)
        for first in range(0, self.n_samples, step):  # each pair once, but for those of a band with itself
            band = rows[first : first + step], codes[first : first + step]
            low, high = _core.group_extremes(*band, rows[first:], codes[first:], k, metric)
            np.minimum(smallest, low, out=smallest)
            np.maximum(largest, high, out=largest)
        smallest, largest = np.minimum(smallest, smallest.T), np.maximum(largest, largest.T)
        return (smallest, largest) if squared is None else (np.sqrt(smallest), np.sqrt(largest))

    def nearest_in(self, members: npt.NDArray[np.intp]) -> Distances:
        chosen = np.ascontiguousarray(self.prepared[members])
        return np.asarray(_core.nearest(self.prepared, chosen, self.distance.metric)[1])

    def _pairwise(self, rows: Data, columns: Data) -> Distances:
        pair = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
        return np.asarray(_core.pairwise(*pair, self.distance.metric))

    def _sums(self, rows: Data, partition: SampleGroups) -> npt.NDArray[np.float64]:
        groups = (partition.codes, partition.n_clusters)
        chosen = np.ascontiguousarray(rows)
        return np.asarray(_core.group_sums(chosen, self.prepared, *groups, self.distance.metric))


def reduce_sums(
    sums: npt.NDArray[np.float64], own: npt.NDArray[np.int32], totals: npt.NDArray[np.float64]
) -> GroupSums:
    """Return the parts of a silhouette from sums of distances to every group."""
    at = np.arange(own.size)
    own_sum = sums[at, own].copy()
    means = sums / totals
    means[at, own] = np.inf
    neighbour = means.argmin(axis=1).astype(np.int32)
    return GroupSums(own_sum, means[at, neighbour], neighbour)


def _require_table(partition: SampleGroups) -> None:
    k = partition.n_clusters
    require_memory(
        8 * 8 * k * k, f"A table of {k:,} x {k:,} groups", "Use a measure that does not compare all groups."
    )


class NeedsRows(InvalidParameter):
    """A measure was given distances where it needs the rows of the data."""


def read_space(
    X: MatrixLike,
    metric: DistanceLike,
    partition: SampleGroups,
    *,
    who: str,
    options: ValuesByName | None = None,
) -> Space:
    """Return the samples of a partition with their distances, or say what is wrong with them."""
    options = options or {}
    space = _read_space(X, metric, partition, who, options)
    if isinstance(space, VectorSpace):
        refuse_heavy(space.X, partition.sample_weight, who=who)
    return space


def _read_space(
    X: MatrixLike, metric: DistanceLike, partition: SampleGroups, who: str, options: ValuesByName
) -> Space:
    if isinstance(metric, str) and metric == "precomputed":
        return _align(MatrixSpace(_read_matrix(X, who)), partition, who)
    if takes_table(metric, X):
        rows, _, distance = read_mixed(X, None, find_distance(metric, **options), who=who)
        native = find_native(distance, {}, rows)
        assert native is not None
        return _align(NativeSpace(rows, native), partition, who)
    gaps = takes_gaps(metric)
    checked: CheckedRows = check_data(
        X, who=who, accept_sparse=True, may_be_distances=True, may_have_gaps=gaps
    )
    if issparse(checked) and checked.shape[0] * checked.shape[1] > max(DENSE_NUMBERS, 4 * checked.nnz):
        return _align(ForeignSpace(checked, metric, options, who), partition, who)
    dense = np.ascontiguousarray(checked.toarray()) if issparse(checked) else checked
    native = find_native(metric, options, dense)
    if native is None:
        return _align(ForeignSpace(checked, metric, options, who), partition, who)
    return _align(NativeSpace(dense, native), partition, who)


def read_vectors(
    X: MatrixLike,
    metric: DistanceLike,
    partition: SampleGroups,
    *,
    who: str,
    options: ValuesByName | None = None,
) -> VectorSpace:
    """Return the samples as rows of numbers: for measures that need centroids."""
    if isinstance(metric, str) and metric == "precomputed":
        raise NeedsRows(f'{who} needs centroids, so metric must be a distance of rows, got "precomputed".')
    if takes_gaps(metric) or holds_categories(metric, X):
        raise NeedsRows(
            f"{who} needs centroids, which tables with categories or missing cells do not have: use "
            f"silhouette_score."
        )
    space = read_space(X, metric, partition, who=who, options=options)
    assert isinstance(space, VectorSpace)
    if issparse(space.X):
        raise InvalidData(f"{who} needs centroids: X must be dense, got a sparse matrix. Use X.toarray().")
    return space


def _align(space: Space, partition: SampleGroups, who: str) -> Space:
    n_labels = partition.n_samples + partition.n_left_out
    if n_labels != space.n_samples:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: [{space.n_samples}, {n_labels}]. "
            f"{who} needs a label per row."
        )
    if partition.rows is None:
        return space
    return space.take(partition.rows)


def _read_matrix(X: Any, who: str) -> CheckedRows:
    matrix = check_data(X, who=who, accept_sparse=True, may_be_distances=True, squares=False)
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidData(
            f'X of {who} must be square with metric="precomputed": distances between all samples, got shape '
            f"{matrix.shape}."
        )
    is_whole = (X if issparse(X) else np.asarray(X)).dtype.kind in "iu"
    tolerance = 0.0 if is_whole else float(np.finfo(matrix.dtype).eps) * 100
    if np.any(np.abs(matrix.diagonal()) > tolerance):
        raise InvalidData(
            f"The precomputed distance matrix of {who} contains non-zero elements on the diagonal. "
            f"Use np.fill_diagonal(X, 0)."
        )
    return matrix
