"""The scatter: every row in the colour of its cluster."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from coterie.cluster import DBSCAN, KMeans, KMedoids
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import NOISE_COLOR, cluster_colors
from coterie.show.plots import scatter
from coterie.show.plots.drawing.cloud import CELLS, MOST_MARKERS

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.3, (30, 2)) for m in (0.0, 3.0, 6.0)])
LABELS = np.repeat([0, 1, 2], 30)


def clouds(ax):
    return {c.get_label(): c for c in ax.collections}


def test_each_cluster_is_one_collection_in_its_colour():
    """Law: the rows of cluster i stand where the data say, in colour i; the legend names them."""
    ax = scatter(X, LABELS)
    assert set(clouds(ax)) == {"group 1", "group 2", "group 3"}
    for label, color in enumerate(cluster_colors(3)):
        drawn = clouds(ax)[f"group {label + 1}"]
        np.testing.assert_allclose(drawn.get_offsets(), X[label == LABELS])
        assert to_rgba(drawn.get_facecolor()[0], 1.0) == to_rgba(color)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["group 1", "group 2", "group 3"]
    assert ax.get_title(loc="left") == "3 clusters of 90 rows"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column 0", "column 1")


def test_centroids_are_marked_where_the_model_has_them():
    """Law: a model's centres are crosses at their places."""
    model = KMeans(3, random_state=0).fit(X)
    drawn = clouds(scatter(X, model))["centroids"]
    np.testing.assert_allclose(drawn.get_offsets(), model.cluster_centers_)


def test_medoids_are_rings_about_rows():
    """Law: a model's medoids are rings at rows of the data."""
    model = KMedoids(3, random_state=0).fit(X)
    drawn = clouds(scatter(X, model))["medoids"]
    np.testing.assert_allclose(drawn.get_offsets(), X[model.medoid_indices_])
    assert len(drawn.get_facecolor()) == 0


def test_noise_is_grey_and_counted():
    """Law: rows labelled -1 are grey, named noise, and counted in the title."""
    far = np.vstack([X, [[20.0, 20.0], [30.0, 0.0]]])
    ax = scatter(far, DBSCAN(eps=1.0).fit(far))
    drawn = clouds(ax)["noise"]
    assert len(drawn.get_offsets()) == 2
    assert to_rgba(drawn.get_facecolor()[0], 1.0) == to_rgba(NOISE_COLOR)
    assert ax.get_title(loc="left").endswith("2 of them noise")
    assert ax.get_legend().get_texts()[-1].get_text() == "noise"


def test_ellipses_lie_about_their_clusters():
    """Law: an ellipse per cluster, about its mean, with the axes of its covariance."""
    ax = scatter(X, LABELS, ellipses=0.95)
    assert len(ax.patches) == 3
    for label, patch in enumerate(ax.patches):
        rows = X[label == LABELS]
        np.testing.assert_allclose(patch.center, rows.mean(axis=0))
        longest = 2 * np.sqrt(5.991 * np.linalg.eigvalsh(np.cov(rows.T))[1])
        assert patch.width == pytest.approx(longest, rel=1e-3)


def test_columns_by_name_give_the_labels_of_the_axes():
    """Law: columns of a frame are chosen by name and name the axes."""
    frame = pd.DataFrame({"age": X[:, 0], "income": X[:, 1], "visits": X[:, 0] + 1})
    ax = scatter(frame, LABELS, columns=("visits", "age"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("visits", "age")
    np.testing.assert_allclose(clouds(ax)["group 1"].get_offsets()[:, 0], X[LABELS == 0, 0] + 1)


def test_one_column_gets_a_lane_per_cluster():
    """Law: with one column, rows of cluster i stand between i - 0.5 and i + 0.5."""
    ax = scatter(X[:, :1], LABELS)
    for label in range(3):
        heights = clouds(ax)[f"group {label + 1}"].get_offsets()[:, 1]
        assert np.abs(heights - label).max() < 0.5
    assert ax.get_ylabel() == "group"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["group 1", "group 2", "group 3"]


def test_many_clusters_are_named_where_they_stand():
    """Law: with 60 clusters there is no legend; every one has its number at its middle."""
    centers = RNG.uniform(0, 100, (60, 2))
    rows, labels = np.repeat(centers, 5, axis=0), np.repeat(np.arange(60), 5)
    ax = scatter(rows, labels)
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.texts] == [str(label + 1) for label in range(60)]
    np.testing.assert_allclose([text.xy for text in ax.texts], centers)


def test_many_rows_become_a_density_that_holds_them_all():
    """Law: above 20,000 rows one image is drawn; a cell is coloured if and only if rows fall in it."""
    many = RNG.normal(size=(MOST_MARKERS + 1, 2))
    labels = (many[:, 0] > 0).astype(int)
    ax = scatter(many, labels)
    image = np.asarray(ax.images[0].get_array())
    assert image.shape == (CELLS[1], CELLS[0], 4)
    left, right, bottom, top = ax.images[0].get_extent()
    edges = [np.linspace(left, right, CELLS[0] + 1), np.linspace(bottom, top, CELLS[1] + 1)]
    counts = np.histogram2d(many[:, 0], many[:, 1], bins=edges)[0].T
    assert ((image[:, :, 3] > 0) == (counts > 0)).mean() > 0.9999  # edges of cells may round either way
    blue = image[:, : CELLS[0] // 4][image[:, : CELLS[0] // 4, 3] > 0]
    np.testing.assert_allclose(
        blue[:, :3], np.broadcast_to(to_rgba(cluster_colors(1)[0])[:3], (len(blue), 3))
    )


def test_axes_that_are_given_are_drawn_on():
    """Law: ax= is where it is drawn, and what is returned; ellipses of few rows are left out."""
    ax = Figure().subplots()
    assert scatter(X[:2], LABELS[:2], ellipses=0.5, ax=ax) is ax
    assert len(ax.patches) == 0


def test_wrong_arguments_are_refused():
    """Law: labels that do not fit, unknown columns, wrong axes: one line with the way out."""
    with pytest.raises(InvalidData, match="scatter needs a label per row, 90 of them, got 2"):
        scatter(X, [0, 1])
    with pytest.raises(InvalidParameter, match=r"columns of scatter must be numbers from 0 to 1; got 5"):
        scatter(X, LABELS, columns=(0, 5))
    with pytest.raises(
        InvalidParameter, match=r"ellipses of scatter must be None or a number in \(0, 0.9999\]"
    ):
        scatter(X, LABELS, ellipses=2.0)
    with pytest.raises(InvalidParameter, match="scatter needs a fitted model or whole-number labels"):
        scatter(X, np.zeros((90, 2)))
    with pytest.raises(InvalidParameter, match="ax must be matplotlib Axes or None, got int"):
        scatter(X, LABELS, ax=3)
    with pytest.raises(InvalidParameter, match=r"centers of scatter must have the shape \(n_clusters, 2\)"):
        scatter(X, LABELS, centers=[[1.0]])


def test_names_of_clusters_at_one_place_do_not_cover_each_other():
    """Law: up to four clusters around one place have their numbers on different sides of it."""
    labels = np.arange(20)
    places = np.column_stack([5.0 * labels, 0.0 * labels])
    places[:4] = 0.0
    ax = scatter(places, labels)
    ax.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    crowd = [boxes[str(number)] for number in (1, 2, 3, 4)]
    assert not any(one.overlaps(other) for at, one in enumerate(crowd) for other in crowd[:at])
