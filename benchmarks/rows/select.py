"""How many clusters: every criterion for k = 1..15, next to what one k of scikit-learn takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 70
LARGEST, RESTARTS = 15, 10


def make(n: int, d: int, k: int) -> NDArray[Any]:
    """Make rows of k overlapping clusters."""
    return overlapping_mixture(n, d, components=k, seed=SEED, dtype=np.float64)


def digest(X: NDArray[Any], distortion: float) -> Answer:
    """Compare the distortion at the largest k: ours must be as good a clustering."""
    return {"SSE": np.array(distortion)}


def enter_coterie(X: NDArray[Any]) -> Callable[[], float]:
    from coterie.select import choose_k

    def call() -> float:
        return choose_k(X, k=range(1, LARGEST + 1), random_state=0).curve("elbow").at(LARGEST)

    return call


def enter_sklearn(X: NDArray[Any]) -> Callable[[], float]:
    """Enter one converged k-means with ten restarts, which is no choice of k: the bar is a tenth of it."""
    from sklearn.cluster import KMeans

    def call() -> float:
        return float(KMeans(LARGEST, n_init=RESTARTS, random_state=0).fit(X).inertia_)

    return call


ROWS = (
    Row(
        name="all-criteria",
        work="choose_k of 1e5 x 16, k=1..15, all criteria; peer: k=15 alone, ten restarts",
        make=partial(make, 100_000, 16, 12),
        contestants=(Contestant(OURS, enter_coterie), Contestant("scikit-learn", enter_sklearn)),
        digest=digest,
        agree=mean_at_most("SSE", tolerance=0.01),
        bar=0.1,
        aim=1.0,
        most_rounds=2,
    ),
)
