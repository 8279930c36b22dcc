"""Text without ranges of bytes to read by, packed or in UTF-16: it is unpacked once to a folder."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from coterie._support.leftovers import folder_prefix
from coterie._support.stores import Stamp, open_binary, shown, unchanged
from coterie.data.databases import Folder
from coterie.data.files.dialect import BYTE_ORDER_MARKS
from coterie.data.files.source import FOREIGN, KINDS_BY_MAGIC, Readable
from coterie.errors import CoterieError, FileProblem, InvalidFile

AT_ONCE = 1 << 20
MAGIC_BYTES = 8
ZIP = b"PK\x03\x04"
GZIP = b"\x1f\x8b"


def encoding_of(head: bytes, encoding: str | None) -> str:
    r"""Return the encoding of text: the one that is named, or what a byte order mark says.

    Examples
    --------
    >>> encoding_of(b"\xff\xfea", None), encoding_of(b"a", "cp1252")
    ('utf-16', 'cp1252')
    """
    marked = (name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark))
    return encoding or next(marked, "utf-8")


def has_ranges(head: bytes, encoding: str) -> bool:
    """Return whether rows can be read by ranges of bytes: line feeds and quotes are those of ASCII."""
    if head.startswith((GZIP, ZIP)) or head.count(b"\r") > head.count(b"\r\n"):
        return False
    if encoding in ("utf-8", "utf-8-sig"):
        return True
    return '\n"'.encode(encoding) == b'\n"'


def unpack(path: str, encoding: str | None, stamp: Stamp) -> tuple[str, Folder]:
    """Write the text of a file to a temporary folder, in UTF-8 with line feeds; return its path there."""
    folder = Folder(tempfile.mkdtemp(prefix=folder_prefix("text")))  # for this user alone
    target = os.path.join(folder.path, "rows.csv")
    try:
        with _opened(path, stamp) as stream, open(target, "wb") as out:
            _copy(stream, out, path, encoding)
    except CoterieError:
        raise
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile) as error:
        raise InvalidFile(f"{shown(path)}: not a whole file, cut off or damaged ({error}).") from None
    except UnicodeError as error:
        raise InvalidFile(f"{shown(path)}: is not {encoding} ({error}).") from None
    except OSError as error:
        raise FileProblem(
            f"{shown(path)}: cannot be unpacked to {tempfile.gettempdir()} ({error.strerror or error}). Set "
            f"TMPDIR to a folder with more room, or unpack it before."
        ) from None
    return target, folder


@contextmanager
def _opened(path: str, stamp: Stamp) -> Iterator[Readable]:
    """Give the bytes of a file, unpacked; it must be the one that the stamp is of."""
    with unchanged(path, stamp), open_binary(path, stamp) as file:
        head = file.read(MAGIC_BYTES)
        file.seek(0)
        if head.startswith(GZIP):
            with gzip.open(file, "rb") as stream:
                yield stream
        elif head.startswith(ZIP):
            with zipfile.ZipFile(file) as archive:
                names = [one for one in archive.namelist() if not one.endswith("/") and "__MACOSX" not in one]
                if len(names) != 1:
                    raise InvalidFile(
                        f"{shown(path)}: is a zip archive of {len(names)} files; one table is needed. "
                        f"Unpack it first."
                    )
                with archive.open(names[0]) as stream:
                    yield stream
        else:
            yield file


def _copy(stream: Readable, out: BinaryIO, path: str, encoding: str | None) -> None:
    first = stream.read(AT_ONCE)
    for magic in (*KINDS_BY_MAGIC, *FOREIGN):
        if first.startswith(magic):
            raise InvalidFile(f"{shown(path)}: holds no text. Unpack it first.")
    chosen = encoding_of(first, encoding)
    decoder = codecs.getincrementaldecoder(chosen)()
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    is_plain = chosen == "utf-8" and first.count(b"\r") <= first.count(b"\r\n")
    while first:
        after = stream.read(AT_ONCE)
        if is_plain:
            out.write(first)
        else:
            text = decoder.decode(first, final=not after)
            out.write(newlines.decode(text, final=not after).encode())
        first = after
