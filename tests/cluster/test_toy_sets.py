"""The lectures' grid: which method separates which toy set."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons

from coterie.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    GaussianMixture,
    KernelKMeans,
    KMeans,
    KMedoids,
    SpectralClustering,
)
from coterie.evaluate import adjusted_rand_score

N = 450
RIGHT = 0.93  # adjusted Rand of a method that separates a set
WRONG = 0.65  # and of one that does not


def scaled(X, y):
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def stretched():
    X, y = make_blobs(N, random_state=170)
    return X @ [[0.6, -0.6], [-0.4, 0.8]], y


SETS = {
    "rings": scaled(*make_circles(N, factor=0.3, noise=0.04, random_state=1)),
    "moons": scaled(*make_moons(N, noise=0.05, random_state=1)),
    "blobs": scaled(*make_blobs(N, centers=[[0, 0], [8, 0], [4, 7]], random_state=8)),
    "stretched": scaled(*stretched()),
    "unequal": scaled(*make_blobs(N, cluster_std=[1.0, 2.5, 0.5], random_state=170)),
}
RADII = {"rings": 0.3, "moons": 0.3, "blobs": 0.3, "stretched": 0.18, "unequal": 0.25}


def by(method, name, k):
    """Return the method as the lectures set it up for a set of k groups."""
    return {
        "single": lambda: AgglomerativeClustering(k, linkage="single"),
        "average": lambda: AgglomerativeClustering(k, linkage="average"),
        "complete": lambda: AgglomerativeClustering(k, linkage="complete"),
        "k-means": lambda: KMeans(k, random_state=0),
        "k-medoids": lambda: KMedoids(k),
        "DBSCAN": lambda: DBSCAN(eps=RADII[name]),
        "HDBSCAN": lambda: HDBSCAN(min_cluster_size=15),
        "mixture": lambda: GaussianMixture(k, random_state=0, n_init=3),
        "spectral": lambda: SpectralClustering(
            k, affinity="nearest_neighbors", n_neighbors=10, random_state=0
        ),
        "kernel k-means": lambda: KernelKMeans(k, random_state=0),
    }[method]()


# deck 000: what hangs together, whatever its shape, is for single linkage, DBSCAN and spectral clustering;
# centres are for round groups; ellipses for mixtures
SEPARATES = {
    "rings": {"single", "DBSCAN", "HDBSCAN", "spectral", "kernel k-means"},
    "moons": {"single", "DBSCAN", "HDBSCAN", "spectral"},
    "blobs": {
        "single",
        "average",
        "complete",
        "k-means",
        "k-medoids",
        "DBSCAN",
        "HDBSCAN",
        "mixture",
        "spectral",
        "kernel k-means",
    },
    "stretched": {"mixture", "spectral"},
    "unequal": {"mixture"},
}
FAILS = {
    "rings": {"average", "complete", "k-means", "k-medoids", "mixture"},
    "moons": {"complete", "k-means", "k-medoids", "mixture"},
    "stretched": {"single", "k-means", "k-medoids", "average", "complete"},
    "unequal": {"single"},
}


@pytest.mark.filterwarnings("ignore:.*not fully connected")
@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, methods in SEPARATES.items() for method in sorted(methods)]
)
def test_what_a_method_separates(name, method):
    """Law: the method is right where the lectures say that it is; noise counts as a group of its own."""
    X, y = SETS[name]
    assert adjusted_rand_score(y, by(method, name, len(np.unique(y))).fit(X).labels_) >= RIGHT


@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, methods in FAILS.items() for method in sorted(methods)]
)
def test_what_a_method_does_not_separate(name, method):
    """Law: the method is wrong where the lectures say that it is."""
    X, y = SETS[name]
    assert adjusted_rand_score(y, by(method, name, len(np.unique(y))).fit(X).labels_) <= WRONG
