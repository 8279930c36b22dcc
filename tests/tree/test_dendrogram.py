"""The dendrogram as a value: what it is made of, and what it refuses."""

import copy
import doctest
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster import hierarchy
from sklearn.cluster import AgglomerativeClustering

import coterie
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import Dendrogram

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 3))
SMALL = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0], names=["a", "b", "c", "d"])


def nary():
    """Six leaves: three under node 6, two under node 7, and both with leaf 5 under the root."""
    return Dendrogram([[0, 1, 2], [3, 4], [6, 7, 5]], [1.0, 2.0, 3.0])


def test_facts_of_a_binary_tree():
    """Law: what is given comes back, and sizes, root and numbers follow from it."""
    assert SMALL.n_leaves == 4
    assert SMALL.n_inner == 3
    assert SMALL.root == 6
    assert SMALL.is_binary
    assert SMALL.is_monotone
    np.testing.assert_array_equal(SMALL.merges, [[0, 1], [2, 3], [4, 5]])
    np.testing.assert_array_equal(SMALL.sizes, [2, 2, 4])
    assert SMALL.names == ("a", "b", "c", "d")
    assert repr(SMALL) == "Dendrogram of 4 leaves, heights 1 to 6"


def test_nodes_with_more_than_two_children():
    """Law: families of any size are kept as they are; what needs pairs says how to get them."""
    tree = nary()
    assert tree.n_leaves == 6
    assert not tree.is_binary
    np.testing.assert_array_equal(tree.children(8), [6, 7, 5])
    np.testing.assert_array_equal(tree.sizes, [3, 2, 6])
    with pytest.raises(
        InvalidParameter, match=r"merges of Dendrogram needs two children .* Use tree.binary\(\)"
    ):
        _ = tree.merges
    binary = tree.binary()
    np.testing.assert_array_equal(binary.merges, [[0, 1], [6, 2], [3, 4], [7, 8], [9, 5]])
    np.testing.assert_array_equal(binary.heights, [1, 1, 2, 3, 3])
    np.testing.assert_array_equal(binary.cophenetic(), tree.cophenetic())
    assert binary.binary() is binary


def test_one_leaf_is_a_tree():
    """Law: a tree without merges has one leaf, and everything works on it."""
    tree = Dendrogram(np.empty((0, 2)), [])
    assert tree.n_leaves == 1
    assert tree.cut(1).tolist() == [0]
    assert tree.leaf_order().tolist() == [0]
    assert tree.leaf_order(optimal=True, X=[[1.0]]).tolist() == [0]
    assert tree.cophenetic().size == 0
    assert tree.agglomerative_coefficient == 0
    assert Dendrogram.from_newick(tree.to_newick()) == tree
    assert "0" in str(tree)


def test_it_never_changes():
    """Law: neither attributes nor arrays can be changed, and the caller's arrays are not touched."""
    merges, heights = np.array([[0, 1], [3, 2]]), np.array([1.0, 2.0])
    tree = Dendrogram(merges, heights)
    with pytest.raises(AttributeError, match="never changes: heights cannot be set"):
        tree.heights = heights
    with pytest.raises(ValueError, match="read-only"):
        tree.heights[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        tree.merges[0, 0] = 5
    merges[0, 0] = heights[0] = 7
    assert tree == Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])


def test_equality_and_copies():
    """Law: equal content is equal; copies and pickles are equal; other names, heights or kinds are not."""
    assert Dendrogram(SMALL.merges, SMALL.heights, names=SMALL.names) == SMALL
    assert hash(SMALL) == hash(Dendrogram(SMALL.merges, SMALL.heights, names=SMALL.names))
    assert copy.deepcopy(SMALL) == SMALL == pickle.loads(pickle.dumps(SMALL))
    assert Dendrogram(SMALL.merges, SMALL.heights) != SMALL
    assert Dendrogram(SMALL.merges, SMALL.heights + 1, names=SMALL.names) != SMALL
    assert SMALL != "a tree"
    assert Dendrogram([[0, 1]], [1.0]) != Dendrogram([[0, 1]], [1.0], heights_are="similarities")


@pytest.mark.parametrize("tree", [SMALL, nary(), Dendrogram([[0, 1]], [0.5], heights_are="similarities")])
def test_saved_and_loaded(tree, tmp_path):
    """Law: what is loaded equals what was saved."""
    coterie.save(tree, tmp_path / "tree")
    assert coterie.load(tmp_path / "tree") == tree


DAMAGED = [
    ({"starts": []}, "do not fit together"),
    ({"starts": [0, 2, 5, 6]}, "do not fit together"),
    ({"starts": [0, 9, 4, 6]}, "do not fit together"),
    ({"children": [[0, 1], [2, 3], [4, 5]]}, "do not fit together"),
    ({"children": [0, 1, 2, 3, 4, 99]}, "must be a tree"),
    ({"heights": [1.0]}, "one number per merge"),
    ({"heights_are": "heights"}, "heights_are of Dendrogram must be"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGED)
def test_damaged_files_are_refused(change, message):
    """Law: a state that is not a tree is refused before any native code walks it."""
    state = SMALL.__coterie_state__() | change
    with pytest.raises(ValueError, match=message):
        Dendrogram.__coterie_restore__(state)


def test_members_and_subtrees():
    """Law: a subtree is the tree of the members, with their names, heights and joins."""
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, "average"), names=[f"r{i}" for i in range(40)])
    for node in (3, 40, 60, 70, 78):
        members, part = tree.members(node), tree.subtree(node)
        assert part.n_leaves == members.size
        assert part.names == tuple(f"r{i}" for i in members)
        pairs = np.array([(i, j) for i in range(members.size) for j in range(i + 1, members.size)])
        pairs = pairs.reshape(-1, 2).astype(int)
        np.testing.assert_array_equal(part.cophenetic(), tree.cophenetic(members[pairs]))
    assert tree.subtree(tree.root) == tree
    np.testing.assert_array_equal(nary().members(7), [3, 4])


def test_linkage_matrices_round_trip():
    """Law: SciPy's matrix comes back to the bit, for every linkage."""
    for method in ("single", "complete", "average", "weighted", "ward", "centroid", "median"):
        Z = hierarchy.linkage(X, method)
        tree = Dendrogram.from_linkage(Z)
        np.testing.assert_array_equal(tree.to_linkage(), Z)
        assert hierarchy.is_valid_linkage(tree.to_linkage())
        assert tree.is_monotone == hierarchy.is_monotonic(Z)


def test_children_of_scikit_learn():
    """Law: scikit-learn's tree, cut at its number of clusters, gives its labels."""
    model = AgglomerativeClustering(4, compute_distances=True, compute_full_tree=True).fit(X)
    tree = Dendrogram.from_children(model.children_, model.distances_)
    labels = tree.cut(4)
    assert len(set(zip(labels, model.labels_, strict=True))) == 4
    np.testing.assert_array_equal(Dendrogram.from_children(model.children_).heights, np.arange(1, 40))
    early = AgglomerativeClustering(30, compute_full_tree=False, connectivity=np.ones((40, 40))).fit(X)
    with pytest.raises(InvalidData, match="compute_full_tree=True"):
        Dendrogram.from_children(early.children_)


def test_nodes_in_any_order_are_sorted():
    """Law: from_nodes renumbers by height with children before parents, also where heights fall."""
    tree = Dendrogram.from_nodes([[5, 2], [0, 1], [4, 3]], [2.0, 1.0, 3.0])
    assert tree == Dendrogram([[0, 1], [4, 2], [5, 3]], [1.0, 2.0, 3.0])
    falling = Dendrogram.from_nodes([[5, 2], [0, 1], [4, 3]], [0.5, 0.9, 0.1], heights_are="similarities")
    np.testing.assert_array_equal(falling.heights, [0.9, 0.5, 0.1])
    with pytest.raises(InvalidData, match="must be a tree, got a cycle"):
        Dendrogram.from_nodes([[4, 1], [3, 2]], [1.0, 2.0])


BAD = [
    (([[0, 1], [0, 2]], [1, 2]), "node 0 is joined a second time in merge 1"),
    (([[0, 4], [3, 1]], [1, 2]), "merge 0 makes node 3 of nodes with lower numbers, got 4: a cycle"),
    (([[0, 3], [1, 2]], [1, 2]), "got 3: a cycle"),
    (([[0, 9], [3, 1]], [1, 2]), "2 merges have nodes 0 to 4, got 9 in merge 0"),
    (([[0, -1], [3, 1]], [1, 2]), "got -1 in merge 0"),
    (([[0, 1.5], [3, 2]], [1, 2]), "must be whole numbers of nodes"),
    (([[0, np.nan], [3, 2]], [1, 2]), "must be whole numbers of nodes"),
    (([["a", "b"]], [1]), "must be numbers of nodes"),
    (([[0], [1, 2]], [1, 2]), "each merge joins at least two nodes, merge 0 does not"),
    (([0, 1], [1]), r"shape \(n_merges, 2\), or lists of children, got shape \(2,\)"),
    (([[0, 1], [3, 2]], [1]), r"one number per merge, 2 of them, got shape \(1,\)"),
    (([[0, 1], [3, 2]], [1, np.nan]), "must not be NaN, got one at merge 1"),
    (
        ([[0, 1], [3, 2]], [1, -2]),
        "must be at least 0, got -2 at merge 1. If they are similarities, say heights_are",
    ),
    (([[0, 1], [3, 2]], ["x", "y"]), "heights of Dendrogram must be numbers"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_what_is_no_tree_is_refused(given, message):
    """Law: wrong arrays are refused with the merge and the node."""
    with pytest.raises(InvalidData, match=message):
        Dendrogram(*given)


def test_wrong_parameters_are_refused():
    """Law: names, kinds, nodes and matrices are checked with what is allowed and what was given."""
    with pytest.raises(InvalidData, match="names of Dendrogram must be 2 names, one per leaf, got 3"):
        Dendrogram([[0, 1]], [1.0], names=["a", "b", "c"])
    with pytest.raises(
        InvalidParameter, match='heights_are of Dendrogram must be one of "distances", "similarities"'
    ):
        Dendrogram([[0, 1]], [1.0], heights_are="distance")
    with pytest.raises(
        InvalidParameter, match=r"node of this Dendrogram must be a whole number in \[0, 6\], got 7"
    ):
        SMALL.members(7)
    with pytest.raises(InvalidData, match=r"must have the shape \(n_leaves - 1, 4\), got \(1, 3\)"):
        Dendrogram.from_linkage([[0, 1, 1.0]])
    with pytest.raises(InvalidData, match="row 0 joins 2 leaves, got 5"):
        Dendrogram.from_linkage([[0, 1, 1.0, 5]])
    with pytest.raises(
        InvalidParameter, match="one of n_clusters, height, min_size and best, got n_clusters and height"
    ):
        SMALL.cut(2, height=1.0)


def test_drawing():
    """Law: small trees are drawn leaf by leaf, large ones told by their last merges."""
    lines = SMALL.draw(24).splitlines()
    assert [line[0] for line in lines[:-1:2]] == ["a", "b", "c", "d"]
    assert str(SMALL).startswith(repr(SMALL))
    large = Dendrogram.from_linkage(hierarchy.linkage(RNG.normal(size=(200, 2)), "centroid"))
    text = str(large)
    assert text.count("\n") == 12
    assert "... and 189 merges below" in text
    assert Dendrogram([[0, 1]], [0.0]).draw()
    assert (
        Dendrogram([[0, 1], [3, 2]], [0.9, 0.1], heights_are="similarities")
        .draw()
        .splitlines()[-1]
        .endswith("0.1")
    )
    assert Dendrogram([[0, 1], [3, 2]], [1.0, np.inf]).draw()
    with pytest.raises(InvalidParameter, match="width of draw must be a whole number of at least 16"):
        SMALL.draw(3)


def test_a_tree_of_rows_that_nothing_joins_is_drawn():
    """Rows without any similarity join at minus infinity: no height is finite."""
    tree = Dendrogram.from_linkage([[0.0, 1.0, -np.inf, 2.0]], heights_are="similarities")
    assert "0" in str(tree)
    assert "1" in str(tree)


def test_examples_of_the_page_run():
    """Law: what docs/trees.md shows is what is printed."""
    page = Path(__file__).parents[2] / "docs" / "trees.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 3
    assert failed == 0


@pytest.mark.parametrize("names", [np.array("text"), "ab", np.array([["a", "b"], ["c", "d"]]), 7])
def test_names_are_a_list_of_names(names):
    """Law: what is not a list of one name per leaf is refused."""
    with pytest.raises(InvalidData, match="names of Dendrogram must be 2 names, one per leaf"):
        Dendrogram([[0, 1]], [1.0], names=names)


def test_heights_beyond_floats_are_refused():
    """Law: heights are numbers that a float holds."""
    with pytest.raises(InvalidData, match="heights of Dendrogram must be numbers"):
        Dendrogram([[0, 1]], [10**400])
