"""The kd-tree as Python sees it: against SciPy's tree, and against the obvious loop where ties matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from coterie import _core

METRICS = {
    "euclidean": (2.0, 2.0),
    "manhattan": (2.0, 1.0),
    "chebyshev": (2.0, np.inf),
    "minkowski": (3.0, 3.0),
}
"""Name -> (p that our tree is given, p of SciPy's tree)."""

# few distinct whole numbers: duplicates and ties everywhere, and exact arithmetic in both precisions
tied_points = hnp.arrays(
    dtype=st.sampled_from([np.float32, np.float64]),
    shape=st.tuples(st.integers(1, 120), st.integers(1, 5)),
    elements=st.integers(-4, 4).map(float),
)


def nearest_by_sorting(X: NDArray, Q: NDArray, k: int) -> tuple[NDArray, NDArray]:
    distances = cdist(Q.astype(np.float64), X.astype(np.float64), "sqeuclidean")
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.sqrt(np.take_along_axis(distances, order, axis=1)).astype(X.dtype)


@given(X=tied_points, k=st.integers(1, 12), leaf_size=st.sampled_from([1, 32, 64]))
@settings(max_examples=150, deadline=None)
def test_ties_go_to_the_lowest_index(X: NDArray, k: int, leaf_size: int) -> None:
    """Neighbours are those of a stable sort by distance: equal distances in order of index."""
    k = min(k, len(X))
    indices, distances = nearest_by_sorting(X, X, k)
    found_indices, found_distances = _core.KDTree(X, leaf_size=leaf_size).query(X, k)
    np.testing.assert_array_equal(found_indices, indices)
    np.testing.assert_array_equal(found_distances, distances)


@given(X=tied_points, r=st.integers(0, 6))
@settings(max_examples=150, deadline=None)
def test_the_radius_is_inclusive(X: NDArray, r: int) -> None:
    """Points exactly at the radius count, in the counts as in the lists, which come in order of index."""
    within = cdist(X.astype(np.float64), X.astype(np.float64), "sqeuclidean") <= r * r
    tree = _core.KDTree(X)
    indptr, indices, distances = tree.radius(X, r)
    np.testing.assert_array_equal(tree.radius_count(X, r), within.sum(axis=1))
    np.testing.assert_array_equal(indptr, np.concatenate([[0], np.cumsum(within.sum(axis=1))]))
    np.testing.assert_array_equal(indices, np.nonzero(within)[1])
    assert distances.dtype == X.dtype
    assert (distances <= r).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 2, 3, 8, 20])
def test_equals_scipy(metric: str, dtype: type, n_features: int) -> None:
    """Random points: SciPy's distances, to the rounding of the type, and its points within a radius."""
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(3000, n_features)).astype(dtype)
    Q = rng.normal(size=(500, n_features)).astype(dtype)
    p, p_scipy = METRICS[metric]
    tree, peer = _core.KDTree(X, metric=metric, p=p), cKDTree(X.astype(np.float64))
    expected_distances, expected_indices = peer.query(Q.astype(np.float64), 7, p=p_scipy)
    indices, distances = tree.query(Q, 7)
    np.testing.assert_allclose(distances, expected_distances, rtol=2e-6 if dtype == np.float32 else 1e-13)
    assert (indices == expected_indices).mean() > 0.999  # neighbours within rounding may change places
    r = float(np.median(expected_distances))
    lists = peer.query_ball_point(Q.astype(np.float64), r, p=p_scipy, return_sorted=True)
    indptr, found, _ = tree.radius(Q, r)
    np.testing.assert_array_equal(np.diff(indptr), [len(one) for one in lists])
    np.testing.assert_array_equal(found, np.concatenate([np.asarray(one, dtype=np.int64) for one in lists]))


@pytest.mark.parametrize("name", ["uniform", "clustered", "sorted", "duplicates", "outlier"])
def test_many_points(name: str) -> None:
    """Trees whose upper levels are split in parallel give the same neighbours as SciPy's."""
    rng = np.random.default_rng(0)
    n = 60_000
    X = {
        "uniform": rng.random((n, 2)),
        "clustered": rng.normal(size=(n, 2)) * 1e-3 + rng.integers(0, 4, size=(n, 1)),
        "sorted": np.stack([np.arange(n), np.arange(n) ** 2], axis=1).astype(float),
        "duplicates": rng.integers(0, 30, size=(n, 2)).astype(float),
        "outlier": np.concatenate([rng.random((n - 1, 2)), [[1e12, -1e12]]]),
    }[name]
    tree = _core.KDTree(X)
    indices, distances = tree.query_self(4)
    expected, _ = cKDTree(X).query(X, 4)
    np.testing.assert_allclose(distances, expected, rtol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(X[indices] - X[:, None], axis=2), distances, rtol=1e-12)


def test_squared_distances_are_the_squares() -> None:
    """Sqeuclidean has the neighbours of euclidean, and its radius is squared."""
    X = np.random.default_rng(0).random((500, 3))
    indices, distances = _core.KDTree(X).query_self(5)
    squared_indices, squared = _core.KDTree(X, metric="sqeuclidean").query_self(5)
    np.testing.assert_array_equal(squared_indices, indices)
    np.testing.assert_allclose(np.sqrt(squared), distances, rtol=1e-15)
    np.testing.assert_array_equal(
        _core.KDTree(X, metric="sqeuclidean").radius_count(X, 0.25), _core.KDTree(X).radius_count(X, 0.5)
    )


def test_excluding_self_goes_by_index() -> None:
    """A duplicate of the query at another index is still a neighbour."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [5.0, 0.0]])
    tree = _core.KDTree(X)
    expected = [[1, 2], [0, 2], [0, 1], [2, 0]]
    np.testing.assert_array_equal(tree.query(X, 2, exclude_self=True)[0], expected)
    np.testing.assert_array_equal(tree.query_self(2, include_self=False)[0], expected)
    np.testing.assert_array_equal(tree.query_self(2)[0], [[0, 1], [0, 1], [2, 0], [3, 2]])


def test_self_queries_equal_queries() -> None:
    """The points of the tree asked in tree order answer like the same rows asked from outside."""
    X = np.random.default_rng(3).random((2000, 3))
    tree = _core.KDTree(X)
    for found, expected in zip(tree.query_self(6), tree.query(X, 6), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(tree.radius_count_self(0.1), tree.radius_count(X, 0.1))
    for found, expected in zip(tree.radius_self(0.1), tree.radius(X, 0.1), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_lists_sorted_by_distance_hold_the_same_points() -> None:
    """Sorting changes the order within a row, nothing else; ties of distance go by index."""
    X = np.random.default_rng(4).integers(0, 6, size=(800, 2)).astype(float)
    tree = _core.KDTree(X)
    indptr, indices, distances = tree.radius(X, 2.0, sort="distance")
    rows = np.repeat(np.arange(len(X)), np.diff(indptr))
    np.testing.assert_array_equal(np.lexsort((indices, distances, rows)), np.arange(len(indices)))
    for other in ("index", "none"):
        _, other_indices, other_distances = tree.radius(X, 2.0, sort=other)
        order = np.lexsort((other_indices, other_distances, rows))
        np.testing.assert_array_equal(other_indices[order], indices)
        np.testing.assert_array_equal(other_distances[order], distances)


def test_upper_bound_fills_with_minus_one() -> None:
    """Beyond the bound of its row, which is inclusive, a place is -1 at infinity."""
    X = np.arange(6.0)[:, None]
    indices, distances = _core.KDTree(X).query(X[:2], 3, upper_bound=np.array([1.0, 0.5]))
    np.testing.assert_array_equal(indices, [[0, 1, -1], [1, -1, -1]])
    np.testing.assert_array_equal(distances, [[0, 1, np.inf], [0, np.inf, np.inf]])


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_same_answer_for_any_number_of_threads(n_threads: int) -> None:
    """Threads change nothing, not in a single bit."""
    X = np.random.default_rng(5).random((40_000, 3))
    expected = _core.KDTree(X, n_threads=1).query_self(3, n_threads=1)
    found = _core.KDTree(X, n_threads=n_threads).query_self(3, n_threads=n_threads)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_tree_keeps_its_own_copy() -> None:
    """Changing the data afterwards does not change the answers; read-only data are accepted."""
    X = np.random.default_rng(6).random((100, 2))
    X.flags.writeable = False
    changed = X.copy()
    tree = _core.KDTree(changed)
    changed[:] = 0
    np.testing.assert_array_equal(tree.query(X, 1)[0][:, 0], np.arange(100))
    assert (tree.n_points, tree.n_features) == (100, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: _core.KDTree(X, metric="cosine"), "metric of KDTree must be euclidean, .* got cosine"),
        (lambda X: _core.KDTree(X, metric="minkowski", p=0.5), "p of KDTree must be at least 1, got 0.5"),
        (lambda X: _core.KDTree(X, leaf_size=0), "leaf_size of KDTree must be at least 1, got 0"),
        (lambda X: _core.KDTree(X[:0]), r"got shape \(0, 2\)"),
        (lambda X: _core.KDTree(np.where(X == 4, np.nan, X)), "must be finite, got nan in row 2, column 0"),
        (lambda X: _core.KDTree(X).query(X, 0), "k of KDTree must be at least 1 and at most 5 .* got 0"),
        (lambda X: _core.KDTree(X).query(X, 6), "at most 5 .* got 6"),
        (lambda X: _core.KDTree(X).query(X, 5, exclude_self=True), "at most 4 .* got 5"),
        (lambda X: _core.KDTree(X).query(X[:, :1].copy(), 1), "as many columns as X, 2, got 1"),
        (lambda X: _core.KDTree(X).query(X, 1, upper_bound=np.ones(3)), "one entry per row of Q, 5, got 3"),
        (lambda X: _core.KDTree(X).radius(X, -1.0), "r of KDTree must be at least 0, got -1"),
        (lambda X: _core.KDTree(X).radius_count(X, np.nan), "r of KDTree must be at least 0, got nan"),
        (lambda X: _core.KDTree(X).radius(X, 1.0, sort="up"), "must be index, distance or none, got up"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call: object, message: str) -> None:
    """Errors name the parameter, what is allowed and what was given."""
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(ValueError, match=message):
        call(X)


def test_other_types_are_refused() -> None:
    """The tree converts nothing: whole numbers and mixed precisions are a type error."""
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.KDTree(X.astype(np.int64))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.KDTree(X).query(X.astype(np.float32), 1)
