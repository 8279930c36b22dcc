"""Splits and nodes: two clusters against one Gaussian."""

import json

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.cluster import KMeans as TheirKMeans

from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import node_significance, split_significance, sse, tss
from coterie.evaluate.belief.splits import cluster_index, two_means
from coterie.tree import Dendrogram, linkage

rng = np.random.default_rng(0)
PAIR = np.concatenate([rng.normal(0, 1, (40, 3)), rng.normal(5, 1, (30, 3))])
HALVES = np.repeat([0, 1], [40, 30])


def tree_of(X, method="ward"):
    return Dendrogram.from_linkage(linkage(X, method))


def test_cluster_index_is_a_share_of_sums_of_squares():
    """Law: the index is the sum of squares within clusters over that of all rows."""
    labels = rng.integers(2, size=70)
    assert cluster_index(PAIR, labels) == pytest.approx(sse(PAIR, labels) / tss(PAIR))
    assert np.isnan(cluster_index(np.ones((4, 2)), np.array([0, 0, 1, 1])))


def test_two_means_is_the_best_of_a_few_runs():
    """Law: the split of a draw is no worse than scikit-learn's best of ten."""
    X = np.random.default_rng(3).normal(size=(60, 2))
    theirs = TheirKMeans(2, n_init=10, random_state=0).fit(X)
    assert cluster_index(X, two_means(X, 0)) <= cluster_index(X, theirs.labels_) * 1.01


def test_two_clusters_and_one_cut_in_two():
    """Law: two clusters are significant; halves of one Gaussian give uniform p-values."""
    assert split_significance(PAIR, HALVES, n_draws=49, random_state=0).p_value == 0.02
    assert split_significance(PAIR, HALVES, n_draws=49, random_state=0).p_normal < 1e-4
    p_values = []
    for at in range(50):
        X = np.random.default_rng(at).normal(size=(40, 2)) * [3, 1]
        labels = KMeans(2, n_init=5, random_state=0).fit(X).labels_
        p_values.append(split_significance(X, labels, n_draws=19, random_state=at).p_value)
    assert kstest(np.array(p_values) - 0.025, "uniform").pvalue > 0.001


def test_noise_is_left_out_and_other_methods_split_too():
    """Law: rows labelled -1 do not count; draws are split by the given estimator."""
    noisy = np.concatenate([PAIR, [[99.0, 0.0, 0.0]]])
    with_noise = split_significance(noisy, [*HALVES, -1], n_draws=9, random_state=0)
    without = split_significance(PAIR, HALVES, n_draws=9, random_state=0)
    assert with_noise.observed == without.observed
    np.testing.assert_array_equal(with_noise.draws, without.draws)
    by_ward = split_significance(
        PAIR, HALVES, estimator=AgglomerativeClustering(2), n_draws=9, random_state=0
    )
    assert (by_ward.draws >= without.draws - 1e-9).all()  # 2-means makes the index least


def test_wrong_splits():
    """Law: labels must be two clusters of the rows."""
    with pytest.raises(
        InvalidData, match="must name two clusters of at least four rows together, got 3 clusters"
    ):
        split_significance(PAIR, np.arange(70) % 3)
    with pytest.raises(InvalidData, match="must name a cluster for each of the 70 rows, got 2"):
        split_significance(PAIR, [0, 1])
    with pytest.raises(InvalidParameter, match="n_draws of split_significance must be a whole number"):
        split_significance(PAIR, HALVES, n_draws=0)


@pytest.mark.parametrize("method", ["ward", "complete"])
def test_nodes_of_separate_clusters(method):
    """Law: exactly the splits between clusters are significant, and the labels are the clusters."""
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(at, 1, (25, 2)) for at in ([0, 0], [30, 0], [30, 14])])
    found = node_significance(tree_of(X, method), X, linkage=method, alpha=0.01, n_draws=39, random_state=0)
    assert found.n_clusters == 3
    np.testing.assert_array_equal(found.labels, np.repeat([0, 1, 2], 25))
    assert [test.is_significant for test in found.tests].count(True) == 2
    assert found.tests[0].level == 0.01
    assert found.tests[0].size == 75


def test_one_cloud_is_not_split():
    """Law: one Gaussian stays one cluster, and nothing below its root is tested."""
    X = np.random.default_rng(1).normal(size=(60, 2))
    found = node_significance(tree_of(X), X, n_draws=39, random_state=0)
    assert found.n_clusters == len(found.tests) == 1
    assert "1 clusters by splits" in repr(found)
    again = node_significance(tree_of(X), X, n_draws=39, random_state=0)
    assert again.tests[0].p_value == found.tests[0].p_value


def test_equal_rows_and_exchange():
    """Law: equal rows are one cluster; tests go to JSON and pandas."""
    X = np.ones((20, 2))
    assert node_significance(tree_of(X), X, random_state=0).n_clusters == 1
    found = node_significance(tree_of(PAIR), PAIR, n_draws=19, random_state=0)
    assert json.loads(json.dumps(found.to_dict()))["n_clusters"] == found.n_clusters
    assert list(found.to_frame().columns) == ["size", "cluster_index", "p_value", "level", "is_significant"]


def test_wrong_trees():
    """Law: the tree must be a binary one of the rows."""
    with pytest.raises(
        InvalidParameter, match=r"dendrogram of node_significance must be a Dendrogram.*got ndarray"
    ):
        node_significance(linkage(PAIR, "ward"), PAIR)
    with pytest.raises(InvalidData, match="X of node_significance must have a row for each of the 70 leaves"):
        node_significance(tree_of(PAIR), PAIR[1:])
    with pytest.raises(InvalidData, match="must be binary"):
        node_significance(Dendrogram([[0, 1, 2]], [1.0]), PAIR[:3])
    with pytest.raises(InvalidParameter, match="alpha of node_significance must be a number"):
        node_significance(tree_of(PAIR), PAIR, alpha=0)
    with pytest.raises(InvalidParameter, match=r'linkage of node_significance must be .*"ward"\?'):
        node_significance(tree_of(PAIR), PAIR, linkage="wards")
