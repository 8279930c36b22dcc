"""Ward's and average linkage in many dimensions, where products in float32 find the neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy

from coterie.tree import linkage

CASES = (("ward", "euclidean"), ("average", "sqeuclidean"), ("average", "cosine"))


def assert_same(Z, expected):
    """Compare merges, their order and their heights."""
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(Z[:, :2], np.sort(expected[:, :2], axis=1))


@pytest.mark.parametrize(("method", "metric"), CASES)
@pytest.mark.parametrize("shape", [(2, 17), (9, 20), (10, 20), (300, 17), (900, 64), (150, 400)])
def test_scipys_merges(method, metric, shape):
    """Law: merges and heights are SciPy's, at sizes around a list of neighbours too."""
    rng = np.random.default_rng(sum(shape))
    X = rng.normal(size=shape) + 3 * rng.normal(size=(5, shape[1]))[rng.integers(5, size=shape[0])]
    assert_same(linkage(X, method, metric), hierarchy.linkage(X, method, metric))


@pytest.mark.parametrize("method", ["ward", "average"])
@pytest.mark.parametrize("factor", [1e-60, 1.0, 1e60])
def test_units_do_not_matter(method, factor):
    """Law: rows in other units give the same merges, beyond the range of float32 too."""
    X = np.random.default_rng(3).normal(size=(300, 30))
    metric = "sqeuclidean" if method == "average" else "euclidean"
    expected = hierarchy.linkage(X, method, metric)
    Z = linkage(X * factor, method, metric)
    np.testing.assert_array_equal(Z[:, :2], np.sort(expected[:, :2], axis=1))


@pytest.mark.parametrize("distance", [1e3, 1e5, 1e9])
def test_far_outliers(distance):
    """Law: an outlier so far away that float32 tells no other rows apart spoils no merge."""
    X = np.random.default_rng(4).normal(size=(300, 25))
    X[17] += distance
    assert_same(linkage(X, "ward"), hierarchy.linkage(X, "ward"))


@pytest.mark.parametrize("method", ["ward", "average"])
def test_copies_of_rows(method):
    """Law: copies merge at height 0 before anything else, however many there are."""
    rows = np.random.default_rng(5).normal(size=(12, 20))
    X = np.repeat(rows, 40, axis=0)
    metric = "sqeuclidean" if method == "average" else "euclidean"
    Z = linkage(X, method, metric)
    assert (Z[: len(X) - 12, 2] == 0).all()
    np.testing.assert_allclose(Z[-11:, 2], hierarchy.linkage(X, method, metric)[-11:, 2])
    assert (linkage(np.zeros((30, 20)), method, metric)[:, 2] == 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.integers(0, 10**6), st.sampled_from(["ward", "average"]))
def test_ties(n, seed, method):
    """Law: ties give a valid tree whose heights do not fall, the same for any number of threads."""
    X = np.random.default_rng(seed).integers(0, 2, size=(n, 18)).astype(float)
    metric = "sqeuclidean" if method == "average" else "euclidean"
    Z = linkage(X, method, metric, n_jobs=1)
    assert hierarchy.is_valid_linkage(Z)
    assert (np.diff(Z[:, 2]) >= 0).all()
    np.testing.assert_array_equal(Z, linkage(X, method, metric, n_jobs=3))


def test_threads_do_not_matter():
    """Law: one thread and four give the same bits, in rounds of many and of few clusters."""
    X = np.random.default_rng(6).normal(size=(1500, 40)).astype(np.float32)
    np.testing.assert_array_equal(linkage(X, "ward", n_jobs=1), linkage(X, "ward", n_jobs=4))
