"""Graphs of neighbours: weights by their formulas, copies, few rows, rows that have no distance."""

import numpy as np
import pytest

from coterie.distance import k_nearest, neighbour_graph
from coterie.errors import InvalidData, InvalidParameter

X = np.random.default_rng(5).normal(size=(200, 6))


def scale_of(distance, k):
    """Return UMAP's scale of a row, slowly: its weights add up to log2 k."""
    rho = distance[distance > 0].min()
    low, high = 1e-12, 1e6
    for _ in range(200):
        mid = (low * high) ** 0.5
        total = np.exp(-np.maximum(distance - rho, 0) / mid).sum()
        low, high = (low, mid) if total > np.log2(k) else (mid, high)
    return rho, mid


def test_fuzzy_weights_are_those_of_umap():
    """Law: exp(-(d - nearest) / scale) in both directions, combined as a probability of either."""
    k = 10
    near = k_nearest(X, n_neighbors=k)
    P = np.zeros((len(X), len(X)))
    for i, (index, distance) in enumerate(zip(near.index, near.distance, strict=True)):
        rho, scale = scale_of(distance, k)
        P[i, index] = np.exp(-np.maximum(distance - rho, 0) / scale)
    expected = P + P.T - P * P.T
    graph = neighbour_graph(X, k)
    np.testing.assert_allclose(graph.weights.toarray(), expected, atol=1e-4)
    np.testing.assert_array_equal(graph.neighbours.index, near.index)


def test_other_weights():
    """Law: Gaussian weights are scaled by the last neighbours of both rows; plain ones are 1."""
    near = k_nearest(X, n_neighbors=5)
    is_edge = np.zeros((len(X), len(X)), dtype=bool)
    is_edge[np.arange(len(X))[:, None], near.index] = True
    is_edge |= is_edge.T
    np.testing.assert_array_equal(neighbour_graph(X, 5, weights="plain").weights.toarray(), is_edge)
    far = near.distance[:, -1]
    D = np.linalg.norm(X[:, None] - X, axis=2)
    expected = np.where(is_edge, np.exp(-(D**2) / (far[:, None] * far)), 0)
    np.testing.assert_allclose(
        neighbour_graph(X, 5, weights="gaussian").weights.toarray(), expected, atol=1e-12
    )


@pytest.mark.parametrize("weights", ["fuzzy", "gaussian", "plain"])
def test_every_graph_is_symmetric_and_within_one(weights):
    """Law: symmetric to the bit, no loops, weights in (0, 1], sorted columns, the same for any threads."""
    rows = np.vstack([X, X[:20], np.zeros((30, 6))])
    graph = neighbour_graph(rows, 8, weights=weights, n_jobs=1).weights
    assert (graph != graph.T).nnz == 0
    assert graph.diagonal().sum() == 0
    assert graph.data.min() > 0
    assert graph.data.max() <= 1
    assert graph.has_sorted_indices
    two = neighbour_graph(rows, 8, weights=weights, n_jobs=2).weights
    np.testing.assert_array_equal(two.data, graph.data)


def test_copies_weigh_one():
    """Law: rows that are all equal are neighbours by their index, with weight 1."""
    for weights in ("fuzzy", "gaussian", "plain"):
        graph = neighbour_graph(np.ones((12, 3)), 4, weights=weights).weights
        assert (graph.data == 1).all()


def test_bad_requests():
    """Law: too many neighbours, rows without direction and unknown weights are refused in words."""
    with pytest.raises(InvalidParameter, match=r"n_neighbors of neighbour_graph must be at most 2 \(3 rows"):
        neighbour_graph(X[:3], 5)
    with pytest.raises(InvalidData, match="row 1 of X has length zero: its cosine distance is undefined"):
        neighbour_graph([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]], 1, "cosine")
    with pytest.raises(InvalidParameter, match='weights of neighbour_graph must be one of "fuzzy"'):
        neighbour_graph(X, 5, weights="umap")


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (X, {"n_neighbors": 500}),
        (X, {"recall": 2.0}),
        (X, {"metric": "precomputed", "recall": 0.9}),
        ([], {}),
    ],
)
def test_errors_name_the_graph(given, options):
    """Law: what is wrong with rows or parameters is said of `neighbour_graph`, which was called."""
    with pytest.raises((InvalidData, InvalidParameter), match="neighbour_graph") as caught:
        neighbour_graph(given, **options)
    assert "k_nearest" not in str(caught.value)
