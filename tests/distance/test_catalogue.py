"""Names, parameters, user functions: what `find_distance` takes and what it says otherwise."""

import importlib
import pickle
from copy import deepcopy

import numpy as np
import pytest

from coterie import _core
from coterie.distance import Distance, distances, find_distance, pairwise_distances, register
from coterie.errors import CoterieError, InvalidData, InvalidParameter

DISTANCES = {distance.name: distance for distance in distances()}

X = np.random.default_rng(0).normal(size=(30, 4))


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("cityblock", "manhattan"),
        ("l1", "manhattan"),
        ("l2", "euclidean"),
        ("chebychev", "chebyshev"),
        ("infinity", "chebyshev"),
        ("pearson", "correlation"),
        ("cos", "cosine"),
    ],
)
def test_names_of_peers_are_known(alias, name):
    """Law: the names that SciPy and scikit-learn users type lead to the distance they mean."""
    assert find_distance(alias).name == name


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            "euclidian",
            r'"euclidian"\. Did you mean "euclidean"\? \(coterie\.distance\.distances\(\) lists all\)',
        ),
        ("manhatan", r'Did you mean "manhattan"\?'),
        (3, r"metric must be the name of a distance, a function of two rows or a Distance, got int\."),
        (None, r"got NoneType\."),
    ],
)
def test_unknown_names_are_told(metric, message):
    """Law: what is not a distance is refused, with the nearest name if there is one."""
    with pytest.raises(InvalidParameter, match=message):
        find_distance(metric)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("minkowski", {"p": 0}, r"p of minkowski must be a number greater than 0 or numpy\.inf, got 0\."),
        ("minkowski", {"p": -1.0}, r"got -1\.0\."),
        ("minkowski", {"p": np.nan}, r"got nan\."),
        ("minkowski", {"p": "two"}, r"got 'two'\."),
        ("minkowski", {"q": 3}, r"the distance minkowski takes p, w, got q\."),
        ("cosine", {"p": 3}, r"the distance cosine takes no parameters, got p\."),
        ("euclidean", {"w": 3}, r"w of euclidean must be None or an array, got 3\."),
    ],
)
def test_bad_parameters_are_told_before_any_data(name, params, message):
    """Law: a parameter that cannot be right is refused when the distance is named."""
    with pytest.raises(InvalidParameter, match=message):
        find_distance(name, **params)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("euclidean", {"w": [1, 2]}, r"w of euclidean must have one number per column, shape \(4,\), got"),
        ("manhattan", {"w": [1, 2, -1, 0]}, r"at least 0 in every column, got -1 in column 2"),
        ("minkowski", {"w": ["a"] * 4}, r"w of minkowski must be an array of finite numbers"),
        ("seuclidean", {"V": [1, 1, np.inf, 1]}, r"V of seuclidean must be an array of finite numbers"),
        ("seuclidean", {"V": [1, 0, 1, 1]}, r"column 1 of X has variance 0: seuclidean divides by it"),
        ("mahalanobis", {"VI": np.eye(3)}, r"must have the shape \(4, 4\) for 4 columns, got \(3, 3\)"),
        ("mahalanobis", {"VI": -np.eye(4)}, r"must be positive semidefinite, .* eigenvalue -1"),
    ],
)
def test_parameters_that_do_not_fit_the_data_are_told(name, params, message):
    """Law: arrays of the wrong shape or sign are refused when they meet the data."""
    with pytest.raises(ValueError, match=message) as caught:
        pairwise_distances(X, metric=name, **params)
    assert isinstance(caught.value, CoterieError)


def test_what_cannot_be_learned_is_told():
    """Law: too few rows, constant and dependent columns are named where variances are learned."""
    constant = X.copy()
    constant[:, 2] = 5
    dependent = X.copy()
    dependent[:, 3] = 2 * X[:, 0] - X[:, 1]
    for data, name, message in (
        (X[:1], "seuclidean", r"seuclidean needs two rows to learn variances, got 1\. Give V\."),
        (constant, "seuclidean", r"column 2 of X has variance 0"),
        (
            X[:4],
            "mahalanobis",
            r"needs more rows than columns to learn a covariance, got 4 rows and 4 columns",
        ),
        (constant, "mahalanobis", r"covariance of X is singular: some column is constant or a combination"),
        (dependent, "mahalanobis", r"covariance of X is singular"),
    ):
        with pytest.raises(InvalidData, match=message):
            pairwise_distances(data, metric=name)


def test_units_do_not_make_a_covariance_singular():
    """Law: columns in nanometres and in light years are as good as any."""
    scaled = X * [1e-9, 1, 1e15, 1e3]
    ours = pairwise_distances(scaled, metric="mahalanobis")
    np.testing.assert_allclose(ours, pairwise_distances(X, metric="mahalanobis"), rtol=1e-6)


@pytest.mark.parametrize("name", ["seuclidean", "mahalanobis"])
def test_fit_keeps_what_was_learned(name):
    """Law: a fitted distance measures new rows by the old data, and can be rebuilt from its values."""
    fitted = find_distance(name).fit(X)
    new = X[:3] + 1
    again = find_distance(name, **fitted.values)
    np.testing.assert_array_equal(pairwise_distances(new, X, fitted), pairwise_distances(new, X, again))
    np.testing.assert_allclose(pairwise_distances(X, metric=fitted), pairwise_distances(X, metric=name))


def test_vi_of_less_than_full_rank_measures_only_its_own_directions():
    """Law: VI may ignore directions; rows that differ only there are at distance zero."""
    D = pairwise_distances(X, metric="mahalanobis", VI=np.diag([1.0, 0, 0, 0]))
    np.testing.assert_allclose(D, np.abs(X[:, :1] - X[:, 0]), atol=1e-12)


@pytest.mark.parametrize("name", ["seuclidean", "mahalanobis", "euclidean", "cosine"])
def test_far_from_the_origin_no_digits_are_lost(name):
    """Law: moving all rows by a large vector changes no distance beyond the rounding of the rows."""
    far = X * 1e-3 + (0 if name == "cosine" else 1e6)
    near = far - (0 if name == "cosine" else 1e6)
    rtol = 1e-12 if name != "cosine" else 1e-9
    np.testing.assert_allclose(
        pairwise_distances(far, metric=name), pairwise_distances(near, metric=name), rtol=rtol
    )


def gap(x, y, scale=1.0):
    return scale * float(np.abs(x - y).max())


def test_functions_of_two_rows_are_distances():
    """Law: a function is called once per pair, keyword arguments included; without Y it is mirrored."""
    calls = []

    def counted(x, y, scale=1.0):
        calls.append((x, y))
        return gap(x, y, scale)

    square = pairwise_distances(X[:6], metric=counted, scale=2.0)
    assert len(calls) == 15
    np.testing.assert_allclose(square, 2 * pairwise_distances(X[:6], metric="chebyshev"))
    oblong = pairwise_distances(X[:6], X[6:10], counted)
    assert len(calls) == 15 + 24
    np.testing.assert_allclose(oblong, pairwise_distances(X[:6], X[6:10], "chebyshev"))
    assert find_distance(counted).name == "counted"
    np.testing.assert_array_equal(
        pairwise_distances(X[:6], metric=counted, condensed=True) * 2, square[np.triu_indices(6, 1)]
    )


@pytest.mark.parametrize("answer", [np.nan, -1.0, None, "far"])
def test_functions_that_return_no_distance_are_told(answer):
    """Law: what is not a number of at least 0 is refused, with the pair of rows."""
    with pytest.raises(
        InvalidData,
        match=r"the distance function .* must return a number of at least 0, got .* for the rows 0 and 1",
    ):
        pairwise_distances(X, metric=lambda x, y: answer)


def test_distances_are_values():
    """Law: a distance survives pickling and copying, and shows its name and parameters."""
    for distance in (
        find_distance("minkowski", p=3),
        find_distance("mahalanobis").fit(X),
        find_distance(gap),
    ):
        for twin in (pickle.loads(pickle.dumps(distance)), deepcopy(distance)):
            np.testing.assert_array_equal(
                pairwise_distances(X, metric=twin), pairwise_distances(X, metric=distance)
            )
    assert repr(find_distance("minkowski", p=3)) == "Distance('minkowski', p=3)"
    assert find_distance(find_distance("minkowski", p=3)).p == 3
    assert find_distance(find_distance("minkowski", p=3), p=4).p == 4


def test_a_name_is_an_entry():
    """Law: a name or alias without parameters is the entry itself; with parameters, another."""
    for entry in distances():
        for name in (entry.name, *entry.aliases):
            assert find_distance(name) is entry
    assert find_distance("minkowski", p=3) is not find_distance("minkowski")
    assert find_distance("minkowski").p == 2


def test_register_adds_one_entry(monkeypatch):
    """Law: a distance by reduction is one entry; names must be new."""
    module = importlib.import_module("coterie.distance.catalogue")  # the name of the function hides it
    monkeypatch.setattr(module, "_entries", dict(DISTANCES))
    monkeypatch.setattr(module, "_names", dict(module.known_names()))
    entry = Distance(
        name="halfsquare",
        aliases=("hs",),
        summary="Half the squared Euclidean distance.",
        formula="sum (x - y)^2 / 2",
        kernel=_core.Kernel.squared_difference,
        finish=_core.Finish.half,
        is_metric=False,
    )
    register(entry)
    np.testing.assert_allclose(
        pairwise_distances(X, metric="hs"), pairwise_distances(X, metric="sqeuclidean") / 2
    )
    with pytest.raises(InvalidParameter, match='a distance called "halfsquare" is in the catalogue already'):
        register(entry)


@pytest.mark.parametrize(("name", "p"), [("manhattan", 1), ("euclidean", 2), ("chebyshev", np.inf)])
def test_minkowski_becomes_its_special_cases(name, p):
    """Law: p = 1, 2 and infinity run by the kernels of the distances that they are."""
    special, general = find_distance(name), find_distance("minkowski", p=p)
    assert (special.kernel, special.finish) == (general.kernel, general.finish)
    np.testing.assert_array_equal(
        pairwise_distances(X, metric=special), pairwise_distances(X, metric=general)
    )


def test_minkowski_below_one_is_no_metric():
    """Law: facts follow from parameters."""
    assert find_distance("minkowski", p=1.5).is_metric
    assert not find_distance("minkowski", p=0.5).is_metric
