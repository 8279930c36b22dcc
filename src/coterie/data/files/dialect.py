"""How a text table is written: encoding, delimiter, header, decimal sign, all found by looking."""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from coterie._printing import count_of, shortened
from coterie.data.files.source import Source
from coterie.data.marks import MISSING_MARKS
from coterie.data.schema import FIRST_YEAR, LAST_YEAR
from coterie.errors import InvalidParameter

SAMPLE_BYTES = 1 << 18
ENDING_BYTES = 1 << 16  # of a text that are looked at together for blank lines
SAMPLE_LINES = 200
LEAST_LINES = 3  # a header and two rows, however long they are
LONGEST_SAMPLE = 1 << 25
LEAST_UTF16 = 16  # bytes; a shorter text may have zeros by chance
LONGEST_CELL = (1 << 31) - 1
MOST_COLUMNS = 200_000  # of text: what divides it into columns takes minutes and gigabytes beyond
DELIMITERS = (",", ";", "\t", "|")
TITLE_ROWS = 20  # rows at most that are looked at for what stands above a table
BLANKS = "blanks"  # runs of spaces and tabs between the cells
CONSISTENT = 0.9  # share of lines that must have the same number of cells
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# one way only to match each digit: a cell of very many must not take very long
_NUMBER = re.compile(
    r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$|\s*[+-]?(inf|infinity)\s*$",
    re.IGNORECASE | re.ASCII,
)
_MARKUP = re.compile(r"<(!doctype|!--|\?xml|html|svg)\b|<!--", re.IGNORECASE)
_ARFF = re.compile(r"^\s*@relation\b", re.IGNORECASE | re.MULTILINE)
_ELEMENT = re.compile(r"<[a-z][\w:.-]*(\s[^<>]*)?/?>\s*(<|\w)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$", re.ASCII)
_SEPARATOR_LINE = re.compile(r'\s*"?sep=([,;|\t])"?\s*$', re.IGNORECASE)
_DECIMAL = re.compile(r"\d[.,]\d|\d[eE]-", re.ASCII)
_WHOLE = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
SHOWN_NUMBERS = 3
QUOTE = ord('"')
AFTER_LINES = (
    (b"\n", b"\n\n"),
    (b"\r", b"\n\r\n"),
    (b" ", b"\n "),
    (b"\t", b"\n\t"),
)  # how blank lines begin


@dataclass(frozen=True)
class Dialect:
    """The facts that turn lines into cells."""

    delimiter: str
    has_header: bool
    decimal_comma: bool
    n_columns: int
    first_cells: tuple[str, ...]
    skipped_lines: int  # blank lines, comments and titles before the table
    first_data_line: int  # counted from 0
    has_comments: bool
    n_titles: int = 0  # rows above the table
    counts_columns: bool = False  # the header was recognised by its numbers: 0, 1, 2 ...
    is_short_header: bool = False  # R's: the column of row names has no name

    @property
    def first_full_line(self) -> int:
        """The first line that has all cells, counted from 0."""
        return self.first_data_line if self.is_short_header else self.skipped_lines


def is_number(cell: str, delimiter: str = ",") -> bool:
    """Return whether a cell is a number; a comma may be its decimal sign where it divides no cells."""
    return bool(_NUMBER.match(cell)) or (delimiter != "," and bool(_DECIMAL_COMMA.match(cell)))


def split(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the cells of each row; blank lines are left out."""
    if delimiter == BLANKS:
        return [line.split() for line in lines if line.strip()]
    with long_cells():
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    return [row for row in rows if is_filled(row)]


@contextmanager
def long_cells() -> Iterator[None]:
    """Let cells be longer than the 131,072 characters that Python's reader allows."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def is_filled(row: list[str]) -> bool:
    """Return whether a row is more than a blank line."""
    return len(row) > 1 or any(cell.strip() for cell in row)


def decode(source: Source, encoding: str | None) -> bytes:
    """Return the content as bytes in UTF-8 with line feeds at the line ends."""
    content = source.content
    head = content[:4]
    chosen = encoding or next(
        (name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)), "utf-8"
    )
    if chosen == "utf-8" and b"\x00" in content[:SAMPLE_BYTES]:
        raise _zero_byte(source, content[:SAMPLE_BYTES])
    if chosen == "utf-8":
        text = content
    else:
        try:
            text = content.decode(chosen).encode("utf-8")
        except LookupError:
            raise source.fail(
                f'no such encoding "{chosen}". Common ones: utf-8, latin-1, cp1252, utf-16.'
            ) from None
        except UnicodeError as error:
            raise source.fail(f"is not {chosen} ({shortened(error)}).") from None
    if b"\x00" in text[:SAMPLE_BYTES]:
        raise source.fail(
            f"is not a text file (its {chosen} holds a zero). Give a table: CSV, Parquet, Arrow or npy."
        )
    if b"\r" in text and text.count(b"\r") > text.count(
        b"\r\n"
    ):  # line ends of old Macs, or of several systems
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


def _zero_byte(source: Source, head: bytes) -> Exception:
    """Return the error for bytes that are not text, or text in UTF-16 without a byte order mark."""
    zeros = [head[start::2].count(0) for start in (0, 1)]
    half = len(head) // 2
    if len(head) >= LEAST_UTF16 and min(zeros) < 0.1 * half and max(zeros) > 0.6 * half:
        name = "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
        return source.fail(f"looks like UTF-16. Use encoding='{name}'.").in_shell(
            f"{source.name}: looks like UTF-16. Use --encoding {name}."
        )
    return source.fail(
        f"is not a text file (byte {head.index(0) + 1} is zero). Give a table: CSV, Parquet, Arrow or npy."
    )


def detect(source: Source, text: bytes, *, delimiter: str | None, header: bool | None) -> Dialect:
    """Look at the first lines and return how the table is written."""
    lines = _sample(source, text)
    skipped = sum(1 for _ in takewhile(_is_blank_or_comment, lines))
    has_comments = any("#" in line for line in lines[:skipped])
    told = _SEPARATOR_LINE.match(lines[skipped]) if skipped < len(lines) else None
    if told:  # Excel's own way to say it
        skipped, delimiter = skipped + 1, delimiter or told[1]
    lines = lines[skipped:]
    if not lines:
        raise source.no_rows("nothing but blank lines or comments")
    _refuse_other_formats(source, lines)
    try:
        delimiter = _checked_delimiter(source, lines, delimiter)
        rows = split(lines, delimiter)
    except csv.Error as error:
        raise source.fail(f"cannot be read as a table ({error}).") from None
    if not rows:
        raise source.no_rows("every line is blank, or an empty cell")
    is_short_header = header is not False and _names_all_but_one(rows, delimiter)
    if is_short_header:
        rows[0] = ["", *rows[0]]
    n_titles = 0 if header is False or is_short_header else _count_titles(rows, delimiter)
    title_lines = _lines_of_rows(lines, delimiter, n_titles)
    skipped, lines, rows = skipped + title_lines, lines[title_lines:], rows[n_titles:]
    _refuse_wide(source, rows[0])
    is_counted = header is None and counts_columns(rows)
    has_header = is_counted or is_short_header or (_has_header(rows, delimiter) if header is None else header)
    header_lines = _lines_of_rows(lines, delimiter, 1) if has_header else 0
    return Dialect(
        delimiter=delimiter,
        has_header=has_header,
        decimal_comma=delimiter != "," and _uses_decimal_comma(rows[1:] or rows),
        n_columns=len(rows[0]),
        first_cells=tuple(rows[0]),
        skipped_lines=skipped,
        first_data_line=skipped + header_lines,
        has_comments=has_comments,
        n_titles=n_titles,
        counts_columns=is_counted,
        is_short_header=is_short_header,
    )


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _refuse_wide(source: Source, first: Sequence[str]) -> None:
    if len(first) > MOST_COLUMNS:
        raise source.fail(
            f"has {len(first):,} columns; text may have at most {MOST_COLUMNS:,}. Save it as .npy."
        )


def rows_above(filled: Sequence[int], width: int) -> int:
    """Return how many rows stand above a table: titles, which fill less than half of the columns.

    Examples
    --------
    >>> rows_above([1, 0, 2, 6, 6], 6), rows_above([1, 2], 2)
    (3, 0)
    """
    if width < 3:
        return 0
    return next((at for at, count in enumerate(filled[:TITLE_ROWS]) if 2 * count > width), 0)


def note_titles(n_rows: int) -> list[str]:
    """Return what to say about rows above a table; nothing if there are none."""
    return [f"{count_of(n_rows, 'row')} above the table skipped"] if n_rows else []


def _count_titles(rows: list[list[str]], delimiter: str) -> int:
    """Return how many rows stand above the names of the columns; data with gaps is not mistaken for them."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    found = rows_above([sum(bool(cell.strip()) for cell in row) for row in rows[:TITLE_ROWS]], width)
    names = rows[found]
    is_names = len(names) == width and not any(is_number(cell, delimiter) for cell in names)
    return found if is_names and found + 1 < len(rows) else 0


def _refuse_other_formats(source: Source, lines: list[str]) -> None:
    """Refuse HTML, XML and ARFF; a column may well be called <5 min."""
    text = "".join(lines).lstrip()
    is_markup = bool(_MARKUP.match(text)) or (bool(_ELEMENT.match(text)) and ("</" in text or "/>" in text))
    if is_markup:
        raise source.fail("looks like HTML or XML, not like a table.")
    if _ARFF.search(text):
        raise source.fail("is an ARFF file. Save it as CSV; scipy.io.arff.loadarff reads it in Python.")


def _checked_delimiter(source: Source, lines: list[str], delimiter: str | None) -> str:
    found = _find_delimiter(lines)
    if delimiter is None:
        return found
    if delimiter == " ":
        return BLANKS
    if len(delimiter.encode()) != 1:
        raise InvalidParameter(f"delimiter must be one ASCII character, got {delimiter!r}.")
    if delimiter != found and max(map(len, split(lines, delimiter)), default=1) == 1:
        raise source.fail(f"the delimiter {shown(delimiter)} gives one column; {shown(found)} gives more.")
    return delimiter


def shown(delimiter: str) -> str:
    """Return what to call a delimiter in a message."""
    return {"\t": "tab", BLANKS: "blanks"}.get(delimiter, f'"{delimiter}"')


def locate_bad_byte(text: bytes) -> str | None:
    """Return where the text stops being UTF-8, in words, or None if it is UTF-8 throughout."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        return f"line {line} is not UTF-8 (byte 0x{text[error.start]:02x} at position {error.start})"
    return None


def _sample(source: Source, text: bytes) -> list[str]:
    head = text[: _sample_size(text)]
    if len(text) > len(head):
        head = head[: head.rfind(b"\n") + 1] or head
    try:
        decoded = head.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source, text) from None
    return [line + "\n" for line in decoded.removesuffix("\n").split("\n")[:SAMPLE_LINES]]


def _sample_size(text: bytes) -> int:
    """Return the end of the sample: of rows that are very long, some whole ones."""
    end = 0
    for _ in range(LEAST_LINES):
        end = text.find(b"\n", end, LONGEST_SAMPLE) + 1
        if end == 0:
            return min(len(text), LONGEST_SAMPLE)
    return max(end, SAMPLE_BYTES)


def not_utf8(source: Source, text: bytes) -> Exception:
    """Return the error for text in another encoding, or for no text at all."""
    place = locate_bad_byte(text)
    printable = sum(byte >= 32 or byte in (9, 10, 13) for byte in text[:1000])
    if printable < 0.9 * len(text[:1000]):
        return source.fail(f"is not a text file ({place}). Give a table: CSV, Parquet, Arrow or npy.")
    return source.fail(f"{place}. If it comes from Windows or Excel, use encoding='cp1252'.").in_shell(
        f"{source.name}: {place}. If it comes from Windows or Excel, use --encoding cp1252."
    )


def _find_delimiter(lines: list[str]) -> str:
    def quality(delimiter: str) -> tuple[bool, bool, float, int]:
        rows = split(lines, delimiter)
        if not rows:
            return False, False, 0.0, 0
        rows = rows[_names_all_but_one(rows, delimiter) :]
        width, lines_of_that_width = Counter(len(row) for row in rows).most_common(1)[0]
        cells = [cell for row in (rows[1:] or rows) for cell in row]
        share = sum(is_number(cell, delimiter) for cell in cells) / max(1, len(cells))
        is_consistent = width > 1 and lines_of_that_width >= CONSISTENT * len(rows)
        # a decimal comma divides every row, but not the names of the columns
        return is_consistent, is_consistent and len(rows[0]) == width, share, width

    best = max(DELIMITERS, key=quality)
    is_consistent, _, _, _ = quality(best)
    if is_consistent:
        return best
    if any('"' in line for line in lines) and quality(" ")[0]:
        return " "  # a quoted cell may hold blanks
    is_consistent, _, share, _ = quality(BLANKS)
    if is_consistent and share > 0.5:
        return BLANKS
    # nothing is consistent: the most frequent sign, so that the ragged line can be named
    counts = {sign: sum(line.count(sign) for line in lines) for sign in DELIMITERS}
    frequent = max(DELIMITERS, key=lambda sign: counts[sign])
    return frequent if counts[frequent] >= len(lines) // 2 and counts[frequent] > 0 else ","


def _lines_of_rows(lines: list[str], delimiter: str, n_rows: int) -> int:
    """Return how many lines the first rows take, blank ones up to the next row included."""
    if n_rows == 0:
        return 0
    if delimiter == BLANKS:
        filled = [at for at, line in enumerate(lines) if line.strip()]
        return filled[n_rows - 1] + 1
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    with long_cells():
        for row in reader:
            n_rows -= is_filled(row)
            if n_rows == 0:
                break
    return reader.line_num  # more than one when a quoted name holds a line break


def _has_header(rows: list[list[str]], delimiter: str) -> bool:
    first = rows[0]
    texts = [
        column
        for column, cell in enumerate(first)
        if not is_number(cell, delimiter) and cell not in MISSING_MARKS
    ]
    if not texts:
        return False
    if len(texts) == len(first) or len(rows) == 1:
        return True
    below = [[row[column] for row in rows[1:] if column < len(row)] for column in texts]
    return any(
        cells and all(is_number(cell, delimiter) or cell in MISSING_MARKS for cell in cells)
        for cells in below
    )


def _names_all_but_one(rows: list[list[str]], delimiter: str) -> bool:
    """Return whether the first row has names and one cell less than every other row, as R writes tables."""
    first, below = rows[0], rows[1:]
    is_names = not any(is_number(cell, delimiter) or cell in MISSING_MARKS for cell in first)
    return bool(below) and is_names and len(first) > 1 and all(len(row) == len(first) + 1 for row in below)


def counts_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row numbers the columns, as pandas does with columns that have no names.

    Such a row is 0, 1, 2 ..., alone or behind an empty cell or a name, or years behind a name. It is data
    where other rows rise in equal steps, too, where a square is symmetric (distances along a line), and
    where it stands above few whole numbers and does not begin at 0.

    Examples
    --------
    >>> counts_columns([["0", "1"], ["0.5", "2.5"]]), counts_columns([["0", "1"], ["1", "1"]])
    (True, False)
    >>> counts_columns([["country", "1990", "1991", "1992"], ["Chad", "5", "9", "2"]])
    True
    """
    first, below = rows[0], rows[1:]
    start = next((at for at, cell in enumerate(first) if is_number(cell)), len(first))
    numbers = _equal_steps(first[start:])
    if numbers is None or not below:
        return False
    beside = [row[start:] for row in below if len(row) == len(first)]
    if len(numbers) > 2 and any(_equal_steps(row) for row in beside):
        return False
    column = [row[0] for row in rows[: len(first)]]
    if start == 0 and len(column) > 1 and column == list(first[: len(column)]):
        return False
    counts = numbers[0] == 0 and numbers[-1] == len(numbers) - 1
    if start and first[start - 1].strip():
        is_years = len(numbers) > 2 and numbers[0] >= FIRST_YEAR and numbers[-1] <= LAST_YEAR
        return is_years or (counts and len(numbers) > 2)
    if counts and (start > 0 or len(numbers) > 2):
        return True
    has_decimals = all(any(_DECIMAL.search(cell) for cell in column) for column in zip(*beside, strict=True))
    return numbers[0] in (0, 1) and bool(beside) and has_decimals


def note_counted(names: Sequence[str]) -> str:
    """Return what to say about a header of numbers."""
    shown = ", ".join([name for name in names if is_number(name)][:SHOWN_NUMBERS])
    return f"the first row ({shown} ...) is taken as names of columns (--no-header if it is data)"


def _equal_steps(cells: Sequence[str]) -> list[int] | None:
    """Return two or more whole numbers that rise in equal steps; None: the cells are something else."""
    if len(cells) < 2 or not all(_WHOLE.fullmatch(cell.strip()) for cell in cells):
        return None
    numbers = [int(cell) for cell in cells]
    step = numbers[1] - numbers[0]
    is_even = step > 0 and all(after - before == step for before, after in pairwise(numbers))
    return numbers if is_even else None


def _uses_decimal_comma(rows: list[list[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return any(_DECIMAL_COMMA.match(cell) for cell in cells) and not any(
        "." in cell and is_number(cell) for cell in cells
    )


def without_final_blank_lines(text: bytes, delimiter: str) -> tuple[bytes, int]:
    r"""Return the text without the blank lines at its end, and how many those were.

    Examples
    --------
    >>> without_final_blank_lines(b"1,2\n,\n\n \n", ",")
    (b'1,2\n,\n', 2)
    """
    filled, blanks = len(text), _blanks(delimiter) + b"\r\n"
    while filled and text[filled - 1] in blanks:
        first = max(0, filled - ENDING_BYTES)
        filled = first + len(text[first:filled].rstrip(blanks))
    end = text.find(b"\n", filled) + 1
    if end == 0:
        return text, 0
    lines = text.count(b"\n", end) + (not text.endswith(b"\n"))
    return (text[:end], lines) if lines else (text, 0)


def fill_blank_lines(text: bytes, delimiter: str, n_columns: int) -> bytes:
    r"""Return the text with as many cells in its blank lines as in the others, all of them empty.

    Examples
    --------
    >>> fill_blank_lines(b"1,2\n\n3,4\n", ",", 2)
    b'1,2\n,\n3,4\n'
    """
    # one sign is found much faster than two: lines without blanks are not searched for them
    found = [sign in text and after in text for sign, after in AFTER_LINES]
    if text[:1] not in b"\r\n \t" and not any(found):
        return text
    cells = delimiter.encode() * (n_columns - 1) or b'""'
    blank_line = re.compile(rb"(?m)^[" + _blanks(delimiter) + rb"]*(\r?\n)")
    is_quoted = _quoted_places(text)
    return blank_line.sub(lambda line: line[0] if is_quoted(line.start()) else cells + line[1], text)


def _blanks(delimiter: str) -> bytes:
    """Return what may stand in a blank line; tabs between cells are cells."""
    return b" " if delimiter == "\t" else b" \t"


def _quoted_places(text: bytes) -> Callable[[int], bool]:
    """Return whether a place is within quotes, as a function."""
    if b'"' not in text:
        return lambda place: False
    quotes = np.flatnonzero(np.frombuffer(text, np.uint8) == QUOTE).tolist()
    return lambda place: bisect_left(quotes, place) % 2 == 1
