"""Breathing: at least as good as what it starts from, usually better than restarts."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import KMeans

UNIFORM = np.random.default_rng(0).uniform(size=(3000, 2))
BLOBS, _ = make_blobs(2000, 8, centers=30, cluster_std=1.5, random_state=3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("data", [UNIFORM, BLOBS, sparse.csr_array(BLOBS)], ids=["uniform", "blobs", "csr"])
def test_never_worse_than_without(data, seed):
    """Law: breathing ends at an inertia that is at most that of the run it starts from."""
    plain, better = (KMeans(30, random_state=seed, improve=how).fit(data) for how in (None, "breathing"))
    assert better.inertia_ <= plain.inertia_
    assert better.n_iter_ > plain.n_iter_
    np.testing.assert_array_equal(better.predict(data), better.labels_)


@pytest.mark.parametrize(("data", "k"), [(UNIFORM, 60), (BLOBS, 30)], ids=["uniform", "blobs"])
def test_better_than_ten_restarts(data, k):
    """Law: over seeds, the mean inertia is below that of scikit-learn with ten restarts."""
    ours = [KMeans(k, improve="breathing", random_state=seed).fit(data).inertia_ for seed in range(4)]
    theirs = [sklearn.cluster.KMeans(k, n_init=10, random_state=seed).fit(data).inertia_ for seed in range(4)]
    assert np.mean(ours) < np.mean(theirs)


def test_ends_at_an_optimum():
    """Law: the result is a fixed point: starting again from it changes nothing that matters."""
    model = KMeans(20, improve="breathing", random_state=0).fit(BLOBS)
    again = KMeans(20, init=model.cluster_centers_, tol=0).fit(BLOBS)
    assert again.inertia_ == pytest.approx(model.inertia_, rel=1e-4)


@pytest.mark.parametrize("k", [1, 2, 3, 59, 60])
def test_extreme_numbers_of_clusters(k):
    """Law: from one cluster to as many as rows, breathing works and keeps k."""
    model = KMeans(k, improve="breathing", random_state=0).fit(UNIFORM[:60])
    assert len(model.cluster_centers_) == k
    assert len(set(model.labels_)) == k


@pytest.mark.parametrize("k", [4, 5, 7])
def test_rows_and_centres_without_weight(k):
    """Law: rows of weight 0 beside centres without weight move nothing, and NumPy has nothing to warn of."""
    data = 1e9 + np.array([[7.0], [5], [4], [2], [2], [0], [0], [0]])
    weights = np.tile([0.0, 1.0], 4)
    model = KMeans(k, improve="breathing", init="random", n_init=3, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(3\) found"):
        model.fit(data, sample_weight=weights)
    assert model.inertia_ == 0  # of weight are 5, 2, 0 and 0
    assert np.isfinite(model.cluster_centers_).all()


def test_weights_are_heeded():
    """Law: rows of weight 0 do not attract centres."""
    data = np.vstack([UNIFORM[:200], UNIFORM[:200] + 50])
    weights = np.repeat([1.0, 0.0], 200)
    model = KMeans(10, improve="breathing", random_state=0).fit(data, sample_weight=weights)
    alone = KMeans(10, improve="breathing", random_state=0).fit(UNIFORM[:200])
    assert model.cluster_centers_.max() < 2
    assert model.inertia_ == pytest.approx(alone.inertia_, rel=0.05)


def test_several_starts_are_possible():
    """Law: with n_init given, breathing begins at the best of that many runs."""
    plain = KMeans(30, n_init=4, random_state=0).fit(UNIFORM)
    better = KMeans(30, n_init=4, random_state=0, improve="breathing").fit(UNIFORM)
    assert better.inertia_ <= plain.inertia_
    assert better._n_init == 4
