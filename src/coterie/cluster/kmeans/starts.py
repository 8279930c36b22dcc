"""First centres: k-means++, random rows, a random partition, given ones, or a function's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.caller import warn_caller
from coterie._support.typing import Centers, CheckedRows, FloatArray, Indices, Init, MatrixLike
from coterie._support.validation import (
    AnArray,
    Choice,
    Constraint,
    Flag,
    Function,
    Number,
    Seed,
    Whole,
    check_data,
)
from coterie.errors import InvalidData, ParameterNotice

if TYPE_CHECKING:
    from coterie.cluster.kmeans.points import Points

NAMED_STARTS = ("k-means++", "random", "random partition")
INIT: Constraint = Choice(*NAMED_STARTS) | Function("X", "n_clusters", "random_state=")

START_CONSTRAINTS: Mapping[str, Constraint] = {
    "n_clusters": Whole(1),
    "init": INIT | AnArray(),
    "n_init": Choice("auto") | Whole(1),
    "max_iter": Whole(1),
    "tol": Number(0),
    "verbose": Whole(0) | Flag(),
    "random_state": Seed(),
}


@dataclass(frozen=True, eq=False)
class Start:
    """First centres and how they were picked."""

    centers: Centers  # fewer than asked for when there are not enough different rows
    rows: Indices | None = None  # which rows they are, in the order of the picks
    probabilities: FloatArray | None = None  # chance of each row at each pick, if asked for


def make_start(
    points: Points, init: Init, n_clusters: int, seed: int, *, who: str, record: bool = False
) -> Start:
    """Return first centres for checked points.

    Parameters
    ----------
    points : Points
        The data.
    init : str, array or callable
        As in `KMeans`; an array has been checked by `check_centers`.
    n_clusters : int
        How many centres.
    seed : int
        Same seed, same centres.
    who : str
        Name to use in messages.
    record : bool, default=False
        Whether the chances of the rows are wanted.
    """
    if isinstance(init, str):
        makers = {"k-means++": _plus_plus, "random": _random_rows, "random partition": _random_partition}
        return makers[init](points, n_clusters, seed, record)
    if callable(init):
        made = init(points.X, n_clusters, random_state=_random_state(seed))
        return Start(check_centers(made, n_clusters, points.X, name="the result of init", who=who))
    return Start(init)


def seed_of_restart(seed: int, restart: int) -> int:
    """Return the seed of one restart; the first one uses the seed itself."""
    if restart == 0:
        return seed
    return int(np.random.SeedSequence([seed, restart]).generate_state(1, np.uint64)[0])


def n_candidates(n_clusters: int) -> int:
    """Return how many candidates greedy k-means++ draws per pick: 2 + ln k."""
    return 2 + int(np.log(n_clusters))


def check_init(init: Init, n_clusters: int, X: CheckedRows, *, who: str) -> Init:
    """Return a name or callable as it is, an array as centres of the right shape and type."""
    if isinstance(init, str) or callable(init):
        return init
    return check_centers(init, n_clusters, X, who=who)


def count_starts(n_init: int | str, init: Init, n_when_random: int, *, who: str) -> int:
    """Return how many starts to try: one for given centres, with a warning if more were asked for."""
    is_given = not isinstance(init, str) and not callable(init)
    if n_init == "auto":
        return 1 if is_given or (isinstance(init, str) and init == "k-means++") else n_when_random
    if is_given and n_init != 1:
        warn_caller(
            f"Explicit initial center position passed: performing only one init in {who} instead of "
            f"n_init={n_init}.",
            ParameterNotice,
        )
    return 1 if is_given else int(n_init)


def check_centers(
    centers: MatrixLike, n_clusters: int, X: CheckedRows, *, who: str, name: str = "init"
) -> Centers:
    """Return given centres as a new matrix in the type of the data, or say what is wrong with them."""
    checked: CheckedRows = check_data(centers, who=who, name=name, accept_sparse=True, may_be_distances=True)
    if checked.shape[0] != n_clusters:
        raise InvalidData(
            f"The shape of the initial centers {checked.shape} does not match the number of clusters "
            f"{n_clusters}: {name} must have one row per cluster."
        )
    if checked.shape[1] != X.shape[1]:
        raise InvalidData(
            f"The shape of the initial centers {checked.shape} does not match the number of features of the "
            f"data {X.shape[1]}: {name} must have one column per feature."
        )
    dense = checked.toarray() if issparse(checked) else checked  # now that it is not wider than the data
    return np.array(dense, dtype=X.dtype, order="C")


def _plus_plus(points: Points, n_clusters: int, seed: int, record: bool) -> Start:
    seeds: Any = points.seed(n_clusters, n_candidates(n_clusters), seed, record=record)
    chances = seeds.probabilities[:, : len(seeds.indices)].T.copy() if record else None
    return Start(points.rows(seeds.indices), seeds.indices, chances)


def _random_rows(points: Points, n_clusters: int, seed: int, record: bool) -> Start:
    n_rows = points.X.shape[0]
    chances = None if points.weights is None else points.weights / points.weights.sum()
    n_possible = n_rows if chances is None else int(np.count_nonzero(chances))
    rows = np.random.default_rng(seed).choice(n_rows, min(n_clusters, n_possible), replace=False, p=chances)
    recorded = _chances_without_replacement(chances, rows, n_rows) if record else None
    return Start(points.rows(rows), rows, recorded)


def _random_partition(points: Points, n_clusters: int, seed: int, record: bool) -> Start:
    n_rows = points.X.shape[0]
    random = np.random.default_rng(seed)
    weights = np.ones(n_rows) if points.weights is None else points.weights
    heavy = np.flatnonzero(weights)
    labels: Any = random.integers(n_clusters, size=n_rows)
    # the first rows of a shuffle deal one row to each part, so that none is empty
    labels[random.permutation(heavy)[:n_clusters]] = np.arange(min(n_clusters, heavy.size))
    return Start(points.means(labels, n_clusters))


def _chances_without_replacement(chances: FloatArray | None, rows: Indices, n_rows: int) -> FloatArray:
    left = np.ones(n_rows) if chances is None else chances.copy()
    recorded = np.empty((len(rows), n_rows))
    for pick, row in enumerate(rows):
        recorded[pick] = left / left.sum()
        left[row] = 0.0
    return recorded


def _random_state(seed: int) -> np.random.RandomState:
    return np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
