"""Groups of the rows of a table, numbered by size: what is known of them, and the group of new rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Unpack

import numpy as np
from scipy.sparse import issparse

from coterie._support.caller import warn_caller
from coterie._support.typing import (
    CheckedRows,
    FloatArray,
    Indices,
    Labels,
    Model,
    Settings,
    ValuesByName,
)
from coterie._support.validation import check_data
from coterie._support.validation.schema import (
    COUNT,
    Estimator,
    Instance,
    ListOf,
    Maybe,
    Real,
    Schema,
    Sometimes,
    Tensor,
    Text,
    wrong,
)
from coterie.data import SCALINGS, LeftOut, Scaling, Table, as_table, settle_missing
from coterie.data.categories import Levels, note_unseen
from coterie.data.columns import check_names
from coterie.data.geography.places import Place, cells_of, columns_in_table, what_is_wrong, with_places
from coterie.data.missing import settle_mixed
from coterie.data.reading import SourceOptions
from coterie.data.readings import ColumnReading
from coterie.distance import find_geometry
from coterie.distance.mixed import takes_gaps
from coterie.errors import DataNotice, InvalidData, InvalidParameter, ModelFileError
from coterie.pipeline.groups.numbering import number_labels, spread_labels
from coterie.pipeline.groups.profile import Profile
from coterie.pipeline.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of the rows of a table, labelled 0..k-1, the largest first.

    Parameters
    ----------
    source : str
        Name of the table.
    n_rows : int
        Rows of the table.
    columns : tuple of str
        Columns used.
    left_out : tuple of LeftOut
        Columns not used, and why.
    notes : tuple of str
        What else the reader of the result should know.
    recipe : Recipe
        How the groups were found.
    scaling : Scaling
        How the columns were scaled.
    medians : array of shape (n_columns,) or None
        What missing values were filled with.
    model : estimator
        The fitted estimator, with its own numbering of clusters.
    numbers : array
        ``numbers[label]`` is the group of the model's cluster `label`.
    labels : array of shape (n_rows,)
        Group of each row, 0..k-1; -1 is noise. Where rows were left out (missing values) a masked array, in
        which they are masked. Of rows in blocks, those of a sample.
    profile : Profile
        Sizes, means, differences.
    centers : array of shape (k, n_columns)
        Centre of each group in the table's units.
    explained : float or None
        Share of the scaled data's variance that lies between the groups; None without any variance.
    seconds : float
        Time the fit took.
    levels : tuple of tuples or None, default=()
        Of mixed rows, the categories of each column, None for numbers; empty: all are numbers. `profile` and
        `centers` then have a column per category.
    readings : tuple of ColumnReading, default=()
        How the cells of each column were read: new tables are read alike. Empty: the rows were an array, or
        the file was written before this was kept.
    n_dropped : int, default=0
        Of rows in blocks, how many were left out for missing values; of others, `labels` tells.
    places : tuple of Place, default=()
        Columns of latitude and longitude that were used as positions. Three of `columns` stand for each;
        `profile` and `centers` have latitude and longitude instead.
    names : tuple of str, default=()
        What people called the groups: labels of new rows are written with them. Empty: nobody did.
    """

    _schema: ClassVar[Schema] = {
        "source": Text(),
        "n_rows": COUNT,
        "columns": ListOf(Text(), "columns", kind=tuple),
        "left_out": ListOf(Instance(LeftOut), kind=tuple),
        "notes": ListOf(Text(), kind=tuple),
        "recipe": Instance(Recipe),
        "scaling": Instance(Scaling),
        "medians": Maybe(Tensor("columns", kind="f8", allow="nan")),
        "profile": Instance(Profile),
        "centers": Tensor("groups", "described", allow="nan", may_be_empty=True),
        "model": Estimator(),
        "numbers": Tensor("clusters", kind="i", low=0, may_be_empty=True),
        "labels": Tensor("rows", kind="i", low=-2, may_be_empty=True),
        "left_out_rows": Sometimes(Tensor("left_out_rows", kind="i", low=0, below="rows", may_be_empty=True)),
        "explained": Maybe(Real(nan=True)),
        "seconds": Real(),
        "levels": Sometimes(ListOf(Maybe(ListOf(Text(), kind=tuple)), kind=tuple)),
        "readings": Sometimes(ListOf(Instance(ColumnReading), kind=tuple)),
        "n_dropped": Sometimes(COUNT),
        "places": Sometimes(ListOf(Instance(Place), kind=tuple)),
        "names": Sometimes(ListOf(Text(), kind=tuple)),
    }

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_groups(state, sizes, who=cls.__name__)

    source: str
    n_rows: int
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    recipe: Recipe
    scaling: Scaling
    medians: FloatArray | None
    model: Model
    numbers: Labels
    labels: Labels
    profile: Profile
    centers: FloatArray
    explained: float | None
    seconds: float
    levels: Levels = ()
    readings: tuple[ColumnReading, ...] = ()
    n_dropped: int = 0
    places: tuple[Place, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def table_columns(self) -> tuple[str, ...]:
        """Columns of the table that were used: a position is two of them."""
        return columns_in_table(self.columns, self.places)

    @property
    def column_readings(self) -> dict[str, ColumnReading]:
        """How the cells of each column were read, by its name: `read_table` takes it."""
        return dict(zip(self.columns, self.readings, strict=True)) if self.readings else {}

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.profile.sizes)

    @property
    def prepared_as(self) -> str:
        """What the method saw of the columns, in words: "standardised columns and categories"."""
        numbers = SCALINGS[self.recipe.scale]
        if self.places and len(self.columns) == 3 * len(self.places):
            numbers = "positions in km" if self.scaling.is_identity else "positions"
        if not self.levels:
            return numbers
        return f"{numbers} and categories" if None in self.levels else "categories"

    @property
    def grouped_rows(self) -> Indices:
        """Rows of the table that were not left out, counted from 0."""
        return np.flatnonzero(~np.ma.getmaskarray(self.labels))

    @property
    def n_grouped(self) -> int:
        """Rows that were not left out; those in no group count."""
        is_in_blocks = self.n_dropped > 0 or len(self.labels) != self.n_rows
        return self.n_rows - self.n_dropped if is_in_blocks else len(self.grouped_rows)

    @property
    def n_noise(self) -> int:
        """Rows in no group."""
        return self.n_grouped - int(self.profile.sizes.sum())

    @property
    def shares(self) -> FloatArray:
        """Share of the grouped rows in each group."""
        return np.asarray(self.profile.sizes / self.n_grouped)

    @property
    def objective(self) -> tuple[str, float] | None:
        """What the method made small or large, in words, and its value; None for methods without one."""
        value = getattr(self.model, "inertia_", getattr(self.model, "lower_bound_", None))
        if value is None:
            return None
        if hasattr(self.model, "_objective_words"):
            return self.model._objective_words, float(value)
        words = find_geometry(getattr(self.model, "geometry", "euclidean")).barycentre.objective
        return ("SSE" if words.endswith("(SSE)") else words), float(value)

    @property
    def medoid_rows(self) -> Indices | None:
        """Row of the table, counted from 0, that is the medoid of each group; None for other methods."""
        medoids = getattr(self.model, "medoid_indices_", None)
        if medoids is None:
            return None
        by_group = medoids[np.argsort(self.numbers)]
        if len(self.labels) != self.n_rows:  # rows in blocks are numbered as in the data
            return np.asarray(by_group)
        return np.asarray(self.grouped_rows[by_group])

    @property
    def counts_observed(self) -> bool:
        """Whether the model takes rows with missing values by the cells that are there."""
        model = self.model
        is_told = getattr(model, "missing", None) == "observed" or takes_gaps(getattr(model, "metric", None))
        return bool(is_told or self.recipe.method in ("latent-classes", "kprototypes"))

    @property
    def missing_policy(self) -> str:
        """What is done about missing values of new rows where nothing is said: what the fit did.

        Rows that were left out there are refused.
        """
        if self.levels:
            return "auto"
        if self.medians is None:
            return "refuse"
        return "observed" if self.counts_observed else "median"

    def predict(self, rows: object, *, missing: str | None = None) -> Labels:
        """Return the group of each new row.

        Parameters
        ----------
        rows : Table, path, DataFrame or array
            Tables, files and frames are matched by column name, and their cells are read as those of the fit
            were; arrays must have the model's columns in their order.
        missing : {"refuse", "observed", "drop", "median", "auto"}, default=None
            Rows with missing values: refuse, count observed cells (k-means), mask them, or fill them with the
            medians of the fit. "auto", for rows with categories, compares the cells that are there. None: as
            in the fit, where rows were filled or compared by observed cells; else they are refused.

        Returns
        -------
        array of shape (n_rows,)
            Groups labelled as here; a masked array where rows were left out.
        """
        if not hasattr(self.model, "n_features_in_"):
            raise InvalidData("these groups cannot predict new rows: the model that found them was not kept.")
        if getattr(self.model, "metric", None) == "precomputed":
            raise InvalidData(
                "these groups cannot predict new rows: they were found in a matrix of distances."
            )
        missing = self.missing_policy if missing is None else missing
        if self.levels:
            return self._predict_mixed(rows, missing)
        X, source = self._matrix(rows)
        if missing == "observed":
            return self._predict_observed(X, source)
        if missing == "median" and self.medians is None and not issparse(X) and np.isnan(X).any():
            raise InvalidParameter(
                'missing="median" needs the medians of the fit, which had no gaps to fill. Use "drop".'
            ).in_shell("--missing median needs the medians of the fit, which had no gaps to fill. Use drop.")
        known = {"observed": self.counts_observed, "drop": True, "median": self.medians is not None}
        ways_out = [way for way, is_known in known.items() if is_known]
        complete = settle_missing(
            X, self.columns, policy=missing, source=source, medians=self.medians, ways_out=ways_out
        )
        found = number_labels(self.model.predict(self.scaling.apply(complete.X)), self.numbers)
        return spread_labels(found, complete.rows, X.shape[0])

    def _predict_mixed(self, rows: object, missing: str) -> Labels:
        """Return the group of each new row of numbers and categories."""
        rows = self._table(rows)
        absent = [name for name in self.columns if name not in rows.columns]
        if absent:
            raise InvalidData(
                f"{rows.source}: lacks the columns {', '.join(absent)} that the groups were found by."
            )
        X, new = rows.coded(self.columns, self.levels)
        note = note_unseen(new)
        if note:
            warn_caller(f"{rows.source}: {note}.", DataNotice)
        if missing == "median" and self.medians is not None:
            X = np.where(np.isnan(X), self.medians, X)
        complete = settle_mixed(X, self.columns, self.levels, policy=missing, source=rows.source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataNotice)  # it was said above, by the names of the columns
            labels = self.model.predict(self.scaling.apply(complete.X))
        return spread_labels(number_labels(labels, self.numbers), complete.rows, len(X))

    def not_observed(self) -> InvalidParameter:
        """Return the error of ``missing="observed"`` for groups that were found otherwise."""
        ways = ["drop"] if self.medians is None else ["median", "drop"]
        named, fact = (
            " or ".join(f'"{way}"' for way in ways),
            "is for groups that were found by observed cells",
        )
        return InvalidParameter(f'missing="observed" {fact}, got others. Use {named}.').in_shell(
            f"--missing observed {fact}. Use {' or '.join(ways)}."
        )

    def _predict_observed(self, X: CheckedRows, source: str) -> Labels:
        """Return groups by observed cells; rows without any are masked."""
        if issparse(X) or not self.counts_observed:
            raise self.not_observed()
        kept = np.flatnonzero(~np.isnan(X).all(axis=1))
        settle_missing(np.where(np.isnan(X), 0.0, X), self.columns, source=source)  # refuses what is infinite
        found = self.model.predict(self.scaling.apply(X[kept])) if len(kept) else np.empty(0, dtype=np.int32)
        return spread_labels(number_labels(found, self.numbers), kept, X.shape[0])

    def _table(self, rows: object) -> Table:
        """Return rows as a table whose cells are read as those of the fit were."""
        is_named = hasattr(rows, "columns") or isinstance(rows, str | os.PathLike)
        table = as_table(rows, columns=None if is_named else self.columns, readings=self.column_readings)
        return table if table.is_matrix else self._with_axes(table)

    def _with_axes(self, table: Table) -> Table:
        """Return a table with the axes of the positions that the groups were found by."""
        for place in self.places:
            check_names(table.source, table.columns, place.columns)
            problem = what_is_wrong(cells_of(table, place), place)
            if problem is not None:
                names = " and ".join(place.columns)
                raise InvalidData(f"{table.source}: {names} are not positions: {problem}.")
        return with_places(table, self.places)

    def matrix_of(self, rows: object, **reading: Unpack[SourceOptions]) -> tuple[CheckedRows, str]:
        """Return new rows in the columns of the fit, unscaled, and what to call them.

        Parameters
        ----------
        rows : Table, path, DataFrame or array
            As in `predict`.
        **reading
            How a file is read.
        """
        if (
            isinstance(rows, list | tuple)
            and rows
            and all(isinstance(one, str | os.PathLike) for one in rows)
        ) or isinstance(rows, str | os.PathLike):
            rows = as_table(rows, readings=self.column_readings, **reading)
        return self._matrix(rows)

    def _matrix(self, rows: Any) -> tuple[CheckedRows, str]:
        is_frame = hasattr(rows, "columns")
        if isinstance(rows, Table | str | os.PathLike) or _has_text(rows) or (self.places and is_frame):
            table = self._table(rows)
            return table.matrix(self.columns), table.source
        if hasattr(rows, "columns"):
            absent = [name for name in self.columns if name not in rows.columns]
            if absent:
                raise InvalidData(
                    f"the rows lack the columns {', '.join(absent)} that the groups were found by."
                )
            rows = rows[list(self.columns)]
        X = check_data(
            rows, who="predict", name="rows", accept_sparse=True, may_be_missing=True, may_be_distances=True
        )
        if X.shape[1] != len(self.columns):
            raise InvalidData(
                f"the rows must have {len(self.columns)} columns ({', '.join(self.columns[:5])}"
                f"{' ...' if len(self.columns) > 5 else ''}), got shape {X.shape}."
            )
        return X, "the rows"

    def __coterie_state__(self) -> ValuesByName:
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        left_out = np.flatnonzero(np.ma.getmaskarray(self.labels))
        return state | {"labels": np.asarray(self.labels), "left_out_rows": left_out}

    @classmethod
    def __coterie_restore__(cls, state: Settings) -> Groups:
        values = dict(state)
        left_out = values.pop("left_out_rows", None)
        labels = np.asarray(values["labels"])
        if left_out is None:  # written when groups were counted from 1 and rows left out were labelled -2
            left_out = np.flatnonzero(labels == -2)
            labels = np.where(labels > 0, labels - 1, -1).astype(np.int32)
            values["numbers"] = (np.asarray(values["numbers"]) - 1).astype(np.int32)
        rows = np.setdiff1d(np.arange(len(labels)), left_out)
        return cls(**values | {"labels": spread_labels(labels[rows], rows, len(labels))})

    def __repr__(self) -> str:
        sizes = ", ".join(str(size) for size in self.profile.sizes[:8]) + (" ..." if self.k > 8 else "")
        return f"<{self.k} groups in {self.source}: {sizes} of {self.n_rows:,} rows>"


def _has_text(rows: object) -> bool:
    """Return whether a frame has a column that is not plain numbers."""
    kinds = getattr(rows, "dtypes", None)
    return hasattr(rows, "columns") and kinds is not None and any(_is_other(kind) for kind in kinds)


def _is_other(kind: object) -> bool:
    is_number = getattr(kind, "is_numeric", None)  # of polars; others have the kinds of NumPy
    return not is_number() if callable(is_number) else getattr(kind, "kind", "O") not in "biuf"


def names_of(model: object) -> tuple[str, ...] | None:
    """Return what people called the groups of an answer; None where nobody named them."""
    groups = getattr(model, "groups", model)
    return groups.names or None if isinstance(groups, Groups) else None


def check_groups(state: Settings, sizes: Mapping[str, int], *, who: str) -> None:
    """Refuse groups whose parts, each sound by itself, do not fit together."""
    n_columns, n_groups, profile, model = sizes["columns"], sizes["groups"], state["profile"], state["model"]
    is_of_rows = getattr(model, "metric", None) != "precomputed"
    levels = state.get("levels", ())
    if levels and len(levels) != n_columns:
        raise wrong("levels", who, f"be of {n_columns:,} columns, as columns says", len(levels))
    readings = state.get("readings", ())
    if readings and len(readings) != n_columns:
        raise wrong("readings", who, f"be of {n_columns:,} columns, as columns says", len(readings))
    described = sum(1 if known is None else len(known) for known in levels) if levels else n_columns
    places = state.get("places", ())
    described -= len(places)
    if any(axis not in state["columns"] for place in places for axis in place.axes):
        raise wrong("places", who, "be positions of which columns has the axes", list(places[0].columns))
    if any(len(each.centers) != n_groups for each in profile.positions):
        raise wrong("profile", who, f"have positions of {n_groups} groups", len(profile.positions[0].centers))
    for name, size in (("profile", len(profile.columns)), ("centers", sizes["described"])):
        if size != described:
            raise wrong(name, who, f"have {described:,} columns, as columns says", size)
    for name, size in (
        ("scaling", len(state["scaling"].factor)),
        ("model", getattr(model, "n_features_in_", n_columns) if is_of_rows else n_columns),
    ):
        if size != n_columns:
            raise wrong(name, who, f"have {n_columns:,} columns, as columns says", size)
    names = state.get("names", ())
    if names and len(names) != n_groups:
        raise wrong("names", who, f"be those of {n_groups} groups, as centers says", len(names))
    if len(profile.sizes) != n_groups:
        raise wrong("profile", who, f"have {n_groups} groups, as centers says", len(profile.sizes))
    most = n_groups - 1 if "left_out_rows" in state else n_groups  # earlier files count from 1
    for name in ("numbers", "labels"):
        if int(state[name].max(initial=-1)) > most:
            raise wrong(name, who, f"hold numbers of at most {most}, its groups", int(state[name].max()))
    n_labels = int(np.max(getattr(model, "labels_", -1), initial=-1)) + 1
    if 0 < len(state["numbers"]) < n_labels:
        raise wrong("numbers", who, f"have {n_labels} numbers, one per label of its model", sizes["clusters"])


def column_readings(model: object, *, dates: str | None = None) -> dict[str, ColumnReading]:
    """Return how the cells of a model's columns were read, for `read_table`; nothing where it is not known.

    Parameters
    ----------
    model : Groups, something with groups, or estimator
        What `coterie.load` returned.
    dates : str, default=None
        What is to be made of dates now; refused if the model made something else of them.
    """
    groups = getattr(model, "groups", model)
    found = groups.column_readings if isinstance(groups, Groups) else {}
    for name, how in found.items():
        part = how.reading.part if how.reading is not None else ""
        if dates is not None and part not in ("", dates):
            text = f'the groups were found with {how.reading} in column "{name}"'
            raise InvalidParameter(f'{text}: leave dates out, got dates="{dates}".').in_shell(
                f"{text}: leave --dates out, got --dates {dates}."
            )
    return found


def predict_table(model: Model, table: Table, *, missing: str | None = None) -> Labels:
    """Return the group of each row of a table.

    Parameters
    ----------
    model : Groups, something with groups, or estimator
        What `coterie.load` returned. An estimator's clusters keep its own numbers.
    table : Table
        Columns are found by name when the model knows names, otherwise the numeric ones are taken in order.
    missing : {"refuse", "observed", "drop", "median"}, default=None
        What to do about missing values; "median" needs `Groups`. None: as in the fit; estimators refuse.
    """
    groups = getattr(model, "groups", model)
    if hasattr(model, "predict_table"):
        placed: Labels = model.predict_table(table)
        return placed
    if isinstance(groups, Groups):
        return groups.predict(table, missing=missing)
    if not hasattr(model, "predict"):
        raise ModelFileError(f"a {type(model).__name__} cannot predict new rows: it has no predict.")
    names = getattr(model, "feature_names_in_", None)
    columns = table.choose().used if names is None else tuple(str(name) for name in names)
    if len(columns) != model.n_features_in_:
        raise InvalidData(
            f"{table.source}: the model needs {model.n_features_in_} columns of numbers, got {len(columns)}: "
            f"{', '.join(columns[:5])}{' ...' if len(columns) > 5 else ''}."
        )
    X = table.matrix(columns)
    complete = settle_missing(X, columns, policy=missing or "refuse", source=table.source)
    with warnings.catch_warnings():
        # the columns were matched by name above; the matrix no longer carries the names
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = np.asarray(model.predict(complete.X))
    return spread_labels(found, complete.rows, X.shape[0])
