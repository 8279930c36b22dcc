"""Turning one tree of two, or both, so that fewer lines cross."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie.errors import InvalidData
from coterie.tree import Dendrogram, entanglement, linkage, untangled, untangled_pair

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))


def test_a_turned_tree_is_turned_back():
    """Law: a tree and any turning of it untangle to 0, also when leaves are matched by name."""
    tree = Dendrogram.from_linkage(linkage(X, "ward"))
    turned = tree.reordered(tree.leaf_order(optimal=True, X=X)[::-1])
    assert entanglement(tree, turned) > 0
    assert entanglement(tree, untangled(tree, turned)) == 0
    order = RNG.permutation(60)
    names = [f"leaf {i}" for i in range(60)]
    named = Dendrogram.from_linkage(linkage(X, "ward"), names=names)
    other = Dendrogram.from_linkage(linkage(X[order], "ward"), names=[names[i] for i in order])
    assert entanglement(named, untangled(named, other)) == 0


@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_turning_never_tangles_more(method):
    """Law: the merges stay as they are, and the entanglement does not grow."""
    tree, other = (Dendrogram.from_linkage(linkage(X, name)) for name in ("ward", method))
    turned = untangled(tree, other)
    assert entanglement(tree, turned) <= entanglement(tree, other)
    assert np.array_equal(turned.cophenetic(), other.cophenetic())


def test_other_leaves_are_refused():
    """Law: trees of different leaves cannot stand face to face."""
    tree = Dendrogram.from_linkage(linkage(X, "ward"))
    with pytest.raises(InvalidData, match="untangled needs two trees of the same leaves"):
        untangled(tree, Dendrogram([[0, 1]], [1.0]))


def test_turning_both_trees_straightens_what_one_alone_cannot():
    """Law: where some turning of both has no crossings and none of one has, both are turned; merges stay."""
    flowers = load_iris().data[::5]
    first, second = (Dendrogram.from_linkage(linkage(flowers, method)) for method in ("average", "complete"))
    assert entanglement(first, untangled(first, second)) > 0.3
    pair = untangled_pair(first, second)
    assert entanglement(*pair) == 0
    for before, after in zip((first, second), pair, strict=True):
        np.testing.assert_array_equal(before.cut(4), after.cut(4))
        np.testing.assert_array_equal(before.heights, after.heights)


@pytest.mark.parametrize("seed", range(4))
def test_a_pair_is_never_more_tangled_than_one_turned_tree(seed):
    """Law: turning both is at least as good as turning one, or none; names match leaves."""
    X = np.random.default_rng(seed).normal(size=(40, 3))
    names = [f"row {row}" for row in range(40)]
    order = np.random.default_rng(seed).permutation(40)
    first = Dendrogram.from_linkage(linkage(X, "ward"), names=names)
    second = Dendrogram.from_linkage(linkage(X[order], "single"), names=[names[row] for row in order])
    value = entanglement(*untangled_pair(first, second))
    assert value <= entanglement(first, untangled(first, second)) <= entanglement(first, second)


def test_long_chains_are_turned_by_their_means():
    """Law: a chain of very many leaves is turned in bounded time."""
    n = 4_000
    chain = Dendrogram([[0, 1], *([n + at, at + 2] for at in range(n - 2))], np.arange(1.0, n))
    turned = chain.reordered(chain.leaf_order()[::-1])
    assert entanglement(*untangled_pair(chain, turned)) == 0
