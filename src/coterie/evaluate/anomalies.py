"""Unusual rows: how far each row is from its own group, by the standards of that group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Distances,
    FloatArray,
    Indices,
    MatrixLike,
    MetricLike,
    VectorLike,
)
from coterie._support.validation import Choice, Whole, check_data, check_parameter
from coterie.distance import check_distance_matrix, input_kind, k_nearest, nearest, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.internal.centroids import squared_to_own, weighted_means
from coterie.evaluate.internal.partitions import SampleGroups, read_partition

AnomalyScore: TypeAlias = Literal["centre", "local"]
WAYS = ("centre", "local")
NEXT_TO_NOTHING = 1e-10  # added to mean distances before dividing by them, as in scikit-learn


@dataclass(frozen=True, eq=False)
class Anomalies:
    """How unusual each row is in its group.

    Parameters
    ----------
    scores : array of shape (n,)
        The larger, the more unusual. "centre" and "local": about 1 for an ordinary row; "glosh": 0 to 1. NaN
        for rows that were left out.
    shares : array of shape (n,)
        Share of all rows that are at least as unusual: 0.01 for the top percent, 1 for the most ordinary.
    groups : array of shape (n,)
        The group that each row was compared with: its own; for noise and for rows that are alone in their
        group, the nearest one. -1 for rows that were left out.
    how : {"centre", "local", "glosh"}
        What was compared.
    """

    scores: FloatArray
    shares: FloatArray
    groups: Any
    how: str

    def top(self, n: int = 10) -> Indices:
        """Return the most unusual rows, counted from 0, the most unusual first; of equals the first.

        Parameters
        ----------
        n : int, default=10
            How many.
        """
        check_parameter(n, Whole(0), name="n", who="Anomalies.top")
        order = np.argsort(-self.scores, kind="stable")  # NaN comes last
        return np.asarray(order[: min(int(n), int(np.isfinite(self.scores).sum()))])

    def __repr__(self) -> str:
        rows = ", ".join(f"{row} ({self.scores[row]:.3g})" for row in self.top(3))
        return f"<anomaly scores ({self.how}) of {len(self.scores):,} rows; the most unusual: {rows}>"


def anomaly_scores(
    X: MatrixLike,
    labels: VectorLike,
    *,
    how: AnomalyScore = "centre",
    metric: MetricLike = "euclidean",
    n_neighbors: int = 20,
    n_jobs: int | None = None,
) -> Anomalies:
    """Return how unusual each row is in its group, by the distances that are ordinary there.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows, scaled as for clustering; distances among them with metric="precomputed".
    labels : array-like of shape (n,)
        Group of each row; -1 is noise, which is compared with the nearest group.
    how : {"centre", "local"}, default="centre"
        "centre": distance to the mean of the group, divided by the median of that distance in the group, for
        round groups. "local": local outlier factor among the rows of the group [breunig-2000], for groups of
        any shape: how much thinner the rows are spread around a row than around its neighbours.
    metric : str, callable or Distance, default="euclidean"
        Distance of "local", as in `pairwise_distances`; "centre" is Euclidean.
    n_neighbors : int, default=20
        Neighbours of "local"; a smaller group uses all of its rows.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.

    Returns
    -------
    Anomalies
        Scores, the share of rows as unusual as each, and the group it was compared with.

    Examples
    --------
    >>> found = anomaly_scores([[0.0], [1.0], [2.0], [9.0], [50.0], [51.0], [52.0]], [0, 0, 0, 0, 1, 1, 1])
    >>> found.top(1), found.shares.round(2).tolist()
    (array([3]), [0.29, 0.71, 0.86, 0.14, 0.57, 1.0, 0.57])
    """
    who = "anomaly_scores"
    check_parameter(how, Choice(*WAYS), name="how", who=who)
    check_parameter(n_neighbors, Whole(1), name="n_neighbors", who=who)
    groups = _Groups.read(X, labels, how, metric, who)
    scores, own = groups.by_centre() if how == "centre" else groups.by_neighbours(int(n_neighbors), n_jobs)
    return Anomalies(scores, tail_shares(scores), groups.names[own], how)


def tail_shares(scores: FloatArray) -> FloatArray:
    """Return the share of scores that are at least as large as each; NaN for NaN, which does not count.

    Examples
    --------
    >>> tail_shares(np.array([1.0, 3.0, 1.0, 2.0])).tolist()
    [1.0, 0.25, 1.0, 0.5]
    """
    known = np.sort(scores[~np.isnan(scores)])
    at_least = len(known) - np.searchsorted(known, scores, side="left")
    return np.where(np.isnan(scores), np.nan, at_least / max(1, len(known)))


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows, the partition of those that have company, and which rows have none."""

    X: CheckedRows
    metric: MetricLike
    partition: SampleGroups
    inside: Indices
    alone: Indices
    names: AnyArray

    @classmethod
    def read(cls, X: MatrixLike, labels: VectorLike, how: str, metric: MetricLike, who: str) -> _Groups:
        is_matrix = input_kind(metric) != "data"
        if how == "centre" and (is_matrix or metric != "euclidean"):
            raise InvalidParameter(
                f'how="centre" of {who} compares rows with means, by metric="euclidean", got '
                f'{metric!r}. how="local" takes any distance.'
            )
        rows = check_distance_matrix(X) if is_matrix else check_data(X, who=who, accept_sparse=how == "local")
        whole = read_partition(labels, "singletons")
        if whole.n_samples != rows.shape[0]:
            raise InvalidData(
                f"Found input variables with inconsistent numbers of samples: [{rows.shape[0]}, "
                f"{whole.n_samples}]. {who} needs a label per row."
            )
        has_company = (whole.sizes > 1)[whole.codes]
        if not has_company.any():
            raise InvalidData(f"labels of {who} must have a group of two rows or more, got none.")
        partition = whole.take(np.flatnonzero(has_company))
        return cls(
            rows,
            metric,
            partition,
            np.flatnonzero(has_company),
            np.flatnonzero(~has_company),
            partition.names,
        )

    def by_centre(self) -> tuple[FloatArray, Indices]:
        """Return distances to means, by the median of the group, and the group of every row."""
        own = np.zeros(self.X.shape[0], dtype=np.intp)
        rows, codes = self.X[self.inside], self.partition.codes
        means = weighted_means(rows, self.partition)
        apart = np.sqrt(squared_to_own(rows, means, codes))
        spreads = self._ordinary(apart)
        scores = np.zeros(len(own))
        own[self.inside], scores[self.inside] = codes, apart / spreads[codes]
        if self.alone.size:
            far = pairwise_distances(self.X[self.alone], means) / spreads
            own[self.alone], scores[self.alone] = far.argmin(axis=1), far.min(axis=1)
        return scores, own

    def _ordinary(self, apart: Distances) -> FloatArray:
        """Return the median distance of each group; the mean, or that of all rows, where that is 0."""
        codes, sizes = self.partition.codes, self.partition.sizes
        ordered = apart[np.lexsort((apart, codes))]
        starts = np.cumsum(sizes) - sizes
        medians = (ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / 2
        found = np.where(medians > 0, medians, self.partition.sums(apart) / sizes)
        overall = float(apart.mean())
        return np.where(found > 0, found, overall if overall > 0 else 1.0)

    def by_neighbours(self, k: int, n_jobs: int | None) -> tuple[FloatArray, Indices]:
        """Return local outlier factors among the rows of the group, and the group of every row."""
        own, scores = np.zeros(self.X.shape[0], dtype=np.intp), np.zeros(self.X.shape[0])
        own[self.inside] = self.partition.codes
        if self.alone.size:
            own[self.alone] = self.partition.codes[self._nearest_inside(n_jobs)]
        for group, members in enumerate(self.partition.members):
            rows = self.inside[members]
            strays = self.alone[own[self.alone] == group]
            scores[rows], scores[strays] = self._factors(rows, strays, min(k, len(rows) - 1), n_jobs)
        return scores, own

    def _nearest_inside(self, n_jobs: int | None) -> Indices:
        if input_kind(self.metric) != "data":
            return np.asarray(self.X[np.ix_(self.alone, self.inside)].argmin(axis=1))
        return nearest(self.X[self.alone], self.X[self.inside], self.metric, n_jobs=n_jobs).index

    def _factors(
        self, rows: Indices, strays: Indices, k: int, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the factors of the rows of a group, and those of other rows among them."""
        if input_kind(self.metric) != "data":
            D = self.X[np.ix_(rows, rows)]
            near = k_nearest(D, None, k, self.metric, n_jobs=n_jobs)
            to_rows = self.X[np.ix_(strays, rows)]
            index = np.argsort(to_rows, axis=1, kind="stable")[:, :k]
            apart = np.take_along_axis(to_rows, index, axis=1)
        else:
            near = k_nearest(self.X[rows], None, k, self.metric, n_jobs=n_jobs)
            index, apart = np.empty((0, k), dtype=np.intp), np.empty((0, k))
            if strays.size:
                found = k_nearest(self.X[strays], self.X[rows], k, self.metric, n_jobs=n_jobs)
                index, apart = found.index, found.distance
        reach = np.asarray(near.distance[:, -1], dtype=np.float64)  # to the last neighbour of each row
        density = _densities(reach, near.index, near.distance)
        inside = density[near.index].mean(axis=1) / density
        return inside, density[index].mean(axis=1) / _densities(reach, index, apart)


def _densities(reach: FloatArray, index: Indices, distance: Distances) -> FloatArray:
    """Return reachability densities: one over the mean distance to neighbours, at least their reach."""
    return np.asarray(1.0 / (np.maximum(reach[index], distance).mean(axis=1) + NEXT_TO_NOTHING))
