"""DBSCAN: the labels of scikit-learn's, in memory that grows with the rows."""

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise_distances

from coterie.cluster import DBSCAN, KMedoids, SpectralClustering, dbscan, suggest_eps
from coterie.errors import DataNotice, InvalidData, InvalidParameter, UnsupportedInput

pytestmark = pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
RANDOM = np.random.default_rng(3)


def blobs(n=400, d=2, seed=0):
    random = np.random.default_rng(seed)
    centres = random.uniform(-4, 4, size=(5, d))
    return centres[random.integers(0, 5, n)] + 0.4 * random.normal(size=(n, d))


def assert_same(X, **options):
    """Ours and theirs agree in labels and core points."""
    weights = options.pop("sample_weight", None)
    ours = DBSCAN(**options).fit(X, sample_weight=weights)
    theirs = sklearn.cluster.DBSCAN(**options).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    return ours


@pytest.mark.parametrize("d", [1, 2, 3, 8, 20, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_are_scikit_learns_in_every_dimension(d, dtype):
    """Law: numbering, border points and noise are the same, whatever the engine."""
    X = blobs(600, d).astype(dtype)
    nearest = np.sort(pairwise_distances(X), axis=1)
    for share in (0.1, 0.5, 0.95):
        for min_samples in (1, 4, 12):
            eps = float(np.quantile(nearest[:, min_samples], share)) * (1 + 1e-4)
            assert_same(X, eps=eps, min_samples=min_samples)


@pytest.mark.parametrize("eps", [1.0, 2.0, 2.5])
def test_ties_at_the_radius_count_as_near(eps):
    """Law: the radius is inclusive, on whole numbers where many pairs lie on it."""
    X = RANDOM.integers(0, 25, size=(500, 2)).astype(float)
    assert_same(X, eps=eps, min_samples=4)
    assert_same(np.hstack([X] * 8), eps=eps * 8**0.5, min_samples=4)


METRICS = [
    ("manhattan", 0.6, {}),
    ("chebyshev", 0.3, {}),
    ("minkowski", 0.4, {"p": 3}),
    ("cosine", 0.01, {}),
    ("correlation", 0.001, {}),
    ("canberra", 0.2, {}),
    ("braycurtis", 0.05, {}),
    ("seuclidean", 0.3, {"metric_params": {"V": [1.0, 2.0, 3.0]}}),
    ("mahalanobis", 0.3, {"metric_params": {"VI": np.eye(3)}}),
    ("sqeuclidean", 0.1, {}),
]


@pytest.mark.parametrize(("metric", "eps", "more"), METRICS, ids=[metric for metric, _, _ in METRICS])
def test_labels_are_scikit_learns_in_every_metric(metric, eps, more):
    """Law: the same for every distance that both know."""
    X = np.abs(blobs(300, 3)) + 0.5
    found = assert_same(X, eps=eps, metric=metric, min_samples=4, **more)
    assert found.labels_.max() >= 0
    core = found.core_sample_indices_
    np.testing.assert_array_equal(found.predict(X)[core], found.labels_[core])


@pytest.mark.parametrize("metric", ["hamming", "jaccard", "dice", "russellrao", "rogerstanimoto"])
@pytest.mark.filterwarnings("ignore:Data was converted to boolean")
def test_labels_are_scikit_learns_for_booleans(metric):
    """Law: the same for distances of booleans, those that only scikit-learn knows included."""
    X = RANDOM.random((150, 12)) < 0.4
    assert_same(X, eps=0.42, metric=metric, min_samples=3)


REAL = [
    *("euclidean", "l2", "sqeuclidean", "manhattan", "cityblock", "l1", "chebyshev", "minkowski", "cosine"),
    *("correlation", "canberra", "braycurtis", "seuclidean", "mahalanobis", "nan_euclidean", "haversine"),
]
BOOLEAN = ["hamming", "jaccard", "dice", "russellrao", "rogerstanimoto", "sokalsneath", "yule"]


PARAMETERS = {
    "minkowski": {"p": 3.0},
    "seuclidean": {"V": np.array([1.0, 2.0, 3.0])},
    "mahalanobis": {"VI": np.diag([1.0, 2.0, 4.0])},
}


def rows_for(metric, random, n):
    """Return rows with many ties that the distance is defined for."""
    if metric in BOOLEAN:
        return random.random((n, 9)) < 0.5
    if metric == "haversine":
        return random.uniform(-1.2, 1.2, size=(n, 2)).round(1)
    tilt = np.array([0.0, 0.25, 0.75])  # equal numbers have no correlation
    return random.integers(1, 9, size=(n, 3)) + tilt


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n=st.integers(12, 50),
    share=st.floats(0.01, 0.5),
    min_samples=st.integers(1, 8),
    is_weighted=st.booleans(),
)
@pytest.mark.parametrize("metric", [*REAL, *BOOLEAN])
@pytest.mark.filterwarnings("ignore:Data was converted to boolean")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # SciPy's correlation of equal numbers
def test_any_rows_get_scikit_learns_labels(metric, seed, n, share, min_samples, is_weighted):
    """Law: for every shared distance, radius, number and weights the labels are the same, ties and all."""
    random = np.random.default_rng(seed)
    X, params = rows_for(metric, random, n), PARAMETERS.get(metric)
    D = pairwise_distances(X, metric=metric, **params or {})
    eps = float(np.nanquantile(D, share)) * (1 + 1e-7) + 1e-9  # not within rounding of a distance
    weights = random.integers(-1, 4, n) if is_weighted else None
    options = {"metric": metric, "metric_params": params}
    assert_same(X, eps=eps, min_samples=min_samples, sample_weight=weights, **options)


def test_callables_and_matrices():
    """Law: a function of two rows, a dense and a sparse matrix give the labels of the rows."""
    X = blobs(150)
    D = pairwise_distances(X)
    rows = assert_same(X, eps=0.3, min_samples=4)
    function = DBSCAN(eps=0.3, min_samples=4, metric=lambda a, b: float(np.linalg.norm(a - b))).fit(X)
    dense = assert_same(D, eps=0.3, min_samples=4, metric="precomputed")
    graph = assert_same(
        sparse.csr_array(np.where(D < 0.5, D, 0.0)), eps=0.3, min_samples=4, metric="precomputed"
    )
    for model in (function, dense, graph):
        np.testing.assert_array_equal(model.labels_, rows.labels_)
    np.testing.assert_array_equal(dense.predict(D), rows.predict(X))
    np.testing.assert_array_equal(function.predict(X), rows.predict(X))


@pytest.mark.parametrize("d", [2, 30])
def test_weights(d):
    """Law: weights count like copies, negative ones keep others from being core; as scikit-learn has it."""
    X = blobs(300, d)
    for weights in (RANDOM.integers(0, 4, 300), RANDOM.integers(-2, 4, 300)):
        assert_same(X, eps=0.3 * d**0.5, min_samples=5, sample_weight=weights)


def test_sparse_rows():
    """Law: sparse rows get the labels of dense ones, for metrics with and without a sparse form."""
    X = np.where(RANDOM.random((120, 30)) < 0.2, 1.0, 0.0)
    for metric, eps in (("euclidean", 2.3), ("cosine", 0.5), ("canberra", 5.0), ("minkowski", 2.3)):
        dense = DBSCAN(eps=eps, metric=metric, min_samples=3).fit(X)
        rows = DBSCAN(eps=eps, metric=metric, min_samples=3).fit(sparse.csr_array(X))
        np.testing.assert_array_equal(rows.labels_, dense.labels_)
        np.testing.assert_array_equal(rows.predict(sparse.csr_array(X)), dense.predict(X))


def test_threads_do_not_matter():
    """Law: the same labels for any number of threads."""
    X = blobs(20_000, 3)
    one, many = (DBSCAN(eps=0.12, min_samples=8, n_jobs=jobs).fit(X) for jobs in (1, 4))
    np.testing.assert_array_equal(one.labels_, many.labels_)


def test_predict():
    """Law: a row near a core point gets its cluster, any other is noise."""
    X = blobs(500)
    model = DBSCAN(eps=0.3, min_samples=5).fit(X)
    core = model.core_sample_indices_
    np.testing.assert_array_equal(model.predict(X[core]), model.labels_[core])
    np.testing.assert_array_equal(model.predict(X) >= 0, model.labels_ >= 0)
    assert model.predict([[99.0, 99.0]]) == [-1]
    with pytest.raises(InvalidData, match="3 features, but DBSCAN is expecting 2"):
        model.predict([[1.0, 2.0, 3.0]])


def test_large_radius_needs_little_memory():
    """Law: where every row has a tenth of all as neighbours, no list of them is kept."""
    import tracemalloc

    X = RANDOM.random((30_000, 2)).astype(np.float32)
    tracemalloc.start()
    model = DBSCAN(eps=0.18, min_samples=10).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.labels_.max() == 0
    assert peak < 20e6  # the lists would take 700e6


def test_suggested_eps_separates_the_blobs():
    """Law: the knee of the k-distances is a radius that finds the clusters; "auto" takes it."""
    X = np.vstack([RANDOM.normal(size=(200, 2)) + centre for centre in ([0, 0], [12, 0], [0, 12])])
    found = suggest_eps(X, min_samples=5)
    assert (np.diff(found.k_distances) >= 0).all()
    assert found.eps == found.k_distances[found.knee - 1]
    model = DBSCAN(eps="auto", min_samples=5).fit(X)
    assert model.eps_ == found.radius == pytest.approx(found.eps, rel=1e-13)
    assert len(model.core_sample_indices_) == found.knee
    assert model.labels_.max() == 2
    with pytest.raises(
        InvalidParameter, match="min_samples of suggest_eps must be at most the number of rows, 2"
    ):
        suggest_eps([[0.0], [1.0]], min_samples=3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"eps": 1e-6}, "0 of 300 rows are core points: eps is too small"),
        ({"eps": 50.0}, "100% of the rows are in one cluster: eps is too large"),
        ({"eps": 0.1, "min_samples": 6}, "of the rows are noise: eps is too small"),
    ],
)
def test_red_flags(options, words):
    """Law: results that tell more about the parameters than about the data are pointed out."""
    with pytest.warns(DataNotice, match=words):
        DBSCAN(**options).fit(blobs(300))


def test_warnings_point_at_the_caller():
    """Law: a warning names the line that asked, be it by fit, by fit_predict or by the function."""
    X, asymmetric = blobs(300), [[0.0, 1.0], [5.0, 0.0]]
    zeros = np.vstack([np.zeros((1, 2)), X])
    calls = [
        lambda: DBSCAN(eps=50.0).fit(X),
        lambda: DBSCAN(eps=50.0).fit_predict(X),
        lambda: dbscan(X, eps=50.0),
        lambda: dbscan(asymmetric, metric="precomputed"),
        lambda: dbscan(zeros, eps=0.02, metric="cosine", p=None),
    ]
    for call in calls:
        with pytest.warns(DataNotice) as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"eps": 0}, 'eps of DBSCAN must be a number greater than 0.0 or "auto", got 0'),
        ({"eps": -1.0}, "eps of DBSCAN must be a number greater than 0.0"),
        ({"eps": np.inf}, "eps of DBSCAN must be a number greater than 0.0"),
        ({"min_samples": 0}, "min_samples of DBSCAN must be a whole number of at least 1, got 0"),
        ({"metric": "euclidian"}, 'no such distance "euclidian". Did you mean "euclidean"?'),
        ({"metric": "similarity"}, 'must be a distance or "precomputed", got "similarity"'),
        ({"algorithm": "octree"}, "algorithm of DBSCAN must be one of"),
    ],
)
def test_wrong_parameters(options, words):
    """Law: each wrong parameter is named with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        DBSCAN(**options).fit(blobs(20))


def test_wrong_matrices():
    """Law: matrices that are not distances are refused, asymmetric ones pointed out."""
    with pytest.raises(InvalidData, match="must be a square matrix of distances"):
        DBSCAN(metric="precomputed").fit(np.ones((3, 2)))
    with pytest.raises(InvalidData, match=r"missing value in X\[:, 1\] \(row 0\)\. DBSCAN needs finite"):
        DBSCAN(metric="precomputed").fit([[0.0, np.nan], [1.0, 0.0]])
    with pytest.raises(InvalidData, match="distances of DBSCAN must be at least 0, got -1"):
        DBSCAN(metric="precomputed").fit(-np.ones((3, 3)))
    with pytest.warns(DataNotice, match="X of DBSCAN is not symmetric"):
        DBSCAN(metric="precomputed").fit([[0.0, 1.0], [5.0, 0.0]])


def test_one_row_and_equal_rows():
    """Law: one row is noise or its own cluster; equal rows are one cluster."""
    assert DBSCAN().fit([[1.0, 2.0]]).labels_ == [-1]
    assert DBSCAN(min_samples=1).fit([[1.0, 2.0]]).labels_ == [0]
    core, labels = dbscan(np.ones((300, 2)), eps=0.1)
    assert len(core) == 300
    assert not labels.any()


def test_suggest_eps_refuses_what_is_no_table():
    """Law: a dictionary is refused as everywhere, and lists are counted as the tables that they are."""
    with pytest.raises(UnsupportedInput, match="X of suggest_eps must be a table of numbers, got a dict"):
        suggest_eps({"a": [1, 2]})


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (DBSCAN(metric_params={3: 4}), "metric_params"),
        (KMedoids(2, metric_params={3: 4}), "metric_params"),
        (SpectralClustering(2, kernel_params={3: 4}), "kernel_params"),
    ],
)
def test_parameters_of_a_distance_have_names(model, name):
    """Law: what is not a dict of keywords is refused before it is used as one."""
    with pytest.raises(InvalidParameter, match=rf"{name} of .* must be .*a dict with names as keys"):
        model.fit(np.eye(4, 2))
