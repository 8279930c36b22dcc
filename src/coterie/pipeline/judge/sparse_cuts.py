"""Whether hardly any near rows lie on both sides of a border: the cut of the neighbour graph.

A border through one cloud divides rows that are near each other all along its way, about as many as the cloud
is wide. A gap of no great depth, which no path of the density shows for certain, is still seen by this: it is
a gap everywhere. Along a tube a cut is as short as a tube is thin, and says nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie._support.stoppable import stoppable
from coterie._support.typing import FloatArray, Indices, Labels

# neighbours that are divided, in units of what a border through a round cloud divides, which the best of many
# cuts of one cloud rarely goes below: benchmarks/cut_null.py
FEWEST = 0.15
PER_FOLD = 1.8  # evidence for each time that they are e times fewer
LEAST_ROWS = (
    25  # of the smaller group: the neighbours of fewer rows are in other groups whatever divides them
)
NO_SPREAD = 1e-12


def shares_of_cuts(labels: Labels, neighbours: Indices, low: Indices, high: Indices, m: float) -> FloatArray:
    """Return how many neighbours each pair of groups divides, as a share of what divides a round cloud.

    Parameters
    ----------
    labels : array of shape (n,)
        Groups of the rows, 0..k-1.
    neighbours : array of shape (n, n_near)
        The nearest rows of each.
    low, high : arrays
        The pairs.
    m : float
        Dimension of the rows: a border through s rows of a round cloud meets about s ** ((m - 1) / m).

    Examples
    --------
    >>> near = np.array([[1], [0], [3], [2]])
    >>> apart, torn = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> one, other = np.array([0]), np.array([1])
    >>> shares_of_cuts(apart, near, one, other, 2.0) < shares_of_cuts(torn, near, one, other, 2.0)
    array([ True])
    """
    k, n_near = int(labels.max()) + 1, neighbours.shape[1]
    met = np.bincount((labels[:, None] * k + labels[neighbours]).ravel(), minlength=k * k).reshape(k, k)
    sizes = np.bincount(labels, minlength=k)
    divided = met[low, high] + met[high, low] + 1.0  # one more: none at all is chance too
    smaller = np.minimum(sizes[low], sizes[high]).astype(np.float64)
    return np.asarray(divided / (2 * n_near * smaller ** ((m - 1.0) / m)))


def elongations(
    X: FloatArray,
    labels: Labels,
    low: Indices,
    high: Indices,
    m: int,
    known: dict[bytes, float] | None = None,
) -> FloatArray:
    """Return how many times longer than its mean width each pair of groups is: the shorter is a cut across.

    `known` keeps what was found for the same rows, as cuts of one tree have most of their pairs in common.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]])
    >>> elongations(X, np.array([0, 0, 1, 1]), np.array([0]), np.array([1]), 2)
    array([2.])
    """
    known = {} if known is None else known
    found = np.ones(len(low))
    for at, (one, other) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        own = (labels == one) | (labels == other)
        key = np.packbits(own).tobytes()
        if key not in known:
            known[key] = _elongation(X[own], m)
        found[at] = known[key]
    return found


def _elongation(rows: FloatArray, m: int) -> float:
    centred = rows - rows.mean(axis=0)
    spreads = stoppable(np.linalg.eigvalsh, centred.T @ centred)[::-1][:m]
    if spreads[-1] <= NO_SPREAD * spreads[0]:
        return 1.0
    return float(np.sqrt(spreads[0]) / np.exp(np.log(spreads).mean() / 2))


def may_be_sparse(labels: Labels, low: Indices, high: Indices, shares: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which pairs divide so small a share of neighbours that it may be evidence, whatever their shape.

    Examples
    --------
    >>> may_be_sparse(np.repeat([0, 1], 30), np.array([0]), np.array([1]), np.array([0.1]))
    array([ True])
    """
    sizes = np.bincount(labels)
    return np.asarray((np.minimum(sizes[low], sizes[high]) >= LEAST_ROWS) & (shares < FEWEST))


def evidence_of_cuts(
    X: FloatArray,
    labels: Labels,
    low: Indices,
    high: Indices,
    shares: FloatArray,
    dimension: float,
    known: dict[bytes, float] | None = None,
) -> FloatArray:
    """Return by how much fewer neighbours are divided than any cut of one cloud divides; at most 0: no fewer.

    `shares` are those of `shares_of_cuts` for the pairs.

    Examples
    --------
    >>> from coterie.distance import k_nearest
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(400, 2))
    >>> half = (X[:, 0] > 0.5).astype(int)
    >>> one, other = np.array([0]), np.array([1])
    >>> shares = shares_of_cuts(half, k_nearest(X, None, 10).index, one, other, 2.0)
    >>> evidence_of_cuts(X, half, one, other, shares, 2.0)
    array([0.])
    >>> X[half == 1, 0] += 0.1
    >>> shares = shares_of_cuts(half, k_nearest(X, None, 10).index, one, other, 2.0)
    >>> bool(evidence_of_cuts(X, half, one, other, shares, 2.0)[0] > 1)
    True
    """
    found = np.zeros(len(low))
    asked = np.flatnonzero(may_be_sparse(labels, low, high, shares))
    if asked.size:
        m = min(X.shape[1], int(np.ceil(dimension)))
        lengthened = shares[asked] * elongations(X, labels, low[asked], high[asked], m, known)
        found[asked] = np.maximum(PER_FOLD * np.log(FEWEST / lengthened), 0.0)
    return found
