"""Scores from the overlaps of classes and clusters: purity and BCubed.

An empty labeling has nothing wrong with it: every score of it is 1.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from coterie._support.typing import AnyArray, VectorLike
from coterie._support.validation import Choice, Number, check_parameter
from coterie.evaluate.catalogue import measure
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.tables import reduce_rows
from coterie.evaluate.labelings import Noise

Average: TypeAlias = Literal["weighted", "macro"]
LARGEST_BETA = 1e100  # long before, precision has no part in any digit; the square of more may overflow
AVERAGES = Choice("weighted", "macro")

set_measure = partial(measure, group="sets of samples", needs="labelings", low=0, high=1)


def purity_of(table: ContingencyTable, average: Average = "weighted") -> float:
    """Average over clusters of the share of their largest class."""
    largest = np.zeros(table.clusters.size, dtype=table.counts.dtype)
    np.maximum.at(largest, table.columns, table.counts)
    return mean_share(largest, table.cluster_sizes, average)


def inverse_purity_of(table: ContingencyTable, average: Average = "weighted") -> float:
    """Average over classes of the share that is in one cluster."""
    return mean_share(reduce_rows(np.maximum, table.row_starts, table.counts), table.class_sizes, average)


def purity_f_of(table: ContingencyTable, beta: float = 1.0) -> float:
    """Weighted harmonic mean of purity and inverse purity."""
    return harmonic_mean(purity_of(table), inverse_purity_of(table), beta)


def bcubed_precision_of(table: ContingencyTable) -> float:
    """Mean over samples of the share of their cluster that is of their class."""
    return _mean_overlap(table, table.cluster_sizes[table.columns])


def bcubed_recall_of(table: ContingencyTable) -> float:
    """Mean over samples of the share of their class that is in their cluster."""
    return _mean_overlap(table, table.class_sizes[table.rows])


def bcubed_f_of(table: ContingencyTable, beta: float = 1.0) -> float:
    """Weighted harmonic mean of BCubed precision and recall."""
    return harmonic_mean(bcubed_precision_of(table), bcubed_recall_of(table), beta)


def mean_share(parts: AnyArray, sizes: AnyArray, average: Average) -> float:
    """Average parts / sizes over sets, weighted by size or not."""
    if parts.size == 0:
        return 1.0
    return float(parts.sum() / sizes.sum()) if average == "weighted" else float(np.mean(parts / sizes))


def harmonic_mean(precision: float, recall: float, beta: float) -> float:
    """Return (1 + β²) P R / (β² P + R), 0 when both are 0."""
    recall_counts = squared_beta(beta)
    below = recall_counts * precision + recall
    return 0.0 if below == 0 else (1 + recall_counts) * precision * recall / below


def squared_beta(beta: float) -> float:
    """Return how many times as much recall counts in an F measure as precision.

    Examples
    --------
    >>> squared_beta(2.0)
    4.0
    """
    return min(float(beta), LARGEST_BETA) ** 2


def _mean_overlap(table: ContingencyTable, sizes: AnyArray) -> float:
    if table.n_cells == 0:
        return 1.0
    counts = table.counts.astype(np.float64)
    return min(1.0, float(np.dot(counts, counts / sizes)) / table.n_samples)


def _check_average(average: str, who: str) -> None:
    check_parameter(average, AVERAGES, name="average", who=who)


@set_measure(symbol="purity", reference="manning-2008", of_table=purity_of)
def purity_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Share of the samples that are of the largest class of their cluster: (1/n) Σ_j max_i n_ij.

    Examples
    --------
    >>> purity_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    _check_average(average, "purity_score")
    return purity_of(contingency_table(labels_true, labels_pred, noise=noise), average)


@set_measure(symbol="inv. purity", reference="amigo-2009", of_table=inverse_purity_of)
def inverse_purity_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Share of the samples that are in the largest cluster of their class: (1/n) Σ_i max_j n_ij.

    Examples
    --------
    >>> inverse_purity_score([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    _check_average(average, "inverse_purity_score")
    return inverse_purity_of(contingency_table(labels_true, labels_pred, noise=noise), average)


@set_measure(
    symbol="impurity",
    greater_is_better=False,
    reference="torino-lectures",
    of_table=lambda table: 1.0 - purity_of(table),
)
def impurity(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Share of the samples that are not of the largest class of their cluster: 1 - purity.

    Examples
    --------
    >>> impurity([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    return 1.0 - purity_score(labels_true, labels_pred, average=average, noise=noise)


@set_measure(
    symbol="inv. impurity",
    greater_is_better=False,
    reference="torino-lectures",
    of_table=lambda table: 1.0 - inverse_purity_of(table),
)
def inverse_impurity(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Share of the samples that are not in the largest cluster of their class: 1 - inverse purity.

    Examples
    --------
    >>> inverse_impurity([0, 0, 1, 1], [0, 1, 2, 3])
    0.5
    """
    return 1.0 - inverse_purity_score(labels_true, labels_pred, average=average, noise=noise)


@set_measure(symbol="purity F", is_symmetric=True, reference="amigo-2009", of_table=purity_f_of)
def purity_f_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> float:
    """Weighted harmonic mean of purity P and inverse purity I: (1 + β²) P I / (β² P + I).

    Parameters
    ----------
    beta : float, default=1.0
        How many times as much inverse purity counts as purity; only beta=1 is symmetric.

    Examples
    --------
    >>> purity_f_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    check_parameter(beta, Number(0.0), name="beta", who="purity_f_score")
    return purity_f_of(contingency_table(labels_true, labels_pred, noise=noise), beta)


@set_measure(symbol="B3 P", reference="bagga-1998", of_table=bcubed_precision_of)
def bcubed_precision(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Mean over samples of the share of their cluster that is of their class: (1/n) Σ_ij n_ij² / |C_j|.

    Examples
    --------
    >>> round(bcubed_precision([0, 0, 1, 1], [0, 0, 0, 1]), 4)
    0.6667
    """
    return bcubed_precision_of(contingency_table(labels_true, labels_pred, noise=noise))


@set_measure(symbol="B3 R", reference="bagga-1998", of_table=bcubed_recall_of)
def bcubed_recall(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Mean over samples of the share of their class that is in their cluster: (1/n) Σ_ij n_ij² / |T_i|.

    Examples
    --------
    >>> bcubed_recall([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return bcubed_recall_of(contingency_table(labels_true, labels_pred, noise=noise))


@set_measure(symbol="B3 F", is_symmetric=True, reference="amigo-2009", of_table=bcubed_f_of)
def bcubed_f(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> float:
    """Weighted harmonic mean of BCubed precision P and recall R: (1 + β²) P R / (β² P + R).

    Examples
    --------
    >>> round(bcubed_f([0, 0, 1, 1], [0, 0, 0, 1]), 4)
    0.7059
    """
    check_parameter(beta, Number(0.0), name="beta", who="bcubed_f")
    return bcubed_f_of(contingency_table(labels_true, labels_pred, noise=noise), beta)
