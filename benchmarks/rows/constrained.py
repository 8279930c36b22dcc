"""K-means with limits for the sizes of groups, from the same start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 70
TOLERANCE = 0.005  # the peer rounds costs to whole numbers, and may end at another optimum
UNEVEN = 0.2  # sizes may differ from the mean by this share


class Problem(NamedTuple):
    """Rows, the start and the limits."""

    X: NDArray[Any]
    start: NDArray[Any]
    size_min: int
    size_max: int


def make(n: int, d: int, k: int) -> Problem:
    """Make normal clusters and pick ``k`` rows as the start."""
    X = overlapping_mixture(n, d, components=k, seed=SEED, dtype=np.float64)
    start = X[np.random.default_rng(SEED).choice(n, size=k, replace=False)]
    return Problem(X, start, int((1 - UNEVEN) * n / k), int((1 + UNEVEN) * n / k))


def digest(problem: Problem, labels: NDArray[Any]) -> Answer:
    """Judge labels by the squared distances to the means of their groups; broken limits count as infinite."""
    k = len(problem.start)
    sizes = np.bincount(labels, minlength=k)
    is_kept = sizes.min() >= problem.size_min and sizes.max() <= problem.size_max
    away = [((rows - rows.mean(axis=0)) ** 2).sum() for rows in (problem.X[labels == j] for j in range(k))]
    return {"SSE": np.array([sum(away) if is_kept else np.inf])}


def _enter(kind: Any, problem: Problem) -> Callable[[], NDArray[Any]]:
    model = kind(
        n_clusters=len(problem.start),
        size_min=problem.size_min,
        size_max=problem.size_max,
        init=problem.start,
        n_init=1,
        tol=1e-4,
    )
    return lambda: model.fit(problem.X).labels_


def enter_coterie(problem: Problem) -> Callable[[], NDArray[Any]]:
    from coterie.cluster import ConstrainedKMeans

    return _enter(ConstrainedKMeans, problem)


def enter_peer(problem: Problem) -> Callable[[], NDArray[Any]]:
    from k_means_constrained import KMeansConstrained

    return _enter(KMeansConstrained, problem)


COTERIE = Contestant(OURS, enter_coterie)
PEER = Contestant("k-means-constrained", enter_peer)


def row(name: str, size: tuple[int, int, int], *peers: Contestant, bar: float | None = None) -> Row:
    """Make a row of ``n x d`` data and ``k`` groups."""
    n, d, k = size
    return Row(
        name=name,
        work=f"{n:.0e} x {d}, k={k}, sizes within 20 % of n / k".replace("e+0", "e"),
        make=partial(make, n, d, k),
        contestants=(COTERIE, *peers),
        digest=digest,
        agree=mean_at_most("SSE", tolerance=TOLERANCE),
        bar=bar,
    )


ROWS = (
    row("sizes", (10_000, 8, 10), PEER, bar=20),
    row("sizes-million", (1_000_000, 8, 10)),
)
