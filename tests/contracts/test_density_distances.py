"""Every distance of the catalogue, under every name, in every method of density."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS
from coterie.distance import distances, find_distance, pairwise_distances
from coterie.errors import DataNotice, InvalidData
from places import as_places
from stable_peers import equal_edges_in_order

DISTANCES = {distance.name: distance for distance in distances()}

METHODS = {"DBSCAN": DBSCAN, "HDBSCAN": HDBSCAN, "OPTICS": OPTICS}


def rounded_rows(distance):
    """Return rows with many equal distances, none of them constant or zero, of the distance's domain."""
    random = np.random.default_rng(3)
    centres = np.array([[1, 3, 9, 4], [8, 2, 1, 6], [5, 9, 3, 1]])
    X = np.repeat(centres, 25, axis=0) + random.integers(0, 3, (75, 4)) + [0.0, 0.25, 0.5, 0.75]
    if distance.domain == "places":
        return as_places(X)
    return X > 6 if distance.domain == "boolean" else X


def fitted(method, metric, X, params=None):
    eps = {"eps": float(np.quantile(pairwise_distances(X, metric=metric, **(params or {})), 0.2)) + 1e-9}
    model = METHODS[method](metric=metric, metric_params=params, **(eps if method == "DBSCAN" else {}))
    return model.fit(X)


@pytest.mark.filterwarnings("ignore:.*(boolean|All reachability|DBSCAN. )")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DISTANCES)
def test_names_aliases_and_distances_say_the_same(name, method):
    """Law: a distance by its name, by an alias or as a value gives the same labels, and predicts."""
    distance = find_distance(name)
    X = rounded_rows(distance)
    by_name = fitted(method, name, X)
    for metric in (*distance.aliases, distance):
        model = fitted(method, metric, X)
        np.testing.assert_array_equal(model.labels_, by_name.labels_)
        np.testing.assert_array_equal(model.predict(X[::7]), by_name.predict(X[::7]))


@pytest.mark.parametrize("algorithm", ["auto", "brute"])
@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski"])
def test_weights_of_columns_where_distances_tie(name, algorithm):
    """Law: HDBSCAN with a column of weight 0 is HDBSCAN without it, though scikit-learn has no weights."""
    X = rounded_rows(find_distance(name))
    weighted = HDBSCAN(metric=name, metric_params={"w": [1.0, 1.0, 0.0, 1.0]}, algorithm=algorithm).fit(X)
    without = HDBSCAN(metric=find_distance(name), algorithm=algorithm).fit(np.delete(X, 2, axis=1))
    assert weighted.labels_.max() == without.labels_.max()
    np.testing.assert_allclose(weighted._core_distances, without._core_distances)


@pytest.mark.parametrize("method", ["DBSCAN", "OPTICS"])
def test_an_alias_takes_the_exponent(method):
    """Law: `p` goes with the Minkowski distance under any of its names."""
    X = rounded_rows(find_distance("minkowski"))
    options = {"eps": 1.6, "cluster_method": "dbscan"} if method == "OPTICS" else {"eps": 1.6}
    by_name = METHODS[method](metric="minkowski", p=1, **options).fit(X)
    by_alias = METHODS[method](metric="pnorm", p=1, **options).fit(X)
    with_two = METHODS[method](metric="minkowski", p=2, **options).fit(X)
    np.testing.assert_array_equal(by_alias.labels_, by_name.labels_)
    assert (by_alias.labels_ != with_two.labels_).any()


def test_a_distance_keeps_its_parameters():
    """Law: a distance with an exponent of its own is that distance, ties or not."""
    X = rounded_rows(find_distance("minkowski"))
    value = HDBSCAN(metric=find_distance("minkowski", p=1)).fit(X)
    named = HDBSCAN(metric="minkowski", metric_params={"p": 1}).fit(X)
    np.testing.assert_array_equal(value.labels_, named.labels_)
    np.testing.assert_array_equal(value._core_distances, named._core_distances)


def rows_with_zeros(seed):
    random = np.random.default_rng(seed)
    X = np.where(random.random((80, 6)) < 0.5, 0, random.integers(0, 3, (80, 6))).astype(np.float64)
    X[random.integers(0, 80, 4)] = 0
    return X


@pytest.mark.filterwarnings("ignore:DBSCAN. ", "ignore:The default value of .copy", "ignore:divide by zero")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("DBSCAN", {"eps": 0.05, "min_samples": 1}),
        ("DBSCAN", {"eps": 0.3}),
        ("DBSCAN", {"eps": 1.0}),
        ("HDBSCAN", {"min_cluster_size": 3}),
        ("OPTICS", {"min_samples": 3}),
    ],
    ids=str,
)
def test_rows_without_direction(method, options, form):
    """Law: under the cosine a row of zeros is 1 from all others, with scikit-learn's labels and a notice."""
    for seed in range(3):
        X = form(rows_with_zeros(seed))
        model = METHODS[method](metric="cosine", **options)
        with pytest.warns(DataNotice, match="of 80 rows of X .* are zero and have no direction"):
            model.fit(X)
        with equal_edges_in_order():
            theirs = getattr(sklearn.cluster, method)(metric="cosine", **options).fit(X)
        np.testing.assert_array_equal(model.labels_, theirs.labels_)
        new = form(np.vstack([np.zeros(6), rows_with_zeros(seed)[:5] + 1]))
        assert model.predict(new).shape == (6,)


@pytest.mark.parametrize("method", METHODS)
def test_new_rows_without_direction(method):
    """Law: a new row of zeros is noise to a model of directions, even though no row of the fit was zero."""
    X = np.repeat(np.eye(3), 10, axis=0) + np.random.default_rng(0).uniform(0, 0.05, (30, 3))
    model = METHODS[method](metric="cosine", **({"eps": 0.1} if method == "DBSCAN" else {})).fit(X)
    assert model.predict(np.zeros((1, 3)))[0] == -1


@pytest.mark.parametrize("method", [method for method in METHODS if method != "DBSCAN"])
def test_constant_rows_have_no_profile(method):
    """Law: a constant row, which has no correlation, is refused where it cannot be noise as in DBSCAN."""
    X = np.vstack([np.ones(4), np.random.default_rng(0).normal(size=(30, 4))])
    with pytest.raises(InvalidData, match="row 0 of X is constant: its correlation distance is undefined"):
        METHODS[method](metric="correlation").fit(X)


@pytest.mark.filterwarnings("ignore:Data (was|will be) converted to boolean")
@pytest.mark.parametrize("method", METHODS)
def test_distances_of_scikit_learn_that_are_not_finite(method):
    """Law: a distance that only scikit-learn has, and that is not defined for some rows, is refused."""
    X = np.zeros((8, 4))
    X[4:, 1], X[6, 2] = 1, 1
    words = r"metric='sokalsneath' of .* gives distances that are not finite: 16 of 64 are NaN"
    with pytest.raises(InvalidData, match=words):
        METHODS[method](metric="sokalsneath", min_samples=2).fit(X)
