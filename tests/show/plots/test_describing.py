"""Profiles: the means of groups over the columns."""

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from coterie.pipeline import profile_groups
from coterie.show.palette import cluster_colors, letters_in
from coterie.show.plots import profiles
from coterie.show.plots.describing import LONGEST_NAME, MOST_COLUMNS

RNG = np.random.default_rng(0)


def profile(k, n_columns, names=None):
    labels = np.arange(20 * k) % k
    X = RNG.normal(size=(20 * k, n_columns)) + 3 * RNG.normal(size=(k, n_columns))[labels]
    return profile_groups(X, labels, names or [f"column {at}" for at in range(n_columns)], k)


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_each_group_is_a_line_through_its_means():
    """Law: lines go through the differences of the profile, in the groups' colours, named with sizes."""
    value = profile(3, 5)
    ax = profiles(value)
    lines = [line for line in ax.lines if line.get_label()[0].isdigit()]
    for line, row, color in zip(lines, value.differences, cluster_colors(3), strict=True):
        np.testing.assert_allclose(line.get_ydata(), row)
        assert line.get_color() == color
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1: 20", "2: 20", "3: 20"]
    assert ticks(ax.xaxis) == list(value.columns)
    assert ax.get_ylabel() == "standard deviations from the mean of all rows"
    assert ax.get_title(loc="left") == "3 groups in 5 columns"


def test_larger_groups_have_wider_lines():
    """Law: the width of a line grows with the rows of the group."""
    labels = np.array([0] * 90 + [1] * 10)
    value = profile_groups(RNG.normal(size=(100, 2)), labels, ["a", "b"], 2)
    large, small = [line for line in profiles(value).lines if line.get_label()[0].isdigit()]
    assert large.get_linewidth() > small.get_linewidth()


def test_sixty_groups_are_a_heat_map():
    """Law: more groups than lines can show are rows of cells, with names in their colours."""
    value = profile(60, 6)
    ax = profiles(value)
    np.testing.assert_allclose(ax.images[0].get_array(), value.differences)
    low, high = ax.images[0].get_clim()
    assert low == -high
    assert ticks(ax.yaxis)[:2] == ["1: 20", "2: 20"]
    assert [to_hex(text.get_color()) for text in ax.get_yticklabels()] == list(
        map(letters_in, cluster_colors(60))
    )
    assert ax.texts[0].get_text() == f"{value.differences[0, 0]:+.1f}"


def test_of_many_columns_those_that_differ_most_are_drawn():
    """Law: at most so many columns, the most different ones, in the order of the table; it is said."""
    value = profile(3, 200)
    ax = profiles(value)
    widest = np.abs(value.differences).max(axis=0)
    kept = [value.columns.index(name) for name in ticks(ax.xaxis)]
    assert len(kept) == MOST_COLUMNS
    assert kept == sorted(kept)
    assert widest[kept].min() >= np.delete(widest, kept).max()
    assert ax.get_xlabel() == "40 of 200 columns, those in which groups differ most"


def test_names_from_the_data_are_short_and_no_formulas():
    """Law: long names are cut, dollar signs are written as they are."""
    ax = profiles(profile(2, 3, ["$\\frac$", "n" * 100, "<script>"]))
    ax.figure.canvas.draw()
    first, long, hostile = ticks(ax.xaxis)
    assert first == "\\$\\frac\\$"
    assert len(long) == LONGEST_NAME
    assert hostile == "<script>"


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert profiles(profile(2, 3), ax) is ax
