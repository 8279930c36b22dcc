"""Scores from matching clusters with classes, one to one or each with its most similar."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import (
    connected_components,
    maximum_bipartite_matching,
    min_weight_full_bipartite_matching,
)

from coterie._support.typing import AnyArray, MatrixLike, VectorLike
from coterie._support.validation import check_data
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.labelings import Noise

DENSE_CELLS = 2_000_000  # a dense assignment of more would need 16 MB and more
Floats = npt.NDArray[np.float64]
match_measure = partial(measure, group="matched clusters", needs="labelings", low=0)


def heaviest_matching(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    """Return the greatest sum of cell weights over matchings of rows with columns.

    Weights are at least 0; cells that are not listed weigh 0.

    Examples
    --------
    >>> heaviest_matching(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([3.0, 2.0, 2.0]), (2, 2))
    5.0
    """
    if shape[0] * shape[1] <= DENSE_CELLS:
        return _dense(rows, columns, weights, shape)
    return _by_parts(rows, columns, weights, shape)


def _dense(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    from scipy.optimize import linear_sum_assignment

    table = np.zeros(shape)
    table[rows, columns] = weights
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def _by_parts(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    # rows and columns that share no cell, however indirectly, can be matched apart
    n_rows, n_columns = shape
    n_vertices = n_rows + n_columns
    graph = coo_array((np.ones(rows.size, dtype=np.int8), (rows, n_rows + columns)), shape=(n_vertices,) * 2)
    n_parts, part_of = connected_components(graph, directed=False)
    rows_in = np.bincount(part_of[:n_rows], minlength=n_parts)
    columns_in = np.bincount(part_of[n_rows:], minlength=n_parts)
    part_of_cell = part_of[rows]
    heaviest = np.zeros(n_parts)
    np.maximum.at(heaviest, part_of_cell, weights)
    is_star = np.minimum(rows_in, columns_in) <= 1  # only one of its cells can be chosen
    total = float(heaviest[is_star].sum())
    order = np.argsort(part_of_cell, kind="stable")
    ends = np.cumsum(np.bincount(part_of_cell, minlength=n_parts))
    for part in np.flatnonzero(~is_star):
        cells = order[ends[part - 1] if part else 0 : ends[part]]
        total += _one_part(rows[cells], columns[cells], weights[cells])
    return total


def _one_part(rows: AnyArray, columns: AnyArray, weights: Floats) -> float:
    names_of_rows, rows = np.unique(rows, return_inverse=True)
    names_of_columns, columns = np.unique(columns, return_inverse=True)
    shape = names_of_rows.size, names_of_columns.size
    if shape[0] * shape[1] <= DENSE_CELLS:
        return _dense(rows, columns, weights, shape)
    if shape[0] > shape[1]:  # the solver goes through the rows
        return _sparse(columns, rows, weights, shape[::-1])
    return _sparse(rows, columns, weights, shape)


def _sparse(rows: AnyArray, columns: AnyArray, weights: Floats, shape: tuple[int, int]) -> float:
    # every row may also stay alone, in a column of its own, at the price of an empty cell
    n_rows, n_columns = shape
    price = float(weights.max()) + 1.0
    all_rows = np.concatenate([rows, np.arange(n_rows)])
    all_columns = np.concatenate([columns, n_columns + np.arange(n_rows)])
    costs = np.concatenate([price - weights, np.full(n_rows, price)])
    graph = csr_array((costs, (all_rows, all_columns)), shape=(n_rows, n_columns + n_rows))
    matched = min_weight_full_bipartite_matching(graph)
    return float((price - np.asarray(graph[matched])).sum())


def best_matching_weight(table: ContingencyTable, weights: npt.NDArray[np.float64]) -> float:
    """Return the greatest sum of cell weights over matchings of classes with clusters."""
    return heaviest_matching(table.rows, table.columns, weights, table.shape)


def matched_accuracy_of(table: ContingencyTable) -> float:
    """Greatest number of samples on a matching, over all."""
    if table.n_cells == 0:
        return 1.0
    return min(1.0, best_matching_weight(table, table.counts.astype(np.float64)) / table.n_samples)


def normalized_accuracy_of(table: ContingencyTable) -> float:
    """Mean share of the classes on a matching, 1/K moved to 0."""
    n_classes = table.classes.size
    if n_classes <= 1:
        return float(table.is_matching)
    total = best_matching_weight(table, table.counts / table.class_sizes[table.rows])
    return float(np.clip((total - 1) / (n_classes - 1), 0, 1))


def pair_sets_of(table: ContingencyTable) -> float:
    """Similarity of matched sets, corrected for chance."""
    most = max(table.shape)
    if most <= 1:
        return 1.0
    larger = np.maximum(table.class_sizes[table.rows], table.cluster_sizes[table.columns])
    similarity = best_matching_weight(table, table.counts / larger)
    fewest = min(table.shape)
    by_size = (np.sort(sizes)[::-1][:fewest] for sizes in (table.class_sizes, table.cluster_sizes))
    expected = float(np.minimum(*by_size).sum()) / table.n_samples
    return float(np.clip((similarity - expected) / (most - expected), 0, 1))


def centroid_index_of(table: ContingencyTable) -> float:
    """Clusters (or classes) that are the most similar of none, by Jaccard."""
    union = table.class_sizes[table.rows] + table.cluster_sizes[table.columns] - table.counts
    similarity = table.counts / union
    to_clusters = _n_chosen(table.rows, table.columns, similarity, table.shape)
    to_classes = _n_chosen(table.columns, table.rows, similarity, table.shape[::-1])
    return float(max(table.clusters.size - to_clusters, table.classes.size - to_classes))


def _n_chosen(sources: AnyArray, targets: AnyArray, similarity: AnyArray, shape: tuple[int, int]) -> int:
    # a source with several most similar targets takes one that leaves fewest orphans: names must not matter
    greatest = np.zeros(shape[0])
    np.maximum.at(greatest, sources, similarity)
    is_best = similarity == greatest[sources]
    graph = csr_array((np.ones(is_best.sum()), (sources[is_best], targets[is_best])), shape=shape)
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))


@match_measure(symbol="MA", high=1, is_symmetric=True, reference="meila-2001", of_table=matched_accuracy_of)
def matched_accuracy(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Accuracy under the best one-to-one matching of clusters with classes: (1/n) max_σ Σ_j n_σ(j)j.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label; their numbers may differ, what is left over counts as
        wrong.

    Examples
    --------
    >>> matched_accuracy([0, 0, 1, 1], [1, 1, 0, 2])
    0.75
    """
    return matched_accuracy_of(contingency_table(labels_true, labels_pred, noise=noise))


@match_measure(symbol="NCA", high=1, reference="gagolewski-2025", of_table=normalized_accuracy_of)
def normalized_clustering_accuracy(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Mean recall of K classes under the best matching, rescaled: (max_σ Σ_i n_iσ(i)/|T_i| - 1) / (K - 1).

    0 is a uniform spread of every class. Small classes count as much as large ones. With more clusters than
    classes the value could fall below 0; it is then 0. A single class gives 1 for a single cluster, otherwise
    0.

    Examples
    --------
    >>> normalized_clustering_accuracy([0, 0, 1, 1], [1, 1, 1, 0])
    0.5
    """
    return normalized_accuracy_of(contingency_table(labels_true, labels_pred, noise=noise))


@match_measure(
    symbol="PSI", high=1, is_symmetric=True, is_adjusted=True, reference="rezaei-2016", of_table=pair_sets_of
)
def pair_sets_index(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Similarity of matched classes and clusters, corrected for chance: (S - E) / (max(K, K') - E).

    S is the greatest sum of n_ij / max(|T_i|, |C_j|) over matchings; E is the sum of the smaller of the i-th
    largest class and the i-th largest cluster, over n. Clusters count alike whatever their sizes; below
    chance the index is 0.

    Examples
    --------
    >>> pair_sets_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return pair_sets_of(contingency_table(labels_true, labels_pred, noise=noise))


@match_measure(
    symbol="CI",
    high=np.inf,
    greater_is_better=False,
    is_symmetric=True,
    reference="franti-2016",
    of_table=centroid_index_of,
)
def centroid_index(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Count the clusters, or classes, that are the most similar of no other: 0 when the structure is right.

    Every class is mapped to the cluster of the greatest Jaccard similarity n_ij / |T_i ∪ C_j|, and every
    cluster to a class; what nothing maps to is an orphan. The index is the number of orphans on the side that
    has more; among equally similar ones the choice leaves fewest. This form needs labels only;
    `centroid_index_of_centers` compares centres.

    Examples
    --------
    >>> centroid_index([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2])
    1.0
    """
    return centroid_index_of(contingency_table(labels_true, labels_pred, noise=noise))


@measure(
    symbol="CI of centres",
    group="centres",
    needs="centers",
    low=0,
    high=np.inf,
    greater_is_better=False,
    is_symmetric=True,
    reference="franti-2014",
)
def centroid_index_of_centers(centers_true: MatrixLike, centers_pred: MatrixLike) -> float:
    """Count the centres that are the nearest of no centre of the other set, on the side that has more.

    Parameters
    ----------
    centers_true, centers_pred : array-like of shape (n_centers, n_features)
        Two sets of centres, compared by Euclidean distance.

    Examples
    --------
    >>> centroid_index_of_centers([[0.0], [5.0], [9.0]], [[0.1], [0.2], [7.0]])
    1.0
    """
    first = check_data(
        centers_true, name="centers_true", who="centroid_index_of_centers", may_be_distances=True
    )
    second = check_data(
        centers_pred, name="centers_pred", who="centroid_index_of_centers", may_be_distances=True
    )
    if first.shape[1] != second.shape[1]:
        raise InvalidData(
            f"centers_true and centers_pred must have the same features, "
            f"got {first.shape[1]} and {second.shape[1]}."
        )
    from scipy.spatial.distance import cdist

    distances = cdist(first, second)
    chosen_pred, chosen_true = np.unique(distances.argmin(axis=1)), np.unique(distances.argmin(axis=0))
    return float(max(second.shape[0] - chosen_pred.size, first.shape[0] - chosen_true.size))
