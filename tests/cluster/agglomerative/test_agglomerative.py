"""Agglomerative clustering: scikit-learn's answers, and what ours adds."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs
from sklearn.neighbors import kneighbors_graph

import coterie
from coterie.cluster import AgglomerativeClustering, FeatureAgglomeration
from coterie.cluster.agglomerative import predict as prediction
from coterie.distance import pairwise_distances
from coterie.errors import InvalidParameter
from coterie.tree import METHODS, linkage

X = np.random.default_rng(0).normal(size=(120, 4))


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
@pytest.mark.parametrize("connected", [False, True])
def test_scikit_learns_trees(method, connected):
    """Law: children, distances and labels are scikit-learn's, with and without connectivity."""
    graph = kneighbors_graph(X, 8, include_self=False) if connected else None
    options = {"n_clusters": 5, "linkage": method, "connectivity": graph, "compute_distances": True}
    ours = AgglomerativeClustering(**options).fit(X)
    theirs = sklearn.cluster.AgglomerativeClustering(**options).fit(X)
    np.testing.assert_allclose(ours.distances_, theirs.distances_)
    np.testing.assert_array_equal(ours.children_, np.sort(theirs.children_, axis=1))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_leaves_ == theirs.n_leaves_
    assert ours.n_connected_components_ == theirs.n_connected_components_


def test_thresholds_cut_as_scikit_learns():
    """Law: a threshold gives as many clusters as there; similarities are cut from above."""
    for threshold in (0.5, 1.5, 4.0):
        options = {"n_clusters": None, "distance_threshold": threshold, "linkage": "average"}
        theirs = sklearn.cluster.AgglomerativeClustering(**options).fit(X)
        assert AgglomerativeClustering(**options).fit(X).n_clusters_ == theirs.n_clusters_
        similar = AgglomerativeClustering(
            n_clusters=None, distance_threshold=-threshold, linkage="average", metric="similarity"
        ).fit(-pairwise_distances(X))
        assert similar.n_clusters_ == theirs.n_clusters_


@pytest.mark.parametrize("method", METHODS)
def test_the_tree_is_linkage(method):
    """Law: the merges are those of `coterie.tree.linkage`."""
    model = AgglomerativeClustering(3, linkage=method, compute_distances=True).fit(X)
    Z = linkage(X, method)
    np.testing.assert_array_equal(model.children_, Z[:, :2])
    np.testing.assert_array_equal(model.distances_, Z[:, 2])
    np.testing.assert_array_equal(model.dendrogram_.to_linkage(), Z)


def distance_to(x, rows, method):
    """Measure the linkage distance of a new row to a cluster, by its definition."""
    D = np.linalg.norm(rows - x, axis=1)
    union = np.vstack([rows, x])
    within = pairwise_distances(union)
    return {
        "single": D.min,
        "complete": D.max,
        "average": D.mean,
        "average_merged": lambda: within.sum() / (len(union) * (len(union) - 1)),
        "minimax": lambda: within.max(axis=1).min(),
        "centroid": lambda: np.linalg.norm(rows.mean(axis=0) - x),
        "ward": lambda: np.linalg.norm(rows.mean(axis=0) - x) * np.sqrt(2 * len(rows) / (len(rows) + 1)),
    }[method]()


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("weighted", "median")])
def test_new_rows_go_to_the_nearest_cluster(method):
    """Law: a new row goes to the cluster nearest by the linkage's own distance, rows or matrix given."""
    new = np.random.default_rng(1).normal(size=(20, 4))
    model = AgglomerativeClustering(4, linkage=method).fit(X)
    expected = [
        np.argmin([distance_to(x, X[model.labels_ == label], method) for label in range(4)]) for x in new
    ]
    np.testing.assert_array_equal(model.predict(new), expected)
    given = AgglomerativeClustering(4, linkage=method, metric="precomputed").fit(pairwise_distances(X))
    np.testing.assert_array_equal(given.predict(pairwise_distances(new, X)), expected)


@pytest.mark.parametrize("method", ["weighted", "median"])
def test_new_rows_with_halved_shares(method):
    """Law: weighted and median linkage halve the share of a row at every merge."""
    rows = np.array([[0.0], [1.0], [5.0], [100.0], [101.0]])
    model = AgglomerativeClustering(2, linkage=method).fit(rows)
    shares = np.array([0.25, 0.25, 0.5])
    near, far = np.array([[40.0]]), np.array([[60.0]])
    assert model.predict(near)[0] == model.labels_[0]
    assert model.predict(far)[0] == model.labels_[3]
    centre = shares @ rows[:3, 0]
    middle = (centre + 100.5) / 2
    assert model.predict([[middle - 0.01]])[0] == model.labels_[0]
    assert model.predict([[middle + 0.01]])[0] == model.labels_[3]


def test_blobs_are_predicted_for_similarities_and_saved(tmp_path):
    """Law: a model of similarities predicts from similarities, and a loaded model as the saved one."""
    rows, truth = make_blobs(90, centers=3, random_state=0, cluster_std=0.3)
    S = -pairwise_distances(rows)
    for method in ("single", "average", "minimax", "average_merged"):
        model = AgglomerativeClustering(3, metric="similarity", linkage=method).fit(S)
        coterie.save(model, tmp_path / method)
        np.testing.assert_array_equal(coterie.load(tmp_path / method).predict(S), model.labels_)
        assert len({(a, b) for a, b in zip(model.labels_, truth, strict=True)}) == 3


@pytest.mark.parametrize("method", ["ward", "complete", "average", "weighted"])
def test_constraints(method):
    """Law: rows that must be together are, rows that must not are not, with all that must be with them."""
    must, cannot = [(0, 1), (1, 2), (3, 4)], [(0, 3), (5, 6)]
    for k in (2, 3, 10):
        labels = AgglomerativeClustering(k, linkage=method, must_link=must, cannot_link=cannot).fit_predict(X)
        assert len(set(labels)) == k
        assert labels[0] == labels[1] == labels[2]
        assert labels[3] == labels[4] != labels[0]
        assert labels[5] != labels[6]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cannot_link": [(0, 1)], "must_link": [(1, 0)]}, "must not be together, must_link that they must"),
        ({"cannot_link": [(0, 1)], "n_clusters": 1}, "must be at least 2, got 1"),
        ({"cannot_link": [(0, 999)]}, "must name rows from 0 to 119, got 999"),
        ({"must_link": [0, 1]}, "must be pairs of row numbers"),
        ({"must_link": [(0, 1)], "linkage": "single"}, "go with linkage ward"),
        ({"connectivity": csr_array(np.eye(120)), "linkage": "median"}, "goes with linkage ward"),
        ({"n_clusters": 121}, "at most n_samples=120, got 121"),
        ({"linkage": "wart"}, 'Did you mean "ward"'),
        ({"metric": "manhattan"}, "can only work with euclidean distances"),
        ({"symmetrize": "mean"}, 'is for metric="similarity"'),
    ],
)
def test_bad_parameters(options, message):
    """Law: what has no meaning is refused in one sentence."""
    with pytest.raises(InvalidParameter, match=message):
        AgglomerativeClustering(**options).fit(X)


def test_ward_along_edges_needs_rows():
    """Law: centroids come from rows: distances alone are refused, scaled columns are scaled."""
    graph = kneighbors_graph(X, 8, include_self=False)
    with pytest.raises(InvalidParameter, match="with connectivity needs rows, got distances"):
        AgglomerativeClustering(metric="precomputed", connectivity=graph).fit(pairwise_distances(X))
    scaled = AgglomerativeClustering(4, metric="seuclidean", connectivity=graph).fit(X)
    by_hand = AgglomerativeClustering(4, connectivity=graph).fit(X / X.std(axis=0, ddof=1))
    np.testing.assert_array_equal(scaled.labels_, by_hand.labels_)


def test_dendrograms_of_similarities_and_of_part_of_a_tree():
    """Law: heights of similarities fall; a tree that stopped early is not a dendrogram."""
    model = AgglomerativeClustering(2, metric="similarity", linkage="average").fit(-pairwise_distances(X))
    assert (np.diff(model.dendrogram_.heights) <= 0).all()
    graph = kneighbors_graph(X, 8, include_self=False)
    part = AgglomerativeClustering(5, connectivity=graph, compute_full_tree=False).fit(X)
    with pytest.raises(InvalidParameter, match="needs the whole tree: compute_full_tree=True"):
        _ = part.dendrogram_


def test_features_by_any_linkage():
    """Law: columns of iris pool as scikit-learn's do."""
    iris = load_iris().data
    for method in ("ward", "average"):
        ours = FeatureAgglomeration(2, linkage=method).fit(iris)
        theirs = sklearn.cluster.FeatureAgglomeration(2, linkage=method).fit(iris)
        np.testing.assert_allclose(ours.transform(iris), theirs.transform(iris))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed", "similarity"])
def test_minimax_of_rows_alone_in_their_cluster(metric):
    """Law: the ball of a row alone has the new row's distance as its radius; all that is kept is finite."""
    X = np.array([[0.0], [1.0], [9.0], [20.0]])
    D = pairwise_distances(X)
    given = {"euclidean": X, "precomputed": D, "similarity": 30.0 - D}[metric]
    model = AgglomerativeClustering(3, linkage="minimax", metric=metric).fit(given)
    assert np.isfinite(model._known["radii"]).all()
    np.testing.assert_array_equal(model.predict(given), model.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_minimax_of_single_columns_in_either_precision(dtype):
    """Law: a column alone in its cluster overflows nothing, in float32 as in float64."""
    X = np.zeros((2, 3), dtype=dtype)
    X[:, 1:] = [[5, 9], [5, 9]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FeatureAgglomeration(3, linkage="minimax", metric="manhattan").fit(X)
    assert sorted(model.labels_) == [0, 1, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_predicted_in_parts(dtype, monkeypatch):
    """Law: rows that are compared with the centres a few at a time go where they go all at once."""
    random = np.random.default_rng(0)
    X, new = (random.normal(size=(n, 20)).astype(dtype) + 1000 for n in (300, 500))
    model = AgglomerativeClustering(7, linkage="ward").fit(X)
    centres = np.array([X[model.labels_ == at].astype(np.float64).mean(axis=0) for at in range(7)])
    np.testing.assert_allclose(model._known["centres"], centres, rtol=1e-12)
    whole = model.predict(new)
    monkeypatch.setattr(prediction, "BLOCK_NUMBERS", 60)
    np.testing.assert_array_equal(model.predict(new), whole)
