"""Sequences from FASTA files."""

from __future__ import annotations

import os
import re

from coterie._printing import shortened
from coterie.data.files.source import Source, open_source
from coterie.errors import InvalidData, InvalidFile
from coterie.phylogeny.alignment import Alignment, build_alignment

BLANKS = b" \t\r\n\v\f"
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_LINE_ENDS = re.compile(rb"\r\n?")


def read_fasta(source: str | os.PathLike[str], *, kind: str = "auto") -> Alignment:
    r"""Read aligned sequences from a FASTA file.

    A record is a line of ``>`` and a name, which ends at the first blank, and lines of letters. Lower case,
    wrapped lines, blank lines, Windows line ends, comments (lines of ``;``) and gzip are understood.

    Parameters
    ----------
    source : str or path
        A file, an address, or ``"-"`` for standard input.
    kind : {"auto", "dna", "protein"}, default="auto"
        What the letters are; auto: DNA if nine tenths of them are A, C, G, T, U or N.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".fasta") as file:
    ...     _ = file.write(b">cat tabby\nACGT\nAC\n>dog\nacgt-c\n")
    ...     file.flush()
    ...     read_fasta(file.name)
    Alignment of 2 sequences of 6 nucleotides
    """
    opened = open_source(source)
    return parse_fasta(opened, kind)


def parse_fasta(source: Source, kind: str = "auto") -> Alignment:
    """Return the sequences of an opened file."""
    content = source.content
    if content.startswith(UTF16_MARKS):
        raise source.fail("is UTF-16 text; FASTA is read as UTF-8. Save it again as plain text.")
    content = content.removeprefix(UTF8_MARK)
    if b"\x00" in content[:4096]:
        raise source.fail("holds zero bytes: it is not a text, so not FASTA.")
    if b"\r" in content:
        content = _LINE_ENDS.sub(b"\n", content)
    if b";" in content:
        content = re.sub(rb"(?m)^;.*\n?", b"", content)
    content = content.lstrip(BLANKS)
    if not content.startswith(b">"):
        first = shortened(content[:40].decode(errors="replace").partition("\n")[0])
        raise source.fail(f"is not FASTA, which begins with '>' and a name; it begins with {first!r}.")
    names, rows = [], []
    for record in content[1:].split(b"\n>"):
        header, _, body = record.partition(b"\n")
        words = header.split()
        names.append(_decoded(words[0], source) if words else "")
        rows.append(body.translate(None, BLANKS).upper())
    try:
        return build_alignment(names, rows, kind, who=source.name)
    except InvalidData as error:
        raise InvalidFile(str(error)).in_shell(error.shell_text or str(error)) from None


def _decoded(name: bytes, source: Source) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        shown = shortened(name.decode(errors="replace"))
        raise source.fail(f"the name {shown!r} is not UTF-8 text. Save the file as UTF-8.") from None
