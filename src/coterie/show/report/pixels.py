"""Rows whose columns are the pixels of a square, as small pictures that stand in the page itself."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from coterie._support.typing import FloatArray

GREY, DEPTH = 0, 8  # how a PNG calls grey pixels of one byte


def picture(values: FloatArray, side: int, low: float, high: float) -> str:
    """Return the address of a PNG that holds the values as grey pixels, row by row, the lowest black.

    Examples
    --------
    >>> picture(np.arange(25.0), 5, 0.0, 24.0)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    shares = (np.asarray(values, dtype=np.float64) - low) / (high - low if high > low else 1.0)
    pixels = np.clip(np.rint(255 * np.nan_to_num(shares)), 0, 255).astype(np.uint8).reshape(side, side)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    content = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, DEPTH, GREY, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(lines, 9))
        + _chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
