"""Which data are read block by block, by `coterie.scale`, instead of as a whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from coterie.data.paths import READ_FROM_FOLDERS, expand_all, is_zarr
from coterie.data.source import STANDARD_INPUT
from coterie.errors import FileProblem

LARGE_BYTES = 1 << 30  # a file or memory map of more is read in blocks
LAZY_PACKAGES = ("dask", "dask_expr", "pyarrow", "zarr")


def is_in_blocks(data: Any) -> bool:
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
        return os.fspath(data) != STANDARD_INPUT and _are_files_in_blocks([data])
    if isinstance(data, np.memmap):
        return data.nbytes > LARGE_BYTES and _can_read_blocks()
    module = type(data).__module__
    return module.partition(".")[0] in LAZY_PACKAGES or module.startswith("coterie.scale.")


def _are_files_in_blocks(places: Sequence[str | os.PathLike[str]]) -> bool:
    try:
        paths = expand_all(places)
    except FileProblem:
        return False  # the reader says what is wrong
    if any(is_zarr(path) for path in paths):
        return True
    is_known = all(Path(path).suffix.lower() in READ_FROM_FOLDERS for path in paths)
    is_large = is_known and sum(map(os.path.getsize, paths)) > LARGE_BYTES
    return is_large and _can_read_blocks()


def _can_read_blocks() -> bool:
    """Return whether `coterie.scale` is there; without it, large files are read as a whole."""
    return find_spec("dask") is not None and find_spec("pyarrow") is not None
