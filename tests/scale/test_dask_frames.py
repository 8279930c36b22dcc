"""Dask DataFrames with categories, yes and no, gaps and text: the tables that they are in memory."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.errors import InvalidData
from coterie.scale import read_blocks

SMALL = {"budget": "fast", "believe": False}
REQUESTS = {
    "of itself": {},
    "k-prototypes": {"method": "kprototypes", "k": 3},
    "k-modes": {"method": "kmodes", "k": 3},
    "latent classes": {"method": "latent-classes", "k": 3, "truth": "town"},
    "k-means, dates": {"method": "kmeans", "k": 3, "dates": "month", "missing": "median"},
}


@pytest.fixture(scope="module")
def frame():
    """Return rows of every type that pandas has for a table, in three groups, with gaps."""
    rng, n = np.random.default_rng(0), 420
    group = rng.integers(0, 3, n)
    noisy = np.where(rng.random(n) < 0.9, group, rng.integers(0, 3, n))
    found = pd.DataFrame(
        {
            "customer_id": pd.array(rng.permutation(9000)[:n], dtype="Int64"),
            "plan": np.array(["free", "pro", "team"])[noisy],
            "size": pd.Categorical(np.array(["s", "m", "l"])[noisy], ["s", "m", "l"], ordered=True),
            "colour": pd.Categorical(np.array(["red", "green", "blue"])[noisy]),
            "member": noisy == 1,
            "active": pd.array(np.where(rng.random(n) < 0.1, None, noisy == 2), dtype="boolean"),
            "orders": pd.array(rng.integers(0, 50, n) + 40 * group, dtype="Int32"),
            "spend": (rng.normal(size=n) + 6 * group).astype(np.float32),
            "price": [f"{value:.2f} €" for value in rng.normal(100, 5, n) + 40 * group],
            "joined": pd.date_range("2020-01-01", periods=n),
            "town": [f"town {number % 200}" for number in range(n)],
        }
    )
    found.loc[rng.random(n) < 0.05, ["plan", "colour"]] = None
    found.loc[rng.random(n) < 0.05, "orders"] = pd.NA
    return found


def lazy(frame, n=4):
    return dd.from_pandas(frame, npartitions=n, sort=False)


def same(found, expected):
    labels = found.labels.compute()
    np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
    for name in ("columns", "left_out", "levels", "readings", "n_grouped"):
        assert getattr(found.groups, name) == getattr(expected.groups, name), name
    assert found.notes == expected.notes
    assert found.method == expected.method


@pytest.mark.parametrize("name", REQUESTS)
def test_a_dask_frame_is_the_table_that_pandas_is(frame, name):
    """Law: columns, kinds, categories, notes and groups are those of the frame in memory."""
    wanted = SMALL | REQUESTS[name]
    same(coterie.fit(lazy(frame), **wanted), coterie.fit(frame, **wanted))


def test_and_the_table_that_files_of_it_are(frame, tmp_path):
    """Law: a folder of Parquet files, read in blocks, gives the groups of the Dask frame of it."""
    wanted = SMALL | {"method": "kprototypes", "k": 3}
    frame = frame.drop(columns=["size"])  # files do not tell the order of categories
    for part in range(3):
        frame.iloc[part * 140 : (part + 1) * 140].to_parquet(tmp_path / f"{part}.parquet")
    of_files, of_dask = (
        coterie.scale.fit(source, **wanted) for source in (str(tmp_path), dd.read_parquet(tmp_path))
    )
    assert of_dask.groups.left_out == of_files.groups.left_out
    np.testing.assert_array_equal(of_dask.labels.compute(), of_files.labels.compute())


def test_workers_make_the_same_table(frame, client):
    """Law: a cluster gives the groups that threads give."""
    wanted = SMALL | {"method": "kprototypes", "k": 3}
    same(coterie.fit(lazy(frame), **wanted), coterie.fit(frame, **wanted))


def test_a_frame_in_memory_forced_into_blocks(frame):
    """Law: coterie.scale.fit takes frames of pandas and polars with categories."""
    import polars

    wanted = SMALL | {"method": "kprototypes", "k": 3}
    expected = coterie.fit(frame, **wanted)
    same(coterie.scale.fit(frame, **wanted), expected)
    plain = frame.drop(columns=["size"])
    same(coterie.scale.fit(polars.from_pandas(plain), **wanted), coterie.fit(plain, **wanted))


@pytest.mark.parametrize("column", ["plan", "orders"])
def test_first_partitions_tell_nothing(frame, column):
    """Law: a first partition without rows, or without values in a column, decides nothing."""
    wanted = SMALL | {"method": "kprototypes", "k": 3}
    changed = frame.copy()
    changed.loc[:99, column] = None
    parts = [changed.iloc[:0], changed.iloc[:100], changed.iloc[100:250], changed.iloc[250:]]
    source = dd.concat([dd.from_pandas(part, npartitions=1, sort=False) for part in parts])
    same(coterie.fit(source, **wanted), coterie.fit(changed, **wanted))


def test_ordered_categories_that_partitions_do_not_know(frame):
    """Law: the order of categories is that of all partitions, also where Dask does not know it yet."""
    source = lazy(frame)
    source["size"] = source["size"].cat.as_unknown()
    wanted = SMALL | {"method": "kmeans", "k": 3, "columns": ["size", "spend"]}
    same(coterie.fit(source, **wanted), coterie.fit(frame, **wanted))


def test_new_rows_of_a_dask_frame_are_read_as_those_of_the_fit(frame):
    """Law: predict of a Dask frame gives the groups that predict of the pandas frame gives."""
    found = coterie.fit(lazy(frame), **SMALL, method="kprototypes", k=3)
    again = found.predict(lazy(frame, 2)).compute()
    np.testing.assert_array_equal(np.asarray(again), found.labels.compute())
    np.testing.assert_array_equal(np.asarray(found.predict(frame)), found.labels.compute())


def test_labels_are_written_beside_the_keys(frame, tmp_path):
    """Law: labels of a Dask frame carry its keys, and columns by name."""
    found = coterie.fit(lazy(frame), **SMALL, method="kmeans", k=3)
    written = pd.read_parquet(found.write_labels(tmp_path / "labels", carry="plan"))
    assert written.customer_id.tolist() == frame.customer_id.tolist()
    np.testing.assert_array_equal(written.plan.isna(), frame.plan.isna())
    assert written.label.notna().sum() == found.groups.n_grouped


def test_rows_with_gaps_are_left_out_where_they_stand(frame):
    """Law: dropping rows of partitions that are converted gives the groups of the frame in memory."""
    wanted = SMALL | {"method": "mixture", "k": 3, "missing": "drop", "drop": ["plan", "colour"]}
    same(coterie.fit(lazy(frame), **wanted), coterie.fit(frame, **wanted))


def test_blocks_need_numbers(frame):
    """Law: read_blocks names a column of a Dask frame that holds none."""
    with pytest.raises(InvalidData, match=r'partition 0 of the Dask DataFrame: column "plan" is .*string'):
        read_blocks(lazy(frame))
    numbers = read_blocks(lazy(frame), columns=["spend", "member"])
    assert numbers.n_rows == len(frame)
    assert numbers.columns == ("spend", "member")


def test_whole_numbers_and_yes_no_that_may_be_missing_stay_so():
    """Law: pandas' nullable whole numbers are keys, and its nullable booleans yes and no, as in files."""
    n = 60
    plain = pd.DataFrame(
        {"id": np.arange(700, 700 + n), "x": np.arange(n) % 7 * 1.5, "b": np.arange(n) % 2 > 0}
    )
    nullable = plain.astype({"id": "Int64", "x": "Float64", "b": "boolean"})
    for frame in (plain, nullable):
        table = coterie.data.as_table(frame)
        choice = table.choose()
        assert [(one.name, one.reason) for one in choice.left_out] == [("id", "a key")]
        assert str(table.content["b"].dtype) == "Boolean"
    np.testing.assert_array_equal(
        *(coterie.data.as_table(one).matrix(["x", "b"]) for one in (plain, nullable))
    )


@pytest.mark.parametrize("n_used", [1, 2, 5])
def test_partitions_stay_where_few_columns_are_read(tmp_path, n_used):
    """Law: rows of Parquet files read by Dask are those of the files, however few columns are used."""
    rng = np.random.default_rng(0)
    names = [f"column_{at}" for at in range(8)]
    for number in range(5):
        rows = rng.normal(size=(60, 8)) + 9 * rng.integers(0, 2, (60, 1))
        pd.DataFrame(rows, columns=names).to_parquet(tmp_path / f"{number}.parquet")
    frame = dd.read_parquet(tmp_path / "*.parquet")
    drop = names[n_used:]
    ours = coterie.fit(frame, "kmeans", 2, drop=drop, believe=False)
    files = coterie.scale.fit(str(tmp_path / "*.parquet"), "kmeans", 2, drop=drop, believe=False)
    assert len(ours.labels) == 300
    np.testing.assert_array_equal(np.asarray(ours.labels), np.asarray(files.labels))
