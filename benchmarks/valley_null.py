"""Where `coterie.cluster.modes.mode_tree` and `coterie.pipeline.judge.density_valleys` have numbers from.

``python -m benchmarks.valley_null [SECONDS]`` draws clouds without clusters and prints, by dimension and
number of cells n / n_neighbors, the depth of the deepest valley that 95 % stay below, and how much deeper it
is than the second; for uniform clouds and for tubes: a line with normal noise in the other directions.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np

from coterie.cluster.modes.mode_tree import grow_mode_tree
from coterie.distance.row_distances import RowDistances
from coterie.pipeline.judge.density_valleys import LEAST_CELLS, SCALES

DIMENSIONS = (1, 2, 3, 5, 8)
SIZES = (60, 150, 400, 1_000, 2_500)
BOUNDS = (6, 9, 14, 22, 35, 60, 100, 200, 700)
LEAST_DRAWS = 20


def clouds(rng: Any, n: int, d: int) -> dict[str, Any]:
    """Return one cloud of each kind."""
    tube = np.c_[rng.uniform(size=(n, 1)), 0.02 * rng.normal(size=(n, d))]
    return {"uniform": rng.uniform(size=(n, d)), "normal": rng.normal(size=(n, d)), "tube": tube}


def draw(rng: Any) -> list[tuple[Any, ...]]:
    """Return kind, dimension, cells, estimated dimension and the two deepest valleys of some clouds."""
    found = []
    for d in DIMENSIONS:
        for n in SIZES:
            scales = [k for k in SCALES if k <= n // LEAST_CELLS]
            for kind, X in clouds(rng, n, d).items():
                rows = RowDistances(X)
                reach = np.asarray(rows.k_nearest(scales[-1]).distance)
                for k in scales:
                    tree = grow_mode_tree(rows, reach, k)
                    deepest, second = np.sort(tree.depths)[::-1][:2]
                    found.append((kind, d, n / k, tree.dimension, deepest, second))
    return found


def main(seconds: float) -> None:
    """Print the table."""
    rng, found, began = np.random.default_rng(1), [], time.perf_counter()
    while not found or time.perf_counter() - began < seconds:
        found += draw(rng)
    print("kind      d  cells      draws  dimension  deepest: mean   95 %   99 %  lead: 95 %   99 %")
    for kind in ("uniform", "normal", "tube"):
        for d in DIMENSIONS:
            for low, high in pairwise(BOUNDS):
                here = [each for each in found if each[:2] == (kind, d) and low <= each[2] < high]
                rows = np.array([each[2:] for each in here])
                if len(rows) < LEAST_DRAWS:
                    continue
                deepest, lead = rows[:, 2], rows[:, 2] - rows[:, 3]
                tails = [*np.quantile(deepest, (0.95, 0.99)), *np.quantile(lead, (0.95, 0.99))]
                numbers = [deepest.mean(), *tails]
                cells = "".join(f"{number:>8.2f}" for number in numbers)
                print(f"{kind:<8}{d:>3}  {low:>3}..{high:<5}{len(rows):>6}{rows[:, 1].mean():>10.2f}{cells}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 150.0)
