"""Blank lines of text tables: at the end they are nothing, inside they are rows without a value.

So the rows of the table are those of the file, and the group of a row stands at the row's own number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

import numpy as np

QUOTE = ord('"')


def without_final_blank_lines(text: bytes, delimiter: str) -> tuple[bytes, int]:
    r"""Return the text without the blank lines at its end, and how many those were.

    Examples
    --------
    >>> without_final_blank_lines(b"1,2\n,\n\n \n", ",")
    (b'1,2\n,\n', 2)
    """
    filled = len(text.rstrip(_blanks(delimiter) + b"\r\n"))
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
    first = text[:1]
    if not (first in b"\r\n \t" or b"\n\n" in text or b"\n\r\n" in text or b"\n " in text or b"\n\t" in text):
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
