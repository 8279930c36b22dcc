"""The condensed tree of HDBSCAN as a value, and what is read from it: clusters, strengths, outliers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.typing import AnyArray, CheckedRows, FloatArray, Labels, Settings, Weights
from coterie._support.validation.schema import Size, Tensor, wrong

Ids = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


@saved(eq=False)
class CondensedTree:
    """Clusters that split as the density grows, and the rows that leave them.

    Row m says that `child[m]` leaves the cluster `parent[m]` at the density `density[m]`, one over the
    distance. Children below `n_rows` are rows of the data; `n_rows` itself is the root, the cluster of all.

    Parameters
    ----------
    parent, child : arrays of int
        The cluster, and who leaves it.
    size : array of int
        Of how many rows it consists; with weights an array of float, what they weigh.
    density : array of float
        When.
    """

    parent: Ids = held(Tensor("children", kind="i8", low=0, may_be_empty=True))
    child: Ids = held(Tensor("children", kind="i8", low=0, may_be_empty=True))
    density: FloatArray = held(Tensor("children", kind="f8", low=0, allow="inf", may_be_empty=True))
    size: Ids | FloatArray = held(Tensor("children", kind="n", low=0, may_be_empty=True))
    n_rows: int = held(Size("rows", 1), "Rows of the data.")

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        parent, child, n_rows = state["parent"], state["child"], sizes["rows"]
        clusters = np.sort(child[child >= n_rows]) - n_rows
        is_tree = (
            np.array_equal(clusters, 1 + np.arange(len(clusters))) and (parent < child)[child >= n_rows].all()
        )
        is_tree = is_tree and ((parent >= n_rows) & (parent <= n_rows + len(clusters))).all()
        if is_tree and len(child):  # rows, or two clusters, leave every cluster
            is_tree = np.bincount(parent - n_rows, minlength=len(clusters) + 1).all()
        rows = np.bincount(child[child < n_rows], minlength=n_rows)
        if not is_tree or rows.max(initial=0) > 1 or rows.sum() not in (0, n_rows):
            raise wrong("child", cls.__name__, "be a tree in which every row leaves one cluster", "others")

    def __repr__(self) -> str:
        return f"CondensedTree of {self.n_rows:,} rows, {self.n_clusters:,} clusters with the root"

    @property
    def n_clusters(self) -> int:
        """Number of clusters, the root included."""
        return max(int(self.child.max(initial=0)), self.n_rows) - self.n_rows + 1

    @property
    def total(self) -> float:
        """Number of rows, or what they weigh."""
        return float(self.size[self.is_row].sum())

    @property
    def is_row(self) -> npt.NDArray[np.bool_]:
        """Which children are rows of the data."""
        return self.child < self.n_rows

    def births(self) -> FloatArray:
        """Return the density at which each cluster came to be; 0 for the root."""
        births = np.zeros(self.n_clusters)
        births[self.child[~self.is_row] - self.n_rows] = self.density[~self.is_row]
        return births

    def deaths(self) -> FloatArray:
        """Return the density at which the last row left each cluster."""
        deaths = np.zeros(self.n_clusters)
        np.maximum.at(deaths, self.parent - self.n_rows, self.density)
        return deaths

    def parents(self) -> Ids:
        """Return each cluster's parent, counted from the root, which is 0 and its own parent."""
        parents = np.zeros(self.n_clusters, dtype=np.int64)
        parents[self.child[~self.is_row] - self.n_rows] = self.parent[~self.is_row] - self.n_rows
        return parents

    def sizes(self) -> Ids | FloatArray:
        """Return the number of rows of each cluster, or their weight; for the root, of the clusters below."""
        sizes: AnyArray = np.zeros(self.n_clusters, dtype=self.size.dtype)
        sizes[self.child[~self.is_row] - self.n_rows] = self.size[~self.is_row]
        sizes[0] = sizes[self.parents() == 0].sum()
        return np.asarray(sizes)

    def stabilities(self) -> FloatArray:
        """Return the excess of mass of each cluster: the sum over its rows of how long they stayed in it."""
        born = self.births()[self.parent - self.n_rows]
        stabilities = np.zeros(self.n_clusters)
        with np.errstate(invalid="ignore"):
            np.add.at(stabilities, self.parent - self.n_rows, (self.density - born) * self.size)
        return stabilities

    def last_clusters(self) -> tuple[Ids, FloatArray]:
        """Return for each row the last cluster it was in, counted from the root, and when it left."""
        cluster = np.zeros(self.n_rows, dtype=np.int64)
        density = np.zeros(self.n_rows)
        cluster[self.child[self.is_row]] = self.parent[self.is_row] - self.n_rows
        density[self.child[self.is_row]] = self.density[self.is_row]
        return cluster, density


def condense(
    edges: Ids, distance: Reals, core: Reals, min_cluster_size: int, weights: Weights | None
) -> tuple[list[AnyArray], CondensedTree]:
    """Return the merges (left, right, distance) along the sorted edges of a spanning tree, and their tree."""
    least = int(min_cluster_size)
    if weights is None:
        left, right, size = _core.merge_components(edges)
        rows: CheckedRows = _core.condense(left, right, distance, size, least)
    else:
        left, right, weight = _core.merge_components(edges, weights)
        rows = _core.condense(left, right, distance, weight, least, weights, core)
    parent, child, density, sizes = rows
    return [left, right, distance], CondensedTree(parent, child, density, sizes, len(core))


@dataclass(frozen=True)
class SelectedClusters:
    """Which clusters of the tree count."""

    method: str
    allow_single_cluster: bool = False
    epsilon: float = 0.0
    max_cluster_size: int | None = None


def select_clusters(tree: CondensedTree, selection: SelectedClusters) -> Ids:
    """Return the chosen clusters, counted from the root, in rising order."""
    if tree.n_clusters == 1:
        is_kept = selection.method == "eom" and selection.allow_single_cluster
        return np.zeros(1 if is_kept else 0, dtype=np.int64)
    if selection.method == "leaf":
        chosen = np.setdiff1d(np.arange(tree.n_clusters), tree.parents()[1:])
    else:
        chosen = _by_excess_of_mass(tree, selection)
        if chosen.tolist() == [0]:
            return chosen
    if selection.epsilon > 0:
        chosen = _merged_below(tree, chosen, selection)
    return chosen


def _by_excess_of_mass(tree: CondensedTree, selection: SelectedClusters) -> Ids:
    """Keep a cluster unless those below it are more stable together; children have higher numbers."""
    stability, parents, sizes = tree.stabilities(), tree.parents(), tree.sizes()
    below = np.zeros(tree.n_clusters)
    is_chosen = np.zeros(tree.n_clusters, dtype=bool)
    most = selection.max_cluster_size or np.inf
    last = 0 if selection.allow_single_cluster else 1
    for cluster in range(tree.n_clusters - 1, last - 1, -1):
        if below[cluster] > stability[cluster] or sizes[cluster] > most:
            stability[cluster] = below[cluster]
        else:
            is_chosen[cluster] = True
        if cluster > 0:
            below[parents[cluster]] += stability[cluster]
    is_covered = np.zeros(tree.n_clusters, dtype=bool)
    for cluster in range(1, tree.n_clusters):
        above = parents[cluster]
        is_covered[cluster] = is_covered[above] or is_chosen[above]
    return np.flatnonzero(is_chosen & ~is_covered)


def _merged_below(tree: CondensedTree, chosen: Iterable[int], selection: SelectedClusters) -> Ids:
    """Replace clusters that split below the distance epsilon by the first ancestor that did not."""
    births, parents = tree.births(), tree.parents()
    kept: set[int] = set()
    for cluster in map(int, chosen):
        at = cluster
        if 1 / births[cluster] < selection.epsilon:
            while True:
                above = int(parents[at])
                if above == 0:
                    at = 0 if selection.allow_single_cluster else at
                    break
                at = above
                if 1 / births[at] > selection.epsilon:
                    break
        kept.add(at)
    # a split at epsilon itself may leave a cluster beside the root, which holds all rows
    return np.array([0] if 0 in kept else sorted(kept), dtype=np.int64)


def nearest_chosen(tree: CondensedTree, chosen: Ids) -> Ids:
    """Return for each cluster the number in `chosen` of itself or its nearest chosen ancestor; -1: none."""
    parents = tree.parents()
    number = np.full(tree.n_clusters, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    for cluster in range(1, tree.n_clusters):
        if number[cluster] < 0:
            number[cluster] = number[parents[cluster]]
    if len(chosen) > 1 and chosen[0] == 0:  # rows that leave the root beside other clusters are noise
        number = np.where(number == 0, -1, number)
    return number


def label_rows(tree: CondensedTree, chosen: Ids, selection: SelectedClusters) -> Labels:
    """Return the label of each row; noise is -1."""
    cluster, density = tree.last_clusters()
    return _without_thin(tree, chosen, selection, nearest_chosen(tree, chosen)[cluster], density)


def _without_thin(
    tree: CondensedTree, chosen: Ids, selection: SelectedClusters, labels: Ids, density: FloatArray
) -> Labels:
    """Return the labels; where all rows are one cluster, points that leave it too early are noise."""
    if chosen.tolist() == [0]:
        least = 1 / selection.epsilon if selection.epsilon > 0 else tree.deaths()[0]
        labels = np.where((labels == 0) & (density < least), -1, labels)
    return labels.astype(np.int64)


def strengths(tree: CondensedTree, chosen: Ids, labels: Labels) -> FloatArray:
    """Return how deep each row is in its cluster, from 0 for noise to 1 for the last to leave."""
    return strengths_at(tree, chosen, labels, tree.last_clusters()[1])


def strengths_at(tree: CondensedTree, chosen: Ids, labels: Labels, density: FloatArray) -> FloatArray:
    """Return how deep points of given labels are in their clusters, from the densities they leave at."""
    strength = np.zeros(len(labels))
    is_in = labels >= 0
    deepest = tree.deaths()[chosen][labels[is_in]] if len(chosen) else np.zeros(0)
    own = density[is_in]
    is_full = (deepest == 0) | np.isinf(own)
    with np.errstate(invalid="ignore", divide="ignore"):
        strength[is_in] = np.where(is_full, 1.0, np.minimum(own, deepest) / deepest)
    return strength


def outlier_scores(tree: CondensedTree) -> FloatArray:
    """Return the outlier score of each row: how much sooner it left than the core of its region."""
    return outlier_scores_at(tree, *tree.last_clusters())


def outlier_scores_at(tree: CondensedTree, cluster: Ids, density: FloatArray) -> FloatArray:
    """Return the outlier score of points that leave given clusters at given densities."""
    deepest, parents = tree.deaths(), tree.parents()
    for child in range(tree.n_clusters - 1, 0, -1):
        deepest[parents[child]] = max(deepest[parents[child]], deepest[child])
    top = deepest[cluster]
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where((top == 0) | np.isinf(density), 0.0, np.maximum(top - density, 0.0) / top)
    return np.where(np.isinf(top) & ~np.isinf(density), 1.0, scores)


def clusters_at(tree: CondensedTree, rows: CheckedRows, densities: FloatArray) -> Ids:
    """Return the clusters, counted from the root, that given rows are in at given densities."""
    births, parents = tree.births(), tree.parents()
    cluster = tree.last_clusters()[0][rows]
    while True:
        is_above = (births[cluster] > densities) & (cluster > 0)
        if not is_above.any():
            return np.asarray(cluster)
        cluster = np.where(is_above, parents[cluster], cluster)


def labels_at(
    tree: CondensedTree, chosen: Ids, selection: SelectedClusters, rows: CheckedRows, densities: FloatArray
) -> Labels:
    """Return the label of points that hang on given rows at given densities."""
    labels = nearest_chosen(tree, chosen)[clusters_at(tree, rows, densities)]
    left = tree.last_clusters()[1][rows]  # on a row that has left hangs nothing
    return _without_thin(tree, chosen, selection, labels, np.minimum(densities, left))
