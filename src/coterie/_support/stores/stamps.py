"""What tells a file from what it was when it was opened."""

from __future__ import annotations

from typing import NamedTuple


class Stamp(NamedTuple):
    """The size of a file and what changes when its content does: its time, or what a store calls its tag."""

    size: int  # in bytes; -1: unknown
    version: str
