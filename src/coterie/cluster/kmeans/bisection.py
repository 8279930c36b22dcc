"""A tree of splits in two: which group is split next, and what becomes of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie._support.typing import Data, Indices, Labels, SparseData, Weights


@dataclass(frozen=True, eq=False)
class Group:
    """A group that may be split: its node in the tree, its rows and their sum of squares."""

    node: int
    rows: Indices
    inertia: float

    @property
    def can_be_split(self) -> bool:
        """Whether there are two different rows."""
        return len(self.rows) > 1 and self.inertia > 0


@dataclass(eq=False)
class Bisection:
    """The tree so far. Node 0 holds all rows; split i makes the nodes 2 i + 1 and 2 i + 2."""

    groups: list[Group]
    models: list[Any] = field(default_factory=list)  # what decides at each split
    divided: list[int] = field(default_factory=list)  # the node that each split divides
    heights: list[float] = field(default_factory=list)  # its sum of squares

    def group_of_node(self) -> Labels:
        """Return the group that each node is, numbered from left to right; -1 for nodes that were split."""
        split_of = {node: split for split, node in enumerate(self.divided)}
        label = np.full(2 * len(self.models) + 1, -1, dtype=np.int32)
        pending, n_groups = [0], 0
        while pending:
            node = pending.pop()
            if node in split_of:
                pending += [2 * split_of[node] + 2, 2 * split_of[node] + 1]
            else:
                label[node] = n_groups
                n_groups += 1
        return label

    def children(self) -> Indices:
        """Return the tree as merges: groups first, then the splits from the last to the first."""
        n_splits, group = len(self.models), self.group_of_node()
        split_of = {node: split for split, node in enumerate(self.divided)}

        def merged(node: int) -> int:
            return int(group[node]) if group[node] >= 0 else n_splits + 1 + (n_splits - 1 - split_of[node])

        pairs = [sorted((merged(2 * i + 1), merged(2 * i + 2))) for i in range(n_splits - 1, -1, -1)]
        return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def bisect(
    X: Data | SparseData,
    weights: Weights | None,
    n_clusters: int,
    inertia: float,
    score: Callable[[Group], float],
    fit: Callable[[Data | SparseData, Weights | None], Any],
) -> Bisection:
    """Split the group of the highest score until there are `n_clusters`, or none can be split."""
    tree = Bisection([Group(0, np.arange(X.shape[0]), inertia)])
    while len(tree.groups) < n_clusters:
        candidates = [group for group in tree.groups if group.can_be_split]
        if not candidates:
            break
        group = max(candidates, key=score)
        rows, own = X[group.rows], None if weights is None else weights[group.rows]
        model = _fit_quietly(fit, rows, own)
        if len(model.cluster_centers_) < 2:  # equal rows, whose mean is off by rounding
            whole = replace(group, inertia=0.0)
            tree.groups = [whole if other is group else other for other in tree.groups]
            continue
        parts = _parts(group, model, rows, own, 2 * len(tree.models) + 1)
        tree.models.append(model)
        tree.divided.append(group.node)
        tree.heights.append(group.inertia)
        tree.groups = [other for other in tree.groups if other is not group] + parts
    return tree


def _fit_quietly(fit: Callable[..., Any], rows: Any, weights: Weights | None) -> Any:
    """Fit two means; that there is one only is for the whole fit to say, about its own n_clusters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        return fit(rows, weights)


def _parts(group: Group, model: Any, rows: Any, weights: Weights | None, first_node: int) -> list[Group]:
    labels = model.labels_
    squared = model.transform(rows)[np.arange(len(labels)), labels].astype(np.float64) ** 2
    squared = squared if weights is None else squared * weights
    return [
        Group(first_node + side, group.rows[labels == side], float(squared[labels == side].sum()))
        for side in (0, 1)
    ]
