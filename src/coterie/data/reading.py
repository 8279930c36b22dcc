"""Files of every kind as one table: which reader, several files below each other, folders as columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict

import numpy as np
from scipy.sparse import issparse, vstack

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.panics import quiet_panics
from coterie._support.stores import local_path, shown
from coterie._support.typing import CheckedRows, Place, PolarsFrame
from coterie._support.watched import Hung, watched
from coterie.data.columns import (
    absent_columns,
    nested_to_columns,
    numbers_from_text,
)
from coterie.data.databases import Wanted, is_database, read_database
from coterie.data.dates import check_dates
from coterie.data.files.arrays import numbered_columns, read_npy, read_npz, read_zarr
from coterie.data.files.decoded import check_decoded_size, check_texts
from coterie.data.files.records import read_json
from coterie.data.files.source import KINDS_BY_SUFFIX, STANDARD_INPUT, ZIPS_BY_SUFFIX, Source, open_source
from coterie.data.files.text import read_text
from coterie.data.files.workbooks import read_sheet
from coterie.data.intervals import intervals_as_durations
from coterie.data.lakes.iceberg import iceberg_rows, is_iceberg
from coterie.data.lakes.partitions import Partitions, folder_partitions, with_partitions
from coterie.data.marks import Counts, add_marks
from coterie.data.notes import no_rows_in, note_empty_files
from coterie.data.paths import find_files, is_several, is_zarr, place_name
from coterie.data.readings import ColumnReadings, texts_to_keep
from coterie.data.table import Table
from coterie.errors import EmptyFile, InvalidData, InvalidParameter

DAY = 86_400  # seconds
LAST_DAY = 90_000_000  # from 1970, either way: some 246,000 years, a little less than polars can write
NO_TEXT = (
    *KINDS_BY_SUFFIX,
    *ZIPS_BY_SUFFIX,
    ".zarr",
    ".json",
    ".ndjson",
    ".jsonl",
    ".db",
    ".sqlite",
    ".duckdb",
)


class SourceOptions(TypedDict, total=False):
    """How a file or a database is read: keywords of `read_table` that frames have no use for."""

    delimiter: str | None
    header: bool | None
    encoding: str | None
    sheet: str | None
    table: str | None
    query: str | None
    parameters: Sequence[object]


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
    parameters: Sequence[object] = (),
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
        Sheet of a workbook; None: the first that holds a table.
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
        for option, given in (("delimiter", delimiter), ("header", header), ("encoding", encoding)):
            refuse_option(option, given, "text")
        name, frame, notes = read_database(where, wanted)  # type: ignore[arg-type]  # a path or an address
        return how(_of_frame(name, frame, notes=tuple(notes), texts=texts))
    for option, value in (("table", table), ("query", query), ("parameters", parameters or None)):
        if value is not None and isinstance(where, str | os.PathLike) and not is_several(where):
            open_source(where)  # which says that a file is missing or empty
        refuse_option(option, value, "databases")
    read = partial(
        _read_file, delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, texts=texts
    )
    if is_iceberg(where):
        rows = iceberg_rows(where)
        if not rows.files:
            raise no_rows_in(rows.name, 1)
        return how(_of_frame(rows.name, _of_arrow(rows.read_all()), notes=rows.notes, texts=texts))
    if isinstance(where, str | os.PathLike) and not is_several(where):
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


def _folders_of(where: Place) -> tuple[Partitions, str]:
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


def _of_arrow(table: object) -> PolarsFrame:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return polars.from_arrow(intervals_as_durations(table))


def refuse_option(name: str, value: object, kind: str) -> None:
    """Refuse an option that is for sources of another kind."""
    if value is not None:
        raise InvalidParameter(f"{name} is for {kind}: leave it out here, got {name}={value!r}.").in_shell(
            f"--{name} is for {kind}: leave it out here."
        )


def options_of_text(*places: object, header: bool | None, encoding: str | None) -> list[dict[str, Any]]:
    """Return, for each of several files, the options of text that it takes: none beside text, if it is not.

    Examples
    --------
    >>> options_of_text("labels.csv", "rows.parquet", header=None, encoding="cp1252")
    [{'header': None, 'encoding': 'cp1252'}, {}]
    >>> options_of_text("rows.parquet", header=None, encoding="cp1252")  # which is then refused
    [{'header': None, 'encoding': 'cp1252'}]
    """
    names = [os.fspath(place) if isinstance(place, str | os.PathLike) else "" for place in places]
    is_text = [not str(name).lower().endswith(NO_TEXT) for name in names]
    how = {"header": header, "encoding": encoding}
    return [how if text or not any(is_text) else {} for text in is_text]


def _read_file(
    where: Place,
    *,
    delimiter: str | None,
    header: bool | None,
    encoding: str | None,
    sheet: str | None,
    texts: Sequence[str],
) -> Table:
    is_array = isinstance(where, str | os.PathLike) and is_zarr(local_path(where))
    source = None if is_array else open_source(where)
    kind = "zarr" if source is None else source.kind
    if kind != "text":
        refuse_option("delimiter", delimiter, "text")
        refuse_option("encoding", encoding, "text")
        if kind != "excel":
            refuse_option("header", header, "text and workbooks")
    if source is None:
        return _of_matrix(shown(where), read_zarr(local_path(where)))
    if source.kind == "excel":
        frame, has_names, notes = read_sheet(source, sheet, header)
        return _of_frame(source.name, frame, has_names, tuple(notes), texts=texts)
    refuse_option("sheet", sheet, "workbooks")
    if source.kind == "json":
        read = read_json(source)
        table = _of_frame(source.name, read.frame, read.has_names, read.notes, texts=texts)
        return replace(table, is_network=read.is_network)
    if source.kind in ("npy", "npz"):
        return _of_matrix(source.name, read_npy(source) if source.kind == "npy" else read_npz(source))
    if source.kind == "text":
        text = read_text(source, delimiter=delimiter, header=header, encoding=encoding, texts=texts)
        has_names = text.dialect.has_header
        return _of_frame(source.name, text.frame, has_names, tuple(text.notes), text.marks, texts=texts)
    return _of_frame(source.name, _read_columns(source), texts=texts)


def _of_frame(
    name: str,
    frame: PolarsFrame,
    has_names: bool = True,
    notes: tuple[str, ...] = (),
    marks: Mapping[str, Counts] | None = None,
    *,
    texts: Sequence[str] = (),
) -> Table:
    frame = nested_to_columns(frame)[0]
    check_texts(name, frame)
    frame = numbers_from_text(frame, leave=texts)
    return Table(name, tuple(frame.columns), has_names, frame.height, frame, notes, marks or {})


def _of_matrix(name: str, matrix: CheckedRows) -> Table:
    return Table(name, numbered_columns(matrix.shape[1], name), False, matrix.shape[0], matrix)


def _read_columns(source: Source) -> PolarsFrame:
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
    check_decoded_size(source)
    try:
        with quiet_panics():
            frame = watched(lambda: readers[source.kind](source.stream()))
            frame = frame.rechunk()  # some damage is found when values are looked at
    except Hung:
        raise source.fail(f"not a whole {name} file, damaged: its reader waits for ever.") from None
    except Exception as error:  # of various types
        if "month_day_nano_interval" in str(error):
            return _with_intervals(source)
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise source.fail(f"not a whole {name} file, cut off or damaged ({shortened(reason)}).") from None
    if frame.height == 0 or frame.width == 0:
        raise source.no_rows() if frame.width else source.fail("has no columns.")
    _refuse_times(source, frame)
    return frame


def _with_intervals(source: Source) -> PolarsFrame:
    """Return an Arrow file with calendar intervals, which polars does not read."""
    ipc = require("pyarrow.ipc", extra="scale", purpose="Reading calendar intervals")
    opened = ipc.open_file if source.kind == "arrow" else ipc.open_stream
    try:
        return _of_arrow(opened(source.stream()).read_all())
    except Exception as error:  # of various types
        raise source.fail(f"not a whole Arrow file, cut off or damaged ({shortened(str(error))}).") from None


def _refuse_times(source: Source, frame: PolarsFrame) -> None:
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


def _stacked(frames: list[PolarsFrame]) -> PolarsFrame:
    """Return frames as one, by the names of columns; a column that is text in one file is text in all."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    texts = {name for frame in frames for name, kind in frame.schema.items() if kind == polars.String}
    alike = [
        frame.with_columns(polars.col([name for name in frame.columns if name in texts]).cast(polars.String))
        for frame in frames
    ]
    return polars.concat(alike, how="diagonal_relaxed")
