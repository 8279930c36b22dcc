"""Other views of trees: radial, phylogram, tanglegram, clustermap, impurity curves."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.datasets import load_iris

from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import compare_linkages, cut_curve
from coterie.phylogeny import Phylogeny, random_tree
from coterie.show.palette import color_of, letters_in
from coterie.show.plots import (
    clustermap,
    impurity_curves,
    phylogram,
    radial_tree,
    tanglegram,
    unrooted_tree,
)
from coterie.tree import Dendrogram, entanglement, linkage, untangled

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.5, (8, 4)) for m in (0, 4, 9)])
NAMES = [f"leaf {i}" for i in range(24)]
TREE = Dendrogram.from_linkage(linkage(X, "average"), names=NAMES)
SINGLE = Dendrogram.from_linkage(linkage(X, "single"), names=NAMES)


def lines(ax):
    return [path.vertices for path in ax.collections[0].get_paths()]


def test_radial_leaves_are_on_the_rim_and_the_root_in_the_middle():
    """Law: an arc per merge and a spoke per child; leaves end at radius 1, radii fall with height."""
    ax = radial_tree(TREE, cut=3)
    drawn = lines(ax)
    assert len(drawn) == 23 + 46
    radii = [np.linalg.norm(line, axis=1) for line in drawn]
    assert max(r.max() for r in radii) == pytest.approx(1.0)
    arcs = [r.mean() for r in radii if np.ptp(r) < 1e-12]
    expected = 0.04 + 0.96 * (1 - TREE.heights / TREE.heights.max())
    np.testing.assert_allclose(np.sort(arcs), np.sort(expected))
    words = {text.get_text(): text for text in ax.texts}
    assert set(words) == set(NAMES)
    labels = TREE.cut(3)
    assert words["leaf 5"].get_color() == letters_in(color_of(labels[5]))
    assert ax.get_title(loc="left") == "24 leaves, cut into 3 clusters"


def test_radial_names_are_never_upside_down():
    """Law: names at the left side are turned by half a circle, and end at the rim."""
    for text in radial_tree(TREE).texts:
        is_left = text.get_position()[0] < -1e-9
        assert np.cos(np.radians(text.get_rotation())) > -1e-9
        assert text.get_ha() == ("right" if is_left else "left")


def test_phylogram_branches_run_from_the_root():
    """Law: branch lengths are differences of heights; the bar has a round length."""
    ax = phylogram(Dendrogram.from_newick("((cat:4,dog:4):2,crow:6);"))
    spans = sorted((line[0, 0], line[-1, 0]) for line in lines(ax))
    assert spans == [(0.0, 2.0), (0.0, 6.0), (2.0, 6.0), (2.0, 6.0)]
    assert [text.get_text() for text in ax.texts] == ["cat", "dog", "crow", "1"]
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0, 1])


def test_slanted_branches_have_no_corner():
    """Law: slanted branches are straight; others have one corner."""
    assert {len(line) for line in lines(phylogram(TREE, slanted=True))} == {2}
    assert {len(line) for line in lines(phylogram(TREE))} == {3}


def test_large_trees_are_cut_short():
    """Law: both views keep to max_leaves, with counts."""
    for ax in (radial_tree(TREE, max_leaves=6), phylogram(TREE, max_leaves=6)):
        words = [text.get_text() for text in ax.texts][:6]
        assert sum(int(word[1:-1]) if word.startswith("(") else 1 for word in words) == 24


def test_a_thread_joins_each_leaf_with_itself():
    """Law: a thread runs from the place of a leaf in one tree to its place in the other."""
    turned = SINGLE.reordered(SINGLE.leaf_order()[::-1])
    figure = tanglegram(TREE, turned, cut=3, names=("average", "single"))
    left, middle, right = figure.axes
    threads = middle.collections[0].get_segments()
    assert len(threads) == 24
    for thread in threads:
        start, end = round(thread[0][1]), round(thread[1][1])
        assert left.get_yticklabels()[start].get_text() == right.get_yticklabels()[end].get_text()
    assert figure.get_suptitle() == f"Entanglement {entanglement(TREE, turned):.2g} (0: the same order)"
    assert (left.get_title(), right.get_title()) == ("average", "single")


def test_leaves_are_matched_by_name():
    """Law: trees that number their leaves differently are matched by name."""
    order = RNG.permutation(24)
    other = Dendrogram.from_linkage(linkage(X[order], "average"), names=[NAMES[i] for i in order])
    figure = tanglegram(TREE, other, cut=3)
    left, middle, right = figure.axes
    for thread in middle.collections[0].get_segments():
        ends = [ax.get_yticklabels()[round(end[1])] for ax, end in zip((left, right), thread, strict=True)]
        assert ends[0].get_text() == ends[1].get_text()
        assert ends[0].get_color() == ends[1].get_color()


def test_large_trees_are_joined_by_bands():
    """Law: of large trees the tips have counts; bands join what tips share, their widths fill each tip."""
    rows = np.concatenate([RNG.normal(m, 1, (100, 2)) for m in (0, 6, 12)])
    trees = [Dendrogram.from_linkage(linkage(rows, name)) for name in ("ward", "average")]
    figure = tanglegram(trees[0], untangled(*trees), cut=3, max_leaves=20)
    left, middle, right = figure.axes
    assert figure.get_suptitle().startswith("300 leaves, entanglement ")
    for ax in (left, right):
        words = [text.get_text() for text in ax.get_yticklabels()]
        assert len(words) <= 20
        assert sum(int(word[1:-1]) if word.startswith("(") else 1 for word in words) == 300
    bands = np.array([path.vertices[:4] for path in middle.collections[0].get_paths()])
    assert (bands[:, 1, 1] - bands[:, 0, 1]).sum() == pytest.approx(0.84 * len(left.get_yticks()))
    colors = {tuple(color[:3]) for color in middle.collections[0].get_facecolors()}
    assert colors == {to_rgb(color_of(label)) for label in range(3)}


def test_clustermap_orders_rows_and_columns():
    """Law: the heat map is the table in the order of both trees, scaled; the trees stand at its sides."""
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    columns = Dendrogram.from_linkage(linkage(X.T, "average"))
    figure = clustermap(frame, TREE, columns, cut=3, columns_cut=2)
    assert figure.get_suptitle() == f"24 rows, {frame.shape[1]} columns, 3 clusters"
    heat = figure.axes[0]
    scaled = (X - X.mean(0)) / X.std(0)
    expected = scaled[TREE.leaf_order()][:, columns.leaf_order()]
    np.testing.assert_allclose(heat.images[0].get_array(), expected)
    assert [t.get_text() for t in heat.get_xticklabels()] == ["abcd"[i] for i in columns.leaf_order()]
    assert [t.get_text() for t in heat.get_yticklabels()] == [NAMES[i] for i in TREE.leaf_order()]
    trees = [ax for ax in figure.axes if ax.collections and not ax.images]
    sides = [ax for ax in trees if len(ax.collections[0].get_paths()) in (23, 3)]
    assert len(sides) == 2
    strips = [ax.images[0].get_array().shape[:2] for ax in figure.axes[1:] if ax.images]
    assert {(24, 1), (1, 4)} <= set(strips)


def test_clustermap_of_many_rows_shows_means_of_neighbours():
    """Law: above 1,000 rows each band is the mean of neighbours, so that all rows count."""
    rows = RNG.normal(size=(2500, 3))
    tree = Dendrogram.from_linkage(linkage(rows, "ward"))
    image = np.asarray(clustermap(rows, tree, scale=None).axes[0].images[0].get_array())
    assert image.shape == (1000, 3)
    edges = np.linspace(0, 2500, 1001).astype(int)
    first = rows[tree.leaf_order()[: edges[1]]].mean(0)
    np.testing.assert_allclose(image[0], first)
    np.testing.assert_allclose((image * np.diff(edges)[:, None]).sum(0), rows.sum(0))


def test_impurity_curves_of_the_lecture():
    """Law: a curve per linkage through (cluster impurity, label impurity) of every cut (deck 000)."""
    data, classes = load_iris(return_X_y=True)
    compared = compare_linkages(data, classes, linkages=["single", "average"])
    ax = impurity_curves(compared)
    drawn = [line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 150]
    for line, curve in zip(drawn, compared.values(), strict=True):
        np.testing.assert_allclose(line.get_xdata(), curve.cluster_impurity)
        np.testing.assert_allclose(line.get_ydata(), curve.label_impurity)
    worse = np.maximum(compared["average"].cluster_impurity, compared["average"].label_impurity)
    words = ax.get_legend().get_texts()[1].get_text()
    assert words == f"average: {worse.argmin() + 1} clusters, {worse.min():.2f}"
    assert ax.get_xlabel() == "cluster impurity (1 - purity)"


def test_one_curve_is_taken_too():
    """Law: the curve of one tree is drawn alone."""
    ax = impurity_curves(cut_curve(TREE, np.repeat([0, 1, 2], 8)))
    assert ax.get_title(loc="left") == "Impurities of every cut"


def test_wrong_arguments_are_refused():
    """Law: trees of other sizes, curves that are none: one line with the way out."""
    with pytest.raises(
        InvalidData, match=r"columns of clustermap must be a tree with a leaf per column, 4, got 24"
    ):
        clustermap(X, TREE, TREE)
    with pytest.raises(InvalidParameter, match='scale of clustermap must be None or one of "columns"'):
        clustermap(X, TREE, scale="both")
    with pytest.raises(InvalidParameter, match="curves of impurity_curves must be those of compare_linkages"):
        impurity_curves([1, 2])
    with pytest.raises(InvalidData, match="needs two trees of the same leaves"):
        tanglegram(TREE, TREE.subtree(TREE.root - 1))


PHYLOGENY = Phylogeny.from_newick("((cat:4,dog:3)95:2,(crow:6,gull:-1)7:1,trout:9);")


def test_phylogram_of_a_phylogeny_has_its_lengths_and_support():
    """Law: a branch is as long as it is, a negative one 0; support stands at its node."""
    ax = phylogram(PHYLOGENY)
    spans = sorted((line[0, 0], line[-1, 0]) for line in lines(ax))
    assert spans == [(0, 1), (0, 2), (0, 9), (1, 1), (1, 7), (2, 5), (2, 6)]
    assert [text.get_text() for text in ax.texts] == ["cat", "dog", "crow", "gull", "trout", "95", "7", "1"]


def test_unrooted_branches_have_their_lengths_and_do_not_cross():
    """Law: straight lines as long as the branches, of which no two cross; no name is upside down."""
    for tree in (PHYLOGENY, random_tree(40, random_state=1), random_tree(400, random_state=2)):
        ax = unrooted_tree(tree, max_leaves=None)
        drawn = lines(ax)
        long = sorted(np.linalg.norm(line[1] - line[0]) for line in drawn)
        np.testing.assert_allclose(long, np.sort(np.maximum(tree.lengths[:-1], 0)), atol=1e-9)
    for tree in (PHYLOGENY, random_tree(40, random_state=1)):
        ax = unrooted_tree(tree)
        assert all(np.cos(np.radians(text.get_rotation())) > -1e-9 for text in ax.texts)
        assert {text.get_text() for text in ax.texts} >= set(tree.names)
    crossed = [_cross(a, b) for a, b in itertools.combinations(lines(unrooted_tree(PHYLOGENY)), 2)]
    assert not any(crossed)


def _cross(one, other):
    def side(a, b, c):
        return np.sign(round(float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])), 9))

    return side(*one, other[0]) * side(*one, other[1]) < 0 and side(*other, one[0]) * side(*other, one[1]) < 0


def test_groups_of_phylogenies_are_coloured_and_large_ones_cut_short():
    """Law: a cut colours its clades; of many leaves the highest nodes are drawn, with counts."""
    tree = random_tree(300, random_state=3).rooted_at_midpoint()
    for draw in (phylogram, unrooted_tree):
        ax = draw(tree, cut=5, max_leaves=30)
        assert ax.get_title(loc="left").startswith("300 leaves, 5 groups, ")
        colors = {tuple(color) for color in ax.collections[0].get_colors()}
        assert {to_rgb(color_of(0)), to_rgb(color_of(1))} <= {color[:3] for color in colors}
        names = [text.get_text() for text in ax.texts][:-1]
        counted = [int(name[1:-1]) if name.startswith("(") else 1 for name in names]
        assert sum(counted) == 300
        assert len(counted) <= 30
    with pytest.raises(InvalidParameter, match="needs a root"):
        phylogram(random_tree(9), cut=2)
    with pytest.raises(InvalidData, match="a label per leaf, 5"):
        unrooted_tree(PHYLOGENY, cut=[0, 1])
    with pytest.raises(InvalidParameter, match="needs a Phylogeny, a Dendrogram"):
        unrooted_tree("tree")
    assert len(unrooted_tree(TREE).texts) == 25
