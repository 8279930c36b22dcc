"""Divisive analysis: the tree of splits of a matrix of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Distances
from coterie.tree.linkage import LinkageMatrix


def split_off(D: Distances) -> Any:
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
        own = D[np.ix_(rows, rows)]
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
