"""Pieces whose rows are changed when they are read: cells become numbers, rows are left out."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import dask
import numpy as np

from coterie._support.optional import require
from coterie._support.typing import AnyArray, FloatArray, Indices, PolarsSeries
from coterie.data.categories import UNSEEN, YES_OR_NO, texts_of
from coterie.data.cells import Reading, yes_or_no
from coterie.data.columns import Element
from coterie.data.geography.places import Place, kilometres, what_is_wrong
from coterie.data.readings import ColumnReading
from coterie.errors import InvalidData
from coterie.scale.sources.partitions import (
    ArrayPiece,
    ChangedPiece,
    CollectionPiece,
    Piece,
    Span,
    StoredRows,
)


@dataclass(frozen=True)
class ColumnPlan:
    """How the cells of a column in blocks become numbers."""

    reading: Reading | None = None  # how text or dates are read; None: the cells are numbers, or categories
    sentinels: tuple[str, ...] = ()  # numbers such as -999 that stand for missing values
    levels: tuple[str, ...] | None = None  # of categories, what the codes 0, 1, ... stand for
    # the nested column (lists, records) that holds the cells, and the way to them in it
    element: Element | None = None
    is_text: bool = False  # whether plain numbers are stored as text
    axis: Axis | None = None  # of a position, which of its axes the column is

    def stored(self, name: str) -> tuple[str, ...]:
        """Return the columns of the file that the cells are made from."""
        if self.axis is not None:
            return self.axis.place.columns
        return (name,) if self.element is None else (self.element[0],)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return those of them that a reader of text leaves as they are written."""
        if self.axis is not None:
            pair = zip(self.axis.place.columns, self.axis.plans, strict=True)
            return tuple(text for column, plan in pair for text in plan.texts(column))
        return (name,) if self.reading is not None or self.levels is not None or self.is_text else ()

    @classmethod
    def of(cls, how: Reading | ColumnReading | ColumnPlan, levels: Sequence[str] | None = None) -> ColumnPlan:
        """Return the plan of a column that was read in this way before."""
        if isinstance(how, ColumnPlan):
            return how
        if isinstance(how, Reading):
            return cls(how)
        return cls(how.reading, how.sentinels, None if levels is None else tuple(levels))

    @property
    def is_plain(self) -> bool:
        """Whether the cells are taken as they are stored."""
        return self == ColumnPlan()

    def numbers(self, series: PolarsSeries) -> FloatArray:
        """Return the numbers of a polars series; NaN where a value is missing."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        if self.levels is not None:
            found = self._codes(series, polars)
        else:
            found = self._plain(series) if self.reading is None else self.reading.numbers(series)
        values = found.cast(polars.Float64).fill_null(float("nan")).to_numpy().copy()
        for mark in self.sentinels:
            values[values == float(mark)] = np.nan
        return np.asarray(values, dtype=np.float64)

    def _plain(self, series: PolarsSeries) -> PolarsSeries:
        """Return numbers, also where they are stored as text."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        is_number = series.dtype.is_numeric() or series.dtype in (polars.Boolean, polars.Null)
        return series if is_number else Reading("number").numbers(series)

    def _codes(self, series: PolarsSeries, polars: ModuleType) -> PolarsSeries:
        if series.dtype == polars.Boolean:
            return series
        if self.reading is not None and self.levels == YES_OR_NO:
            return self.reading.numbers_or_null(series)
        texts = texts_of(series)
        texts = yes_or_no(texts) if self.levels == YES_OR_NO else texts
        places = {level: float(code) for code, level in enumerate(self.levels or ())}
        codes = texts.replace_strict(places, default=UNSEEN, return_dtype=polars.Float64)
        return polars.select(polars.when(texts.is_null()).then(None).otherwise(codes)).to_series()


@dataclass(frozen=True)
class Axis:
    """One of the three coordinates, in km, of a position.

    Parameters
    ----------
    place : Place
        The two columns.
    at : int
        0, 1 or 2: x, y or z.
    plans : tuple of two ColumnPlan
        How the cells of latitude and longitude become numbers.
    """

    place: Place
    at: int
    plans: tuple[ColumnPlan, ColumnPlan] = (ColumnPlan(), ColumnPlan())


def axis_plans(place: Place, plans: Mapping[str, ColumnPlan]) -> dict[str, ColumnPlan]:
    """Return how the axes of a position are made, given how its two columns are read."""
    pair = (plans.get(place.latitude, ColumnPlan()), plans.get(place.longitude, ColumnPlan()))
    return {name: ColumnPlan(axis=Axis(place, at, pair)) for at, name in enumerate(place.axes)}


if TYPE_CHECKING:
    import pyarrow

Plans = Mapping[str, ColumnPlan]
FILE, FILE_ROW = "file", "file_row"


@dataclass(frozen=True)
class ConvertedPiece(ChangedPiece):
    """Rows of a table some of whose columns are something else than plain numbers."""

    columns: tuple[str, ...]
    plans: tuple[tuple[str, ColumnPlan], ...]  # of columns that are not plain

    @property
    def key(self) -> Hashable:
        return self.piece.key, self.columns, self.plans

    def changed(self, value: StoredRows) -> StoredRows:
        arrow = require("pyarrow", extra="scale", purpose="Reading files of tables")
        plans, positions = dict(self.plans), dict[Place, FloatArray]()
        arrays = []
        for name in self.columns:
            axis = plans[name].axis if name in plans else None
            if axis is not None:
                if axis.place not in positions:
                    positions[axis.place] = self._positions(value, axis)
                arrays.append(positions[axis.place][:, axis.at])
            else:
                arrays.append(self._column(value, name, plans[name]) if name in plans else value.column(name))
        return arrow.table(arrays, names=list(self.columns))

    def _positions(self, table: pyarrow.Table, axis: Axis) -> FloatArray:
        """Return the three coordinates of a position; degrees that there are not are refused."""
        pair = zip(axis.place.columns, axis.plans, strict=True)
        cells = np.column_stack([self._column(table, name, plan) for name, plan in pair])
        problem = None if np.isnan(cells).all(axis=0).any() else what_is_wrong(cells, axis.place)
        if problem is not None:
            names = " and ".join(axis.place.columns)
            raise InvalidData(f"{self.name}: {names} are not positions: {problem}.")
        return kilometres(cells)

    def _column(self, table: pyarrow.Table, name: str, plan: ColumnPlan) -> FloatArray:
        polars = require("polars", extra="cli", purpose="Reading tables")
        stored = name if plan.element is None else plan.element[0]
        if stored not in table.column_names:  # a column that this file lacks
            return np.full(table.num_rows, np.nan)
        series = polars.from_arrow(table.column(stored)).alias(name)
        if plan.element is not None:
            series = element_of(series, plan.element, self.name)
        try:
            return plan.numbers(series)
        except InvalidData as problem:
            raise CellDoesNotFit(f"{self.name}: {problem}", name) from None


class CellDoesNotFit(InvalidData):
    """A cell is not what the first rows of its column tell."""

    def __init__(self, message: str, column: str = "") -> None:
        super().__init__(message)
        self.column = column

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return CellDoesNotFit, (str(self), self.column)


def element_of(series: PolarsSeries, element: Element, where: str) -> PolarsSeries:
    """Return one value of every cell; lists of another length than the first are refused."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    name, way = element
    found = series
    for step in way:
        if isinstance(step, str):
            if step not in [field.name for field in getattr(found.dtype, "fields", ())]:
                return polars.Series(series.name, [None] * len(series), dtype=polars.Float64)
            found = found.struct.field(step)
        elif isinstance(found.dtype, polars.Array):
            found = found.arr.get(step, null_on_oob=True)
        else:
            lengths = found.list.len().drop_nulls().unique()
            if len(lengths) > 1:
                raise InvalidData(
                    f'{where}: lists of column "{name}" have {lengths.min()} to {lengths.max()} values.'
                )
            found = found.list.get(step, null_on_oob=True)
    return found.alias(series.name)


@dataclass(frozen=True)
class PlacedPiece(ChangedPiece):
    """Rows with the file that they are in, and their number in it, counted from 1."""

    file: str
    first: int

    @property
    def key(self) -> Hashable:
        return self.piece.key, self.file, self.first

    def value(self, start: int, stop: int) -> StoredRows:
        has_columns = bool(getattr(self.piece, "columns", ()))
        return self.changed(self.piece.value(start, stop) if has_columns else None)

    def changed(self, value: StoredRows) -> StoredRows:
        arrow = require("pyarrow", extra="scale", purpose="Reading files of tables")
        rows = np.arange(self.first, self.first + self.n_rows)
        beside = {FILE: arrow.array([self.file] * len(rows)).dictionary_encode(), FILE_ROW: rows}
        more = {} if value is None else {name: value.column(name) for name in value.column_names}
        return arrow.table(beside | more)


def select_rows(piece: Piece, is_kept: AnyArray) -> Piece | None:
    """Return a piece with some of its rows; itself with all, None with none."""
    if is_kept.all():
        return piece
    if not is_kept.any():
        return None
    rows = np.flatnonzero(is_kept)
    if isinstance(piece, ArrayPiece):
        return ArrayPiece(piece.array[rows])
    if not piece.is_stored:
        promise = dask.delayed(_rows_at, pure=False)(piece.part(0, piece.n_rows)[1], rows)
        return CollectionPiece(f"{piece.name}, some rows", len(rows), promise)
    return SelectedPiece(piece, RowMask.of(is_kept))


@dataclass(frozen=True)
class RowMask:
    """Which rows of a piece stay: a bit per row, which travels to the workers."""

    bits: bytes
    n_rows: int
    n_kept: int

    @classmethod
    def of(cls, is_kept: AnyArray) -> RowMask:
        """Return the selection of the rows that are kept."""
        return cls(np.packbits(is_kept).tobytes(), len(is_kept), int(is_kept.sum()))

    def rows(self) -> Indices:
        """Return the rows that stay, ascending."""
        return np.flatnonzero(np.unpackbits(np.frombuffer(self.bits, np.uint8), count=self.n_rows))


@dataclass(frozen=True, eq=False)
class SelectedPiece(Piece):
    """Some rows of a piece."""

    piece: Piece
    selection: RowMask

    @property
    def is_sliced(self) -> bool:  # type: ignore[override]  # as the piece
        return self.piece.is_sliced

    @property
    def is_stored(self) -> bool:  # type: ignore[override]  # as the piece
        return self.piece.is_stored

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the piece
        return self.piece.name

    @property
    def n_rows(self) -> int:  # type: ignore[override]  # it follows from the selection
        return self.selection.n_kept

    @property
    def key(self) -> Hashable:
        return self.piece.key, hashlib.sha256(self.selection.bits).hexdigest()

    def value(self, start: int, stop: int) -> StoredRows:
        rows = self.selection.rows()[start:stop]
        if not self.is_sliced:
            return _rows_at(self.piece.value(0, self.piece.n_rows), self.selection.rows())
        if not len(rows):
            return self.piece.value(0, 0)
        first, last = int(rows[0]), int(rows[-1]) + 1
        return _rows_at(self.piece.value(first, last), rows - first)

    def part(self, start: int, stop: int) -> tuple[Span, Piece]:
        return Span(self.name, start, stop), self


def _rows_at(value: StoredRows, rows: Indices) -> StoredRows:
    """Return some rows of an array, a DataFrame or an Arrow table."""
    if hasattr(value, "column_names"):
        return value.take(rows)
    return value.iloc[rows] if hasattr(value, "iloc") else value[rows]
