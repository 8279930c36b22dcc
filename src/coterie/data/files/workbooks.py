"""Excel workbooks: one sheet as a frame, with what spreadsheets have around and inside their tables."""

from __future__ import annotations

import logging
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.typing import AnyArray, PolarsFrame
from coterie._support.validation import require_memory
from coterie.data.files.dialect import TITLE_ROWS, counts_columns, note_counted, note_titles, rows_above
from coterie.data.files.source import Source
from coterie.errors import InvalidParameter, did_you_mean

SHOWN = 5
LEAST_ROWS, LEAST_COLUMNS = 2, 2  # of a table below its header, by which it is told from a cover page
LOOKED_AT = 50  # rows at most that tell whether the first one numbers the columns
LONGEST_SHEET = 1 << 28  # bytes of a sheet that are looked at for merged cells and formulas
TEXT_COPIES = 3  # of a text that a cell refers to: one of the reader, one in the column, one as it is trimmed
CELL_BYTES = 32  # of the reader, which makes room for every cell between the first and the last one
SHORT_TEXT = 1 << 10  # bytes; a sheet of such texts takes no more memory than a file of them
PIECE = 1 << 24  # bytes of a sheet that are looked at together
_COLUMN = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,3})[0-9]""")  # of places such as "B7"
_ROW = re.compile(rb"""\sr\s*=\s*["'][A-Za-z]{0,3}([0-9]{1,7})["']""")  # of cells, and of rows themselves
_CELL_TAG, _ROW_TAG = re.compile(rb"<(?:\w+:)?c(?=[\s/>])"), re.compile(rb"<(?:\w+:)?row(?=[\s/>])")
_SHARED = re.compile(rb"""\st\s*=\s*["']s["'][^<>]*>\s*<(?:\w+:)?v[^<>]*>\s*([0-9]{1,10})""")  # by its number
_TEXT = re.compile(rb"<(?:\w+:)?si[\s/>]")  # in the list of texts that cells refer to
_LIST, HEAD = re.compile(rb"<(?:\w+:)?sst[\s/>]"), 1 << 10  # such a list begins early
_MERGED = re.compile(rb"<mergeCell ref=")
_UNCOMPUTED = re.compile(rb"<f[^>]*>[^<]*</f>(?:<v></v>|<v\s*/>)?</c>")


def read_sheet(source: Source, sheet: str | None, header: bool | None) -> tuple[Any, bool, list[str]]:
    """Return the frame of a sheet, whether its columns have names, and notes for the user.

    Parameters
    ----------
    source : Source
        The workbook.
    sheet : str or None
        Name of the sheet; None: the first with a table, or with cells if none has one.
    header : bool or None
        Whether the first row of the table names the columns; None looks.
    """
    fastexcel = require("fastexcel", extra="excel", purpose="Reading Excel workbooks")
    _check_extent(source)
    try:
        book = fastexcel.read_excel(source.content)
        names = list(book.sheet_names)
    except Exception as error:  # of various types
        reason = shortened(next(iter(str(error).splitlines()), type(error).__name__))
        raise source.fail(f"not a whole Excel workbook, cut off or damaged ({reason}).") from None
    with _quiet():
        raw, notes = _chosen(source, book, names, sheet)
        name = raw.name
        frame = raw.to_polars()
    filled = [sum(cell is not None for cell in row) for row in frame.head(TITLE_ROWS).rows()]
    first = rows_above(filled, frame.width)
    notes += note_titles(first)
    names_of_columns = _texts(frame.row(first))
    is_counted = header is None and counts_columns(
        [_texts(row) for row in frame[first : first + LOOKED_AT].rows()]
    )
    has_names = is_counted or (_is_header(names_of_columns) if header is None else header)
    notes += [note_counted(names_of_columns)] if is_counted else []
    notes += _oddities(source, names.index(name))
    options = {"header_row": first} if has_names else {"header_row": None, "skip_rows": first}
    with _quiet():
        table = book.load_sheet(name, **options).to_polars()
    table = table.filter(~_all_null(table)) if table.width else table
    if table.height == 0 or table.width == 0:
        raise source.no_rows(f'sheet "{shortened(name)}" has a header and nothing below it')
    return _named(_whole_numbers(table), has_names), has_names, notes


def _check_extent(source: Source) -> None:
    """Refuse a sheet for which the reader would run out of memory, and abort.

    Its cells may be far apart, or refer to a long text so often that all its copies do not fit.
    """
    with zipfile.ZipFile(source.stream()) as archive:
        texts = _sizes_of_texts(archive)
        for member in archive.infolist():
            extent = _Extent(texts)
            try:
                with archive.open(member) as part:
                    extent.read(part)
            except Exception:  # damaged: the reader says what is wrong
                continue
            require_memory(
                TEXT_COPIES * extent.n_letters,
                f"{source.name}: a sheet with texts of {extent.n_letters:,} letters",
                "Delete the long texts, or save the table as CSV without them.",
            )
            n_rows, n_columns = extent.shape
            require_memory(
                CELL_BYTES * n_rows * n_columns,
                f"{source.name}: a sheet with cells {n_rows:,} rows and {n_columns:,} columns apart",
                "Delete the cells that are far from the table, or save the table as CSV.",
            )


def _sizes_of_texts(archive: zipfile.ZipFile) -> AnyArray:
    """Return the bytes of each text that cells refer to, where there is one that is not short."""
    nothing = np.empty(0, dtype=np.int64)
    try:
        names = [name for name in archive.namelist() if _LIST.search(archive.open(name).read(HEAD))]
        text = archive.read(names[0]) if names else b""
    except Exception:  # damaged: the reader says what is wrong
        return nothing
    starts = [found.start() for found in _TEXT.finditer(text)]
    sizes = np.diff(np.array([*starts, len(text)], dtype=np.int64))
    return sizes if sizes.size and sizes.max() > SHORT_TEXT else nothing


class _Extent:
    """The rows and columns between the cells of a sheet; cells without a place follow each other.

    Parameters
    ----------
    texts : array
        The bytes of each text that cells refer to; none where all are short.
    """

    def __init__(self, texts: AnyArray) -> None:
        self._texts = texts
        self.n_letters = 0  # of the long texts and the others, as often as cells refer to them
        self._rows, self._columns = _Range(), _Range()
        self._n_rows = self._in_row = self._longest = 0

    @property
    def shape(self) -> tuple[int, int]:
        return max(self._rows.length, self._n_rows), max(self._columns.length, self._longest)

    def read(self, part: IO[bytes]) -> None:
        """Look at the text of a part, piece by piece, cut between tags."""
        rest = b""
        while piece := part.read(PIECE):
            text = rest + piece
            cut = text.rfind(b"<")
            self._look(text[:cut])
            rest = text[cut:] if len(text) - cut <= PIECE else b""
        self._look(rest)

    def _look(self, text: bytes) -> None:
        if self._texts.size:
            numbers = np.array(_SHARED.findall(text), dtype=np.int64)
            self.n_letters += int(self._texts[numbers[numbers < self._texts.size]].sum())
        columns, rows = _COLUMN.findall(text), {*map(int, _ROW.findall(text))}
        if rows:
            self._rows.take(min(rows), max(rows))
        names = {_column_number(name) for name in {*columns}}
        if names:
            self._columns.take(min(names), max(names))
        if len(columns) == sum(1 for _ in _CELL_TAG.finditer(text)):
            return
        counts = [sum(1 for _ in _CELL_TAG.finditer(row)) for row in _ROW_TAG.split(text)]
        counts[0] += self._in_row
        self._in_row, self._n_rows = counts[-1], self._n_rows + len(counts) - 1
        self._longest = max(self._longest, *counts)


class _Range:
    """The least and the largest of whole numbers."""

    def __init__(self) -> None:
        self._ends: tuple[int, int] | None = None

    def take(self, low: int, high: int) -> None:
        before = self._ends or (low, high)
        self._ends = min(low, before[0]), max(high, before[1])

    @property
    def length(self) -> int:
        return 0 if self._ends is None else self._ends[1] - self._ends[0] + 1


def _column_number(name: bytes) -> int:
    """Return the number of a column by its letters.

    Examples
    --------
    >>> _column_number(b"A"), _column_number(b"aa"), _column_number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in name.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the reader logs about columns of several types off the screen: such a column is text here."""
    logger = logging.getLogger("fastexcel")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _chosen(source: Source, book: Any, names: Sequence[str], sheet: str | None) -> tuple[Any, list[str]]:
    """Return the sheet as raw cells, and a note where one was chosen among several."""
    if sheet is not None:
        if sheet not in names:
            listed = ", ".join(map(shortened, names[:SHOWN])) + (" ..." if len(names) > SHOWN else "")
            near = did_you_mean(sheet, names) or f" It has: {listed}."
            raise InvalidParameter(f'{source.name}: no sheet "{shortened(sheet)}".{near}')
        raw = book.load_sheet(sheet, header_row=None)
        if raw.height == 0:
            raise source.fail(f'sheet "{shortened(sheet)}" is empty.')
        return raw, []
    first = None
    for one in names:
        raw = book.load_sheet(one, header_row=None)
        first = first or (raw if raw.height else None)
        if _is_table(raw):
            first = raw
            break
    if first is None:
        raise source.fail("has no sheet with cells.")
    others = [shortened(other) for other in names if other != first.name]
    listed = ", ".join(others[:SHOWN]) + (" ..." if len(others) > SHOWN else "")
    note = f'sheet "{shortened(first.name)}" is read; others: {listed} (--sheet NAME)'
    return first, [note] if others else []


def _is_table(raw: Any) -> bool:
    """Return whether a sheet has a header and rows of several cells: a cover page has neither."""
    if raw.height <= LEAST_ROWS or raw.width < LEAST_COLUMNS:
        return False
    polars = require("polars", extra="cli", purpose="Reading tables")
    filled = raw.to_polars().select(polars.sum_horizontal(polars.all().is_not_null())).to_series()
    return int((filled >= LEAST_COLUMNS).sum()) > LEAST_ROWS


def _texts(row: Sequence[Any]) -> list[str]:
    """Return the cells of a row as text; a spreadsheet keeps every number as a float."""
    return [
        "" if cell is None else str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
        for cell in row
    ]


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row names columns: text in all of its cells that are filled."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and not any(_is_number(cell) for cell in filled)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _all_null(table: PolarsFrame) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return table.select(polars.all_horizontal(polars.all().is_null())).to_series()


def _whole_numbers(table: PolarsFrame) -> PolarsFrame:
    """Return the table with whole numbers as such: a spreadsheet keeps every number as a float."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    floats = [one for one in table if one.dtype == polars.Float64 and one.null_count() < len(one)]
    whole = [one for one in floats if bool(((one % 1) == 0).all()) and float(one.abs().max()) < 2**53]
    return table.with_columns(one.cast(polars.Int64) for one in whole)


def _named(table: PolarsFrame, has_names: bool) -> PolarsFrame:
    """Return the table with a name for every column."""
    names = [
        f"column_{at + 1}" if not has_names or name.startswith("__UNNAMED__") else name.strip()
        for at, name in enumerate(table.columns)
    ]
    taken: dict[str, None] = {}
    for at, name in enumerate(names):
        taken[name if name not in taken else f"{name}_{at + 1}"] = None
    return table.rename(dict(zip(table.columns, taken, strict=True)))


def _oddities(source: Source, number: int) -> list[str]:
    """Return notes on merged cells, and on formulas that were never computed, of a sheet by its place."""
    try:
        with zipfile.ZipFile(source.stream()) as archive, archive.open(_part_of(archive, number)) as part:
            text = part.read(LONGEST_SHEET)
    except Exception:  # what is told here is a help; the sheet itself has been read
        return []
    merged, uncomputed = len(_MERGED.findall(text)), len(_UNCOMPUTED.findall(text))
    notes = []
    if merged:
        areas = "area" if merged == 1 else "areas"
        notes.append(f"{merged:,} merged {areas}: the first cell of each has the value, the others are empty")
    if uncomputed:
        formulas = "formula has" if uncomputed == 1 else "formulas have"
        notes.append(
            f"{uncomputed:,} {formulas} no stored result and read as empty: save the workbook in Excel"
        )
    return notes


def _part_of(archive: zipfile.ZipFile, number: int) -> str:
    """Return the part of the archive that holds a sheet; sheets are listed in the order of the workbook."""
    book = archive.read("xl/workbook.xml").decode("utf-8", "replace")
    links = archive.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
    key = re.findall(r'<sheet [^>]*?r:id="([^"]+)"', book)[number]
    for link in re.findall(r"<Relationship [^>]*>", links):
        if f'Id="{key}"' in link:
            target = re.search(r'Target="([^"]+)"', link)
            if target is not None:
                return target[1].lstrip("/") if target[1].startswith("/") else f"xl/{target[1]}"
    raise KeyError(key)
