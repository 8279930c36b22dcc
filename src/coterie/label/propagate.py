"""From a few labels to many: to the rows of the same group, or along the graph of neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from coterie._support.typing import (
    CheckedRows,
    FloatArray,
    Indices,
    Labels,
    Mask,
    MatrixLike,
    MetricLike,
    SparseData,
    VectorLike,
)
from coterie._support.validation import Number, Whole, check_data, check_parameter
from coterie.distance import neighbour_graph
from coterie.errors import InvalidData
from coterie.evaluate.internal import read_partition, squared_to_own, weighted_means

UNLABELLED = -1
WHO = "propagate_labels"
MOST_ROUNDS = 1000
HELD_OUT_PARTS = 10  # of the labelled rows, each judged by the labels of the others
LEAST_CHANGE = 1e-6  # of a share, at which the rounds end
TIE = 1e-9  # shares nearer than this are equal: the smaller label wins, on every processor


@dataclass(frozen=True, eq=False)
class Propagation:
    """Labels of all rows, how sure they are, and which given labels the others contradict.

    Parameters
    ----------
    labels : array of int of shape (n,)
        Given labels as they were, others as found; -1 where none could be found.
    confidence : array of shape (n,)
        Share of the label among what reaches the row, 0 to 1; 0 without a label.
    contradictions : array of int
        Labelled rows, counted from 0, for which the others speak for another label, the surest first.
    suggestions : array of int
        The labels that the others speak for.
    classes : array of int of shape (n_classes,)
        The labels, sorted.
    """

    labels: Labels
    confidence: FloatArray
    contradictions: Indices
    suggestions: Labels
    classes: Labels

    @property
    def n_unlabelled(self) -> int:
        """Rows that no label reached."""
        return int((self.labels == UNLABELLED).sum())

    def __repr__(self) -> str:
        n = len(self.labels)
        return (
            f"<labels of {n - self.n_unlabelled:,} of {n:,} rows; {len(self.contradictions)} given labels "
            f"are contradicted>"
        )


def propagate_labels(
    X: MatrixLike,
    y: VectorLike,
    *,
    groups: VectorLike | None = None,
    share: float = 1.0,
    n_neighbors: int = 15,
    metric: MetricLike = "euclidean",
    alpha: float = 0.9,
    n_jobs: int | None = None,
) -> Propagation:
    """Return labels for rows that have none, from those that have.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows, scaled as for clustering.
    y : array-like of int of shape (n,)
        Labels; -1 where unknown, as in `sklearn.semi_supervised`.
    groups : array-like of shape (n,), default=None
        Group of each row: a row gets the most frequent label of its group, the smallest of equally frequent
        ones. -1 is noise, and stays without a label. None: labels spread over the graph of neighbours
        [zhou-2004].
    share : float, default=1.0
        With groups: share of the rows of each group that get its label, those nearest to its mean.
    n_neighbors : int, default=15
        Without groups: neighbours of each row.
    metric : str, callable or Distance, default="euclidean"
        Without groups: distance, as in `pairwise_distances`.
    alpha : float, default=0.9
        Without groups: how much a row listens to its neighbours rather than to its own label; 0.01 to 0.999.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.

    Returns
    -------
    Propagation
        Labels, confidence, and given labels that the others contradict.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]
    >>> propagate_labels(X, [7, -1, -1, -1, 3, -1], n_neighbors=2).labels
    array([7, 7, 7, 3, 3, 3])
    """
    given = _check_y(y)
    check_parameter(share, Number(0.0, 1.0, open_below=True), name="share", who=WHO)
    check_parameter(n_neighbors, Whole(1), name="n_neighbors", who=WHO)
    check_parameter(alpha, Number(0.01, 0.999), name="alpha", who=WHO)
    classes, codes = np.unique(given[given != UNLABELLED], return_inverse=True)
    known = np.flatnonzero(given != UNLABELLED)
    if groups is not None:
        others, reached = _from_groups(X, given, known, codes, len(classes), groups, float(share))
    else:
        graph = _graph(X, given, int(n_neighbors), metric, n_jobs)
        others, reached = _over_graph(graph, known, codes, len(classes), float(alpha))
    return _settled(given, known, codes, classes, others, reached)


def _check_y(y: VectorLike) -> Labels:
    given = np.asarray(y)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InvalidData(
            f"y of {WHO} must be whole numbers in one dimension, -1 where unknown, got {given.dtype} of "
            f"shape {given.shape}. names, y = np.unique(text, return_inverse=True) numbers other labels."
        )
    given = given.astype(np.int64)
    if not (given != UNLABELLED).any():
        raise InvalidData(f"y of {WHO} must have a label other than -1, got none.")
    return given


def _check_length(n_rows: int, given: Labels, what: str) -> None:
    if n_rows != len(given):
        raise InvalidData(
            f"y of {WHO} must have a label or -1 for each of the {n_rows} {what}, got {len(given)}."
        )


def _from_groups(
    X: MatrixLike,
    given: Labels,
    known: Indices,
    codes: Labels,
    n_classes: int,
    groups: VectorLike,
    share: float,
) -> tuple[FloatArray, Mask]:
    """Return counts of labels by row: those of its group, its own left out."""
    checked = check_data(X, who=WHO)
    _check_length(len(checked), given, "rows of X")
    partition = read_partition(groups, "exclude")
    if partition.n_samples + partition.n_left_out != len(given):
        raise InvalidData(f"groups of {WHO} must have a group for each of the {len(given)} rows.")
    rows = np.arange(len(given)) if partition.rows is None else partition.rows
    own = np.full(len(given), -1)
    own[rows] = partition.codes
    held = own[known] >= 0
    counts = np.zeros((partition.n_clusters, n_classes))
    np.add.at(counts, (own[known][held], codes[held]), 1.0)
    reached = np.zeros(len(given), dtype=bool)
    reached[rows] = True
    if share < 1.0:
        squared = squared_to_own(checked[rows], weighted_means(checked[rows], partition), partition.codes)
        order = np.lexsort((squared, partition.codes))
        starts = np.cumsum(partition.sizes) - partition.sizes
        places = np.arange(len(rows)) - starts[partition.codes[order]]
        reached[rows[order]] = places < np.ceil(share * partition.sizes)[partition.codes[order]]
    found = np.where((own >= 0)[:, None], counts[own], 0.0)
    found[known[held], codes[held]] -= 1.0  # what others say
    return found, reached


def _graph(
    X: MatrixLike, given: Labels, n_neighbors: int, metric: MetricLike, n_jobs: int | None
) -> SparseData:
    rows: CheckedRows = (
        X if len(getattr(X, "shape", ())) == 2 else check_data(X, who=WHO, may_be_distances=True)
    )
    n_rows = int(rows.shape[0])
    _check_length(n_rows, given, "rows of X")
    if n_rows < 2:
        return csr_array((n_rows, n_rows))
    k = min(n_neighbors, n_rows - 1)
    return neighbour_graph(rows, k, metric, n_jobs=n_jobs).weights


def _over_graph(
    graph: SparseData, known: Indices, codes: Labels, n_classes: int, alpha: float
) -> tuple[FloatArray, Mask]:
    """Return what labels say of every row: all of them, and of labelled rows those of the other parts.

    Labelled rows are dealt out into parts, every class in turn, and each part is told by the others.
    """
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    roots = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    spread = csr_array(diags_array(roots) @ graph @ diags_array(roots))
    found = _spread_labels(spread, known, codes, n_classes, alpha)
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=n_classes)
    parts = np.empty(len(codes), dtype=np.intp)
    parts[order] = (np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes[order]]) % HELD_OUT_PARTS
    for part in np.unique(parts) if parts.any() else []:
        is_held = parts == part
        told = _spread_labels(spread, known[~is_held], codes[~is_held], n_classes, alpha)
        found[known[is_held]] = told[known[is_held]]
    found[known[counts[codes] == 1]] = 0.0  # nothing else speaks of their class
    return found, np.ones(graph.shape[0], dtype=bool)


def _spread_labels(
    spread: SparseData, known: Indices, codes: Labels, n_classes: int, alpha: float
) -> FloatArray:
    """Return F = alpha S F + (1 - alpha) Y: labels spread over the normalised graph S."""
    start = np.zeros((spread.shape[0], n_classes))
    start[known, codes] = 1.0
    start /= np.maximum(start.sum(axis=0), 1.0)  # classes with many labels do not drown the others
    found, scale = start, float(start.max(initial=0.0))
    for _ in range(MOST_ROUNDS):
        after = alpha * (spread @ found) + (1.0 - alpha) * start
        change = float(np.abs(after - found).max())
        found = after
        if change <= LEAST_CHANGE * scale:
            break
    return np.asarray(found)


def _settled(
    given: Labels, known: Indices, codes: Labels, classes: Labels, others: FloatArray, reached: Mask
) -> Propagation:
    """Return labels by the largest share; given ones stay, and are reported where others say otherwise."""
    total = others.sum(axis=1)
    shares = others / np.where(total > 0, total, 1.0)[:, None]
    best = (shares >= shares.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    labels = np.where((total > 0) & reached, classes[best], UNLABELLED)
    confidence = np.where(labels == UNLABELLED, 0.0, shares.max(axis=1))
    own = shares[known, codes]
    differs = (total[known] > 0) & (best[known] != codes) & (own < shares[known].max(axis=1) - TIE)
    contradicted = known[differs]
    order = np.argsort(-shares[contradicted].max(axis=1), kind="stable") if len(contradicted) else slice(0)
    labels[known], confidence[known] = given[known], np.where(total[known] > 0, own, 1.0)
    return Propagation(labels, confidence, contradicted[order], classes[best[contradicted[order]]], classes)
