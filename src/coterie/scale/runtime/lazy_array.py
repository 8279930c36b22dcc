"""Results with one entry per row: lazy Dask arrays, made block by block when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array
import numpy as np

from coterie.scale.blocks import Blocks
from coterie.scale.runtime.passes import tasks


def lazy_array(
    blocks: Blocks,
    function: Callable[..., Any],
    *args: Any,
    dtype: Any,
    n_columns: int | None = None,
    weights: Blocks | None = None,
) -> Any:
    """Return ``function(block, weights, *args)`` of all blocks as one Dask array."""
    made = tasks(blocks, function, *args, weights=weights)
    tail = () if n_columns is None else (n_columns,)
    parts = [
        dask.array.from_delayed(task, shape=(size, *tail), dtype=np.dtype(dtype))
        for task, size in zip(made, blocks.sizes(), strict=True)
    ]
    return dask.array.concatenate(parts)
