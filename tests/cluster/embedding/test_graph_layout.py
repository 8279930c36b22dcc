"""Places of the nodes of a graph: neighbours stay near, threads do not matter, hostile graphs are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.manifold import trustworthiness

from coterie.cluster import lay_out_graph
from coterie.distance import neighbour_graph
from coterie.errors import CoterieError


def cloud(n=600, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat(rng.normal(size=(6, 20)) * 2, n // 6, axis=0) + rng.normal(size=(n, 20))


def test_neighbours_stay_near():
    X = cloud()
    places = lay_out_graph(neighbour_graph(X, 12).weights)
    assert places.shape == (600, 2)
    assert np.isfinite(places).all()
    assert trustworthiness(X, places, n_neighbors=10) > 0.9


@pytest.mark.parametrize("columns", [1, 3, 4, 5, 8])
def test_any_number_of_columns(columns):
    graph = neighbour_graph(cloud(120), 8).weights
    places = lay_out_graph(graph, columns, n_epochs=50)
    assert places.shape == (120, columns)
    assert np.isfinite(places).all()
    assert (np.ptp(places, axis=0) > 0).all()


def test_threads_do_not_matter_and_seeds_do():
    graph = neighbour_graph(cloud(), 10).weights
    one, two = (lay_out_graph(graph, n_epochs=40, n_jobs=n) for n in (1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, lay_out_graph(graph, n_epochs=40, random_state=3))


def test_a_start_of_ones_own():
    graph = neighbour_graph(cloud(60), 6).weights
    start = np.random.default_rng(0).normal(size=(60, 2))
    still = lay_out_graph(graph, start=start, n_epochs=0)
    centred = start - start.mean(axis=0)
    assert np.allclose(still / 10, centred / np.abs(centred).max(), atol=1e-4)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (csr_array(np.array([[0, 2.0], [2.0, 0]])), "from 0 to 1"),
        (csr_array(np.array([[0, -0.1], [-0.1, 0]])), "from 0 to 1"),
        (csr_array(np.array([[0, np.nan], [np.nan, 0]])), "from 0 to 1"),
        (csr_array(np.array([[0, 0.5], [0.1, 0]])), "symmetric"),
        (csr_array(np.zeros((2, 3))), "square"),
    ],
)
def test_hostile_graphs(graph, words):
    with pytest.raises(CoterieError, match=words):
        lay_out_graph(graph)


def test_graphs_of_almost_nothing():
    assert lay_out_graph(csr_array((1, 1))).shape == (1, 2)
    apart = lay_out_graph(csr_array((5, 5)))
    assert np.isfinite(apart).all()
    two = csr_array(np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4)))
    places = lay_out_graph(two)
    inner = max(np.linalg.norm(places[i] - places[:4].mean(axis=0)) for i in range(4))
    assert np.linalg.norm(places[:4].mean(axis=0) - places[4:].mean(axis=0)) > inner


@pytest.mark.parametrize("kind", [coo_array, csr_array])
def test_indices_outside_of_the_graph_are_refused(kind):
    """Law: what a sparse graph says is checked before it is read."""
    graph = kind(neighbour_graph(cloud(60), 5).weights)
    (graph.coords[1] if kind is coo_array else graph.indices)[3] = 10**8
    with pytest.raises(CoterieError, match="graph of lay_out_graph"):
        lay_out_graph(graph)
