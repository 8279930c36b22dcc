"""Passes over blocks: what tasks get, in which order results are merged, and where tasks go."""

import dask.array
import numpy as np
import pytest

from coterie.scale import read_blocks
from coterie.scale.runtime.passes import Placement, compute, fold, pair_tasks, tasks


def block_and_args(block, partner, *args):
    return block.index, None if partner is None else partner.index, args


def running_total(block, _partner, before):
    return [*before, int(block.read()[0, 0])]


def listed(total, found):
    return (total or []) + found


@pytest.fixture(params=["array", "dask", "file"])
def blocks(request, tmp_path):
    """Twenty blocks, enough for several merges."""
    X = np.repeat(np.arange(20.0), 8192)[:, None]
    if request.param == "file":
        np.save(tmp_path / "X.npy", X)
    sources = {"array": X, "dask": dask.array.from_array(X, chunks=30_000), "file": tmp_path / "X.npy"}
    return read_blocks(sources[request.param], block_rows=8192)


def test_arguments_arrive_as_they_are(blocks):
    """Dask looks into no argument: tuples that begin with a function and the names of tasks are values."""
    args = ((len, [1, 2]), "args", {"a": print})
    assert compute(tasks(blocks, block_and_args, *args)[3]) == (3, None, args)


def test_results_are_merged_in_the_order_of_blocks(blocks):
    """Whatever the order in which tasks end, results come in the order of the blocks."""
    assert [index for index, *_ in compute(fold(tasks(blocks, block_and_args), listed))] == list(range(20))


def test_a_chain_hands_results_on(blocks):
    """In a chain each block gets what the block before returned."""
    assert compute(tasks(blocks, running_total, chain=[-1])[-1]) == list(range(-1, 20))


def test_every_pair_of_blocks_meets_once(blocks):
    """Pairs are those of a block and a later one."""
    pairs = [pair[:2] for pair in compute(fold(pair_tasks(blocks, block_and_args), listed))]
    assert sorted(pairs) == [(i, j) for i in range(20) for j in range(i + 1, 20)]


def worker_of_block(_block, _partner):
    from distributed import get_worker

    return get_worker().address


def test_the_same_rows_go_to_the_same_worker(client, tmp_path):
    """Blocks in files have their place: neighbours share a worker, in every pass the same one."""
    place = Placement(["first", "second", "third"], 7)
    placed = [place(("name", index))[0] for index in range(7)]
    assert placed == ["first"] * 3 + ["second"] * 2 + ["third"] * 2
    np.save(tmp_path / "X.npy", np.zeros((20 * 8192, 1)))
    blocks = read_blocks(tmp_path / "X.npy", block_rows=8192)
    [layer] = [layer for layer in tasks(blocks, worker_of_block)[0].dask.layers.values() if layer.annotations]
    workers = sorted(client.ncores())
    assert [layer.annotations["workers"](key)[0] for key in layer] == [workers[0]] * 10 + [workers[1]] * 10
    found = compute(fold(tasks(blocks, worker_of_block), listed))
    assert set(found) <= set(workers)
