"""Dask arrays and DataFrames as pieces: one per partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from types import ModuleType
from typing import TYPE_CHECKING

import dask
import numpy as np

from coterie._support.optional import require
from coterie._support.typing import FloatType, PolarsFrame, PolarsSeries
from coterie.data import as_table
from coterie.data.frames import series_of
from coterie.data.schema import HEAD_ROWS
from coterie.errors import InvalidData
from coterie.scale.runtime.failing_chunk import name_culprit
from coterie.scale.sources.partitions import CollectionPiece, ColumnKeys, Piece, Span, common_dtype
from coterie.scale.sources.tables import TableFile, Tables

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from dask.array import Array as DaskArray
    from dask.dataframe import DataFrame as DaskFrame
    from dask.delayed import Delayed


def array_pieces(array: DaskArray) -> tuple[FloatType, int, Sequence[Piece]]:
    """Return the type, the number of columns and the row chunks of a Dask array; a vector is one column."""
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidData(
            f"A Dask array must be a matrix of numbers, got {array.dtype} with {array.ndim} dimensions."
        )
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    promises = array.to_delayed().ravel()
    sizes = array.chunks[0]
    if np.isnan(np.asarray(sizes, dtype=float)).any():
        sizes = _lengths(promises, "chunk", "array")
    width = array.shape[1]
    if np.isnan(width):
        width = dask.compute(dask.delayed(np.shape)(promises[0]))[0][1]
    return common_dtype([array.dtype]), int(width), _pieces(promises, sizes, "chunk", "array")


@dataclass(frozen=True, eq=False)
class FramePromises:
    """The partitions of a Dask DataFrame in some of its columns: only these are made."""

    frame: DaskFrame
    made: dict[ColumnKeys, Sequence[Delayed]] = field(default_factory=dict)

    def of(self, columns: ColumnKeys) -> Sequence[Delayed]:
        """Return the promises of all partitions as Arrow tables of these columns."""
        if columns not in self.made:
            parts = _partitions(self.frame[list(columns)])
            self.made[columns] = [dask.delayed(arrow_rows, pure=False)(part) for part in parts]
        return self.made[columns]


@dataclass(frozen=True, eq=False)
class FramePiece(Piece):
    """A partition of a Dask DataFrame, whose columns Dask makes when they are needed."""

    name: str
    n_rows: int
    promises: FramePromises
    number: int
    columns: ColumnKeys = ()
    is_stored = False

    @property
    def promise(self) -> Delayed:
        """The rows, as an Arrow table that Dask will make."""
        return self.promises.of(self.columns)[self.number]

    def part(self, start: int, stop: int) -> tuple[Span, Piece | Delayed]:
        return Span(self.name, start, stop, self.n_rows), self.promise


def arrow_rows(partition: pandas.DataFrame) -> pyarrow.Table:
    """Return a partition with its columns as those of a pandas frame in memory are read.

    What a column of Python objects holds can differ from partition to partition: it is text.
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    columns = [series_of(str(name), partition.iloc[:, at]) for at, name in enumerate(partition.columns)]
    columns = [one.cast(polars.String) if _is_text(one, polars) else one for one in columns]
    table: pyarrow.Table = polars.DataFrame(columns).to_arrow()
    return table


def _is_text(series: PolarsSeries, polars: ModuleType) -> bool:
    return series.dtype == polars.Int128 or isinstance(series.dtype, polars.Enum)


def open_frame(frame: DaskFrame) -> Tables:
    """Return the partitions of a Dask DataFrame that have rows, each as a table."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InvalidData("the names of the columns must differ; rename those that occur twice.")
    frame = frame.rename(columns=dict(zip(frame.columns, names, strict=True)))
    for name in names:  # of ordered categories, all partitions must know the order
        kind = frame[name].dtype
        if getattr(kind, "ordered", False) and not frame[name].cat.known:
            parts = [dask.delayed(_categories_of, pure=False)(part) for part in _partitions(frame[[name]])]
            every = dict.fromkeys(level for levels in dask.compute(*parts) for level in levels)
            frame[name] = frame[name].cat.set_categories(list(every), ordered=True)
    sizes = _lengths(_partitions(frame[names[:1]] if names else frame), "partition", "DataFrame")
    schema = arrow_rows(frame._meta).schema
    types = dict(zip(schema.names, schema.types, strict=True))
    promises = FramePromises(frame)
    ends = list(accumulate(int(size) for size in sizes))
    tables = [
        TableFile(
            f"partition {at} of the Dask DataFrame",
            types,
            [FramePiece(_named("partition", at, "DataFrame", size, end), int(size), promises, at)],
            partial(_first_rows, frame, at),
        )
        for at, (size, end) in enumerate(zip(sizes, ends, strict=True))
    ]
    return Tables(tuple(one for one in tables if one.n_rows) or tuple(tables[:1]))


def _partitions(frame: DaskFrame) -> Sequence[Delayed]:
    """Return a promise for each partition, which reads no other columns.

    All of Dask's optimisation would join partitions of Parquet files where few of their columns are read, and
    so cut the same rows differently for other columns.
    """
    simplified = frame.simplify() if hasattr(frame, "simplify") else frame
    promises: Sequence[Delayed] = simplified.to_delayed(optimize_graph=False)
    return promises


def _categories_of(partition: pandas.DataFrame) -> list[object]:
    return list(partition.iloc[:, 0].cat.categories)


def open_in_memory(frame: PolarsFrame | pandas.DataFrame) -> Tables:
    """Return a frame of pandas or polars as a table."""
    from coterie.scale.sources.arrow import open_any

    table = as_table(frame).content
    opened = open_any(arrow_rows(frame) if hasattr(frame, "iloc") else table.to_arrow())
    return Tables(tuple(replace(one, read_head=partial(table.head, HEAD_ROWS)) for one in opened.every))


def _first_rows(frame: DaskFrame, at: int) -> PolarsFrame:
    """Return the first rows of a partition, read as a frame in memory is."""
    rows = frame.partitions[at].head(HEAD_ROWS, npartitions=1)
    return (
        as_table(rows).content
        if len(rows)
        else require("polars", extra="cli", purpose="Reading tables").from_arrow(arrow_rows(rows))
    )


def _lengths(promises: Sequence[Delayed], part: str, kind: str) -> Sequence[int]:
    """Return the number of rows of each part; one that cannot be made is named."""
    try:
        lengths: Sequence[int] = dask.compute(*[dask.delayed(len, pure=False)(one) for one in promises])
    except Exception as error:
        chunks = {f"{part} {number} of the Dask {kind}": one for number, one in enumerate(promises)}
        name_culprit(chunks, error)
        raise
    return lengths


def _pieces(promises: Sequence[Delayed], sizes: Sequence[int], part: str, kind: str) -> list[Piece]:
    """Return the parts of a collection, named by their number and rows."""
    ends = list(accumulate(int(size) for size in sizes))
    return [
        CollectionPiece(_named(part, number, kind, size, end), int(size), promise)
        for number, (size, end, promise) in enumerate(zip(sizes, ends, promises, strict=True))
    ]


def _named(part: str, number: int, kind: str, size: int, end: int) -> str:
    return f"{part} {number} of the Dask {kind} (rows {end - int(size)} to {end - 1})"
