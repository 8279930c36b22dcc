"""What a process keeps from pass to pass: rows and bounds of blocks, as many as there is room for."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

from coterie.scale.runtime.row_file import ROW_FILES

ROOM_BYTES = 512 << 20  # per process; blocks without room are read again in every pass


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

    def keep(self, run: Hashable, block: int, thing: Any) -> None:
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


SHELF = Shelf()


def forget_everywhere(run: Hashable) -> None:
    """Forget a run in this process and in the workers of a cluster, as far as they can be reached."""
    from coterie.scale.runtime.passes import client_of

    _forget_here(run)
    client = client_of()
    if client is not None:
        client.run(_forget_here, run, on_error="ignore")


def _forget_here(run: Hashable) -> None:
    SHELF.forget(run)
    ROW_FILES.forget(run)
