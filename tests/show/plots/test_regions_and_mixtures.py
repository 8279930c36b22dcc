"""Regions of prediction, and soft groups."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture as Peer

from coterie.cluster import HDBSCAN, GaussianMixture, KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import cluster_colors, color_of
from coterie.show.plots import mixture, regions, responsibilities
from coterie.show.plots.decision_regions import TINT

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(m, 0.6, (40, 2)) for m in ((0, 0), (4, 1), (2, 5))])
IRIS = load_iris().data


def test_every_cell_has_the_colour_that_is_predicted_there():
    """Law: the tint of a cell is the colour of the cluster that predict gives its middle."""
    model = KMeans(3, random_state=0).fit(X)
    ax = regions(X, model, resolution=40)
    image = np.asarray(ax.images[0].get_array())
    left, right, bottom, top = ax.images[0].get_extent()
    across = left + (np.arange(40) + 0.5) * (right - left) / 40
    up = bottom + (np.arange(30) + 0.5) * (top - bottom) / 30
    grid = np.column_stack([np.tile(across, 30), np.repeat(up, 40)])
    expected = [to_rgba(color_of(int(label)), TINT) for label in model.predict(grid)]
    np.testing.assert_allclose(image.reshape(-1, 4), expected)
    centroids = next(c for c in ax.collections if c.get_label() == "centroids")
    np.testing.assert_allclose(centroids.get_offsets(), model.cluster_centers_)


def test_regions_of_more_columns_say_what_plane_they_show():
    """Law: with four columns the picture is the plane of two components, and a note says so."""
    ax = regions(IRIS, KMeans(3, random_state=0).fit(IRIS), resolution=20)
    assert ax.texts[-1].get_text().startswith("Regions of the plane of the first two components")
    assert ax.get_xlabel() == "component 1 (92.5 %)"


def test_regions_of_one_column_have_no_second_axis():
    """Law: one column gives upright bands without ticks up."""
    ax = regions(X[:, :1], KMeans(2, random_state=0).fit(X[:, :1]), resolution=20)
    assert len(ax.get_yticks()) == 0
    image = np.asarray(ax.images[0].get_array())
    assert (image == image[:1]).all()


def test_regions_need_a_prediction():
    """Law: labels alone have no regions."""
    with pytest.raises(InvalidParameter, match="model of regions must have predict, got list"):
        regions(X, [0] * len(X))


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical", "VEI", "EEV"])
def test_mixture_ellipses_are_those_of_the_covariances(kind):
    """Law: two ellipses per component about its mean; the 95 % one has axes of sqrt(5.991 eigenvalue)."""
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    ax = mixture(X, model)
    assert len(ax.patches) == 4
    full = {
        "tied": lambda c: np.broadcast_to(c, (2, 2, 2)),
        "diag": lambda c: c[:, :, None] * np.eye(2),
        "VEI": lambda c: c[:, :, None] * np.eye(2),
        "spherical": lambda c: c[:, None, None] * np.eye(2),
    }.get(kind, lambda c: c)(model.covariances_)
    for label in range(2):
        outer = ax.patches[2 * label]
        np.testing.assert_allclose(outer.center, model.means_[label])
        axes = 2 * np.sqrt(5.9915 * np.linalg.eigvalsh(full[label]))
        np.testing.assert_allclose(sorted([outer.width, outer.height]), axes, rtol=1e-3)
    assert ax.texts[-1].get_text() == "Ellipses hold 50 % and 95 % of their component; crosses: means."


def test_mixture_projects_components_of_more_columns():
    """Law: an ellipse of four columns is that of the projected covariance, of scikit-learn's mixture too."""
    model = Peer(3, random_state=0).fit(IRIS)
    ax = mixture(IRIS, model, shares=(0.9,))
    assert len(ax.patches) == 3
    away = IRIS - IRIS.mean(0)
    directions = np.linalg.svd(away, full_matrices=False)[2][:2]
    for label, patch in enumerate(ax.patches):
        flat = directions @ model.covariances_[label] @ directions.T
        expected = 2 * np.sqrt(-2 * np.log(0.1) * np.linalg.eigvalsh(flat))
        np.testing.assert_allclose(sorted([patch.width, patch.height]), expected, rtol=1e-6)
    weights = [f"{100 * weight:.0f} %" for weight in model.weights_]
    assert all(w in t.get_text() for w, t in zip(weights, ax.get_legend().get_texts(), strict=True))


def test_responsibilities_mix_the_colours():
    """Law: the colour of a row is the mean of the clusters' colours weighted by its membership."""
    model = GaussianMixture(3, random_state=0).fit(X)
    ax = responsibilities(X, model)
    colors = np.array([to_rgb(color) for color in cluster_colors(3)])
    np.testing.assert_allclose(
        ax.collections[0].get_facecolor()[:, :3], model.predict_proba(X) @ colors, atol=1e-9
    )


def test_what_is_missing_to_one_is_grey():
    """Law: a row that belongs to nothing is grey; HDBSCAN's membership is drawn."""
    ax = responsibilities([[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(ax.collections[0].get_facecolor()[0, :3], to_rgb(color_of(-1)))
    assert responsibilities(X, HDBSCAN(min_cluster_size=10).fit(X)).collections


def test_wrong_arguments_are_refused():
    """Law: shares outside (0, 1), models that are no mixture, memberships of another shape are refused."""
    model = GaussianMixture(2, random_state=0).fit(X)
    with pytest.raises(InvalidParameter, match="shares of mixture must be numbers between 0 and 1"):
        mixture(X, model, shares=(1.5,))
    with pytest.raises(
        InvalidParameter, match="model of mixture must be a fitted Gaussian mixture, got KMeans"
    ):
        mixture(X, KMeans(2).fit(X))
    with pytest.raises(InvalidData, match=r"responsibilities needs memberships of shape \(120, n_clusters\)"):
        responsibilities(X, np.ones((3, 2)))
    with pytest.raises(InvalidData, match="got KMeans"):
        responsibilities(X, KMeans(2).fit(X))
