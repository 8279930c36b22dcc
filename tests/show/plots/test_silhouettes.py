"""The silhouette plot: sorted bars per cluster, whatever the number of rows."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from coterie.cluster import KMedoids
from coterie.evaluate import Silhouette
from coterie.evaluate import silhouette as measure
from coterie.show.palette import NOISE_COLOR, cluster_colors
from coterie.show.plots import silhouette
from coterie.show.plots.silhouettes import MOST_STEPS

IRIS = load_iris().data


def parts(ax, gid):
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def bars(ax):
    """Return the heights and lengths of the bars of each cluster, read from the drawn outlines."""
    found = []
    for shape in parts(ax, "bars"):
        corners = shape.get_paths()[0].vertices
        found.append((np.ptp(corners[:, 1]), corners[:, 0].min(), corners[:, 0].max()))
    return found


def made_up(values, labels):
    values, labels = np.asarray(values, dtype=float), np.asarray(labels)
    clusters, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rows = np.arange(values.size)
    return Silhouette(values, values, values, labels, labels, rows, clusters, sizes, codes)


def test_iris_by_medoids_is_the_picture_of_the_lecture():
    """Law: sizes 50, 62, 38, means 0.80, 0.42, 0.45, overall 0.55, as R prints beside its plot."""
    model = KMedoids(3, method="pam", random_state=0).fit(IRIS)
    ax = silhouette(measure(IRIS, model.labels_))
    written = {text.get_text().strip() for text in ax.texts}
    assert {"50 | 0.80", "62 | 0.42", "38 | 0.45"} <= written
    assert ax.get_title(loc="left") == "Mean silhouette 0.55 of 3 clusters"
    assert parts(ax, "mean")[0].get_xdata()[0] == pytest.approx(0.5528, abs=1e-4)


def test_each_cluster_is_a_block_of_its_rows_in_its_colour():
    """Law: a block is as high as its cluster has rows, from its smallest to its largest value."""
    value = made_up([0.9, 0.1, 0.5, 0.8, 0.7], [0, 0, 0, 1, 1])
    ax = silhouette(value)
    np.testing.assert_allclose(bars(ax), [(3.0, 0.0, 0.9), (2.0, 0.0, 0.8)])
    for shape, color in zip(parts(ax, "bars"), cluster_colors(2), strict=True):
        assert tuple(shape.get_facecolor()[0]) == to_rgba(color)
    means = [line.get_xdata()[0] for line in parts(ax, "cluster mean")]
    np.testing.assert_allclose(means, [0.5, 0.75])
    assert ax.yaxis_inverted()


def test_negative_bars_are_outlined_and_counted():
    """Law: what is nearer to another cluster points left, with an outline, and the note counts it."""
    ax = silhouette(made_up([0.9, -0.4, 0.5, 0.8], [0, 0, 1, 1]))
    (negative,) = parts(ax, "negative")
    corners = negative.get_paths()[0].vertices
    assert corners[:, 0].min() == -0.4
    assert np.ptp(corners[:, 1]) == pytest.approx(1.0)
    assert "1 row (25.0%) nearer to another cluster" in ax.texts[-1].get_text()
    assert ax.get_xlim()[0] < -0.4


def test_without_negative_bars_the_note_says_so():
    """Law: that all is well is said, not left out."""
    ax = silhouette(made_up([0.9, 0.4, 0.5, 0.8], [0, 0, 1, 1]))
    assert parts(ax, "negative") == []
    assert "No row is nearer to another cluster" in ax.texts[-1].get_text()


def test_many_rows_become_few_steps_and_one_negative_row_stays():
    """Law: the drawing does not grow with the rows, and a single negative one among 200,000 is kept."""
    values = np.full(200_000, 0.6)
    values[17] = -0.9
    ax = silhouette(made_up(values, np.arange(values.size) % 2))
    corners = sum(len(shape.get_paths()[0].vertices) for shape in parts(ax, "bars"))
    assert corners < 5 * MOST_STEPS
    (negative,) = parts(ax, "negative")
    assert negative.get_paths()[0].vertices[:, 0].min() == -0.9
    np.testing.assert_allclose([height for height, _, _ in bars(ax)], 100_000)


def test_noise_is_grey_and_named():
    """Law: the cluster -1 is called noise, in grey."""
    ax = silhouette(made_up([0.1, 0.5, 0.5], [-1, 0, 0]))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["noise", "group 1"]
    assert tuple(parts(ax, "bars")[0].get_facecolor()[0]) == to_rgba(NOISE_COLOR)


def test_sixty_clusters_have_names_that_do_not_touch():
    """Law: sixty clusters have sixty blocks, and names at least a line apart."""
    sizes = np.r_[np.full(30, 2), np.full(30, 40)]
    value = made_up(np.tile(0.5, sizes.sum()), np.repeat(np.arange(60), sizes))
    ax = silhouette(value)
    assert len(bars(ax)) == 60
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert 30 < len(boxes) < 60
    assert all(not one.overlaps(next_) for one, next_ in itertools.pairwise(boxes))


def test_weights_count_as_rows():
    """Law: a row of weight 3 is drawn three rows high."""
    weighted = measure([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], sample_weight=[3, 1, 1, 1])
    np.testing.assert_allclose([height for height, _, _ in bars(silhouette(weighted))], [4.0, 2.0])


def test_draws_on_given_axes():
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert silhouette(made_up([0.5, 0.4], [0, 1]), ax) is ax
