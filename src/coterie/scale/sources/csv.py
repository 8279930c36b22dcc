"""CSV files: found out where rows begin in one pass over the bytes, then read in ranges."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow
import pyarrow.csv

from coterie._support.stores import Stamp, absolute, open_binary, stamp_of, unchanged
from coterie._support.typing import ValuesByName
from coterie.data.columns import numbers_from_text
from coterie.data.dialect import BLANKS, fill_blank_lines
from coterie.data.marks import MISSING_MARKS
from coterie.data.source import Source
from coterie.data.text import blanks_as_tabs, read_text
from coterie.errors import InvalidFile
from coterie.scale.sources.partitions import ColumnKeys, Piece, shown_path, unreadable
from coterie.scale.sources.tables import Table

RANGE_BYTES = 8 << 20
LOOKED_AT_BYTES = 1 << 18  # for the types of the columns
LINE_FEED, QUOTE = ord("\n"), ord('"')
BLANK = b" \r\n"


@dataclass(frozen=True)
class Written:
    """How numbers and cells are told apart."""

    delimiter: str
    decimal_point: str


@dataclass(frozen=True)
class CsvPiece(Piece):
    """The rows in a range of bytes of a file."""

    path: str = field(repr=False)  # from the root, or an address, which may hold something secret
    begin: int
    end: int
    n_rows: int
    stamp: Stamp  # what is kept of a file must not outlive it
    written: Written
    titles: ColumnKeys
    columns: ColumnKeys = ()
    texts: ColumnKeys = ()  # columns among them that are read as text: numbers in disguise, or text to carry
    wholes: ColumnKeys = ()  # columns among them that are read as whole numbers, to carry
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the others
        return f"{shown_path(self.path)} (bytes {self.begin} to {self.end})"

    def value(self, start: int, stop: int) -> Any:
        try:
            with unchanged(self.path, self.stamp), open_binary(self.path, self.stamp) as file:
                file.seek(self.begin)
                content = file.read(self.end - self.begin)
            table = self._parse(content)
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "CSV", error) from None
        if table.num_rows != self.n_rows:
            raise InvalidFile(
                f"{self.name}: has {table.num_rows} rows now, {self.n_rows} when it was opened."
            )
        return table

    def carrying(self, columns: ColumnKeys, types: Mapping[str, Any]) -> CsvPiece:
        """Return the same rows in columns to be carried along as they are."""
        wholes = tuple(name for name in columns if pyarrow.types.is_integer(types[name]))
        texts = tuple(
            name for name in columns if name not in wholes and not pyarrow.types.is_floating(types[name])
        )
        return replace(self, columns=columns, texts=texts, wholes=wholes)

    def _parse(self, content: bytes) -> Any:
        sign = self.written.delimiter
        if sign == BLANKS:
            content, sign = blanks_as_tabs(content), "\t"
        kinds = dict.fromkeys(self.columns, pyarrow.float64())
        kinds |= dict.fromkeys(self.texts, pyarrow.string()) | dict.fromkeys(self.wholes, pyarrow.int64())
        return pyarrow.csv.read_csv(
            io.BytesIO(fill_blank_lines(content, sign, len(self.titles))),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=list(self.titles)),
            pyarrow.csv.ParseOptions(delimiter=sign, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(self.columns),
                null_values=list(MISSING_MARKS),
                decimal_point=self.written.decimal_point,
            ),
        )


def open_csv(path: str) -> Table:
    """Return the columns of a file and the ranges of its rows; it is written as its first lines are."""
    try:
        stamp = stamp_of(path)
        with open_binary(path, stamp) as file:
            start = file.read(LOOKED_AT_BYTES)
        lines = start if len(start) < LOOKED_AT_BYTES else start[: start.rfind(b"\n") + 1] or start
        how: ValuesByName = {"delimiter": None, "header": None, "encoding": None}
        text = read_text(Source(shown_path(path), lines, "text"), may_be_empty=True, **how)
        head, dialect = numbers_from_text(text.frame), text.dialect
        titles = tuple(head.columns)
        begin = _begin_of_line(lines, dialect.first_data_line)
        with unchanged(path, stamp), open_binary(path, stamp) as file:
            ranges = list(_ranges(file, begin, _end_of_rows(file, begin)))
    except OSError as error:
        raise unreadable(shown_path(path), "CSV", error) from None
    written = Written(dialect.delimiter, "," if dialect.decimal_comma else ".")
    pieces = [CsvPiece(absolute(path), *found, stamp, written, titles) for found in ranges]
    schema = head.to_arrow().schema
    empty = {series.name: pyarrow.null() for series in head if series.null_count() == len(series)}
    types = dict(zip(schema.names, schema.types, strict=True)) | empty
    return Table(shown_path(path), types, pieces, lambda: head)


def _begin_of_line(text: bytes, line: int) -> int:
    position = 0
    for _ in range(line):
        position = text.find(b"\n", position) + 1
        if position == 0:
            return len(text)
    return position


def _ranges(file: BinaryIO, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield where ranges of whole rows begin and end, and how many rows they have."""
    file.seek(begin)
    left, first = b"", begin
    while content := file.read(min(RANGE_BYTES, end - file.tell())):
        content = left + content
        ends = _row_ends(content)
        if ends.size == 0:
            left = content
            continue
        size = int(ends[-1]) + 1
        yield first, first + size, len(ends)
        left, first = content[size:], first + size
    if left:
        yield first, first + len(left), 1


def _end_of_rows(file: BinaryIO, begin: int) -> int:
    """Return where the last row ends that is not blank; blank lines within the table are rows."""
    at = file.seek(0, os.SEEK_END)
    after = b""  # what follows the part that is looked at, as far as its line goes on
    while at > begin:
        size = min(LOOKED_AT_BYTES, at - begin)
        at = file.seek(at - size)
        part = file.read(size)
        filled = len(part.rstrip(BLANK))
        if filled:
            rest = part[filled:] + after
            feed = rest.find(b"\n")
            return at + filled + (len(rest) if feed < 0 else feed + 1)
        after = (part + after)[:LOOKED_AT_BYTES]
    return begin


def _row_ends(content: bytes) -> Any:
    """Return the positions of line feeds that are not within quotes; the content begins outside of them."""
    text = np.frombuffer(content, np.uint8)
    feeds = np.flatnonzero(text == LINE_FEED)
    if QUOTE not in content:
        return feeds
    quotes_before = np.searchsorted(np.flatnonzero(text == QUOTE), feeds)
    return feeds[quotes_before % 2 == 0]
