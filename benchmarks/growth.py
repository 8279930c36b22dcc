"""How methods on files grow with the rows, and what 1e10 rows would take by the model fitted to that.

``python -m benchmarks.growth`` writes Parquet files of 1e6, 1e7 and 1e8 rows to ``COTERIE_SCRATCH``, fits
every method to them in a process of its own, prints the tables and removes the files. ``--write
docs/scale.md`` puts the tables between the marks of that page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import growth_page, machine
from benchmarks.measure import PeakMemory
from benchmarks.parquet import FOLDER, make_files, remove_files

SIZES = (1_000_000, 10_000_000, 100_000_000)
PASSES = 5
EMPTY_TASKS = 1000
SPARE_DISK = 3.0  # times the files: rows that are kept decoded lie beside them


@dataclass(frozen=True)
class Method:
    """What is fitted, and how its work is counted.

    Parameters
    ----------
    name : str
        Of the class.
    work : str
        With which parameters, in words.
    columns : int
        Of the rows.
    most_rows : int
        No larger size is measured: it would take hours, or more memory than machines like this have.
    passes : int
        Tasks per block.
    is_paired : bool
        Whether the work is trees of pairs of blocks: all rows are looked at once for each other block.
    is_split : bool
        Whether every block is split into boxes, of about as many rows, with a task for each part.
    client_bytes : int
        What is kept per row where ``fit`` was called, at the most.
    """

    name: str
    work: str
    columns: int
    most_rows: int
    passes: int
    is_paired: bool = False
    is_split: bool = False
    client_bytes: int = 0


METHODS = (
    Method("KMeans", f"32 groups, {PASSES} passes from a given start", 8, 100_000_000, PASSES + 2),
    Method("GaussianMixture", f"8 full components, {PASSES} passes", 8, 100_000_000, PASSES + 3),
    Method("Summaries", "1,000 features", 8, 100_000_000, 2),
    Method(
        "DBSCAN",
        "a radius that holds about as many rows whatever their number",
        2,
        100_000_000,
        3,
        is_split=True,
        client_bytes=growth_page.DBSCAN,
    ),
    Method(
        "SingleLinkage", "the whole tree", 2, 10_000_000, 1, is_paired=True, client_bytes=growth_page.SINGLE
    ),
)


@dataclass(frozen=True)
class Measured:
    """One fit: seconds, seconds of processors, MiB at the peak; for k-means the seconds of reading alone."""

    method: str
    rows: int
    seconds: float
    processor: float
    peak: float
    reading: float | None = None


def call_for(method: Method, n: int) -> Callable[[], Any]:
    """Return the fit that is measured; the files are made if they are not there."""
    from coterie import scale

    files = make_files(n, method.columns, 32)
    models: dict[str, Callable[[], Any]] = {
        "KMeans": lambda: scale.KMeans(32, init=files.start, max_iter=PASSES, tol=0.0),
        "GaussianMixture": lambda: scale.GaussianMixture(8, max_iter=PASSES, tol=0.0, random_state=0),
        "Summaries": lambda: scale.Summaries(1000, random_state=0),
        "DBSCAN": lambda: scale.DBSCAN(eps=40 / np.sqrt(n), min_samples=10),
        "SingleLinkage": lambda: scale.SingleLinkage(),
    }
    models[method.name]().fit(files.X[:1000])  # what is imported at the first call
    return lambda: models[method.name]().fit(files.folder)


def measure(method: Method, n: int) -> Measured:
    """Return what a fit takes in this process; for k-means also the faster way to read the files as often."""
    warnings.simplefilter("ignore")  # five passes do not converge
    call = call_for(method, n)
    began, before = time.perf_counter(), os.times()
    peak = PeakMemory()(call).value
    seconds, after = time.perf_counter() - began, os.times()
    processor = after.user + after.system - before.user - before.system
    reading = _seconds_of_reading(n, method.columns) if method.name == "KMeans" else None
    return Measured(method.name, n, seconds, processor, peak, reading)


def _seconds_of_reading(n: int, columns: int) -> float:
    from benchmarks.rows.scale import READERS

    found = []
    for reader in READERS:
        read = reader.enter(make_files(n, columns, 32))
        began = time.perf_counter()
        read()
        found.append(time.perf_counter() - began)
    return min(found)


def seconds_per_task() -> float:
    """Return what Dask's distributed scheduler takes for a task that does nothing."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        client.gather(client.map(abs, range(10), pure=False))
        began = time.perf_counter()
        client.gather(client.map(abs, range(EMPTY_TASKS), pure=False))
        return (time.perf_counter() - began) / EMPTY_TASKS


def measure_apart(method: Method, n: int) -> Measured | None:
    """Measure in a process of its own; None, and the reason is printed, if it fails or the disk is small."""
    size = n * method.columns * 4
    FOLDER.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(FOLDER).free
    if SPARE_DISK * size > free:
        print(f"{method.name} {n:.0e}: left out, {FOLDER} has {free / 1e9:.0f} GB free.", flush=True)
        return None
    make_files(n, method.columns, 32)  # not measured
    words = [sys.executable, "-m", "benchmarks.growth", "--measure", method.name, "--sizes", str(n)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        print(f"{method.name} {n:.0e}: failed, {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return None
    found = Measured(**json.loads(done.stdout.splitlines()[-1]))
    print(f"{method.name} {n:.0e}: {found.seconds:.3g} s, {found.peak:.0f} MiB", flush=True)
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=SIZES, help="numbers of rows")
    parser.add_argument("--methods", nargs="+", choices=[method.name for method in METHODS])
    parser.add_argument("--write", type=Path, help="the page that gets the tables")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    chosen = [method for method in METHODS if options.methods is None or method.name in options.methods]
    sizes = [int(size) for size in options.sizes]
    if options.measure:
        method = next(method for method in METHODS if method.name == options.measure)
        print(json.dumps(asdict(measure(method, sizes[0]))))
        return 0
    try:
        pairs = [(method, n) for method in chosen for n in sizes if n <= method.most_rows]
        found = [one for one in (measure_apart(*pair) for pair in pairs) if one is not None]
    finally:
        print(remove_files())
    page = growth_page.tables(chosen, found, seconds_per_task(), machine.one_line())
    print(page)
    if options.write is not None:
        growth_page.write(options.write, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
