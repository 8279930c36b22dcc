"""New rows in blocks for groups that were found before: what they are like, and taking them in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.typing import FloatArray, Labels, Model
from coterie.data.sampling import uniform_of_rows
from coterie.pipeline import Groups
from coterie.pipeline.update import MATCHED_ROWS, NewRowSums, look_at_rows
from coterie.scale.blocks import Block, Blocks
from coterie.scale.columns import title_of
from coterie.scale.methods.base import new_blocks
from coterie.scale.methods.growing import grow
from coterie.scale.predict import group_block
from coterie.scale.runtime.passes import compute, fold, tasks


@dataclass(frozen=True, eq=False)
class RowsInBlocks:
    """New rows in blocks, scaled as those of the fit were."""

    source: str
    blocks: Blocks

    @property
    def n_rows(self) -> int:
        """How many they are."""
        return self.blocks.n_rows

    def look(self, model: Model, numbers: Labels, centers: FloatArray, origin: FloatArray) -> NewRowSums:
        """Return the sums of the rows by their groups, in one pass."""
        chance = min(1.0, MATCHED_ROWS / self.n_rows)
        made = tasks(self.blocks, _look_at_block, model, numbers, centers, origin, chance)
        found: NewRowSums = compute(fold(made, _add))
        return found

    def grow(self, model: Model) -> None:
        """Let a model take them in."""
        grow(model, self.blocks)


def new_rows_in_blocks(groups: Groups, source: object) -> RowsInBlocks:
    """Open new rows in the columns that groups were found by."""
    known = {name: how.reading for name, how in groups.column_readings.items() if how.reading is not None}
    blocks = new_blocks(source, groups.columns, len(groups.columns), who="the model", readings=known)
    return RowsInBlocks(title_of(source), blocks.scaled(groups.scaling))


def _look_at_block(
    block: Block,
    _weights: Block | None,
    model: Model,
    numbers: Labels,
    centers: FloatArray,
    origin: FloatArray,
    chance: float,
) -> NewRowSums:
    labels = group_block(block, None, model, numbers)
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [0]) < chance)
    return look_at_rows(block.read(), labels, centers, origin, taken)


def _add(total: NewRowSums | None, found: list[NewRowSums]) -> NewRowSums:
    for one in found:
        total = one if total is None else total + one
    assert total is not None
    return total
