"""Scores from pairs of samples: Rand and its kin.

Each is a formula of TP, FP, FN and TN (see `pair_counts`). Where a formula is 0/0 the labelings make no
mistake of the kind it counts, and the score is 1; `fowlkes_mallows_score` alone gives 0 there, as
scikit-learn does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt

from coterie._support.typing import VectorLike
from coterie._support.validation import Number, check_parameter
from coterie.evaluate.catalogue import measure
from coterie.evaluate.external.contingency import ContingencyTable
from coterie.evaluate.external.pairs import PairCounts, pair_counts
from coterie.evaluate.external.sets import squared_beta
from coterie.evaluate.labelings import Noise

pair_measure = partial(measure, group="pairs of samples", needs="labelings", high=1)


def rand_of(counts: PairCounts) -> float:
    """(TP + TN) / all pairs."""
    return _share(counts.tp + counts.tn, counts.total)


def adjusted_rand_of(counts: PairCounts) -> float:
    """Rand, moved and scaled so that chance gives 0."""
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    if fp == 0 and fn == 0:
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def precision_of(counts: PairCounts) -> float:
    """TP / (TP + FP)."""
    return _share(counts.tp, counts.tp + counts.fp)


def recall_of(counts: PairCounts) -> float:
    """TP / (TP + FN)."""
    return _share(counts.tp, counts.tp + counts.fn)


def f_of(counts: PairCounts, beta: float = 1.0) -> float:
    """Weighted harmonic mean of precision and recall."""
    recall_counts = squared_beta(beta)
    right = (1 + recall_counts) * counts.tp
    return _share(right, right + recall_counts * counts.fn + counts.fp)


def jaccard_of(counts: PairCounts) -> float:
    """TP / (TP + FP + FN)."""
    return _share(counts.tp, counts.tp + counts.fp + counts.fn)


def dice_of(counts: PairCounts) -> float:
    """2 TP / (2 TP + FP + FN)."""
    return _share(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)


def fowlkes_mallows_of(counts: PairCounts) -> float:
    """Geometric mean of precision and recall."""
    return 0.0 if counts.tp == 0 else sqrt(precision_of(counts) * recall_of(counts))


def _share(part: float, whole: float) -> float:
    return 1.0 if whole == 0 else part / whole


def _from_table(formula: Callable[[PairCounts], float]) -> Callable[[ContingencyTable], float]:
    return lambda table: formula(PairCounts.of(table))


@pair_measure(
    symbol="RI",
    low=0,
    is_symmetric=True,
    reference="rand-1971",
    in_scikit_learn=True,
    of_table=_from_table(rand_of),
)
def rand_score(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Share of the pairs of samples on which the two labelings agree: (TP + TN) / (TP + FP + FN + TN).

    Examples
    --------
    >>> round(rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    0.8333
    """
    return rand_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(
    symbol="ARI",
    low=-0.5,
    is_symmetric=True,
    is_adjusted=True,
    reference="hubert-1985",
    in_scikit_learn=True,
    of_table=_from_table(adjusted_rand_of),
)
def adjusted_rand_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Rand index adjusted for chance: (RI - E[RI]) / (max RI - E[RI]).

    In pairs: 2 (TP TN - FN FP) / ((TP + FN)(FN + TN) + (TP + FP)(FP + TN)); 0 on average for random labelings
    with these cluster sizes, 1 for equal ones.

    Examples
    --------
    >>> round(adjusted_rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    0.5714
    """
    return adjusted_rand_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(symbol="pair P", low=0, reference="manning-2008", of_table=_from_table(precision_of))
def pair_precision_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Share of the pairs in one cluster that are of one class: TP / (TP + FP).

    Examples
    --------
    >>> pair_precision_score([0, 0, 1, 2], [0, 0, 1, 1])
    0.5
    """
    return precision_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(symbol="pair R", low=0, reference="manning-2008", of_table=_from_table(recall_of))
def pair_recall_score(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Share of the pairs of one class that are in one cluster: TP / (TP + FN).

    Examples
    --------
    >>> pair_recall_score([0, 0, 1, 2], [0, 0, 1, 1])
    1.0
    """
    return recall_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(symbol="pair F", low=0, is_symmetric=True, reference="manning-2008", of_table=_from_table(f_of))
def pair_f_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> float:
    """Weighted harmonic mean of pair precision P and pair recall R: (1 + β²) P R / (β² P + R).

    Examples
    --------
    >>> round(pair_f_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    0.6667
    """
    check_parameter(beta, Number(0.0), name="beta", who="pair_f_score")
    return f_of(pair_counts(labels_true, labels_pred, noise=noise), beta)


@pair_measure(
    symbol="pair J", low=0, is_symmetric=True, reference="jaccard-1912", of_table=_from_table(jaccard_of)
)
def pair_jaccard_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Pairs together in both labelings, of those together in either: TP / (TP + FP + FN).

    Examples
    --------
    >>> pair_jaccard_score([0, 0, 1, 2], [0, 0, 1, 1])
    0.5
    """
    return jaccard_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(symbol="pair D", low=0, is_symmetric=True, reference="dice-1945", of_table=_from_table(dice_of))
def pair_dice_score(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> float:
    """Dice coefficient of the pairs together: 2 TP / (2 TP + FP + FN), equal to the pair F score.

    Examples
    --------
    >>> round(pair_dice_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    0.6667
    """
    return dice_of(pair_counts(labels_true, labels_pred, noise=noise))


@pair_measure(
    symbol="FM",
    low=0,
    is_symmetric=True,
    reference="fowlkes-1983",
    in_scikit_learn=True,
    of_table=_from_table(fowlkes_mallows_of),
)
def fowlkes_mallows_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> float:
    """Geometric mean of pair precision and pair recall: TP / sqrt((TP + FP)(TP + FN)).

    Without a pair that is together in both labelings the score is 0, as in scikit-learn, even for equal
    labelings of singletons.

    Examples
    --------
    >>> round(fowlkes_mallows_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    0.7071
    """
    return fowlkes_mallows_of(pair_counts(labels_true, labels_pred, noise=noise))
