"""The alluvial plot: members that flow from cluster to cluster as k grows."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from coterie.errors import InvalidParameter
from coterie.select import Evidence, Verdict
from coterie.show.palette import EMPHASIS, NOISE_COLOR, cluster_colors
from coterie.show.plots import alluvial

ONE = np.zeros(12, dtype=int)
TWO = np.repeat([0, 1], [8, 4])
THREE = np.repeat([2, 0, 1], [5, 3, 4])


def columns(ax):
    """Return the bars of each column: place, top, height, colour."""
    found = {}
    for bar in ax.patches:
        place = round(bar.get_x() + bar.get_width() / 2)
        found.setdefault(place, []).append((bar.get_y(), bar.get_height(), to_hex(bar.get_facecolor())))
    return [found[place] for place in sorted(found)]


def ribbons(ax):
    return [c for c in ax.collections if c.get_gid() == "ribbons"]


def test_bars_are_clusters_and_ribbons_are_shared_rows():
    """Law: a bar per cluster as high as its rows, a ribbon per pair of clusters as wide as what is shared."""
    ax = alluvial({1: ONE, 2: TWO, 3: THREE})
    assert [[height for _, height, _ in column] for column in columns(ax)] == [[12], [8, 4], [3, 4, 5]]
    widths = []
    for drawn in ribbons(ax):
        shapes = [path.vertices for path in drawn.get_paths()]
        widths.append(sorted(round(np.ptp(shape[shape[:, 0] == shape[:, 0].min(), 1])) for shape in shapes))
    assert widths == [[4, 8], [3, 4, 5]]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "3"]
    assert ax.get_title(loc="left") == "12 rows from 1 to 3 clusters"


def test_bars_of_a_column_do_not_overlap():
    """Law: clusters are stacked, with gaps."""
    rng = np.random.default_rng(0)
    ax = alluvial({k: rng.integers(0, k, 500) for k in (2, 5, 9)})
    for column in columns(ax):
        ordered = sorted(column)
        for (top, height, _), (below, _, _) in itertools.pairwise(ordered):
            assert top + height < below


def test_ribbons_begin_and_end_at_their_bars():
    """Law: at either end the ribbons of a bar fill it from top to bottom."""
    ax = alluvial({1: ONE, 2: TWO, 3: THREE})
    for at, drawn in enumerate(ribbons(ax)):
        for side, column in ((min, columns(ax)[at]), (max, columns(ax)[at + 1])):
            ends = []
            for path in drawn.get_paths():
                edge = path.vertices[path.vertices[:, 0] == side(path.vertices[:, 0]), 1]
                ends.append((edge.min(), edge.max()))
            covered = sum(high - low for low, high in ends)
            assert covered == pytest.approx(sum(height for _, height, _ in column))
            lowest = min(top for top, _, _ in column)
            assert min(low for low, _ in ends) == pytest.approx(lowest)


def test_colours_are_those_of_the_last_column_and_passed_on():
    """Law: without a chosen k, clusters of the last column have their colours; parents take the widest."""
    one, two, three = (
        [color for _, _, color in column] for column in columns(alluvial({1: ONE, 2: TWO, 3: THREE}))
    )
    assert three == cluster_colors(3)
    assert two == [cluster_colors(3)[2], cluster_colors(3)[1]]
    assert one == [cluster_colors(3)[2]]


def test_the_chosen_k_has_its_own_colours_names_and_a_frame():
    """Law: clusters of the verdict have the colours they have elsewhere, their labels, and red edges."""
    verdict = Verdict(2, {2: 1}, (), (), 1.0)
    value = Evidence("kmeans", (1, 2, 3), (), {1: ONE, 2: TWO, 3: THREE}, (), verdict)
    ax = alluvial(value)
    assert [color for _, _, color in columns(ax)[1]] == cluster_colors(2)
    assert [color for _, _, color in columns(ax)[2]] == [cluster_colors(3)[at] for at in (2, 1, 0)]
    framed = [bar for bar in ax.patches if to_hex(bar.get_edgecolor()) == EMPHASIS]
    assert len(framed) == 2
    assert [text.get_text() for text in ax.texts][:2] == ["1", "2"]


def test_labelings_that_were_not_kept_are_passed_over():
    """Law: a k without labels has no column."""
    verdict = Verdict(2, {2: 1}, (), (), 1.0)
    value = Evidence("kmeans", (1, 2, 3), (), {1: ONE, 2: None, 3: THREE}, (), verdict)
    assert [text.get_text() for text in alluvial(value).get_xticklabels()] == ["1", "3"]


def test_noise_is_grey_and_rows_left_out_are_not_drawn():
    """Law: -1 is a grey bar; rows below that are in no bar."""
    two = np.array([0, 0, 0, 1, 1, -1, -2])
    ax = alluvial({2: two, 3: np.array([0, 0, 2, 1, 1, -1, -2])})
    assert columns(ax)[0][0][1:] == (1, NOISE_COLOR)
    assert sum(height for _, height, _ in columns(ax)[0]) == 6


def test_sixty_clusters_and_many_rows():
    """Law: the drawing grows with the clusters, not with the rows."""
    rows = np.arange(300_000)
    ax = alluvial({k: rows * k // rows.size for k in (1, 30, 60)})
    assert [len(column) for column in columns(ax)] == [1, 30, 60]
    assert [len(drawn.get_paths()) for drawn in ribbons(ax)] == [30, 60]


@pytest.mark.parametrize("given", [{}, {2: TWO}, {2: TWO, 3: THREE[:-1]}])
def test_labels_must_be_of_the_same_rows(given):
    """Law: fewer than two labelings, or labelings of different rows, are refused."""
    with pytest.raises(InvalidParameter, match="alluvial needs labels of the same rows for at least two"):
        alluvial(given)


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert alluvial({1: ONE, 2: TWO}, ax) is ax
