"""Laws of biclustering, and comparison with NumPy's decomposition and with scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import SpectralCoclustering as Theirs
from sklearn.datasets import make_biclusters, make_checkerboard
from sklearn.metrics import consensus_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import coterie
from coterie.cluster import SpectralBiclustering, SpectralCoclustering
from coterie.cluster.spectral.singular import normalize, scale_normalize, singular_vectors
from coterie.errors import DataNotice, InvalidData, InvalidParameter, ModelFileError


def planted(shape, k=4, seed=0):
    """Return nonnegative rows with blocks along a diagonal, and the blocks."""
    X, rows, columns = make_biclusters(shape, k, noise=1.0, minval=10, maxval=30, random_state=seed)
    return np.maximum(X + 1, 0.1), (rows, columns)


@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (500, 260), (260, 500)])
@pytest.mark.parametrize("method", ["scale", "bistochastic", "log"])
@pytest.mark.parametrize("solver", [None, "arpack"])
def test_singular_vectors_are_those_of_numpy(shape, method, solver):
    """Law: beyond the trivial one, left and right vectors are those of a full decomposition up to signs."""
    X, _ = planted(shape)
    found = normalize(X, method, who="it")
    left, right = singular_vectors(found, 3, solver=solver, seed=0, n_vectors=None, who="it")
    U, values, Vt = np.linalg.svd(found.matrix)
    first = 0 if method == "log" else 1
    if first:
        assert values[0] == pytest.approx(1.0)
        np.testing.assert_allclose(np.abs(found.trivial), np.abs(Vt[0]), atol=1e-9)
    for ours, theirs in ((left, U[:, first : first + 3]), (right, Vt[first : first + 3].T)):
        np.testing.assert_allclose(np.abs((ours * theirs).sum(axis=0)), 1.0, atol=1e-9)
    np.testing.assert_allclose(found.matrix @ right, left * values[first : first + 3], atol=1e-6)
    largest = np.take_along_axis(right, np.abs(right).argmax(axis=0)[None], axis=0)
    assert (largest > 0).all()


@pytest.mark.parametrize("shape", [(300, 250), (250, 300)])
def test_sparse_rows_have_the_vectors_of_dense_ones(shape):
    """Law: a sparse matrix is scaled and decomposed as the same dense one, in every method that takes it."""
    X, _ = planted(shape)
    X = np.where(X < 4, 0, X)
    for method in ("scale", "bistochastic"):
        pairs = [
            singular_vectors(
                normalize(each, method, who="it"), 3, solver=None, seed=0, n_vectors=None, who="it"
            )
            for each in (X, sparse.csr_array(X))
        ]
        for dense, thin in zip(*pairs, strict=True):
            np.testing.assert_allclose(thin, dense, atol=1e-6)


@pytest.mark.parametrize("svd_method", ["randomized", "arpack"])
@pytest.mark.parametrize("n_svd_vecs", [None, 12])
def test_planted_blocks_are_found(svd_method, n_svd_vecs):
    """Law: blocks along a diagonal are found as scikit-learn finds them, in dense and sparse matrices."""
    X, truth = planted((420, 310), seed=3)
    options = {"svd_method": svd_method, "n_svd_vecs": n_svd_vecs, "random_state": 0}
    ours = SpectralCoclustering(4, **options).fit(X)
    assert consensus_score(ours.biclusters_, truth) == 1.0
    assert consensus_score(Theirs(4, random_state=0).fit(X).biclusters_, truth) == 1.0
    thin = SpectralCoclustering(4, **options).fit(sparse.csr_array(np.where(X < 4, 0, X)))
    assert consensus_score(thin.biclusters_, truth) == 1.0


@pytest.mark.parametrize("method", ["bistochastic", "scale", "log"])
def test_planted_checkerboards_are_found(method):
    """Law: a checkerboard of 4 x 3 blocks is found; blocks cover every entry once."""
    X, rows, columns = make_checkerboard((310, 240), (4, 3), noise=5, random_state=1)
    model = SpectralBiclustering((4, 3), method=method, random_state=0).fit(X)
    assert consensus_score(model.biclusters_, (rows, columns)) == 1.0
    assert (model.rows_.T.astype(int) @ model.columns_.astype(int) == 1).all()
    for number in range(12):
        assert model.get_shape(number) == model.get_submatrix(number, X).shape
    np.testing.assert_array_equal(model.rows_[4], model.row_labels_ == 1)
    np.testing.assert_array_equal(model.columns_[4], model.column_labels_ == 1)


def test_threads_and_order_change_nothing():
    """Law: the same labels with any number of threads; a checkerboard in another order is the same one."""
    X, _, _ = make_checkerboard((260, 230), (3, 3), noise=8, random_state=2)
    fits = []
    for threads in (1, 4):
        with threadpool_limits(threads):
            fits.append(SpectralBiclustering(3, random_state=0).fit(X))
    np.testing.assert_array_equal(fits[0].row_labels_, fits[1].row_labels_)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(260), rng.permutation(230)
    moved = SpectralBiclustering(3, random_state=0).fit(X[rows][:, columns])
    whole = (fits[0].rows_[:, rows], fits[0].columns_[:, columns])
    assert consensus_score(moved.biclusters_, whole) == 1.0


def test_balanced_rows_and_columns():
    """Law: scaling leaves rows of one sum and columns of another, sparse or not."""
    X = np.random.default_rng(0).random((30, 20)) + 0.01
    for each in (X, sparse.csr_array(X)):
        balanced = normalize(each, "bistochastic", who="it").matrix
        rows, columns = balanced.sum(axis=1), balanced.sum(axis=0)
        np.testing.assert_allclose(rows, rows.mean(), rtol=1e-4)
        np.testing.assert_allclose(columns, columns.mean(), rtol=1e-4)


def test_rows_without_a_sum():
    """Law: a row of zeros is told of and scaled to zero; a matrix of zeros is refused."""
    X, _ = planted((40, 30))
    X[7] = 0
    with pytest.warns(DataNotice, match="1 rows of X of SpectralCoclustering have the sum zero, e.g. row 7"):
        model = SpectralCoclustering(4, random_state=0).fit(X)
    assert set(model.row_labels_) == {0, 1, 2, 3}
    assert not scale_normalize(X)[0][7].any()
    with (
        pytest.warns(DataNotice, match="have the sum zero"),
        pytest.raises(InvalidData, match="all entries of X of SpectralCoclustering are zero"),
    ):
        SpectralCoclustering(2).fit(np.zeros((4, 3)))


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["bistochastic", "scale", "log"])
def test_nothing_to_divide(method):
    """Law: a constant matrix, a single row or column have one group; no vector of rounding is used."""
    for X in (np.ones((9, 7)), np.ones((1, 5)), np.arange(1.0, 6.0)[:, None]):
        model = SpectralBiclustering(1, method=method, random_state=0).fit(X)
        assert set(model.row_labels_) | set(model.column_labels_) == {0}
    constant = SpectralBiclustering((3, 2), method=method, random_state=0).fit(np.ones((9, 7)))
    assert set(constant.row_labels_) == {0}
    assert constant.rows_.shape == (6, 9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_clusters": 0}, "n_clusters of SpectralBiclustering must be a whole number of at least 1"),
        ({"n_clusters": 31}, "n_clusters should be <= n_samples=30. Got 31 instead"),
        ({"n_clusters": (2, "a")}, "Incorrect parameter n_clusters has value"),
        ({"n_clusters": (2, 21)}, "asks for 21 groups of columns, X has 20"),
        ({"n_best": 7}, "n_best=7 must be <= n_components=6"),
        ({"method": "logs"}, 'Did you mean "log"'),
        ({"svd_method": "lobpcg"}, "svd_method of SpectralBiclustering must be"),
        (
            {"n_svd_vecs": -1},
            "n_svd_vecs of SpectralBiclustering must be None or a whole number of at least 0",
        ),
    ],
)
def test_wrong_parameters_are_explained(options, words):
    """Law: a wrong parameter is named, with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        SpectralBiclustering(**options).fit(planted((30, 20))[0])


def test_wrong_rows_are_explained():
    """Law: missing values, text and negative sparse entries are refused; negative dense ones are not."""
    X, truth = planted((40, 30))
    for bad in (np.where(X > 20, np.nan, X), np.where(X > 20, np.inf, X), np.full((4, 4), "a"), X[0]):
        with pytest.raises(InvalidData):
            SpectralCoclustering(2).fit(bad)
    with pytest.raises(InvalidData, match="is sparse and has the negative entry -5"):
        SpectralCoclustering(2).fit(sparse.csr_array(np.where(X > 5, -5.0, X)))
    assert consensus_score(SpectralCoclustering(4, random_state=0).fit(X - 1).biclusters_, truth) == 1.0


def test_saved_and_loaded(tmp_path):
    """Law: a model comes back with its blocks; a file whose indicators are not truth values is refused."""
    X, _ = planted((30, 20))
    for model in (SpectralCoclustering(3, random_state=0), SpectralBiclustering((3, 2), random_state=0)):
        path = tmp_path / f"{type(model).__name__}.coterie"
        coterie.save(model.fit(X), path)
        loaded = coterie.load(path)
        np.testing.assert_array_equal(loaded.rows_, model.rows_)
        assert loaded.get_shape(1) == model.get_shape(1)
        model.rows_ = model.rows_.astype(np.float64)
        with pytest.raises(ModelFileError, match=r"rows_ of .* must be an array of bool"):
            coterie.save(model, tmp_path / "other.coterie")


@parametrize_with_checks([SpectralBiclustering(2, n_init=1, n_best=1), SpectralCoclustering(2, n_init=1)])
@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*have the sum zero:coterie.errors.DataNotice")
def test_scikit_learns_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
