"""Scaling by name equals scikit-learn's scalers, and goes back to the original units."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

import coterie
from coterie.data import SCALINGS, Scaling, fit_scaling
from coterie.data.scaling import have_one_length
from coterie.errors import InvalidData, InvalidParameter

X = np.random.default_rng(0).normal(loc=[5, -3, 100], scale=[1, 10, 0.1], size=(40, 3))
PEERS = {"standard": StandardScaler(), "minmax": MinMaxScaler(), "robust": RobustScaler()}


@pytest.mark.parametrize("how", sorted(PEERS))
def test_equals_scikit_learn(how):
    """Law: the scaled data are those of the scikit-learn scaler of that name."""
    np.testing.assert_allclose(fit_scaling(X, how).apply(X), PEERS[how].fit_transform(X), atol=1e-12)


@pytest.mark.parametrize("how", sorted(SCALINGS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_goes_back_to_the_original_units(how, dtype):
    """Law: invert(apply(x)) is x, and the type of the data is kept."""
    data = X.astype(dtype)
    scaling = fit_scaling(data, how)
    scaled = scaling.apply(data)
    assert scaled.dtype == dtype
    np.testing.assert_allclose(scaling.invert(scaled), data, rtol=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("how", sorted(SCALINGS))
def test_constant_columns_stay_finite(how):
    """Law: a column without spread is divided by nothing."""
    data = np.column_stack([X[:, 0], np.full(len(X), 7.0)])
    scaling = fit_scaling(data, how)
    assert np.isfinite(scaling.apply(data)).all()
    np.testing.assert_allclose(scaling.invert(scaling.apply(data)), data)


def test_input_is_never_changed():
    """Law: the data given are left as they are."""
    data = X.copy()
    for how in SCALINGS:
        fit_scaling(data, how).apply(data)
    np.testing.assert_array_equal(data, X)


def test_sparse_stays_sparse():
    """Law: sparse data are divided, not shifted; ways that would fill them are refused with what to use."""
    data = sparse.random_array((50, 6), density=0.3, rng=np.random.default_rng(0)).tocsr()
    scaled = fit_scaling(data, "standard").apply(data)
    np.testing.assert_allclose(
        scaled.toarray(), StandardScaler(with_mean=False).fit_transform(data).toarray()
    )
    for how in ("minmax", "robust"):
        with pytest.raises(
            InvalidData, match=f'scale="{how}" would make sparse data dense. Use "standard" or "none"'
        ):
            fit_scaling(data, how)


def test_unknown_name_offers_the_nearest():
    """Law: a slip in the name is answered with the names and the nearest."""
    message = (
        r'must be one of "auto", "standard", "minmax", "robust", "none", got .standart.. Did you mean "stand'
    )
    with pytest.raises(InvalidParameter, match=message):
        fit_scaling(X, "standart")


@pytest.mark.parametrize("how", ["auto", *sorted(SCALINGS)])
def test_takes_what_numpy_makes_an_array_of(how):
    """Law: lists and whole numbers are scaled as the array of floats that they stand for."""
    rows = [[1, 20], [3, 40], [4, 70]]
    given, expected = fit_scaling(rows, how), fit_scaling(np.array(rows, dtype=float), how)
    np.testing.assert_array_equal(given.factor, expected.factor)
    np.testing.assert_array_equal(given.apply(rows), expected.apply(np.array(rows, dtype=float)))


def test_sparse_columns_are_divided_in_any_format():
    """Law: a matrix by columns is scaled as the same matrix by rows."""
    rows = sparse.csr_array(np.array([[1.0, 0, 5], [0, 20, 0], [3, 40, 0]]))
    scaling = fit_scaling(rows, "standard")
    np.testing.assert_array_equal(scaling.apply(rows.tocsc()).toarray(), scaling.apply(rows).toarray())


@pytest.mark.parametrize("wrong", [[[1.0, np.nan]], [[1.0], [1.0, 2.0]], [1.0, 2.0]])
def test_refuses_what_is_no_complete_table(wrong):
    """Law: moments of missing values or of no table are not computed."""
    with pytest.raises(InvalidData, match="fit_scaling"):
        fit_scaling(wrong, "robust")


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_numbers_that_overflow_are_refused(make):
    """Law: rows far from those of the fit have finite numbers, or are refused; so on the way back."""
    scaling = Scaling("standard", np.zeros(2), np.array([1e-310, 1.0]))
    with pytest.raises(InvalidData, match=r"scaled numbers overflow: they are too far from those"):
        scaling.apply(make(np.ones((2, 2))))
    with pytest.raises(InvalidData, match=r"scaled numbers overflow"):
        scaling.apply(make(np.ones((2, 2), dtype=np.float32)))
    with pytest.raises(InvalidData, match=r"unscaled numbers overflow"):
        Scaling("standard", np.zeros(2), np.full(2, 1e200)).invert(np.full((1, 2), 1e200))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_sparse_numbers_that_are_not_finite(wrong):
    """Law: sparse rows are refused for what dense ones are refused for, in the same words."""
    with pytest.raises(InvalidData, match=r"Input X contains (NaN|infinity)"):
        fit_scaling(sparse.csr_array(np.array([[1.0, wrong], [0.0, 2.0]])), "auto")


def documents(how):
    """Make rows of 60 words, some of which are a hundred times as frequent as others."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(3.0 * np.geomspace(1, 0.01, 60), (200, 60)) + 0.0
    counts[:, 0] += 1.0
    if how == "length":
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("how", ["length", "sum"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_of_one_length_or_sum_keep_their_columns(how, form):
    """Words of documents and shares of a whole are in one unit, however rare a column is."""
    X = documents(how)
    assert fit_scaling(form(X), "auto").how == "none"
    other_unit = X * np.r_[100.0, np.ones(59)]
    assert fit_scaling(form(other_unit), "auto").how == "standard"
    assert fit_scaling(form(X), "standard").how == "standard"


def test_a_few_empty_documents_are_no_other_length():
    """One row in a hundred may be empty; of more, lengths differ."""
    X = documents("length")
    X[0] = 0.0
    assert fit_scaling(X, "auto").how == "none"
    X[:20] = 0.0
    assert fit_scaling(X, "auto").how == "standard"


def test_rows_without_any_length_are_no_directions():
    """Columns of zeros have neither spread nor length, nor has a single column a unit to share."""
    assert not have_one_length(np.zeros((5, 3)))
    assert not have_one_length(np.ones((5, 1)))
    assert not have_one_length(np.zeros((0, 3)))
    assert have_one_length(np.array([[3.0, 4.0], [5.0, 0.0]]))


def test_sparse_rows_of_a_dense_fit_are_shifted():
    """Law: sparse rows get what the same rows get dense; new rows of groups found in dense ones, too."""
    rng = np.random.default_rng(0)
    X = np.array([[0.0, 0, 0], [9, 0, 3], [0, 9, 6]])[rng.integers(3, size=300)] + rng.normal(size=(300, 3))
    new = np.where(X > 0, X, 0)
    scaling = fit_scaling(X, "standard")
    np.testing.assert_array_equal(scaling.apply(sparse.csr_array(new)), scaling.apply(new))
    found = coterie.fit(X, "kmeans", 3, believe=False)
    np.testing.assert_array_equal(found.predict(sparse.csr_array(new)), found.predict(new))
