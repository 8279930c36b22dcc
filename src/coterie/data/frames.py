"""Arrays, data frames and paths become tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from coterie._support.optional import require
from coterie._support.typing import Mask, PolarsFrame, PolarsSeries
from coterie._support.validation import check_data
from coterie.data.columns import nested_to_columns, numbers_from_text
from coterie.data.databases import SpooledRows, Wanted, read_database
from coterie.data.dates import check_dates
from coterie.data.files.arrays import numbered_columns
from coterie.data.intervals import intervals_as_durations
from coterie.data.lakes.delta import is_delta_object
from coterie.data.lakes.iceberg import is_iceberg_object
from coterie.data.paths import most_rows_in_memory
from coterie.data.reading import read_table, refuse_option
from coterie.data.readings import ColumnReadings, texts_to_keep
from coterie.data.table import Table
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput

THE_DATA = "the data"


def as_table(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    may_be_distances: bool = False,
    dates: str | None = None,
    readings: ColumnReadings | None = None,
    **reading: Any,
) -> Table:
    """Return data of any kind as a table.

    Parameters
    ----------
    data : Table, path, frame or Series (pandas, polars), Arrow table, dict of columns, list of dicts or array
        Files are read by `read_table`. Frames keep the names of their columns, and stay sparse if all of
        them are. A LazyFrame of polars and a relation of DuckDB are collected.
    columns : sequence of str, default=None
        Names of the columns of an array; None: column_1 and so on.
    may_be_distances : bool, default=False
        Whether a symmetric matrix with a zero diagonal may pass.
    dates : {"as-number", "year", "month", "weekday"}, default=None
        What to make of dates; None leaves them out.
    readings : mapping of str to ColumnReading, default=None
        How cells of some columns were read in an earlier table; see `read_table`.
    **reading
        Of `read_table`, for paths.

    Examples
    --------
    >>> as_table([[1.0, 2.0], [3.0, 4.0]]).columns
    ('column_1', 'column_2')
    """
    check_dates(dates)
    known = readings or {}
    if isinstance(data, Table):
        dates, known = dates or data.dates, {**data.readings, **known}
        is_same = dates == data.dates and known == data.readings
        return data if is_same else replace(data, dates=dates, readings=known)
    is_paths = isinstance(data, list | tuple) and all(isinstance(one, str | os.PathLike) for one in data)
    is_lake = is_delta_object(data) or is_iceberg_object(data)
    if isinstance(data, str | os.PathLike) or (is_paths and len(data)) or is_lake:
        return read_table(data, dates=dates, readings=readings, **reading)
    for name, value in reading.items():
        if value is not None:
            raise InvalidParameter(f"{name} is for files and databases, not for {kind_of(data)}.")
    data = materialised(data)
    if hasattr(data, "columns") and hasattr(
        data, "sparse"
    ):  # a frame of pandas with nothing but sparse columns
        columns, data = _names_of(data), data.sparse.to_coo().tocsr()
    if hasattr(data, "columns") and not issparse(data):
        table = _of_frame(data, texts=texts_to_keep(known))
        return replace(table, dates=dates, readings=known)
    X = check_data(
        data,
        who="coterie.fit",
        name="X",
        accept_sparse=True,
        may_be_missing=True,
        may_be_distances=may_be_distances,
    )
    names = tuple(columns) if columns is not None else numbered_columns(X.shape[1], THE_DATA)
    return Table(THE_DATA, names, columns is not None, X.shape[0], X)


def read_table_or_blocks(where: Any, *, in_blocks: bool = False, **reading: Any) -> Table | SpooledRows:
    """Read a table as `read_table` does; the rows of a database that take much memory go to files.

    Parameters
    ----------
    where, **reading
        Of `read_table`.
    in_blocks : bool, default=False
        Whether the rows of a database go to files however few they are.
    """
    most = most_rows_in_memory(where, always_in_blocks=in_blocks)
    if most is None:
        return read_table(where, **reading)
    dates, known = reading.get("dates"), reading.get("readings") or {}
    check_dates(dates)
    refuse_option("sheet", reading.get("sheet"), "workbooks")
    wanted = Wanted(reading.get("table"), reading.get("query"), reading.get("parameters") or ())
    name, rows, notes = read_database(where, wanted, most=most)
    if isinstance(rows, SpooledRows):
        return rows
    frame = numbers_from_text(nested_to_columns(rows)[0], leave=texts_to_keep(known))
    return Table(name, tuple(frame.columns), True, frame.height, frame, tuple(notes), {}, dates, known)


def kind_of(data: object) -> str:
    """Return what data are called in messages: ``a DataFrame``."""
    name = type(data).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def materialised(data: Any) -> Any:
    """Return queries that were not run yet (polars, DuckDB), Arrow tables, records and columns as frames.

    Examples
    --------
    >>> import polars
    >>> materialised(polars.LazyFrame({"x": [1.0]})).columns
    ['x']
    """
    package, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if package == "polars" and kind == "LazyFrame":
        return data.collect()
    if kind == "DuckDBPyRelation":
        if find_spec("pyarrow") is None:
            return data.df()
        rows = data.to_arrow_table() if hasattr(data, "to_arrow_table") else data.fetch_arrow_table()
        return _of_arrow(require("polars", extra="cli", purpose="Taking relations of DuckDB"), rows)
    if package == "pyarrow" and kind in ("Table", "RecordBatch"):
        return _of_arrow(require("polars", extra="cli", purpose="Taking Arrow tables"), data)
    if isinstance(data, dict) and not issparse(data):
        return _of_columns(data)
    if kind == "Series" and hasattr(data, "to_frame"):
        return data.to_frame("column_1" if data.name in (None, "") else data.name)
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        return _of_columns({name: [row.get(name) for row in data] for name in names})
    if isinstance(data, np.ndarray) and data.dtype.names and data.ndim == 1:
        return _of_columns({name: data[name] for name in data.dtype.names})
    if hasattr(data, "read") and not hasattr(data, "shape"):
        raise UnsupportedInput(f"the data are an open file ({kind}). Give its path.")
    return data


def _names_of(frame: Any) -> list[str]:
    """Return the names of the columns of a pandas frame; no two may be the same."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InvalidData("the names of the columns must differ; rename those that occur twice.")
    return names


def _of_arrow(polars: ModuleType, data: Any) -> PolarsFrame:
    """Return the frame of an Arrow table; ordered categories keep their order."""
    frame = polars.from_arrow(intervals_as_durations(data))
    for at, kind in enumerate(data.schema.types):
        if str(kind).startswith("dictionary") and kind.ordered:
            column = data.column(at)
            parts = [column] if not hasattr(column, "chunks") else column.chunks
            levels = list(dict.fromkeys(str(one) for part in parts for one in part.dictionary.to_pylist()))
            name = frame.columns[at]
            frame = frame.with_columns(polars.col(name).cast(polars.String).cast(polars.Enum(levels)))
    return frame


def _of_columns(columns: Mapping[object, object]) -> PolarsFrame:
    """Return the frame of a dictionary of columns."""
    polars = require("polars", extra="cli", purpose="Taking columns by name")
    lengths = {str(name): _length(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} ({length:,})" for name, length in list(lengths.items())[:5])
        raise InvalidData(f"columns must be equally long, got {listed}.")
    try:
        return polars.DataFrame({str(name): values for name, values in columns.items()}, strict=False)
    except Exception as error:  # of values that polars has no type for
        raise InvalidData(f"the columns cannot be read as a table ({error}).") from None


def _length(values: Any) -> int:
    try:
        return int(np.size(values))
    except ValueError:  # cells that are lists of several lengths
        return len(values)


def _of_frame(frame: Any, *, texts: Sequence[str] = ()) -> Table:
    """Return the table of a pandas or polars frame, column by column."""
    polars = require("polars", extra="cli", purpose="Taking data frames")
    index = None
    if not isinstance(frame, polars.DataFrame):
        names = _names_of(frame)
        index = _index_of(frame)
        values = [series_of(name, frame.iloc[:, at]) for at, name in enumerate(names)]
        frame = polars.DataFrame(values)
    if frame.height == 0 or frame.width == 0:
        raise InvalidData(f"{THE_DATA}: has no {'rows' if frame.width else 'columns'}.")
    frame = numbers_from_text(nested_to_columns(frame)[0], leave=texts)
    return Table(THE_DATA, tuple(frame.columns), True, frame.height, frame, index=index)


def _index_of(frame: Any) -> PolarsSeries | None:
    """Return the index of a pandas frame if it names the rows: one of texts, or one with a name."""
    index: Any = getattr(frame, "index", None)
    if getattr(index, "nlevels", 0) != 1 or (index.name is None and index.dtype.kind in "biuf"):
        return None
    return series_of(str(index.name or "index"), index.to_series())


def series_of(name: str, column: Any) -> PolarsSeries:
    """Return one column of a pandas frame as a polars series."""
    polars = require("polars", extra="cli", purpose="Taking data frames")
    if hasattr(column, "sparse"):
        column = column.sparse.to_dense()
    kind = getattr(column.dtype, "kind", "O")
    if kind in "biuf" and isinstance(column.dtype, np.dtype):
        return polars.Series(name, column.to_numpy(), nan_to_null=kind == "f")
    gone = column.isna().to_numpy()
    if kind in "Mm" and isinstance(column.dtype, np.dtype):
        times = _times(column.to_numpy())
        if times is not None:
            return polars.Series(name, times)
        column = column.to_numpy()  # pandas' own times do not reach so far: those of NumPy have texts
    if getattr(column.dtype, "ordered", False):
        levels = [str(one) for one in column.cat.categories]
        if len(set(levels)) == len(levels):
            codes = column.cat.codes.tolist()
            texts = [levels[code] if code >= 0 else None for code in codes]
            return polars.Series(name, texts, dtype=polars.Enum(levels))
    if kind in "biuf":  # pandas' own numbers that may be missing: whole ones and yes and no stay so
        plain = column.dtype.numpy_dtype
        numbers = column.to_numpy(dtype=plain, na_value=np.nan if kind == "f" else plain.type(0))
        return polars.Series(name, numbers, nan_to_null=kind == "f").set(polars.Series(gone), None)
    whole = _whole_numbers(polars, name, column, gone)
    if whole is not None:
        return whole
    texts = [None if missing else str(value) for value, missing in zip(column, gone, strict=True)]
    return polars.Series(name, texts, dtype=polars.String)


def _times(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return times in a unit that polars has; None where they are too far from 1970 for it."""
    if np.datetime_data(values.dtype)[0] != "s":
        return values
    finer = values.astype(f"{values.dtype.kind}8[ms]")
    is_same = np.array_equal(finer.astype(values.dtype).view(np.int64), values.view(np.int64))
    return finer if is_same else None


def _whole_numbers(polars: ModuleType, name: str, column: Any, gone: Mask) -> PolarsSeries:
    """Return Python's whole numbers as numbers, as a file's would be; None for anything else."""
    if not all(missing or type(value) is int for value, missing in zip(column, gone, strict=True)):
        return None
    values = [None if missing else value for value, missing in zip(column, gone, strict=True)]
    try:
        return polars.Series(name, values, dtype=polars.Int128)
    except (OverflowError, TypeError, polars.exceptions.PolarsError):
        return None  # too large: taken as text, which becomes floats
