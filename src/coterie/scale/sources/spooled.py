"""Results of databases and tables of Iceberg: a piece per file that holds their rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import accumulate

from coterie._support.optional import require
from coterie._support.stores import Stamp, is_url, local_path, stamp_of, unchanged
from coterie.data.databases import SpooledRows
from coterie.data.lakes.iceberg import IcebergRows
from coterie.data.schema import HEAD_ROWS
from coterie.errors import CoterieError
from coterie.scale.sources.partitions import ColumnKeys, Piece, StoredRows, unreadable
from coterie.scale.sources.tables import TableFile, Tables


@dataclass(frozen=True, eq=False)
class SpooledPiece(Piece):
    """A batch of rows of a database, in a file."""

    name: str
    n_rows: int
    spooled: SpooledRows
    at: int
    columns: ColumnKeys = ()
    is_sliced = False

    @property
    def key(self) -> Hashable:
        return self.spooled.files[self.at], self.columns

    def value(self, start: int, stop: int) -> StoredRows:
        polars = require("polars", extra="cli", purpose="Reading tables")
        try:
            return self.spooled.read(self.at, list(self.columns)).to_arrow()
        except (OSError, polars.exceptions.PolarsError) as error:
            raise unreadable(self.name, "rows of a database", error) from None


def open_spooled(spooled: SpooledRows) -> Tables:
    """Return the columns of the rows, and the files that hold them."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    ends = list(accumulate(n_rows for _, n_rows in spooled.files))
    pieces = [
        SpooledPiece(f"{spooled.name} (rows {end - n_rows + 1:,} to {end:,})", n_rows, spooled, at)
        for at, ((_, n_rows), end) in enumerate(zip(spooled.files, ends, strict=True))
    ]
    schema = polars.DataFrame(schema=dict(spooled.schema)).to_arrow().schema
    types = dict(zip(schema.names, schema.types, strict=True))
    return Tables((TableFile(spooled.name, types, pieces, lambda: spooled.read(0).head(HEAD_ROWS)),))


@dataclass(frozen=True)
class IcebergPiece(Piece):
    """The rows of a data file of an Iceberg table, read as its snapshot says."""

    rows: IcebergRows
    at: int
    columns: ColumnKeys = ()
    version: Stamp | None = None  # of its file; what is kept of it must not outlive it
    is_sliced = False

    @property
    def n_rows(self) -> int:  # type: ignore[override]  # it follows from the table
        return self.rows.files[self.at][1]

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the table
        return f"{self.rows.name} (file {self.at + 1} of {len(self.rows.files)})"

    def value(self, start: int, stop: int) -> StoredRows:
        try:
            with unchanged(local_path(self.rows.files[self.at][0]), self.version):
                return self.rows.read(self.at, self.columns)
        except CoterieError:
            raise
        except Exception as error:  # of various types
            raise unreadable(self.name, "an Iceberg table", error) from None


def open_iceberg(rows: IcebergRows) -> Tables:
    """Return the columns of a table, and the files that hold its rows."""
    schema = rows.schema()
    types = dict(zip(schema.names, schema.types, strict=True))
    pieces = [IcebergPiece(rows, at, version=_version(path)) for at, (path, _) in enumerate(rows.files)]
    head = (lambda: rows.read(0).slice(0, HEAD_ROWS)) if pieces else schema.empty_table
    return Tables((TableFile(rows.name, types, pieces, head),))


def _version(path: str) -> Stamp | None:
    """Return what tells a local data file from another of its name; objects of a store stay as they are."""
    place = local_path(path)
    try:
        return None if is_url(place) else stamp_of(place)
    except OSError:  # gone: whoever reads it says so
        return None
