"""A file of a store that is read like any other: from anywhere, only what is asked for."""

from __future__ import annotations

import io
from collections.abc import Callable


class RangeFile(io.RawIOBase):
    """Bytes that come in ranges.

    Parameters
    ----------
    size : int
        Of the whole.
    fetch : callable
        Returns the bytes from one place to another.
    """

    def __init__(self, size: int, fetch: Callable[[int, int], bytes]) -> None:
        self._size, self._fetch, self._at = size, fetch, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def size(self) -> int:
        """Return how many bytes there are."""
        return self._size

    def tell(self) -> int:
        """Return where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes, all that are left without a number."""
        left = max(self._size - self._at, 0)
        count = left if size is None or size < 0 else min(size, left)
        if count == 0:
            return b""
        content = self._fetch(self._at, self._at + count)
        self._at += len(content)
        return content

    def readall(self) -> bytes:
        """Return all that is left."""
        return self.read()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Fill a buffer."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)
