"""Labels from files: two columns of one table, a column of each of two tables, or labels with their rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from coterie._printing import listed, shortened
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import AnyArray, Mask, PolarsFrame, PolarsSeries
from coterie._support.validation.schema import (
    COUNT,
    Instance,
    ListOf,
    Maybe,
    Names,
    Sometimes,
    Tensor,
    Text,
)
from coterie.data.categories import Levels
from coterie.data.columns import ColumnChoice, LeftOut, check_names
from coterie.data.files.source import open_source
from coterie.data.geography.places import (
    OFF,
    Place,
    angle_scaling,
    cells_of,
    check_angles,
    find_places,
    kilometres,
    no_position,
    note_angles,
    scale_places,
    what_is_wrong,
)
from coterie.data.missing import refusal, settle_missing
from coterie.data.paths import is_place
from coterie.data.prepared import without_unassociated
from coterie.data.reading import options_of_text, read_table
from coterie.data.scaling import fit_scaling, scale_numbers
from coterie.data.table import Table
from coterie.errors import CoterieError, InvalidData, InvalidFile, InvalidParameter, did_you_mean

CLUSTER_NAMES = ("group", "cluster", "label", "labels", "prediction", "pred")
CLASS_NAMES = ("truth", "class", "target", "species", "label", "labels", "y")
GROUP_NAME = r"^(group \d+|noise)$"
EMPTY_POLICIES = ("error", "drop")
SHOWN = 3


@saved()
class LabelPair:
    """Two labels per row.

    Parameters
    ----------
    true, pred : ndarray of shape (n_rows,)
        Classes and clusters.
    true_name, pred_name : str
        Their columns, with the file for the classes when it is another one.
    """

    true: AnyArray = held(Names("rows"))
    pred: AnyArray = held(Names("rows"))
    true_name: str = held(Text())
    pred_name: str = held(Text())
    source: str = held(Text(), "The file of the clusters.")
    n_dropped: int = held(COUNT, "Rows left out because a label is missing.")
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What had to be decided, in a user's words.")
    true_column: str = held(Text(), "The column of the classes, without its file.")


def read_label_pair(
    labels: str | os.PathLike[str] | Table,
    truth: str | Table,
    *,
    column: str | None = None,
    truth_column: str | None = None,
    missing: str = "error",
    header: bool | None = None,
    encoding: str | None = None,
) -> LabelPair:
    r"""Read the clusters and the classes of the same rows.

    Parameters
    ----------
    labels : str, path or Table
        The table that holds the clusters.
    truth : str or Table
        A column of that table, or another file or table; its rows are matched by a column that names the
        rows, where both have one, otherwise by their order.
    column, truth_column : str, default=None
        Columns of the clusters and, in a file of its own, of the classes; None looks for a usual name, or for
        the only column that can be meant.
    missing : {"error", "drop"}, default="error"
        What to do with rows that lack a label.
    header, encoding
        As in `read_table`, for both files.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("species,group\nrose,1\nrose,1\nlily,2\n")
    >>> pair = read_label_pair(path, "species")
    >>> pair.true.tolist(), pair.pred.tolist()
    (['rose', 'rose', 'lily'], [1, 1, 2])
    """
    if not isinstance(missing, str) or missing not in EMPTY_POLICIES:
        near = did_you_mean(missing, EMPTY_POLICIES)
        raise InvalidParameter(
            f'missing must be one of "error", "drop" for labels, got "{shortened(missing)}".{near}'
        )
    of_labels, of_truth = options_of_text(labels, truth, header=header, encoding=encoding)
    if isinstance(truth, str) and not is_place(truth):
        of_labels = {"header": header, "encoding": encoding}  # a column of it
    table = read_labels_table(labels, **of_labels)
    if isinstance(truth, str) and truth in table.columns:
        if truth_column is not None:
            raise InvalidParameter(
                f'{table.source}: "{truth}" is a column there, so no column of another file can be chosen.'
            ).in_shell(
                f'--truth-column needs a file after --truth, but "{truth}" is a column of {table.source}.'
            )
        name = choose_label_column(table, column, CLUSTER_NAMES, taken=(truth,), option="--column")
        return _pair(table, name, table.content, truth, truth, missing, table.notes)
    if isinstance(truth, str) and not is_place(truth):
        near = did_you_mean(truth, table.columns)
        raise InvalidParameter(
            f'"{truth}" is neither a column of {table.source} nor a file.{near} '
            f"Columns: {listed([shortened(name) for name in table.columns])}."
        )
    other = read_labels_table(truth, **of_truth)
    name = choose_label_column(table, column, CLUSTER_NAMES, option="--column")
    true_name = choose_label_column(other, truth_column, CLASS_NAMES, option="--truth-column")
    content, notes = align(table, other)
    return _pair(table, name, content, true_name, f"{true_name} of {other.source}", missing, notes)


def read_labels_table(
    where: str | os.PathLike[str] | Table, header: bool | None = None, encoding: str | None = None
) -> Table:
    """Read the table that holds labels; a vector of them is a table with one column."""
    if isinstance(where, Table):
        return where
    polars = require("polars", extra="cli", purpose="Reading tables")
    vector = _read_vector(where)
    if vector is not None:
        return Table(os.fspath(where), ("label",), False, vector.size, polars.DataFrame({"label": vector}))
    table = read_table(where, header=header, encoding=encoding)
    if not table.is_matrix:
        return table
    if issparse(table.content):
        raise InvalidFile(
            f"{table.source}: must be a table that holds labels, got a sparse matrix. Save the labels alone, "
            f"as an .npy or .csv file."
        )
    frame = polars.DataFrame(np.asarray(table.content), schema=list(table.columns))
    return Table(table.source, table.columns, table.has_names, table.n_rows, frame, table.notes)


def _read_vector(where: str | os.PathLike[str]) -> AnyArray | None:
    """Return the labels of an .npy file with one dimension; None for whatever else `read_table` may read."""
    if not os.fspath(where).endswith(".npy"):
        return None
    try:
        array: AnyArray = np.load(open_source(where).stream(), allow_pickle=False)
    except CoterieError:
        raise
    except Exception:  # a header may be wrong in many ways
        return None  # read_table says what is wrong
    is_vector = isinstance(array, np.ndarray) and array.ndim == 1  # an archive may be called .npy
    return array if is_vector and array.dtype.kind in "biufU" else None


def choose_label_column(
    table: Table, wanted: str | None, usual: Sequence[str], *, taken: tuple[str, ...] = (), option: str
) -> str:
    """Return the column that holds the labels, or ask for its name."""
    if wanted is not None:
        check_names(table.source, table.columns, [wanted])
        return wanted
    free = [name for name in table.columns if name not in taken]
    if "label" in free and "group" in free and _are_group_names(table.content["group"]):
        return "label"  # of a file that Coterie wrote: there -1 is noise, which its name is not
    for name in usual:
        if name in free:
            return name
    keys = table.key_columns()
    telling = [name for name in free if name not in keys] or free
    if len(telling) == 1:
        return telling[0]
    listed = ", ".join(telling[:6]) + (" ..." if len(telling) > 6 else "")
    raise InvalidParameter(
        f"{table.source}: which column holds the labels? It has: {listed}. Use {option} NAME."
    )


def _are_group_names(series: PolarsSeries) -> bool:
    """Return whether a column holds what people read for labels: "group 1", "noise"."""
    return str(series.dtype) == "String" and bool(series.drop_nulls().str.contains(GROUP_NAME).all())


def align(table: Table, other: Table) -> tuple[PolarsFrame, tuple[str, ...]]:
    """Return the content of `other` in the order of the rows of `table`."""
    notes = table.notes + other.notes
    for key in table.key_columns():
        if key in other.key_columns() and not table.content[key].equals(other.content[key]):
            return _join(table, other, key), (*notes, f"rows matched by {key}")
    if table.n_rows != other.n_rows:
        raise InvalidData(
            f"{table.source} has {table.n_rows:,} rows, {other.source} has {other.n_rows:,}: they must label "
            f"the same rows, in the same order or with a column in both that names the rows."
        )
    return other.content, notes


def _join(table: Table, other: Table, key: str) -> Any:
    found = table.content.select(key).with_row_index("__row")
    joined = found.join(other.content.with_columns(__known=True), on=key, how="left").sort("__row")
    unknown = joined.filter(joined["__known"].is_null())
    if unknown.height:
        raise InvalidData(
            f"{other.source}: no row for {unknown.height:,} of {table.n_rows:,} rows of {table.source}, "
            f'such as {key} "{unknown[key][0]}".'
        )
    return joined


def _pair(
    table: Table,
    name: str,
    content: PolarsFrame,
    true_name: str,
    shown: str,
    missing: str,
    notes: tuple[str, ...],
) -> LabelPair:
    pred, true = table.content[name], content[true_name]
    is_empty = pred.is_null() | true.is_null()
    n_empty = int(is_empty.sum())
    if n_empty and missing == "error":
        rows = (np.flatnonzero(is_empty.to_numpy())[:SHOWN] + 1).tolist()
        listed = ", ".join(map(str, rows)) + (" ..." if n_empty > SHOWN else "")
        text = f"{table.source}: {n_empty:,} rows lack a label in {name} or {shown} (rows {listed})."
        raise InvalidData(f'{text} Use missing="drop".').in_shell(f"{text} Use --missing drop.")
    values = [label_values(series.filter(~is_empty)) for series in (true, pred)]
    return LabelPair(values[0], values[1], shown, name, table.source, n_empty, notes, true_name)


def label_values(series: PolarsSeries) -> AnyArray:
    """Return a column of labels as an array: numbers, dates and truth values as such, the rest as text."""
    is_plain = series.dtype.is_numeric() or series.dtype.is_temporal() or str(series.dtype) == "Boolean"
    if is_plain:
        return np.asarray(series.to_numpy())
    polars = require("polars", extra="cli", purpose="Reading tables")
    return np.asarray(series.cast(polars.String).to_numpy(), dtype=object)


@saved()
class LabelledData:
    """Rows of numbers and their labels.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The numbers.
    labels : ndarray of shape (n_rows,)
        The label of each row.
    left_out : tuple of LeftOut
        Columns that are not used, and why.
    label_name, source, data_source : str
        Column of the labels, its file, and the file of the data.
    levels : tuple of (tuple of str or None), default=()
        What the codes of each column of categories stand for, None for numbers; nothing: all are numbers.
    places : tuple of Place, default=()
        Columns of X that are latitude and longitude, in degrees.
    """

    X: AnyArray = held(Tensor("rows", "columns", kind="any"))
    labels: AnyArray = held(Names("rows"))
    columns: tuple[str, ...] = held(ListOf(Text(), "columns", kind=tuple), "Names of the columns of X.")
    left_out: tuple[LeftOut, ...] = held(ListOf(Instance(LeftOut), kind=tuple))
    label_name: str = held(Text())
    source: str = held(Text())
    data_source: str = held(Text())
    n_dropped: int = held(COUNT, "Rows left out because a value or a label is missing.")
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What had to be decided, in a user's words.")
    levels: Levels = held(Sometimes(ListOf(Maybe(ListOf(Text(), kind=tuple)), kind=tuple)), default=())
    places: tuple[Place, ...] = held(Sometimes(ListOf(Instance(Place), kind=tuple)), default=())

    def scaled(self, scale: str, *, as_angles: bool = False) -> ScaledRows:
        """Return the rows as distances see them: positions in km, columns scaled.

        Parameters
        ----------
        scale : {"auto", "standard", "minmax", "robust", "none"}
            See `fit_scaling`.
        as_angles : bool, default=False
            Whether a position alone is used, in radians: what the haversine takes.
        """
        if as_angles:
            return self._angles()
        positions = [name for place in self.places for name in place.columns]
        plain = [at for at, name in enumerate(self.columns) if name not in positions]
        axes = [kilometres(self._cells(place)) for place in self.places]
        X = np.hstack([self.X[:, plain], *axes]) if axes else self.X
        made = [name for place in self.places for name in place.axes]
        columns = [*(self.columns[at] for at in plain), *made]
        known = [self.levels[at] for at in plain] if self.levels else [None] * len(plain)
        levels = (*known, *[None] * (len(columns) - len(plain)))
        is_plain = not self.levels and not np.isnan(X).any()
        own = fit_scaling(X, scale) if is_plain else scale_numbers(X, levels, scale)
        varies = np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)
        scaling = scale_places(
            lambda how: fit_scaling(np.nan_to_num(X), how), varies, columns, self.places, scale, own
        )
        return ScaledRows(scaling.apply(X), scaling.how, levels)

    def _cells(self, place: Place) -> AnyArray:
        return self.X[:, [self.columns.index(name) for name in place.columns]]

    def _angles(self) -> ScaledRows:
        if not self.places:
            check_angles(self.columns, self.data_source)
        place = self.places[0] if self.places else Place(*self.columns)
        X = self._cells(place)
        scaling = angle_scaling(np.abs(X).max(axis=0))
        problem = None if scaling.is_identity else what_is_wrong(X, place)
        if problem is not None:
            raise no_position(place, self.data_source, problem)
        return ScaledRows(scaling.apply(X), scaling.how, (None, None))


class ScaledRows(NamedTuple):
    """Rows as distances see them, how they were scaled, and what codes stand for."""

    X: AnyArray
    how: str
    levels: Levels


def read_labelled_data(
    labels: str | os.PathLike[str] | Table,
    data: str | os.PathLike[str] | Table,
    *,
    column: str | None = None,
    drop: tuple[str, ...] = (),
    missing: str = "error",
    categories: bool = False,
    associated: bool = False,
    keeps_gaps: bool = False,
    places: str = OFF,
    as_angles: bool = False,
    header: bool | None = None,
    encoding: str | None = None,
) -> LabelledData:
    r"""Read data and the label of each of their rows.

    Parameters
    ----------
    labels : str, path or Table
        The table that holds the labels.
    data : str, path or Table
        The table that holds the data; may be the same. Rows are matched by a column that names them, where
        both have one, otherwise by their order.
    column : str, default=None
        Column of the labels; None looks for a usual name, or for the only column that can be meant.
    drop : tuple of str, default=()
        Columns of the truth, which the data may hold as well: they are left out.
    missing : {"error", "drop"}, default="error"
        What to do with rows that lack a value or a label.
    categories : bool, default=False
        Whether columns of categories are taken, as codes.
    associated : bool, default=False
        Whether categories that are not associated with any other column are left out.
    keeps_gaps : bool, default=False
        Whether rows that lack a value stay, with NaN.
    places : str, default="off"
        "auto": columns of latitude and longitude are positions; "LAT,LON": these two are.
    as_angles : bool, default=False
        Whether distances will be those of positions in radians, for the notes to say.
    header, encoding
        As in `read_table`, for both files.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("width,group\n1.5,1\n2.5,1\n7,2\n")
    >>> found = read_labelled_data(path, path)
    >>> found.X.ravel().tolist(), found.labels.tolist()
    ([1.5, 2.5, 7.0], [1, 1, 2])
    """
    of_labels, of_data = options_of_text(labels, data, header=header, encoding=encoding)
    table = read_labels_table(labels, **of_labels)
    name = choose_label_column(table, column, CLUSTER_NAMES, option="--column")
    other = data if isinstance(data, Table) else read_table(data, **of_data)
    unused = [each for each in (name, *drop) if each in other.columns]
    choice = other.choose(drop=unused, categories=categories)
    for each in unused:
        choice = choice.renamed_reason(each, "the labels" if each == name else "the truth")
    positions, about_places = _positions(other, places, unused, choice, as_angles=as_angles)
    levels = other.levels(choice.used) if categories else ()
    if levels and associated:
        choice = without_unassociated(other, choice, levels)
        levels = other.levels(choice.used)
    X = other.coded(choice.used, levels)[0] if levels else other.matrix(choice.used)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    content, notes = align(other, table)  # labels in the order of the data
    found = content[name]
    is_empty = found.is_null().to_numpy()
    if missing == "error":
        _refuse_unlabelled(is_empty, name, table.source)
    kept = np.flatnonzero(~is_empty)
    rows, used = np.arange(len(kept)), X[kept]
    if not keeps_gaps:
        is_missing = np.isnan(used)
        if missing == "error" and is_missing.any():
            raise refusal(is_missing, choice.used, other.source, ("drop",))
        complete = settle_missing(used, choice.used, policy=missing, source=other.source)
        rows, used = complete.rows, complete.X
    return LabelledData(
        X=used,
        labels=label_values(found.filter(~found.is_null()))[rows],
        columns=choice.used,
        left_out=choice.left_out,
        label_name=name,
        source=table.source,
        data_source=other.source,
        n_dropped=other.n_rows - len(rows),
        notes=tuple(dict.fromkeys([*notes, *about_places])),
        levels=levels,
        places=positions,
    )


def _positions(
    table: Table, wanted: str, unused: Sequence[str], choice: ColumnChoice, *, as_angles: bool
) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """Return the columns used that are positions, and notes on them."""
    found, notes = find_places(table, wanted, others=unused)
    positions = tuple(place for place in found if set(place.columns) <= set(choice.used))
    if as_angles and positions:
        angles = angle_scaling(np.abs(cells_of(table, positions[0])).max(axis=0, initial=0.0))
        notes = (note_angles(positions[0], angles),)
    return positions, notes


def _refuse_unlabelled(is_empty: Mask, name: str, source: str) -> None:
    if is_empty.any():
        first = int(np.argmax(is_empty)) + 1
        text = f"{source}: {int(is_empty.sum()):,} rows lack a label in {name} (the first is row {first})."
        raise InvalidData(f'{text} Use missing="drop".').in_shell(f"{text} Use --missing drop.")


def read_truth(
    table: Table, truth: str | Table, rows: Table | None, truth_column: str | None, **how: Any
) -> LabelPair:
    """Read the classes from a column of the labels, from a file, or from a column of the data.

    Parameters
    ----------
    table : Table
        The table of the labels.
    truth : str or Table
        A column of it, a column of the data, or a file, or its table.
    rows : Table or None
        The data.
    truth_column : str or None
        Column of the truth's own file.
    **how
        As in `read_label_pair`.
    """
    is_column = isinstance(truth, str) and truth not in table.columns and not is_place(truth)
    if is_column and rows is not None and truth in rows.columns:
        return read_label_pair(table, rows, truth_column=truth, **how)
    return read_label_pair(table, truth, truth_column=truth_column, **how)


def read_rows(table: Table, rows: Table, pair: LabelPair | None, **how: Any) -> LabelledData:
    """Read the data of the labels, without the classes."""
    return read_labelled_data(table, rows, drop=() if pair is None else (pair.true_column,), **how)
