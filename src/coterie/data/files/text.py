"""CSV, TSV and their relatives become a frame of columns."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._printing import count_of, shortened
from coterie._support.optional import require
from coterie._support.panics import Panicked, quiet_panics
from coterie._support.typing import PolarsFrame, ValuesByName
from coterie._support.validation import require_memory
from coterie.data.files import dialect as dialects
from coterie.data.files.dialect import (
    BLANKS,
    Dialect,
    fill_blank_lines,
    note_counted,
    note_titles,
    without_final_blank_lines,
)
from coterie.data.files.source import Source
from coterie.data.marks import MISSING_MARKS, count_marks

INFERRED_ROWS = 10_000  # if a later row contradicts, all rows are looked at
SHOWN_NAMES = 5
MEMORY_PER_CELL = 36  # address space that polars takes to read one, however short its text, and the matrix


@dataclass(frozen=True, eq=False)
class TextTable:
    """A text file as a polars frame, how it was written, notes for the user, and marks of missing values."""

    frame: PolarsFrame
    dialect: Dialect
    notes: list[str]
    marks: dict[str, dict[str, int]]


def read_text(
    source: Source,
    *,
    delimiter: str | None,
    header: bool | None,
    encoding: str | None,
    may_be_empty: bool = False,
    texts: Sequence[str] = (),
) -> TextTable:
    """Read a text file as a table; columns of `texts` hold their cells as they are written."""
    text = dialects.decode(source, encoding)
    dialect = dialects.detect(source, text, delimiter=delimiter, header=header)
    _check_memory(source, text, dialect)
    if dialect.delimiter == BLANKS:
        text = blanks_as_tabs(text)
    names, notes = _column_names(dialect)
    notes += note_titles(dialect.n_titles)
    sign = "\t" if dialect.delimiter == BLANKS else dialect.delimiter
    text, blank_lines = without_final_blank_lines(text, sign)
    notes += note_blank_lines(blank_lines)
    as_written = [at for at, name in enumerate(names) if name in texts]
    frame = _parse(source, text, dialect, as_written)
    if (
        frame.width != dialect.n_columns or frame[:, -1].null_count()
    ):  # the reader fills short rows in silence
        _refuse_ragged_lines(source, text, dialect)
    if frame.height == 0 and not may_be_empty:
        raise source.no_rows("there is a header and nothing below it")
    if frame.width != len(names):  # quotes that open and close within a cell divide it in two ways
        raise source.fail(
            f"cannot be read as a table: its rows have {frame.width} cells, the first line {len(names)}."
        )
    marks = _marks(text, dialect, frame)
    frame.columns = names
    return TextTable(frame, dialect, notes, {names[at]: counts for at, counts in marks.items()})


def _check_memory(source: Source, text: bytes, dialect: Dialect) -> None:
    """Refuse a table that does not fit: the reader ends the process where memory does."""
    n_rows = text.count(b"\n") + (not text.endswith(b"\n")) - dialect.first_data_line
    require_memory(
        MEMORY_PER_CELL * n_rows * dialect.n_columns,
        f"{source.name}, a table of {n_rows:,} rows and {dialect.n_columns:,} columns,",
        "Save the rows as Parquet files in a folder, which are read block by block.",
    )


def note_blank_lines(n_lines: int) -> list[str]:
    """Return what to say about blank lines at the end of a file; nothing if there are none."""
    return [f"{count_of(n_lines, 'blank line')} at the end skipped"] if n_lines else []


def blanks_as_tabs(text: bytes) -> bytes:
    """Return lines whose cells are divided by runs of blanks as lines divided by tabs."""
    return re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t\r]+$", b"", text))


def _marks(text: bytes, dialect: Dialect, frame: PolarsFrame) -> dict[int, dict[str, int]]:
    """Return which marks other than empty cells the columns of numbers hold, by the place of the column."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    some = [at for at, one in enumerate(frame) if one.null_count() and one.dtype != polars.String]
    if not some or not any(mark and mark.encode() in text for mark in MISSING_MARKS):  # each takes a search
        return {}
    _, rows = _rows(text, dialect)
    options = {**_options(dialect), "null_values": None}
    with quiet_panics():
        cells = polars.read_csv(rows, **options, columns=some, infer_schema=False)
    marks = {at: count_marks(cells[:, place]) for place, at in enumerate(some)}
    return {at: counts for at, counts in marks.items() if counts}


def _options(dialect: Dialect) -> ValuesByName:
    return {
        "separator": "\t" if dialect.delimiter == BLANKS else dialect.delimiter,
        "has_header": False,
        "comment_prefix": "#" if dialect.has_comments else None,
        "decimal_comma": dialect.decimal_comma,
        "null_values": list(MISSING_MARKS),
    }


def _rows(text: bytes, dialect: Dialect) -> tuple[bytes, bytes]:
    """Return the text, and the rows in it with blank lines filled."""
    sign = "\t" if dialect.delimiter == BLANKS else dialect.delimiter
    return text, fill_blank_lines(_from_line(text, dialect.first_data_line), sign, dialect.n_columns)


def _parse(source: Source, text: bytes, dialect: Dialect, as_written: Sequence[int]) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    overrides = {}
    if as_written:  # polars calls the first column column_1, or column_0 since its version 2
        first = int(polars.read_csv(b"0\n", has_header=False).columns[0].removeprefix("column_"))
        overrides = {f"column_{first + at}": polars.String for at in as_written}
    options = {**_options(dialect), "schema_overrides": overrides or None}
    whole, text = _rows(text, dialect)
    inferred: list[ValuesByName] = [{"infer_schema_length": rows} for rows in (INFERRED_ROWS, None)]
    problem: Exception | None = None
    for how in (*inferred, {"infer_schema": False}):  # at last as text, which may still hold numbers
        try:
            with quiet_panics():
                return polars.read_csv(text, **options, **how)
        except polars.exceptions.NoDataError:
            return polars.DataFrame(
                schema={str(column): polars.Float64 for column in range(dialect.n_columns)}
            )
        except (polars.exceptions.PolarsError, Panicked) as error:
            problem = error
        if how == inferred[-1]:
            _refuse_ragged_lines(source, whole, dialect)
            if dialects.locate_bad_byte(whole) is not None:
                raise dialects.not_utf8(source, whole)
    reason = shortened(str(problem).splitlines()[0])
    raise source.fail(f"cannot be read as a table ({reason}). Is a quote left open?")


def _column_names(dialect: Dialect) -> tuple[list[str], list[str]]:
    numbered = [f"column_{column + 1}" for column in range(dialect.n_columns)]
    if not dialect.has_header:
        return numbered, ["no header found: columns are called column_1, column_2 ..."]
    names: dict[str, None] = {}
    repeated: Counter[str] = Counter()
    for cell, number in zip(dialect.first_cells, numbered, strict=True):
        name = cell.strip().lstrip("\ufeff") or number
        if name in names:
            repeated[name] += 1
            first_free = repeated[name] + 1
            name = next(new for i in itertools.count(first_free) if (new := f"{name}_{i}") not in names)
        names[name] = None
    notes = [_about_repeated(sorted(repeated))] if repeated else []
    if dialect.counts_columns:
        notes = [note_counted(list(names)), *notes]
    return list(names), notes


def _about_repeated(names: list[str]) -> str:
    more = " ..." if len(names) > SHOWN_NAMES else ""
    return f"the header repeats {', '.join(map(shortened, names[:SHOWN_NAMES]))}{more}: numbered _2 ..."


def _refuse_ragged_lines(source: Source, text: bytes, dialect: Dialect) -> None:
    found = _ragged_by_parsing(text, dialect) if b'"' in text else _ragged_by_counting(text, dialect)
    if found is None:
        return
    line, cells = found
    raise source.fail(
        f"line {line} has {count_of(cells, 'cell')}, line {dialect.first_full_line + 1} has "
        f"{dialect.n_columns} (delimiter {dialects.shown(dialect.delimiter)}). Every row needs as many cells "
        f"as the first."
    )


def _ragged_by_counting(text: bytes, dialect: Dialect) -> tuple[int, int] | None:
    """Count delimiters between line ends with NumPy: right when nothing is quoted, and fast."""
    content = np.frombuffer(text, dtype=np.uint8)
    sign = b"\t" if dialect.delimiter == BLANKS else dialect.delimiter.encode()
    ends = np.flatnonzero(content == ord("\n"))
    if content[-1] != ord("\n"):
        ends = np.append(ends, content.size)
    places = np.flatnonzero(content == sign[0])
    cells = np.diff(np.searchsorted(places, ends), prepend=0) + 1
    starts = np.concatenate([[0], ends[:-1] + 1])
    wrong = np.flatnonzero((cells != dialect.n_columns) & (ends > starts))
    for line in wrong[wrong >= dialect.first_full_line].tolist():
        content_of_line = text[starts[line] : ends[line]].strip()
        is_comment = dialect.has_comments and content_of_line.startswith(b"#")
        if content_of_line and not is_comment:
            return line + 1, int(cells[line])
    return None


def _ragged_by_parsing(text: bytes, dialect: Dialect) -> tuple[int, int] | None:
    stream = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", errors="replace", newline="")
    sign = "\t" if dialect.delimiter == BLANKS else dialect.delimiter
    reader = csv.reader(stream, delimiter=sign, skipinitialspace=True)
    try:
        with dialects.long_cells():
            for row in reader:
                is_comment = dialect.has_comments and bool(row) and row[0].startswith("#")
                is_above = reader.line_num <= dialect.first_full_line
                is_ragged = dialects.is_filled(row) and len(row) != dialect.n_columns
                if is_ragged and not (is_comment or is_above):
                    return reader.line_num, len(row)
    except csv.Error:
        return None  # left to the real reader
    return None


def _from_line(text: bytes, line: int) -> bytes:
    position = 0
    for _ in range(line):
        position = text.find(b"\n", position) + 1
        if position == 0:
            return b""
    return text[position:] if position else text
