"""Groups in blocks by a named method, and what cannot be grouped."""

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import coterie
from coterie import evaluate
from coterie.cluster import DBSCAN
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale import fit as fit_blocks
from coterie.scale import labelling

NAMES = ["x", "y", "z"]
pytestmark = pytest.mark.usefixtures("small_samples")


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
def test_dbscan_of_all_rows(clouds, monkeypatch):
    """Law: DBSCAN finds its radius among all rows, labels are the local ones; core points place rows."""
    X = clouds[0][:6000]
    groups = fit_blocks(dask.array.from_array(X, chunks=(999, 3)), "dbscan", believe=False)
    eps = groups.model.eps
    local = DBSCAN(eps=eps, min_samples=5).fit(X)
    assert evaluate.adjusted_rand_score(local.labels_, groups.labels.compute()) == 1
    assert eps == pytest.approx(coterie.cluster.suggest_eps(X).eps, rel=0.3)
    assert groups.groups.n_noise == (local.labels_ == -1).sum()
    assert any("the knee of the distances of 2,000 of 6,000 rows" in note for note in groups.notes)
    core = local.core_sample_indices_[:200]
    np.testing.assert_array_equal(groups.predict(X[core]), groups.labels.compute()[core])
    monkeypatch.setattr(labelling, "CORE_BYTES", 100)
    many = fit_blocks(dask.array.from_array(X, chunks=(999, 3)), "dbscan", believe=False)
    with pytest.raises(InvalidParameter, match="more core points than are kept"):
        many.predict(X[:5])


@pytest.mark.parametrize(("method", "k"), [("agglomerative", 4), ("hdbscan", "auto")])
def test_other_models_place_all_rows(clouds, method, k):
    """Law: a method without a version for blocks is fitted to the compared rows, and says so."""
    X, truth = clouds
    groups = coterie.fit(dask.array.from_array(X, chunks=(2001, 3)), method, k, budget="fast")
    labels = groups.labels.compute()
    assert evaluate.adjusted_rand_score(truth[labels >= 0], labels[labels >= 0]) > 0.98
    assert groups.groups.n_noise == (labels == -1).sum()
    np.testing.assert_array_equal(groups.profile.sizes, np.bincount(labels[labels >= 0]))
    assert any(
        "was fitted to 2,500 of 9,000 rows; its predict labels the others" in note for note in groups.notes
    )


@pytest.mark.parametrize("method", ["minibatch-kmeans", "mixture", "kmedoids"])
def test_fit_by_name(clouds, method):
    """Law: every method of blocks gives the clouds, and says what is approximate."""
    X, truth = clouds
    groups = fit_blocks(X, method, 4, believe=False)
    assert evaluate.adjusted_rand_score(truth, groups.labels.compute()) > 0.98
    assert any("exact" in note for note in groups.notes) == (method != "mixture")
    means = np.array([X[truth == cloud].mean(axis=0) for cloud in range(4)])
    assert np.linalg.norm(means[:, None] - groups.groups.centers, axis=2).min(axis=1).max() < 0.5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"missing": "dropp"}, InvalidParameter, "missing must be one of auto, observed, drop.*Did you mean"),
        ({"method": "kmean"}, InvalidParameter, 'no such method "kmean".*Did you mean "kmeans"'),
        ({"k": 10_000}, InvalidParameter, "k of coterie.fit must be at most 900"),
        ({"drop": ["x"]}, InvalidParameter, "drop and keep name columns; this source has none"),
        ({"set": {"history": True}}, InvalidParameter, "history cannot be set for kmeans in blocks"),
        ({"truth": np.arange(5)}, InvalidParameter, "truth must have one class per row, 900, got 5"),
        (
            {"method": "dbscan", "k": "auto", "checkpoint": "c"},
            InvalidParameter,
            "checkpoint is not taken by dbscan",
        ),
    ],
)
def test_what_is_refused(few, options, error, message):
    """Law: what has no meaning for blocks is refused in one sentence."""
    options = {"method": "kmeans", "k": 3, "believe": False} | options
    with pytest.raises(error, match=message):
        fit_blocks(few, **options)


def test_missing_value_is_named(few):
    """Law: a missing value is refused with its place, where gaps are not wanted."""
    X = few.copy()
    X[700, 1] = np.nan
    place = r'chunk 2 of the Dask array \(rows 602 to 899\): .*NaN: row 98 of it, column "1"'
    with pytest.raises(InvalidData, match=place):
        coterie.fit(dask.array.from_array(X, chunks=(301, 3)), missing="refuse")


def test_keys_must_tell_rows_apart(few):
    """Law: a column is left out as a key if its values differ, as a code if they repeat; keep uses both."""
    frame = pd.DataFrame(few, columns=NAMES).assign(
        order_id=np.arange(len(few)), code=(few[:, 0] > 5).astype(int)
    )
    groups = fit_blocks(dask.dataframe.from_pandas(frame, npartitions=2), "kmeans", 3, believe=False)
    assert [str(one) for one in groups.groups.left_out] == ["order_id (row numbers)", "code (a code)"]
    kept = fit_blocks(frame, "kmeans", 3, keep=["order_id", "code"], believe=False)
    assert kept.groups.columns == ("x", "y", "z", "order_id", "code")
