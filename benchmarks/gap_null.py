"""How often data without groups show a gap that `coterie.pipeline.judge.density_valleys` takes for evidence.

``python -m benchmarks.gap_null [DRAWS]``: clouds of several kinds, rows and columns are cut along their
spanning tree by Genie and single linkage, into two to eight parts; printed is, by kind of cloud, in how many
draws a gap between two parts of any cut is evidence.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.auto_sets import NULLS, null
from coterie.cluster.agglomerative import cut_tree, genie_children
from coterie.distance import spanning_tree
from coterie.pipeline.judge.density_valleys import Valleys

KINDS = (*NULLS, "stars", "skewed")
SIZES = (80, 300, 1_200)
DIMENSIONS = (2, 3, 10)
GINI_THRESHOLDS = (0.1, 0.3, 0.5, 1.0)  # the last is single linkage
NUMBERS = range(2, 9)


def shows_a_gap(X: Any) -> bool:
    """Return whether a gap between two parts of some cut is evidence."""
    valleys, tree = Valleys(X), spanning_tree(X)
    for threshold in GINI_THRESHOLDS:
        children = genie_children(tree, threshold)
        for k in NUMBERS:
            labels = cut_tree(children, len(X), k)
            ends = np.sort(labels[tree.edges], axis=1)
            low, high = ends[ends[:, 0] != ends[:, 1]].T
            if (valleys._across_gaps(labels, np.bincount(labels), low, high, k) > 0).any():
                return True
    return False


def main(n_draws: int) -> None:
    """Print the table."""
    found: dict[str, list[bool]] = defaultdict(list)
    for kind in KINDS:
        for n in SIZES:
            for d in DIMENSIONS:
                for seed in range(n_draws):
                    X = null(kind, n, d, np.random.default_rng([seed, n, d]))
                    found[kind].append(shows_a_gap(np.ascontiguousarray(X)))
    for kind, shown in found.items():
        print(f"{kind:10}{sum(shown):>5} of {len(shown)}")
    everything = [one for shown in found.values() for one in shown]
    print(f"{'all':10}{sum(everything):>5} of {len(everything)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
