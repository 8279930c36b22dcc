"""A weighted sample that stands for all rows, drawn in one pass; the start of k-means is found on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from coterie._support.typing import Centers, Data, Weights
from coterie.cluster import KMeans as LocalKMeans
from coterie.cluster.kmeans import make_start, points_of
from coterie.data.sampling import uniform_of_rows
from coterie.scale.blocks import Block, Blocks
from coterie.scale.moments import BlockTotals
from coterie.scale.runtime.passes import compute, fold, read_weights, stacked, tasks

FEWEST_ROWS = 1 << 15
STARTS_ON_SAMPLE = 10  # one alone may end in a bad optimum: tests/scale/test_kmeans.py
ROWS_PER_CLUSTER = 128  # estimate: restarts on the sample then end near where they would on all rows


@dataclass(frozen=True, eq=False)
class Coreset:
    """Rows and how many rows each stands for."""

    X: Data
    weights: Weights | None
    is_sample: bool

    def start(self, n_clusters: int, n_init: int | Literal["auto"], seed: int, who: str) -> Centers:
        """Return first centres: k-means++ on all rows if these are all, k-means on the sample if not."""
        if n_init == "auto":
            n_init = STARTS_ON_SAMPLE if self.is_sample else 1
        if not self.is_sample and n_init == 1:
            points = points_of(self.X, self.weights)
            return make_start(points, "k-means++", n_clusters, seed, who=who).centers
        local = LocalKMeans(n_clusters, n_init=n_init, random_state=seed)
        return local.fit(self.X, sample_weight=self.weights).cluster_centers_


def draw_coreset(
    blocks: Blocks, weights: Blocks | None, whole: BlockTotals, n_rows: int, seed: int
) -> Coreset:
    """Draw about `n_rows` rows, or take all if they are not more.

    Half of the chance of a row is its weight, the other half its squared distance to the mean (bachem-2018).
    Every 8192 rows have a random stream of their own, so that the draw depends on the rows alone.
    """
    is_sample = blocks.n_rows > n_rows
    spread = whole.columns.total_weight * float(np.sum(whole.columns.variance))
    made = tasks(blocks, _draw, whole, n_rows if is_sample else None, spread, seed, weights=weights)
    X, found = compute(fold(made, stacked))
    return Coreset(X, found if is_sample or weights is not None else None, is_sample)


def draw_rows(blocks: Blocks, n_rows: int, seed: int) -> Data:
    """Draw about `n_rows` rows, all alike."""
    made = tasks(blocks, _draw_alike, n_rows / blocks.n_rows, seed)
    X: Data = compute(fold(made, stacked))[0]
    return X


def _draw_alike(block: Block, _weights: Block | None, chance: float, seed: int) -> tuple[Data, Weights]:
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed]) < chance)
    return block.read()[taken], np.ones(len(taken))


def size_of_coreset(n_clusters: int) -> int:
    """Return how many rows suffice for a start."""
    return max(FEWEST_ROWS, ROWS_PER_CLUSTER * int(n_clusters))  # of NumPy it may be of 8 bits


def _draw(
    block: Block, weights: Block | None, whole: BlockTotals, n_rows: int | None, spread: float, seed: int
) -> tuple[Data, Weights]:
    X, weight = block.read(), read_weights(weights)
    weight = np.ones(len(X)) if weight is None else weight
    if n_rows is None:
        return X, weight
    away = X - whole.origin
    squared = np.einsum("ij,ij->i", away, away, dtype=np.float64)
    chance = weight * (0.5 / whole.columns.total_weight + 0.5 * squared / (spread if spread > 0 else 1.0))
    chance = np.minimum(1.0, n_rows * chance)
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed]) < chance)
    return X[taken], weight[taken] / chance[taken]
