"""Arrow datasets, Arrow and Parquet files: one piece per fragment, or per row group where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

import pyarrow
import pyarrow.dataset
import pyarrow.ipc
import pyarrow.parquet as pq

from coterie._support.stores import Stamp, absolute, is_url, open_binary, stamp_of, unchanged
from coterie.data.intervals import intervals_as_durations
from coterie.data.lakes.partitions import written
from coterie.data.schema import HEAD_ROWS
from coterie.errors import UnsupportedInput
from coterie.scale.sources.partitions import ColumnKeys, Piece, shown_path, unreadable
from coterie.scale.sources.tables import TableFile, Tables, with_folders


@dataclass(frozen=True, eq=False)
class FragmentPiece(Piece):
    """A fragment of an Arrow dataset."""

    name: str
    n_rows: int
    fragment: pyarrow.dataset.Fragment
    columns: ColumnKeys = ()
    is_sliced = False

    def value(self, start: int, stop: int) -> pyarrow.Table:
        try:
            return self.fragment.to_table(columns=list(self.columns), use_threads=False)
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "Arrow data", error) from None


def open_any(source: object) -> Tables:
    """Return the fragments of a dataset, or of a table in memory."""
    is_dataset = hasattr(source, "get_fragments")
    return Tables(tuple(open_dataset(source if is_dataset else pyarrow.dataset.dataset(source))))


def open_dataset(dataset: pyarrow.dataset.Dataset) -> list[TableFile]:
    """Return the fragments of a dataset, each as a table with columns of its own."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # PyArrow does not tell which rows of a fragment are left
        raise UnsupportedInput(
            "An Arrow dataset that was filtered or projected cannot be read in parts. Give the dataset "
            "itself, by read_blocks(dataset, columns=[...]) for some columns, or write the rows to files."
        ) from None
    names = dataset.schema.names
    return [_open_fragment(fragment, number, names) for number, fragment in enumerate(fragments)]


def open_arrow(path: str) -> TableFile:
    """Return the columns of an Arrow file, which is one piece."""
    try:
        stamp = stamp_of(path)
        with _arrow_file(path, stamp) as handle:
            file = pyarrow.ipc.open_file(handle)
            schema, n_rows = _without_intervals(file.schema), _count_rows(path, file)
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(shown_path(path), "Arrow data", error) from None
    piece = ArrowPiece(absolute(path), n_rows, stamp)
    types = dict(zip(schema.names, schema.types, strict=True))
    return TableFile(shown_path(path), types, [piece], lambda: piece.head(schema))


def _without_intervals(schema: pyarrow.Schema) -> pyarrow.Schema:
    """Return the types in which the columns of a file are read."""
    return intervals_as_durations(schema.empty_table()).schema


def _arrow_file(path: str, stamp: Stamp) -> BinaryIO | pyarrow.NativeFile:
    return open_binary(path, stamp) if is_url(path) else pyarrow.OSFile(path, "rb")


def _count_rows(path: str, file: pyarrow.ipc.RecordBatchFileReader) -> int:
    """Return the rows of a file: of a local one by its metadata alone."""
    if is_url(path):
        return sum(file.get_batch(at).num_rows for at in range(file.num_record_batches))
    return int(pyarrow.dataset.dataset(absolute(path), format="ipc").count_rows())


@dataclass(frozen=True)
class ArrowPiece(Piece):
    """The rows of an Arrow file."""

    path: str = field(repr=False)  # from the root, or an address, which may hold something secret
    n_rows: int
    stamp: Stamp  # what is kept of a file must not outlive it
    columns: ColumnKeys = ()
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the path
        return shown_path(self.path)

    def value(self, start: int, stop: int) -> pyarrow.Table:
        try:
            with unchanged(self.path, self.stamp), _arrow_file(self.path, self.stamp) as handle:
                schema = pyarrow.ipc.open_file(handle).schema
                places = [schema.get_field_index(name) for name in self.columns]
                how = pyarrow.ipc.IpcReadOptions(use_threads=False, included_fields=places)
                rows = pyarrow.ipc.open_file(handle, options=how).read_all()
                return intervals_as_durations(rows.select(list(self.columns)))
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "Arrow data", error) from None

    def head(self, schema: pyarrow.Schema) -> pyarrow.Table:
        """Return the first rows."""
        return replace(self, columns=tuple(schema.names)).value(0, 0).slice(0, HEAD_ROWS)


def _open_fragment(fragment: pyarrow.dataset.Fragment, number: int, names: Sequence[str]) -> TableFile:
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
    table = TableFile(name, types, pieces, lambda: fragment.head(HEAD_ROWS))
    keys = pyarrow.dataset.get_partition_keys(fragment.partition_expression)
    return with_folders(table, tuple((key, *written(keys[key])) for key in names if key in keys))


@dataclass(frozen=True)
class ParquetPiece(Piece):
    """A row group of a Parquet file."""

    path: str = field(repr=False)  # from the root, or an address, which may hold something secret
    row_group: int
    n_rows: int
    stamp: Stamp  # what is kept of a file must not outlive it
    columns: ColumnKeys = ()
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the others
        return f"{shown_path(self.path)} (row group {self.row_group})"

    def value(self, start: int, stop: int) -> pyarrow.Table:
        try:
            with unchanged(self.path, self.stamp), _opened(self.path, self.stamp) as file:
                return file.read_row_group(self.row_group, columns=list(self.columns), use_threads=False)
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "Parquet", error) from None


def open_parquet(path: str) -> TableFile:
    """Return the columns and row groups of a file, from its footer."""
    try:
        stamp = stamp_of(path)
        with _opened(path, stamp) as file:  # a change is found when its rows are read
            schema, footer = file.schema_arrow, file.metadata
            sizes = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(shown_path(path), "Parquet", error) from None
    pieces = [ParquetPiece(absolute(path), number, size, stamp) for number, size in enumerate(sizes)]
    types = dict(zip(schema.names, schema.types, strict=True))
    return TableFile(shown_path(path), types, pieces, partial(_head, path))


@contextmanager
def _opened(path: str, stamp: Stamp) -> Iterator[pq.ParquetFile]:
    """Give a Parquet file; of a store, the columns of a row group come in few requests."""
    with ExitStack() as stack:
        where = stack.enter_context(open_binary(path, stamp)) if is_url(path) else path
        yield stack.enter_context(pq.ParquetFile(where, pre_buffer=is_url(path)))


def _head(path: str) -> pyarrow.Table:
    """Return the first rows of a file."""
    try:
        with _opened(path, stamp_of(path)) as file:
            schema, batch = file.schema_arrow, next(file.iter_batches(batch_size=HEAD_ROWS), None)
    except (OSError, pyarrow.ArrowException) as error:
        raise unreadable(shown_path(path), "Parquet", error) from None
    return schema.empty_table() if batch is None else pyarrow.Table.from_batches([batch])
