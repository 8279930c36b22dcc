"""What the pipeline asks of rows, wherever they are, and what passes between its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from coterie._support.progress import Tracker
from coterie._support.typing import AnyArray, Data, Indices, Labels, Mask, Model
from coterie.data import LeftOut, Scaling
from coterie.errors import InvalidParameter, UnmetConstraints
from coterie.evaluate import Comparison
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.answer import Clustering, Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.groups import Groups
from coterie.pipeline.partition import Partition
from coterie.pipeline.recipe import Recipe
from coterie.pipeline.request import FitRequest

SAMPLE_ROWS = 20_000  # that starts, rules and the report come from where there are more rows
OBSERVED = "nan_euclidean"  # the distance of observed cells


@dataclass(frozen=True, eq=False)
class Compared:
    """The rows that methods are compared on."""

    points: Data  # (n, d): their scaled values; of more columns than rows, turned so that few are left
    rows: Indices  # (n,): which rows of those grouped they are, ascending
    n_rows: int  # rows that are grouped in all
    note: str = ""  # which rows were compared, where not all
    filled: Mask | None = None  # (n, d): values that were missing, and are those of the most similar row
    mixed: MixedColumns | None = None  # which columns are categories; None: none

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return len(self.rows) == self.n_rows


@dataclass(frozen=True, eq=False)
class Fitted:
    """The groups of all rows."""

    model: Model  # places new rows
    labels: Any  # groups of the rows, as the backend keeps them
    notes: tuple[str, ...] = ()  # what was done


@dataclass(frozen=True, eq=False)
class Resampled:
    """Rows that stability is measured on, and their groups: 0..k-1, -1 is noise."""

    points: Data
    labels: Labels


class Rows(Protocol):
    """What `coterie.fit` asks of data, in memory or in blocks."""

    @property
    def source(self) -> str:
        """What to call the data."""

    @property
    def n_rows(self) -> int:
        """Rows that are grouped."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns used."""

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that are used: two for a position."""

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the data."""

    @property
    def scaling(self) -> Scaling:
        """How the columns are scaled."""

    @property
    def points(self) -> Data:
        """Scaled values of the rows at hand: all of them, or a sample."""

    def resolve(self, request: FitRequest) -> FitRequest:
        """Return the request with what it says of rows by name, as numbers of these rows."""

    def as_given(self, error: UnmetConstraints, request: FitRequest, compared: Compared) -> InvalidParameter:
        """Return an error about compared rows in the words of the request, with its names of the rows."""

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on."""

    def classes_of(self, compared: Compared) -> AnyArray | None:
        """Return the classes of the compared rows, where they were given; else None."""

    def fit(self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker) -> Model:
        """Fit a winner to all rows, or let it place them."""

    def labels_of(self, fitted: Model, groups: Groups, compared: Compared) -> Labels:
        """Return the groups of the compared rows, 0..k-1; -1 is noise."""

    def rows_to_resample(
        self, winner: Candidate, groups: Groups, compared: Compared, request: FitRequest
    ) -> Resampled | None:
        """Return the rows that stability is measured on, where those compared do not tell it; else None."""

    def describe(
        self, fitted: Model, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
    ) -> tuple[Groups, tuple[Fact, ...]]:
        """Return the groups numbered by size, and what is known about them."""

    def compare(self, groups: Groups, fitted: Model) -> Comparison | None:
        """Return the agreement with the truth, where it was given."""

    def partition(self, groups: Groups) -> Partition:
        """Return the groups of the rows at hand: all of them, or a sample."""

    def answer(self, fitted: Model, **parts: Any) -> Clustering:
        """Return the answer with all its parts."""
