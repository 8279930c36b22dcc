"""Dendrograms: where nodes are drawn, how they are coloured, what is cut short."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.cluster import hierarchy

from coterie.cluster import AgglomerativeClustering
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import compare_linkages
from coterie.show.palette import INK, color_of, letters_in
from coterie.show.plots import dendrogram, linkages
from coterie.tree import Dendrogram, linkage

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.5, (12, 2)) for m in ((0, 0), (6, 0), (3, 8))])
TREE = Dendrogram.from_linkage(linkage(X, "average"))


def links(ax):
    """Return the lines of a tree as arrays of corners."""
    return [path.vertices for path in ax.collections[0].get_paths()]


def tips(ax, axis="x"):
    return [text.get_text() for text in getattr(ax, f"get_{axis}ticklabels")()]


@pytest.mark.parametrize("method", ["average", "single", "ward", "centroid"])
def test_links_stand_at_the_heights_and_places_of_scipy(method):
    """Law: brackets have the heights of SciPy's dendrogram and join the middles of their children."""
    Z = linkage(X, method)
    ax = dendrogram(Z, max_leaves=None)
    drawn = hierarchy.dendrogram(Z, no_plot=True)
    ours = sorted(np.round(link[:, 1], 9).tolist() for link in links(ax))
    peers = sorted(np.round(heights, 9).tolist() for heights in drawn["dcoord"])
    assert sorted(map(sorted, ours)) == sorted(map(sorted, peers))
    widths = sorted(round(link[2, 0] - link[1, 0], 9) for link in links(ax))
    assert widths == sorted(round((x[2] - x[1]) / 10, 9) for x in drawn["icoord"])


def test_an_inversion_is_drawn_as_it_is():
    """Law: a merge below its child is a bracket below it, whose leg goes up to the child."""
    tree = Dendrogram([[0, 1], [3, 2]], [2.0, 1.5])
    lower = links(dendrogram(tree))[1]
    np.testing.assert_allclose(lower[:, 1], [2.0, 1.5, 1.5, 0.0])
    assert len(dendrogram(tree, cut=2).lines) == 0  # no height parts these two clusters


def test_leaves_are_named_and_coloured_in_order():
    """Law: tips carry the names in leaf order, in the colour of their cluster."""
    names = [f"row {i}" for i in range(36)]
    tree = Dendrogram.from_linkage(linkage(X, "average"), names=names)
    ax = dendrogram(tree, cut=3)
    order = tree.leaf_order()
    assert tips(ax) == [names[leaf] for leaf in order]
    labels = tree.cut(3)
    expected = [letters_in(color_of(labels[leaf])) for leaf in order]
    assert [text.get_color() for text in ax.get_xticklabels()] == expected
    assert ax.get_title(loc="left") == "36 leaves, cut into 3 clusters"


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_names_of_leaves_do_not_collide(orientation):
    """Law: in narrow panels the letters are small enough; no name touches the next."""
    names = [f"row {i}" for i in range(36)]
    trees = {str(i): Dendrogram.from_linkage(linkage(X, "average"), names=names) for i in range(3)}
    figure = linkages(trees, cut=3, orientation=orientation, max_leaves=20)
    figure.draw_without_rendering()
    for ax in figure.axes:
        labels = ax.get_xticklabels() if orientation == "vertical" else ax.get_yticklabels()
        boxes = [label.get_window_extent() for label in labels]
        assert len(boxes) == 20
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(boxes))


def test_colours_change_at_the_cut():
    """Law: brackets below the cut have the colour of their cluster, those above it are ink."""
    ax = dendrogram(TREE, cut=3)
    where = ax.lines[0].get_ydata()[0]
    heights = np.sort(TREE.heights)
    assert heights[-3] < where < heights[-2]
    for link, color in zip(links(ax), ax.collections[0].get_colors(), strict=True):
        assert (to_hex(color) == INK) == (link[1, 1] > where)
    assert {to_hex(color) for color in ax.collections[0].get_colors()} == {INK, *map(color_of, range(3))}


def test_a_cut_by_height_and_by_labels():
    """Law: a number with a point is a height, where the line goes; labels colour without a line if no cut."""
    ax = dendrogram(TREE, cut=2.5)
    assert ax.lines[0].get_ydata()[0] == 2.5
    labels = np.arange(36) % 2
    ax = dendrogram(TREE, cut=labels)
    assert len(ax.lines) == 0
    same = dendrogram(TREE, cut=TREE.cut(4))
    assert len(same.lines) == 1


def test_a_large_tree_is_cut_short_with_counts():
    """Law: max_leaves tips whose counts add up to all leaves; a wedge from each node's height to the base."""
    rows = RNG.normal(size=(500, 2))
    tree = Dendrogram.from_linkage(linkage(rows, "ward"))
    ax = dendrogram(tree, max_leaves=20)
    words = tips(ax)
    assert len(words) == 20
    counts = [int(word[1:-1]) if word.startswith("(") else 1 for word in words]
    assert sum(counts) == 500
    assert len(links(ax)) == 19
    np.testing.assert_allclose(sorted(link[1, 1] for link in links(ax)), np.sort(tree.heights)[-19:])
    wedges = [path.vertices for path in ax.collections[1].get_paths()]
    assert len(wedges) == sum(word.startswith("(") for word in words)
    assert ax.get_title(loc="left") == "500 leaves (last 19 merges drawn)"
    assert ax.get_xlabel() == "leaves; (n): n leaves below a wedge"


def test_the_line_of_a_cut_is_named_and_no_name_is_too_small():
    """Law: the dashed line says that it is the cut; names below 6 points are left out."""
    tree = Dendrogram.from_linkage(linkage(RNG.normal(size=(60, 2)), "ward"))
    for orientation in ("vertical", "horizontal"):
        assert "cut" in {text.get_text() for text in dendrogram(tree, cut=3, orientation=orientation).texts}
    figure = linkages(dict.fromkeys(("one", "two", "three"), tree), max_leaves=60)
    for ax in figure.axes:
        assert all(text.get_fontsize() >= 6 for text in ax.get_xticklabels())
        assert ax.get_xlabel() == ""


def test_a_chain_of_many_leaves_is_drawn():
    """Law: a chain as deep as it has leaves is drawn."""
    n = 20_000
    merges = np.column_stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)])
    ax = dendrogram(Dendrogram(merges, np.arange(1.0, n)), max_leaves=30, cut=3)
    assert len(links(ax)) == 29


def test_horizontal_swaps_the_axes():
    """Law: lying down, heights run to the right and names stand at the left."""
    ax = dendrogram(TREE, orientation="horizontal", cut=3)
    upright = dendrogram(TREE, cut=3)
    for lying, standing in zip(links(ax), links(upright), strict=True):
        np.testing.assert_allclose(lying, standing[:, ::-1])
    assert tips(ax, "y") == tips(upright)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "")
    assert ax.lines[0].get_xdata()[0] == upright.lines[0].get_ydata()[0]


def test_an_order_turns_the_children():
    """Law: the leaves stand in the order asked for, e.g. the optimal one."""
    order = TREE.leaf_order(optimal=True, X=X)
    assert tips(dendrogram(TREE, order=order)) == [str(leaf) for leaf in order]


def test_similarities_fall_towards_the_root():
    """Law: worked example 4 of the lectures: heights are similarities, the axis runs down to the root."""
    S = [[1, 0.9, 0.1, 0.65, 0.2], [0.9, 1, 0.7, 0.6, 0.5], [0.1, 0.7, 1, 0.4, 0.3]]
    S = np.array([*S, [0.65, 0.6, 0.4, 1, 0.8], [0.2, 0.5, 0.3, 0.8, 1]])
    tree = Dendrogram.from_linkage(linkage(S, "single", "similarity"), heights_are="similarities")
    ax = dendrogram(tree)
    assert sorted(link[1, 1] for link in links(ax)) == [0.65, 0.7, 0.8, 0.9]
    bottom, top = ax.get_ylim()
    assert bottom > 0.9 > 0.65 > top
    assert ax.get_ylabel() == "similarity"


def test_nodes_with_many_children_and_infinite_heights():
    """Law: every child has a leg; an infinite merge is drawn beyond the rest."""
    tree = Dendrogram([[0, 1, 2, 3], [5, 4]], [1.0, np.inf])
    drawn = links(dendrogram(tree))
    assert len(drawn) == 1 + 2 + 1
    assert max(link[:, 1].max() for link in drawn) == pytest.approx(1.15)


def test_a_model_gives_its_tree():
    """Law: a fitted model with a dendrogram is drawn like its tree."""
    model = AgglomerativeClustering(3, linkage="average").fit(X)
    assert tips(dendrogram(model, cut=model)) == tips(dendrogram(model.dendrogram_))


def test_linkages_side_by_side():
    """Law: a panel per tree under its name; a comparison of linkages is taken as it is."""
    labels = np.repeat([0, 1, 2], 12)
    compared = compare_linkages(X, labels, linkages=["single", "average", "ward"])
    figure = linkages(compared, cut=3)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["single", "average", "ward"]
    for ax, name in zip(figure.axes, compared.trees, strict=True):
        top = max(link[:, 1].max() for link in links(ax))
        assert top == pytest.approx(compared.trees[name].heights.max())


def test_one_leaf_is_a_tree():
    """Law: a tree of one leaf is drawn: a name, no bracket."""
    ax = dendrogram(Dendrogram(np.empty((0, 2)), []))
    assert links(ax) == []
    assert tips(ax) == ["0"]


def test_wrong_arguments_are_refused():
    """Law: what is no tree, no cut, no orientation is refused with what is allowed."""
    with pytest.raises(InvalidParameter, match=r"dendrogram needs a Dendrogram.*got str"):
        dendrogram("tree")
    with pytest.raises(InvalidData, match=r"cut of dendrogram must be .* a label per leaf, 36 of them"):
        dendrogram(TREE, cut=[0, 1])
    with pytest.raises(InvalidParameter, match="cut of dendrogram must be None, a whole number in"):
        dendrogram(TREE, cut="three")
    with pytest.raises(InvalidParameter, match='orientation of dendrogram must be one of "vertical"'):
        dendrogram(TREE, orientation="up")
    with pytest.raises(InvalidParameter, match="max_leaves of dendrogram must be None or a whole number"):
        dendrogram(TREE, max_leaves=1)
    with pytest.raises(InvalidParameter, match="trees of linkages must be a mapping"):
        linkages([TREE])
