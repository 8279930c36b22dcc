"""Laws of spectral clustering and Laplacian eigenmaps, and comparison with SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from coterie import _core
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from spectral_rows import BLOBS, LAPLACIANS, MOON, MOONS, RING, RINGS, matrix_of, weights_of

pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


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
