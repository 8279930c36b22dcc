"""HDBSCAN: the labels of scikit-learn's, and what it adds."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from coterie.cluster import HDBSCAN, CondensedTree
from coterie.errors import InvalidData, InvalidParameter
from stable_peers import stable_hdbscan


def blobs(n=300, d=2, seed=0):
    random = np.random.default_rng(seed)
    centres = random.uniform(-5, 5, size=(5, d))
    spread = random.uniform(0.1, 0.9, size=(5, 1))
    group = random.integers(0, 5, n)
    return centres[group] + spread[group] * random.normal(size=(n, d))


def assert_same(X, **options):
    """Ours and theirs agree in labels and probabilities."""
    ours = HDBSCAN(**options).fit(X)
    theirs = stable_hdbscan(X, **options)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
    return ours, theirs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [1, 2, 8, 30])
def test_labels_are_scikit_learns(seed, d):
    """Law: the same labels and probabilities, in every dimension, by either engine."""
    assert_same(blobs(600, d, seed), min_cluster_size=8)


@pytest.mark.parametrize(
    "options",
    [
        {"min_samples": 1},
        {"min_samples": 12, "min_cluster_size": 6},
        {"alpha": 1.3},
        {"cluster_selection_method": "leaf"},
        {"allow_single_cluster": True},
        {"max_cluster_size": 40},
        {"max_cluster_size": 80, "allow_single_cluster": True},
        {"min_cluster_size": 200},
    ],
    ids=str,
)
def test_every_parameter(options):
    """Law: every parameter means what it means in scikit-learn."""
    for seed in range(3):
        assert_same(blobs(seed=seed), **options)


@pytest.mark.parametrize(
    "metric", ["manhattan", "chebyshev", "canberra", "braycurtis", "cosine", "correlation"]
)
def test_every_metric(metric):
    """Law: the same for distances that both know."""
    assert_same(np.abs(blobs(d=4)) + 0.5, metric=metric, min_cluster_size=6)


def test_matrices_and_graphs():
    """Law: matrices give scikit-learn's labels, sparse ones too; a function as many clusters."""
    X = blobs(200)
    D = pairwise_distances(X)
    assert_same(D, metric="precomputed", alpha=0.7)
    given, _ = assert_same(D, metric="precomputed")
    np.testing.assert_array_equal(given.predict(D), given.labels_)
    assert given.membership(D).shape == (200, given.labels_.max() + 1)
    graph = kneighbors_graph(X, 60, mode="distance")
    stored = sparse.csr_matrix(graph.maximum(graph.T))
    theirs = stable_hdbscan(stored, metric="precomputed")
    np.testing.assert_array_equal(HDBSCAN(metric="precomputed").fit(stored).labels_, theirs.labels_)
    function = HDBSCAN(metric=lambda a, b: float(np.linalg.norm(a - b))).fit(X)
    assert function.labels_.max() == given.labels_.max()


@pytest.mark.parametrize("seed", range(3))
def test_sparse_graphs_with_ties(seed):
    """Law: with whole numbers, where most pairs tie, a sparse graph still gives scikit-learn's labels."""
    random = np.random.default_rng(seed)
    X = np.unique(
        np.concatenate([random.integers(0, 8, (60, 2)), random.integers(0, 8, (60, 2)) + 20]), axis=0
    )
    stored = sparse.csr_matrix(pairwise_distances(X.astype(np.float64)))
    for size in (4, 10):
        ours = HDBSCAN(size, metric="precomputed").fit(stored)
        theirs = stable_hdbscan(stored, min_cluster_size=size, metric="precomputed")
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_)


def test_sparse_graphs_with_equal_rows():
    """Law: stored zeros join rows that are equal; the groups are those of the dense matrix."""
    X = np.repeat([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], 6, axis=0)
    stored = radius_neighbors_graph(X, 50.0, mode="distance")
    assert (stored.data == 0).sum() > 100
    model = HDBSCAN(8, min_samples=3, metric="precomputed").fit(stored)
    dense = HDBSCAN(8, min_samples=3, metric="precomputed").fit(pairwise_distances(X))
    np.testing.assert_array_equal(model.labels_, dense.labels_)


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_epsilon_merges_what_splits_below_it(method):
    """Law: no cluster came to be below the distance epsilon; a large epsilon leaves the first split only."""
    X = blobs(seed=1)
    fine = HDBSCAN(cluster_selection_method=method).fit(X).labels_.max()
    middle = HDBSCAN(cluster_selection_method=method, cluster_selection_epsilon=0.6).fit(X)
    assert middle.labels_.max() <= fine
    births = middle.condensed_tree_.births()[middle._chosen]
    assert (1 / births >= 0.6).all()
    coarse = HDBSCAN(cluster_selection_method=method, cluster_selection_epsilon=50.0).fit(X)
    assert coarse.labels_.max() == 1
    one = HDBSCAN(cluster_selection_method=method, cluster_selection_epsilon=50.0, allow_single_cluster=True)
    assert one.fit(X).labels_.max() == 0


@pytest.mark.parametrize("store", ["centroid", "medoid", "both"])
def test_centers(store):
    """Law: centres are scikit-learn's, and only those asked for exist."""
    ours, theirs = assert_same(blobs(), store_centers=store)
    for name in ("centroids_", "medoids_"):
        assert hasattr(ours, name) == hasattr(theirs, name)
        if hasattr(ours, name):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))


def test_dbscan_clustering():
    """Law: the flat cut is scikit-learn's."""
    ours, theirs = assert_same(blobs())
    for cut in (0.05, 0.3, 1.0, 4.0):
        np.testing.assert_array_equal(ours.dbscan_clustering(cut), theirs.dbscan_clustering(cut))


def test_rows_that_are_not_finite():
    """Law: missing and infinite rows have labels of their own, when fitting and when predicting."""
    X = blobs()
    X[3, 0], X[7, 1] = np.nan, np.inf
    ours, _ = assert_same(X)
    assert (ours.labels_[3], ours.labels_[7]) == (-3, -2)
    assert ours.predict(X[[3, 7, 0]]).tolist() == [-3, -2, ours.labels_[0]]


def test_predict_and_membership():
    """Law: rows of the fit keep their labels; new rows join the cluster they lie in, far ones are noise."""
    X, y = make_moons(600, noise=0.05, random_state=0)
    model = HDBSCAN(min_cluster_size=20).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new, truth = make_moons(200, noise=0.03, random_state=1)
    found = model.predict(new)
    first = model.labels_[np.flatnonzero(y == 0)[0]]
    is_in = found >= 0
    assert is_in.mean() > 0.9
    np.testing.assert_array_equal(found[is_in] == first, truth[is_in] == 0)
    assert model.predict([[50.0, 50.0]]) == [-1]
    shares = model.membership(new)
    assert shares.shape == (200, 2)
    assert (shares.sum(axis=1) <= 1 + 1e-12).all()
    assert (shares >= 0).all()
    assert np.mean(np.argmax(shares, axis=1)[is_in] == found[is_in]) > 0.9
    assert model.membership([[500.0, 500.0]]).sum() < 0.01


def test_condensed_tree_and_outliers():
    """Law: sizes, births and deaths of the tree are consistent; an outlier has the highest score."""
    X = np.vstack([blobs(), [[60.0, 60.0]]])
    model = HDBSCAN(min_cluster_size=6).fit(X)
    tree = model.condensed_tree_
    assert isinstance(tree, CondensedTree)
    assert sorted(tree.child[tree.is_row]) == list(range(len(X)))
    assert (tree.births() <= tree.deaths()).all()
    assert (tree.sizes()[1:] >= 6).all()
    assert model.outlier_scores_.argmax() == len(X) - 1
    assert ((model.outlier_scores_ >= 0) & (model.outlier_scores_ <= 1)).all()


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_predict_takes_the_frame_of_the_fit(metric):
    """Rows of a frame are placed as those of an array, without a warning about names that are there."""
    X = make_moons(60, noise=0.05, random_state=0)[0]
    X = X if metric == "euclidean" else pairwise_distances(X)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model, plain = HDBSCAN(metric=metric).fit(frame), HDBSCAN(metric=metric).fit(X)
    assert np.array_equal(model.predict(frame), plain.predict(X))
    assert np.array_equal(model.membership(frame), plain.membership(X))


def test_condensed_tree_prints_one_line():
    """A tree in a notebook says its size instead of its arrays."""
    tree = HDBSCAN(min_cluster_size=3).fit([[0.0], [0.1], [0.2], [5.0], [5.2], [5.4]]).condensed_tree_
    assert repr(tree) == "CondensedTree of 6 rows, 3 clusters with the root"


def test_equal_rows():
    """Law: rows at distance 0 are dense without limit, which is not an error."""
    X = np.repeat([[0.0, 0.0], [5.0, 5.0], [9.0, 1.0]], 20, axis=0)
    assert HDBSCAN().fit(X).labels_.max() == 2
    assert HDBSCAN(allow_single_cluster=True).fit(np.ones((30, 2))).labels_.max() == 0


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3])
def test_the_only_cluster_has_an_edge(epsilon):
    """Law: new rows, and rows of weight 0, are noise by the rule that makes rows of the fit noise."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    options = {"allow_single_cluster": True, "cluster_selection_epsilon": epsilon}
    model = HDBSCAN(**options).fit(X)
    assert model._chosen.tolist() == [0]
    assert -1 in model.labels_
    assert set(model.predict(X + 1e-12)) == set(model.labels_)  # with 0.1 no row is dense enough
    assert model.predict([[1000.0, 1000.0]]) == [-1]
    weights = np.append(np.ones(200), 0.0)
    weighted = HDBSCAN(**options).fit(np.vstack([X, [[1000.0, 1000.0]]]), sample_weight=weights)
    assert weighted.labels_[-1] == -1


def test_threads_do_not_matter():
    """Law: the same labels and tree for any number of threads."""
    X = blobs(8000, 3)
    one, many = (HDBSCAN(min_cluster_size=15, n_jobs=jobs).fit(X) for jobs in (1, 4))
    np.testing.assert_array_equal(one.labels_, many.labels_)
    np.testing.assert_array_equal(one.condensed_tree_.child, many.condensed_tree_.child)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_cluster_size": 1}, "min_cluster_size of HDBSCAN must be a whole number of at least 2, got 1"),
        ({"min_samples": 0}, "min_samples of HDBSCAN must be a whole number of at least 1"),
        ({"alpha": 0.0}, "alpha of HDBSCAN must be a number in"),
        ({"cluster_selection_method": "dom"}, "cluster_selection_method of HDBSCAN must be one of"),
        ({"min_samples": 400}, r"min_samples \(400\) must be at most the number of samples in X \(300\)"),
    ],
)
def test_wrong_parameters(options, words):
    """Law: each wrong parameter is named with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        HDBSCAN(**options).fit(blobs())


def test_wrong_data():
    """Law: one row, and matrices that are not distances, are refused."""
    with pytest.raises(InvalidData, match="n_samples=1 while HDBSCAN requires more than one sample"):
        HDBSCAN().fit([[1.0, 2.0]])
    with pytest.raises(InvalidData, match="distances of HDBSCAN must be at least 0, got -1"):
        HDBSCAN(metric="precomputed").fit(-np.ones((6, 6)))
    with pytest.raises(InvalidData, match="values appear to be asymmetric"):
        HDBSCAN(metric="precomputed").fit(np.triu(np.ones((6, 6)), 1))


def test_a_split_at_epsilon_itself():
    """Law: labels begin at 0; where everything is merged into the root, there is one cluster."""
    X = np.concatenate([np.arange(5), 20 + np.arange(5), 88 + np.arange(5)])[:, None].astype(float)
    options = {"min_cluster_size": 3, "min_samples": 1, "allow_single_cluster": True}
    model = HDBSCAN(cluster_selection_epsilon=64.0, **options).fit(X)
    assert set(model.labels_[model.labels_ >= 0]) == {0}
    assert model.membership(X).shape == (15, 1)


def test_rows_whose_sum_overflows_are_finite():
    """Each number is finite, and their distance is: only the sum of a row is beyond all numbers."""
    X = np.zeros((12, 4))
    X[:6, :2] = 1.5e308
    X[6:, 2:] = 1.5e308
    model = HDBSCAN(min_cluster_size=3, metric="jaccard").fit(X)
    np.testing.assert_array_equal(np.unique(model.labels_), [0, 1])
    np.testing.assert_array_equal(model.predict(X), model.labels_)
