"""What the groups look like, in the units of the table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.threads import map_in_order, resolve_threads
from coterie._support.typing import CheckedRows, Data, FloatArray, Indices, JsonObject, Labels, ValuesByName
from coterie._support.validation.schema import Instance, ListOf, Maybe, Sometimes, Tensor, Text
from coterie.data.geography.positions import Positions
from coterie.distance import find_distance
from coterie.pipeline.groups.rules import Rule, learn_rules
from coterie.pipeline.many_columns import MANY_COLUMNS, are_numbered

SHOWN = 5
NUMBERS_PER_BLOCK = 1_000_000
COLUMNS_AT_ONCE = 32  # whose squares stay in the cache; one alone would be added up in another order
LEAST_IN_THREADS = 1 << 20  # numbers: fewer are done before threads have begun
NOTABLE = 0.5  # differences of less than half a standard deviation are not worth a word
WORDS = 3
LEAST_WITHIN = 1e-12  # variance within two parts, as a share of all: less is rounding


def find_members(
    X: CheckedRows, labels: Labels, means: FloatArray, spread: FloatArray
) -> tuple[list[Indices], list[Indices]]:
    """Return for each group the rows nearest to its mean, and those nearly as near to another mean.

    Columns are taken in standard deviations of all rows. The margin of a row is that of the simplified
    silhouette: (b - a) / max(a, b), with the distances a to the own mean and b to the nearest other one.

    Examples
    --------
    >>> X, means = np.array([[0.0], [1.0], [4.0], [8.0], [10.0]]), np.array([[5 / 3], [9.0]])
    >>> typical, borderline = find_members(X, np.array([0, 0, 0, 1, 1]), means, np.ones(1))
    >>> typical[0].tolist(), borderline[0].tolist()
    ([1, 0, 2], [2, 0, 1])
    """
    if not len(means):
        return [], []
    own, margins = _measure(X, labels, means, spread)
    typical, borderline = [], []
    for group in range(len(means)):
        members = np.flatnonzero(labels == group)
        typical.append(members[_least(own[members])])
        borderline.append(members[_least(margins[members])] if len(means) > 1 else members[:0])
    return typical, borderline


def _least(values: FloatArray) -> Indices:
    if values.size > 4 * SHOWN:
        limit = np.partition(values, SHOWN)[SHOWN]
        candidates = np.flatnonzero(values <= limit)
        return candidates[np.argsort(values[candidates], kind="stable")][:SHOWN]
    return np.argsort(values, kind="stable")[:SHOWN]


def _measure(
    X: CheckedRows, labels: Labels, means: FloatArray, spread: FloatArray
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the distance of each row to its own mean, and its margin; meaningless outside the groups."""
    scale = 1.0 / np.where(spread > 0, spread, 1.0)
    centers = means * scale
    middle = centers.mean(axis=0)  # distances of numbers far from 0 would lose digits
    centers = np.ascontiguousarray(centers - middle)
    own, margins = np.zeros(len(labels)), np.zeros(len(labels))
    step = max(1, NUMBERS_PER_BLOCK // max(1, X.shape[1] + len(means)))
    metric = find_distance("euclidean").metric
    scaled = np.empty((min(step, len(labels)), X.shape[1]))
    for first in range(0, len(labels), step):
        block = slice(first, first + step)
        group = np.maximum(labels[block], 0)
        rows = scaled[: len(group)]
        np.multiply(X[block].toarray() if sparse.issparse(X) else X[block], scale, out=rows)
        rows -= middle
        if len(means) == 1:
            own[block] = np.sqrt(np.square(rows - centers[0]).sum(axis=1))
            continue
        index, near = _core.nearest_two(rows, centers, metric, resolve_threads())
        is_first = index[0] == group
        mine, other = np.where(is_first, near[0], near[1]), np.where(is_first, near[1], near[0])
        farther = np.flatnonzero(~is_first & (index[1] != group))
        if farther.size:
            mine[farther] = np.sqrt(np.square(rows[farther] - centers[group[farther]]).sum(axis=1))
        larger = np.maximum(other, mine)
        own[block] = mine
        margins[block] = np.divide(other - mine, larger, out=np.zeros_like(larger), where=larger > 0)
    return own, margins


@saved(eq=False)
class Profile:
    """Sizes, means, what sets each group apart, some of its rows, and a rule for it.

    Parameters
    ----------
    means : array of shape (k, n_columns)
        Mean of each column in each group, in the table's units.
    differences : array of shape (k, n_columns)
        Distance of these from the mean of all rows, in standard deviations of all rows.
    spread : array of shape (n_columns,)
        Standard deviation of all rows.
    effects : array of shape (k, n_columns)
        Effect sizes (Cohen's d): mean of the group minus mean of all other rows, over the standard deviation
        within these two parts, or over that of all rows where nothing varies within.
    typical : tuple of k arrays
        Rows nearest to the mean of their group, nearest first; the first one is its medoid among them.
    borderline : tuple of k arrays
        Rows that are nearly as near to the mean of another group, or nearer, the most doubtful first; empty
        for a single group. Both are found in standardised columns.
    rules : tuple of k Rule or None
        A short rule for each group, with its precision and recall.
    rule_note : str
        Which rows the rules were learned from, where not from all; else empty.
    category_of : tuple of str
        For a column that stands for a category, such as "plan = pro", the column that it is of; its mean is a
        share. "" for numbers; empty: all are numbers.
    names : tuple of k tuples of str
        What the table calls the typical rows; empty where they have numbers only.
    positions : tuple of Positions
        Where the groups are, for every position that the table has.
    """

    columns: tuple[str, ...] = held(ListOf(Text(), "columns", kind=tuple), "Names of the columns.")
    sizes: Labels = held(Tensor("groups", kind="i", low=0, may_be_empty=True), "Rows per group.")
    means: FloatArray = held(Tensor("groups", "columns", kind="f8", allow="nan"))
    differences: FloatArray = held(Tensor("groups", "columns", kind="f8", allow="nan"))
    spread: FloatArray = held(Tensor("columns", kind="f8", allow="nan", low=0))
    effects: FloatArray = held(Tensor("groups", "columns", kind="f8", allow="nan"))
    typical: tuple[Indices, ...] = held(ListOf(Tensor(None, kind="i8", low=0), "groups", kind=tuple))
    borderline: tuple[Indices, ...] = held(ListOf(Tensor(None, kind="i8", low=0), "groups", kind=tuple))
    rules: tuple[Rule | None, ...] = held(ListOf(Maybe(Instance(Rule)), "groups", kind=tuple))
    rule_note: str = held(Sometimes(Text()), default="")
    category_of: tuple[str, ...] = held(Sometimes(ListOf(Text(), kind=tuple)), default=())
    names: tuple[tuple[str, ...], ...] = held(
        Sometimes(ListOf(ListOf(Text(), kind=tuple), kind=tuple)), default=()
    )
    positions: tuple[Positions, ...] = held(Sometimes(ListOf(Instance(Positions), kind=tuple)), default=())

    @property
    def has_many_columns(self) -> bool:
        """Whether the columns are so many that typical rows say more than a few of them."""
        return len(self.columns) >= MANY_COLUMNS and not self.category_of

    @cached_property
    def tells_by_rows(self) -> bool:
        """Whether typical rows say all: of many columns, the names are numbers."""
        return self.has_many_columns and are_numbered(self.columns)

    @property
    def medoids(self) -> Indices:
        """The row nearest to the mean of each group; -1 for a group without rows."""
        return np.array([rows[0] if rows.size else -1 for rows in self.typical], dtype=np.intp)

    def apart(self, group: int) -> list[tuple[str, float]]:
        """Return the columns in which a group (counted from 0) differs most, and by how much."""
        return [
            (self.columns[at], float(self.differences[group, at]))
            for at in telling_columns(self.differences[group], self.category_of)
        ]

    def words(self, group: int) -> str:
        """Say what sets a group (counted from 0) apart: columns, and where these are many typical rows."""
        if self.tells_by_rows:
            return self.typical_words(group)
        told = self._column_words(group)
        return f"{told}; {self.typical_words(group)}" if self.has_many_columns else told

    def typical_words(self, group: int) -> str:
        """Name the most typical rows of a group: by their names, else by their numbers, counted from 1."""
        rows = self.typical[group][:WORDS] if self.typical else ()
        if not len(rows):
            return "no typical rows are known"
        if self.names:
            return f"typical: {', '.join(self.names[group][:WORDS])}"
        return f"typical rows: {', '.join(f'{int(row) + 1:,}' for row in rows)}"

    def _column_words(self, group: int) -> str:
        named, has_unit = [each.words(group) for each in self.positions], False
        told = {name for each in self.positions for name in each.columns}
        telling = telling_columns(self.differences[group], self.category_of)
        for at in [column for column in telling if self.columns[column] not in told][:WORDS]:
            if self.category_of and self.category_of[at]:
                points = self.differences[group, at] * self.spread[at]
                named.append(f"{self.columns[at]}: {share_words(self.means[group, at], points)}")
                continue
            by, unit = float(self.differences[group, at]), "" if has_unit else " sd"
            named.append(f"{self.columns[at]} {'high' if by > 0 else 'low'} ({by:+.1f}{unit})")
            has_unit = True
        return ", ".join(named) if named else "close to the average in every column"

    def to_dict(self) -> list[JsonObject]:
        """Return one dictionary per group, as plain values; rows are counted from 0."""
        return [self._group(group) for group in range(len(self.sizes))]

    def _group(self, group: int) -> ValuesByName:
        rule = self.rules[group]
        effects = zip(self.columns, self.effects[group].tolist(), strict=True)
        return {
            "size": int(self.sizes[group]),
            "mean": dict(zip(self.columns, self.means[group].tolist(), strict=True)),
            "apart": self.apart_facts(group),
            "effects": dict(effects),
            "typical_rows": self.typical[group].tolist(),
            **({"typical_names": list(self.names[group])} if self.names else {}),
            "borderline_rows": self.borderline[group].tolist(),
            "rule": None if rule is None else rule.to_dict(),
            **({"positions": [each.facts(group) for each in self.positions]} if self.positions else {}),
        }

    def apart_facts(self, group: int) -> list[JsonObject]:
        """Return the columns in which a group differs most, as plain values."""
        telling = telling_columns(self.differences[group], self.category_of)
        return [self._apart(group, at) for at in (telling[:SHOWN] if self.has_many_columns else telling)]

    def _apart(self, group: int, at: int) -> ValuesByName:
        """Return in what a group differs, as plain values; of a category its share as well."""
        found = {"column": self.columns[at], "difference_sd": float(self.differences[group, at])}
        if self.category_of and self.category_of[at]:
            points = 100 * float(self.differences[group, at] * self.spread[at])
            found |= {"share": float(self.means[group, at]), "difference_points": points}
        return found


def telling_columns(
    differences: FloatArray, category_of: Sequence[str] = (), least: float = NOTABLE
) -> list[int]:
    """Return the columns in which a group differs notably, the most telling first.

    Of the categories of one column only the one that the group has most more often than all rows.

    Examples
    --------
    >>> telling_columns(np.array([0.6, -0.9, 0.9, 0.1]), ["", "plan", "plan", ""])
    [2, 0]
    """
    order = np.argsort(-np.abs(differences), kind="stable").tolist()
    told: set[str] = set()
    found = []
    for at in order:
        column = category_of[at] if category_of else ""
        if abs(differences[at]) < least or column in told or (column and differences[at] < 0):
            continue
        found.append(at)
        told |= {column} - {""}
    return found


def share_words(share: float, points: float) -> str:
    """Say how often a group has a category, and how much more often than all rows.

    Examples
    --------
    >>> share_words(0.81, 0.52)
    '81 % (+52 points)'
    """
    return f"{100 * share:.0f} % ({100 * points:+.0f} points)"


def profile_groups(
    X: CheckedRows,
    labels: Labels,
    columns: Sequence[str],
    n_groups: int,
    *,
    rows: Indices | None = None,
    category_of: Sequence[str] = (),
) -> Profile:
    """Describe the groups 0..n_groups-1 of the rows of `X`; other labels count for the average only.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_columns)
        The rows, in the table's units.
    labels : array of shape (n_samples,)
        Their groups.
    columns : sequence of str
        Names of the columns.
    n_groups : int
        Number of groups.
    rows : array of shape (n_samples,), default=None
        What to call the rows of `X` in `typical` and `borderline`; None: by their place.
    category_of : sequence of str, default=()
        See `Profile`. NaN in `X` is a missing cell, which counts for nothing.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.0], [9.0]])
    >>> profile = profile_groups(X, np.array([0, 0, 1]), ["spend"], 2)
    >>> profile.words(1), profile.rules[1].text
    ('spend high (+1.4 sd)', 'spend > 4')
    """
    inside = np.flatnonzero(labels >= 0)
    ones = np.ones(inside.size)
    belongs = sparse.csr_array((ones, (labels[inside], inside)), shape=(n_groups, len(labels)))
    sizes = np.bincount(labels[inside], minlength=n_groups)
    if not sparse.issparse(X) and np.isnan(X).any():
        means, center, spread = known_means(X, belongs)
        X = np.where(np.isnan(X), center, X)
    else:
        means = belongs @ X / np.maximum(sizes, 1)[:, None]
        means = means.toarray() if sparse.issparse(means) else np.asarray(means)
        center, spread = _center_and_spread(X)
    differences = (means - center) / np.where(spread > 0, spread, 1.0)
    effects = effect_sizes(sizes, differences, X.shape[0])
    typical, borderline = find_members(X, labels, means, spread)
    names = np.arange(X.shape[0]) if rows is None else rows
    rules, note = learn_rules(X, labels, columns, differences, category_of, spread)
    return Profile(
        columns=tuple(columns),
        sizes=sizes,
        means=means,
        differences=differences,
        spread=spread,
        effects=effects,
        typical=tuple(names[each] for each in typical),
        borderline=tuple(names[each] for each in borderline),
        rules=rules,
        rule_note=note,
        category_of=tuple(category_of),
    )


def known_means(X: FloatArray, belongs: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the means of groups, and mean and standard deviation of all rows, over the cells that are there.

    Parameters
    ----------
    X : array of shape (n, d)
        NaN where a cell is missing.
    belongs : sparse array of shape (k, n)
        1 where a row is of a group.
    """
    known = ~np.isnan(X)
    n_known = np.maximum(known.sum(axis=0), 1)
    center = np.where(known, X, 0.0).sum(axis=0) / n_known
    spread = np.sqrt(np.where(known, np.square(X - center), 0.0).sum(axis=0) / n_known)
    counts = np.asarray(belongs @ known.astype(np.float64))
    sums = np.asarray(belongs @ np.where(known, X, 0.0))
    means = np.where(counts > 0, sums / np.maximum(counts, 1.0), center)
    return means, center, spread


def effect_sizes(sizes: Labels, differences: FloatArray, n_rows: int) -> FloatArray:
    """Return Cohen's d of each group and column against all other rows.

    With the share p of the group and its difference D from the mean of all (in standard deviations of all),
    the others are at -D p / (1 - p), and the variance within the two parts is 1 - D^2 p / (1 - p).
    """
    share = np.minimum(sizes / n_rows, 1.0)[:, None]
    others = np.where(share < 1, 1 - share, 1.0)
    gap = np.where(share < 1, differences / others, 0.0)
    within = 1.0 - share / others * differences**2
    return np.divide(gap, np.sqrt(np.maximum(within, 0.0)), out=gap.copy(), where=within > LEAST_WITHIN)


def _moments(X: Data) -> tuple[FloatArray, FloatArray]:
    return X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)


def _center_and_spread(X: CheckedRows) -> tuple[FloatArray, FloatArray]:
    if not sparse.issparse(X):
        n_columns = X.shape[1]
        n_parts = max(1, n_columns // COLUMNS_AT_ONCE)
        edges = [n_columns * at // n_parts for at in range(n_parts + 1)]
        threads = resolve_threads() if X.size >= LEAST_IN_THREADS else 1
        parts = map_in_order(lambda ends: _moments(X[:, slice(*ends)]), pairwise(edges), threads)
        return np.concatenate([center for center, _ in parts]), np.concatenate([width for _, width in parts])
    center = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    return center, np.sqrt(np.maximum(squares - center**2, 0.0))
