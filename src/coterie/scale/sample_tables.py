"""Some rows of large files as a table in memory, for what cannot be done block by block."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import Indices
from coterie.data import Table, as_table
from coterie.data.readings import ColumnReadings
from coterie.data.sampling import chance_of_row, trim, uniform_of_rows
from coterie.scale.blocks import Block
from coterie.scale.columns import look_into, title_of
from coterie.scale.runtime.passes import compute, fold, tasks
from coterie.scale.sampling import draw_sample
from coterie.scale.sources.reading import read_blocks

if TYPE_CHECKING:
    import pyarrow

Drawn: TypeAlias = "tuple[Indices, pyarrow.Table]"  # numbers of rows, and these rows


def sample_table(
    source: object,
    n_rows: int,
    seed: int = 0,
    *,
    dates: str | None = None,
    readings: ColumnReadings | None = None,
    **how: Any,
) -> tuple[Table, int]:
    """Return rows drawn alike as a table, in their order, and how many rows there are in all.

    Which rows are drawn depends on their number and the seed alone: tables of as many rows, labels for
    example, are drawn alike.

    Parameters
    ----------
    source : anything that `coterie.fit` reads in blocks
        Files, folders, patterns, datasets.
    n_rows : int
        How many rows to draw.
    seed : int, default=0
        Of the draw.
    dates, readings
        As in `coterie.data.as_table`.
    **how
        Header and encoding of text.

    Examples
    --------
    >>> table, n_rows = sample_table(np.arange(20.0).reshape(10, 2), 4)
    >>> table.n_rows, n_rows
    (4, 10)
    """
    looked_into = look_into(source, **how)
    if looked_into is None:
        blocks = read_blocks(source)
        table = as_table(draw_sample(blocks, n_rows, seed).X, columns=blocks.columns)
        return replace(table, source=title_of(source)), blocks.n_rows
    absent = looked_into.absent
    names = [name for name in looked_into.first_values if name not in absent]
    pieces = tuple(piece for one in looked_into.filled for piece in one.pieces if piece.n_rows)
    shape = read_blocks(np.zeros((1, max(1, len(names)))))
    stored = looked_into.as_stored(names, replace(shape, pieces=pieces))
    chance = chance_of_row(stored.n_rows, n_rows)
    rows, found = compute(fold(tasks(stored, _draw_stored, chance, seed), _join))
    if len(rows) > n_rows:
        found = found.take(trim(rows, n_rows, seed))
    polars = require("polars", extra="cli", purpose="Reading tables")
    table = as_table(polars.from_arrow(found), dates=dates, readings=readings)
    return replace(table, source=title_of(source)), stored.n_rows


def _draw_stored(block: Block, _weights: Block | None, chance: float, seed: int) -> Drawn:
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed]) < chance)
    return taken + block.first_row, block.stored().take(taken)


def _join(total: Drawn | None, found: list[Drawn]) -> Drawn:
    import pyarrow

    parts = found if total is None else [total, *found]
    tables = [table for _, table in parts]
    joined = pyarrow.concat_tables(tables, promote_options="permissive")
    return np.concatenate([rows for rows, _ in parts]), joined
