"""`coterie.fit` of a graph: communities, tested against random graphs of the same degrees."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import coterie
from coterie.cluster import leiden
from coterie.data.graphs import read_graph
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.belief import fit_configuration
from coterie.pipeline import GraphClustering
from karate_club import KARATE


def random_edges(seed, n, m):
    rng = np.random.default_rng(seed)
    pairs = {tuple(sorted(pair)) for pair in rng.integers(0, n, (m, 2)).tolist() if pair[0] != pair[1]}
    return sorted(pairs)


def test_the_karate_club_has_groups():
    """Law: groups that random graphs do not have are announced, with sizes that add up."""
    found = coterie.fit(graph=KARATE, budget="fast")
    assert isinstance(found, GraphClustering)
    assert found.convincing
    assert found.headline.endswith("groups; configuration null rejected (p = 0.025)")
    facts = found.to_dict()
    assert sum(group["size"] for group in facts["groups"]) == 34
    assert facts["significance"]["n_draws"] == 39
    assert np.array_equal(found.labels, leiden(KARATE).labels)
    assert (found.inside > 0.5).all()
    assert "34 nodes, 78 edges; undirected" in repr(found)


def test_a_random_graph_has_none():
    """Law: a random graph has communities of some modularity, and they are not convincing."""
    found = coterie.fit(graph=random_edges(0, 60, 150), budget="fast")
    assert found.k > 1
    assert found.convincing is False
    assert found.headline.startswith("No convincing groups")


@pytest.mark.parametrize("is_directed", [False, True])
def test_random_graphs_have_the_degrees_of_the_given_one(is_directed):
    """Law: degrees, loops and weights stay; no edge is double, none becomes a loop; edges do move."""
    rng = np.random.default_rng(3)
    weights = np.where(rng.random((40, 40)) < 0.2, rng.integers(1, 9, (40, 40)), 0)
    weights = weights if is_directed else np.triu(weights) + np.triu(weights, 1).T
    graph = read_graph(weights, directed=is_directed)
    drawn = fit_configuration(graph)(np.random.default_rng(0)).weights.toarray()
    for axis in (0, 1):
        np.testing.assert_array_equal((drawn > 0).sum(axis=axis), (weights > 0).sum(axis=axis))
    np.testing.assert_array_equal(np.sort(drawn, axis=None), np.sort(weights, axis=None))
    np.testing.assert_array_equal(np.diagonal(drawn), np.diagonal(weights))
    assert is_directed or (drawn == drawn.T).all()
    assert ((drawn > 0) != (weights > 0)).mean() > 0.1


def test_sparse_symmetric_matrices_are_graphs():
    """Law: a symmetric sparse matrix is taken as a graph."""
    graph = read_graph(KARATE)
    found = coterie.fit(csr_array(graph.weights), believe=False)
    assert isinstance(found, GraphClustering)
    assert found.headline.endswith("not tested against random graphs")
    assert coterie.fit(graph=graph, believe=False, set={"resolution": 3.0}).k > found.k


def test_what_is_about_rows_is_refused():
    """Law: options that mean nothing for a graph are refused in words."""
    with pytest.raises(InvalidParameter, match="takes no number of groups"):
        coterie.fit(graph=KARATE, k=3)
    with pytest.raises(InvalidParameter, match="is about rows, not about a graph"):
        coterie.fit(graph=KARATE, scale="robust")
    with pytest.raises(InvalidParameter, match="got both"):
        coterie.fit(np.eye(3), graph=KARATE)
    with pytest.raises(InvalidData, match="needs data"):
        coterie.fit()


def test_no_edges_is_no_data():
    """Law: an empty graph is refused."""
    with pytest.raises(InvalidData, match="at least one node"):
        coterie.fit(graph=[])


def test_weights_whose_sum_overflows():
    """Law: a constant factor of all weights changes no group and no share, up to the largest numbers."""
    edges = [(at, at + 1, 1.0) for at in range(5)] + [(0, 2, 1.0), (3, 5, 1.0)]
    small, large = (
        coterie.fit(graph=[(a, b, w * factor) for a, b, w in edges], random_state=0).to_dict()
        for factor in (1.0, 1.7e308)
    )
    assert [group["size"] for group in large["groups"]] == [group["size"] for group in small["groups"]]
    inside = [[group["inside"] for group in found["groups"]] for found in (small, large)]
    np.testing.assert_allclose(inside[1], inside[0])
