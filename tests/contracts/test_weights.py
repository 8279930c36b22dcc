"""Laws over all methods that take weights: weights count copies of rows."""

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from coterie import evaluate
from coterie.cluster import methods
from coterie.errors import InvalidData


def _parameters(function):
    return {} if inspect.isclass(function) else inspect.signature(function).parameters


WEIGHTED = [
    method for method in methods() if "sample_weight" in inspect.signature(method.load().fit).parameters
]
X = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0.0], [9.0], [30.0]], 20, axis=0)
COUNTING = (  # weights are rows there, which min_samples counts, or which weigh against a prior
    "dbscan",
    "hdbscan",
    "optics",
    "bayesian-mixture",
)
MEASURES = [
    name
    for name in evaluate.__all__
    if callable(getattr(evaluate, name)) and "sample_weight" in _parameters(getattr(evaluate, name))
]
pytestmark = pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")


def make(method):
    kind = method.load()
    wanted = {"n_clusters": 3, "n_components": 3, "random_state": 0}
    wanted |= {"eps": 3.0} if method.name == "dbscan" else {}  # as a knee it would not be that of copies
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in wanted.items() if name in known})


def fit(method, X, weights=None):
    return make(method).fit(X) if weights is None else make(method).fit(X, sample_weight=weights)


def test_methods_that_take_weights():
    """The density-based methods take weights, and so do methods with centres."""
    assert {"kmeans", "mixture", "dbscan", "hdbscan", "optics"} <= {method.name for method in WEIGHTED}


@pytest.mark.parametrize("method", WEIGHTED, ids=lambda method: method.name)
def test_ones_are_no_weights(method):
    """Law: with all weights 1 the labels are those without weights."""
    np.testing.assert_array_equal(fit(method, X, np.ones(60)).labels_, fit(method, X).labels_)


@pytest.mark.parametrize("method", WEIGHTED, ids=lambda method: method.name)
def test_weights_are_copies(method):
    """Law: rows of weight 2 and 3 are these rows given twice and thrice."""
    weights = 2 + np.arange(60) % 2
    weighted = np.repeat(fit(method, X, weights).labels_, weights)
    copied = fit(method, np.repeat(X, weights, axis=0)).labels_
    np.testing.assert_array_equal(weighted < 0, copied < 0)
    assert adjusted_rand_score(weighted, copied) == 1


@pytest.mark.parametrize("method", WEIGHTED, ids=lambda method: method.name)
def test_weights_are_routed(method):
    """Law: a pipeline that is told to hands weights over."""
    weights = 1 + np.arange(60) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = make(method).set_fit_request(sample_weight=True)
        routed = make_pipeline(FunctionTransformer(), model).fit(X, sample_weight=weights)[-1]
    np.testing.assert_array_equal(routed.labels_, fit(method, X, weights).labels_)


@pytest.mark.parametrize("method", WEIGHTED, ids=lambda method: method.name)
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.full(60, np.nan), "contains NaN"),
        (np.full(60, np.inf), "contains infinity"),
        (np.zeros(60), "all weights of .* are zero"),
        (np.ones(59), r"sample_weight.shape == \(59,\), expected \(60,\)"),
        (np.ones((60, 2)), "must be 1D"),
        (["a"] * 60, "must be numbers"),
        (np.full(60, 1e307), r"must add up to at most 1e\+100, got inf, .*Divide the weights"),
        (np.r_[np.finfo(float).max, np.ones(59)], r"at most 1e\+100, got 1.8e\+308, the largest .* at row 0"),
        (np.full(60, 5e-324), r"must have a weight of at least 1e-100, got .*Multiply the weights"),
    ],
)
def test_wrong_weights(method, weights, words):
    """Law: weights must be finite, at least 0, not all 0, one per row."""
    with pytest.raises(InvalidData, match=words):
        fit(method, X, weights)


@pytest.mark.parametrize(
    "method", [m for m in WEIGHTED if m.name != "dbscan"], ids=lambda method: method.name
)
def test_negative_weights(method):
    """Law: nothing weighs less than nothing; only DBSCAN has a meaning for it."""
    with pytest.raises(InvalidData, match="Negative values in data passed to `sample_weight`"):
        fit(method, X, -np.ones(60))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [1e97, 2.0**62, 1e-99])
@pytest.mark.parametrize(
    "method", [m for m in WEIGHTED if m.name not in COUNTING], ids=lambda method: method.name
)
def test_a_common_factor_changes_no_label(method, factor, dtype):
    """Law: where weights are not counts, weights of any size find the groups of the same shares."""
    weights = 1.0 + np.arange(60) % 3
    plain, scaled = (fit(method, X.astype(dtype), each) for each in (weights, factor * weights))
    assert adjusted_rand_score(scaled.labels_, plain.labels_) == 1
    for name, value in vars(scaled).items():
        if (
            name.endswith("_")
            and isinstance(value, float | np.ndarray)
            and np.asarray(value).dtype.kind == "f"
        ):
            assert np.isfinite(value).all(), name


@pytest.mark.parametrize("method", WEIGHTED, ids=lambda method: method.name)
def test_weights_next_to_nothing(method):
    """Law: beside weights of 1, the least number there is weighs nothing."""
    least, nothing = (np.r_[np.ones(40), np.full(20, tiny)] for tiny in (5e-324, 0.0))
    np.testing.assert_array_equal(fit(method, X, least).labels_, fit(method, X, nothing).labels_)


@pytest.mark.parametrize("name", ["kmeans", "minibatch-kmeans", "bisecting-kmeans", "mixture"])
def test_squares_that_overflow_with_their_weights(name):
    """Law: data and weights that are fine by themselves are refused where their products are not."""
    method = next(method for method in WEIGHTED if method.name == name)
    with pytest.raises(
        InvalidData, match=r"weighted sums of squares overflow above .*Divide the weights or the data"
    ):
        fit(method, X * 1e110, np.full(60, 1e95))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MEASURES)
def test_measures_of_large_and_small_weights(name, dtype):
    """Law: measures take weights of any size that a sum can hold, and refuse others in words."""
    measure = getattr(evaluate, name)
    labels = np.repeat([0, 1, 2], 20)
    takes_rows = next(iter(inspect.signature(measure).parameters)) == "X"
    given = (X.astype(dtype),) if takes_rows else (np.roll(labels, 1),)
    given = given if name == "tss" else (*given, labels)
    for weights in (np.full(60, 1e98), np.full(60, 2**62)):
        found = measure(*given, sample_weight=weights)
        if isinstance(found, float | np.ndarray):
            assert np.isfinite(found).all()
    for weights in (np.full(60, 1e307), np.full(60, 5e-324)):
        with pytest.raises(InvalidData, match=r"sample_weight of .* must"):
            measure(*given, sample_weight=weights)
