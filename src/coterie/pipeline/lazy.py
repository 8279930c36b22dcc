"""Which data are read block by block, by `coterie.scale`, instead of as a whole."""

from __future__ import annotations

import glob
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

LARGE_BYTES = 1 << 30  # a file or memory map of more is read in blocks
LAZY_PACKAGES = ("dask", "dask_expr", "pyarrow", "zarr")
READ_IN_BLOCKS = (".parquet", ".csv", ".tsv", ".txt", ".arrow", ".feather", ".npy")


def is_in_blocks(data: Any) -> bool:
    """Return whether data are Dask collections, Arrow data, zarr arrays, folders, patterns, or large files.

    Examples
    --------
    >>> is_in_blocks("data/*.parquet"), is_in_blocks(np.ones((3, 2)))
    (True, False)
    """
    if isinstance(data, str | os.PathLike):
        return _is_path_in_blocks(os.fspath(data))
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(one, str | os.PathLike) for one in data)
    if isinstance(data, np.memmap):
        return data.nbytes > LARGE_BYTES and _can_read_blocks()
    module = type(data).__module__
    return module.partition(".")[0] in LAZY_PACKAGES or module.startswith("coterie.scale.")


def _is_path_in_blocks(path: str) -> bool:
    if os.path.isdir(path):
        return True
    if not os.path.exists(path):
        return glob.has_magic(path)
    is_large = os.path.getsize(path) > LARGE_BYTES and Path(path).suffix.lower() in READ_IN_BLOCKS
    return is_large and _can_read_blocks()


def _can_read_blocks() -> bool:
    """Return whether `coterie.scale` is there; without it, large files are read as a whole, as ever."""
    return find_spec("dask") is not None and find_spec("pyarrow") is not None
