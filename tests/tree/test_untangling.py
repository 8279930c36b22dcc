"""Turning one tree of two so that fewer lines cross."""

import numpy as np
import pytest

from coterie.errors import InvalidData
from coterie.tree import Dendrogram, entanglement, linkage, untangled

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
