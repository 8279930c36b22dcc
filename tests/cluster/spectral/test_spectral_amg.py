"""Laws of the solver by algebraic multigrid: the same coordinates as without it."""

import importlib.util
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from coterie._support.validation import memory
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.errors import InvalidParameter, NotEnoughMemory

MOONS, MOON = make_moons(1500, noise=0.09, random_state=0)
BLOBS, _ = make_blobs(400, centers=4, n_features=3, cluster_std=2.0, random_state=3)
LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
needs_pyamg = pytest.mark.skipif(
    not importlib.util.find_spec("pyamg"), reason="pyamg is not installed: coterie[dev] has it"
)
pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


def same_up_to_sign(found, expected, atol):
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=atol * np.abs(expected).max())


@needs_pyamg
@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("X", "options"),
    [
        (MOONS, {"affinity": "nearest_neighbors"}),
        (BLOBS, {"affinity": "rbf", "h": 10.0}),
        (BLOBS, {"affinity": "laplacian", "gamma": 0.2}),
    ],
    ids=["neighbours", "gaussian", "kernel"],
)
def test_multigrid_gives_the_same_coordinates(X, options, is_weighted, laplacian):
    """Law: coordinates and eigenvalues are the default solver's, for stored graphs and others, weighted."""
    weights = np.random.default_rng(0).integers(1, 4, len(X)) if is_weighted else None
    found, expected = (
        LaplacianEigenmap(
            3, laplacian=laplacian, eigen_solver=solver, eigen_tol=1e-7, random_state=0, **options
        ).fit(X, sample_weight=weights)
        for solver in ("amg", None)
    )
    np.testing.assert_allclose(found.eigenvalues_[:3], expected.eigenvalues_[:3], rtol=1e-4)
    same_up_to_sign(found.embedding_, expected.embedding_, 2e-3)


@needs_pyamg
def test_multigrid_finds_groups_and_components():
    """Law: groups of a graph in pieces are found; the same seed gives the same bits, other draws stay."""
    graph = sparse.block_diag([np.ones((250, 250)), np.ones((150, 150)), np.ones((50, 50))], format="csr")
    bridge = sparse.coo_array(([1.0, 1.0], ([0, 300], [300, 0])), shape=graph.shape)
    truth = np.repeat([0, 1, 2], (250, 150, 50))
    model = SpectralClustering(3, affinity="precomputed", eigen_solver="amg", random_state=0)
    np.random.seed(5)  # noqa: NPY002  # the state that pyamg draws from
    first = model.fit(sparse.csr_array(graph + bridge))
    drawn = np.random.random()  # noqa: NPY002  # the state that pyamg draws from
    assert drawn == np.random.RandomState(5).random_sample()
    assert adjusted_rand_score(truth, first.labels_) == 1.0
    again = SpectralClustering(3, affinity="precomputed", eigen_solver="amg", random_state=0)
    np.testing.assert_array_equal(again.fit(sparse.csr_array(graph + bridge)).embedding_, first.embedding_)


@needs_pyamg
def test_gaussian_affinities_that_do_not_fit_are_refused(monkeypatch):
    """Law: the matrix that multigrid needs is weighed before it is made, and the way out is said."""
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000)
    monkeypatch.setattr(memory, "ALWAYS_FREE", 0)
    with pytest.raises(NotEnoughMemory, match=r"the affinity matrix of 400 rows, stored.*eigen_solver=None"):
        SpectralClustering(2, eigen_solver="amg").fit(BLOBS)


def test_the_missing_package_is_named(monkeypatch):
    """Law: without pyamg, an error says what to install, whatever the rows."""
    monkeypatch.setitem(sys.modules, "pyamg", None)
    with pytest.raises(InvalidParameter, match=r'eigen_solver="amg" needs.*install "coterie\[amg\]"'):
        SpectralClustering(2, eigen_solver="amg").fit(BLOBS[:10])
