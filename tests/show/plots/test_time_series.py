"""Time series drawn: the members of each group, its centre, and matched points."""

import numpy as np
import pytest

import series_oracles as slow
from coterie.errors import InvalidData
from coterie.series import TimeSeriesKMeans, dtw_path
from coterie.show.palette import color_of
from coterie.show.plots import series_groups, warping
from coterie.show.plots.time_series import MOST_LINES

X, KINDS = slow.waves(30)


def lines_of(ax, gid):
    return [one for one in (*ax.collections, *ax.lines) if one.get_gid() == gid]


def test_every_group_has_a_panel_with_its_series_and_centre():
    """Law: a panel holds the series of its group in its colour, and the centre of the model."""
    model = TimeSeriesKMeans(3, window=4, random_state=0).fit(X)
    figure = series_groups(X, model)
    assert len(figure.axes) == 3
    for group, ax in enumerate(figure.axes):
        (drawn,) = lines_of(ax, "series")
        members = X[model.labels_ == group]
        np.testing.assert_allclose([one[:, 1] for one in drawn.get_segments()], members)
        (centre,) = lines_of(ax, "centre")
        np.testing.assert_allclose(centre.get_ydata(), model.cluster_centers_[group, :, 0])
        assert ax.get_title(loc="left") == f"group {group + 1}: {len(members)} series"


def test_labels_lengths_noise_and_many(monkeypatch):
    """Law: plain labels draw no centre, noise has a panel, and of very many series some are drawn."""
    series = slow.some_series(5, 2, seed=1)
    figure = series_groups(series, [0, 0, -1, 1, 1], column=1)
    assert [ax.get_title(loc="left") for ax in figure.axes][-1].endswith("1 series")
    assert not lines_of(figure.axes[0], "centre")
    (noise,) = lines_of(figure.axes[2], "series")
    np.testing.assert_allclose(noise.get_segments()[0][:, 1], series[2][:, 1])
    (many,) = lines_of(series_groups(np.ones((500, 4)), np.zeros(500, dtype=int)).axes[0], "series")
    assert len(many.get_segments()) == MOST_LINES
    monkeypatch.setattr("coterie.show.plots.time_series.MOST_PANELS", 2)
    figure = series_groups(np.arange(12.0).reshape(4, 3), np.arange(4))
    assert len(figure.axes) == 2
    assert figure.get_supxlabel() == "time; 2 of 4 groups"
    with pytest.raises(InvalidData, match="column of series_groups must be from 0 to 1, got 2"):
        series_groups(series, [0] * 5, column=2)


def test_matches_join_the_points_of_the_path():
    """Law: there is a line for every pair of matched points, between the places of both."""
    x, y = X[0], X[3][:30]
    path = dtw_path(x, y)
    ax = warping(x, y, path, names=("first", "second"))
    (drawn,) = lines_of(ax, "matches")
    ends = np.array(drawn.get_segments())
    np.testing.assert_array_equal(ends[:, 0, 0], path.pairs[:, 0])
    np.testing.assert_array_equal(ends[:, 1, 0], path.pairs[:, 1])
    assert [line.get_color() for line in ax.lines] == [color_of(0), color_of(1)]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["first", "second"]
    with pytest.raises(InvalidData, match="path of warping must be that of x and y"):
        warping(x[:5], y, path)
