"""Labels of the nodes of a weighted graph: rows go where most of their links lead."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from coterie._support.typing import FloatArray, Indices, Labels, Mask, SparseData
from coterie.cluster.graph.communities import by_size

MOST_ROUNDS = 100  # of handing labels on to rows without one
MOVING_ROUNDS = 3  # in which rows move to the cluster of most of their links


def share_within(links: SparseData, labels: Labels) -> FloatArray:
    """Return the share of each row's links that stay in its cluster; 1 for a row without any."""
    row = np.repeat(np.arange(len(labels)), np.diff(links.indptr))
    weight = np.asarray(links.data, dtype=np.float64)
    total = np.bincount(row, weight, minlength=len(labels))
    inside = np.bincount(row, weight * (labels[row] == labels[links.indices]), minlength=len(labels))
    return np.divide(inside, total, out=np.ones(len(labels)), where=total > 0)


def with_most_links(labels: Labels, links: SparseData) -> Labels:
    """Return labels after a few rounds in which rows move to the cluster that most of their links lead to.

    Rows between two clusters are in one of them by chance: another order of visits puts them into the other.
    """
    for _ in range(MOVING_ROUNDS):
        rows = np.flatnonzero(share_within(links, labels) < 0.5)
        if not len(rows):
            break
        best, weight, own = _most_linked(labels, links, rows)
        moves = weight > own
        labels[rows[moves]] = best[moves]
    return labels


def hand_on(labels: Labels, links: SparseData) -> Labels:
    """Return labels in which rows without one take that of most of their links.

    Rows that no link leads to join the largest cluster.
    """
    labels = _spread(labels, links)
    labels[labels < 0] = 0
    return labels


def nested_within(fine: Labels, coarse: Labels, links: SparseData) -> Labels:
    """Return a finer layer with every cluster within one of the coarser layer: the one with most of its rows.

    Rows of another coarse cluster move to the cluster in there that most of their links lead to.
    """
    known = (fine >= 0) & (coarse >= 0)
    n_coarse = int(coarse.max(initial=0)) + 1
    n_fine = int(fine.max(initial=0)) + 1
    met = csr_array((np.ones(known.sum()), (fine[known], coarse[known])), shape=(n_fine, n_coarse))
    parent, _ = _largest(met)
    fits = known & (parent[fine] == coarse)
    row = np.repeat(np.arange(len(coarse)), np.diff(links.indptr))
    inside = (coarse[row] == coarse[links.indices]) & (coarse[row] >= 0)
    within = csr_array((links.data * inside, links.indices, links.indptr), shape=links.shape)
    labels = _spread(np.where(fits, fine, -1), within, only=known)
    rest = known & (labels < 0)  # nothing in there is linked to them: they are one cluster
    labels[rest] = n_fine + coarse[rest]
    return numbered_by_size(labels)


def _spread(labels: Labels, links: SparseData, only: Mask | None = None) -> Labels:
    """Return labels in which rows without one, or some of these, take that of most links, round by round."""
    labels = labels.copy()
    for _ in range(MOST_ROUNDS):
        rows = np.flatnonzero(labels < 0 if only is None else (labels < 0) & only)
        if not len(rows):
            break
        best, weight, _ = _most_linked(labels, links, rows)
        if not (weight > 0).any():
            break
        labels[rows[weight > 0]] = best[weight > 0]
    return labels


def _most_linked(labels: Labels, links: SparseData, rows: Indices) -> tuple[Labels, FloatArray, FloatArray]:
    """Return the label that most links of some rows lead to, their weight, and that of the own label."""
    some = csr_array(links[rows])
    row, label = np.repeat(np.arange(len(rows)), np.diff(some.indptr)), labels[some.indices]
    known, weight = label >= 0, np.asarray(some.data, dtype=np.float64)
    own = np.bincount(row, weight * (known & (label == labels[rows][row])), minlength=len(rows))
    shape = len(rows), int(labels.max(initial=0)) + 1
    votes = csr_array((weight[known], (row[known], label[known])), shape=shape)
    best, most = _largest(votes)
    return best, most, np.asarray(own, dtype=np.float64)


def _largest(votes: SparseData) -> tuple[Labels, FloatArray]:
    """Return the column of the largest entry of each row, the first of equal ones, and the entry; else 0."""
    votes.sum_duplicates()
    n = votes.shape[0]
    best, most = np.zeros(n, dtype=np.int64), np.zeros(n)
    has = np.flatnonzero(np.diff(votes.indptr))
    if len(has):
        most[has] = np.maximum.reduceat(votes.data, votes.indptr[has])
        row = np.repeat(np.arange(n), np.diff(votes.indptr))
        at = np.flatnonzero(votes.data == most[row])
        first = at[np.searchsorted(row[at], has)]
        best[has] = votes.indices[first]
    return best, most


def numbered_by_size(labels: Labels) -> Labels:
    """Return the labels 0..k-1 by size; -1 stays."""
    labels, kept = np.asarray(labels, dtype=np.int64).copy(), labels >= 0
    if kept.any():
        labels[kept] = by_size(np.unique(labels[kept], return_inverse=True)[1])
    return labels
