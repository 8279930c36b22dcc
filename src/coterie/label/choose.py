"""Which rows to label: typical rows of groups, rows that cover the data, rows in doubt, or any."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coterie._support import scikit_learn
from coterie._support.typing import (
    Centers,
    Data,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    RandomState,
    VectorLike,
)
from coterie._support.validation import Choice, Whole, check_data, check_parameter, check_seed, shift_seed
from coterie.cluster import KMeans
from coterie.distance import nearest, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.internal import SampleGroups, read_partition, squared_to_own, weighted_means

Strategy: TypeAlias = Literal["typical", "coreset", "uncertainty", "random"]
STRATEGIES = ("typical", "coreset", "uncertainty", "random")
WHO = "select_to_label"
STARTS = 3  # of k-means
NUMBERS_AT_ONCE = 1 << 22  # of distances to centres


@dataclass(frozen=True, eq=False)
class ToLabel:
    """Rows to label, and the rows that each of them stands for.

    Parameters
    ----------
    rows : array of int of shape (n,)
        Rows to label, counted from 0, the one to begin with first.
    groups : array of int of shape (n_rows,)
        The group of every row: its group of k-means with "typical", else that of the nearest row to label;
        ``groups[rows[i]] == i``. `propagate_labels` takes it.
    strategy : str
        How they were chosen.
    """

    rows: Indices
    groups: Labels
    strategy: str

    def __len__(self) -> int:
        return len(self.rows)


def select_to_label(
    X: MatrixLike,
    n: int,
    *,
    strategy: Strategy = "typical",
    labelled: VectorLike | None = None,
    memberships: MatrixLike | None = None,
    random_state: RandomState = None,
) -> ToLabel:
    """Return n rows whose labels tell most about the others.

    Parameters
    ----------
    X : array-like of shape (n_rows, d)
        Rows, scaled as for clustering.
    n : int
        How many rows can be labelled.
    strategy : {"typical", "coreset", "uncertainty", "random"}, default="typical"
        "typical": the row nearest to each centre of k-means with n groups, the largest group first.
        "coreset": rows that cover the data: each is the row farthest from those before it (k-center
        [gonzalez-1985]), the first the one nearest to the mean. "uncertainty": rows between two groups, where
        the two largest memberships differ least. "random": the baseline.
    labelled : array-like of int, default=None
        Rows that have labels already: they are not chosen again, and "coreset" covers what they leave.
    memberships : array-like of shape (n_rows, k), default=None
        Of "uncertainty": shares of each row in k groups or classes, for example ``predict_proba(X)`` of a
        classifier trained so far. None: fuzzy memberships in k-means with n groups.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same rows.

    Returns
    -------
    ToLabel
        The rows, and which others each stands for.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]
    >>> chosen = select_to_label(X, 2, random_state=0)
    >>> sorted(chosen.rows.tolist())
    [1, 4]
    """
    check_parameter(strategy, Choice(*STRATEGIES), name="strategy", who=WHO)
    rows = np.asarray(check_data(X, who=WHO), dtype=np.float64)
    known = _check_labelled(labelled, len(rows))
    free = np.setdiff1d(np.arange(len(rows)), known)
    if not 1 <= check_whole(n, "n", WHO) <= len(free):
        raise InvalidParameter(
            f"n of {WHO} must be 1 to {len(free)}, the rows without a label, got {n}."
            if len(free)
            else f"X of {WHO} has no row without a label."
        )
    if memberships is not None and strategy != "uncertainty":
        raise InvalidParameter(f'memberships of {WHO} are for strategy="uncertainty", got "{strategy}".')
    seed = check_seed(random_state)
    if strategy == "typical":
        return _typical(rows, free, int(n), seed)
    if strategy == "coreset":
        chosen = _coreset(rows, known, int(n))
    elif strategy == "uncertainty":
        chosen = free[np.argsort(_margins(rows, int(n), memberships, seed)[free], kind="stable")[: int(n)]]
    else:
        chosen = np.random.default_rng(shift_seed(seed, 0)).permutation(free)[: int(n)]
    return _with_groups(rows, chosen, strategy)


def check_whole(value: object, name: str, who: str) -> int:
    """Return a whole number, or say that it must be one."""
    check_parameter(value, Whole(0), name=name, who=who)
    return int(value)  # type: ignore[call-overload,no-any-return]  # checked above


def _check_labelled(labelled: VectorLike | None, n_rows: int) -> Indices:
    if labelled is None:
        return np.empty(0, dtype=np.intp)
    given = np.asarray(labelled)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InvalidData(
            f"labelled of {WHO} must be row numbers in one dimension, got {given.dtype} of shape "
            f"{given.shape}. np.flatnonzero(y != -1) finds them."
        )
    if given.size and (given.min() < 0 or given.max() >= n_rows):
        raise InvalidData(f"labelled of {WHO} must be row numbers from 0 to {n_rows - 1}.")
    return np.unique(given).astype(np.intp)


def _with_groups(rows: Data, chosen: Indices, strategy: str) -> ToLabel:
    """Return rows to label with the rows that are nearest to each."""
    groups = nearest(rows, rows[chosen]).index.astype(np.int32)
    groups[chosen] = np.arange(len(chosen))  # copies of a chosen row do not take it
    return ToLabel(chosen, groups, strategy)


def _typical(rows: Data, free: Indices, n: int, seed: int) -> ToLabel:
    """Return the free row nearest to each centre of k-means; where centres lack one, what covers the rest."""
    partition = read_partition(_kmeans(rows, n, seed).labels_)
    chosen = _nearest_to_means(rows, partition, free)
    if len(chosen) < n:  # copies: fewer groups than asked for, or groups without a free row
        chosen = np.concatenate([chosen, _coreset(rows, chosen, n - len(chosen), free)])
        return _with_groups(rows, chosen, "typical")
    groups = np.empty(n, dtype=np.int32)
    groups[partition.codes[chosen]] = np.arange(n)
    return ToLabel(chosen, groups[partition.codes], "typical")


def _kmeans(rows: Data, n: int, seed: int) -> KMeans:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scikit_learn.ConvergenceWarning)  # of copies fewer groups are found
        return KMeans(n, n_init=STARTS, random_state=shift_seed(seed, 0)).fit(rows)


def _nearest_to_means(rows: Data, partition: SampleGroups, free: Indices) -> Indices:
    """Return the free row nearest to the mean of each group that has one, by size of the group."""
    squared = squared_to_own(rows, weighted_means(rows, partition), partition.codes)
    codes = partition.codes[free]
    order = np.lexsort((free, squared[free], codes))
    is_first = np.diff(codes[order], prepend=-1) != 0
    found = free[order[is_first]]
    return np.asarray(found[np.argsort(-partition.sizes[partition.codes[found]], kind="stable")])


def _coreset(rows: Data, known: Indices, n: int, free: Indices | None = None) -> Indices:
    """Return n rows, each the free one farthest from those known or chosen before it."""
    may = np.ones(len(rows), dtype=bool) if free is None else np.isin(np.arange(len(rows)), free)
    may[known] = False
    if known.size:
        near, chosen = nearest(rows, rows[known]).distance.copy(), []
    else:
        first = int(nearest(rows.mean(axis=0)[None], rows).index[0])
        near, chosen = pairwise_distances(rows, rows[first : first + 1])[:, 0], [first]
        may[first] = False
    while len(chosen) < n:
        at = int(np.where(may, near, -1.0).argmax())
        chosen.append(at)
        may[at] = False
        np.minimum(near, pairwise_distances(rows, rows[at : at + 1])[:, 0], out=near)
    return np.asarray(chosen, dtype=np.intp)


def _margins(rows: Data, n: int, memberships: MatrixLike | None, seed: int) -> FloatArray:
    """Return how much the two largest memberships of each row differ."""
    if memberships is None:
        centers = _kmeans(rows, n, seed).cluster_centers_
        return fuzzy_margins(rows, centers) if len(centers) > 1 else np.zeros(len(rows))
    shares = np.asarray(check_data(memberships, who=WHO, name="memberships", may_be_distances=True))
    if shares.shape[0] != len(rows) or shares.shape[1] < 2 or (shares < 0).any():
        raise InvalidData(
            f"memberships of {WHO} must be shares of {len(rows)} rows in two or more groups, none below 0, "
            f"got shape {shares.shape}."
        )
    two = np.partition(shares, -2, axis=1)
    return np.asarray(two[:, -1] - two[:, -2])


def fuzzy_margins(rows: Data, centers: Centers) -> FloatArray:
    """Return the difference of the two largest memberships 1 / d^2, which add up to 1 over all centres.

    Examples
    --------
    >>> fuzzy_margins(np.array([[0.0], [5.0], [8.0]]), np.array([[0.0], [10.0]])).round(4).tolist()
    [1.0, 0.0, 0.8824]
    """
    margins = np.empty(len(rows))
    step = max(1, NUMBERS_AT_ONCE // len(centers))
    for begin in range(0, len(rows), step):
        apart = pairwise_distances(rows[begin : begin + step], centers) ** 2
        apart.sort(axis=1)
        least = apart[:, :1]
        ratios = np.divide(least, apart, out=np.ones_like(apart), where=apart > 0)
        is_at = least[:, 0] == 0
        ratios[is_at] = apart[is_at] == 0
        margins[begin : begin + step] = (ratios[:, 0] - ratios[:, 1]) / ratios.sum(axis=1)
    return margins
