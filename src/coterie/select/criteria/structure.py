"""Criteria from what a method has besides labels: the heights of its tree, the eigenvalues of its graph."""

from __future__ import annotations

import numpy as np

from coterie.select.catalogue import criterion
from coterie.select.rules import Measured, largest
from coterie.select.subject import Subject


@criterion(
    "Eigengap",
    symbol="eigengap",
    group="tree or graph",
    greater_is_better=True,
    needs="eigenvalues",
    rule="largest",
    choose=largest,
    reference="von-luxburg-2007",
    can_choose_one=True,
)
def eigengap(subject: Subject) -> Measured:
    """Gap after the k-th smallest eigenvalue of the Laplacian: large where k groups hang together."""
    gaps = subject.partitions.model(subject.ks[-1]).eigengaps_
    return Measured(np.array([gaps[k - 1] if k <= len(gaps) else np.nan for k in subject.ks]))


@criterion(
    "Gap of heights",
    symbol="tree gap",
    group="tree or graph",
    greater_is_better=True,
    needs="tree",
    rule="largest",
    choose=largest,
    reference="kaufman-1990",
)
def tree_gap(subject: Subject) -> Measured:
    """Share of the height of the next merge that lies above the last one made: how wide the cut is."""
    heights = np.sort(subject.partitions.model(subject.ks[-1]).dendrogram_.heights)[::-1]
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        if 2 <= k <= len(heights) and np.isfinite(heights[k - 2]) and heights[k - 2] > 0:
            found[at] = (heights[k - 2] - heights[k - 1]) / heights[k - 2]
    return Measured(found)
