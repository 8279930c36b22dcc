"""The CF tree of BIRCH as nodes that point to each other, as scikit-learn's users walk through it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from coterie._support.typing import FloatArray
from coterie.cluster.birch.cf_tree import CFTree


@dataclass(eq=False, repr=False)
class CFSubcluster:
    """An entry of a node: the summary of all rows below it.

    Parameters
    ----------
    n_samples_ : int or float
        Number of rows, or their sum of weights.
    linear_sum_ : array of shape (n_features,)
        Their sum.
    squared_sum_ : float
        The sum of their squared norms.
    centroid_ : array of shape (n_features,)
        Their mean.
    sq_norm_ : float
        The squared norm of the mean.
    radius : float
        Root mean square distance of the rows to the mean.
    child_ : CFNode or None
        The node below; None in a leaf.
    """

    n_samples_: int | float
    linear_sum_: FloatArray
    squared_sum_: float
    centroid_: FloatArray
    sq_norm_: float
    radius: float
    child_: CFNode | None = None

    def __repr__(self) -> str:
        return f"CFSubcluster(n_samples_={self.n_samples_:g}, radius={self.radius:.3g})"


@dataclass(eq=False, repr=False)
class CFNode:
    """A node of the tree; leaves are also a list, by `next_leaf_` and `prev_leaf_`.

    Parameters
    ----------
    threshold : float
        Largest radius of a subcluster.
    branching_factor : int
        Most entries.
    is_leaf : bool
        Whether its entries are subclusters.
    n_features : int
        Number of columns.
    centroids_ : array of shape (n_entries, n_features)
        Means of the entries.
    squared_norm_ : array of shape (n_entries,)
        Squared norms of the means.
    subclusters_ : list of CFSubcluster
        The entries.
    prev_leaf_, next_leaf_ : CFNode or None
        Neighbours in the list of leaves.
    """

    threshold: float
    branching_factor: int
    is_leaf: bool
    n_features: int
    centroids_: FloatArray
    squared_norm_: FloatArray
    subclusters_: list[CFSubcluster] = field(default_factory=list)
    prev_leaf_: CFNode | None = None
    next_leaf_: CFNode | None = None

    def __repr__(self) -> str:
        return f"CFNode of {len(self.subclusters_)} entries ({'a leaf' if self.is_leaf else 'inner'})"


@dataclass(frozen=True, eq=False)
class LinkedTree:
    """The root, and an empty leaf that comes before the first."""

    root: CFNode
    dummy_leaf: CFNode

    @property
    def leaves(self) -> list[CFNode]:
        """The leaves in their order."""
        found, leaf = [], self.dummy_leaf.next_leaf_
        while leaf is not None:
            found.append(leaf)
            leaf = leaf.next_leaf_
        return found


_linked: WeakKeyDictionary[CFTree, LinkedTree] = WeakKeyDictionary()


def link_nodes(tree: CFTree, threshold: float, branching_factor: int) -> LinkedTree:
    """Return the nodes of a tree as objects, the same ones whenever asked.

    Examples
    --------
    >>> from coterie.cluster import Birch
    >>> tree = Birch(n_clusters=None).fit([[0.0], [0.1], [9.0]]).tree_
    >>> link_nodes(tree, 0.5, 50).root.subclusters_
    [CFSubcluster(n_samples_=2, radius=0.05), CFSubcluster(n_samples_=1, radius=0)]
    """
    if tree not in _linked:
        _linked[tree] = _make_nodes(tree, threshold, branching_factor)
    return _linked[tree]


def _make_nodes(tree: CFTree, threshold: float, branching_factor: int) -> LinkedTree:
    norms = np.einsum("ij,ij->i", tree.centers, tree.centers)
    facts = zip(
        (int(weight) if weight == int(weight) else weight for weight in tree.weights.tolist()),
        tree.weights[:, None] * tree.centers,
        (tree.deviations + tree.weights * norms).tolist(),
        tree.centers,
        norms.tolist(),
        np.sqrt(tree.deviations / tree.weights).tolist(),
        strict=True,
    )
    entries = [CFSubcluster(*fact) for fact in facts]
    rules: dict[str, Any] = {
        "threshold": threshold,
        "branching_factor": branching_factor,
        "n_features": tree.n_columns,
    }
    nodes = []
    for start, stop in zip(tree.node_starts[:-1].tolist(), tree.node_starts[1:].tolist(), strict=True):
        own = slice(start, stop)
        is_leaf = bool(tree.children[start] < 0)
        nodes.append(
            CFNode(
                is_leaf=is_leaf,
                centroids_=tree.centers[own],
                squared_norm_=norms[own],
                subclusters_=entries[own],
                **rules,
            )
        )
    for entry, child in zip(entries, tree.children.tolist(), strict=True):
        entry.child_ = nodes[child] if child >= 0 else None
    dummy = CFNode(is_leaf=True, centroids_=tree.centers[:0], squared_norm_=norms[:0], **rules)
    leaves = [dummy, *nodes[: tree.n_leaves]]
    for before, after in pairwise(leaves):
        before.next_leaf_, after.prev_leaf_ = after, before
    return LinkedTree(nodes[-1], dummy)
