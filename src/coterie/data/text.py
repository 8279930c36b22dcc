"""CSV, TSV and their relatives become a frame of columns."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie.data import dialect as dialects
from coterie.data.dialect import BLANKS, Dialect
from coterie.data.source import Source

INFERRED_ROWS = 10_000  # if a later row contradicts, all rows are looked at


def read_text(
    source: Source, *, delimiter: str | None, header: bool | None, encoding: str | None
) -> tuple[Any, Dialect, list[str]]:
    """Return a polars frame, how the text was written, and notes for the user."""
    text = dialects.decode(source, encoding)
    dialect = dialects.detect(source, text, delimiter=delimiter, header=header)
    if dialect.delimiter == BLANKS:
        text = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t\r]+$", b"", text))
    names, notes = _column_names(dialect)
    frame = _parse(source, text, dialect)
    if (
        frame.width != dialect.n_columns or frame[:, -1].null_count()
    ):  # the reader fills short rows in silence
        _refuse_ragged_lines(source, text, dialect)
    if frame.height == 0:
        raise source.fail("has no rows: there is a header and nothing below it.")
    frame.columns = names
    frame, blank_lines = _without_blank_lines(frame)
    if blank_lines:
        notes.append(f"{blank_lines} blank line{'s' if blank_lines > 1 else ''} skipped")
    return frame, dialect, notes


def _parse(source: Source, text: bytes, dialect: Dialect) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    options: dict[str, Any] = {
        "separator": "\t" if dialect.delimiter == BLANKS else dialect.delimiter,
        "has_header": False,
        "comment_prefix": "#" if dialect.has_comments else None,
        "decimal_comma": dialect.decimal_comma,
        "null_values": list(dialects.MISSING_MARKS),
    }
    whole, text = text, _from_line(text, dialect.first_data_line)
    problem: Exception | None = None
    for rows in (INFERRED_ROWS, None):
        try:
            return polars.read_csv(text, infer_schema_length=rows, **options)
        except polars.exceptions.NoDataError:
            return polars.DataFrame(
                schema={str(column): polars.Float64 for column in range(dialect.n_columns)}
            )
        except polars.exceptions.PolarsError as error:
            problem = error
    _refuse_ragged_lines(source, whole, dialect)
    if dialects.locate_bad_byte(whole) is not None:
        raise dialects.not_utf8(source, whole)
    raise source.fail(f"cannot be read as a table ({str(problem).splitlines()[0]}). Is a quote left open?")


def _column_names(dialect: Dialect) -> tuple[list[str], list[str]]:
    numbered = [f"column_{column + 1}" for column in range(dialect.n_columns)]
    if not dialect.has_header:
        return numbered, ["no header found: columns are called column_1, column_2 ..."]
    names: list[str] = []
    repeated: list[str] = []
    for cell, number in zip(dialect.first_cells, numbered, strict=True):
        name = cell.strip().lstrip("\ufeff") or number
        if name in names:
            repeated.append(name)
            name = next(f"{name}_{i}" for i in range(2, len(numbered) + 2) if f"{name}_{i}" not in names)
        names.append(name)
    notes = [f"the header repeats {', '.join(sorted(set(repeated)))}: numbered _2 ..."] if repeated else []
    return names, notes


def _without_blank_lines(frame: Any) -> tuple[Any, int]:
    polars = require("polars", extra="cli", purpose="Reading tables")
    is_blank = frame.select(polars.all_horizontal(polars.all().is_null())).to_series().to_numpy()
    if not is_blank.any():
        return frame, 0
    if frame.width == 1:  # a blank line inside may be a missing value; only those at the end go
        filled = np.flatnonzero(~is_blank)
        end = int(filled[-1]) + 1 if filled.size else 0
        return frame.head(end), frame.height - end
    return frame.filter(polars.Series(~is_blank)), int(is_blank.sum())


def _refuse_ragged_lines(source: Source, text: bytes, dialect: Dialect) -> None:
    found = _ragged_by_parsing(text, dialect) if b'"' in text else _ragged_by_counting(text, dialect)
    if found is None:
        return
    line, cells = found
    raise source.fail(
        f"line {line} has {cells} cell{'s' if cells != 1 else ''}, line {dialect.skipped_lines + 1} has "
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
    for line in wrong.tolist():
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
        for row in reader:
            is_comment = dialect.has_comments and bool(row) and row[0].startswith("#")
            if dialects.is_filled(row) and len(row) != dialect.n_columns and not is_comment:
                return reader.line_num, len(row)
    except csv.Error:
        return None  # a cell beyond the parser's limit: left to the real reader
    return None


def _from_line(text: bytes, line: int) -> bytes:
    position = 0
    for _ in range(line):
        position = text.find(b"\n", position) + 1
        if position == 0:
            return b""
    return text[position:] if position else text
