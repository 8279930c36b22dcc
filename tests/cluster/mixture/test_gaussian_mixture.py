"""Laws of Gaussian mixtures, and comparison with scikit-learn, SciPy and R's mclust."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as Theirs
from threadpoolctl import threadpool_limits

from coterie.cluster import GaussianMixture, KMeans
from coterie.cluster.mixture.families import FAMILIES
from coterie.errors import InvalidData, InvalidParameter
from mixture_rows import EXACT, IRIS, clouds, matrices

KINDS = ("full", "tied", "diag", "spherical")


@pytest.mark.parametrize(
    ("kind", "init"),
    [
        *((kind, "random") for kind in KINDS),
        # not tied: there, scikit-learn divides the scatter of all rows by the number of picks
        *((kind, "random_from_data") for kind in ("full", "diag", "spherical")),
    ],
)
def test_same_start_gives_the_fit_of_scikit_learn(kind, init):
    """Law: same random number, same start: iterations, parameters and likelihoods of scikit-learn."""
    X = clouds()
    options = {"covariance_type": kind, "init_params": init, "random_state": 3, "max_iter": 300}
    ours, theirs = GaussianMixture(4, **options).fit(X), Theirs(4, **options).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.lower_bounds_[1:], theirs.lower_bounds_[1:], rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
    np.testing.assert_allclose([ours.bic(X), ours.aic(X)], [theirs.bic(X), theirs.aic(X)], rtol=1e-10)
    np.testing.assert_array_equal(ours.labels_, theirs.predict(X))
    np.testing.assert_allclose(ours.sample(50)[0], theirs.sample(50)[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d", "k"), [(2, 1, 1), (3, 2, 2), (300, 1, 3), (500, 5, 3), (1500, 9, 2)])
def test_densities_are_those_of_scipy(kind, n, d, k):
    """Law: shares and likelihoods are the definition's, for shapes that fill vectors and tiles or not."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) + 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianMixture(k, covariance_type=kind, max_iter=1, reg_covar=1e-2, random_state=0).fit(X)
    densities = np.array(
        [
            weight * multivariate_normal(mean, matrix).pdf(X)
            for weight, mean, matrix in zip(model.weights_, model.means_, matrices(model), strict=True)
        ]
    ).T.reshape(n, k)
    np.testing.assert_allclose(model.score_samples(X), np.log(densities.sum(axis=1)), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        model.predict_proba(X), densities / densities.sum(axis=1, keepdims=True), atol=1e-12
    )
    np.testing.assert_array_equal(model.membership(X), model.predict_proba(X))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("acceleration", [None, "squarem"])
def test_likelihood_never_falls(family, acceleration):
    """Law: no iteration lowers the likelihood, in any family, accelerated or not."""
    for seed in range(3):
        model = GaussianMixture(
            3,
            covariance_type=family,
            acceleration=acceleration,
            random_state=seed,
            init_params="random",
            **EXACT,
        ).fit(clouds(n=150, seed=seed))
        assert model.converged_
        assert np.diff(model.lower_bounds_).min() >= -1e-12


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(sorted(FAMILIES)),
    k=st.integers(1, 5),
    d=st.integers(1, 4),
    digits=st.integers(0, 3),
    reg_covar=st.sampled_from([1e-6, 1e-3, 1.0]),
    acceleration=st.sampled_from([None, "squarem"]),
)
def test_likelihood_never_falls_on_odd_data(seed, family, k, d, digits, reg_covar, acceleration):
    """Law: the same with ties, few rows and every regularisation; shares add up to one."""
    X = np.random.default_rng(seed).normal(size=(25, d)).round(digits) * 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianMixture(
            k,
            covariance_type=family,
            reg_covar=reg_covar,
            tol=1e-10,
            acceleration=acceleration,
            random_state=seed,
        ).fit(X)
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-12 * np.maximum(1, np.abs(bounds[1:]))).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.weights_.sum(), 1.0)


def test_acceleration_reaches_the_same_optimum_in_fewer_iterations():
    """Law: extrapolated steps end where plain ones do, sooner."""
    options = {"covariance_type": "full", "random_state": 1, "init_params": "random", **EXACT}
    X = clouds(n=600)
    plain = GaussianMixture(3, **options).fit(X)
    quick = GaussianMixture(3, acceleration="squarem", **options).fit(X)
    assert quick.n_iter_ < plain.n_iter_
    assert quick.score(X) > plain.score(X) - 1e-6


# R 4, mclust: logLik and BIC of Mclust(iris[, 1:4], G, modelNames)


# the same table: BIC of two components


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_rows(kind):
    """Law: a row of weight 3 is three rows, and one of weight 0 is none."""
    X = clouds(n=120)
    counts = np.random.default_rng(1).integers(0, 4, size=len(X))
    options = {
        "covariance_type": kind,
        "means_init": X[:4],
        "weights_init": np.full(4, 0.25),
        "precisions_init": {
            "full": np.repeat(np.eye(3)[None], 4, axis=0),
            "tied": np.eye(3),
            "diag": np.ones((4, 3)),
            "spherical": np.ones(4),
        }[kind],
    }
    weighted = GaussianMixture(4, **options).fit(X, sample_weight=counts)
    repeated = GaussianMixture(4, **options).fit(np.repeat(X, counts, axis=0))
    assert weighted.n_iter_ == repeated.n_iter_
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, rtol=1e-8)
    assert weighted.score(X, sample_weight=counts) == pytest.approx(
        repeated.score(np.repeat(X, counts, axis=0))
    )
    for criterion in ("bic", "aic", "icl"):
        ours = getattr(weighted, criterion)(X, sample_weight=counts)
        assert ours == pytest.approx(getattr(repeated, criterion)(np.repeat(X, counts, axis=0)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_bits(kind, dtype):
    """Law: threads change nothing."""
    X = clouds(n=5000).astype(dtype)
    fits = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(GaussianMixture(4, covariance_type=kind, random_state=0).fit(X))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.means_, fits[0].means_)
        np.testing.assert_array_equal(other.covariances_, fits[0].covariances_)
        assert other.lower_bounds_ == fits[0].lower_bounds_


def test_kmeans_is_the_limit_of_a_shrinking_variance():
    """Law: with one variance for all that goes to zero, a step of the mixture is a step of k-means."""
    X = clouds(n=300)
    start = X[:4]
    step = KMeans(4, init=start, n_init=1, max_iter=1, tol=0.0).fit(X).cluster_centers_
    gaps = []
    for variance in (10.0, 1.0, 1e-2, 1e-6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            soft = GaussianMixture(
                4,
                covariance_type="EII",
                means_init=start,
                weights_init=np.full(4, 0.25),
                precisions_init=np.full(4, 1 / variance),
                max_iter=1,
            ).fit(X)
        gaps.append(np.abs(soft.means_ - step).max())
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[-1] < 1e-12


def test_history_leads_to_the_result():
    """Law: the history begins at the start, its likelihoods never fall, and it ends at the result."""
    for acceleration in (None, "squarem"):
        model = GaussianMixture(3, random_state=0, acceleration=acceleration, history=True, tol=1e-6).fit(
            IRIS
        )
        steps = model.history_
        assert steps[0].kind == "start"
        assert (np.diff(steps.log_likelihoods) >= -1e-12).all()
        np.testing.assert_array_equal(steps[-1].means, model.means_)
        assert steps[-1].log_likelihood == pytest.approx(model.score(IRIS))
        assert "log-likelihood" in repr(steps)


def test_precisions_are_taken_as_given():
    """Law: given first precisions are the model's when nothing is iterated."""
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(2, 3, 3))
    given_precisions = roots @ roots.transpose(0, 2, 1) + np.eye(3)
    model = GaussianMixture(2, precisions_init=given_precisions, max_iter=0, random_state=0).fit(clouds(n=50))
    np.testing.assert_allclose(model.precisions_, given_precisions)
    np.testing.assert_allclose(model.covariances_, np.linalg.inv(given_precisions))
    assert (model.precisions_cholesky_ == np.triu(model.precisions_cholesky_)).all()


COLLINEAR = np.outer(np.arange(20.0), [1.0, 2.0, -3.0])
CONSTANT = np.column_stack([np.arange(20.0), np.full(20, 7.0)])


@pytest.mark.parametrize(
    ("X", "kind", "words"),
    [
        (COLLINEAR, "full", "column 1 is a linear combination of the columns before it"),
        (COLLINEAR, "tied", "column 1 is a linear combination of the columns before it"),
        (COLLINEAR, "VEV", "ill-defined empirical covariance"),
        (CONSTANT, "full", "Component 0 has no variance in column 1"),
        (CONSTANT, "diag", "has no variance in column 1"),
        (CONSTANT, "EVI", "has no variance"),
        (np.ones((5, 2)), "spherical", "has no variance"),
    ],
)
def test_data_without_extent_are_explained(X, kind, words):
    """Law: without regularisation, flat data are refused with their component and column; with it, fitted."""
    with pytest.raises(InvalidData, match=words):
        GaussianMixture(1, covariance_type=kind, reg_covar=0.0).fit(X)
    model = GaussianMixture(1, covariance_type=kind).fit(X)
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_components": 0}, "n_components of GaussianMixture must be a whole number of at least 1, got 0"),
        ({"covariance_type": "VEX"}, 'Did you mean "V'),
        ({"n_components": 200}, "n_components of GaussianMixture must be at most n_samples=150, got 200"),
        ({"weights_init": [0.5, 0.6], "n_components": 2}, "should be normalized"),
        ({"means_init": [["a"] * 4]}, "'means' should be numbers"),
        ({"precisions_init": np.full((1, 4, 4), np.nan)}, "should be finite"),
        ({"acceleration": "anderson"}, 'acceleration of GaussianMixture must be None or "squarem"'),
    ],
)
def test_wrong_parameters_are_explained(options, words):
    """Law: a wrong parameter is named, with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        GaussianMixture(**options).fit(IRIS)


def test_one_row_is_refused():
    """Law: a single row has no distribution."""
    with pytest.raises(InvalidData, match="minimum of 2"):
        GaussianMixture().fit([[1.0, 2.0]])


def test_progress_and_verbose_hear_every_iteration(capsys):
    """Law: a callable hears of each iteration; verbose prints starts and ends."""
    heard = []
    model = GaussianMixture(3, random_state=0, progress=heard.append, verbose=2, verbose_interval=1).fit(IRIS)
    assert [report.done for report in heard][-1] == model.n_iter_
    printed = capsys.readouterr().out
    assert "Initialization 0" in printed
    assert printed.count("Iteration") == model.n_iter_
    assert "Initialization converged" in printed


@pytest.mark.parametrize("random_state", [2**40, np.random.default_rng(0), np.random.RandomState(0), None])
@pytest.mark.parametrize("init", ["kmeans", "whitened", "k-means++", "random", "random_from_data"])
def test_every_random_state_starts(random_state, init):
    """Law: every random_state of scikit-learn, large numbers and generators start a fit."""
    model = GaussianMixture(2, init_params=init, random_state=random_state, n_init=2, max_iter=500).fit(IRIS)
    assert model.converged_


@pytest.mark.parametrize("seed", range(5))
def test_whitened_starts_find_groups_that_are_long_in_one_direction(seed):
    """Law: however far groups extend in a common direction, and however rows are sheared, they are found."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 80)
    X = np.array([[0, 0, 0], [7, 0, 0], [0, 7, 0]])[y] + random.normal(size=(240, 3)) * [1, 1, 60]
    sheared = X @ random.normal(size=(3, 3))
    for rows in (X, sheared):
        model = GaussianMixture(3, covariance_type="tied", init_params="whitened", random_state=0).fit(rows)
        assert adjusted_rand_score(y, model.labels_) > 0.95
