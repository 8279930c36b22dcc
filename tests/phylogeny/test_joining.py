"""Neighbour joining and UPGMA."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import average
from scipy.sparse import coo_array
from scipy.spatial.distance import squareform

from coterie import _core
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny import Phylogeny, neighbour_joining, random_tree, robinson_foulds, upgma
from coterie.tree import Dendrogram
from phylogeny_trees import assert_same_tree, parse, plain_neighbour_joining, random_square


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 40), st.integers(0, 2**32))
def test_an_additive_tree_is_found_again(n, seed):
    """Law: from the distances along a tree with positive lengths, neighbour joining makes that tree."""
    tree = random_tree(n, random_state=seed)
    lengths = np.maximum(tree.lengths, 1e-3)
    tree = Phylogeny.from_arrays(tree.arrays, lengths, tree.names)
    found = neighbour_joining(tree.distances(), tree.names)
    assert robinson_foulds(found, tree) == 0
    assert_same_tree(found, tree)
    np.testing.assert_allclose(found.distances(), tree.distances(), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 30), st.integers(0, 2**32), st.booleans())
def test_equals_looking_at_every_pair(n, seed, is_whole):
    """Law: the bounds spare work and change nothing; of equal pairs the first wins."""
    square = random_square(n, seed)
    if is_whole:
        square = np.round(4 * square)  # many ties, and sums that are exact
    names = [f"t{i}" for i in range(n)]
    found = neighbour_joining(square, names)
    assert_same_tree(found, parse(plain_neighbour_joining(square, names)))


@pytest.mark.parametrize("kind", ["uniform", "equal", "points"])
def test_threads_and_instruction_sets_do_not_matter(kind):
    """Law: one thread and three give the same bits."""
    n = 600  # enough for several threads to share a search
    rng = np.random.default_rng(1)
    square = random_square(n, 3)
    if kind == "equal":
        square = np.ones((n, n)) - np.eye(n)
    elif kind == "points":
        X = np.round(rng.normal(size=(n, 2)), 1)
        square = np.abs(X[:, None] - X[None]).sum(axis=2)
    one, three = (neighbour_joining(square, n_jobs=jobs) for jobs in (1, 3))
    assert one == three


def test_bounds_spare_most_rows():
    """Law: of all rows of all steps, a small part is searched."""
    n = 400
    *_, searched = _core.neighbour_joining(random_tree(n, random_state=0).distances(), 1)
    assert searched < n * n / 2 / 5


@pytest.mark.parametrize("n", [1, 2, 3])
def test_smallest_trees(n):
    """Law: one leaf, a branch of two halves, a star of three."""
    square = np.array([[0.0, 4.0, 6.0], [4.0, 0.0, 8.0], [6.0, 8.0, 0.0]])[:n, :n]
    tree = neighbour_joining(square)
    np.testing.assert_allclose(tree.distances(), square)
    assert tree.to_newick() == {1: "0;", 2: "(0:2,1:2);", 3: "(0:1,1:3,2:5);"}[n]


def test_example_of_studier_and_keppler():
    """Law: the five-leaf example of textbooks: ((a, b), c), d, e with lengths 2 3 3 4 2 2 1."""
    square = [[0, 5, 9, 9, 8], [5, 0, 10, 10, 9], [9, 10, 0, 8, 7], [9, 10, 8, 0, 3], [8, 9, 7, 3, 0]]
    tree = neighbour_joining(square, list("abcde"))
    assert_same_tree(tree, parse("(((a:2,b:3):3,c:4):2,d:2,e:1);"))


def test_negative_lengths():
    """Law: "zero" leaves no negative length and the same divisions; "keep" is the formula."""
    square = random_square(30, 4)
    kept, zero = (neighbour_joining(square, negative_lengths=policy) for policy in ("keep", "zero"))
    assert np.nanmin(kept.lengths) < 0
    assert np.nanmin(zero.lengths) == 0
    assert robinson_foulds(kept, zero) == 0
    pairs = [node for node in range(kept.n_leaves, kept.root) if len(kept.children(node)) == 2]
    for node in pairs:  # the distance between the two that were joined stays
        sums = [tree.lengths[tree.children(node)].sum() for tree in (kept, zero)]
        assert sums[0] == pytest.approx(sums[1]) or sums[0] < 0


@pytest.mark.parametrize("factor", [1e-300, 1e300, 1e305])
def test_extreme_distances(factor):
    """Law: distances near the ends of the numbers give the same tree, scaled."""
    square = random_tree(12, random_state=5).distances()
    plain, scaled = neighbour_joining(square), neighbour_joining(factor * square)
    assert robinson_foulds(plain, scaled) == 0
    np.testing.assert_allclose(scaled.lengths[:-1], factor * plain.lengths[:-1], rtol=1e-6)


def test_forms_of_distances():
    """Law: condensed, square, float32 and data frames are taken; names come from the columns."""
    pandas = pytest.importorskip("pandas")
    square = random_tree(8, random_state=2).distances()
    square = (square + square.T) / 2
    frame = pandas.DataFrame(square, columns=list("abcdefgh"))
    assert neighbour_joining(frame).names == tuple("abcdefgh")
    assert neighbour_joining(squareform(square)) == neighbour_joining(square)
    assert robinson_foulds(neighbour_joining(square.astype(np.float32)), neighbour_joining(square)) == 0


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        ([[0, 1], [2, 0]], "symmetric"),
        ([[0, np.nan], [np.nan, 0]], "NaN|missing"),
        ([[0, np.inf], [np.inf, 0]], "inf"),
        ([[0, -1], [-1, 0]], "at least 0"),
        ([[1, 1], [1, 1]], "diagonal"),
        ([[3.0]], "diagonal"),
        ([["a"]], "numbers"),
        (coo_array([[0.0]]), "at least 2 rows"),
        (coo_array([[0.0, 1.0], [1.0, 0.0]]), "sparse"),
        ([[0, 1, 2], [1, 0, 3]], "square"),
        (np.empty((0, 0)), "0 sample"),
        ("abc", "must be a table of numbers"),
    ],
)
def test_bad_distances(distances, message):
    """Law: what is not a matrix of distances is refused in words."""
    with pytest.raises(InvalidData, match=message):
        neighbour_joining(distances)


def test_bad_names_and_policies():
    """Law: names must be as many as leaves and differ; a policy must be one of two."""
    square = [[0, 1], [1, 0]]
    with pytest.raises(InvalidData, match="names of Phylogeny must be 2 names"):
        neighbour_joining(square, ["a"])
    with pytest.raises(InvalidData, match='must differ, got "a" twice'):
        neighbour_joining(square, ["a", "a"])
    with pytest.raises(InvalidParameter, match="negative_lengths of neighbour_joining must be"):
        neighbour_joining(square, negative_lengths="drop")


def test_upgma_is_average_linkage():
    """Law: leaves that average linkage joins at height h are h apart along the tree."""
    square = random_square(25, 6)
    tree = upgma(square)
    Z = average(squareform(square))
    heights = squareform(Dendrogram.from_linkage(Z).cophenetic())
    np.testing.assert_allclose(tree.distances(), heights)
    assert tree.is_rooted
    assert np.ptp(tree.depths[: tree.n_leaves]) < 1e-12
    assert upgma([[0.0]]).n_leaves == 1
