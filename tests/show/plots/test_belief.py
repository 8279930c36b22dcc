"""Stability under resampling, and the test against null data."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from coterie.evaluate import Significance, Stability
from coterie.show.palette import EMPHASIS, INK, color_of
from coterie.show.plots import null_distribution, stability
from coterie.show.plots.belief import MOST_DOTS

RNG = np.random.default_rng(0)


def stable(means, n=20, clusters=None):
    scores = np.clip(np.array(means) + RNG.normal(0, 0.005, (n, len(means))), 0, 1)
    names = tuple(range(len(means))) if clusters is None else clusters
    return Stability("bootstrap", "rows drawn", n, names, np.full(len(means), 10), scores, np.full(n, 0.9))


def chance(observed, draws, greater=True):
    return Significance("silhouette_score", "gaussian", "one Gaussian", observed, np.asarray(draws), greater)


def part(ax, gid):
    (found,) = [artist for artist in ax.get_children() if artist.get_gid() == gid]
    return found


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_means_and_scores_stand_over_their_clusters():
    """Law: a diamond at the mean of each cluster, red where it is weak; a dot per resample around it."""
    value = stable([0.95, 0.8, 0.5])
    ax = stability(value)
    means = part(ax, "means")
    np.testing.assert_allclose(means.get_offsets(), np.c_[np.arange(3), value.per_cluster])
    assert [tuple(color) for color in means.get_facecolor()] == [to_rgba(c) for c in (INK, INK, EMPHASIS)]
    dots = part(ax, "scores").get_offsets()
    assert len(dots) == value.scores.size
    np.testing.assert_allclose(np.sort(dots[:, 1]), np.sort(value.scores.ravel()))
    assert (np.abs(dots[:, 0] - np.round(dots[:, 0])) <= 0.26).all()


def test_boxes_hold_the_middle_half():
    """Law: the box of a cluster goes from its lower to its upper quartile, in its colour."""
    value = stable([0.95, 0.8])
    boxes = stability(value).patches
    low, high = np.quantile(value.scores, [0.25, 0.75], axis=0)
    np.testing.assert_allclose([box.get_y() for box in boxes], low)
    np.testing.assert_allclose([box.get_y() + box.get_height() for box in boxes], high)
    assert [box.get_edgecolor() for box in boxes] == [to_rgba(color_of(0)), to_rgba(color_of(1))]


def test_levels_are_named():
    """Law: the levels of the verdicts are lines with their words."""
    ax = stability(stable([0.9, 0.9]))
    levels = sorted(line.get_ydata()[0] for line in ax.lines if line.get_gid() == "level")
    assert levels == [0.6, 0.75, 0.85]
    assert {" strong", " stable", " doubtful"} <= set(texts(ax))


@pytest.mark.parametrize(
    ("means", "words"),
    [
        ([0.9, 0.9], "every group is stable"),
        ([0.9, 0.5], "group 2 is not stable"),
        ([0.5, 0.9, 0.6], "group 1 and group 3 are not stable"),
        ([0.5] * 30 + [0.9] * 30, "30 of 60 groups are not stable"),
    ],
)
def test_the_title_names_the_weak(means, words):
    """Law: the title says which clusters are not to be relied on."""
    value = stable(means)
    title = stability(value).get_title(loc="left")
    assert title == f"Mean Jaccard {value.overall:.2f}: {words}"


def test_many_scores_are_boxes_alone():
    """Law: more scores than can be told apart are summed up by boxes."""
    value = stable([0.9] * 60, n=1 + MOST_DOTS // 60)
    ax = stability(value)
    assert not [c for c in ax.collections if c.get_gid() == "scores"]
    assert len(ax.patches) == 60
    assert len(ax.get_xticklabels()) == 30


def test_a_cluster_that_was_never_drawn_leaves_a_gap():
    """Law: missing scores are not drawn, and do not hide the others."""
    value = stable([0.9, 0.9])
    scores = value.scores.copy()
    scores[:, 1] = np.nan
    ax = stability(Stability("subsample", "", 20, (0, 1), np.array([5, 1]), scores, value.rand))
    assert part(ax, "means").get_offsets()[0, 1] == pytest.approx(value.per_cluster[0])
    assert len(ax.patches) == 1
    assert ax.get_ylim()[0] < 0.5


def test_null_data_are_a_histogram_and_the_data_a_line():
    """Law: bars count every draw; the line stands at the observed value, which is written."""
    draws = RNG.normal(0.2, 0.02, 199)
    ax = null_distribution(chance(0.6, draws))
    assert sum(bar.get_height() for bar in ax.patches) == 199
    assert part(ax, "observed").get_xdata()[0] == 0.6
    assert "observed: 0.6" in texts(ax)
    assert ax.get_title(loc="left") == "Gaussian null rejected (p = 0.005, the smallest possible)"
    assert ax.get_xlabel() == "silhouette score (higher is better)"
    assert "Grey: 199 draws of one Gaussian, clustered in the same way." in texts(ax)


def test_a_null_that_is_not_rejected_is_called_so():
    """Law: a value in the midst of the draws is not evidence, in either direction."""
    draws = np.linspace(0.1, 0.3, 99)
    assert (
        null_distribution(chance(0.2, draws)).get_title(loc="left") == "Gaussian null not rejected (p = 0.51)"
    )
    ax = null_distribution(chance(0.05, draws, greater=False))
    assert ax.get_title(loc="left") == "Gaussian null rejected (p = 0.01, the smallest possible)"
    assert ax.get_xlabel().endswith("(lower is better)")


@pytest.mark.parametrize(
    ("observed", "draws", "words"),
    [(np.nan, [0.1, 0.2], "not defined for the data"), (0.3, [np.nan, np.nan], "not defined for any draw")],
)
def test_undefined_values_are_said(observed, draws, words):
    """Law: one cluster has no silhouette: the picture says so instead of failing."""
    ax = null_distribution(chance(observed, draws))
    assert words in texts(ax)[0]
    assert not ax.patches


@pytest.mark.parametrize(
    ("draw", "value"), [(stability, stable([0.9, 0.8])), (null_distribution, chance(0.4, [0.1, 0.2, 0.3]))]
)
def test_draws_on_given_axes(draw, value):
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert draw(value, ax) is ax
