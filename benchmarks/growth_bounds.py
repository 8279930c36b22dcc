"""What is known about the growth of each method in the number of rows, and why ours may grow faster."""

from __future__ import annotations

from typing import NamedTuple

LINKAGES = ("ward", "average", "complete", "single")
CATEGORICAL = ("kmodes",)


class Bound(NamedTuple):
    """The best known exponent of the time in n, up to logarithms, and what it rests on."""

    time: float
    reason: str


_PASSES = "a pass over the rows per iteration; more rows take more iterations to converge"
_TREE = (
    "n log n by a kd-tree in few columns; towards 2 as columns grow, where no method is known to do better"
)
_MATRIX = "every pair is looked at; no faster exact method is known for arbitrary distances"

BOUNDS: dict[str, Bound] = {
    "kmeans": Bound(1, _PASSES),
    "minibatch-kmeans": Bound(1, "batches of a fixed size; labels at the end take one pass"),
    "agglomerative ward": Bound(1, _TREE.replace("n log n", "about n log n")),
    "agglomerative average": Bound(2, _MATRIX),
    "agglomerative complete": Bound(2, _MATRIX),
    "agglomerative single": Bound(1, _TREE),
    "genie": Bound(1, _TREE),
    "diana": Bound(2, "every split looks at the pairs of a group: n^2 for even splits, n^3 at the worst"),
    "bisecting-kmeans": Bound(1, _PASSES),
    "hierarchical-kmeans": Bound(1, "a pass per level of the tree, about log n levels"),
    "constrained-kmeans": Bound(1, "a flow between rows and centres per iteration: n k log n for few groups"),
    "birch": Bound(1, "one descent of a tree per row; the merging of subclusters grows with their number"),
    "dbscan": Bound(1, _TREE + "; the automatic radius asks for neighbours once more"),
    "hdbscan": Bound(1, _TREE),
    "optics": Bound(1, _TREE + "; without a radius every row looks at all others: n^2"),
    "modes": Bound(1, _TREE),
    "mean-shift": Bound(1, _TREE + "; the radius, where it is not given, looks at all pairs: n^2"),
    "mixture": Bound(1, _PASSES),
    "bayesian-mixture": Bound(1, _PASSES),
    "fuzzy": Bound(1, _PASSES),
    "som": Bound(1, _PASSES),
    "vmf": Bound(1, _PASSES),
    "latent-classes": Bound(1, _PASSES),
    "spectral": Bound(
        2,
        "Gaussian affinities of all pairs are multiplied, not stored; n for `landmarks=` and for neighbours",
    ),
    "leiden": Bound(1, _TREE + "; passes over the edges"),
    "embedding": Bound(1, "approximate neighbours: about n^1.1 [dong-2011]; passes over the edges"),
    "kmedoids": Bound(2, _MATRIX + "; beyond 50,000 rows a batch of ln n rows judges: n log n"),
    "affinity": Bound(2, "a message between every pair of rows per iteration"),
    "kmodes": Bound(1, _PASSES),
    "kprototypes": Bound(1, _PASSES),
    "kernel-kmeans": Bound(2, _MATRIX + "; beyond 20,000 rows by landmarks: n"),
    "consensus": Bound(2, "counts of every pair of rows"),
}
