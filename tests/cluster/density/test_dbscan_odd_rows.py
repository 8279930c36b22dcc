"""DBSCAN on rows that a distance leaves open, and on pairs that lie on the radius: scikit-learn decides."""

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS, EmbeddingClustering, Leiden
from coterie.errors import DataNotice, InvalidData, InvalidParameter
from stable_peers import stable_hdbscan

RANDOM = np.random.default_rng(8)
SIGNED = RANDOM.normal(size=(150, 4))
SETS = RANDOM.random((150, 6)) < 0.25  # about one in six is empty
PROFILES = np.where(RANDOM.random((150, 1)) < 0.1, 2.5, RANDOM.gamma(1.0, size=(150, 4)))


def labels_of_both(X, **options):
    ours, theirs = DBSCAN(**options).fit(X), sklearn.cluster.DBSCAN(**options).fit(X)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    return ours.labels_, theirs.labels_


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("algorithm", ["auto", "brute", "ball_tree"])
@pytest.mark.parametrize("eps", [0.25, 0.4, 0.6])
def test_bray_curtis_of_signed_numbers(eps, algorithm):
    """Law: with negative numbers too the labels are scikit-learn's, and core points are predicted so."""
    ours, theirs = labels_of_both(SIGNED, eps=eps, min_samples=4, metric="braycurtis", algorithm=algorithm)
    np.testing.assert_array_equal(ours, theirs)
    model = DBSCAN(eps=eps, min_samples=4, metric="braycurtis").fit(SIGNED)
    core = model.core_sample_indices_
    np.testing.assert_array_equal(model.predict(SIGNED)[core], model.labels_[core])


@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_bray_curtis_of_signed_numbers_in_hdbscan(algorithm):
    """Law: HDBSCAN divides as scikit-learn does, whose trees and brute force differ, and predicts so."""
    options = {"min_cluster_size": 5, "metric": "braycurtis", "algorithm": algorithm}
    model = HDBSCAN(**options).fit(SIGNED)
    theirs = stable_hdbscan(SIGNED, **options)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    np.testing.assert_array_equal(model.predict(SIGNED), model.labels_)


@pytest.mark.parametrize(
    ("metric", "X", "eps"),
    [("dice", SETS, 0.3), ("correlation", PROFILES, 0.05)],
    ids=["dice", "correlation"],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of SciPy
def test_rows_without_a_distance_are_noise(metric, X, eps):
    """Law: empty sets and constant rows are noise, as in scikit-learn, and the user is told."""
    with pytest.warns(DataNotice, match=f"of 150 rows of X of DBSCAN are .* {metric} distance is undefined"):
        ours, theirs = labels_of_both(X, eps=eps, min_samples=3, metric=metric)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.max() > 0
    is_odd = X.min(axis=1) == X.max(axis=1) if metric == "correlation" else ~X.any(axis=1)
    assert (ours[is_odd] == -1).all()


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_rows_without_a_distance_with_weights_sparse_and_new():
    """Law: weights go with their rows, sparse rows mean the same, new rows without a distance are noise."""
    weights = RANDOM.integers(0, 4, 150)
    options = {"eps": 0.05, "min_samples": 4, "metric": "correlation"}
    model = DBSCAN(**options).fit(PROFILES, sample_weight=weights)
    theirs = sklearn.cluster.DBSCAN(**options).fit(PROFILES, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    from_sparse = DBSCAN(**options).fit(sparse.csr_array(PROFILES), sample_weight=weights)
    np.testing.assert_array_equal(from_sparse.labels_, model.labels_)
    constant = np.full((2, 4), 7.0)
    np.testing.assert_array_equal(model.predict(constant), [-1, -1])
    core = model.core_sample_indices_[:3]
    mixed = model.predict(np.vstack([constant, PROFILES[core]]))
    np.testing.assert_array_equal(mixed, [-1, -1, *model.labels_[core]])


def test_no_row_with_a_distance():
    """Law: where no row has a distance there is nothing to find, and the message says which row and why."""
    with pytest.raises(InvalidData, match="row 0 of X is constant: its correlation distance is undefined"):
        DBSCAN(metric="correlation").fit(np.ones((5, 3)))


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("square", [2, 3, 5, 6, 7, 8, 10])
@pytest.mark.parametrize("n_columns", [2, 13, 30])
def test_pairs_on_the_radius(square, n_columns):
    """Law: squares decide, whatever the engine, as in scikit-learn: sqrt(3)^2 < 3, and 3 is outside."""
    X = np.random.default_rng(square).integers(0, 2, size=(200, n_columns)).astype(float)
    X[:, 13:] = X[:, 13:] * (np.random.default_rng(1).random((200, max(0, n_columns - 13))) < 0.2)
    np.testing.assert_array_equal(*labels_of_both(X, eps=float(np.sqrt(square)), min_samples=5))


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("metric", ["jaccard", "dice", "hamming"])
@pytest.mark.parametrize("eps", [1 / 3, 0.25, 0.4, 3 / 7, 0.5])
def test_sets_on_the_radius(metric, eps):
    """Law: shares of sets are one division of whole numbers, so that those equal to eps are within it."""
    sets = np.random.default_rng(4).random((200, 15)) < 0.3
    np.testing.assert_array_equal(*labels_of_both(sets, eps=eps, min_samples=3, metric=metric))


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "canberra"])
@pytest.mark.parametrize("n_columns", [3, 14])
def test_float32_pairs_on_the_radius(metric, n_columns):
    """Law: tenths in float32 are compared with the radius in float64, as scikit-learn's trees do."""
    random = np.random.default_rng(n_columns)
    tenths = random.integers(0, 4, size=(200, n_columns)) * (random.random((200, n_columns)) < 5 / n_columns)
    for eps in (0.2, 0.3, 0.6):
        X = tenths.astype(np.float32) / 10
        np.testing.assert_array_equal(*labels_of_both(X, eps=eps, min_samples=4, metric=metric))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_eps_beyond_float32():
    """Law: an eps that float32 does not hold is above every distance of float32 rows, without a warning."""
    X = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]], dtype=np.float32)
    model = DBSCAN(eps=1e308, min_samples=2, metric="cosine").fit(X)
    np.testing.assert_array_equal(model.predict(X), [0, 0, 0])


@pytest.mark.parametrize("method", [DBSCAN, HDBSCAN, OPTICS, EmbeddingClustering, Leiden])
@pytest.mark.parametrize("metric", [np.array([1.0, 2.0]), 3, None])
def test_what_is_not_a_metric(method, metric):
    """Law: a metric that is neither a name nor a function is refused by its parameter."""
    with pytest.raises(InvalidParameter, match=f"metric of {method.__name__} must be the name of a distance"):
        method(metric=metric).fit(np.random.default_rng(0).normal(size=(30, 3)))
