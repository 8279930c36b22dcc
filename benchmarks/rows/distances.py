"""Distance matrices for every distance of the catalogue, and nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, every
from benchmarks.data import uniform
from benchmarks.problem import OURS, Answer, Contestant, Row

N_ROWS = 4000
ROWS_COMPARED = slice(None, None, 16)  # entry by entry; the others through the sums of rows and columns

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Two sets of rows, the distance and its parameters."""

    X: Matrix
    Y: Matrix
    metric: str
    parameters: dict[str, Any]


def make(metric: str, parameters: dict[str, Any], *, d: int, dtype: Any, values: str) -> Problem:
    """Make rows of the kind that the distance is for."""
    X, Y = (uniform(N_ROWS, d, seed=seed, dtype=np.float64) for seed in (50, 51))
    if values == "categories":
        X, Y = np.floor(4 * X), np.floor(4 * Y)
    elif values == "booleans":
        X, Y = X < 0.5, Y < 0.5
    if metric == "seuclidean":
        parameters = {"V": X.var(axis=0, ddof=1)}
    elif metric == "mahalanobis":
        parameters = {"VI": np.linalg.inv(np.cov(X.T))}
    return Problem(X.astype(dtype), Y.astype(dtype), metric, parameters)


def digest(problem: Problem, D: Matrix) -> Answer:
    """Keep a sample of the rows whole and the sums of all rows and columns."""
    return {
        "entries": D[ROWS_COMPARED],
        "sums of rows": D.sum(axis=1, dtype=np.float64),
        "sums of columns": D.sum(axis=0, dtype=np.float64),
    }


def enter_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.distance import pairwise_distances

    return partial(pairwise_distances, p.X, p.Y, metric=p.metric, **p.parameters)


def enter_scipy(p: Problem) -> Callable[[], Matrix]:
    from scipy.spatial.distance import cdist

    names = {"manhattan": "cityblock", "matching": "hamming"}
    return partial(cdist, p.X, p.Y, metric=names.get(p.metric, p.metric), **p.parameters)


def enter_scipy_ranks(p: Problem) -> Callable[[], Matrix]:
    """Go by ranks and Pearson's distance: SciPy has no Spearman distance."""
    from scipy.spatial.distance import cdist
    from scipy.stats import rankdata

    return lambda: cdist(rankdata(p.X, axis=1), rankdata(p.Y, axis=1), metric="correlation")


def enter_sklearn(p: Problem, n_jobs: int | None) -> Callable[[], Matrix]:
    from sklearn.metrics import pairwise_distances

    metric = "hamming" if p.metric == "matching" else p.metric
    return partial(pairwise_distances, p.X, p.Y, metric=metric, n_jobs=n_jobs, **p.parameters)


COTERIE = Contestant(OURS, enter_coterie)
SCIPY = Contestant("scipy", enter_scipy)
SCIPY_RANKS = Contestant("scipy", enter_scipy_ranks)
SKLEARN = Contestant("scikit-learn", partial(enter_sklearn, n_jobs=None))
SKLEARN_2 = Contestant("scikit-learn n_jobs=2", partial(enter_sklearn, n_jobs=2))


def matrix_row(
    metric: str,
    *,
    name: str | None = None,
    d: int = 32,
    dtype: Any = np.float64,
    values: str = "reals",
    peers: tuple[Contestant, ...] = (SCIPY, SKLEARN, SKLEARN_2),
    tolerance: float = 1e-6,
    **parameters: Any,
) -> Row:
    """Make a row for one distance; the bar is to be faster than every peer."""
    kind = "".join(f", {key}={value}" for key, value in parameters.items())
    kind += "" if np.dtype(dtype) == np.float64 else f", {np.dtype(dtype).name}"
    arrays = ("entries", "sums of rows", "sums of columns")
    return Row(
        name=name or metric,
        work=f"{metric} 4000 x 4000 x {d}{kind}",
        make=partial(make, metric, parameters, d=d, dtype=dtype, values=values),
        contestants=(COTERIE, *peers),
        digest=digest,
        agree=every(*(close(array, tolerance=tolerance) for array in arrays)),
        bar=1,
    )


ROWS = (
    matrix_row("euclidean"),
    matrix_row("euclidean", name="euclidean-low", d=3),
    matrix_row("euclidean", name="euclidean-float32", dtype=np.float32, tolerance=1e-5),
    matrix_row("sqeuclidean"),
    matrix_row("manhattan"),
    matrix_row("chebyshev"),
    matrix_row("minkowski", p=3),
    matrix_row("cosine"),
    matrix_row("correlation"),
    matrix_row("spearman", peers=(SCIPY_RANKS,)),
    matrix_row("mahalanobis"),
    matrix_row("seuclidean"),
    matrix_row("canberra"),
    matrix_row("braycurtis"),
    matrix_row("hamming", values="categories"),
    matrix_row("jaccard", values="booleans", dtype=np.bool_),
    matrix_row("dice", values="booleans", dtype=np.bool_),
    matrix_row("matching", values="booleans", dtype=np.bool_),
)
