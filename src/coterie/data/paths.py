"""Which files a path stands for: itself, those of a folder, or those that fit a pattern."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from coterie.errors import FileProblem, MissingFile

TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".txt", ".arrow", ".feather")
READ_FROM_FOLDERS = (*TABLE_SUFFIXES, ".npy")


def expand(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path stands for, in order.

    Files and folders whose names begin with a dot or an underscore are skipped within folders, as Spark, Hive
    and Arrow do.
    """
    text = os.fspath(path)
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
        and file.suffix.lower() in READ_FROM_FOLDERS
        and not any(part[0] in "._" for part in file.relative_to(text).parts)
    )
    if not found:
        raise FileProblem(f"{text}: holds no file that ends in one of {', '.join(READ_FROM_FOLDERS)}.")
    return found


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
    return os.path.isdir(text) or (glob.has_magic(text) and not os.path.exists(text))


def expand_all(where: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that a path, a folder, a pattern or a list of these stands for."""
    places = where if isinstance(where, list | tuple) else [where]
    return [path for one in places for path in expand(one)]  # type: ignore[arg-type]  # a path each
