"""Measures of clusterings: two labelings of five million samples, and one labeling of data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, close
from benchmarks.data import overlapping_mixture
from benchmarks.measure import MEBIBYTE, PeakMemory
from benchmarks.problem import OURS, Answer, Contestant, Row

N_SAMPLES, N_LABELS = 5_000_000, 50


class Labelings(NamedTuple):
    """Two labelings that agree on about half of the samples."""

    true: NDArray[Any]
    pred: NDArray[Any]


def make_integers(n_labels: int = N_LABELS) -> Labelings:
    """Make labelings of integers."""
    rng = np.random.default_rng(60)
    true = rng.integers(0, n_labels, N_SAMPLES)
    return Labelings(true, np.where(rng.random(N_SAMPLES) < 0.5, true, rng.integers(0, n_labels, N_SAMPLES)))


def make_text() -> Labelings:
    """Make labelings of words of eight characters at most."""
    words = np.array([f"class-{i}" for i in range(N_LABELS)])
    integers = make_integers()
    return Labelings(words[integers.true], words[integers.pred])


def enter_coterie(p: Labelings, *, function: str, **how: Any) -> Callable[[], Any]:
    from coterie import evaluate

    return partial(getattr(evaluate, function), p.true, p.pred, **how)


def enter_sklearn(p: Labelings, *, function: str, **how: Any) -> Callable[[], Any]:
    from sklearn.metrics import cluster

    return partial(getattr(cluster, function), p.true, p.pred, **how)


def digest_score(problem: Labelings, score: float) -> Answer:
    """Keep the score."""
    return {"value": np.array([score])}


def digest_table(problem: Labelings, table: Any) -> Answer:
    """Keep the filled cells of a matrix, dense or sparse, in the order of rows."""
    return {"value": np.asarray(table.data if hasattr(table, "indptr") else table).ravel()}


def row(
    name: str,
    work: str,
    function: str,
    make: Callable[[], Labelings],
    digest: Callable[[Labelings, Any], Answer],
    *,
    bar: float,
    aim: float,
    most_rounds: int = 9,
    **how: Any,
) -> Row:
    """Make a row for one function; scikit-learn's has the same name."""
    return Row(
        name=name,
        work=work,
        make=make,
        contestants=(
            Contestant(OURS, partial(enter_coterie, function=function, **how)),
            Contestant("scikit-learn", partial(enter_sklearn, function=function, **how)),
        ),
        digest=digest,
        agree=close("value", tolerance=1e-10),
        bar=bar,
        aim=aim,
        most_rounds=most_rounds,
    )


def score_row(name: str, function: str, *, most_rounds: int = 9) -> Row:
    """Make a row for a score of 5e6 integers, 50 x 50."""
    work = f"{name.upper()} of 5e6 labels, 50 x 50"
    return row(name, work, function, make_integers, digest_score, bar=10, aim=30, most_rounds=most_rounds)


def table_row(
    name: str, work: str, make: Callable[[], Labelings], *, bar: float, aim: float, **how: Any
) -> Row:
    """Make a row for a contingency matrix."""
    return row(name, work, "contingency_matrix", make, digest_table, bar=bar, aim=aim, **how)


class Clustering(NamedTuple):
    """Data with the cluster of each row."""

    X: NDArray[Any]
    labels: NDArray[Any]


def make_clustering(n: int, d: int, k: int, dtype: Any = np.float64) -> Clustering:
    """Make a mixture, each row with the nearest of k of its rows."""
    X = overlapping_mixture(n, d, components=k, seed=61, dtype=dtype)
    centres = X[:k].astype(np.float64)
    half_norms = (centres**2).sum(axis=1) / 2
    labels = np.concatenate(
        [(half_norms - part @ centres.T).argmin(axis=1) for part in np.array_split(X, 64)]
    )
    return Clustering(X, labels)


def enter_coterie_data(p: Clustering, *, function: str, **how: Any) -> Callable[[], Any]:
    from coterie import evaluate

    return partial(getattr(evaluate, function), p.X, p.labels, **how)


def enter_sklearn_data(p: Clustering, *, function: str, **how: Any) -> Callable[[], Any]:
    from sklearn import metrics

    return partial(getattr(metrics, function), p.X, p.labels, **how)


def enter_scipy_dunn(p: Clustering) -> Callable[[], float]:
    from scipy.spatial.distance import cdist

    def dunn() -> float:
        groups = [p.X[p.labels == label] for label in np.unique(p.labels)]
        widest = max(cdist(group, group).max() for group in groups)
        pairs = [(i, j) for i in range(len(groups)) for j in range(i)]
        return float(min(cdist(groups[i], groups[j]).min() for i, j in pairs) / widest)

    return dunn


def digest_value(problem: Clustering, score: float) -> Answer:
    """Keep the score."""
    return {"value": np.array([score])}


def data_row(
    name: str,
    work: str,
    function: str,
    make: Callable[[], Clustering],
    *,
    peer: Contestant | None,
    tolerance: float = 1e-10,
    metric: str = "euclidean",
    **facts: Any,
) -> Row:
    """Make a row for a measure of data; without a peer only time is of interest."""
    how = {} if metric == "euclidean" else {"metric": metric}
    ours = Contestant(OURS, partial(enter_coterie_data, function=function, **how))
    return Row(
        name=name,
        work=work,
        make=make,
        contestants=(ours,) if peer is None else (ours, peer),
        digest=digest_value,
        agree=anything if peer is None else close("value", tolerance=tolerance),
        **facts,
    )


def sklearn_row(
    name: str,
    work: str,
    function: str,
    make: Callable[[], Clustering],
    *,
    metric: str = "euclidean",
    **facts: Any,
) -> Row:
    """Make a row for a measure of data that scikit-learn has."""
    how = {} if metric == "euclidean" else {"metric": metric}
    peer = Contestant("scikit-learn", partial(enter_sklearn_data, function=function, **how))
    return data_row(name, work, function, make, peer=peer, metric=metric, **facts)


MANY = partial(make_clustering, 1_000_000, 16, 10)

DATA_ROWS = (
    sklearn_row(
        "silhouette",
        "silhouette of 4e4 x 16, 20 clusters",
        "silhouette_score",
        partial(make_clustering, 40_000, 16, 20),
        bar=20,
        aim=50,
        most_rounds=3,
    ),
    sklearn_row(
        "silhouette-float32",
        "silhouette of 4e4 x 16, 20 clusters, float32",
        "silhouette_score",
        partial(make_clustering, 40_000, 16, 20, np.float32),
        tolerance=1e-5,
        bar=20,
        aim=50,
        most_rounds=3,
    ),
    *(
        sklearn_row(
            f"silhouette-{metric}",
            f"silhouette of 4e4 x 16, 20 clusters, {metric}: a formula, not all pairs",
            "silhouette_score",
            partial(make_clustering, 40_000, 16, 20),
            metric=metric,
            tolerance=1e-9,
            bar=50,
            most_rounds=2,
        )
        for metric in ("sqeuclidean", "cosine")
    ),
    sklearn_row(
        "silhouette-memory",
        "silhouette of 4e4 x 16, 20 clusters, memory beyond the input",
        "silhouette_score",
        partial(make_clustering, 40_000, 16, 20),
        measure=PeakMemory(),
        limit=4 * 40_000 * 16 * 8 / MEBIBYTE + 32,  # a few copies of the data, and code that is loaded late
        most_rounds=1,
    ),
    sklearn_row(
        "davies-bouldin", "Davies-Bouldin of 1e6 x 16, 10 clusters", "davies_bouldin_score", MANY, bar=1
    ),
    sklearn_row(
        "calinski-harabasz",
        "Calinski-Harabasz of 1e6 x 16, 10 clusters",
        "calinski_harabasz_score",
        MANY,
        bar=1,
    ),
    data_row(
        "dunn",
        "Dunn of 2e4 x 16, 20 clusters",
        "dunn_score",
        partial(make_clustering, 20_000, 16, 20),
        peer=Contestant("scipy", enter_scipy_dunn),
        bar=2,
        aim=10,
        most_rounds=3,
    ),
    data_row(
        "simplified",
        "simplified silhouette of 1e6 x 16, 10 clusters",
        "simplified_silhouette_score",
        MANY,
        peer=None,
        limit=2.0,
    ),
    data_row(
        "silhouette-many",
        "exact silhouette of 1e6 x 16, 10 clusters (long)",
        "silhouette_score",
        MANY,
        peer=None,
        limit=60.0,
        most_rounds=1,
    ),
)

ROWS = (
    *DATA_ROWS,
    score_row("ari", "adjusted_rand_score"),
    score_row("nmi", "normalized_mutual_info_score"),
    score_row("ami", "adjusted_mutual_info_score", most_rounds=3),
    table_row("contingency-text", "contingency of 5e6 strings, 50 x 50", make_text, bar=10, aim=30),
    table_row(
        "contingency-sparse",
        "sparse contingency of 5e6 labels, 20,000 x 20,000",
        partial(make_integers, 20_000),
        bar=2,
        aim=5,
        sparse=True,
    ),
)
