"""K-means on CSR rows in the native core: the dense path is the oracle."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from coterie import _core

DTYPES = [np.float32, np.float64]


def table(n=800, cols=40, density=0.15, dtype=np.float64, seed=0):
    """Make sparse rows with some structure, empty rows included."""
    rng = np.random.default_rng(seed)
    profile = rng.random((6, cols)) < density
    X = profile[rng.integers(6, size=n)] * rng.exponential(size=(n, cols)) + (rng.random((n, cols)) < 0.02)
    X[:5] = 0
    return X.astype(dtype)


def csr(X):
    S = sparse.csr_matrix(X)
    return S.data, S.indices.astype(np.int32), S.indptr.astype(np.int64)


def options(**more):
    return _core.KMeansOptions(**{"algorithm": _core.KMeansAlgorithm.lloyd, **more})


def fit_both(X, start, weights=None, **more):
    dense = _core.kmeans_fit(X, start, weights, options(**more))
    as_csr = _core.kmeans_fit_sparse(*csr(X), X.shape[1], start, weights, options(**more))
    return dense, as_csr


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 3, 8, 20, 70])
def test_csr_fit_equals_dense_fit(dtype, k):
    """Law: the same labels, steps and reason to stop; the same centres and inertia up to rounding."""
    X = table(dtype=dtype)
    start = np.ascontiguousarray(X[10 : 10 + k])
    for weights in (None, np.random.default_rng(1).random(len(X))):
        dense, as_csr = fit_both(X, start, weights)
        tolerance = 1e-5 if dtype is np.float32 else 1e-10
        np.testing.assert_array_equal(dense.labels, as_csr.labels)
        np.testing.assert_allclose(dense.centres, as_csr.centres, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(dense.inertia, as_csr.inertia, rtol=tolerance)
        assert (dense.n_iter, dense.is_strict) == (as_csr.n_iter, as_csr.is_strict)
        assert as_csr.algorithm == "lloyd"


@pytest.mark.parametrize(
    "more",
    [{"max_iter": 3}, {"tol": 0.05}, {"tol_inertia": 0.01}, {"unit_centres": True}],
    ids=["max_iter", "tol", "tol_inertia", "unit_centres"],
)
def test_csr_fit_stops_where_the_dense_one_does(more):
    """Law: every way to stop has the meaning that it has for dense rows."""
    X = table()
    if "unit_centres" in more:
        X = X[5:] / np.linalg.norm(X[5:], axis=1, keepdims=True)
    dense, as_csr = fit_both(X, np.ascontiguousarray(X[10:16]), **more)
    np.testing.assert_array_equal(dense.labels, as_csr.labels)
    np.testing.assert_allclose(dense.centre_shift, as_csr.centre_shift, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(dense.inertia, as_csr.inertia, rtol=1e-10)
    assert (dense.n_iter, dense.is_strict) == (as_csr.n_iter, as_csr.is_strict)


def test_csr_fit_agrees_with_scikit_learn():
    """Law: from the same start, scikit-learn's Lloyd ends with the same labels and inertia."""
    X = table(2000, 100)
    start = np.ascontiguousarray(X[20:32])
    theirs = KMeans(12, init=start, n_init=1, tol=0, algorithm="lloyd").fit(sparse.csr_matrix(X))
    ours = _core.kmeans_fit_sparse(*csr(X), 100, start, None, options())
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_allclose(ours.inertia, theirs.inertia_, rtol=1e-10)


def test_empty_clusters_restart_at_far_rows():
    """Law: starts that attract nothing are refilled as for dense rows; no cluster stays empty."""
    X = table()
    start = np.concatenate([X[10:14], np.full((3, X.shape[1]), 1e3)])
    dense, as_csr = fit_both(X, start)
    np.testing.assert_array_equal(dense.labels, as_csr.labels)
    assert set(as_csr.labels) == set(range(7))


def test_progress_is_told_every_iteration():
    """Law: the callback hears the number and the inertia after each iteration, as from the dense path."""
    X, heard = table(), {"dense": [], "csr": []}
    start = np.ascontiguousarray(X[10:15])
    _core.kmeans_fit(X, start, None, options(), lambda *news: heard["dense"].append(news))
    _core.kmeans_fit_sparse(*csr(X), 40, start, None, options(), lambda *news: heard["csr"].append(news))
    np.testing.assert_allclose(heard["dense"], heard["csr"], rtol=1e-9)
    assert [iteration for iteration, _ in heard["csr"]] == list(range(1, len(heard["csr"]) + 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_csr_fit_does_not_depend_on_the_thread_count(dtype):
    """Law: the same bits for any number of threads."""
    X = table(3000, dtype=dtype)
    start = np.ascontiguousarray(X[10:40])
    one = _core.kmeans_fit_sparse(*csr(X), 40, start, None, options(n_threads=1))
    many = _core.kmeans_fit_sparse(*csr(X), 40, start, None, options(n_threads=3))
    np.testing.assert_array_equal(one.labels, many.labels)
    np.testing.assert_array_equal(one.centres, many.centres)
    assert one.inertia == many.inertia


def test_order_of_columns_within_a_row_does_not_matter():
    """Law: CSR with unsorted columns means the same rows."""
    X = table()
    S = sparse.csr_matrix(X)
    order = np.concatenate([np.arange(*pair)[::-1] for pair in zip(S.indptr, S.indptr[1:], strict=False)])
    shuffled = sparse.csr_matrix((S.data[order], S.indices[order], S.indptr), shape=S.shape)
    assert not shuffled.has_sorted_indices
    start = np.ascontiguousarray(X[10:18])
    ours = _core.kmeans_fit_sparse(*csr(X), 40, start, None, options())
    parts = shuffled.data, shuffled.indices.astype(np.int32), shuffled.indptr.astype(np.int64)
    other = _core.kmeans_fit_sparse(*parts, 40, start, None, options())
    np.testing.assert_array_equal(ours.labels, other.labels)
    np.testing.assert_array_equal(ours.centres, other.centres)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 33, 130])
def test_distances_to_points_are_those_of_scipy(dtype, m):
    """Law: all squared distances, and the nearest with its distance, as cdist has them."""
    X, Y = table(dtype=dtype), np.random.default_rng(3).normal(size=(m, 40)).astype(dtype)
    Y[0] = X[50]
    expected = cdist(X.astype(np.float64), Y.astype(np.float64), "sqeuclidean")
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    squared = _core.sparse_pairwise_squared(*csr(X), Y)
    np.testing.assert_allclose(squared, expected, rtol=tolerance, atol=1e-12)
    index, nearest = _core.sparse_nearest(*csr(X), Y)
    np.testing.assert_array_equal(index, expected.argmin(axis=1))
    np.testing.assert_allclose(nearest, expected.min(axis=1), rtol=tolerance, atol=1e-12)
    assert squared[50, 0] == 0
    assert squared.dtype == nearest.dtype == dtype
