"""The slow path of `check_data`: find out what exactly is wrong, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._printing import shortened
from coterie._support.typing import AnyArray, CheckedRows, FloatArray, MatrixLike
from coterie.errors import CoterieError, InvalidData, UnsupportedInput

MOST_TO_SCALE = 1e150  # squares of larger numbers overflow
SHOWN = 3  # columns or rows that a message names before it says "..."
FOR_CATEGORIES = 'use what takes categories: metric="gower", KPrototypes or LatentClasses'
UNREAD = {
    "LazyFrame": "collect()",
    "RecordBatchReader": "read_all()",
    "Scanner": "to_table()",
    "DuckDBPyRelation": "df()",
}


def column_names(X: object) -> list[str] | None:
    """Return the names of a DataFrame's columns, or None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(column) for column in columns]


def refuse_queries(X: object, what: str) -> None:
    """Refuse what has no rows yet, and say what makes it a table.

    Examples
    --------
    >>> refuse_queries([[1.0]], "X of KMeans")
    """
    kind = type(X).__name__
    package = type(X).__module__.partition(".")[0].lstrip("_")
    if kind in UNREAD and package in ("polars", "pyarrow", "duckdb"):
        raise UnsupportedInput(
            f"{what} must be a table, got a {kind} of {package}, whose rows have not been read yet. "
            f"Read them first: X.{UNREAD[kind]}."
        )


def refuse_kinds(X: Any, who: str, name: str) -> None:
    """Refuse kinds of values that NumPy would turn into numbers without being asked: text, dates, complex."""
    if X is None:
        raise InvalidData(f"{name} of {who} must be a table of numbers, got None.")
    refuse_queries(X, f"{name} of {who}")
    if isinstance(X, dict) and not issparse(X):  # one of SciPy's formats is a dictionary
        raise UnsupportedInput(
            f"{name} of {who} must be a table of numbers, got a {type(X).__name__}. Make a table of it "
            f"first: pandas.DataFrame({name})."
        )
    if isinstance(X, str | bytes):
        raise InvalidData(
            f"{name} of {who} must be a table of numbers, got {X[:40]!r}. Is that a file? "
            f"coterie.data.read_table reads it."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise InvalidData(
            f"{name} of {who} has masked values: {np.count_nonzero(np.ma.getmaskarray(X)):,} of {X.size:,}. "
            f"Fill them ({name}.filled(value)), or drop their rows first."
        )
    if issparse(X):
        _refuse_kind(X.dtype, f"{name} of {who}")
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        for at, (column, dtype) in enumerate(zip(X.columns, list(X.dtypes), strict=True)):
            what = f'Column "{shortened(column)}" of {name}'
            _refuse_kind(dtype, what)
            if hasattr(X, "iloc") and getattr(dtype, "kind", "") == "O":
                _refuse_dates({*map(type, X.iloc[:, at].tolist())}, what)
    elif hasattr(X, "dtype"):
        _refuse_kind(X.dtype, f"{name} of {who}")
    else:
        _refuse_text_cells(X, f"{name} of {who}")
    if getattr(getattr(X, "dtype", None), "kind", "") == "O":
        _refuse_text_cells(X, f"{name} of {who}")


def _refuse_kind(dtype: object, what: str) -> None:
    kind = getattr(dtype, "kind", "")
    label = str(dtype)
    if kind == "c":
        raise InvalidData(
            f"Complex data not supported: {what} is {label}. Give real and imaginary parts as columns."
        )
    if label.startswith(("category", "Categorical", "Enum")):
        raise InvalidData(f"{what} must be numbers, got categories{_way_out_of_categories(dtype)}")
    if kind == "V":
        raise InvalidData(
            f"{what} must be numbers, got {records_of(dtype)}. Make a table of it first: pandas.DataFrame(X)."
        )
    if kind in ("U", "S", "T") or label in ("str", "string", "String"):
        raise InvalidData(f"{what} must be numbers, got text ({label}). Leave it out, or {FOR_CATEGORIES}.")
    if kind in ("m", "M") or label.startswith(("Date", "Time", "Duration")):
        raise UnsupportedInput(
            f"{what} must be numbers, got dates or times ({label}). Leave it out, or turn it into a number "
            f"such as days since a date."
        )


def records_of(dtype: Any) -> str:
    """Return what an array of records, or of bytes that NumPy knows nothing of, holds.

    Examples
    --------
    >>> records_of(np.dtype([("x", float), ("y", float)])), records_of(np.dtype("V8"))
    ('records with the fields x, y', 'raw bytes (|V8)')
    """
    if dtype.names is None:
        return f"raw bytes ({dtype})"
    listed = ", ".join(map(shortened, dtype.names[:SHOWN])) + (" ..." if len(dtype.names) > SHOWN else "")
    return f"records with the fields {listed}"


def _way_out_of_categories(dtype: object) -> str:
    values = getattr(getattr(dtype, "categories", None), "dtype", None)
    if getattr(values, "kind", "") in ("i", "u", "f"):
        return (
            f" that are written as numbers ({values}). If they measure something, convert the column: "
            f"astype({str(values)!r}); if they are names, leave it out or give each category a column."
        )
    kind = str(dtype).partition("(")[0]  # an Enum of polars lists all its categories
    return f" ({kind}). Leave the column out, or {FOR_CATEGORIES}."


def _refuse_text_cells(X: Any, what: str) -> None:
    try:
        cells = np.asarray(X) if not hasattr(X, "dtype") else X
        cells = np.asarray(X, dtype=object) if cells.dtype.kind in "US" else cells
    except ValueError:
        return  # rows of different lengths: reported by the caller
    if cells.dtype.kind in "mM":
        _refuse_kind(cells.dtype, what)
    if cells.ndim != 2 or cells.dtype.kind != "O":
        return
    _refuse_dates({*map(type, cells.reshape(-1).tolist())}, what)
    for (row, column), value in np.ndenumerate(cells):
        if isinstance(value, str | bytes):
            raise InvalidData(
                f"{what} must be numbers, got text: {shortened(repr(value))} in row {row}, column {column}. "
                f"Leave the column out, or {FOR_CATEGORIES}."
            )


def _refuse_dates(kinds: set[type], what: str) -> None:
    """Refuse NumPy's dates among objects: a missing one would become a huge number."""
    for kind in kinds:
        if issubclass(kind, np.datetime64 | np.timedelta64):
            raise UnsupportedInput(
                f"{what} must be numbers, got dates or times ({kind.__name__}). Leave it out, or turn it "
                f"into a number such as days since a date."
            )


def explained(error: Exception, X: Any, who: str, name: str) -> CoterieError:
    """Turn scikit-learn's complaint into ours, keeping the words that people search for."""
    text = str(error)
    if isinstance(error, OverflowError):
        return InvalidData(
            f"Input {name} contains a value too large for float64: a whole number of more than 308 digits"
            f"{_first_beyond_floats(X)}. Divide {name} of {who} by a constant first."
        )
    if "inhomogeneous" in text or "setting an array element with a sequence" in text:
        return InvalidData(f"{name} of {who} must be a table, got rows of different lengths.")
    shape = np.shape(X) if isinstance(X, np.ndarray | list | tuple) else getattr(X, "shape", ())
    if "Reshape your data" in text:
        return InvalidData(
            f"Expected 2D array, got {len(shape)}D array of shape {shape} instead for {name} of {who}. "
            f"Reshape your data: {name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is "
            f"one sample."
        )
    if "while dim <= 2 is required" in text:
        return InvalidData(
            f"Found array with dim {len(shape)} and shape {shape} for {name} of {who}, while dim <= 2 is "
            f"required: one row per sample, e.g. {name}.reshape(len({name}), -1)."
        )
    if "32-bit integer indices" in text:
        return InvalidData(
            f"{name} of {who} must be a sparse matrix of at most {np.iinfo(np.int32).max:,} rows, columns, "
            f"and entries, got the shape {shape} with {X.nnz:,} entries. Leave out empty columns."
        )
    if isinstance(error, TypeError):
        return UnsupportedInput(f"{name} of {who} cannot be read as numbers: {text}")
    return InvalidData(text if name in text else f"{name} of {who}: {text}")


def _first_beyond_floats(X: MatrixLike) -> str:
    """Return the place of the first whole number that no float holds, for a message."""
    for (row, column), value in np.ndenumerate(np.asarray(X, dtype=object)):
        try:
            float(value)
        except OverflowError:
            return f" in row {row}, column {column}"
    return ""


def not_finite(X: CheckedRows, columns: list[str] | None, who: str, name: str) -> InvalidData:
    """Say which columns hold missing or infinite values, how many, and where the first ones are."""
    missing = _rows_by_column(X, np.isnan)
    if missing:
        where = _places(missing, "missing value", columns, name)
        return InvalidData(
            f"Input {name} contains NaN: {where}. {who} needs finite numbers. Drop those rows, fill them, "
            f"e.g. with sklearn.impute.SimpleImputer, or use what takes missing values: "
            f'KMeans(missing="observed"), metric="nan_euclidean" or "gower", LatentClasses.'
        )
    where = _places(_rows_by_column(X, np.isinf), "infinite value", columns, name)
    return InvalidData(
        f"Input {name} contains infinity: {where}. {who} needs finite numbers. Replace or drop them first."
    )


def _places(rows_of: dict[int, list[int]], what: str, columns: list[str] | None, name: str) -> str:
    named = [
        f"{len(rows):,} {what}s in {_column(column, columns, name)} (rows {_first(rows)})"
        if len(rows) > 1
        else f"1 {what} in {_column(column, columns, name)} (row {rows[0]})"
        for column, rows in list(rows_of.items())[:SHOWN]
    ]
    more = [f"and {len(rows_of) - SHOWN} more columns"] if len(rows_of) > SHOWN else []
    return ", ".join(named + more)


def too_large(
    X: CheckedRows, columns: list[str] | None, name: str, largest_safe: float, what: str = "squared distances"
) -> InvalidData:
    """Say which column holds the largest value, what would still be safe, and what to do."""
    dtype = X.dtype
    column, largest = _largest(X)
    way_out = (
        f"Convert to float64 ({name}.astype('float64')), or scale the data"
        if dtype == np.float32
        else "Scale the data first, e.g. with sklearn.preprocessing.StandardScaler"
    )
    if largest > MOST_TO_SCALE:  # the variance of such numbers overflows
        way_out = f"Scale the data first: divide {name} by a constant"
    return InvalidData(
        f"Input {name} contains a value too large for {dtype}: {largest:.3g} in "
        f"{_column(column, columns, name)}; {what} overflow above {largest_safe:.2g}. {way_out}."
    )


def too_small(X: CheckedRows, columns: list[str] | None, name: str, smallest_safe: float) -> InvalidData:
    """Say how small all values are, what would be safe, and what to do."""
    column, largest = _largest(X)
    return InvalidData(
        f"Input {name} contains only values too small for {X.dtype}: the largest is {largest:.3g}, in "
        f"{_column(column, columns, name)}; squared distances vanish below {smallest_safe:.2g}. Multiply the "
        "data by a constant first."
    )


def _largest(X: CheckedRows) -> tuple[int, float]:
    """Return the column of the value of largest size, and that size."""
    values = X.data if issparse(X) else X.reshape(-1)
    at = int(np.argmax(np.abs(values)))
    return int(X.indices[at]) if issparse(X) else at % X.shape[1], float(abs(values[at]))


def _rows_by_column(X: CheckedRows, test: Callable[[FloatArray], AnyArray]) -> dict[int, list[int]]:
    hits: dict[int, list[int]] = {}
    if issparse(X):  # by its entries: columns may be too many to walk through
        entries = np.flatnonzero(test(X.data))
        rows = np.searchsorted(X.indptr, entries, side="right") - 1
        for column, row in sorted(zip(X.indices[entries].tolist(), rows.tolist(), strict=True)):
            hits.setdefault(column, []).append(row)
        return hits
    for column in range(X.shape[1]):
        found = np.flatnonzero(test(X[:, column])).tolist()
        if found:
            hits[column] = found
    return hits


def _column(column: int, columns: list[str] | None, name: str) -> str:
    return f'column "{shortened(columns[column])}"' if columns is not None else f"{name}[:, {column}]"


def _first(rows: list[int]) -> str:
    return ", ".join(str(row) for row in rows[:SHOWN]) + (" ..." if len(rows) > SHOWN else "")
