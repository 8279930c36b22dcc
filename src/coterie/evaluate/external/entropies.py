"""Entropy, mutual information and what chance gives of it, in nats, from a contingency table."""

from __future__ import annotations

from math import log, sqrt
from typing import Literal, TypeAlias

import numpy as np

from coterie import _core
from coterie._support.typing import AnyArray, MatrixLike, VectorLike
from coterie._support.validation import Choice
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import shares_parameters
from coterie.evaluate.external.contingency import ContingencyTable, tabulate
from coterie.evaluate.labelings import Noise, check_noise, read_labeling

AverageMethod: TypeAlias = Literal["min", "geometric", "arithmetic", "max"]
AVERAGE_METHODS = Choice("min", "geometric", "arithmetic", "max")


@shares_parameters
def entropy(labels: VectorLike, *, noise: Noise = "cluster") -> float:
    """Return the entropy of a labeling in nats: H = -Σ_i p_i log p_i.

    Returns
    -------
    entropy : float
        At least 0. An empty labeling gives 1, as in scikit-learn.

    Examples
    --------
    >>> round(entropy([0, 0, 1, 1]), 4)
    0.6931
    """
    check_noise(noise)
    labeling = read_labeling(labels)
    constant = read_labeling(np.zeros(len(labeling), dtype=np.uint8))
    table = tabulate(labeling, constant).treat_noise(noise)
    return 1.0 if table.n_samples == 0 else entropy_of(table.class_sizes)


def expected_mutual_information(
    contingency: MatrixLike | ContingencyTable, n_samples: int | None = None
) -> float:
    """Return the mean mutual information, in nats, of random labelings with the margins of a table.

    Every cell holds a hypergeometric number of samples; the mean of (x/n) log(n x / (|T_i| |C_j|)) under it
    is summed over the cells. Cells with equal margins are computed once, and only where the probability is
    not negligible.

    Parameters
    ----------
    contingency : array-like, sparse matrix or ContingencyTable of shape (n_classes, n_clusters)
        Whole counts.
    n_samples : int, default=None
        Sum of the counts, as scikit-learn asks for it; checked when given.

    Examples
    --------
    >>> round(expected_mutual_information([[2, 0], [0, 2]], 4), 4)
    0.231
    """
    table = ContingencyTable.from_matrix(contingency)
    if n_samples is not None and n_samples != table.n_samples:
        raise InvalidParameter(
            f"n_samples of expected_mutual_information must be {table.n_samples}, the sum of the counts, "
            f"got {n_samples}."
        )
    return expected_information_of(table)


def entropy_of(sizes: AnyArray) -> float:
    """Entropy of sets of these sizes (or weights)."""
    filled = sizes[sizes > 0].astype(np.float64)
    if filled.size <= 1:
        return 0.0
    total = filled.sum()
    return float(np.dot(filled / total, log(total) - np.log(filled)))


def mutual_information_of(table: ContingencyTable) -> float:
    """Σ_ij (n_ij/n) log(n n_ij / (|T_i| |C_j|)), never below 0."""
    rows, columns, counts, n = _filled_cells(table)
    if min(table.shape) <= 1:
        return 0.0
    # grouped so that equal labelings give the entropy to the last bit
    gain = (np.log(counts) - np.log(table.class_sizes[rows])) + (
        log(n) - np.log(table.cluster_sizes[columns])
    )
    return max(0.0, float(np.dot(counts / n, gain)))


def conditional_entropies_of(table: ContingencyTable) -> tuple[float, float]:
    """H(classes | clusters) and H(clusters | classes)."""
    rows, columns, counts, n = _filled_cells(table)
    if counts.size == 0:
        return 0.0, 0.0
    shares, logs = counts / n, np.log(counts)
    of_classes = np.dot(shares, np.log(table.cluster_sizes[columns]) - logs)
    of_clusters = np.dot(shares, np.log(table.class_sizes[rows]) - logs)
    return max(0.0, float(of_classes)), max(0.0, float(of_clusters))


def expected_information_of(table: ContingencyTable) -> float:
    """Mean mutual information of random labelings with these margins."""
    if table.is_weighted:
        raise InvalidParameter("Chance is computed from numbers of samples, got a table of weights.")
    if min(table.shape) <= 1:
        return 0.0
    sizes, repeats = np.unique(table.class_sizes[table.class_sizes > 0], return_counts=True)
    other_sizes, other_repeats = np.unique(table.cluster_sizes[table.cluster_sizes > 0], return_counts=True)
    return float(
        _core.expected_mutual_information(sizes, repeats, other_sizes, other_repeats, int(table.n_samples))
    )


def generalized_mean(first: float, second: float, method: AverageMethod) -> float:
    """Return the mean of two numbers by name."""
    if method == "arithmetic":
        return (first + second) / 2
    if method == "geometric":
        return sqrt(first * second)
    return min(first, second) if method == "min" else max(first, second)


def _filled_cells(table: ContingencyTable) -> tuple[AnyArray, AnyArray, AnyArray, float]:
    if not table.is_weighted:
        return table.rows, table.columns, table.counts.astype(np.float64), float(table.n_samples)
    filled = table.counts > 0
    return table.rows[filled], table.columns[filled], table.counts[filled], float(table.n_samples)
