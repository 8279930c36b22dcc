"""The pieces that were decoded last: neighbouring blocks share the one that their border cuts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

KEPT_BYTES = 64 << 20  # and the last piece, however large


class Recent:
    """Decoded pieces by key, the least recently used forgotten first; each is decoded by one thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._decoding: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, decode: Callable[[], Any]) -> Any:
        """Return what `decode` returns, or returned not long ago."""
        with self._lock:
            turn = self._decoding.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
            value = decode()
            with self._lock:
                self._values[key] = value
                self._decoding.pop(key, None)
                while (
                    len(self._values) > 1 and sum(v.nbytes for v in self._values.values()) > self._kept_bytes
                ):
                    self._values.popitem(last=False)
            return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()

    def __reduce__(self) -> Any:
        raise TypeError("decoded pieces stay where they are")


RECENT = Recent()
