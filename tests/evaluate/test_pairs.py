"""Pairs of samples and the scores made of them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.cluster import pair_confusion_matrix as sklearn_confusion

from coterie.errors import InvalidParameter
from coterie.evaluate import (
    ContingencyTable,
    PairCounts,
    adjusted_rand_score,
    contingency_table,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    pair_counts,
    pair_dice_score,
    pair_f_score,
    pair_jaccard_score,
    pair_precision_score,
    pair_recall_score,
    rand_score,
)
from coterie.evaluate.external.pair_scores import (
    adjusted_rand_of,
    f_of,
    fowlkes_mallows_of,
    jaccard_of,
    rand_of,
)
from coterie.evaluate.external.pairs import _confusion
from external_oracles import pairs, two_labelings


@given(two_labelings())
def test_counts_are_those_of_all_pairs(labelings):
    """Law: TP, FP, FN and TN are what looking at every pair gives, and are Python integers."""
    counts = pair_counts(*labelings)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == pairs(*labelings)
    assert all(type(count) is int for count in (counts.tp, counts.fp, counts.fn, counts.tn))
    n = len(labelings[0])
    assert counts.total == n * (n - 1) // 2


@given(two_labelings(least=1))
def test_confusion_matrix_is_that_of_scikit_learn(labelings):
    """Law: ordered pairs, negatives first, as int64."""
    ours = pair_confusion_matrix(*labelings)
    assert ours.dtype == np.int64
    assert ours.tolist() == sklearn_confusion(*labelings).tolist()


@given(two_labelings())
def test_formulas(labelings):
    """Law: each score is its formula of the counts; 0/0 is 1."""
    tp, fp, fn, tn = pairs(*labelings)

    def share(part, whole):
        return part / whole if whole else 1.0

    assert rand_score(*labelings) == share(tp + tn, tp + fp + fn + tn)
    assert pair_precision_score(*labelings) == share(tp, tp + fp)
    assert pair_recall_score(*labelings) == share(tp, tp + fn)
    assert pair_jaccard_score(*labelings) == share(tp, tp + fp + fn)
    assert pair_dice_score(*labelings) == share(2 * tp, 2 * tp + fp + fn)
    assert pair_f_score(*labelings) == pytest.approx(pair_dice_score(*labelings), abs=1e-15)


@given(two_labelings(least=2), st.floats(0.1, 10))
def test_f_lies_between_precision_and_recall(labelings, beta):
    """Law: a mean lies between what it averages, and beta = 0 is precision alone."""
    precision, recall = pair_precision_score(*labelings), pair_recall_score(*labelings)
    f = pair_f_score(*labelings, beta=beta)
    if pair_counts(*labelings).tp:
        assert min(precision, recall) - 1e-12 <= f <= max(precision, recall) + 1e-12
        assert pair_f_score(*labelings, beta=0.0) == pytest.approx(precision)


def test_beta_is_checked():
    """Law: beta is at least 0."""
    with pytest.raises(InvalidParameter, match="beta of pair_f_score must be a number of at least 0"):
        pair_f_score([0, 1], [0, 1], beta=-1.0)


def test_counts_beyond_64_bits():
    """Law: a table of 10^13 samples gives exact integers, and scores that agree with exact fractions."""
    cells = [[4 * 10**12, 10**12], [3, 5 * 10**12 - 1]]
    n = sum(map(sum, cells))
    counts = PairCounts.of(ContingencyTable.from_matrix(cells))
    together = sum(cell * (cell - 1) // 2 for row in cells for cell in row)
    classes = sum(size * (size - 1) // 2 for size in map(sum, cells))
    clusters = sum(size * (size - 1) // 2 for size in map(sum, zip(*cells, strict=True)))
    assert (counts.tp, counts.fp, counts.fn) == (together, clusters - together, classes - together)
    assert counts.total == n * (n - 1) // 2 > 2**63
    assert rand_of(counts) == float(Fraction(counts.tp + counts.tn, counts.total))
    expected = Fraction(classes * clusters, counts.total)
    exact = (together - expected) / (Fraction(classes + clusters, 2) - expected)
    assert adjusted_rand_of(counts) == pytest.approx(float(exact), rel=1e-14)
    assert 0 < jaccard_of(counts) < f_of(counts) < 1
    assert 0 < fowlkes_mallows_of(counts) < 1
    confusion = _confusion(counts)
    assert confusion.dtype == object
    assert confusion.tolist() == [[2 * counts.tn, 2 * counts.fp], [2 * counts.fn, 2 * counts.tp]]


def test_weights_make_no_pairs():
    """Law: pairs are counted from samples, not from weights."""
    table = contingency_table([0, 1], [0, 1], sample_weight=[0.5, 2])
    with pytest.raises(InvalidParameter, match="Pairs are counted from numbers of samples"):
        PairCounts.of(table)


def test_singletons_agree_but_have_no_pair_together():
    """Law: nothing is wrong with equal singletons; Fowlkes-Mallows alone gives 0, as in scikit-learn."""
    labels = [0, 1, 2]
    for score in (rand_score, adjusted_rand_score, pair_precision_score, pair_recall_score, pair_f_score):
        assert score(labels, labels) == 1.0
    assert pair_jaccard_score(labels, labels) == pair_dice_score(labels, labels) == 1.0
    assert fowlkes_mallows_score(labels, labels) == 0.0
