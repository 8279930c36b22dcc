"""Divisive analysis: one cluster is split again and again."""

from __future__ import annotations

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.stoppable import part_of_square
from coterie._support.typing import (
    AnyArray,
    Data,
    Distances,
    FittedAttributes,
    FloatArray,
    Labels,
    MetricLike,
    SparseData,
    Weights,
)
from coterie._support.validation import Anything, Whole, check_n_clusters, require_memory
from coterie._support.validation.schema import Real, Tensor
from coterie.cluster.agglomerative.predict import KnownClusters
from coterie.cluster.agglomerative.row_tree import RowTree
from coterie.cluster.agglomerative.tree_labels import cut_tree
from coterie.cluster.base import Listener
from coterie.distance import pairwise_distances
from coterie.distance.input import distance_of_rows
from coterie.tree.linkage import LinkageMatrix


@estimator
class Diana(RowTree):
    """Divisive (top-down hierarchical) clustering: split the cluster of largest diameter, as R's ``diana``.

    The row that is farthest from the others on average leaves its cluster, and takes with it, one by one, the
    rows that are nearer to those who left than to those who stay. The height of a split is the diameter of
    the cluster.

    Parameters
    ----------
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a function of two rows, or a distance; "precomputed": `X` is
        a square matrix of distances.

    Attributes
    ----------
    children_ : array of shape (n_samples - 1, 2)
        The two parts of each cluster, as in `AgglomerativeClustering`: the lowest split first.
    distances_ : array of shape (n_samples - 1,)
        The diameter of each cluster that is split.
    divisive_coefficient_ : float
        From 0 to 1: the higher, the clearer the structure; it grows with the number of rows.

    Notes
    -----
    `predict` places a new row in the cluster of the nearest row of `fit`: a split never reconsiders who has
    left, so no distance to whole clusters would give the rows of `fit` their own labels back. Needs the
    matrix of distances, and time that grows with n^2 times the depth of the tree.

    Examples
    --------
    >>> from coterie.cluster import Diana
    >>> model = Diana(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.0], [12.0]])
    >>> model.labels_
    array([1, 1, 0, 0, 0])
    >>> model.distances_
    array([ 1.,  1.,  3., 12.])
    """

    n_clusters: int = parameter(Whole(1), "How many clusters to cut the tree into.", default=2)
    _: KW_ONLY
    metric: MetricLike = parameter(Anything(), default="euclidean")

    distances_: FloatArray = fitted(Tensor("rows-1", kind="f8", allow="inf", low=0))
    divisive_coefficient_: float = fitted(Real(nan=True))
    labels_: Labels = fitted(Tensor("rows", kind="i8", low=0, below="rows"), "Cluster of each row.")

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        n = len(X)
        check_n_clusters(self.n_clusters, n, who=type(self).__name__)
        distance = distance_of_rows(self.metric)
        distance = None if distance is None else distance.fit(X)
        require_memory(3 * n * n * 8, f"Diana of {n:,} rows", "Use fewer rows, or BisectingKMeans.")
        D = X if distance is None else pairwise_distances(X, metric=distance)
        Z = divide(D.astype(np.float64, copy=False))
        children = Z[:, :2].astype(np.intp)
        labels = cut_tree(children, n, self.n_clusters)
        return {
            "children_": children,
            "distances_": Z[:, 2].copy(),
            "divisive_coefficient_": divisive_coefficient(Z),
            "n_leaves_": n,
            "labels_": labels,
            "_known": KnownClusters.learn("single", labels, children, distance, X, 1.0),
        }


def split_off(D: Distances) -> AnyArray:
    """Return which rows leave a cluster: the splinter group of Kaufman and Rousseeuw.

    It begins with the row farthest from the others on average. Then the row that is nearest to it, compared
    with those that stay, joins it, as long as there is one that is nearer to it than to those.
    """
    n = len(D)
    to_all = D.sum(axis=1)
    has_left = np.zeros(n, dtype=bool)
    has_left[int(np.argmax(to_all))] = True
    to_left = D[:, has_left].sum(axis=1)
    while has_left.sum() < n - 1:
        n_left = int(has_left.sum())
        gain = (to_all - to_left) / (n - n_left - 1) - to_left / n_left
        gain[has_left] = -np.inf
        row = int(np.argmax(gain))
        if gain[row] <= 0:
            break
        has_left[row] = True
        to_left += D[:, row]
    return has_left


def divide(D: Distances) -> LinkageMatrix:
    """Return the splits down to single rows as SciPy's matrix; heights are diameters.

    Examples
    --------
    >>> divide(np.array([[0.0, 1, 9], [1, 0, 8], [9, 8, 0]]))
    array([[0., 1., 1., 2.],
           [2., 3., 9., 3.]])
    """
    n = len(D)
    splits: list[tuple[float, int, int, int]] = []  # diameter, the two parts, size; parents first
    pending = [(np.arange(n), -1)]
    parts: dict[int, list[int]] = {}
    while pending:
        rows, parent = pending.pop()
        if len(rows) == 1:
            parts.setdefault(parent, []).append(int(rows[0]))
            continue
        own = part_of_square(D, rows)
        split = len(splits)
        splits.append((float(own.max()), split, parent, len(rows)))
        has_left = split_off(own)
        pending += [(rows[has_left], split), (rows[~has_left], split)]
    return _as_merges(splits, parts, n)


def _as_merges(
    splits: list[tuple[float, int, int, int]], leaves: dict[int, list[int]], n: int
) -> LinkageMatrix:
    """Return the splits as merges, from the lowest up, parts before wholes."""
    order = sorted(range(len(splits)), key=lambda split: (splits[split][0], -split))
    node_of = {split: n + place for place, split in enumerate(order)}
    parts = {split: list(leaves.get(split, [])) for split in range(len(splits))}
    for _, split, parent, _ in splits:
        if parent >= 0:
            parts[parent].append(node_of[split])
    return np.array([[*sorted(parts[split]), splits[split][0], splits[split][3]] for split in order])


def divisive_coefficient(Z: LinkageMatrix) -> float:
    """Return the mean of one minus the share of the whole diameter at which each row is left alone.

    Examples
    --------
    >>> divisive_coefficient(np.array([[0.0, 1, 1, 2], [2, 3, 4, 3]]))
    0.5
    """
    n = len(Z) + 1
    alone = np.zeros(n)
    for first, second, height, _ in Z:
        for part in (int(first), int(second)):
            if part < n:
                alone[part] = height
    return float(1 - alone.mean() / Z[-1, 2]) if Z[-1, 2] > 0 else 0.0
