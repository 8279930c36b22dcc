"""Neighbours: both engines, ties, near-duplicates, excluded rows, memory, bad requests."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from coterie.distance import engines, find_distance, k_nearest, nearest, neighbours_within, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter, NotEnoughMemory

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(600, 4)), RNG.normal(size=(700, 4))
TREE_DISTANCES = [
    ("euclidean", {}),
    ("sqeuclidean", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3}),
    ("minkowski", {"p": 1.7}),
    ("seuclidean", {}),
    ("mahalanobis", {}),
    ("cosine", {}),
    ("euclidean", {"w": [1.0, 0.0, 2.0, 3.0]}),
]


@pytest.mark.parametrize(("name", "params"), TREE_DISTANCES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_both_engines_find_the_same(name, params, dtype):
    """Law: tiles and the kd-tree agree on neighbours and, up to rounding, on distances."""
    A, B = X.astype(dtype), Y.astype(dtype)
    tolerance = {"rtol": 1e-9, "atol": 1e-12} if dtype == np.float64 else {"rtol": 1e-4, "atol": 1e-6}
    radius = float(np.quantile(pairwise_distances(A, B, find_distance(name, **params).fit(B)), 0.02))
    for ask in (
        lambda algorithm: nearest(A, B, name, algorithm=algorithm, **params),
        lambda algorithm: k_nearest(A, B, 7, name, algorithm=algorithm, **params),
        lambda algorithm: k_nearest(A, None, 7, name, algorithm=algorithm, **params),
        lambda algorithm: k_nearest(A, None, 7, name, algorithm=algorithm, exclude_self=False, **params),
        lambda algorithm: neighbours_within(A, B, radius, name, algorithm=algorithm, **params),
        lambda algorithm: neighbours_within(A, None, radius, name, algorithm=algorithm, **params),
    ):
        tiles, tree = ask("tiles"), ask("kd_tree")
        assert (tiles.algorithm_used, tree.algorithm_used) == ("tiles", "kd_tree")
        assert (tiles.index != tree.index).mean() < (0.002 if dtype == np.float32 else 1e-9)
        np.testing.assert_allclose(tiles.distance, tree.distance, **tolerance)
        assert tiles.distance.dtype == tree.distance.dtype == dtype
        assert tiles.index.dtype == tree.index.dtype == np.intp


def test_the_engine_is_chosen_by_facts():
    """Law: the tree where it is faster and knows the distance; tiles for many columns or few rows."""
    wide = RNG.normal(size=(600, engines.TREE_MOST_FEATURES + 1))
    assert k_nearest(X, Y).algorithm_used == "kd_tree"
    assert k_nearest(X, Y, metric="canberra").algorithm_used == "tiles"
    assert k_nearest(X, Y, metric="minkowski", p=0.5).algorithm_used == "tiles"
    assert k_nearest(wide).algorithm_used == "tiles"
    assert k_nearest(X, Y[:50]).algorithm_used == "tiles"
    assert k_nearest(X[:50], Y).algorithm_used == "tiles"
    with pytest.raises(
        InvalidParameter, match=r'algorithm="kd_tree" of k_nearest does not know the distance canberra'
    ):
        k_nearest(X, metric="canberra", algorithm="kd_tree")
    with pytest.raises(
        InvalidParameter, match=r'algorithm of nearest must be one of .* Did you mean "kd_tree"\?'
    ):
        nearest(X, Y, algorithm="kdtree")


def test_as_scikit_learn():
    """Law: neighbours among the rows are those of scikit-learn, the row itself left out."""
    theirs = NearestNeighbors(n_neighbors=6, algorithm="brute").fit(X)
    distance, index = theirs.kneighbors()
    ours = k_nearest(X, n_neighbors=6)
    np.testing.assert_array_equal(ours.index, index)
    np.testing.assert_allclose(ours.distance, distance, rtol=1e-9)


@pytest.mark.parametrize("algorithm", ["tiles", "kd_tree"])
@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev", "sqeuclidean"])
def test_ties_go_by_index(algorithm, name):
    """Law: on a grid, where ties abound, equally near rows come in the order of their indices."""
    grid = np.random.default_rng(0).integers(0, 4, (400, 3)).astype(np.float64)
    matrix = cdist(grid, grid, {"manhattan": "cityblock"}.get(name, name))
    np.testing.assert_array_equal(pairwise_distances(grid, grid.copy(), name), matrix)
    found = k_nearest(grid, None, 9, name, algorithm=algorithm, exclude_self=False)
    np.testing.assert_array_equal(found.index, np.argsort(matrix, axis=1, kind="stable")[:, :9])
    one = nearest(grid, grid[::-1].copy(), name, algorithm=algorithm)
    np.testing.assert_array_equal(one.index, np.argmin(matrix[:, ::-1], axis=1))


@pytest.mark.parametrize(("dtype", "jitter"), [(np.float64, 1e-6), (np.float32, 1.0)])
@pytest.mark.parametrize("d", [6, 40])
def test_near_duplicates_far_from_the_origin_are_told_apart(dtype, jitter, d):
    """Law: neighbours are exact where products of coordinates have lost the digits that decide."""
    rng = np.random.default_rng(4)
    crowd = (
        np.repeat(rng.normal(size=(30, d)) * 1e3, 20, axis=0) + jitter * rng.normal(size=(600, d))
    ).astype(dtype)
    matrix = cdist(crowd.astype(np.float64), crowd.astype(np.float64))
    for shift in (0, 1):
        others = np.roll(crowd, shift, axis=0)
        one = nearest(crowd, others, algorithm="tiles")
        np.testing.assert_array_equal(one.index, (np.arange(600) + shift) % 600)
        assert not one.distance.any()
    np.fill_diagonal(matrix, np.inf)
    order = np.argsort(matrix, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(k_nearest(crowd, algorithm="tiles").index, order)
    radius = float(np.sort(matrix, axis=1)[:, 4].mean())
    within = neighbours_within(crowd, radius=radius, algorithm="tiles")
    np.testing.assert_array_equal(np.diff(within.starts), (matrix <= radius).sum(axis=1))


def test_radius_is_inclusive_and_may_find_nothing():
    """Law: a row exactly at the radius belongs; a row with nobody near has an empty list."""
    line = np.array([[0.0], [1.0], [2.0], [10.0]])
    for algorithm in ("tiles", "kd_tree"):
        found = neighbours_within(line, radius=1, algorithm=algorithm)
        np.testing.assert_array_equal(found.starts, [0, 1, 3, 4, 4])
        np.testing.assert_array_equal(found.index, [1, 0, 2, 1])
        alone = neighbours_within(line, radius=0, algorithm=algorithm)
        assert alone.index.size == 0
        every = neighbours_within(line, radius=0, exclude_self=False, algorithm=algorithm)
        np.testing.assert_array_equal(every.index, np.arange(4))


@pytest.mark.parametrize("metric", [lambda x, y: float(np.abs(x - y).sum()), "precomputed", "similarity"])
def test_functions_and_matrices_have_neighbours(metric):
    """Law: a function of two rows and a given matrix are answered like a distance of the catalogue."""
    rows = X[:40]
    D = pairwise_distances(rows, metric="manhattan")
    data = rows if callable(metric) else D if metric == "precomputed" else 7 - D
    expected = k_nearest(rows, None, 4, "manhattan")
    found = k_nearest(data, None, 4, metric)
    np.testing.assert_array_equal(found.index, expected.index)
    np.testing.assert_allclose(found.distance, expected.distance, rtol=1e-12)
    radius = float(np.quantile(D, 0.2))
    if metric != "similarity":
        near, expected_near = (
            neighbours_within(data, None, radius, metric),
            neighbours_within(rows, None, radius, "l1"),
        )
        np.testing.assert_array_equal(near.index, expected_near.index)
        np.testing.assert_array_equal(near.starts, expected_near.starts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_nearest(X, n_neighbors=600), r"must be at most 599 \(600 rows .* left out\), got 600"),
        (lambda: k_nearest(X, Y[:3], 4), r"must be at most 3 \(3 rows to choose from\), got 4"),
        (lambda: k_nearest(X, n_neighbors=0), "n_neighbors of k_nearest must be a whole number .*, got 0"),
        (lambda: k_nearest(X, n_neighbors=2.5), "must be a whole number of at least 1, got 2.5"),
        (lambda: k_nearest(X, Y, exclude_self=True), "exclude_self=True of k_nearest .* leave Y out"),
        (lambda: k_nearest(X, exclude_self="yes"), "exclude_self of k_nearest must be None or True or False"),
        (lambda: neighbours_within(X, radius=-1), r"radius of neighbours_within must be a number .*, got -1"),
        (lambda: neighbours_within(X, radius=np.nan), "got nan"),
        (lambda: nearest(X, Y, "precomputed"), '"precomputed" of nearest takes a matrix X and nothing else'),
    ],
)
def test_bad_requests_are_told(call, message):
    """Law: what cannot be found is refused with what is allowed."""
    with pytest.raises(InvalidParameter, match=message):
        call()


def test_lists_that_do_not_fit_are_refused(monkeypatch):
    """Law: when all pairs would not fit, neighbours are counted before they are listed."""
    monkeypatch.setattr("coterie._support.validation.memory.available_memory", lambda: 200_000)
    monkeypatch.setattr("coterie._support.validation.memory.ALWAYS_FREE", 0)
    for algorithm in ("tiles", "kd_tree"):
        assert neighbours_within(X, radius=0.3, algorithm=algorithm).index.size < 5000
        with pytest.raises(
            NotEnoughMemory, match=r"list of neighbours of 600 rows needs .* Choose a smaller radius"
        ):
            neighbours_within(X, radius=10, algorithm=algorithm)
        with pytest.raises(NotEnoughMemory, match=r"list of neighbours of 600 rows"):
            neighbours_within(X, Y, radius=10, algorithm=algorithm)


def test_a_fitted_distance_measures_by_its_own_data():
    """Law: neighbours of new rows under a fitted distance are those of its matrix."""
    fitted = find_distance("mahalanobis").fit(Y)
    matrix = pairwise_distances(X[:5], Y, fitted)
    np.testing.assert_array_equal(nearest(X[:5], Y, fitted).index, matrix.argmin(axis=1))
    with pytest.raises(InvalidData, match="as many columns as each other"):
        nearest(X[:, :3], Y, fitted)
