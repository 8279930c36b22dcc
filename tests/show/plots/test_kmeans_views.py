"""K-means at work: panels, moving pictures, and the picks of k-means++."""

import base64
import json
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from PIL import Image

from coterie.cluster import KMeans
from coterie.errors import ExistingFile, InvalidData, InvalidParameter
from coterie.show.palette import NOISE_COLOR
from coterie.show.plots import kmeans_animation, kmeans_steps, seeding_steps

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.5, (25, 2)) for m in ((0, 0), (4, 0), (2, 4))])
MODEL = KMeans(3, init=X[:3], history=True, max_iter=4, tol=0).fit(X)
PICKED = KMeans(4, random_state=0, history=True).fit(X)


def named(ax, label):
    return next(c for c in ax.collections if c.get_label() == label)


def test_a_panel_per_step_with_its_objective():
    """Law: one panel per half-step, titled by its number, kind and J, in the order of the history."""
    figure = kmeans_steps(X, MODEL, max_panels=50)
    assert len(figure.axes) == len(MODEL.history_)
    for number, (ax, step) in enumerate(zip(figure.axes, MODEL.history_, strict=True)):
        title = ax.get_title(loc="left")
        assert step.kind in title
        assert title.startswith(str(number)) or number == 0
        assert ("J = " in title) is (step.inertia is not None)
        np.testing.assert_allclose(named(ax, "centroids").get_offsets(), step.centers)


def test_the_start_is_grey_and_later_panels_are_coloured():
    """Law: before the first assignment rows have no cluster; then they have that of the step."""
    first, second = kmeans_steps(X, MODEL, max_panels=50).axes[:2]
    assert to_rgba(first.collections[0].get_facecolor()[0], 1.0) == to_rgba(NOISE_COLOR)
    labels = MODEL.history_[1].labels
    for label in np.unique(labels):
        np.testing.assert_allclose(named(second, f"group {label + 1}").get_offsets(), X[labels == label])


def test_updates_show_how_centres_moved():
    """Law: an update has an arrow per centre that moved, from its old place to its new one."""
    history = MODEL.history_
    figure = kmeans_steps(X, MODEL, max_panels=50)
    number = next(i for i, step in enumerate(history) if step.kind == "update")
    arrows = [text for text in figure.axes[number].texts if text.arrowprops]
    before, after = history[number - 1].centers, history[number].centers
    moved = ~np.isclose(before, after).all(axis=1)
    np.testing.assert_allclose([arrow.xy for arrow in arrows], after[moved])
    np.testing.assert_allclose([arrow.get_position() for arrow in arrows], before[moved])


def test_a_long_run_is_thinned_but_keeps_its_ends():
    """Law: at most max_panels panels, the first and the last step among them."""
    figure = kmeans_steps(X, MODEL, max_panels=3)
    assert len(figure.axes) == 3
    assert figure.axes[0].get_title(loc="left") == "start"
    assert figure.axes[-1].get_title(loc="left").startswith(str(len(MODEL.history_) - 1))


@pytest.mark.parametrize("columns", [1, 5])
def test_any_number_of_columns_is_drawn(columns):
    """Law: one column, or more than two, are drawn too."""
    rows = np.hstack([X, X, X])[:, :columns]
    model = KMeans(2, random_state=0, history=True).fit(rows)
    assert len(kmeans_steps(rows, model).axes) == min(len(model.history_), 12)


def test_a_gif_has_a_frame_per_step(tmp_path):
    """Law: the GIF moves: a frame per step (equal ones at the end may be joined), and says it was written."""
    path = kmeans_animation(X, MODEL, tmp_path / "run.gif", seconds=0.5)
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert 3 <= image.n_frames <= len(MODEL.history_)
        assert image.info["duration"] >= 500
    with pytest.raises(ExistingFile, match=r"run.gif exists"):
        kmeans_animation(X, MODEL, path)


def test_the_page_loads_nothing(tmp_path):
    """Law: the HTML page holds a frame and a title per step, and no address of anything else."""
    page = kmeans_animation(X, MODEL, tmp_path / "run.html", seconds=0.25).read_text()
    frames, titles = (
        json.loads(re.search(rf"const {name} = (.*);", page)[1]) for name in ("frames", "titles")
    )
    assert len(frames) == len(MODEL.history_)
    for frame in frames:
        assert base64.b64decode(frame).startswith(b"\x89PNG")
    assert titles[0] == "start"
    assert titles[1].startswith("1 assign: J = ")
    assert "const milliseconds = 250;" in page
    assert "://" not in page
    assert "default-src 'none'; connect-src 'none'" in page
    assert "src=" not in page


def test_each_pick_shows_the_chances():
    """Law: a panel per pick: rows coloured by P over its largest, the pick ringed, earlier ones crossed."""
    figure = seeding_steps(X, PICKED)
    picks = PICKED.history_.picks
    axes = figure.axes[:-1]
    assert len(axes) == len(picks) == 4
    for number, (ax, pick) in enumerate(zip(axes, picks, strict=True)):
        cloud = ax.collections[0]
        np.testing.assert_allclose(
            np.sort(cloud.get_array()), np.sort(pick.probabilities / pick.probabilities.max())
        )
        np.testing.assert_allclose(named(ax, "pick").get_offsets(), X[[pick.row]])
        np.testing.assert_allclose(named(ax, "before").get_offsets(), X[[one.row for one in picks[:number]]])
        assert ax.get_title(loc="left").startswith(f"pick {number + 1}: row {pick.row}, P = ")
    assert figure.axes[-1].get_ylabel() == "probability, of the largest"


def test_wrong_arguments_are_refused(tmp_path):
    """Law: no history, other rows, a start that was given, another ending: one line with the way out."""
    with pytest.raises(InvalidParameter, match=r"fitted with history=True.*got KMeans without a history"):
        kmeans_steps(X, KMeans(2).fit(X))
    with pytest.raises(InvalidData, match="kmeans_steps needs the rows of the fit, 75 of them, got 5"):
        kmeans_steps(X[:5], MODEL)
    with pytest.raises(InvalidParameter, match=r'seeding_steps needs a start.*Fit with init="k-means\+\+"'):
        seeding_steps(X, MODEL)
    with pytest.raises(
        InvalidParameter, match=r"path of kmeans_animation must end in .gif or .html, got 'a.mp4'"
    ):
        kmeans_animation(X, MODEL, tmp_path / "a.mp4")
