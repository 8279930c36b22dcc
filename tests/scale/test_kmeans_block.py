"""K-means on blocks that stay in memory: how a pass is run changes no bit."""

import dask
import numpy as np
import pytest

from coterie.cluster import KMeans as LocalKMeans
from coterie.scale import KMeans, read_blocks
from coterie.scale.methods import kmeans_passes as _kmeans_passes


@pytest.fixture
def local(rows, start):
    return LocalKMeans(7, init=start, max_iter=12, tol=0.0).fit(rows)


@pytest.mark.parametrize("plain_passes", [0, 1, 3, 100])
def test_bounds_can_come_at_any_time(rows, start, local, plain_passes, monkeypatch):
    """Whenever plain passes end and bounds begin, the result is that of the local class."""
    monkeypatch.setattr(_kmeans_passes, "PLAIN_PASSES", plain_passes)
    model = KMeans(7, init=start, max_iter=12, tol=0.0).fit(read_blocks(rows, block_rows=8192))
    np.testing.assert_array_equal(model.cluster_centers_, local.cluster_centers_)
    assert model.inertia_ == local.inertia_


def test_plain_passes_are_for_cheap_ones():
    """Few products per row pay without bounds; boxes of rows with one or two columns are cheaper still."""
    assert _kmeans_passes.is_plain_cheaper(32, 8)
    assert not _kmeans_passes.is_plain_cheaper(64, 16)
    assert not _kmeans_passes.is_plain_cheaper(32, 2)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_passes_need_no_graph_where_all_blocks_are_kept(rows, start, local, scheduler, monkeypatch):
    """Threads of this process go from block to block by themselves; another scheduler gets every pass."""
    graphs = []
    tasks = _kmeans_passes.tasks
    monkeypatch.setattr(
        _kmeans_passes, "tasks", lambda *args, **options: graphs.append(1) or tasks(*args, **options)
    )
    with dask.config.set(scheduler=scheduler):
        model = KMeans(7, init=start, max_iter=12, tol=0.0).fit(read_blocks(rows, block_rows=8192))
    np.testing.assert_array_equal(model.cluster_centers_, local.cluster_centers_)
    assert model.inertia_ == local.inertia_
    assert len(graphs) == (1 if scheduler == "threads" else model.n_iter_ + 1)
