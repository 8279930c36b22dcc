"""Rows in memory: compared, fitted, described."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import AnyArray, Data, Indices, Labels, Model
from coterie.data import LeftOut, PreparedRows, Scaling
from coterie.data.sampling import draw_rows
from coterie.errors import InvalidParameter, UnmetConstraints
from coterie.evaluate import Comparison, compare
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.answer import Clustering, Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.groups import Groups, describe_groups, described_rows, mixed_columns
from coterie.pipeline.pairs import as_given, with_pairs
from coterie.pipeline.partition import Partition, RowsAtHand, class_texts
from coterie.pipeline.recipe import Recipe, takes_distance
from coterie.pipeline.request import TAKE_CATEGORIES, FitRequest
from coterie.pipeline.row_order import fit_in_order, row_order
from coterie.pipeline.rows.protocol import OBSERVED, Compared, Fitted, Resampled
from coterie.pipeline.rows.sampling import compare_sample, n_sampled
from coterie.pipeline.rows.starting import (
    LATENT,
    fit_from_sample,
    n_of_start,
    observed_notes,
    placed_note,
    rows_without_distance,
    said_by,
)

LINKED = "embedding"  # the method that links near rows
MOST_LINKED_ROWS = 200_000  # that are linked to their nearest ones: seconds
MOST_RESAMPLED_ROWS = 30_000  # whose communities are found again and again
OF_MEANS = ("agglomerative", "diana", "leiden")  # methods that compare a row with many at once
LINKAGES_OF_MEANS = ("average", "complete", "weighted")
SIZED = "constrained-kmeans"
FITTED_TO_ALL = ("kmeans", "mixture")  # winners of a contest that are fitted again to all rows


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Rows of a table in memory."""

    prepared: PreparedRows
    classes: AnyArray | None = None

    @property
    def source(self) -> str:
        """What to call the data."""
        return self.prepared.table.source

    @property
    def n_rows(self) -> int:
        """Rows that are grouped."""
        return len(self.prepared.rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns used."""
        return self.prepared.choice.used

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that are used: two for a position."""
        return self.prepared.table_columns

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""
        return self.prepared.choice.left_out

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done."""
        return self.prepared.notes

    @property
    def scaling(self) -> Scaling:
        """How the columns are scaled."""
        return self.prepared.scaling

    @property
    def points(self) -> Data:
        """Scaled values of all rows; of mixed ones, their factors."""
        mixed = self.mixed
        return self.prepared.points if mixed is None else mixed.factors(self.prepared.points)

    @property
    def scaled(self) -> Data:
        """Scaled values of all rows; of mixed ones, numbers and codes."""
        return self.prepared.points  # type: ignore[no-any-return]  # an array

    @property
    def mixed(self) -> MixedColumns | None:
        """Which columns are categories; None: none."""
        return mixed_columns(self.prepared.levels) if self.prepared.levels else None

    @cached_property
    def order(self) -> Indices:
        """The rows in the order of their values, so that no answer depends on another one."""
        return row_order(self.prepared.points)

    def resolve(self, request: FitRequest) -> FitRequest:
        """Return the request with pairs of rows as numbers of these rows."""
        if not request.pairs:
            return request
        if self.n_rows > request.budget.rows and not request.is_settled:
            most = f"{request.budget.rows:,} rows"
            raise InvalidParameter(
                f"together and apart of more than {most} need one method and one k."
            ).in_shell(f"--together and --apart of more than {most} need one --method and one -k.")
        prepared = self.prepared
        return with_pairs(request, prepared.table, prepared.rows)

    def as_given(self, error: UnmetConstraints, request: FitRequest, compared: Compared) -> InvalidParameter:
        """Return an error about compared rows in the words of the request, with its names of the rows."""
        return as_given(error, request, self.prepared, compared.rows)

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on: without copies, up to the budget."""
        sample, gaps = draw_rows(self.n_rows, n_sampled(request), request.seed), self.prepared.gaps()
        points = self.prepared.points
        is_whole = len(sample) == self.n_rows
        return compare_sample(
            points if is_whole else points[sample],
            None if gaps is None else gaps[sample],
            sample,
            self.n_rows,
            request,
            self.mixed,
            is_observed=self.prepared.complete.is_observed,
            find_order=(lambda: self.order) if is_whole else None,
        )

    def classes_of(self, compared: Compared) -> AnyArray | None:
        """Return the classes of the compared rows, where they were given; else None."""
        return None if self.classes is None else self.classes[self.prepared.rows][compared.rows]

    def fit(self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker) -> Fitted:
        """Fit a winner to all rows, or to those compared, which place the others."""
        points, said = self.prepared.points, tuple[str, ...]()
        exact = self._for_observed(winner, request)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if exact is not None:
                return self._fit_gaps(exact, compared, request)
            if self.counts_observed(winner, request):
                model, said = self._fit_observed(winner, request), observed_notes(winner, ())
            elif winner.method in (*FITTED_TO_ALL, LATENT) and request.distance is None:
                start = draw_rows(self.n_rows, n_of_start(winner), request.seed)
                model = fit_from_sample(winner, points[start], points, in_order=request.rows_may_move)
            elif request.is_settled or (compared.is_whole and not request.rows_may_move):
                model = self._fit_constrained(winner, request)
            elif compared.is_whole or winner.method in FITTED_TO_ALL or self._fits_all(winner):
                model = fit_in_order(winner.make(), points, lambda: self.order)
            else:
                model = fit_in_order(winner.make(), np.ascontiguousarray(points[compared.rows]))
                return Fitted(model, np.asarray(model.predict(points)), (placed_note(winner, compared),))
        labels = getattr(model, "labels_", None)
        found = np.asarray(model.predict(points) if labels is None else labels)
        return Fitted(model, found, (*said, *(said_by(caught) if request.is_settled else ())))

    def _fit_constrained(self, winner: Candidate, request: FitRequest) -> Model:
        """Fit a winner as it is; sizes and pairs that no groups keep are named as they were given."""
        try:
            return winner.make().fit(self.prepared.points)
        except UnmetConstraints as error:
            raise as_given(error, request, self.prepared, np.arange(self.n_rows)) from None

    def _fits_all(self, winner: Candidate) -> bool:
        """Return whether a winner of mixed rows, of many columns, or of limited sizes is fitted to all."""
        n_rows = int(self.prepared.points.shape[0])
        if winner.method == SIZED:
            return True  # sizes are those of all rows
        if winner.method == LINKED:
            return n_rows <= MOST_LINKED_ROWS
        return bool(self.prepared.levels) and winner.method in TAKE_CATEGORIES

    def _for_observed(self, winner: Candidate, request: FitRequest) -> Candidate | None:
        """Return the winner with a distance of observed cells, if that is asked for or better than filling.

        Two rows that share few columns can be at a distance of almost 0. What averages over many rows bears
        that; a neighbourhood, a medoid or a chain of near rows does not, and is better off with filled rows.
        """
        gaps = self.prepared.gaps() if self.prepared.complete.is_observed else None
        if gaps is None or self.prepared.levels or request.distance not in (None, OBSERVED):
            return None
        if winner.method in TAKE_CATEGORIES:
            return winner
        is_asked = request.distance == OBSERVED
        is_mean = winner.method in OF_MEANS and winner.parameters.get("linkage") in (None, *LINKAGES_OF_MEANS)
        if not (is_asked or is_mean) or not takes_distance(winner.method, OBSERVED):
            return None
        return replace(winner, parameters={**winner.parameters, "metric": OBSERVED})

    def _fit_gaps(self, winner: Candidate, compared: Compared, request: FitRequest) -> Fitted:
        """Fit a winner to rows with missing cells, by those that are there."""
        filled, gaps = self.prepared.points, self.prepared.gaps()
        alone = np.zeros(len(filled), dtype=bool)
        if winner.method not in TAKE_CATEGORIES:
            alone = rows_without_distance(~gaps)
        points = np.where(gaps & ~alone[:, None], np.nan, filled)
        is_all = request.is_settled or compared.is_whole or winner.method in TAKE_CATEGORIES
        rows = np.arange(len(points)) if is_all else compared.rows
        model, order = winner.make(), np.arange(len(rows))
        if request.rows_may_move and getattr(model, "row_attributes", None) is not None:
            order = row_order(filled[rows])
        if winner.method == LATENT:
            start = points[draw_rows(len(points), n_of_start(winner), request.seed)]
            model = fit_from_sample(winner, start, points, in_order=False)
        else:
            model = model.fit(np.ascontiguousarray(points[rows][order]))
        model = model if np.array_equal(order, np.arange(len(rows))) else model.with_rows_at(order)
        labels = getattr(model, "labels_", None) if is_all else None
        found = np.asarray(model.predict(points) if labels is None else labels)
        placed = () if is_all else (placed_note(winner, compared),)
        return Fitted(model, found, observed_notes(winner, placed, int(alone.sum())))

    def counts_observed(self, winner: Candidate, request: FitRequest) -> bool:
        """Return whether the winner is fitted to observed cells alone."""
        is_plain = request.distance is None and winner.parameters.get("improve") is None
        return bool(self.prepared.complete.is_observed and winner.method == "kmeans" and is_plain)

    def _fit_observed(self, winner: Candidate, request: FitRequest) -> Model:
        points, gaps = self.prepared.points, self.prepared.gaps()
        order = self.order if request.rows_may_move else np.arange(len(points))
        model = replace(winner, parameters={**winner.parameters, "missing": "observed"}).make()
        return model.fit(np.where(gaps, np.nan, points)[order]).with_rows_at(order)

    def labels_of(self, fitted: Fitted, groups: Groups, compared: Compared) -> Labels:
        """Return the groups of the compared rows, 0..k-1; -1 is noise."""
        return np.asarray(groups.labels[self.prepared.rows][compared.rows])

    def rows_to_resample(
        self, winner: Candidate, groups: Groups, compared: Compared, request: FitRequest
    ) -> Resampled | None:
        """Return as many rows as the winner was fitted to, of communities; None: those compared tell it.

        The near rows of a part are others than those of all, and so are their communities: those of all rows
        do not come back in a small part however stable they are.
        """
        is_of_all = request.is_settled or self._fits_all(winner)
        if winner.method != LINKED or compared.is_whole or not is_of_all:
            return None
        rows = draw_rows(self.n_rows, MOST_RESAMPLED_ROWS, request.seed)
        labels = np.asarray(groups.labels[self.prepared.rows])
        return Resampled(self.prepared.points[rows], labels[rows])

    def describe(
        self, fitted: Fitted, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
    ) -> tuple[Groups, tuple[Fact, ...]]:
        """Return the groups numbered by size, and what is known about them."""
        notes = (*notes, *fitted.notes)
        return describe_groups(
            self.prepared, recipe, fitted.model, fitted.labels, seconds=seconds, notes=notes
        ), ()

    def compare(self, groups: Groups, fitted: Fitted) -> Comparison | None:
        """Return the agreement with the truth, where it was given."""
        if self.classes is None:
            return None
        rows = self.prepared.rows
        return compare(self.classes[rows], np.asarray(groups.labels[rows]))

    def partition(self, groups: Groups) -> Partition:
        """Return the groups of all rows that were not left out."""
        prepared, mixed = self.prepared, self.mixed
        at_hand = RowsAtHand(
            described_rows(prepared).X,
            self.points,
            prepared.rows,
            groups.profile.columns,
            len(prepared.rows),
            (groups.recipe.distance or "euclidean") if mixed is None else "euclidean",
            None if self.classes is None else class_texts(np.asarray(self.classes)[prepared.rows]),
            groups.profile.category_of,
        )
        return Partition(at_hand, np.asarray(groups.labels[prepared.rows]))

    def answer(self, fitted: Fitted, **parts: Any) -> Clustering:
        """Return the answer with all its parts."""
        return Clustering(**parts, rows=self)
