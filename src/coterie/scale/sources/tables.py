"""Tables in files: the columns of all of them, which are used, and that every file has those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow.types

from coterie._support.optional import require
from coterie._support.typing import ValuesByName
from coterie.data.cells import Reading
from coterie.data.columns import absent_columns, numbers_from_text
from coterie.data.lakes.partitions import Told, arrow_type, with_partitions
from coterie.data.notes import note_empty_files
from coterie.data.schema import HEAD_ROWS
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.scale.blocks import Blocks
from coterie.scale.sources.partitions import ColumnKeys, ConvertedPiece, FolderPiece, Piece, common_dtype

Readings = Mapping[str, Reading]
MOST_LOOKED_INTO = 100  # files whose first rows are read, to find a value of each column


@dataclass(frozen=True, eq=False)
class Table:
    """A file that was looked into, or a fragment of a dataset.

    Parameters
    ----------
    name : str
        What to call it in messages.
    types : dict
        Arrow type of each column.
    pieces : list of Piece
        Its rows.
    read_head : callable
        Returns its first rows as an Arrow table or a polars frame.
    """

    name: str
    types: ValuesByName
    pieces: Sequence[Any]
    read_head: Callable[[], Any]

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return sum(piece.n_rows for piece in self.pieces)

    def head(self) -> Any:
        """Return the first rows as a polars frame, text that is numbers as numbers."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        first = self.read_head()
        frame = first if isinstance(first, polars.DataFrame) else polars.from_arrow(first)
        return numbers_from_text(frame.head(HEAD_ROWS))


def with_folders(table: Table, told: Told) -> Table:
    """Return a table with the columns that its folders tell."""
    if not told:
        return table
    kinds = {name: arrow_type(kind) for name, _, kind in told}
    types = {name: kinds.get(name, kind) for name, kind in table.types.items()} | kinds
    pieces = [FolderPiece(piece, told) for piece in table.pieces]
    return replace(table, types=types, pieces=pieces, read_head=partial(_head_with_folders, table, told))


def _head_with_folders(table: Table, told: Told) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    first = table.read_head()
    return with_partitions(first if isinstance(first, polars.DataFrame) else polars.from_arrow(first), told)


@dataclass(frozen=True, eq=False)
class Tables:
    """Files that were looked into, or the fragments of a dataset: their columns are those of all of them."""

    every: tuple[Table, ...]

    @cached_property
    def filled(self) -> tuple[Table, ...]:
        """Those that have rows; what others say about their columns counts only if none has."""
        return tuple(table for table in self.every if table.n_rows) or self.every

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about files without rows."""
        return note_empty_files([table.name for table in self.every if not table.n_rows], len(self.filled))

    @property
    def absent(self) -> dict[str, str]:
        """The columns that not all files have, and how many lack them."""
        return absent_columns([table.types for table in self.filled])

    def head(self) -> dict[str, Any]:
        """Return the first values of every column, from the first file where it has any."""
        found: dict[str, Any] = {}
        seen: set[str] = set()
        for table in self.filled[:MOST_LOOKED_INTO]:
            if all(name in seen or pyarrow.types.is_null(kind) for name, kind in table.types.items()):
                continue
            for series in table.head():
                if series.name in seen:
                    continue
                found[series.name] = series
                if series.null_count() < len(series):
                    seen.add(series.name)
        for table in self.filled:
            for name in table.types:
                found.setdefault(name, _no_values(name))
        return found

    def numbers_as_text(self, head: Mapping[str, Any]) -> list[str]:
        """Return the columns of numbers that are stored as text."""
        kinds = {name: kind for table in reversed(self.filled) for name, kind in table.types.items()}
        return [name for name, series in head.items() if series.dtype.is_numeric() and _is_text(kinds[name])]

    def as_stored(self, columns: Sequence[str], like: Blocks) -> Blocks:
        """Return columns of any kind, cut like other blocks: to be carried along, not to be computed with."""
        names = tuple(columns)
        pieces = tuple(
            piece.carrying(names, table.types)
            if hasattr(piece, "carrying")
            else replace(piece, columns=names)
            for table in self.filled
            for piece in table.pieces
            if piece.n_rows
        )
        return replace(like, pieces=pieces, columns=names, n_columns=len(names), scaling=None)


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _no_values(name: str) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return polars.Series(name, [None], dtype=polars.Null)


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of all tables in the columns that are used."""

    names: ColumnKeys
    dtype: np.dtype[Any]
    pieces: tuple[Piece, ...]


def join_tables(every: Tables, columns: Sequence[str] | None, readings: Readings | None = None) -> Columns:
    """Return the rows of tables that have the same columns, or say which table lacks which."""
    readings = readings or {}
    tables, first = every.filled, every.filled[0]
    names = tuple(first.types) if columns is None else tuple(columns)
    for name in names:
        if name not in first.types:
            near = did_you_mean(name, first.types)
            raise InvalidParameter(f'columns: {first.name} has no column "{name}".{near}')
    for table in tables:
        _check_columns(table, names, first.name, is_free=columns is None, readings=readings)
    kinds = [
        np.dtype(np.float64 if name in readings else _numpy_type(table.types[name]))
        for table in tables
        for name in names
    ]
    pieces: list[Piece] = [replace(piece, columns=names) for table in tables for piece in table.pieces]
    converted = tuple((name, readings[name]) for name in names if name in readings)
    if converted:
        pieces = [ConvertedPiece(_as_text(piece, converted), converted) for piece in pieces]
    return Columns(names, common_dtype(list(kinds)), tuple(pieces))


def _as_text(piece: Any, converted: tuple[tuple[str, Reading], ...]) -> Any:
    """Return a piece of a CSV file with the columns that are converted read as text; any other as it is."""
    if isinstance(piece, FolderPiece):
        stored = piece.stored(tuple(name for name, _ in converted))
        mine = tuple(one for one in converted if one[0] in stored)
        return replace(piece, piece=_as_text(piece.piece, mine))
    return replace(piece, texts=tuple(name for name, _ in converted)) if hasattr(piece, "texts") else piece


def _check_columns(table: Table, names: ColumnKeys, first: str, *, is_free: bool, readings: Readings) -> None:
    missing = [name for name in names if name not in table.types]
    if missing:
        raise InvalidData(
            f'{table.name}: has no column "{missing[0]}", which {first} has. Every file must have the '
            f"columns in use: {', '.join(names)}."
        )
    more = [name for name in table.types if name not in names]
    if is_free and more:
        raise InvalidData(
            f'{table.name}: has a column "{more[0]}", which {first} has not. Name the columns '
            f"to use: read_blocks(X, columns=[...])."
        )
    for name in names:
        if name not in readings and not is_numeric(table.types[name]):
            raise InvalidData(
                f'{table.name}: column "{name}" is {table.types[name]}, numbers are needed. Name the columns '
                f"to use: read_blocks(X, columns=[...])."
            )


def _numpy_type(kind: Any) -> Any:
    return np.float32 if pyarrow.types.is_null(kind) else kind.to_pandas_dtype()


def is_numeric(kind: Any) -> bool:
    """Return whether an Arrow type holds numbers, booleans, or nothing but missing values."""
    checks = (
        pyarrow.types.is_integer,
        pyarrow.types.is_floating,
        pyarrow.types.is_boolean,
        pyarrow.types.is_null,
    )
    return any(check(kind) for check in checks)
