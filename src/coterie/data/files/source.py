"""Where the bytes come from: a file, a pipe, standard input; and what kind of file they are."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from coterie._support.stores import is_url, local_path, read_all, shown, stamp_of, unchanged
from coterie._support.validation.memory import available_memory, format_bytes
from coterie.errors import (
    CoterieError,
    EmptyFile,
    FileProblem,
    InvalidFile,
    InvalidParameter,
    MissingFile,
    NotEnoughMemory,
    did_you_mean,
)

STANDARD_INPUT = "-"
LIMIT_VARIABLE = "COTERIE_READ_LIMIT"
UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
MEMORY_PER_BYTE = 4  # of text: the bytes, a copy while they are joined or decoded, columns, the matrix
PIECE_BYTES = 1 << 20
MOST_COMPARED = 1_000  # names of files that may be meant
MAGIC_BYTES = 8
JSON_HEAD = 4096
SHOWN = 3
_JSON = re.compile(r"\{\s*(\"[^\"]*\"\s*:|\}\s*$)|\[\s*[\[{]")
KINDS_BY_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow stream",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
}
KINDS_BY_SUFFIX = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
    ".npz": "zip",
}
ZIPS_BY_SUFFIX = {".npz": ".npz file", ".xlsx": "Excel workbook", ".xlsm": "Excel workbook"}
FOREIGN = {
    b"\xd0\xcf\x11\xe0": "an old Excel or Office file: save the sheet as CSV",
    b"%PDF": "a PDF",
    b"SQLite f": "an SQLite database: name it by its path, alone",
    b"\x89HDF": "an HDF5 file: save the array as .npy",
    b"BZh": "compressed with bzip2: unpack it first",
    b"\xfd7zXZ": "compressed with xz: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it first",
    b"\x80\x04": "a Python pickle, which is never loaded because it could run code",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
}


class Readable(Protocol):
    """What bytes are read from, piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


@dataclass(frozen=True)
class Source:
    """The content of a file, and what to call it in messages."""

    name: str
    content: bytes
    kind: str  # parquet, arrow, arrow stream, npy, npz, excel, json, text

    def stream(self) -> io.BytesIO:
        """Return the content as a file object."""
        return io.BytesIO(self.content)

    def fail(self, problem: str) -> InvalidFile:
        """Return the error that says what is wrong with the content."""
        return InvalidFile(f"{self.name}: {problem}")

    def no_rows(self, why: str = "") -> EmptyFile:
        """Return the error about a table without rows."""
        return EmptyFile(f"{self.name}: has no rows{why and f': {why}'}.")


def open_source(where: str | os.PathLike[str]) -> Source:
    """Return the content of a path, or of standard input for ``"-"``.

    Parameters
    ----------
    where : str or path
        A file, a pipe, or ``"-"``.
    """
    name, content = read_content(where)
    if content[:2] == b"\x1f\x8b":
        content = _unpack(name, content)
    source = Source(name, content, _kind_of(name, content[:MAGIC_BYTES]))
    if len(content) == 0:
        is_damaged = Path(name).suffix.lower() in KINDS_BY_SUFFIX  # a format that is never empty
        raise source.fail("the file is empty.") if is_damaged else EmptyFile(f"{name}: the file is empty.")
    if source.kind == "zip":
        return _unzipped(source)
    return replace(source, kind="json") if source.kind == "text" and _is_json(name, content) else source


def read_content(where: str | os.PathLike[str]) -> tuple[str, bytes]:
    """Return what a file is called in messages, and its bytes as they are.

    Parameters
    ----------
    where : str or path
        A file, a pipe, an address, or ``"-"``: standard input.
    """
    if where == STANDARD_INPUT:
        return "standard input", _read_standard_input()
    place = local_path(where)
    if is_url(place):
        return shown(place), _read_url(place)
    return os.fspath(where), _read_path(Path(place))


def _is_json(name: str, content: bytes) -> bool:
    """Return whether a text is JSON by its beginning; a column may well be called {x}, unless of a .json."""
    head = content[:JSON_HEAD].decode("utf-8-sig", "ignore").lstrip()
    is_called_so = name.lower().removesuffix(".gz").endswith((".json", ".jsonl", ".ndjson"))
    return _JSON.match(head) is not None or (is_called_so and head[:1] in ("[", "{", '"'))


def _unzipped(source: Source) -> Source:
    """Return what a zip archive is: arrays, a workbook, or the one table that is packed in it."""
    names = zip_names(source)
    if any(name.startswith("xl/") for name in names):
        return replace(source, kind="excel")
    if names and all(name.endswith(".npy") for name in names):
        return replace(source, kind="npz")
    tables = [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(tables) != 1:
        listed = ", ".join(tables[:SHOWN]) + (" ..." if len(tables) > SHOWN else "")
        held = f"holds several files ({listed})" if tables else "holds no files"
        raise source.fail(f"is a zip archive that {held}; one table is needed. Unpack it first.")
    try:
        with zipfile.ZipFile(source.stream()) as archive, archive.open(tables[0]) as file:
            content = _read_within_limit(source.name, file)
    except CoterieError:
        raise
    except RuntimeError as error:  # a password
        raise source.fail(f"cannot be unpacked ({error}). Unpack it first.") from None
    except Exception as error:  # whatever damage leads to
        raise source.fail(f"not a whole zip archive, cut off or damaged ({error}).") from None
    if not content:
        raise source.fail(f"{tables[0]} in it is empty.")
    inner = Source(source.name, content, _kind_of(tables[0], content[:MAGIC_BYTES]))
    if inner.kind == "zip":
        raise source.fail("is a zip archive within a zip archive. Unpack it first.")
    return replace(inner, kind="json") if inner.kind == "text" and _is_json(tables[0], content) else inner


def _read_standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise FileProblem('"-" reads standard input, but nothing is piped in. Use: coterie fit - < data.csv')
    return _read_within_limit("standard input", sys.stdin.buffer)


def _read_path(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                return _read_within_limit(str(path), file, is_device=stat.S_ISCHR(status.st_mode))
            check_size(str(path), status.st_size)
            return file.read()  # never mapped: who shortens a mapped file ends the process that looks at it
    except CoterieError:
        raise
    except FileNotFoundError:
        raise MissingFile(f"{path}: no such file.{_nearest_file(path)}") from None
    except IsADirectoryError:
        raise FileProblem(f"{path}: is a directory, not a file.{_files_inside(path)}") from None
    except PermissionError:
        raise FileProblem(f"{path}: no permission to read it.") from None
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise FileProblem(f"{path}: cannot be read ({problem}).") from None


def _read_url(url: str) -> bytes:
    """Return the bytes of a file in a store or of a server."""
    stamp = stamp_of(url)
    check_size(shown(url), max(stamp.size, 0))
    with unchanged(url, stamp):
        return read_all(url)


def _read_within_limit(name: str, stream: Readable, *, is_device: bool = False) -> bytes:
    """Return all bytes of something whose size nobody knows, unless there are too many."""
    pieces, size, limit = [], 0, read_limit()
    while piece := stream.read(PIECE_BYTES):
        if is_device and b"\x00" in piece:  # /dev/zero, /dev/random, a disk: they end late or never
            raise InvalidFile(f"{name}: is a device that gives no text, not a table.")
        size += len(piece)
        if size > limit:
            raise _too_large(name, f"more than {format_bytes(limit)}", limit)
        pieces.append(piece)
    return b"".join(pieces)


def read_limit() -> int:
    """Return how many bytes may be read into memory: a share of what is free, or what the user says.

    Examples
    --------
    >>> read_limit() > 0
    True
    """
    wanted = os.environ.get(LIMIT_VARIABLE, "")
    if wanted:
        found = re.fullmatch(r"(\d{1,15})\s*([KMGT]?)(i?B)?", wanted.strip(), re.IGNORECASE | re.ASCII)
        if found is None or int(found[1]) == 0:
            raise InvalidParameter(f"{LIMIT_VARIABLE} must be a size such as 500M or 8G, got {wanted!r}.")
        return int(found[1]) << UNITS[found[2].upper()]
    free = available_memory()
    return sys.maxsize if free is None else free // MEMORY_PER_BYTE


def check_size(name: str, n_bytes: int) -> None:
    """Refuse what is larger than may be read into memory."""
    limit = read_limit()
    if n_bytes > limit:
        raise _too_large(name, format_bytes(n_bytes), limit)


def _too_large(name: str, size: str, limit: int) -> NotEnoughMemory:
    return NotEnoughMemory(
        f"{name}: has {size}; at most {format_bytes(limit)} are read into memory here. To allow more, set "
        f"the environment variable {LIMIT_VARIABLE}={_next_size(limit)}, or save the rows as Parquet files "
        f"in a folder, which are read block by block."
    )


def _next_size(limit: int) -> str:
    """Return twice a limit, as it is typed."""
    unit = next(unit for unit in reversed(UNITS) if 2 * limit >= 1 << UNITS[unit])
    return f"{2 * limit >> UNITS[unit]}{unit}"


def _unpack(name: str, content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return _read_within_limit(name, file)
    except CoterieError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidFile(f"{name}: not a whole gzip file, cut off or damaged ({error}).") from None


def _kind_of(name: str, head: bytes) -> str:
    for magic, complaint in FOREIGN.items():
        if head.startswith(magic):
            raise InvalidFile(f"{name}: is {complaint}.")
    for magic, kind in KINDS_BY_MAGIC.items():
        if head.startswith(magic):
            return kind
    promised = KINDS_BY_SUFFIX.get(Path(name).suffix.lower())
    if promised is not None and head:
        raise InvalidFile(f"{name}: is not a {Path(name).suffix} file: it begins with {head!r}.")
    return "text"


def zip_names(source: Source) -> list[str]:
    """Return the names inside a zip file, refusing damaged files and those too large when unpacked."""
    try:
        with zipfile.ZipFile(source.stream()) as archive:
            names = archive.namelist()
            size = sum(member.file_size for member in archive.infolist())
    except Exception as error:  # beside BadZipFile, whatever a wrong number in the directory leads to
        what = ZIPS_BY_SUFFIX.get(Path(source.name).suffix.lower(), "zip archive")
        raise source.fail(f"not a whole {what}, cut off or damaged ({error}).") from None
    limit = read_limit()
    if size > limit:
        raise _too_large(source.name, f"{format_bytes(size)} when unpacked", limit)
    return names


def _nearest_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    try:
        return did_you_mean(path.name, os.listdir(folder)[:MOST_COMPARED])
    except OSError:
        return ""


def _files_inside(path: Path) -> str:
    try:
        inside = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    except OSError:
        return ""
    shown = ", ".join(inside[:3]) + (" ..." if len(inside) > 3 else "")
    return f" It holds: {shown}" if inside else ""
