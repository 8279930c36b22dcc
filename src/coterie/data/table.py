"""Tables, and the one way from a table to rows ready to be clustered: columns chosen, complete, scaled."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.panics import quiet_panics
from coterie._support.stores import local_path, shown
from coterie._support.typing import Indices
from coterie.data.arrays import numbered_columns, read_npy, read_npz, read_zarr
from coterie.data.categories import NOT_ASSOCIATED, Levels, codes_of, is_yes_no, levels_of, not_associated
from coterie.data.columns import (
    ColumnChoice,
    LeftOut,
    Look,
    absent_columns,
    check_names,
    choose_columns,
    lists_to_columns,
    look_at,
    numbers_from_text,
    remedy_for,
)
from coterie.data.databases import Wanted, is_database, read_database
from coterie.data.dates import check_dates
from coterie.data.geography.places import OFF, Place, angle_scaling, find_places, scale_places, with_places
from coterie.data.lakes.iceberg import iceberg_rows, is_iceberg
from coterie.data.lakes.partitions import Partitions, folder_partitions, with_partitions
from coterie.data.marks import Counts, add_marks
from coterie.data.missing import Complete, mostly_empty, note_missing, settle_missing, settle_mixed
from coterie.data.notes import no_rows_in, note_empty_files, reading_notes
from coterie.data.paths import find_files, is_several, is_zarr, place_name
from coterie.data.readings import ColumnReading, ColumnReadings, look_as, reading_of, texts_to_keep
from coterie.data.records import read_json
from coterie.data.scaling import AUTO, Scaling, fit_scaling, scale_numbers
from coterie.data.source import STANDARD_INPUT, Source, open_source
from coterie.data.text import read_text
from coterie.data.workbooks import read_sheet
from coterie.errors import EmptyFile, InvalidData, InvalidParameter

DAY = 86_400  # seconds
LAST_DAY = 90_000_000  # from 1970, either way: some 246,000 years, a little less than polars can write
NOT_NAMED = "not named"  # why a column is left out where the columns to use are named


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns, as read from a file.

    Parameters
    ----------
    source : str
        What the file is called in messages.
    columns : tuple of str
        Names; ``column_1`` and so on where the file has none.
    has_names : bool
        Whether the names come from the file.
    n_rows : int
        Number of rows.
    content : polars.DataFrame, ndarray or CSR matrix
        The values.
    notes : tuple of str
        What the reader had to decide, in a user's words.
    marks : mapping of str to mapping of str to int
        By column, the texts such as "NA" that the reader took as missing, and how many cells held them.
    dates : {"as-number", "year", "month", "weekday"} or None
        What is made of dates and times; None: they are left out.
    readings : mapping of str to ColumnReading
        Columns whose cells are read as an earlier table's were, instead of by looking.
    absent : mapping of str to str
        Of several files, the columns that not all of them have, and how many lack them.
    files : tuple of (str, int)
        The files that the rows come from, and the rows of each; empty: one source.
    keys : tuple of str
        Columns that are known to name the rows.
    is_network : bool
        Whether the rows are links between nodes.
    """

    source: str
    columns: tuple[str, ...]
    has_names: bool
    n_rows: int
    content: Any
    notes: tuple[str, ...] = ()
    marks: Mapping[str, Counts] = field(default_factory=dict)
    dates: str | None = None
    readings: ColumnReadings = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, int], ...] = ()
    keys: tuple[str, ...] = ()
    is_network: bool = False

    def __repr__(self) -> str:
        return f"<Table {self.source}: {self.n_rows:,} rows, {len(self.columns):,} columns>"

    @property
    def is_matrix(self) -> bool:
        """Whether the content is one array of numbers rather than a frame of columns."""
        return isinstance(self.content, np.ndarray) or issparse(self.content)

    @cached_property
    def looks(self) -> dict[str, Look]:
        """What each column of a frame holds, found out once."""
        known = self.readings
        looks = {
            name: look_as(self.content[name], known[name], source=self.source)
            if name in known
            else look_at(self.content[name], dates=self.dates)
            for name in self.columns
        }
        return {name: replace(look, absent=self.absent.get(name)) for name, look in looks.items()}

    def choose(
        self, *, drop: Sequence[str] = (), keep: Sequence[str] = (), categories: bool = False
    ) -> ColumnChoice:
        """Choose the columns to cluster by: numbers, and categories if wanted, that tell rows apart."""
        if self.is_network:
            fact = f"{self.source}: holds the nodes and links of a network, not a table of rows."
            raise InvalidData(f"{fact} Hand over its edges: coterie.fit(graph=edges).").in_shell(
                f"{fact} Add --graph to find its communities."
            )
        if not self.is_matrix:
            return choose_columns(self.source, self.looks, drop=drop, keep=keep, categories=categories)
        check_names(self.source, self.columns, [*drop, *keep])
        used = tuple(name for name in self.columns if name not in drop)
        if not used:
            raise InvalidData(f"{self.source}: all {len(self.columns)} columns are dropped, nothing is left.")
        return ColumnChoice(used, tuple(LeftOut(name, "dropped") for name in drop))

    def key_columns(self) -> tuple[str, ...]:
        """Return the columns that name the rows."""
        if self.is_matrix:
            return ()
        return self.keys or tuple(name for name in self.columns if self.looks[name].names_rows)

    def matrix(self, columns: Sequence[str], *, keep: Sequence[str] = ()) -> Any:
        """Return these columns as a C-ordered float matrix (or CSR), NaN where a value is missing.

        Numbers such as -999 that stand for missing values are missing, but not in the columns of `keep`.

        Raises
        ------
        InvalidParameter
            A column does not exist.
        InvalidData
            A column holds no numbers.
        """
        check_names(self.source, self.columns, columns)
        if self.is_matrix:
            return self._columns_of_matrix(columns)
        polars = require("polars", extra="cli", purpose="Reading tables")
        chosen = polars.DataFrame([self._numbers(name, as_is=name in keep) for name in columns])
        is_single = all(dtype == polars.Float32 for dtype in chosen.dtypes)
        frame = chosen.cast(polars.Float32 if is_single else polars.Float64)
        return np.ascontiguousarray(frame.fill_null(float("nan")).to_numpy())

    def levels(self, columns: Sequence[str]) -> Levels:
        """Return the categories of each column, None for numbers; nothing where all are numbers.

        Beside columns of text, yes and no are categories as well; without any they are numbers.
        """
        if self.is_matrix or not any(self.looks[name].is_text for name in columns):
            return ()
        looks = [self.looks[name] for name in columns]
        return tuple(levels_of(look) if look.is_text or is_yes_no(look) else None for look in looks)

    def coded(
        self, columns: Sequence[str], levels: Levels, *, keep: Sequence[str] = ()
    ) -> tuple[Any, dict[str, list[str]]]:
        """Return numbers and codes of categories as one matrix, and the categories that have no code.

        Parameters
        ----------
        columns : sequence of str
            Which columns.
        levels : tuple of tuples or None
            What the codes of each column stand for; None: numbers.
        keep : sequence of str
            Columns whose numbers are all taken as they are.
        """
        check_names(self.source, self.columns, columns)
        out, new = np.empty((self.n_rows, len(columns))), {}
        for at, (name, known) in enumerate(zip(columns, levels, strict=True)):
            if known is None:
                out[:, at] = self.matrix([name], keep=keep)[:, 0]
                continue
            look = self._look_for_codes(name)
            out[:, at], new[name] = codes_of(look, known)
        return out, new

    def _look_for_codes(self, name: str) -> Look:
        if not self.is_matrix:
            return self.looks[name]
        polars = require("polars", extra="cli", purpose="Reading tables")
        numbers = np.asarray(self.content[:, self.columns.index(name)], dtype=np.float64)
        return Look(polars.Series(name, numbers, nan_to_null=True))

    def _numbers(self, name: str, *, as_is: bool) -> Any:
        look = self.looks[name]
        if look.numbers is not None:
            return look.values(as_is=as_is)
        if look.reason != "empty":
            reason = look.reason or ""
            fact = f'{self.source}: column "{shortened(name)}" must hold numbers, but is {reason}.'
            python, shell = (
                "" if reason == "text" else remedy_for(reason, name, shell=one) for one in (False, True)
            )
            raise InvalidData(f"{fact}{python}").in_shell(f"{fact}{shell}")
        polars = require("polars", extra="cli", purpose="Reading tables")
        return polars.Series(name, [None] * self.n_rows, dtype=polars.Float64)

    def _columns_of_matrix(self, columns: Sequence[str]) -> Any:
        content = self.content
        if tuple(columns) != self.columns:
            place_of = {name: at for at, name in enumerate(self.columns)}
            places = [place_of[name] for name in columns]
            content = content[:, places]
        dtype = np.float32 if content.dtype == np.float32 else np.float64
        return content.astype(dtype) if issparse(content) else np.ascontiguousarray(content, dtype=dtype)


def read_table(
    where: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    dates: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    parameters: Sequence[Any] = (),
    readings: ColumnReadings | None = None,
) -> Table:
    r"""Read a file as a table; format, delimiter, header and decimal sign are found by looking.

    The rows are those of the file: a blank line inside is a row without values, blank lines at the end are
    skipped. At most a quarter of the free memory is read, or what the environment variable
    COTERIE_READ_LIMIT allows, such as 8G.

    Parameters
    ----------
    where : str, path, or list of these
        CSV, TSV or blank-separated text, JSON (records, one per line or in an array), all of them also
        gzipped or zipped; Parquet, Arrow, Excel (.xlsx), .npy, .npz (dense or SciPy sparse), zarr; a file of
        SQLite or DuckDB; ``"postgresql://user@host/database"``; or ``"-"`` for standard input. A folder, a
        pattern such as ``"data/*.csv"`` or a list stands for all its files, one below the other, by the names
        of their columns; files without rows are skipped. All of these also by address, ``"s3://bucket/*.csv"``
        or ``"https://host/rows.csv"``; a Delta or Iceberg table by its folder.
    delimiter : str, default=None
        Sign between cells; None looks for one.
    header : bool, default=None
        Whether the first line names the columns; None looks.
    encoding : str, default=None
        Encoding of text; None is UTF-8, or what a byte order mark says.
    dates : {"as-number", "year", "month", "weekday"}, default=None
        Use dates as days since 1970, as the year, the month or the day of the week (Monday is 1), times of
        day as hours; None leaves them out.
    sheet : str, default=None
        Sheet of a workbook; None: the first that has cells.
    table, query : str, default=None
        Of a database, the table to read or the SQL query to run. Databases are only read.
    parameters : sequence
        Values for the placeholders of the query: ``?`` in SQLite and DuckDB, ``$1`` in PostgreSQL.
    readings : mapping of str to ColumnReading, default=None
        How cells of some columns were read in an earlier table, such as `Groups.column_readings`: units,
        decimal signs, yes and no, dates and missing values are taken alike. None: all are found by looking.

    Returns
    -------
    Table

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name;height\nAda;1,65\nBob;1,80\n")
    >>> table = read_table(path)
    >>> table.columns, table.choose().used
    (('name', 'height'), ('height',))
    """
    check_dates(dates)
    wanted, known = Wanted(table, query, parameters), readings or {}
    how = partial(replace, dates=dates, readings=known)
    texts = texts_to_keep(known)
    if is_database(where):
        refuse_option("sheet", sheet, "workbooks")
        name, frame, notes = read_database(where, wanted)  # type: ignore[arg-type]  # a path or an address
        return how(_of_frame(name, frame, notes=tuple(notes), texts=texts))
    for option, value in (("table", table), ("query", query), ("parameters", parameters or None)):
        refuse_option(option, value, "databases")
    read = partial(
        _read_file, delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, texts=texts
    )
    if is_iceberg(where):
        rows = iceberg_rows(where)
        if not rows.files:
            raise no_rows_in(rows.name, 1)
        return how(_of_frame(rows.name, _of_arrow(rows.read_all()), notes=rows.notes, texts=texts))
    if not is_several(where):
        return how(_with_folders(read(where), *_folders_of(where)))
    places = where if isinstance(where, list | tuple) else [where]
    name, tables, empty = ", ".join(map(place_name, places)), [], []
    found = find_files(where)
    for path in found.paths:
        try:
            tables.append(how(_with_folders(read(path), found.partitions, path)))
        except EmptyFile:
            empty.append(shown(path))
    if not tables:
        raise no_rows_in(name, len(empty))
    joined = _joined(name, tables)
    files = tuple((table.source, table.n_rows) for table in tables)
    return replace(joined, notes=(*note_empty_files(empty, len(tables)), *joined.notes), files=files)


def _folders_of(where: Any) -> tuple[Partitions, str]:
    """Return the columns that the folders above one file tell; standard input lies in no folder."""
    path = local_path(where)
    return folder_partitions([] if path == STANDARD_INPUT else [path]), path


def _with_folders(table: Table, partitions: Partitions, path: str) -> Table:
    """Return a table with the columns that the folders of its file tell; a matrix has no names to add to."""
    columns = partitions.of(path)
    if not columns or table.is_matrix:
        return table
    frame = with_partitions(table.content, columns)
    return replace(table, columns=tuple(frame.columns), content=frame)


def _of_arrow(table: Any) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return polars.from_arrow(table)


def refuse_option(name: str, value: Any, kind: str) -> None:
    """Refuse an option that is for sources of another kind."""
    if value is not None:
        raise InvalidParameter(f"{name} is for {kind}: leave it out here, got {name}={value!r}.").in_shell(
            f"--{name} is for {kind}: leave it out here."
        )


def _read_file(
    where: Any,
    *,
    delimiter: str | None,
    header: bool | None,
    encoding: str | None,
    sheet: str | None,
    texts: Sequence[str],
) -> Table:
    if isinstance(where, str | os.PathLike) and is_zarr(local_path(where)):
        return _of_matrix(shown(where), read_zarr(local_path(where)))
    source = open_source(where)
    if source.kind == "excel":
        frame, has_names, notes = read_sheet(source, sheet, header)
        return _of_frame(source.name, frame, has_names, tuple(notes), texts=texts)
    refuse_option("sheet", sheet, "workbooks")
    if source.kind == "json":
        frame, has_names, is_network = read_json(source)
        return replace(_of_frame(source.name, frame, has_names, texts=texts), is_network=is_network)
    if source.kind in ("npy", "npz"):
        return _of_matrix(source.name, read_npy(source) if source.kind == "npy" else read_npz(source))
    if source.kind == "text":
        text = read_text(source, delimiter=delimiter, header=header, encoding=encoding, texts=texts)
        has_names = text.dialect.has_header
        return _of_frame(source.name, text.frame, has_names, tuple(text.notes), text.marks, texts=texts)
    return _of_frame(source.name, _read_columns(source), texts=texts)


def _of_frame(
    name: str,
    frame: Any,
    has_names: bool = True,
    notes: tuple[str, ...] = (),
    marks: Mapping[str, Counts] | None = None,
    *,
    texts: Sequence[str] = (),
) -> Table:
    frame = numbers_from_text(lists_to_columns(frame)[0], leave=texts)
    return Table(name, tuple(frame.columns), has_names, frame.height, frame, notes, marks or {})


def _of_matrix(name: str, matrix: Any) -> Table:
    return Table(name, numbered_columns(matrix.shape[1], name), False, matrix.shape[0], matrix)


def _read_columns(source: Source) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    readers = {
        "parquet": polars.read_parquet,
        "arrow": polars.read_ipc,
        "arrow stream": polars.read_ipc_stream,
    }
    name = "Parquet" if source.kind == "parquet" else "Arrow"
    if source.kind == "parquet" and source.content[-4:] != b"PAR1":
        raise source.fail(
            "not a whole Parquet file: its end is missing. It was cut off, perhaps while copying."
        )
    try:
        with quiet_panics():
            frame = readers[source.kind](source.stream())
            frame = frame.rechunk()  # some damage is found when values are looked at
    except Exception as error:  # of various types
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise source.fail(f"not a whole {name} file, cut off or damaged ({shortened(reason)}).") from None
    if frame.height == 0 or frame.width == 0:
        raise source.no_rows() if frame.width else source.fail("has no columns.")
    _refuse_times(source, frame)
    return frame


def _refuse_times(source: Source, frame: Any) -> None:
    """Refuse dates and times that no calendar or clock has: polars fails when it writes or prints them."""
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}
    for name, kind in frame.schema.items():
        if not kind.is_temporal() or str(kind).startswith("Duration"):
            continue
        unit = getattr(kind, "time_unit", None)
        most = LAST_DAY if unit is None else LAST_DAY * DAY * per_second[unit]
        least = -most
        if str(kind) == "Time":
            least, most = 0, DAY * per_second["ns"] - 1
        numbers = frame[name].to_physical()
        low, high = numbers.min(), numbers.max()
        if low is not None and (low < least or high > most):
            raise source.fail(
                f'column "{shortened(name)}" has a date or time that does not exist: the file is damaged, or '
                f"the column is not of the type {kind}. Write it again without that column."
            )


def _joined(name: str, tables: list[Table]) -> Table:
    """Return the rows of several tables, one below the other."""
    first = tables[0]
    for table in tables[1:]:
        _check_alike(table, first)
    columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
    absent = absent_columns([table.columns for table in tables])
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    marks = add_marks([table.marks for table in tables])
    n_rows = sum(table.n_rows for table in tables)
    if first.is_matrix:
        contents = [table.content for table in tables]
        matrix = vstack(contents, format="csr") if issparse(first.content) else np.concatenate(contents)
        return Table(name, columns, first.has_names, n_rows, matrix, notes)
    stacked = _stacked([table.content for table in tables])
    frame = numbers_from_text(stacked, leave=texts_to_keep(first.readings))
    facts = (columns, first.has_names, n_rows, frame, notes, marks, first.dates, first.readings, absent)
    return Table(name, *facts)


def _check_alike(table: Table, first: Table) -> None:
    if table.is_matrix != first.is_matrix or issparse(table.content) != issparse(first.content):
        raise InvalidData(f"{table.source}: is of another kind than {first.source}; files must be alike.")
    if table.is_matrix and table.columns != first.columns:
        raise InvalidData(
            f"{table.source}: has {len(table.columns)} columns, {first.source} has {len(first.columns)}."
        )
    if not set(table.columns) & set(first.columns):
        raise InvalidData(f"{table.source}: has no column in common with {first.source}.")


def _stacked(frames: list[Any]) -> Any:
    """Return frames as one, by the names of columns; a column that is text in one file is text in all."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    texts = {name for frame in frames for name, kind in frame.schema.items() if kind == polars.String}
    alike = [
        frame.with_columns(polars.col([name for name in frame.columns if name in texts]).cast(polars.String))
        for frame in frames
    ]
    return polars.concat(alike, how="diagonal_relaxed")


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A table ready to be clustered.

    Parameters
    ----------
    table : Table
        Where the rows come from.
    choice : ColumnChoice
        The columns used, and those left out.
    complete : Complete
        Their values without missing ones.
    scaling : Scaling
        How they were scaled.
    points : array or CSR matrix
        The scaled values.
    said : tuple of str
        How cells were read: missing marks, numbers in disguise, columns in doubt.
    kept : tuple of str
        Columns whose numbers are all taken as they are.
    levels : tuple of tuples or None
        Of mixed rows, what the codes of each column stand for, None for numbers; empty: all are numbers.
    places : tuple of Place
        Columns of latitude and longitude that are used as positions: three columns stand for each.
    angles : Place or None
        The two columns used, where they are latitude and longitude, for the haversine.
    """

    table: Table
    choice: ColumnChoice
    complete: Complete
    scaling: Scaling
    points: Any
    said: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    levels: Levels = ()
    places: tuple[Place, ...] = ()
    angles: Place | None = None

    @property
    def rows(self) -> Indices:
        """Rows of the table that are left, counted from 0."""
        return self.complete.rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the table."""
        missing = note_missing(self.complete, self.missing_counts())
        return (*self.table.notes, *self.said, *missing)

    def gaps(self) -> Any:
        """Return which values of `points` were missing, and filled; None: none."""
        if self.complete.medians is None:
            return None
        return np.isnan(self._cells()[self.rows])

    def complete_rows(self) -> Indices:
        """Return the rows of `points`, counted from 0, in which no value was filled."""
        gaps = self.gaps()
        return np.arange(len(self.rows)) if gaps is None else np.flatnonzero(~gaps.any(axis=1))

    def _cells(self) -> Any:
        if self.levels:
            return self._seen.coded(self.choice.used, self.levels, keep=self.kept)[0]
        return self._seen.matrix(self.choice.used, keep=self.kept)

    @cached_property
    def _seen(self) -> Table:
        """The table with the axes of its positions."""
        return with_places(self.table, self.places)

    def readings(self) -> tuple[ColumnReading, ...]:
        """Return how the cells of each column used were read; nothing where all rows are one matrix."""
        if self.table.is_matrix:
            return ()
        levels = self.levels or (None,) * len(self.choice.used)
        return tuple(
            reading_of(self._seen.looks[name], is_kept=name in self.kept, is_category=known is not None)
            for name, known in zip(self.choice.used, levels, strict=True)
        )

    def missing_counts(self) -> list[tuple[str, int]]:
        """Return the columns used that lack values, and in how many rows of the table, the most first."""
        X = self._cells()
        if issparse(X):
            return []
        counts = np.isnan(X).sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        names = {name: name for name in self.choice.used}
        for place in self.places:  # one position is missing, not three axes
            names |= dict(zip(place.axes, [" and ".join(place.columns), "", ""], strict=True))
        found = [(names[self.choice.used[at]], int(counts[at])) for at in order.tolist() if counts[at]]
        return [(name, count) for name, count in found if name]


def prepare_rows(
    table: Table,
    *,
    scale: str = AUTO,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "auto",
    categories: bool = False,
    associated: bool = False,
    places: str = OFF,
    as_angles: bool = False,
) -> PreparedRows:
    """Choose columns, settle missing values and scale.

    Parameters
    ----------
    table : Table
        From `read_table` or `as_table`.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        See `fit_scaling`.
    columns : sequence of str
        The only columns to use; none: all that can be used.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"auto", "observed", "drop", "median", "refuse"}, default="auto"
        What to do about missing values, see `settle_missing`. "auto" also leaves out columns in which more
        than half of the values are missing, unless they are named.
    categories : bool, default=False
        Whether text of few values is used: then codes stand for it, and missing cells stay missing.
    associated : bool, default=False
        Whether categories that are not associated with any other column are left out, unless they are named.
    places : str, default="off"
        "auto": columns of latitude and longitude are used as positions; "LAT,LON": these two are.
    as_angles : bool, default=False
        Whether a position alone is used, as latitude and longitude in radians: what the haversine takes.
    """
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; groups need at least two.")
    found, notes = find_places(table, places, columns=columns, others=(*drop, *keep))
    if as_angles:
        return _prepare_angles(table, found[:1], columns, drop, missing)
    if found:
        used = [name for place in found for name in place.columns]
        prepared = prepare_rows(
            with_places(table, found),
            scale="none",
            columns=[*(name for name in columns if name not in used), *_axes(found)] if columns else (),
            drop=[*drop, *used],
            keep=[*keep, *_axes(found)],
            missing=missing,
            categories=categories,
            associated=associated,
        )
        return _of_places(table, prepared, found, notes, scale, keep)
    choice = choose_named(table, columns, drop, keep, categories=categories)
    levels = table.levels(choice.used) if categories else ()
    if levels and associated:
        choice = without_unassociated(table, choice, levels, named=(*columns, *keep))
        levels = table.levels(choice.used)
    if levels:
        return _prepare_mixed(
            table, choice, levels, scale, named=(*columns, *keep), keep=keep, missing=missing
        )
    X = table.matrix(choice.used, keep=keep)
    if missing == "auto":
        choice, X = _without_mostly_empty(choice, X, named=(*columns, *keep))
    complete = settle_missing(X, choice.used, policy=missing, source=table.source)
    scaling = fit_scaling(complete.X, scale)
    said = () if table.is_matrix else reading_notes(table.looks, choice, table.marks, keep)
    said = (*said, *notes)
    return PreparedRows(table, choice, complete, scaling, scaling.apply(complete.X), said, tuple(keep))


def _axes(places: Sequence[Place]) -> list[str]:
    return [name for place in places for name in place.axes]


def _of_places(
    table: Table,
    prepared: PreparedRows,
    places: tuple[Place, ...],
    notes: tuple[str, ...],
    scale: str,
    keep: Sequence[str],
) -> PreparedRows:
    """Return rows of which some columns are axes of positions, scaled, as rows of the table as it is."""
    used = [name for place in places for name in place.columns]
    left_out = tuple(one for one in prepared.choice.left_out if one.name not in used)
    columns, X, levels = prepared.choice.used, prepared.complete.X, prepared.levels
    own = scale_numbers(X, levels, scale) if levels else fit_scaling(X, scale)
    scaling = scale_places(X, columns, places, scale, own)
    return replace(
        prepared,
        table=table,
        choice=ColumnChoice(columns, left_out),
        scaling=scaling,
        points=scaling.apply(X),
        said=(*prepared.said, *notes),
        kept=tuple(keep),
        places=places,
    )


def _prepare_angles(
    table: Table, places: Sequence[Place], columns: Sequence[str], drop: Sequence[str], missing: str
) -> PreparedRows:
    """Return rows of latitude and longitude in radians: of the position, else of the only two columns."""
    pair = [name for place in places for name in place.columns] or list(columns)
    prepared = prepare_rows(table, scale="none", columns=pair, drop=drop, missing=missing)
    choice, complete = prepared.choice, prepared.complete
    if len(choice.used) != 2:
        raise InvalidData(
            f"{table.source}: the haversine takes latitude and longitude, got {len(choice.used)} columns: "
            f"{', '.join(map(shortened, choice.used[:5]))}. Name the two, latitude first."
        )
    if pair and tuple(pair) != choice.used:  # a table may have the longitude first
        complete = replace(complete, X=np.ascontiguousarray(complete.X[:, ::-1]))
        medians = None if complete.medians is None else complete.medians[::-1].copy()
        choice, complete = ColumnChoice(tuple(pair), choice.left_out), replace(complete, medians=medians)
    scaling, angles = angle_scaling(complete.X), Place(*choice.used)
    unit = "radians" if scaling.is_identity else "degrees"
    said = f"{' and '.join(angles.columns)} are latitude and longitude in {unit}; distances are in radians"
    return replace(
        prepared,
        choice=choice,
        complete=complete,
        scaling=scaling,
        points=scaling.apply(complete.X),
        said=(*prepared.said, said),
        angles=angles,
    )


def without_unassociated(
    table: Table, choice: ColumnChoice, levels: Levels, named: Sequence[str] = ()
) -> ColumnChoice:
    """Return the choice without categories that are not associated with any other column; not without all."""
    X, _ = table.coded(choice.used, levels)
    found = not_associated(X, levels)
    gone = [choice.used[at] for at in found if choice.used[at] not in named]
    used = tuple(name for name in choice.used if name not in gone)
    if not used:
        return choice
    reasons = [*choice.left_out, *(LeftOut(name, NOT_ASSOCIATED) for name in gone)]
    return ColumnChoice(used, tuple(sorted(reasons, key=lambda one: table.columns.index(one.name))))


def _prepare_mixed(
    table: Table,
    choice: ColumnChoice,
    levels: Levels,
    scale: str,
    *,
    named: Sequence[str],
    keep: Sequence[str],
    missing: str,
) -> PreparedRows:
    """Return rows of scaled numbers and codes of categories."""
    X, _ = table.coded(choice.used, levels, keep=keep)
    if missing == "auto":
        level_of = dict(zip(choice.used, levels, strict=True))
        choice, X = _without_mostly_empty(choice, X, named=named)
        levels = tuple(level_of[name] for name in choice.used)
    complete = settle_mixed(X, choice.used, levels, policy=missing, source=table.source)
    scaling = scale_numbers(complete.X, levels, scale)
    said = reading_notes(table.looks, choice, table.marks, keep, levels=levels)
    points = scaling.apply(complete.X)
    return PreparedRows(table, choice, complete, scaling, points, said, tuple(keep), levels)


def _without_mostly_empty(choice: ColumnChoice, X: Any, named: Sequence[str]) -> tuple[ColumnChoice, Any]:
    """Leave out columns in which more than half of the values are missing, unless they are named."""
    found = mostly_empty(X, choice.used)
    gone = {name: share for name, share in found.items() if name not in named}
    if not gone:
        return choice, X
    left = [at for at, name in enumerate(choice.used) if name not in gone]
    reasons = tuple(LeftOut(name, f"{share:.0%} missing") for name, share in gone.items())
    used = tuple(choice.used[at] for at in left)
    return ColumnChoice(used, (*choice.left_out, *reasons)), np.ascontiguousarray(X[:, left])


def choose_named(
    table: Table,
    columns: Sequence[str],
    drop: Sequence[str],
    keep: Sequence[str],
    *,
    categories: bool = False,
) -> ColumnChoice:
    """Choose columns; where some are named, those alone, and they are kept although constant or a key."""
    check_names(table.source, table.columns, columns)
    others = [name for name in table.columns if columns and name not in columns and name not in drop]
    kept = [*keep, *(name for name in columns if name not in drop)]
    choice = table.choose(drop=[*drop, *others], keep=kept, categories=categories)
    for name in others:
        choice = choice.renamed_reason(name, NOT_NAMED)
    return choice
