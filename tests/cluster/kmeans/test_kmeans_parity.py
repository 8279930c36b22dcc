"""From the same start, the same result as scikit-learn's classes."""

import inspect

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from coterie import cluster

OURS_ONLY = {"improve", "tol_inertia", "history", "progress", "geometry", "missing"}


@st.composite
def problems(draw):
    """Continuous data, so that ties have no chance, with rows of them as the start, and weights or none."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(5, 300)), draw(st.integers(1, 12))
    k = draw(st.integers(1, min(n, 20)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    X = (random.normal(size=(n, d)) * 10 ** draw(st.integers(-3, 3)) + draw(st.sampled_from([0, 5]))).astype(
        dtype
    )
    weights = random.uniform(0.1, 3, size=n) if draw(st.booleans()) else None
    return X, X[random.permutation(n)[:k]].copy(), weights


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@given(problem=problems(), max_iter=st.sampled_from([1, 3, 300]))
@settings(max_examples=60)
def test_same_start_same_result(container, problem, max_iter):
    """Law: from the same start inertia, labels, centres and iterations are scikit-learn's."""
    X, start, weights = problem
    how = {"n_clusters": len(start), "init": start, "n_init": 1, "max_iter": max_iter, "tol": 0}
    ours = cluster.KMeans(**how).fit(container(X), sample_weight=weights)
    theirs = sklearn.cluster.KMeans(**how).fit(container(X), sample_weight=weights)
    rounding = 1e-6 * float((X.astype(np.float64) ** 2).sum())  # of squares in float32, theirs included
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5, abs=rounding)
    if X.dtype == np.float64:
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-6, atol=1e-6)
        assert abs(ours.n_iter_ - theirs.n_iter_) <= 1  # a shift of 0 here may be 1e-17 there


@given(problem=problems())
@settings(max_examples=30)
def test_same_model_same_predictions(problem):
    """Law: given the same centres, predict, transform and score are scikit-learn's."""
    X, start, weights = (part if part is None else part.astype(np.float64) for part in problem)
    how = {"n_clusters": len(start), "init": start, "n_init": 1, "max_iter": 2}
    ours, theirs = cluster.KMeans(**how).fit(X), sklearn.cluster.KMeans(**how).fit(X)
    new = X[::-1] * 1.1
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-6, atol=1e-6)
    assert ours.score(new, sample_weight=weights) == pytest.approx(theirs.score(new, sample_weight=weights))


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans", "k_means", "kmeans_plusplus"])
def test_same_parameters_and_defaults(name):
    """Law: every parameter of scikit-learn exists with its default and kind; ours are keyword-only."""
    ours = dict(inspect.signature(getattr(cluster, name)).parameters)
    for key, theirs in inspect.signature(getattr(sklearn.cluster, name)).parameters.items():
        mine = ours.pop(key)
        assert mine.kind == theirs.kind
        if key == "algorithm":
            assert mine.default == "auto"  # the same labels, faster
        else:
            assert mine.default == theirs.default
    assert set(ours) <= OURS_ONLY
    assert all(parameter.kind == parameter.KEYWORD_ONLY for parameter in ours.values())


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans"])
def test_same_attributes_and_methods(name):
    """Law: every public attribute and method of a fitted scikit-learn model exists here."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    ours, theirs = (getattr(module, name)(3, random_state=0).fit(X) for module in (cluster, sklearn.cluster))
    public = {key for key in dir(theirs) if not key.startswith("_")}
    assert public <= set(dir(ours))
    for key in public & set(vars(theirs)):
        assert type(getattr(ours, key)) is type(getattr(theirs, key)) or key == "algorithm"


def test_minibatch_reaches_what_theirs_reaches():
    """Law: over seeds, our mini-batches end at an inertia like scikit-learn's."""
    X = np.random.default_rng(0).normal(size=(4000, 4)) + np.repeat(np.arange(8), 500)[:, None] * 3.0
    means = [
        np.mean([kind(8, random_state=seed, n_init=3).fit(X).inertia_ for seed in range(8)])
        for kind in (cluster.MiniBatchKMeans, sklearn.cluster.MiniBatchKMeans)
    ]
    assert means[0] <= means[1] * 1.1
