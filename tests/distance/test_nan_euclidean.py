"""The Euclidean distance of rows with missing cells: scikit-learn's numbers, in every method."""

import numpy as np
import pandas
import polars
import pytest
import sklearn.metrics
from sklearn.metrics.pairwise import nan_euclidean_distances

import coterie
from coterie.cluster import DBSCAN, HDBSCAN, OPTICS, AgglomerativeClustering, Diana, Genie, KMeans, KMedoids
from coterie.distance import find_distance, k_nearest, nearest, neighbours_within, pairwise_distances
from coterie.errors import CoterieError, InvalidData, InvalidParameter
from coterie.evaluate import davies_bouldin_score, silhouette_score


def rows_with_gaps(n=120, d=6, share=0.25, seed=0):
    """Three groups, gaps, and in each row more than half of the columns."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    X = rng.normal(size=(n, d)) + 5.0 * group[:, None]
    X[rng.random(X.shape) < share] = np.nan
    X[:, : d // 2 + 1] = rng.normal(size=(n, d // 2 + 1)) + 5.0 * group[:, None]
    return X, group


X, GROUPS = rows_with_gaps()
NEW, _ = rows_with_gaps(30, seed=1)
MODELS = [
    KMedoids(3, metric="nan_euclidean"),
    AgglomerativeClustering(3, metric="nan_euclidean", linkage="average"),
    AgglomerativeClustering(3, metric="nan_euclidean", linkage="single"),
    Genie(3, metric="nan_euclidean"),
    Diana(3, metric="nan_euclidean"),
    DBSCAN(2.5, metric="nan_euclidean"),
    HDBSCAN(min_cluster_size=10, metric="nan_euclidean"),
    OPTICS(min_samples=10, metric="nan_euclidean"),
]


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-9), (np.float32, 1e-4)])
@pytest.mark.parametrize("shape", [(120, 30), (1, 17), (37, 5)])
def test_the_numbers_of_scikit_learn(dtype, rtol, shape):
    """Law: matrices are scikit-learn's up to rounding, in the type of the rows."""
    A, B = X[: shape[0]].astype(dtype), NEW[: shape[1]].astype(dtype)
    ours = pairwise_distances(A, B, "nan_euclidean")
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, nan_euclidean_distances(A, B), rtol=rtol, atol=rtol)
    np.testing.assert_allclose(
        pairwise_distances(A, B, "nan_euclidean", squared=True), ours.astype(float) ** 2, rtol=2e-6
    )


def test_without_gaps_it_is_euclidean():
    """Law: complete rows have their Euclidean distance, also far from zero."""
    complete = np.nan_to_num(X) + 1e8
    np.testing.assert_allclose(
        pairwise_distances(complete, metric="nan_euclidean"), pairwise_distances(complete), rtol=1e-12
    )


def test_tables_of_every_kind():
    """Law: frames with missing values are arrays with NaN."""
    whole = pandas.DataFrame({"a": [1, None, 3], "b": [2.0, 5.0, None], "c": [0, 1, 1]})
    expected = nan_euclidean_distances(whole.to_numpy(dtype=float))
    for table in (whole, whole.convert_dtypes(), polars.from_pandas(whole), whole.to_numpy().tolist()):
        np.testing.assert_allclose(pairwise_distances(table, metric="nan_euclidean"), expected)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{type(model).__name__}")
def test_methods_take_gaps(model, tmp_path):
    """Law: a method finds in rows with gaps what it finds in their matrix, after loading it too."""
    D = pairwise_distances(X, metric="nan_euclidean")
    given = type(model)(**(model.get_params() | {"metric": "precomputed"})).fit(D)
    fitted = model.fit(X)
    np.testing.assert_array_equal(fitted.labels_, given.labels_)
    np.testing.assert_array_equal(
        fitted.predict(NEW), given.predict(pairwise_distances(NEW, X, "nan_euclidean"))
    )
    coterie.save(fitted, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(NEW), fitted.predict(NEW))


def test_neighbours_and_silhouettes():
    """Law: neighbours and silhouettes are those of the matrix."""
    D = pairwise_distances(X, metric="nan_euclidean")
    found = k_nearest(X, None, 4, "nan_euclidean")
    np.testing.assert_allclose(np.sort(D + np.eye(len(D)) * 99, axis=1)[:, :4], found.distance)
    np.testing.assert_allclose(
        nearest(NEW, X, "nan_euclidean").distance, pairwise_distances(NEW, X, "nan_euclidean").min(axis=1)
    )
    assert len(neighbours_within(X, None, 3.0, "nan_euclidean").index) == (D <= 3).sum() - len(D)
    theirs = sklearn.metrics.silhouette_score(D, GROUPS, metric="precomputed")
    assert silhouette_score(X, GROUPS, metric="nan_euclidean") == pytest.approx(theirs)
    with pytest.raises(CoterieError, match="missing cells"):
        davies_bouldin_score(X, GROUPS, metric="nan_euclidean")


def test_new_rows_must_share_a_column_with_every_row_of_the_fit():
    """Law: a new row whose distance to a row of the fit is undefined is refused with its number."""
    model = KMedoids(2, metric="nan_euclidean").fit([[1.0, np.nan], [2.0, np.nan], [1.5, 7.0], [9.0, 1.0]])
    assert len(model.predict([[3.0, np.nan], [2.0, 2.0]])) == 2
    with pytest.raises(
        InvalidData, match=r"row 1 of X has values in no column that some row of the data has"
    ):
        model.predict([[1.0, 1.0], [np.nan, 2.0]])
    with pytest.raises(InvalidData, match=r"row 0 of X has no values"):
        model.predict([[np.nan, np.nan]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, np.nan], [np.nan, 2], [1, 1]], r"row 0 of X and row 1 of X have no column in which both"),
        ([[1, np.nan], [np.nan, np.nan], [2, 3]], r"row 1 of X has no values"),
        ([[1, np.inf], [1, 2], [3, 4]], r"X contains infinity"),
    ],
)
@pytest.mark.parametrize("model", [MODELS[0], MODELS[1], MODELS[5]], ids=lambda model: type(model).__name__)
def test_what_has_no_distance_is_named(model, rows, message):
    """Law: pairs without a common column are refused by the methods as by the matrix."""
    with pytest.raises(InvalidData, match=message):
        type(model)(**model.get_params()).fit(rows)
    with pytest.raises(InvalidData, match=message):
        pairwise_distances(rows, metric="nan_euclidean")


def test_wrong_parameters_are_told():
    """Law: what the distance does not take is said, and k-means names what takes gaps."""
    with pytest.raises(InvalidParameter, match=r"patterns of nan_euclidean must be 0 and 1"):
        find_distance("nan_euclidean", patterns=[[1, 0, 1]]).fit(np.ones((3, 2)))
    with pytest.raises(InvalidParameter, match="no barycentre"):
        KMeans(2, geometry="nan_euclidean").fit(np.ones((3, 2)))
