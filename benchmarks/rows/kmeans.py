"""K-means iterations from the same start, given as an array: one run, no tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.data import overlapping_mixture, sum_of_squared_errors, uniform
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 20
UNLIMITED = 10_000  # iterations; "to convergence"
WIDE_CONVERGES_AFTER = 27  # iterations of scikit-learn on the row "wide"; faiss must be told


@dataclass(frozen=True)
class Problem:
    """Rows to cluster, the start, and how far to go."""

    X: NDArray[Any]
    start: NDArray[Any]
    iterations: int
    faiss_iterations: int


class Fit(NamedTuple):
    """What every contestant returns."""

    centres: NDArray[Any]
    iterations: int


def make(
    n: int,
    d: int,
    k: int,
    *,
    iterations: int,
    clustered: bool = True,
    separation: float = 4.0,
    faiss_iterations: int | None = None,
    dtype: type[np.floating[Any]] = np.float32,
) -> Problem:
    """Make the rows and pick ``k`` of them as the start."""
    if clustered:
        X = overlapping_mixture(n, d, components=k, seed=SEED, separation=separation, dtype=dtype)
    else:
        X = uniform(n, d, seed=SEED, dtype=dtype)
    picks = np.random.default_rng(SEED + 1).choice(n, size=k, replace=False)
    return Problem(X, X[picks].copy(), iterations, faiss_iterations or iterations)


def digest(problem: Problem, fit: Fit) -> Answer:
    """Judge the centres by the one function for all."""
    return {
        "SSE": np.array(sum_of_squared_errors(problem.X, fit.centres)),
        "iterations": np.array(fit.iterations),
    }


def _estimator(KMeans: Any, problem: Problem, **extra: Any) -> Callable[[], Fit]:
    def fit() -> Fit:
        model = KMeans(
            n_clusters=len(problem.start),
            init=problem.start,
            n_init=1,
            max_iter=problem.iterations,
            tol=0.0,
            **extra,
        ).fit(problem.X)
        return Fit(model.cluster_centers_, model.n_iter_)

    return fit


def enter_coterie(problem: Problem) -> Callable[[], Fit]:
    from coterie.cluster import KMeans

    return _estimator(KMeans, problem)


def enter_sklearn(problem: Problem) -> Callable[[], Fit]:
    from sklearn.cluster import KMeans

    return _estimator(KMeans, problem, algorithm="lloyd")


def enter_sklearnex(problem: Problem) -> Callable[[], Fit]:
    from sklearnex.cluster import KMeans

    return _estimator(KMeans, problem, algorithm="lloyd")


def enter_faiss(problem: Problem) -> Callable[[], Fit]:
    """Enter faiss, which returns no labels: it is spared the last assignment that the others do."""
    import faiss

    n, d = problem.X.shape
    k = len(problem.start)
    settings: dict[str, Any] = {
        "niter": problem.faiss_iterations,
        "min_points_per_centroid": 1,
        "max_points_per_centroid": n,  # otherwise it takes a sample
    }
    if hasattr(faiss.ClusteringParameters(), "early_stop_threshold"):
        settings["early_stop_threshold"] = -1.0  # its float32 objective stalls before the last iteration

    def fit() -> Fit:
        model = faiss.Kmeans(d, k, **settings)
        model.train(problem.X, init_centroids=problem.start)
        return Fit(model.centroids, len(model.obj))

    return fit


COTERIE = Contestant(OURS, enter_coterie)
SKLEARN = Contestant("scikit-learn", enter_sklearn)
SKLEARNEX = Contestant("sklearnex", enter_sklearnex)
FAISS = Contestant("faiss", enter_faiss)


def row(
    name: str,
    size: tuple[int, int, int],
    *,
    extent: str,
    peers: tuple[Contestant, ...] = (SKLEARN, SKLEARNEX, FAISS),
    bar: float | None = None,
    aim: float | None = None,
    **how: Any,
) -> Row:
    """Make a row of ``n x d`` data and ``k`` clusters; ``how`` goes to ``make``."""
    n, d, k = size
    return Row(
        name=name,
        work=f"{n:.0e} x {d}, k={k}, {extent}".replace("e+0", "e"),
        make=partial(make, n, d, k, **how),
        contestants=(COTERIE, *peers),
        digest=digest,
        agree=close("SSE", tolerance=1e-3),
        bar=bar,
        aim=aim,
    )


# the bars are for clustered rows; the same problem on rows without structure stands next to each
PLANE, MIDDLE, WIDE = (1_000_000, 2, 100), (1_000_000, 16, 64), (100_000, 128, 256)
MANY, FEW = (500_000, 16, 1000), (1_000_000, 16, 8)
ROWS = (
    row("plane", PLANE, extent="50 it", iterations=50, bar=12, aim=20),
    row("plane-uniform", PLANE, extent="50 it, uniform", iterations=50, clustered=False),
    row("middle", MIDDLE, extent="50 it", iterations=50, bar=4, aim=10),
    row("middle-uniform", MIDDLE, extent="50 it, uniform", iterations=50, clustered=False),
    row(
        "middle-float64",
        MIDDLE,
        extent="50 it, float64",
        iterations=50,
        dtype=np.float64,
        peers=(SKLEARN, SKLEARNEX),  # faiss has float32 only
    ),
    row(
        "wide",
        WIDE,
        extent="to convergence",
        iterations=UNLIMITED,
        faiss_iterations=WIDE_CONVERGES_AFTER,
        separation=7.0,
        bar=4,
        aim=6,
    ),
    row("wide-uniform", WIDE, extent="50 it, uniform", iterations=50, clustered=False),
    row("many", MANY, extent="20 it", iterations=20, bar=3, aim=8),
    row("many-uniform", MANY, extent="20 it, uniform", iterations=20, clustered=False),
    row("few", FEW, extent="50 it", iterations=50, bar=1.5, aim=2),
    row("few-uniform", FEW, extent="50 it, uniform", iterations=50, clustered=False),
)
