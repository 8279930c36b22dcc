"""Phylogenies: Newick, roots, cuts, comparison, bootstrap."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._printing import visible
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny import (
    Alignment,
    Phylogeny,
    SaturatedSequences,
    bootstrap,
    consensus_tree,
    evolve,
    infer_tree,
    random_tree,
    robinson_foulds,
    with_support,
)
from phylogeny_trees import assert_same_tree, bipartitions, parse

trees = st.builds(
    lambda n, seed: random_tree(n, random_state=seed), st.integers(3, 25), st.integers(0, 10**6)
)


@settings(max_examples=50, deadline=None)
@given(trees)
def test_newick_and_pickle_give_the_tree_again(tree):
    """Law: text and pickle hold everything, to the last bit."""
    support = np.round(np.linspace(0, 100, tree.n_inner), 3)
    support[-1] = np.nan
    told = Phylogeny.from_arrays(tree.arrays, tree.lengths, tree.names, support)
    assert_same_tree(parse(told.to_newick()), told, 0.0)
    assert sorted(parse(told.to_newick()).support[:-1]) == sorted(support[:-1])
    assert pickle.loads(pickle.dumps(told)) == told
    assert hash(pickle.loads(pickle.dumps(told))) == hash(told)


def test_names_comments_and_labels():
    """Law: quoted names and comments are read; labels that are not numbers stay, at their nodes."""
    tree = parse("( 'it''s [x]' : 1 [why], (b:2,c:3)Carnivora:1.5,(d:1,e:1)97:2)[end];")
    assert tree.names == ("it's [x]", "b", "c", "d", "e")
    assert tree.inner_names == ("Carnivora", "", "")
    assert tree.support[1] == 97
    assert parse(tree.to_newick()) == tree
    assert "Carnivora" in tree.rooted_at("d").to_newick()


@pytest.mark.parametrize(
    "text", ["", ";", "(a,b", "(a,b)", "(a,b));", "(a:x,b:1);", "(a:1,b);", "(a:inf,b:1);", "('a,b);",
             "(a,b)[;", "((a),b);", "(a,a);", "(a:1,b:nan);", "a b;", "\ud800;"]
)  # fmt: skip
def test_broken_newick(text):
    """Law: text that is cut off or wrong is refused with the place, and so are names that come twice."""
    with pytest.raises(InvalidData, match=r"is not a Newick tree|must differ"):
        parse(text)


def test_lengths_whose_sums_overflow():
    """Law: distances within a tree are finite, or its lengths are refused."""
    assert np.isfinite(Phylogeny.from_newick("(a:1e306,b:1e306,c:-2e306);").distances()).all()
    with pytest.raises(InvalidData, match=r"lengths of Phylogeny must add up to at most 1e\+307"):
        Phylogeny.from_newick("(a:1e308,b:1e308,c:2);")


def test_names_stay_in_their_line():
    """Law: a drawing has two lines per leaf but the last, whatever the leaves are called, and no escapes."""
    tree = Phylogeny([[0, 1, 2]], names=["a\n\nfalse", "\x1b[2Jb", "\u202ec"])
    drawn = tree.draw()
    assert len(drawn.splitlines()) == 5
    assert visible(drawn) == drawn


def test_very_deep_trees():
    """Law: a chain of 20,000 nodes is read, written, rooted and measured without recursion."""
    n = 20_000
    text = "(" * n + "t0:1" + "".join(f",t{i}:1):1" for i in range(1, n + 1)) + ";"
    tree = parse(text.replace("):1;", ");"))
    assert parse(tree.to_newick()) == tree
    middle = tree.rooted_at_midpoint()
    assert middle.n_leaves == n + 1
    assert middle.depths.max() == pytest.approx(tree.diameters.max() / 2)
    assert robinson_foulds(tree, middle) == 0


@settings(max_examples=60, deadline=None)
@given(trees, st.randoms(use_true_random=False))
def test_roots_do_not_change_the_tree(tree, random):
    """Law: rooting keeps divisions, lengths, distances and support; the outgroup is a child of the root."""
    support = np.arange(tree.n_inner, dtype=float)
    support[-1] = np.nan
    tree = Phylogeny.from_arrays(tree.arrays, tree.lengths, tree.names, support)
    chosen = random.choice(sorted(bipartitions(tree), key=sorted))
    for rooted in (
        tree.rooted_at_midpoint(),
        tree.rooted_at(chosen),
        tree.rooted_at(random.choice(tree.names)),
    ):
        assert rooted.is_rooted
        assert_same_tree(rooted, tree, 1e-12)
        assert_same_tree(rooted.unrooted(), tree, 1e-12)
        assert not rooted.unrooted().is_rooted
        np.testing.assert_allclose(rooted.distances(), tree.distances(), atol=1e-12)
        assert _support_by_side(rooted) == _support_by_side(tree)
    rooted = tree.rooted_at(chosen)
    sides = [set(_leaves(rooted, int(child))) for child in rooted.children(rooted.root)]
    assert set(chosen) in sides


def _leaves(tree, node):
    order, first = tree.places
    return [tree.names[leaf] for leaf in order[first[node] : first[node] + tree.sizes[node]]]


def _support_by_side(tree):
    everyone, found = frozenset(tree.names), {}
    for node in range(tree.n_leaves, tree.root):
        side = frozenset(_leaves(tree, node))
        if 1 < len(side) < tree.n_leaves - 1:
            found[min(side, everyone - side, key=sorted)] = tree.support[node - tree.n_leaves]
    return found


@settings(max_examples=40, deadline=None)
@given(trees)
def test_midpoint_is_the_middle(tree):
    """Law: the two leaves that are farthest apart are equally deep below the root."""
    rooted = tree.rooted_at_midpoint()
    longest = tree.distances().max()
    assert tree.diameters.max() == pytest.approx(longest)
    i, j = np.unravel_index(tree.distances().argmax(), (tree.n_leaves, tree.n_leaves))
    assert rooted.depths[[i, j]] == pytest.approx(longest / 2)
    assert rooted.depths[: tree.n_leaves].max() == pytest.approx(longest / 2)


def test_outgroups_that_are_none():
    """Law: unknown names and leaves that are not together are refused, naming what lies between."""
    tree = parse("((a:1,b:1):1,(c:1,d:1):1,e:1);")
    with pytest.raises(InvalidData, match='names of leaves, got "f"'):
        tree.rooted_at("f")
    with pytest.raises(InvalidData, match="a group of its own in the tree: b, d, e lie among a, c"):
        tree.rooted_at(["a", "c"])
    with pytest.raises(InvalidData, match="and not all, got 5"):
        tree.rooted_at(list("abcde"))
    with pytest.raises(InvalidData, match="got 0"):
        tree.rooted_at([])


@settings(max_examples=40, deadline=None)
@given(trees, st.floats(0.01, 1.5))
def test_cuts_are_the_largest_close_clades(tree, limit):
    """Law: within a group no two leaves are further apart, and no clade that is as close was divided."""
    rooted = tree.rooted_at_midpoint()
    labels, distances = rooted.cut(max_distance=limit), rooted.distances()
    assert set(labels) == set(range(labels.max() + 1))
    for node in range(rooted.root + 1):
        leaves = [rooted.names.index(name) for name in _leaves(rooted, node)]
        if distances[np.ix_(leaves, leaves)].max() <= limit - 1e-9:
            assert len(set(labels[leaves])) == 1
    for one, other in itertools.combinations(range(rooted.n_leaves), 2):
        assert labels[one] != labels[other] or distances[one, other] <= limit + 1e-9


@settings(max_examples=40, deadline=None)
@given(trees, st.data())
def test_cuts_into_a_number_of_groups(tree, data):
    """Law: a binary tree is cut into any number of clades."""
    k = data.draw(st.integers(1, tree.n_leaves))
    assert len(set(tree.rooted_at_midpoint().cut(k))) == k


def test_cuts_that_cannot_be():
    """Law: an unrooted tree has no clades; a node of many children allows some numbers only."""
    tree = parse("(a:1,b:1,c:1);")
    with pytest.raises(InvalidParameter, match="needs a root"):
        tree.cut(2)
    with pytest.raises(InvalidParameter, match="one of n_clusters and max_distance"):
        tree.rooted_at("a").cut()
    with pytest.raises(InvalidParameter, match="nearest have 2 and 4"):
        parse("(a:9,(b:1,c:1,d:1):1);").cut(3)
    with pytest.raises(InvalidParameter, match=r"n_clusters of Phylogeny\.cut must be"):
        tree.rooted_at("a").cut(4)


@settings(max_examples=50, deadline=None)
@given(trees, st.integers(0, 10**6))
def test_robinson_foulds_counts_divisions(tree, seed):
    """Law: the branches that only one tree has, by sets; 0 for the same tree whatever its root and order."""
    other = random_tree(tree.n_leaves, random_state=seed)
    inner = [
        {side for side in bipartitions(one) if 1 < len(side) < one.n_leaves - 1} for one in (tree, other)
    ]
    assert robinson_foulds(tree, other) == len(inner[0] ^ inner[1])
    assert robinson_foulds(tree, tree.rooted_at_midpoint()) == 0
    shuffled = Phylogeny.from_newick(tree.rooted_at(tree.names[-1]).to_newick())
    assert robinson_foulds(shuffled, tree) == 0
    total = len(inner[0]) + len(inner[1])
    expected = len(inner[0] ^ inner[1]) / total if total else 0.0
    assert robinson_foulds(tree, other, normalized=True) == expected


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 15), st.lists(st.integers(0, 50), min_size=1, max_size=9), st.booleans())
def test_support_counts_trees(n, seeds, is_rooted):
    """Law: the support of a branch is the share of trees that make its division."""
    others = [random_tree(n, random_state=seed % 4) for seed in seeds]
    tree = others[0].rooted_at("1") if is_rooted else others[0]
    counted = with_support(tree, others)
    divisions = [set(bipartitions(other)) for other in others]
    for side, support in _support_by_side(counted).items():
        assert support == pytest.approx(100 * sum(side in one for one in divisions) / len(others))
    assert np.isnan(counted.support[-1])


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 12), st.lists(st.integers(0, 50), min_size=1, max_size=9))
def test_consensus_has_the_branches_of_most(n, seeds):
    """Law: exactly the divisions that more than half of the trees make, with mean lengths."""
    given_trees = [random_tree(n, random_state=seed % 3) for seed in seeds]
    found = bipartitions(consensus_tree(given_trees))
    divisions = [bipartitions(tree) for tree in given_trees]
    for side in set().union(*divisions):
        lengths = [one[side] for one in divisions if side in one]
        assert (side in found) == (len(lengths) > len(divisions) / 2)
        if side in found:
            assert found[side] == pytest.approx(np.mean(lengths))


def test_comparisons_refuse_other_leaves():
    """Law: trees of other leaves, other things and no trees are refused."""
    tree = parse("(a,b,c);")
    with pytest.raises(InvalidData, match="same leaves; they differ in c, d"):
        robinson_foulds(tree, parse("(a,b,d);"))
    with pytest.raises(InvalidParameter, match="takes Phylogenies, got a str"):
        with_support(tree, ["(a,b,c);"])
    for function in (lambda: with_support(tree, []), lambda: consensus_tree([])):
        with pytest.raises(InvalidParameter, match="at least one tree"):
            function()


def test_bootstrap_supports_the_true_tree():
    """Law: of long sequences nearly all replicates have the branches of the tree they evolved along."""
    truth = parse("((a:0.1,b:0.1):0.1,(c:0.1,d:0.1):0.1,(e:0.1,f:0.1):0.1);")
    rows = evolve(truth, 2000, random_state=1)
    drawn = bootstrap(rows, n_replicates=50)
    tree = drawn.support(infer_tree(rows))
    assert robinson_foulds(tree, truth) == 0
    assert tree.support[:-1].min() > 95
    assert robinson_foulds(drawn.consensus(), truth) == 0
    assert drawn.n_saturated == 0


@pytest.mark.parametrize("method", ["nj", "upgma"])
def test_bootstrap_is_the_same_for_any_number_of_threads(method):
    """Law: a replicate depends on the seed and its number only."""
    rows = evolve(random_tree(12, random_state=1), 60, random_state=2)
    one, three = (bootstrap(rows, n_replicates=20, method=method, model="p", n_jobs=jobs) for jobs in (1, 3))
    assert one.trees == three.trees
    assert one.trees != bootstrap(rows, n_replicates=20, method=method, model="p", random_state=1).trees


def test_saturated_replicates_are_counted():
    """Law: a replicate without finite distances is left out and counted; if all are, that is an error."""
    rng = np.random.default_rng(0)
    base = rng.integers(4, size=60)
    far = np.where(np.arange(60) < 42, (base + 1) % 4, base)  # 70 % differ: 75 % in some replicates
    texts = ["".join("ACGT"[code] for code in codes) for codes in (base, far, base)]
    rows = Alignment.from_sequences(zip("abc", texts, strict=True))
    drawn = bootstrap(rows, n_replicates=40)
    assert 0 < drawn.n_saturated < 40
    assert len(drawn.trees) == 40 - drawn.n_saturated
    with pytest.raises(SaturatedSequences, match="all 5 replicates"):
        bootstrap(Alignment.from_sequences({"a": "AAAA", "b": "CCCC", "c": "ACAC"}), n_replicates=5)
    with pytest.raises(InvalidData, match="at least 3 sequences"):
        bootstrap(Alignment.from_sequences({"a": "AAAA"}))


def test_trees_that_are_none():
    """Law: lengths, names and support must fit the nodes."""
    with pytest.raises(InvalidData, match="one number per node, 4"):
        Phylogeny([[0, 1, 2]], [1.0, 2.0])
    with pytest.raises(InvalidData, match="must be finite"):
        Phylogeny([[0, 1, 2]], [1.0, 2.0, np.inf, np.nan])
    with pytest.raises(InvalidData, match="support of Phylogeny must be 1"):
        Phylogeny([[0, 1, 2]], support=[1, 2])
    with pytest.raises(InvalidData, match="lengths of Phylogeny must be numbers"):
        Phylogeny([[0, 1, 2]], ["a", "b", "c", "d"])
    with pytest.raises(AttributeError, match="never changes"):
        parse("(a,b);").names = ()
    assert str(parse("(a:1,b:2);")).startswith("Phylogeny of 2 leaves, rooted")
    assert str(random_tree(100)) == "Phylogeny of 100 leaves, unrooted"
