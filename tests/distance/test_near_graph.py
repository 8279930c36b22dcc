"""Trees and graphs of approximate neighbours, and the methods that rest on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from coterie.cluster import DBSCAN, HDBSCAN, SpectralClustering
from coterie.distance import find_distance, k_nearest, spanning_tree
from coterie.distance.near_graph import near_distances, near_rows, near_tree, note_exact_cost
from coterie.distance.rows import RowSets, prepare_rows
from coterie.errors import InvalidParameter, ParameterNotice
from coterie.tree import linkage

RNG = np.random.default_rng(21)
CENTRES = 4 * RNG.normal(size=(5, 12))
CLOUDS = CENTRES[RNG.integers(5, size=240)] + RNG.normal(size=(240, 12))


def prepared(X, metric="euclidean"):
    return prepare_rows(X, None, metric, {}, who="me")


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_tree_of_a_complete_graph_is_that_of_all_pairs(metric):
    """Law: with all other rows as neighbours, the tree is the least spanning tree."""
    rows = prepared(CLOUDS, metric)
    tree = near_tree(rows, near_rows(rows, 239, 1, 2, who="me"))
    exact = spanning_tree(CLOUDS, metric)
    assert np.allclose(tree.distance, exact.distance)
    assert np.array_equal(tree.edges, exact.edges)


def test_parts_are_joined_by_their_nearest_rows():
    """Law: a graph in parts of at most 64 rows is joined as all pairs would join it."""
    X = np.concatenate([RNG.normal(centre, 0.1, size=(40, 3)) for centre in (0, 5, 12, 30)])
    rows = prepared(X)
    near = near_rows(rows, 3, 1, 1, who="me")
    assert connected_components(near_distances(near), directed=False)[0] >= 4
    tree = near_tree(rows, near)
    assert len(tree.edges) == len(X) - 1
    assert np.allclose(tree.distance[-3:], spanning_tree(X).distance[-3:])


def test_copies_beyond_the_neighbours_hang_together():
    """Law: rows that are all equal, more than have neighbours, make a tree of length 0."""
    rows = prepared(np.ones((60, 4)))
    tree = near_tree(rows, near_rows(rows, 5, 1, 1, who="me"))
    assert len(tree.edges) == 59
    assert not tree.distance.any()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("min_samples", [1, 2, 6])
def test_hdbscan_of_a_complete_graph_is_exact(metric, min_samples):
    """Law: with all other rows as neighbours, labels, strengths and core distances are those of all pairs."""
    options = {"min_cluster_size": 8, "min_samples": min_samples, "metric": metric}
    exact = HDBSCAN(**options).fit(CLOUDS)
    near = HDBSCAN(**options, neighbors="approximate", n_neighbors=239).fit(CLOUDS)
    assert near.algorithm_used_ == "approximate"
    assert near.exact_
    assert near.recall_ == 1.0
    assert exact.exact_
    assert np.array_equal(near.labels_, exact.labels_)
    assert np.allclose(near.probabilities_, exact.probabilities_)
    assert np.array_equal(near.predict(CENTRES), exact.predict(CENTRES))


def test_hdbscan_of_near_rows_finds_the_planted_groups():
    """Law: groups of wide rows are found from 16 neighbours each, for any number of threads."""
    centres = RNG.normal(size=(12, 40))
    y = RNG.integers(12, size=6000)
    X = centres[y] + 0.35 * RNG.normal(size=(6000, 40))
    models = [
        HDBSCAN(min_cluster_size=50, metric="cosine", neighbors="approximate", n_jobs=jobs).fit(X)
        for jobs in (1, 2)
    ]
    assert not models[0].exact_
    assert models[0].recall_ >= 0.94
    assert adjusted_rand_score(y, models[0].labels_) > 0.95
    assert np.array_equal(models[0].labels_, models[1].labels_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_dbscan_of_a_complete_graph_is_exact(metric, share):
    """Law: with all other rows as neighbours, labels and core points are those of all pairs, or weights."""
    eps = float(np.quantile(k_nearest(CLOUDS, None, 5, metric).distance[:, -1], share))
    weights = RNG.integers(0, 3, size=240)
    for given in (None, weights):
        exact = DBSCAN(eps, metric=metric).fit(CLOUDS, sample_weight=given)
        near = DBSCAN(eps, metric=metric, neighbors="approximate", n_neighbors=239)
        near.fit(CLOUDS, sample_weight=given)
        assert np.array_equal(near.labels_, exact.labels_)
        assert np.array_equal(near.core_sample_indices_, exact.core_sample_indices_)
        assert near.exact_
        assert near.algorithm_used_ == "approximate"


def test_dbscan_of_few_neighbours_joins_nothing_that_is_apart():
    """Law: clusters of the graph lie within clusters of all pairs."""
    eps = float(np.quantile(k_nearest(CLOUDS, None, 5).distance[:, -1], 0.7))
    exact = DBSCAN(eps).fit(CLOUDS)
    near = DBSCAN(eps, neighbors="approximate", n_neighbors=6).fit(CLOUDS)
    assert not near.exact_
    assert set(near.core_sample_indices_) <= set(exact.core_sample_indices_)
    core = near.core_sample_indices_
    pairs = set(zip(near.labels_[core], exact.labels_[core], strict=True))
    assert len(pairs) == len({one for one, _ in pairs})


@pytest.mark.parametrize("method", ["single", "average"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_linkage_of_a_complete_graph_is_exact(method, metric):
    """Law: with all other rows as neighbours, the merges are those of all pairs."""
    exact = linkage(CLOUDS, method, metric)
    near = linkage(CLOUDS, method, metric, neighbors="approximate", n_neighbors=239)
    assert np.array_equal(near[:, [0, 1, 3]], exact[:, [0, 1, 3]])
    assert np.allclose(near[:, 2], exact[:, 2])


def test_average_linkage_of_near_rows_is_a_whole_tree():
    """Law: few neighbours give n - 1 merges whose heights never fall, and planted groups at their cut."""
    y = np.repeat(np.arange(6), 50)
    X = 20 * RNG.normal(size=(6, 8))[y] + RNG.normal(size=(300, 8))
    Z = linkage(X, "average", neighbors="approximate", n_neighbors=10)
    assert Z.shape == (299, 4)
    assert (np.diff(Z[:, 2]) >= 0).all()
    assert Z[-1, 3] == 300
    from scipy.cluster.hierarchy import fcluster

    assert adjusted_rand_score(y, fcluster(Z, 6, "maxclust")) == 1.0


def test_what_the_graph_cannot_take_is_refused():
    """Law: matrices, functions, rows without a direction, weights and other linkages are refused in words."""
    D = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    for model in (HDBSCAN, DBSCAN):
        with pytest.raises(InvalidParameter, match='must be "exact" for'):
            model(metric="precomputed", neighbors="approximate").fit(D)
        with pytest.raises(InvalidParameter, match="neighbors"):
            model(neighbors="some").fit(CLOUDS)
        with pytest.raises(InvalidParameter, match=r"recall|exact"):
            model(metric="canberra", neighbors="approximate").fit(CLOUDS)
    with pytest.raises(InvalidParameter, match="no sample_weight"):
        HDBSCAN(neighbors="approximate").fit(CLOUDS, sample_weight=np.full(240, 2.0))
    with pytest.raises(InvalidParameter, match="single and average"):
        linkage(CLOUDS, "ward", neighbors="approximate")
    with pytest.raises(InvalidParameter, match='must be "exact" for'):
        linkage(D, "single", "precomputed", neighbors="approximate")


def many(n, d):
    """Return rows of that shape which take no memory."""
    return RowSets(np.broadcast_to(np.float32(1), (n, d)), None, find_distance("euclidean"))


def test_long_exact_work_names_the_short_way():
    """Law: many wide rows get a notice with the expected time and the parameter; few or narrow ones none."""
    with pytest.warns(ParameterNotice, match=r'all pairs of 70,000 rows x 784.*minutes.*"approximate"'):
        note_exact_cost(many(70_000, 784), "HDBSCAN")
    note_exact_cost(many(20_000, 784), "HDBSCAN")
    note_exact_cost(many(70_000, 30), "HDBSCAN")


def test_spectral_clustering_of_near_rows():
    """Law: approximate neighbours of few rows are exact, so are the groups; other affinities are refused."""
    options = {"affinity": "nearest_neighbors", "n_clusters": 5, "random_state": 0}
    X = CLOUDS - 0.8 * CENTRES[np.argmin(((CLOUDS[:, None] - CENTRES) ** 2).sum(axis=2), axis=1)]  # one part
    exact = SpectralClustering(**options, n_neighbors=30).fit(X)
    near = SpectralClustering(**options, n_neighbors=30, neighbors="approximate").fit(X)
    assert exact.n_parts_ == 1
    assert exact.exact_
    assert not near.exact_
    assert adjusted_rand_score(exact.labels_, near.labels_) == 1.0
    with pytest.raises(InvalidParameter, match='affinity "nearest_neighbors"'):
        SpectralClustering(neighbors="approximate").fit(CLOUDS)
