"""Gaps: by default a table with missing values is answered, and a note says what was done."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances

import coterie
from coterie._support.notes import worded
from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.data import as_table, prepare_rows, read_label_pair
from coterie.data.missing import fill_from_similar
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import adjusted_rand_score
from coterie.pipeline.rows.starting import rows_without_distance


def groups(n=300, k=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    return rng.normal(size=(n, d)) + 9 * rng.normal(size=(k, d))[truth], truth


def with_gaps(X, share, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def frame(X):
    return pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])])


def test_few_gaps_leave_rows_out():
    """Law: where most rows are complete the others are left out, and the note says how many and why."""
    X = groups()[0]
    X[[3, 5], 0] = np.nan
    X[5, 2] = np.nan
    prepared = prepare_rows(as_table(frame(X)))
    assert len(prepared.rows) == 298
    done = '2 of 300 rows left out (missing="observed" uses them)'
    assert prepared.notes == (f"missing values: x0 0.67 %, x2 0.33 %; {done}",)
    assert [worded(note, "shell") for note in prepared.notes] == [
        "missing values: x0 0.67 %, x2 0.33 %; 2 of 300 rows left out (--missing observed uses them)"
    ]
    assert prepare_rows(as_table(X)).complete.n_dropped == 2


def test_many_gaps_are_filled():
    """Law: where few rows are complete gaps are filled, every row gets a group, and the note warns."""
    X = groups(600)[0]
    found = coterie.fit(frame(with_gaps(X, 0.25)), budget="fast")
    assert not np.ma.is_masked(found.labels)
    warned = "they are those of the most similar row"
    assert any(warned in note for note in found.notes)
    assert found.k == 3


@pytest.mark.parametrize("seed", range(3))
def test_gaps_are_no_groups(seed):
    """Law: one Gaussian with 30 % of its cells missing has none: methods see complete rows."""
    X = np.random.default_rng(seed).normal(size=(600, 5))
    assert coterie.fit(frame(with_gaps(X, 0.3, seed + 10)), budget="fast").k == 1


def test_columns_with_hardly_any_values_are_left_out():
    """Law: a column in which most values are missing costs no rows; naming it uses it."""
    X = groups()[0]
    table = frame(X)
    table.loc[: int(0.8 * len(table)), "x3"] = np.nan
    prepared = prepare_rows(as_table(table))
    assert [str(one) for one in prepared.choice.left_out] == ["x3 (80% missing)"]
    assert len(prepared.rows) == len(X)
    assert 'left out: x3 (80% missing); keep=["x3"] uses it' in prepared.notes
    assert "x3" in prepare_rows(as_table(table), keep=["x3"]).choice.used
    assert "x3" in prepare_rows(as_table(table), missing="median").choice.used


def test_refuse_and_its_older_name():
    """Law: "refuse" names the places; "error" still means the same."""
    X = groups()[0]
    X[7, 1] = np.nan
    for word in ("refuse", "error"):
        with pytest.raises(InvalidData, match=r'column "x1" has 1 missing value \(row 8\)'):
            coterie.fit(frame(X), missing=word)


def test_all_values_missing():
    """Law: a column without values is left out; a row without values has no group."""
    X = groups()[0]
    X[4] = np.nan
    table = frame(X)
    table["void"] = np.nan
    found = coterie.fit(table, "kmeans", 3, believe=False)
    assert found.labels[4] is np.ma.masked
    assert "void (empty)" in [str(one) for one in found.groups.left_out]


def test_values_of_similar_rows():
    """Law: a gap gets the value of the nearest row that has one; complete rows stay as they are."""
    X, _ = groups(200)
    holes = with_gaps(X, 0.3)
    holes = holes[~np.isnan(holes).all(axis=1)]
    filled = fill_from_similar(holes)
    is_missing = np.isnan(holes)
    np.testing.assert_array_equal(filled[~is_missing], holes[~is_missing])
    scaled = (holes - np.nanmean(holes, axis=0)) / np.nanstd(holes, axis=0)
    apart = nan_euclidean_distances(scaled)
    for row, column in np.argwhere(is_missing)[:60]:
        has = np.flatnonzero(~is_missing[:, column])
        assert np.nanmin(apart[row, has]) == pytest.approx(
            np.nanmin(apart[row, has[holes[has, column] == filled[row, column]]])
        )


def rate(share, n_groups, seeds, **options):
    """Return in how many of the tables with gaps the true number of groups is found."""
    found = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        centres = 4.0 * rng.permutation(np.eye(6))[:n_groups] * (n_groups > 1)
        group = rng.integers(0, n_groups, 240)
        X = with_gaps(rng.normal(size=(240, 6)) + centres[group], share, seed)
        X = X[~np.isnan(X).all(axis=1)]
        assert (~np.isnan(X).any(axis=1)).sum() < 50
        found += coterie.fit(X, budget="fast", believe=False, **options).k == n_groups
    return found


@pytest.mark.parametrize("missing", ["auto", "median"])
def test_few_complete_rows_are_no_reason_for_groups(missing):
    """Law: one Gaussian with 30 % of its cells missing has no groups, three clear groups are three."""
    assert rate(0.3, 1, range(4), missing=missing) >= 4
    assert rate(0.3, 3, range(4), missing=missing) >= 3


def test_k_means_counts_observed_cells(tmp_path):
    """Law: --missing observed with k-means is KMeans(missing="observed"), new rows and files included."""
    X, group = groups(300)
    holes = with_gaps(X, 0.3)
    holes[:, 0] = X[:, 0]
    holes[7] = np.nan
    found = coterie.fit(frame(holes), "kmeans", 3, missing="observed", scale="none", believe=False)
    assert found.labels[7] is np.ma.masked
    rest = np.delete(np.arange(300), 7)
    own = KMeans(3, missing="observed", n_init=10, random_state=0).fit(holes[rest])
    assert adjusted_rand_score(own.labels_, found.labels[rest]) == 1
    assert adjusted_rand_score(group[rest], found.labels[rest]) > 0.9
    np.testing.assert_array_equal(found.predict(frame(holes), missing="observed")[rest], found.labels[rest])
    coterie.save(found.groups, tmp_path / "groups.safetensors")
    loaded = coterie.load(tmp_path / "groups.safetensors")
    np.testing.assert_array_equal(loaded.predict(frame(holes), missing="observed")[rest], found.labels[rest])
    other = coterie.fit(X, "kmeans", 3, believe=False)
    with pytest.raises(
        InvalidParameter, match='missing="observed" is for groups that were found by observed cells'
    ):
        other.predict(frame(holes).set_axis(other.groups.columns, axis=1), missing="observed")


def gapped(share=0.05):
    """Return rows of three clouds without some of their cells, and the clouds."""
    rng = np.random.default_rng(0)
    centres = ([0] * 8, [5, 0] * 4, [0, 5] * 4)
    X = np.concatenate([rng.normal(centre, 1, (40, 8)) for centre in centres])
    return np.where(rng.random(X.shape) < share, np.nan, X), np.repeat([0, 1, 2], 40)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("agglomerative", {"set": {"linkage": "average"}}),
        ("diana", {}),
        ("kmedoids", {"distance": "nan_euclidean"}),
        ("latent-classes", {}),
    ],
)
def test_methods_that_take_gaps_are_fitted_to_observed_cells(method, options):
    """Law: the model has a distance or a likelihood of observed cells, and places its own rows alike."""
    X, kinds = gapped()
    found = coterie.fit(X, method, 3, missing="observed", believe=False, scale="none", **options)
    assert found.model.get_params().get("metric", "nan_euclidean") == "nan_euclidean"
    assert adjusted_rand_score(kinds, found.labels) > 0.95
    assert np.array_equal(found.predict(X[:9], missing="observed"), found.labels[:9])
    assert any("cells that both rows have" in note or "observed cells only" in note for note in found.notes)


def test_observed_distances_are_those_of_the_cells_at_hand():
    """Law: average linkage of a table with gaps is that of scikit-learn's nan_euclidean distances."""
    X, _ = gapped()
    options = {"set": {"linkage": "average"}, "scale": "none", "believe": False}
    found = coterie.fit(X, "agglomerative", 3, missing="observed", **options)
    distances = nan_euclidean_distances(X)
    expected = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(distances)
    assert adjusted_rand_score(expected.labels_, found.labels) == 1.0


def test_rows_without_a_common_column_are_filled_and_counted():
    """Law: of two rows that share no column the one with fewer cells is filled, the others are not."""
    X, _ = gapped()
    X[0], X[1] = np.nan, np.nan
    X[0, :6], X[1, 6:] = 0.0, 5.0
    assert np.flatnonzero(rows_without_distance(~np.isnan(X))).tolist() == [1]
    found = coterie.fit(X, "diana", 3, missing="observed", believe=False)
    assert any("1 row has no column in common with another: it is filled" in note for note in found.notes)


@pytest.mark.parametrize(
    "other", [np.array([1.0, 2.0]), ["drop"], {"drop": 1}, 7, pd.Series(["drop", "auto"])]
)
def test_what_is_no_name_is_refused_as_a_wrong_name(other):
    """Law: where the name of a choice is asked for, anything else is refused in our words."""
    X = with_gaps(groups()[0], 0.02)
    for act, words in [
        (lambda: coterie.fit(X, k=2, missing=other), "missing must be one of auto, "),
        (lambda: prepare_rows(as_table(X), missing=other), "missing must be one of auto, "),
        (lambda: coterie.inspect(pd.DataFrame(X), dates=other), "dates must be one of as-number, "),
        (lambda: read_label_pair(as_table(X), "a", missing=other), 'missing must be one of "error", "drop"'),
    ]:
        with pytest.raises(InvalidParameter, match=words):
            act()
