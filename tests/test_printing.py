"""Text from files, made fit to be shown."""

import io
import unicodedata

import numpy as np
import pandas
import pytest

import coterie
from coterie._printing import SafeStream, bare, shortened, visible
from coterie.errors import FileProblem, InvalidData, MissingFile


def test_no_control_character_is_left():
    """Law: of all characters, those that a terminal obeys or that turn text are escapes; others stay."""
    stay = {"\t", "\n"}
    for code in range(0x110000):
        character = chr(code)
        kind = unicodedata.category(character)
        turns = unicodedata.bidirectional(character) in (
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )
        if character not in stay and (kind in ("Cc", "Cs", "Zl", "Zp") or turns):
            assert visible(character).isascii(), hex(code)
        elif kind[0] in "LMNPSZ":
            assert visible(character) == character, hex(code)


def test_text_that_is_fine_is_untouched():
    """Law: letters of all scripts, and emoji, are shown as they are."""
    text = "größe \u05d0\u05d1 \u0627\u0628 \u4f60\u597d \U0001f469\u200d\U0001f52c n\u200cm"
    assert visible(text) == text


def test_names_of_columns_are_no_lines_of_an_answer():
    """Law: an answer has the lines of a harmless table, whatever its columns are called, and no escapes."""
    rows = np.random.default_rng(0).normal(size=(40, 3))
    lines = {}
    for kind, names in {"plain": "abc", "odd": ("a\n  3 groups", "\x1b[2Jb", "\u202ec")}.items():
        found = coterie.fit(pandas.DataFrame(rows, columns=list(names)), k=2, random_state=0)
        for text in (str(found), repr(found)):
            assert visible(text) == text
            lines[kind] = len(text.splitlines())
    assert lines["plain"] == lines["odd"]


@pytest.mark.parametrize("kind", [InvalidData, FileProblem, MissingFile])
def test_every_error_is_short(kind):
    """Law: whatever is quoted, a message is one that can be read, with its beginning and its end."""
    error = kind(f'table: no column "{"x" * 10**6}". Use another.').in_shell("y" * 10**6)
    assert str(error).startswith('table: no column "xxx')
    assert str(error).endswith("Use another.")
    assert max(len(str(error)), len(error.shell_text)) < 2_000


def test_short_text_is_not_shortened():
    """Law: a text of the allowed length is whole."""
    assert shortened("x" * 80) == "x" * 80
    assert len(shortened("x" * 10**6)) < 120


def test_a_safe_stream_writes_escapes_and_is_the_stream_otherwise():
    """Law: what is written is visible; all else is asked of the stream below."""
    below = io.StringIO()
    stream = SafeStream(below)
    print("a\x1bb", "\u202e", file=stream)
    stream.writelines(["\r", "\n"])
    assert below.getvalue() == "a\\x1bb \\u202e\n\\x0d\n"
    assert stream.isatty() is False
    assert bare(stream) is below is bare(below)
