"""Sets of rows and labels as JSON holds them: numbers or ranges, whichever is shorter; packed labels."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib

import numpy as np

from coterie._support.typing import Indices, Labels
from coterie.errors import InvalidParameter

NOISE = -1
LEFT_OUT = -(2**31)  # the label, in arrays of whole numbers, of a row that has no group as it was left out


def pack_rows(rows: Indices) -> dict[str, list[int] | list[list[int]]]:
    """Return ascending rows as ``{"ranges": ...}`` where that is shorter, else as ``{"rows": ...}``.

    Examples
    --------
    >>> pack_rows(np.array([3, 4, 5, 6])), pack_rows(np.array([1, 9]))
    ({'ranges': [[3, 7]]}, {'rows': [1, 9]})
    """
    breaks = np.flatnonzero(np.diff(rows) != 1)
    firsts = rows[np.concatenate([[0], breaks + 1])]
    lasts = rows[np.concatenate([breaks, [len(rows) - 1]])]
    if 2 * len(firsts) < len(rows):
        return {"ranges": np.stack([firsts, lasts + 1], axis=1).tolist()}
    return {"rows": rows.tolist()}


def pack_labels(labels: Labels) -> str:
    """Return labels as text: little-endian int32, zlib, base64.

    Examples
    --------
    >>> unpack_labels(pack_labels(np.array([0, 1, -1], dtype=np.int32)), 3).tolist()
    [0, 1, -1]
    """
    return base64.b64encode(zlib.compress(np.asarray(labels, dtype="<i4").tobytes(), 6)).decode("ascii")


def unpack_labels(packed: str, n_rows: int) -> Labels:
    """Return the labels of so many rows; refuse text that holds anything else, however much it unpacks to."""
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(packed, validate=True), 4 * n_rows + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise InvalidParameter(
            "labels must be base64 text of packed whole numbers, got damaged text."
        ) from None
    if len(content) != 4 * n_rows:
        raise InvalidParameter(f"labels must be those of {n_rows:,} rows, got another number of them.")
    found = np.frombuffer(content, dtype="<i4").astype(np.int32)
    is_valid = (found >= NOISE) | (found == LEFT_OUT)
    if not is_valid.all():
        raise InvalidParameter(f"labels must be 0 or more, or -1 for noise, got {int(found[~is_valid][0])}.")
    return found


def hash_of(labels: Labels) -> str:
    """Return the SHA-256 of labels, as 64 hexadecimal digits."""
    return hashlib.sha256(np.asarray(labels, dtype="<i4").tobytes()).hexdigest()


def masked(labels: Labels) -> Labels:
    """Return labels with rows that were left out masked; a plain array where there are none."""
    gone = labels == LEFT_OUT
    if not gone.any():
        return labels
    return np.ma.masked_array(np.where(gone, NOISE, labels).astype(np.int32), mask=gone)


def unmasked(labels: Labels) -> Labels:
    """Return labels as whole numbers, `LEFT_OUT` where they are masked."""
    found = np.ma.getdata(labels).astype(np.int32, copy=True)
    found[np.ma.getmaskarray(labels)] = LEFT_OUT
    return found
