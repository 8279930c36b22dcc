"""What a process keeps between passes: decoded partitions, rows on disk, bounds of blocks."""

from __future__ import annotations

import math
import mmap
import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import dask
import numpy as np

from coterie._support.typing import Data
from coterie.scale.runtime.counters import COUNTERS

if TYPE_CHECKING:
    from coterie.scale.sources.partitions import StoredRows

KEPT_BYTES = 64 << 20  # and the last piece, however large
PIECE_BYTES = 4096  # of a decoded piece beside its values: 100,000 small ones took 370 MB
MEMORY_SYSTEMS = ("tmpfs", "ramfs")  # folders that are memory in disguise
MOUNTS = "/proc/self/mounts"
IDLE_SECONDS = 1800.0  # a run that has not read for so long is taken for dead; if it is not, it decodes again
CAN_SHARE_FILES = hasattr(os, "pwrite")  # threads write at places of their own, into a file without a name
ROOM_BYTES = 512 << 20  # per process; blocks without room are read again in every pass


class Recent:
    """Decoded pieces by key, the least recently used forgotten first; each is decoded by one thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[StoredRows, int]] = OrderedDict()
        self._size = 0  # of all values; many small ones must not be added up each time
        self._decoding: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, decode: Callable[[], StoredRows]) -> StoredRows:
        """Return what `decode` returns, or returned not long ago."""
        with self._lock:
            turn = self._decoding.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key][0]
            value = decode()
            size = int(value.nbytes) + PIECE_BYTES
            with self._lock:
                self._size += size - self._values.pop(key, (None, 0))[1]
                self._values[key] = (value, size)
                self._decoding.pop(key, None)
                while len(self._values) > 1 and self._size > self._kept_bytes:
                    self._size -= self._values.popitem(last=False)[1][1]
            return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()
            self._size = 0

    def __reduce__(self) -> NoReturn:
        raise TypeError("decoded pieces stay where they are")


RECENT = Recent()


class RowFile:
    """Blocks of rows in a file that has no name: it is gone when the process ends, however it ends.

    It takes at most as much of the disk as it leaves free; blocks beyond that are not kept. Whoever holds the
    object may read and write: the disk is given back when the last one lets go.
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
        COUNTERS.add(kept_bytes=X.nbytes)


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


class Shelf:
    """Things by run and block; nothing depends on whether they are found."""

    def __init__(self, room: int = ROOM_BYTES) -> None:
        self.room = room
        self._lock = threading.Lock()
        self._runs: dict[Hashable, dict[int, tuple[Any, int]]] = {}

    def get(self, run: Hashable, block: int) -> Any | None:
        """Return what was kept of a block, None if nothing was."""
        with self._lock:
            return self._runs.get(run, {}).get(block, (None, 0))[0]

    def all_of(self, run: Hashable, n_blocks: int) -> list[Any] | None:
        """Return what was kept of all blocks in their order, None if anything is missing."""
        with self._lock:
            mine = self._runs.get(run, {})
            things = [mine.get(block, (None, 0))[0] for block in range(n_blocks)]
        return None if any(thing is None for thing in things) else things

    def reserve(self, run: Hashable, block: int, size: int) -> bool:
        """Return whether there is room; things of other runs make room, those of this run stay."""
        with self._lock:
            mine = self._runs.setdefault(run, {})
            if size + sum(s for _, s in mine.values()) > self.room:
                return False
            if size + self._used() > self.room:
                self._runs = {run: mine}
            mine[block] = (None, size)
            return True

    def keep(self, run: Hashable, block: int, thing: object) -> None:
        """Keep a thing in the room that was reserved for it."""
        with self._lock:
            mine = self._runs.get(run, {})
            if block in mine:
                mine[block] = (thing, mine[block][1])

    def forget(self, run: Hashable) -> None:
        """Forget a run."""
        with self._lock:
            self._runs.pop(run, None)

    def _used(self) -> int:
        return sum(size for things in self._runs.values() for _, size in things.values())


SHELF = Shelf()  # blocks of the engine, with their bounds
HELD = Shelf()  # rows, which blocks of the engine share


def can_forget() -> bool:
    """Return whether all processes that read rows can be told to forget them: Dask's, not those of others."""
    from coterie.scale.runtime.passes import client_of, uses_threads

    return client_of() is not None or uses_threads()


def forget_everywhere(run: Hashable) -> None:
    """Forget a run in this process and in the workers of a cluster, as far as they can be reached."""
    from coterie.scale.runtime.passes import client_of

    forget_here(run)
    client = client_of()
    if client is not None:
        client.run(forget_here, run, on_error="ignore")


def forget_here(run: Hashable) -> None:
    """Forget a run in this process."""
    SHELF.forget(run)
    HELD.forget(run)
    ROW_FILES.forget(run)
