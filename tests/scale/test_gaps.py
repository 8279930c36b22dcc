"""Missing values and text in blocks: exact medians, marks, rows that are left out, files that are damaged."""

import gzip
import zipfile

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import coterie
from coterie.data.marks import find_sentinels
from coterie.data.missing import Donors, fill_from_similar
from coterie.errors import InvalidData, InvalidFile, InvalidParameter
from coterie.scale import fit as fit_blocks
from coterie.scale import medians as medians_module
from coterie.scale import read_blocks
from coterie.scale.columns import open_columns
from coterie.scale.gaps import survey
from coterie.scale.medians import medians

HOW = {"method": "kmeans", "k": 3, "believe": False}
NUMBERS = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, -0.0, 1.0, 2.0, np.nan]))


def clouds(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return 9.0 * np.eye(3)[rng.integers(3, size=n)] + rng.normal(size=(n, 3))


def with_gaps(X, share=0.1, seed=1):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(X.shape) < share, np.nan, X)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(2, 60), st.integers(1, 3)), elements=NUMBERS))
def test_medians_are_exact(X):
    """Law: medians of blocks, from ranges of any sample, are NumPy's."""
    X = X[:, ~np.isnan(X).all(axis=0)]
    if not X.shape[1]:
        return
    blocks = read_blocks(X)
    for sample in (X[: len(X) // 2], X[:1]):
        found = medians(blocks, sample, (~np.isnan(X)).sum(axis=0))
        np.testing.assert_array_equal(found, np.nanmedian(X, axis=0))


def test_medians_of_many_equal_values(monkeypatch):
    """Law: a value that most rows have is found though its bin holds too many to collect."""
    monkeypatch.setattr(medians_module, "MOST_COLLECTED", 100)
    rng = np.random.default_rng(0)
    X = np.where(rng.random((20_000, 2)) < 0.6, 4.25, rng.normal(size=(20_000, 2)))
    X[:, 1] = rng.normal(size=20_000)
    found = medians(read_blocks(X, block_rows=8192), X[:50], np.full(2, 20_000))
    np.testing.assert_array_equal(found, np.median(X, axis=0))


@pytest.mark.parametrize(
    "values",
    [
        [34, 51, -999, 28, 9999],
        [9000, 9999],
        [1.0, 2.0, np.nan, 999999],
        [-999, -999],
        [999, 5, 998.5],
        [1, 2, 3, -9999, -999, np.nan],
        [1, 5, 3, 99, 98, np.nan],
        [0, 40, 99, 88],
        [1, 5, -9, -99],
    ],
)
def test_sentinels_as_in_memory(values):
    """Law: numbers that stand for missing values are found from sums over blocks as from the whole column."""
    column = np.tile(np.asarray(values, dtype=float), 3)[:, None]
    found = survey(read_blocks(column)).sentinels(0)
    assert found == find_sentinels(pl.Series(column[:, 0], nan_to_null=True))


def test_survey_of_parts_is_that_of_all_rows(tmp_path):
    """Law: counts, means and deviations do not depend on how rows with gaps are cut."""
    X = with_gaps(clouds(20_000) + 1000.0, 0.3)
    whole, cut = survey(read_blocks(X)), survey(read_blocks(X, block_rows=8192))
    for one in (whole, cut):
        np.testing.assert_array_equal(one.n_missing, np.isnan(X).sum(axis=0))
        np.testing.assert_allclose(one.mean, np.nanmean(X, axis=0), rtol=1e-12)
        np.testing.assert_allclose(one.spread, np.nanstd(X, axis=0), rtol=1e-9)
        assert (one.n_complete, one.n_empty) == (
            int((~np.isnan(X).any(axis=1)).sum()),
            int(np.isnan(X).all(axis=1).sum()),
        )


def sources(X, tmp_path):
    """Yield the same rows in all kinds of sources."""
    frame = pd.DataFrame(X, columns=["x", "y", "z"])
    yield X
    yield dask.array.from_array(X, chunks=(70, 3))
    yield dask.dataframe.from_pandas(frame, npartitions=3, sort=False)
    np.save(tmp_path / "rows.npy", X)
    yield str(tmp_path / "rows.npy")
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    yield str(tmp_path / "rows.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    yield str(tmp_path / "rows.csv")


def test_rows_with_gaps_are_left_out_of_every_source(tmp_path):
    """Law: whatever holds the rows, those with gaps are masked and the others have the groups of a table."""
    X = with_gaps(clouds())
    expected = coterie.fit(X, missing="drop", **HOW)
    for source in sources(X, tmp_path):
        found = fit_blocks(source, missing="drop", **HOW)
        labels = found.labels.compute()
        np.testing.assert_array_equal(np.ma.getmaskarray(labels), np.isnan(X).any(axis=1))
        np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
        assert found.groups.n_grouped == expected.groups.n_grouped
        assert found.groups.n_noise == 0


def test_models_place_rows_with_gaps_as_they_were_fitted(tmp_path):
    """Law: without a word about gaps, new rows are treated as those of the fit, lazily and in memory."""
    X = with_gaps(clouds())
    pd.DataFrame(X, columns=["x", "y", "z"]).to_parquet(tmp_path / "rows.parquet")
    for policy in ("observed", "median"):
        found = fit_blocks(str(tmp_path / "rows.parquet"), missing=policy, **HOW)
        assert found.groups.missing_policy == policy
        lazy = found.predict(str(tmp_path / "rows.parquet")).compute()
        np.testing.assert_array_equal(np.ma.filled(lazy, -9), np.ma.filled(found.labels.compute(), -9))
        table = pd.DataFrame(X, columns=["x", "y", "z"])
        np.testing.assert_array_equal(np.ma.filled(found.predict(table), -9), np.ma.filled(lazy, -9))
    found = fit_blocks(str(tmp_path / "rows.parquet"), missing="drop", **HOW)
    with pytest.raises(InvalidData, match=r'row \d+ of it has no value in column "x"'):
        found.predict(str(tmp_path / "rows.parquet")).compute()


def test_values_from_similar_rows():
    """Law: donors fill rows that come later as they fill their own."""
    X = with_gaps(clouds(200), 0.2)
    X = X[~np.isnan(X).all(axis=1)]
    donors = Donors.of(X)
    np.testing.assert_array_equal(donors.fill(X[:50]), fill_from_similar(X)[:50])


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda X: np.full_like(X, np.nan), {}, "every row has a missing value|at least 4 rows|no values"),
        (lambda X: X[:1], {}, "k of coterie.fit must be at most 1"),
        (
            lambda X: np.where(np.arange(3) == 1, np.nan, X),
            {"missing": "drop"},
            "every row has a missing value",
        ),
        (lambda X: np.where(np.arange(3) == 1, np.nan, X), {"missing": "median"}, '"column_2" has no values'),
        (lambda X: np.where(X.max() == X, np.inf, X), {}, r"Input X contains infinity: row \d+ of it"),
        (lambda X: np.where(X.max() == X, np.nan, X), {"missing": "refuse"}, "Input X contains NaN: row"),
    ],
)
def test_what_is_refused(change, options, message):
    """Law: data without values, infinite ones, and gaps that are not wanted are refused in one sentence."""
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        fit_blocks(change(clouds()), **HOW, **options)


def test_damaged_and_foreign_text(tmp_path):
    """Law: packed files that are cut off, hold several files or no text, and wrong encodings are named."""
    text = b"x,y\n" + b"".join(b"%d,%d\n" % (at, at * at) for at in range(3000))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(text)[:-40])
    (tmp_path / "arrow.csv.gz").write_bytes(gzip.compress(b"PAR1" + text))
    with zipfile.ZipFile(tmp_path / "two.csv.zip", "w") as archive:
        archive.writestr("a.csv", text)
        archive.writestr("b.csv", text)
    (tmp_path / "latin.csv").write_bytes(b"x,town\n" + b"1,K\xf6ln\n" * 2000)
    for name, message in (
        ("cut.csv.gz", "cut off or damaged"),
        ("arrow.csv.gz", "holds no text"),
        ("two.csv.zip", "a zip archive of 2 files; one table is needed"),
        ("latin.csv", "cp1252"),
    ):
        with pytest.raises(InvalidFile, match=f"{name}.*{message}"):
            open_columns(str(tmp_path / name), categories=True)
    with pytest.raises(InvalidFile, match='no such encoding "klingon"'):
        open_columns(str(tmp_path / "latin.csv"), encoding="klingon")
    found = open_columns(str(tmp_path / "latin.csv"), encoding="latin-1", keep=["x"])
    assert [one.name for one in found.left_out] == ["town"]
