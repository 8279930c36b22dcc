"""Where data lie: files, folders and patterns of them, and which are read block by block."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from coterie.data.databases import SpooledRows, is_address, is_database, shown_name
from coterie.data.source import STANDARD_INPUT
from coterie.errors import FileProblem, MissingFile

TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".txt", ".arrow", ".feather")
READ_FROM_FOLDERS = (*TABLE_SUFFIXES, ".npy")
PACKED, PACKED_TEXT = (".gz", ".zip"), (".csv", ".tsv", ".txt")
GZIP_END = 4  # bytes at the end of a gzip file that tell its size
USUAL_PACKING = 4  # times smaller text is when packed, where the file does not say
LARGE_BYTES = 1 << 30  # a file or memory map of more is read in blocks
LAZY_PACKAGES = ("dask", "dask_expr", "pyarrow", "zarr")


def expand(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path stands for, in order.

    Files and folders whose names begin with a dot or an underscore are skipped within folders, as Spark, Hive
    and Arrow do.
    """
    text = os.fspath(path)
    if is_address(text):
        raise FileProblem(f"{shown_name(text)}: databases are read as a whole, not in blocks or with others.")
    if glob.has_magic(text) and not os.path.exists(text):
        found = sorted(name for name in glob.glob(text, recursive=True) if os.path.isfile(name))
        if not found:
            raise MissingFile(f"{text}: no file matches this pattern.")
        return found
    if is_zarr(text) or not os.path.isdir(text):
        if not os.path.exists(text):
            raise MissingFile(f"{text}: there is no such file or folder.")
        return [text]
    found = sorted(
        str(file)
        for file in Path(text).rglob("*")
        if file.is_file()
        and table_suffix(file) in READ_FROM_FOLDERS
        and not any(part[0] in "._" for part in file.relative_to(text).parts)
    )
    if not found:
        raise FileProblem(f"{text}: holds no file that ends in one of {', '.join(READ_FROM_FOLDERS)}.")
    return found


def table_suffix(path: str | os.PathLike[str]) -> str:
    """Return the ending that tells the kind of a file: that of the text in a packed one.

    Examples
    --------
    >>> table_suffix("a/rows.CSV.gz"), table_suffix("rows.parquet"), table_suffix("rows.gz")
    ('.csv', '.parquet', '.gz')
    """
    place = Path(path)
    suffix = place.suffix.lower()
    inner = Path(place.stem).suffix.lower() if suffix in PACKED else ""
    return inner if inner in PACKED_TEXT else suffix


def size_of(path: str) -> int:
    """Return the bytes of a file, unpacked; of gzip what its end says, which counts up to 4 GiB."""
    size = os.path.getsize(path)
    suffix = Path(path).suffix.lower()
    if suffix == ".gz" and size >= GZIP_END:
        with open(path, "rb") as file:
            file.seek(-GZIP_END, os.SEEK_END)
            told = int.from_bytes(file.read(GZIP_END), "little")
        return told if told >= size else USUAL_PACKING * size
    return USUAL_PACKING * size if suffix == ".zip" else size


def is_zarr(path: str) -> bool:
    """Return whether a folder is a zarr array."""
    return os.path.isdir(path) and any(os.path.exists(f"{path}/{name}") for name in ("zarr.json", ".zarray"))


def is_several(where: object) -> bool:
    """Return whether a place names several files: a list, a folder or a pattern."""
    if isinstance(where, list | tuple):
        return True
    if not isinstance(where, str | os.PathLike):
        return False
    text = os.fspath(where)
    if is_address(text):
        return False
    return os.path.isdir(text) or (glob.has_magic(text) and not os.path.exists(text))


def expand_all(where: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these stands for."""
    places = where if isinstance(where, list | tuple) else [where]
    return [path for one in places for path in expand(one)]  # type: ignore[arg-type]  # a path each


def is_in_blocks(data: object) -> bool:
    """Return whether data are read block by block: Dask, Arrow, zarr, or files of more than 1 GiB in all.

    Examples
    --------
    >>> is_in_blocks(np.ones((3, 2)))
    False
    """
    if isinstance(data, list | tuple):
        is_paths = bool(data) and all(isinstance(one, str | os.PathLike) for one in data)
        return is_paths and _are_files_in_blocks(data)
    if isinstance(data, str | os.PathLike):
        return os.fspath(data) != STANDARD_INPUT and not is_address(data) and _are_files_in_blocks([data])
    if isinstance(data, np.memmap):
        return data.nbytes > LARGE_BYTES and _can_read_blocks()
    if isinstance(data, SpooledRows):
        return True
    module, kind = type(data).__module__, type(data).__name__
    if module.partition(".")[0] == "pyarrow" and kind in ("Table", "RecordBatch"):
        return int(data.nbytes) > LARGE_BYTES and _can_read_blocks()  # type: ignore[attr-defined]
    return module.partition(".")[0] in LAZY_PACKAGES or module.startswith("coterie.scale.")


def _are_files_in_blocks(places: Sequence[str | os.PathLike[str]]) -> bool:
    try:
        paths = expand_all(places)
    except FileProblem:
        return False  # the reader says what is wrong
    if any(is_zarr(path) for path in paths):
        return True
    is_known = all(table_suffix(path) in READ_FROM_FOLDERS for path in paths)
    is_large = is_known and sum(map(size_of, paths)) > LARGE_BYTES
    return is_large and _can_read_blocks()


def most_rows_in_memory(where: object, *, always_in_blocks: bool = False) -> int | None:
    """Return how many bytes of a database's rows are held in memory; None: all, or it is no database.

    Examples
    --------
    >>> most_rows_in_memory("shop.csv") is None
    True
    """
    if not is_database(where) or not _can_read_blocks():
        return None
    return 0 if always_in_blocks else LARGE_BYTES


def _can_read_blocks() -> bool:
    """Return whether `coterie.scale` is there; without it, large files are read as a whole."""
    return find_spec("dask") is not None and find_spec("pyarrow") is not None


def part_names(paths: Sequence[str]) -> list[str]:
    """Return what the labels of files are called: as the files within their common folder.

    Examples
    --------
    >>> part_names(["data/year=2020/a.csv.gz", "data/year=2021/a.parquet"])
    ['year=2020/a.parquet', 'year=2021/a.parquet']
    """
    full = [os.path.abspath(path) for path in paths]
    root = os.path.commonpath([os.path.dirname(path) for path in full])
    names = []
    for path in full:
        place = Path(os.path.relpath(path, root))
        is_packed = place.suffix.lower() in PACKED and table_suffix(place) != place.suffix.lower()
        place = Path(place.parent, place.stem) if is_packed else place
        names.append(str(place.with_suffix(".parquet")))
    if len(set(names)) < len(names):  # the same name with two endings
        names = [f"{os.path.relpath(path, root)}.parquet" for path in full]
    return names
