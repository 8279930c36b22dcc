"""Parallel coordinates: rows and groups across the columns, each in its own units."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from coterie.errors import InvalidData
from coterie.show.palette import cluster_colors
from coterie.show.plots import parallel_coordinates
from coterie.show.plots.parallel import MOST_COLUMNS, MOST_ROWS

RNG = np.random.default_rng(0)
LABELS = np.repeat([0, 1, 2], 20)
X = pd.DataFrame(
    RNG.normal(size=(60, 4)) + 4 * LABELS[:, None] * [1, -1, 0, 2], columns=["a", "b", "$c$", "d"]
)


def medians(ax):
    return [line for line in ax.lines if line.get_gid() == "median"]


def rows(ax):
    return [c for c in ax.collections if c.get_gid() == "rows"]


def test_lines_are_medians_between_the_ends_of_each_column():
    """Law: the median of a group, scaled to the least and greatest value of each column, in its colour."""
    ax = parallel_coordinates(X, LABELS)
    scaled = (X - X.min()) / (X.max() - X.min())
    for group, (line, color) in enumerate(zip(medians(ax), cluster_colors(3), strict=True)):
        np.testing.assert_allclose(line.get_ydata(), scaled[group == LABELS].median())
        assert line.get_color() == color
    assert len([c for c in ax.collections if c.get_gid() == "band"]) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1", "2", "3"]
    assert ax.get_title(loc="left") == "60 rows in 3 groups over 4 columns"


def test_ends_are_written_in_the_units_of_the_column():
    """Law: each axis has its least and greatest value at its ends; names are not formulas."""
    ax = parallel_coordinates(X, LABELS)
    written = {text.get_text() for text in ax.texts}
    assert {f"{value:.4g}" for value in [*X.min(), *X.max()]} <= written
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "\\$c\\$", "d"]


def test_few_rows_are_drawn_one_by_one_and_many_are_bands():
    """Law: every row is a line up to a number; beyond, quantiles of all rows stand for them."""
    (drawn,) = rows(parallel_coordinates(X, LABELS))
    assert isinstance(drawn, LineCollection)
    assert len(drawn.get_segments()) == 60
    many = np.tile(X.to_numpy(), (10, 1))
    ax = parallel_coordinates(many, np.tile(LABELS, 10))
    assert len(many) > MOST_ROWS
    assert rows(ax) == []
    for few, line in zip(medians(parallel_coordinates(X, LABELS)), medians(ax), strict=True):
        np.testing.assert_allclose(line.get_ydata(), few.get_ydata())


def test_noise_is_drawn_and_has_no_median():
    """Law: rows labelled -1 are lines, not a group; those below -1 are nothing."""
    labels = np.where(np.arange(60) < 5, -1, LABELS)
    labels[-1] = -2
    ax = parallel_coordinates(X, labels)
    assert len(medians(ax)) == 3
    assert len(rows(ax)[0].get_segments()) == 59


def test_sixty_groups_are_medians_with_names_that_do_not_touch():
    """Law: many groups have lines and no bands; names stand where the lines end, if there is room."""
    labels = np.repeat(np.arange(60), 10)
    ax = parallel_coordinates(RNG.normal(size=(600, 5)) + 3 * RNG.normal(size=(60, 5))[labels], labels)
    assert len(medians(ax)) == 60
    assert not ax.collections
    names = [text for text in ax.texts if text.get_text().isdigit() and text.xy[0] == 1.0]
    assert len(names) > 5
    assert np.diff(sorted(text.xy[1] for text in names)).min() >= 0.03


def test_of_many_columns_those_that_differ_most_are_drawn():
    """Law: at most so many columns, in the order of the table; it is said."""
    wide = RNG.normal(size=(60, 100))
    wide[:, 70] += 9 * LABELS
    ax = parallel_coordinates(wide, LABELS)
    shown = [text.get_text() for text in ax.get_xticklabels()]
    assert len(shown) == MOST_COLUMNS
    assert "column 70" in shown
    assert ax.get_xlabel().startswith("20 of 100 columns, those in which groups differ most.")


def test_a_constant_column_and_one_column():
    """Law: a column without spread lies at the foot of its axis; a single column is refused."""
    ax = parallel_coordinates(np.c_[np.ones(4), np.arange(4.0)], [0, 0, 1, 1])
    assert medians(ax)[0].get_ydata()[0] == 0.0
    with pytest.raises(InvalidData, match=r"at least two columns, got the shape \(4, 1\)"):
        parallel_coordinates(np.ones((4, 1)), [0, 0, 1, 1])


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert parallel_coordinates(X, LABELS, ax) is ax
