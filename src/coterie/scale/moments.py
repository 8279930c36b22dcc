"""The first pass: mean, variance and extent of every column, to the bit as if the rows were in one matrix."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from coterie import _core
from coterie._support.files import atomic_path, make_folder
from coterie._support.typing import Data, FloatArray, Weights
from coterie._support.validation import largest_safe
from coterie._support.validation.weights import refuse_heavy_sums, refuse_sizes
from coterie.data.scaling import add_sums
from coterie.errors import InvalidData
from coterie.scale.blocks import Block, Blocks, refuse_not_finite
from coterie.scale.runtime.checkpoint import files_of, fingerprint_of
from coterie.scale.runtime.passes import (
    MERGED_AT_ONCE,
    added,
    compute,
    compute_all,
    fold,
    read_weights,
    running,
    tasks,
)


@dataclass(frozen=True, eq=False)
class BlockTotals:
    """What all blocks agree on."""

    n_rows: int  # rows of all blocks
    columns: _core.ColumnMoments  # mean, variance, least and greatest of every column
    largest_weight: float  # of all rows
    origin: FloatArray  # the mean in the type of the data: what the engine takes rows relative to

    @property
    def mean_variance(self) -> float:
        """Mean of the variances of the columns."""
        return float(np.mean(self.columns.variance))

    def native(self) -> _core.KMeansWhole:
        """Return the same as the engine takes it."""
        return _core.KMeansWhole(self.n_rows, self.columns, self.largest_weight)


def measure(
    blocks: Blocks, weights: Blocks | None, *, who: str, kept_in: str | os.PathLike[str] | None = None
) -> BlockTotals:
    """Measure the columns of all blocks; values that cannot be clustered are refused with their place.

    Parameters
    ----------
    blocks, weights : Blocks
        The rows, and their weights or None.
    who : str
        Whom to name in messages.
    kept_in : path, default=None
        A folder where sums over the first blocks are kept: blocks of files that have not changed are not
        read again. Nothing is kept of rows with weights.
    """
    if kept_in is None or weights is not None:
        first, total, largest_weight = _sum_up(blocks, weights, who)
    else:
        first, total, largest_weight = _sum_up_new(blocks, who, KeptSums(kept_in))
    return whole_of(blocks, total, first, largest_weight, is_weighted=weights is not None, who=who)


def whole_of(
    blocks: Blocks, total: FloatArray, first: Data, largest_weight: float, *, is_weighted: bool, who: str
) -> BlockTotals:
    """Return what the sums of all blocks say; values that cannot be clustered are refused."""
    columns = _core.moments_of_sums(np.asarray(total, dtype=np.float64), first)
    if is_weighted and not columns.total_weight > 0:
        raise InvalidData(f"Sample weights must contain at least one non-zero number, all of {who} are zero.")
    if is_weighted:
        refuse_sizes(float(columns.total_weight), largest_weight, who=who)
    _refuse_large(columns, blocks, who)
    return BlockTotals(blocks.n_rows, columns, largest_weight, np.asarray(columns.mean, dtype=blocks.dtype))


def _sum_up(blocks: Blocks, weights: Blocks | None, who: str) -> tuple[Data, FloatArray, float]:
    first = compute(tasks(blocks, _first_row, only=range(1))[0])
    made = tasks(blocks, _sums_of_columns, first, who, weights=weights)
    return (first, *compute(fold(made, _add_sums)))


def _sum_up_new(blocks: Blocks, who: str, kept: KeptSums) -> tuple[Data, FloatArray, float]:
    """Return what `_sum_up` returns, to the bit: sums are added in the order of the blocks."""
    names = kept.names_of(blocks)
    found = kept.load(names)
    if found is None:
        begin, first, total = 0, compute(tasks(blocks, _first_row, only=range(1))[0]), None
    else:
        begin, first, total = found
    made = tasks(blocks, _sums_of_columns, first, who, only=range(begin, blocks.n_blocks))
    n_full = blocks.n_rows // blocks.block_rows - begin  # the last block may grow
    whole = running(made[:n_full], _AddTo(total)) if n_full > 0 else []
    rest: list[Any] = []
    if made[n_full:]:
        last = made[n_full:]
        rest = [added(whole[-1], last, _add_sums) if whole else fold(last, _AddTo(total))]
    if not whole and not rest:
        assert total is not None
        return first, total, 1.0
    results = compute_all([*whole, *rest])
    ends = [min(begin + MERGED_AT_ONCE * (at + 1), begin + n_full) for at in range(len(whole))]
    kept.save(names, first, {end: sums for end, (sums, _) in zip(ends, results, strict=False)})
    return first, results[-1][0], 1.0


def _first_row(block: Block, _weights: Block | None) -> Data:
    return np.array(block.read()[0])


def _sums_of_columns(block: Block, weights: Block | None, first: Data, who: str) -> tuple[FloatArray, float]:
    X, weight = block.read(), read_weights(weights)
    if weights is not None and weight is not None:
        _refuse_weights(weights, weight, who)
    sums = _core.column_sums(X, first, weight, 1)
    if not np.isfinite(sums).all():
        refuse_not_finite(block, X, who)
        if weight is not None:
            refuse_heavy_sums(float(np.abs(X).max()), float(weight.sum()), X.shape, who=who)
        raise InvalidData(f"{block.spans[0].name}: values so large that their squares overflow.")
    return sums, 1.0 if weight is None else float(weight.max())


def _add_sums(total: Any, found: list[Any]) -> tuple[FloatArray, float]:
    before = [] if total is None else [total[0][None, :]]
    weights = [weight for _, weight in found] + ([] if total is None else [total[1]])
    return add_sums([*before, *(sums for sums, _ in found)]), max(weights)


class _AddTo:
    """Adds up sums, beginning with those of the blocks before."""

    def __init__(self, before: FloatArray | None) -> None:
        self.before = before

    def __call__(self, total: object, found: list[Any]) -> tuple[FloatArray, float]:
        first = None if self.before is None else (self.before, 1.0)
        return _add_sums(first if total is None else total, found)


def _refuse_weights(block: Block, weights: Weights, who: str) -> None:
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = block.first_row + int(np.argmax(wrong))
        raise InvalidData(
            f"Weights of {who} must be finite and at least 0, got {weights[wrong][0]} at row {row}."
        )
    at = int(np.argmax(weights))
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    # sums of the block would overflow; whether all weights are too small only all blocks tell
    refuse_sizes(total, max(float(weights[at]), 1.0), who=who, row=block.first_row + at)


def _refuse_large(columns: _core.ColumnMoments, blocks: Blocks, who: str) -> None:
    safe = largest_safe(blocks.dtype, (blocks.n_rows, blocks.n_columns))
    largest = max(np.abs(columns.low).max(), np.abs(columns.high).max())
    if largest > safe:
        raise InvalidData(
            f"X of {who} must not exceed {safe:.3g}, or squared distances overflow; got {largest:.3g}."
        )
    shape = (blocks.n_rows, blocks.n_columns)
    refuse_heavy_sums(float(largest), float(columns.total_weight), shape, who=who)


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
