"""Tables with categories and gaps: distances, k-modes, k-prototypes, latent classes, observed cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, mean_at_most
from benchmarks.problem import OURS, Answer, Contestant, Row

N_LEVELS = 6
TYPICAL = 0.7  # share of the cells that have the category of their group
STARTS = 10
TOLERANCE = 0.01  # both end at optima of the same kind, not always at the same one

Cells = NDArray[np.float64]


class Problem(NamedTuple):
    """Rows of numbers and codes of categories, how many columns are numbers, and the starts."""

    X: Cells
    n_numbers: int
    starts: list[NDArray[np.int64]]


def make(n: int, n_numbers: int, n_categories: int, k: int = 5) -> Problem:
    """Make groups with typical numbers and categories, and random rows to start from."""
    rng = np.random.default_rng(70)
    group = rng.integers(0, k, n)
    numbers = rng.normal(size=(n, n_numbers)) + 2 * rng.normal(size=(k, n_numbers))[group]
    typical = rng.integers(0, N_LEVELS, (k, n_categories))[group]
    other = rng.integers(0, N_LEVELS, (n, n_categories))
    codes = np.where(rng.random((n, n_categories)) < TYPICAL, typical, other)
    starts = [rng.choice(n, k, replace=False) for _ in range(STARTS)]
    return Problem(np.hstack([numbers, codes]), n_numbers, starts)


def frame_of(p: Problem) -> Any:
    """Return the rows as a frame of floats and text."""
    import pandas as pd

    numbers = {f"number {j}": p.X[:, j] for j in range(p.n_numbers)}
    names = p.X[:, p.n_numbers :].astype(int).astype(str).T
    return pd.DataFrame(numbers | {f"category {j}": column for j, column in enumerate(names)})


def enter_coterie_gower(p: Problem) -> Callable[[], Cells]:
    from coterie.distance import pairwise_distances

    frame = frame_of(p)
    return lambda: pairwise_distances(frame, metric="gower")


def enter_coterie_gower_float32(p: Problem) -> Callable[[], Cells]:
    from coterie.distance import pairwise_distances

    frame = frame_of(p)
    narrow = frame.astype(dict.fromkeys(frame.columns[: p.n_numbers], np.float32))
    return lambda: pairwise_distances(narrow, metric="gower")


def enter_gower(p: Problem) -> Callable[[], Cells]:
    import gower

    is_category = [j >= p.n_numbers for j in range(p.X.shape[1])]  # codes suit it better than text
    return lambda: gower.gower_matrix(p.X, cat_features=is_category)


def enter_coterie_prototypes(p: Problem) -> Callable[[], float]:
    from coterie.cluster import KModes, KPrototypes

    categorical = list(range(p.n_numbers, p.X.shape[1]))

    def run() -> float:
        costs = []
        for start in p.starts:
            if p.n_numbers:
                model: Any = KPrototypes(len(start), categorical=categorical, init=p.X[start])
            else:
                model = KModes(len(start), init=p.X[start])
            costs.append(model.fit(p.X).cost_)
        return min(costs)

    return run


def enter_kmodes(p: Problem) -> Callable[[], float]:
    from kmodes.kmodes import KModes
    from kmodes.kprototypes import KPrototypes

    categorical = list(range(p.n_numbers, p.X.shape[1]))

    def run() -> float:
        costs = []
        for start in p.starts:
            first = p.X[start]
            if p.n_numbers:
                init = [first[:, : p.n_numbers], first[:, p.n_numbers :]]
                model = KPrototypes(len(start), init=init, n_init=1).fit(p.X, categorical=categorical)
            else:
                model = KModes(len(start), init=first, n_init=1).fit(p.X)
            costs.append(model.cost_)
        return min(costs)

    return run


def with_gaps(n: int, n_columns: int, k: int = 5) -> Problem:
    """Make groups of numbers with a quarter of the cells missing, none in the first column."""
    p = make(n, n_columns, 0, k)
    is_gone = np.random.default_rng(71).random(p.X.shape) < 0.25
    is_gone[:, 0] = False
    return p._replace(X=np.where(is_gone, np.nan, p.X))


def enter_coterie_observed_distances(p: Problem) -> Callable[[], Cells]:
    from coterie.distance import pairwise_distances

    return lambda: pairwise_distances(p.X, metric="nan_euclidean")


def enter_sklearn_observed_distances(p: Problem) -> Callable[[], Cells]:
    from sklearn.metrics.pairwise import nan_euclidean_distances

    return lambda: nan_euclidean_distances(p.X)


def first_centres(p: Problem, start: NDArray[np.int64]) -> Cells:
    """Return rows to start from, their gaps filled with the means of the columns."""
    return np.where(np.isnan(p.X[start]), np.nanmean(p.X, axis=0), p.X[start])


def enter_coterie_observed(p: Problem) -> Callable[[], float]:
    from coterie.cluster import KMeans

    def run() -> float:
        costs = []
        for start in p.starts:
            model = KMeans(len(start), init=first_centres(p, start), missing="observed", tol=0.0)
            costs.append(model.fit(p.X).inertia_)
        return min(costs)

    return run


def enter_k_pod(p: Problem) -> Callable[[], float]:
    """K-POD as published, around scikit-learn's k-means: fill with the own centre, run, repeat."""
    from sklearn.cluster import KMeans

    is_there = ~np.isnan(p.X)

    def one(start: NDArray[np.int64]) -> float:
        centers = first_centres(p, start)
        filled, before = np.where(is_there, p.X, np.nanmean(p.X, axis=0)), np.inf
        while True:
            model = KMeans(len(start), init=centers, n_init=1, tol=0.0).fit(filled)
            centers = model.cluster_centers_
            filled = np.where(is_there, p.X, centers[model.labels_])
            cost = float((np.where(is_there, p.X - centers[model.labels_], 0.0) ** 2).sum())
            if not cost < before * (1 - 1e-9):
                return cost
            before = cost

    return lambda: min(map(one, p.starts))


N_CLASSES = 4
EM_STARTS = 3


def enter_coterie_classes(p: Problem) -> Callable[[], float]:
    from coterie.cluster import LatentClasses

    columns = list(range(p.X.shape[1]))

    def run() -> float:
        model = LatentClasses(N_CLASSES, categorical=columns, n_init=EM_STARTS, random_state=0).fit(p.X)
        return -float(model.score(p.X)) * len(p.X)

    return run


def enter_stepmix(p: Problem) -> Callable[[], float]:
    from stepmix.stepmix import StepMix

    options: Any = {"measurement": "categorical", "n_init": EM_STARTS, "random_state": 0, "verbose": 0}

    def run() -> float:
        model = StepMix(n_components=N_CLASSES, progress_bar=0, **options).fit(p.X)
        return -float(model.score(p.X)) * len(p.X)

    return run


def digest_matrix(_: Problem, D: Cells) -> Answer:
    """Compare all distances; the peer has float32."""
    return {"distances": np.asarray(D)}


def digest_cost(_: Problem, cost: float) -> Answer:
    """Compare the least cost of all starts."""
    return {"cost": np.array([cost])}


PROTOTYPES = (Contestant(OURS, enter_coterie_prototypes), Contestant("kmodes", enter_kmodes))


def prototypes(name: str, work: str, n: int, n_numbers: int, n_categories: int, bar: float) -> Row:
    """Make a row of ten starts; the answer is a cost at most a percent above the peer's."""
    return Row(
        name=name,
        work=work,
        make=partial(make, n, n_numbers, n_categories),
        contestants=PROTOTYPES,
        digest=digest_cost,
        agree=mean_at_most("cost", tolerance=TOLERANCE),
        bar=bar,
        most_rounds=3,
    )


ROWS = (
    Row(
        name="gower",
        work="Gower's matrix 5000 x (6 + 6), from a frame; float64, the peer's is float32",
        make=partial(make, 5_000, 6, 6),
        contestants=(Contestant(OURS, enter_coterie_gower), Contestant("gower", enter_gower)),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-5),
        bar=50,
        aim=200,
        most_rounds=3,
    ),
    Row(
        name="gower float32",
        work="Gower's matrix 5000 x (6 + 6), from a frame; float32 on both sides",
        make=partial(make, 5_000, 6, 6),
        contestants=(Contestant(OURS, enter_coterie_gower_float32), Contestant("gower", enter_gower)),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-5),
        bar=50,
        aim=200,
        most_rounds=3,
    ),
    Row(
        name="gaps",
        work="nan_euclidean matrix 5000 x 12, a quarter of the cells missing",
        make=partial(with_gaps, 5_000, 12),
        contestants=(
            Contestant(OURS, enter_coterie_observed_distances),
            Contestant("scikit-learn", enter_sklearn_observed_distances),
        ),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-6),
        most_rounds=3,
    ),
    Row(
        name="observed",
        work="k-means on observed cells 20,000 x 12, k=5, ten starts; the peer is k-POD around its k-means",
        make=partial(with_gaps, 20_000, 12),
        contestants=(Contestant(OURS, enter_coterie_observed), Contestant("scikit-learn", enter_k_pod)),
        digest=digest_cost,
        agree=mean_at_most("cost", tolerance=TOLERANCE),
        most_rounds=3,
    ),
    Row(
        name="classes",
        work="latent classes 3000 x 12 categories, 4 classes, three starts",
        make=partial(make, 3_000, 0, 12),
        contestants=(Contestant(OURS, enter_coterie_classes), Contestant("stepmix", enter_stepmix)),
        digest=digest_cost,
        agree=mean_at_most("cost", tolerance=TOLERANCE),
        most_rounds=3,
    ),
    prototypes("prototypes", "k-prototypes 3000 x (6 + 6), k=5, ten starts", 3_000, 6, 6, bar=20),
    prototypes("modes", "k-modes 10,000 x 12, k=5, ten starts", 10_000, 0, 12, bar=5),
)
