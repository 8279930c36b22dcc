"""Rows that groups are looked for in: what every backend can do, and the one that holds them in memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from coterie._support.linear_algebra import FLAT, principal_components, symmetric_axes
from coterie._support.optional import require
from coterie._support.progress import Tracker
from coterie._support.typing import Data, Indices, Labels, ValuesByName
from coterie.cluster import find_method
from coterie.data import LeftOut, PreparedRows, Scaling, Table, as_table, prepare_rows
from coterie.data.categories import UNSEEN, is_category, is_yes_no
from coterie.data.missing import fill_from_similar
from coterie.data.notes import listed
from coterie.data.sampling import draw_rows
from coterie.data.square import names_of_square, refuse_distances, square_columns, square_of
from coterie.distance.input import check_distance_matrix
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput, did_you_mean
from coterie.evaluate import Comparison, compare
from coterie.pipeline.answer import Clustering, Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.groups import Groups, describe_groups, described_rows, mixed_columns
from coterie.pipeline.judge.rounding import FEW_ROWS
from coterie.pipeline.mixed import MixedColumns
from coterie.pipeline.pairs import with_pairs
from coterie.pipeline.partition import Partition, RowsAtHand, class_texts
from coterie.pipeline.recipe import Recipe, takes_distance
from coterie.pipeline.request import HAVERSINE, PRECOMPUTED, TAKE_CATEGORIES, FitRequest
from coterie.pipeline.row_order import fit_in_order, row_order

LEAST_ROWS = 4  # to compare methods on
SAMPLE_ROWS = 20_000  # that starts, rules and the report come from where there are more rows
ROWS_PER_CENTRE = 128  # of the sample that k-means starts on
FEW_COPIES = 0.1  # of the rows: so many change no density
SHARED = 0.9  # of the different rows that a column which is not rounded tells apart
MIXED_COST = 2  # so many times fewer mixed rows are compared: their methods take longer
ROWS_PER_GROUP = 8  # that a group must have among those compared
MOST_DENSE = 512 * 2**20  # bytes of a sparse matrix that is made dense
TRUTH = "the truth"
NOT_TAKEN = "a number, which k-modes does not take"
ENOUGH_COMPLETE = 50  # rows without filled values, from which methods are compared on those alone
MOST_AXES = 50  # principal coordinates of a matrix of distances
LINKED = "embedding"  # the method that links near rows
MOST_LINKED_ROWS = 200_000  # that are linked to their nearest ones: seconds
MOST_RESAMPLED_ROWS = 30_000  # whose communities are found again and again
OBSERVED = "nan_euclidean"  # the distance of observed cells
ROWS_AT_ONCE = 256  # whose products stay in the cache
PATTERNS_AT_ONCE = 2_048  # of missing cells, that are compared with all others
OF_MEANS = ("agglomerative", "diana", "leiden")  # methods that compare a row with many at once
LINKAGES_OF_MEANS = ("average", "complete", "weighted")
FITTED_TO_ALL = ("kmeans", "mixture")  # winners of a contest that are fitted again to all rows


@dataclass(frozen=True, eq=False)
class Compared:
    """The rows that methods are compared on.

    Parameters
    ----------
    points : array of shape (n, d)
        Their scaled values; of more columns than rows, turned so that few are left.
    rows : array of shape (n,)
        Which rows of those grouped they are, ascending.
    n_rows : int
        Rows that are grouped in all.
    note : str
        Which rows were compared, where not all.
    filled : array of bool of shape (n, d) or None
        Values that were missing, and are those of the most similar row.
    mixed : MixedColumns or None
        Which columns are categories; None: none.
    """

    points: Data
    rows: Indices
    n_rows: int
    note: str = ""
    filled: Any = None
    mixed: MixedColumns | None = None

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return len(self.rows) == self.n_rows


@dataclass(frozen=True, eq=False)
class Fitted:
    """The groups of all rows.

    Parameters
    ----------
    model : estimator
        Places new rows.
    labels : object
        Groups of the rows, as the backend keeps them.
    notes : tuple of str
        What was done.
    """

    model: Any
    labels: Any
    notes: tuple[str, ...] = ()


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
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""

    @property
    def scaling(self) -> Scaling:
        """How the columns are scaled."""

    @property
    def points(self) -> Data:
        """Scaled values of the rows at hand: all of them, or a sample."""

    def resolve(self, request: FitRequest) -> FitRequest:
        """Return the request with what it says of rows by name, as numbers of these rows."""

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on."""

    def classes_of(self, compared: Compared) -> Any:
        """Return the classes of the compared rows, where they were given; else None."""

    def fit(self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker) -> Any:
        """Fit a winner to all rows, or let it place them."""

    def labels_of(self, fitted: Any, groups: Groups, compared: Compared) -> Labels:
        """Return the groups of the compared rows, 0..k-1; -1 is noise."""

    def rows_to_resample(
        self, winner: Candidate, groups: Groups, compared: Compared, request: FitRequest
    ) -> Resampled | None:
        """Return the rows that stability is measured on, where those compared do not tell it; else None."""

    def describe(
        self, fitted: Any, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
    ) -> tuple[Groups, tuple[Fact, ...]]:
        """Return the groups numbered by size, and what is known about them."""

    def compare(self, groups: Groups, fitted: Any) -> Comparison | None:
        """Return the agreement with the truth, where it was given."""

    def partition(self, groups: Groups) -> Partition:
        """Return the groups of the rows at hand: all of them, or a sample."""

    def answer(self, fitted: Any, **parts: Any) -> Clustering:
        """Return the answer with all its parts."""


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Rows of a table in memory."""

    prepared: PreparedRows
    classes: Any = None

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
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""
        return self.prepared.choice.left_out

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

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on: without copies, up to the budget."""
        sample, gaps = draw_rows(self.n_rows, n_sampled(request), request.seed), self.prepared.gaps()
        some = self.prepared.points[sample], None if gaps is None else gaps[sample]
        is_observed = self.prepared.complete.is_observed
        return compare_sample(*some, sample, self.n_rows, request, self.mixed, is_observed=is_observed)

    def classes_of(self, compared: Compared) -> Any:
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
            elif winner.method in FITTED_TO_ALL and request.distance is None:
                start = draw_rows(self.n_rows, n_of_start(winner), request.seed)
                model = fit_from_sample(winner, points[start], points, in_order=request.rows_may_move)
            elif request.is_settled or (compared.is_whole and not request.rows_may_move):
                model = winner.make().fit(points)
            elif compared.is_whole or winner.method in FITTED_TO_ALL or self._fits_all(winner):
                model = fit_in_order(winner.make(), points)
            else:
                model = fit_in_order(winner.make(), np.ascontiguousarray(points[compared.rows]))
                return Fitted(model, np.asarray(model.predict(points)), (placed_note(winner, compared),))
        labels = getattr(model, "labels_", None)
        found = np.asarray(model.predict(points) if labels is None else labels)
        return Fitted(model, found, (*said, *(said_by(caught) if request.is_settled else ())))

    def _fits_all(self, winner: Candidate) -> bool:
        """Return whether a winner of mixed rows, or of many columns, is fitted again to all of them."""
        n_rows = int(self.prepared.points.shape[0])
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

    def _fit_observed(self, winner: Candidate, request: FitRequest) -> Any:
        points, gaps = self.prepared.points, self.prepared.gaps()
        order = row_order(points) if request.rows_may_move else np.arange(len(points))
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


@dataclass(frozen=True, eq=False)
class MatrixRows(MemoryRows):
    """Rows of which distances are known: judged by principal coordinates, fitted to the distances."""

    distances: Any = None

    def fit(self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker) -> Fitted:
        """Fit a winner to the distances where its method takes them, else to the coordinates."""
        takes_them = takes_distance(winner.method, PRECOMPUTED) and winner.parameters.get("linkage") != "ward"
        if not takes_them or not compared.is_whole:
            return super().fit(winner, compared, request, tracker)
        of_matrix = replace(winner, parameters={**winner.parameters, "metric": PRECOMPUTED})
        model = of_matrix.make().fit(self.distances)
        return Fitted(model, np.asarray(model.labels_))


def matrix_rows(data: object, request: FitRequest) -> MatrixRows:
    """Return the rows of a matrix of distances, by their principal coordinates."""
    table = dense(as_table(data, may_be_distances=True, **request.reading))
    columns = square_columns(table, drop=request.drop)
    distances = check_distance_matrix(square_of(table, drop=request.drop), who="coterie.fit", name="X")
    check_rows(request, len(distances), table.source)
    found = rows_of_distances(
        distances, source=table.source, names=names_of_square(table, columns), notes=table.notes
    )
    classes, _ = classes_of(table, request.truth)
    return replace(found, classes=classes)


def rows_of_distances(
    distances: Data,
    *,
    source: str,
    names: list[str] | None,
    key: str | None = None,
    notes: tuple[Any, ...] = (),
) -> MatrixRows:
    """Return rows of which distances are known, by their principal coordinates.

    Parameters
    ----------
    distances : array of shape (n, n)
        Checked.
    source : str
        What to call the data.
    names : list of str or None
        What the rows are called; None: by number.
    key : str, default=None
        What a table of labels calls the column of the names; None: it has row numbers instead.
    notes : tuple
        What the reader should know already.
    """
    axes, kept = principal_coordinates(distances)
    used = tuple(f"axis {at + 1}" for at in range(axes.shape[1]))
    note = (
        f"groups are described by {len(used)} principal coordinates, which keep {kept:.0%} of the distances"
    )
    polars = require("polars", extra="cli", purpose="Taking data frames")
    numbers = [str(row + 1) for row in range(len(axes))]
    column, keys = ("row", ()) if key is None else (key, (key,))
    content = polars.DataFrame(axes, schema=list(used)).with_columns(
        polars.Series(column, numbers if names is None else names)
    )
    coordinates = Table(source, (*used, column), True, len(axes), content, (*notes, note), keys=keys)
    prepared = prepare_rows(coordinates, scale="none", columns=used)
    prepared = replace(prepared, choice=replace(prepared.choice, left_out=()))
    return MatrixRows(prepared, None, distances)


def principal_coordinates(distances: Data) -> tuple[Data, float]:
    """Return coordinates whose Euclidean distances are the given ones, as nearly as can be, and how nearly.

    Classical scaling: eigenvectors of the doubly centred squares, those of positive eigenvalues, up to 50.
    The second value is their share of the sum of all eigenvalues' sizes.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> axes, kept = principal_coordinates(np.abs(points - points.T))
    >>> np.abs(axes - axes.T).round(6).tolist(), round(kept, 6)
    ([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]], 1.0)
    """
    squares = np.asarray(distances, dtype=np.float64) ** 2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = symmetric_axes((centred + centred.T) / 2)
    order = np.argsort(-values, kind="stable")[:MOST_AXES]
    least = max(FLAT, np.finfo(np.float64).eps * len(squares)) * float(np.abs(values).max())
    order = order[values[order] > least]
    if not order.size:
        return np.zeros((len(squares), 1)), 1.0
    kept = float(values[order].sum() / np.abs(values).sum())
    return np.ascontiguousarray(vectors[:, order] * np.sqrt(values[order])), kept


def memory_rows(data: object, request: FitRequest) -> MemoryRows:
    """Return the rows of a table, a frame, an array or a file, prepared as asked for."""
    if not request.silhouette:
        need = "is for data in blocks, more than 1 GiB or lazy: in memory no silhouette is measured."
        raise InvalidParameter(f"silhouette=False {need}").in_shell(f"--no-silhouette {need}")
    if request.is_precomputed:
        return matrix_rows(data, request)
    table = dense(as_table(data, may_be_distances=True, **request.reading))
    refuse_distances(table)
    classes, dropped = classes_of(table, request.truth)
    not_taken, why = columns_not_taken(table, request)
    prepared = prepare_rows(
        table,
        scale=request.scaling,
        columns=request.columns,
        drop=[*request.drop, *dropped, *not_taken],
        keep=request.keep,
        missing=request.missing,
        categories=request.takes_categories,
        associated=request.methods is None,
        places=request.wanted_places,
        as_angles=request.distance == HAVERSINE,
    )
    if why:
        prepared = replace(prepared, said=(*prepared.said, why))
    for name in not_taken:
        prepared = replace(prepared, choice=prepared.choice.renamed_reason(name, NOT_TAKEN))
    if dropped:
        prepared = replace(prepared, choice=prepared.choice.renamed_reason(dropped[0], TRUTH))
    check_rows(request, len(prepared.rows), table.source, n_dropped=prepared.complete.n_dropped)
    return MemoryRows(prepared, classes)


def columns_not_taken(table: Table, request: FitRequest) -> tuple[list[str], str]:
    """Return the columns that the methods asked for cannot use beside others, and a note on them.

    Methods for numbers, and distances of numbers, take no categories; k-modes takes nothing else.
    """
    if table.is_matrix or request.is_precomputed:
        return [], ""
    left = [name for name in table.columns if name not in request.drop and name != request.truth]
    if request.columns:
        left = [name for name in left if name in request.columns]
    texts = [name for name in left if is_category(table.looks[name])]
    if not texts:
        return [], ""
    if request.takes_categories:
        if request.methods != ("kmodes",):
            return [], ""
        numbers = [name for name in left if table.looks[name].numbers is not None]
        return [name for name in numbers if not is_yes_no(table.looks[name])], ""
    kept = [name for name in texts if name in (*request.columns, *request.keep)]
    texts = kept or texts
    who = f"{request.distance} distance" if request.distance is not None else ""
    titles = [find_method(name).title for name in request.methods or () if name not in TAKE_CATEGORIES]
    who = who or " and ".join(titles)
    what = "categories, which are" if len(texts) > 1 else "a category, which is"
    note = f"{listed(texts)}: {what} not taken by {who}; k-prototypes, latent classes or gower take them"
    if kept:
        raise InvalidParameter(f"{table.source}: {note}.")
    return [], note


def n_sampled(request: FitRequest) -> int:
    """Return how many rows are drawn where there are more; those compared are among them."""
    return max(SAMPLE_ROWS, request.budget.rows)


def n_of_start(winner: Candidate) -> int:
    """Return how many rows k-means and mixtures start on where there are more."""
    return max(SAMPLE_ROWS, ROWS_PER_CENTRE * winner.k)


def check_rows(request: FitRequest, n_rows: int, source: str, *, n_dropped: int = 0) -> None:
    """Refuse more groups than rows, or too few rows."""
    which = " without missing values" if n_dropped else ""
    if n_rows < LEAST_ROWS and not request.is_settled:
        raise InvalidData(f"{source}: coterie.fit needs at least {LEAST_ROWS} rows, got {n_rows}.")
    if request.ks is not None and request.ks[-1] > n_rows:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {n_rows}, the rows{which}, got {request.ks[-1]}."
        ).in_shell(f"{source}: -k must be at most {n_rows}, its rows{which}, got {request.ks[-1]}.")


def classes_of(table: Table, truth: Any) -> tuple[Any, list[str]]:
    """Return the class of each row, and the column to leave out because it holds them."""
    if truth is None:
        return None, []
    if isinstance(truth, str):
        if truth not in table.columns:
            near = did_you_mean(truth, table.columns)
            raise InvalidParameter(f'{table.source}: no column "{truth}" to compare with.{near}')
        if table.is_matrix:
            return np.asarray(table.content)[:, table.columns.index(truth)], [truth]
        return np.array([str(value) for value in table.content[truth]]), [truth]
    classes = np.asarray(truth)
    if classes.shape != (table.n_rows,):
        raise InvalidData(f"truth must have one class per row, {table.n_rows}, got shape {classes.shape}.")
    return classes, []


def dense(table: Table) -> Table:
    """Return the table with a sparse matrix made dense, where that takes little memory."""
    if not issparse(table.content):
        return table
    n_bytes = 8 * table.content.shape[0] * table.content.shape[1]
    if n_bytes > MOST_DENSE:
        raise UnsupportedInput(
            f"{table.source}: coterie.fit makes sparse matrices dense up to {MOST_DENSE // 2**20} MiB, this "
            f"one would take {n_bytes / 2**20:,.0f}. Use coterie.cluster.KMeans, which takes sparse ones, or "
            "fewer columns (sklearn.decomposition.TruncatedSVD)."
        ).in_shell(
            f"{table.source}: a sparse matrix that would take {n_bytes / 2**20:,.0f} MiB when dense, more "
            f"than {MOST_DENSE // 2**20}. Use fewer columns, or coterie.cluster.KMeans in Python."
        )
    return replace(table, content=np.asarray(table.content.toarray(), dtype=np.float64))


def compare_some(
    points: Data, numbers: Indices, n_rows: int, request: FitRequest, *, mixed: MixedColumns | None = None
) -> Compared:
    """Return the rows of a sample that methods are compared on: without copies, up to the budget.

    Parameters
    ----------
    points : array
        The sample, scaled.
    numbers : array
        Which rows of the whole it consists of.
    n_rows : int
        Rows of the whole.
    request : FitRequest
        Numbers of groups, budget, seed.
    mixed : MixedColumns, default=None
        Which columns are categories; None: none.
    """
    values = points if mixed is None else np.where(np.isnan(points), UNSEEN, points)
    rows = np.arange(len(points)) if request.pairs else without_copies(values)
    if request.ks is not None and request.ks[-1] > len(rows):
        rows = np.arange(len(points))
    n_different = len(rows)
    most = request.budget.rows if mixed is None else request.budget.rows // MIXED_COST
    if n_different > most:
        by_value = rows[row_order(np.asarray(points)[rows])]
        rng = np.random.default_rng(request.seed)
        rows = np.sort(rng.choice(by_value, most, replace=False))
    note = _note(len(points), n_different, len(rows), n_rows)
    found = np.ascontiguousarray(points[rows])
    found = turned(found, request) if mixed is None else found
    return Compared(found, numbers[rows], n_rows, note, mixed=mixed)


def compare_sample(
    points: Data,
    gaps: Any,
    numbers: Indices,
    n_rows: int,
    request: FitRequest,
    mixed: MixedColumns | None,
    *,
    is_observed: bool,
) -> Compared:
    """Return the rows of a sample that methods are compared on: complete ones, where there are enough.

    Parameters
    ----------
    points : array of shape (n, d)
        The sample, scaled and filled.
    gaps : array of bool of shape (n, d) or None
        Which values were filled; None: none.
    numbers, n_rows, request, mixed
        As in `compare_some`.
    is_observed : bool
        Whether values are those of the most similar row; else medians, which repeat.
    """
    n_columns = points.shape[1]
    if gaps is not None:  # filled values can look like a group
        complete = np.flatnonzero(~gaps.any(axis=1))
        if len(complete) >= ENOUGH_COMPLETE:
            points, numbers, gaps = points[complete], numbers[complete], None
        elif not is_observed and mixed is None:
            points = fill_from_similar(np.where(gaps, np.nan, points))
    compared = compare_some(points, numbers, n_rows, request, mixed=mixed)
    is_turned = compared.points.shape[1] != n_columns or compared.mixed is not None
    if gaps is None or is_turned:
        return compared
    return replace(compared, filled=gaps[np.searchsorted(numbers, compared.rows)])


def _note(n_sample: int, n_different: int, n_compared: int, n_rows: int) -> str:
    if n_different < n_sample == n_rows:
        copies = f"{n_rows - n_different:,} of {n_rows:,} rows repeat others; methods were compared on "
        return copies + (
            f"the {n_different:,} distinct rows" if n_compared == n_different else f"{n_compared:,}"
        )
    least = ROWS_PER_GROUP * n_rows // n_compared
    missed = f"a group of fewer than about {least:,} rows may be missed"
    return f"methods were compared on {n_compared:,} of {n_rows:,} rows; {missed}"


def without_copies(X: Any) -> Any:
    """Return the rows to judge by: the first of equal ones, unless rounding made them equal.

    A row that was copied (by a join, by drawing with replacement) is one observation. Where every column has
    values that different rows share, equal rows are what rounding makes of near ones, and stay.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> len(without_copies(np.repeat(X, 6, axis=0))), len(without_copies(np.repeat(X.round(), 6, axis=0)))
    (50, 300)
    """
    everything = np.arange(len(X))
    weights = np.random.default_rng(0).uniform(1.0, 2.0, X.shape[1])
    parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(X), ROWS_AT_ONCE)]
    codes = np.concatenate([(X[part] * weights).sum(axis=1) for part in parts] or [np.zeros(0)])
    first = np.sort(np.unique(codes, return_index=True)[1])
    if len(first) > (1.0 - FEW_COPIES) * len(X) or len(first) <= FEW_ROWS:
        return everything
    rows = X[first]
    return first if any(len(np.unique(column)) > SHARED * len(rows) for column in rows.T) else everything


def turned(points: Data, request: FitRequest) -> Data:
    """Return the points; of more columns than rows, turned so that few are left.

    Any n points lie in n - 1 dimensions: Euclidean distances do not change.
    """
    n_rows, n_columns = points.shape
    if n_columns <= n_rows or request.distance is not None:
        return points
    centred = points - points.mean(axis=0, dtype=np.float64)
    turned = principal_components(centred).scores()
    return turned if turned.shape[1] else np.ascontiguousarray(points[:, :1])


def _fit_in_order(winner: Candidate, points: Data) -> Any:
    """Return the winner fitted to rows in the order of their values; of one group, any order will do."""
    return winner.make().fit(points) if winner.k == 1 else fit_in_order(winner.make(), points)


def fit_from_sample(winner: Candidate, sample: Data, points: Data, *, in_order: bool) -> Any:
    """Return k-means or a mixture of all points: the best of its starts on the sample, one run from there.

    Where nothing was settled, starts are drawn from rows in the order of their values.
    """
    if len(sample) == len(points):
        return _fit_in_order(winner, points) if in_order else winner.make().fit(points)
    started = {**winner.parameters, **start_on(winner, sample, in_order=in_order), "n_init": 1}
    return replace(winner, parameters=started).make().fit(points)


def start_on(winner: Candidate, sample: Data, *, in_order: bool) -> ValuesByName:
    """Return the parameters by which k-means or a mixture begins where its fit to a sample ended."""
    sample = np.asarray(sample)[row_order(np.asarray(sample))] if in_order else sample
    is_mixture = winner.method == "mixture"  # whose weights of float32 do not add up to 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a start need not be an optimum
        model = winner.make().fit(np.ascontiguousarray(sample, dtype=np.float64 if is_mixture else None))
    if not is_mixture:
        return {"init": np.asarray(model.cluster_centers_)}
    found = {"weights_init": model.weights_, "means_init": model.means_, "precisions_init": model.precisions_}
    return {name: np.asarray(value) for name, value in found.items()}


def rows_without_distance(known: Any) -> Any:
    """Return which rows are to be filled, so that every two rows have a cell in a common column.

    Of two rows that have none it is the one with fewer cells; both, if they have as many.

    Examples
    --------
    >>> rows_without_distance(np.array([[True, True, False], [False, False, True], [True, True, True]]))
    array([False,  True, False])
    """
    patterns, of_row = np.unique(known, axis=0, return_inverse=True)
    counts, numbers = patterns.sum(axis=1), patterns.astype(np.float32)
    is_alone = np.zeros(len(patterns), dtype=bool)
    for first in range(0, len(patterns), PATTERNS_AT_ONCE):
        part = slice(first, first + PATTERNS_AT_ONCE)
        apart = (numbers[part] @ numbers.T) == 0
        is_alone[part] = (apart & (counts[part, None] <= counts)).any(axis=1)
    return is_alone[of_row.ravel()]


def observed_notes(winner: Candidate, notes: tuple[str, ...], n_filled: int = 0) -> tuple[str, ...]:
    """Say that a method counts observed cells alone."""
    if winner.method in ("kmeans", *TAKE_CATEGORIES):
        return (*notes, f"{find_method(winner.method).title} counts observed cells only")
    linkage = winner.parameters.get("linkage")
    by = f" and {linkage} linkage" if linkage else ""
    if n_filled:
        are = (
            "row has no column in common with another: it is"
            if n_filled == 1
            else ("rows have no column in common with others: they are")
        )
        notes = (*notes, f"{n_filled:,} {are} filled from the most similar row")
    return (*notes, f"distances are those of the cells that both rows have ({OBSERVED}){by}")


def placed_note(winner: Candidate, compared: Compared) -> str:
    """Say that most rows were placed by a model of some."""
    title = find_method(winner.method).title
    some = f"{len(compared.rows):,} of {compared.n_rows:,} rows"
    return f"{title} was fitted to {some}; its predict places the others"


def said_by(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return what was warned about, each once."""
    return tuple(dict.fromkeys(str(warning.message).splitlines()[0] for warning in caught))
