"""Rows that spectral methods take, refuse, and warn about."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from coterie._support.validation import memory
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.errors import InvalidData, InvalidParameter, NotEnoughMemory
from spectral_rows import BLOB, BLOBS, LAPLACIANS, MOONS

pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
def test_more_coordinates_than_groups(assign_labels):
    """Law: `n_clusters` says how many groups there are, whatever `n_components`, in every way to labels."""
    model = SpectralClustering(4, n_components=9, gamma=0.3, assign_labels=assign_labels, random_state=0)
    model.fit(BLOBS)
    assert assign_labels == "kmeans" or adjusted_rand_score(model.labels_, BLOB) > 0.9
    assert model.embedding_.shape == (400, 9)
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(4))


@pytest.mark.parametrize("assign_labels", ["discretize", "cluster_qr"])
def test_fewer_coordinates_than_groups(assign_labels):
    """Law: ways to labels that make a group of every coordinate say so where these are too few."""
    model = SpectralClustering(4, n_components=2, gamma=0.3, assign_labels=assign_labels, random_state=0)
    with pytest.warns(ConvergenceWarning, match="at most 2 distinct clusters, not n_clusters=4: assign_l"):
        model.fit(BLOBS)
    assert len(np.unique(model.labels_)) == 2


def test_arpack_that_does_not_converge(monkeypatch):
    """Law: where ARPACK finds nothing, the error says so and what to do."""

    def fail(*_, **__):
        raise ArpackNoConvergence("no", [], [])

    monkeypatch.setattr("coterie.cluster.spectral.eigen.lanczos", fail)
    with pytest.raises(InvalidData, match=r"leading eigenvectors did not converge.*Increase eigen_tol"):
        SpectralClustering(4, gamma=0.5, eigen_solver="arpack").fit(BLOBS)


@pytest.mark.filterwarnings("ignore:.*not fully connected")
@pytest.mark.parametrize("options", [{}, {"affinity": "nearest_neighbors"}, {"assign_labels": "cluster_qr"}])
def test_equal_rows_stay_together(options):
    """Law: with fewer different rows than groups, each of them is a group, and a warning says so."""
    X = np.repeat([[3.0, 1.0], [2.0, 5.0], [0.0, 1.0]], 12, axis=0)
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(3\) found smaller than n_clusters \(5\)"
    ):
        model = SpectralClustering(5, random_state=0, **options).fit(X)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 12), model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    ("X", "options", "error", "words"),
    [
        (np.ones((3, 2)), {"affinity": "precomputed"}, InvalidData, "square"),
        ([[0, 1.0], [2.0, 0]], {"affinity": "precomputed"}, InvalidData, "symmetric"),
        (
            sparse.csr_array([[0, 1.0], [2.0, 0]]),
            {"affinity": "precomputed"},
            InvalidData,
            r"apart by 1. Pass \(X \+ X.T\) / 2",
        ),
        ([[0, -1.0], [-1.0, 0]], {"affinity": "precomputed"}, InvalidData, "weights of at least 0, got -1"),
        (np.zeros((4, 4)), {"affinity": "precomputed"}, InvalidData, "no two rows have any affinity"),
        (MOONS * 1e6, {"n_clusters": 2}, InvalidData, r"Use a larger h \(a smaller gamma\)"),
        (MOONS[:5], {"affinity": "nearest_neighbors"}, InvalidParameter, "n_neighbors must be at most n_s"),
        (MOONS, {"affinity": "poly", "landmarks": 30}, InvalidParameter, "landmarks go with affinity rbf"),
        (MOONS, {"landmarks": 30, "laplacian": "unnormalized"}, InvalidParameter, 'got "unnormalized"'),
        (MOONS, {"landmarks": 2}, InvalidParameter, "landmarks must be more than n_components=2"),
        (MOONS, {"epsilon": 0.0}, InvalidParameter, "epsilon of SpectralClustering must be a number greater"),
        (MOONS, {"h": -1.0}, InvalidParameter, "h of SpectralClustering must be None or a number greater"),
        (MOONS, {"affinity": "rfb"}, InvalidParameter, 'Did you mean "rbf"'),
        (MOONS, {"eigen_solver": "amb"}, InvalidParameter, "eigen_solver of SpectralClustering must be None"),
        (MOONS, {"n_clusters": 500}, InvalidParameter, "n_clusters of SpectralClustering must be at most"),
        (MOONS[:1], {}, InvalidData, "minimum of 2"),
        (MOONS - 1.0, {"affinity": "linear"}, InvalidData, "row [0-9]+ sum to -.*some are negative"),
    ],
)
def test_wrong_input_is_explained(X, options, error, words):
    """Law: what cannot be clustered is refused with its reason."""
    with pytest.raises(error, match=words):
        SpectralClustering(**{"n_clusters": 2} | options).fit(X)


@pytest.mark.parametrize("options", [{}, {"affinity": "nearest_neighbors"}, {"landmarks": 60}])
def test_sparse_rows_are_taken(options):
    """Law: sparse rows are the rows that they stand for, in fit and in predict, in every format."""
    X = np.where(BLOBS > 0, BLOBS, 0.0)
    dense = SpectralClustering(4, random_state=0, **options).fit(X)
    for given in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        model = SpectralClustering(4, random_state=0, **options).fit(given)
        np.testing.assert_array_equal(model.labels_, dense.labels_)
        np.testing.assert_array_equal(model.predict(given), dense.predict(X))
    eigenmap = LaplacianEigenmap(2, random_state=0, **options)
    np.testing.assert_array_equal(eigenmap.fit_transform(sparse.csr_array(X)), eigenmap.fit_transform(X))


def test_sparse_rows_that_do_not_fit_are_refused(monkeypatch):
    """Law: the dense copy is weighed before it is made."""
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    monkeypatch.setattr(memory, "ALWAYS_FREE", 0)
    with pytest.raises(NotEnoughMemory, match=r"a dense copy of 300 sparse rows.*TruncatedSVD"):
        SpectralClustering(2).fit(sparse.csr_array(BLOBS[:300]))


@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e-9, 1e9, 1e30, 1e100])
@pytest.mark.parametrize("affinity", ["rbf", "self_tuning", "nearest_neighbors", "epsilon"])
def test_the_unit_of_rows_does_not_matter(affinity, scale):
    """Law: rows times a constant, with gamma and epsilon to match, give the same coordinates and labels."""
    options = {"affinity": affinity, "random_state": 0}
    plain = SpectralClustering(4, gamma=0.3, epsilon=4.0, **options)
    if affinity == "self_tuning":
        plain.set_params(gamma=1.0)
    matched = SpectralClustering(4, gamma=0.3 / scale**2, epsilon=4.0 * scale, **options)
    if affinity == "self_tuning":
        matched.set_params(gamma=1.0)
    plain.fit(BLOBS)
    matched.fit(BLOBS * scale)
    np.testing.assert_allclose(matched.eigenvalues_[:4], plain.eigenvalues_[:4], atol=1e-5)
    assert adjusted_rand_score(matched.labels_, plain.labels_) == 1.0
    assert adjusted_rand_score(matched.predict(BLOBS * scale * 1.01), plain.predict(BLOBS * 1.01)) == 1.0


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
def test_as_many_groups_as_rows(k, laplacian, assign_labels):
    """Law: k rows make k groups."""
    X = BLOBS[: max(k, 2)]
    model = SpectralClustering(
        k, gamma=0.01, laplacian=laplacian, assign_labels=assign_labels, random_state=0
    ).fit(X)
    assert len(np.unique(model.labels_)) == k
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_landmarks_are_said_to_be_approximate():
    """Law: `exact_` tells; landmarks agree with the exact groups where these are clear."""
    exact = SpectralClustering(4, gamma=0.3, random_state=0).fit(BLOBS)
    rough = SpectralClustering(4, gamma=0.3, landmarks=60, random_state=0).fit(BLOBS)
    assert exact.exact_
    assert not rough.exact_
    assert adjusted_rand_score(exact.labels_, rough.labels_) > 0.97


def test_progress_hears_the_stages():
    """Law: a callable hears of eigenvectors and labels, and of those of an eigenmap."""
    heard = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SpectralClustering(4, gamma=0.3, random_state=0, progress=heard.append).fit(BLOBS)
    assert [report.done for report in heard] == [1, 2]
    heard.clear()
    LaplacianEigenmap(2, affinity="rbf", random_state=0, progress=heard.append).fit(BLOBS)
    assert [report.stage for report in heard] == ["eigenmap: eigenvectors"]


def test_eigenvectors_that_are_not_settled_are_announced(monkeypatch):
    """Law: where lobpcg does not get as far as asked, a warning on the caller's line says how far it got."""
    monkeypatch.setattr("coterie.cluster.spectral.eigen.MOST_PRODUCTS", 2)
    model = SpectralClustering(4, gamma=0.5, eigen_solver="lobpcg", eigen_tol=1e-12, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"lobpcg converged to .* only, not to 1e-12\. ") as told:
        model.fit(BLOBS)
    assert {warning.filename for warning in told} == {__file__}


def test_chi2_of_rows_that_cannot_be_written_to():
    """Law: read-only rows are rows, for kernels that only scikit-learn has compiled too."""
    X = np.random.default_rng(0).random((20, 3))
    labels = SpectralClustering(2, affinity="chi2", random_state=0).fit(X).labels_
    X.flags.writeable = False
    model = SpectralClustering(2, affinity="chi2", random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    assert len(model.predict(X)) == 20


def test_chi2_is_for_amounts():
    """Law: a negative number has no chi-squared affinity; the message says what to do."""
    X = np.random.default_rng(0).random((20, 3))
    model = SpectralClustering(2, affinity="chi2", random_state=0)
    with pytest.raises(InvalidData, match=r'affinity="chi2" is meant for amounts, .*: X has -1.*Shift the'):
        model.fit(np.r_[X, [[-1.0, 0.0, 0.0]]])
    with pytest.raises(InvalidData, match=r'affinity="chi2" is meant for amounts'):
        model.fit(X).predict(-X)


def test_an_outlier_beyond_float32_at_gamma_zero():
    """Law: affinities of gamma 0 are all 1, however far apart rows are."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0], [1e100, 0.0]])
    model = SpectralClustering(2, gamma=0.0, random_state=0).fit(X)
    assert len(model.labels_) == 5
