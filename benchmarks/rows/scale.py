"""K-means on Dask collections and on files that do not fit in memory; DBSCAN by boxes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.data import overlapping_mixture
from benchmarks.measure import PeakMemory
from benchmarks.problem import OURS, Answer, Contestant, Row
from benchmarks.rows.kmeans import Fit, Problem, digest, enter_coterie, make

FOLDER = Path(os.environ.get("COTERIE_SCRATCH", tempfile.gettempdir())) / "coterie-bench"
FILES, ROWS_PER_GROUP = 20, 250_000
PASSES = 5
READS = PASSES  # what else the fit reads (moments, start, inertia) is its own affair
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


@dataclass(frozen=True)
class Files:
    """Parquet files, a start, and some rows to judge centres by."""

    folder: Path
    start: NDArray[np.float32]
    X: NDArray[np.float32]


def make_files(n: int, d: int, k: int) -> Files:
    """Write the rows once; later calls find them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = FOLDER / f"{n}x{d}"
    folder.mkdir(parents=True, exist_ok=True)
    centres = np.random.default_rng(SEED).normal(scale=4.0, size=(k, d))
    for number in range(FILES):
        path = folder / f"{number:03d}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng([SEED, number])
        part = path.with_suffix(".part")
        schema = pa.schema([(f"x{i}", pa.float32()) for i in range(d)])
        with pq.ParquetWriter(part, schema, compression="none", use_dictionary=False) as writer:
            for _ in range(0, n // FILES, ROWS_PER_GROUP):
                size = min(ROWS_PER_GROUP, n // FILES)
                rows = centres[rng.integers(k, size=size)] + rng.normal(size=(size, d))
                writer.write_table(pa.table(list(rows.astype(np.float32).T), schema=schema))
        part.rename(path)
    some = pq.ParquetFile(folder / "000.parquet").read_row_group(0)
    X = np.stack([some.column(i).to_numpy() for i in range(d)], axis=1)
    return Files(folder, X[:: len(X) // k][:k].copy(), X)


def enter_files(problem: Files) -> Callable[[], Fit]:
    from coterie.scale import KMeans

    def fit() -> Fit:
        model = KMeans(len(problem.start), init=problem.start, max_iter=PASSES, tol=0.0).fit(problem.folder)
        return Fit(model.cluster_centers_, model.n_iter_)

    return fit


def enter_reading(problem: Files) -> Callable[[], Fit]:
    """Read the files as often as k-means does, with as many threads, and do nothing else."""
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
        for _ in range(READS):
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                assert sum(pool.map(read, groups)) > 0
        return Fit(problem.start, PASSES)

    return fit


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


OURS_ON_BLOCKS = Contestant(OURS, enter_scale)
LOCAL = Contestant("coterie in memory", enter_coterie)
DASK_ML = Contestant("dask-ml", enter_dask_ml)
READING = Contestant("reading alone", enter_reading)


def size_of(n: int) -> str:
    return f"{n:.0e}".replace("e+0", "e")


def file_rows(n: int) -> tuple[Row, Row]:
    """Return the time and the memory of k-means on files."""
    name = size_of(n)
    work = f"k-means {name} x 8 float32 from Parquet, k=32, {PASSES} passes"
    made = partial(make_files, n, 8, 32)
    return (
        Row(
            name=f"files-{name}",
            work=work,
            make=made,
            contestants=(Contestant(OURS, enter_files), READING),
            digest=passes,
            agree=close("passes", tolerance=0.0),
            bar=1 / 3,  # at most three times as long as reading
            most_rounds=2,
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
    *file_rows(1_000_000),
    *file_rows(10_000_000),
    *file_rows(100_000_000),
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
