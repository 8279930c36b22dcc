"""Sums over the first blocks of files, kept beside a checkpoint: a new file does not make them void."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from coterie._support.files import atomic_path, make_folder
from coterie._support.typing import Data, FloatArray
from coterie.scale.blocks import Blocks
from coterie.scale.runtime.checkpoint import files_of, fingerprint_of

MOST_KEPT = 64  # sums over the first blocks, of so many numbers of blocks
SUMS_FILE = "moments.safetensors"


class KeptSums:
    """Sums over the first blocks of files, in a folder of checkpoints; those of other rows are not found."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        make_folder(folder)
        self._path = Path(folder) / SUMS_FILE

    def names_of(self, blocks: Blocks) -> dict[int, str]:
        """Return what the rows before each number of whole blocks are known by.

        Nothing but for files as they are: scaled rows change with every file.
        """
        if not files_of(blocks) or blocks.scaling is not None:
            return {}
        facts = [blocks.columns, str(blocks.dtype), blocks.block_rows]
        name, found = fingerprint_of(facts), {}
        for block in blocks:
            parts = [
                [
                    span.name,
                    getattr(getattr(source, "piece", source), "stamp", None),
                    span.start,
                    span.stop,
                ]
                for span, source in zip(block.spans, block.sources, strict=True)
            ]
            name = fingerprint_of([name, parts])
            if block.n_rows == blocks.block_rows:
                found[block.index + 1] = name
        return found

    def load(self, names: Mapping[int, str]) -> tuple[int, Data, FloatArray] | None:
        """Return how many blocks need not be read, the first row, and the sums over them; None if none."""
        try:
            kept = load_file(self._path)
        except Exception:  # there are none, or the file is damaged: they are made again
            return None
        for n_blocks in sorted(names, reverse=True):
            sums = kept.get(names[n_blocks])
            if sums is not None and "first" in kept:
                return n_blocks, kept["first"], sums
        return None

    def save(self, names: Mapping[int, str], first: Data, sums: Mapping[int, FloatArray]) -> None:
        """Keep sums over numbers of blocks, the largest numbers and some of the others."""
        ends = sorted(end for end in sums if end in names)
        if not ends:
            return
        step = -(-len(ends) // MOST_KEPT)
        chosen = {*ends[::step], ends[-1]}
        arrays = {names[end]: np.ascontiguousarray(sums[end]) for end in chosen}
        with atomic_path(self._path, force=True) as temporary:
            save_file(arrays | {"first": first}, temporary)
