"""The upper part of a tree, small enough to draw, with the way from every held row to its leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Indices
from coterie.show.report.facts import TreeFacts
from coterie.show.report.numbers import count
from coterie.show.report.subject import Subject
from coterie.tree import Dendrogram

MOST_LEAVES = 200


def tree_facts(subject: Subject, places: Indices) -> TreeFacts | None:
    """Return the tree of the rows; None where there is none, or where one group is all it has."""
    tree = subject.dendrogram
    if tree is None or tree.n_leaves < 3:
        return None
    return upper_part(tree.as_distances(), subject, places)


def upper_part(tree: Dendrogram, subject: Subject, places: Indices) -> TreeFacts:
    """Return the last merges of a tree; what lies below them becomes leaves that count their rows."""
    sizes_of_cuts = tree.cut_sizes()
    n_shown = int(sizes_of_cuts[sizes_of_cuts <= MOST_LEAVES].max(initial=1))
    n_merges = int(np.flatnonzero(sizes_of_cuts == n_shown)[0])
    kept = np.arange(tree.root - n_merges + 1, tree.root + 1)
    families = [tree.children(int(node)).tolist() for node in kept]
    order = _leaves_from_left(tree, families, kept)
    number = {node: at for at, node in enumerate([*order, *kept.tolist()])}
    heights = _finite(tree.heights[kept - tree.n_leaves])
    reaches = np.maximum.accumulate(heights) if tree.is_monotone else _reaches(families, heights, number)
    node_of_row = _leaf_of_each_row(tree, order)
    return TreeFacts(
        title=_title(tree, n_shown),
        sizes=tuple(len(tree.members(node)) for node in [*order, *kept.tolist()]),
        names=tuple(_name(tree, subject, node) for node in order),
        children=tuple(tuple(number[child] for child in family) for family in families),
        heights=tuple(float(f"{height:.6g}") for height in heights),
        reaches=tuple(float(f"{height:.6g}") for height in reaches),
        leaf_of_row=tuple(node_of_row[places].tolist()),
        chosen_height=_chosen_height(reaches, subject.k),
        n_leaves=tree.n_leaves,
    )


def _leaves_from_left(tree: Dendrogram, families: list[list[int]], kept: Any) -> list[int]:
    """Return the nodes right below the kept ones, from left to right."""
    kept_nodes = set(kept.tolist())
    below = [child for family in families for child in family if child not in kept_nodes] or [tree.root]
    place = {leaf: at for at, leaf in enumerate(tree.leaf_order().tolist())}
    return sorted(below, key=lambda node: min(place[leaf] for leaf in tree.members(node).tolist()))


def _leaf_of_each_row(tree: Dendrogram, order: list[int]) -> Any:
    leaf_of_row = np.empty(tree.n_leaves, dtype=np.int64)
    for leaf, node in enumerate(order):
        leaf_of_row[tree.members(node)] = leaf
    return leaf_of_row


def _finite(heights: Any) -> Any:
    """Return heights that can be drawn: infinite ones stand a tenth above the rest."""
    finite = heights[np.isfinite(heights)]
    return np.where(np.isfinite(heights), heights, 1.1 * finite.max(initial=1.0))


def _reaches(families: list[list[int]], heights: Any, number: dict[int, int]) -> Any:
    """Return the highest merge in each node, for trees with inversions."""
    n_leaves = len(number) - len(families)
    found: list[float] = []
    for family, height in zip(families, heights.tolist(), strict=True):
        inner = [number[child] - n_leaves for child in family]
        found.append(max([height, *(found[one] for one in inner if one >= 0)]))
    return np.array(found)


def _chosen_height(reaches: Any, k: int) -> float:
    """Return a height that cuts the tree into `k` groups, halfway between two merges."""
    ordered = np.sort(reaches)[::-1]
    above = float(ordered[k - 2]) if 2 <= k <= len(ordered) + 1 else float(ordered[0]) * 1.05
    below = float(ordered[k - 1]) if 1 <= k <= len(ordered) else 0.0
    return (above + below) / 2


def _name(tree: Dendrogram, subject: Subject, node: int) -> str:
    return subject.name_of(node) if node < tree.n_leaves else count(len(tree.members(node)), "row")


def _title(tree: Dendrogram, n_shown: int) -> str:
    if n_shown == tree.n_leaves:
        return f"How {count(tree.n_leaves, 'row')} join, nearest first"
    return f"How {count(tree.n_leaves, 'row')} join: the last {n_shown - 1} merges"
