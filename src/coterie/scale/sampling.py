"""Some rows of many: a draw that depends on the rows and the seed alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.typing import Data, Indices
from coterie.data.sampling import chance_of_row, trim, uniform_of_rows
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import compute, fold, stacked, tasks

Drawn = tuple[Indices, Data]


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows drawn alike."""

    rows: Indices  # which rows of the whole they are, ascending
    X: Data  # their values
    n_rows: int  # rows of the whole

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return len(self.rows) == self.n_rows

    def __str__(self) -> str:
        return f"{len(self.rows):,} of {self.n_rows:,} rows"


def draw_sample(blocks: Blocks, n_rows: int, seed: int) -> DrawnRows:
    """Draw `n_rows` rows, all alike and without replacement, in one pass; all of them if they are not more.

    Every 8192 rows have a random stream of their own: the draw does not depend on how the rows are cut.
    """
    chance = chance_of_row(blocks.n_rows, n_rows)
    rows, X = compute(fold(tasks(blocks, _draw, chance, seed), stacked))
    if len(rows) > n_rows:
        kept = trim(rows, n_rows, seed)
        rows, X = rows[kept], np.ascontiguousarray(X[kept])
    return DrawnRows(rows, X, blocks.n_rows)


def take_rows(blocks: Blocks, rows: Indices) -> Data:
    """Return some rows, by their numbers in ascending order."""
    X: Data = compute(fold(tasks(blocks, _take, np.asarray(rows)), stacked))[1]
    return X


def _draw(block: Block, _weights: Block | None, chance: float, seed: int) -> Drawn:
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed]) < chance)
    return taken + block.first_row, block.read()[taken]


def _take(block: Block, _weights: Block | None, rows: Indices) -> Drawn:
    first, last = np.searchsorted(rows, [block.first_row, block.first_row + block.n_rows])
    if first == last:
        return rows[:0], np.empty((0, block.n_columns), dtype=block.dtype)
    return rows[first:last], block.read()[rows[first:last] - block.first_row]
