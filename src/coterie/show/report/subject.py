"""What a report is written about: rows, groups, and whatever evidence there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie._support.typing import Indices, Labels


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows, their groups, and how both came about.

    Parameters
    ----------
    title : str
        What the page is called: the name of the table.
    X : array or CSR matrix of shape (n_grouped, n_columns)
        The rows that were grouped, in the table's units.
    points : array or CSR matrix of shape (n_grouped, n_columns)
        The same rows as the method saw them: scaled.
    rows : array of shape (n_grouped,)
        Which rows of the table these are, counted from 0.
    n_rows : int
        Rows of the table.
    columns : tuple of str
        Names of the columns.
    labels : array of shape (n_grouped,)
        Groups 0..k-1; -1 is noise.
    headline, lead : str
        The answer in a line, and how it was found in another.
    metric : str
        Distance between points.
    labelings : mapping from int to labels
        Other numbers of groups, for the slider.
    row_names, classes : sequence of str, default=None
        What the rows are called; the classes they are known to have ("" where unknown).
    profile, evidence, stability, significance, dendrogram : default=None
        Values of the rooms below, where there are any; the profile names rows by their numbers in the table.
    runners_up : sequence of Candidate
        What came close.
    winner : Candidate or None
        What they lost to.
    left_out : sequence of (column, reason)
        Columns that were not used.
    scaling : str
        What was done to the columns.
    missing : sequence of (column, int)
        In how many rows of the table columns that were used have no value.
    notes : sequence of str
        What else the reader should know.
    made : sequence of (str, str)
        Facts about the computation.
    command : str, default=None
        What to type in the shell to have it again.
    python : str
        The same in Python.
    seed : int
        Of the sample and the maps.
    whole : GroupMeans, default=None
        Where `X` is a sample of rows in blocks: sizes and means of the groups of all rows.
    """

    title: str
    X: Any
    points: Any
    rows: Indices
    n_rows: int
    columns: tuple[str, ...]
    labels: Labels
    headline: str
    lead: str
    metric: str = "euclidean"
    labelings: Mapping[int, Labels] = field(default_factory=dict)
    row_names: Sequence[str] | None = None
    classes: Sequence[str] | None = None
    profile: Any = None
    evidence: Any = None
    stability: Any = None
    significance: Any = None
    dendrogram: Any = None
    runners_up: Sequence[Any] = ()
    winner: Any = None
    left_out: Sequence[tuple[str, str]] = ()
    scaling: str = "columns as they are"
    missing: Sequence[tuple[str, int]] = ()
    notes: Sequence[str] = ()
    made: Sequence[tuple[str, str]] = ()
    command: str | None = None
    python: str = ""
    seed: int = 0
    whole: Any = None

    @property
    def n_grouped(self) -> int:
        """Rows that were grouped, as far as they are at hand."""
        return int(self.X.shape[0])

    @property
    def n_all(self) -> int:
        """Rows that were grouped, those in blocks included."""
        return self.n_grouped if self.whole is None else self.n_rows

    @property
    def k(self) -> int:
        """Number of groups."""
        return int(np.max(self.labels, initial=-1)) + 1

    def place_of(self, row: int) -> int:
        """Return the place in `X` of a row of the table, counted from 0."""
        return int(np.searchsorted(self.rows, row))

    def name_of(self, place: int) -> str:
        """Return what a row is called, by its place in `X`."""
        if self.row_names is not None:
            return shorten(str(self.row_names[place]))
        return f"row {int(self.rows[place]) + 1:,}"


LONGEST_NAME = 40  # signs of a name that the page keeps: a cell may hold a novel


def shorten(name: str) -> str:
    """Return a name that fits into a line.

    Examples
    --------
    >>> len(shorten("x" * 1000))
    40
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
