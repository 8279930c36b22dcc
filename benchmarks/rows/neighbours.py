"""The k nearest rows of one set for every row of another, exact."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

N_NEIGHBOURS = 10

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Rows that ask, and rows among which the neighbours are."""

    X: Matrix
    Y: Matrix


def make(n: int, d: int) -> Problem:
    """Split one mixture into two sets of ``n`` rows."""
    both = overlapping_mixture(2 * n, d, components=20, seed=60, dtype=np.float64)
    return Problem(both[:n].copy(), both[n:].copy())


def digest(problem: Problem, distances: Matrix) -> Answer:
    """Compare distances: equal ones may belong to several rows."""
    return {"distances": distances}


def enter_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.distance import k_nearest

    return lambda: k_nearest(p.X, p.Y, n_neighbors=N_NEIGHBOURS, metric="euclidean").distances


def enter_sklearn(p: Problem) -> Callable[[], Matrix]:
    from sklearn.neighbors import NearestNeighbors

    return lambda: NearestNeighbors(n_neighbors=N_NEIGHBOURS, n_jobs=-1).fit(p.Y).kneighbors(p.X)[0]


def enter_scipy(p: Problem) -> Callable[[], Matrix]:
    from scipy.spatial import cKDTree

    return lambda: cKDTree(p.Y).query(p.X, k=N_NEIGHBOURS, workers=-1)[0]


def row(name: str, n: int, d: int) -> Row:
    """Make a row; building the tree is part of the work."""
    return Row(
        name=name,
        work=f"{N_NEIGHBOURS} nearest of {n:.0e} x {d} in as many".replace("e+0", "e"),
        make=partial(make, n, d),
        contestants=(
            Contestant(OURS, enter_coterie),
            Contestant("scikit-learn", enter_sklearn),
            Contestant("scipy", enter_scipy),
        ),
        digest=digest,
        agree=close("distances", tolerance=1e-6),
        bar=1,
    )


ROWS = (row("low", 100_000, 3), row("wide", 20_000, 32))
