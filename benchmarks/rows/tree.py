"""Hierarchies: linkage of rows, its growth and its memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, close
from benchmarks.data import overlapping_mixture
from benchmarks.measure import MEBIBYTE, PeakMemory, Returned
from benchmarks.problem import OURS, Answer, Contestant, Row

GROWTH_SIZES = (10_000, 20_000, 40_000, 80_000)
VECTOR_METHODS = ("single", "ward", "centroid", "median")  # what fastcluster links without a matrix

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Rows and the linkage method."""

    X: Matrix
    method: str


def make(n: int, d: int, method: str, dtype: Any = np.float64) -> Problem:
    """Make rows in twenty groups."""
    return Problem(overlapping_mixture(n, d, components=20, seed=70, dtype=dtype), method)


def digest(problem: Problem, Z: Matrix) -> Answer:
    """Compare heights: rounding may swap equally high merges."""
    return {"heights": Z[:, 2]}


def enter_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.tree import linkage

    return lambda: linkage(p.X, p.method)


def enter_fastcluster(p: Problem) -> Callable[[], Matrix]:
    import fastcluster

    if p.method in VECTOR_METHODS:
        return lambda: fastcluster.linkage_vector(p.X, p.method)
    return lambda: fastcluster.linkage(p.X, p.method)


def enter_scipy(p: Problem) -> Callable[[], Matrix]:
    from scipy.cluster.hierarchy import linkage

    return lambda: linkage(p.X, p.method)


def enter_growth(p: Problem) -> Callable[[], float]:
    from coterie.tree import linkage

    def exponent() -> float:
        seconds = []
        for n in GROWTH_SIZES:
            start = time.perf_counter()
            linkage(p.X[:n], p.method)
            seconds.append(time.perf_counter() - start)
        return float(np.polyfit(np.log(GROWTH_SIZES), np.log(seconds), 1)[0])

    return exponent


OUR = Contestant(OURS, enter_coterie)
FASTCLUSTER = Contestant("fastcluster", enter_fastcluster)
SCIPY = Contestant("scipy", enter_scipy)


def row(
    method: str,
    n: int,
    d: int,
    *peers: Contestant,
    bar: float | None = None,
    aim: float | None = None,
    rounds: int = 3,
) -> Row:
    """Make a row of one method and size."""
    size = f"{n:.0e} x {d}".replace("e+0", "e")
    return Row(
        name=f"{method}-{size.replace(' ', '')}",
        work=f"{method} linkage {size}",
        make=partial(make, n, d, method),
        contestants=(OUR, *peers),
        digest=digest,
        agree=close("heights", tolerance=1e-6),
        bar=bar,
        aim=aim,
        most_rounds=rounds,
    )


def growth(method: str, d: int) -> Row:
    """Make the row of the exponent p where the time grows as n^p."""
    return Row(
        name=f"growth-{method}",
        work=f"{method} linkage x {d}: exponent of the time from 1e4 to 8e4 rows",
        make=partial(make, GROWTH_SIZES[-1], d, method),
        contestants=(Contestant(OURS, enter_growth),),
        digest=lambda problem, exponent: {"exponent": np.array([exponent])},
        agree=anything,
        measure=Returned(unit="(exponent)"),
        limit=2.2,
        most_rounds=1,
    )


def memory(method: str, n: int, dtype: Any, *, limit: float) -> Row:
    """Make a row of the memory of one method."""
    size = f"{n:.0e} x 3 {np.dtype(dtype)}".replace("e+0", "e")
    return Row(
        name=f"memory-{method}",
        work=f"{method} linkage {size}, memory beyond the input",
        make=partial(make, n, 3, method, dtype),
        contestants=(OUR,),
        digest=digest,
        agree=anything,
        measure=PeakMemory(),
        limit=limit,
        most_rounds=1,
    )


ROWS = (
    row("ward", 20_000, 10, FASTCLUSTER, SCIPY, bar=5, aim=20),
    row("average", 20_000, 10, FASTCLUSTER, SCIPY, bar=4, aim=10),
    row("complete", 20_000, 10, FASTCLUSTER, SCIPY, bar=4, aim=10),
    row("single", 20_000, 10, FASTCLUSTER, SCIPY, bar=4, aim=10),
    row("centroid", 20_000, 10, FASTCLUSTER, SCIPY, bar=3, aim=10),
    row("ward", 100_000, 3, FASTCLUSTER, bar=5),
    row("single", 100_000, 3, FASTCLUSTER, bar=1),
    row("ward", 100_000, 50, FASTCLUSTER, rounds=1),  # fastcluster takes a quarter of an hour
    growth("ward", 3),
    growth("single", 3),
    growth("centroid", 3),
    memory("ward", 200_000, np.float64, limit=1024),
    memory("single", 200_000, np.float64, limit=1024),
    *(
        memory(method, 10_000, np.float32, limit=4 * 10_000**2 / MEBIBYTE + 16)  # 4 n^2 bytes, and the merges
        for method in ("average", "complete", "weighted")
    ),
)
