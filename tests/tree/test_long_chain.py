"""A chain of 100,000 leaves through every public function: nothing recurses."""

import numpy as np
import pytest

import coterie
from coterie.errors import NotEnoughMemory
from coterie.tree import Dendrogram

N = 100_000


def chain_of(n):
    """Return a tree in which leaf after leaf joins one growing cluster."""
    merges = np.column_stack([np.concatenate([[0], np.arange(n, 2 * n - 2)]), np.arange(1, n)])
    return Dendrogram(merges, np.arange(1.0, n))


@pytest.fixture(scope="module")
def chain():
    return chain_of(N)


def test_cuts_of_a_chain(chain):
    """Law: every kind of cut takes one pass."""
    np.testing.assert_array_equal(np.bincount(chain.cut(1000))[:2], [N - 999, 1])
    np.testing.assert_array_equal(chain.cut(height=N - 1000.0), chain.cut(1000))
    assert chain.cut(min_size=2).max() == 0
    assert chain.cut(min_size=1).max() == N - 1
    assert chain.cut(best=lambda labels: labels.max()).max() == 99
    assert chain.is_monotone


def test_nodes_of_a_chain(chain):
    """Law: members, subtrees, pairs, orders and coefficients work at any depth."""
    assert chain.members(chain.root).size == N
    assert chain.subtree(chain.root - 1).n_leaves == N - 1
    np.testing.assert_array_equal(chain.cophenetic([[0, N - 1], [5, 3], [7, 7]]), [N - 1, 5, 0])
    np.testing.assert_array_equal(chain.leaf_order(), np.arange(N))
    np.testing.assert_array_equal(chain.reordered(np.arange(N)[::-1]).leaf_order(), np.arange(N)[::-1])
    assert 0.49 < chain.agglomerative_coefficient < 0.51
    assert chain.binary() is chain
    assert Dendrogram.from_nodes(chain.merges, chain.heights) == chain


def test_chain_written_and_read(chain, tmp_path):
    """Law: text, matrices and files hold a chain, and give it back."""
    assert Dendrogram.from_newick(chain.to_newick()) == chain
    assert Dendrogram.from_linkage(chain.to_linkage()) == chain
    assert Dendrogram.from_children(chain.merges, chain.heights) == chain
    coterie.save(chain, tmp_path / "chain")
    assert coterie.load(tmp_path / "chain") == chain
    assert "merges below" in str(chain)
    assert repr(chain) == "Dendrogram of 100,000 leaves, heights 1 to 99999"
    assert hash(chain) == hash(Dendrogram(chain.merges, chain.heights))


def test_a_million_leaves(tmp_path):
    """Law: a chain of a million leaves cuts, orders, prints and saves."""
    n = 1_000_000
    tree = chain_of(n)
    assert np.bincount(tree.cut(1000))[0] == n - 999
    np.testing.assert_array_equal(tree.cut(height=n - 1000.0), tree.cut(1000))
    np.testing.assert_array_equal(tree.leaf_order(), np.arange(n))
    assert repr(tree) == "Dendrogram of 1,000,000 leaves, heights 1 to 999999"
    assert "merges below" in str(tree)
    coterie.save(tree, tmp_path / "chain")
    assert coterie.load(tmp_path / "chain") == tree
    assert Dendrogram.from_linkage(tree.to_linkage()) == tree
    assert Dendrogram.from_newick(tree.to_newick()) == tree


def test_what_is_quadratic_says_so(chain, monkeypatch):
    """Law: squares that do not fit are refused before the work, with the way out."""
    monkeypatch.setattr("coterie._validation.memory.available_memory", lambda: 1 << 30)
    with pytest.raises(
        NotEnoughMemory, match=r"the cophenetic matrix of 100,000 leaves needs 37.3 GiB.*Ask for some pairs"
    ):
        chain.cophenetic()
    with pytest.raises(
        NotEnoughMemory, match=r"the optimal order of 100,000 leaves needs .*tree.subtree\(node\)"
    ):
        chain.leaf_order(optimal=True, X=np.zeros((N, 1)))
    with pytest.raises(NotEnoughMemory, match=r"a drawing of 100,000 leaves needs .*Draw a part"):
        chain.draw(width=800)
