"""Time series: DTW of all pairs, nearest series, k-means by DTW and k-Shape; quality beside time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, mean_at_most
from benchmarks.problem import OURS, Answer, Contestant, Row

N_POINTS = 128
WINDOW = 12  # steps off the diagonal; dtaidistance counts the diagonal too: 13
N_SHAPES = 4
ITERATIONS = 10
QUERIES = 10  # every tenth series

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Series in rows, and the shape of each."""

    X: Matrix
    shapes: NDArray[np.int64]


def make(n: int) -> Problem:
    """Make series of four shapes that are shifted in time and noisy, z-normalised."""
    rng = np.random.default_rng(25)
    t, shapes = np.linspace(0, 1, N_POINTS), np.arange(n) % N_SHAPES
    kinds: tuple[Callable[[Matrix], Matrix], ...] = (
        lambda u: np.sin(4 * np.pi * u),
        lambda u: np.sign(np.sin(4 * np.pi * u)),
        lambda u: np.exp(-(((u - 0.5) / 0.1) ** 2)),
        lambda u: u**2,
    )
    X = np.array([kinds[s](t + rng.uniform(-0.08, 0.08)) + rng.normal(0, 0.2, N_POINTS) for s in shapes])
    X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
    return Problem(X, shapes)


def digest_matrix(problem: Problem, D: Matrix) -> Answer:
    """Take the distances above the diagonal."""
    upper = np.triu_indices(len(problem.X), 1)
    return {"distances": np.asarray(D)[upper] if np.ndim(D) == 2 else np.asarray(D)}


def digest_centres(problem: Problem, centres: Matrix, *, metric: str) -> Answer:
    """Judge centres by their inertia, found by one engine for all."""
    from coterie.series import pairwise

    apart = pairwise(problem.X, list(np.asarray(centres)), metric=metric).min(axis=1)
    return {"inertia": np.array([(apart**2).sum() if metric == "dtw" else apart.sum()])}


def pairs_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.series import pairwise

    return lambda: pairwise(p.X, window=WINDOW)


def pairs_dtaidistance(p: Problem) -> Callable[[], Matrix]:
    """Run its C with all threads."""
    from dtaidistance import dtw

    return lambda: dtw.distance_matrix_fast(p.X, window=WINDOW + 1)


def pairs_tslearn(p: Problem) -> Callable[[], Matrix]:
    from tslearn.metrics import cdist_dtw

    def solve() -> Matrix:
        return cdist_dtw(p.X, global_constraint="sakoe_chiba", sakoe_chiba_radius=WINDOW, n_jobs=-1)

    return solve


def nearest_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.series import nearest

    queries = p.X[::QUERIES]
    return lambda: nearest(queries, p.X, k=2, window=WINDOW).distances


def nearest_dtaidistance(p: Problem) -> Callable[[], Matrix]:
    """Compare the queries with all series by its C with all threads."""
    from dtaidistance import dtw

    n = len(p.X[::QUERIES])
    both, block = np.vstack([p.X[::QUERIES], p.X]), ((0, n), (n, n + len(p.X)))

    def solve() -> Matrix:
        D = dtw.distance_matrix_fast(both, window=WINDOW + 1, block=block)
        return np.sort(np.asarray(D)[:n, n:], axis=1)[:, :2]

    return solve


def kmeans_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.series import TimeSeriesKMeans

    model = TimeSeriesKMeans(N_SHAPES, metric="dtw", max_iter=ITERATIONS, init=p.X[:N_SHAPES])
    return lambda: model.fit(p.X).cluster_centers_


def kmeans_tslearn(p: Problem) -> Callable[[], Matrix]:
    from tslearn.clustering import TimeSeriesKMeans

    start = p.X[:N_SHAPES, :, None]
    model = TimeSeriesKMeans(N_SHAPES, metric="dtw", max_iter=ITERATIONS, init=start, n_jobs=-1)
    return lambda: model.fit(p.X).cluster_centers_


def shapes_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.series import KShape

    model = KShape(N_SHAPES, random_state=0)
    return lambda: model.fit(p.X).cluster_centers_


def shapes_tslearn(p: Problem) -> Callable[[], Matrix]:
    from tslearn.clustering import KShape

    model = KShape(N_SHAPES, random_state=0)
    return lambda: model.fit(p.X[:, :, None]).cluster_centers_


ROWS = (
    Row(
        name="pairs",
        work="DTW of all pairs, 500 series of 128, window 12",
        make=partial(make, 500),
        contestants=(Contestant(OURS, pairs_coterie), Contestant("dtaidistance", pairs_dtaidistance)),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-9),
        bar=3,
        aim=6,
    ),
    Row(
        name="pairs-tslearn",
        work="the same beside tslearn",
        make=partial(make, 500),
        contestants=(Contestant(OURS, pairs_coterie), Contestant("tslearn", pairs_tslearn)),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-9),
        bar=20,
        aim=40,
        most_rounds=3,
    ),
    Row(
        name="nearest",
        work="2 nearest of 1000 series of 128 by DTW for 100 of them, window 12",
        make=partial(make, 1_000),
        contestants=(Contestant(OURS, nearest_coterie), Contestant("dtaidistance", nearest_dtaidistance)),
        digest=lambda problem, found: {"distances": np.asarray(found)[:, 1]},
        agree=close("distances", tolerance=1e-9),
        bar=3,
        most_rounds=3,
    ),
    Row(
        name="kmeans",
        work="k-means by DTW (DBA), 300 series of 128, k=4, 10 iterations, same start",
        make=partial(make, 300),
        contestants=(Contestant(OURS, kmeans_coterie), Contestant("tslearn", kmeans_tslearn)),
        digest=partial(digest_centres, metric="dtw"),
        agree=mean_at_most("inertia", tolerance=0.02),
        bar=10,
        most_rounds=3,
    ),
    Row(
        name="kshape",
        work="k-Shape, 500 series of 128, k=4",
        make=partial(make, 500),
        contestants=(Contestant(OURS, shapes_coterie), Contestant("tslearn", shapes_tslearn)),
        digest=partial(digest_centres, metric="sbd"),
        agree=mean_at_most("inertia", tolerance=0.05),
        bar=20,
        most_rounds=3,
    ),
)
