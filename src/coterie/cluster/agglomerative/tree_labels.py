"""Labels of the leaves of a tree of merges."""

from __future__ import annotations

import heapq

import numpy as np

from coterie._support.typing import AnyArray, Indices, Labels, VectorLike, Weights


def cut_tree(children: AnyArray, n_leaves: int, n_clusters: int) -> Labels:
    """Return the labels at the cut into `n_clusters`, numbered as scikit-learn does.

    From the root down, the latest merge is undone until there are enough clusters; they are numbered as they
    then stand in the heap.

    Examples
    --------
    >>> cut_tree(np.array([[0, 1], [2, 3]]), 3, 2)
    array([0, 0, 1])
    """
    latest = [-(2 * n_leaves - 2)]  # a heap of negated nodes: the latest one first
    for _ in range(n_clusters - 1):
        first, second = children[-latest[0] - n_leaves]
        heapq.heappush(latest, -int(first))
        heapq.heappushpop(latest, -int(second))
    tops = np.array([-node for node in latest], dtype=np.intp)
    label_of = np.full(2 * n_leaves - 1, -1, dtype=np.intp)
    label_of[tops] = np.arange(len(tops))
    return label_of[_heads(children, n_leaves, tops)]


def label_heads(children: AnyArray, n_leaves: int) -> Labels:
    """Return the labels of the trees of a forest, by the number of their roots.

    Examples
    --------
    >>> label_heads(np.array([[1, 2]]), 3)
    array([0, 1, 1])
    """
    return np.unique(_heads(children, n_leaves), return_inverse=True)[1]


def leaf_weights(children: AnyArray, n_leaves: int, tops_of_leaves: AnyArray) -> Weights:
    """Return 2 to the minus depth of each leaf below the root of its cluster: weighted linkage's shares.

    Examples
    --------
    >>> leaf_weights(np.array([[0, 1], [2, 3]]), 3, np.array([4, 4, 4]))
    array([0.25, 0.25, 0.5 ])
    """
    weight = np.zeros(n_leaves + len(children))
    weight[tops_of_leaves] = 1.0
    is_top = weight > 0
    for merge in range(len(children) - 1, -1, -1):
        parts = children[merge]
        if weight[n_leaves + merge] > 0:
            weight[parts[~is_top[parts]]] = weight[n_leaves + merge] / 2
    return weight[:n_leaves]


def cluster_tops(children: AnyArray, n_leaves: int, labels: Labels) -> Indices:
    """Return for each leaf the node that holds its whole cluster and nothing else."""
    n_nodes = n_leaves + len(children)
    node_label = np.full(n_nodes, -1, dtype=np.intp)
    node_label[:n_leaves] = labels
    top = np.arange(n_nodes)
    for merge, (first, second) in enumerate(children):
        if node_label[first] >= 0 and node_label[first] == node_label[second]:
            node_label[n_leaves + merge] = node_label[first]
            top[[first, second]] = n_leaves + merge
    return _followed(top)[:n_leaves]


def _heads(children: AnyArray, n_leaves: int, tops: VectorLike = ()) -> Indices:
    """Return the root of each leaf when the nodes `tops` have no parents."""
    parent = np.arange(n_leaves + len(children))
    parent[np.asarray(children)] = (n_leaves + np.arange(len(children)))[:, None]
    tops = np.asarray(tops, dtype=np.intp)
    parent[tops] = tops
    return _followed(parent)[:n_leaves]


def _followed(parent: Indices) -> Indices:
    """Follow parents to the end, twice as far in every step: a chain of a million nodes takes twenty."""
    while True:
        further = parent[parent]
        if np.array_equal(further, parent):
            return parent
        parent = further
