"""Laws over methods that take a matrix: what is none, of distances, similarities or a kernel, is refused."""

import numpy as np
import pytest
import sklearn.cluster
import sklearn.metrics
from scipy import sparse

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS, KernelKMeans, KMedoids, SpectralClustering
from coterie.distance import pairwise_distances
from coterie.errors import CoterieError, InvalidData, UnsupportedInput

X = np.random.default_rng(0).normal(0, 0.3, size=(40, 2)) + np.repeat([[0.0], [4.0]], 20, axis=0)
D = pairwise_distances(X)
S = np.exp(-(D**2))
TAKERS = {
    "dbscan": (lambda: DBSCAN(1.0, metric="precomputed"), D),
    "hdbscan": (lambda: HDBSCAN(metric="precomputed"), D),
    "optics": (lambda: OPTICS(metric="precomputed"), D),
    "kmedoids": (lambda: KMedoids(2, metric="precomputed"), D),
    "kmedoids of similarities": (lambda: KMedoids(2, metric="similarity"), S),
    "kernel k-means": (lambda: KernelKMeans(2, kernel="precomputed", random_state=0), S),
    "spectral": (lambda: SpectralClustering(2, affinity="precomputed", random_state=0), S),
}
WRONG = {
    "not square": (lambda M: M[:, :5], r"square|it has shape"),
    "text": (lambda M: M.astype(str), "must be numbers, got text"),
    "empty": (lambda M: M[:0, :0], r"0 sample.s. .shape=.0, 0.."),
    "missing": (lambda M: np.where(M.max() == M, np.nan, M), "NaN"),
    "three dimensions": (lambda M: M[None], "dim 3"),
    "complex": (lambda M: M + 1j, "Complex data not supported"),
}
DISTANCES = ["dbscan", "hdbscan", "optics", "kmedoids"]


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("name", TAKERS)
def test_what_is_no_matrix(name, case):
    """Law: a matrix that cannot be one is refused in words that say what is wrong."""
    make, matrix = TAKERS[name]
    spoil, words = WRONG[case]
    with pytest.raises(CoterieError, match=words):
        make().fit(spoil(matrix))


@pytest.mark.parametrize(
    "name", ["hdbscan", "kmedoids", "kmedoids of similarities", "kernel k-means", "spectral"]
)
def test_matrices_that_are_not_symmetric(name):
    """Law: where a pair has one number only, two are refused."""
    make, matrix = TAKERS[name]
    with pytest.raises(InvalidData, match="symmetric"):
        make().fit(np.triu(matrix))


@pytest.mark.parametrize("name", [*DISTANCES, "spectral"])
def test_negative_numbers(name):
    """Law: a negative distance or weight is refused."""
    make, matrix = TAKERS[name]
    with pytest.raises(InvalidData, match="at least 0"):
        make().fit(-matrix)


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("form", [np.float32, "Fortran", "list", "read-only"])
def test_forms_of_a_matrix(name, form):
    """Law: the groups do not depend on how the matrix is stored, and predict takes it again."""
    make, matrix = TAKERS[name]
    given = matrix.astype(np.float32) if form is np.float32 else np.array(matrix, order="F")
    if form == "list":
        given = matrix.tolist()
    if form == "read-only":
        given.setflags(write=False)
    model = make().fit(given)
    np.testing.assert_array_equal(model.labels_, make().fit(matrix).labels_)
    np.testing.assert_array_equal(model.predict(given), model.labels_)


@pytest.mark.parametrize("name", ["dbscan", "hdbscan", "kmedoids"])
def test_huge_distances(name):
    """Law: distances near the largest number make the same groups, without a warning from below."""
    scale = 1e300
    make, _ = TAKERS[name]
    model = make().set_params(eps=scale) if name == "dbscan" else make()
    np.testing.assert_array_equal(model.fit(D * scale).labels_, make().fit(D).labels_)


def test_huge_distances_of_optics():
    """Law: OPTICS rounds as scikit-learn's does, and refuses distances that overflow then."""
    with pytest.raises(InvalidData, match=r"at most 1e.290, got .*Divide X by a constant"):
        OPTICS(metric="precomputed").fit(D * 1e300)


def test_a_kernel_matrix_is_called_one():
    """Law: the way out of KernelKMeans names its own parameter."""
    with pytest.raises(InvalidData, match=r"square matrix of kernel values.*kernel='rbf'"):
        KernelKMeans(2, kernel="precomputed").fit(X)


@pytest.mark.filterwarnings("ignore:Data was converted to boolean")  # by scikit-learn, of its own rows
@pytest.mark.parametrize("metric", ["sokalsneath", "nan_euclidean", "rogerstanimoto"])
def test_the_knee_of_distances_that_only_scikit_learn_has(metric):
    """Law: eps="auto" reads the curve of any distance that DBSCAN takes, and booleans are no surprise."""
    rows = X / 10
    if metric in ("sokalsneath", "rogerstanimoto"):
        rows = np.random.default_rng(0).random((40, 9)) < np.repeat([[0.2], [0.8]], 20, axis=0)
        rows[:, 0] = True  # two rows without any have no distance
    model = DBSCAN("auto", metric=metric).fit(rows)
    distances = sklearn.metrics.pairwise_distances(rows, metric=metric)
    np.fill_diagonal(distances, -1.0)
    assert np.isclose(np.sort(distances, axis=1)[:, 4], model.eps_).any()
    theirs = sklearn.cluster.DBSCAN(eps=model.eps_, metric=metric).fit(rows)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    assert model.predict(rows).shape == (40,)


def test_the_knee_with_rows_without_direction():
    """Law: so it is under the cosine with a row of zeros."""
    with pytest.warns(UserWarning, match="no direction"):
        model = DBSCAN("auto", metric="cosine").fit(np.vstack([X + 1, np.zeros(2)]))
    assert model.labels_[-1] == -1


def test_weights_that_are_no_numbers():
    """Law: weights of DBSCAN, which may be negative, must be numbers."""
    with pytest.raises(InvalidData, match="sample_weight of DBSCAN must be numbers"):
        DBSCAN().fit(X, sample_weight=["a"] * 40)


def test_min_samples_of_hdbscan_beyond_the_rows():
    """Law: the message says where the number came from."""
    with pytest.raises(
        CoterieError, match=r"min_samples .50. must be at most .*40.*min_cluster_size unless given"
    ):
        HDBSCAN(min_cluster_size=50).fit(X)


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array", "lil_array"])
@pytest.mark.parametrize(
    ("value", "kind"), [(np.nan, "NaN"), (np.inf, "infinity"), (-1.0, "negative values")]
)
@pytest.mark.parametrize("name", ["dbscan", "hdbscan", "optics"])
def test_entries_of_graphs_that_are_no_distances(name, value, kind, form):
    """Law: a stored distance that is none is named with its cell, in words of ours."""
    make, matrix = TAKERS[name]
    spoilt = matrix.copy()
    spoilt[3, 7] = spoilt[7, 3] = value
    words = (
        rf"Input X contains {kind}: stored distances of .* must be finite and at least 0, got X\[[37], [37]\]"
    )
    with pytest.raises(InvalidData, match=words):
        make().fit(getattr(sparse, form)(spoilt))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", DISTANCES)
def test_new_distances_that_are_no_numbers(name, value):
    """Law: `predict` says of new distances what `fit` says, in words of ours."""
    make, matrix = TAKERS[name]
    new = matrix[:5].copy()
    new[1, 2] = value
    with pytest.raises(InvalidData, match=r"contains (NaN|infinity)|must be finite"):
        make().fit(matrix).predict(new)


@pytest.mark.parametrize("name", ["dbscan", "hdbscan", "optics"])
def test_new_distances_in_a_sparse_matrix(name):
    """Law: where `predict` needs every distance, a sparse matrix is refused as one."""
    make, matrix = TAKERS[name]
    with pytest.raises(
        UnsupportedInput, match=r"X of .*Sparse data was passed for X, but dense data is required"
    ):
        make().fit(matrix).predict(sparse.csr_array(matrix[:5]))
