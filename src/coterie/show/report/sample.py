"""The rows that the page holds: all of a small table, a sample of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from coterie._support.typing import Indices, Labels
from coterie.show.report.facts import SampleFacts
from coterie.show.report.numbers import rounded
from coterie.show.report.room import USUAL, Room
from coterie.show.report.subject import Subject, shorten

if TYPE_CHECKING:
    from coterie.show.report.means import GroupMeans

LEAST_PER_GROUP = 20  # a small group must still be seen


def draw_rows(labels: Labels, seed: int, must: Sequence[int] = (), *, most: int = USUAL.rows) -> Indices:
    """Return the places of the rows to hold, ascending: a share of every group, at least a few of each.

    Parameters
    ----------
    labels : array of shape (n_grouped,)
        Groups.
    seed : int
        Same seed, same rows.
    must : sequence of int
        Rows that must be among them.
    most : int
        How many rows to hold.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.repeat([0, 1], [99_990, 10])
    >>> places = draw_rows(labels, 0, must=[5])
    >>> len(places) <= 4_000, (labels[places] == 1).sum(), 5 in places
    (True, np.int64(10), True)
    """
    n_rows = len(labels)
    if n_rows <= most:
        return np.arange(n_rows)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_rows)
    groups, sizes = np.unique(labels, return_counts=True)
    least = min(LEAST_PER_GROUP, most // (2 * len(groups)))
    floor = np.minimum(sizes, least)
    rest = most - floor.sum() - len(must)
    wanted = np.minimum(sizes, floor + (sizes * (rest / n_rows)).astype(np.int64))
    shuffled = labels[order]
    by_group = order[np.argsort(shuffled, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    taken = [by_group[start : start + n] for start, n in zip(starts, wanted, strict=True)]
    return np.unique(np.concatenate([*taken, np.asarray(must, dtype=np.intp)]))


def sample_facts(subject: Subject, places: Indices, profile: GroupMeans, room: Room) -> SampleFacts:
    """Return what the page holds of the rows at `places`: the columns that tell groups apart come first."""
    n_columns = len(subject.columns)
    n_shown = max(1, min(n_columns, room.cells // max(1, len(places))))
    telling = np.argsort(-np.abs(profile.differences).max(axis=0, initial=0.0), kind="stable")
    shown = np.sort(telling[:n_shown])
    values = dense(subject.X[places][:, shown])
    return SampleFacts(
        rows=tuple((subject.rows[places] + 1).tolist()),
        names=None
        if subject.row_names is None
        else tuple(shorten(str(subject.row_names[place])) for place in places.tolist()),
        columns=tuple(shorten(subject.columns[column]) for column in shown.tolist()),
        values=tuple(rounded(column, 6) for column in values.T),
        means=rounded_each(profile.overall[shown]),
        spreads=rounded_each(profile.spread[shown]),
        n_grouped=subject.n_all,
        n_shaded=subject.n_grouped,
        n_hidden_columns=n_columns - n_shown,
    )


def dense(X: Any) -> Any:
    """Return a matrix as an array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def overall_means(X: Any) -> Any:
    """Return the mean of every column."""
    return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()


def column_spreads(X: Any) -> Any:
    """Return the standard deviation of every column."""
    if not sparse.issparse(X):
        return np.asarray(X.std(axis=0, dtype=np.float64))
    squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(squares - overall_means(X) ** 2, 0.0))


def rounded_each(values: Any) -> tuple[float | None, ...]:
    """Round numbers of different units, each to its own digits."""
    return tuple(rounded([value], 6)[0] for value in np.asarray(values).tolist())
