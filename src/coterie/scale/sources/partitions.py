"""Pieces: parts of data that can be read by themselves, as the files or collections are cut."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Literal, TypeAlias

import dask
import numpy as np
import numpy.typing as npt

from coterie._support.optional import require
from coterie._support.stores import Stamp, open_binary, scrubbed, shown, unchanged
from coterie._support.typing import AnyArray, Data, FloatType
from coterie.data.lakes.partitions import Told, arrow_type, value_of
from coterie.errors import CoterieError, FileProblem, InvalidData, InvalidFile

if TYPE_CHECKING:
    import pyarrow
    from dask.delayed import Delayed

ZarrArray: TypeAlias = Any  # zarr is optional, so that its types may not be there
StoredRows: TypeAlias = Any  # an array, a pandas frame or an Arrow table: the last two ship no types
ColumnKeys = tuple[str, ...]
SAME_PATH = "Every worker of a cluster must see the files under the same path, as on a shared disk."
ROWS_AT_ONCE = 8192  # from columns to rows: what is written stays in cache until all columns are


@dataclass(frozen=True)
class Span:
    """Some rows of a piece."""

    name: str
    start: int
    stop: int
    promised: int | None = None  # rows that the whole piece shall have once Dask has made it


class Piece:
    """Rows that are stored together; a piece is small, and travels to where its rows are read."""

    name: str  # in messages
    n_rows: int
    is_sliced: ClassVar[bool] = True  # whether some rows can be read without the others
    is_stored: ClassVar[bool] = True  # whether the rows are where every worker can read them

    @property
    def key(self) -> Hashable:
        """What its decoded rows are kept under for a while: it must not keep files alive."""
        return self

    def value(self, start: int, stop: int) -> StoredRows:
        """Return rows as they are stored: an array, a DataFrame or an Arrow table.

        A piece that is not sliced returns all of its rows, whatever is asked for.
        """
        raise NotImplementedError

    def part(self, start: int, stop: int) -> tuple[Span, Piece | Delayed]:
        """Return which rows of what a block needs; what can be a promise of Dask."""
        return Span(self.name, start, stop), self


@dataclass(frozen=True, eq=False)
class ArrayPiece(Piece):
    """Rows of an array in memory."""

    array: Data
    is_stored = False
    name = "X"

    @property
    def n_rows(self) -> int:  # type: ignore[override]  # it follows from the array
        return len(self.array)

    def value(self, start: int, stop: int) -> StoredRows:
        return self.array[start:stop]

    def part(self, start: int, stop: int) -> tuple[Span, Piece | Delayed]:
        return Span(self.name, 0, stop - start), ArrayPiece(self.array[start:stop])  # only these rows travel


@dataclass(frozen=True)
class MemmapPiece(Piece):
    """Rows of an array in a file, mapped where they are read."""

    path: str  # from the root: a worker may have been started in another folder
    n_rows: int
    n_columns: int
    dtype: str
    offset: int
    order: Literal["C", "F"]
    stamp: Stamp | None = None  # of the file when it was opened; None: whoever mapped it may write to it

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the path
        return shown_path(self.path)

    def value(self, start: int, stop: int) -> StoredRows:
        shape = (self.n_rows, self.n_columns)
        try:
            with unchanged(self.path, self.stamp):
                return np.memmap(self.path, self.dtype, "r", self.offset, shape, self.order)[start:stop]
        except (OSError, ValueError) as error:
            raise unreadable(self.name, "npy", error) from None


@dataclass(frozen=True)
class NpyPiece(Piece):
    """Rows of an array in a file of a store, fetched where they are read."""

    path: str = field(repr=False)  # an address, which may hold something secret
    n_rows: int
    n_columns: int
    dtype: str
    offset: int
    order: Literal["C", "F"]
    stamp: Stamp

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the path
        return shown(self.path)

    def value(self, start: int, stop: int) -> StoredRows:
        with unchanged(self.path, self.stamp), open_binary(self.path, self.stamp) as file:
            if self.order == "C":
                return self._numbers(file, start * self.n_columns, (stop - start, self.n_columns))
            columns = [
                self._numbers(file, at * self.n_rows + start, (stop - start,)) for at in range(self.n_columns)
            ]
            return np.stack(columns, axis=1)

    def _numbers(self, file: BinaryIO, first: int, shape: tuple[int, ...]) -> AnyArray:
        kind = np.dtype(self.dtype)
        file.seek(self.offset + first * kind.itemsize)
        return np.frombuffer(file.read(math.prod(shape) * kind.itemsize), kind).reshape(shape)


@dataclass(frozen=True, eq=False)
class ZarrPiece(Piece):
    """Rows of a zarr array."""

    name: str
    n_rows: int
    array: ZarrArray

    def value(self, start: int, stop: int) -> StoredRows:
        try:
            return self.array[start:stop]
        except Exception as error:  # every codec has errors of its own
            raise unreadable(f"{self.name} (rows {start} to {stop})", "zarr", error) from None


@dataclass(frozen=True, eq=False)
class CollectionPiece(Piece):
    """A partition of a Dask collection, which Dask makes when it is needed."""

    name: str
    n_rows: int
    promise: Delayed
    is_stored = False

    def part(self, start: int, stop: int) -> tuple[Span, Piece | Delayed]:
        return Span(self.name, start, stop, self.n_rows), self.promise


@dataclass(frozen=True)
class ChangedPiece(Piece):
    """As many rows as another piece has, in other columns; that piece is decoded as a whole."""

    piece: Any
    is_sliced = False

    @property
    def is_stored(self) -> bool:  # type: ignore[override]  # as the piece
        return bool(self.piece.is_stored)

    def changed(self, value: StoredRows) -> StoredRows:
        """Return rows of the piece as they become."""
        raise NotImplementedError

    def value(self, start: int, stop: int) -> StoredRows:
        return self.changed(self.piece.value(start, stop))

    def part(self, start: int, stop: int) -> tuple[Span, Piece | Delayed]:
        if self.is_stored:
            return super().part(start, stop)
        span, promise = self.piece.part(start, stop)
        alone = replace(self, piece=PieceFacts(self.name, self.n_rows))
        return span, dask.delayed(_change, pure=False)(alone, promise)

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the piece
        return str(self.piece.name)

    @property
    def n_rows(self) -> int:  # type: ignore[override]  # it follows from the piece
        return int(self.piece.n_rows)


@dataclass(frozen=True)
class PieceFacts(Piece):
    """What is to be known of a piece whose rows were read elsewhere."""

    name: str
    n_rows: int


def _change(piece: ChangedPiece, value: StoredRows) -> StoredRows:
    return piece.changed(value)


@dataclass(frozen=True)
class FolderPiece(ChangedPiece):
    """Rows of a file whose folders tell some of its columns: the same value in all of them."""

    told: Told  # name, value and kind of each such column
    columns: ColumnKeys = ()

    @property
    def key(self) -> Hashable:
        return self.piece.key, self.told, self.columns

    def carrying(self, columns: ColumnKeys, types: Mapping[str, pyarrow.DataType]) -> FolderPiece:
        """Return the same rows in columns to be carried along as they are."""
        stored = self.stored(columns)
        is_text = hasattr(self.piece, "carrying")
        inner = self.piece.carrying(stored, types) if is_text else replace(self.piece, columns=stored)
        return replace(self, piece=inner, columns=columns)

    def stored(self, columns: ColumnKeys) -> ColumnKeys:
        """Return the columns that the file itself has to give."""
        told = {name for name, _, _ in self.told}
        return tuple(name for name in columns if name not in told)

    def value(self, start: int, stop: int) -> StoredRows:
        pyarrow = require("pyarrow", extra="scale", purpose="Reading files of tables")
        found = {name: (value_of(text, kind), arrow_type(kind)) for name, text, kind in self.told}
        stored = self.stored(self.columns)
        table = replace(self.piece, columns=stored).value(start, stop) if stored else None
        arrays = [
            pyarrow.repeat(pyarrow.scalar(*found[name]), self.n_rows)
            if table is None or name in found
            else table.column(name)
            for name in self.columns
        ]
        return pyarrow.table(arrays, names=list(self.columns))


def check_made(value: StoredRows, span: Span, n_columns: int) -> None:
    """Refuse a chunk that has not the shape that its collection promised."""
    rows, columns = len(value), value.shape[1] if len(value.shape) == 2 else 1
    if rows != span.promised or columns != n_columns:
        raise InvalidData(
            f"{span.name}: must have {span.promised} rows and {n_columns} columns, as its collection says, "
            f"got {rows} and {columns}."
        )


def rows_of(value: StoredRows, name: str, columns: ColumnKeys | None, dtype: FloatType) -> Data:
    """Return stored rows as a C-ordered matrix of these columns and this type; a view where it can be one."""
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value, dtype=dtype)
    n_columns = len(columns) if columns is not None else value.shape[1]
    rows = np.empty((len(value), n_columns), dtype=dtype)
    fill_rows(rows, value, name, columns)
    return rows


def fill_rows(rows: Data, value: StoredRows, name: str, columns: ColumnKeys | None) -> None:
    """Write stored rows, all of them, to a matrix."""
    try:
        if hasattr(value, "column_names"):
            _fill_from_arrow(rows, value, columns or tuple(value.column_names))
        elif hasattr(value, "iloc"):
            frame = value if columns is None else value[list(columns)]
            rows[:] = frame.to_numpy(dtype=rows.dtype, na_value=np.nan)
        else:
            rows[:] = value
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, CoterieError):
            raise
        raise InvalidData(f"{name}: its rows are not the numbers they should be ({error}).") from error


def some_of(value: StoredRows, start: int, stop: int) -> StoredRows:
    """Return some rows of an array, a DataFrame or an Arrow table, without a copy."""
    if hasattr(value, "column_names"):
        return value.slice(start, stop - start)
    return value.iloc[start:stop] if hasattr(value, "iloc") else value[start:stop]


def _fill_from_arrow(rows: Data, table: pyarrow.Table, columns: ColumnKeys) -> None:
    for batch_start, batch in _batches(table.select(list(columns))):
        arrays = [_as_numbers(column).to_numpy(zero_copy_only=False) for column in batch.columns]
        for first in range(0, batch.num_rows, ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            target = rows[batch_start : batch_start + batch.num_rows][part]
            for index, array in enumerate(arrays):
                target[:, index] = array[part]


def _as_numbers(column: pyarrow.Array) -> pyarrow.Array:
    """Return a column of decimals, or of yes and no with gaps, as floats; any other as it is."""
    kind = str(column.type)
    is_cast = kind.startswith("decimal") or (kind == "bool" and column.null_count)
    return column.cast("double") if is_cast else column


def _batches(table: pyarrow.Table) -> Iterator[tuple[int, pyarrow.RecordBatch]]:
    first = 0
    for batch in table.to_batches():
        yield first, batch
        first += batch.num_rows


def shown_path(path: str) -> str:
    """Return a path as people know it: from the folder they are in, if it lies below; no address in full."""
    here = os.path.join(os.getcwd(), "")
    return shown(path).removeprefix(here)


def unreadable(name: str, kind: str, error: Exception) -> CoterieError:
    """Return the error about a file, or a part of one, that cannot be read."""
    if isinstance(error, CoterieError):
        return error  # it says what is the matter
    if isinstance(error, PermissionError):
        return FileProblem(f"{name}: no permission to read it on {platform.node()}.")
    if isinstance(error, FileNotFoundError):
        return InvalidFile(f"{name}: there is no such file on {platform.node()}. {SAME_PATH}")
    reason = " ".join(scrubbed(str(error)).split()) or type(error).__name__
    return InvalidFile(f"{name}: cannot be read as {kind} ({reason}).")


def common_dtype(types: list[npt.DTypeLike]) -> FloatType:
    """Return the type that all columns are read as: float32 if that loses nothing, float64 otherwise.

    Examples
    --------
    >>> common_dtype(["float32", "int64"])
    dtype('float64')
    """
    widest = np.result_type(*types)
    return np.dtype(np.float32 if widest == np.float32 else np.float64)
