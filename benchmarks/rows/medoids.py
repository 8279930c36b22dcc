"""K-medoids: from a given matrix, from rows, and the medoid silhouette; same start, or random ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

N_FEATURES = 10
TOLERANCE = 0.01  # the peer's threads take swaps in another order and end at another optimum of the same kind

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Rows, their distances, the first medoids, and which objective is meant."""

    X: Matrix
    D: Matrix | None
    start: NDArray[np.int64]
    objective: str


def make(n: int, k: int, *, objective: str, keeps_matrix: bool) -> Problem:
    """Make normal clusters, their distances if the row is about a matrix, and a random start."""
    from scipy.spatial.distance import cdist

    X = overlapping_mixture(n, N_FEATURES, components=k, seed=60, dtype=np.float64)
    D = cdist(X, X) if keeps_matrix else None
    return Problem(X, D, np.random.default_rng(60).permutation(n)[:k], objective)


def digest(problem: Problem, medoids: NDArray[Any]) -> Answer:
    """Judge medoids by the loss over all rows."""
    from scipy.spatial.distance import cdist

    two = np.partition(cdist(problem.X, problem.X[np.asarray(medoids, dtype=np.int64)]), 1, axis=1)
    losses = two[:, 0] if problem.objective == "distance" else two[:, 0] / two[:, 1]
    return {"loss": np.array([losses.sum()])}


def enter_coterie(p: Problem, *, order: str = "C") -> Callable[[], NDArray[Any]]:
    from coterie.cluster import KMedoids

    method = "fasterpam" if p.objective == "distance" else "fastermsc"
    metric, data = ("euclidean", p.X) if p.D is None else ("precomputed", np.asarray(p.D, order=order))
    model = KMedoids(len(p.start), metric=metric, method=method, init=p.start)
    return lambda: model.fit(data).medoid_indices_


def enter_coterie_random(
    p: Problem, *, order: str = "C", n_init: int | str = 1
) -> Callable[[], NDArray[Any]]:
    from coterie.cluster import KMedoids

    D = np.asarray(p.D, order=order)
    model = KMedoids(len(p.start), metric="precomputed", init="random", n_init=n_init, random_state=60)
    return lambda: model.fit(D).medoid_indices_


def enter_kmedoids(p: Problem, *, order: str = "C") -> Callable[[], NDArray[Any]]:
    import kmedoids
    from scipy.spatial.distance import cdist

    solve = kmedoids.fasterpam if p.objective == "distance" else kmedoids.fastermsc
    start = p.start.astype(np.uint64)
    if p.D is None:
        return lambda: solve(cdist(p.X, p.X), start).medoids
    D = np.asarray(p.D, order=order)
    return lambda: solve(D, start).medoids


def enter_kmedoids_random(p: Problem, *, order: str = "C") -> Callable[[], NDArray[Any]]:
    import kmedoids

    D = np.asarray(p.D, order=order)
    return lambda: kmedoids.fasterpam(D, len(p.start), init="random", random_state=60).medoids


COTERIE = Contestant(OURS, enter_coterie)
KMEDOIDS = Contestant("kmedoids", enter_kmedoids)
COTERIE_F = Contestant(OURS, partial(enter_coterie, order="F"))
KMEDOIDS_F = Contestant("kmedoids", partial(enter_kmedoids, order="F"))


def at_random(order: str, n_init: int | str = 1) -> tuple[Contestant, ...]:
    """Return both libraries with random starts of their own; the peer makes one."""
    return (
        Contestant(OURS, partial(enter_coterie_random, order=order, n_init=n_init)),
        Contestant("kmedoids", partial(enter_kmedoids_random, order=order)),
    )


def row(
    name: str,
    work: str,
    n: int,
    k: int,
    *,
    objective: str = "distance",
    keeps_matrix: bool = True,
    contestants: tuple[Contestant, ...] = (COTERIE, KMEDOIDS),
    bar: float | None = None,
    aim: float | None = None,
) -> Row:
    """Make a row; the answer is a loss that is at most a percent above the peer's."""
    return Row(
        name=name,
        work=work,
        make=partial(make, n, k, objective=objective, keeps_matrix=keeps_matrix),
        contestants=contestants,
        digest=digest,
        agree=mean_at_most("loss", tolerance=TOLERANCE),
        bar=bar,
        aim=aim,
    )


ROWS = (
    row("matrix", "k-medoids 1e4, k=50, matrix given and checked", 10_000, 50, bar=4, aim=10),
    row(
        "matrix-fortran",
        "the same in Fortran order, which suits the peer",
        10_000,
        50,
        contestants=(COTERIE_F, KMEDOIDS_F),
        bar=1,
    ),
    row(
        "random",
        "k-medoids 1e4, k=50, matrix given, one random start",
        10_000,
        50,
        contestants=at_random("C"),
        bar=4,
        aim=10,
    ),
    row(
        "random-fortran",
        "the same in Fortran order",
        10_000,
        50,
        contestants=at_random("F"),
        bar=1,
        aim=2,
    ),
    row(
        "random-ten",
        "the same, ten random starts of ours (the default), one of the peer",
        10_000,
        50,
        contestants=at_random("C", "auto"),
        bar=1,
        aim=4,
    ),
    row("rows", "k-medoids 1e4 x 10, k=50, from rows", 10_000, 50, keeps_matrix=False, bar=4, aim=10),
    row(
        "silhouette", "medoid silhouette 5000, k=20, matrix given", 5_000, 20, objective="ratio", bar=1, aim=4
    ),
)
