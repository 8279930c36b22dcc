"""Laws of Bayesian Gaussian mixtures, and comparison with scikit-learn."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture as Theirs
from threadpoolctl import threadpool_limits

from coterie.cluster import BayesianGaussianMixture, GaussianMixture
from coterie.errors import InvalidData, InvalidParameter
from mixture_rows import clouds

KINDS = ("full", "tied", "diag", "spherical")
TYPES = ("dirichlet_process", "dirichlet_distribution")
ARRAYS = ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "mean_precision_")
PRIORS = ("weight_concentration_prior_", "mean_precision_prior_", "mean_prior_", "degrees_of_freedom_prior_")


def compare(X, **options):
    """Fit both classes from the same start and compare every number of theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, theirs = BayesianGaussianMixture(**options).fit(X), Theirs(**options).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.converged_ == theirs.converged_
    for name in (*ARRAYS, *PRIORS, "covariance_prior_", "degrees_of_freedom_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.array(ours.weight_concentration_), theirs.weight_concentration_, rtol=1e-6)
    np.testing.assert_allclose(
        ours.lower_bounds_, np.ravel(theirs.lower_bounds_), rtol=1e-9, atol=1e-7
    )  # theirs: (n, 1) for tied
    assert ours.lower_bound_ == pytest.approx(float(np.ravel(theirs.lower_bound_)[0]), rel=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.labels_, theirs.predict(X))
    return ours


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", TYPES)
def test_same_start_gives_the_fit_of_scikit_learn(kind, prior):
    """Law: same random number, same start: iterations, posterior and bounds of scikit-learn."""
    options = {"covariance_type": kind, "weight_concentration_prior_type": prior, "max_iter": 60}
    compare(clouds(n=150), n_components=6, init_params="random", random_state=3, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_given_priors_are_those_of_scikit_learn(kind):
    """Law: every prior parameter means what it means there; several starts end at the same best one."""
    root = np.random.default_rng(1).normal(size=(3, 3))
    covariance = {"diag": [1.0, 2.0, 3.0], "spherical": 2.5}.get(kind, root @ root.T + np.eye(3))
    compare(
        clouds(n=150, seed=4),
        n_components=5,
        covariance_type=kind,
        init_params="random",
        n_init=3,
        random_state=0,
        weight_concentration_prior=0.3,
        mean_precision_prior=2.5,
        mean_prior=[1.0, -1.0, 0.5],
        degrees_of_freedom_prior=7.5,
        covariance_prior=covariance,
        reg_covar=1e-3,
    )


def unit_prior(kind, d):
    """Return the identity as a prior covariance."""
    return {"diag": np.ones(d), "spherical": 1.0}.get(kind, np.eye(d))


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(KINDS),
    prior=st.sampled_from(TYPES),
    k=st.integers(1, 5),
    d=st.integers(1, 4),
    digits=st.integers(0, 3),
)
def test_the_bound_never_falls_on_odd_data(seed, kind, prior, k, d, digits):
    """Law: no iteration lowers the bound, on ties and few rows too; shares and weights add up to one."""
    X = np.random.default_rng(seed).normal(size=(25, d)).round(digits) * 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = BayesianGaussianMixture(
            k,
            covariance_type=kind,
            weight_concentration_prior_type=prior,
            covariance_prior=unit_prior(kind, d),
            reg_covar=0,
            tol=1e-9,
            init_params="random",
            random_state=seed,
        ).fit(X)
    bounds = np.array(model.lower_bounds_)
    # the first step leaves a start that is not an optimum of anything
    assert (np.diff(bounds)[1:] >= -1e-9 * np.maximum(1, np.abs(bounds[2:]))).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.weights_.sum() == pytest.approx(1.0)


def test_unneeded_components_fade():
    """Law: of ten components for three clouds, three keep their rows; the others keep next to no weight."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)) + centre for centre in ([0, 0], [12, 0], [0, 12])])
    model = BayesianGaussianMixture(10, weight_concentration_prior=1e-3, max_iter=2000, random_state=0).fit(X)
    assert model.n_components_used_ == 3
    assert np.sort(model.weights_)[:-3].max() < 0.01
    assert sorted(np.bincount(model.labels_)[np.unique(model.labels_)]) == [200, 200, 200]


def test_priors_shrink_covariances_of_one_kind_to_another():
    """Law: from one start, the round, axis-parallel and common covariances are averages of the full ones."""
    X, found = clouds(seed=2), {}
    for kind in KINDS:
        model = BayesianGaussianMixture(
            4, covariance_type=kind, max_iter=0, init_params="random", random_state=0
        ).fit(X)
        degrees = np.reshape(model.degrees_of_freedom_, (-1, *[1] * (model.covariances_.ndim - 1)))
        found[kind] = model.covariances_ * (degrees if kind != "tied" else model.degrees_of_freedom_)
    np.testing.assert_allclose(found["tied"], found["full"].mean(axis=0))
    np.testing.assert_allclose(found["diag"], np.diagonal(found["full"], axis1=1, axis2=2))
    np.testing.assert_allclose(found["spherical"], found["diag"].mean(axis=1))


def test_with_many_rows_the_prior_does_not_matter():
    """Law: the posterior of many rows lies where the likelihood is largest."""
    X = clouds(n=20_000, k=3)
    start = {"init_params": "kmeans", "random_state": 0, "tol": 1e-6, "max_iter": 1000}
    bayes, plain = BayesianGaussianMixture(3, **start).fit(X), GaussianMixture(3, **start).fit(X)
    np.testing.assert_allclose(bayes.means_, plain.means_, atol=0.02)
    np.testing.assert_allclose(bayes.covariances_, plain.covariances_, atol=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_rows(kind):
    """Law: a row of weight 3 is three rows, and one of weight 0 is none."""
    X = clouds(n=120)
    counts = np.random.default_rng(1).integers(0, 4, size=len(X))
    start = np.random.default_rng(2).uniform(size=(len(X), 4))

    class Drawn(np.random.RandomState):
        """Gives every copy of a row the same first shares."""

        def __init__(self, shares):
            self.shares = shares

        def uniform(self, size):
            return self.shares

    options = {"covariance_type": kind, "init_params": "random", "max_iter": 200}
    weighted = BayesianGaussianMixture(4, random_state=Drawn(start), **options).fit(X, sample_weight=counts)
    copies = Drawn(np.repeat(start, counts, axis=0))
    repeated = BayesianGaussianMixture(4, random_state=copies, **options).fit(np.repeat(X, counts, axis=0))
    assert weighted.n_iter_ == repeated.n_iter_
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, rtol=1e-7)
    assert weighted.lower_bound_ == pytest.approx(repeated.lower_bound_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_bits(dtype):
    """Law: threads change nothing."""
    X, fits = clouds(n=5000).astype(dtype), []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(BayesianGaussianMixture(4, random_state=0, max_iter=500).fit(X))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.covariances_, fits[0].covariances_)
        assert other.lower_bounds_ == fits[0].lower_bounds_
    assert fits[0].means_.dtype == dtype
    np.testing.assert_array_equal(fits[0].predict(X), fits[0].labels_)


def test_a_warm_start_goes_on():
    """Law: iterations in two calls are those of one; another kind of prior or model is refused."""
    X = clouds()
    options = {"n_components": 4, "init_params": "random", "random_state": 0, "tol": 1e-9}
    model = BayesianGaussianMixture(warm_start=True, max_iter=7, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X).fit(X)
        whole = BayesianGaussianMixture(max_iter=14, **options).fit(X)
    np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-12)
    assert model.lower_bound_ == pytest.approx(whole.lower_bound_, rel=1e-12)
    model.weight_concentration_prior_type = "dirichlet_distribution"
    with pytest.raises(InvalidParameter, match="weight_concentration_prior_type was another"):
        model.fit(X)
    model.set_params(weight_concentration_prior_type="dirichlet_process", n_components=3)
    with pytest.raises(InvalidParameter, match="warm_start of BayesianGaussianMixture goes on from the last"):
        model.fit(X)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_components": 0}, "n_components of BayesianGaussianMixture must be a whole number of at least"),
        ({"n_components": 41}, "n_components of BayesianGaussianMixture must be at most n_samples=40"),
        ({"covariance_type": "VEV"}, "covariance_type of BayesianGaussianMixture must be"),
        ({"degrees_of_freedom_prior": Fraction(1, 2)}, "should be greater than .* but got 0.500"),
        ({"weight_concentration_prior": 0}, "must be None or a number of at least 1e-300"),
        ({"mean_prior": [1.0]}, r"'mean_prior' should have the shape of \(3,\), but got \(1,\)"),
        ({"mean_prior": [1.0, np.nan, 0]}, "'mean_prior' should be finite"),
        ({"mean_prior": ["a", "b", "c"]}, "'mean_prior' should be numbers"),
        ({"degrees_of_freedom_prior": 2.0}, "should be greater than 2, but got 2.000"),
        ({"covariance_prior": -np.eye(3)}, "'full covariance_prior' should be symmetric, positive-definite"),
        ({"covariance_prior": np.ones(3), "covariance_type": "tied"}, "should have the shape of"),
        ({"covariance_prior": [1.0, -1, 1], "covariance_type": "diag"}, "should be positive"),
        ({"covariance_prior": [1.0], "covariance_type": "spherical"}, "must be a number above 0 with"),
        ({"reg_covar": -1}, "reg_covar of BayesianGaussianMixture must be a number of at least 0"),
    ],
)
def test_wrong_parameters_are_explained(options, words):
    """Law: a wrong parameter is named, with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        BayesianGaussianMixture(**options).fit(clouds(n=40))


def test_odd_rows():
    """Law: equal rows are fitted, one row and weights of less than two rows are refused."""
    model = BayesianGaussianMixture(2, init_params="random", random_state=0).fit(np.ones((9, 2)))
    assert np.isfinite(model.lower_bound_)
    with pytest.raises(InvalidData, match="minimum of 2"):
        BayesianGaussianMixture().fit([[1.0, 2.0]])
    with pytest.raises(InvalidData, match="counts copies of rows and must add up to more than 1"):
        BayesianGaussianMixture().fit([[1.0], [2.0]], sample_weight=[0.25, 0.25])
    with pytest.raises(InvalidData, match=r"the lower bound of the evidence overflows\. Use"):
        BayesianGaussianMixture(degrees_of_freedom_prior=1e308).fit(clouds(n=20))
    with pytest.raises(InvalidData, match="ill-defined"):
        BayesianGaussianMixture(2, reg_covar=0, init_params="random", random_state=0).fit(np.ones((9, 2)))


def test_no_criteria_of_likelihood():
    """Law: a posterior has no count of free parameters, so there is no BIC; there is a bound."""
    assert not hasattr(BayesianGaussianMixture, "bic")
    assert hasattr(GaussianMixture, "bic")


def test_priors_whose_inverse_overflows_are_refused():
    """Law: a precision of a mean that the density cannot divide by is refused."""
    with pytest.raises(InvalidParameter, match="mean_precision_prior of BayesianGaussianMixture"):
        BayesianGaussianMixture(2, mean_precision_prior=1e-310).fit([[0.0], [1.0], [5.0]])
