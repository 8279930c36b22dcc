"""How good `coterie.fit` is with no arguments: ``python -m benchmarks.auto [FOLDER]``.

Right number of groups and adjusted Rand index on sets with known groups, and "no groups" on sets without any,
next to what people do today: k-means with the best silhouette over k, and HDBSCAN with its defaults.
"""

from __future__ import annotations

import gzip
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

SIPU = ("s1", "s2", "a1", "d31", "r15", "unbalance", "aggregation", "flame", "jain", "spiral")
NULLS = ("box", "gauss", "t", "line", "disc")
SIZES = (300, 500, 800, 1_200, 2_000, 3_000)
DIMENSIONS = (2, 3, 4, 5, 7, 10)


def sipu(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    """Yield the ten sets with known groups; 0 in the labels is noise, which counts as a group of its own."""
    for name in SIPU:
        with (
            gzip.open(folder / f"{name}.data.gz") as data,
            gzip.open(folder / f"{name}.labels0.gz") as labels,
        ):
            yield name, np.loadtxt(data), np.loadtxt(labels).astype(int)


def toys() -> Iterator[tuple[str, Any, Any]]:
    """Yield sets that were not looked at when the judge was made."""
    for noise in (0.05, 0.1):
        yield f"moons {noise}", *datasets.make_moons(600, noise=noise, random_state=3)
    yield "circles", *datasets.make_circles(600, noise=0.05, factor=0.4, random_state=3)
    for k, d in ((2, 2), (5, 3), (7, 5), (10, 10)):
        yield (
            f"blobs {k} in {d}",
            *datasets.make_blobs(900, d, centers=k, center_box=(-12, 12), random_state=k),
        )
    X, y = datasets.make_blobs(900, centers=3, cluster_std=[1.0, 2.5, 0.5], random_state=170)
    yield "densities", X, y
    X, y = datasets.make_blobs([700, 60, 40], centers=[[0, 0], [8, 0], [0, 8]], random_state=5)
    yield "sizes", X, y
    X, y = datasets.make_blobs(600, centers=3, random_state=170)
    yield "stretched", X @ [[0.6, -0.6], [-0.4, 0.8]], y
    for load in (datasets.load_iris, datasets.load_wine, datasets.load_digits):
        bunch = load()
        yield load.__name__[5:], bunch.data, bunch.target


def nulls(seed: int = 0) -> Iterator[tuple[str, Any, Any]]:
    """Yield thirty sets without groups."""
    rng = np.random.default_rng(seed)
    for at in range(30):
        kind, n, d = NULLS[at % 5], SIZES[(at // 5 + at) % 6], DIMENSIONS[at // 5]
        yield f"{kind} {n} x {d}", null(kind, n, d, rng), np.zeros(n, int)


def null(kind: str, n: int, d: int, rng: Any) -> Any:
    """Return one set without groups."""
    if kind == "box":
        return rng.uniform(size=(n, d))
    if kind == "gauss":
        return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    if kind == "t":
        return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    if kind == "line":
        return rng.uniform(size=(n, 1)) @ rng.normal(size=(1, d)) + 0.01 * rng.normal(size=(n, d))
    X = rng.normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.uniform(size=(n, 1)) ** (1 / d)


def best_silhouette(X: Any) -> Any:
    """Return the labels of k-means with the best silhouette over k, as people do."""
    runs = [KMeans(k, n_init=10, random_state=0).fit(X).labels_ for k in range(2, 16)]
    return max(runs, key=lambda labels: silhouette_score(X, labels, sample_size=2_000, random_state=0))


def main(folder: Path, seed: int) -> None:
    """Print the tables."""
    import coterie

    warnings.simplefilter("ignore")
    methods = {
        "coterie": lambda X: coterie.fit(X).labels,
        "k-means + silhouette": best_silhouette,
        "HDBSCAN": lambda X: HDBSCAN(copy=True).fit(X).labels_,
    }
    for title, sets in (("known groups", sipu(folder)), ("hold-out", toys()), ("no groups", nulls(seed))):
        print(f"\n{title:<22}{'k':>4}" + "".join(f"{name:>26}" for name in methods))
        right, rand = dict.fromkeys(methods, 0), {name: [] for name in methods}
        for name, X, y in sets:
            k = len(np.unique(y[y > 0])) if title == "known groups" else len(np.unique(y))
            cells = []
            for who, method in methods.items():
                began = time.perf_counter()
                labels = method(X)
                seconds = time.perf_counter() - began
                found = max(len(np.unique(labels[labels >= 0])), 1)
                right[who] += found == k
                rand[who].append(adjusted_rand_score(y, labels))
                cells.append(f"{found:>8} {rand[who][-1]:>7.2f} {seconds:>7.1f} s")
            print(f"{name:<22}{k:>4}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
        totals = [f"{right[who]:>8} {np.mean(rand[who]):>7.2f}          " for who in methods]
        print(f"{'right; mean ARI':<26}" + "".join(f"{cell:>26}" for cell in totals), flush=True)


if __name__ == "__main__":
    main(
        Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/sipu"),
        int(sys.argv[2]) if len(sys.argv) > 2 else 0,
    )
