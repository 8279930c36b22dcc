"""Iceberg tables: the rows of the current snapshot, file by file, as `pyiceberg` plans and reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from coterie._support.optional import require
from coterie._support.stores import (
    exists,
    files_below,
    is_folder,
    is_listed,
    is_pattern,
    is_url,
    joined,
    local_path,
    read_all,
    scrubbed,
    shown,
    suffix_of,
)
from coterie._support.typing import ValuesByName
from coterie.errors import InvalidFile

FOLDER, HINT = "metadata", "version-hint.text"
LONGEST_REASON = 400  # characters of another library's words
_METADATA = re.compile(r"(?:^|/)v?(\d+)(?:-[^/]*)?(?:\.gz)?\.metadata\.json(?:\.gz)?$")


def is_iceberg_object(where: object) -> bool:
    """Return whether something is a table of `pyiceberg`."""
    return type(where).__module__.partition(".")[0] == "pyiceberg" and hasattr(where, "metadata_location")


def is_iceberg(where: object) -> bool:
    """Return whether a place is an Iceberg table: its folder or metadata file, or a table of `pyiceberg`."""
    if is_iceberg_object(where):
        return True
    if not isinstance(where, str | os.PathLike):
        return False
    place = local_path(where)
    if _METADATA.search(place.replace(os.sep, "/")):
        return True
    if is_url(place) and (suffix_of(place) or not is_listed(place)):
        return False
    return bool(_metadata_files(joined(place, FOLDER)))


def iceberg_roots(paths: Sequence[str]) -> list[str]:
    """Return the folders of Iceberg tables among listed files, by their metadata files."""
    found = {path for path in paths if _METADATA.search(path.replace(os.sep, "/"))}
    return sorted({os.path.dirname(os.path.dirname(path)) or "." for path in found})


def _metadata_files(folder: str) -> list[str]:
    if is_pattern(folder) or not is_folder(folder):
        return []
    return [path for path in files_below(folder)[0] if _METADATA.search(path.replace(os.sep, "/"))]


def _current_metadata(place: str) -> str:
    """Return the metadata file of a table's current version: by the hint, or of the highest number."""
    if _METADATA.search(place.replace(os.sep, "/")):
        return place
    folder = joined(place, FOLDER)
    found = _metadata_files(folder)
    numbers = {path: int(_METADATA.search(path.replace(os.sep, "/"))[1]) for path in found}  # type: ignore[index]
    hint = joined(folder, HINT)
    if exists(hint):
        wanted = read_all(hint).decode("utf-8", "replace").strip()
        latest = [path for path, number in numbers.items() if wanted in (str(number), os.path.basename(path))]
    else:
        latest = [path for path, number in numbers.items() if number == max(numbers.values())]
    if len(latest) != 1:
        raise InvalidFile(
            f"{shown(place)}: which version of this Iceberg table is current? {len(latest)} metadata files "
            f"may be. Name one of those in {shown(folder)}, or load the table from its catalogue."
        )
    return latest[0]


@dataclass(frozen=True)
class IcebergRows:
    """The rows of a snapshot; it is small and travels to where the rows are read."""

    name: str  # what to call the table in messages
    metadata: str  # where its metadata file is, which says all: snapshot, columns, files
    files: tuple[tuple[str, int], ...]  # the data files in order, and how many rows each has
    n_bytes: int  # what the files take
    notes: tuple[str, ...] = ()  # what is to be said about how the table was read

    def schema(self) -> Any:
        """Return the columns as an Arrow schema."""
        return _opened(self.metadata).schema().as_arrow()

    def read(self, at: int, columns: Sequence[str] | None = None) -> Any:
        """Return the rows of one file as an Arrow table, without those that were deleted."""
        return _read(self.metadata, self.files[at][0], tuple(columns) if columns is not None else None)

    def read_all(self) -> Any:
        """Return all rows as one Arrow table."""
        import pyarrow

        if not self.files:
            return self.schema().empty_table()
        return pyarrow.concat_tables(
            [self.read(at) for at in range(len(self.files))], promote_options="permissive"
        )


def iceberg_rows(where: Any) -> IcebergRows:
    """Return the rows of the table at a place, or of a table of `pyiceberg`."""
    if is_iceberg_object(where):
        metadata, name = where.metadata_location, ".".join(where.name())
    else:
        place = local_path(where)
        name = shown(place)
        require("pyiceberg", extra="iceberg", purpose=f"{name} is an Iceberg table: reading it")
        metadata = _current_metadata(place)
    try:
        tasks = _planned(metadata)
        sizes = [
            task.file.record_count if not task.delete_files else len(_read(metadata, path, ()))
            for path, task in tasks.items()
        ]
    except InvalidFile:
        raise
    except Exception as error:  # of various types
        raise InvalidFile(f"{name}: cannot be read as an Iceberg table ({_reason(error)}).") from None
    n_bytes = sum(task.file.file_size_in_bytes for task in tasks.values())
    return IcebergRows(name, metadata, tuple(zip(tasks, sizes, strict=True)), n_bytes)


def iceberg_size(where: Any) -> int:
    """Return how many bytes the files of a table take."""
    return iceberg_rows(where).n_bytes


@lru_cache(maxsize=8)
def _opened(metadata: str) -> Any:
    tables = require("pyiceberg.table", extra="iceberg", purpose="Reading Iceberg tables")
    url = metadata if "://" in metadata else os.path.abspath(metadata)
    return tables.StaticTable.from_metadata(url)


@lru_cache(maxsize=8)
def _planned(metadata: str) -> ValuesByName:
    """Return how each data file of the snapshot is read, by path in order."""
    tasks = {task.file.file_path: task for task in _opened(metadata).scan().plan_files()}
    return dict(sorted(tasks.items()))


def _read(metadata: str, path: str, columns: tuple[str, ...] | None) -> Any:
    arrow = require("pyiceberg.io.pyarrow", extra="iceberg", purpose="Reading Iceberg tables")
    expressions = require("pyiceberg.expressions", extra="iceberg", purpose="Reading Iceberg tables")
    table = _opened(metadata)
    schema = table.schema()
    if columns is not None:
        schema = schema.select(*(columns or schema.column_names[:1]))
    scan = arrow.ArrowScan(table.metadata, table.io, schema, expressions.AlwaysTrue())
    try:
        return scan.to_table([_planned(metadata)[path]])
    except Exception as error:  # of various types: gone, damaged, not allowed
        raise InvalidFile(
            f"{shown(path)}: cannot be read, a data file of an Iceberg table ({_reason(error)})."
        ) from None


def _reason(error: Exception) -> str:
    return " ".join(scrubbed(str(error)).split())[:LONGEST_REASON]
