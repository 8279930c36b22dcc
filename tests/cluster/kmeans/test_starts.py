"""First centres: where they come from and with what chances."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse, stats

from coterie.cluster import (
    BisectingKMeans,
    FuzzyCMeans,
    HierarchicalKMeans,
    KMeans,
    MiniBatchKMeans,
    kmeans_plusplus,
)
from coterie.errors import InvalidData, InvalidParameter

X = np.random.default_rng(0).normal(size=(200, 3))
POSITIVE = np.where(np.arange(200) % 2, 1.0, 0.0)


def start_of(init, *, weights=None, seed=0, n_clusters=10):
    """Return the first centres that KMeans used."""
    model = KMeans(n_clusters, init=init, n_init=1, max_iter=1, random_state=seed, history=True)
    return model.fit(X, sample_weight=weights).history_[0].centers


def row_of(center):
    return int(np.flatnonzero((center == X).all(axis=1))[0])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).uniform(size=200)])
def test_kmeans_starts_where_kmeans_plusplus_says(container, weights):
    """Law: the same random_state gives KMeans the start of kmeans_plusplus, dense and sparse."""
    centers, indices = kmeans_plusplus(container(X), 10, sample_weight=weights, random_state=3)
    np.testing.assert_array_equal(X[indices], centers)
    assert len(set(indices.tolist())) == 10
    np.testing.assert_array_equal(start_of("k-means++", weights=weights, seed=3), centers)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weights_steer_the_start(init):
    """Law: weights change the picks, and a row of weight 0 is never picked."""
    assert not np.array_equal(start_of(init), start_of(init, weights=1 + 50 * POSITIVE))
    for seed in range(20):
        rows = [row_of(center) for center in start_of(init, weights=POSITIVE, seed=seed)]
        assert all(POSITIVE[row] for row in rows)
        assert len(set(rows)) == 10


def test_first_pick_is_drawn_by_weight():
    """Law: over seeds, the first row is picked with its share of the weights."""
    weights = np.arange(1.0, 9.0)
    picks = [
        kmeans_plusplus(X[:8], 1, sample_weight=weights, random_state=seed)[1][0] for seed in range(2000)
    ]
    observed = np.bincount(picks, minlength=8)
    assert stats.chisquare(observed, 2000 * weights / weights.sum()).pvalue > 1e-4


def test_later_picks_are_drawn_by_squared_distance():
    """Law: without greed, row j follows the first pick with probability D_j^2 / sum D^2."""
    line = np.array([[0.0], [1.0], [2.0], [4.0]])
    pairs = np.array(
        [kmeans_plusplus(line, 2, random_state=seed, n_local_trials=1)[1] for seed in range(4000)]
    )
    for first in range(4):
        squared = ((line - line[first]) ** 2).ravel()
        followers = np.bincount(pairs[pairs[:, 0] == first, 1], minlength=4)
        assert followers[first] == 0
        others = np.arange(4) != first
        expected = followers.sum() * squared[others] / squared.sum()
        assert stats.chisquare(followers[others], expected).pvalue > 1e-4


def test_greed_lowers_the_potential():
    """Law: more candidates per pick leave a smaller sum of squared distances, on average."""

    def potential(n_local_trials, seed):
        centers, _ = kmeans_plusplus(X, 10, random_state=seed, n_local_trials=n_local_trials)
        return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()

    means = [np.mean([potential(trials, seed) for seed in range(30)]) for trials in (1, 4, 20)]
    assert means[0] > means[1] > means[2]


def test_random_rows_are_rows_and_all_possible():
    """Law: "random" picks different rows, each with the same chance."""
    picks = np.concatenate(
        [[row_of(center) for center in start_of("random", seed=seed)] for seed in range(300)]
    )
    assert stats.chisquare(np.bincount(picks, minlength=200)).pvalue > 1e-4


def test_random_partition_starts_at_means():
    """Law: "random partition" starts near the mean of all rows, with weights at the weighted one."""
    centers = start_of("random partition")
    assert centers.shape == (10, 3)
    assert np.abs(centers - X.mean(axis=0)).max() < 1.2
    weighted = start_of("random partition", weights=POSITIVE, n_clusters=1)
    np.testing.assert_allclose(weighted[0], X[POSITIVE > 0].mean(axis=0))
    assert np.isfinite(KMeans(200, init="random partition", n_init=1).fit(X).cluster_centers_).all()


def test_callables_see_the_data_and_a_generator():
    """Law: a callable gets X itself, the number of clusters and a RandomState, and its centres are used."""
    seen = []

    def start(data, n_clusters, random_state):
        seen.append((data is X, n_clusters, type(random_state), random_state.randint(10**9)))
        return data[:n_clusters]

    np.testing.assert_array_equal(KMeans(4, init=start, random_state=1).fit(X).n_features_in_, 3)
    assert len(seen) == 10
    assert len({number for *_, number in seen}) == 10
    assert all(fact[:3] == (True, 4, np.random.RandomState) for fact in seen)
    first = seen[0]
    KMeans(4, init=start, random_state=1, n_init=1).fit(X)
    assert seen[-1] == first


@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans, BisectingKMeans, HierarchicalKMeans, FuzzyCMeans])
@pytest.mark.parametrize("init", [len, lambda X: X[:2]])
def test_callables_that_cannot_be_called_so(kind, init):
    """Law: a function that does not take the data, the number and a generator is refused before any work."""
    expected = rf"init of {kind.__name__} must be .* a callable that takes \(X, n_clusters, random_state=\)"
    with pytest.raises(InvalidParameter, match=expected):
        kind(2, init=init).fit(X)


def test_number_of_starts():
    """Law: "auto" means one careful start or several careless ones, for KMeans 10, for mini-batches 3."""
    for kind, several in ((KMeans, 10), (MiniBatchKMeans, 3)):
        for init, expected in {"k-means++": 1, "random": several, "random partition": several}.items():
            assert kind(2, init=init).fit(X)._n_init == expected
    assert KMeans(2, init="random", improve="breathing").fit(X)._n_init == 1


def test_too_few_different_rows():
    """Law: kmeans_plusplus returns as many rows as asked for, repeating them when there are too few."""
    centers, indices = kmeans_plusplus([[0.0], [0.0], [1.0], [1.0]], 3, random_state=0)
    assert centers.shape == (3, 1)
    assert set(centers.ravel()) == {0.0, 1.0}
    assert indices.shape == (3,)


def test_wrong_arguments():
    """Law: the function checks its own parameters."""
    with pytest.raises(
        InvalidData, match=r"length of x_squared_norms 2 should be equal to the length of n_samples"
    ):
        kmeans_plusplus(X, 3, x_squared_norms=[1.0, 2.0])
    with pytest.raises(
        InvalidParameter, match="n_local_trials of kmeans_plusplus must be None or a whole number"
    ):
        kmeans_plusplus(X, 3, n_local_trials=0)
    with pytest.raises(InvalidParameter, match="n_clusters of kmeans_plusplus must be at most n_samples=200"):
        kmeans_plusplus(X, 201)


def test_sparse_centres_of_other_columns_are_not_made_dense():
    """Law: centres that are far wider than the data are refused before memory is taken for them."""
    wide = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(9, 10**7))
    tracemalloc.start()
    try:
        with pytest.raises(InvalidData, match="does not match the number of features of the data 3"):
            KMeans(9, init=wide, n_init=1).fit(X)
        assert tracemalloc.get_traced_memory()[1] < 9 * 10**7 * 8 / 2
    finally:
        tracemalloc.stop()
