"""How good `coterie.fit` is with no arguments: ``python -m benchmarks.auto [FOLDER ...]``.

Right number of groups and adjusted Rand index on sets with known groups, and "no groups" on sets without any,
next to what people do today: k-means with the best silhouette over k, and HDBSCAN with its defaults. A FOLDER
has published sets: ten as ``*.data.gz``, or any number as ``*.npz`` of rows X and groups y, -1 for noise.
Without one, the others are run alone.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from benchmarks import auto_kinds, auto_sets
from benchmarks.auto_sets import Sets

SILHOUETTE_ROWS = 2_000

Methods = Mapping[str, Callable[[Any], Any]]


def ours(X: Any) -> Any:
    """Return the labels of `coterie.fit` with no arguments."""
    import coterie

    return coterie.fit(X).labels


def best_silhouette(X: Any) -> Any:
    """Return the labels of k-means with the best silhouette over k, as people do."""
    runs = [KMeans(k, n_init=10, random_state=0).fit(X).labels_ for k in range(2, 16)]
    return max(
        runs, key=lambda labels: silhouette_score(X, labels, sample_size=SILHOUETTE_ROWS, random_state=0)
    )


def default_hdbscan(X: Any) -> Any:
    """Return the labels of HDBSCAN with its defaults."""
    return HDBSCAN(copy=True).fit(X).labels_


PEERS = {"k-means + silhouette": best_silhouette, "HDBSCAN": default_hdbscan}


def families(folders: Sequence[Path], seed: int) -> dict[str, Callable[[], Sets]]:
    """Return what makes the sets of each table."""
    found: dict[str, Callable[[], Sets]] = {}
    for folder in folders:
        if any(folder.glob("*.npz")):
            found["published shapes"] = partial(auto_sets.arrays, folder)
        else:
            found["published"] = partial(auto_sets.sipu, folder)
    return found | {
        "blobs": partial(auto_sets.blobs, seed),
        "shapes": partial(auto_sets.shapes, seed),
        "curves": partial(auto_sets.curves, seed),
        "kinds": partial(auto_kinds.kinds, seed),
        "toys": auto_sets.toys,
        "real": auto_sets.real,
        "no groups": partial(auto_sets.nulls, seed),
        "no groups, others": partial(auto_sets.other_nulls, seed),
    }


def table(title: str, sets: Sets, methods: Methods) -> None:
    """Print one table: number of groups, adjusted Rand index and seconds of each method on each set."""
    print(f"\n{title:<24}{'k':>4}" + "".join(f"{name:>26}" for name in methods))
    right, rand = dict.fromkeys(methods, 0), {name: [] for name in methods}
    n_sets = 0
    for name, X, y in sets:
        k = len(np.unique(y[y >= 0]))
        n_sets += 1
        cells = []
        for who, method in methods.items():
            began = time.perf_counter()
            labels = method(X)
            seconds = time.perf_counter() - began
            found = max(len(np.unique(labels[labels >= 0])), 1)
            right[who] += found == k
            rand[who].append(adjusted_rand_score(y, labels))
            cells.append(f"{found:>8} {rand[who][-1]:>7.2f} {seconds:>7.1f} s")
        print(f"{name:<24}{k:>4}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    totals = [f"{right[who]:>5}/{n_sets:<2} {np.mean(rand[who]):>7.2f}          " for who in methods]
    print(f"{'right; mean ARI':<28}" + "".join(f"{cell:>26}" for cell in totals), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*", help="have published sets")
    parser.add_argument("--seed", type=int, default=0, help="of the generated sets")
    parser.add_argument("--only", default="", help="only tables whose title holds this text")
    parser.add_argument("--ours", action="store_true", help="without the peers")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    methods = {"coterie": ours, **({} if options.ours else PEERS)}
    for title, make in families(options.folders, options.seed).items():
        if options.only in title:
            table(title, make(), methods)


if __name__ == "__main__":
    main()
