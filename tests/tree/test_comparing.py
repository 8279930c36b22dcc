"""Two trees of the same leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.stats import spearmanr
from sklearn.metrics import fowlkes_mallows_score

from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import (
    Dendrogram,
    bakers_gamma,
    cophenetic_agreement,
    entanglement,
    fowlkes_mallows_curve,
    robinson_foulds,
)
from tree_strategies import random_trees

X = np.random.default_rng(2).normal(size=(40, 3))
TREES = {
    method: Dendrogram.from_linkage(hierarchy.linkage(X, method)) for method in ("single", "ward", "centroid")
}
NARY = Dendrogram([[0, 1, 2], [3, 4], [6, 7, 5]], [1.0, 2.0, 3.0])


def clades(tree):
    return {tuple(tree.members(node)) for node in range(tree.n_leaves, tree.root)}


@st.composite
def pairs_of_trees(draw):
    """Draw two trees of the same number of leaves."""
    first = draw(random_trees())
    second = (
        draw(random_trees().filter(lambda tree: tree.n_leaves == first.n_leaves))
        if first.n_leaves < 3
        else None
    )
    if second is None:
        seed = draw(st.integers(0, 2**32 - 1))
        rows = np.random.default_rng(seed).random((first.n_leaves, 2))
        second = Dendrogram.from_linkage(hierarchy.linkage(rows, "average"))
    return first, second


@given(pairs_of_trees())
def test_robinson_foulds_counts_sets_of_leaves(trees):
    """Law: the distance is the number of sets that only one of the trees has; normalised by all there are."""
    first, second = trees
    expected = len(clades(first) ^ clades(second))
    assert robinson_foulds(first, second) == robinson_foulds(second, first) == expected
    total = len(clades(first)) + len(clades(second))
    assert robinson_foulds(first, second, normalized=True) == (expected / total if total else 0)


def test_robinson_foulds_of_large_families():
    """Law: nodes with more than two children count like others."""
    assert robinson_foulds(NARY, NARY) == 0
    assert robinson_foulds(NARY, NARY.binary()) == 2  # the two nodes that split a family of three
    assert robinson_foulds(NARY.binary(), NARY) == 2


@pytest.mark.parametrize("first", TREES)
@pytest.mark.parametrize("second", TREES)
def test_curve_of_fowlkes_and_mallows(first, second):
    """Law: B_k is scikit-learn's score of the two cuts, for every k."""
    curve = fowlkes_mallows_curve(TREES[first], TREES[second])
    np.testing.assert_array_equal(curve.n_clusters, np.arange(2, 40))
    for k, value in zip(curve.n_clusters, curve.values, strict=True):
        cuts = (TREES[first].cut(int(k)), TREES[second].cut(int(k)))
        assert value == pytest.approx(fowlkes_mallows_score(*cuts)), k
    some = fowlkes_mallows_curve(TREES[first], TREES[second], n_clusters=[5, 3])
    np.testing.assert_array_equal(some.values, curve.values[[1, 3]])


def test_expected_curve_is_the_mean_of_shuffled_leaves():
    """Law: the expected B_k is what matching the leaves at random gives on average."""
    rng = np.random.default_rng(0)
    first, second = TREES["ward"].cut(4), TREES["single"].cut(4)
    drawn = np.mean([fowlkes_mallows_score(first, rng.permutation(second)) for _ in range(300)])
    curve = fowlkes_mallows_curve(TREES["ward"], TREES["single"], n_clusters=[4])
    assert curve.expected[0] == pytest.approx(drawn, abs=0.01)


@pytest.mark.parametrize("other", ["ward", "centroid"])
def test_bakers_gamma_is_a_rank_correlation(other):
    """Law: it is Spearman's correlation of the largest number of clusters at which each pair is together."""

    def together(tree):
        labels = [tree.cut(k) for k in range(1, 41)]
        return [
            max(k for k in range(40) if labels[k][i] == labels[k][j])
            for i in range(40)
            for j in range(i + 1, 40)
        ]

    expected = spearmanr(together(TREES["single"]), together(TREES[other])).statistic
    assert bakers_gamma(TREES["single"], TREES[other]) == pytest.approx(expected)


def test_correlation_of_heights():
    """Law: the agreement is the correlation of SciPy's cophenetic distances; a tree agrees with itself."""
    heights = [hierarchy.cophenet(TREES[name].to_linkage()) for name in ("single", "ward")]
    assert cophenetic_agreement(TREES["single"], TREES["ward"]) == pytest.approx(np.corrcoef(heights)[0, 1])
    falling = Dendrogram([[0, 1], [3, 2]], [0.9, 0.1], heights_are="similarities")
    assert cophenetic_agreement(falling, falling.as_distances()) == pytest.approx(1)
    assert cophenetic_agreement(falling, Dendrogram([[0, 1, 2]], [1.0])) == 0


def test_entanglement_of_orders():
    """Law: 0 for the same order, 1 for opposite ones, and the formula in between."""
    tree = TREES["ward"]
    order = tree.leaf_order()
    assert entanglement(tree, tree) == 0
    assert entanglement(tree, tree.reordered(order[::-1])) == pytest.approx(1)
    turned = tree.reordered(tree.leaf_order(optimal=True, X=X))
    moved = np.abs(np.argsort(order) - np.argsort(turned.leaf_order()))
    assert entanglement(tree, turned, power=1) == pytest.approx(
        moved.sum() / np.abs(2 * np.arange(40) - 39).sum()
    )
    assert entanglement(Dendrogram([], []), Dendrogram([], [])) == 0


def test_leaves_are_matched_by_name():
    """Law: names decide which leaves are the same, whatever their numbers."""
    first = Dendrogram.from_newick("((a:1,b:1):3,(c:2,d:2):2);")
    second = Dendrogram.from_newick("((d:2,c:2):2,(b:1,a:1):3);")
    assert robinson_foulds(first, second) == 0
    assert cophenetic_agreement(first, second) == pytest.approx(1)
    assert bakers_gamma(first, second) == pytest.approx(1)
    np.testing.assert_array_equal(fowlkes_mallows_curve(first, second).values, [1, 1])
    assert entanglement(first, second) == pytest.approx(1)


def test_what_cannot_be_compared():
    """Law: trees of other leaves, other values and impossible numbers are refused."""
    two, three = Dendrogram([[0, 1]], [1.0]), Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    with pytest.raises(InvalidData, match="trees of the same leaves, got 2 and 3 leaves"):
        bakers_gamma(two, three)
    with pytest.raises(InvalidParameter, match="robinson_foulds compares two Dendrograms, got a list"):
        robinson_foulds(two, [[0, 1]])
    named = [Dendrogram([[0, 1]], [1.0], names=names) for names in (["a", "b"], ["a", "c"])]
    with pytest.raises(InvalidData, match=r"each named once; they differ in \['b', 'c'\]"):
        entanglement(*named)
    with pytest.raises(InvalidParameter, match="must be cuts of both trees, 2 to n_leaves - 1 = 2, got 3"):
        fowlkes_mallows_curve(three, three, n_clusters=[3])
    with pytest.raises(InvalidParameter, match="power of entanglement must be a number greater than 0"):
        entanglement(three, three, power=0)


def test_long_chains():
    """Law: 100,000 leaves in a chain are compared in one pass where the measure allows."""
    n = 100_000
    merges = np.column_stack([np.concatenate([[0], np.arange(n, 2 * n - 2)]), np.arange(1, n)])
    chain = Dendrogram(merges, np.arange(1.0, n))
    other = chain._renumbered(np.arange(n)[::-1].copy(), None)
    assert robinson_foulds(chain, chain) == 0
    assert robinson_foulds(chain, other) == 2 * (n - 2)
    assert entanglement(chain, other) == pytest.approx(1)
    curve = fowlkes_mallows_curve(chain, other)
    assert curve.values[0] == pytest.approx((n - 2) / n, rel=1e-3)
