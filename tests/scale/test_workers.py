"""Every method on a cluster of processes: same answer for any cut of the rows and any number of workers."""

import os
import signal

import dask.array
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from coterie import evaluate as local
from coterie.errors import InvalidFile, NotEnoughMemory
from coterie.scale import (
    DBSCAN,
    GaussianMixture,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    SingleLinkage,
    Summaries,
    evaluate,
    read_blocks,
)

METHODS = {
    "k-means": KMeans(4, max_iter=4, random_state=0),
    "mini-batch k-means": MiniBatchKMeans(4, random_state=0),
    "mixture": GaussianMixture(3, random_state=0),
    "k-medoids": KMedoids(4, sample_size=300, random_state=0),
    "DBSCAN": DBSCAN(eps=0.6, min_samples=8, box_rows=4000),
    "single linkage": SingleLinkage(4),
    "summaries": Summaries(60, random_state=0),
}
NUMBERS = (
    "cluster_centers_",
    "means_",
    "covariances_",
    "inertia_",
    "lower_bound_",
    "medoid_indices_",
    "weights_",
)


def cut(rows, n_chunks):
    chunks = dask.array.from_array(rows, chunks=(-(-len(rows) // n_chunks), 3))
    return read_blocks(chunks, block_rows=8192)


def numbers_of(model):
    return [np.asarray(getattr(model, name)) for name in NUMBERS if hasattr(model, name)]


@pytest.fixture(scope="module")
def on_threads(rows):
    """Fit every method without a cluster, to rows in one piece."""
    models = {name: model.fit(cut(rows, 1)) for name, model in METHODS.items()}
    return {name: (numbers_of(model), model.labels_.compute()) for name, model in models.items()}


@pytest.mark.filterwarnings("ignore:Sending large graph")
@pytest.mark.parametrize("name", METHODS)
def test_two_workers_and_any_cut(name, client, rows, on_threads):
    """Law: 3 and 7 chunks on two workers give what threads give to one, to the bit."""
    numbers, labels = on_threads[name]
    for n_chunks in (3, 7):
        model = METHODS[name].fit(cut(rows, n_chunks))
        for found, expected in zip(numbers_of(model), numbers, strict=True):
            np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.labels_.compute(), labels)


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_one_worker(cluster, rows, on_threads):
    """Law: one worker gives what two give."""
    cluster.scale(1)
    try:
        with Client(cluster) as client:
            client.wait_for_workers(1)
            for name in ("k-means", "mixture", "DBSCAN"):
                numbers, labels = on_threads[name]
                model = METHODS[name].fit(cut(rows, 3))
                for found, expected in zip(numbers_of(model), numbers, strict=True):
                    np.testing.assert_array_equal(found, expected)
                np.testing.assert_array_equal(model.labels_.compute(), labels)
    finally:
        cluster.scale(2)


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_measures_on_workers(client, rows):
    """Law: measures of lazy labels on workers are those of rows in memory."""
    labels = (rows[:, 0] > 0).astype(int)
    found = evaluate.assess(cut(rows, 7), dask.array.from_array(labels, chunks=3001))
    for name in ("sse", "davies_bouldin_score", "calinski_harabasz_score", "simplified_silhouette_score"):
        assert found[name] == pytest.approx(getattr(local, name)(rows, labels), rel=1e-9)


def _die_once(part, flag):
    """Kill the process that makes a chunk, the first time."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return part
    os.kill(os.getpid(), signal.SIGKILL)
    return part


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_worker_killed_within_a_task(client, rows, on_threads, tmp_path):
    """Law: a worker that dies while it works on a block loses nothing: same result."""
    chunks = dask.array.from_array(rows, chunks=(5001, 3))
    deadly = chunks.map_blocks(_die_once, flag=str(tmp_path / "dead"), dtype=chunks.dtype, meta=rows[:0])
    model = METHODS["mixture"].fit(read_blocks(deadly, block_rows=8192))
    assert (tmp_path / "dead").exists()
    numbers, labels = on_threads["mixture"]
    for found, expected in zip(numbers_of(model), numbers, strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.labels_.compute(), labels)


def test_workers_in_another_folder(cluster, rows, tmp_path, monkeypatch):
    """Law: relative paths are those of the folder the user is in, wherever the workers were started."""
    np.save(tmp_path / "rows.npy", rows)
    frame = pd.DataFrame(rows, columns=list("abc"))
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_feather(tmp_path / "rows.feather")
    monkeypatch.chdir(tmp_path)
    with Client(cluster) as client:
        client.run(os.chdir, "/")
        for kind in ("npy", "parquet", "csv", "feather"):
            model = KMeans(4, max_iter=2, random_state=0).fit(f"rows.{kind}")
            assert model.cluster_sizes_.sum() == len(rows)
            assert all(piece.name.startswith("rows.") for piece in read_blocks(f"rows.{kind}").pieces)


def test_files_that_workers_do_not_see(rows, tmp_path):
    """Law: a file that is gone where it is read is named, with what workers need."""
    pd.DataFrame(rows, columns=list("abc")).to_parquet(tmp_path / "rows.parquet")
    blocks = read_blocks(tmp_path / "rows.parquet")
    (tmp_path / "rows.parquet").unlink()
    with pytest.raises(InvalidFile, match=r"rows.parquet .*no such file on .*Every worker .* same path"):
        KMeans(4, random_state=0).fit(blocks)


def test_workers_with_too_little_memory(rows):
    """Law: a worker that a block does not fit is not tried for ever; the error says what a block needs."""
    with (
        LocalCluster(1, threads_per_worker=1, memory_limit="200MiB", dashboard_address=":0") as small,
        Client(small) as client,
    ):
        client.wait_for_workers(1)
        with pytest.raises(NotEnoughMemory, match=r"needs about .* of .* may use 200 MiB.*block_rows="):
            KMeans(4, random_state=0).fit(cut(rows, 3))
