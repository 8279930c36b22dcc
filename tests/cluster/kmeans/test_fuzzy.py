"""Laws of fuzzy c-means, and comparison with its definition written out and with k-means."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie.cluster import FuzzyCMeans, KMeans
from coterie.errors import InvalidData, InvalidParameter
from mixture_rows import IRIS, clouds


def shares(X, centers, m):
    """Memberships by their definition; rows at a centre belong to it alone."""
    squared = ((X[:, None, :] - centers[None]) ** 2).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (squared[:, :, None] / squared[:, None, :]) ** (1 / (m - 1))
        found = 1 / ratios.sum(axis=2)
    at_centre = (squared == 0).any(axis=1)
    found[at_centre] = (squared == 0)[at_centre] / (squared == 0)[at_centre].sum(axis=1, keepdims=True)
    return found, squared


def written_out(X, centers, m, weights, n_iter):
    """Fuzzy c-means as its formulas say; returns the centres, memberships and objectives of all steps."""
    objectives = []
    for _ in range(n_iter):
        u, squared = shares(X, centers, m)
        objectives.append((weights[:, None] * u**m * squared).sum())
        powers = weights[:, None] * u**m
        centers = powers.T @ X / powers.sum(axis=0)[:, None]
    u, squared = shares(X, centers, m)
    return centers, u, [*objectives, (weights[:, None] * u**m * squared).sum()]


@pytest.mark.parametrize("m", [1.3, 2.0, 3.5])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_every_step_is_the_definition(m, is_weighted):
    """Law: from given centres, centres, memberships and objectives are those of the formulas at each step."""
    X = clouds(n=333, d=3, k=4)
    weights = np.random.default_rng(0).uniform(0, 3, size=len(X)) if is_weighted else np.ones(len(X))
    start = X[:4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = FuzzyCMeans(4, m=m, init=start, max_iter=17, tol=0).fit(X, sample_weight=weights)
    centers, u, objectives = written_out(X, start, m, weights, model.n_iter_)
    assert model.n_iter_ == 17
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.memberships_, u, atol=1e-10)
    np.testing.assert_allclose(model.objectives_, objectives, rtol=1e-11)
    np.testing.assert_array_equal(model.u_, model.membership(X))
    np.testing.assert_array_equal(model.labels_, u.argmax(axis=1))
    assert -model.score(X, sample_weight=weights) == pytest.approx(objectives[-1])
    certainty = np.average((u**2).sum(axis=1), weights=weights)
    assert model.partition_coefficient_ == pytest.approx(certainty)
    between = ((centers[:, None] - centers[None]) ** 2).sum(axis=2) + np.where(np.eye(4), np.inf, 0)
    assert model.xie_beni_ == pytest.approx(objectives[-1] / (weights.sum() * between.min()))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    d=st.integers(1, 4),
    k=st.integers(1, 6),
    m=st.floats(1.05, 6),
    digits=st.integers(0, 3),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_the_objective_never_rises_on_odd_data(seed, n, d, k, m, digits, dtype):
    """Law: no step raises the objective, on ties and few rows too; memberships are shares."""
    X = (np.random.default_rng(seed).normal(size=(n, d)).round(digits) * 10).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = FuzzyCMeans(min(k, n), m=m, random_state=seed, max_iter=40).fit(X)
    objectives = model.objectives_
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=1e-5)
    assert (model.memberships_ >= 0).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_kmeans_is_the_limit_of_a_fuzzifier_near_one():
    """Law: as m falls to 1 a step becomes that of k-means, exactly so before m is 1."""
    X = clouds(n=300)
    start = X[:4]
    step = KMeans(4, init=start, n_init=1, max_iter=1, tol=0.0).fit(X).cluster_centers_
    gaps = []
    for m in (2.0, 1.5, 1.1, 1.0 + 1e-9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            gaps.append(
                np.abs(FuzzyCMeans(4, m=m, init=start, max_iter=1).fit(X).cluster_centers_ - step).max()
            )
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[-1] < 1e-13
    hard = KMeans(4, init=start, n_init=1, tol=0.0).fit(X)
    soft = FuzzyCMeans(4, m=1.0 + 1e-12, init=start, tol=0.0).fit(X)
    np.testing.assert_array_equal(soft.labels_, hard.labels_)
    assert soft.objective_ == pytest.approx(hard.inertia_, rel=1e-13)
    assert soft.partition_coefficient_ == 1.0


def test_a_large_fuzzifier_divides_nothing():
    """Law: for the same centres, memberships tend to equal shares as m grows."""
    gaps = []
    for m in (2.0, 10.0, 100.0, 1e6):
        model = FuzzyCMeans(3, m=m, init=IRIS[[0, 60, 120]] + 0.05, max_iter=1, tol=1e9).fit(IRIS)
        gaps.append(np.abs(model.memberships_ - 1 / 3).max())
        assert model.partition_coefficient_ >= 1 / 3 - 1e-15
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < 1e-5


def test_rows_at_a_centre_belong_to_it():
    """Law: a row at one centre is its alone, at two centres half of each."""
    model = FuzzyCMeans(3, init=[[0.0], [0.0], [9.0]], max_iter=1, tol=1e9).fit([[0.0], [0.0], [9.0], [9.0]])
    np.testing.assert_array_equal(model.cluster_centers_.ravel(), [0, 0, 9])
    np.testing.assert_array_equal(model.membership([[0.0], [9.0]]), [[0.5, 0.5, 0], [0, 0, 1]])


def test_weights_count_rows():
    """Law: a row of weight 3 is three rows, and one of weight 0 is none."""
    X = clouds(n=200)
    counts = np.random.default_rng(1).integers(0, 4, size=len(X))
    weighted = FuzzyCMeans(4, init=X[:4]).fit(X, sample_weight=counts)
    repeated = FuzzyCMeans(4, init=X[:4]).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-10)
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    assert weighted.partition_coefficient_ == pytest.approx(repeated.partition_coefficient_)
    assert weighted.xie_beni_ == pytest.approx(repeated.xie_beni_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1.7, 2.0])
def test_any_number_of_threads_gives_the_same_bits(dtype, m):
    """Law: threads change nothing."""
    X, fits = clouds(n=9000).astype(dtype), []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(FuzzyCMeans(5, m=m, random_state=0, tol=1e-3).fit(X))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.cluster_centers_, fits[0].cluster_centers_)
        np.testing.assert_array_equal(other.objectives_, fits[0].objectives_)
    assert fits[0].memberships_.dtype == dtype


def test_far_from_the_origin():
    """Law: rows are taken relative to their mean: a shift of a billion costs the digits of the rows only."""
    X = np.round(clouds(n=200), 3)
    near, far = (FuzzyCMeans(4, init=X[:4] + by).fit(X + by) for by in (0.0, 2.0**30))
    np.testing.assert_allclose(far.memberships_, near.memberships_, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_clusters": 0}, "n_clusters of FuzzyCMeans must be a whole number of at least 1, got 0"),
        ({"n_clusters": 151}, "n_clusters of FuzzyCMeans must be at most n_samples=150, got 151"),
        ({"m": 1.0}, "m of FuzzyCMeans must be a number greater than 1, got 1.0"),
        ({"m": np.inf}, "m of FuzzyCMeans must be a number greater than 1, got inf"),
        ({"m": "2"}, "m of FuzzyCMeans must be a number greater than 1"),
        ({"init": "kmeans"}, 'Did you mean "k-means'),
        ({"tol": -1}, "tol of FuzzyCMeans must be a number of at least 0"),
    ],
)
def test_wrong_parameters_are_explained(options, words):
    """Law: a wrong parameter is named, with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        FuzzyCMeans(**options).fit(IRIS)


def test_odd_rows():
    """Law: one row is one group; equal rows give one group with a warning; wrong starts are refused."""
    assert FuzzyCMeans(1).fit([[3.0, 4.0]]).objective_ == 0
    assert FuzzyCMeans(1).fit([[3.0, 4.0]]).xie_beni_ is None
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters"):
        model = FuzzyCMeans(2, random_state=0).fit(np.ones((9, 2)))
    np.testing.assert_array_equal(model.memberships_, np.ones((9, 1)))
    with pytest.raises(InvalidData, match="does not match the number of features"):
        FuzzyCMeans(2, init=np.ones((2, 3))).fit(IRIS)
    with pytest.warns(
        ConvergenceWarning, match="has not converged after 1 iterations: raise max_iter or tol"
    ):
        FuzzyCMeans(2, max_iter=1, random_state=0).fit(IRIS)
