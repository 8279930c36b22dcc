"""Consensus clustering: what many runs agree on."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as their_linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import ConsensusClustering, KMeans
from coterie.errors import InvalidParameter
from coterie.evaluate import adjusted_rand_score, consensus_matrix

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(at, 1.0, (30, 2)) for at in (0, 4, 12)])
TRUTH = np.repeat([0, 1, 2], 30)


@parametrize_with_checks([ConsensusClustering(n_resamples=5, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    """Law: scikit-learn's checks of estimators pass."""
    check(estimator)


def test_labels_are_the_cut_of_scipys_tree_of_the_consensus():
    """Law: the clusters are those of SciPy's average linkage of one minus the consensus."""
    model = ConsensusClustering(3, n_resamples=20, random_state=3).fit(X)
    consensus = consensus_matrix(KMeans(3), X, n_resamples=20, random_state=3).toarray()
    theirs = fcluster(their_linkage(squareform(1 - consensus, checks=False), "average"), 3, "maxclust")
    assert adjusted_rand_score(theirs, model.labels_) == 1.0
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.9


def test_membership_is_the_mean_consensus():
    """Law: new rows go where their consensus is greatest; memberships lie in [0, 1]."""
    model = ConsensusClustering(3, n_resamples=20, random_state=0).fit(X)
    shares = model.membership(X)
    assert shares.min() >= 0
    assert shares.max() <= 1
    np.testing.assert_array_equal(model.predict(X), shares.argmax(axis=1))
    assert (model.predict(X) == model.labels_).mean() > 0.95


def test_any_estimator_and_its_limits():
    """Law: any estimator clusters the subsamples; without predict it places no new rows."""
    model = ConsensusClustering(3, estimator=AgglomerativeClustering(6), n_resamples=10, random_state=0).fit(
        X
    )
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.8
    with pytest.raises(
        InvalidParameter, match="needs an estimator with predict, AgglomerativeClustering has none"
    ):
        model.predict(X)


def test_wrong_parameters():
    """Law: a wrong parameter is refused with the allowed values."""
    with pytest.raises(
        InvalidParameter, match=r"fraction of ConsensusClustering must be a number in \(0, 1\]"
    ):
        ConsensusClustering(fraction=0).fit(X)
    with pytest.raises(
        InvalidParameter, match="n_clusters of ConsensusClustering must be at most n_samples=90"
    ):
        ConsensusClustering(91).fit(X)
    with pytest.raises(InvalidParameter, match="estimator of ConsensusClustering must be an estimator"):
        ConsensusClustering(2, estimator="kmeans").fit(X)


def test_a_class_is_not_an_estimator():
    """Law: a class without its brackets is refused in words."""
    with pytest.raises(InvalidParameter, match=r"such as KMeans\(3\), got the class KMeans itself"):
        ConsensusClustering(2, estimator=KMeans).fit(np.eye(4))
