"""A radius for DBSCAN of rows in blocks: distances of some rows to their neighbours among all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.threads import one_thread
from coterie._support.typing import Data, Distances
from coterie.cluster.density import read_curve
from coterie.distance import k_nearest
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import compute, fold, tasks
from coterie.scale.sampling import draw_sample

EPS_ROWS = 2000  # whose neighbours are looked for


def suggest_eps(blocks: Blocks, min_samples: int, metric: Any, seed: int) -> tuple[float, tuple[str, ...]]:
    """Return the knee of the distances to the neighbour that makes a row dense, and what it comes from.

    Some rows are drawn; their neighbours are looked for among all rows, so that the radius suits the density
    of the whole. `coterie.cluster.suggest_eps` does the same for rows in memory.
    """
    sample = draw_sample(blocks, EPS_ROWS, seed)
    n_neighbors = min(max(2, min_samples), blocks.n_rows)  # every row is its own first neighbour
    made = tasks(blocks, _nearest, sample.X, n_neighbors, metric)
    nearest: Distances = compute(fold(made, _Joiner(n_neighbors)))
    eps = read_curve(np.sort(nearest[:, -1]), min_samples).radius
    note = f"eps = {eps:.4g}, the knee of the distances of {sample} to their neighbours among all rows"
    return eps, (note,)


def _nearest(block: Block, _weights: Block | None, queries: Data, n: int, metric: Any) -> Distances:
    with one_thread("openmp"):
        X = block.read()
        distance = k_nearest(queries, X, n_neighbors=min(n, len(X)), metric=metric).distance
    return np.asarray(distance, dtype=np.float64)


class _Joiner:
    """Keeps the least distances."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, total: Distances | None, found: list[Distances]) -> Distances:
        joined = np.concatenate(found if total is None else [total, *found], axis=1)
        return np.sort(joined, axis=1)[:, : self.n]
