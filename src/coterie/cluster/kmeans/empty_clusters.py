"""What becomes of a cluster without rows, in k-means and all that is like it.

1. While rows are assigned, it takes the row that is farthest from its own centre, of those whose cluster
   keeps another one (`rows_for_empty`; the native loops do the same).
2. If the last assignment leaves one empty, single iterations follow (`run_without_holes`).
3. What is empty even then, because there are fewer different rows than clusters, is left out, labels count
   on without it (`without_empty`), and a warning says so (`warn_if_fewer`).

A batch shows few rows: there, clusters that got few of them so far start again at rows of the batch
(`light_clusters`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, Centers, Distances, Indices, Labels, Mask, Weights

if TYPE_CHECKING:
    from coterie.cluster.kmeans.points import KMeansRun, Points, Report, Stopping

MOST_REPAIRS = 10  # each is an iteration more than was asked for


def rows_for_empty(
    empty: Indices, counts: AnyArray, labels: Labels, distances: Distances, may_go: Mask
) -> Iterator[tuple[int, int]]:
    """Yield each empty cluster with the row that it takes, as long as there are rows to spare.

    Parameters
    ----------
    empty : array of int
        Clusters.
    counts : array of shape (n_clusters,)
        Rows of each cluster.
    labels, distances : arrays of shape (n_rows,)
        The cluster of each row, and how far it is from its centre.
    may_go : array of bool of shape (n_rows,)
        Rows that may begin a cluster at all.

    Examples
    --------
    >>> labels, apart = np.array([0, 0, 0, 1]), np.array([0.0, 3.0, 1.0, 9.0])
    >>> list(rows_for_empty(np.array([2]), np.array([3, 1, 0]), labels, apart, apart > 0))
    [(2, 1)]
    """
    counts, may_go = counts.copy(), may_go.copy()
    for cluster in empty:
        can_go = may_go & (counts[labels] > 1)
        if not can_go.any():
            return
        row = int(np.argmax(np.where(can_go, distances, -np.inf)))
        counts[labels[row]] -= 1
        counts[cluster] += 1
        may_go[row] = False
        yield int(cluster), row


def refill(
    labels: Labels, distances: Distances, n_clusters: int, weights: Weights | None, least: float = 0.0
) -> Labels:
    """Return the labels after every cluster without weight took a row that is farther than `least` away.

    Examples
    --------
    >>> refill(np.array([0, 0, 0]), np.array([0.0, 2.0, 1.0]), 2, None)
    array([0, 1, 0])
    """
    is_heavy = np.ones(len(labels), dtype=bool) if weights is None else weights > 0
    counts = np.bincount(labels, is_heavy, minlength=n_clusters)
    empty = np.flatnonzero(counts == 0)
    if not len(empty):
        return labels
    refilled = labels.copy()
    for cluster, row in rows_for_empty(empty, counts, labels, distances, is_heavy & (distances > least)):
        refilled[row] = cluster
    return refilled


def run_without_holes(
    points: Points, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None
) -> KMeansRun:
    """Run, and go on while the last assignment left a centre without rows: the next update gives it one."""
    run = points.run(start, stopping, algorithm, report)
    one_iteration = replace(stopping, max_iter=1, tol=-1.0, tol_inertia=None)
    for _ in range(MOST_REPAIRS):
        if run.is_strict or np.bincount(run.labels, minlength=len(start)).all():
            break
        more = points.run(run.centers, one_iteration, algorithm, report)
        if np.array_equal(more.centers, run.centers):
            break  # there are fewer different rows than centres
        run = replace(more, n_iter=run.n_iter + more.n_iter)
    return run


def without_empty(centers: AnyArray, labels: Labels) -> tuple[AnyArray, Labels]:
    """Return centres that have rows and labels that count them from 0.

    Examples
    --------
    >>> without_empty(np.array([[0.0], [5.0], [9.0]]), np.array([2, 0]))
    (array([[0.],
           [9.]]), array([1, 0]))
    """
    sizes = np.bincount(labels, minlength=len(centers))
    if sizes.all():
        return centers, labels
    number = (np.cumsum(sizes > 0) - 1).astype(labels.dtype)
    return centers[sizes > 0], number[labels]


def warn_if_fewer(n_found: int, n_clusters: int) -> None:
    """Say that the rows did not suffice for the clusters asked for."""
    if n_found < n_clusters:
        warn_caller(
            f"Number of distinct clusters ({n_found}) found smaller than n_clusters ({n_clusters}). Possibly "
            f"due to duplicate points in X.",
            scikit_learn.ConvergenceWarning,
        )


def light_clusters(counts: Weights, ratio: float, most: int) -> Mask:
    """Return which clusters have less than this share of the largest count, at most so many of them.

    Examples
    --------
    >>> light_clusters(np.array([9.0, 0.0, 5.0]), 0.1, most=4)
    array([False,  True, False])
    """
    # at a ratio above 1 every cluster is light, but the heaviest: else nothing would be left
    is_light = counts < min(float(ratio), 2.0) * counts.max()
    is_light[counts.argmax()] = False
    if is_light.sum() > most:
        is_light[np.argsort(counts, kind="stable")[most:]] = False
    return np.asarray(is_light)
