"""Laws over the catalogue of methods: rows of every kind are taken as they should be, or refused in words."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import LaplacianEigenmap, SpectralClustering, methods
from coterie.errors import CoterieError, DataNotice

METHODS = {method.name: method for method in methods()}
TABLES = {"kmodes", "kprototypes", "latent-classes"}  # take categories and missing cells
OF_DIRECTIONS = {"vmf"}  # refuse rows of zeros, which have none
NEVER_MISSING = [name for name in METHODS if name != "hdbscan"]  # it labels such rows -2 and -3
CUT_WHERE_TOLD = (
    "agglomerative",
    "constrained-kmeans",
    "diana",
    "genie",
    "modes",
    "consensus",
)  # a tree of equal rows has three branches too
X = np.random.default_rng(0).normal(0, 0.3, size=(48, 3)) + np.repeat(
    [[1.0, 2.0, 9.0], [5.0, 5.0, 5.0], [9.0, 1.0, 1.0]], 16, axis=0
)


def estimator_of(name, **options):
    """Return the estimator as the command line makes it, for three groups, the same at every fit."""
    kind = METHODS[name].load()
    known = inspect.signature(kind).parameters
    options |= dict(METHODS[name].settings) | {"n_clusters": 3, "n_components": 3, "random_state": 0}
    return kind(**{key: value for key, value in options.items() if key in known})


def fitted(name, data):
    """Fit with every warning an error but those that Coterie and scikit-learn mean for the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for notice in (DataNotice, ConvergenceWarning):
            warnings.simplefilter("ignore", notice)
        return estimator_of(name).fit(data)


def with_value(value):
    changed = X.copy()
    changed[7, 1] = value
    return changed


def same_groups(labels, others):
    """Return whether two labelings are one, up to the numbers of the groups."""
    pairs = set(zip(labels.tolist(), others.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(set(others.tolist()))


REFUSED = {
    "missing": (with_value(np.nan), "contains NaN: 1 missing value in X.*row 7"),
    "infinite": (with_value(np.inf), "contains infinity: 1 infinite value in X.*row 7"),
    "minus infinite": (with_value(-np.inf), "contains infinity: 1 infinite value in X.*row 7"),
}
REFUSED_BY_ALL = {
    "no rows": (X[:0], "0 sample.s. .shape=.0, 3.. while a minimum of"),
    "no columns": (X[:, :0], "0 feature.s. .shape=.48, 0.. while a minimum of"),
    "words": (np.array([["red", "blue"]] * 9), "must be numbers, got text"),
    "numbers as text": (X.astype(str), "must be numbers, got text"),
    "complex": (X + 1j, "Complex data not supported"),
    "dates": (X.astype("datetime64[s]"), "got dates or times"),
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array"),
    "three dimensions": (X.reshape(16, 3, 3), "Found array with dim 3"),
    "masked": (np.ma.masked_greater(X, 8), "has masked values"),
    "nothing": (None, "must be a table of numbers, got None"),
    "overflow of squares": (X * 1e300, "too large for float64.*squared distances overflow above"),
    "one huge value": (with_value(1e300), "too large for float64: 1e.300 in X"),
    "overflow of float32": ((X * 1e30).astype(np.float32), "too large for float32.*Convert to float64"),
    "underflow of squares": (X * 1e-300, "only values too small for float64"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", NEVER_MISSING)
def test_missing_and_infinite_values(name, case):
    """Law: a value that is not finite is refused, with its column and row; tables may lack some."""
    data, words = REFUSED[case]
    if case == "missing" and name in TABLES:
        assert len(fitted(name, data).labels_) == len(data)
        return
    with pytest.raises(CoterieError, match=words):
        fitted(name, data)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for name in METHODS
        for case in REFUSED_BY_ALL
        if (name, case) != ("hdbscan", "overflow of float32")  # it works in float64, as scikit-learn's does
        and not (name in TABLES and case in ("words", "numbers as text", "overflow of float32"))
        and not (name == "kmodes" and ("squares" in case or "huge" in case))  # numbers are names
    ],
)
def test_what_is_no_table_of_numbers(name, case):
    """Law: what cannot be clustered is refused in words, without a warning from below."""
    data, words = REFUSED_BY_ALL[case]
    with pytest.raises(CoterieError, match=words):
        fitted(name, data)


FORMS = {
    "read-only": lambda rows: _locked(rows.copy()),
    "Fortran": np.asfortranarray,
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "reversed": lambda rows: rows[::-1].copy()[::-1],
    "list": np.ndarray.tolist,
    "objects": lambda rows: rows.astype(object),
    "long double": lambda rows: rows.astype(np.longdouble),
    "constant column": lambda rows: np.column_stack([rows, np.full(len(rows), 3.0)]),
}


def _locked(rows):
    rows.setflags(write=False)
    return rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", METHODS)
def test_the_same_rows_in_another_form(name, form):
    """Law: how rows lie in memory, and a column that never changes, do not change the groups."""
    data = FORMS[form](X)
    model = fitted(name, data)
    assert same_groups(model.labels_, fitted(name, X).labels_)
    np.testing.assert_array_equal(model.predict(data), model.labels_)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint8, np.float16, bool])
@pytest.mark.parametrize("name", METHODS)
def test_other_numbers(name, kind):
    """Law: whole numbers, halves and booleans are the numbers that they stand for."""
    data = (X * 3).astype(kind) if kind is not bool else X > 4
    model = fitted(name, data)
    np.testing.assert_array_equal(model.labels_, fitted(name, data.astype(np.float64)).labels_)


@pytest.mark.parametrize(
    "rows",
    [np.ones((24, 3)), np.zeros((24, 3)), np.repeat(X[::20], 8, axis=0)[:, :2], np.outer(X[:, 0], [1, 2, 3])],
    ids=["equal", "zeros", "three different", "collinear"],
)
@pytest.mark.parametrize("name", METHODS)
def test_rows_that_hardly_differ(name, rows):
    """Law: equal, repeated and collinear rows get labels and finite numbers, never a crash."""
    kept = rows.copy()
    if name in OF_DIRECTIONS and not rows.any():
        with pytest.raises(CoterieError, match=r"row 0 of X of .* has length zero and thus no direction"):
            fitted(name, rows)
        return
    model = fitted(name, rows)
    assert model.labels_.shape == (len(rows),)
    if name not in CUT_WHERE_TOLD:
        assert len(set(model.labels_.tolist()) - {-1}) <= len(np.unique(rows, axis=0))
    assert model.predict(rows).shape == (len(rows),)
    np.testing.assert_array_equal(rows, kept)


TAKE_ONE_ROW = {"dbscan": [-1], "birch": [0], "leiden": [0], "mean-shift": [0], "affinity": [0]}


@pytest.mark.parametrize("name", METHODS)
def test_one_row(name):
    """Law: one row is one group or noise where that may be, as in scikit-learn, else refused in words."""
    if name in TAKE_ONE_ROW:
        assert fitted(name, X[:1]).labels_.tolist() == TAKE_ONE_ROW[name]
    else:
        with pytest.raises(CoterieError, match=r"n_samples=1|1 sample|at least 2"):
            fitted(name, X[:1])


@pytest.mark.parametrize("case", REFUSED | REFUSED_BY_ALL)
def test_eigenmaps_refuse_the_same(case):
    """Law: the transformer refuses what the methods refuse."""
    data, words = (REFUSED | REFUSED_BY_ALL)[case]
    with pytest.raises(CoterieError, match=words):
        LaplacianEigenmap(2).fit(data)


def test_missing_and_infinite_values_of_hdbscan():
    """Law: HDBSCAN labels rows that are not finite -2 and -3, and the others as if they were alone."""
    data = with_value(np.nan)
    data[3, 0] = np.inf
    model = fitted("hdbscan", data)
    assert (model.labels_[3], model.labels_[7]) == (-2, -3)
    others = np.delete(np.arange(len(X)), [3, 7])
    np.testing.assert_array_equal(model.labels_[others], fitted("hdbscan", X[others]).labels_)


def test_large_float32_of_hdbscan():
    """Law: HDBSCAN works in float64, in `predict` and `membership` as in `fit`."""
    large = (X * 1e30).astype(np.float32)
    model = fitted("hdbscan", large)
    np.testing.assert_array_equal(model.labels_, fitted("hdbscan", large.astype(np.float64)).labels_)
    np.testing.assert_array_equal(model.predict(large), model.labels_)
    assert np.isfinite(model.membership(large)).all()


def test_eigenmap_of_more_coordinates_than_there_are():
    """Law: a graph of n rows has n - 1 coordinates besides the constant one; more are refused."""
    assert LaplacianEigenmap(5, affinity="rbf").fit(X[:6]).embedding_.shape == (6, 5)
    with pytest.raises(CoterieError, match=r"n_components of LaplacianEigenmap must be at most 5.*got 6"):
        LaplacianEigenmap(6, affinity="rbf").fit(X[:6])
    with pytest.raises(CoterieError, match=r"n_components of SpectralClustering must be at most 6.*got 7"):
        SpectralClustering(2, n_components=7).fit(X[:6])


@pytest.mark.parametrize("n_different", [1, 2, 3])
def test_landmarks_of_rows_that_hardly_differ(n_different):
    """Law: fewer different rows than landmarks are groups of their own, with the usual notice if too few."""
    rows = np.repeat(X[:: len(X) // n_different][:n_different], 10, axis=0)
    model = SpectralClustering(3, landmarks=8, random_state=0)
    if n_different < 3:
        with pytest.warns(ConvergenceWarning, match=rf"distinct clusters .{n_different}. found smaller"):
            model.fit(rows)
    else:
        model.fit(rows)
    assert same_groups(model.labels_, np.repeat(np.arange(n_different), 10))
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
