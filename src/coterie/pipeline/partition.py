"""One division of the rows at hand into groups, and what can be measured about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._support.typing import AnyArray, CheckedRows, Data, FloatArray, Indices, Labels
from coterie._support.validation import Choice, Nothing, check_parameter
from coterie.data import LabelledData
from coterie.errors import CoterieError, InvalidParameter
from coterie.evaluate import Anomalies, anomaly_scores, compare, silhouette
from coterie.evaluate.anomalies import WAYS, tail_shares
from coterie.pipeline.groups import known_means, telling_columns

if TYPE_CHECKING:
    from coterie.pipeline.answer import Clustering

OVERLAPPING = 0.02  # of a group's rows that are nearer to another, from which it overlaps it
HARDLY_ANY = 0.03  # of the rows
TOUCHING = 0.15  # silhouette below which a row is as near to another group
AGREEMENT = ("adjusted_rand_score", "normalized_mutual_info_score", "purity_score", "matched_accuracy")


@dataclass(frozen=True, eq=False)
class RowsAtHand:
    """The rows that partitions are measured on: all that were grouped, or a sample of rows in blocks."""

    X: CheckedRows  # (n, n_columns): their values in the table's units
    points: CheckedRows  # (n, n_columns): the same as the method saw them: scaled
    numbers: Indices  # (n,): which rows of the table they are, counted from 0, ascending
    columns: tuple[str, ...]  # names of the columns
    n_all: int  # rows that were grouped, of which these are all or a sample
    metric: str = "euclidean"  # distance between points
    classes: Sequence[str] | None = None  # the classes that the rows are known to have; "" where unknown
    # for columns that stand for a category, the column that it is of; see `Profile`
    category_of: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @cached_property
    def overall(self) -> FloatArray:
        """The mean of every column."""
        if self.has_gaps:
            return known_means(self.X, sparse.csr_array((0, len(self))))[1]
        return np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()

    @cached_property
    def has_gaps(self) -> bool:
        """Whether cells are missing."""
        return not sparse.issparse(self.X) and bool(np.isnan(self.X).any())

    @cached_property
    def spread(self) -> FloatArray:
        """The standard deviation of every column."""
        if self.has_gaps:
            return known_means(self.X, sparse.csr_array((0, len(self))))[2]
        if not sparse.issparse(self.X):
            return np.asarray(self.X.std(axis=0, dtype=np.float64))
        squares = np.asarray(self.X.multiply(self.X).mean(axis=0)).ravel()
        return np.asarray(np.sqrt(np.maximum(squares - self.overall**2, 0.0)))

    @cached_property
    def class_codes(self) -> tuple[list[str], Labels]:
        """The names of the classes, the largest first, and each row's; -1 for rows without one."""
        known = np.asarray(self.classes, dtype=str)
        names, codes, counts = np.unique(known, return_inverse=True, return_counts=True)
        order = np.argsort(-np.where(names == "", -1, counts), kind="stable")
        places = np.empty(len(names), dtype=np.int64)
        places[order] = np.arange(len(names))
        listed = [str(name) for name in names[order] if name != ""]
        found = places[codes]
        return listed, np.where(found < len(listed), found, -1)


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Sizes, means, and how far they are from the means of all rows, in standard deviations of all rows."""

    columns: tuple[str, ...]
    sizes: Labels
    means: FloatArray
    differences: FloatArray
    overall: FloatArray
    spread: FloatArray
    category_of: tuple[str, ...] = ()

    def apart(self, group: int) -> list[tuple[str, float]]:
        """Return the columns in which a group differs notably, the most telling first."""
        return [(self.columns[at], float(self.differences[group, at])) for at in self.telling(group)]

    def telling(self, group: int) -> list[int]:
        """Return the same columns by number."""
        return telling_columns(self.differences[group], self.category_of)

    def is_share(self, at: int) -> bool:
        """Return whether a column stands for a category, and its mean for a share."""
        return bool(self.category_of and self.category_of[at])

    @cached_property
    def between(self) -> FloatArray:
        """The share of each column's variance that lies between the groups."""
        weights = self.sizes / max(1, int(self.sizes.sum()))
        return np.asarray(weights @ np.square(self.differences))


@dataclass(frozen=True, eq=False)
class RowSilhouettes:
    """The silhouette of some rows among themselves, and the group that each is nearest to besides its own."""

    labels: Labels  # (n,): their groups; -1 is noise
    values: FloatArray  # (n,): NaN for noise
    neighbours: Labels  # (n,): the nearest other group; -1 for noise

    @cached_property
    def groups(self) -> Labels:
        """The groups that any of the rows belong to."""
        return np.unique(self.labels[self.labels >= 0])

    @cached_property
    def per_group(self) -> FloatArray:
        """The mean of each of `groups`."""
        return np.array([np.mean(self.values[self.labels == group]) for group in self.groups])

    @property
    def mean(self) -> float:
        """The mean of all rows but noise."""
        return float(np.nanmean(self.values))

    @property
    def n_nearer(self) -> int:
        """Rows that are nearer to another group than to their own."""
        return int((self.values[self.labels >= 0] < 0).sum())

    def overlap(self) -> tuple[int, int, float] | None:
        """Return the group with most rows nearer to another, that other, and their share; None: hardly any.

        Examples
        --------
        >>> found = RowSilhouettes(np.array([0, 0, 1]), np.array([0.9, -0.1, 0.9]), np.array([1, 1, 0]))
        >>> found.overlap()
        (0, 1, 0.5)
        """
        shares = np.array([np.mean(self.values[self.labels == group] < 0) for group in self.groups])
        if shares.max() < OVERLAPPING:
            return None
        worst = int(self.groups[shares.argmax()])
        inside, is_nearer = self.labels == worst, self.values < 0
        other = int(np.bincount(self.neighbours[inside & is_nearer]).argmax())
        return worst, other, float(np.mean((self.neighbours == other)[inside] & is_nearer[inside]))

    def touching(self) -> tuple[int, int] | None:
        """Return the two groups that share most rows in between; None when hardly any rows are."""
        between = (self.labels >= 0) & (self.values < TOUCHING)
        if between.sum() < max(3, HARDLY_ANY * len(self.labels)):
            return None
        pairs = np.sort(np.stack([self.labels[between], self.neighbours[between]]), axis=0).T
        found, counts = np.unique(pairs, axis=0, return_counts=True)
        one, other = found[counts.argmax()].tolist()
        return one, other


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Some rows of a partition: their groups, their points, and their silhouettes where there are any."""

    labels: Labels
    points: Data
    silhouettes: RowSilhouettes | None

    def typical(self, group: int) -> Indices:
        """Return the rows of a group, the nearest to their mean first."""
        held = np.flatnonzero(self.labels == group)
        if not len(held):
            return held
        points = self.points[held]
        return held[np.argsort(np.square(points - points.mean(axis=0)).sum(axis=1), kind="stable")]

    def borderline(self, group: int) -> Indices:
        """Return the rows of a group, those with the lowest silhouette first; none without silhouettes."""
        held = np.flatnonzero(self.labels == group)
        if self.silhouettes is None:
            return held[:0]
        return held[np.argsort(self.silhouettes.values[held], kind="stable")]


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Classes by groups."""

    names: list[str]  # the classes, the largest first
    counts: npt.NDArray[np.int64]  # (n_classes, k): rows of each class in each group
    purity: FloatArray  # (k,): share of the largest class in each group
    agreement: Mapping[str, float]  # measures of `coterie.evaluate.compare`

    def most_mixed(self) -> int | None:
        """Return the group with most rows outside its largest class; None where every group is one class."""
        strays = self.counts.sum(axis=0) - self.counts.max(axis=0)
        return int(strays.argmax()) if strays.any() else None


@dataclass(frozen=True, eq=False)
class Partition:
    """One division of rows into groups. What is measured about it is computed when it is asked for.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> found = Partition(RowsAtHand(X, X, np.arange(4), ("x",), 4), np.array([0, 0, 1, 1]))
    >>> found.k, found.means.means.ravel().tolist(), round(found.among(np.arange(4)).silhouettes.mean, 2)
    (2, [0.5, 8.5], 0.87)
    """

    rows: RowsAtHand  # the rows
    labels: Labels  # (n,): their groups, 0..k-1, the largest first; -1 is noise
    # sizes and means of all rows, where those at hand are a sample and the others were added up
    whole: GroupMeans | None = field(default=None, repr=False)

    @property
    def k(self) -> int:
        """Number of groups."""
        return int(np.max(self.labels, initial=-1)) + 1

    @cached_property
    def means(self) -> GroupMeans:
        """Sizes and means of the groups of all rows: known, or estimated from those at hand."""
        if self.whole is not None:
            return self.whole
        rows, labels, k = self.rows, self.labels, self.k
        inside = np.flatnonzero(labels >= 0)
        belongs = sparse.csr_array((np.ones(inside.size), (labels[inside], inside)), shape=(k, len(labels)))
        counts = np.bincount(labels[inside], minlength=k)
        if rows.has_gaps:
            means = known_means(rows.X, belongs)[0]
        else:
            sums = belongs @ rows.X
            sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums, dtype=np.float64)
            means = sums / np.maximum(counts, 1)[:, None]
        differences = (means - rows.overall) / np.where(rows.spread > 0, rows.spread, 1.0)
        sizes = np.rint(counts * (rows.n_all / max(1, len(rows)))).astype(np.int64)
        return GroupMeans(
            rows.columns, sizes, means, differences, rows.overall, rows.spread, rows.category_of
        )

    @cached_property
    def truth(self) -> ClassTable | None:
        """The groups against the classes, over the rows that have one; None without classes."""
        if self.rows.classes is None:
            return None
        names, codes = self.rows.class_codes
        known, k = codes >= 0, self.k
        columns = np.where(self.labels >= 0, self.labels, k)[known]
        counts = np.bincount(codes[known] * (k + 1) + columns, minlength=len(names) * (k + 1))
        table = counts.reshape(len(names), k + 1)[:, :k]
        purity = table.max(axis=0) / np.maximum(table.sum(axis=0), 1)
        agreement = compare(codes[known], self.labels[known], measures=list(AGREEMENT))
        return ClassTable(names, table, purity, {name: float(agreement[name]) for name in AGREEMENT})

    def among(self, places: Indices) -> SomeRows:
        """Return the rows at some places of those at hand, with their silhouettes among themselves."""
        labels, points = self.labels[places], dense(self.rows.points[places])
        return SomeRows(labels, points, row_silhouettes(points, labels, self.rows.metric))


def row_silhouettes(points: Data, labels: Labels, metric: str) -> RowSilhouettes | None:
    """Return the silhouettes of rows; None where fewer than two groups, or only single rows, have any."""
    inside = labels >= 0
    n_groups = len(np.unique(labels[inside]))
    if n_groups < 2 or n_groups >= int(inside.sum()):
        return None
    try:
        found = silhouette(points[inside], labels[inside], metric=metric)
    except CoterieError:  # a distance that needs more than rows, a fitted one for example
        return None
    values, neighbours = np.full(len(labels), np.nan), np.full(len(labels), -1)
    values[inside], neighbours[inside] = found.values, found.neighbours
    return RowSilhouettes(labels, values, neighbours)


def dense(X: CheckedRows) -> Data:
    """Return a matrix as an array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def class_texts(classes: Iterable[object]) -> list[str]:
    """Return classes as text: whole numbers without their decimals, nothing where there is none.

    Examples
    --------
    >>> class_texts(np.array([1.0, np.nan]))
    ['1', '']
    """
    return [_text(one) for one in np.asarray(classes).tolist()]


def _text(one: object) -> str:
    if one is None or one != one or one == "None":
        return ""
    return str(int(one)) if isinstance(one, float) and one.is_integer() else str(one)


@dataclass(frozen=True, eq=False)
class GivenGroups:
    """Labels that were given, numbered by size: the partition, the names they had, and how it was scaled."""

    partition: Partition
    names: list[str]
    scale: str


def given_groups(data: LabelledData, classes: Sequence[object] | None, scale: str) -> GivenGroups:
    """Return the partition of rows by labels that a file gives them."""
    labels, names = relabel_by_size(data.labels)
    scaled = data.scaled(scale)
    known = None if classes is None else [str(one) for one in classes]
    n_rows = len(data.X)
    rows = RowsAtHand(data.X, scaled.X, np.arange(n_rows), tuple(data.columns), n_rows, classes=known)
    return GivenGroups(Partition(rows, labels), names, scaled.how)


def relabel_by_size(labels: object) -> tuple[Labels, list[str]]:
    """Return labels 0, 1, ... by falling size and the names they had; -1 stays noise.

    Examples
    --------
    >>> relabel_by_size(["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    given = np.asarray(labels)
    if given.dtype.kind not in "iu":  # whole numbers are sorted as they are: texts of a million take seconds
        given = given.astype(str)
    found, codes, sizes = np.unique(given, return_inverse=True, return_counts=True)
    names = found.astype(str)
    is_noise = np.isin(names, ["-1", "-1.0"])
    order = np.argsort(np.where(is_noise, 1, -sizes), kind="stable")
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    places[is_noise] = -1
    return places[codes], [str(name) for name in names[order] if name not in ("-1", "-1.0")]


def anomalies_of(found: Clustering, how: str | None, n_neighbors: int) -> Anomalies:
    """Return the scores of the rows of an answer."""
    check_parameter(how, Nothing() | Choice(*WAYS, "glosh"), name="how", who="anomalies")
    chosen = found.rows.partition(found.groups)
    own = getattr(found.model, "outlier_scores_", None)
    has_own = own is not None and len(own) == len(chosen.rows)
    if how is None:
        how = "glosh" if has_own else "centre" if chosen.rows.metric == "euclidean" else "local"
    if how != "glosh":
        points, metric = dense(chosen.rows.points), chosen.rows.metric
        scored = anomaly_scores(
            points,
            chosen.labels,
            how=how,  # type: ignore[arg-type]  # checked above
            metric="euclidean" if how == "centre" else metric,
            n_neighbors=n_neighbors,
        )
        return _by_table_row(found, chosen, scored.scores, scored.groups, how)
    if not has_own:
        raise InvalidParameter(
            f'how="glosh" is the score of HDBSCAN, these groups were found by {found.method}. '
            f'Use "centre" or "local".'
        )
    return _by_table_row(found, chosen, np.asarray(own), chosen.labels, how)


def _by_table_row(
    found: Clustering, chosen: Partition, scores: AnyArray, groups: Labels, how: str
) -> Anomalies:
    """Return scores of the rows at hand by row of the table; NaN for rows that were left out."""
    numbers = chosen.rows.numbers
    n_rows = len(found.labels) if len(found.labels) == found.groups.n_rows else len(numbers)
    places = numbers if n_rows == found.groups.n_rows else np.arange(n_rows)
    spread, own = np.full(n_rows, np.nan), np.full(n_rows, -1)
    spread[places], own[places] = scores, groups
    return Anomalies(spread, tail_shares(spread), own, how)
