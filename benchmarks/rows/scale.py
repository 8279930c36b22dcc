"""K-means on Dask collections and on files that do not fit in memory; DBSCAN by boxes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, close
from benchmarks.data import overlapping_mixture
from benchmarks.measure import PeakMemory, Returned
from benchmarks.parquet import Files, make_files, make_small_files, remove_files, remove_small_files
from benchmarks.problem import OURS, Answer, Contestant, Row
from benchmarks.rows.kmeans import Fit, Problem, digest, enter_coterie, make

COLUMNS, CLUSTERS = 8, 32
PASSES = 5  # of readers too: what else the fit reads (moments, inertia) is its own affair
SMALL_FILES = 10_000
GROWTH_SIZES = (1_000_000, 10_000_000, 100_000_000)
SEED = 20


def enter_scale(problem: Problem) -> Callable[[], Fit]:
    import dask.array

    from coterie.scale import KMeans

    X = dask.array.from_array(problem.X, chunks=(len(problem.X) // 8, -1)).persist()

    def fit() -> Fit:
        model = KMeans(len(problem.start), init=problem.start, max_iter=problem.iterations, tol=0.0).fit(X)
        return Fit(model.cluster_centers_, model.n_iter_)

    return fit


def enter_dask_ml(problem: Problem) -> Callable[[], Fit]:
    import dask.array
    from dask_ml.cluster import KMeans

    X = dask.array.from_array(problem.X, chunks=(len(problem.X) // 8, -1)).persist()

    def fit() -> Fit:
        model = KMeans(len(problem.start), init=problem.start, max_iter=problem.iterations, tol=0.0).fit(X)
        return Fit(np.asarray(model.cluster_centers_), model.n_iter_)

    return fit


def enter_files(problem: Files) -> Callable[[], Fit]:
    from coterie.scale import KMeans

    def fit() -> Fit:
        model = KMeans(len(problem.start), init=problem.start, max_iter=PASSES, tol=0.0).fit(problem.folder)
        return Fit(model.cluster_centers_, model.n_iter_)

    return fit


def enter_reading(problem: Files) -> Callable[[], Fit]:
    """Read the files as often as k-means does and do no more: a thread per processor takes row groups."""
    from concurrent.futures import ThreadPoolExecutor

    import pyarrow.parquet as pq

    groups = [
        (path, group)
        for path in sorted(problem.folder.glob("*.parquet"))
        for group in range(pq.ParquetFile(path).num_row_groups)
    ]

    def read(place: tuple[Path, int]) -> int:
        with pq.ParquetFile(place[0]) as file:
            return int(file.read_row_group(place[1], use_threads=False).num_rows)

    def fit() -> Fit:
        for _ in range(PASSES):
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                assert sum(pool.map(read, groups)) > 0
        return Fit(problem.start, PASSES)

    return fit


def enter_pyarrow(problem: Files) -> Callable[[], Fit]:
    """Read the files as often, file by file, with the threads that PyArrow takes by itself."""
    import pyarrow.parquet as pq

    paths = sorted(problem.folder.glob("*.parquet"))

    def fit() -> Fit:
        for _ in range(PASSES):
            assert sum(pq.read_table(path).num_rows for path in paths) > 0
        return Fit(problem.start, PASSES)

    return fit


def enter_labels(problem: Files) -> Callable[[], int]:
    """Find groups by k-means from files, describe them and write a label per row."""
    import shutil
    import tempfile

    from coterie.scale import fit

    def write() -> int:
        found = fit(problem.folder, "kmeans", CLUSTERS, n_init=1, set={"max_iter": PASSES}, believe=False)
        folder = Path(tempfile.mkdtemp(dir=problem.folder.parent))
        found.write_labels(folder / "labels")
        shutil.rmtree(folder)
        return int(found.groups.n_rows)

    return write


def enter_decoding_and_writing(problem: Files) -> Callable[[], int]:
    """Decode the files once and write a row number, a label and a group per row, and do no more."""
    import shutil
    import tempfile
    from concurrent.futures import ThreadPoolExecutor

    import pyarrow
    import pyarrow.parquet as pq

    groups = [
        (path, group)
        for path in sorted(problem.folder.glob("*.parquet"))
        for group in range(pq.ParquetFile(path).num_row_groups)
    ]
    names = pyarrow.array([f"group {at + 1}" for at in range(CLUSTERS)])

    def one(place: tuple[Path, int], target: Path) -> int:
        with pq.ParquetFile(place[0]) as file:
            read = file.read_row_group(place[1], use_threads=False)
        rows = np.stack([column.to_numpy() for column in read.columns], axis=1)
        labels = (np.abs(rows[:, 0]) * 7).astype(np.int32) % CLUSTERS
        made = pyarrow.table(
            {
                "row": np.arange(len(rows)),
                "label": labels,
                "group": pyarrow.DictionaryArray.from_arrays(pyarrow.array(labels), names),
            }
        )
        pq.write_table(made, target / f"{place[0].stem}-{place[1]}.parquet")
        return len(rows)

    def write() -> int:
        folder = Path(tempfile.mkdtemp(dir=problem.folder.parent))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            n_rows = sum(pool.map(lambda place: one(place, folder), groups))
        shutil.rmtree(folder)
        return n_rows

    return write


def enter_growth(problem: Files) -> Callable[[], float]:
    """Return the exponent p where the time of k-means on files grows as n^p."""
    fits = [enter_files(make_files(n, COLUMNS, CLUSTERS)) for n in GROWTH_SIZES]

    def exponent() -> float:
        seconds = []
        for fit in fits:
            start = time.perf_counter()
            fit()
            seconds.append(time.perf_counter() - start)
        return float(np.polyfit(np.log(GROWTH_SIZES), np.log(seconds), 1)[0])

    return exponent


def passes(_problem: Files, fit: Fit) -> Answer:
    """Return the passes alone: who only reads has no centres."""
    return {"passes": np.array(fit.iterations)}


def make_plane(n: int) -> NDArray[np.float64]:
    return overlapping_mixture(n, 2, components=50, seed=SEED, separation=8.0, dtype=np.float64)


def enter_dbscan(X: NDArray[np.float64]) -> Callable[[], Any]:
    import dask.array

    from coterie.scale import DBSCAN

    blocks = dask.array.from_array(X, chunks=(1_000_000, 2))
    return lambda: DBSCAN(eps=0.02, min_samples=10).fit(blocks)


def count_clusters(_problem: Any, model: Any) -> Answer:
    return {"clusters": np.array(len(model.cluster_sizes_))}


def enter_small_files(folder: Path) -> Callable[[], Any]:
    """List the files, read their footers, join them into blocks and pass over the rows once."""
    from coterie.scale import moments, read_blocks
    from coterie.scale.runtime.cache import RECENT

    def measure() -> Any:
        RECENT.clear()
        return moments.measure(read_blocks(folder), None, who="the benchmark").columns.mean

    return measure


def enter_small_dataset(folder: Path) -> Callable[[], Any]:
    """Do the same by an Arrow dataset, whose scanner takes all processors."""
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    def measure() -> Any:
        table = ds.dataset(folder, format="parquet").to_table()
        return [pc.mean(table.column(name)).as_py() for name in ("a", "b")]

    return measure


def column_means(_problem: Any, means: Any) -> Answer:
    return {"means": np.asarray(means, dtype=float)}


OURS_ON_BLOCKS = Contestant(OURS, enter_scale)
LOCAL = Contestant("coterie in memory", enter_coterie)
DASK_ML = Contestant("dask-ml", enter_dask_ml)
READERS = (Contestant("reading row groups", enter_reading), Contestant("reading files", enter_pyarrow))


def size_of(n: int) -> str:
    return f"{n:.0e}".replace("e+0", "e")


def file_rows(n: int) -> tuple[Row, Row]:
    """Return the time and the memory of k-means on files."""
    name = size_of(n)
    work = f"k-means {name} x {COLUMNS} float32 from Parquet, k={CLUSTERS}, {PASSES} passes"
    against = "at most 3x the time of reading the files once per pass"
    made = partial(make_files, n, COLUMNS, CLUSTERS)
    return (
        Row(
            name=f"files-{name}",
            work=f"{work}; {against}",
            make=made,
            contestants=(Contestant(OURS, enter_files), *READERS),
            digest=passes,
            agree=close("passes", tolerance=0.0),
            bar=1 / 3,
            most_rounds=2,
            clean=remove_files,
        ),
        Row(
            name=f"files-{name}-memory",
            work=f"{work}, memory",
            make=made,
            contestants=(Contestant(OURS, enter_files),),
            digest=passes,
            agree=close("passes", tolerance=0.0),
            measure=PeakMemory(),
            limit=2048,
            most_rounds=1,
            clean=remove_files,
        ),
    )


ROWS = (
    Row(
        name="kmeans",
        work="k-means on a Dask array, 1e6 x 16, k=64, 20 it",
        make=partial(make, 1_000_000, 16, 64, iterations=20),
        contestants=(OURS_ON_BLOCKS, DASK_ML),
        digest=digest,
        agree=close("SSE", tolerance=1e-3),
        bar=4,
    ),
    Row(
        name="kmeans-local",
        work="the same against rows in memory",
        make=partial(make, 1_000_000, 16, 64, iterations=20),
        contestants=(OURS_ON_BLOCKS, LOCAL),
        digest=digest,
        agree=close("SSE", tolerance=1e-12),
        bar=1 / 1.3,
    ),
    *(row for n in GROWTH_SIZES for row in file_rows(n)),
    Row(
        name="labels-1e7",
        work=f"k-means 1e7 x {COLUMNS} from Parquet, labels written; at most 3x decoding and writing",
        make=partial(make_files, 10_000_000, COLUMNS, CLUSTERS),
        contestants=(
            Contestant(OURS, enter_labels),
            Contestant("decoding once and writing", enter_decoding_and_writing),
        ),
        digest=lambda problem, n_rows: {"rows": np.array(n_rows)},
        agree=close("rows", tolerance=0.0),
        bar=1 / 3,
        most_rounds=5,
        clean=remove_files,
    ),
    Row(
        name="files-growth",
        work="the exponent of its time from 1e6 to 1e8 rows",
        make=partial(make_files, GROWTH_SIZES[0], COLUMNS, CLUSTERS),
        contestants=(Contestant(OURS, enter_growth),),
        digest=lambda problem, exponent: {"exponent": np.array([exponent])},
        agree=anything,
        measure=Returned(unit="(exponent)"),
        limit=1.1,
        most_rounds=1,
        clean=remove_files,
    ),
    Row(
        name="small-files",
        work=f"means of {SMALL_FILES:,} Parquet files of 20 rows: listing, footers, one pass",
        make=partial(make_small_files, SMALL_FILES),
        contestants=(
            Contestant(OURS, enter_small_files),
            Contestant("pyarrow.dataset", enter_small_dataset),
        ),
        digest=column_means,
        agree=close("means", tolerance=1e-9),
        bar=1 / 10,
        most_rounds=2,
        clean=remove_small_files,
    ),
    Row(
        name="dbscan-memory",
        work="DBSCAN 1e7 x 2 from blocks, memory",
        make=partial(make_plane, 10_000_000),
        contestants=(Contestant(OURS, enter_dbscan),),
        digest=count_clusters,
        agree=close("clusters", tolerance=0.0),
        measure=PeakMemory(),
        limit=4096,
        most_rounds=1,
    ),
)
