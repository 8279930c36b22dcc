"""Engines other than Dask: the same tasks, the same bits, errors as they are."""

import gc
import importlib
import multiprocessing
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import dask.array
import numpy as np
import polars as pl
import pytest

from coterie._support import optional
from coterie.errors import InvalidData, InvalidFile, InvalidParameter, MissingDependency
from coterie.scale import (
    DBSCAN,
    FuturesEngine,
    GaussianMixture,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    RayEngine,
    SingleLinkage,
    Summaries,
    evaluate,
    read_blocks,
    running_on,
)
from coterie.scale import fit as fit_blocks
from coterie.scale.blocks import decoded_once
from coterie.scale.runtime.engines import run_graph
from source_files import NAMES, rows_in

METHODS = {
    "k-means": KMeans(4, max_iter=4, random_state=0),
    "mini-batch k-means": MiniBatchKMeans(4, random_state=0),
    "mixture": GaussianMixture(3, max_iter=5, random_state=0),
    "k-medoids": KMedoids(4, sample_size=300, random_state=0),
    "DBSCAN": DBSCAN(eps=0.6, min_samples=8, box_rows=4000),
    "single linkage": SingleLinkage(4),
    "summaries": Summaries(60, random_state=0),
}
FEW = ("k-means", "mixture", "DBSCAN")


@pytest.fixture(scope="module")
def source(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("engines") / "a.parquet"
    pl.DataFrame(rows[:9000], schema=NAMES).write_parquet(path, row_group_size=2000)
    return path


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield FuturesEngine(pool)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield FuturesEngine(pool)


def start_ray(ray):
    """Start Ray, or skip where the machine is too busy for the 30 seconds that it gives itself."""
    try:
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        if "timed out during startup" not in str(error):
            raise
        ray.shutdown()
        del error
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # its processes end by themselves
            gc.collect()
        pytest.skip("Ray did not start within 30 seconds: the machine is busy")


@pytest.fixture(scope="module")
def on_ray():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # or it writes a token to the home folder
        ray = pytest.importorskip("ray", reason="ray is not installed: coterie[ray]")
        start_ray(ray)
        try:
            yield RayEngine()
        finally:
            ray.shutdown()


def numbers_of(model, source):
    """Return a fitted copy's labels and what else it found."""
    blocks = read_blocks(source, block_rows=8192)
    fitted = type(model)(**model.get_params()).fit(blocks)
    names = ("cluster_centers_", "means_", "covariances_", "inertia_", "cluster_sizes_", "lost_share_")
    found = [np.asarray(getattr(fitted, name)) for name in names if hasattr(fitted, name)]
    return [np.asarray(fitted.labels_), *found]


def check_same(engine, names, source):
    """Assert that fits on an engine are those on Dask, to the bit."""
    for name in names:
        with running_on(engine):
            there = numbers_of(METHODS[name], source)
        here = numbers_of(METHODS[name], source)
        assert len(there) == len(here) > 1
        assert all(np.array_equal(one, other) for one, other in zip(there, here, strict=True)), name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_threads_give_the_bits_of_dask(threads, source):
    """Law: every method on threads of concurrent.futures is the fit on Dask, labels and all."""
    check_same(threads, METHODS, source)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_processes_give_the_bits_of_dask(processes, source):
    """Law: so do processes, to which tasks travel; DBSCAN's rows are shuffled among them."""
    check_same(processes, FEW, source)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ray_gives_the_bits_of_dask(on_ray, source):
    """Law: and so do the workers of Ray."""
    check_same(on_ray, FEW, source)


def test_errors_of_ray_are_our_own(on_ray, tmp_path):
    """Law: what a task on a worker of Ray says is what is raised."""
    check_errors(on_ray, tmp_path)


def test_errors_are_our_own(threads, processes, tmp_path):
    """Law: an error in a task is raised as it is, whatever ran the task."""
    check_errors(threads, tmp_path)
    check_errors(processes, tmp_path)


def check_errors(engine, folder):
    """Assert that rows with gaps and files that are gone are said as on Dask."""
    path = folder / "gaps.parquet"
    pl.DataFrame({"x": [1.0, float("nan"), 2.0]}).write_parquet(path)
    with running_on(engine), pytest.raises(InvalidData, match=r"gaps\.parquet .*contains NaN: row 1"):
        KMeans(2).fit(path)
    path = folder / "gone.parquet"
    pl.DataFrame({"x": [1.0, 2.0, 3.0]}).write_parquet(path)
    blocks = read_blocks(path)
    path.unlink()
    with running_on(engine), pytest.raises(InvalidFile, match=r"gone\.parquet.*there is no such file"):
        KMeans(2).fit(blocks)


def test_automatic_clustering_and_evaluation_run_on_engines(threads, source):
    """Law: coterie.fit in blocks and its measures are the same on an engine."""
    here = fit_blocks(source, "kmeans", 3, believe=False)
    with running_on(threads):
        there = fit_blocks(source, "kmeans", 3, believe=False)
        assert evaluate.compare(there.labels, here.labels)["adjusted_rand_score"] == 1.0
    assert [(fact.name, fact.value) for fact in there.facts] == [
        (fact.name, fact.value) for fact in here.facts
    ]


def test_collections_of_dask_run_on_engines(threads, rows):
    """Law: chunks that Dask would make are made by the engine."""
    chunks = dask.array.from_array(rows, chunks=5000)
    with running_on(threads):
        assert np.array_equal(rows_in(read_blocks(chunks * 2)), rows * 2)


class Recording(FuturesEngine):
    """An engine that counts what is in work."""

    def __init__(self, executor, at_once):
        super().__init__(executor, at_once=at_once)
        self.most = 0
        self.in_work = set()

    def submit(self, work, *inputs):
        handle = super().submit(work, *inputs)
        self.in_work.add(handle)
        self.most = max(self.most, len(self.in_work))
        return handle

    def wait(self, handles):
        done = super().wait(handles)
        self.in_work -= set(done)
        return done


def test_no_more_tasks_are_in_work_than_an_engine_takes(rows):
    """Law: at_once bounds the tasks that were started and have not been seen to end."""
    with ThreadPoolExecutor(2) as pool:
        engine = Recording(pool, at_once=3)
        with running_on(engine):
            rows_in(read_blocks(np.tile(rows, (5, 1)), block_rows=8192))
    assert 1 < engine.most <= 3


def test_graphs_of_any_shape_run(threads):
    """Law: values, names of other tasks, shared inputs and nested keys are those of Dask."""
    graph = {
        "a": 1,
        "b": (sum, ["a", "a"]),
        "c": "b",
        ("d", 0): (max, "b", "a"),
        "e": (sum, ["b", "c", ("d", 0)]),
    }
    for keys in ("e", ["e"], [["a", "c"], [("d", 0)]]):
        assert run_graph(graph, keys, threads) == dask.get(graph, keys)


def test_engines_that_cannot_forget_keep_no_rows_on_disk(threads, source):
    """Law: rows are kept on disk only where every process can be told to let them go."""
    blocks = read_blocks(source)
    with decoded_once(blocks, spill=True) as kept:
        assert kept is not blocks
    with running_on(threads), decoded_once(blocks, spill=True) as kept:
        assert kept is blocks


def test_what_is_no_engine_is_refused():
    """Law: an executor by itself and Ray that is not installed are refused in words."""
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(
            InvalidParameter, match=r"got a ThreadPoolExecutor without put.*FuturesEngine\(executor\)"
        ),
        running_on(pool),
    ):
        raise AssertionError("not reached")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optional, "import_module", without_ray)
        with pytest.raises(MissingDependency, match=r'RayEngine needs the package ray.*"coterie\[ray\]"'):
            RayEngine()


def without_ray(name):
    if name == "ray":
        raise ModuleNotFoundError(name=name)
    return importlib.import_module(name)


def test_values_are_handed_over_once(threads):
    """Law: a value that is put has ended: tasks can take it at once."""
    handle = threads.put([1])
    assert isinstance(handle, Future)
    assert threads.wait([handle]) == [handle]
    assert threads.value(threads.submit(len, handle)) == 1
