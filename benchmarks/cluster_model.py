"""A fit on a cluster as a simulation: where 1e10 rows on 100 workers spend their time, and what breaks first.

``python -m benchmarks.cluster_model`` measures what a task, a row, a merge and a graph cost on this machine,
plays the schedule of a fit with these constants, and prints it for several sizes of blocks and numbers of
workers, with a slow worker, and with a slow store. ``--write docs/scale.md`` puts the tables between the
marks of that page. Nothing of a real network is in it but the bandwidths that are stated.
"""

from __future__ import annotations

import argparse
import heapq
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

BEGIN, END = "<!-- cluster model: begin -->", "<!-- cluster model: end -->"
ROWS, COLUMNS, CLUSTERS, PASSES = 10**10, 8, 32, 7  # moments, five passes, inertia
BLOCKS = (1 << 18, 1 << 20, 1 << 22, 1 << 24)
MERGED_AT_ONCE = 8  # results per task that adds them up, as in coterie.scale
MEASURED_ROWS = 1 << 20


@dataclass(frozen=True)
class Constants:
    """What things cost, in seconds; measured here but for the bandwidths.

    Parameters
    ----------
    task : float
        The scheduler's own work per task: it does one after the other.
    graph : float
        The client's work per task and pass: making it and handing it over.
    row : float
        A worker's work per row of a pass.
    decode : float
        A worker's work per row that is decoded, in the first pass.
    merge : float
        Adding up the results of eight blocks, and the way there and back.
    store : float
        Bytes per second that all workers together get from where the files are.
    link : float
        Bytes per second between two workers.
    """

    task: float = 1.8e-3
    graph: float = 1.0e-4
    row: float = 3.0e-8
    decode: float = 1.0e-7
    merge: float = 3.0e-3
    store: float = 10e9
    link: float = 1e9


@dataclass(frozen=True)
class Cluster:
    """Workers of one processor each; some may be slow."""

    n_workers: int = 100
    n_slow: int = 0
    slowness: float = 5.0  # how many times as long a slow worker takes
    steals: bool = True  # whether idle workers take tasks of others


@dataclass(frozen=True)
class Played:
    """A pass as it was played: seconds from its begin to its end, and of whom."""

    seconds: float
    scheduler: float  # busy
    workers: float  # busy, on average
    tail: float  # from the end of the last block to the end of the last merge

    @property
    def limit(self) -> str:
        """What the pass waited for most."""
        if self.scheduler > 0.8 * self.seconds:
            return "scheduler"
        if self.tail > 0.3 * self.seconds:
            return "merging"
        return "workers" if self.workers > 0.8 * self.seconds else "slow workers"


def play_pass(n_blocks: int, work: float, cluster: Cluster, constants: Constants) -> Played:
    """Play one pass: the scheduler hands out one block after the other, workers do them, totals follow.

    Parameters
    ----------
    n_blocks : int
        Tasks.
    work : float
        Seconds of a worker per task.
    cluster : Cluster
        Who does them.
    constants : Constants
        What else costs time.
    """
    n = cluster.n_workers
    speed = np.ones(n)
    speed[: cluster.n_slow] = cluster.slowness
    home = np.arange(n_blocks) * n // n_blocks  # the same rows go to the same worker in each pass
    queues: list[list[int]] = [list(np.flatnonzero(home == worker)[::-1]) for worker in range(n)]
    ends = np.zeros(n_blocks)
    clock = constants.graph * n_blocks  # the client hands the graph over first
    begun, busy, scheduler = clock, 0.0, 0.0
    idle = [(clock, worker) for worker in range(n)]
    heapq.heapify(idle)
    left = n_blocks
    while left and idle:
        free, worker = heapq.heappop(idle)
        queue = queues[worker]
        if not queue:
            if not cluster.steals:
                continue
            queue = max(queues, key=len)
            if not queue:
                break
            block = queue.pop(0)  # from the end that its owner would reach last
        else:
            block = queue.pop()
        clock = max(clock, free) + constants.task  # the scheduler does one thing at a time
        scheduler += constants.task
        ends[block] = clock + work * speed[worker]
        busy += work * speed[worker]
        left -= 1
        heapq.heappush(idle, (ends[block], worker))
    total = 0.0  # merges follow one another: each waits for its blocks and for the merge before
    for first in range(0, n_blocks, MERGED_AT_ONCE):
        total = max(total, float(ends[first : first + MERGED_AT_ONCE].max())) + constants.merge
        scheduler += constants.task
    return Played(total, scheduler + begun, busy / n, total - float(ends.max()))


def play_fit(rows: int, block_rows: int, cluster: Cluster, constants: Constants) -> list[Played]:
    """Play a fit of k-means: a pass that decodes the rows, then passes over kept rows."""
    n_blocks = -(-rows // block_rows)
    per_block = rows / n_blocks
    bytes_per_worker = constants.store / cluster.n_workers
    read = per_block * COLUMNS * 4 / bytes_per_worker
    first = play_pass(n_blocks, per_block * (constants.decode + constants.row) + read, cluster, constants)
    later = play_pass(n_blocks, per_block * constants.row, cluster, constants)
    return [first] + [later] * (PASSES - 1)


def shuffle_seconds(rows: int, cluster: Cluster, constants: Constants, columns: int = 2) -> float:
    """Return what it takes to bring every row of DBSCAN to its box: all but its own share leaves a worker."""
    leaves = rows * (8 * columns + 8) / cluster.n_workers * (1 - 1 / cluster.n_workers)
    return leaves / constants.link


def measure(constants: Constants) -> Constants:
    """Return the constants of this machine; bandwidths stay as they are stated."""
    from benchmarks.growth import seconds_per_task
    from coterie import scale
    from coterie.scale.runtime.passes import tasks

    rng = np.random.default_rng(0)
    X = rng.normal(size=(MEASURED_ROWS, COLUMNS)).astype(np.float32)
    start = X[:CLUSTERS].copy()

    def fit(passes: int) -> float:
        began = time.process_time()
        scale.KMeans(CLUSTERS, init=start, max_iter=passes, tol=0.0).fit(X)
        return time.process_time() - began

    fit(1)
    row = max(1e-9, (fit(9) - fit(1)) / 8 / MEASURED_ROWS)
    blocks = scale.read_blocks(np.zeros((8192 * 200, 1), np.float32), block_rows=8192)
    began = time.perf_counter()
    tasks(blocks, abs)
    graph = (time.perf_counter() - began) / 200
    task = seconds_per_task()
    return replace(constants, task=task, graph=graph, row=row, decode=_decode_seconds(X), merge=2 * task)


def _decode_seconds(X: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> float:
    import tempfile

    import pyarrow
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.parquet"
        pq.write_table(pyarrow.table({str(at): column for at, column in enumerate(X.T.copy())}), path)
        began = time.process_time()
        table = pq.read_table(path, use_threads=False)
        np.stack([column.to_numpy() for column in table.columns], axis=1)
        return (time.process_time() - began) / len(X)


def _power(rows: int) -> str:
    return f"{rows:.0e}".replace("e+", "e").replace("e0", "e")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def tables(constants: Constants, rows: int = ROWS, given: Sequence[str] = ()) -> str:
    """Return the tables, and what they show, in Markdown; `given` names constants that were not measured."""
    but = f" (but for {', '.join(given)})" if given else ""
    costs = (
        f"scheduler {constants.task * 1e3:.2g} ms per task, client {constants.graph * 1e6:.0f} µs per task, "
        f"pass {constants.row * 1e9:.0f} ns per row, decoding {constants.decode * 1e9:.0f} ns per row, "
        f"merge {constants.merge * 1e3:.2g} ms"
    )
    assumed = f"store {constants.store / 1e9:.0f} GB/s in all, links {constants.link / 1e9:.0f} GB/s"
    lines = [
        f"Played by `python -m benchmarks.cluster_model`: k-means of {_power(rows)} x {COLUMNS} rows, "
        f"{CLUSTERS} groups, {PASSES} passes. Measured on two cores{but}: {costs}. Assumed: {assumed}.",
        "**A simulation, not a measurement.**",
        "",
        "| workers | rows per block | tasks per pass | first pass | later passes | fit | waits for |",
        "|---|---|---|---|---|---|---|",
    ]
    for n_workers in (10, 100, 1000):
        for block_rows in BLOCKS:
            played = play_fit(rows, block_rows, Cluster(n_workers), constants)
            lines.append(
                f"| {n_workers:,} | {block_rows:,} | {-(-rows // block_rows):,} "
                f"| {_duration(played[0].seconds)} | {_duration(played[1].seconds)} "
                f"| {_duration(sum(one.seconds for one in played))} | {played[1].limit} |"
            )
    block = BLOCKS[2]
    plain = play_fit(rows, block, Cluster(), constants)
    cases = {
        "as above": plain,
        "one worker 5 times as slow, no stealing": play_fit(
            rows, block, Cluster(n_slow=1, steals=False), constants
        ),
        "one worker 5 times as slow, stealing": play_fit(rows, block, Cluster(n_slow=1), constants),
        "store of 1 GB/s": play_fit(rows, block, Cluster(), replace(constants, store=1e9)),
        "scheduler twice as slow": play_fit(
            rows, block, Cluster(), replace(constants, task=2 * constants.task)
        ),
    }
    lines += ["", f"| 100 workers, blocks of {block:,} rows | first pass | fit |", "|---|---|---|"]
    for name, played in cases.items():
        whole = sum(one.seconds for one in played)
        lines.append(f"| {name} | {_duration(played[0].seconds)} | {_duration(whole)} |")
    shuffle = shuffle_seconds(rows, Cluster(), constants)
    pairs = (rows / block) ** 2 / 2 * constants.task
    lines += [
        "",
        "What breaks first is the scheduler: it hands out one task after the other, so that blocks of the",
        "default size keep it busy longer than 100 workers work; more workers do not help, larger blocks do",
        "(`read_blocks(X, block_rows=1 << 22)`). Then comes the first pass, which waits for the store.",
        "Merges follow one another, to keep the order of sums, and end every pass. The exchange of rows of",
        f"DBSCAN takes {_duration(shuffle)} of the links; the pairs of blocks of single linkage keep the",
        f"scheduler busy for {pairs / 3600:,.1f} hours: use `Summaries` there.",
    ]
    return "\n".join(lines)


def write(page: Path, text: str) -> None:
    """Put text between the marks of a page."""
    old = page.read_text(encoding="utf-8")
    before, _, rest = old.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_model", description=__doc__)
    parser.add_argument("--rows", type=float, default=ROWS, help="rows of the fit")
    parser.add_argument("--write", type=Path, help="the page that gets the tables")
    for name, value in asdict(Constants()).items():
        parser.add_argument(f"--{name}", type=float, help=f"instead of measuring, for example {value:g}")
    options = parser.parse_args(words)
    given = {name: getattr(options, name) for name in asdict(Constants())}
    told = {name: value for name, value in given.items() if value is not None}
    is_told = {"task", "graph", "row", "decode", "merge"} <= set(told)
    constants = replace(Constants() if is_told else measure(Constants()), **told)
    measured = [name for name in told if name not in ("store", "link")]
    text = tables(constants, int(options.rows), measured)
    print(text)
    if options.write is not None:
        write(options.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
