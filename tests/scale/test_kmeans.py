"""K-means over blocks is k-means."""

import dask.array
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import KMeans as LocalKMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale import KMeans, read_blocks
from coterie.scale.runtime import cache as _cache


def assert_same(scaled, local):
    """Compare to the bit."""
    np.testing.assert_array_equal(scaled.cluster_centers_, local.cluster_centers_)
    np.testing.assert_array_equal(scaled.labels_.compute(), local.labels_)
    assert (scaled.inertia_, scaled.n_iter_) == (local.inertia_, local.n_iter_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_as_local(rows, dtype, n_columns, is_weighted):
    """Law: from the same start, centres, labels, inertia and passes are those of the local class."""
    X = np.ascontiguousarray(rows[:, :n_columns], dtype=dtype)
    weights = np.random.default_rng(1).random(len(X)) if is_weighted else None
    init = X[::2000].copy()
    local = LocalKMeans(len(init), init=init, n_init=1).fit(X, sample_weight=weights)
    scaled = KMeans(len(init), init=init).fit(read_blocks(X, block_rows=8192), sample_weight=weights)
    assert_same(scaled, local)


@pytest.mark.parametrize("n_chunks", [1, 3, 7])
def test_any_partitioning_gives_the_same(rows, start, n_chunks):
    """Law: centres do not depend on how the rows are cut."""
    chunks = dask.array.from_array(rows, chunks=(-(-len(rows) // n_chunks), 3))
    local = LocalKMeans(7, init=start, n_init=1).fit(rows)
    assert_same(KMeans(7, init=start).fit(read_blocks(chunks, block_rows=8192)), local)


def test_one_row_per_chunk():
    """Law: chunks of one row are no special case."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    local = LocalKMeans(4, random_state=0).fit(X)
    assert_same(KMeans(4, random_state=0).fit(dask.array.from_array(X, chunks=1)), local)


def test_without_room_for_bounds(rows, start, monkeypatch):
    """Law: what workers keep between passes changes nothing but the time."""
    local = LocalKMeans(7, init=start, n_init=1).fit(rows)
    monkeypatch.setattr(_cache.SHELF, "room", 300_000)  # for one block
    some = KMeans(7, init=start).fit(read_blocks(rows, block_rows=8192))
    monkeypatch.setattr(_cache.SHELF, "room", 0)
    none = KMeans(7, init=start).fit(read_blocks(rows, block_rows=8192))
    assert none.algorithm_used_ == "lloyd"
    assert_same(some, local)
    assert_same(none, local)


def test_nothing_is_kept_after_a_fit(rows, start):
    """Law: a fit leaves no rows behind."""
    KMeans(7, init=start).fit(rows)
    assert _cache.SHELF._runs == {}


@pytest.mark.parametrize("is_weighted", [False, True])
def test_empty_clusters_are_filled_as_local_ones(rows, is_weighted):
    """Law: centres that no row is near to restart at the very rows that the local class picks."""
    init = np.vstack([rows[:3], np.full((4, 3), 1e3) + np.arange(4)[:, None]])
    weights = np.arange(len(rows)) % 3.0 if is_weighted else None
    local = LocalKMeans(7, init=init, n_init=1).fit(rows, sample_weight=weights)
    scaled = KMeans(7, init=init).fit(read_blocks(rows, block_rows=8192), sample_weight=weights)
    assert_same(scaled, local)


def test_fewer_rows_than_clusters_warn():
    """Law: fewer different rows than clusters give fewer centres, and a warning, as the local class does."""
    X = np.repeat(np.eye(3), 5000, axis=0)
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(3\) found smaller than n_clusters \(5\)"
    ):
        scaled = KMeans(5, random_state=0).fit(read_blocks(X, block_rows=8192))
    assert scaled.cluster_centers_.shape == (3, 3)
    assert set(scaled.labels_.compute()) == {0, 1, 2}


def test_few_rows_start_as_local_ones(rows):
    """Law: when a sample would be all rows, the seed leads where it leads locally."""
    local = LocalKMeans(5, random_state=3).fit(rows)
    scaled = KMeans(5, random_state=3).fit(rows)
    assert scaled.start_ == "all rows"
    assert_same(scaled, local)


def test_many_rows_start_from_a_sample():
    """Law: the sample depends on the rows alone, and ends about as well as the local class."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(60_000, 2)) + 20 * rng.normal(size=(9, 2))[rng.integers(9, size=60_000)]).astype(
        "f4"
    )
    models = [
        KMeans(9, n_init=3, random_state=0).fit(source)
        for source in (X, dask.array.from_array(X, chunks=(17_001, 1)), read_blocks(X, block_rows=8192))
    ]
    assert models[0].start_.startswith("a sample of 32,")
    for model in models[1:]:
        np.testing.assert_array_equal(model.cluster_centers_, models[0].cluster_centers_)
    assert models[0].inertia_ <= 1.01 * LocalKMeans(9, n_init=10, random_state=0).fit(X).inertia_


def test_new_rows(rows, start):
    """Law: predict, transform and score over blocks are those of the local model, which comes along."""
    model = KMeans(7, init=start).fit(rows)
    new = read_blocks(rows[::2] + 0.1, block_rows=8192)
    local = model.local_
    np.testing.assert_array_equal(model.predict(new).compute(), local.predict(rows[::2] + 0.1))
    np.testing.assert_allclose(model.transform(new).compute(), local.transform(rows[::2] + 0.1))
    assert model.score(new) == pytest.approx(local.score(rows[::2] + 0.1), rel=1e-12)
    weights = np.arange(len(rows[::2]), dtype=float)
    expected = local.score(rows[::2] + 0.1, sample_weight=weights)
    assert model.score(new, sample_weight=dask.array.from_array(weights, chunks=999)) == pytest.approx(
        expected
    )
    with pytest.raises(InvalidData, match="X has 2 features, but KMeans is expecting 3 features"):
        model.predict(rows[:, :2])


def test_columns_of_the_fit_are_used_again(rows, start, tmp_path):
    """Law: new files may have their columns in another order, and more of them."""
    frame = pd.DataFrame(rows, columns=["x", "y", "z"])
    model = KMeans(7, init=start).fit(frame)
    assert list(model.feature_names_in_) == ["x", "y", "z"]
    frame[["z", "x", "y"]].assign(w=0.0).to_parquet(tmp_path / "a.parquet")
    np.testing.assert_array_equal(model.predict(tmp_path).compute(), model.labels_.compute())


class Stop(Exception):
    pass


def stop_after(n_passes):
    def listen(progress):
        if progress.done >= n_passes:
            raise Stop

    return listen


@pytest.mark.parametrize("n_passes", [1, 4])
def test_interrupted_fit_goes_on(rows, start, tmp_path, n_passes):
    """Law: a fit that goes on from its checkpoint ends where it would have ended."""
    whole = LocalKMeans(7, init=start, n_init=1).fit(rows)
    blocks = read_blocks(rows, block_rows=8192)
    with pytest.raises(Stop):
        KMeans(7, init=start, checkpoint=tmp_path / "c", progress=stop_after(n_passes)).fit(blocks)
    seen = []
    again = KMeans(7, init=start, checkpoint=tmp_path / "c", progress=seen.append).fit(blocks)
    assert seen[0].done == n_passes + 1
    assert_same(again, whole)


def test_checkpoint_of_another_fit_is_refused(rows, start, tmp_path):
    """Law: a checkpoint never continues a fit of other rows or parameters."""
    KMeans(7, init=start, checkpoint=tmp_path).fit(rows)
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        KMeans(7, init=start, checkpoint=tmp_path).fit(rows[1:])
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        KMeans(7, random_state=0, checkpoint=tmp_path).fit(rows)
    (tmp_path / "kmeans.safetensors").write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"kmeans.safetensors: is not a checkpoint"):
        KMeans(7, init=start, checkpoint=tmp_path).fit(rows)


def test_progress_hears_of_every_pass(rows, start):
    """Law: one report per pass."""
    seen = []
    model = KMeans(7, init=start, progress=seen.append).fit(rows)
    assert [report.done for report in seen] == list(range(1, model.n_iter_ + 1))


def test_values_that_are_not_finite_are_named(rows, tmp_path):
    """Law: the file, the row in it and the column of a missing value are named."""
    frame = pd.DataFrame(rows[:100], columns=["x", "y", "z"])
    frame.to_parquet(tmp_path / "a.parquet")
    frame.loc[40, "y"] = np.nan
    frame.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InvalidData, match=r'b\.parquet \(row group 0\): Input X contains NaN: row 40 .*"y"'):
        KMeans(2).fit(tmp_path)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters of KMeans must be"),
        ({"n_clusters": 30_000}, "n_clusters of KMeans must be at most n_samples=20000"),
        ({"init": "random"}, "init of KMeans must be"),
        ({"init": np.ones((2, 2)), "n_clusters": 2}, "one column per feature"),
    ],
)
def test_parameters_are_checked(rows, parameters, message):
    """Law: wrong parameters are refused before any pass but the first."""
    with pytest.raises(ValueError, match=message):
        KMeans(**parameters).fit(rows)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"must be one number for each of 20000 rows, got 3\."),
        (np.zeros(20_000), "at least one non-zero number"),
        (np.where(np.arange(20_000) == 9000, -1.0, 1.0), r"got -1.0 at row 9000"),
    ],
)
def test_weights_are_checked(rows, weights, message):
    """Law: weights that mean nothing are refused."""
    with pytest.raises(InvalidData, match=message):
        KMeans(2).fit(rows, sample_weight=weights)


def test_no_seed_falls_into_a_bad_optimum(monkeypatch):
    """Law: whatever the seed, planted groups are found: two are not merged while a third one is split."""
    monkeypatch.setattr("coterie.scale.methods.coreset.FEWEST_ROWS", 4096)
    rng = np.random.default_rng(1)
    centers = rng.uniform(-10, 10, size=(12, 8))
    centers[1] = centers[0] + 1.5
    rows = (centers[rng.integers(12, size=9000)] + rng.normal(0, 0.6, size=(9000, 8))).astype(np.float32)
    best = LocalKMeans(12, n_init=20, random_state=0).fit(rows).inertia_
    for seed in range(20):
        model = KMeans(12, random_state=seed).fit(rows)
        assert model.start_.startswith("a sample of")
        assert model.inertia_ <= best * (1 + 1e-3)
