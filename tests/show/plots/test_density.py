"""The valleys of OPTICS and the curve of k-distances."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from coterie.cluster import OPTICS, EpsSuggestion, suggest_eps
from coterie.show.palette import NOISE_COLOR, color_of
from coterie.show.plots import k_distances, reachability
from coterie.show.plots.density import MOST_BARS, MOST_POINTS

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.2, (40, 2)) for m in (0.0, 4.0, 8.0)] + [[[20.0, 0.0], [0.0, 30.0]]])
MODEL = OPTICS(min_samples=5, max_eps=3.0, cluster_method="dbscan", eps=1.0).fit(X)


def bars(ax):
    return {
        c.get_label(): c
        for c in ax.collections
        if c.get_label() in ("noise", "group 1", "group 2", "group 3")
    }


def gids(ax):
    return [line.get_gid() for line in ax.lines]


def test_bars_stand_in_the_order_of_visits():
    """Law: bar i is as high as the reachability of row ordering_[i], in the colour of its cluster."""
    ax = reachability(MODEL)
    order = MODEL.ordering_
    for name, drawn in bars(ax).items():
        label = -1 if name == "noise" else int(name.removeprefix("group ")) - 1
        places = np.flatnonzero(MODEL.labels_[order] == label)
        shapes = [path.vertices for path in drawn.get_paths()]
        np.testing.assert_allclose([shape[:, 0].min() for shape in shapes], places)
        heights = np.array([shape[:, 1].max() for shape in shapes])
        expected = MODEL.reachability_[order][places]
        is_finite = np.isfinite(expected)
        np.testing.assert_allclose(heights[is_finite], expected[is_finite])
        assert (heights[~is_finite] > expected[is_finite].max(initial=0)).all()
        assert tuple(drawn.get_facecolor()[0]) == to_rgba(NOISE_COLOR if label < 0 else color_of(label))


def test_title_counts_valleys_and_noise():
    """Law: the title says how many valleys there are and how many rows are in none."""
    assert reachability(MODEL).get_title(loc="left") == "3 valleys in 122 rows; 2 rows are noise"
    weights = np.r_[np.ones(120), 0.0, 0.0]  # these two are never visited
    model = OPTICS(min_samples=5, max_eps=3.0, cluster_method="dbscan", eps=1.0).fit(X, sample_weight=weights)
    assert reachability(model).get_title(loc="left") == "3 valleys in 120 rows"


def test_the_radius_of_the_cut_is_a_line():
    """Law: eps is drawn where clusters were cut at it; rows reached from nowhere are set apart."""
    ax = reachability(MODEL)
    assert {"eps", "break"} <= set(gids(ax))
    assert " eps = 1" in [text.get_text() for text in ax.texts]


def test_nested_valleys_are_lines_below():
    """Law: every valley is a line from its first to its last place; inner ones are nearer to the bars."""
    model = OPTICS(min_samples=5).fit(X)
    ax = reachability(model)
    (lines,) = [c for c in ax.collections if c.get_label() == "valleys"]
    segments = np.array(lines.get_segments())
    spans = {(int(first), int(last) - 1) for first, last in segments[:, :, 0]}
    assert spans == {tuple(map(int, valley)) for valley in model.cluster_hierarchy_}
    longest = np.argmax(np.ptp(segments[:, :, 0], axis=1))
    assert segments[longest, 0, 1] == segments[:, 0, 1].min()
    assert min(ax.get_yticks()) == 0.0
    assert "eps" not in gids(ax)


def test_many_rows_share_bars_and_keep_every_peak():
    """Law: more rows than bars are joined, each bar as high as its highest row."""
    rows = np.concatenate([RNG.normal(m, 1.0, (2000, 1)) for m in (0.0, 50.0)])
    model = OPTICS(min_samples=5, max_eps=100.0, cluster_method="dbscan", eps=5.0).fit(rows)
    ax = reachability(model)
    assert sum(len(drawn.get_paths()) for drawn in bars(ax).values()) == MOST_BARS
    tallest = max(path.vertices[:, 1].max() for drawn in bars(ax).values() for path in drawn.get_paths())
    finite = model.reachability_[np.isfinite(model.reachability_)]
    assert tallest == pytest.approx(1.08 * finite.max())
    assert "Each bar is the highest of 3 rows." in [text.get_text() for text in ax.texts]


def test_k_distances_mark_the_knee():
    """Law: the curve is that of the suggestion; lines cross at the knee, where eps is written."""
    found = suggest_eps(X, min_samples=5)
    ax = k_distances(found)
    lines = dict(zip(gids(ax), ax.lines, strict=True))
    np.testing.assert_allclose(lines["curve"].get_ydata(), found.k_distances)
    assert lines["eps"].get_ydata()[0] == found.eps
    assert lines["knee"].get_xdata()[0] == found.knee
    assert f"knee: eps = {found.eps:.3g}" in [text.get_text() for text in ax.texts]
    assert ax.get_ylabel() == "distance to neighbour 5 (the row itself is 1)"


def test_a_long_curve_is_thinned_and_keeps_ends_and_knee():
    """Law: a million distances are drawn by some thousand points, the ends and the knee among them."""
    curve = np.sort(RNG.exponential(size=1_000_000))
    ax = k_distances(EpsSuggestion(float(curve[987_653]), curve, 987_654, 4))
    drawn = ax.lines[0]
    assert len(drawn.get_xdata()) <= MOST_POINTS + 1
    assert {1, 987_654, 1_000_000} <= set(drawn.get_xdata().tolist())
    assert drawn.get_ydata()[-1] == curve[-1]


@pytest.mark.parametrize(
    "draw", [lambda ax: reachability(MODEL, ax), lambda ax: k_distances(suggest_eps(X), ax)]
)
def test_draws_on_given_axes(draw):
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert draw(ax) is ax
