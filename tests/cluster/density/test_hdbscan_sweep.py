"""HDBSCAN against scikit-learn's over many data sets and parameters: the labels are equal, not just alike."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from coterie import _core
from coterie.cluster import HDBSCAN
from stable_peers import stable_hdbscan


def random_case(random, sizes):
    """Return blobs of some spread and dimension, and parameters that both classes take."""
    X = make_blobs(
        int(random.choice(sizes)),
        centers=int(random.integers(1, 12)),
        n_features=int(random.integers(2, 9)),
        cluster_std=random.uniform(0.3, 3.0),
        random_state=int(random.integers(1 << 30)),
    )[0]
    options = {
        "min_cluster_size": int(random.choice([2, 3, 5, 10, 25, 60])),
        "cluster_selection_method": str(random.choice(["eom", "leaf"])),
        "allow_single_cluster": bool(random.random() < 0.3),
    }
    sometimes = {
        "min_samples": [1, 2, 4, 8, 20],
        "alpha": [0.5, 0.8, 1.3, 2.0],
        "max_cluster_size": [20, 100, 500],
        "algorithm": ["brute", "kd_tree", "ball_tree"],
        "metric": ["manhattan", "chebyshev"],
    }
    for name, values in sometimes.items():
        if random.random() < 0.3:
            options[name] = values[random.integers(len(values))]
    return X, options


def assert_same(X, options):
    try:
        theirs = stable_hdbscan(X, **options)
    except KeyError:  # scikit-learn's selection fails on a tree of one cluster with max_cluster_size
        return
    ours = HDBSCAN(**options).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_, err_msg=str((X.shape, options)))
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9, err_msg=str(options))


@pytest.mark.parametrize("seed", range(4))
def test_labels_of_many_data_sets(seed):
    """Law: on data without equal distances labels and probabilities are scikit-learn's, whatever is asked."""
    random = np.random.default_rng(seed)
    for _ in range(8):
        assert_same(*random_case(random, [200, 400, 700, 1500]))


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_labels_where_distances_tie(decimals):
    """Law: so they are where rounded numbers make many distances equal."""
    random = np.random.default_rng(decimals)
    for _ in range(8):
        X, options = random_case(random, [200, 400, 700, 1500])
        assert_same(np.round(X, decimals), options)


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree"])
def test_labels_beyond_small_data(algorithm):
    """Law: so they are for thousands of rows, where ties of edges decide."""
    X = make_blobs(6000, centers=8, n_features=3, cluster_std=1.5, random_state=2)[0]
    assert_same(X, {"algorithm": algorithm})


def test_ties_beyond_small_data():
    """Law: so they are for thousands of rounded rows, in few columns and in many."""
    for d, decimals in ((2, 1), (15, 0)):
        X = make_blobs(5500, centers=6, n_features=d, cluster_std=2.0, random_state=d)[0]
        assert_same(np.round(X, decimals), {"min_cluster_size": 10})


@pytest.mark.parametrize("alpha", [0.7, 1.0, 1.6])
@pytest.mark.parametrize("min_samples", [1, 5])
def test_three_ways_to_grow_the_tree(alpha, min_samples):
    """Law: lists and a spanning tree, a walk over a kd-tree, and the matrix grow one tree, edge by edge."""
    for seed, d in ((0, 2), (1, 5)):
        X = np.random.default_rng(seed).normal(size=(700, d))
        tree = _core.KDTree(X, "euclidean", 2.0, n_threads=2)
        (edges, distance), core, is_certain = _core.regrow_of_tree(tree, min_samples, alpha, 1.0, 2)
        walked = _core.grow_of_tree(tree, core, alpha, edges, distance)
        index, near = tree.query_self(700)
        D = np.empty((700, 700))
        np.put_along_axis(D, index, near, axis=1)
        np.testing.assert_array_equal(core, np.sort(D, axis=1)[:, min_samples - 1])
        grown = _core.grow_of_matrix(D, core, alpha)
        assert is_certain
        for found in ((edges, distance), walked):
            np.testing.assert_array_equal(found[0], grown[0])
            np.testing.assert_array_equal(found[1], grown[1])


def test_equal_distances_are_seen():
    """Law: equal rows and whole numbers make the short way uncertain, and the walk decides as the matrix."""
    X = np.random.default_rng(0).integers(0, 12, size=(800, 3)).astype(np.float64)
    tree = _core.KDTree(X, "euclidean", 2.0, n_threads=1)
    (edges, distance), core, is_certain = _core.regrow_of_tree(tree, 5, 1.0, 1.0, 1)
    assert not is_certain
    index, near = tree.query_self(800)
    D = np.empty((800, 800))
    np.put_along_axis(D, index, near, axis=1)
    walked, grown = _core.grow_of_tree(tree, core, 1.0, edges, distance), _core.grow_of_matrix(D, core, 1.0)
    np.testing.assert_array_equal(walked[0], grown[0])
    np.testing.assert_array_equal(walked[1], grown[1])


@pytest.mark.parametrize(
    "metric", ["rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "dice", "jaccard", "hamming"]
)
def test_distances_of_booleans(metric):
    """Law: distances that scikit-learn's trees know give its labels; predict takes them too."""
    random = np.random.default_rng(0)
    X = (random.random((180, 12)) < np.repeat([0.1, 0.5, 0.9], 60)[:, None]).astype(np.float64)
    X[:, 0] = 1  # between sets with nothing in them some have no distance
    assert_same(X, {"metric": metric})
    model = HDBSCAN(metric=metric).fit(X)
    assert set(model.predict(np.column_stack([X[:, :1], 1 - X[:, 1:]]))) <= set(model.labels_) | {-1}


@pytest.mark.parametrize("metric", ["dice", "jaccard"])
def test_sets_with_nothing_in_them(metric):
    """Law: equal empty sets are at no distance from each other; scikit-learn's dice has none for them."""
    X = np.zeros((21, 4))
    X[:10, 1] = 1
    model = HDBSCAN(metric=metric).fit(X)
    assert np.isfinite(model._merges[2]).all()
    np.testing.assert_array_equal(model.labels_[:10], model.labels_[0])
    np.testing.assert_array_equal(model.labels_[10:], model.labels_[10])
    assert model.labels_[0] != model.labels_[10]
