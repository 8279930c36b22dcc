"""Mini-batches: each centre is the mean of what it has seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from coterie.cluster import KMeans, MiniBatchKMeans
from coterie.cluster.kmeans.minibatch_fit import BatchState, StepRules, step
from coterie.errors import ParameterNotice

X = np.random.default_rng(0).normal(size=(1000, 3)) + np.repeat([[0.0], [6.0], [12.0], [18.0]], 250, axis=0)


def plain_step(rows, centers, counts, weights):
    """Do the textbook step, row by row."""
    centers, counts = centers.copy(), counts.copy()
    labels = ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    inertia = (weights * ((rows - centers[labels]) ** 2).sum(axis=1)).sum()
    for row, label, weight in zip(rows, labels, weights, strict=True):
        if weight > 0:
            counts[label] += weight
            centers[label] += (row - centers[label]) * weight / counts[label]
    return centers, counts, inertia


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 2**32), k=st.integers(1, 8), weighted=st.booleans())
@settings(max_examples=30)
def test_a_step_is_the_textbook_step(container, seed, k, weighted):
    """Law: one native step equals the row-by-row update, dense and sparse, with weights and without."""
    random = np.random.default_rng(seed)
    rows, centers = random.normal(size=(50, 4)), random.normal(size=(k, 4))
    counts = random.integers(0, 5, size=k).astype(float)
    weights = random.integers(0, 3, size=50).astype(float) if weighted else None
    rules = StepRules(0.0, 1, print)
    state, inertia = step(BatchState(centers, counts), container(rows), weights, random, rules)
    expected = plain_step(rows, centers, counts, np.ones(50) if weights is None else weights)
    np.testing.assert_allclose(state.centers, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(state.counts, expected[1])
    assert inertia == pytest.approx(expected[2])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finds_what_kmeans_finds(container, dtype):
    """Law: on separated groups mini-batches end close to k-means."""
    data = container(X.astype(dtype))
    exact = KMeans(4, random_state=0).fit(data)
    close = MiniBatchKMeans(4, random_state=0, batch_size=100).fit(data)
    assert close.inertia_ < 1.1 * exact.inertia_
    assert close.cluster_centers_.dtype == dtype
    assert not close.exact_
    assert exact.exact_


def test_a_stream_is_learnt():
    """Law: partial_fit over all rows gives each centre the mean of its rows, when none changes side."""
    model = MiniBatchKMeans(4, init=np.array([[0.0], [6.0], [12.0], [18.0]]) * np.ones(3))
    order = np.random.default_rng(1).permutation(1000)
    for rows in np.split(order, 20):
        model.partial_fit(X[rows])
    assert model.n_steps_ == 20
    assert model.labels_.shape == (50,)
    labels = model.predict(X)
    means = np.array([X[labels == label].mean(axis=0) for label in range(4)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=0.05)


def test_partial_fit_continues_fit():
    """Law: after fit the batches of partial_fit carry on with its counts."""
    model = MiniBatchKMeans(4, random_state=0).fit(X)
    before, steps = model.cluster_centers_.copy(), model.n_steps_
    model.partial_fit(X[:10] + 1.0)
    assert model.n_steps_ == steps + 1
    assert 0 < np.abs(model.cluster_centers_ - before).max() < 0.2


def test_weights_draw_rows():
    """Law: rows of weight 0 leave no trace in the centres, scaled weights change nothing."""
    data = np.vstack([X, X + 1000])
    weights = np.repeat([1.0, 0.0], 1000)
    model = MiniBatchKMeans(4, random_state=0).fit(data, sample_weight=weights)
    assert model.cluster_centers_.max() < 30
    scaled = MiniBatchKMeans(4, random_state=0).fit(data, sample_weight=8 * weights)
    np.testing.assert_array_equal(scaled.cluster_centers_, model.cluster_centers_)
    assert scaled.inertia_ == pytest.approx(8 * model.inertia_)


def test_labels_are_optional():
    """Law: without compute_labels there are no labels, also not old ones, and the inertia is an estimate."""
    model = MiniBatchKMeans(4, random_state=0, batch_size=100).fit(X)
    exact = model.inertia_
    model.set_params(compute_labels=False).fit(X)
    assert not hasattr(model, "labels_")
    assert model.inertia_ == pytest.approx(exact, rel=0.3)
    np.testing.assert_array_equal(model.predict(X[:5]).shape, (5,))
    assert MiniBatchKMeans(2, compute_labels=False, max_iter=1).fit(X[:4]).inertia_ >= 0


def test_stopping():
    """Law: patience, tolerance and max_iter each end the steps."""
    endless = {"tol": 0.0, "max_no_improvement": None, "batch_size": 100, "random_state": 0}
    assert MiniBatchKMeans(4, **endless, max_iter=3).fit(X).n_steps_ == 30
    patient = MiniBatchKMeans(4, **endless | {"max_no_improvement": 5}).fit(X)
    tolerant = MiniBatchKMeans(4, **endless | {"tol": 1e-3}).fit(X)
    assert max(patient.n_steps_, tolerant.n_steps_) < 1000
    assert patient.n_iter_ == int(np.ceil(patient.n_steps_ / 10))


def test_lost_centres_come_back():
    """Law: centres that see no rows are moved to rows; with reassignment_ratio=0 they stay lost."""
    start = np.vstack([X[:1], np.full((3, 3), 1e6)])
    found = MiniBatchKMeans(4, init=start, random_state=0, batch_size=200).fit(X)
    assert found.cluster_centers_.max() < 100
    lost = MiniBatchKMeans(4, init=start, random_state=0, batch_size=200, reassignment_ratio=0).fit(X)
    assert (lost.cluster_centers_ == 1e6).all(axis=1).sum() == 3
    eager = MiniBatchKMeans(4, init=start, random_state=0, batch_size=4, reassignment_ratio=2, max_iter=1)
    assert np.isfinite(eager.fit(X).cluster_centers_).all()


def test_init_size():
    """Law: starts are picked from init_size rows; too small a size is replaced, with a warning."""
    assert MiniBatchKMeans(4, init_size=40).fit(X)._init_size == 40
    assert MiniBatchKMeans(4, batch_size=10).fit(X)._init_size == 30
    assert MiniBatchKMeans(40, batch_size=10).fit(X)._init_size == 120
    for category in (RuntimeWarning, ParameterNotice):  # scikit-learn's, and ours
        with pytest.warns(category, match=r"init_size=3 should be larger than n_clusters=4"):
            assert MiniBatchKMeans(4, init_size=3).fit(X)._init_size == 12
