"""Dask arrays and DataFrames as pieces: one per partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.scale.pieces import CollectionPiece, ColumnKeys, Piece, common_dtype


def array_pieces(array: Any) -> tuple[np.dtype[Any], int, Sequence[Piece]]:
    """Return the type, the number of columns and the row chunks of a Dask array; a vector is one column."""
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidData(
            f"A Dask array must be a matrix of numbers, got {array.dtype} with {array.ndim} dimensions."
        )
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    if np.isnan(np.asarray(array.chunks[0], dtype=float)).any():
        array = array.compute_chunk_sizes()
    promises = array.to_delayed().ravel()
    sizes = array.chunks[0]
    pieces = [
        CollectionPiece(f"chunk {number} of the Dask array", int(size), promise)
        for number, (size, promise) in enumerate(zip(sizes, promises, strict=True))
    ]
    return common_dtype([array.dtype]), int(array.shape[1]), pieces


def frame_pieces(
    frame: Any, columns: Sequence[str] | None
) -> tuple[ColumnKeys, np.dtype[Any], int, Sequence[Piece]]:
    """Return the columns, their common type and the partitions of a Dask DataFrame."""
    names = tuple(frame.columns) if columns is None else tuple(columns)
    for name in names:
        if name not in frame.columns:
            near = did_you_mean(name, [str(column) for column in frame.columns])
            raise InvalidParameter(f'columns: the Dask DataFrame has no column "{name}".{near}')
    kinds = [_number_type(frame[name].dtype, name) for name in names]
    promises = frame[list(names)].to_delayed()
    sizes = dask.compute(*[dask.delayed(len, pure=False)(promise) for promise in promises])
    pieces = [
        CollectionPiece(f"partition {number} of the Dask DataFrame", int(size), promise)
        for number, (size, promise) in enumerate(zip(sizes, promises, strict=True))
    ]
    return names, common_dtype(list(kinds)), len(names), pieces


def _number_type(dtype: Any, name: Any) -> Any:
    plain = getattr(dtype, "numpy_dtype", dtype)  # of pandas' types that know missing values
    if getattr(plain, "kind", "O") not in "biuf":
        raise InvalidData(
            f'The Dask DataFrame: column "{name}" is {dtype}, numbers are needed. Name the columns to use: '
            f"columns=."
        )
    return plain
