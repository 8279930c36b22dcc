"""K-means that takes in rows batch by batch, against a fit to all rows at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coterie
from coterie.cluster import ClusteringFeatures, KMeans
from coterie.errors import InvalidParameter, UnsupportedInput

# measured: 1.000 to 1.019 in these settings; a plain fit whose clusters are single features reaches 1.033
NEARLY_A_REFIT = 1.03


def drifting(n_columns, n_clusters, separation):
    """Six batches whose groups wander; half of the last one is a group that was never seen."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(n_clusters, n_columns)) * separation
    batches = [
        centres[rng.integers(n_clusters, size=3000)] + 0.15 * step + rng.normal(size=(3000, n_columns))
        for step in range(6)
    ]
    batches[-1][:1500] = rng.normal(size=(1500, n_columns)) + 4 * separation
    return batches


@pytest.mark.parametrize(("n_columns", "n_clusters", "separation"), [(2, 8, 3.0), (8, 8, 2.0), (8, 24, 2.0)])
def test_growing_is_nearly_a_refit(n_columns, n_clusters, separation):
    """Law: batch by batch, the inertia of all rows is within 3 % of a fit to all; `inertia_` bounds it."""
    batches = drifting(n_columns, n_clusters, separation)
    X = np.concatenate(batches)
    model = KMeans(n_clusters, random_state=0)
    for batch in batches:
        model.partial_fit(batch)
    refit = KMeans(n_clusters, n_init=3, random_state=0).fit(X)
    reached = -model.score(X)
    assert reached <= NEARLY_A_REFIT * refit.inertia_
    assert reached <= model.inertia_ <= 1.05 * reached
    assert model.features_.total_weight == len(X)
    assert not model.exact_
    np.testing.assert_array_equal(model.labels_, model.predict(batches[-1]))


def test_features_keep_exact_sums():
    """Law: weight, mean and sum of squares of all rows are those of the rows, whatever was joined."""
    batches = drifting(3, 5, 2.0)
    model = KMeans(5, random_state=0)
    for batch in batches:
        model.partial_fit(batch)
    X, features = np.concatenate(batches), model.features_
    mean = features.weights @ features.means / features.total_weight
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-9)
    total = features.squares.sum() + features.weights @ ((features.means - mean) ** 2).sum(axis=1)
    np.testing.assert_allclose(total, ((X - X.mean(axis=0)) ** 2).sum(), rtol=1e-9)


@given(
    rows=st.lists(st.lists(st.floats(-100, 100), min_size=2, max_size=2), min_size=2, max_size=40),
    n=st.integers(1, 40),
    centres=st.lists(st.lists(st.floats(-100, 100), min_size=2, max_size=2), min_size=1, max_size=4),
)
def test_bound_holds(rows, n, centres):
    """Law: for any centres, the bound is at least the inertia; with a feature per row it is the inertia."""
    X, C = np.array(rows), np.array(centres)
    exact = ((X[:, None] - C[None]) ** 2).sum(axis=2).min(axis=1).sum()
    assert ClusteringFeatures.of_rows(X, None, n=n, seed=0).bound(C) >= exact * (1 - 1e-9) - 1e-9
    whole = ClusteringFeatures.of_rows(X, None, n=len(X), seed=0)
    np.testing.assert_allclose(whole.bound(C), exact, rtol=1e-9, atol=1e-9)


def test_clusters_keep_their_numbers():
    """Law: rows of a group get the same number after an update, also where a fresh start was better."""
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0]])
    old = centres[np.arange(600) % 3] + rng.normal(size=(600, 2))
    model = KMeans(3, random_state=0).partial_fit(old)
    before = model.predict(centres)
    model.partial_fit(centres[np.arange(300) % 3] + rng.normal(size=(300, 2)) + 0.5)
    np.testing.assert_array_equal(model.predict(centres), before)
    far = KMeans(2, random_state=0).partial_fit(old[:, :1])
    number = far.predict([[20.0]])
    far.partial_fit(np.full((2000, 1), 500.0) + rng.normal(size=(2000, 1)))
    assert far.predict([[500.0]]) != far.predict([[0.0]])
    assert len(number) == 1


def test_update_after_fit_and_weights(tmp_path):
    """Law: a row of weight 2 counts as two rows; a saved model goes on as the one that was not saved."""
    batches = drifting(2, 4, 3.0)
    weights = np.random.default_rng(0).integers(1, 4, size=3000).astype(float)
    weighted = KMeans(4, random_state=0, tol=0).fit(batches[0], sample_weight=weights)
    repeated = KMeans(4, random_state=0, tol=0, init=weighted.cluster_centers_).fit(
        np.repeat(batches[0], weights.astype(int), axis=0)
    )
    for name in ("weights", "means", "squares"):
        np.testing.assert_allclose(
            getattr(weighted.seen_features(), name), getattr(repeated.seen_features(), name)
        )
    coterie.save(weighted, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m").partial_fit(batches[1])
    weighted.partial_fit(batches[1])
    np.testing.assert_array_equal(loaded.cluster_centers_, weighted.cluster_centers_)
    coterie.save(weighted, tmp_path / "n")
    again = coterie.load(tmp_path / "n")
    assert again.features_.total_weight == weights.sum() + 3000
    np.testing.assert_array_equal(again.predict(batches[2]), weighted.predict(batches[2]))


def test_what_cannot_be_taken_in():
    """Law: what a mean does not stand for is refused, and so are wrong rows; the model stays as it was."""
    from scipy.sparse import csr_array

    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(InvalidParameter, match=r'needs geometry="euclidean" and missing="refuse"'):
        KMeans(2, geometry="manhattan").partial_fit(X)
    with pytest.raises(UnsupportedInput, match=r"Sparse data was passed to partial_fit.*MiniBatchKMeans"):
        KMeans(2).partial_fit(csr_array(X))
    model = KMeans(2, random_state=0).partial_fit(X)
    centres = model.cluster_centers_.copy()
    for wrong, words in [
        (np.full((2, 3), np.nan), "contains NaN"),
        (np.full((2, 3), np.inf), "contains infinity"),
        (X[:, :2], "X has 2 features, but KMeans is expecting 3 features"),
        (X[:0], "0 sample"),
        ([["a", "b", "c"]], "numeric|could not convert|numbers"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.partial_fit(wrong)
        np.testing.assert_array_equal(model.cluster_centers_, centres)
    with pytest.raises(ValueError, match="n_samples"):
        KMeans(8).partial_fit(X[:3])
    model.partial_fit(X[:1])  # one row is enough
    model.partial_fit(np.ones((20, 3)))  # equal rows too
    assert model.features_.total_weight == 71
