"""Where data lie: files, folders and patterns of them, and which are read block by block."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.stores import (
    StoreProblem,
    exists,
    files_below,
    is_folder,
    is_pattern,
    is_url,
    listed_size,
    local_path,
    matching,
    shown,
    suffix_of,
)
from coterie.data.databases import SpooledRows, is_address, is_database, shown_name
from coterie.data.files.source import STANDARD_INPUT
from coterie.data.lakes.delta import LOG, delta_files, delta_roots, is_delta, is_delta_object
from coterie.data.lakes.iceberg import iceberg_roots, iceberg_size, is_iceberg
from coterie.data.lakes.partitions import Partitions, folder_partitions, joined_partitions
from coterie.errors import FileProblem, MissingFile

TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".txt", ".arrow", ".feather")
READ_FROM_FOLDERS = (*TABLE_SUFFIXES, ".npy")
PACKED, PACKED_TEXT = (".gz", ".zip"), (".csv", ".tsv", ".txt")
GZIP_END = 4  # bytes at the end of a gzip file that tell its size
USUAL_PACKING = 4  # times smaller text is when packed, where the file does not say
LARGE_BYTES = 1 << 30  # a file or memory map of more is read in blocks
ASKED_AT_ONCE = 16  # files of a store
LAZY_PACKAGES = ("dask", "dask_expr", "pyarrow", "zarr")


@dataclass(frozen=True)
class FoundFiles:
    """The files that a place stands for, in order, and the columns that their folders tell."""

    paths: list[str]
    partitions: Partitions = field(default_factory=Partitions)


def find_files(where: object) -> FoundFiles:
    """Return the files that a path, a folder, a pattern, a Delta table or a list of these stands for."""
    if not isinstance(where, list | tuple):
        return _found(where)
    found = [_found(one) for one in where]
    paths = [path for one in found for path in one.paths]
    return FoundFiles(paths, joined_partitions(one.partitions for one in found))


def _found(where: Any) -> FoundFiles:
    if is_delta_object(where) or is_delta(where):
        return FoundFiles(*delta_files(where))
    paths = expand(where)
    return FoundFiles(paths, folder_partitions(paths))


def expand(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path, a folder or a pattern stands for, in order.

    Files and folders whose names begin with a dot or an underscore are skipped within folders, as Spark, Hive
    and Arrow do. Folders that hold tables of several versions are refused: their old files are not rows.
    """
    text = local_path(path)
    if is_address(text):
        raise FileProblem(f"{shown_name(text)}: databases are read as a whole, not in blocks or with others.")
    if is_pattern(text) and not (not is_url(text) and os.path.exists(text)):
        found = matching(text)
        if not found:
            raise MissingFile(f"{shown(text)}: no file matches this pattern.")
        _refuse_tables(text, delta_roots(found))
        return found
    if is_zarr(text) or not is_folder(text):
        if not exists(text):
            raise MissingFile(f"{shown(text)}: there is no such file or folder.")
        return [text]
    below, hidden = files_below(text)
    logs = [one.removesuffix(f"/{LOG}") for one in hidden if one.endswith(f"/{LOG}")]
    _refuse_tables(text, [root for root in logs if is_delta(root)])
    _refuse_tables(text, iceberg_roots(below))
    found = [file for file in below if table_suffix(file) in READ_FROM_FOLDERS]
    if not found:
        raise FileProblem(f"{shown(text)}: holds no file that ends in one of {', '.join(READ_FROM_FOLDERS)}.")
    return found


def table_suffix(path: str | os.PathLike[str]) -> str:
    """Return the ending that tells the kind of a file: that of the text in a packed one.

    Examples
    --------
    >>> table_suffix("a/rows.CSV.gz"), table_suffix("rows.parquet"), table_suffix("rows.gz")
    ('.csv', '.parquet', '.gz')
    >>> table_suffix("https://example.org/rows.csv.gz?signature=abc")
    '.csv'
    """
    text = os.fspath(path)
    suffix = suffix_of(text)
    plain = text.partition("?")[0] if is_url(text) else text
    inner = suffix_of(plain[: -len(suffix)]) if suffix in PACKED else ""
    return inner if inner in PACKED_TEXT else suffix


def size_of(path: str) -> int:
    """Return the bytes of a file, unpacked; of gzip what its end says, which counts up to 4 GiB."""
    suffix = suffix_of(path)
    if is_url(path):
        return listed_size(path) * (USUAL_PACKING if suffix in PACKED else 1)
    size = os.path.getsize(path)
    if suffix == ".gz" and size >= GZIP_END:
        with open(path, "rb") as file:
            file.seek(-GZIP_END, os.SEEK_END)
            told = int.from_bytes(file.read(GZIP_END), "little")
        return told if told >= size else USUAL_PACKING * size
    return USUAL_PACKING * size if suffix == ".zip" else size


def _refuse_tables(place: str, roots: Sequence[str]) -> None:
    """Refuse to read all files of folders whose files are not all of one version."""
    if roots:
        raise FileProblem(
            f"{shown(place)}: holds a Delta or Iceberg table in {shown(roots[0])}, whose files include those "
            f"of older versions. Name that folder to read its current version."
        )


def is_zarr(path: str) -> bool:
    """Return whether a folder is a zarr array; in a store, one whose name ends in .zarr."""
    if is_url(path):
        return suffix_of(path.rstrip("/")) == ".zarr"
    return os.path.isdir(path) and any(os.path.exists(f"{path}/{name}") for name in ("zarr.json", ".zarray"))


def is_several(where: object) -> bool:
    """Return whether a place names several files: a list, a folder, a pattern or a Delta table."""
    if isinstance(where, list | tuple) or is_delta_object(where):
        return True
    if not isinstance(where, str | os.PathLike):
        return False
    text = local_path(where)
    if is_address(text):
        return False
    if is_pattern(text):
        return is_url(text) or os.path.isdir(text) or not os.path.exists(text)
    return is_folder(text)


def is_place(text: str) -> bool:
    """Return whether a text names files, here or in a store; what only looks like a pattern counts, too.

    Examples
    --------
    >>> is_place("s3://bucket/truth.csv"), is_place("truth/*.csv"), is_place("no such file")
    (True, True, False)
    """
    return is_url(text) or is_several(text) or os.path.exists(text)


def place_name(where: object) -> str:
    """Return what a place is called in output and messages.

    Examples
    --------
    >>> place_name("https://example.org/rows.csv?signature=abc")
    'https://example.org/rows.csv'
    """
    if isinstance(where, str | os.PathLike):
        return shown_name(where)
    return shown(str(getattr(where, "table_uri", None) or "the data"))


def expand_all(where: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these stands for."""
    return find_files(where).paths


def is_in_blocks(data: object) -> bool:
    """Return whether data are read block by block: Dask, Arrow, zarr, or files of more than 1 GiB in all.

    Examples
    --------
    >>> is_in_blocks(np.ones((3, 2)))
    False
    """
    if is_delta_object(data):
        return _are_files_in_blocks([data])
    if is_iceberg(data):
        return iceberg_size(data) > LARGE_BYTES and _can_read_blocks()
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


def _are_files_in_blocks(places: Sequence[object]) -> bool:
    try:
        paths = find_files(list(places)).paths
        if any(is_zarr(path) for path in paths):
            return True
        is_known = all(table_suffix(path) in READ_FROM_FOLDERS for path in paths)
        is_large = is_known and _total_size(paths) > LARGE_BYTES
    except StoreProblem:
        raise  # asking again would only take long
    except (FileProblem, OSError):
        return False  # the reader says what is wrong
    return is_large and _can_read_blocks()


def _total_size(paths: Sequence[str]) -> int:
    """Return the bytes of all files; stores are asked for many at once."""
    if not any(map(is_url, paths)):
        return sum(map(size_of, paths))
    with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
        return sum(pool.map(size_of, paths))


def most_rows_in_memory(where: object, *, always_in_blocks: bool = False) -> int | None:
    """Return how many bytes of a database's rows are held in memory; None: all, or it is not a database.

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
