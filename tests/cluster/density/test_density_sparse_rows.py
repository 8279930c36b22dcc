"""Sparse rows, and distances of scikit-learn that take none, in the three density-based methods."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.cluster
from scipy.sparse import coo_matrix, csr_array

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS
from coterie.errors import InvalidParameter

DENSITY = [DBSCAN(1.0), HDBSCAN(), OPTICS()]
ROWS = np.round(np.random.default_rng(0).normal(size=(60, 3)), 2) + 4.0 * (np.arange(60) % 2)[:, None]


@pytest.mark.parametrize("model", DENSITY, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("metric", ["chebyshev", "minkowski", "mahalanobis", "yule", "nan_euclidean"])
def test_sparse_rows_mean_what_dense_rows_mean(model, metric):
    """The form of the rows changes nothing, in the fit or for new rows, whoever measures."""
    model.set_params(metric=metric, metric_params={"p": 3.0} if metric == "minkowski" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of booleans, of p given twice, of almost all in one cluster
        dense = model.fit(ROWS)
        labels, placed = dense.labels_, dense.predict(ROWS[:9] + 0.01)
        for form in (csr_array, coo_matrix):
            assert np.array_equal(model.fit(form(ROWS)).labels_, labels)
            assert np.array_equal(model.predict(csr_array(ROWS[:9] + 0.01)), placed)
            assert np.array_equal(model.predict(ROWS[:9] + 0.01), placed)


@pytest.mark.parametrize("fitted", [np.asarray, csr_array])
def test_optics_knows_its_rows_in_either_form(fitted):
    """A row of the fit gets its label, dense or sparse."""
    model = OPTICS(metric="euclidean").fit(fitted(ROWS))
    assert np.array_equal(model.predict(ROWS), model.labels_)
    assert np.array_equal(model.predict(csr_array(ROWS)), model.labels_)


@pytest.mark.parametrize("model", DENSITY, ids=lambda model: type(model).__name__)
def test_what_a_distance_does_not_take_is_said(model):
    """Errors of scikit-learn's distances are ours, with a way out."""
    model.set_params(metric="yule", metric_params={"nonesuch": 1})
    with pytest.raises(InvalidParameter, match=r"(?s)metric='yule' of .* does not take .*distances\(\)"):
        model.fit(ROWS > 1)


@pytest.mark.parametrize("model", [DBSCAN(0.2), HDBSCAN()], ids=lambda model: type(model).__name__)
def test_booleans_are_told_of_once(model):
    """The fit says that rows become booleans; predict does not say it again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(metric="yule", metric_params=None).fit((ROWS > 1).astype(float))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict((ROWS > 1).astype(float))


@pytest.mark.parametrize("metric", ["infinity", "p", "spearman", "mahalanobis", "seuclidean"])
def test_medoids_of_every_distance(metric):
    """HDBSCAN finds the row with the least sum of distances, whether or not scikit-learn has the pairs."""
    model = HDBSCAN(metric=metric, store_centers="medoid", allow_single_cluster=True).fit(ROWS)
    assert model.medoids_.shape == (model.labels_.max() + 1, 3)
    assert all((row == ROWS).all(axis=1).any() for row in model.medoids_)


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("squared", [2, 3, 5, 6, 7])
@pytest.mark.parametrize("dtype", [bool, float])
def test_sparse_pairs_on_the_radius_are_scikit_learns(squared, dtype):
    """Euclidean distances of sparse rows are compared by their squares too."""
    X = csr_array((np.random.default_rng(squared).random((40, 17)) > 0.7).astype(dtype))
    for eps in (np.sqrt(squared), np.nextafter(np.sqrt(squared), 0)):
        theirs = sklearn.cluster.DBSCAN(eps, min_samples=2).fit(X)
        assert np.array_equal(DBSCAN(eps, min_samples=2).fit(X).labels_, theirs.labels_)


@pytest.mark.parametrize("distance", [-1.0, np.nan, "near", None])
def test_a_cut_is_at_a_distance(distance):
    """dbscan_clustering refuses what is not a distance; infinity is one."""
    model = HDBSCAN().fit(ROWS)
    assert model.dbscan_clustering(np.inf).max() == 0
    with pytest.raises(InvalidParameter, match="cut_distance of dbscan_clustering must be"):
        model.dbscan_clustering(distance)


def test_new_rows_of_a_function_have_the_form_of_the_fit():
    """A function of two sparse rows is given two sparse rows, also where new rows are dense."""

    def manhattan(a, b):
        return float(abs(a - b).sum())

    model = HDBSCAN(min_cluster_size=5, metric=manhattan).fit(csr_array(ROWS[:30]))
    new = ROWS[:4] + 0.01
    assert np.array_equal(model.predict(new), model.predict(csr_array(new)))
    assert np.array_equal(model.membership(new), model.membership(csr_array(new)))
