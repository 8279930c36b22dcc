"""Where the bytes come from: a file, a pipe, standard input; and what kind of file they are."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import stat
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from coterie.errors import FileProblem, InvalidFile, MissingFile, did_you_mean

Content: TypeAlias = bytes | mmap.mmap

STANDARD_INPUT = "-"
MAGIC_BYTES = 8
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
    b"SQLite f": "an SQLite database: export the table as CSV",
    b"\x89HDF": "an HDF5 file: save the array as .npy",
    b"BZh": "compressed with bzip2: unpack it first",
    b"\xfd7zXZ": "compressed with xz: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it first",
    b"\x80\x04": "a Python pickle, which is never loaded because it could run code",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
}


@dataclass(frozen=True)
class Source:
    """The content of a file, and what to call it in messages."""

    name: str
    content: Content
    kind: str  # parquet, arrow, arrow stream, npy, zip, text

    def stream(self) -> io.BytesIO:
        """Return the content as a file object."""
        return io.BytesIO(self.content)

    def fail(self, problem: str) -> InvalidFile:
        """Return the error that says what is wrong with the content."""
        return InvalidFile(f"{self.name}: {problem}")


def open_source(where: str | os.PathLike[str]) -> Source:
    """Return the content of a path, or of standard input for ``"-"``.

    Parameters
    ----------
    where : str or path
        A file, a pipe, or ``"-"``.
    """
    content: Content
    if where == STANDARD_INPUT:
        name, content = "standard input", _read_standard_input()
    else:
        name, content = os.fspath(where), _read_path(Path(where))
    if content[:2] == b"\x1f\x8b":
        content = _unpack(name, content)
    source = Source(name, content, _kind_of(name, content[:MAGIC_BYTES]))
    if len(content) == 0:
        raise source.fail("the file is empty.")
    return source


def _read_standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise FileProblem('"-" reads standard input, but nothing is piped in. Use: coterie fit - < data.csv')
    return sys.stdin.buffer.read()


def _read_path(path: Path) -> Content:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                return file.read()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise MissingFile(f"{path}: no such file.{_nearest_file(path)}") from None
    except IsADirectoryError:
        raise FileProblem(f"{path}: is a directory, not a file.{_files_inside(path)}") from None
    except PermissionError:
        raise FileProblem(f"{path}: no permission to read it.") from None
    except (OSError, ValueError) as error:
        raise FileProblem(f"{path}: cannot be read ({error}).") from None


def _unpack(name: str, content: Content) -> bytes:
    try:
        return gzip.decompress(content)
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
        raise InvalidFile(f"{name}: is no {Path(name).suffix} file: it begins with {head!r}.")
    return "text"


def zip_members(source: Source) -> list[str]:
    """Return the names inside a zip file (an .npz is one), refusing spreadsheets and damaged files."""
    try:
        with zipfile.ZipFile(source.stream()) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        what = ZIPS_BY_SUFFIX.get(Path(source.name).suffix.lower(), "zip archive")
        raise source.fail(f"not a whole {what}, cut off or damaged ({error}).") from None
    if any(name.startswith("xl/") for name in names):
        raise source.fail("is an Excel workbook: save the sheet as CSV.")
    if not names or not all(name.endswith(".npy") for name in names):
        raise source.fail("is a zip archive without arrays: unpack it first.")
    return [name.removesuffix(".npy") for name in names]


def _nearest_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    try:
        return did_you_mean(path.name, os.listdir(folder))
    except OSError:
        return ""


def _files_inside(path: Path) -> str:
    try:
        inside = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    except OSError:
        return ""
    shown = ", ".join(inside[:3]) + (" ..." if len(inside) > 3 else "")
    return f" It holds: {shown}" if inside else ""
