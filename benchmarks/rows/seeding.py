"""Greedy k-means++ starts: time for three seeds, and how good the starts are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import mean_at_most
from benchmarks.data import overlapping_mixture, sum_of_squared_errors, uniform
from benchmarks.problem import OURS, Answer, Contestant, Row

N_ROWS, N_COLUMNS, N_CLUSTERS = 500_000, 16, 256
SEEDS = (0, 1, 2)

Matrix = NDArray[Any]
Starts = list[Matrix]


def digest(X: Matrix, starts: Starts) -> Answer:
    """Judge each start by its potential: the sum of the squared distances to the nearest pick."""
    return {"potential": np.array([sum_of_squared_errors(X, start) for start in starts])}


def _seedings(kmeans_plusplus: Any, X: Matrix) -> Callable[[], Starts]:
    return lambda: [kmeans_plusplus(X, N_CLUSTERS, random_state=seed)[0] for seed in SEEDS]


def enter_coterie(X: Matrix) -> Callable[[], Starts]:
    from coterie.cluster import kmeans_plusplus

    return _seedings(kmeans_plusplus, X)


def enter_sklearn(X: Matrix) -> Callable[[], Starts]:
    from sklearn.cluster import kmeans_plusplus

    return _seedings(kmeans_plusplus, X)


def row(
    name: str, note: str, make: Callable[[], Matrix], *, bar: float | None = None, aim: float | None = None
) -> Row:
    """Make a seeding row."""
    return Row(
        name=name,
        work=f"greedy k-means++, 5e5 x 16, k=256, {len(SEEDS)} seeds{note}",
        make=make,
        contestants=(Contestant(OURS, enter_coterie), Contestant("scikit-learn", enter_sklearn)),
        digest=digest,
        agree=mean_at_most("potential", tolerance=0.1),
        bar=bar,
        aim=aim,
        most_rounds=2,
    )


ROWS = (
    row(
        "clustered",
        "",
        partial(overlapping_mixture, N_ROWS, N_COLUMNS, components=N_CLUSTERS, seed=30),
        bar=8,
        aim=20,
    ),
    row("uniform", ", uniform", partial(uniform, N_ROWS, N_COLUMNS, seed=30)),
)
