"""Laws of spectral clustering and Laplacian eigenmaps, and comparison with SciPy and scikit-learn."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from coterie import _core
from coterie._validation import memory
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.cluster._spectral_affinity import Affinity
from coterie.errors import DataNotice, InvalidData, InvalidParameter, NotEnoughMemory

RINGS, RING = make_circles(500, factor=0.4, noise=0.04, random_state=0)
MOONS, MOON = make_moons(400, noise=0.06, random_state=0)
BLOBS, BLOB = make_blobs(400, centers=4, n_features=3, random_state=3)
LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


def weights_of(X, gamma):
    W = rbf_kernel(X, gamma=gamma)
    np.fill_diagonal(W, 0.0)
    return W


def matrix_of(W, laplacian):
    """Write the Laplacian out."""
    degrees = W.sum(axis=1)
    if laplacian == "unnormalized":
        return np.diag(degrees) - W
    if laplacian == "symmetric":
        return np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))
    return np.eye(len(W)) - W / degrees[:, None]


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-13)])
@pytest.mark.parametrize(("n", "d", "width"), [(2, 1, 1), (300, 5, 7), (513, 3, 17)])
def test_products_are_those_of_the_matrix(dtype, tolerance, n, d, width):
    """Law: a product with affinities that are not stored is that with the stored matrix, scaled or not."""
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(40, d)).astype(dtype)
    V, scales, own = (rng.random(shape).astype(dtype) for shape in ((n, width), n, 40))
    W = weights_of(X.astype(np.float64), 0.3)
    expected = W @ V.astype(np.float64)
    np.testing.assert_allclose(_core.affinity_product(X, X, V, 0.3), expected, rtol=tolerance, atol=tolerance)
    squares = ((Y[:, None].astype(np.float64) - X) ** 2).sum(axis=-1)
    expected = np.exp(-0.3 * squares * np.outer(own, scales)) @ V.astype(np.float64)
    found = _core.affinity_product(Y, X, V, 0.3, own, scales)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("solver", [None, "arpack", "lobpcg"])
def test_coordinates_are_eigenvectors_of_the_laplacian(laplacian, solver):
    """Law: L v = lambda v, with the smallest eigenvalues, for every Laplacian and solver."""
    model = SpectralClustering(
        4, gamma=0.5, laplacian=laplacian, eigen_solver=solver, eigen_tol=1e-9, random_state=0
    ).fit(BLOBS)
    L = matrix_of(weights_of(BLOBS, 0.5), laplacian)
    expected = np.sort(np.linalg.eigvals(L).real)[:4]
    np.testing.assert_allclose(model.eigenvalues_[:4], expected, atol=1e-7)
    vectors = model.embedding_ / np.linalg.norm(model.embedding_, axis=0)
    np.testing.assert_allclose(L @ vectors, vectors * model.eigenvalues_[:4], atol=1e-6)
    np.testing.assert_array_equal(model.eigengaps_, np.diff(model.eigenvalues_))


@pytest.mark.parametrize("solver", [None, "arpack", "lobpcg"])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_constant_comes_once(laplacian, solver):
    """Law: no solver finds the known vector again, where the other eigenvalues are far from its own."""
    model = LaplacianEigenmap(
        4, affinity="rbf", h=100.0, laplacian=laplacian, eigen_solver=solver, eigen_tol=1e-9, random_state=0
    ).fit(BLOBS)
    expected = np.sort(np.linalg.eigvals(matrix_of(weights_of(BLOBS, 0.01), laplacian)).real)[1:5]
    np.testing.assert_allclose(model.eigenvalues_[:4], expected, rtol=1e-6)


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.parametrize("unit", [1e-30, 1e-9, 1e9, 1e30])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_unit_of_weights_does_not_matter(laplacian, unit, n):
    """Law: weights of a graph times a constant give the same groups; D - W has its eigenvalues times it."""
    W = weights_of(BLOBS[:n], 0.02)
    options = {"affinity": "precomputed", "laplacian": laplacian, "random_state": 0}
    plain = SpectralClustering(3, **options).fit(W)
    model = SpectralClustering(3, **options).fit(W * unit)
    factor = unit if laplacian == "unnormalized" else 1.0
    np.testing.assert_allclose(model.eigenvalues_[:3], plain.eigenvalues_[:3] * factor, rtol=1e-4)
    assert adjusted_rand_score(model.labels_, plain.labels_) == 1.0


def test_the_quick_solver_keeps_its_tolerance():
    """Law: with the default tolerance, in float32 products, eigenvalues are right to it."""
    X = np.random.default_rng(0).normal(size=(700, 3)) + 1000.0
    model = SpectralClustering(5, gamma=0.8, random_state=0).fit(X)
    expected = np.linalg.eigvalsh(matrix_of(weights_of(X, 0.8), "symmetric"))[:5]
    np.testing.assert_allclose(model.eigenvalues_[:5], expected, atol=1e-5)


def test_close_eigenvalues_are_told_apart():
    """Law: the tolerance follows the spread of the eigenvalues: long thin groups need a small one."""
    X = make_moons(6000, noise=0.09, random_state=1)[0]
    loose = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    tight = SpectralClustering(2, affinity="nearest_neighbors", eigen_tol=1e-10, random_state=0).fit(X)
    assert adjusted_rand_score(loose.labels_, tight.labels_) > 0.99


@pytest.mark.parametrize(
    "options",
    [
        {"h": 0.03},
        {"affinity": "nearest_neighbors"},
        {"affinity": "mutual_neighbors"},
        {"affinity": "epsilon", "epsilon": 0.25},
        {"affinity": "self_tuning"},
        {"affinity": "nearest_neighbors", "landmarks": 80, "n_neighbors": 5},
        {"affinity": "self_tuning", "landmarks": 80, "n_neighbors": 5},
        {"affinity": "laplacian", "gamma": 15.0},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
def test_rings_and_moons_are_told_apart(options, assign_labels):
    """Law: groups that no centre describes are found, by every graph and way to labels; predict agrees."""
    for X, y in ((RINGS, RING), (MOONS, MOON)):
        model = SpectralClustering(2, assign_labels=assign_labels, random_state=0, **options).fit(X)
        assert adjusted_rand_score(y, model.labels_) > 0.95
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert adjusted_rand_score(y, model.predict(X + 0.002)) > 0.95


@pytest.mark.parametrize("options", [{"gamma": 0.3}, {"affinity": "nearest_neighbors"}, {"affinity": "poly"}])
@pytest.mark.filterwarnings("ignore:.*Array is not symmetric")
def test_same_groups_as_scikit_learn(options):
    """Law: where the eigenvectors are well apart, the groups are scikit-learn's, and so is the matrix."""
    X = BLOBS - BLOBS.min(axis=0)
    ours = SpectralClustering(4, random_state=0, **options).fit(X)
    theirs = Theirs(4, random_state=0, **options).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
    matrix, expected = ours.affinity_matrix_, theirs.affinity_matrix_
    assert abs(matrix - expected).max() < 1e-9 * abs(expected).max()


@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_extension_continues_the_eigenvectors(laplacian):
    """Law: a row moved by nothing at all gets the coordinates of its eigenvectors, left out of the lookup."""
    W = weights_of(BLOBS, 0.3)
    model = LaplacianEigenmap(
        3, affinity="precomputed", laplacian=laplacian, eigen_tol=1e-10, random_state=0
    ).fit(W)
    np.testing.assert_allclose(
        model.transform(W), model.embedding_, atol=1e-6 * np.abs(model.embedding_).max()
    )


def test_given_matrices_and_graphs_are_the_same():
    """Law: rows, their matrix, and its sparse form give the same groups and eigenvalues."""
    W = weights_of(BLOBS, 0.3)
    fits = [
        SpectralClustering(4, affinity="precomputed", random_state=0).fit(given)
        for given in (W, sparse.csr_array(W), sparse.csr_matrix(W))
    ]
    fits.append(SpectralClustering(4, gamma=0.3, random_state=0).fit(BLOBS))
    for other in fits[1:]:
        assert adjusted_rand_score(fits[0].labels_, other.labels_) == 1.0
        np.testing.assert_allclose(fits[0].eigenvalues_[:4], other.eigenvalues_[:4], atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_more_coordinates_than_joined_rows(laplacian):
    """Law: where isolated rows leave fewer eigenvectors than coordinates, new rows are still placed."""
    X = np.r_[[[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]], np.arange(1, 9)[:, None] * [[1e3, 0.0]]]
    model = SpectralClustering(5, laplacian=laplacian, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict([[5001.0, 0.0]])[0] == model.labels_[7]
    weighted = SpectralClustering(5, laplacian=laplacian, random_state=0)
    assert weighted.fit(X, sample_weight=np.r_[np.ones(10), 0.0]).labels_[10] == weighted.labels_[9]


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

    monkeypatch.setattr("coterie.cluster._spectral_scipy.eigsh", fail)
    with pytest.raises(InvalidData, match=r"leading eigenvectors did not settle.*Increase eigen_tol"):
        SpectralClustering(4, gamma=0.5, eigen_solver="arpack").fit(BLOBS)


def test_new_weights_are_checked_too():
    """Law: affinities of new rows are refused where those of the fit would be."""
    W = weights_of(BLOBS, 0.3)
    model = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W)
    for given in (-W[:5], sparse.csr_array(-W[:5])):
        with pytest.raises(InvalidData, match="weights of at least 0, got -"):
            model.predict(given)


def test_components_are_known_without_iteration():
    """Law: a graph of three parts has three zero eigenvalues, its groups are the parts, a notice says so."""
    parts = [np.ones((size, size)) for size in (30, 20, 10)]
    W = np.zeros((61, 61))
    at = 0
    for part in parts:
        W[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    graph = sparse.csr_array(W)
    with pytest.warns(DataNotice, match="it has 3 components and 1 isolated point, kept at the origin"):
        model = SpectralClustering(4, n_components=3, affinity="precomputed", random_state=0).fit(graph)
    assert model.n_parts_ == 3
    np.testing.assert_allclose(model.eigenvalues_[:3], 0.0)
    assert model.eigenvalues_[3] > 0.5
    np.testing.assert_array_equal(model.embedding_[60], 0.0)
    truth = np.repeat([0, 1, 2, 3], (30, 20, 10, 1))
    assert adjusted_rand_score(truth, model.labels_) == 1.0


@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_isolated_points_are_parts_where_there_is_room(laplacian, assign_labels):
    """Law: as many groups as components, isolated points counted, are these components."""
    graph = sparse.block_diag(
        [sparse.coo_array(np.ones((6, 6))), [[0.0]], np.ones((4, 4)), [[0.0]]], format="csr"
    )
    truth = np.repeat([0, 1, 2, 3], (6, 1, 4, 1))
    with pytest.warns(DataNotice, match="it has 2 components and 2 isolated points\\."):
        model = SpectralClustering(
            4, affinity="precomputed", laplacian=laplacian, assign_labels=assign_labels, random_state=0
        ).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    np.testing.assert_array_equal(model.eigenvalues_[:4], 0.0)
    assert model.eigenvalues_[4] > 0.5
    assert model.n_parts_ == 2


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


def test_a_graph_of_very_many_parts():
    """Law: where there are more parts than coordinates, the largest ones span them, in little memory."""
    pairs = sparse.block_diag(
        [sparse.coo_array(np.ones((2, 2)))] * 3000 + [np.ones((50, 50))] * 3, format="csr"
    )
    model = SpectralClustering(3, affinity="precomputed", random_state=0).fit(pairs)
    assert model.n_parts_ == 3003
    np.testing.assert_array_equal(model.eigenvalues_, 0.0)
    assert np.count_nonzero(model.embedding_) == 150


def test_communities_of_a_network():
    """Law: the two factions of a graph with few edges between them are found from its adjacency."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 60)
    chance = np.where(truth[:, None] == truth, 0.3, 0.02)
    edges = np.triu(rng.random((120, 120)) < chance, 1)
    graph = sparse.csr_array((edges | edges.T).astype(float))
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_laplacian_eigenmap_is_kernel_pca():
    """Law: kernel PCA with the pseudo-inverse of D - W gives the coordinates over the root of lambda."""
    X = load_iris().data
    W = weights_of(X, 0.5)
    model = LaplacianEigenmap(3, affinity="rbf", h=2.0, laplacian="unnormalized", eigen_tol=1e-10).fit(X)
    np.testing.assert_allclose(
        model.eigenvalues_[:3], [0.92298, 9.59218, 11.98857], atol=1e-5
    )  # docs/spectral.md
    kernel = np.linalg.pinv(scipy_laplacian(W), hermitian=True)
    pca = KernelPCA(3, kernel="precomputed").fit(kernel)
    np.testing.assert_allclose(1 / pca.eigenvalues_, model.eigenvalues_[:3], rtol=1e-6)
    expected = np.abs(model.embedding_ / np.sqrt(model.eigenvalues_[:3]))
    np.testing.assert_allclose(np.abs(pca.transform(kernel)), expected, rtol=1e-4, atol=1e-6)


def test_eigengap_shows_the_number_of_groups():
    """Law: the largest gap stands after as many eigenvalues as there are groups."""
    model = SpectralClustering(4, n_components=8, gamma=0.3, random_state=0).fit(BLOBS)
    assert int(np.argmax(model.eigengaps_)) + 1 == 4


@pytest.mark.parametrize("options", [{}, {"affinity": "nearest_neighbors"}, {"landmarks": 50}])
def test_any_number_of_threads_gives_the_same_labels(options):
    """Law: threads change nothing."""
    found = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads, user_api="openmp"):
            found.append(SpectralClustering(4, random_state=0, n_jobs=threads, **options).fit(BLOBS).labels_)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_nearest_distances_of_a_matrix():
    """Law: a matrix of distances gives the graph of the rows that it is of."""
    from coterie.distance import pairwise_distances

    D = pairwise_distances(MOONS)
    ours = Affinity("precomputed_nearest_neighbors", n_neighbors=8).graph(D).weights
    expected = Affinity("nearest_neighbors", n_neighbors=8).graph(MOONS).weights
    np.testing.assert_array_equal(ours.toarray(), expected.toarray())


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
    with pytest.raises(NotEnoughMemory, match=r"a dense copy of 300 sparse rows.*TruncatedSVD"):
        SpectralClustering(2).fit(sparse.csr_array(BLOBS[:300]))


def test_far_rows_go_to_the_nearest_group():
    """Law: a new row without any affinity gets the group of the nearest row."""
    model = SpectralClustering(4, gamma=0.3, random_state=0).fit(BLOBS)
    far = BLOBS[7] + (BLOBS[7] - BLOBS.mean(axis=0)) * 1e3
    nearest_row = np.linalg.norm(BLOBS - far, axis=1).argmin()
    assert model.predict(far[None])[0] == model.labels_[nearest_row]


@pytest.mark.parametrize("distance", [4.0, 6.0, 8.0, 12.0, 20.0])
@pytest.mark.parametrize("n_outliers", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outliers_follow_their_nearest_group(distance, n_outliers, dtype):
    """Law: rows of hardly any affinity do not take a group for themselves; they join those they are near."""
    X, y = make_blobs(500, centers=[[0.0, 0.0], [6.0, 0.0]], cluster_std=0.7, random_state=0)
    far = [[X[:, 0].min() - distance * (1 + i), 0.0] for i in range(n_outliers)]
    rows = np.vstack([X, far]).astype(dtype)
    model = SpectralClustering(2, random_state=0).fit(rows)
    assert adjusted_rand_score(y, model.labels_[:500]) == 1.0
    if n_outliers == 1:
        assert model.labels_[500] == model.labels_[X[:, 0].argmin()]
        np.testing.assert_allclose(model.embedding_[500], model.embedding_[X[:, 0].argmin()], rtol=1e-2)


@pytest.mark.parametrize("weight", [1e-8, 1e-40, 1e-200])
def test_weakly_joined_vertices_follow_their_neighbours(weight):
    """Law: a chain of vertices that hangs on a graph by a thread goes with where it hangs."""
    W = np.kron(np.eye(2), np.ones((150, 150)))
    W[0, 299] = W[299, 0] = 1.0
    graph = np.zeros((303, 303))
    graph[:300, :300] = W
    for i in (300, 301, 302):
        at = 7 if i == 300 else i - 1
        graph[i, at] = graph[at, i] = weight
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(sparse.csr_array(graph))
    truth = np.repeat([0, 1, 0], (150, 150, 3))
    assert adjusted_rand_score(model.labels_, truth) == 1.0


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


def test_weights_that_are_symmetric_but_for_rounding():
    """Law: a matrix that float32 made is averaged with its transpose, dense or sparse; no other is."""
    W = weights_of(BLOBS, 0.3)
    rough = W * (1 + 1e-6 * np.random.default_rng(0).random(W.shape))
    plain = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W)
    for given in (rough, sparse.csr_array(rough)):
        model = SpectralClustering(4, affinity="precomputed", random_state=0).fit(given)
        assert adjusted_rand_score(model.labels_, plain.labels_) == 1.0
        with pytest.raises(InvalidData, match="symmetric"):
            SpectralClustering(4, affinity="precomputed").fit(given + np.triu(W, 1) * 1e-3)


@pytest.mark.parametrize("dtype", [np.int64, bool, np.float32])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_graphs_of_any_type_and_layout(dtype, layout):
    """Law: loops, stored zeros, order of indices, layout and type of a graph's weights change nothing."""
    W = (weights_of(BLOBS, 0.3) > 0.05).astype(np.float64)
    expected = SpectralClustering(4, affinity="precomputed", random_state=0).fit(W).labels_
    graph = sparse.csr_array(W + 7 * np.eye(len(W)) if dtype is not bool else W + np.eye(len(W)))
    graph = sparse.csr_array(
        (graph.data[::-1].copy(), graph.indices[::-1].copy(), graph.indptr[-1] - graph.indptr[::-1]),
        shape=graph.shape,
    )[::-1]  # indices that descend
    with_zeros = sparse.coo_array(graph)
    zeros = np.r_[with_zeros.data, 0.0], (np.r_[with_zeros.row, 0], np.r_[with_zeros.col, 399])
    given = sparse.coo_array(zeros, shape=graph.shape).astype(dtype).asformat(layout)
    labels = SpectralClustering(4, affinity="precomputed", random_state=0).fit(given).labels_
    assert adjusted_rand_score(labels, expected) == 1.0


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
    """Law: where lobpcg does not get as far as asked, one warning says how far it got, and the way out."""
    monkeypatch.setattr("coterie.cluster._spectral_scipy.MOST_PRODUCTS", 2)
    model = SpectralClustering(4, gamma=0.5, eigen_solver="lobpcg", eigen_tol=1e-12, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"lobpcg settled the eigenvectors to .* only, not to 1e-12\. "
    ):
        model.fit(BLOBS)
