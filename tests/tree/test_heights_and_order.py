"""Cophenetic heights, coefficients and the order of the leaves."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import Dendrogram, linkage
from tree_strategies import random_trees

IRIS = load_iris().data
METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")


@pytest.mark.parametrize("method", METHODS)
def test_cophenetic_heights_of_scipy(method):
    """Law: the condensed heights are those of SciPy's cophenet, and single pairs are their entries."""
    Z = hierarchy.linkage(IRIS[::3], method)
    tree = Dendrogram.from_linkage(Z)
    expected = hierarchy.cophenet(Z)
    np.testing.assert_array_equal(tree.cophenetic(), expected)
    first, second = np.triu_indices(50, 1)
    np.testing.assert_array_equal(tree.cophenetic(np.column_stack([second, first])), expected)


@given(random_trees())
def test_monotone_trees_are_ultrametric(tree):
    """Law: of the three heights of three leaves the two largest are equal."""
    D = squareform(tree.cophenetic()) if tree.n_leaves > 1 else np.zeros((1, 1))
    assert (D[:, None, :] <= np.maximum(D[:, :, None], D[None, :, :])).all()


def test_coefficients_of_r():
    """Law: R's cluster package and hclust give these numbers for iris (worked example 8)."""
    distances = pdist(IRIS)
    coefficients = {"single": 0.8493, "average": 0.9300, "ward": 0.9909}
    correlations = {"average": 0.8770, "single": 0.8639, "complete": 0.7270}
    trees = {method: Dendrogram.from_linkage(linkage(IRIS, method)) for method in METHODS}
    for method, coefficient in coefficients.items():
        assert trees[method].agglomerative_coefficient == pytest.approx(coefficient, abs=5e-5)
    for method, correlation in correlations.items():
        assert trees[method].cophenetic_correlation(distances) == pytest.approx(correlation, abs=5e-5)
        assert trees[method].cophenetic_correlation(squareform(distances)) == pytest.approx(
            correlation, abs=5e-5
        )


def test_coefficient_of_r_up_to_ties():
    """Law: ties in iris leave two trees of complete linkage; R's 0.9575 belongs to one of them.

    For the rows as they stand SciPy and ours find the other one; other orders of the rows give R's.
    """

    def coefficient(X):
        return round(Dendrogram.from_linkage(linkage(X, "complete")).agglomerative_coefficient, 6)

    orders = [np.random.default_rng(seed).permutation(150) for seed in range(20)]
    assert {coefficient(IRIS[order]) for order in orders} == {0.957462, 0.957559}
    of_scipy = Dendrogram.from_linkage(hierarchy.linkage(IRIS, "complete"))
    assert coefficient(IRIS) == round(of_scipy.agglomerative_coefficient, 6) == 0.957559


def test_worked_example_4():
    """Law: the similarity trees of I1..I5 have the lecture's heights, cuts and pairs."""
    single = Dendrogram(
        [[0, 1], [3, 4], [2, 5], [6, 7]],
        [0.9, 0.8, 0.7, 0.65],
        heights_are="similarities",
        names=list("12345"),
    )
    complete = Dendrogram([[0, 1], [3, 4], [2, 6], [5, 7]], [0.9, 0.8, 0.3, 0.1], heights_are="similarities")
    assert single.is_monotone
    np.testing.assert_array_equal(single.cut(height=0.7), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(complete.cut(height=0.3), [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(single.cophenetic([[0, 1], [3, 4], [2, 0], [0, 4]]), [0.9, 0.8, 0.7, 0.65])
    np.testing.assert_array_equal(complete.cophenetic([[2, 4], [0, 2], [1, 1]]), [0.3, 0.1, np.inf])
    similarities = [0.90, 0.10, 0.65, 0.20, 0.70, 0.60, 0.50, 0.40, 0.30, 0.80]
    assert single.cophenetic_correlation(similarities) > 0.5
    assert single.as_distances(1.0).cophenetic_correlation(1 - np.array(similarities)) == pytest.approx(
        single.cophenetic_correlation(similarities)
    )
    with pytest.raises(InvalidParameter, match=r"needs distances, .* Use tree.as_distances"):
        _ = single.agglomerative_coefficient


def length(order, D):
    return D[order[:-1], order[1:]].sum()


@given(random_trees(most=7, monotone=False), st.integers(0, 2**32 - 1))
def test_optimal_order_is_the_best_of_all(tree, seed):
    """Law: no other order that keeps the leaves of every node together is shorter."""
    n = tree.n_leaves
    D = squareform(np.random.default_rng(seed).random(n * (n - 1) // 2)) if n > 1 else np.zeros((1, 1))
    order = tree.leaf_order(optimal=True, distances=D)
    np.testing.assert_array_equal(tree.reordered(order).leaf_order(), order)
    families = [set(tree.members(node).tolist()) for node in range(n, tree.root + 1)]

    def is_legal(candidate):
        places = {leaf: place for place, leaf in enumerate(candidate)}
        spans = [sorted(places[leaf] for leaf in family) for family in families]
        return all(span[-1] - span[0] == len(span) - 1 for span in spans)

    best = min(length(np.array(p), D) for p in permutations(range(n)) if is_legal(p))
    assert length(order, D) == pytest.approx(best)


@pytest.mark.parametrize("method", ["ward", "average", "single", "centroid"])
@pytest.mark.parametrize("n", [2, 3, 21, 60])
def test_optimal_order_is_no_longer_than_scipys(method, n):
    """Law: the order is the shortest; SciPy's is not always (its issue 11227)."""
    rows = np.random.default_rng(n).normal(size=(n, 3))
    distances = pdist(rows)
    Z = hierarchy.linkage(rows, method)
    theirs = hierarchy.leaves_list(hierarchy.optimal_leaf_ordering(Z, distances))
    tree = Dendrogram.from_linkage(Z)
    ours = tree.leaf_order(optimal=True, X=rows)
    D = squareform(distances)
    assert length(ours, D) <= length(theirs, D) * (1 + 1e-12)
    assert length(tree.leaf_order(optimal=True, distances=distances), D) == pytest.approx(length(ours, D))
    assert length(ours, D) == pytest.approx(shortest(tree, D))


def shortest(tree, D):
    """Return the least length of all legal orders: the programme over pairs of ends, written plainly."""
    n = tree.n_leaves
    ends = {leaf: {(leaf, leaf): 0.0} for leaf in range(n)}
    for node in range(n, tree.root + 1):
        first, second = (np.full((n, n), np.inf) for _ in range(2))
        for side, child in zip((first, second), tree.children(node), strict=True):
            for (begin, end), cost in ends.pop(int(child)).items():
                side[begin, end] = side[end, begin] = cost
        reach = np.min(first[:, :, None] + D[None, :, :], axis=1)
        joined = np.min(reach[:, :, None] + second[None, :, :], axis=1)
        ends[node] = {(i, j): joined[i, j] for i, j in np.argwhere(np.isfinite(joined))}
    return min(ends[tree.root].values())


@given(random_trees())
def test_plain_order_is_scipys(tree):
    """Law: without turning, the leaves stand as SciPy's leaves_list has them."""
    expected = hierarchy.leaves_list(tree.to_linkage()) if tree.n_inner else [0]
    np.testing.assert_array_equal(tree.leaf_order(), expected)


def test_wrong_orders_are_refused():
    """Law: orders, pairs and data that do not fit the tree are refused."""
    tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 3.0])
    with pytest.raises(InvalidData, match="must keep the leaves of every node together"):
        tree.reordered([0, 2, 1, 3])
    with pytest.raises(InvalidData, match="must hold each of the 4 leaves once"):
        tree.reordered([0, 1, 1, 3])
    with pytest.raises(InvalidParameter, match="X and distances of leaf_order need optimal=True"):
        tree.leaf_order(X=[[0.0]] * 4)
    with pytest.raises(InvalidParameter, match="one of them"):
        tree.leaf_order(optimal=True)
    with pytest.raises(InvalidParameter, match="needs two children per node"):
        Dendrogram([[0, 1, 2]], [1.0]).leaf_order(optimal=True, X=[[0.0]] * 3)
    with pytest.raises(InvalidData, match="must be leaves, 0 to 3, got 0 to 4"):
        tree.cophenetic([[0, 4]])
    with pytest.raises(InvalidData, match=r"must be whole numbers of shape \(n_pairs, 2\)"):
        tree.cophenetic([0.5, 1.0])
    assert tree.cophenetic_correlation([1.0] * 6) == 0


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([0.218, 5e-324], -np.inf),
        ([np.inf, 1e-311], -np.inf),
        ([np.inf, np.inf], 0.0),
        ([1.0, np.inf], 2 / 3),
    ],
)
def test_the_coefficient_of_extreme_heights(heights, expected):
    """Law: it is the limit: heights above their root take it to minus infinity, infinite ones are equal."""
    tree = Dendrogram([[1, 2], [0, 3]], heights)
    assert tree.agglomerative_coefficient == pytest.approx(expected)
