"""Which k-means algorithm is fastest where: the figures behind ``algorithm="auto"``.

``python -m benchmarks.crossover`` prints, for clustered and for uniform rows, the seconds of every algorithm
from the same start, and how far the automatic choice is from the best one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import overlapping_mixture, uniform

ALGORITHMS = ("lloyd", "hamerly", "exponion", "filter", "auto")
COLUMNS = (1, 2, 3, 4, 8, 16, 32, 64, 128)
CLUSTERS = (4, 8, 16, 64, 256, 1000)
FILTER_COLUMNS = 3  # the most that the filter takes
WORK = 2e9  # products of one plain iteration, which fixes the number of rows
SEED = 7


def problems(
    columns: tuple[int, ...], clusters: tuple[int, ...]
) -> Iterator[tuple[str, int, int, NDArray[Any]]]:
    """Yield kind, columns, clusters and rows."""
    for d in columns:
        for k in clusters:
            n = int(np.clip(WORK / (d * k), 20 * k, 400_000))
            yield "clustered", d, k, overlapping_mixture(n, d, components=k, seed=SEED, separation=4.0)
            yield "uniform", d, k, uniform(n, d, seed=SEED)


def seconds(
    X: NDArray[Any], start: NDArray[Any], algorithm: str, iterations: int, rounds: int
) -> tuple[float, str]:
    """Return the best time of several fits, and the algorithm that ran."""
    from coterie.cluster import KMeans

    best, used = np.inf, ""
    for _ in range(rounds):
        model = KMeans(len(start), init=start, n_init=1, max_iter=iterations, tol=0, algorithm=algorithm)
        began = time.perf_counter()
        model.fit(X)
        best, used = min(best, time.perf_counter() - began), model.algorithm_used_
    return best, used


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--clusters", type=int, nargs="+", default=CLUSTERS)
    parser.add_argument("--iterations", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args()
    print(
        f"{'rows':10} {'n':>7} {'d':>4} {'k':>5} "
        + " ".join(f"{name:>9}" for name in ALGORITHMS)
        + "  auto/best"
    )
    for kind, d, k, X in problems(tuple(wanted.columns), tuple(wanted.clusters)):
        start = X[np.random.default_rng(SEED).choice(len(X), k, replace=False)].copy()
        times = {}
        for name in ALGORITHMS:
            if name != "filter" or d <= FILTER_COLUMNS:
                times[name], used = seconds(X, start, name, wanted.iterations, wanted.rounds)
        cells = " ".join(f"{times[name]:9.4f}" if name in times else f"{'':9}" for name in ALGORITHMS)
        best = min(time for name, time in times.items() if name != "auto")
        print(f"{kind:10} {len(X):7} {d:4} {k:5} {cells}  {times['auto'] / best:5.2f}  {used}", flush=True)


if __name__ == "__main__":
    main()
