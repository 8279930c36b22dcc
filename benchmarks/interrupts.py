"""How soon Ctrl-C ends what takes long: every method of the catalogue, and the long functions.

``python -m benchmarks.interrupts`` runs each in a process of its own. A clock sends it signals; printed are
the longest time in which Python heard none and the place where it heard the next, by the clock and, in
brackets, in seconds of the processor, all threads together: on a busy machine read those. After ``--seconds``
SIGINT is sent, and the seconds until KeyboardInterrupt are printed. ``--only medoids,linkage`` chooses by
parts of names.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.errors import CoterieError

BAR = 1.0
TICK = 0.02  # seconds between signals
SMALL = 60  # rows of the first run, which imports what is imported with the first use


@dataclass(frozen=True)
class Job:
    """Something that takes long: what it does with data, how the data are made, and of how many rows."""

    act: Callable[[Any], Any]
    n: int
    make: Callable[[int], Any]


def rows(n: int, d: int = 4) -> NDArray[Any]:
    """Return overlapping groups: nothing ends early because it is easy."""
    random = np.random.default_rng(0)
    return random.normal(size=(n, d)) + random.integers(0, 4, size=(n, 1)) * 2.0


def wide(d: int) -> Callable[[int], NDArray[Any]]:
    """Return what makes such rows of d columns."""
    return partial(rows, d=d)


def categories(n: int) -> NDArray[Any]:
    """Return columns of codes."""
    return np.random.default_rng(0).integers(0, 6, size=(n, 12))


def sparse_rows(n: int) -> Any:
    """Return sparse rows, as those of texts."""
    from scipy.sparse import random_array

    return random_array((n, 500), density=0.02, rng=np.random.default_rng(0), format="csr")


def square(n: int) -> NDArray[Any]:
    """Return a matrix of distances."""
    from coterie.distance import pairwise_distances

    return pairwise_distances(rows(n, 20))


def ring(n: int) -> Any:
    """Return a graph of eight links per node."""
    from scipy.sparse import csr_array

    steps = np.array([1, 7, 91, 1234])
    far = np.concatenate([(np.arange(n)[:, None] + sign * steps) % n for sign in (1, -1)], axis=1)
    return csr_array((np.ones(far.size), far.ravel(), np.arange(n + 1) * far.shape[1]), shape=(n, n))


def walks(n: int, length: int = 120) -> NDArray[Any]:
    """Return series that wander."""
    return np.cumsum(np.random.default_rng(0).normal(size=(n, length)), axis=1)


def groups(X: NDArray[Any]) -> NDArray[Any]:
    """Return labels that have nothing to do with the rows."""
    return np.random.default_rng(1).integers(0, 8, size=len(X))


def _fit(name: str, n: int, data: Callable[[int], Any] = rows, **parameters: Any) -> Job:
    from coterie import cluster

    return Job(lambda X: getattr(cluster, name)(**parameters).fit(X), n, data)


def methods() -> dict[str, Job]:
    """Return a long fit of every method of the catalogue, by its name there."""
    long = {"tol": 0, "max_iter": 1000}
    return {
        "kmeans": _fit("KMeans", 400_000, n_clusters=200, n_init=2, **long),
        "minibatch-kmeans": _fit("MiniBatchKMeans", 400_000, n_clusters=200, max_iter=20),
        "agglomerative": _fit("AgglomerativeClustering", 200_000, n_clusters=5),
        "genie": _fit("Genie", 1_000_000, n_clusters=5),
        "diana": _fit("Diana", 8_000, n_clusters=50),
        "bisecting-kmeans": _fit("BisectingKMeans", 500_000, n_clusters=100),
        "hierarchical-kmeans": _fit("HierarchicalKMeans", 500_000, n_clusters=200, branching=4),
        "constrained-kmeans": _fit("ConstrainedKMeans", 20_000, n_clusters=50, size_min=300, size_max=500),
        "fuzzy": _fit("FuzzyCMeans", 300_000, n_clusters=20, tol=0, max_iter=100),
        "birch": _fit("Birch", 600_000, threshold=0.3, n_clusters=5),
        "dbscan": _fit("DBSCAN", 600_000, eps=0.3),
        "hdbscan": _fit("HDBSCAN", 500_000, min_cluster_size=50),
        "optics": _fit("OPTICS", 150_000, min_samples=20),
        "modes": _fit("ModeClustering", 500_000),
        "mean-shift": _fit("MeanShift", 30_000, bandwidth=0.7),
        "mixture": _fit("GaussianMixture", 300_000, n_components=20),
        "bayesian-mixture": _fit("BayesianGaussianMixture", 300_000, n_components=20),
        "vmf": _fit("VonMisesFisherMixture", 300_000, n_components=20),
        "latent-classes": _fit("LatentClasses", 200_000, categories, n_components=10),
        "spectral": _fit("SpectralClustering", 30_000, n_clusters=8, gamma=0.1),
        "leiden": _fit("Leiden", 200_000),
        "embedding": _fit("EmbeddingClustering", 40_000, wide(50)),
        "kmedoids": _fit("KMedoids", 60_000, n_clusters=50),
        "affinity": _fit("AffinityPropagation", 5_000),
        "kmodes": _fit("KModes", 50_000, categories, n_clusters=100, n_init=5),
        "kprototypes": _fit("KPrototypes", 50_000, categories, n_clusters=50, n_init=5),
        "som": _fit("SelfOrganizingMap", 400_000),
        "kernel-kmeans": _fit("KernelKMeans", 10_000, n_clusters=10, method="exact"),
        "consensus": _fit("ConsensusClustering", 8_000, n_clusters=5),
    }


def variants() -> dict[str, Job]:
    """Return other long ways through the methods."""
    from coterie import cluster

    return {
        "kmedoids fasterpam": _fit("KMedoids", 30_000, n_clusters=50, method="fasterpam"),
        "kmedoids of many rows": _fit("KMedoids", 300_000, n_clusters=50),
        "kmedoids manhattan": _fit("KMedoids", 60_000, n_clusters=50, metric="manhattan"),
        "kmedoids of a matrix": _fit("KMedoids", 12_000, square, n_clusters=50, metric="precomputed"),
        "kmeans of sparse rows": _fit("KMeans", 100_000, sparse_rows, n_clusters=100),
        "kmeans wide": _fit("KMeans", 60_000, wide(300), n_clusters=500),
        "kmeans manhattan": _fit("KMeans", 300_000, n_clusters=50, geometry="manhattan"),
        "kmeans breathing": _fit("KMeans", 300_000, n_clusters=50, improve="breathing"),
        "hdbscan wide": _fit("HDBSCAN", 30_000, wide(50), min_cluster_size=20),
        "hdbscan of a matrix": _fit("HDBSCAN", 15_000, square, metric="precomputed"),
        "dbscan wide": _fit("DBSCAN", 60_000, wide(50), eps=5.0),
        "optics wide": _fit("OPTICS", 20_000, wide(30), min_samples=10),
        "optics of a matrix": _fit("OPTICS", 12_000, square, metric="precomputed"),
        "agglomerative complete": _fit("AgglomerativeClustering", 25_000, linkage="complete"),
        "agglomerative of a matrix": _fit(
            "AgglomerativeClustering", 15_000, square, metric="precomputed", linkage="average"
        ),
        "spectral of neighbours": _fit("SpectralClustering", 100_000, affinity="nearest_neighbors"),
        "spectral landmarks": _fit("SpectralClustering", 400_000, n_clusters=8, gamma=0.1),
        "kernel k-means, default": _fit("KernelKMeans", 200_000, n_clusters=10),
        "mixture wide": _fit("GaussianMixture", 40_000, wide(200), n_components=10),
        "mixture of many columns": _fit("GaussianMixture", 5_000, wide(1_500), n_components=2),
        "affinity of a matrix": _fit("AffinityPropagation", 6_000, square, affinity="precomputed"),
        "feature agglomeration": _fit("FeatureAgglomeration", 40, wide(15_000), n_clusters=5),
        "spectral coclustering": Job(
            lambda X: cluster.SpectralCoclustering(5).fit(np.abs(X)), 8_000, wide(2_000)
        ),
        "embedding of many rows": _fit("EmbeddingClustering", 150_000, wide(20)),
        "suggest_eps": Job(cluster.suggest_eps, 100_000, wide(20)),
        "estimate_bandwidth": Job(cluster.estimate_bandwidth, 40_000, wide(10)),
        "leiden of a graph": Job(cluster.leiden, 400_000, ring),
        "lay_out_graph": Job(partial(cluster.lay_out_graph, n_epochs=100), 100_000, ring),
    }


def functions() -> dict[str, Job]:
    """Return the long functions."""
    import coterie
    from coterie import distance, evaluate, phylogeny, select, series, tree
    from coterie.evaluate import belief, internal

    def in_best_order(X: Any) -> Any:
        dendrogram = tree.Dendrogram.from_linkage(tree.linkage(X, "average"))
        return dendrogram.leaf_order(optimal=True, X=X)

    sizes = {"single": 1_000_000, "complete": 40_000, "average": 30_000, "weighted": 30_000, "ward": 300_000}
    sizes |= {"centroid": 60_000, "median": 30_000, "minimax": 4_000}
    jobs = {f"linkage {name}": Job(partial(tree.linkage, method=name), n, rows) for name, n in sizes.items()}
    jobs |= {
        name: Job(lambda X, name=name: getattr(internal, name)(X, groups(X)), n, rows)  # type: ignore[misc]
        for name, n in [("gamma", 12_000), ("tau", 12_000), ("c_index", 12_000), ("s_dbw", 1_000_000)]
    }
    jobs |= {
        name: Job(lambda X, name=name: getattr(evaluate, name)(X, groups(X)), n, rows)  # type: ignore[misc]
        for name, n in [("silhouette_samples", 150_000), ("dunn_score", 100_000), ("dbcv", 40_000)]
    }
    return jobs | {
        "linkage average manhattan": Job(
            partial(tree.linkage, method="average", metric="cityblock"), 30_000, rows
        ),
        "optimal order of leaves": Job(in_best_order, 12_000, rows),
        "spanning_tree": Job(distance.spanning_tree, 1_000_000, rows),
        "spanning_tree wide": Job(distance.spanning_tree, 50_000, wide(60)),
        "pairwise_distances": Job(partial(distance.pairwise_distances, metric="canberra"), 20_000, wide(30)),
        "pairwise_distances minkowski": Job(
            partial(distance.pairwise_distances, metric="minkowski", p=3), 12_000, wide(200)
        ),
        "k_nearest": Job(partial(distance.k_nearest, n_neighbors=15), 100_000, wide(40)),
        "k_nearest, approximate": Job(
            partial(distance.k_nearest, n_neighbors=15, recall=0.95), 200_000, wide(40)
        ),
        "assess": Job(lambda X: evaluate.assess(X, groups(X)), 30_000, rows),
        "stability": Job(lambda X: evaluate.stability(_kmeans(), X), 100_000, rows),
        "fit_pca_box": Job(belief.fit_pca_box, 4_000, wide(2_000)),
        "choose_k": Job(select.choose_k, 20_000, rows),
        "neighbour_joining": Job(phylogeny.neighbour_joining, 4_000, square),
        "series dtw matrix": Job(partial(series.pairwise, metric="dtw"), 1_500, walks),
        "series soft_dtw matrix": Job(partial(series.pairwise, metric="soft_dtw"), 400, walks),
        "series one long pair": Job(lambda X: series.dtw(X[:, 0], X[:, 1]), 60_000, wide(2)),
        "series barycentre": Job(series.dtw_barycentre, 300, partial(walks, length=400)),
        "series soft barycentre": Job(series.soft_dtw_barycentre, 60, partial(walks, length=300)),
        "TimeSeriesKMeans": Job(lambda X: series.TimeSeriesKMeans(8).fit(X), 800, walks),
        "KShape": Job(lambda X: series.KShape(8).fit(X), 3_000, walks),
        "coterie.fit": Job(coterie.fit, 10_000, rows),
        "coterie.fit of many columns": Job(coterie.fit, 3_000, wide(1_500)),
        "coterie.fit of many rows": Job(coterie.fit, 500_000, rows),
    }


def _kmeans() -> Any:
    from coterie.cluster import KMeans

    return KMeans(8, random_state=0)


def files() -> dict[str, Job]:
    """Return the reading of large files, which are made first."""
    from coterie.read import read_table

    folder = Path(tempfile.gettempdir()) / "coterie-interrupts"

    def table(n: int, ending: str) -> Path:
        import polars

        path = folder / f"{n}.{ending}"
        if not path.exists():
            folder.mkdir(exist_ok=True)
            frame = polars.DataFrame({f"c{i}": column for i, column in enumerate(rows(n, 12).T)})
            frame.write_parquet(path) if ending == "parquet" else frame.write_csv(path)
        return path

    return {
        "reading csv": Job(read_table, 1_500_000, partial(table, ending="csv")),
        "reading csv.gz": Job(read_table, 500_000, lambda n: _packed(table(n, "csv"))),
        "reading parquet": Job(read_table, 3_000_000, partial(table, ending="parquet")),
    }


def _packed(path: Path) -> Path:
    import gzip

    packed = path.with_suffix(".csv.gz")
    if not packed.exists():
        packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    return packed


def jobs() -> dict[str, Job]:
    """Return all jobs, by name."""
    return methods() | variants() | functions() | files()


class Listener:
    """Hears a signal every tick and keeps the longest time without one."""

    def __init__(self) -> None:
        self.longest = self.used = 0.0
        self.place = ""
        self._heard, self._used_then = time.monotonic(), time.process_time()

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        now, used = time.monotonic(), time.process_time()
        if used - self._used_then > self.used:
            self.longest, self.used = now - self._heard, used - self._used_then
            self.place = _place(frame)
        self._heard, self._used_then = now, used


def _place(frame: FrameType | None) -> str:
    """Return the innermost line of the package."""
    while frame is not None and "/coterie/" not in frame.f_code.co_filename:
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename.rpartition('/coterie/')[2]}:{frame.f_lineno}"


def run_job(name: str) -> None:
    """Run a job until it ends or the parent stops it; tell how it was."""
    job = jobs()[name]
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(CoterieError):  # more groups than so few rows
        job.act(job.make(min(job.n, SMALL)))
    X = job.make(job.n)
    listener = Listener()
    end = "interrupted"
    try:
        signal.signal(signal.SIGALRM, listener.hear)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        print("begun", flush=True)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        job.act(X)
        end = "ended"
    except KeyboardInterrupt:
        pass
    at = time.monotonic()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(end, at, used.ru_utime + used.ru_stime, listener.longest, listener.used, listener.place, flush=True)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, seconds: float) -> tuple[bool, str]:
    """Run a job and return whether it was late, and what was measured."""
    command = [sys.executable, "-m", "benchmarks.interrupts", "--job", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if process.stdout.readline() != "begun\n":
            return True, "failed"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        sent, used = time.monotonic(), 0.0
        if process.returncode is None:
            used = _processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
        end, at, used_then, longest, longest_used, *place = process.stdout.readline().split()
    waited = f"{end} after {float(at) - sent:.2f} ({float(used_then) - used:.2f})" if used else end
    late = float(longest_used) > BAR or (used > 0 and float(used_then) - used > BAR)
    where = place[0] if place else ""
    return late, f"{float(longest):6.2f} ({float(longest_used):.2f})  {where:50} {waited}"


def main() -> int:
    """Measure what is asked for; return 1 where something takes longer than the bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interrupts", description=__doc__)
    parser.add_argument("--only", default="", help="parts of names, with commas")
    parser.add_argument("--seconds", type=float, default=20.0, help="when SIGINT is sent")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.job:
        run_job(asked.job)
        return 0
    names = [name for name in jobs() if any(part in name for part in asked.only.split(","))]
    if asked.list:
        print("\n".join(names))
        return 0
    n_late = 0
    for name in names:
        is_late, told = measure(name, asked.seconds)
        n_late += is_late
        print(f"{'LATE' if is_late else '':5}{name:30}{told}", flush=True)
    return 1 if n_late else 0


if __name__ == "__main__":
    sys.exit(main())
