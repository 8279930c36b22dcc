"""The first pass: mean, variance and extent of every column, to the bit as if the rows were in one matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Data, FloatArray
from coterie._support.validation import largest_safe
from coterie._support.validation.weights import refuse_heavy_sums, refuse_sizes
from coterie.data.scaling import add_sums
from coterie.errors import InvalidData
from coterie.scale.blocks import Block, Blocks, refuse_not_finite
from coterie.scale.runtime.passes import compute, fold, read_weights, tasks


@dataclass(frozen=True, eq=False)
class Whole:
    """What all blocks agree on."""

    n_rows: int  # rows of all blocks
    columns: Any  # mean, variance, least and greatest of every column
    largest_weight: float  # of all rows
    origin: FloatArray  # the mean in the type of the data: what the engine takes rows relative to

    @property
    def mean_variance(self) -> float:
        """Mean of the variances of the columns."""
        return float(np.mean(self.columns.variance))

    def native(self) -> _core.KMeansWhole:
        """Return the same as the engine takes it."""
        return _core.KMeansWhole(self.n_rows, self.columns, self.largest_weight)


def measure(blocks: Blocks, weights: Blocks | None, *, who: str) -> Whole:
    """Measure the columns of all blocks; values that cannot be clustered are refused with their place."""
    first = compute(tasks(blocks, _first_row)[0])
    made = tasks(blocks, _sums_of_block, first, who, weights=weights)
    total, largest_weight = compute(fold(made, _add_sums))
    return whole_of(blocks, total, first, largest_weight, is_weighted=weights is not None, who=who)


def whole_of(
    blocks: Blocks, total: FloatArray, first: Data, largest_weight: float, *, is_weighted: bool, who: str
) -> Whole:
    """Return what the sums of all blocks say; values that cannot be clustered are refused."""
    columns = _core.moments_of_sums(np.asarray(total, dtype=np.float64), first)
    if is_weighted and not columns.total_weight > 0:
        raise InvalidData(f"Sample weights must contain at least one non-zero number, all of {who} are zero.")
    if is_weighted:
        refuse_sizes(float(columns.total_weight), largest_weight, who=who)
    _refuse_large(columns, blocks, who)
    return Whole(blocks.n_rows, columns, largest_weight, np.asarray(columns.mean, dtype=blocks.dtype))


def _first_row(block: Block, _weights: Block | None) -> Data:
    return np.array(block.read()[0])


def _sums_of_block(block: Block, weights: Block | None, first: Data, who: str) -> tuple[FloatArray, float]:
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


def _refuse_weights(block: Block, weights: Any, who: str) -> None:
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


def _refuse_large(columns: Any, blocks: Blocks, who: str) -> None:
    safe = largest_safe(blocks.dtype, (blocks.n_rows, blocks.n_columns))
    largest = max(np.abs(columns.low).max(), np.abs(columns.high).max())
    if largest > safe:
        raise InvalidData(
            f"X of {who} must not exceed {safe:.3g}, or squared distances overflow; got {largest:.3g}."
        )
    shape = (blocks.n_rows, blocks.n_columns)
    refuse_heavy_sums(float(largest), float(columns.total_weight), shape, who=who)
