"""On a real cluster of processes: the same answer, whoever dies."""

import os
import signal
import subprocess
import sys
import textwrap

import dask.array
import numpy as np
import pandas as pd
import pytest

from coterie.cluster import KMeans as LocalKMeans
from coterie.errors import InvalidFile
from coterie.scale import KMeans, read_blocks


@pytest.fixture
def folder(rows, tmp_path):
    for number, part in enumerate(np.array_split(rows, 5)):
        frame = pd.DataFrame(part, columns=["x", "y", "z"])
        frame.to_parquet(tmp_path / f"{number}.parquet", row_group_size=1500)
    return tmp_path


@pytest.fixture(scope="module")
def local(rows, start):
    return LocalKMeans(7, init=start, n_init=1).fit(rows)


def assert_same(scaled, local):
    np.testing.assert_array_equal(scaled.cluster_centers_, local.cluster_centers_)
    assert (scaled.inertia_, scaled.n_iter_) == (local.inertia_, local.n_iter_)


def test_cluster_gives_the_same(client, folder, start, local, rows):
    """Law: two processes give what one thread gives, from files and from collections."""
    assert_same(KMeans(7, init=start).fit(read_blocks(folder, block_rows=8192)), local)
    chunks = dask.array.from_array(rows, chunks=(6001, 3))
    model = KMeans(7, init=start).fit(read_blocks(chunks, block_rows=8192))
    assert_same(model, local)
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)


def test_killed_worker_changes_nothing(client, folder, start, local):
    """Law: when a worker dies in the middle of a fit, Dask makes its part anew: same result."""
    killed = []

    def kill_one(progress):
        if progress.done == 3 and not killed:
            worker, process = next(iter(client.run(os.getpid).items()))
            killed.append(worker)
            os.kill(process, signal.SIGKILL)

    model = KMeans(7, init=start, progress=kill_one).fit(read_blocks(folder, block_rows=8192))
    assert killed
    assert_same(model, local)


def test_killed_client_goes_on(cluster, client, folder, start, local, tmp_path_factory):
    """Law: after kill -9 of the client, the same fit goes on from its checkpoint, to the same end."""
    state = tmp_path_factory.mktemp("state")
    np.save(state / "start.npy", start)
    script = f"""
        import os, signal
        import numpy as np
        from distributed import Client
        from coterie.scale import KMeans, read_blocks

        def die(progress):
            if progress.done == 3:
                os.kill(os.getpid(), signal.SIGKILL)

        if __name__ == "__main__":
            client = Client({cluster.scheduler_address!r})
            start = np.load({str(state / "start.npy")!r})
            blocks = read_blocks({str(folder)!r}, block_rows=8192)
            KMeans(7, init=start, checkpoint={str(state / "passes")!r}, progress=die).fit(blocks)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    seen = []
    model = KMeans(7, init=start, checkpoint=state / "passes", progress=seen.append)
    assert_same(model.fit(read_blocks(folder, block_rows=8192)), local)
    assert seen[0].done == 4


def test_error_of_a_worker_names_the_file(client, folder, start):
    """Law: a file that breaks after it was opened is named by the worker that reads it."""
    blocks = read_blocks(folder, block_rows=8192)
    (folder / "3.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidFile, match=r"3\.parquet: has changed since it was opened"):
        KMeans(7, init=start).fit(blocks)


def test_labels_and_predictions_of_a_cluster(client, folder, start, local, rows):
    """Law: lazy results are made on the workers too."""
    model = KMeans(7, init=start).fit(folder)
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)
    np.testing.assert_array_equal(model.predict(folder).compute(), local.labels_)
    assert model.score(folder) == -local.inertia_
