"""Distances between labelings from the information that one leaves open about the other, in nats."""

from __future__ import annotations

from functools import partial
from math import inf

from coterie._support.typing import VectorLike
from coterie.evaluate.catalogue import measure
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.entropies import conditional_entropies_of, entropy_of
from coterie.evaluate.labelings import Noise

distance_measure = partial(
    measure,
    group="distances by information",
    needs="labelings",
    low=0,
    greater_is_better=False,
    is_symmetric=True,
)


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
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.

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

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.

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

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.

    Examples
    --------
    >>> round(normalized_information_distance([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.3333
    """
    return information_distance_of(contingency_table(labels_true, labels_pred, noise=noise))
