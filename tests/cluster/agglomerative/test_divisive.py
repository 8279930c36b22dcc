"""Divisive trees: Diana and bisecting k-means."""

import numpy as np
import pytest
import sklearn.cluster
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import BisectingKMeans, Diana
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from scikit_learn_suites import borrowed, load_suite

OURS = {"BisectingKMeans": BisectingKMeans}
globals().update(borrowed(load_suite(sklearn.cluster, "test_bisect_k_means", OURS)))

RANDOM_START = "the check shuffles the rows: the same random number then draws another row for the start"
EXPECTED_FAILURES = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    RANDOM_START,
)


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [BisectingKMeans(n_clusters=3), Diana()],
    expected_failed_checks=lambda model: EXPECTED_FAILURES if isinstance(model, BisectingKMeans) else {},
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


def test_rs_divisive_coefficient():
    """Law: R's cluster::diana has the divisive coefficient 0.9538 on iris."""
    model = Diana(3).fit(load_iris().data)
    assert round(model.divisive_coefficient_, 4) == 0.9538
    assert (np.diff(model.distances_) >= 0).all()
    np.testing.assert_array_equal(model.dendrogram_.heights, model.distances_)
    given = Diana(3, metric="precomputed").fit(pairwise_distances(load_iris().data))
    np.testing.assert_array_equal(given.labels_, model.labels_)


def test_splits_follow_the_definition():
    """Law: heights are diameters, and nobody in a splinter group would rather have stayed."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    D = pairwise_distances(X)
    model = Diana(2).fit(X)
    assert model.distances_[-1] == D.max()
    left = model.labels_ == model.labels_[np.argmax(D.sum(axis=1))]
    stay = ~left
    for row in np.flatnonzero(stay):
        others = stay & (np.arange(30) != row)
        assert D[row, others].mean() <= D[row, left].mean()


def test_diana_of_equal_rows_and_bad_input():
    """Law: equal rows split at height 0; similarities are refused."""
    model = Diana(2).fit(np.ones((5, 2)))
    assert model.divisive_coefficient_ == 0.0
    assert len(set(model.labels_)) == 2
    with pytest.raises(InvalidData, match="must be rows or distances"):
        Diana(metric="similarity").fit(np.eye(3))
    with pytest.raises(InvalidParameter, match="at most n_samples=3, got 4"):
        Diana(4).fit([[0.0], [1.0], [5.0]])


def test_the_tree_of_bisections():
    """Law: every split lowers the sum of squares, and the tree joins all groups."""
    X, _ = make_blobs(400, centers=6, random_state=0)
    model = BisectingKMeans(6, random_state=0, init="k-means++").fit(X)
    assert sorted(model.children_.ravel().tolist()) == list(range(10))
    np.testing.assert_allclose(model.heights_[-1], ((X - X.mean(axis=0)) ** 2).sum())
    assert model.inertia_ < model.heights_[-1]
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_fewer_different_rows_than_groups():
    """Law: groups that cannot be split are not, with a warning."""
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = BisectingKMeans(5, random_state=0).fit([[0.0], [0.0], [1.0], [1.0], [1.0]])
    assert len(model.cluster_centers_) == 2


def test_trees_to_cut():
    """Law: the dendrograms hold the splits: their cuts are the labels, their heights those of the fit."""
    X, _ = make_blobs(60, centers=4, random_state=0)
    diana = Diana(n_clusters=4).fit(X)
    tree = diana.dendrogram_
    assert tree.n_leaves == 60
    assert len(set(zip(tree.cut(4).tolist(), diana.labels_.tolist(), strict=True))) == 4
    assert tree.agglomerative_coefficient == pytest.approx(diana.divisive_coefficient_)
    bisecting = BisectingKMeans(n_clusters=4, random_state=0).fit(X)
    assert bisecting.dendrogram_.n_leaves == 4
    np.testing.assert_array_equal(bisecting.dendrogram_.heights, bisecting.heights_)
    assert BisectingKMeans(n_clusters=1).fit(X).dendrogram_.n_leaves == 1
