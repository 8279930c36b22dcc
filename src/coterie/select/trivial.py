"""Clusterings that say little: nearly all rows in one cluster, or crumbs."""

from __future__ import annotations

import numpy as np

from coterie.select.subject import Subject

NEARLY_ALL = 0.95  # share of the rows
CRUMB_SHARE = 0.005  # a cluster of a smaller share, and of fewer rows than CRUMB_ROWS, is a crumb
CRUMB_ROWS = 5


def find_trivial(subject: Subject) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return the numbers of clusters that are trivial, and what is to be said about them."""
    trivial, flags = set(), []
    for k in subject.ks:
        labels = subject.labels(k)
        if labels is None:
            trivial.add(k)
            flags.append(f"k = {k}: no such clustering was found")
            continue
        if k == 1:
            continue
        sizes = np.bincount(labels, minlength=k)
        largest = sizes.max() / sizes.sum()
        crumbs = int(np.count_nonzero((sizes < CRUMB_ROWS) & (sizes < CRUMB_SHARE * sizes.sum())))
        if largest >= NEARLY_ALL:
            trivial.add(k)
            flags.append(f"k = {k}: one cluster holds {largest:.1%} of the rows")
        elif crumbs:
            few = f"{crumbs} clusters have" if crumbs > 1 else "one cluster has"
            flags.append(f"k = {k}: {few} fewer than {CRUMB_ROWS} rows")
        if crumbs * 2 > k:
            trivial.add(k)
    return frozenset(trivial), tuple(flags)
