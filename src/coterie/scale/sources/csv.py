"""CSV files: found out where rows begin in one pass over the bytes, then read in ranges."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np
import pyarrow
import pyarrow.csv

from coterie._support.optional import require
from coterie._support.stores import Stamp, absolute, open_binary, stamp_of, unchanged
from coterie._support.typing import AnyArray, Indices, PolarsSeries, ValuesByName
from coterie.data.cells import NUMBER, Reading
from coterie.data.columns import numbers_from_text
from coterie.data.databases import Folder
from coterie.data.files.dialect import BLANKS, fill_blank_lines
from coterie.data.files.source import Source
from coterie.data.files.text import blanks_as_tabs, note_blank_lines, read_text
from coterie.data.marks import MISSING_MARKS, is_mark
from coterie.errors import EmptyFile, InvalidData, InvalidFile
from coterie.scale.sources.changed import CellDoesNotFit
from coterie.scale.sources.partitions import ColumnKeys, Piece, shown_path, unreadable
from coterie.scale.sources.tables import TableFile
from coterie.scale.sources.unpacking import encoding_of, has_ranges, unpack

RANGE_BYTES = 8 << 20
LOOKED_AT_BYTES = 1 << 18  # for the types of the columns
LINE_FEED, QUOTE, COMMENT = ord("\n"), ord('"'), ord("#")
BLANK = b" \r\n"


@dataclass(frozen=True)
class CsvForm:
    """How numbers and cells are told apart."""

    delimiter: str
    decimal_point: str
    has_comments: bool = False
    encoding: str = "utf-8"


@dataclass(frozen=True)
class CsvPiece(Piece):
    """The rows in a range of bytes of a file."""

    path: str = field(repr=False)  # from the root, or an address, which may hold something secret
    begin: int
    end: int
    n_rows: int
    stamp: Stamp  # what is kept of a file must not outlive it
    written: CsvForm
    titles: ColumnKeys
    shown: str = ""  # the file that was unpacked to the path
    folder: Folder | None = field(default=None, compare=False)  # where it was: it stays as long as this does
    columns: ColumnKeys = ()
    texts: ColumnKeys = ()  # columns among them that are read as text: numbers in disguise, or text to carry
    wholes: ColumnKeys = ()  # columns among them that are read as whole numbers, to carry
    has_marks: bool = True  # whether marks of missing values stand for empty cells
    is_carried: bool = False  # whether cells go to another file as they are, not to be computed with
    is_sliced = False

    @property
    def name(self) -> str:  # type: ignore[override]  # it follows from the others
        if self.shown:
            return self.shown
        return f"{shown_path(self.path)} (bytes {self.begin} to {self.end})"

    def value(self, start: int, stop: int) -> pyarrow.Table:
        try:
            with unchanged(self.path, self.stamp), open_binary(self.path, self.stamp) as file:
                file.seek(self.begin)
                content = file.read(self.end - self.begin)
            table = self._parse(self._decoded(content))
        except (OSError, pyarrow.ArrowException) as error:
            raise unreadable(self.name, "CSV", error) from None
        if table.num_rows != self.n_rows:
            raise InvalidFile(
                f"{self.name}: has {table.num_rows} rows now, {self.n_rows} when it was opened."
            )
        return table

    def carrying(self, columns: ColumnKeys, types: Mapping[str, pyarrow.DataType]) -> CsvPiece:
        """Return the same rows in columns to be carried along as they are."""
        wholes = tuple(name for name in columns if pyarrow.types.is_integer(types[name]))
        texts = tuple(
            name for name in columns if name not in wholes and not pyarrow.types.is_floating(types[name])
        )
        return replace(self, columns=columns, texts=texts, wholes=wholes, is_carried=True)

    def as_text(self, columns: ColumnKeys, *, has_marks: bool) -> CsvPiece:
        """Return the same rows with the cells of some columns as they are written."""
        return replace(self, columns=columns, texts=columns, wholes=(), has_marks=has_marks)

    def _decoded(self, content: bytes) -> bytes:
        """Return the rows as UTF-8, without lines of comment."""
        if self.written.has_comments:
            content = _without_comments(content)
        if self.written.encoding == "utf-8":
            return content
        try:
            return content.decode(self.written.encoding).encode()
        except UnicodeError as error:
            raise InvalidFile(f"{self.name}: is not {self.written.encoding} ({error}).") from None

    def _parse(self, content: bytes) -> pyarrow.Table:
        sign = self.written.delimiter
        if sign == BLANKS:
            content, sign = blanks_as_tabs(content), "\t"
        content = fill_blank_lines(content, sign, len(self.titles))
        kinds = dict.fromkeys(self.columns, pyarrow.float64())
        kinds |= dict.fromkeys(self.texts, pyarrow.string()) | dict.fromkeys(self.wholes, pyarrow.int64())
        try:
            return self._read(content, sign, kinds)
        except pyarrow.ArrowInvalid as error:
            if "UTF8" in str(error):
                raise InvalidFile(
                    f"{self.name}: is not UTF-8 throughout. If it comes from Windows or Excel, use "
                    f"encoding='cp1252'."
                ).in_shell(
                    f"{self.name}: is not UTF-8 throughout. If it comes from Windows or Excel, use "
                    f"--encoding cp1252."
                ) from None
            if "conversion error" not in str(error).lower():
                raise
        return self._with_strays(self._read(content, sign, dict.fromkeys(kinds, pyarrow.string())), kinds)

    def _read(self, content: bytes, sign: str, kinds: Mapping[str, pyarrow.DataType]) -> pyarrow.Table:
        return pyarrow.csv.read_csv(
            io.BytesIO(content),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=list(self.titles)),
            pyarrow.csv.ParseOptions(delimiter=sign, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(self.columns),
                null_values=list(MISSING_MARKS) if self.has_marks else [],
                strings_can_be_null=self.has_marks,
                decimal_point=self.written.decimal_point,
            ),
        )

    def _with_strays(self, table: pyarrow.Table, kinds: Mapping[str, pyarrow.DataType]) -> pyarrow.Table:
        """Return rows in which some numbers stand beside blanks or words such as "unknown"."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        for at, (name, kind) in enumerate(kinds.items()):
            if kind == pyarrow.string():
                continue
            cells = polars.from_arrow(table.column(name)).alias(name)
            try:
                numbers = plain_numbers(cells, self.written.decimal_point)
            except InvalidData as problem:
                if self.is_carried:
                    continue
                raise CellDoesNotFit(f"{self.name}: {problem}", name) from None
            table = table.set_column(at, name, numbers.to_arrow())
        return table


def plain_numbers(cells: PolarsSeries, decimal_point: str = ".") -> PolarsSeries:
    """Return the numbers of cells of text, null where a word says that the value is missing."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    texts = cells.str.strip_chars()
    plain = texts.str.replace(decimal_point, ".", literal=True) if decimal_point != "." else texts
    numbers = plain.cast(polars.Float64, strict=False)
    if (numbers.is_not_null() | is_mark(texts).fill_null(True)).all():
        return numbers
    return Reading(NUMBER, decimal=decimal_point).numbers(cells)


def open_csv(path: str, *, header: bool | None = None, encoding: str | None = None) -> TableFile:
    """Return the columns of a file and the ranges of its rows; it is written as its first lines are."""
    shown, folder = "", None
    try:
        stamp = stamp_of(path)
        with open_binary(path, stamp) as file:
            start = file.read(LOOKED_AT_BYTES)
        chosen = _known_encoding(path, start, encoding)
        if not has_ranges(start, chosen):
            shown, (source, folder) = shown_path(path), unpack(path, encoding, stamp)
            chosen, stamp = "utf-8", stamp_of(source)
            with open(source, "rb") as file:
                start = file.read(LOOKED_AT_BYTES)
        else:
            source = path
        lines = start if len(start) < LOOKED_AT_BYTES else start[: start.rfind(b"\n") + 1] or start
        how: ValuesByName = {"delimiter": None, "header": header, "encoding": chosen}
        try:
            text = read_text(Source(shown_path(path), lines, "text"), may_be_empty=True, **how)
        except EmptyFile:  # not even a header: a part of a folder that got no rows
            return TableFile(
                shown_path(path), {}, [], require("polars", extra="cli", purpose="CSV").DataFrame
            )
        head, dialect = numbers_from_text(text.frame), text.dialect
        titles = tuple(head.columns)
        begin = _begin_of_line(lines, dialect.first_data_line)
        if chosen == "utf-8-sig":
            begin, chosen = max(begin, len(codecs.BOM_UTF8)), "utf-8"
        with unchanged(source, stamp), open_binary(source, stamp) as file:
            end = _end_of_rows(file, begin)
            ranges = list(_ranges(file, begin, end, dialect.has_comments))
            n_blank = _count_lines(file, end)
    except OSError as error:
        raise unreadable(shown_path(path), "CSV", error) from None
    written = CsvForm(dialect.delimiter, "," if dialect.decimal_comma else ".", dialect.has_comments, chosen)
    pieces = [CsvPiece(absolute(source), *found, stamp, written, titles, shown, folder) for found in ranges]
    schema = head.to_arrow().schema
    empty = {series.name: pyarrow.null() for series in head if series.null_count() == len(series)}
    types = dict(zip(schema.names, schema.types, strict=True)) | empty
    others = [note for note in text.notes if "blank line" not in note]  # these are of the first lines alone
    return TableFile(shown_path(path), types, pieces, lambda: head, (*others, *note_blank_lines(n_blank)))


def _known_encoding(path: str, start: bytes, encoding: str | None) -> str:
    """Return the encoding of a file that begins so, or say that there is no such encoding."""
    chosen = encoding_of(start, encoding)
    if not _is_known(chosen):
        raise InvalidFile(
            f'{shown_path(path)}: no such encoding "{chosen}". Common ones: utf-8, latin-1, cp1252, utf-16.'
        )
    return chosen


def _count_lines(file: BinaryIO, begin: int) -> int:
    """Return how many lines, all blank, follow the last row."""
    file.seek(begin)
    rest = file.read()
    return rest.count(b"\n") + (not rest.endswith(b"\n")) if rest else 0


def _is_known(encoding: str) -> bool:
    try:
        return bool(codecs.lookup(encoding))
    except LookupError:
        return False


def _without_comments(content: bytes) -> bytes:
    """Return rows without the lines that begin with a number sign."""
    ends = _row_ends(content)
    starts = np.concatenate([[0], ends + 1])
    starts = starts[starts < len(content)]
    is_comment = np.frombuffer(content, np.uint8)[starts] == COMMENT
    if not is_comment.any():
        return content
    stops = np.append(starts[1:], len(content))
    kept = zip(starts[~is_comment].tolist(), stops[~is_comment].tolist(), strict=True)
    return b"".join(content[start:stop] for start, stop in kept)


def _begin_of_line(text: bytes, line: int) -> int:
    position = 0
    for _ in range(line):
        position = text.find(b"\n", position) + 1
        if position == 0:
            return len(text)
    return position


def _ranges(file: BinaryIO, begin: int, end: int, has_comments: bool) -> Iterator[tuple[int, int, int]]:
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
        yield first, first + size, len(ends) - _count_comments(content[:size], ends, has_comments)
        left, first = content[size:], first + size
    if left:
        yield first, first + len(left), 0 if has_comments and left[0] == COMMENT else 1


def _count_comments(content: bytes, ends: AnyArray, has_comments: bool) -> int:
    if not has_comments:
        return 0
    starts = np.concatenate([[0], ends[:-1] + 1])
    return int((np.frombuffer(content, np.uint8)[starts] == COMMENT).sum())


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


def _row_ends(content: bytes) -> Indices:
    """Return the positions of line feeds that are not within quotes; the content begins outside of them."""
    text = np.frombuffer(content, np.uint8)
    feeds = np.flatnonzero(text == LINE_FEED)
    if QUOTE not in content:
        return feeds
    quotes_before = np.searchsorted(np.flatnonzero(text == QUOTE), feeds)
    ends: Indices = feeds[quotes_before % 2 == 0]
    return ends
