"""What a page holds: how many rows, values and cards, and which rows of a large table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie._support.typing import FloatArray, Indices, Labels
from coterie.pipeline.partition import GroupMeans, dense
from coterie.show.report.facts import SampleFacts
from coterie.show.report.numbers import rounded
from coterie.show.report.subject import ReportSubject, shorten

MOST_BYTES = 8_000_000  # what a page may weigh, plotly's 4.8 MB included
LEAST_PER_GROUP = 20  # a small group must still be seen


@dataclass(frozen=True)
class PageBudget:
    """What a page may hold."""

    rows: int = 4_000  # rows; of a larger table a sample
    cells: int = 60_000  # values of these rows
    cards: int = 260  # cards of groups at the stops of the slider other than the chosen one

    def smaller(self, excess: float) -> PageBudget:
        """Return a half of the room, or a fourth ... for tables whose names alone are longer than usual.

        Parameters
        ----------
        excess : float
            How many times too much the page holds.

        Examples
        --------
        >>> PageBudget().smaller(1.2).rows, PageBudget().smaller(2.5).rows
        (2000, 1000)
        """
        part = 2 ** max(1, math.ceil(math.log2(excess)))
        return PageBudget(self.rows // part, self.cells // part, self.cards // part)


USUAL = PageBudget()


def draw_rows(labels: Labels, seed: int, must: Sequence[int] = (), *, most: int = USUAL.rows) -> Indices:
    """Return the places of the rows to hold, ascending: a share of every group, at least a few of each.

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


def sample_facts(
    subject: ReportSubject, places: Indices, means: GroupMeans, budget: PageBudget
) -> SampleFacts:
    """Return what the page holds of the rows at `places`: the columns that tell groups apart come first."""
    rows, n_columns = subject.at_hand, len(subject.columns)
    n_shown = max(1, min(n_columns, budget.cells // max(1, len(places))))
    telling = np.argsort(-np.abs(means.differences).max(axis=0, initial=0.0), kind="stable")
    shown = np.sort(telling[:n_shown])
    values = dense(rows.X[places][:, shown])
    return SampleFacts(
        rows=tuple((rows.numbers[places] + 1).tolist()),
        names=None
        if subject.row_names is None
        else tuple(shorten(str(subject.row_names[place])) for place in places.tolist()),
        columns=tuple(shorten(subject.columns[column]) for column in shown.tolist()),
        values=tuple(rounded(column, 6) for column in values.T),
        means=rounded_each(means.overall[shown]),
        spreads=rounded_each(means.spread[shown]),
        n_grouped=subject.n_all,
        n_shaded=subject.n_grouped,
        n_hidden_columns=n_columns - n_shown,
    )


def rounded_each(values: FloatArray) -> tuple[float | None, ...]:
    """Round numbers of different units, each to its own digits."""
    return tuple(rounded([value], 6)[0] for value in values.tolist())
