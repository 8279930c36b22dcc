"""Numbers of groups: the largest is 0, noise is -1, rows left out are masked; people read "group 1"."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Indices, Labels


def number_by_size(sizes: Indices) -> tuple[Labels, Indices]:
    """Return the group of each cluster, the largest being 0, and the clusters in that order."""
    by_size = np.argsort(-sizes, kind="stable")
    numbers = np.empty(len(sizes), dtype=np.int32)
    numbers[by_size] = np.arange(len(sizes))
    return numbers, by_size


def number_labels(labels: Labels, numbers: Labels) -> Labels:
    """Translate a model's clusters into groups; noise stays -1."""
    if numbers.size == 0:
        return np.full(len(labels), -1, dtype=np.int32)
    return np.where(labels >= 0, numbers[np.maximum(labels, 0)], -1).astype(np.int32)


def spread_labels(labels: Labels, rows: Indices, n_rows: int) -> Labels:
    """Return the labels of all rows of a table: those of `rows`, and the others masked.

    Examples
    --------
    >>> spread_labels(np.array([0, 1], dtype=np.int32), np.array([0, 2]), 3).tolist()
    [0, None, 1]
    """
    if len(rows) == n_rows:
        return labels
    spread = np.ma.masked_array(np.full(n_rows, -1, dtype=np.int32), mask=True)
    spread[rows] = labels
    return spread


def group_name(label: int) -> str:
    """Return what people read for a label: "group 1" for 0, "noise" for -1.

    Examples
    --------
    >>> group_name(0), group_name(-1)
    ('group 1', 'noise')
    """
    return "noise" if label < 0 else f"group {label + 1}"
