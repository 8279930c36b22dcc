"""Small tables, which are what most people have: what a call costs around the work itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import Rule, close, mean_at_most
from benchmarks.data import overlapping_mixture, sum_of_squared_errors
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

SEED = 140
GROUPS = 5
SIZES = ((150, 4), (1_000, 20), (10_000, 8))
ROUNDS = 3


@dataclass(frozen=True)
class Problem:
    """Rows with the groups they were drawn around, and the settings of the call."""

    X: NDArray[np.float64]
    options: dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A method: its class or function, its settings, what is compared of its answer, and its sizes."""

    name: str
    words: str
    call: Callable[[Any, Problem], Callable[[], Any]]
    ours: tuple[str, str]  # module, name
    theirs: tuple[str, str]
    digest: Callable[[Problem, Any], Answer]
    agree: Rule
    options: Callable[[NDArray[np.float64]], dict[str, Any]]
    sizes: tuple[tuple[int, int], ...] = SIZES


def same_groups(at_least: float) -> Rule:
    """Return a rule: the adjusted Rand index of both partitions is ``at_least`` this."""

    def agree(ours: Answer, theirs: Answer) -> Verdict:
        from sklearn.metrics import adjusted_rand_score

        index = float(adjusted_rand_score(theirs["labels"], ours["labels"]))
        return Verdict(index >= at_least, f"adjusted Rand index {index:.3f}")

    return agree


def make(size: tuple[int, int], options: Callable[[NDArray[np.float64]], dict[str, Any]]) -> Problem:
    """Make rows of five normal groups, and the settings for them."""
    X = overlapping_mixture(*size, components=GROUPS, seed=SEED, separation=6.0, dtype=np.float64)
    X /= X.std()
    return Problem(X, options(X))


def fit(estimator: Any, problem: Problem) -> Callable[[], Any]:
    """Return the fit, as people write it."""

    def call() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return estimator(**problem.options).fit(problem.X)

    return call


def predict(estimator: Any, problem: Problem) -> Callable[[], Any]:
    """Return the prediction of a model that is fitted already."""
    model = estimator(**problem.options).fit(problem.X)
    return lambda: model.predict(problem.X)


def score(measure: Any, problem: Problem) -> Callable[[], Any]:
    """Return a measure of data and labels."""
    labels = nearest_of_five(problem.X)
    return lambda: measure(problem.X, labels)


def compare(measure: Any, problem: Problem) -> Callable[[], Any]:
    """Return a measure of two labelings."""
    labels, other = nearest_of_five(problem.X), nearest_of_five(problem.X[:, ::-1])
    return lambda: measure(labels, other)


def nearest_of_five(X: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return for each row which of five of them is the nearest."""
    picks = X[:: len(X) // GROUPS][:GROUPS]
    labels: NDArray[np.intp] = ((X[:, None, :] - picks[None]) ** 2).sum(axis=2).argmin(axis=1)
    return labels


def _import(place: tuple[str, str]) -> Any:
    import importlib

    return getattr(importlib.import_module(place[0]), place[1])


def _enter(
    place: tuple[str, str], call: Callable[[Any, Problem], Callable[[], Any]], problem: Problem
) -> Callable[[], Any]:
    return call(_import(place), problem)


def _squared_errors(problem: Problem, model: Any) -> Answer:
    return {"SSE": np.array(sum_of_squared_errors(problem.X, model.cluster_centers_))}


def _labels(problem: Problem, model: Any) -> Answer:
    return {"labels": np.asarray(model.labels_)}


def _predicted(problem: Problem, labels: Any) -> Answer:
    return {"labels": np.asarray(labels)}


def _likelihood(problem: Problem, model: Any) -> Answer:
    return {"unlikelihood": np.array(-model.score(problem.X))}


def _value(problem: Problem, value: Any) -> Answer:
    return {"value": np.array(value)}


def _start(X: NDArray[np.float64]) -> dict[str, Any]:
    return {"n_clusters": GROUPS, "init": X[:: len(X) // GROUPS][:GROUPS].copy(), "n_init": 1}


def _settings(**options: Any) -> Callable[[NDArray[np.float64]], dict[str, Any]]:
    return lambda X: options


def _radius(X: NDArray[np.float64]) -> dict[str, Any]:
    """Twice the median distance to the fifth nearest, in a sample."""
    some = X[:: max(1, len(X) // 500)]
    gaps = np.sort(np.linalg.norm(some[:, None] - X[None], axis=2), axis=1)
    return {"eps": float(1.5 * np.median(gaps[:, 5])), "min_samples": 5}


CLUSTER, PEER = "coterie.cluster", "sklearn.cluster"
NEAREST = _settings(n_clusters=GROUPS, affinity="nearest_neighbors", random_state=0)
TEN_STARTS = _settings(n_clusters=GROUPS, n_init=10, random_state=0)
K_MEANS = (CLUSTER, "KMeans"), (PEER, "KMeans")
AGGLOMERATIVE = (CLUSTER, "AgglomerativeClustering"), (PEER, "AgglomerativeClustering")
SPECTRAL = (CLUSTER, "SpectralClustering"), (PEER, "SpectralClustering")
TASKS = (
    Task(
        "kmeans", "k-means, one start", fit, *K_MEANS, _squared_errors, close("SSE", tolerance=1e-6), _start
    ),
    Task(
        "kmeans-ten",
        "k-means, ten starts",
        fit,
        *K_MEANS,
        _squared_errors,
        mean_at_most("SSE", tolerance=1e-3),
        TEN_STARTS,
    ),
    Task("kmeans-predict", "predict of k-means", predict, *K_MEANS, _predicted, same_groups(0.999), _start),
    Task(
        "dbscan",
        "DBSCAN",
        fit,
        (CLUSTER, "DBSCAN"),
        (PEER, "DBSCAN"),
        _labels,
        same_groups(0.999),
        _radius,
    ),
    Task(
        "hdbscan",
        "HDBSCAN",
        fit,
        (CLUSTER, "HDBSCAN"),
        (PEER, "HDBSCAN"),
        _labels,
        same_groups(0.99),
        _settings(min_cluster_size=10),
    ),
    Task(
        "ward",
        "AgglomerativeClustering",
        fit,
        *AGGLOMERATIVE,
        _labels,
        same_groups(0.999),
        _settings(n_clusters=GROUPS),
    ),
    Task(
        "average",
        "AgglomerativeClustering, average",
        fit,
        *AGGLOMERATIVE,
        _labels,
        same_groups(0.999),
        _settings(n_clusters=GROUPS, linkage="average"),
        SIZES[:2],
    ),
    Task(
        "mixture",
        "GaussianMixture",
        fit,
        (CLUSTER, "GaussianMixture"),
        ("sklearn.mixture", "GaussianMixture"),
        _likelihood,
        mean_at_most("unlikelihood", tolerance=0.02),
        _settings(n_components=GROUPS, random_state=0),
    ),
    Task("spectral", "SpectralClustering, 10 neighbours", fit, *SPECTRAL, _labels, same_groups(0.9), NEAREST),
    Task(
        "spectral-rbf",
        "SpectralClustering",
        fit,
        *SPECTRAL,
        _labels,
        same_groups(0.9),
        _settings(n_clusters=GROUPS, random_state=0),
        SIZES[:2],
    ),
    Task(
        "silhouette",
        "silhouette_score",
        score,
        ("coterie.evaluate", "silhouette_score"),
        ("sklearn.metrics", "silhouette_score"),
        _value,
        close("value", tolerance=1e-9),
        _settings(),
    ),
    Task(
        "rand",
        "adjusted_rand_score",
        compare,
        ("coterie.evaluate", "adjusted_rand_score"),
        ("sklearn.metrics", "adjusted_rand_score"),
        _value,
        close("value", tolerance=1e-9),
        _settings(),
    ),
)


def row(task: Task, size: tuple[int, int]) -> Row:
    """Make the row of a method and a size."""
    n, d = size
    return Row(
        name=f"{task.name}-{n}",
        work=f"{task.words}, {n:,} x {d}",
        make=partial(make, size, task.options),
        contestants=(
            Contestant(OURS, partial(_enter, task.ours, task.call)),
            Contestant("scikit-learn", partial(_enter, task.theirs, task.call)),
        ),
        digest=task.digest,
        agree=task.agree,
        bar=1,
        most_rounds=ROUNDS,
    )


ROWS = tuple(row(task, size) for task in TASKS for size in task.sizes)
