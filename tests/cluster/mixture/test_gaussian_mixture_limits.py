"""Gaussian mixtures at their limits: weights, flat directions in every family, tiny columns, other starts."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Theirs

from coterie import scale
from coterie.cluster import GaussianMixture
from coterie.cluster.mixture.families import FAMILIES
from coterie.errors import DataNotice, InvalidData, InvalidParameter

RANDOM = np.random.default_rng(2)
CLOUDS = RANDOM.normal(size=(150, 3)) + 5 * np.eye(3)[np.arange(150) % 3]
INITS = ("kmeans", "whitened", "k-means++", "random", "random_from_data")


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(sorted(FAMILIES)),
    init=st.sampled_from(INITS),
    acceleration=st.sampled_from([None, "squarem"]),
    integral=st.booleans(),
)
def test_likelihood_never_falls_with_weights(seed, family, init, acceleration, integral):
    """Law: no iteration lowers the weighted likelihood, in any family, from any start, accelerated or not."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 2)) + 3 * random.integers(0, 2, size=(40, 1))
    weights = random.integers(0, 4, size=40) if integral else random.exponential(size=40)
    weights[:4] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianMixture(
            2,
            covariance_type=family,
            init_params=init,
            acceleration=acceleration,
            tol=1e-9,
            reg_covar=1e-4,
            random_state=seed,
        ).fit(X, sample_weight=weights)
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-11 * np.maximum(1, np.abs(bounds[1:]))).all()
    assert model.score(X, sample_weight=weights) >= bounds[-1] - 1e-9


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(sorted(FAMILIES)),
    acceleration=st.sampled_from([None, "squarem"]),
)
def test_weights_count_rows_in_every_family(seed, family, acceleration):
    """Law: weight 2 is the row twice and weight 0 no row: same steps, parameters and shares."""
    random = np.random.default_rng(seed)
    X = CLOUDS[random.permutation(150)[:80]]
    counts = random.integers(0, 4, size=80)
    options = {"covariance_type": family, "acceleration": acceleration, "max_iter": 30, "random_state": 0}
    options |= {"means_init": 5 * np.eye(3), "weights_init": np.full(3, 1 / 3)}
    shape = {"full": (3, 3, 3), "tied": (3, 3), "diag": (3, 3), "spherical": (3,)}[FAMILIES[family].storage]
    options["precisions_init"] = np.broadcast_to(np.eye(3) if len(shape) > 1 else 1.0, shape).copy()
    if FAMILIES[family].storage == "diag":
        options["precisions_init"] = np.ones(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weighted = GaussianMixture(3, **options).fit(X, sample_weight=counts)
        repeated = GaussianMixture(3, **options).fit(X.repeat(counts, axis=0))
    assert weighted.n_iter_ == repeated.n_iter_
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("init", INITS)
def test_rows_without_weight_start_nothing(init):
    """Law: a far row of weight 0 changes no fit, whatever the start."""
    far = np.vstack([CLOUDS, np.full((60, 3), 1e3)])
    weights = np.r_[np.ones(150), np.zeros(60)]
    for seed in range(5):
        model = GaussianMixture(3, init_params=init, random_state=seed, max_iter=500).fit(
            far, sample_weight=weights
        )
        assert model.means_.max() < 20
    pair = np.r_[np.zeros(148), 1.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        two = GaussianMixture(3, init_params=init, random_state=0).fit(CLOUDS, sample_weight=pair)
    assert np.isfinite(two.lower_bound_)


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("scale", [1e-90, 1e-12, 1e12, 1e90])
def test_only_ratios_of_weights_count(init, scale):
    """Law: weights of any size give the same fit."""
    weights = RANDOM.uniform(0.5, 2, size=150)
    one, other = (
        GaussianMixture(3, init_params=init, random_state=1, max_iter=500).fit(CLOUDS, sample_weight=each)
        for each in (weights, weights * scale)
    )
    assert other.lower_bound_ == pytest.approx(one.lower_bound_)
    np.testing.assert_allclose(other.means_, one.means_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("given_parts", [("weights_init",), ("weights_init", "means_init"), ("means_init",)])
def test_given_parts_leave_the_others_as_scikit_learn_does(kind, given_parts):
    """Law: first weights or means that are given change nothing about the first covariances."""
    all_parts = {"weights_init": [0.1, 0.2, 0.7], "means_init": CLOUDS[:3]}
    options = {name: all_parts[name] for name in given_parts}
    options |= {"covariance_type": kind, "init_params": "random", "random_state": 3, "max_iter": 0}
    ours, theirs = GaussianMixture(3, **options).fit(CLOUDS), Theirs(3, **options).fit(CLOUDS)
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", ["EVE", "VVE"])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_common_axes_cannot_be_turned_to_better_ones(family, d):
    """Law: no small turn of the axes that the components share makes the rows likelier."""
    random = np.random.default_rng(d)
    roots = random.normal(size=(3, d, d))
    scatter, weights = roots @ roots.transpose(0, 2, 1), np.array([1.0, 2.0, 4.0])

    def loss(axes):
        variances = np.diagonal(axes.T @ scatter @ axes, axis1=1, axis2=2)
        volumes = np.exp(np.log(variances).mean(axis=1))
        return float(weights @ (volumes if family == "EVE" else np.log(volumes)))

    axes = np.linalg.eigh(FAMILIES[family].likeliest(weights, scatter)[0])[1]
    for _ in range(100):
        turn = random.normal(scale=0.02, size=(d, d))
        assert loss(axes @ expm(turn - turn.T)) >= loss(axes) - 1e-12


FLAT = np.column_stack([CLOUDS, np.full(150, 7.0)])
IN_A_PLANE = np.column_stack([CLOUDS, CLOUDS[:, 0] - 2 * CLOUDS[:, 1]])
SEES_COLUMNS = [name for name, family in FAMILIES.items() if family.storage != "spherical"]
SEES_DIRECTIONS = [name for name, family in FAMILIES.items() if family.storage in ("full", "tied")]


@pytest.mark.parametrize("family", SEES_COLUMNS)
def test_every_family_names_the_constant_column(family):
    """Law: without regularisation, a constant column is refused by its own number."""
    with pytest.raises(InvalidData, match="has no variance in column 3"):
        GaussianMixture(2, covariance_type=family, reg_covar=0.0, random_state=0).fit(FLAT)
    assert GaussianMixture(2, covariance_type=family, random_state=0).fit(FLAT).converged_


@pytest.mark.parametrize("family", SEES_DIRECTIONS)
def test_every_family_names_the_dependent_column(family):
    """Law: without regularisation, a column that others make up is refused by its own number."""
    with pytest.raises(InvalidData, match="column 3 is a linear combination of the columns before it"):
        GaussianMixture(2, covariance_type=family, reg_covar=0.0, random_state=0).fit(IN_A_PLANE)


@pytest.mark.parametrize("kind", [GaussianMixture, scale.GaussianMixture])
@pytest.mark.parametrize("family", ["full", "tied", "diag", "spherical"])
def test_inverses_beyond_the_range_of_numbers(kind, family):
    """Law: where reg_covar is all the variance and has no inverse, the fit says so and overflows nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(
            InvalidData, match=r"inverses overflow float64\. Scale the columns of X, or choose"
        ):
            kind(1, covariance_type=family, reg_covar=1e-320, random_state=0).fit(np.ones((6, 2)))


def test_columns_below_the_regularisation_are_told():
    """Law: where reg_covar drowns every column, the fit says so; scaled or without it there is no word."""
    with pytest.warns(DataNotice, match="reg_covar=1e-06 is far larger than the variance of every column"):
        GaussianMixture(3, random_state=0).fit(CLOUDS * 1e-8)
    model = GaussianMixture(3, random_state=0, reg_covar=0.0).fit(CLOUDS * 1e-8)
    np.testing.assert_array_equal(model.labels_, GaussianMixture(3, random_state=0).fit(CLOUDS).labels_)


@pytest.mark.parametrize(
    ("change", "X"),
    [({"n_components": 2}, CLOUDS), ({}, CLOUDS[:, :2]), ({"covariance_type": "diag"}, CLOUDS)],
)
def test_warm_starts_of_another_shape_are_refused(change, X):
    """Law: a warm start goes on with components, columns and covariances of the last fit, or not at all."""
    model = GaussianMixture(3, warm_start=True, random_state=0).fit(CLOUDS)
    with pytest.raises(InvalidParameter, match="warm_start of GaussianMixture goes on from the last fit"):
        model.set_params(**change).fit(X)


@pytest.mark.parametrize("n_samples", [0, -3, 2.5, "two"])
def test_a_sample_is_a_number_of_rows(n_samples):
    """Law: anything but a whole number of at least one is refused."""
    with pytest.raises(InvalidParameter, match="Invalid value for 'n_samples'"):
        GaussianMixture(2, random_state=0).fit(CLOUDS).sample(n_samples)


def test_no_iterations():
    """Law: without iterations the bound is the likelihood of the start; a warm start goes on from there."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [5.0]], 30, axis=0)
    start = GaussianMixture(2, max_iter=0, random_state=0).fit(X)
    assert start.n_iter_ == 0
    assert start.lower_bound_ == pytest.approx(start.score(X))
    start.set_params(warm_start=True, max_iter=50).fit(X)
    assert start.n_iter_ > 1
    np.testing.assert_allclose(start.means_, GaussianMixture(2, random_state=0).fit(X).means_, atol=1e-2)


@pytest.mark.parametrize("family", ["full", "tied", "diag", "spherical", "VEV"])
def test_rows_beyond_the_range_of_every_component(family):
    """Law: shares are numbers that sum to 1, also where every density is 0 in the range of numbers."""
    model = GaussianMixture(3, covariance_type=family, reg_covar=0.0, random_state=0).fit(CLOUDS * 1e-60)
    far = np.full((2, 3), 1e150)
    shares = model.predict_proba(far)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(far), shares.argmax(axis=1))
    assert (model.score_samples(far) == -np.inf).all()


@pytest.mark.parametrize("weights", [None, np.ones(8)], ids=["equal", "weights"])
def test_rows_far_beyond_all_groups_have_a_finite_score(weights):
    """Law: the mean of likelihoods that are representable is representable, though their sum is not."""
    model = GaussianMixture(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    far = np.full((8, 1), 2e151)
    assert np.isfinite(model.score_samples(far)).all()
    assert model.score(far, sample_weight=weights) == pytest.approx(model.score_samples(far)[0])
