"""Tables in files: which columns are used, and that every file has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.types

from coterie._support.optional import require
from coterie._support.typing import ValuesByName
from coterie.data.cells import Reading
from coterie.data.columns import numbers_from_text
from coterie.data.schema import HEAD_ROWS
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.scale.sources.partitions import ColumnKeys, ConvertedPiece, Piece, common_dtype

Readings = Mapping[str, Reading]


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

    def head(self) -> Any:
        """Return the first rows as a polars frame, text that is numbers as numbers."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        first = self.read_head()
        frame = first if isinstance(first, polars.DataFrame) else polars.from_arrow(first)
        return numbers_from_text(frame.head(HEAD_ROWS))


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of all tables in the columns that are used."""

    names: ColumnKeys
    dtype: np.dtype[Any]
    pieces: tuple[Piece, ...]


def join_tables(
    tables: Sequence[Table], columns: Sequence[str] | None, readings: Readings | None = None
) -> Columns:
    """Return the rows of tables that have the same columns, or say which table lacks which."""
    readings = readings or {}
    first = tables[0]
    names = tuple(first.types) if columns is None else tuple(columns)
    for name in names:
        if name not in first.types:
            near = did_you_mean(name, first.types)
            raise InvalidParameter(f'columns: {first.name} has no column "{name}".{near}')
    for table in tables:
        _check_columns(table, names, first.name, is_free=columns is None, readings=readings)
    kinds = [
        np.dtype(np.float64 if name in readings else table.types[name].to_pandas_dtype())
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


def is_numeric(kind: Any) -> bool:
    """Return whether an Arrow type holds numbers or booleans."""
    checks = (pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_boolean)
    return any(check(kind) for check in checks)
