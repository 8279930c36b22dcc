"""Laws of weights in spectral clustering and Laplacian eigenmaps: a row of weight 3 is three equal rows."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

import coterie
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.cluster.spectral import landmarks as landmarks_of
from coterie.cluster.spectral import spectral as labels_of
from coterie.cluster.spectral.graphs import Affinity
from coterie.errors import InvalidData, InvalidParameter

BLOBS, _ = make_blobs(90, centers=3, n_features=2, cluster_std=1.3, random_state=3)
MANY, _ = make_blobs(320, centers=4, n_features=3, cluster_std=1.5, random_state=5)
NEW = BLOBS[:20] + 0.1
WEIGHTS = np.random.default_rng(0).integers(1, 5, len(BLOBS))
LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
TIGHT = {"eigen_tol": 1e-10, "random_state": 0}
pytestmark = pytest.mark.filterwarnings("ignore:.*not fully connected")


def closeness(x, y):
    return 1.0 / (1.0 + np.abs(x - y).sum())


def name_of(options):
    affinity = options.get("affinity", "rbf")
    return getattr(affinity, "__name__", affinity)


PAIRWISE = [
    {"affinity": "rbf", "h": 20.0},
    {"affinity": "epsilon", "epsilon": 6.0},
    {"affinity": "laplacian", "gamma": 0.2},
    {"affinity": closeness},
]


def same_up_to_sign(found, expected, atol=1e-6):
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=atol * np.abs(expected).max())


def graph_of(X, *, loops, kind=np.asarray):
    W = rbf_kernel(X, gamma=0.05)
    np.fill_diagonal(W, loops)
    return kind(W)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("options", PAIRWISE, ids=name_of)
def test_weights_count_copies_of_rows(options, laplacian):
    """Law: eigenvalues, coordinates and those of new rows are the ones of the rows written out w times."""
    rows = np.repeat(np.arange(len(BLOBS)), WEIGHTS)
    model = LaplacianEigenmap(2, laplacian=laplacian, **options, **TIGHT)
    expected = model.fit(BLOBS[rows]).embedding_
    values, placed = model.eigenvalues_, model.transform(NEW)
    model.fit(BLOBS, sample_weight=WEIGHTS)
    np.testing.assert_allclose(model.eigenvalues_[:2], values[:2], rtol=1e-7, atol=1e-9)
    same_up_to_sign(model.embedding_[rows], expected)
    same_up_to_sign(model.transform(NEW), placed)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("loops", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_vertices_of_graphs_weigh_too(laplacian, loops, kind):
    """Law: in a given graph, a weight repeats rows and columns; copies are joined as the diagonal says."""
    rows = np.repeat(np.arange(len(BLOBS)), WEIGHTS)
    W = graph_of(BLOBS, loops=loops)
    model = LaplacianEigenmap(2, affinity="precomputed", laplacian=laplacian, **TIGHT)
    expected = model.fit(kind(W[np.ix_(rows, rows)])).embedding_
    values, placed = model.eigenvalues_, model.transform(rbf_kernel(NEW, BLOBS[rows], gamma=0.05))
    model.fit(kind(W), sample_weight=WEIGHTS)
    np.testing.assert_allclose(model.eigenvalues_[:2], values[:2], rtol=1e-7, atol=1e-9)
    same_up_to_sign(model.embedding_[rows], expected)
    same_up_to_sign(model.transform(rbf_kernel(NEW, BLOBS, gamma=0.05)), placed)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("affinity", ["nearest_neighbors", "mutual_neighbors", "self_tuning"])
def test_neighbours_are_counted_by_rows(affinity, laplacian):
    """Law: weights do not change who is whose neighbour; copies have the affinities of their row."""
    rows = np.repeat(np.arange(len(BLOBS)), WEIGHTS)
    model = LaplacianEigenmap(2, affinity=affinity, n_neighbors=12, laplacian=laplacian, **TIGHT)
    model.fit(BLOBS, sample_weight=WEIGHTS)
    W = Affinity(affinity, n_neighbors=12).graph(BLOBS).times(np.eye(len(BLOBS)))
    np.fill_diagonal(W, 1.0)
    copies = LaplacianEigenmap(2, affinity="precomputed", laplacian=laplacian, **TIGHT)
    expected = copies.fit(W[np.ix_(rows, rows)]).embedding_
    np.testing.assert_allclose(model.eigenvalues_[:2], copies.eigenvalues_[:2], rtol=1e-7, atol=1e-9)
    same_up_to_sign(model.embedding_[rows], expected)


@pytest.mark.parametrize("solver", [None, "arpack", "lobpcg"])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("options", [{"affinity": "rbf", "h": 8.0}, {"affinity": "epsilon", "epsilon": 5.0}])
def test_solvers_see_the_weights(options, laplacian, solver):
    """Law: the copies' eigenvectors come from every solver, stored or not."""
    weights = np.random.default_rng(1).integers(1, 3, len(MANY))
    rows = np.repeat(np.arange(len(MANY)), weights)
    told = {"laplacian": laplacian, "eigen_solver": solver, "eigen_tol": 1e-8, "random_state": 0}
    model = LaplacianEigenmap(3, **options, **told).fit(MANY, sample_weight=weights)
    copies = LaplacianEigenmap(3, **options, **told | {"eigen_solver": None}).fit(MANY[rows])
    np.testing.assert_allclose(model.eigenvalues_[:3], copies.eigenvalues_[:3], rtol=1e-5, atol=1e-7)
    same_up_to_sign(model.embedding_[rows], copies.embedding_, atol=1e-5)


@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
@pytest.mark.parametrize("options", [{"h": 20.0}, {"h": 20.0, "laplacian": "unnormalized"}])
def test_groups_are_those_of_the_copies(options, assign_labels):
    """Law: labels and predictions are those of the rows written out."""
    rows = np.repeat(np.arange(len(BLOBS)), WEIGHTS)
    model = SpectralClustering(3, assign_labels=assign_labels, random_state=0, **options)
    expected, placed = model.fit_predict(BLOBS[rows]), model.predict(NEW)
    labels = model.fit_predict(BLOBS, sample_weight=WEIGHTS)
    assert adjusted_rand_score(labels[rows], expected) == 1.0
    assert adjusted_rand_score(model.predict(NEW), placed) == 1.0
    np.testing.assert_array_equal(model.predict(BLOBS), labels)


def test_rotations_are_fitted_by_weight(monkeypatch):
    """Law: from the same rotation, discretised coordinates of rows that weigh are those of their copies."""
    monkeypatch.setattr(labels_of, "_first_rotation", lambda directions, *_: np.eye(directions.shape[1]))
    vectors = LaplacianEigenmap(3, affinity="rbf", h=5.0, random_state=0).fit_transform(MANY)
    weights = np.random.default_rng(4).integers(1, 9, len(MANY)).astype(float)
    rows = np.repeat(np.arange(len(MANY)), weights.astype(int))
    expected = labels_of.discretize(vectors[rows])
    np.testing.assert_array_equal(labels_of.discretize(vectors, weights)[rows], expected)


@pytest.mark.parametrize("laplacian", ["random_walk", "symmetric"])
def test_landmarks_of_rows_that_weigh(laplacian, monkeypatch):
    """Law: with the same landmarks, coordinates are those of the copies; landmarks go where weight is."""
    rows = np.repeat(np.arange(len(BLOBS)), WEIGHTS)
    model = SpectralClustering(3, landmarks=25, n_neighbors=12, laplacian=laplacian, h=20.0, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(landmarks_of, "_place_landmarks", lambda *_: BLOBS[::4].copy())
        expected = model.fit(BLOBS[rows]).embedding_
        values = model.eigenvalues_
        model.fit(BLOBS, sample_weight=WEIGHTS)
    np.testing.assert_allclose(model.eigenvalues_, values, atol=1e-7)
    same_up_to_sign(model.embedding_[rows], expected)
    X = np.vstack([BLOBS, BLOBS + 1000.0] * 8)
    weights = np.where(X[:, 0] > 500, 1e-9, 1.0)
    model.fit(X, sample_weight=weights)
    assert (model._landmark_rows < 500).all()


@pytest.mark.parametrize(
    "options",
    [{"h": 20.0}, {"affinity": "nearest_neighbors"}, {"affinity": "self_tuning"}, {"affinity": closeness}],
    ids=name_of,
)
@pytest.mark.parametrize("assign_labels", ["kmeans", "discretize", "cluster_qr"])
def test_rows_of_no_weight_are_new_rows(options, assign_labels):
    """Law: a row of weight 0 changes not a bit, and is labelled and placed as a new row is."""
    weights = WEIGHTS * (np.arange(len(BLOBS)) % 5 > 0)
    X = np.where(weights[:, None] == 0, BLOBS + 0.05, BLOBS)
    kept = weights > 0
    model = SpectralClustering(3, assign_labels=assign_labels, random_state=0, **options)
    expected = model.fit_predict(X[kept], sample_weight=weights[kept])
    values, coordinates, placed = model.eigenvalues_, model.embedding_, model.predict(X[~kept])
    labels = model.fit_predict(X, sample_weight=weights)
    np.testing.assert_array_equal(labels[kept], expected)
    np.testing.assert_array_equal(labels[~kept], placed)
    np.testing.assert_array_equal(model.eigenvalues_, values)
    np.testing.assert_array_equal(model.embedding_[kept], coordinates)
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.affinity_matrix_.shape == (len(X), len(X))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_vertices_of_no_weight(kind):
    """Law: of a graph, vertices of weight 0 are left out, and labelled by their edges to the others."""
    weights = WEIGHTS * (np.arange(len(BLOBS)) % 5 > 0)
    kept = weights > 0
    W = graph_of(BLOBS, loops=1.0)
    model = SpectralClustering(3, affinity="precomputed", random_state=0)
    expected = model.fit_predict(kind(W[np.ix_(kept, kept)]), sample_weight=weights[kept])
    placed = model.predict(kind(W[np.ix_(~kept, kept)]))
    labels = model.fit_predict(kind(W), sample_weight=weights)
    np.testing.assert_array_equal(labels[kept], expected)
    np.testing.assert_array_equal(labels[~kept], placed)
    np.testing.assert_array_equal(model.predict(kind(W)), labels)


@pytest.mark.parametrize("options", [{}, {"affinity": "nearest_neighbors"}, {"landmarks": 20}], ids=str)
def test_weights_of_one_are_no_weights(options):
    """Law: all weights 1 gives the bits of no weights, and so does one number; 0 and 1 choose rows."""
    plain = SpectralClustering(3, random_state=0, **options).fit(BLOBS)
    for ones in (np.ones(len(BLOBS)), 1, [True] * len(BLOBS)):
        weighted = SpectralClustering(3, random_state=0, **options).fit(BLOBS, sample_weight=ones)
        np.testing.assert_array_equal(weighted.embedding_, plain.embedding_)
        np.testing.assert_array_equal(weighted.labels_, plain.labels_)
    chosen = np.arange(len(BLOBS)) < 80
    part = SpectralClustering(3, random_state=0, **options).fit(BLOBS[:80])
    whole = SpectralClustering(3, random_state=0, **options).fit(BLOBS, sample_weight=chosen)
    np.testing.assert_array_equal(whole.embedding_[:80], part.embedding_)
    np.testing.assert_array_equal(whole.labels_[80:], part.predict(BLOBS[80:]))


@settings(max_examples=25, deadline=None)
@given(
    weights=st.lists(st.integers(0, 4), min_size=12, max_size=12).filter(lambda w: np.count_nonzero(w) >= 5),
    laplacian=st.sampled_from(LAPLACIANS),
    seed=st.integers(0, 100),
)
def test_the_copies_of_any_rows(weights, laplacian, seed):
    """Law: for any whole weights, eigenvalues are those of the copies, among functions equal on copies."""
    X = np.random.default_rng(seed).normal(size=(12, 2))
    rows = np.repeat(np.arange(12), weights)
    W = rbf_kernel(X[rows], gamma=0.3)
    np.fill_diagonal(W, 0.0)
    L = scipy_laplacian(W, normed=laplacian != "unnormalized")
    equal = (rows[:, None] == np.flatnonzero(weights)) / np.sqrt(np.asarray(weights)[rows])[:, None]
    expected = np.linalg.eigvalsh(equal.T @ L @ equal)
    model = LaplacianEigenmap(4, affinity="rbf", gamma=0.3, laplacian=laplacian, **TIGHT)
    found = model.fit(X, sample_weight=weights).eigenvalues_
    np.testing.assert_allclose(found, expected[1 : 1 + len(found)], atol=1e-9)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_small_weights_tend_to_no_weight(laplacian, affinity):
    """Law: a row whose weight goes to 0 gets the coordinates of a row of weight 0, to the tolerance."""
    light = np.arange(len(MANY)) % 4 == 0
    model = LaplacianEigenmap(3, affinity=affinity, h=8.0, laplacian=laplacian, random_state=0)
    if affinity == "nearest_neighbors":  # rows of weight 0 are nobody's neighbours; so that none is here
        W = graph_of(MANY, loops=1.0)
        model.set_params(affinity="precomputed")
        X = np.where(np.median(W) < W, W, 0.0)
    else:
        X = MANY
    expected = model.fit(X, sample_weight=np.where(light, 0.0, 2.0)).embedding_
    found = model.fit(X, sample_weight=np.where(light, 1e-13, 2.0)).embedding_
    same_up_to_sign(found, expected, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
@pytest.mark.parametrize("laplacian", ["random_walk", "symmetric", "unnormalized"])
def test_weights_of_any_size(scale, laplacian):
    """Law: shares that sum to 1 and counts of atoms are weights too; groups stay."""
    weights = WEIGHTS * scale
    model = SpectralClustering(3, h=20.0, laplacian=laplacian, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = model.fit_predict(BLOBS, sample_weight=weights)
    assert np.isfinite(model.embedding_).all()
    plain = model.fit_predict(BLOBS, sample_weight=WEIGHTS)
    assert adjusted_rand_score(labels, plain) > 0.9


def test_isolated_vertices_that_weigh():
    """Law: an isolated row of any weight is a component; with a loop and copies, one that is joined."""
    graph = sparse.block_diag([np.ones((6, 6)), [[0.0]], np.ones((4, 4)), [[1.0]]], format="csr")
    truth = np.repeat([0, 1, 2, 3], (6, 1, 4, 1))
    weights = np.r_[np.full(6, 2.0), 3.0, np.full(4, 0.5), 5.0]
    for laplacian in LAPLACIANS:
        model = SpectralClustering(4, affinity="precomputed", laplacian=laplacian, random_state=0)
        assert adjusted_rand_score(truth, model.fit_predict(graph, sample_weight=weights)) == 1.0
        assert model.n_parts_ == 3
        np.testing.assert_array_equal(model.eigenvalues_[:4], 0.0)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (-np.ones(90), r"Negative values in data passed to `sample_weight`: 90 of 90"),
        (np.r_[np.nan, np.ones(89)], "Input sample_weight contains NaN: 1 of 90, the first at row 0"),
        (np.r_[np.ones(89), np.inf], "Input sample_weight contains infinity"),
        (np.ones(89), r"sample_weight.shape == \(89,\), expected \(90,\)"),
        (np.ones((90, 1)), "Sample weights must be 1D array or scalar"),
        (np.zeros(90), "all weights of (SpectralClustering|LaplacianEigenmap) are zero"),
        (["a"] * 90, "must be numbers"),
    ],
)
@pytest.mark.parametrize(
    "model", [SpectralClustering(2), LaplacianEigenmap(2)], ids=["clustering", "eigenmap"]
)
def test_wrong_weights_are_explained(model, weights, words):
    """Law: weights that are none are refused with their reason."""
    with pytest.raises(InvalidData, match=words):
        model.fit(BLOBS, sample_weight=weights)


def test_too_few_rows_that_weigh():
    """Law: rows of weight 0 are not counted where groups, coordinates or neighbours need rows."""
    weights = np.r_[np.ones(4), np.zeros(86)]
    with pytest.raises(
        InvalidParameter, match="n_clusters of SpectralClustering must be at most 4, the rows"
    ):
        SpectralClustering(5).fit(BLOBS, sample_weight=weights)
    with pytest.raises(InvalidParameter, match="n_components of LaplacianEigenmap must be at most 3"):
        LaplacianEigenmap(4, affinity="rbf").fit(BLOBS, sample_weight=weights)
    with pytest.raises(InvalidParameter, match="n_neighbors must be at most n_samples=4, got 10"):
        SpectralClustering(2, affinity="nearest_neighbors").fit(BLOBS, sample_weight=weights)


@pytest.mark.parametrize("options", [{}, {"affinity": "nearest_neighbors"}, {"landmarks": 20}], ids=str)
def test_weighted_models_are_saved(options, tmp_path):
    """Law: save, load, predict gives the same labels; a fit without weights forgets them."""
    weights = WEIGHTS * (np.arange(len(BLOBS)) % 5 > 0)
    model = SpectralClustering(3, random_state=0, **options).fit(BLOBS, sample_weight=weights)
    coterie.save(model, tmp_path / "m")
    np.testing.assert_array_equal(coterie.load(tmp_path / "m").predict(NEW), model.predict(NEW))
    eigenmap = LaplacianEigenmap(2, random_state=0, **options).fit(BLOBS, sample_weight=weights)
    coterie.save(eigenmap, tmp_path / "e")
    np.testing.assert_array_equal(coterie.load(tmp_path / "e").transform(NEW), eigenmap.transform(NEW))
    plain = SpectralClustering(3, random_state=0, **options).fit(BLOBS)
    np.testing.assert_array_equal(model.fit(BLOBS).predict(NEW), plain.predict(NEW))


def test_heavy_rows_do_not_lose_their_neighbours():
    """Law: summaries of many rows still find moons by nearest neighbours."""
    X, truth = make_moons(300, noise=0.05, random_state=0)
    weights = np.random.default_rng(0).integers(50, 200, len(X))
    model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0)
    assert adjusted_rand_score(truth, model.fit_predict(X, sample_weight=weights)) == 1.0
