"""Numbers that are no measurements, found in a block and named by their place."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Data
from coterie.errors import InvalidData
from coterie.scale.blocks import Block


def finite_rows(block: Block, who: str) -> Data:
    """Return the rows of a block; NaN and infinity are refused with their place."""
    X = block.read()
    with np.errstate(over="ignore", invalid="ignore"):
        is_certain = np.isfinite(X.sum())  # a sum that is not can have overflowed
    if not is_certain:
        refuse_not_finite(block, X, who)
    return X


def refuse_not_finite(block: Block, X: Data, who: str) -> None:
    """Refuse rows that hold NaN or infinity: where the first one is, and how many there are."""
    rows, columns = np.nonzero(~np.isfinite(X))
    if rows.size == 0:
        return
    place, row = block.place_of(int(rows[0]))
    column = block.columns[columns[0]] if block.columns else int(columns[0])
    value = "NaN" if np.isnan(X[rows[0], columns[0]]) else "infinity"
    raise InvalidData(
        f'{place}: Input X contains {value}: row {row} of it, column "{column}" ({rows.size:,} such '
        f"values in this block). {who} needs finite values."
    )
