"""BIRCH: what is refused, and rows that hardly differ."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import coterie
from coterie.cluster import AgglomerativeClustering, Birch
from coterie.errors import CoterieError, InvalidParameter, ModelFileError

X = np.random.default_rng(0).normal(size=(400, 3)) + np.repeat([[0.0], [4.0], [8.0], [12.0]], 100, axis=0)

REFUSED = {
    "threshold": [
        (0, "greater than 0"),
        (-1.0, "greater than 0"),
        ("wide", "greater than 0"),
        (np.nan, "number"),
    ],
    "branching_factor": [(1, "of at least 2"), (2.5, "whole number"), (True, "whole number")],
    "n_clusters": [
        (0, "None, a whole number of at least 1 or an estimator with fit_predict, got 0"),
        (2.0, "estimator"),
        (AgglomerativeClustering, "estimator"),
        ("ward", "estimator"),
    ],
    "compute_labels": [("yes", "True or False")],
    "n_jobs": [(0, "n_jobs must be None"), ("all", "whole number")],
    "progress": [(3, "callable")],
}


@pytest.mark.parametrize(
    ("name", "value", "words"), [(name, *case) for name, wrong in REFUSED.items() for case in wrong]
)
def test_parameters_that_are_refused(name, value, words):
    """Law: a wrong parameter is named, with what it may be, by fit and by partial_fit."""
    for method in ("fit", "partial_fit"):
        with pytest.raises(InvalidParameter, match=words):
            getattr(Birch(**{name: value}), method)(X)


def test_rows_that_are_refused():
    """Law: what is not a table of finite numbers of the right width is refused; the model stays as it was."""
    model = Birch().fit(X)
    centers = model.subcluster_centers_.copy()
    for rows, words in (
        (np.array([[np.nan, 1, 2]]), "contains NaN"),
        (np.array([[1, np.inf, 2]]), "contains infinity"),
        (X[:0], "0 sample"),
        (X[:, :2], "X has 2 features, but Birch is expecting 3 features"),
        (np.array([["a", "b", "c"]]), "must be numbers"),
    ):
        for method in ("partial_fit", "predict", "transform"):
            with pytest.raises(CoterieError, match=words):
                getattr(model, method)(rows)
    with pytest.raises(CoterieError, match="Negative values in data passed to `sample_weight`"):
        model.partial_fit(X, sample_weight=-np.ones(400))
    with pytest.raises(InvalidParameter, match="sample_weight of Birch weighs rows, got weights without X"):
        model.partial_fit(sample_weight=[1.0])
    np.testing.assert_array_equal(model.subcluster_centers_, centers)


def test_before_fit():
    """Law: without a tree there is nothing to cluster, place or measure."""
    for ask in (Birch().partial_fit, lambda: Birch().predict(X), lambda: Birch().transform(X)):
        with pytest.raises(NotFittedError):
            ask()


@pytest.mark.parametrize("rows", [X[:1], np.repeat(X[:1], 30, axis=0), np.zeros((30, 3))])
def test_fewer_subclusters_than_clusters(rows):
    """Law: one row, or equal rows, are one subcluster: a warning as in scikit-learn, and one label."""
    with pytest.warns(
        ConvergenceWarning, match=r"subclusters found \(1\) by Birch is less than n_clusters=3"
    ):
        model = Birch().fit(rows)
    assert set(model.labels_.tolist()) == {0}
    assert Birch(n_clusters=1).fit(rows).labels_.tolist() == [0] * len(rows)


def test_an_estimator_that_loses_labels():
    """Law: a clusterer must label every subcluster."""

    class Short:
        def fit_predict(self, X):
            return np.zeros(1)

    with pytest.raises(
        CoterieError, match=r"one label per subcluster, \d+ in all, got an array of shape .1,."
    ):
        Birch(n_clusters=Short()).fit(X)


def test_centres_beyond_squares_have_no_file(tmp_path):
    """Law: distances to the centres of a saved model are numbers; `save` and `load` check the same schema."""
    model = Birch(n_clusters=2).fit([[0.0, 0.0], [5.0, 5.0]])
    model.subcluster_centers_ = model.subcluster_centers_ + 1e300
    with pytest.raises(ModelFileError, match="subcluster_centers_ of Birch must hold numbers of at most"):
        coterie.save(model, tmp_path / "m.safetensors")
