"""Dask arrays and DataFrames as pieces: one per partition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import dask
import numpy as np

from coterie._support.typing import FloatType
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.scale.runtime.failing_chunk import name_culprit
from coterie.scale.sources.partitions import CollectionPiece, ColumnKeys, Piece, common_dtype

if TYPE_CHECKING:
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


def frame_pieces(
    frame: DaskFrame, columns: Sequence[str] | None
) -> tuple[ColumnKeys, FloatType, int, Sequence[Piece]]:
    """Return the columns, their common type and the partitions of a Dask DataFrame."""
    names = tuple(frame.columns) if columns is None else tuple(columns)
    for name in names:
        if name not in frame.columns:
            near = did_you_mean(name, [str(column) for column in frame.columns])
            raise InvalidParameter(f'columns: the Dask DataFrame has no column "{name}".{near}')
    kinds = [_number_type(frame[name].dtype, name) for name in names]
    promises = frame[list(names)].to_delayed()
    sizes = _lengths(promises, "partition", "DataFrame")
    pieces = _pieces(promises, sizes, "partition", "DataFrame")
    return names, common_dtype(list(kinds)), len(names), pieces


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
        CollectionPiece(
            f"{part} {number} of the Dask {kind} (rows {end - int(size)} to {end - 1})", int(size), promise
        )
        for number, (size, end, promise) in enumerate(zip(sizes, ends, promises, strict=True))
    ]


def _number_type(dtype: Any, name: object) -> Any:
    plain = getattr(dtype, "numpy_dtype", dtype)  # of pandas' types that know missing values
    if getattr(plain, "kind", "O") not in "biuf":
        raise InvalidData(
            f'The Dask DataFrame: column "{name}" is {dtype}, numbers are needed. Name the columns to use: '
            f"read_blocks(X, columns=[...])."
        )
    return plain
