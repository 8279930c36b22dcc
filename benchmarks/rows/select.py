"""How many clusters: every criterion for k = 1..15, next to what one k of scikit-learn takes.

And `coterie.fit` without questions, next to what people do today: k-means, best silhouette over k.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.measure import Measure, PeakMemory, Seconds
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 70
LARGEST, RESTARTS = 15, 10
GROUPS, APART = 8, 6.0
SILHOUETTE_ROWS = 2_000


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
    """Enter one converged k-means with ten restarts, which is not a choice of k: the bar is a tenth of it."""
    from sklearn.cluster import KMeans

    def call() -> float:
        return float(KMeans(LARGEST, n_init=RESTARTS, random_state=0).fit(X).inertia_)

    return call


def make_groups(n: int, d: int) -> NDArray[Any]:
    """Make rows of groups that are apart."""
    return overlapping_mixture(n, d, components=GROUPS, seed=SEED, separation=APART, dtype=np.float64)


def digest_fit(X: NDArray[Any], k: int) -> Answer:
    """Keep the number of groups: no two ways of choosing it need to agree."""
    return {"k": np.array(k)}


def enter_fit(budget: str, X: NDArray[Any]) -> Callable[[], int]:
    import coterie

    return lambda: coterie.fit(X, budget=budget).k


def enter_silhouettes(X: NDArray[Any]) -> Callable[[], int]:
    """Enter k-means for k = 2..15 and the silhouette of a sample: a number of groups, and no more."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    def score(k: int) -> float:
        labels = KMeans(k, n_init=RESTARTS, random_state=0).fit(X).labels_
        return float(silhouette_score(X, labels, sample_size=SILHOUETTE_ROWS, random_state=0))

    return lambda: max(range(2, LARGEST + 1), key=score)


def fit_row(name: str, work: str, n: int, budget: str, *, limit: float, measure: Measure, peer: bool) -> Row:
    """Make a row of `coterie.fit` with no other argument than a budget."""
    ours = Contestant(OURS, partial(enter_fit, budget))
    return Row(
        name=name,
        work=work,
        make=partial(make_groups, n, 10),
        contestants=(ours, Contestant("scikit-learn", enter_silhouettes)) if peer else (ours,),
        digest=digest_fit,
        agree=anything,
        measure=measure,
        limit=limit,
        most_rounds=1,
    )


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
    fit_row(
        "fit-1e4x10",
        "coterie.fit of 1e4 x 10; peer: k-means for k=2..15, best silhouette",
        10_000,
        "normal",
        limit=30,
        measure=Seconds(),
        peer=True,
    ),
    fit_row(
        "fit-1e6x10",
        "coterie.fit of 1e6 x 10, budget fast",
        1_000_000,
        "fast",
        limit=120,
        measure=Seconds(),
        peer=False,
    ),
    fit_row(
        "fit-1e6x10-memory",
        "coterie.fit of 1e6 x 10, budget fast, memory beyond the input",
        1_000_000,
        "fast",
        limit=4096,
        measure=PeakMemory(),
        peer=False,
    ),
)
