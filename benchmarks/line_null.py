"""Where the bars of `coterie.pipeline.judge.discriminant_valleys` come from.

``python -m benchmarks.line_null [SECONDS]``: clouds without clusters are cut in two by k-means, Ward's method
and a mixture; printed is, by kind of cloud, rows and columns, the depth that 95 % of the valleys between the
halves stay below, for each window, and the logarithm of the distance, in spreads, that 95 % stay below.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from coterie.cluster import AgglomerativeClustering, GaussianMixture, KMeans
from coterie.pipeline.judge.discriminant_valleys import BARS, Lines, distance_between, valleys_between

KINDS = ("box", "gauss", "t", "sheared")
SIZES = (25, 60, 200, 800)
DIMENSIONS = (1, 2, 5, 15, 50)
ROWS_PER_PARAMETER = 4
LEAST_DRAWS = 5


def cloud(kind: str, n: int, d: int, rng: Any) -> Any:
    """Return one cloud."""
    if kind == "box":
        return rng.uniform(size=(n, d))
    X = rng.normal(size=(n, d))
    if kind == "t":
        return X / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
    return X @ rng.normal(size=(d, d)) if kind == "sheared" else X


def cuts(X: Any) -> dict[str, Any]:
    """Return the halves that several methods make of a cloud."""
    n, d = X.shape
    found = {
        "k-means": KMeans(2, n_init=3, random_state=0).fit(X).labels_,
        "Ward": AgglomerativeClustering(2).fit(X).labels_,
    }
    if n > ROWS_PER_PARAMETER * d * (d + 1):
        found["mixture"] = GaussianMixture(2, random_state=0).fit(X).predict(X)
    return found


def main(seconds: float) -> None:
    """Print the table."""
    rng, began, found = np.random.default_rng(1), time.perf_counter(), defaultdict(list)
    warnings.simplefilter("ignore")
    while not found or time.perf_counter() - began < seconds:
        for kind in KINDS:
            for n in SIZES:
                for d in DIMENSIONS:
                    X = cloud(kind, n, d, rng)
                    for who, labels in cuts(X).items():
                        pair = Lines(X).of(labels, 2).on_lines(0, 1)
                        if pair is not None:
                            found[kind, who, n, d].append((valleys_between(*pair), distance_between(*pair)))
    print(
        f"{'cloud':10}{'cut by':10}{'rows':>6}{'columns':>9}{'draws':>7}"
        + "".join(f"{f'1/{w}':>8}" for w in BARS)
        + f"{'apart':>8}"
    )
    for (kind, who, n, d), drawn in sorted(found.items()):
        if len(drawn) >= LEAST_DRAWS:
            tails = [[depths[w] for depths, _ in drawn if w in depths] for w in BARS]
            tails.append([distance for _, distance in drawn])
            cells = "".join(f"{np.quantile(tail, 0.95):>8.2f}" if tail else f"{'':>8}" for tail in tails)
            print(f"{kind:10}{who:10}{n:>6}{d:>9}{len(drawn):>7}{cells}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 120.0)
