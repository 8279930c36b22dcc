"""Places on the sphere: scikit-learn's haversines, by trees and without a matrix."""

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import haversine_distances

import coterie
from coterie import _core
from coterie.cluster import DBSCAN, HDBSCAN, OPTICS, AgglomerativeClustering, KMeans, KMedoids
from coterie.distance import (
    find_distance,
    k_nearest,
    nearest,
    neighbours_within,
    pairwise_distances,
    spanning_tree,
)
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import adjusted_rand_score, silhouette_score
from places import over_the_globe, towns
from stable_peers import equal_edges_in_order

ANTIPODES = 3e-8  # a cosine of -1 leaves half the digits of an angle, here and in scikit-learn
DEGREES = {"units": "degrees", "distances": "km"}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-np.pi / 2, np.pi / 2), st.floats(-2 * np.pi, 2 * np.pi)), min_size=1, max_size=30
    )
)
def test_any_places_have_scikit_learns_distances(places):
    """Law: whatever the places, the matrix is scikit-learn's, at antipodes to 3e-8."""
    X = np.array(places)
    ours, theirs = pairwise_distances(X, metric="haversine"), haversine_distances(X)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ANTIPODES)
    is_near = theirs < 2
    np.testing.assert_allclose(ours[is_near], theirs[is_near], rtol=1e-14, atol=2e-15)
    assert (ours == ours.T).all()
    assert not np.diagonal(ours).any()


def test_poles_antipodes_and_the_date_line():
    """Law: a pole is one place on every meridian, 180 is -180, antipodes are half a turn apart."""
    degrees = np.array([[90.0, 0.0], [90.0, 137.0], [0.0, 180.0], [0.0, -180.0], [0.0, 0.0], [-90.0, 5.0]])
    D = pairwise_distances(degrees, metric="haversine", units="degrees", distances="degrees")
    assert D[0, 1] == pytest.approx(0, abs=1e-13)
    assert D[2, 3] == 0
    np.testing.assert_allclose(D[[0, 2, 0, 4], [5, 4, 4, 5]], [180, 180, 90, 90], rtol=1e-15)
    near = pairwise_distances([[0.0, 179.9], [0.0, -179.9]], metric="haversine", **DEGREES)
    assert near[0, 1] == pytest.approx(np.radians(0.2) * 6371.0088)


@pytest.mark.parametrize(("distances", "apart"), [("km", 504.339), ("m", 504_339), ("miles", 313.382)])
def test_distances_on_the_earth(distances, apart):
    """Law: Munich and Berlin are 504 km apart on a sphere of the Earth's mean radius."""
    cities = [[48.137, 11.575], [52.52, 13.405]]
    D = pairwise_distances(cities, metric="haversine", units="degrees", distances=distances)
    assert D[0, 1] == pytest.approx(apart, rel=1e-5)


def test_arcs_of_chords():
    """Law: 2 asin(chord / 2) to four units in the last place, from the smallest chords to antipodes."""
    squared = np.concatenate([np.logspace(-300, 0, 4000), np.linspace(0, 4, 4001)])
    points = np.sqrt(squared / 4)[:, None]
    metric = _core.Metric(_core.Kernel.squared_difference, _core.Finish.arc, 1.0)
    arcs = _core.pairwise(np.ascontiguousarray(2 * points), np.zeros((1, 1)), metric)[:, 0]
    chords = np.minimum((2 * points[:, 0]) ** 2, 4.0)
    np.testing.assert_allclose(arcs, 2 * np.arcsin(np.sqrt(chords) / 2), rtol=1e-15)


@pytest.mark.parametrize("algorithm", ["kd_tree", "tiles"])
def test_neighbours_are_those_of_the_matrix(algorithm):
    """Law: both engines find the neighbours of scikit-learn's matrix, at poles and antipodes too."""
    X, Y = over_the_globe(700, 1), over_the_globe(900, 2)
    theirs = haversine_distances(X, Y)
    options = {"metric": "haversine", "algorithm": algorithm}
    near = k_nearest(X, Y, 7, **options)
    np.testing.assert_allclose(near.distance, np.sort(theirs, axis=1)[:, :7], atol=1e-14)
    np.testing.assert_array_equal(nearest(X, Y, **options).index, theirs.argmin(axis=1))
    all_of_them = k_nearest(X[:50], Y, 900, **options)
    np.testing.assert_allclose(all_of_them.distance, np.sort(theirs[:50], axis=1), atol=ANTIPODES)
    for radius in (0.1, 1.7, 3.0):
        within = neighbours_within(X, Y, radius, **options)
        np.testing.assert_array_equal(np.diff(within.starts), (theirs <= radius).sum(axis=1))
    everything = neighbours_within(X[:9], Y, 3.5, **options)
    assert (np.diff(everything.starts) == 900).all()


def test_a_distance_is_within_itself():
    """Law: the radius that a tree returned reaches the row that it is the distance of."""
    X = over_the_globe(600, 3)
    far = k_nearest(X, n_neighbors=40, metric="haversine")
    for row in range(0, 600, 7):
        found = neighbours_within(X[[row]], X, far.distance[row, -1], "haversine", algorithm="kd_tree")
        assert len(found.index) >= 41


@pytest.mark.parametrize("with_core", [False, True])
def test_spanning_trees_are_those_of_the_matrix(with_core):
    """Law: the tree by a kd-tree is as long as that of the matrix, of mutual reachability too."""
    X, D = over_the_globe(800, 4), haversine_distances(over_the_globe(800, 4))
    np.fill_diagonal(D, 0)
    core = np.sort(D, axis=1)[:, 4] if with_core else None
    tree = spanning_tree(X, "haversine", core_distances=core)
    assert tree.algorithm_used == "kd_tree"
    expected = spanning_tree((D + D.T) / 2, "precomputed", core_distances=core)
    np.testing.assert_allclose(tree.distance, expected.distance, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_dbscan_has_scikit_learns_labels(seed):
    """Law: over the date line and near a pole, labels and core points are scikit-learn's."""
    X, _ = towns(3000, seed=seed)
    for eps, min_samples in ((0.0004, 5), (0.001, 8), (0.01, 3)):
        ours = DBSCAN(eps, min_samples=min_samples, metric="haversine").fit(X)
        theirs = sklearn.cluster.DBSCAN(
            eps=eps, min_samples=min_samples, metric="haversine", algorithm="ball_tree"
        ).fit(X)
        assert ours.algorithm_used_ == "kd_tree"
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    km = DBSCAN(0.001 * 6371.0088, min_samples=8, metric="haversine", metric_params=DEGREES)
    again = DBSCAN(0.001, min_samples=8, metric="haversine").fit(X)
    np.testing.assert_array_equal(km.fit(np.degrees(X)).labels_, again.labels_)


@pytest.mark.parametrize("seed", range(3))
def test_hdbscan_has_scikit_learns_labels(seed):
    """Law: labels and strengths are scikit-learn's, without a matrix."""
    X, town = towns(2000, seed=seed)
    with equal_edges_in_order():
        theirs = sklearn.cluster.HDBSCAN(min_cluster_size=20, metric="haversine", copy=True).fit(X)
    ours = HDBSCAN(20, metric="haversine").fit(X)
    assert ours.algorithm_used_ == "kd_tree"
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
    assert adjusted_rand_score(town, ours.labels_) > 0.8
    np.testing.assert_array_equal(
        ours.predict(X)[ours.probabilities_ > 0.5], ours.labels_[ours.probabilities_ > 0.5]
    )


def test_optics_has_scikit_learns_order():
    """Law: order, reachability and labels are scikit-learn's."""
    X, _ = towns(900, seed=1)
    ours = OPTICS(min_samples=8, metric="haversine").fit(X)
    theirs = sklearn.cluster.OPTICS(min_samples=8, metric="haversine").fit(X)
    np.testing.assert_array_equal(ours.ordering_, theirs.ordering_)
    np.testing.assert_allclose(ours.reachability_, theirs.reachability_, atol=1e-12)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


def test_methods_of_a_matrix_take_places():
    """Law: k-medoids, trees of merges and silhouettes of places are those of their matrix."""
    X, town = towns(500, k=6, seed=2)
    D = pairwise_distances(X, metric="haversine")
    for linkage in ("average", "complete", "single"):
        merged = AgglomerativeClustering(6, metric="haversine", linkage=linkage).fit(X)
        given_matrix = AgglomerativeClustering(6, metric="precomputed", linkage=linkage).fit(D)
        assert adjusted_rand_score(merged.labels_, given_matrix.labels_) == 1
    medoids = KMedoids(6, metric="haversine", random_state=0).fit(X)
    assert adjusted_rand_score(town, medoids.labels_) == 1
    np.testing.assert_array_equal(medoids.predict(X), medoids.labels_)
    score = sklearn.metrics.silhouette_score(D, town, metric="precomputed")
    assert silhouette_score(X, town, metric="haversine") == pytest.approx(score, rel=1e-12)


def test_models_of_places_are_saved(tmp_path):
    """Law: a model file keeps the units: what is loaded places new rows alike."""
    X, _ = towns(600, seed=3)
    for model in (
        DBSCAN(5.0, metric="haversine", metric_params=DEGREES),
        KMedoids(4, metric="haversine", metric_params=DEGREES, random_state=0),
        HDBSCAN(10, metric="haversine", metric_params=DEGREES),
    ):
        fitted = model.fit(np.degrees(X))
        coterie.save(fitted, tmp_path / "model.coterie", force=True)
        again = coterie.load(tmp_path / "model.coterie")
        np.testing.assert_array_equal(again.predict(np.degrees(X[:50])), fitted.predict(np.degrees(X[:50])))


@pytest.mark.filterwarnings("ignore:.*rows are in one cluster")
def test_one_place_and_equal_places():
    """Law: one place and copies of a place are groups like any other, or refused as in any other distance."""
    same = np.tile([[0.5, 1.0]], (700, 1))
    assert DBSCAN(1e-9, metric="haversine").fit(same).labels_.max() == 0
    assert not pairwise_distances(same[:3], metric="haversine").any()
    assert HDBSCAN(metric="haversine", allow_single_cluster=True).fit(same).labels_.max() <= 0
    assert pairwise_distances([[0.5, 1.0]], metric="haversine").tolist() == [[0.0]]
    with pytest.raises(InvalidData, match="more than one sample"):
        HDBSCAN(metric="haversine").fit(same[:1])


@pytest.mark.parametrize(
    ("rows", "params", "message"),
    [
        (
            [[0.1, 0.2], [48.1, 11.6]],
            {},
            r"row 1 of X has latitude 48\.1, which is beyond pi/2 and looks like deg",
        ),
        (
            [[1.35, 103.8]],
            {},
            r"longitude 103\.8, which is beyond 2 pi and looks like degrees.*\"degrees\"\}",
        ),
        (
            [[3.0, 1.0]],
            {},
            r"latitude 3, which is beyond pi/2\. Are the columns swapped\? Latitude comes first",
        ),
        ([[1e5, 3.0]], {}, r"latitude 100000, which is beyond pi/2\. .*in radians: correct such rows"),
        ([[120.0, 11.6]], DEGREES, r"latitude 120, which is beyond 90\. Are the columns swapped"),
        ([[91.0, 200.0]], DEGREES, r"latitude 91, which is beyond 90\. .* in degrees: correct"),
        ([[12.0, 500.0]], DEGREES, r"longitude 500, which is beyond 360"),
        ([[1e100, 1e100]], {}, r"latitude 1e\+100, which is beyond pi/2"),
        (
            [[0.1, 0.2, 0.3]],
            {},
            r"two columns, latitude and longitude, got 3: Haversine distance only valid in 2",
        ),
        ([[0.1]], {}, r"two columns, latitude and longitude, got 1"),
        ([[0.1, np.nan]], {}, "Input X contains NaN"),
        ([[0.1, np.inf]], {}, "infinity"),
    ],
)
def test_what_is_not_a_place_is_said(rows, params, message):
    """Law: a row that is not a place is named, with what it looks like and what to do, by every method."""
    for call in (
        lambda: pairwise_distances(rows, metric="haversine", **params),
        lambda: DBSCAN(metric="haversine", metric_params=params).fit(rows),
        lambda: KMedoids(1, metric="haversine", metric_params=params).fit(rows),
    ):
        with pytest.raises(InvalidData, match=message):
            call()


def test_new_rows_are_checked_too():
    """Law: predict refuses what fit refuses."""
    model = DBSCAN(0.01, metric="haversine").fit(towns(100)[0])
    with pytest.raises(InvalidData, match="looks like degrees"):
        model.predict([[48.1, 11.6]])


def test_units_that_do_not_exist():
    """Law: units are named where one is not known; there is no mean of places for k-means."""
    with pytest.raises(InvalidParameter, match=r"units of haversine must be .*radians.*degrees.*got 'gon'"):
        find_distance("haversine", units="gon")
    for distances in ("parsec", 0, -1.0, np.inf, np.nan, True, None):
        with pytest.raises(
            InvalidParameter, match="distances of haversine must be one of radians, degrees, km"
        ):
            find_distance("haversine", distances=distances)
    with pytest.raises(InvalidParameter, match="Use KMedoids"):
        KMeans(2, geometry="haversine").fit(towns(50)[0])


def test_threads_do_not_matter():
    """Law: the same labels and distances for any number of threads."""
    X, _ = towns(4000, seed=5)
    for one, many in (
        (DBSCAN(0.001, metric="haversine", n_jobs=jobs).fit(X).labels_ for jobs in (1, 5)),
        (HDBSCAN(15, metric="haversine", n_jobs=jobs).fit(X).labels_ for jobs in (1, 5)),
        (pairwise_distances(X[:300], metric="haversine", n_jobs=jobs) for jobs in (1, 5)),
    ):
        np.testing.assert_array_equal(one, many)
