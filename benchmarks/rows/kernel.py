"""Kernel k-means from the same start: RBF kernel, to the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

GAMMA = 0.02
ITERATIONS = 50

Labels = NDArray[Any]


class Problem(NamedTuple):
    """Rows and the first label of each."""

    X: NDArray[Any]
    start: Labels
    k: int


def make(n: int, d: int, k: int) -> Problem:
    """Make normal clusters and a random partition."""
    X = overlapping_mixture(n, d, components=k, seed=70, dtype=np.float64)
    return Problem(X, np.random.default_rng(70).integers(k, size=n).astype(np.int32), k)


def digest(problem: Problem, labels: Labels) -> Answer:
    """Judge labels by the objective, straight from its formula."""
    from scipy.spatial.distance import cdist

    total = float(len(labels))
    for group in np.unique(labels):
        rows = problem.X[labels == group]
        total -= float(np.exp(-GAMMA * cdist(rows, rows, "sqeuclidean")).sum()) / len(rows)
    return {"inertia": np.array([total])}


def enter_coterie(p: Problem) -> Callable[[], Labels]:
    from coterie.cluster import KernelKMeans

    model = KernelKMeans(p.k, gamma=GAMMA, init=p.start, max_iter=ITERATIONS)
    return lambda: model.fit(p.X).labels_


def enter_tslearn(p: Problem) -> Callable[[], Labels]:
    """Fit from its own random partition: it takes no start."""
    from tslearn.clustering import KernelKMeans

    model = KernelKMeans(
        p.k,
        kernel="rbf",
        kernel_params={"gamma": GAMMA},
        n_init=1,
        max_iter=ITERATIONS,
        tol=0,
        random_state=0,
    )
    return lambda: model.fit(p.X).labels_


def enter_numpy(p: Problem) -> Callable[[], Labels]:
    """Multiply the matrix by the indicators of the groups in every iteration."""
    from sklearn.metrics.pairwise import rbf_kernel

    def solve() -> Labels:
        K, labels = rbf_kernel(p.X, gamma=GAMMA), p.start
        for _ in range(ITERATIONS):
            indicators = np.eye(p.k)[labels]
            sizes = indicators.sum(axis=0)
            sums = K @ indicators
            norms = (indicators * sums).sum(axis=0) / sizes**2
            nearest = (norms - 2 * sums / sizes).argmin(axis=1)
            if np.array_equal(nearest, labels):
                break
            labels = nearest
        return labels

    return solve


COTERIE = Contestant(OURS, enter_coterie)
TSLEARN = Contestant("tslearn", enter_tslearn)
NUMPY = Contestant("numpy", enter_numpy)

ROWS = (
    Row(
        name="rbf",
        work="kernel k-means 5000 x 8, k=10, RBF",
        make=partial(make, 5_000, 8, 10),
        contestants=(COTERIE, NUMPY),
        digest=digest,
        agree=close("inertia", tolerance=1e-6),
        bar=1,
        aim=4,
    ),
    Row(
        name="rbf-tslearn",
        work="kernel k-means 2000 x 8, k=10, RBF, its own start",
        make=partial(make, 2_000, 8, 10),
        contestants=(COTERIE, TSLEARN),
        digest=digest,
        agree=mean_at_most("inertia", tolerance=0.05),
        bar=4,
        aim=20,
    ),
)
