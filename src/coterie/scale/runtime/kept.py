"""Blocks whose rows are decoded once: what later passes read is on disk as it lies in memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from coterie._support.typing import Data
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.row_file import ROW_FILES, folder_on_disk
from coterie.scale.runtime.shelf import forget_everywhere


@dataclass(frozen=True, eq=False)
class KeptBlock(Block):
    """A block that keeps its rows where it is read, and decodes them anew where it finds none."""

    run: str = ""
    is_kept = True

    def read(self) -> Data:
        """Return the rows as a C-ordered matrix."""
        folder = folder_on_disk()
        file = None if folder is None else ROW_FILES.of(self.run, folder)
        if file is None:
            return super().read()
        X = file.get(self.index)
        if X is None:
            X = super().read()
            file.keep(self.index, X)
        return X


@dataclass(frozen=True, eq=False)
class KeptBlocks(Blocks):
    """Blocks that keep their rows under the name of a run."""

    run: str = ""

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            facts = {field.name: getattr(block, field.name) for field in fields(block)}
            yield KeptBlock(**facts, run=self.run)


def is_slow_to_read(blocks: Blocks) -> bool:
    """Return whether rows are in files that must be decoded: Parquet, CSV, Arrow."""
    return blocks.is_stored and not all(piece.is_sliced for piece in blocks.pieces)


@contextmanager
def decoded_once(blocks: Blocks, *, spill: bool) -> Iterator[Blocks]:
    """Give the same blocks, which keep decoded rows on disk until the end, if they may and if that pays.

    Parameters
    ----------
    blocks : Blocks
        The rows.
    spill : bool
        Whether the disk may be used.
    """
    if not spill or not is_slow_to_read(blocks):
        yield blocks
        return
    facts = {field.name: getattr(blocks, field.name) for field in fields(blocks) if field.init}
    run = uuid.uuid4().hex
    try:
        yield KeptBlocks(**facts, run=run)
    finally:
        forget_everywhere(run)
