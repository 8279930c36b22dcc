"""Cutting a tree: which inner nodes stay together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, Labels, MatrixLike
from coterie._support.validation import (
    Choice,
    Function,
    Nothing,
    Number,
    Whole,
    check_parameter,
    require_memory,
)
from coterie.errors import InvalidParameter
from coterie.tree._distances import euclidean, read_distances, read_rows, require_one
from coterie.tree.arrays import plain

if TYPE_CHECKING:
    from coterie.tree._structure import TreeStructure

Score: TypeAlias = Callable[[Labels], float]
LARGEST_DEFAULT = 100  # clusters that a search for the best cut tries when not told otherwise
WHO = "Dendrogram.cut"


def cut_by_number(tree: TreeStructure, n_clusters: int) -> Labels:
    """Labels after the first merges that leave so many clusters."""
    check_parameter(n_clusters, Whole(1), name="n_clusters", who=WHO)
    if n_clusters > tree.n_leaves:
        raise InvalidParameter(
            f"n_clusters of {WHO} must be at most n_leaves={tree.n_leaves}, got {n_clusters}."
        )
    left = tree.cut_sizes()[::-1]
    n_merges = int(np.searchsorted(-left, -int(n_clusters)))
    if left[n_merges] != n_clusters:
        raise InvalidParameter(
            f"n_clusters of {WHO}: this tree has nodes with more than two children, no cut of it gives "
            f"{n_clusters} clusters; the nearest have {left[n_merges]} and {left[n_merges - 1]}."
        )
    return _labels(tree, np.arange(tree.n_inner) < n_merges)


def cut_by_height(tree: TreeStructure, height: float) -> Labels:
    """Labels of the largest nodes below which every merge is within the height."""
    are_distances = tree.heights_are == "distances"
    if not (isinstance(height, float | np.floating) and height == np.inf):  # infinity joins all
        check_parameter(height, Number(0.0 if are_distances else None), name="height", who=WHO)
    return _labels(tree, tree._extreme_below <= (height if are_distances else -height))


def cut_by_size(tree: TreeStructure, min_size: int) -> Labels:
    """Labels of the finest cut without a cluster of fewer leaves."""
    check_parameter(min_size, Whole(1, tree.n_leaves), name="min_size", who=WHO)
    is_joined = _core.tree_join_small(*tree._arrays, tree._node_sizes, min_size)
    return _labels(tree, is_joined)


def cut_by_score(
    tree: TreeStructure, best: str | Score, X: MatrixLike, distances: MatrixLike, max_clusters: int | None
) -> Labels:
    """Labels of the cut into 2..max_clusters clusters with the highest score; ties: the fewest clusters."""
    check_parameter(best, Choice("silhouette") | Function(), name="best", who=WHO)
    check_parameter(max_clusters, Whole(2) | Nothing(), name="max_clusters", who=WHO)
    limit = min(tree.n_leaves - 1, LARGEST_DEFAULT if max_clusters is None else max_clusters)
    numbers = tree.cut_sizes()
    numbers = numbers[(numbers >= 2) & (numbers <= limit)]
    if numbers.size == 0:
        raise InvalidParameter(
            f"best of {WHO} needs a cut between 1 and n_leaves={tree.n_leaves} clusters, this tree has none."
        )
    if callable(best):
        if X is not None or distances is not None:
            raise InvalidParameter(
                f"best of {WHO} is a function of labels: X and distances are not used with it."
            )
        scores = np.array([float(best(cut_by_number(tree, int(k)))) for k in numbers])
    else:
        scores = silhouettes(tree, numbers, X, distances)
    return cut_by_number(tree, int(numbers[int(np.argmax(scores))]))


def silhouettes(
    tree: TreeStructure, numbers: npt.NDArray[np.int64], X: MatrixLike, distances: MatrixLike
) -> npt.NDArray[np.float64]:
    """Return the mean silhouette of the cuts into these numbers of clusters (ascending).

    The distances are summed once, to the clusters of the finest cut; coarser cuts add columns.
    """
    require_one(f'{WHO}(best="silhouette")', X, distances)
    finest = int(numbers[-1])
    labels = cut_by_number(tree, finest)
    what = f"the silhouettes of up to {finest:,} clusters of {tree.n_leaves:,} leaves"
    require_memory(8 * tree.n_leaves * finest, what, "Use a smaller max_clusters.")
    sums = _sums_to_clusters(tree, labels, finest, X, distances)
    joins = _joins(tree, labels, int(np.searchsorted(-tree.cut_sizes()[::-1], -finest)))
    return np.asarray(_core.cut_silhouettes(sums, labels.astype(np.int64), joins))[::-1]


def _sums_to_clusters(
    tree: TreeStructure, labels: Labels, k: int, X: MatrixLike, distances: MatrixLike
) -> npt.NDArray[np.float64]:
    if X is not None:
        rows = read_rows(X, tree.n_leaves, WHO)
        sums = _core.group_sums(rows, rows, labels.astype(np.int32), k, euclidean())
        return np.ascontiguousarray(sums, dtype=np.float64)
    given = read_distances(distances, tree.n_leaves, WHO)
    if given.ndim == 1:
        from scipy.spatial.distance import squareform

        given = squareform(given, checks=False)
    return np.ascontiguousarray(given @ np.eye(k)[labels])


def _joins(tree: TreeStructure, labels: Labels, n_merges: int) -> npt.NDArray[np.int64]:
    """Clusters joined by each merge from `n_merges` on, down to two clusters: (into, from, is_scored)."""
    left = tree.cut_sizes()[::-1]
    cluster_of: dict[int, int] = {}
    joins = []
    for inner in range(n_merges, tree.n_inner):
        if left[inner + 1] < 2:
            break
        children = tree.children(tree.n_leaves + inner).tolist()
        first = [int(tree._leaf_order[tree._first_places[child]]) for child in children]
        own = [cluster_of.get(child, int(labels[leaf])) for child, leaf in zip(children, first, strict=True)]
        joins += [(own[0], other, 0) for other in own[1:-1]] + [(own[0], own[-1], 1)]
        cluster_of[tree.n_leaves + inner] = own[0]
    return np.array(joins, dtype=np.int64).reshape(-1, 3)


def _labels(tree: TreeStructure, is_joined: AnyArray) -> Labels:
    labels, _ = _core.tree_labels(*tree._arrays, np.ascontiguousarray(is_joined, dtype=np.uint8))
    return plain(labels)
