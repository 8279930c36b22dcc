"""Laws over methods with a number of clusters: rows that do not suffice for them are no failure."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import BisectingKMeans, methods
from coterie.errors import CoterieError, DataNotice

PLACES = np.array([[0.0, 1.0], [0.1, 0.1], [1e6, -1.0]])
METHODS = {
    method.name: method.load()
    for method in methods()
    if {"n_clusters", "n_components"} & set(inspect.signature(method.load()).parameters)
}


@st.composite
def few_places(draw):
    """Return which of three places each row is at, a number of clusters, and a seed."""
    at = draw(st.lists(st.integers(0, 2), min_size=2, max_size=12))
    return np.array(at), draw(st.integers(1, len(at))), draw(st.integers(0, 99))


def fit(kind, X, k, seed, **options):
    """Fit without the warnings that are meant for such data; any other is an error."""
    known = inspect.signature(kind).parameters
    wanted = {"n_clusters": k, "n_components": k, "random_state": seed, **options}
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, DataNotice, UserWarning):
            warnings.simplefilter("ignore", category)
        warnings.simplefilter("error", RuntimeWarning)
        return kind(**{name: value for name, value in wanted.items() if name in known}).fit(X)


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=25)
@given(few_places())
def test_fewer_different_rows_than_clusters(name, case):
    """Law: copies of up to three rows give labels of at most k clusters, or an error in words."""
    at, k, seed = case
    try:
        model = fit(METHODS[name], PLACES[at], k, seed)
    except CoterieError:
        assert name in (
            "mixture",
            "bayesian-mixture",
            "spectral",
        )  # which say that a component or the graph is degenerate
        return
    assert model.labels_.shape == at.shape
    assert set(model.labels_) <= set(range(k))


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
@pytest.mark.parametrize("init", ["random", "k-means++"])
@settings(max_examples=25)
@given(few_places())
def test_bisections_of_equal_rows(strategy, init, case):
    """Law: a group of equal rows is not split, and no two groups are at one place."""
    at, k, seed = case
    model = fit(BisectingKMeans, PLACES[at], k, seed, bisecting_strategy=strategy, init=init)
    assert len(model.cluster_centers_) == min(k, len(np.unique(at)))
    np.testing.assert_array_equal(model.predict(PLACES[at]), model.labels_)
    assert len(np.unique(model.labels_)) == len(model.cluster_centers_)


def test_a_mean_that_rounding_moved():
    """Law: copies whose mean is off by a bit are one group; the warning counts the clusters of the fit."""
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"
    ):
        model = BisectingKMeans(3, random_state=0, bisecting_strategy="largest_cluster").fit(
            [[1.0]] * 3 + [[0.0]] * 6
        )
    assert model.labels_.tolist() == [1] * 3 + [0] * 6
