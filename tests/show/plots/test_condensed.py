"""The condensed tree of HDBSCAN."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from coterie.cluster import HDBSCAN
from coterie.show.palette import FAINT, color_of
from coterie.show.plots import condensed_tree
from coterie.show.plots.condensed import MOST_STEPS, _owners

RNG = np.random.default_rng(1)
X = np.concatenate([RNG.normal(m, s, (60, 2)) for m, s in ((0.0, 0.3), (4.0, 0.6), (9.0, 0.4))])
MODEL = HDBSCAN(min_cluster_size=10).fit(X)


def shapes(ax):
    (drawn,) = [c for c in ax.collections if isinstance(c, PolyCollection)]
    return [path.vertices for path in drawn.get_paths()], drawn.get_facecolor()


def test_each_cluster_begins_at_its_birth_with_its_rows():
    """Law: a shape begins at the density of its birth, as wide as the cluster has rows."""
    outlines, _ = shapes(condensed_tree(MODEL))
    tree = MODEL.condensed_tree_
    sizes = tree.sizes()
    sizes[0] = tree.n_rows
    assert len(outlines) == tree.n_clusters
    for outline, birth, size in zip(outlines, tree.births(), sizes, strict=True):
        assert outline[:, 1].min() == pytest.approx(birth)
        assert np.ptp(outline[:, 0]) == pytest.approx(size)


def test_weights_are_widths():
    """Law: with weights, shapes are as wide as the rows weigh; rows of no weight are not drawn."""
    weights = np.arange(180) % 4 / 2
    model = HDBSCAN(min_cluster_size=10).fit(X, sample_weight=weights)
    ax = condensed_tree(model)
    assert np.ptp(shapes(ax)[0][0][:, 0]) == pytest.approx(weights.sum())
    assert any("Width: weight, 135.0 at the top" in text.get_text() for text in ax.texts)


def test_selected_clusters_have_their_colours():
    """Law: selected clusters and what splits from them have the colour of their label, others are grey."""
    _, colors = shapes(condensed_tree(MODEL))
    tree = MODEL.condensed_tree_
    owner = np.full(tree.n_clusters, -1)
    owner[MODEL._chosen] = np.arange(len(MODEL._chosen))
    for cluster in range(1, tree.n_clusters):
        owner[cluster] = owner[cluster] if owner[cluster] >= 0 else owner[tree.parents()[cluster]]
    expected = [to_rgba(FAINT if label < 0 else color_of(label)) for label in owner]
    assert [tuple(color) for color in colors] == expected


@pytest.mark.parametrize(
    "settings",
    [{}, {"cluster_selection_method": "leaf"}, {"allow_single_cluster": True}, {"min_cluster_size": 3}],
)
def test_the_selection_is_read_from_the_labels(settings):
    """Law: which clusters were selected follows from the labels of the rows alone."""
    model = HDBSCAN(**{"min_cluster_size": 10, **settings}).fit(X)
    tree = model.condensed_tree_
    owner = _owners(tree, model.labels_)
    for label, cluster in enumerate(model._chosen.tolist()):
        assert owner[cluster] == label
        assert cluster == 0 or owner[tree.parents()[cluster]] != label


def test_siblings_lie_side_by_side_below_their_parent():
    """Law: shapes of the same density do not overlap."""
    outlines, _ = shapes(condensed_tree(MODEL))
    parents = MODEL.condensed_tree_.parents()
    for one in range(1, len(outlines)):
        for other in range(one + 1, len(outlines)):
            if parents[one] == parents[other]:
                left, right = sorted((outlines[one], outlines[other]), key=lambda shape: shape[:, 0].min())
                assert left[:, 0].max() < right[:, 0].min()


def test_names_title_and_direction():
    """Law: each selected cluster is named where it begins; density grows downwards; splits are lines."""
    ax = condensed_tree(MODEL)
    assert {text.get_text() for text in ax.texts} >= {"group 1", "group 2", "group 3"}
    assert (
        ax.get_title(loc="left") == f"3 clusters selected of {MODEL.condensed_tree_.n_clusters} in the tree"
    )
    assert ax.yaxis_inverted()
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(lines.get_segments()) == len(set(MODEL.condensed_tree_.parents()[1:].tolist()))


def test_rows_at_distance_zero_end_at_the_deepest_finite_density():
    """Law: infinite densities, of equal rows, do not stretch the axis."""
    copied = np.repeat(X[::10], 20, axis=0)
    model = HDBSCAN(min_cluster_size=10, min_samples=5).fit(copied)
    assert np.isinf(model.condensed_tree_.density).any()
    outlines, _ = shapes(condensed_tree(model))
    assert all(np.isfinite(outline).all() for outline in outlines)


def test_rows_with_missing_values_are_not_part_of_the_tree():
    """Law: a model with rows that are not finite is drawn like one without them."""
    holed = np.vstack([X, [[np.nan, 0.0], [np.inf, 0.0]]])
    ours, _ = shapes(condensed_tree(HDBSCAN(min_cluster_size=10).fit(holed)))
    theirs, _ = shapes(condensed_tree(MODEL))
    assert all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def test_the_outline_does_not_grow_with_the_rows():
    """Law: a cluster of thousands of rows is drawn with some hundred corners."""
    model = HDBSCAN(min_cluster_size=100, min_samples=5).fit(RNG.normal(size=(5000, 1)))
    outlines, _ = shapes(condensed_tree(model))
    assert max(map(len, outlines)) <= 4 * MOST_STEPS + 2


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert condensed_tree(MODEL, ax) is ax
