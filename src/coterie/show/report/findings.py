"""Titles that say what a picture shows."""

from __future__ import annotations

from typing import Any

import numpy as np

APART = 0.6  # mean silhouette from which a group is said to stand apart
OVERLAPPING = 0.02  # of a group's rows that are nearer to another, from which it is said to overlap
HARDLY_ANY = 0.03  # of the rows
TOUCHING = 0.15  # silhouette below which a row is as near to another group


def map_finding(labels: Any, values: Any, neighbours: Any, k: int) -> str:
    """Say which groups stand apart and which touch.

    Examples
    --------
    >>> import numpy as np
    >>> map_finding(np.array([0, 0, 1, 1]), np.array([0.9, 0.8, 0.9, 0.8]), np.array([1, 1, 0, 0]), 2)
    'The groups stand apart'
    """
    if values is None:
        return "All rows, no groups among them" if k <= 1 else "Where the rows lie"
    groups = np.unique(labels[labels >= 0])
    apart = [group for group in groups if np.mean(values[labels == group]) >= APART]
    pair = _touching_pair(labels, values, neighbours)
    if pair is None and len(apart) == len(groups):
        return "The groups stand apart"
    if pair is None:
        is_most = len(groups) > 2 and 2 * len(apart) >= len(groups)
        return (
            f"{len(apart)} of {len(groups)} groups stand apart" if is_most else "The groups lie side by side"
        )
    touch = f"groups {min(pair) + 1} and {max(pair) + 1} touch"
    alone = [group for group in apart if group not in pair]
    if len(alone) == 1:
        return f"Group {alone[0] + 1} stands apart; {touch}"
    return touch[0].upper() + touch[1:]


def silhouette_finding(labels: Any, values: Any, neighbours: Any) -> str:
    r"""Say which group overlaps which, or which one is loosest.

    Examples
    --------
    >>> import numpy as np
    >>> silhouette_finding(np.array([0, 0, 1, 1]), np.array([0.9, -0.1, 0.9, 0.8]), np.array([1, 1, 0, 0]))
    'Group 1 overlaps group 2: 50\xa0% of its rows are nearer to it'
    """
    if values is None:
        return "One group alone has no silhouette"
    groups = np.unique(labels[labels >= 0])
    if len(groups) < 2:
        return "One group alone has no silhouette"
    shares = np.array([np.mean(values[labels == group] < 0) for group in groups])
    n_nearer = int((values[labels >= 0] < 0).sum())
    if shares.max() >= OVERLAPPING:
        worst = groups[shares.argmax()]
        nearer = neighbours[(labels == worst) & (values < 0)]
        other = np.bincount(nearer).argmax()
        share = np.mean((neighbours == other)[labels == worst] & (values < 0)[labels == worst])
        said = f"{100 * share:.0f}\u00a0%" if share >= 0.01 else f"{100 * share:.1g}\u00a0%"
        return f"Group {worst + 1} overlaps group {other + 1}: {said} of its rows are nearer to it"
    means = np.array([np.mean(values[labels == group]) for group in groups])
    loosest = means.argmin()
    nearest = "Every row" if not n_nearer else f"All but {n_nearer} of {len(values):,} rows"
    is_or_are = "is nearest to its own group" if not n_nearer else "are nearest to their own group"
    return f"{nearest} {is_or_are}; group {groups[loosest] + 1} is the loosest ({means[loosest]:.2f})"


def _touching_pair(labels: Any, values: Any, neighbours: Any) -> tuple[int, int] | None:
    """Return the two groups that share most rows in between; None when hardly any rows are."""
    between = (labels >= 0) & (values < TOUCHING)
    if between.sum() < max(3, HARDLY_ANY * len(labels)):
        return None
    pairs = np.sort(np.stack([labels[between], neighbours[between]]), axis=0).T
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    one, other = found[counts.argmax()].tolist()
    return one, other
