"""Connectivity: the lengths of the edges that merges go along."""

import numpy as np
import pytest
from scipy import sparse

from coterie.cluster import AgglomerativeClustering
from coterie.cluster.agglomerative.merging import edge_lengths
from coterie.distance import find_distance, pairwise_distances
from coterie.errors import InvalidData

X = np.random.default_rng(0).normal(size=(150, 7)) + 3.0
STORED = np.random.default_rng(1).random((150, 150)) < 0.05
STORED[[3, 149]] = False  # rows without edges
PATTERN = sparse.csr_array(STORED.astype(np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "metric", ["euclidean", "seuclidean", "manhattan", "cosine", "canberra", "minkowski"]
)
def test_edges_are_as_long_as_pairwise_distances_say(metric, dtype):
    """Law: one number per stored pair, in the order of the graph, whatever the distance."""
    rows = X.astype(dtype)
    distance = find_distance(metric).fit(rows)
    D = pairwise_distances(rows, metric=distance)
    found = edge_lengths(PATTERN, rows, distance)
    edges = PATTERN.tocoo()
    np.testing.assert_allclose(found, D[edges.row, edges.col], rtol=1e-12 if dtype == np.float64 else 1e-5)


def test_functions_are_called_once_per_edge():
    """Law: a user's function is asked for stored pairs only, and what is not a distance is refused."""
    calls = []

    def distance(x, y):
        calls.append(1)
        return float(np.abs(x - y).sum())

    found = edge_lengths(PATTERN, X, find_distance(distance))
    assert len(calls) == PATTERN.nnz
    np.testing.assert_allclose(found, edge_lengths(PATTERN, X, find_distance("manhattan")))
    graph = sparse.csr_array(np.ones((150, 150)))
    with pytest.raises(InvalidData, match=r"must return a number of at least 0, got -1\.0"):
        AgglomerativeClustering(2, metric=lambda x, y: -1.0, linkage="average", connectivity=graph).fit(X)
