"""Views of many columns in the plane: clusplot, embedding, shepard, and what is behind them."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from coterie.cluster import KMeans, KMedoids
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.layout.planes import principal_components
from coterie.show.plots import clusplot, embedding, shepard
from coterie.show.plots.drawing.ellipses import points_ellipse, spanning_ellipse
from coterie.show.plots.drawing.projection import plane_of

IRIS, SPECIES = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)


def inside(shape, points):
    """Return the squared radius of points in units of the ellipse: at most 1 inside."""
    angle = np.radians(shape.angle)
    away = points - shape.center
    along = away @ [np.cos(angle), np.sin(angle)]
    aside = away @ [-np.sin(angle), np.cos(angle)]
    return (2 * along / shape.width) ** 2 + (2 * aside / shape.height) ** 2


def test_clusplot_of_the_lecture():
    """Law: two components of standardised iris explain 95.81 %; medoids 8, 79, 113 are ringed (deck 003)."""
    model = KMedoids(3, random_state=0).fit(IRIS)
    ax = clusplot(IRIS, model)
    assert ax.texts[-1].get_text().startswith("These two components explain 95.81 % of the variance")
    assert len(ax.patches) == 3
    rings = next(c for c in ax.collections if c.get_label() == "medoids")
    places = principal_components(IRIS, standardise=True).places
    expected = places[[7, 78, 112]]
    np.testing.assert_allclose(np.sort(rings.get_offsets(), axis=0), np.sort(expected, axis=0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("component 1 (73.0 %)", "component 2 (22.9 %)")


def test_clusplot_ellipses_hold_every_row():
    """Law: every row lies in the ellipse of its cluster, and some touch it."""
    places = principal_components(IRIS, standardise=True).places
    for label in range(3):
        reach = inside(spanning_ellipse(places[label == SPECIES]), places[label == SPECIES])
        assert reach.max() == pytest.approx(1, abs=1e-6)


def test_spanning_ellipse_agrees_with_its_dual():
    """Law: the area is the least: no corner reaches beyond the optimum of the dual problem."""
    for n in (3, 10, 200):
        points = RNG.normal(size=(n, 2)) @ [[3.0, 1.0], [0.0, 0.5]]
        shape = spanning_ellipse(points)
        reach = inside(shape, points)
        assert reach.max() <= 1 + 1e-6
        assert (reach > 0.98).sum() >= 3  # at least three points carry the smallest ellipse


def test_clusplot_without_standardising_is_plain_pca():
    """Law: standardise=False gives the shares of PCA on the columns as they are."""
    shares = PCA(2).fit(IRIS).explained_variance_ratio_
    ax = clusplot(IRIS, SPECIES, standardise=False, ellipses=False)
    assert f"{100 * shares.sum():.2f} %" in ax.texts[-1].get_text()
    assert len(ax.patches) == 0


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("shape", [(40, 5), (6, 30)])
def test_components_agree_with_scikit_learn(standardise, shape):
    """Law: places and shares are those of scikit-learn's PCA, up to the sign of a component."""
    X = RNG.normal(size=shape)
    X = X + X[:, :1]
    prepared = (X - X.mean(0)) / X.std(0) if standardise else X
    peer = PCA(2).fit(prepared)
    found = principal_components(X, standardise=standardise)
    np.testing.assert_allclose(np.abs(found.places), np.abs(peer.transform(prepared)), atol=1e-9)
    np.testing.assert_allclose(found.shares, peer.explained_variance_ratio_)
    np.testing.assert_allclose(found.project(X[:3]), found.places[:3])


def test_a_plane_lifts_back():
    """Law: what is lifted from the plane is drawn at the place it was lifted from."""
    for columns in (1, 2, 5):
        plane = plane_of(RNG.normal(size=(20, columns)), None)
        places = RNG.normal(size=(4, 2)) * (1 if columns > 1 else [1, 0])
        np.testing.assert_allclose(plane.project(plane.lift(places)), places, atol=1e-12)


def test_spanning_ellipse_has_the_least_area():
    """Law: the ellipse about the corners of a square is its circle; fewer points are held too."""
    square = np.array([[0, 0], [2, 0], [0, 2], [2, 2.0]])
    shape = spanning_ellipse(square)
    assert shape.width * shape.height == pytest.approx(8, rel=1e-3)
    for few in (square[:1], square[:2], np.array([[0, 0], [1, 1], [3, 3], [2, 2.0]])):
        line = spanning_ellipse(few)
        np.testing.assert_allclose(line.center, (few.min(0) + few.max(0)) / 2)
        assert line.width == pytest.approx(np.linalg.norm(np.ptp(few, axis=0)))
    assert points_ellipse(square[:2], 0.9) is None


def test_embedding_draws_the_first_two_columns():
    """Law: rows stand where the embedding puts them, on axes named after it, in one unit."""
    model = KMeans(3, random_state=0).fit(IRIS)
    places = RNG.normal(size=(150, 3))
    ax = embedding(places, model, kind="t-SNE")
    drawn = np.concatenate([c.get_offsets() for c in ax.collections])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(places[:, :2], axis=0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("t-SNE 1", "t-SNE 2")
    assert ax.get_aspect() == 1.0
    with pytest.raises(InvalidData, match="places of embedding must have two columns or more"):
        embedding(places[:, :1], model)


def test_embedding_says_that_it_is_a_sample():
    """Law: a map of some rows says of how many; a map of all rows says nothing."""
    ax = embedding(IRIS[:, :2], SPECIES, kind="PCA", sample_of=1_000_000)
    said = "A random sample of 150 of 1,000,000 rows, some of every cluster."
    assert [text.get_text() for text in ax.texts] == [said]
    assert not embedding(IRIS[:, :2], SPECIES, sample_of=150).texts


def test_shepard_draws_every_pair_and_their_correlation():
    """Law: a point per pair, the correlation of NumPy in the title; square and condensed give the same."""
    given, shown = pdist(IRIS[:40]), pdist(IRIS[:40, 2:])
    ax = shepard(squareform(given), shown)
    assert len(ax.collections[0].get_offsets()) == 780
    assert ax.get_title(loc="left") == f"780 pairs, correlation {np.corrcoef(given, shown)[0, 1]:.3f}"
    slope = ax.lines[0].get_ydata()[1] / ax.lines[0].get_xdata()[1]
    assert slope == pytest.approx(np.linalg.lstsq(given[:, None], shown)[0][0])
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == [f"best line through 0: {slope:.3g} × distance"]


def test_shepard_of_many_pairs_is_a_density():
    """Law: above 20,000 pairs hexagons are drawn whose counts are all pairs."""
    given = RNG.uniform(size=30_000)
    ax = shepard(given, 2 * given)
    assert ax.collections[0].get_array().sum() == 30_000


def test_wrong_arguments_are_refused():
    """Law: distances that do not fit, flags that are none: one line with the way out."""
    with pytest.raises(InvalidData, match="shepard needs as many distances as shown, 3, got 2"):
        shepard([1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(InvalidData, match="shown of shepard must be condensed or square distances"):
        shepard([1.0], np.zeros((2, 3)))
    with pytest.raises(InvalidParameter, match="standardise of clusplot must be True or False, got 'yes'"):
        clusplot(IRIS, SPECIES, standardise="yes")
