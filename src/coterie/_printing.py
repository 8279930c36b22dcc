"""Text that comes from files, made fit to be shown: no control characters, no endless values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

LONGEST_VALUE = 80  # of a cell or a name that a message quotes
LONGEST_MESSAGE = 2_000

# C0 and C1 without tab and line feed, marks that turn the direction of text or hide it, lone surrogates
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Return text whose control and direction characters are written as escapes.

    A terminal obeys the first (they move the cursor, clear the screen, set its title) and shows letters in
    another order by the second. Bytes of file names that are not UTF-8 are written as bytes.

    Examples
    --------
    >>> visible("caf\u00e9 \x1b[2J \u202efdp.exe")
    'café \\x1b[2J \\u202efdp.exe'
    """
    return _UNSAFE.sub(lambda found: escaped(found[0]), text)


def one_line(text: str) -> str:
    r"""Return visible text in one line: the name of a column cannot pretend to be several.

    Examples
    --------
    >>> one_line("income\n  3 groups \x1b[2J")
    'income\\n  3 groups \\x1b[2J'
    """
    return visible(text).replace("\n", "\\n")


def visible_in_json(text: str) -> str:
    r"""Return JSON in which direction characters are escapes after parsing, too.

    Examples
    --------
    >>> import json
    >>> json.loads(visible_in_json('"\u202e"'))
    '\\u202e'
    """
    return _UNSAFE.sub(lambda found: "\\" + escaped(found[0]), text)


def escaped(character: str) -> str:
    r"""Return the escape of one character: of a byte that is not UTF-8, of the byte.

    Examples
    --------
    >>> escaped(chr(27)), escaped(chr(0x202E)), escaped(chr(0xDCFF))
    ('\\x1b', '\\u202e', '\\xff')
    """
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shortened(value: object, most: int = LONGEST_VALUE) -> str:
    """Return a value as text of which the middle is left out where it is too long.

    Examples
    --------
    >>> shortened("income"), shortened("x" * 1000, most=20)
    ('income', 'xxxxxxxx ... (1,000 characters) ... xxxx')
    """
    text = str(value)
    if len(text) <= most:
        return text
    head, tail = 2 * most // 5, most // 5
    return f"{text[:head]} ... ({len(text):,} characters) ... {text[-tail:]}"


def count_of(n: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun in the right number.

    Examples
    --------
    >>> count_of(1, "row"), count_of(1200, "row"), count_of(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{n:,} {thing if n == 1 else things or thing + 's'}"


def listed(texts: Sequence[str], most: int = 5) -> str:
    """Return the first of some texts, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a"] * 7)
    ('a, b', 'a, a, a, a, a and 2 more')
    """
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def in_sentence(names: Sequence[str], most: int = 3) -> str:
    """Return names as a sentence has them, long ones shortened.

    Examples
    --------
    >>> in_sentence(["a", "b"]), in_sentence(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    shown = [shortened(name, 40) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


class SafeStream:
    """A text stream whose text is made visible before it is written.

    Parameters
    ----------
    stream : text stream
        Where it goes; `stream` stays reachable under this name for who styles text that is safe already.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text, return its length."""
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def bare(stream: TextIO | SafeStream) -> TextIO:
    """Return the stream that a `SafeStream` writes to; any other as it is."""
    return stream.stream if isinstance(stream, SafeStream) else stream
