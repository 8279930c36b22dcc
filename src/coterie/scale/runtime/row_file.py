"""Decoded rows on disk: what took time to decode is read back, in later passes, as it lies in memory."""

from __future__ import annotations

import math
import mmap
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Hashable
from functools import cache
from typing import Any

import dask
import numpy as np

from coterie._support.typing import Data

MEMORY_SYSTEMS = ("tmpfs", "ramfs")  # folders that are memory in disguise
MOUNTS = "/proc/self/mounts"
IDLE_SECONDS = 1800.0  # a run that has not read for so long is taken for dead; if it is not, it decodes again
CAN_SHARE_FILES = hasattr(os, "pwrite")  # threads write at places of their own, into a file without a name


class RowFile:
    """Blocks of rows in a file that has no name: it is gone when the process ends, however it ends.

    It takes at most as much of the disk as it leaves free; blocks beyond that are not kept. Whoever holds the
    object may read and write: the disk is given back when the last one lets go.

    Parameters
    ----------
    folder : str
        Where the file is made.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._size = 0
        self._places: dict[int, tuple[int, tuple[int, ...], np.dtype[Any]]] = {}
        self._descriptor, path = tempfile.mkstemp(prefix="coterie-rows-", dir=folder)
        os.unlink(path)

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def get(self, block: int) -> Data | None:
        """Return the rows of a block, None if they were not kept: pages of the file, without a copy."""
        place = self._places.get(block)
        if place is None:
            return None
        offset, shape, dtype = place
        count = math.prod(shape)
        pages = mmap.mmap(self._descriptor, count * dtype.itemsize, access=mmap.ACCESS_READ, offset=offset)
        return np.frombuffer(pages, dtype, count).reshape(shape)

    def keep(self, block: int, X: Data) -> None:
        """Keep the rows of a block, if the disk has room."""
        memory, done = X.reshape(-1).view(np.uint8).data, 0
        size = -(-X.nbytes // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY  # pages begin a block
        with self._lock:
            if self._size + size > shutil.disk_usage(self._folder).free:
                return
            offset, self._size = self._size, self._size + size
        try:
            while done < len(memory):
                done += os.pwrite(self._descriptor, memory[done:], offset + done)
        except OSError:  # the disk is full all the same: these rows are decoded again
            return
        self._places[block] = (offset, X.shape, X.dtype)


class RowFiles:
    """The files of this process, one per run; those of runs whose client went away are let go in time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[Hashable, RowFile] = {}
        self._used: dict[Hashable, float] = {}

    def of(self, run: Hashable, folder: str) -> RowFile | None:
        """Return the file of a run, None if it cannot be made."""
        now = time.monotonic()
        with self._lock:
            self._used[run] = now
            for other in [other for other, used in self._used.items() if now - used > IDLE_SECONDS]:
                self._drop(other)
            try:
                if run not in self._files:
                    self._files[run] = RowFile(folder)
            except OSError:
                return None
            return self._files[run]

    def forget(self, run: Hashable) -> None:
        """Let the file of a run go."""
        with self._lock:
            self._drop(run)

    def _drop(self, run: Hashable) -> None:
        self._files.pop(run, None)
        self._used.pop(run, None)


ROW_FILES = RowFiles()


def folder_on_disk() -> str | None:
    """Return the folder of temporary files, Dask's or the system's; None if it is memory or is not there."""
    folder = str(dask.config.get("temporary-directory", None) or tempfile.gettempdir())
    return folder if CAN_SHARE_FILES and os.path.isdir(folder) and not _is_memory(folder) else None


@cache
def _is_memory(folder: str) -> bool:
    """Return whether a folder takes memory instead of disk, as far as the system tells."""
    try:
        with open(MOUNTS, encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[1:3] for line in file]
    except OSError:
        return False
    path = os.path.realpath(folder)
    holding = [
        (point, kind) for point, kind in mounts if path == point or path.startswith(point.rstrip("/") + "/")
    ]
    return bool(holding) and max(holding, key=lambda mount: len(mount[0]))[1] in MEMORY_SYSTEMS
