"""`coterie.fit` of data in blocks: every source, the local answer, and which numbers are exact."""

import json
import re

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest
import zarr

import coterie
from coterie import evaluate
from coterie.data import fit_scaling
from coterie.data.paths import is_in_blocks
from coterie.errors import InvalidParameter
from coterie.pipeline import Clustering
from coterie.scale import LazyClustering
from coterie.scale import fit as fit_blocks

NAMES = ["x", "y", "z"]
pytestmark = pytest.mark.usefixtures("small_samples")


@pytest.fixture(scope="module")
def found(clouds):
    """Find groups without being told anything."""
    X, _ = clouds
    return coterie.fit(dask.array.from_array(X, chunks=(2001, 3)), budget="fast")


def frame_of(X):
    frame = pd.DataFrame(X, columns=NAMES)
    return frame.assign(customer_id=np.arange(len(X)) * 7, note="text", one=1.0)


def write_parquet(X, folder):
    for number, part in enumerate(np.array_split(X, 3)):
        frame_of(part).to_parquet(folder / f"{number}.parquet")
    return f"{folder}/*.parquet"


def write_csv(X, folder):
    for number, part in enumerate(np.array_split(X, 3)):
        frame_of(part).to_csv(folder / f"{number}.csv", index=False)
    return folder


def write_npy(X, folder):
    np.save(folder / "rows.npy", X)
    return folder / "rows.npy"


def write_zarr(X, folder):
    array = zarr.create_array(folder / "rows.zarr", shape=X.shape, chunks=(400, 2), dtype=X.dtype)
    array[:] = X
    return array


SOURCES = {
    "dask array": lambda X, folder: dask.array.from_array(X, chunks=(301, 2)),
    "dask frame": lambda X, folder: dask.dataframe.from_pandas(frame_of(X), npartitions=4, sort=False),
    "parquet pattern": write_parquet,
    "list of files": lambda X, folder: sorted(map(str, (write_parquet(X, folder), folder.glob("*"))[1])),
    "csv folder": write_csv,
    "npy path": write_npy,
    "memory map": lambda X, folder: np.load(write_npy(X, folder), mmap_mode="r"),
    "zarr array": write_zarr,
    "zarr folder": lambda X, folder: (write_zarr(X, folder), folder / "rows.zarr")[1],
    "arrow dataset": lambda X, folder: (write_parquet(X, folder), pyarrow.dataset.dataset(folder))[1],
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same(kind, few, tmp_path, monkeypatch):
    """Law: groups do not depend on where rows come from; columns without meaning are left out."""
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1000)
    source = SOURCES[kind](few, tmp_path)
    assert is_in_blocks(source)
    groups = fit_blocks(source, "kmeans", 4, believe=False)
    assert isinstance(groups, LazyClustering)
    expected = coterie.pipeline.fit_groups(
        coterie.data.as_table(few), coterie.pipeline.Recipe("kmeans", 4, "none", n_init=10)
    )
    np.testing.assert_array_equal(groups.labels.compute(), expected.labels)
    if groups.groups.left_out:
        reasons = {column.name: column.reason for column in groups.groups.left_out}
        assert reasons["customer_id"] == "a key"
        assert reasons["one"] == "constant"
        assert reasons["note"] == "text"


def test_few_rows_give_the_local_answer(few):
    """Law: where all rows can be compared, method, number, labels and evidence are the local ones."""
    local = coterie.fit(few, budget="fast")
    blocks = coterie.fit(dask.array.from_array(few, chunks=(301, 2)), budget="fast")
    assert (blocks.k, blocks.method) == (local.k, local.method) == (4, "kmeans")
    np.testing.assert_array_equal(blocks.labels.compute(), local.labels)
    assert blocks.stability.overall == local.stability.overall
    assert blocks.significance.p_value == local.significance.p_value
    np.testing.assert_allclose(blocks.profile.means, local.profile.means)
    assert blocks.headline == local.headline


def test_many_rows_are_all_counted(found, clouds):
    """Law: groups, sizes, means and sums of squares are those of all rows, not of the sample."""
    X, truth = clouds
    labels = found.labels.compute()
    assert isinstance(found, Clustering)
    assert evaluate.adjusted_rand_score(truth, labels) > 0.99
    np.testing.assert_array_equal(found.profile.sizes, np.bincount(labels))
    np.testing.assert_allclose(
        found.profile.means, [X[labels == group].mean(axis=0) for group in range(found.k)], rtol=1e-9
    )
    facts = {fact.name: fact for fact in found.facts}
    for name, measure in {
        "sum of squares within groups": evaluate.sse,
        "Calinski-Harabasz": evaluate.calinski_harabasz_score,
        "Davies-Bouldin": evaluate.davies_bouldin_score,
        "simplified silhouette": evaluate.simplified_silhouette_score,
    }.items():
        assert facts[name].is_exact
        assert facts[name].value == pytest.approx(measure(X, labels), rel=1e-9)


def test_estimates_say_so_with_their_error(found, clouds):
    """Law: what comes from a sample is called estimated, of how many rows, and with an error."""
    facts = {fact.name: fact for fact in found.facts}
    silhouette = facts["silhouette"]
    assert not silhouette.is_exact
    exact = evaluate.silhouette_score(clouds[0], found.labels.compute())
    assert abs(silhouette.value - exact) < 4 * silhouette.error
    assert facts["number of groups"].how == "chosen on 2,500 of 9,000 rows"
    assert "10 resamples of 2,500 of 9,000 rows" in facts["stability"].how
    assert facts["p-value"].error > 0
    text = found.summary()
    assert "exact: sizes and means of the groups; sum of squares within groups" in text
    assert "(estimated: chosen on 2,500 of 9,000 rows)" in text
    assert "a group of fewer than about 28 rows may be missed" in text
    assert found.to_dict()["facts"][0]["is_exact"]


def test_answer_depends_on_the_rows_alone(found, clouds):
    """Law: cut otherwise, the same rows give the same numbers to the bit."""
    X, _ = clouds
    other = coterie.fit(dask.array.from_array(X, chunks=(1499, 1)), budget="fast")
    np.testing.assert_array_equal(other.labels.compute(), found.labels.compute())
    assert other.facts == found.facts


def test_a_number_that_was_asked_for_is_no_estimate(clouds):
    """Law: a number of groups that the user gave is not among the quantities that a sample estimates."""
    told = fit_blocks(clouds[0], None, 3, budget="fast")
    assert "number of groups" not in {fact.name for fact in told.facts}
    assert "p-value" in {fact.name for fact in told.facts}


def test_new_rows_are_placed(found, clouds):
    """Law: rows in memory get their groups at once, rows in blocks lazily, both the same."""
    X, _ = clouds
    expected = found.labels.compute()[:500]
    np.testing.assert_array_equal(found.predict(X[:500]), expected)
    lazily = found.predict(dask.array.from_array(X[:500], chunks=(99, 3)))
    np.testing.assert_array_equal(lazily.compute(), expected)


def test_saved_answer_places_rows(found, clouds, tmp_path):
    """Law: a saved answer keeps numbers and model, no rows and no labels."""
    X, _ = clouds
    found.save(tmp_path / "groups.safetensors")
    coterie.save(found, tmp_path / "again.safetensors")
    loaded = coterie.load(tmp_path / "groups.safetensors")
    assert loaded.facts == found.facts
    assert loaded.headline == found.headline
    assert loaded.labels.size == 0
    np.testing.assert_array_equal(loaded.predict(X[:500]), found.labels[:500].compute())


def test_report_counts_all_rows(found, tmp_path):
    """Law: the page shows sizes of all rows, holds some, says which, and stays small."""
    path = found.report(tmp_path / "groups.html")
    page = path.read_text()
    assert path.stat().st_size < 8_000_000
    sizes = json.dumps(found.profile.sizes.tolist())[1:-1]
    assert sizes in page or sizes.replace(" ", "") in page
    assert re.search(r"[34],\d{3} of 9,000 rows; sizes and means are of all rows", page)
    assert "counts 5,000 rows" in page


def test_labels_are_written_block_by_block(found, tmp_path):
    """Law: files have the row, counted from 1, the label from 0, and the name of the group."""
    found.write_labels(tmp_path / "labels")
    written = pd.read_parquet(tmp_path / "labels")
    np.testing.assert_array_equal(written["row"], np.arange(1, 9001))
    np.testing.assert_array_equal(written["label"], found.labels.compute())
    assert set(written["group"]) == {"group 1", "group 2", "group 3", "group 4"}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_are_written_beside_the_keys(clouds, kind, tmp_path):
    """Law: labels of files have the keys of the input as they are, or all of its columns, as in memory."""
    X, _ = clouds
    frame = pd.DataFrame(X, columns=NAMES)
    frame.insert(0, "id", np.arange(len(X))[::-1] + 2**53)  # keys that float64 cannot tell apart
    frame["town"] = [f'{at % 7} "of"\n{at % 5}' for at in range(len(X))]
    (tmp_path / "data").mkdir()
    for number, part in enumerate(np.array_split(np.arange(len(X)), 3)):
        path = tmp_path / "data" / f"{number}.{kind}"
        frame.iloc[part].to_csv(path, index=False) if kind == "csv" else frame.iloc[part].to_parquet(path)
    found = fit_blocks(str(tmp_path / "data"), "kmeans", 4, believe=False)
    found.write_labels(tmp_path / "labels")
    written = pd.read_parquet(tmp_path / "labels")
    assert list(written) == ["id", "label", "group"]
    np.testing.assert_array_equal(written["id"], frame["id"])
    np.testing.assert_array_equal(written["label"], found.labels.compute())
    found.write_labels(tmp_path / "all", with_data=True)
    beside = pd.read_parquet(tmp_path / "all")
    assert list(beside) == [*frame, "label", "group"]
    assert beside["town"].tolist() == frame["town"].tolist()
    np.testing.assert_array_equal(beside[NAMES], frame[NAMES])


def test_columns_of_arrays_cannot_be_written(found, tmp_path):
    """Law: what has no columns by name says so instead of leaving them out."""
    with pytest.raises(InvalidParameter, match="with_data, carry, with_file and keep_layout are for files"):
        found.write_labels(tmp_path / "labels", with_data=True)


def test_truth_is_compared_exactly(clouds, tmp_path):
    """Law: classes of all rows are compared, from a column or from an array, and not used."""
    X, truth = clouds
    frame = pd.DataFrame(X, columns=NAMES).assign(cloud=truth)
    lazily = dask.dataframe.from_pandas(frame, npartitions=3)
    by_name = fit_blocks(lazily, "kmeans", 4, truth="cloud", believe=False)
    by_array = fit_blocks(lazily[NAMES], "kmeans", 4, truth=truth, believe=False)
    expected = evaluate.compare(truth, by_name.labels.compute())
    assert by_name.comparison.to_dict() == pytest.approx(expected.to_dict())
    assert by_array.comparison.to_dict() == by_name.comparison.to_dict()
    assert "cloud" not in by_name.groups.columns


def test_robust_scaling_comes_from_a_sample(clouds, monkeypatch):
    """Law: medians and quartiles are near those of all rows, exactly them when all are drawn."""
    X, _ = clouds
    lazily = dask.array.from_array(X, chunks=(2001, 3))
    whole = fit_scaling(X, "robust")
    exact = fit_blocks(lazily, "kmeans", 4, scale="robust", believe=False)
    np.testing.assert_allclose(exact.groups.scaling.factor, whole.factor)
    monkeypatch.setattr("coterie.scale.prepared.QUANTILE_ROWS", 3000)
    near = fit_blocks(lazily, "kmeans", 4, scale="robust", believe=False)
    np.testing.assert_allclose(near.groups.scaling.factor, whole.factor, rtol=0.1)
    assert any("quartiles are those of 3,000 of 9,000 rows: standard error 0.79 %" in n for n in near.notes)


def test_noise_alone_is_an_answer(few):
    """Law: a radius that no two rows share leaves noise, and says so."""
    groups = fit_blocks(few, "dbscan", set={"eps": 1e-9}, believe=False)
    assert (groups.k, groups.groups.n_noise) == (0, 900)
    assert (groups.predict(few[:5]) == -1).all()
    assert "every row is noise" in groups.summary()


def test_no_groups_is_an_answer():
    """Law: rows without groups have one, for data in blocks too."""
    X = np.random.default_rng(0).normal(size=(3000, 2))
    groups = coterie.fit(dask.array.from_array(X, chunks=(700, 2)), budget="fast")
    assert groups.k == 1
    assert "no groups" in groups.headline
    assert (groups.labels == 0).all().compute()


def test_too_many_groups_to_judge(clouds):
    """Law: more groups than the sample can judge are found, without evidence, and that is said."""
    groups = coterie.fit(dask.array.from_array(clouds[0], chunks=(3500, 3)), "kmeans", 400, budget="fast")
    assert groups.k == 400
    assert groups.stability is None
    assert any("too many to be judged on 2,500 rows" in note for note in groups.notes)
