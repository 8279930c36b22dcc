"""Gaussian mixtures: iterations from the same parameters, no tolerance."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from benchmarks.agreement import close
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 50


@dataclass(frozen=True)
class Problem:
    """Rows, first parameters, and how many iterations."""

    X: NDArray[Any]
    options: dict[str, Any]


def make(n: int, d: int, k: int, *, kind: str, iterations: int, dtype: DTypeLike = np.float64) -> Problem:
    """Make the rows, and start with random rows as means and one round covariance."""
    X = overlapping_mixture(n, d, components=k, seed=SEED, dtype=dtype)
    picks = np.random.default_rng(SEED + 1).choice(n, size=k, replace=False)
    precision = float(1 / X[:10_000].var(axis=0).mean())
    precisions = {
        "full": np.repeat(np.eye(d)[None] * precision, k, axis=0),
        "tied": np.eye(d) * precision,
        "diag": np.full((k, d), precision),
        "spherical": np.full(k, precision),
    }
    options = {
        "n_components": k,
        "covariance_type": kind,
        "weights_init": np.full(k, 1 / k, dtype=dtype),
        "means_init": X[picks].copy(),
        "precisions_init": precisions[kind].astype(dtype),
        "max_iter": iterations,
        "tol": 0.0,
    }
    return Problem(X, options)


def digest(problem: Problem, model: Any) -> Answer:
    """Compare the likelihood of the last iteration."""
    return {"likelihood": np.array(model.lower_bound_), "iterations": np.array(model.n_iter_)}


def _fit(GaussianMixture: Any, problem: Problem) -> Callable[[], Any]:
    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # all iterations are wanted, none converges
            return GaussianMixture(**problem.options).fit(problem.X)

    return fit


def enter_coterie(problem: Problem) -> Callable[[], Any]:
    from coterie.cluster import GaussianMixture

    return _fit(GaussianMixture, problem)


def enter_sklearn(problem: Problem) -> Callable[[], Any]:
    from sklearn.mixture import GaussianMixture

    return _fit(GaussianMixture, problem)


def row(name: str, size: tuple[int, int, int], *, words: str, bar: float, aim: float, **how: Any) -> Row:
    """Make a row of ``n x d`` data and ``k`` components; ``how`` goes to ``make``."""
    n, d, k = size
    return Row(
        name=name,
        work=f"{n:.0e} x {d}, {k} components, {words}".replace("e+0", "e"),
        make=partial(make, n, d, k, **how),
        contestants=(Contestant(OURS, enter_coterie), Contestant("scikit-learn", enter_sklearn)),
        digest=digest,
        agree=close("likelihood", tolerance=1e-4),
        bar=bar,
        aim=aim,
    )


MIDDLE = (200_000, 16, 16)
ROWS = (
    row("full", MIDDLE, words="full, 20 it", kind="full", iterations=20, bar=4, aim=10),
    row(
        "full-float32",
        MIDDLE,
        words="full, 20 it, float32",
        kind="full",
        iterations=20,
        bar=4,
        aim=10,
        dtype=np.float32,
    ),
    row("tied", MIDDLE, words="tied, 20 it", kind="tied", iterations=20, bar=1, aim=4),
    row("diag", MIDDLE, words="diag, 20 it", kind="diag", iterations=20, bar=1, aim=4),
    row("spherical", MIDDLE, words="spherical, 20 it", kind="spherical", iterations=20, bar=1, aim=4),
)
