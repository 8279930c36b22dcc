"""Results of databases: a piece per file that their rows were written to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from coterie._support.optional import require
from coterie.data.databases import SpooledRows
from coterie.data.schema import HEAD_ROWS
from coterie.scale.sources.partitions import ColumnKeys, Piece, unreadable
from coterie.scale.sources.tables import Table, Tables


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

    def value(self, start: int, stop: int) -> Any:
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
    return Tables((Table(spooled.name, types, pieces, lambda: spooled.read(0).head(HEAD_ROWS)),))
