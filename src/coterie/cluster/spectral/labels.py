"""From coordinates to labels: discretisation, or a pivoted QR factorisation; rows that are equal; means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import qr
from sklearn.utils import check_random_state

from coterie._support.linear_algebra import EQUAL_SHARE
from coterie._support.typing import Data, FloatArray, Labels, Weights

MOST_RESTARTS = 30
MOST_ROUNDS = 20
EQUAL_ANGLES = 1e-9  # rows whose overlaps differ by less are equally far from those taken: the first counts


def cluster_qr(vectors: FloatArray) -> Labels:
    """Return labels from a QR factorisation with column pivoting of the transposed coordinates.

    The pivots are k rows that point in directions as different as possible; every row goes to the
    direction that it has most of, after a rotation that brings the pivots to the axes (see `damle-2019` of
    the references).
    """
    k = vectors.shape[1]
    triangle, pivots = qr(vectors.T, pivoting=True, mode="r")
    left, _, right = np.linalg.svd(vectors[pivots[:k]].T)
    directions = np.abs(vectors @ (left @ right)).argmax(axis=1)
    return _in_settled_order(directions, np.abs(np.diagonal(triangle)))


def discretize(vectors: FloatArray, weights: Weights | None = None, *, random_state: Any = None) -> Labels:
    """Return labels from the rotation of the coordinates that brings them nearest to indicators of groups.

    By turns: every row takes its largest coordinate after the rotation; the rotation is fitted to these
    choices by a singular value decomposition (see `yu-2003` of the references). Rows count by their weights.
    """
    draws = check_random_state(random_state)
    shares = None if weights is None else weights / weights.max()
    directions = _unit_rows(np.asarray(vectors, dtype=np.float64), shares)
    for _ in range(MOST_RESTARTS):
        try:
            return _rotated_labels(directions, shares, draws)
        except LinAlgError:  # begin elsewhere
            continue
    raise LinAlgError("SVD did not converge")


def _in_settled_order(directions: Labels, lengths: FloatArray) -> Labels:
    """Return groups numbered by the lengths of their pivots, equal ones as they appear, not by rounding."""
    falls = np.cumsum(lengths[1:] < (1 - EQUAL_SHARE) * lengths[:-1])
    first = np.full(len(lengths), len(directions))
    np.minimum.at(first, directions, np.arange(len(directions)))
    order = np.lexsort((first, np.append(0, falls)))
    return np.asarray(order.argsort()[directions])


def labels_of_few(X: Data, n_clusters: int) -> Labels | None:
    """Return one label per different row where there are fewer of them than clusters, else None."""
    if len(np.unique(X[: 2 * n_clusters], axis=0)) >= n_clusters:  # the usual case, told from few rows
        return None
    different, labels = np.unique(X, axis=0, return_inverse=True)
    return labels.ravel() if len(different) < n_clusters else None


def means_of(coordinates: FloatArray, weights: Weights | None, labels: Labels) -> FloatArray:
    """Return the mean of each group, by the weights of its rows."""
    groups = [labels == k for k in range(int(labels.max()) + 1)]
    if weights is None:
        return np.array([coordinates[rows].mean(axis=0) for rows in groups])
    return np.array([np.average(coordinates[rows], axis=0, weights=weights[rows]) for rows in groups])


def _unit_rows(vectors: FloatArray, shares: Weights | None) -> FloatArray:
    lengths = np.linalg.norm(vectors if shares is None else np.sqrt(shares)[:, None] * vectors, axis=0)
    scaled = vectors / np.where(lengths > 0, lengths, 1.0)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(norms > 0, norms, 1.0))


def _rotated_labels(directions: FloatArray, shares: Weights | None, draws: np.random.RandomState) -> Labels:
    rotation = _first_rotation(directions, shares, draws)
    counted = directions if shares is None else shares[:, None] * directions
    best = 0.0
    for _ in range(MOST_ROUNDS):
        labels = (directions @ rotation).argmax(axis=1)
        indicators = np.eye(directions.shape[1])[labels]
        left, strengths, right = np.linalg.svd(indicators.T @ counted)
        if abs(strengths.sum() - best) < np.finfo(np.float64).eps * len(directions):
            break
        best = float(strengths.sum())
        rotation = right.T @ left.T
    return np.asarray(labels)


def _first_rotation(
    directions: FloatArray, shares: Weights | None, draws: np.random.RandomState
) -> FloatArray:
    """Take a random row, then again and again the row most at right angles to those taken."""
    n, k = directions.shape
    first = draws.randint(n) if shares is None else draws.choice(n, p=shares / shares.sum())
    taken = [directions[first]]
    overlap = np.zeros(n)
    for _ in range(1, k):
        overlap += np.abs(directions @ taken[-1])
        taken.append(directions[int((overlap <= overlap.min() + EQUAL_ANGLES).argmax())])
    return np.array(taken).T
