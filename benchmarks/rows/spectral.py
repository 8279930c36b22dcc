"""Spectral clustering: the graph, its eigenvectors, and k-means on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row

SEED = 60
GROUPS = 8


@dataclass(frozen=True)
class Problem:
    """Rows and the affinity to use."""

    X: NDArray[np.float64]
    options: dict[str, Any]


def make(n: int, d: int, **options: Any) -> Problem:
    """Make rows of unit spread in eight overlapping groups."""
    X = overlapping_mixture(n, d, components=GROUPS, seed=SEED, dtype=np.float64)
    return Problem(X / X.std(), {"n_clusters": GROUPS, "random_state": 0, **options})


def digest(problem: Problem, labels: NDArray[Any]) -> Answer:
    """Judge the groups by their normalised cut in the graph of the ten nearest neighbours, for all alike."""
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(problem.X, 10)
    graph = graph + graph.T
    volumes = np.asarray(graph.sum(axis=1)).ravel()
    cuts = []
    for group in np.unique(labels):
        inside = labels == group
        volume = volumes[inside].sum()
        cuts.append(1.0 - graph[inside][:, inside].sum() / volume)
    return {"cut": np.array(np.mean(cuts))}


def _fit(SpectralClustering: Any, problem: Problem) -> Callable[[], NDArray[Any]]:
    def fit() -> NDArray[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels: NDArray[Any] = SpectralClustering(**problem.options).fit(problem.X).labels_
        return labels

    return fit


def enter_coterie(problem: Problem) -> Callable[[], NDArray[Any]]:
    from coterie.cluster import SpectralClustering

    return _fit(SpectralClustering, problem)


def enter_sklearn(problem: Problem) -> Callable[[], NDArray[Any]]:
    from sklearn.cluster import SpectralClustering

    return _fit(SpectralClustering, problem)


def row(name: str, *, words: str, bar: float, aim: float, **options: Any) -> Row:
    """Make a row of 1e4 x 8 data; ``options`` go to the estimators."""
    return Row(
        name=name,
        work=f"1e4 x 8, {words}",
        make=partial(make, 10_000, 8, **options),
        contestants=(Contestant(OURS, enter_coterie), Contestant("scikit-learn", enter_sklearn)),
        digest=digest,
        agree=mean_at_most("cut", tolerance=0.02),
        bar=bar,
        aim=aim,
    )


ROWS = (
    row("neighbours", words="10 neighbours", bar=8, aim=20, affinity="nearest_neighbors"),
    row("rbf", words="Gaussian affinities", bar=10, aim=50, affinity="rbf"),
)
