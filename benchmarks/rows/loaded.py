"""Every family beside a busy process: how much longer a call takes when half of the processors are taken.

Two threads of ours and one of a neighbour on two processors have two thirds of a processor each: 1.5 times
the idle time is fair. More is waiting: for threads that have no processor, at every end of a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything
from benchmarks.data import overlapping_mixture
from benchmarks.measure import Slowdown
from benchmarks.problem import OURS, Answer, Contestant, Row

LIMIT = 2.0
ROUNDS = 2

Matrix = NDArray[Any]


def make(n: int, d: int, k: int) -> Matrix:
    """Make normal clusters."""
    return overlapping_mixture(n, d, components=k, seed=90, dtype=np.float64)


def make_matrix(n: int, d: int, k: int) -> Matrix:
    """Make their distances."""
    from scipy.spatial.distance import cdist

    X = make(n, d, k)
    return cdist(X, X)


def enter(model: str, X: Matrix, **settings: Any) -> Callable[[], Any]:
    """Return the fit of a class of ``coterie.cluster``."""
    import coterie.cluster

    estimator = getattr(coterie.cluster, model)(**settings)
    return lambda: estimator.fit(X)


def enter_linkage(X: Matrix, *, method: str) -> Callable[[], Any]:
    from coterie.tree import linkage

    return lambda: linkage(X, method)


def enter_silhouette(X: Matrix) -> Callable[[], Any]:
    from coterie.cluster import KMeans
    from coterie.evaluate import silhouette_score

    labels = KMeans(20, n_init=1, random_state=0).fit(X).labels_
    return lambda: silhouette_score(X, labels)


def digest(problem: Matrix, result: Any) -> Answer:
    """Nothing is compared: the same library, alone and beside others."""
    return {}


def row(
    name: str, work: str, make: Callable[[], Matrix], enter: Callable[[Matrix], Callable[[], Any]]
) -> Row:
    """Make a row of ours alone."""
    return Row(
        name=name,
        work=work,
        make=make,
        contestants=(Contestant(OURS, enter),),
        digest=digest,
        agree=anything,
        measure=Slowdown(),
        limit=LIMIT,
        most_rounds=ROUNDS,
    )


def fit(model: str, **settings: Any) -> Callable[[Matrix], Callable[[], Any]]:
    """Return what enters a class with these settings."""
    return lambda X: enter(model, X, **settings)


ROWS = (
    row(
        "kmeans",
        "k-means 2e5 x 16, k=64, 20 it",
        partial(make, 200_000, 16, 64),
        fit("KMeans", n_clusters=64, n_init=1, max_iter=20, random_state=0),
    ),
    row(
        "medoids",
        "k-medoids 4,000, k=50, matrix given, one random start",
        partial(make_matrix, 4_000, 10, 50),
        fit("KMedoids", n_clusters=50, metric="precomputed", init="random", n_init=1, random_state=0),
    ),
    row("ward", "Ward 2e4 x 10", partial(make, 20_000, 10, 20), partial(enter_linkage, method="ward")),
    row(
        "average",
        "average linkage 5,000 x 10",
        partial(make, 5_000, 10, 20),
        partial(enter_linkage, method="average"),
    ),
    row("dbscan", "DBSCAN 1e5 x 3", partial(make, 100_000, 3, 20), fit("DBSCAN", eps=0.3, min_samples=10)),
    row("hdbscan", "HDBSCAN 5e4 x 3", partial(make, 50_000, 3, 20), fit("HDBSCAN", min_cluster_size=50)),
    row(
        "mixture",
        "Gaussian mixture 5e4 x 8, 8 components, 20 it",
        partial(make, 50_000, 8, 8),
        fit("GaussianMixture", n_components=8, max_iter=20, tol=0.0, random_state=0),
    ),
    row(
        "spectral",
        "spectral, 10 neighbours, 5,000 x 8",
        partial(make, 5_000, 8, 10),
        fit("SpectralClustering", n_clusters=10, affinity="nearest_neighbors", random_state=0),
    ),
    row("silhouette", "silhouette 2e4 x 16, 20 clusters", partial(make, 20_000, 16, 20), enter_silhouette),
)
