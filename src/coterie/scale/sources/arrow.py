"""Arrow datasets, Arrow and Parquet files: one piece per fragment, or per row group where there are any."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.dataset
import pyarrow.parquet as pq

from coterie.data.schema import HEAD_ROWS
from coterie.errors import UnsupportedInput
from coterie.scale.sources.partitions import ColumnKeys, Piece, shown_path, unreadable
from coterie.scale.sources.tables import Table, Tables


@dataclass(frozen=True, eq=False)
class FragmentPiece(Piece):
    """A fragment of an Arrow dataset."""

    name: str
    n_rows: int
    fragment: Any
    columns: ColumnKeys = ()
    is_sliced = False

    def value(self, start: int, stop: int) -> Any:
        try:
            return self.fragment.to_table(columns=list(self.columns), use_threads=False)
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "Arrow data", error) from None


def open_any(source: object) -> Tables:
    """Return the fragments of a dataset, or of a table in memory."""
    is_dataset = hasattr(source, "get_fragments")
    return Tables(tuple(open_dataset(source if is_dataset else pyarrow.dataset.dataset(source))))


def open_dataset(dataset: Any) -> list[Table]:
    """Return the fragments of a dataset, each as a table with columns of its own."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # PyArrow does not tell which rows of a fragment are left
        raise UnsupportedInput(
            "An Arrow dataset that was filtered or projected cannot be read in parts. Give the dataset "
            "itself, by read_blocks(dataset, columns=[...]) for some columns, or write the rows to files."
        ) from None
    return [_open_fragment(fragment, number) for number, fragment in enumerate(fragments)]


def open_arrow(path: str) -> Table:
    """Return the columns of an Arrow file, which is one piece."""
    try:
        dataset = pyarrow.dataset.dataset(os.path.abspath(path), format="ipc")
        fragment = next(iter(dataset.get_fragments()))
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(path, "Arrow data", error) from None
    return _open_fragment(fragment, 0)


def _open_fragment(fragment: Any, number: int) -> Table:
    name = shown_path(getattr(fragment, "path", "")) or f"fragment {number}"
    try:
        schema = fragment.physical_schema
        has_groups = hasattr(fragment, "split_by_row_group")
        parts = fragment.split_by_row_group() if has_groups else [fragment]
        # a part of a file that is asked for its rows counts those of the file
        sizes = [part.row_groups[0].num_rows if has_groups else part.count_rows() for part in parts]
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(name, "Arrow data", error) from None
    titles = [name] if len(parts) == 1 else [f"{name} (row group {i})" for i in range(len(parts))]
    pieces = [FragmentPiece(*facts) for facts in zip(titles, sizes, parts, strict=True)]
    types = dict(zip(schema.names, schema.types, strict=True))
    return Table(name, types, pieces, lambda: fragment.head(HEAD_ROWS))


@dataclass(frozen=True)
class ParquetPiece(Piece):
    """A row group of a Parquet file."""

    path: str  # from the root: a worker may have been started in another folder
    row_group: int
    n_rows: int
    modified: int  # when: what is kept of a file must not outlive it
    columns: ColumnKeys = ()
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the others
        return f"{shown_path(self.path)} (row group {self.row_group})"

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
    pieces = [
        ParquetPiece(os.path.abspath(path), number, size, modified) for number, size in enumerate(sizes)
    ]
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
