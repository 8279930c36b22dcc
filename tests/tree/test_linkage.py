"""Linkage: SciPy's answer where ties do not matter, and laws where they do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from coterie import _core
from coterie.distance import distances, pairwise_distances
from coterie.tree import METHODS, linkage
from places import as_places

DISTANCES = {distance.name: distance for distance in distances()}

SCIPY_METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
ANY_METRIC = ("single", "complete", "average", "weighted")


def assert_same(Z, expected, rtol=1e-7):
    """Compare merges, their order and their heights."""
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=rtol, atol=1e-12)
    np.testing.assert_array_equal(Z[:, :2], np.sort(expected[:, :2], axis=1))
    np.testing.assert_array_equal(Z[:, 3], expected[:, 3])


def by_definition(D, between):
    """Merge the nearest pair again and again; `between(D, A, B)` compares two lists of rows."""
    clusters = {i: [i] for i in range(len(D))}
    merges = []
    while len(clusters) > 1:
        height, a, b = min(
            (between(D, clusters[a], clusters[b]), a, b) for a in clusters for b in clusters if a < b
        )
        members = clusters.pop(a) + clusters.pop(b)
        clusters[len(D) + len(merges)] = members
        merges.append([a, b, height, len(members)])
    return np.array(merges)


def mean_of_union(D, A, B):
    union = A + B
    return D[np.ix_(union, union)].sum() / (len(union) * (len(union) - 1))


def smallest_ball(D, A, B):
    union = A + B
    return D[np.ix_(union, union)].max(axis=1).min()


@pytest.mark.parametrize("method", SCIPY_METHODS)
@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (64, 3), (200, 13), (400, 2)])
def test_scipys_merges_from_rows_and_distances(method, shape):
    """Law: rows, condensed and square distances give SciPy's matrix."""
    X = np.random.default_rng(sum(shape)).normal(size=shape)
    expected = hierarchy.linkage(X, method)
    condensed = pairwise_distances(X, condensed=True)
    assert_same(linkage(X, method), expected)
    assert_same(linkage(condensed, method), expected)
    assert_same(linkage(squareform(condensed), method, "precomputed"), expected)


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
def test_heights_of_rows_of_few_digits(method):
    """Law: with many equal distances (iris, a grid) rows still give the heights that SciPy gives them."""
    for X in (load_iris().data, np.random.default_rng(0).integers(0, 5, (150, 3)) / 10):
        distances = pdist(X)
        expected = linkage(distances, method)[:, 2]
        np.testing.assert_allclose(linkage(X, method)[:, 2], expected, rtol=1e-12)
    iris = load_iris().data
    np.testing.assert_allclose(linkage(iris, method)[:, 2], hierarchy.linkage(iris, method)[:, 2], rtol=1e-12)


@pytest.mark.parametrize("metric", [name for name in DISTANCES if name != "mahalanobis"])
@pytest.mark.parametrize("method", ANY_METRIC)
def test_every_distance(metric, method):
    """Law: linkage of rows under a distance is SciPy's linkage of their distances."""
    X = np.random.default_rng(3).uniform(0.1, 2, size=(60, 5))
    X = as_places(X) if DISTANCES[metric].domain == "places" else X
    distances = pairwise_distances(X, metric=metric, condensed=True)
    heights = linkage(X, method, metric)[:, 2]
    has_ties = len(np.unique(distances.round(9))) < len(distances)
    if method == "single" or not has_ties:
        np.testing.assert_allclose(heights, hierarchy.linkage(distances, method)[:, 2], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("method", SCIPY_METHODS)
def test_float32_rows(method):
    """Law: float32 rows give the tree of the same numbers, at heights of that precision."""
    X = np.random.default_rng(5).normal(size=(150, 4)).astype(np.float32)
    Z = linkage(X, method)
    np.testing.assert_allclose(Z[:, 2], hierarchy.linkage(X.astype(float), method)[:, 2], rtol=1e-4)


@pytest.mark.parametrize(
    ("method", "between"), [("average_merged", mean_of_union), ("minimax", smallest_ball)]
)
def test_methods_that_scipy_lacks(method, between):
    """Law: the mean over the union and the smallest ball merge as their definitions say."""
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(30, 3))
        assert_same(linkage(X, method), by_definition(pairwise_distances(X), between))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["plain", "grid", "equal"])
def test_threads_do_not_matter(method, kind):
    """Law: one thread and four give the same bits, ties included."""
    X = np.random.default_rng(1).normal(size=(600, 2))
    X = {"plain": X, "grid": np.round(2 * X), "equal": np.zeros((300, 2))}[kind]
    np.testing.assert_array_equal(linkage(X, method, n_jobs=1), linkage(X, method, n_jobs=4))


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
@pytest.mark.parametrize(
    ("metric", "cols"), [("euclidean", 3), ("manhattan", 3), ("cosine", 3), ("euclidean", 150)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounds_before_the_matrix(monkeypatch, method, metric, cols, dtype):
    """Law: rows that merge by rounds before there is a matrix give the tree of the whole matrix."""
    X = np.random.default_rng(2).normal(size=(700, cols)).astype(dtype)
    expected = linkage(X, method, metric)
    monkeypatch.setattr("coterie.tree.linkage_input.FEWEST_FOR_ROUNDS", 2)
    Z = linkage(X, method, metric)
    assert_same(Z, expected, rtol=1e-12 if dtype is np.float64 else 1e-5)
    np.testing.assert_array_equal(Z, linkage(X, method, metric, n_jobs=3))


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
def test_rounds_search_again(monkeypatch, method):
    """Law: clusters whose known neighbours have all merged are searched again, and SciPy's tree comes out."""
    random = np.random.default_rng(3)
    X = random.normal(size=(1500, 8)) + 6 * random.normal(size=(5, 8))[random.integers(0, 5, 1500)]
    X[::50] = X[1::50]  # some rows twice
    monkeypatch.setattr("coterie.tree.linkage_input.FEWEST_FOR_ROUNDS", 2)
    Z = linkage(X, method, n_jobs=1)
    np.testing.assert_allclose(Z[:, 2], hierarchy.linkage(X, method)[:, 2], rtol=1e-11, atol=1e-12)
    check_order(Z)
    for n_jobs in (2, 3):
        np.testing.assert_array_equal(Z, linkage(X, method, n_jobs=n_jobs))
    assert _core.first_rounds(X, DISTANCES["euclidean"].metric, METHODS[method].rule).n_left <= len(X) / 12


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6), st.sampled_from(["complete", "average", "weighted"]))
def test_rounds_with_ties(n, seed, method):
    """Law: rows full of ties merge by rounds into a valid tree whose heights do not fall."""
    X = np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float)
    first = _core.first_rounds(X, DISTANCES["euclidean"].metric, METHODS[method].rule)
    assert first.n_left >= n / 24
    Z = np.asarray(first.link())
    check_order(Z)
    assert (np.diff(Z[:, 2]) >= 0).all()


def check_order(Z):
    """Check that each row merges clusters that exist, smaller id first, and adds up their sizes."""
    n = len(Z) + 1
    sizes = np.concatenate([np.ones(n), Z[:, 3]])
    assert hierarchy.is_valid_linkage(Z)
    np.testing.assert_array_equal(Z[:, 3], sizes[Z[:, 0].astype(int)] + sizes[Z[:, 1].astype(int)])
    assert (Z[:, 0] < Z[:, 1]).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6), st.sampled_from(list(METHODS)))
def test_ties(n, seed, method):
    """Law: rows full of ties give a valid tree; heights do not fall; those of single linkage are SciPy's."""
    X = np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float)
    X = np.column_stack([X, np.ones(n)])
    Z = linkage(X, method)
    check_order(Z)
    if METHODS[method].is_monotone:
        assert (np.diff(Z[:, 2]) >= 0).all()
    if method == "single":
        np.testing.assert_allclose(Z[:, 2], hierarchy.linkage(X, "single")[:, 2])


def test_order_of_ties():
    """Law: equally high merges come by smaller id, then larger id."""
    X = np.array([[10.0], [11], [0], [1], [20], [21]])
    np.testing.assert_array_equal(linkage(X, "complete")[:3, :2], [[0, 1], [2, 3], [4, 5]])


def test_outliers_about_one_cluster():
    """Law: when one cluster swallows rows one after the other, the merges are still SciPy's."""
    X = np.geomspace(1, 1e6, 300)[:, None]
    for method in SCIPY_METHODS:
        assert_same(linkage(X, method), hierarchy.linkage(X, method))


def test_average_of_squares_and_cosine_without_a_matrix():
    """Law: average linkage of squared Euclidean and cosine distances by centroids is that by a matrix."""
    X = np.random.default_rng(8).normal(size=(300, 6))
    for metric in ("sqeuclidean", "cosine"):
        assert_same(linkage(X, "average", metric), hierarchy.linkage(X, "average", metric))


def test_rows_far_from_the_origin():
    """Law: where the rows are does not matter."""
    X = np.random.default_rng(2).normal(size=(200, 3))
    for method in ("ward", "centroid"):
        assert_same(linkage(X + 1e6, method), hierarchy.linkage(X, method), rtol=1e-6)


@pytest.mark.parametrize("method", ["complete", "average", "weighted", "ward"])
def test_mirrored_cells_that_differ_by_rounding(method):
    """Law: a matrix that is symmetric up to rounding only, full of ties, still gives the tree."""
    rng = np.random.default_rng(0)
    D = np.ones((60, 60)) + 1e-12 * rng.random((60, 60))
    np.fill_diagonal(D, 0.0)
    Z = linkage(D, method, "precomputed")
    check_order(Z)
    assert np.isfinite(Z[:, 2]).all()


@pytest.mark.parametrize("method", ["single", "ward", "centroid"])
def test_optimal_ordering(method):
    """Law: the same merges, turned; neighbouring leaves are no farther apart than in SciPy's order."""
    X = np.random.default_rng(5).normal(size=(60, 3))
    D = squareform(pdist(X))
    plain, ordered = linkage(X, method), linkage(X, method, optimal_ordering=True)
    np.testing.assert_array_equal(np.sort(ordered[:, :2]), np.sort(plain[:, :2]))
    np.testing.assert_array_equal(ordered[:, 2:], plain[:, 2:])
    of_scipy = hierarchy.optimal_leaf_ordering(plain, pdist(X))
    lengths = [D[order[1:], order[:-1]].sum() for order in map(hierarchy.leaves_list, (ordered, of_scipy))]
    assert lengths[0] <= lengths[1] * (1 + 1e-12)


@pytest.mark.parametrize("n_values", [1, 2, 4])
def test_minimax_of_few_distinct_distances(n_values):
    """Law: with many ties heights are those of the definition, merge by merge, and merges are near ones."""
    rng = np.random.default_rng(n_values)
    D = rng.integers(1, n_values + 1, size=(30, 30)).astype(float)
    D = np.triu(D, 1) + np.triu(D, 1).T
    groups = {i: [i] for i in range(30)}

    def between(a, b):
        both = groups[a] + groups[b]
        return D[np.ix_(both, both)].max(axis=1).min()

    for i, (a, b, height, _) in enumerate(linkage(D, "minimax", "precomputed")):
        assert height == between(int(a), int(b))
        groups[30 + i] = groups.pop(int(a)) + groups.pop(int(b))
