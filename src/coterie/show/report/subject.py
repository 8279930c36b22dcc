"""What a report is written about: rows, groups, and whatever evidence there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from coterie._support.typing import Indices, Labels, Model
from coterie.evaluate import Significance, Stability
from coterie.pipeline import Candidate, FitVerdict, Profile
from coterie.pipeline.many_columns import PixelColumns, are_numbered, pixel_columns
from coterie.pipeline.partition import Partition, RowsAtHand
from coterie.pipeline.series import SeriesRows
from coterie.select import Evidence
from coterie.tree import Dendrogram


@dataclass(frozen=True, eq=False)
class ReportSubject:
    """Rows, their groups, and how both came about."""

    title: str  # what the page is called: the name of the table
    partition: Partition  # the rows at hand in the groups of the answer
    n_rows: int  # rows of the table, or what stands for them: nodes, series, texts
    headline: str  # the answer in a line, and how it was found in another
    lead: str
    # the same rows in other numbers of groups, for the slider
    others: Mapping[int, Partition] = field(default_factory=dict)
    levels: Sequence[int] = ()  # of these others, those that are supported as well: coarser and finer
    row_names: Sequence[str] | None = None  # what the rows are called
    verdict: FitVerdict | None = None  # what was decided about the groups; None: labels that were given
    # values of the rooms below, where there are any; the profile names rows by their numbers in the table
    profile: Profile | None = None
    evidence: Evidence | None = None
    stability: Stability | None = None
    significance: Significance | None = None
    dendrogram: Dendrogram | None = None
    runners_up: Sequence[Candidate] = ()  # what came close
    winner: Candidate | None = None  # what they lost to
    left_out: Sequence[tuple[str, str]] = ()  # columns that were not used
    scaling: str = "columns as they are"  # what was done to the columns
    # in how many rows of the table columns that were used have no value
    missing: Sequence[tuple[str, int]] = ()
    notes: Sequence[str] = ()  # what else the reader should know
    made: Sequence[tuple[str, str]] = ()  # facts about the computation
    command: str | None = None  # what to type in the shell to have it again
    python: str = ""  # the same in Python
    seed: int = 0  # of the sample and the maps
    group_names: Sequence[str] | None = None  # what the groups of the answer are called, e.g. by their words
    called: Sequence[str] = ()  # names that somebody gave the groups of the answer
    typical: Sequence[Indices] | None = None  # places of their most typical rows, where they are known
    linked: Model = None  # the estimator, where it linked near rows: its graph is drawn as a map
    is_network: bool = False  # whether rows are the nodes of a network, which `linked` draws
    series: SeriesRows | None = None  # rows that are time series, which cards draw
    used: Sequence[str] | None = None  # columns of the table, where categories have columns of their own
    units: tuple[str, str] = ("row", "rows")  # what is grouped: one, and many
    extent: str | None = None  # what the rows have, in words; None: so many columns

    @cached_property
    def tells_by_rows(self) -> bool:
        """Whether typical rows, rather than columns, say what a group is like."""
        if self.series is not None:
            return True
        return self.group_names is not None or (are_numbered(self.columns) and not self.at_hand.category_of)

    @cached_property
    def pixels(self) -> PixelColumns | None:
        """How the columns make a picture; None: they are something else."""
        if self.at_hand.category_of:
            return None
        return pixel_columns(self.columns, [name for name, _ in self.left_out])

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The least and the largest value of all columns."""
        return float(self.at_hand.X.min()), float(self.at_hand.X.max())

    @property
    def at_hand(self) -> RowsAtHand:
        """The rows that were grouped, as far as they are at hand."""
        return self.partition.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.at_hand.columns

    @property
    def labels(self) -> Labels:
        """Groups 0..k-1 of the rows at hand; -1 is noise."""
        return self.partition.labels

    @property
    def k(self) -> int:
        """Number of groups."""
        return self.partition.k

    @property
    def n_grouped(self) -> int:
        """Rows that were grouped, as far as they are at hand."""
        return len(self.at_hand)

    @property
    def n_all(self) -> int:
        """Rows that were grouped, those in blocks included."""
        return self.at_hand.n_all

    def place_of(self, row: int) -> int:
        """Return the place among the rows at hand of a row of the table, counted from 0."""
        return int(np.searchsorted(self.at_hand.numbers, row))

    def name_of(self, place: int) -> str:
        """Return what a row is called, by its place among those at hand."""
        if self.row_names is not None:
            return shorten(str(self.row_names[place]))
        return f"row {int(self.at_hand.numbers[place]) + 1:,}"


LONGEST_NAME = 40  # signs of a name that the page keeps: a cell may hold a novel


def shorten(name: str) -> str:
    """Return a name that fits into a line.

    Examples
    --------
    >>> len(shorten("x" * 1000))
    40
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
