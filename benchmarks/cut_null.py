"""Where the bars of `sparse_cuts` and `density_steps` of `coterie.pipeline.judge` come from.

``python -m benchmarks.cut_null [DRAWS]``: clouds without clusters are cut by several methods. Printed is, by
kind of cloud, which share of the neighbours of a round cloud the cuts divide (the 0.5 %, 5 % and 50 % that
divide fewest, of the weakest borders that hold each partition together), and what a step of the density shows
of a dense group within a sparse one (the 50 %, 95 % and 99.5 % deepest).
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.auto_sets import null
from coterie.cluster import GaussianMixture, KMeans
from coterie.cluster.agglomerative import cut_tree, genie_children
from coterie.pipeline.judge.density_steps import LEAST_NEIGHBOURS, SEVERAL, evidence_of_step
from coterie.pipeline.judge.density_valleys import UnionFind, Valleys
from coterie.pipeline.judge.sparse_cuts import LEAST_ROWS, elongations, shares_of_cuts
from coterie.tree import Dendrogram, linkage

KINDS = ("box", "gauss", "t", "disc", "skewed")
SIZES = (100, 300, 1_000)
DIMENSIONS = (2, 3)
NUMBERS = (2, 3, 4)
GINI_THRESHOLDS = (0.1, 0.3, 0.5)
MODE_SCALES = (5, 12, 18)


def cuts(valleys: Valleys) -> Iterator[Any]:
    """Yield partitions of one cloud."""
    X = np.asarray(valleys.X)
    merges = Dendrogram.from_linkage(linkage(X, "ward"))
    children = [genie_children(valleys.distances.spanning_tree(), at) for at in GINI_THRESHOLDS]
    for k in NUMBERS:
        yield merges.cut(n_clusters=k)
        yield KMeans(k, n_init=2, random_state=0).fit(X).labels_
        yield from (cut_tree(each, len(X), k) for each in children)
        yield from (tree.cut(k) for tree in valleys.trees if tree.n_neighbors in MODE_SCALES)


def weakest_shares(valleys: Valleys, labels: Any) -> Iterator[float]:
    """Yield the shares of the borders that hold a partition together, the largest share first."""
    X, k = np.asarray(valleys.X, dtype=np.float64), int(labels.max()) + 1
    low, high = np.triu_indices(k, 1)
    m = X.shape[1]
    shares = shares_of_cuts(labels, valleys.neighbours, low, high, float(m))
    shares *= elongations(X, labels, low, high, m)
    sizes, joined = np.bincount(labels, minlength=k), UnionFind(k)
    for at in np.argsort(-shares, kind="stable"):
        one, other = int(low[at]), int(high[at])
        if not joined.are_joined(one, other):
            joined.join(one, other)
            if min(sizes[one], sizes[other]) >= LEAST_ROWS:
                yield float(shares[at])


def steps(valleys: Valleys) -> Iterator[float]:
    """Yield what steps of the density show between a dense group and the rest."""
    X = np.asarray(valleys.X, dtype=np.float64)
    densities = [tree.log_density for tree in valleys.trees if tree.n_neighbors >= LEAST_NEIGHBOURS]
    trials = [tree.cut(2, background=True) for tree in valleys.trees if tree.n_neighbors >= LEAST_NEIGHBOURS]
    for labels in [*trials, GaussianMixture(2, random_state=0).fit(X).predict(X)]:
        if len(np.unique(labels)) > 1:
            yield evidence_of_step(X, densities, labels) + SEVERAL


def main(n_draws: int) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    shares: dict[str, list[float]] = defaultdict(list)
    shown: dict[str, list[float]] = defaultdict(list)
    for kind in KINDS:
        for n in SIZES:
            for d in DIMENSIONS:
                for draw in range(n_draws):
                    valleys = Valleys(
                        np.ascontiguousarray(null(kind, n, d, np.random.default_rng([draw, n, d])))
                    )
                    for labels in cuts(valleys):
                        shares[kind] += weakest_shares(valleys, valleys.fill(labels))
                    shown[kind] += steps(valleys)
    for kind in KINDS:
        divided = np.quantile(shares[kind], (0.005, 0.05, 0.5)).round(2)
        print(f"{kind:10}divided {divided}  steps {np.quantile(shown[kind], (0.5, 0.95, 0.995)).round(2)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
