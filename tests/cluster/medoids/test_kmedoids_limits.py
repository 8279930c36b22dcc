"""K-medoids at its limits: weights in every method, samples that hold all rows, equal rows, huge numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import KMedoids
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter

METHODS = ("fasterpam", "pam", "fastermsc", "clara", "onebatch")
ROWS = np.random.default_rng(0).normal(size=(300, 3)) + 6 * np.eye(3)[np.arange(300) % 3]


def values(D, medoids, weights):
    """Return the sum of distances and the mean of 1 - nearest / second nearest, from their definitions."""
    two = np.sort(D[:, medoids], axis=1)[:, :2]
    ratio = np.divide(two[:, 0], two[:, 1], out=np.ones(len(D)), where=two[:, 1] > 0)
    return float(two[:, 0] @ weights), float(1 - ratio @ weights / weights.sum())


@given(
    seed=st.integers(0, 2**32),
    method=st.sampled_from(METHODS),
    init=st.sampled_from(["build", "lab", "k-medoids++", "random"]),
    metric=st.sampled_from(["euclidean", "manhattan", "cosine", "precomputed"]),
)
@settings(max_examples=60, deadline=None)
def test_weights_are_repetitions_in_every_method(seed, method, init, metric):
    """Law: what is reported for weights is what the same medoids are worth for repeated rows."""
    random = np.random.default_rng(seed)
    X, counts = random.normal(size=(50, 3)), random.integers(0, 4, size=50)
    name = "euclidean" if metric == "precomputed" else metric
    D = pairwise_distances(X, metric=name)
    model = KMedoids(3, method=method, init=init, metric=metric, sample_size=20, random_state=seed)
    model.fit(D if metric == "precomputed" else X, sample_weight=counts)
    repeated = pairwise_distances(X.repeat(counts, axis=0), metric=name)
    places = (np.cumsum(counts) - 1)[model.medoid_indices_]  # the last copy of each medoid
    assert counts[model.medoid_indices_].all()
    total, silhouette = values(repeated, places, np.ones(len(repeated)))
    assert model.inertia_ == pytest.approx(total)
    assert model.medoid_silhouette_ == pytest.approx(silhouette)


# not fastermsc, for which two copies of a row may be two medoids
@given(seed=st.integers(0, 2**32), method=st.sampled_from(["fasterpam", "pam", "clara", "onebatch"]))
@settings(max_examples=40, deadline=None)
def test_weights_lead_to_the_medoids_of_repeated_rows(seed, method):
    """Law: from one start, weights and repeated rows end at the same groups; a row's copies come together."""
    random = np.random.default_rng(seed)
    X, counts = random.normal(size=(40, 2)), random.integers(1, 4, size=40)
    firsts = np.cumsum(counts) - counts
    start = "build" if method == "clara" else random.permutation(40)[:3]
    options = {"method": method, "sample_size": 1000, "random_state": 0}
    weighted = KMedoids(3, init=start, **options).fit(X, sample_weight=counts)
    first = start if isinstance(start, str) else firsts[start]
    repeated = KMedoids(3, init=first, **options).fit(X.repeat(counts, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_)
    np.testing.assert_array_equal(weighted.labels_.repeat(counts), repeated.labels_)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)


@pytest.mark.parametrize("method", ["clara", "onebatch"])
def test_a_sample_of_all_rows_is_exact(method):
    """Law: a sample that leaves no row out gives the run of all rows, once, and says that it is exact."""
    whole = KMedoids(4).fit(ROWS)
    model = KMedoids(4, method=method, random_state=0).fit(ROWS)
    assert model.exact_
    assert (model.n_swaps_, model.n_iter_) == (whole.n_swaps_, whole.n_iter_)
    np.testing.assert_array_equal(model.medoid_indices_, whole.medoid_indices_)
    assert not KMedoids(4, method=method, sample_size=299, random_state=0).fit(ROWS).exact_


@given(seed=st.integers(0, 2**32), method=st.sampled_from(METHODS[:3]), digits=st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_swaps_come_to_an_end(seed, method, digits):
    """Law: swaps end by themselves long before max_iter, where sums cancel and where rows are equal too."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 2)).round(digits)
    X[:9] = np.arange(9)[:, None] * 10.0  # at least as many different rows as groups
    model = KMedoids(6, method=method, init=random.permutation(60)[:6], max_iter=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, sample_weight=random.integers(0, 3, size=60) + 0.1)
    assert model.n_iter_ < 100


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("init", ["build", "lab", "k-medoids++", "random"])
def test_equal_rows_end_at_once(method, init):
    """Law: where more groups are asked for than there are different rows, rounding swaps nothing."""
    X = np.repeat(np.random.default_rng(3).normal(size=(4, 3)), 90, axis=0)
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(4\) found smaller than n_clusters \(7\)"
    ):
        model = KMedoids(7, method=method, init=init, n_init=1, sample_size=350, random_state=1).fit(X)
    assert model.inertia_ == pytest.approx(0.0, abs=1e-12)
    assert model.n_iter_ <= 5 * 4  # passes of at most five subsamples


def test_equal_rows_with_weights_end_at_once():
    """Law: the same where rows of no weight stand beside heavy ones."""
    X = np.repeat([[0.1, 0.2, 0.3], [5.7, 9.1, -3.3]], 10, axis=0)
    weights = np.zeros(20)
    weights[[0, 10]] = 10.0
    D = pairwise_distances(X)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = KMedoids(2 + 1, metric="precomputed").fit(D, sample_weight=weights + (np.arange(20) == 3))
    assert model.n_iter_ <= 2


def test_distances_beyond_numbers_are_refused():
    """Law: distances whose sum is not a number are refused, with what to do."""
    D = pairwise_distances(ROWS)
    with pytest.raises(InvalidData, match=r"sum overflows\. Divide X by a constant"):
        KMedoids(3, metric="precomputed").fit(D * 5e305)
    with pytest.raises(InvalidData, match=r"at most 9e\+307, got X\[.*Divide X by a constant"):
        KMedoids(3, metric="precomputed").fit(D * (1.7e308 / D.max()))
    with pytest.raises(InvalidData, match=r"manhattan distances overflow above .* divide X by a constant"):
        KMedoids(3, metric="manhattan").fit(ROWS * 2e306)


def test_a_function_must_not_mind_the_order():
    """Law: a function of two rows whose order matters is not a distance; its parameters come in a dict."""
    with pytest.raises(InvalidData, match="distance function must not depend on the order of its two rows"):
        KMedoids(2, metric=lambda x, y: float(abs(x[0] - 2 * y[0]))).fit(ROWS[:20])
    with pytest.raises(InvalidParameter, match="KMedoids must be a dict with names as keys or None, got 'p'"):
        KMedoids(2, metric_params="p").fit(ROWS)
    assert KMedoids(1, metric=lambda x, y: float(abs(x - y).sum())).fit(ROWS[:1]).inertia_ == 0.0


def test_new_distances_below_zero_are_refused():
    """Law: predict and transform of a matrix refuse negative distances, as fit does."""
    D = pairwise_distances(ROWS[:20])
    model = KMedoids(2, metric="precomputed").fit(D)
    for method in (model.predict, model.transform):
        with pytest.raises(InvalidData, match=r"at least 0, got X\[0, 1\] = -"):
            method(-D[:3])
    alike = KMedoids(2, metric="similarity").fit(-D)
    np.testing.assert_array_equal(alike.predict(-D), alike.labels_)
