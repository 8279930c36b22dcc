"""Kernel k-means at its limits: labels are what predict says, whatever the kernel, start and end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import KernelKMeans
from coterie.errors import DataNotice, InvalidData, InvalidParameter

RANDOM = np.random.default_rng(8)
BLOBS = RANDOM.normal(size=(120, 3)) + 5 * np.eye(3)[np.arange(120) % 3]
NO_INNER_PRODUCT = pytest.mark.filterwarnings("ignore:the kernel is not positive:coterie.errors.DataNotice")
TOO_FEW = pytest.mark.filterwarnings("ignore:Number of distinct:sklearn.exceptions.ConvergenceWarning")


@NO_INNER_PRODUCT
@TOO_FEW
@given(
    seed=st.integers(0, 2**32),
    kernel=st.sampled_from(["rbf", "linear", "poly", "sigmoid", "cosine"]),
    method=st.sampled_from(["exact", "nystroem"]),
    max_iter=st.sampled_from([1, 2, 300]),
    digits=st.integers(0, 2),
    weighted=st.booleans(),
    single=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_predict_gives_the_rows_of_fit_their_labels(seed, kernel, method, max_iter, digits, weighted, single):
    """Law: predict of the rows of fit is labels_, of all at once or of a few, converged or not, with ties."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 2)).round(digits).astype(np.float32 if single else np.float64)
    X[0] = 1.0  # not all rows are zero
    weights = random.integers(0, 3, size=60) + (np.arange(60) < 6) if weighted else None
    model = KernelKMeans(
        4, kernel=kernel, method=method, max_iter=max_iter, init="random", n_init=2, random_state=seed
    ).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X[7:20]), model.labels_[7:20])
    assert set(model.labels_) == set(range(model.transform(X).shape[1]))


@TOO_FEW
@NO_INNER_PRODUCT
@pytest.mark.parametrize("seed", range(8))
def test_matrices_that_are_no_kernel_place_their_rows(seed):
    """Law: with negative eigenvalues too, rows are with the nearest of the means that are kept."""
    K = np.random.default_rng(seed).normal(size=(80, 80))
    model = KernelKMeans(4, kernel="precomputed", random_state=0).fit(K + K.T)
    np.testing.assert_array_equal(model.predict(K + K.T), model.labels_)
    assert set(model.labels_) == set(range(model.labels_.max() + 1))


def test_features_of_no_inner_product_say_so():
    """Law: Nystroem features of a kernel with negative eigenvalues come with a warning."""
    with pytest.warns(DataNotice, match="not positive semi-definite.*features leave the negative part out"):
        KernelKMeans(3, kernel="sigmoid", method="nystroem", random_state=0).fit(BLOBS)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", "cosine"])
@pytest.mark.parametrize("method", ["exact", "nystroem"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_rows_are_one_group(kernel, method, value):
    """Law: rows that are all the same, or all zero, are one group, with a warning."""
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\) found smaller"):
        model = KernelKMeans(4, kernel=kernel, method=method, random_state=0).fit(np.full((10, 2), value))
    assert set(model.labels_) == {0}
    assert model.inertia_ == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("method", ["exact", "nystroem"])
def test_first_labels_may_leave_groups_out(method):
    """Law: a group without a first row, or with weightless ones only, begins far from the others."""
    weights = np.r_[np.zeros(3), np.ones(117)]
    for start in (np.zeros(120, dtype=int), np.r_[1, 1, 2, np.zeros(117)].astype(int)):
        model = KernelKMeans(3, method=method, init=start).fit(BLOBS, sample_weight=weights)
        assert set(model.labels_) == {0, 1, 2}


@pytest.mark.parametrize("method", ["exact", "nystroem"])
@pytest.mark.parametrize("scale", [1e-90, 1e-20, 1e20, 1e90])
def test_only_ratios_of_weights_count(method, scale):
    """Law: weights of any size give the same groups, and an inertia in their proportion."""
    weights = RANDOM.uniform(0.5, 2, size=120)
    one = KernelKMeans(3, method=method, random_state=0).fit(BLOBS, sample_weight=weights)
    other = KernelKMeans(3, method=method, random_state=0).fit(BLOBS, sample_weight=weights * scale)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    assert other.inertia_ == pytest.approx(one.inertia_ * scale)


@pytest.mark.parametrize("method", ["exact", "nystroem"])
@pytest.mark.parametrize(
    ("options", "X", "words"),
    [
        ({"degree": 2.5, "coef0": 0}, BLOBS - 3, "has no value for .* degree=2.5. Choose a whole degree"),
        ({"degree": 9, "gamma": 1.0}, BLOBS * 1e40, "overflows float64 numbers. Choose a smaller gamma"),
    ],
)
def test_powers_without_a_value_are_explained(method, options, X, words):
    """Law: where the polynomial kernel is not a number, the parameter to change is named."""
    with pytest.raises(InvalidData, match=words):
        KernelKMeans(3, kernel="poly", method=method, random_state=0, **options).fit(X)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"gamma": 3}, "are for a kernel that is a function.*Use gamma"),
        ("gamma", "must be a dict with names as keys"),
    ],
)
def test_parameters_of_a_function_need_one(params, words):
    """Law: keyword arguments for a function are refused where there is none, or where they are none."""
    with pytest.raises(InvalidParameter, match=words):
        KernelKMeans(2, kernel_params=params).fit(BLOBS)


def test_a_function_must_not_mind_the_order():
    """Law: a function of two rows whose order matters is not a kernel."""
    with pytest.raises(InvalidData, match="must not depend on the order of its two rows"):
        KernelKMeans(2, kernel=lambda x, y: float(x[0] * y[1])).fit(BLOBS[:20])
    assert KernelKMeans(1, kernel=lambda x, y: float(x @ y)).fit(BLOBS[:1]).labels_.tolist() == [0]


def test_gamma_beyond_the_numbers_of_the_rows():
    """Law: copies are at the kernel 1, however large gamma is: beyond float32, 0 times it was no number."""
    X = np.random.default_rng(0).integers(0, 4, (21, 3))
    narrow, wide = (KernelKMeans(5, gamma=1e308, random_state=2).fit(X.astype(t)) for t in ("f4", "f8"))
    assert np.isfinite(narrow.inertia_)
    np.testing.assert_array_equal(narrow.labels_, wide.labels_)
