"""Trees as Newick text and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy

from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import Dendrogram
from tree_strategies import random_trees


@given(random_trees(unique=True, monotone=False))
def test_round_trip(tree):
    """Law: a tree whose heights differ comes back with its joins and its heights to the bit."""
    back = Dendrogram.from_newick(tree.to_newick())
    assert back.names is None
    np.testing.assert_array_equal(back.cophenetic(), tree.cophenetic())
    if tree.is_monotone:
        assert back == tree


@pytest.mark.parametrize("method", ["ward", "average", "centroid"])
def test_heights_survive_rounding(method):
    """Law: heights that are not round numbers come back exactly from a tree that is monotone, else nearly."""
    tree = Dendrogram.from_linkage(hierarchy.linkage(np.random.default_rng(0).normal(size=(100, 3)), method))
    back = Dendrogram.from_newick(tree.to_newick())
    if tree.is_monotone:
        assert back == tree
    else:
        np.testing.assert_allclose(back.cophenetic(), tree.cophenetic(), rtol=1e-12)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)


@given(st.lists(NAMES, min_size=3, max_size=3, unique=True))
def test_names_of_any_kind_come_back(names):
    """Law: quotes, blanks, brackets and letters of any language survive, and `names` sets the numbers."""
    tree = Dendrogram([[0, 2], [3, 1]], [1.0, 2.0], names=names)
    text = tree.to_newick()
    back = Dendrogram.from_newick(text, names=names)
    assert back == tree
    if set(names) != {"0", "1", "2"}:
        assert Dendrogram.from_newick(text).names == (names[0], names[2], names[1])


def test_what_others_write():
    """Law: comments, blanks, names of inner nodes, large families and missing lengths are read."""
    tree = Dendrogram.from_newick("[a comment] ( (A:0.5 , B:+5e-1)95:1.5, C:2,'it''s D':1 )root:0.0 ;\n")
    assert tree.names == ("A", "B", "C", "it's D")
    np.testing.assert_array_equal(tree.heights, [0.5, 2.0])
    np.testing.assert_array_equal(tree.children(5), [4, 2, 3])
    plain = Dendrogram.from_newick("((A,B),(C,(D,E)));")
    np.testing.assert_array_equal(plain.heights, [1, 1, 2, 3])
    assert plain.names == ("A", "B", "C", "D", "E")


BROKEN = [
    ("((A,B),C)", "expected ';', found the end of the text at position 9"),
    ("((A,B),C;", r"expected ',' or '\)', found ';' at position 8"),
    ("(A,B));", r"expected ';', found '\)' at position 5"),
    ("(A,,B);", r"expected '\(' or the name of a leaf, found ',' at position 3"),
    ("(A:x,B:1);", "expected a finite branch length, found 'x' at position 3"),
    ("(A:inf,B:1);", "expected a finite branch length"),
    ("(é:1,B);", "expected ':' and a length, as the other branches have at position 6"),
    ("(A,(B));", "a node has one child only at position 3"),
    ("('A,B);", "a quoted name is not closed by .* at position 1"),
    ("(A,B[x);", r"a comment is not closed by '\]' at position 4"),
    ("(A,B); (C,D);", r"expected nothing after ';', found '\(' at position 7"),
    ("", r"expected '\(' or the name of a leaf, found the end of the text at position 0"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_broken_text_is_refused_with_its_position(text, message):
    """Law: text that does not parse is refused with what was expected, what was found, and where."""
    with pytest.raises(InvalidData, match=f"text of from_newick is not a Newick tree: {message}"):
        Dendrogram.from_newick(text)


def test_wrong_requests_are_refused():
    """Law: no lengths: not written; names must be the leaves'; no node is below its leaves."""
    with pytest.raises(InvalidParameter, match=r"this tree has similarities. Use tree.as_distances"):
        Dendrogram([[0, 1]], [0.5], heights_are="similarities").to_newick()
    with pytest.raises(InvalidParameter, match="infinite heights"):
        Dendrogram([[0, 1]], [np.inf]).to_newick()
    with pytest.raises(InvalidData, match=r"each once; they differ in \['B', 'C'\]"):
        Dendrogram.from_newick("(A,B);", names=["A", "C"])
    with pytest.raises(InvalidData, match="must not put a node below its leaves, got the height -1"):
        Dendrogram.from_newick("(A:-1,B:-2);")
    with pytest.raises(InvalidParameter, match="must be a string, got bytes"):
        Dendrogram.from_newick(b"(A,B);")
