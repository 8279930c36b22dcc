"""OPTICS: the order and the labels of scikit-learn's, in memory that grows with the rows."""

import tracemalloc

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from sklearn.metrics import pairwise_distances

import coterie
from coterie.cluster import OPTICS, cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph
from coterie.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
EXACT = ("ordering_", "predecessor_", "labels_")
CLOSE = ("reachability_", "core_distances_")


def blobs(n=120, d=2, seed=0):
    random = np.random.default_rng(seed)
    centres = random.uniform(-4, 4, size=(5, d))
    return centres[random.integers(0, 5, n)] + random.uniform(0.1, 0.6) * random.normal(size=(n, d))


def whole_numbers(n=120, d=2, seed=0):
    return np.random.default_rng(seed).integers(0, 12, size=(n, d)).astype(float)


def assert_same(X, theirs_on=None, **options):
    """Ours and theirs agree; `theirs_on`: options that only theirs gets."""
    ours = OPTICS(**options).fit(X)
    theirs = sklearn.cluster.OPTICS(**{**options, **(theirs_on or {})}).fit(X)
    for name in EXACT:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in CLOSE:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12, err_msg=name)
    if options.get("cluster_method") != "dbscan":
        np.testing.assert_array_equal(ours.cluster_hierarchy_, theirs.cluster_hierarchy_.reshape(-1, 2))
    return ours


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:All reachability values are inf")
@pytest.mark.parametrize("make", [blobs, whole_numbers])
@pytest.mark.parametrize("d", [1, 2, 20])
@pytest.mark.parametrize("max_eps", [1.0, np.inf])
def test_order_and_labels_are_scikit_learns(make, d, max_eps):
    """Law: the same visits, ties included, whatever the radius and the number of columns."""
    for seed, min_samples in enumerate((2, 0.05)):
        X = make(d=d, seed=seed)
        assert_same(X, {"algorithm": "kd_tree"}, max_eps=max_eps, min_samples=min_samples)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_numbers_of_other_types(dtype):
    """Law: rows are taken as float64, as scikit-learn takes them."""
    assert_same((10 * blobs()).astype(dtype))


METRICS = [
    ("manhattan", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3}),
    ("canberra", {}),
    ("braycurtis", {}),
    ("seuclidean", {"metric_params": {"V": np.array([1.0, 2.0, 3.0])}}),
    ("mahalanobis", {"metric_params": {"VI": np.diag([1.0, 2.0, 0.5])}}),
]


@pytest.mark.parametrize(("metric", "more"), METRICS, ids=[metric for metric, _ in METRICS])
def test_every_metric(metric, more):
    """Law: the same for every distance that both know; rows of the fit are predicted as they are labelled."""
    X = np.abs(blobs(120, 3)) + 0.5
    found = assert_same(X, metric=metric, **more)
    np.testing.assert_array_equal(found.predict(X), found.labels_)


@pytest.mark.parametrize("metric", ["jaccard", "russellrao", "rogerstanimoto"])
def test_booleans(metric):
    """Law: the same for distances of booleans, those that only scikit-learn knows included."""
    X = np.random.default_rng(1).random((80, 14)) < 0.4
    assert_same(X, metric=metric)


def test_euclidean_is_minkowski_with_two():
    """Law: "euclidean" is exact; scikit-learn's own loses digits and decides near ties by them."""
    X = blobs(400, 5)
    named, plain = OPTICS(metric="euclidean").fit(X), assert_same(X)
    np.testing.assert_array_equal(named.ordering_, plain.ordering_)


@pytest.mark.parametrize("max_eps", [0.5, np.inf])
def test_functions_matrices_and_graphs(max_eps):
    """Law: a function of two rows, a dense and a sparse matrix give the order of the rows."""
    X = blobs(80)
    D = np.array([[np.linalg.norm(a - b) for a in X] for b in X])
    graph = sparse.csr_array(np.where(D <= 1.5, D, 0.0))
    options = {"max_eps": max_eps, "min_samples": 4}
    rows = assert_same(X, **options)
    dense = assert_same(D, metric="precomputed", **options)
    stored = assert_same(graph, metric="precomputed", **options)
    function = OPTICS(metric=lambda a, b: float(np.linalg.norm(a - b)), **options).fit(X)
    of_sparse = OPTICS(metric="manhattan", **options).fit(sparse.csr_array(X))
    assert [m.algorithm_used_ for m in (rows, dense, stored, function, of_sparse)] == [
        "kd_tree",
        "matrix",
        "graph",
        "blocks",
        "blocks",
    ]
    for other in (dense, function):
        np.testing.assert_array_equal(other.ordering_, rows.ordering_)
    np.testing.assert_array_equal(dense.predict(D), dense.labels_)
    np.testing.assert_array_equal(function.predict(X), function.labels_)
    np.testing.assert_array_equal(of_sparse.predict(sparse.csr_array(X)), of_sparse.labels_)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("xi", [0.0, 0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("min_cluster_size", [None, 2, 0.2])
@pytest.mark.parametrize("predecessor_correction", [True, False])
def test_valleys_are_scikit_learns(xi, min_cluster_size, predecessor_correction):
    """Law: every cluster of the hierarchy is the same."""
    for X in (blobs(300, seed=3), whole_numbers(300, seed=4), np.repeat(blobs(60), 4, axis=0)):
        graph = compute_optics_graph(X, min_samples=5)
        options = {
            "reachability": graph.reachability,
            "predecessor": graph.predecessor,
            "ordering": graph.ordering,
            "min_samples": 5,
            "min_cluster_size": min_cluster_size,
            "xi": xi,
            "predecessor_correction": predecessor_correction,
        }
        ours, theirs = cluster_optics_xi(**options), sklearn.cluster.cluster_optics_xi(**options)
        np.testing.assert_array_equal(ours.clusters, theirs[1].reshape(-1, 2))
        np.testing.assert_array_equal(ours.labels, theirs[0])


def test_xi_of_one_finds_no_steep_side_of_finite_height():
    """Law: xi=1 is allowed, although scikit-learn divides by zero there."""
    assert OPTICS(xi=1.0).fit(blobs()).labels_.shape == (120,)


@pytest.mark.parametrize("eps", [0.05, 0.2, 0.6, None])
def test_cut_at_a_radius_is_scikit_learns(eps):
    """Law: so are the labels of the cut, and new rows within eps of a core row are taken."""
    X = blobs()
    found = assert_same(X, cluster_method="dbscan", eps=eps, max_eps=0.6)
    assert not hasattr(found, "cluster_hierarchy_")
    np.testing.assert_array_equal(found.predict(X), found.labels_)


def test_functions_give_the_attributes():
    """Law: the functions return what the class keeps."""
    X = blobs()
    model = OPTICS(min_samples=4).fit(X)
    graph = compute_optics_graph(X, min_samples=4)
    np.testing.assert_array_equal(graph.ordering, model.ordering_)
    found = cluster_optics_xi(
        reachability=graph.reachability,
        predecessor=graph.predecessor,
        ordering=graph.ordering,
        min_samples=4,
    )
    np.testing.assert_array_equal(found.labels, model.labels_)
    theirs = sklearn.cluster.cluster_optics_dbscan(
        reachability=graph.reachability, core_distances=graph.core_distances, ordering=graph.ordering, eps=0.3
    )
    ours = cluster_optics_dbscan(
        reachability=graph.reachability, core_distances=graph.core_distances, ordering=graph.ordering, eps=0.3
    )
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("method", ["xi", "dbscan"])
def test_new_rows_go_to_the_cluster_that_reaches_them_first(method):
    """Law: the lowest max(core distance, distance) within the scale of the cluster decides."""
    X, new = blobs(200), blobs(150, seed=9)
    model = OPTICS(min_samples=5, cluster_method=method, eps=0.3, max_eps=2.0, min_cluster_size=20).fit(X)
    D = pairwise_distances(new, X, metric="minkowski", p=2)
    is_inside = (model.predecessor_ >= 0) & (model.labels_[model.predecessor_] == model.labels_)
    scales = [
        0.3 if method == "dbscan" else model.reachability_[is_inside & (model.labels_ == own)].max()
        for own in range(model.labels_.max() + 1)
    ]
    expected = []
    for row in D:
        best, label = np.inf, -1
        for own, core, distance in zip(model.labels_, model.core_distances_, row, strict=True):
            reach = max(core, distance)
            if own >= 0 and reach <= scales[own] and reach < best:
                best, label = reach, own
        expected.append(label)
    assert len(set(expected)) > 2
    np.testing.assert_array_equal(model.predict(new), expected)


def test_memory_grows_with_the_rows():
    """Law: an infinite radius needs no list of neighbours: well below 8 bytes per pair."""
    X = blobs(3000, 3)
    tracemalloc.start()
    OPTICS().fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3000 * 3000


def test_order_is_kept_between_fits(tmp_path):
    """Law: with `memory` the second fit reads the order from the store."""
    X = blobs()
    first = OPTICS(memory=str(tmp_path)).fit(X)
    assert any(tmp_path.rglob("*.pkl"))
    second = OPTICS(memory=str(tmp_path), cluster_method="dbscan", eps=0.4).fit(X)
    np.testing.assert_array_equal(first.reachability_, second.reachability_)


def test_saved_models_predict_the_same(tmp_path):
    """Law: saving keeps everything that predicting needs."""
    X = np.abs(blobs(200, 3))
    for options in ({}, {"metric": "mahalanobis"}, {"cluster_method": "dbscan", "eps": 0.4}):
        model = OPTICS(**options).fit(X)
        coterie.save(model, tmp_path / "model", force=True)
        again = coterie.load(tmp_path / "model")
        np.testing.assert_array_equal(again.predict(X + 0.01), model.predict(X + 0.01))


BAD = [
    ({"min_samples": 1}, "min_samples of OPTICS must be"),
    ({"min_samples": 1.5}, "min_samples of OPTICS must be"),
    ({"min_samples": 31}, "min_samples must be no greater than the number of rows, n_samples=30, got 31"),
    ({"min_cluster_size": 31}, "min_cluster_size must be no greater than the number of rows"),
    ({"min_cluster_size": 0}, "min_cluster_size of OPTICS must be"),
    ({"max_eps": -1.0}, "max_eps of OPTICS must be"),
    ({"max_eps": np.nan}, "max_eps of OPTICS must be"),
    ({"eps": -0.5}, "eps of OPTICS must be"),
    (
        {"eps": 2.0, "max_eps": 1.0, "cluster_method": "dbscan"},
        "Specify an epsilon smaller than 1.0. Got 2.0",
    ),
    ({"xi": -0.1}, "xi of OPTICS must be"),
    ({"xi": 1.1}, "xi of OPTICS must be"),
    ({"p": 0}, "p of OPTICS must be"),
    ({"cluster_method": "eom"}, "cluster_method of OPTICS must be"),
    ({"metric": "euclidian"}, "euclidean"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[str(options) for options, _ in BAD])
def test_bad_parameters_are_named(options, message):
    """Law: a parameter out of range is refused by name."""
    with pytest.raises(InvalidParameter, match=message):
        OPTICS(**options).fit(blobs(30))


def test_bad_data_are_refused():
    """Law: missing values, matrices that are not square, and graphs with too few neighbours are refused."""
    X = blobs(30)
    X[3, 1] = np.nan
    with pytest.raises(InvalidData, match="NaN"):
        OPTICS().fit(X)
    with pytest.raises(InvalidData, match="square matrix of distances"):
        OPTICS(metric="precomputed").fit(np.ones((4, 3)))
    with pytest.raises(InvalidData, match="5 neighbors are required, but some rows of the sparse X"):
        OPTICS(metric="precomputed").fit(sparse.eye_array(8, format="csr"))
    model = OPTICS(metric="precomputed").fit(pairwise_distances(blobs(30)))
    with pytest.raises(ValueError, match="30"):
        model.predict(np.ones((2, 7)))


@pytest.mark.parametrize("name", ["xi", "min_samples", "min_cluster_size"])
def test_functions_refuse_bad_parameters(name):
    """Law: the functions check as the class does."""
    values = {"min_samples": 2, name: -1}
    with pytest.raises(InvalidParameter, match=f"{name} of cluster_optics_xi must be"):
        cluster_optics_xi(reachability=[1.0, 2.0], predecessor=[-1, 0], ordering=[0, 1], **values)
