"""Results of a database that are too many for memory: written to files in batches, then read in blocks."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from coterie._support.leftovers import folder_prefix
from coterie._support.optional import require
from coterie._support.typing import PolarsFrame, PolarsType
from coterie._support.validation.memory import format_bytes
from coterie.errors import FileProblem


class Folder:
    """A folder that is removed with its object, at the end of the process at the latest.

    A copy that travels to another process does not remove it.
    """

    def __init__(self, path: str, *, is_owned: bool = True) -> None:
        self.path = path
        if is_owned:
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Folder, self.path, is_owned=False), ()


@dataclass(frozen=True, eq=False)
class SpooledRows:
    """The rows of a query in files of a temporary folder, which is removed when nobody holds this object.

    The query runs once: all passes over the rows see the same ones in the same order, whatever happens to the
    database meanwhile.
    """

    name: str  # what to call the database in messages, without a password
    folder: Folder  # where the files are; only the user may read it
    files: tuple[tuple[str, int], ...]  # path and number of rows of each
    # type of each column over all files; a column that is text in one is text
    schema: Mapping[str, PolarsType]
    notes: tuple[str, ...] = ()  # what the reader decided

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(n_rows for _, n_rows in self.files)

    def read(self, at: int, columns: list[str] | None = None) -> Any:
        """Return the rows of one file as a polars frame, in the types that columns have over all files."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        path, _ = self.files[at]
        frame = polars.read_parquet(path, columns=columns)
        return frame.cast({name: self.schema[name] for name in frame.columns})


class Spool:
    """Batches on their way to files."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = Folder(tempfile.mkdtemp(prefix=folder_prefix("rows")))  # for this user alone
        self.files: list[tuple[str, int]] = []
        self.schema: dict[str, PolarsType] = {}

    def add(self, frame: PolarsFrame) -> None:
        """Write a batch; an empty one only says what types there are."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        decimals = [name for name, kind in frame.schema.items() if kind.is_decimal()]
        frame = frame.with_columns(polars.col(decimals).cast(polars.Float64))
        self.schema = frame.schema if not self.schema else _common(polars, self.schema, frame.schema)
        if not frame.height:
            return
        path = os.path.join(self.folder.path, f"rows-{len(self.files):06d}.parquet")
        try:
            frame.write_parquet(path, compression="lz4")
        except (OSError, polars.exceptions.PolarsError) as error:
            size = format_bytes(int(frame.estimated_size()))
            raise FileProblem(
                f"{self.name}: its rows cannot be written to {tempfile.gettempdir()} ({error}); the next "
                f"{frame.height:,} rows take {size}. Set TMPDIR to a folder with more room, or select fewer "
                f"rows or columns."
            ) from None
        self.files.append((path, frame.height))

    def rows(self) -> SpooledRows:
        """Return all that was written."""
        return SpooledRows(self.name, self.folder, tuple(self.files), dict(self.schema))


def stacked(frames: list[Any]) -> Any:
    """Return batches as one frame; a column that is text in one batch is text in all."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    if len(frames) == 1:
        return frames[0]
    names = frames[0].columns
    texts = [name for name in names if any(frame[name].dtype == polars.String for frame in frames)]
    alike = [frame.with_columns(polars.col(texts).cast(polars.String)) for frame in frames]
    return polars.concat(alike, how="vertical_relaxed")


def _common(
    polars: ModuleType, first: Mapping[str, PolarsType], other: Mapping[str, PolarsType]
) -> dict[str, PolarsType]:
    """Return the types of the columns of two batches, as they are when both are one frame."""
    return dict(stacked([polars.DataFrame(schema=first), polars.DataFrame(schema=other)]).schema)
