"""Bad input is told what is wrong; odd but good input works."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from coterie._support.validation import memory
from coterie.cluster import (
    Birch,
    BisectingKMeans,
    HierarchicalKMeans,
    KMeans,
    MiniBatchKMeans,
    k_means,
    kmeans_plusplus,
)
from coterie.errors import CoterieError, InvalidData, InvalidParameter, NotEnoughMemory, UnsupportedInput

X = np.random.default_rng(0).normal(size=(40, 3))
BOTH = pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])


def holes(value):
    data = X.copy()
    data[[3, 5, 7], 1] = value
    return data


BAD_DATA = [
    (holes(np.nan), r"contains NaN: 3 missing values in X\[:, 1\] \(rows 3, 5, 7\)"),
    (pd.DataFrame(holes(np.nan), columns=list("abc")), r'3 missing values in column "b"'),
    (sparse.csr_array(holes(np.nan)), r"contains NaN: 3 missing values"),
    (holes(np.inf), r"contains infinity: 3 infinite values in X\[:, 1\]"),
    (np.empty((0, 3)), r"0 sample\(s\) .* minimum of 1"),
    (np.empty((3, 0)), r"0 feature\(s\) .* minimum of 1"),
    (X[:1], r"n_clusters of \w+ must be at most n_samples=1, got 2.*n_samples=1 should be >= n_clusters=2"),
    (X[0], r"Expected 2D array, got 1D array.*Reshape your data"),
    (X[None], r"dim 3 .*dim <= 2 is required"),
    (np.array([["a", "b"], ["c", "d"]]), r"must be numbers, got text"),
    (pd.DataFrame({"a": [1.0, 2.0], "city": ["x", "y"]}), r'Column "city" of X must be numbers, got text'),
    (np.ma.masked_greater(X, 1.0), r"X of \w+ has masked values: \d+ of \d+\. Fill them"),
    (X + 1j, r"Complex data not supported"),
    (X * 1e300, r"too large for float64.*Scale the data"),
    ((X * 1e25).astype(np.float32), r"too large for float32.*Convert to float64"),
    (np.abs(np.subtract.outer(X[:, 0], X[:, 0])), r"looks like distances"),
]


@BOTH
@pytest.mark.parametrize(("bad", "message"), BAD_DATA)
def test_bad_data(kind, bad, message):
    """Law: each kind of bad data is refused with a sentence that says what and where."""
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        kind(2).fit(bad)


@BOTH
def test_objects_are_of_the_wrong_type(kind):
    """Law: cells that are not numbers are a TypeError."""
    with pytest.raises(UnsupportedInput, match="cannot be read as numbers"):
        kind(1).fit(np.array([[{}, 2.0]], dtype=object))


@pytest.mark.parametrize("call", [lambda bad: k_means(bad, 2), lambda bad: kmeans_plusplus(bad, 2)])
@pytest.mark.parametrize(("bad", "message"), BAD_DATA)
def test_functions_refuse_bad_data_too(call, bad, message):
    """Law: the functions check like the classes."""
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        call(bad)


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, r"n_clusters of \w+ must be a whole number of at least 1, got 0"),
        ({"n_clusters": 2.0}, r"n_clusters of \w+ must be a whole number"),
        ({"n_clusters": 41}, r"n_clusters of \w+ must be at most n_samples=40, got 41"),
        ({"init": "kmeans++"}, r'init .* must be one of "k-means\+\+".*Did you mean "k-means\+\+"'),
        ({"init": X[:3]}, r"initial centers \(3, 3\) does not match the number of clusters 2"),
        (
            {"init": X[:2, :2]},
            r"initial centers \(2, 2\) does not match the number of features of the data 3",
        ),
        ({"init": holes(np.nan)[2:4]}, r"Input init contains NaN: 1 missing value in init\[:, 1\]"),
        ({"init": lambda X, k, random_state: X[:1]}, r"does not match the number of clusters"),
        (
            {"init": lambda X, k, random_state: "text"},
            r"the result of init of \w+ must be a table of numbers",
        ),
        ({"n_init": 0}, r'n_init of \w+ must be "auto" or a whole number of at least 1'),
        ({"max_iter": 0}, r"max_iter of \w+ must be a whole number of at least 1"),
        ({"tol": -1.0}, r"tol of \w+ must be a number of at least 0"),
        ({"tol": np.nan}, r"tol of \w+ must be a number of at least 0"),
        ({"random_state": "seed"}, r"random_state of \w+ must be None, a whole number"),
        ({"progress": "yes"}, r"progress of \w+ must be None, True or False or a callable"),
    ],
)
def test_bad_parameters(kind, parameters, message):
    """Law: a wrong parameter is refused before any work, with what is allowed and what was given."""
    with pytest.raises((InvalidParameter, InvalidData), match=message):
        kind(**{"n_clusters": 2, "n_init": 1, **parameters}).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"algorithm": "loyd"}, r'algorithm of KMeans must be one of "auto".*Did you mean "lloyd"'),
        ({"improve": "breathe"}, r'improve of KMeans must be None or "breathing".*Did you mean "breathing"'),
        ({"tol_inertia": -0.1}, r"tol_inertia of KMeans must be None or a number of at least 0"),
        ({"history": 1}, r"history of KMeans must be True or False"),
        ({"copy_x": None}, r"copy_x of KMeans must be True or False"),
    ],
)
def test_bad_parameters_of_kmeans(parameters, message):
    """Law: as above, for what only KMeans has."""
    with pytest.raises(InvalidParameter, match=message):
        KMeans(2, **parameters).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"batch_size": 0}, r"batch_size of MiniBatchKMeans must be a whole number of at least 1"),
        ({"reassignment_ratio": -1}, r"reassignment_ratio of MiniBatchKMeans must be a number of at least 0"),
        ({"max_no_improvement": -1}, r"max_no_improvement .* whole number of at least 0 or None"),
        ({"init_size": 0}, r"init_size .* whole number of at least 1 or None"),
        ({"compute_labels": 2}, r"compute_labels of MiniBatchKMeans must be True or False"),
    ],
)
def test_bad_parameters_of_minibatch(parameters, message):
    """Law: as above, for what only MiniBatchKMeans has."""
    for method in ("fit", "partial_fit"):
        with pytest.raises(InvalidParameter, match=message):
            getattr(MiniBatchKMeans(2, **parameters), method)(X)


@BOTH
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(40, -1.0), r"Negative values in data passed to `sample_weight`: 40 of 40"),
        (
            np.where(np.arange(40) == 3, np.nan, 1.0),
            r"sample_weight contains NaN: 1 of 40, the first at row 3",
        ),
        (np.where(np.arange(40) == 3, np.inf, 1.0), r"sample_weight contains infinity"),
        (np.ones(39), r"sample_weight.shape == \(39,\), expected \(40,\)"),
        (np.ones((40, 1)), r"Sample weights must be 1D array or scalar"),
        (np.zeros(40), r"at least one non-zero number"),
        (["a"] * 40, r"sample_weight of \w+ must be numbers"),
    ],
)
def test_bad_weights(kind, weights, message):
    """Law: weights that are not weights are refused at fit and at score."""
    with pytest.raises(InvalidData, match=message):
        kind(2).fit(X, sample_weight=weights)
    with pytest.raises(InvalidData, match=message):
        kind(2).fit(X).score(X, sample_weight=weights)


@BOTH
@pytest.mark.parametrize("method", ["predict", "transform", "score"])
def test_new_rows_must_fit_the_model(kind, method):
    """Law: new rows before fit, or with other columns, are refused."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(kind(2), method)(X)
    model = kind(2).fit(X)
    with pytest.raises(InvalidData, match=rf"X has 2 features, but {kind.__name__} is expecting 3 features"):
        getattr(model, method)(X[:, :2])
    with pytest.raises(InvalidData, match="contains NaN"):
        getattr(model, method)(holes(np.nan))
    named = kind(2).fit(pd.DataFrame(X, columns=list("abc")))
    with pytest.raises(InvalidData, match="feature names should match"):
        getattr(named, method)(pd.DataFrame(X, columns=list("acb")))


ODD = {
    "integers": (100 * X).astype(np.int16),
    "booleans": X > 0,
    "float16": X.astype(np.float16),
    "lists": X.tolist(),
    "pandas": pd.DataFrame(X),
    "polars": pl.DataFrame(X, schema=list("abc")),
    "fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "reversed": X[::-1],
    "constant column": np.column_stack([X, np.full(40, 7.0)]),
    "zeros": np.column_stack([X, np.zeros(40)]),
    "huge but safe": X * 1e100,
    "tiny": X * 1e-140,
}


@BOTH
@pytest.mark.parametrize("name", ODD)
def test_odd_but_good_data(kind, name):
    """Law: any table of finite numbers is clustered like its float64 copy in C order, and is left alone."""
    odd = ODD[name]
    plain = np.ascontiguousarray(np.asarray(odd), dtype=np.float64)
    model, reference = (kind(3, random_state=0).fit(data) for data in (odd, plain))
    np.testing.assert_array_equal(model.labels_, reference.labels_)
    np.testing.assert_array_equal(model.cluster_centers_, reference.cluster_centers_)
    assert np.isfinite(model.inertia_)
    np.testing.assert_array_equal(np.asarray(odd).astype(np.float64), plain)


@BOTH
def test_read_only_data(kind):
    """Law: nobody writes to the data, the start or the weights."""
    frozen, start, weights = X.copy(), X[:3].copy(), np.linspace(1, 2, 40)
    for array in (frozen, start, weights):
        array.flags.writeable = False
    model = kind(3, init=start).fit(frozen, sample_weight=weights)
    assert not np.shares_memory(model.cluster_centers_, start)


def test_copy_x_changes_nothing():
    """Law: X is neither changed nor copied, whatever copy_x says."""
    data = X.copy()
    fits = [KMeans(3, random_state=0, copy_x=copy_x).fit(data) for copy_x in (True, False)]
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(fits[0].cluster_centers_, fits[1].cluster_centers_)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("init", ["k-means++", "random", "random partition"])
@pytest.mark.parametrize(
    ("rows", "n_distinct"), [([[1.0, 2.0]] * 6, 1), ([[0, 0], [0, 1], [1, 0], [1, 0]], 3)]
)
def test_fewer_different_rows_than_clusters(container, init, rows, n_distinct):
    """Law: a warning says how many there are, and there are exactly that many centres and labels."""
    data = container(np.array(rows, dtype=float))
    message = rf"Number of distinct clusters \({n_distinct}\) found smaller than n_clusters \(4\)"
    for improve in (None, "breathing"):
        with pytest.warns(ConvergenceWarning, match=message):
            model = KMeans(4, init=init, improve=improve, random_state=0).fit(data)
        assert model.cluster_centers_.shape == (n_distinct, 2)
        np.testing.assert_array_equal(np.unique(model.labels_), np.arange(n_distinct))
        assert model.inertia_ == 0
        assert model.transform(data).shape == (len(rows), n_distinct)
        assert len(model.get_feature_names_out()) == n_distinct
        np.testing.assert_array_equal(model.predict(data), model.labels_)


def test_rows_without_weight_make_no_clusters():
    """Law: rows of weight 0 are labelled, but centres come from the others alone."""
    weights = np.zeros(40)
    weights[:2] = 1.0
    for init in ("k-means++", "random", "random partition"):
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
            model = KMeans(3, init=init, random_state=0).fit(X, sample_weight=weights)
        np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), np.sort(X[:2], axis=0))
        assert model.labels_.shape == (40,)


@BOTH
def test_minibatch_and_kmeans_take_equal_rows(kind):
    """Law: all rows equal is not an error."""
    with pytest.warns(ConvergenceWarning, match="distinct") if kind is KMeans else np.errstate():
        model = kind(3, random_state=0).fit(np.ones((10, 2)))
    assert model.inertia_ == 0
    np.testing.assert_array_equal(model.cluster_centers_[0], [1.0, 1.0])


def test_one_cluster_and_one_row():
    """Law: one cluster is the mean, one row is its own centre, k = n puts a centre on every row."""
    model = KMeans(1).fit(X)
    np.testing.assert_allclose(model.cluster_centers_[0], X.mean(axis=0))
    assert model.inertia_ == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    np.testing.assert_array_equal(KMeans(1).fit(X[:1]).cluster_centers_, X[:1])
    full = KMeans(40, random_state=0).fit(X)
    assert full.inertia_ == pytest.approx(0, abs=1e-25)
    assert sorted(full.labels_) == list(range(40))


def test_every_refusal_is_ours():
    """Law: whatever is wrong with the arguments, the error is a CoterieError."""
    for bad in (None, "text", 5, [[]], [[1, 2], [3]]):
        with pytest.raises(CoterieError, match="X"):
            KMeans(1).fit(bad)


def test_warnings_point_at_the_caller():
    """Law: a warning names the line that called fit."""
    calls = [
        lambda: KMeans(3, random_state=0).fit(np.ones((5, 2))),
        lambda: KMeans(2, init=X[:2], n_init=3).fit(X),
        lambda: KMeans(1, algorithm="elkan").fit(X),
        lambda: MiniBatchKMeans(4, init_size=3).fit(X),
    ]
    for call in calls:
        with pytest.warns((ConvergenceWarning, RuntimeWarning)) as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_given_centres_are_used_once():
    """Law: more than one start from given centres is pointless, and said so."""
    for kind in (KMeans, MiniBatchKMeans):
        with pytest.warns(
            RuntimeWarning, match="Explicit initial center position passed: performing only one"
        ):
            kind(2, init=X[:2], n_init=3).fit(X)
    with pytest.warns(RuntimeWarning, match="algorithm='elkan' doesn't make sense for a single cluster"):
        assert KMeans(1, algorithm="elkan").fit(X).algorithm_used_ == "lloyd"


@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans, BisectingKMeans, HierarchicalKMeans, Birch])
def test_sparse_rows_whose_centres_do_not_fit(kind, monkeypatch):
    """Law: centres are dense, so that sparse rows of very many columns are refused before the first one."""
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    wide = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(9, 10**7))
    with pytest.raises(NotEnoughMemory, match=r"columns, whose centres are dense, needs .*TruncatedSVD"):
        kind(n_clusters=3).fit(wide)
