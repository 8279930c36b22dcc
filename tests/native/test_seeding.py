"""Greedy k-means++ in the native core: chances, potentials, and what must not change the picks."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.cluster import kmeans_plusplus
from sklearn.datasets import make_blobs

from coterie import _core

DTYPES = [np.float32, np.float64]


def blobs(n=3000, d=6, centers=40, dtype=np.float64):
    X, _ = make_blobs(n, d, centers=centers, random_state=3)
    return np.ascontiguousarray(X, dtype=dtype)


def csr(X):
    """Hand a dense or sparse matrix to the core as CSR arrays."""
    S = sparse.csr_matrix(X)
    return S.data, S.indices.astype(np.int32), S.indptr.astype(np.int64), S.shape[1]


def seed_dense(X, k, weights=None, n_candidates=4, seed=0, **more):
    return _core.kmeans_seed(X, k, weights, n_candidates, seed, **more)


def seed_sparse(X, k, weights=None, n_candidates=4, seed=0, **more):
    return _core.kmeans_seed_sparse(*csr(X), k, weights, n_candidates, seed, **more)


BOTH = pytest.mark.parametrize("seeding", [seed_dense, seed_sparse], ids=["dense", "csr"])


def squared_to_nearest(X, picks):
    X = X.astype(np.float64)
    return np.min([((X - X[pick]) ** 2).sum(axis=1) for pick in picks], axis=0)


@BOTH
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_candidates", [1, 5, 20])
def test_potential_is_the_weighted_sum_of_squared_distances_to_the_nearest_pick(seeding, dtype, n_candidates):
    """Law: the potential is that of the slow, obvious computation; no row is picked twice."""
    X = blobs(dtype=dtype)
    weights = np.random.default_rng(0).random(len(X))
    for w in (None, weights):
        seeds = seeding(X, 60, w, n_candidates)
        expected = np.sum(squared_to_nearest(X, seeds.indices) * (1 if w is None else w))
        np.testing.assert_allclose(seeds.potential, expected, rtol=1e-6 if dtype is np.float32 else 1e-12)
        assert len(set(seeds.indices)) == 60
        assert seeds.indices.dtype == np.int64


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 9, 16, 31, 64, 200])
def test_potential_is_true_for_every_number_of_columns(d):
    """Law: as above; short and long rows take different ways through the kernels."""
    for dtype in DTYPES:
        X = blobs(1500, d, dtype=dtype)
        seeds = seed_dense(X, 50, n_candidates=3)
        expected = squared_to_nearest(X, seeds.indices).sum()
        np.testing.assert_allclose(seeds.potential, expected, rtol=1e-5 if dtype is np.float32 else 1e-12)


def test_far_from_the_origin_distances_keep_their_digits():
    """Law: a shift of the data changes neither distances nor picks (float32 rounds the data itself)."""
    X = np.round(blobs(d=12) * 1024) / 1024
    near, far = seed_dense(X, 80), seed_dense(X + 4096.0, 80)
    np.testing.assert_array_equal(near.indices, far.indices)
    np.testing.assert_allclose(near.potential, far.potential, rtol=1e-12)


@BOTH
def test_chances_are_weight_times_squared_distance(seeding):
    """Law: column p of the record is w D^2 / sum(w D^2) for the picks before p; the first is w / sum(w)."""
    X, k = blobs(400, 3), 30
    weights = np.random.default_rng(1).random(400)
    seeds = seeding(X, k, weights, 3, 5, record=True)
    assert seeds.probabilities.shape == (400, k)
    np.testing.assert_allclose(seeds.probabilities[:, 0], weights / weights.sum())
    for p in (1, 2, 10, k - 1):
        mass = weights * squared_to_nearest(X, seeds.indices[:p])
        np.testing.assert_allclose(seeds.probabilities[:, p], mass / mass.sum(), rtol=1e-9, atol=1e-15)
    assert seeding(X, k, weights, 3, 5).probabilities is None
    np.testing.assert_array_equal(seeding(X, k, weights, 3, 5).indices, seeds.indices)


@BOTH
def test_picks_follow_the_chances(seeding):
    """Law: over seeds, the first and the second pick of plain k-means++ have the recorded probabilities."""
    X = np.array([[0.0], [1.0], [3.0], [3.5], [8.0], [20.0]])
    weights = np.array([1.0, 2.0, 0.0, 1.0, 3.0, 0.5])
    draws = [seeding(X, 2, weights, 1, seed).indices for seed in range(6000)]
    first, second = np.array(draws).T
    used = weights > 0
    observed = np.bincount(first, minlength=6)
    assert observed[2] == 0
    assert stats.chisquare(observed[used], weights[used] / weights.sum() * 6000).pvalue > 1e-3
    given = second[first == 4]
    mass = weights * (X[:, 0] - 8.0) ** 2
    observed = np.bincount(given, minlength=6)
    assert observed[[2, 4]].sum() == 0
    some = mass > 0
    assert stats.chisquare(observed[some], mass[some] / mass.sum() * len(given)).pvalue > 1e-3


def test_thinned_proposals_have_the_chances_of_their_own_pick():
    """Law: a late pick, drawn ahead and thinned by rejection, still follows w D^2 of that moment.

    The last pick of a seed falls on each row with its recorded probability: the ranks of the picks in their
    own distributions are uniform.
    """
    X, k = blobs(300, 2, centers=10), 100
    ranks = []
    for seed in range(60):
        seeds = seed_dense(X, k, n_candidates=1, seed=seed, record=True)
        for p in range(40, k):
            chances = seeds.probabilities[:, p]
            before = chances[: seeds.indices[p]].sum()
            ranks.append(before + 0.5 * chances[seeds.indices[p]])
    assert stats.kstest(ranks, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("n_clusters", [8, 100])
def test_greedy_starts_are_as_good_as_those_of_scikit_learn(n_clusters):
    """Law: over seeds, the mean potential is that of scikit-learn, within four standard errors."""
    X = blobs(2000, 4, centers=60)
    L = 2 + int(np.log(n_clusters))
    ours = [seed_dense(X, n_clusters, n_candidates=L, seed=seed).potential for seed in range(25)]
    theirs = [
        squared_to_nearest(X, kmeans_plusplus(X, n_clusters, random_state=seed)[1]).sum()
        for seed in range(25)
    ]
    error = np.sqrt((np.var(ours) + np.var(theirs)) / 25)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * error


@BOTH
@pytest.mark.parametrize("dtype", DTYPES)
def test_picks_do_not_depend_on_the_thread_count(seeding, dtype):
    """Law: the same seed gives the same picks and potential, to the bit, for any number of threads."""
    X = blobs(20_000, 5, dtype=dtype)
    weights = np.random.default_rng(2).random(len(X))
    for w in (None, weights):
        one = seeding(X, 50, w, 4, 9, n_threads=1)
        many = seeding(X, 50, w, 4, 9, n_threads=3)
        np.testing.assert_array_equal(one.indices, many.indices)
        assert one.potential == many.potential


@BOTH
def test_picks_are_prefixes_of_each_other(seeding):
    """Law: the picks for k are the first k picks for any larger number."""
    X = blobs(5000, 10)
    whole = seeding(X, 150, n_candidates=5, seed=4).indices
    for k in (1, 2, 17, 33, 90, 149):
        np.testing.assert_array_equal(seeding(X, k, n_candidates=5, seed=4).indices, whole[:k])


@BOTH
@pytest.mark.parametrize("dtype", DTYPES)
def test_fewer_distinct_rows_than_clusters_end_cleanly(seeding, dtype):
    """Law: one pick per distinct row, potential zero, and nothing more."""
    distinct = np.random.default_rng(0).normal(size=(7, 3))
    X = np.repeat(distinct, 30, axis=0).astype(dtype)
    for n_candidates in (1, 4):
        seeds = seeding(X, 20, n_candidates=n_candidates)
        assert len(seeds.indices) == 7
        assert seeds.potential == 0
        assert len(np.unique(X[seeds.indices], axis=0)) == 7
    assert len(seeding(np.ones((50, 2), dtype), 3).indices) == 1


@BOTH
def test_rows_without_weight_are_never_picked(seeding):
    """Law: weight zero, chance zero; when only they are left, there are no more picks."""
    X = blobs(200, 3)
    weights = np.where(np.arange(200) % 4 == 0, 1.0, 0.0)
    seeds = seeding(X, 80, weights)
    assert sorted(seeds.indices) == list(range(0, 200, 4))
    assert seeds.potential == 0
    assert len(seeding(X, 5, np.zeros(200)).indices) == 0


@BOTH
def test_as_many_clusters_as_rows(seeding):
    """Law: k = n picks every row once; a single row is its own start."""
    X = blobs(90, 4)
    assert sorted(seeding(X, 90).indices) == list(range(90))
    assert seeding(X[:1].copy(), 1).indices.tolist() == [0]
    assert seeding(X[:1].copy(), 5).indices.tolist() == [0]


def test_sparse_picks_are_the_dense_ones_where_both_are_direct():
    """Law: the first picks, which both kinds of rows evaluate at once, are the same rows."""
    X = blobs(2000, 5) * (np.random.default_rng(0).random((2000, 5)) < 0.5)
    for seed in range(5):
        dense = seed_dense(X, 10, n_candidates=4, seed=seed)
        as_csr = seed_sparse(X, 10, n_candidates=4, seed=seed)
        np.testing.assert_array_equal(dense.indices, as_csr.indices)
        np.testing.assert_allclose(dense.potential, as_csr.potential, rtol=1e-12)


def test_heavy_tails_overflow_the_room_for_pairs_and_stay_true():
    """Law: when candidates are closer to more rows than there is room for, the picks are still right."""
    X = np.random.default_rng(0).standard_t(1.2, size=(8000, 12))
    seeds = seed_dense(X, 120, n_candidates=6)
    np.testing.assert_allclose(seeds.potential, squared_to_nearest(X, seeds.indices).sum(), rtol=1e-10)
