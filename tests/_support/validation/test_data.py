"""Data matrices: good ones pass unharmed, each bad one is told what is wrong and where."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from coterie._support.validation import check_data, check_n_clusters
from coterie.errors import CoterieError, InvalidData, InvalidParameter, UnsupportedInput

X = np.random.default_rng(0).normal(size=(20, 3))


class Dummy(BaseEstimator):
    pass


@pytest.mark.parametrize(
    "good",
    [
        X,
        X.astype(np.float32),
        np.asfortranarray(X),
        X[::-2, ::-1],
        X.tolist(),
        X.astype(object),
        (X > 0),
        (100 * X).astype(np.int16),
        X.astype(np.float16),
        pd.DataFrame(X, columns=list("abc")),
        pl.DataFrame(X, schema=list("abc")),
    ],
)
def test_good_data_become_c_ordered_floats(good):
    """Law: what passes is C-ordered float32 (if it was) or float64 with equal values."""
    checked = check_data(good)
    assert checked.flags.c_contiguous
    assert checked.dtype == (np.float32 if getattr(good, "dtype", None) == np.float32 else np.float64)
    np.testing.assert_array_equal(checked, np.asarray(good).astype(checked.dtype))


def test_good_data_are_not_copied_and_may_be_read_only():
    """Law: a C-ordered float array goes through as it is, also when nobody may write to it."""
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.shares_memory(check_data(frozen), frozen)


def holes(value):
    data = X.copy()
    data[[17, 4, 5, 6], 1] = value
    data[2, 0] = value
    return data


NAMES = ["age", "income", "spend"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            holes(np.nan),
            r"Input X contains NaN: 1 missing value in X\[:, 0\] \(row 2\), 4 missing values in X\[:, 1\]",
        ),
        (
            pd.DataFrame(holes(np.nan), columns=NAMES),
            r'4 missing values in column "income" \(rows 4, 5, 6 \.\.\.\)',
        ),
        (pl.DataFrame(holes(np.nan), schema=NAMES), r'1 missing value in column "age" \(row 2\)'),
        (holes(np.inf), r"Input X contains infinity: 1 infinite value in X\[:, 0\]"),
        (holes(-np.inf), r"Input X contains infinity"),
        (np.full((3, 9), np.nan), r"and 6 more columns"),
        (X[0], r"Expected 2D array, got 1D array of shape \(3,\).*Reshape your data"),
        (5.0, r"Expected 2D array, got 0D array.*Reshape your data"),
        (None, r"X of Dummy must be a table of numbers, got None"),
        (X[None], r"Found array with dim 3 and shape \(1, 20, 3\).*while dim <= 2 is required"),
        (np.empty((0, 3)), r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (np.array([["1", "2"]]), r"X of Dummy must be numbers, got text \(<U1\)"),
        ([[1, 2], [3, "x"]], r"got text: 'x' in row 1, column 1"),
        (np.array([[1, "x"]], dtype=object), r"got text: 'x' in row 0, column 1"),
        (pd.DataFrame({"a": [1, 2], "city": ["x", "y"]}), r'Column "city" of X must be numbers, got text'),
        (pl.DataFrame({"a": [1, 2], "city": ["x", "y"]}), r'Column "city" of X must be numbers, got text'),
        (
            pd.DataFrame({"a": [1, 2], "zone": pd.Categorical([3, 5])}),
            r'Column "zone" of X must be numbers, got categories that are written as numbers \(int64\)',
        ),
        (
            pd.DataFrame({"a": [1, 2], "city": pd.Categorical(["x", "y"])}),
            r'Column "city" of X must be numbers, got categories \(category\)\. Leave the column out',
        ),
        (
            pl.DataFrame({"city": pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"]))}),
            r'Column "city" of X must be numbers, got categories \(Enum\)',
        ),
        (
            np.zeros(4, dtype=[("x", float), ("y", float)]),
            r"must be numbers, got records with the fields x, y\.",
        ),
        (np.zeros((4, 2), dtype="V8"), r"must be numbers, got raw bytes \(\|V8\)\."),
        (
            np.full((3, 2), np.longdouble("1e4000")),
            r"Input X contains infinity: 3 infinite values in X\[:, 0\]",
        ),
        (X + 1j, r"Complex data not supported"),
        ([[1, 2], [3]], r"got rows of different lengths"),
        (pd.Series([1.0, 2.0]), r"Expected a 2-dimensional container"),
        (
            X * 1e300,
            r"too large for float64: .*e\+300 in X\[:, \d\]; squared distances overflow above .*Scale",
        ),
        (
            (X * 1e20).astype(np.float32),
            r"too large for float32.*Convert to float64 \(X.astype\('float64'\)\)",
        ),
    ],
)
def test_bad_data_are_told_what_and_where(bad, message):
    """Law: each kind of bad data raises InvalidData that names the place and the way out."""
    with pytest.raises(InvalidData, match=message):
        check_data(bad, who="Dummy")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.array([[{"a": 1}, 2]], dtype=object), r"argument must be a string or a real number, not 'dict'"),
        (
            pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}),
            r'Column "when" of X must be numbers, got dates',
        ),
        (np.array([["2020-01-01"]], dtype="M8[D]"), r"X of Dummy must be numbers, got dates or times"),
        ([[np.datetime64("NaT")] * 2] * 3, r"X of Dummy must be numbers, got dates or times \(datetime64\)"),
        ([[1.0, np.datetime64("NaT")]], r"X of Dummy must be numbers, got dates or times \(datetime64\)"),
        (np.array([[1.0, np.timedelta64(3, "s")]], dtype=object), r"got dates or times \(timedelta64\)"),
        (
            pd.DataFrame({"a": pd.Series([1, np.datetime64("NaT")], dtype=object)}),
            r'Column "a" of X must be numbers, got dates or times \(datetime64\)',
        ),
        (
            pl.DataFrame({"when": [pd.Timestamp("2020-01-01").date()]}),
            r'Column "when" of X must be numbers, got dates',
        ),
        (sparse.csr_array(X), r"Sparse data was passed for X, but dense data is required"),
    ],
)
def test_unsupported_kinds_are_type_errors(bad, message):
    """Law: objects, dates and unwanted sparse matrices raise UnsupportedInput, a TypeError."""
    with pytest.raises(UnsupportedInput, match=message):
        check_data(bad, who="Dummy")


def test_sparse_is_checked_too():
    """Law: CSR passes where it is wanted, other formats become CSR, and bad stored values are located."""
    assert check_data(sparse.csc_array(X), accept_sparse=True).format == "csr"
    with pytest.raises(InvalidData, match=r"4 missing values in X\[:, 1\] \(rows 4, 5, 6 \.\.\.\)"):
        check_data(sparse.csr_array(holes(np.nan)), accept_sparse=True)
    with pytest.raises(InvalidData, match="too large for float64"):
        check_data(sparse.csr_array(X * 1e300), accept_sparse=True)
    assert check_data(sparse.csr_array((3, 3)), accept_sparse=True).nnz == 0


def test_large_values_pass_where_nothing_is_squared():
    """Law: huge but finite values are refused only by callers that square them."""
    assert check_data(X * 1e300, squares=False).max() > 1e299
    assert check_data(np.full((4, 2), 1e18, dtype=np.float32)).dtype == np.float32


def test_estimator_learns_and_compares_features():
    """Law: names and number of columns are set by the first call and compared by later ones."""
    estimator = Dummy()
    check_data(pd.DataFrame(X, columns=NAMES), estimator=estimator)
    assert estimator.n_features_in_ == 3
    assert list(estimator.feature_names_in_) == NAMES
    plain = Dummy()
    check_data(X, estimator=plain)
    with pytest.raises(InvalidData, match="X has 2 features, but Dummy is expecting 3 features as input"):
        check_data(X[:, :2], estimator=plain, reset=False)
    with pytest.raises(InvalidData, match="feature names should match"):
        check_data(pd.DataFrame(X, columns=["age", "spend", "income"]), estimator=estimator, reset=False)


def test_distances_in_place_of_data_are_refused():
    """Law: a symmetric zero-diagonal matrix is refused as data unless the caller allows it."""
    distances = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    with pytest.raises(InvalidData, match=r"that looks like distances.*metric='precomputed'"):
        check_data(distances)
    rounded = distances * (1 + 1e-15 * np.arange(25.0).reshape(5, 5))
    assert not np.array_equal(rounded, rounded.T)
    with pytest.raises(InvalidData, match="that looks like distances"):
        check_data(rounded)
    assert check_data(distances + np.eye(5)[1]).shape == (5, 5)
    np.testing.assert_array_equal(check_data(distances, may_be_distances=True), distances)
    assert check_data(np.zeros((4, 4))).shape == (4, 4)
    assert check_data(np.eye(4)).shape == (4, 4)


def test_more_clusters_than_rows():
    """Law: k above n is refused with both numbers, in our words and scikit-learn's."""
    check_n_clusters(12, 12, who="KMeans")
    with pytest.raises(
        InvalidParameter, match="n_clusters of KMeans must be at most n_samples=12, got 40"
    ) as caught:
        check_n_clusters(40, 12, who="KMeans")
    assert "n_samples=12 should be >= n_clusters=40" in str(caught.value)


def test_every_refusal_is_ours():
    """Law: whatever is wrong, the error is a CoterieError."""
    for bad in (object(), {1, 2}, "text", [[[]]], [[]], b"bytes"):
        with pytest.raises(CoterieError, match=r"X"):
            check_data(bad)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, int])
def test_plain_arrays_are_told_as_scikit_learn_tells_them(dtype, order):
    """Law: what an estimator learns about columns is the same whether rows are converted or not."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 2.0]})
    plain, ours, theirs = np.asarray(frame.to_numpy(), dtype=dtype, order=order), Dummy(), Dummy()
    check_data(frame, estimator=ours)
    validate_data(theirs, frame)
    assert vars(ours).keys() == vars(theirs).keys() == {"n_features_in_", "feature_names_in_"}
    check_data(plain, estimator=ours)
    validate_data(theirs, plain)
    assert vars(ours) == vars(theirs) == {"n_features_in_": 2}
    with pytest.raises(InvalidData, match="has 1 features"):
        check_data(plain[:, :1].copy(), estimator=ours, reset=False)
