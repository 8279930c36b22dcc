"""From what a user has to blocks: arrays, files, folders, datasets, Dask collections."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from coterie._support.optional import require
from coterie._support.stores import absolute, is_url, open_binary, shown, stamp_of
from coterie._support.typing import AnyArray, FloatType
from coterie._support.validation.explain import refuse_queries
from coterie.data.databases import SpooledRows
from coterie.data.lakes.delta import is_delta_object
from coterie.data.lakes.iceberg import IcebergRows, iceberg_rows, is_iceberg
from coterie.data.paths import PACKED_TEXT, TABLE_SUFFIXES, FoundFiles, find_files, is_zarr, table_suffix
from coterie.errors import InvalidData, InvalidFile, InvalidParameter, UnsupportedInput
from coterie.scale.blocks import Blocks, check_block_rows
from coterie.scale.sources.collections import array_pieces, open_frame
from coterie.scale.sources.partitions import (
    ArrayPiece,
    ColumnKeys,
    MemmapPiece,
    NpyPiece,
    Piece,
    ZarrPiece,
    common_dtype,
    unreadable,
)
from coterie.scale.sources.tables import Readings, TableFile, Tables, join_tables, with_folders

OPENED_AT_ONCE = 16  # files; their footers are small and far apart


def read_blocks(
    source: object,
    *,
    columns: Sequence[str] | None = None,
    block_rows: int | None = None,
    readings: Readings | None = None,
) -> Blocks:
    """Open data of any size as blocks of rows; nothing but lengths and types is read.

    Parameters
    ----------
    source : path, list of paths, array, DataFrame, dataset or Blocks
        A Parquet, CSV, Arrow, npy or zarr file; a folder of such files; a pattern like ``"data/*.parquet"``;
        a list of paths; all of these by address, such as ``"s3://bucket/data/*.parquet"``. A Delta or Iceberg
        table, by folder or object. A Dask array or DataFrame, an Arrow dataset or table, a zarr array, a
        memory map. A matrix or a pandas DataFrame in memory.
    columns : sequence of str, default=None
        Which columns of tables to use, in this order; None: all of them.
    block_rows : int, default=None
        Rows per block, a multiple of 8192. None: as many as fit 16 MiB, which depends on the number of
        columns alone.
    readings : mapping of str to Reading, default=None
        How columns of text or dates in tables become numbers, as `coterie.fit` finds it out; None: all
        columns must hold numbers.

    Examples
    --------
    >>> import pandas, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for month in range(3):
    ...     pandas.DataFrame({"x": [1.0, 2.0], "y": [month, 1]}).to_parquet(f"{folder}/{month}.parquet")
    >>> read_blocks(folder)
    Blocks(6 rows x 2 columns of float64 in 1 blocks of 1,048,576 rows)
    """
    if isinstance(source, Blocks):
        rows = source.block_rows if block_rows is None else check_block_rows(block_rows, source.n_columns)
        return replace(source, block_rows=rows)
    names, dtype, n_columns, pieces = _open(source, columns, readings)
    filled = tuple(piece for piece in pieces if piece.n_rows)
    if not filled or not n_columns:
        raise InvalidData(f"{_named(source)}: has no rows or no columns; at least one of each is needed.")
    return Blocks(filled, names, n_columns, dtype, check_block_rows(block_rows, n_columns))


Opened = tuple[ColumnKeys | None, FloatType, int, Sequence[Piece]]


def _open(source: object, columns: Sequence[str] | None, readings: Readings | None) -> Opened:
    if isinstance(source, Tables):
        return _joined(source, columns, readings)
    if is_iceberg(source):
        source = iceberg_rows(source)
    if isinstance(source, IcebergRows):
        from coterie.scale.sources.spooled import open_iceberg

        return _joined(open_iceberg(source), columns, readings)
    if is_paths(source):
        return _open_files(find_files(source), columns, readings)
    if isinstance(source, SpooledRows):
        from coterie.scale.sources.spooled import open_spooled

        return _joined(open_spooled(source), columns, readings)
    refuse_queries(source, "X")
    kind = type(source).__module__.partition(".")[0]
    if kind in ("dask", "dask_expr"):
        if hasattr(source, "columns"):
            return _joined(open_frame(source), columns, readings)
        _refuse_columns(columns)
        return (None, *array_pieces(source))
    if kind in ("pyarrow", "polars"):
        from coterie.scale.sources.arrow import open_any

        rows: Any = source
        return _joined(open_any(rows.to_arrow() if kind == "polars" else rows), columns, readings)
    if kind == "zarr":
        _refuse_columns(columns)
        return _zarr(source)
    return _in_memory(source, columns)


def _in_memory(source: Any, columns: Sequence[str] | None) -> Opened:
    if hasattr(source, "iloc"):
        absent = [name for name in columns or () if name not in source.columns]
        if absent:
            raise InvalidParameter(f'columns: the frame has no column "{absent[0]}".')
        frame = source if columns is None else source[list(columns)]
        names = tuple(str(name) for name in frame.columns)
        matrix = _matrix(frame.to_numpy(), "X")
        return names, matrix.dtype, matrix.shape[1], [ArrayPiece(matrix)]
    _refuse_columns(columns)
    if isinstance(source, np.memmap) and isinstance(_owner_of(source), mmap.mmap) and source.ndim == 2:
        return _mapped(source)
    matrix = _matrix(source, "X")
    return None, matrix.dtype, matrix.shape[1], [ArrayPiece(matrix)]


def _matrix(source: object, name: str) -> AnyArray:
    try:
        array = np.asarray(source)
    except ValueError:
        raise InvalidData(f"{name} must be a table, got rows of different lengths.") from None
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise UnsupportedInput(
            f"{name} must be a matrix of numbers, a Dask collection, an Arrow dataset or a path, got "
            f"{type(source).__name__} of {array.dtype} with {array.ndim} dimensions."
        )
    return np.ascontiguousarray(array, dtype=common_dtype([array.dtype]))


def _owner_of(array: AnyArray) -> object:
    return array.base


def _mapped(array: np.memmap[tuple[int, int], np.dtype[np.generic]]) -> Opened:
    order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    n_rows, n_columns = array.shape
    piece = MemmapPiece(
        absolute(str(array.filename)), n_rows, n_columns, array.dtype.str, array.offset, order
    )
    return None, common_dtype([array.dtype]), array.shape[1], [piece]


def _zarr(array: Any) -> Opened:
    name = f"zarr array {array.name or array.store}"
    if array.ndim != 2:
        raise InvalidData(f"{name}: must have 2 dimensions, got {array.ndim}.")
    return None, common_dtype([array.dtype]), array.shape[1], [ZarrPiece(name, array.shape[0], array)]


def is_paths(source: object) -> bool:
    """Return whether data are files: paths, addresses, folders, patterns, Delta tables, a list of these."""
    every = source if isinstance(source, list | tuple) and source else [source]
    return all(isinstance(one, str | os.PathLike) or is_delta_object(one) for one in every)


def _open_files(found: FoundFiles, columns: Sequence[str] | None, readings: Readings | None = None) -> Opened:
    paths = found.paths
    suffixes = sorted({table_suffix(path) for path in paths})
    if suffixes == [".npy"]:
        _refuse_columns(columns)
        return _stacked([_open_npy(path) for path in paths])
    if len(paths) == 1 and is_zarr(paths[0]):
        zarr = require("zarr", extra="zarr", purpose="Reading zarr arrays")
        _refuse_columns(columns)
        return _zarr(zarr.open_array(paths[0], mode="r"))
    if len(suffixes) != 1 or suffixes[0] not in TABLE_SUFFIXES:
        raise InvalidFile(
            f"{shown(paths[0])}: files must all be of one kind, {', '.join(TABLE_SUFFIXES)} or .npy, got "
            f"{', '.join(suffix or 'no ending' for suffix in suffixes)}."
        )
    return _joined(open_tables(found), columns, readings)


def open_tables(found: FoundFiles, *, header: bool | None = None, encoding: str | None = None) -> Tables:
    """Look into files of tables, many at once, and add the columns that their folders tell.

    Header and encoding are those of text.
    """
    first = found.paths[0]
    opener = _opener_of(table_suffix(first))
    how = {name: value for name, value in (("header", header), ("encoding", encoding)) if value is not None}
    if how and table_suffix(first) not in PACKED_TEXT:
        raise InvalidParameter(
            f"{' and '.join(how)} are for text: {shown(first)} has none. Leave them out."
        ).in_shell(f"--{next(iter(how))} is for text: {shown(first)} has none. Leave it out.")
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        tables = _with_shared_types(pool.map(partial(opener, **how), found.paths))
    if not found.partitions.kinds:
        return Tables(tables)
    paths = zip(found.paths, tables, strict=True)
    return Tables(tuple(with_folders(table, found.partitions.of(path)) for path, table in paths))


def _with_shared_types(tables: Iterable[TableFile]) -> tuple[TableFile, ...]:
    """Return tables of which those with the same columns hold them once: there may be 100,000 files."""
    first: TableFile | None = None
    found = []
    for table in tables:
        first = first or table
        found.append(replace(table, types=first.types) if table.types == first.types else table)
    return tuple(found)


def _opener_of(suffix: str) -> Callable[..., TableFile]:
    require("pyarrow", extra="scale", purpose="Reading files of tables")
    if suffix == ".parquet":
        from coterie.scale.sources.arrow import open_parquet

        return open_parquet
    if suffix in (".arrow", ".feather"):
        from coterie.scale.sources.arrow import open_arrow

        return open_arrow
    from coterie.scale.sources.csv import open_csv

    return open_csv


def _joined(tables: Tables, columns: Sequence[str] | None, readings: Readings | None) -> Opened:
    if not any(table.types for table in tables.every):  # files without so much as a header
        return (), np.dtype(np.float64), 0, ()
    joined = join_tables(tables, columns, readings)
    return joined.names, joined.dtype, len(joined.names), joined.pieces


def _open_npy(path: str) -> Opened:
    if is_url(path):
        return _open_remote_npy(path)
    try:
        stamp = stamp_of(path)
        array = np.load(path, mmap_mode="r")
    except Exception as error:  # a header may be wrong in many ways
        raise unreadable(path, "npy", error) from None
    if not isinstance(array, np.memmap) or array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidFile(f"{path}: must hold a matrix of numbers.")
    names, dtype, width, pieces = _mapped(array)
    return names, dtype, width, [replace(piece, stamp=stamp) for piece in pieces]  # type: ignore[type-var]


def _open_remote_npy(url: str) -> Opened:
    """Return the rows of an array in a store, from its header."""
    stamp = stamp_of(url)
    with open_binary(url, stamp) as file:
        try:
            version = np.lib.format.read_magic(file)
            read = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            shape, is_fortran, dtype = read(file)
        except ValueError as error:
            raise unreadable(shown(url), "npy", error) from None
        offset = file.tell()
    if len(shape) != 2 or dtype.kind not in "biuf":
        raise InvalidFile(f"{shown(url)}: must hold a matrix of numbers.")
    if stamp.size != offset + shape[0] * shape[1] * dtype.itemsize:
        raise InvalidFile(f"{shown(url)}: cannot be read as npy (it is not as long as its header says).")
    piece = NpyPiece(url, *shape, dtype.str, offset, "F" if is_fortran else "C", stamp)
    return None, common_dtype([dtype]), shape[1], [piece]


def _stacked(opened: list[Opened]) -> Opened:
    width = opened[0][2]
    for _, _, n_columns, pieces in opened:
        if n_columns != width:
            raise InvalidData(
                f"{pieces[0].name}: has {n_columns} columns, {opened[0][3][0].name} has {width}."
            )
    return None, common_dtype([one[1] for one in opened]), width, [one[3][0] for one in opened]


def _refuse_columns(columns: Sequence[str] | None) -> None:
    if columns is not None:
        raise InvalidParameter("columns names columns of tables; this source has none. Select them before.")


def _named(source: object) -> str:
    return shown(source) if isinstance(source, str | os.PathLike) else "X"
