"""Clustering of embeddings: planted groups are found, answers hold still, and hostile rows are harmless."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie.cluster import EmbeddingClustering
from coterie.cluster.embedding.community_layers import community_trees
from coterie.distance import neighbour_graph
from coterie.distance.row_distances import RowDistances
from coterie.errors import CoterieError
from coterie.evaluate import adjusted_rand_score


@parametrize_with_checks([EmbeddingClustering(), EmbeddingClustering(metric="euclidean", noise="keep")])
def test_scikit_learns_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


def planted(n_clusters: int, n_columns: int, n_rows: int, spread: float = 1.0, seed: int = 0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_clusters, n_columns))
    truth = rng.integers(0, n_clusters, n_rows)
    return (centres[truth] + rng.normal(0, spread, (n_rows, n_columns))).astype(np.float32), truth


@pytest.mark.parametrize(
    ("n_clusters", "n_columns", "n_rows"), [(3, 32, 300), (8, 128, 1200), (40, 256, 2400), (150, 128, 4500)]
)
def test_planted_groups_are_found(n_clusters, n_columns, n_rows):
    X, truth = planted(n_clusters, n_columns, n_rows)
    model = EmbeddingClustering().fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.98
    assert model.persistence_ > 0.8


@pytest.mark.parametrize("seed", range(4))
def test_one_cloud_is_one_cluster(seed):
    X = np.random.default_rng(seed).normal(size=(1500, 48))
    model = EmbeddingClustering().fit(X)
    assert (model.labels_ == 0).all()
    assert model.persistence_ == 0
    assert model.layers_.shape == (1500, 0)


def two_levels(seed: int = 5):
    rng = np.random.default_rng(seed)
    coarse = rng.normal(size=(3, 96)) * 1.2
    fine = (coarse[:, None] + rng.normal(size=(3, 4, 96)) * 0.45).reshape(12, 96)
    truth = rng.integers(0, 12, 3600)
    return fine[truth] + rng.normal(size=(3600, 96)) * 0.55, truth


def test_layers_are_nested_and_hold_both_levels():
    X, truth = two_levels()
    model = EmbeddingClustering().fit(X)
    found = {int(layer.max()) + 1: layer for layer in model.layers_.T}
    assert 12 in found
    assert adjusted_rand_score(truth, found[12]) > 0.95
    for fine, coarse in zip(model.layers_.T[:-1], model.layers_.T[1:], strict=True):
        pairs = {(a, b) for a, b in zip(fine, coarse, strict=True)}
        assert len(pairs) == fine.max() + 1


def test_about_so_many_clusters():
    X, truth = two_levels()
    model = EmbeddingClustering(granularity=3).fit(X)
    assert adjusted_rand_score(truth // 4, model.labels_) > 0.95
    assert EmbeddingClustering(granularity=12).fit(X).labels_.max() == 11
    assert EmbeddingClustering(granularity=1).fit(X).labels_.max() == 0
    most, beyond = (EmbeddingClustering(granularity=k).fit(X).labels_ for k in (len(X), 2**63))
    np.testing.assert_array_equal(most, beyond)


def test_seeds_and_orders_of_rows_agree():
    X, _ = planted(12, 64, 2000, spread=1.4)
    labels = EmbeddingClustering().fit(X).labels_
    order = np.random.default_rng(1).permutation(len(X))
    assert adjusted_rand_score(labels[order], EmbeddingClustering().fit(X[order]).labels_) > 0.97
    assert adjusted_rand_score(labels, EmbeddingClustering(random_state=7).fit(X).labels_) > 0.97


def test_threads_do_not_matter():
    X, _ = planted(6, 40, 900, spread=1.5)
    one, two = (EmbeddingClustering(n_jobs=n).fit(X) for n in (1, 2))
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.map(), two.map())


def test_predict_membership_and_exemplars():
    X, truth = planted(5, 64, 1500)
    model = EmbeddingClustering().fit(X[:1000])
    assert np.array_equal(model.predict(X[:1000]), model.labels_)
    assert adjusted_rand_score(truth[1000:], model.predict(X[1000:])) > 0.98
    shares = model.membership(X[1000:])
    assert shares.shape == (500, 5)
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.array_equal(shares.argmax(axis=1), model.predict(X[1000:]))
    for cluster, rows in enumerate(model.exemplars(4)):
        assert len(rows) == 4
        assert (model.labels_[rows] == cluster).all()


def test_noise_is_kept_or_assigned():
    X, truth = planted(4, 32, 1000)
    X = np.concatenate([X, X.mean(axis=0) + np.random.default_rng(2).normal(0, 2.0, (60, 32))]).astype("f4")
    kept, assigned = (EmbeddingClustering(noise=noise).fit(X).labels_ for noise in ("keep", "assign"))
    assert (assigned >= 0).all()
    assert adjusted_rand_score(truth, assigned[:1000]) > 0.98
    assert (kept[:1000] < 0).mean() < 0.02
    assert (kept[1000:] < 0).mean() > (kept[:1000] < 0).mean()


def test_sparse_rows_as_dense_ones():
    X, truth = planted(4, 60, 600, spread=0.6)
    X[X < 0.7] = 0
    dense, sparse = EmbeddingClustering().fit(X), EmbeddingClustering().fit(csr_array(X))
    assert adjusted_rand_score(truth, sparse.labels_) > 0.9
    assert adjusted_rand_score(dense.labels_, sparse.labels_) > 0.97
    assert np.array_equal(sparse.predict(csr_array(X[:50])), sparse.labels_[:50])


def test_saved_and_read_again(tmp_path):
    X, _ = planted(4, 30, 400)
    model = EmbeddingClustering().fit(X)
    coterie.save(model, tmp_path / "m.model")
    again = coterie.load(tmp_path / "m.model")
    assert np.array_equal(again.predict(X), model.labels_)
    assert np.array_equal(again.map(), model.map())


def test_the_embedding_is_the_map_of_the_last_fit(tmp_path):
    """Law: `embedding_` is `map()`, is saved with the model, and does not outlive a fit."""
    X, _ = planted(4, 30, 400)
    model = EmbeddingClustering()
    with pytest.raises(NotFittedError, match="not fitted"):
        _ = model.embedding_
    model.fit(X)
    assert np.array_equal(model.embedding_, model.map())
    assert model.embedding_ is model.embedding_  # computed once
    coterie.save(model, tmp_path / "m.model")
    assert np.array_equal(coterie.load(tmp_path / "m.model").embedding_, model.embedding_)
    assert model.fit(X[:300]).embedding_.shape == (300, 2)


def test_resolutions_at_the_same_time_give_the_same_trees():
    """Law: trees do not depend on the number of threads, where there are rows enough for several."""
    X, _ = planted(6, 16, 6000, spread=1.5)
    links = neighbour_graph(X, 10, "cosine", recall=0.95).weights
    one, three = (community_trees(links, X, "cosine", 0, threads) for threads in (1, 3))
    assert len(one) == len(three) >= 2
    for a, b in zip(one, three, strict=True):
        assert np.array_equal(a.base, b.base)
        assert np.array_equal(a.merges, b.merges)
        assert np.array_equal(a.persistence, b.persistence)


def test_seeds_and_orders_hardly_change_the_answer():
    """Law: another seed, or another order of the rows, gives nearly the same clusters of real images."""
    X = load_digits().data
    labelings = [EmbeddingClustering(random_state=seed).fit(X).labels_ for seed in range(4)]
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = np.empty(len(X), dtype=np.int64)
    shuffled[order] = EmbeddingClustering().fit(X[order]).labels_
    pairs = combinations([*labelings, shuffled], 2)
    assert min(adjusted_rand_score(one, other) for one, other in pairs) >= 0.95


def test_rows_are_where_most_of_their_links_lead():
    """Law: hardly any row has most of its links in one other cluster."""
    X, _ = planted(6, 24, 2000, spread=1.2)
    model = EmbeddingClustering().fit(X)
    graph = model._links().tocoo()
    votes = np.zeros((len(X), int(model.labels_.max()) + 1))
    np.add.at(votes, (graph.row, model.labels_[graph.col]), graph.data)
    assert (votes.argmax(axis=1) == model.labels_).mean() > 0.995


def test_quick_persistence_is_near_that_of_a_fit():
    """Law: one run of Leiden tells clear groups from one cloud, as a fit does."""
    X, _ = planted(5, 40, 800)
    model = EmbeddingClustering()
    assert model.quick_persistence(X) == pytest.approx(model.fit(X).persistence_, abs=0.05)
    assert model.quick_persistence(np.random.default_rng(0).normal(size=(800, 40))) == 0
    assert model.quick_persistence(np.zeros((5, 3))) == 0
    assert model.quick_persistence(X, RowDistances(X)) == pytest.approx(model.quick_persistence(X), abs=1e-9)


@pytest.mark.parametrize("noise", ["assign", "keep"])
def test_layers_are_nested(noise):
    """Law: every cluster of a layer lies within one cluster of the next, whichever rows moved."""
    X, _ = planted(12, 12, 2500, spread=0.9)
    layers = EmbeddingClustering(noise=noise).fit(X).layers_
    assert layers.shape[1] > 1
    for fine, coarse in pairwise(layers.T):
        assert all(len(set(coarse[fine == cluster].tolist())) == 1 for cluster in range(fine.max() + 1))


def test_new_rows_land_among_their_own():
    X, truth = planted(3, 40, 700)
    model = EmbeddingClustering().fit(X[:600])
    places = model.map()
    new = model.map_new(X[600:], places)
    nearest = np.linalg.norm(new[:, None] - places[None], axis=2).argmin(axis=1)
    assert (truth[:600][nearest] == truth[600:]).mean() > 0.95
    with pytest.raises(CoterieError, match="600 rows of the fit"):
        model.map_new(X[600:], places[:10])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_rows(n):
    X = np.random.default_rng(0).normal(size=(n, 4))
    model = EmbeddingClustering().fit(X)
    assert model.labels_.shape == (n,)
    assert (model.labels_ >= 0).all()
    assert np.array_equal(model.predict(X), model.labels_)


def test_copies_beyond_the_neighbours():
    X = np.repeat(np.eye(3, 8), 40, axis=0)
    model = EmbeddingClustering().fit(X)
    assert len(model.labels_) == 120
    assert all(len(set(model.labels_[first : first + 40].tolist())) == 1 for first in (0, 40, 80))


def test_rows_of_zeros_are_noise():
    X, truth = planted(3, 40, 240)
    X[[3, 70]] = 0
    model = EmbeddingClustering().fit(X)
    assert np.flatnonzero(model.labels_ < 0).tolist() == [3, 70]
    others = np.delete(np.arange(240), [3, 70])
    assert adjusted_rand_score(truth[others], model.labels_[others]) > 0.98
    assert np.array_equal(model.predict(X), model.labels_)
    assert (model.labels_[np.concatenate(model.exemplars(3))] >= 0).all()
    assert np.flatnonzero(np.isnan(model.map()[:, 0])).tolist() == [3, 70]
    assert (EmbeddingClustering().fit(np.zeros((9, 4))).labels_ == -1).all()


@pytest.mark.parametrize("values", ["float16", "int8"])
def test_narrow_numbers(values):
    X, truth = planted(3, 40, 300)
    narrow = np.clip(X * 20, -127, 127).astype(values)
    assert adjusted_rand_score(truth, EmbeddingClustering().fit(narrow).labels_) > 0.98


@given(st.integers(0, 10**6), st.integers(4, 60))
@settings(max_examples=25, deadline=None)
def test_trees_of_any_graph_can_be_cut(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(int(rng.integers(0, 3)))
    for tree in community_trees(neighbour_graph(X, min(4, n - 1)).weights, X, "euclidean", seed):
        assert ((tree.persistence >= 0) & (tree.persistence <= 1)).all()
        for size in range(1, tree.n_communities + 1):
            labels = tree.cut(size)
            assert sorted(set(labels.tolist())) == list(range(size))
            assert (np.diff(np.bincount(labels)) <= 0).all()


def test_matrices_are_refused():
    """Law: a method of rows says so before it looks at a matrix."""
    with pytest.raises(CoterieError, match="metric of EmbeddingClustering must be a distance between rows"):
        EmbeddingClustering(metric="precomputed").fit(1 - np.eye(9))
