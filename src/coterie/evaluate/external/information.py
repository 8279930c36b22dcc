"""Scores from the information that two labelings share, in nats.

Two labelings without any split, and empty ones, agree: similarities are 1 and distances 0, as in
scikit-learn.
"""

from __future__ import annotations

from functools import partial
from math import inf

from coterie._support.typing import MatrixLike, VectorLike
from coterie._support.validation import Number, check_parameter
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import measure, shares_parameters
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.entropies import (
    AVERAGE_METHODS,
    AverageMethod,
    conditional_entropies_of,
    entropy_of,
    expected_information_of,
    generalized_mean,
    mutual_information_of,
)
from coterie.evaluate.labelings import Noise

information_measure = partial(measure, group="information", needs="labelings")
share_measure = partial(information_measure, low=0, high=1)
distance_measure = partial(
    measure,
    group="distances by information",
    needs="labelings",
    low=0,
    greater_is_better=False,
    is_symmetric=True,
)


def normalized_information_of(table: ContingencyTable, average_method: AverageMethod = "arithmetic") -> float:
    """Mutual information over a mean of the entropies."""
    if max(table.shape) <= 1:
        return 1.0
    shared = mutual_information_of(table)
    if shared == 0:
        return 0.0
    mean = generalized_mean(entropy_of(table.class_sizes), entropy_of(table.cluster_sizes), average_method)
    return min(1.0, shared / mean)


def adjusted_information_of(table: ContingencyTable, average_method: AverageMethod = "arithmetic") -> float:
    """Mutual information beyond chance, over the most that is possible."""
    if max(table.shape) <= 1 or table.is_matching:
        return 1.0
    if min(table.shape) == 1:
        return 0.0
    has_singletons_only = max(table.shape) == table.n_samples
    if has_singletons_only and average_method == "min":
        return 1.0  # chance reaches the maximum too: 0/0, which scikit-learn counts as a match
    expected = expected_information_of(table)
    mean = generalized_mean(entropy_of(table.class_sizes), entropy_of(table.cluster_sizes), average_method)
    return min(1.0, (mutual_information_of(table) - expected) / (mean - expected))


def homogeneity_of(table: ContingencyTable) -> float:
    """Share of the entropy of the classes that the clusters explain."""
    total = entropy_of(table.class_sizes)
    return 1.0 if total == 0 else min(1.0, mutual_information_of(table) / total)


def completeness_of(table: ContingencyTable) -> float:
    """Share of the entropy of the clusters that the classes explain."""
    total = entropy_of(table.cluster_sizes)
    return 1.0 if total == 0 else min(1.0, mutual_information_of(table) / total)


def v_measure_of(table: ContingencyTable, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness."""
    homogeneity, completeness = homogeneity_of(table), completeness_of(table)
    if homogeneity == 0 or completeness == 0:
        return 0.0
    return (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)


@information_measure(
    symbol="MI",
    low=0,
    high=inf,
    is_symmetric=True,
    reference="cover-2006",
    in_scikit_learn=True,
    of_table=mutual_information_of,
)
def mutual_info_score(
    labels_true: VectorLike | None,
    labels_pred: VectorLike | None,
    *,
    contingency: MatrixLike | ContingencyTable | None = None,
    noise: Noise = "cluster",
) -> float:
    """Information that the two labelings share, in nats: I = Σ_ij (n_ij/n) log(n n_ij / (|T_i| |C_j|)).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label; not looked at when `contingency` is given.
    contingency : array-like, sparse matrix or ContingencyTable, default=None
        The table, if it is known already.

    Examples
    --------
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6931
    """
    if contingency is not None:
        return mutual_information_of(ContingencyTable.from_matrix(contingency))
    if labels_true is None or labels_pred is None:
        raise InvalidParameter(
            "mutual_info_score needs labels_true and labels_pred, or contingency, got neither."
        )
    return mutual_information_of(contingency_table(labels_true, labels_pred, noise=noise))


@share_measure(
    symbol="NMI",
    is_symmetric=True,
    reference="strehl-2002",
    in_scikit_learn=True,
    of_table=normalized_information_of,
)
def normalized_mutual_info_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average_method: AverageMethod = "arithmetic",
    noise: Noise = "cluster",
) -> float:
    """Mutual information over a mean of the two entropies: 2 I / (H(T) + H(C)) for the arithmetic one.

    Examples
    --------
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    check_parameter(
        average_method, AVERAGE_METHODS, name="average_method", who="normalized_mutual_info_score"
    )
    return normalized_information_of(contingency_table(labels_true, labels_pred, noise=noise), average_method)


@information_measure(
    symbol="AMI",
    low=-inf,
    high=1,
    is_symmetric=True,
    is_adjusted=True,
    reference="vinh-2010",
    in_scikit_learn=True,
    of_table=adjusted_information_of,
)
def adjusted_mutual_info_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average_method: AverageMethod = "arithmetic",
    noise: Noise = "cluster",
) -> float:
    """Mutual information adjusted for chance: (I - E[I]) / (mean(H(T), H(C)) - E[I]).

    E[I] is the mean over random labelings with these cluster sizes, see `expected_mutual_information`.

    Examples
    --------
    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    check_parameter(average_method, AVERAGE_METHODS, name="average_method", who="adjusted_mutual_info_score")
    return adjusted_information_of(contingency_table(labels_true, labels_pred, noise=noise), average_method)


@share_measure(
    symbol="homogeneity", reference="rosenberg-2007", in_scikit_learn=True, of_table=homogeneity_of
)
def homogeneity_score(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Whether clusters hold one class each: h = 1 - H(T|C) / H(T).

    Examples
    --------
    >>> homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return homogeneity_of(contingency_table(labels_true, labels_pred, noise=noise))


@share_measure(
    symbol="completeness", reference="rosenberg-2007", in_scikit_learn=True, of_table=completeness_of
)
def completeness_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Whether classes lie in one cluster each: c = 1 - H(C|T) / H(C).

    Examples
    --------
    >>> round(completeness_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6667
    """
    return completeness_of(contingency_table(labels_true, labels_pred, noise=noise))


@share_measure(
    symbol="V", is_symmetric=True, reference="rosenberg-2007", in_scikit_learn=True, of_table=v_measure_of
)
def v_measure_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> float:
    """Weighted harmonic mean of homogeneity h and completeness c: (1 + β) h c / (β h + c).

    Parameters
    ----------
    beta : float, default=1.0
        Above 1 completeness counts more, below 1 homogeneity; only beta=1 is symmetric.

    Examples
    --------
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta, noise=noise)[2]


@shares_parameters
def homogeneity_completeness_v_measure(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> tuple[float, float, float]:
    """Return homogeneity, completeness and their weighted harmonic mean from one pass.

    Parameters
    ----------
    beta : float, default=1.0
        As in `v_measure_score`.

    Examples
    --------
    >>> [round(score, 4) for score in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.6667, 0.8]
    """
    check_parameter(beta, Number(0.0), name="beta", who="homogeneity_completeness_v_measure")
    table = contingency_table(labels_true, labels_pred, noise=noise)
    return homogeneity_of(table), completeness_of(table), v_measure_of(table, beta)


def variation_of(table: ContingencyTable) -> float:
    """H(T|C) + H(C|T)."""
    return sum(conditional_entropies_of(table))


def information_distance_of(table: ContingencyTable) -> float:
    """Larger conditional entropy over the larger entropy."""
    most = max(entropy_of(table.class_sizes), entropy_of(table.cluster_sizes))
    return 0.0 if most == 0 else min(1.0, max(conditional_entropies_of(table)) / most)


@distance_measure(
    symbol="H(T|C)",
    high=inf,
    is_symmetric=False,
    reference="cover-2006",
    of_table=lambda table: conditional_entropies_of(table)[0],
)
def conditional_entropy(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Entropy of the classes that the clusters leave, in nats: H(T|C) = -Σ_ij (n_ij/n) log(n_ij/|C_j|).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes, and the clusters that are known; exchange them for H(C|T).

    Examples
    --------
    >>> conditional_entropy([0, 0, 1, 1], [0, 1, 2, 2])
    0.0
    """
    return conditional_entropies_of(contingency_table(labels_true, labels_pred, noise=noise))[0]


@distance_measure(symbol="VI", high=inf, reference="meila-2007", of_table=variation_of)
def variation_of_information(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Entropy that each labeling leaves of the other, in nats: VI = H(T|C) + H(C|T).

    A metric on labelings; at most log n.

    Examples
    --------
    >>> round(variation_of_information([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.3466
    """
    return variation_of(contingency_table(labels_true, labels_pred, noise=noise))


@distance_measure(symbol="NID", high=1, reference="vinh-2010", of_table=information_distance_of)
def normalized_information_distance(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Share of the larger entropy that the labelings do not share: 1 - I / max(H(T), H(C)).

    A metric on labelings, in [0, 1].

    Examples
    --------
    >>> round(normalized_information_distance([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.3333
    """
    return information_distance_of(contingency_table(labels_true, labels_pred, noise=noise))
