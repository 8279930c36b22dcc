"""Coded rows as the native loops of k-prototypes take them, and rows to start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie import _core
from coterie._printing import shortened
from coterie._support.typing import AnyArray, Data, Doubles, FloatArray, Indices, Labels, MatrixLike, Weights
from coterie._support.validation import explain, largest_safe, refuse_tiny
from coterie.distance.table import UNSEEN, TableEncoding
from coterie.errors import InvalidData, InvalidParameter

MISSING, OTHER = -1, -2  # codes of a cell that is missing, and of a category that no row of the fit had


@dataclass(frozen=True, eq=False)
class MixedRows:
    """The numbers and the categories of a table, apart."""

    numbers: Doubles  # (n_rows, n_numbers): NaN where missing
    codes: AnyArray  # (n_rows, n_categories): -1 where missing, -2 where a category is new
    n_levels: Indices  # (n_categories,): how many categories each of these columns has

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.numbers)

    def labels(self, prototypes: Prototypes, gamma: float, threads: int) -> tuple[Labels, Doubles]:
        """Return the nearest prototype of each row, and what it costs."""
        found: tuple[Labels, Doubles] = _core.label_by_prototypes(
            self.numbers, self.codes, self.n_levels, prototypes.means, prototypes.modes, gamma, threads
        )
        return found


@dataclass(frozen=True, eq=False)
class Prototypes:
    """A mean of numbers and a mode of categories per cluster."""

    means: Doubles
    modes: AnyArray

    def __len__(self) -> int:
        return len(self.means)

    def without(self, at: int) -> Prototypes:
        """Return all but one of them."""
        return Prototypes(np.delete(self.means, at, axis=0), np.delete(self.modes, at, axis=0))

    def and_also(self, other: Prototypes) -> Prototypes:
        """Return these and others."""
        return Prototypes(
            np.concatenate([self.means, other.means]), np.concatenate([self.modes, other.modes])
        )


def learn_columns(X: MatrixLike, categorical: Sequence[str | int] | None, *, who: str) -> TableEncoding:
    """Return the encoding of a table of numbers and categories; `categorical` names numbers that are these.

    Examples
    --------
    >>> learn_columns([[1, 2.5], [0, 1.5]], [0], who="this function").kinds
    ('category', 'number')
    """
    columns = [] if categorical is None else list(categorical)
    if not all(isinstance(column, str | int | np.integer) for column in columns):
        raise InvalidParameter(
            f"categorical of {who} must be names or numbers of columns, got {shortened(repr(columns))}."
        )
    return TableEncoding.learn(X, kinds=dict.fromkeys(columns, "category"), who=who).without_order()


def split_columns(coded: Data, table: TableEncoding) -> MixedRows:
    """Return rows that the table has coded.

    Examples
    --------
    >>> table = TableEncoding.learn([[1.0, "red"], [3.0, "blue"]])
    >>> split_columns(table.encode([[2.0, "red"], [None, None]]), table).codes
    array([[ 1],
           [-1]], dtype=int32)
    """
    is_number = np.array([kind == "number" for kind in table.kinds])
    found = coded[:, ~is_number].astype(np.float64)
    codes = np.where(np.isnan(found), MISSING, np.where(found == UNSEEN, OTHER, found))
    n_levels = [
        len(levels or ()) for levels, number in zip(table.levels, is_number, strict=True) if not number
    ]
    return MixedRows(
        np.ascontiguousarray(coded[:, is_number], dtype=np.float64),
        np.ascontiguousarray(codes.astype(np.int32)),
        np.array(n_levels, dtype=np.int64),
    )


@dataclass(frozen=True, eq=False)
class MergedRows:
    """Rows that differ, each with the weight of all that equal it: copies and weights are the same thing."""

    rows: MixedRows
    weights: Doubles


def merge_equal_rows(rows: MixedRows, weights: Weights | None) -> MergedRows:
    """Return the different rows that weigh anything, sorted: no answer depends on the order of the table.

    Examples
    --------
    >>> rows = MixedRows(np.empty((3, 0)), np.array([[1], [0], [1]], dtype=np.int32), np.array([2]))
    >>> merge_equal_rows(rows, None).weights
    array([1., 2.])
    """
    w = np.ones(rows.n) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.lexsort([*rows.numbers.T[::-1], *rows.codes.T[::-1]])
    order = order[w[order] > 0]
    numbers, codes = rows.numbers[order], rows.codes[order]
    is_new = np.ones(len(order), dtype=bool)
    same = (numbers[1:] == numbers[:-1]) | (np.isnan(numbers[1:]) & np.isnan(numbers[:-1]))
    is_new[1:] = ~(same.all(axis=1) & (codes[1:] == codes[:-1]).all(axis=1))
    kept = MixedRows(
        np.ascontiguousarray(numbers[is_new]), np.ascontiguousarray(codes[is_new]), rows.n_levels
    )
    return MergedRows(kept, np.bincount(np.cumsum(is_new) - 1, w[order]).astype(np.float64))


def middle_of(merged: MergedRows) -> Prototypes:
    """Return the prototype of all rows: it stands in where a row to start from has a missing cell."""
    rows, w = merged.rows, merged.weights
    there = ~np.isnan(rows.numbers)
    total = np.where(there, w[:, None], 0.0).sum(axis=0)
    sums = (np.where(there, rows.numbers, 0.0) * w[:, None]).sum(axis=0)
    means = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    modes = [np.argmax(counts) for counts in category_weights(merged)]
    return Prototypes(means[None, :], np.array([modes], dtype=np.int32).reshape(1, -1))


def category_weights(merged: MergedRows) -> list[Doubles]:
    """Return for every column of categories the weight of each."""
    rows, found = merged.rows, []
    for codes, n_levels in zip(rows.codes.T, rows.n_levels, strict=True):
        is_known = codes >= 0
        counts = np.bincount(codes[is_known], merged.weights[is_known], minlength=int(n_levels))
        found.append(counts.astype(np.float64))
    return found


def without_gaps(rows: MixedRows, middle: Prototypes) -> Prototypes:
    """Return rows as prototypes."""
    return Prototypes(
        np.ascontiguousarray(np.where(np.isnan(rows.numbers), middle.means, rows.numbers)),
        np.ascontiguousarray(np.where(rows.codes < 0, middle.modes, rows.codes).astype(np.int32)),
    )


def row_as_prototype(merged: MergedRows, row: int) -> Prototypes:
    """Return one row as a prototype; the middle of all rows stands in for its gaps."""
    return without_gaps(_at(merged.rows, [row]), middle_of(merged))


def first_prototypes(
    init: str, merged: MergedRows, k: int, gamma: float, seed: Sequence[int], threads: int
) -> Prototypes:
    """Return at most k different rows to start from, by name of the rule."""
    rows, random = merged.rows, np.random.default_rng(seed)
    k = min(k, rows.n)
    if init == "cao":
        chosen = _by_density(merged, k, gamma, threads)
    elif init == "huang" and rows.codes.shape[1]:
        chosen = _by_frequency(merged, k, random, threads)
    else:
        chosen = random.choice(rows.n, k, replace=False)
    return without_gaps(_at(rows, chosen), middle_of(merged))


def _at(rows: MixedRows, chosen: Indices | list[int]) -> MixedRows:
    return MixedRows(rows.numbers[chosen], rows.codes[chosen], rows.n_levels)


def _by_density(merged: MergedRows, k: int, gamma: float, threads: int) -> Indices:
    """Cao: the row of the most frequent categories, then frequent ones that are far from those before."""
    rows, middle = merged.rows, middle_of(merged)
    density = np.zeros(rows.n) if rows.codes.shape[1] else np.ones(rows.n)
    for codes, counts in zip(rows.codes.T, category_weights(merged), strict=True):
        density += np.where(codes >= 0, counts[codes], 0.0)
    chosen = [int(np.argmax(density))]
    apart = np.full(rows.n, np.inf)
    while len(chosen) < k:
        _, cost = rows.labels(without_gaps(_at(rows, chosen[-1:]), middle), gamma, threads)
        apart = np.minimum(apart, cost)
        merit = apart * density
        merit[chosen] = -1.0
        chosen.append(int(np.argmax(merit)))
    return np.array(chosen)


def _by_frequency(merged: MergedRows, k: int, random: np.random.Generator, threads: int) -> Indices:
    """Huang: categories drawn as often as they occur; the row most like each draw, none twice."""
    rows = merged.rows
    shares = [_shares(counts) for counts in category_weights(merged)]
    drawn = np.array([random.choice(len(share), k, p=share) for share in shares], dtype=np.int32).T
    only_codes = MixedRows(np.empty((rows.n, 0)), rows.codes, rows.n_levels)
    is_free = np.ones(rows.n, dtype=bool)
    chosen = []
    for modes in drawn:
        wanted = Prototypes(np.empty((1, 0)), np.ascontiguousarray(modes[None, :]))
        _, cost = only_codes.labels(wanted, 1.0, threads)
        chosen.append(int(np.argmin(np.where(is_free, cost, np.inf))))
        is_free[chosen[-1]] = False
    return np.array(chosen)


def _shares(counts: Doubles) -> Doubles:
    total = counts.sum()
    return counts / total if total > 0 else np.full(len(counts), 1 / len(counts))  # missing in all that count


def check_numbers(numbers: FloatArray) -> None:
    """Refuse numbers whose squares overflow, or all vanish; NaN is a missing one."""
    known = np.where(np.isnan(numbers), 0.0, numbers)
    safe = largest_safe(known.dtype, known.shape)
    if np.abs(known).max(initial=0.0) > safe:
        raise explain.too_large(known, None, "X", safe)
    refuse_tiny(known, None, "X")


def refuse_empty_rows(rows: MixedRows, who: str) -> None:
    """Refuse a row of which nothing is known."""
    is_empty = np.isnan(rows.numbers).all(axis=1) & (rows.codes == -1).all(axis=1)
    if is_empty.any():
        raise InvalidData(f"row {int(np.argmax(is_empty))} of X of {who} has no values at all. Leave it out.")
