"""The upper part of a tree, small enough to draw, with the way from every row to its leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.typing import FloatArray, Indices
from coterie.tree import Dendrogram

MOST_LEAVES = 200


@dataclass(frozen=True, eq=False)
class UpperTree:
    """The last merges of a tree; what lies below them are leaves that count their rows."""

    leaves: list[int]  # nodes of the tree that are leaves here, from left to right
    sizes: list[int]  # rows below every node: the leaves, then the merges
    children: list[list[int]]  # of each merge, by their places among `sizes`
    heights: FloatArray  # of the merges, infinite ones a tenth above the rest
    reaches: FloatArray  # the highest merge in each, where a tree has inversions
    leaf_of_row: Indices  # place of each row's leaf

    def cut_height(self, k: int) -> float:
        """Return a height that cuts the tree into `k` groups, halfway between two merges."""
        ordered = np.sort(self.reaches)[::-1]
        above = float(ordered[k - 2]) if 2 <= k <= len(ordered) + 1 else float(ordered[0]) * 1.05
        below = float(ordered[k - 1]) if 1 <= k <= len(ordered) else 0.0
        return (above + below) / 2


def upper_tree(tree: Dendrogram, most_leaves: int = MOST_LEAVES) -> UpperTree:
    """Return the last merges of a tree whose heights are distances, up to so many leaves."""
    sizes_of_cuts = tree.cut_sizes()
    n_shown = int(sizes_of_cuts[sizes_of_cuts <= most_leaves].max(initial=1))
    n_merges = int(np.flatnonzero(sizes_of_cuts == n_shown)[0])
    kept = np.arange(tree.root - n_merges + 1, tree.root + 1)
    families = [tree.children(int(node)).tolist() for node in kept]
    leaves = _leaves_from_left(tree, families, kept)
    nodes = [*leaves, *kept.tolist()]
    number = {node: at for at, node in enumerate(nodes)}
    children = [[number[child] for child in family] for family in families]
    heights = _finite(tree.heights[kept - tree.n_leaves])
    return UpperTree(
        leaves=leaves,
        sizes=[len(tree.members(node)) for node in nodes],
        children=children,
        heights=heights,
        reaches=np.maximum.accumulate(heights) if tree.is_monotone else _reaches(children, heights),
        leaf_of_row=_leaf_of_each_row(tree, leaves),
    )


def _leaves_from_left(tree: Dendrogram, families: list[list[int]], kept: Indices) -> list[int]:
    """Return the nodes right below the kept ones, from left to right."""
    kept_nodes = set(kept.tolist())
    below = [child for family in families for child in family if child not in kept_nodes] or [tree.root]
    place = {leaf: at for at, leaf in enumerate(tree.leaf_order().tolist())}
    return sorted(below, key=lambda node: min(place[leaf] for leaf in tree.members(node).tolist()))


def _leaf_of_each_row(tree: Dendrogram, leaves: list[int]) -> Indices:
    leaf_of_row = np.empty(tree.n_leaves, dtype=np.int64)
    for leaf, node in enumerate(leaves):
        leaf_of_row[tree.members(node)] = leaf
    return leaf_of_row


def _finite(heights: FloatArray) -> FloatArray:
    """Return heights that can be drawn: infinite ones stand a tenth above the rest."""
    finite = heights[np.isfinite(heights)]
    return np.where(np.isfinite(heights), heights, 1.1 * finite.max(initial=1.0))


def _reaches(children: list[list[int]], heights: FloatArray) -> FloatArray:
    """Return the highest merge in each node, for trees with inversions."""
    n_leaves = sum(map(len, children)) - len(children) + 1
    found: list[float] = []
    for family, height in zip(children, heights.tolist(), strict=True):
        inner = [child - n_leaves for child in family]
        found.append(max([height, *(found[one] for one in inner if one >= 0)]))
    return np.array(found)
