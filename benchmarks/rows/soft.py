"""Soft groups, maps and blocks: Bayesian mixtures, fuzzy c-means, self-organizing maps, biclustering."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 60
ITERATIONS = 20
SIDE = 15  # of the grid of a map
PASSES = 10  # of MiniSom over the rows
FUZZIFIER = 2.0

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Rows, and how many groups."""

    X: Matrix
    k: int


def make(n: int, d: int, k: int) -> Problem:
    """Make overlapping clouds."""
    return Problem(overlapping_mixture(n, d, components=k, seed=SEED, dtype=np.float64), k)


def make_board(n: int, d: int) -> Problem:
    """Make a noisy checkerboard of 4 x 3 blocks."""
    rng = np.random.default_rng(SEED)
    blocks = rng.uniform(10, 100, size=(4, 3))
    rows, columns = rng.integers(4, size=n), rng.integers(3, size=d)
    return Problem(np.maximum(blocks[rows][:, columns] + rng.normal(0, 10, (n, d)), 0.1), 4)


def quietly(fit: Callable[[], Any]) -> Callable[[], Any]:
    """Run without warnings: iterations are counted, none converges."""

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit()

    return run


def bayes(mixture: Any, p: Problem, kind: str) -> Callable[[], Any]:
    options = {"n_components": p.k, "covariance_type": kind, "init_params": "random", "random_state": 0}
    return quietly(lambda: mixture(**options, max_iter=ITERATIONS, tol=0.0).fit(p.X))


def bayes_coterie(p: Problem, *, kind: str) -> Callable[[], Any]:
    from coterie.cluster import BayesianGaussianMixture

    return bayes(BayesianGaussianMixture, p, kind)


def bayes_sklearn(p: Problem, *, kind: str) -> Callable[[], Any]:
    from sklearn.mixture import BayesianGaussianMixture

    return bayes(BayesianGaussianMixture, p, kind)


def digest_bound(_: Problem, model: Any) -> Answer:
    """Compare the lower bound of the last iteration."""
    return {"bound": np.ravel(model.lower_bound_), "iterations": np.array(model.n_iter_)}


def fuzzy_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.cluster import FuzzyCMeans

    options = {"m": FUZZIFIER, "init": p.X[: p.k], "max_iter": ITERATIONS, "tol": 0.0}
    return quietly(lambda: FuzzyCMeans(p.k, **options).fit(p.X).cluster_centers_)


def fuzzy_numpy(p: Problem) -> Callable[[], Matrix]:
    """Run the formulas with matrix products, as scikit-fuzzy does."""

    def fit() -> Matrix:
        centers, squares = p.X[: p.k], np.square(p.X).sum(axis=1)[:, None]
        for _ in range(ITERATIONS):
            squared = squares - 2 * p.X @ centers.T + np.square(centers).sum(axis=1)
            powers = np.maximum(squared, np.finfo(float).eps) ** (-1 / (FUZZIFIER - 1))
            weights = (powers / powers.sum(axis=1, keepdims=True)) ** FUZZIFIER
            centers = weights.T @ p.X / weights.sum(axis=0)[:, None]
        return centers

    return fit


def digest_fuzzy(p: Problem, centers: Matrix) -> Answer:
    """Judge centres by the objective."""
    squared = np.square(p.X[:, None, :] - centers).sum(axis=2)
    powers = np.maximum(squared, np.finfo(float).tiny) ** (-1 / (FUZZIFIER - 1))
    shares = powers / powers.sum(axis=1, keepdims=True)
    return {"objective": np.array([(shares**FUZZIFIER * squared).sum()])}


def som_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.cluster import SelfOrganizingMap

    return lambda: SelfOrganizingMap(SIDE, SIDE).fit(p.X).codebook_


def som_minisom(p: Problem) -> Callable[[], Matrix]:
    """Run its defaults, which end with the lowest quantization error, for ten passes."""
    from minisom import MiniSom

    def fit() -> Matrix:
        som = MiniSom(SIDE, SIDE, p.X.shape[1], random_seed=0)
        som.pca_weights_init(p.X)
        som.train(p.X, PASSES * len(p.X))
        return np.asarray(som.get_weights()).reshape(SIDE * SIDE, -1)

    return fit


def digest_map(p: Problem, codebook: Matrix) -> Answer:
    """Judge vectors by the mean distance of a row to the nearest."""
    from coterie.distance import nearest

    return {"quantization": np.array([nearest(p.X, codebook).distance.mean()])}


def board_coterie(p: Problem) -> Callable[[], Any]:
    from coterie.cluster import SpectralBiclustering

    return lambda: SpectralBiclustering((4, 3), random_state=0).fit(p.X)


def board_sklearn(p: Problem) -> Callable[[], Any]:
    from sklearn.cluster import SpectralBiclustering

    return lambda: SpectralBiclustering((4, 3), random_state=0).fit(p.X)


def digest_board(p: Problem, model: Any) -> Answer:
    """Judge blocks by the squares about their means."""
    X, rows, columns = p.X, model.row_labels_, model.column_labels_
    rest = sum(
        float(np.square(block - block.mean()).sum())
        for i in range(4)
        for j in range(3)
        if (block := X[rows == i][:, columns == j]).size
    )
    return {"rest": np.array([rest])}


ROWS = (
    *(
        Row(
            name=f"bayesian-{kind}",
            work=f"1e5 x 16, 16 components, {kind}, {ITERATIONS} it",
            make=partial(make, 100_000, 16, 16),
            contestants=(
                Contestant(OURS, partial(bayes_coterie, kind=kind)),
                Contestant("scikit-learn", partial(bayes_sklearn, kind=kind)),
            ),
            digest=digest_bound,
            agree=close("bound", tolerance=1e-6),
            bar=2,
            aim=8,
        )
        for kind in ("full", "tied", "diag", "spherical")
    ),
    Row(
        name="fuzzy",
        work=f"2e5 x 8, 10 groups, m = 2, {ITERATIONS} it",
        make=partial(make, 200_000, 8, 10),
        contestants=(Contestant(OURS, fuzzy_coterie), Contestant("NumPy", fuzzy_numpy)),
        digest=digest_fuzzy,
        agree=close("objective", tolerance=1e-9),
        bar=5,
        aim=10,
    ),
    Row(
        name="som",
        work=f"1e4 x 16, {SIDE} x {SIDE} nodes",
        make=partial(make, 10_000, 16, 12),
        contestants=(Contestant(OURS, som_coterie), Contestant("MiniSom", som_minisom)),
        digest=digest_map,
        agree=mean_at_most("quantization", tolerance=0.0),
        bar=20,
        aim=30,
    ),
    Row(
        name="checkerboard",
        work="1500 x 1000, 4 x 3 blocks",
        make=partial(make_board, 1500, 1000),
        contestants=(Contestant(OURS, board_coterie), Contestant("scikit-learn", board_sklearn)),
        digest=digest_board,
        agree=mean_at_most("rest", tolerance=1e-6),
        bar=2,
        aim=10,
    ),
)
