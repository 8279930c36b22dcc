"""The contingency table as a heat map, with the purity of each cluster."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from coterie.evaluate import contingency_table, purity_score
from coterie.show.plots import contingency
from coterie.show.plots.comparing import MOST_SHOWN

# the example of the lecture of Boston: rows (2 1 0), (2 2 1), (0 0 4)
TRUTH = [1, 3, 2, 2, 3, 1, 2, 2, 3, 1, 3, 2]
FOUND = [2, 3, 2, 1, 3, 1, 3, 2, 3, 1, 3, 1]


def names(ticks):
    return [text.get_text() for text in ticks]


def purities(ax):
    """Return the lengths of the bars above the table, the grey full ones as 1."""
    black = [bar for bar in ax.patches if bar.get_gid() == "purity"]
    grey = [bar for bar in ax.patches if bar.get_gid() != "purity"]
    return [abs(bar.get_height() / full.get_height()) for bar, full in zip(black, grey, strict=True)]


def test_the_example_of_the_lecture():
    """Law: cells are shares of clusters, with the counts in them and the purities 2/4, 2/3, 4/5 above."""
    ax = contingency(contingency_table(TRUTH, FOUND))
    columns = names(ax.get_xticklabels())
    assert sorted(columns) == ["1", "2", "3"]
    assert names(ax.get_yticklabels()) == ["1", "2", "3"]
    shares = ax.images[0].get_array()
    expected = {"1": [2 / 4, 2 / 4, 0], "2": [1 / 3, 2 / 3, 0], "3": [0, 1 / 5, 4 / 5]}
    for at, name in enumerate(columns):
        np.testing.assert_allclose(shares[:, at], expected[name])
    of = dict(zip(columns, purities(ax), strict=True))
    np.testing.assert_allclose([of["1"], of["2"], of["3"]], [2 / 4, 2 / 3, 4 / 5])
    counts = [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    assert sorted(counts) == sorted(["2", "2", "1", "2", "1", "4"])
    assert ax.get_title(loc="left") == "Purity 0.67: 12 rows, 3 classes, 3 clusters"


def test_clusters_stand_below_their_classes():
    """Law: clusters are in the order of their largest class, so that agreement is a diagonal."""
    ax = contingency(contingency_table(["a", "a", "b", "b", "c"], [7, 7, 5, 5, 6]))
    assert names(ax.get_xticklabels()) == ["7", "5", "6"]
    np.testing.assert_array_equal(ax.images[0].get_array(), np.eye(3))


def test_noise_is_named():
    """Law: the cluster -1 is called noise."""
    assert "noise" in names(contingency(contingency_table([0, 0, 1], [-1, 0, 0])).get_xticklabels())


def test_names_from_the_data_are_no_formulas():
    """Law: dollar signs in names are written as they are."""
    ax = contingency(contingency_table(["$\\frac$", "b"], [0, 1]))
    ax.figure.canvas.draw()
    assert names(ax.get_yticklabels())[0] == "\\$\\frac\\$"


def test_many_classes_and_clusters_end_in_others():
    """Law: of hundreds the largest are drawn, all counts are kept, purities are those of the whole table."""
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 90, 5000), rng.integers(0, 200, 5000)
    ax = contingency(contingency_table(truth, found))
    assert ax.images[0].get_array().shape == (MOST_SHOWN, MOST_SHOWN)
    assert names(ax.get_xticklabels())[-1] == names(ax.get_yticklabels())[-1] == "others"
    at = int(names(ax.get_xticklabels())[0]) - 1  # people count from 1
    assert np.isclose(purities(ax)[0], purity_score(truth[found == at], found[found == at]))
    np.testing.assert_allclose(ax.images[0].get_array().sum(axis=0), 1.0)


def test_sixty_by_sixty_has_no_counts_but_every_name():
    """Law: where numbers would not fit they are left out; names stay."""
    labels = np.repeat(np.arange(60), 3)
    ax = contingency(contingency_table(labels, labels))
    assert [text.get_text() for text in ax.texts] == ["purity "]
    assert len(ax.get_xticklabels()) == len(ax.get_yticklabels()) == 60


@pytest.mark.parametrize("n_classes", [3, 15, 60])
def test_bars_of_purity_are_as_high_for_any_number_of_classes(n_classes):
    """Law: the bars above the table are a line high, not a share of it."""
    labels = np.repeat(np.arange(n_classes), 3)
    ax = contingency(contingency_table(labels, labels))
    ax.figure.canvas.draw()
    (bar,) = [patch for patch in ax.patches if patch.get_gid() == "purity"][:1]
    assert 0.2 < bar.get_window_extent().height / ax.figure.dpi < 0.5


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert contingency(contingency_table([0, 1], [0, 1]), ax) is ax
