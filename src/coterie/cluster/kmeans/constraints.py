"""What groups may be: limits of their sizes, rows that go together, rows that stay apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coterie._support.typing import AnyArray, Data, Indices, MatrixLike, Weights
from coterie._support.validation import check_pairs
from coterie.errors import InvalidParameter, UnmetConstraints


@dataclass(frozen=True, eq=False)
class SizeLimits:
    """The fewest and the most rows of each group."""

    least: Indices
    most: Indices

    def allow(self, sizes: AnyArray) -> bool:
        """Return whether groups may have these sizes."""
        return bool((sizes >= self.least).all() and (sizes <= self.most).all())

    def can_be_met(self, taken: Indices, n_rows: int) -> bool:
        """Return whether so many more single rows can bring groups that hold `taken` within the limits."""
        missing = int(np.maximum(self.least - taken, 0).sum())
        return bool((taken <= self.most).all()) and missing <= n_rows

    def without(self, taken: Indices) -> SizeLimits:
        """Return the limits for the rows that come on top of `taken`."""
        return SizeLimits(np.maximum(self.least - taken, 0), self.most - taken)


def check_size_limits(
    size_min: npt.ArrayLike, size_max: npt.ArrayLike | None, n_clusters: int, n_rows: int, *, who: str
) -> SizeLimits:
    """Return the limits for every group, or say why so many rows cannot keep them.

    Examples
    --------
    >>> check_size_limits(2, None, 3, 10, who="it").most
    array([10, 10, 10])
    """
    least = _per_group(size_min, 0, n_clusters, n_rows, name="size_min", who=who)
    most = _per_group(size_max, n_rows, n_clusters, n_rows, name="size_max", who=who)
    crossed = np.flatnonzero(least > most)
    if len(crossed):
        group = int(crossed[0])
        raise InvalidParameter(
            f"size_min of {who} must not exceed size_max, got {least[group]} and {most[group]} for group "
            f"{group}."
        ).in_shell(f"--sizes must be A..B with A at most B, got {least[group]}..{most[group]}.")
    if least.sum() > n_rows:
        raise UnmetConstraints(
            f"size_min of {who} asks for {least.sum():,} rows in {n_clusters:,} groups, but there are only "
            f"{n_rows:,}. Lower size_min or n_clusters."
        ).in_shell(
            f"groups of at least {least.max():,} rows: {n_clusters:,} of them need {least.sum():,} rows, but "
            f"there are only {n_rows:,}. Lower --sizes or -k."
        )
    if most.sum() < n_rows:
        raise UnmetConstraints(
            f"size_max of {who} leaves room for {most.sum():,} rows in {n_clusters:,} groups, but there are "
            f"{n_rows:,}. Raise size_max or n_clusters."
        ).in_shell(
            f"groups of at most {most.max():,} rows: {n_clusters:,} of them hold {most.sum():,} rows, but "
            f"there are {n_rows:,}. Raise --sizes or -k."
        )
    return SizeLimits(least, np.minimum(most, n_rows))


def _per_group(
    given: npt.ArrayLike | None, default: int, n_clusters: int, n_rows: int, *, name: str, who: str
) -> Indices:
    try:
        sizes = np.asarray(default if given is None else given)
    except ValueError:  # lists of different lengths
        sizes = np.empty((0, 0))
    is_vector = sizes.shape in ((), (n_clusters,))
    if not is_vector or sizes.dtype.kind not in "iu":
        raise InvalidParameter(
            f"{name} of {who} must be a whole number, or one for each of the n_clusters={n_clusters} groups, "
            f"got shape {sizes.shape} of {sizes.dtype}."
        )
    if sizes.size and sizes.min() < 0:
        raise InvalidParameter(f"{name} of {who} must be at least 0, got {sizes.min()}.")
    # what is beyond all rows says no more than one row too many does, and adds up without overflow
    return np.broadcast_to(np.minimum(sizes, n_rows + 1).astype(np.int64), (n_clusters,)).copy()


@dataclass(frozen=True, eq=False)
class Units:
    """What is assigned as one: rows that must be together, by their mean, and single rows."""

    unit_of_row: Indices
    rows: Data  # float64: the means
    weights: Weights | None
    counts: Indices  # rows of each unit
    apart: Indices  # pairs of units, each once
    first_row: Indices  # of each unit, to name it by


def join_rows(
    X: Data,
    weights: Weights | None,
    must_link: npt.ArrayLike | None,
    cannot_link: npt.ArrayLike | None,
    *,
    who: str,
) -> Units:
    """Contract rows that must be together; pairs that contradict each other are named.

    Examples
    --------
    >>> units = join_rows(np.array([[0.0], [2.0], [9.0]]), None, [(0, 1)], [(1, 2)], who="it")
    >>> units.rows.ravel(), units.counts, units.apart
    (array([1., 9.]), array([2, 1]), array([[0, 1]]))
    """
    n = X.shape[0]
    must = check_pairs(must_link, n, name="must_link", who=who)
    cannot = check_pairs(cannot_link, n, name="cannot_link", who=who)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    unit_of_row = _number_units(must, n)
    _refuse_contradictions(unit_of_row, cannot, who=who)
    pairs = np.unique(np.sort(unit_of_row[cannot], axis=1), axis=0).reshape(-1, 2)
    counts = np.bincount(unit_of_row)
    first_row = np.unique(unit_of_row, return_index=True)[1]
    if len(counts) == n:
        return Units(unit_of_row, rows, weights, counts, pairs, first_row)
    own = np.ones(n) if weights is None else weights
    joined = np.bincount(unit_of_row, own).astype(np.float64)
    # rows without weight have a place too: that of their plain mean
    share = np.where(joined[unit_of_row] > 0, own, 1.0)
    belongs = coo_array((share, (unit_of_row, np.arange(n)))).tocsr()
    means = (belongs @ rows) / belongs.sum(axis=1)[:, None]
    return Units(unit_of_row, means, joined, counts, pairs, first_row)


def _number_units(must: Indices, n: int) -> Indices:
    """Return the unit of each row; units are numbered by their first rows."""
    if not len(must):
        return np.arange(n)
    graph = coo_array((np.ones(len(must)), must.T), shape=(n, n))
    component = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(component, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def pairs_among(
    must_link: MatrixLike, cannot_link: MatrixLike, rows: Indices, n_rows: int, *, who: str
) -> tuple[Indices, Indices]:
    """Return the pairs that hold for some of the rows, numbered among these; also those through other rows.

    Examples
    --------
    >>> must, cannot = pairs_among([(0, 1), (1, 2)], [(1, 3)], np.array([0, 2, 3]), 4, who="it")
    >>> must.tolist(), cannot.tolist()
    ([[0, 1]], [[0, 2]])
    """
    unit_of_row = _number_units(check_pairs(must_link, n_rows, name="must_link", who=who), n_rows)
    cannot = unit_of_row[check_pairs(cannot_link, n_rows, name="cannot_link", who=who)]
    units, first, own = np.unique(unit_of_row[rows], return_index=True, return_inverse=True)
    is_later = np.arange(len(rows)) != first[own]
    must = np.column_stack([first[own], np.arange(len(rows))])[is_later]
    cannot = cannot[np.isin(cannot, units).all(axis=1)]
    return must, first[np.searchsorted(units, cannot)].reshape(-1, 2)


def _refuse_contradictions(unit_of_row: Indices, cannot: Indices, *, who: str) -> None:
    wrong = np.flatnonzero(unit_of_row[cannot[:, 0]] == unit_of_row[cannot[:, 1]])
    if not len(wrong):
        return
    i, j = cannot[wrong[0]]
    if i == j:
        raise InvalidParameter(f"cannot_link of {who} must name two different rows, got row {i} twice.")
    raise InvalidParameter(
        f"cannot_link of {who} says that rows {i} and {j} must not be together, must_link that they must."
    )
