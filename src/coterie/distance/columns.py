"""The columns of any table, one by one: numbers, or values that are names, and which cells are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie._support.typing import AnyArray, FloatArray, MatrixLike, PandasFrame, PolarsSeries
from coterie._support.validation.explain import not_finite, records_of, refuse_queries
from coterie.errors import InvalidData, UnsupportedInput

Value: TypeAlias = str | int | float | bool  # what a category may be called
Mask: TypeAlias = npt.NDArray[np.bool_]
YES_OR_NO = (False, True)


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table."""

    name: str | None  # what the table calls it
    # (n_rows,): floats, NaN where missing; of a column of names codes of `levels`, -1 where missing
    values: AnyArray
    levels: tuple[Value, ...] | None = None  # what the codes stand for; None: numbers
    is_ordered: bool = False  # whether the order of the levels means something

    @property
    def is_missing(self) -> Mask:
        """Which cells are missing."""
        return np.isnan(self.values) if self.levels is None else np.asarray(self.values < 0)


def read_columns(X: Any, *, who: str, name: str = "X") -> list[Column]:
    """Return the columns of a frame of pandas, polars or Arrow, of an array or of lists of cells.

    Examples
    --------
    >>> [column.levels for column in read_columns([[1.5, "red"], [2.0, "blue"]], who="this function")]
    [None, ('blue', 'red')]
    """
    if isinstance(X, list) and X and isinstance(X[0], Column):
        return X  # they were read before
    _refuse_kinds(X, f"{name} of {who}")
    package = type(X).__module__.partition(".")[0]
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        found = list(_of_pandas(X))
    elif package == "polars":
        found = [_of_polars(column) for column in X.get_columns()]
    elif package == "pyarrow":
        found = [_of_arrow(str(label), X.column(at)) for at, label in enumerate(X.column_names)]
    else:
        found = _of_array(X, who, name)
    _refuse_nothing(found, X, who, name)
    if any(column.levels is None and np.isinf(column.values).any() for column in found):
        raise _infinite(found, who, name)
    return found


def _infinite(found: list[Column], who: str, name: str) -> InvalidData:
    """Say which columns hold infinite numbers, and where."""
    cells = np.column_stack([np.where(column.is_missing, 0.0, column.values) for column in found])
    names = None if found[0].name is None else [str(column.name) for column in found]
    return not_finite(cells, names, who, name)


def _refuse_kinds(X: MatrixLike, what: str) -> None:
    """Refuse what is not a table of cells."""
    if X is None:
        raise InvalidData(f"{what} must be a table of numbers, got None.")
    refuse_queries(X, what)
    if issparse(X) or isinstance(X, str | bytes | dict):
        kind = "sparse rows" if issparse(X) else f"a {type(X).__name__}"
        way_out = " Make it a frame first: pandas.DataFrame(X)." if isinstance(X, dict) else ""
        raise UnsupportedInput(f"{what} must be a table of rows and columns, got {kind}.{way_out}")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise InvalidData(f"{what} has masked values. Make them missing first: X.filled(numpy.nan).")


def _refuse_nothing(found: list[Column], X: object, who: str, name: str) -> None:
    """Refuse a table without rows or columns, in scikit-learn's words."""
    shape = getattr(X, "shape", (len(X) if hasattr(X, "__len__") else 0, 0))
    for what, is_none in (("feature", not found), ("sample", bool(found) and not len(found[0].values))):
        if is_none:
            raise InvalidData(
                f"Found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required by "
                f"{who}: {name} is empty."
            )


def called(name: str | None, at: int) -> str:
    """Return how messages call a column.

    Examples
    --------
    >>> called("plan", 3), called(None, 3)
    ('column "plan"', 'column 3')
    """
    return f"column {at}" if name is None else f'column "{name}"'


def _of_pandas(frame: PandasFrame) -> Iterator[Column]:
    for at, label in enumerate(frame.columns):
        series, name = frame.iloc[:, at], str(label)
        dtype = series.dtype
        kind = getattr(dtype, "kind", "O")
        if hasattr(series, "cat"):
            levels = tuple(_plain(value) for value in dtype.categories)
            yield Column(name, series.cat.codes.to_numpy().astype(np.int64), levels, bool(dtype.ordered))
        elif kind in "mM":
            yield Column(name, _moments(series.to_numpy(dtype="datetime64[ns]" if kind == "M" else None)))
        elif kind == "b":
            missing = series.isna().to_numpy()
            yield _of_flags(name, series.fillna(False).to_numpy(dtype=bool), missing)
        elif kind in "iuf":
            width = np.float32 if str(dtype).lower() in ("float32", "float[pyarrow]") else np.float64
            yield Column(name, series.to_numpy(dtype=width, na_value=np.nan))
        elif str(dtype).startswith("str") and not series.isna().all():  # all cells are text
            yield _of_texts(name, *series.factorize())
        else:
            yield _of_objects(name, series.to_numpy(dtype=object), series.isna().to_numpy())


def _of_polars(series: PolarsSeries) -> Column:
    name, dtype = str(series.name), series.dtype
    if dtype.is_numeric():
        numbers = series if str(dtype) == "Float32" else series.cast(float)
        return Column(name, numbers.fill_null(float("nan")).to_numpy())
    if dtype.is_temporal():
        return Column(name, series.to_physical().cast(float).fill_null(float("nan")).to_numpy())
    missing = series.is_null().to_numpy()
    if str(dtype) == "Boolean":
        return _of_flags(name, series.fill_null(False).to_numpy().astype(bool), missing)
    if str(dtype).startswith("Enum"):  # comparing its cells follows the order of its categories
        codes = series.to_physical().cast(int).fill_null(-1).to_numpy().astype(np.int64)
        return Column(name, codes, tuple(dtype.categories.to_list()), True)
    return _of_objects(name, np.array(series.to_list(), dtype=object), missing)


def _of_arrow(name: str, chunks: Any) -> Column:
    values = chunks.combine_chunks() if hasattr(chunks, "combine_chunks") else chunks
    kind, missing = str(values.type), values.is_null().to_numpy(zero_copy_only=False)
    if kind.startswith(("int", "uint", "float", "double", "half", "decimal")):
        numbers = values if kind == "float" else values.cast("double")
        return Column(name, numbers.to_numpy(zero_copy_only=False))
    if kind.startswith(("date", "time", "duration")):
        return Column(name, _moments(values.to_numpy(zero_copy_only=False)))
    if kind == "bool":
        return _of_flags(name, values.fill_null(False).to_numpy(zero_copy_only=False).astype(bool), missing)
    if kind.startswith("dictionary") and values.type.ordered:
        levels = tuple(_plain(value) for value in values.dictionary.to_pylist())
        codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Column(name, codes.astype(np.int64), levels, True)
    return _of_objects(name, np.array([*values.to_pylist(), None], dtype=object)[:-1], missing)


def _of_array(X: object, who: str, name: str) -> list[Column]:
    try:
        cells: Any = np.asarray(X)
        cells = np.asarray(X, dtype=object) if cells.dtype.kind in "UST" else cells
    except ValueError:
        raise InvalidData(f"{name} of {who} must be a table, got rows of different lengths.") from None
    if cells.dtype.kind == "V":
        raise InvalidData(
            f"{name} of {who} must be numbers, text or yes/no, got {records_of(cells.dtype)}. Give a frame: "
            f"pandas.DataFrame({name})."
        )
    if cells.ndim > 2:
        raise InvalidData(
            f"Found array with dim {cells.ndim}, while dim <= 2 is required for {name} of {who}."
        )
    if cells.ndim < 2:
        raise InvalidData(
            f"Expected 2D array, got {cells.ndim}D array of shape {cells.shape} instead for {name} of {who}. "
            f"Reshape your data: {name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is "
            f"one sample."
        )
    if cells.dtype.kind == "c":
        raise InvalidData(f"Complex data not supported: {name} of {who} is {cells.dtype}.")
    if cells.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # of more than 64 bits: infinite, which is refused
            numbers = cells if cells.dtype == np.float32 else cells.astype(np.float64)
        return [Column(None, column) for column in numbers.T]
    if cells.dtype.kind != "O":
        raise UnsupportedInput(
            f"{name} of {who} must be numbers, text or yes/no, got dates or times ({cells.dtype}). Give a "
            f"frame with columns of their own."
        )
    return [_of_objects(None, column, _is_none(column)) for column in cells.T]


def _of_texts(name: str | None, codes: AnyArray, values: Iterable[str]) -> Column:
    """Return text as pandas numbers its values, -1 for missing cells, with these in their order."""
    texts = [str.__str__(value) for value in values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.full(len(texts) + 1, -1, dtype=np.int64)  # the last is that of a missing cell
    place[order] = np.arange(len(texts))
    return Column(name, place[codes], tuple(texts[at] for at in order))


def _of_flags(name: str | None, flags: Mask, missing: Mask) -> Column:
    return Column(name, np.where(missing, -1, flags.astype(np.int64)), YES_OR_NO)


def _of_objects(name: str | None, cells: AnyArray, missing: Mask) -> Column:
    """Return cells of Python's own kinds: numbers if all are, else names."""
    there = cells[~missing].tolist()
    if not set(map(type, there)) <= PLAIN:
        there = [_plain(value) for value in there]
    kinds = set(map(type, there))
    if kinds == {bool}:
        flags = np.zeros(len(cells), dtype=bool)
        flags[~missing] = there
        return _of_flags(name, flags, missing)
    if kinds <= {int, float, bool}:
        numbers = np.full(len(cells), np.nan)
        numbers[~missing] = [_as_float(value) for value in there]
        return Column(name, numbers)
    names = there if kinds == {str} else [str(value) for value in there]
    levels = tuple(sorted(set(names)))
    place_of = {level: at for at, level in enumerate(levels)}
    codes = np.full(len(cells), -1, dtype=np.int64)
    codes[~missing] = np.fromiter(map(place_of.__getitem__, names), dtype=np.int64, count=len(names))
    return Column(name, codes, levels)


PLAIN = frozenset((str, int, float, bool))  # types of cells that are taken as they are


def _as_float(value: int | float | str | bool) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InvalidData(
            "Input X contains a value too large for float64: a whole number of more than 308 digits. Divide "
            "the column by a constant first."
        ) from None


def _is_none(cells: AnyArray) -> Mask:
    return np.array([cell is None or _is_nan(cell) for cell in cells], dtype=bool)


def _is_nan(cell: Any) -> bool:
    if isinstance(cell, np.ndarray):
        raise InvalidData(f"a cell must be a number or a text, got an array of shape {cell.shape}.")
    return cell.is_nan() if isinstance(cell, Decimal) else bool(cell != cell)  # one kind cannot be compared


def _plain(value: object) -> Value:
    """Return a cell as a number or text of Python."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str):
        return str.__str__(plain)
    kind: Any = next((kind for kind in (bool, int, float) if isinstance(plain, kind)), str)
    found: Value = kind(plain)
    return found


def _moments(times: AnyArray) -> FloatArray:
    """Return dates and times as numbers, NaN where there is none."""
    return np.where(np.isnat(times), np.nan, times.astype(np.int64).astype(np.float64))
