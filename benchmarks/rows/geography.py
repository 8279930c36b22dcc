"""Places on the Earth: DBSCAN, HDBSCAN and neighbours by great-circle distances, without a matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.measure import PeakMemory
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

Matrix = NDArray[Any]
EARTH_KM = 6371.0088
MANY = 3_000_000
MOST_SECONDS = 60.0  # of 3e6 places
MOST_MEMORY = {"DBSCAN": 600.0, "HDBSCAN": 2500.0}  # MiB beyond the input: a matrix would take 72 TB
FEW_APART = 5e-3  # share of labels that ties of equal edges may move


class Places(NamedTuple):
    """Latitudes and longitudes in radians, a radius in radians, and how many places make a group."""

    X: Matrix
    eps: float
    min_samples: int


def make(n: int, *, towns: int, km: float = 5.0, eps_km: float = 0.3, min_samples: int = 10) -> Places:
    """Make people around towns anywhere on the Earth, but near the poles; some live between."""
    random = np.random.default_rng(25)
    centres = np.column_stack(
        [np.arcsin(random.uniform(-0.99, 0.99, towns)), random.uniform(-np.pi, np.pi, towns)]
    )
    town = random.integers(0, towns, n)
    spread = km / EARTH_KM * random.normal(size=(n, 2))
    latitude = centres[town, 0] + spread[:, 0]
    longitude = centres[town, 1] + spread[:, 1] / np.cos(latitude)
    between = random.random(n) < 0.02
    latitude[between] = np.arcsin(random.uniform(-1, 1, int(between.sum())))
    longitude[between] = random.uniform(-np.pi, np.pi, int(between.sum()))
    longitude = (longitude + np.pi) % (2 * np.pi) - np.pi
    return Places(np.column_stack([latitude, longitude]), eps_km / EARTH_KM, min_samples)


def dbscan_by(library: str) -> Callable[[Places], Callable[[], Matrix]]:
    """Return the entry of a library with scikit-learn's contract."""

    def enter(p: Places) -> Callable[[], Matrix]:
        DBSCAN = import_module(library).DBSCAN
        options = {"metric": "haversine", "algorithm": "ball_tree", "n_jobs": -1}
        return lambda: np.asarray(DBSCAN(eps=p.eps, min_samples=p.min_samples, **options).fit(p.X).labels_)

    return enter


def hdbscan_by(library: str, **more: Any) -> Callable[[Places], Callable[[], Matrix]]:
    def enter(p: Places) -> Callable[[], Matrix]:
        HDBSCAN = import_module(library).HDBSCAN
        options = {"min_cluster_size": 50, "min_samples": p.min_samples, "metric": "haversine", "n_jobs": -1}
        return lambda: np.asarray(HDBSCAN(**options, **more).fit(p.X).labels_)

    return enter


def nearest_by_coterie(p: Places) -> Callable[[], Matrix]:
    from coterie.distance import k_nearest

    return lambda: k_nearest(p.X, n_neighbors=p.min_samples, metric="haversine").distance


def nearest_by_scikit_learn(p: Places) -> Callable[[], Matrix]:
    from sklearn.neighbors import BallTree

    def nearest() -> Matrix:
        tree = BallTree(p.X, metric="haversine")
        return np.asarray(tree.query(p.X, p.min_samples + 1)[0][:, 1:])

    return nearest


def labels_digest(p: Places, labels: Matrix) -> Answer:
    return {"labels": labels}


def distances_digest(p: Places, distances: Matrix) -> Answer:
    return {"distances": distances}


def same_labels(ours: Answer, theirs: Answer) -> Verdict:
    """Require the same labels."""
    apart = int((ours["labels"] != theirs["labels"]).sum())
    return Verdict(apart == 0, f"{apart} of {len(ours['labels']):,} labels differ")


def nearly_same_labels(ours: Answer, theirs: Answer) -> Verdict:
    """Require the same groups but for ties: scikit-learn leaves equal edges in an order of the processor."""
    from sklearn.metrics import adjusted_rand_score

    found = float(adjusted_rand_score(ours["labels"], theirs["labels"]))
    return Verdict(found >= 1.0 - FEW_APART, f"ARI of the two {found:.4f}")


HDBSCANS = (
    Contestant(OURS, hdbscan_by("coterie.cluster")),
    Contestant("scikit-learn", hdbscan_by("sklearn.cluster", algorithm="ball_tree", copy=True)),
)
NEAREST = (Contestant(OURS, nearest_by_coterie), Contestant("scikit-learn", nearest_by_scikit_learn))
ALONE = {
    "DBSCAN": (Contestant(OURS, dbscan_by("coterie.cluster")),),
    "HDBSCAN": (Contestant(OURS, hdbscan_by("coterie.cluster")),),
}

ROWS = (
    Row(
        name="dbscan",
        work="DBSCAN, haversine, 1e5 places around 300 towns",
        make=partial(make, 100_000, towns=300, eps_km=2.0),
        contestants=(
            Contestant(OURS, dbscan_by("coterie.cluster")),
            Contestant("scikit-learn", dbscan_by("sklearn.cluster")),
        ),
        digest=labels_digest,
        agree=same_labels,
        bar=5,
        aim=10,
    ),
    Row(
        name="hdbscan",
        work="HDBSCAN, haversine, 1e4 places around 50 towns",
        make=partial(make, 10_000, towns=50),
        contestants=HDBSCANS,
        digest=labels_digest,
        agree=nearly_same_labels,
        bar=5,
        aim=10,
        most_rounds=3,
    ),
    Row(
        name="nearest",
        work="10 nearest, haversine, 1e5 places around 300 towns",
        make=partial(make, 100_000, towns=300),
        contestants=NEAREST,
        digest=distances_digest,
        agree=close("distances", tolerance=1e-12),
        bar=5,
        aim=10,
    ),
    *(
        Row(
            name=f"{name.lower()}-many",
            work=f"{name}, haversine, 3e6 places around 2,000 towns",
            make=partial(make, MANY, towns=2000, eps_km=1.0),
            contestants=ALONE[name],
            digest=labels_digest,
            agree=same_labels,
            limit=MOST_SECONDS,
            most_rounds=1,
        )
        for name in ALONE
    ),
    *(
        Row(
            name=f"{name.lower()}-memory",
            work=f"{name}, haversine, 3e6 places, memory beyond the input",
            make=partial(make, MANY, towns=2000, eps_km=1.0),
            contestants=ALONE[name],
            digest=labels_digest,
            agree=same_labels,
            measure=PeakMemory(),
            limit=MOST_MEMORY[name],
            most_rounds=1,
        )
        for name in ALONE
    ),
)
