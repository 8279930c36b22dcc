"""Parquet files: one piece per row group, the smallest part that can be read by itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.parquet as pq

from coterie.data.schema import HEAD_ROWS
from coterie.scale.sources.partitions import ColumnKeys, Piece, unreadable
from coterie.scale.sources.tables import Table


@dataclass(frozen=True)
class ParquetPiece(Piece):
    """A row group of a Parquet file."""

    path: str
    row_group: int
    n_rows: int
    modified: int  # when: what is kept of a file must not outlive it
    columns: ColumnKeys = ()
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the others
        return f"{self.path} (row group {self.row_group})"

    def value(self, start: int, stop: int) -> Any:
        try:
            with pq.ParquetFile(self.path) as file:
                return file.read_row_group(self.row_group, columns=list(self.columns), use_threads=False)
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "Parquet", error) from None


def open_parquet(path: str) -> Table:
    """Return the columns and row groups of a file, from its footer."""
    try:
        with pq.ParquetFile(path) as file:
            schema, footer = file.schema_arrow, file.metadata
            sizes = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(path, "Parquet", error) from None
    modified = os.stat(path).st_mtime_ns
    pieces = [ParquetPiece(path, number, size, modified) for number, size in enumerate(sizes)]
    types = dict(zip(schema.names, schema.types, strict=True))
    return Table(path, types, pieces, lambda: _head(path, schema))


def _head(path: str, schema: Any) -> Any:
    """Return the first rows of a file."""
    try:
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(batch_size=HEAD_ROWS), None)
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(path, "Parquet", error) from None
    return schema.empty_table() if batch is None else pyarrow.Table.from_batches([batch])
