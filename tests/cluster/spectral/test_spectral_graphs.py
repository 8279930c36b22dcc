"""Graphs of spectral methods: components, isolated points, weak links, any type and layout."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from coterie.cluster import SpectralClustering
from coterie.cluster.spectral.graphs import KERNELS, Affinity, GaussianGraph, gaussian_product
from coterie.errors import DataNotice, InvalidData
from spectral_rows import BLOBS, LAPLACIANS, MOONS, weights_of

pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


def test_given_matrices_and_graphs_are_the_same():
    """Law: rows, their matrix, and its sparse form give the same groups and eigenvalues."""
    W = weights_of(BLOBS, 0.3)
    fits = [
        SpectralClustering(4, affinity="precomputed", random_state=0).fit(given)
        for given in (W, sparse.csr_array(W), sparse.csr_matrix(W))
    ]
    fits.append(SpectralClustering(4, gamma=0.3, random_state=0).fit(BLOBS))
    for other in fits[1:]:
        assert adjusted_rand_score(fits[0].labels_, other.labels_) == 1.0
        np.testing.assert_allclose(fits[0].eigenvalues_[:4], other.eigenvalues_[:4], atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_more_coordinates_than_joined_rows(laplacian):
    """Law: where isolated rows leave fewer eigenvectors than coordinates, new rows are still placed."""
    X = np.r_[[[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]], np.arange(1, 9)[:, None] * [[1e3, 0.0]]]
    model = SpectralClustering(5, laplacian=laplacian, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict([[5001.0, 0.0]])[0] == model.labels_[7]
    weighted = SpectralClustering(5, laplacian=laplacian, random_state=0)
    assert weighted.fit(X, sample_weight=np.r_[np.ones(10), 0.0]).labels_[10] == weighted.labels_[9]


def test_new_weights_are_checked_too():
    """Law: affinities of new rows are refused where those of the fit would be."""
    W = weights_of(BLOBS, 0.3)
    model = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W)
    for given in (-W[:5], sparse.csr_array(-W[:5])):
        with pytest.raises(InvalidData, match="weights of at least 0, got -"):
            model.predict(given)


def test_components_are_known_without_iteration():
    """Law: a graph of three parts has three zero eigenvalues, its groups are the parts, a notice says so."""
    parts = [np.ones((size, size)) for size in (30, 20, 10)]
    W = np.zeros((61, 61))
    at = 0
    for part in parts:
        W[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    graph = sparse.csr_array(W)
    with pytest.warns(DataNotice, match="it has 3 components and 1 isolated point, kept at the origin"):
        model = SpectralClustering(4, n_components=3, affinity="precomputed", random_state=0).fit(graph)
    assert model.n_parts_ == 3
    np.testing.assert_allclose(model.eigenvalues_[:3], 0.0)
    assert model.eigenvalues_[3] > 0.5
    np.testing.assert_array_equal(model.embedding_[60], 0.0)
    truth = np.repeat([0, 1, 2, 3], (30, 20, 10, 1))
    assert adjusted_rand_score(truth, model.labels_) == 1.0


@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_isolated_points_are_parts_where_there_is_room(laplacian, assign_labels):
    """Law: as many groups as components, isolated points counted, are these components."""
    graph = sparse.block_diag(
        [sparse.coo_array(np.ones((6, 6))), [[0.0]], np.ones((4, 4)), [[0.0]]], format="csr"
    )
    truth = np.repeat([0, 1, 2, 3], (6, 1, 4, 1))
    with pytest.warns(DataNotice, match="it has 2 components and 2 isolated points\\."):
        model = SpectralClustering(
            4, affinity="precomputed", laplacian=laplacian, assign_labels=assign_labels, random_state=0
        ).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    np.testing.assert_array_equal(model.eigenvalues_[:4], 0.0)
    assert model.eigenvalues_[4] > 0.5
    assert model.n_parts_ == 2


def test_a_graph_of_very_many_parts():
    """Law: where there are more parts than coordinates, the largest ones span them, in little memory."""
    pairs = sparse.block_diag(
        [sparse.coo_array(np.ones((2, 2)))] * 3000 + [np.ones((50, 50))] * 3, format="csr"
    )
    model = SpectralClustering(3, affinity="precomputed", random_state=0).fit(pairs)
    assert model.n_parts_ == 3003
    np.testing.assert_array_equal(model.eigenvalues_, 0.0)
    assert np.count_nonzero(model.embedding_) == 150


def test_communities_of_a_network():
    """Law: the two factions of a graph with few edges between them are found from its adjacency."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 60)
    chance = np.where(truth[:, None] == truth, 0.3, 0.02)
    edges = np.triu(rng.random((120, 120)) < chance, 1)
    graph = sparse.csr_array((edges | edges.T).astype(float))
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_nearest_distances_of_a_matrix():
    """Law: a matrix of distances gives the graph of the rows that it is of."""
    from coterie.distance import pairwise_distances

    D = pairwise_distances(MOONS)
    ours = Affinity("precomputed_nearest_neighbors", n_neighbors=8).graph(D).weights
    expected = Affinity("nearest_neighbors", n_neighbors=8).graph(MOONS).weights
    np.testing.assert_array_equal(ours.toarray(), expected.toarray())


@pytest.mark.parametrize("weight", [1e-8, 1e-40, 1e-200])
def test_weakly_joined_vertices_follow_their_neighbours(weight):
    """Law: a chain of vertices that hangs on a graph by a thread goes with where it hangs."""
    W = np.kron(np.eye(2), np.ones((150, 150)))
    W[0, 299] = W[299, 0] = 1.0
    graph = np.zeros((303, 303))
    graph[:300, :300] = W
    for i in (300, 301, 302):
        at = 7 if i == 300 else i - 1
        graph[i, at] = graph[at, i] = weight
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(sparse.csr_array(graph))
    truth = np.repeat([0, 1, 0], (150, 150, 3))
    assert adjusted_rand_score(model.labels_, truth) == 1.0


def test_weights_that_are_symmetric_but_for_rounding():
    """Law: a matrix that float32 made is averaged with its transpose, dense or sparse; no other is."""
    W = weights_of(BLOBS, 0.3)
    rough = W * (1 + 1e-6 * np.random.default_rng(0).random(W.shape))
    plain = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W)
    for given in (rough, sparse.csr_array(rough)):
        model = SpectralClustering(4, affinity="precomputed", random_state=0).fit(given)
        assert adjusted_rand_score(model.labels_, plain.labels_) == 1.0
        with pytest.raises(InvalidData, match="symmetric"):
            SpectralClustering(4, affinity="precomputed").fit(given + np.triu(W, 1) * 1e-3)


@pytest.mark.parametrize("dtype", [np.int64, bool, np.float32])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_graphs_of_any_type_and_layout(dtype, layout):
    """Law: loops, stored zeros, order of indices, layout and type of a graph's weights change nothing."""
    W = (weights_of(BLOBS, 0.3) > 0.05).astype(np.float64)
    expected = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W).labels_
    graph = sparse.csr_array(W + 7 * np.eye(len(W)) if dtype is not bool else W + np.eye(len(W)))
    graph = sparse.csr_array(
        (graph.data[::-1].copy(), graph.indices[::-1].copy(), graph.indptr[-1] - graph.indptr[::-1]),
        shape=graph.shape,
    )[::-1]  # indices that descend
    with_zeros = sparse.coo_array(graph)
    zeros = np.r_[with_zeros.data, 0.0], (np.r_[with_zeros.row, 0], np.r_[with_zeros.col, 399])
    given = sparse.coo_array(zeros, shape=graph.shape).astype(dtype).asformat(layout)
    labels = SpectralClustering(4, affinity="precomputed", random_state=0).fit(given).labels_
    assert adjusted_rand_score(labels, expected) == 1.0


def test_products_with_values_beyond_float32():
    """Law: a product in float32 is linear in the values, whatever their size, column by column."""
    rows = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    graph = GaussianGraph(rows, 1.0, None, 1)
    values = np.random.default_rng(1).normal(size=(20, 2))
    expected = gaussian_product(graph, rows, None, values) * [1e200, 1.0]
    found = gaussian_product(graph, rows, None, values * [1e200, 1.0])
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_kernels_are_those_of_scikit_learn():
    """Law: every kernel that scikit-learn knows by name is an affinity, but one that is never positive."""
    from sklearn.metrics.pairwise import KERNEL_PARAMS

    assert {*KERNELS, "rbf", "additive_chi2"} == set(KERNEL_PARAMS)
