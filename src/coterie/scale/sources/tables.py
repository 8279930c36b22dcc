"""Tables in files: the columns of all of them, which are used, and that every file has those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.types

from coterie._support.optional import require
from coterie._support.typing import FloatType, PolarsFrame, PolarsSeries
from coterie.data.cells import Reading
from coterie.data.columns import (
    Element,
    Way,
    absent_columns,
    check_names,
    nested_to_columns,
    numbers_from_text,
)
from coterie.data.lakes.partitions import Told, arrow_type, with_partitions
from coterie.data.notes import note_empty_files
from coterie.data.schema import HEAD_ROWS
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.scale.blocks import Blocks, rows_per_block
from coterie.scale.sources.changed import FILE, FILE_ROW, ColumnPlan, ConvertedPiece, PlacedPiece, Plans
from coterie.scale.sources.partitions import ColumnKeys, FolderPiece, Piece, common_dtype

Readings = Mapping[str, Reading | ColumnPlan]
MOST_LOOKED_INTO = 100  # files whose first rows are read, to find a value of each column


@dataclass(frozen=True, eq=False)
class TableFile:
    """A file that was looked into, or a fragment of a dataset."""

    name: str  # what to call it in messages
    types: dict[str, pyarrow.DataType]  # Arrow type of each column
    pieces: Sequence[Any]  # its rows
    # returns its first rows as an Arrow table or a polars frame
    read_head: Callable[[], pyarrow.Table | PolarsFrame]
    notes: tuple[str, ...] = ()  # what its reader had to decide

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return sum(piece.n_rows for piece in self.pieces)

    def head(self) -> PolarsFrame:
        """Return the first rows as a polars frame: numbers in text as numbers, nested columns as plain."""
        return numbers_from_text(nested_to_columns(self._first())[0])

    def nested(self) -> dict[str, Element]:
        """Return, for columns that are inside nested ones, where each is."""
        return nested_to_columns(self._first())[1] if any(map(_is_nested, self.types.values())) else {}

    def _first(self) -> PolarsFrame:
        polars = require("polars", extra="cli", purpose="Reading tables")
        first = self.read_head()
        frame = first if isinstance(first, polars.DataFrame) else polars.from_arrow(first)
        return frame.head(HEAD_ROWS)


def with_folders(table: TableFile, told: Told) -> TableFile:
    """Return a table with the columns that its folders tell."""
    if not told:
        return table
    kinds = {name: arrow_type(kind) for name, _, kind in told}
    types = {name: kinds.get(name, kind) for name, kind in table.types.items()} | kinds
    pieces = [FolderPiece(piece, told) for piece in table.pieces]
    return replace(table, types=types, pieces=pieces, read_head=partial(_head_with_folders, table, told))


def _head_with_folders(table: TableFile, told: Told) -> PolarsFrame:
    polars = require("polars", extra="cli", purpose="Reading tables")
    first = table.read_head()
    return with_partitions(first if isinstance(first, polars.DataFrame) else polars.from_arrow(first), told)


@dataclass(frozen=True, eq=False)
class Tables:
    """Files that were looked into, or the fragments of a dataset: their columns are those of all of them."""

    every: tuple[TableFile, ...]

    @cached_property
    def filled(self) -> tuple[TableFile, ...]:
        """Those that have rows; what others say about their columns counts only if none has."""
        return tuple(table for table in self.every if table.n_rows) or self.every

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers had to decide, and what is to be said about files without rows."""
        said = dict.fromkeys(note for table in self.filled for note in table.notes)
        empty = [table.name for table in self.every if not table.n_rows]
        return (*note_empty_files(empty, len(self.filled)), *said)

    @property
    def absent(self) -> dict[str, str]:
        """The columns that not all files have, and how many lack them."""
        found = absent_columns([table.types for table in self.filled])
        inside = {name: found[of] for name, (of, _) in self.elements.items() if of in found}
        return found | inside

    @cached_property
    def elements(self) -> dict[str, Element]:
        """Of columns that are inside nested ones, where each is."""
        found: dict[str, Element] = {}
        for table in self.filled[:MOST_LOOKED_INTO]:
            for name, element in table.nested().items():
                found.setdefault(name, element)
        return found

    @cached_property
    def first_values(self) -> dict[str, PolarsSeries]:
        """The first values of every column, from the first file where it has any."""
        found: dict[str, PolarsSeries] = {}
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
        inside = {of for of, _ in self.elements.values()}
        for table in self.filled:
            for name in table.types:
                if name not in inside:
                    found.setdefault(name, _no_values(name))
        return {name: series for name, series in found.items() if name not in inside}

    def kind_of(self, name: str) -> pyarrow.DataType | None:
        """Return the Arrow type of a column, from the first file where it is more than nothing."""
        kinds = [table.types[name] for table in self.filled if name in table.types]
        return next((kind for kind in kinds if not pyarrow.types.is_null(kind)), kinds[0] if kinds else None)

    def numbers_as_text(self, head: Mapping[str, PolarsSeries]) -> list[str]:
        """Return the columns of numbers that are stored as text, at least in some files."""
        texts = {name for table in self.filled for name, kind in table.types.items() if is_text(kind)}
        return [name for name, series in head.items() if series.dtype.is_numeric() and name in texts]

    def may_be_text(self, name: str) -> bool:
        """Return whether cells that the first rows do not show can be text: in CSV files, or by type."""
        kind = self.kind_of(name)
        return kind is not None and (is_text(kind) or self.is_in_text_files(name))

    def is_in_text_files(self, name: str) -> bool:
        """Return whether a column is one of CSV files."""
        return any(
            hasattr(piece, "as_text")
            for table in self.filled
            if name in table.types
            for piece in table.pieces
        )

    def decimal_sign(self, name: str) -> str:
        """Return the decimal sign of numbers that are text."""
        written = (
            getattr(piece, "written", None)
            for table in self.filled
            if name in table.types
            for piece in table.pieces
        )
        return next((one.decimal_point for one in written if one is not None), ".")

    def cells(self, columns: Sequence[str], like: Blocks | None, *, has_marks: bool = True) -> Blocks:
        """Return columns as they are stored, those of CSV files as text, to be looked at.

        `has_marks`: whether marks of missing values stand for empty cells.
        """
        pieces = []
        for table in self.filled:
            there = tuple(name for name in columns if name in table.types)
            for piece in table.pieces:
                if piece.n_rows and hasattr(piece, "as_text"):
                    pieces.append(piece.as_text(there, has_marks=has_marks))
                elif piece.n_rows:
                    pieces.append(replace(piece, columns=there))
        rows = rows_per_block(len(columns)) if like is None else like.block_rows
        return Blocks(tuple(pieces), tuple(columns), len(columns), np.dtype(np.float64), rows)

    def beside(
        self, keys: Sequence[str], names: Sequence[str], like: Blocks, *, with_data: bool, with_file: bool
    ) -> Blocks | None:
        """Return the columns that labels stand beside: keys and chosen ones, or all; None: none."""
        every = list(dict.fromkeys(name for table in self.filled for name in table.types))
        check_names(self.filled[0].name, every, names)
        absent = self.absent
        wanted = [name for name in every if name not in absent] if with_data else [*keys, *names]
        taken = ("label", "group", *((FILE, FILE_ROW) if with_file else ()))
        chosen = [name for name in dict.fromkeys(wanted) if name not in taken]
        if not chosen and not with_file:
            return None
        return self.as_stored(chosen, like, with_file=with_file)

    def as_stored(self, columns: Sequence[str], like: Blocks, *, with_file: bool = False) -> Blocks:
        """Return columns of any kind, cut like other blocks: to be carried along, not to be computed with.

        `with_file`: whether the file of each row, and its number there, stand before them.
        """
        names = tuple(columns)
        pieces: list[Any] = []
        for table in self.filled:
            first = 1
            there = tuple(name for name in names if name in table.types)
            for piece in table.pieces:
                carried = (
                    piece.carrying(there, table.types)
                    if hasattr(piece, "carrying")
                    else replace(piece, columns=there)
                )
                if piece.n_rows and with_file:
                    pieces.append(PlacedPiece(carried, table.name, first))
                elif piece.n_rows:
                    pieces.append(carried)
                first += piece.n_rows
        return Blocks(tuple(pieces), names, len(names), like.dtype, like.block_rows)


def is_text(kind: pyarrow.DataType) -> bool:
    """Return whether an Arrow type holds text, or categories by name."""
    return str(kind) in ("string", "large_string", "string_view") or str(kind).startswith("dictionary")


def _is_nested(kind: pyarrow.DataType) -> bool:
    return any(
        check(kind)
        for check in (
            pyarrow.types.is_list,
            pyarrow.types.is_large_list,
            pyarrow.types.is_fixed_size_list,
            pyarrow.types.is_struct,
        )
    )


def _inside(kind: pyarrow.DataType, way: Way) -> pyarrow.DataType:
    """Return the type of what a way through a nested type leads to; null where a file has no such field."""
    for step in way:
        if isinstance(step, int):
            kind = (
                kind.value_type if _is_nested(kind) and not pyarrow.types.is_struct(kind) else pyarrow.null()
            )
        else:
            at = kind.get_field_index(step) if pyarrow.types.is_struct(kind) else -1
            kind = kind.field(at).type if at >= 0 else pyarrow.null()
    return kind


def _no_values(name: str) -> PolarsSeries:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return polars.Series(name, [None], dtype=polars.Null)


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of all tables in the columns that are used."""

    names: ColumnKeys
    dtype: FloatType
    pieces: tuple[Piece, ...]


def join_tables(every: Tables, columns: Sequence[str] | None, readings: Readings | None = None) -> Columns:
    """Return the rows of tables that have the same columns, or say which table lacks which.

    A column that some tables lack may be there with gaps if `readings` has a plan for it.
    """
    plans = {name: ColumnPlan.of(how) for name, how in (readings or {}).items()}
    tables, first = every.filled, every.filled[0]
    if columns is None:
        inside = {of for of, _ in every.elements.values()}
        columns_of_first = [name for name in first.types if name not in inside]
        names = (*columns_of_first, *every.elements)
    else:
        names = tuple(columns)
    elements = {name: every.elements[name] for name in names if name in every.elements}
    plans |= {
        name: replace(plans.get(name, ColumnPlan()), element=element) for name, element in elements.items()
    }
    for name in names:
        if name not in first.types and name not in plans:
            near = did_you_mean(name, first.types)
            raise InvalidParameter(f'columns: {first.name} has no column "{name}".{near}')
    for table in tables:
        _check_columns(table, names, first.name, is_free=columns is None, plans=plans)
    kinds = [
        np.dtype(np.float64 if _is_wide(table, name, plans) else _numpy_type(table.types[name]))
        for table in tables
        for name in names
    ]
    pieces: list[Piece] = []
    for table in tables:
        converted = tuple((name, plans[name]) for name in names if _is_converted(table, name, plans))
        pieces += [_converted(piece, table, names, converted) for piece in table.pieces]
    return Columns(names, common_dtype(list(kinds)), tuple(pieces))


def _is_wide(table: TableFile, name: str, plans: Plans) -> bool:
    """Return whether a column is read as float64 whatever it is stored as; gaps widen nothing."""
    if name not in plans:
        return False
    plan = plans[name]
    if plan.axis is not None:
        return True
    if plan.element is not None and plan.element[0] in table.types:
        return str(_inside(table.types[plan.element[0]], plan.element[1])) != "float"
    is_stored = name in table.types and not is_text(table.types[name])
    return not (plan.reading is None and plan.levels is None and is_stored)


def _as_text(piece: Any, names: ColumnKeys) -> Any:
    """Return a piece of a CSV file with some columns read as text; any other as it is."""
    if isinstance(piece, FolderPiece):
        return replace(piece, piece=_as_text(piece.piece, piece.stored(names)))
    return replace(piece, texts=names) if hasattr(piece, "texts") else piece


def _is_converted(table: TableFile, name: str, plans: Plans) -> bool:
    return name in plans and (not plans[name].is_plain or name not in table.types)


def _converted(
    piece: Any, table: TableFile, names: ColumnKeys, converted: tuple[tuple[str, ColumnPlan], ...]
) -> Piece:
    """Return the rows of a piece as numbers in these columns."""
    if not converted:
        return replace(piece, columns=names)  # type: ignore[no-any-return]  # a piece
    plans = dict(converted)
    stored = [of for name in names for of in plans.get(name, ColumnPlan()).stored(name)]
    there = tuple(dict.fromkeys(name for name in stored if name in table.types))
    inner = replace(piece, columns=there)
    # cells of a CSV file are read as text where they are not plain numbers
    texts = dict.fromkeys(text for name, plan in converted for text in plan.texts(name))
    inner = _as_text(inner, tuple(name for name in texts if name in there))
    return ConvertedPiece(inner, names, converted)


def _check_columns(table: TableFile, names: ColumnKeys, first: str, *, is_free: bool, plans: Plans) -> None:
    missing = [name for name in names if name not in table.types and name not in plans]
    if missing:
        raise InvalidData(
            f'{table.name}: has no column "{missing[0]}", which {first} has. Every file must have the '
            f"columns in use: {', '.join(names)}."
        )
    inside = {plan.element[0] for plan in plans.values() if plan.element is not None}
    more = [name for name in table.types if name not in names and name not in inside]
    if is_free and more:
        raise InvalidData(
            f'{table.name}: has a column "{more[0]}", which {first} has not. Name the columns '
            f"to use: read_blocks(X, columns=[...])."
        )
    for name in names:
        if name not in plans and not is_numeric(table.types[name]):
            raise InvalidData(
                f'{table.name}: column "{name}" is {table.types[name]}, numbers are needed. Name the columns '
                f"to use: read_blocks(X, columns=[...])."
            )


def _numpy_type(kind: pyarrow.DataType) -> npt.DTypeLike:
    if pyarrow.types.is_decimal(kind):
        return np.float64
    return np.float32 if pyarrow.types.is_null(kind) else kind.to_pandas_dtype()


def is_numeric(kind: pyarrow.DataType) -> bool:
    """Return whether an Arrow type holds numbers, decimals, booleans, or nothing but missing values."""
    checks = (
        pyarrow.types.is_integer,
        pyarrow.types.is_floating,
        pyarrow.types.is_boolean,
        pyarrow.types.is_null,
        pyarrow.types.is_decimal,
    )
    return any(check(kind) for check in checks)
