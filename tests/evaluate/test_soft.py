"""Soft labelings: expectations over draws."""

import numpy as np
import pytest
from hypothesis import given

from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import (
    PairCounts,
    adjusted_rand_score,
    normalized_mutual_info_score,
    pair_counts,
    rand_score,
    soft_adjusted_rand_score,
    soft_normalized_mutual_info_score,
    soft_pair_counts,
    soft_rand_score,
)
from external_oracles import two_labelings


def memberships(n, k, seed):
    degrees = np.random.default_rng(seed).dirichlet(np.full(k, 0.4), n)
    return degrees / degrees.sum(axis=1, keepdims=True)


def one_hot(labels):
    return (np.asarray(labels)[:, None] == np.unique(labels)).astype(float)


@given(two_labelings(least=1))
def test_hard_memberships_give_the_hard_measures(labelings):
    """Law: memberships of 0 and 1, and labels, give what the hard measures give."""
    for first, second in (labelings, (one_hot(labelings[0]), labelings[1]), map(one_hot, labelings)):
        assert soft_rand_score(first, second) == pytest.approx(rand_score(*labelings))
        assert soft_adjusted_rand_score(first, second) == pytest.approx(
            adjusted_rand_score(*labelings), abs=1e-9
        )
        value = soft_normalized_mutual_info_score(first, second)
        assert value == pytest.approx(normalized_mutual_info_score(*labelings), abs=1e-9)


def test_clusters_without_members_are_none():
    """Law: a column of zeros changes nothing, also where one cluster is left, or none."""
    for degrees in ([[1.0], [1.0]], [[1.0, 0.0], [0.5, 0.5]]):
        wider = np.column_stack([np.zeros(2), degrees])
        for score in (soft_rand_score, soft_adjusted_rand_score, soft_normalized_mutual_info_score):
            assert score(wider, wider) == pytest.approx(score(degrees, degrees))
    assert soft_normalized_mutual_info_score([[1, 0], [1, 0]], [0, 0]) == 1.0


def test_pairs_are_expectations():
    """Law: the counts are the means over labelings drawn from the memberships."""
    first, second = memberships(12, 3, 0), memberships(12, 4, 1)
    rng = np.random.default_rng(2)

    def draw(degrees):
        return (rng.random((degrees.shape[0], 1)) > degrees.cumsum(axis=1)).sum(axis=1)

    drawn = [pair_counts(draw(first), draw(second)) for _ in range(4000)]
    means = np.mean([[c.tp, c.fp, c.fn, c.tn] for c in drawn], axis=0)
    expected = soft_pair_counts(first, second)
    assert means == pytest.approx([expected.tp, expected.fp, expected.fn, expected.tn], abs=0.4)


def test_pairs_against_the_definition():
    """Law: TP = sum over pairs of p q, FP of (1 - p) q, and so on."""
    first, second = memberships(15, 3, 3), memberships(15, 4, 4)
    upper = np.triu_indices(15, 1)
    p, q = (first @ first.T)[upper], (second @ second.T)[upper]
    counts = soft_pair_counts(first, second)
    expected = [(p * q).sum(), ((1 - p) * q).sum(), (p * (1 - q)).sum(), ((1 - p) * (1 - q)).sum()]
    assert [counts.tp, counts.fp, counts.fn, counts.tn] == pytest.approx(expected)


def test_vagueness_costs():
    """Law: the vaguer the memberships, the lower the scores against the truth."""
    truth = np.repeat([0, 1], 20)
    sharp, vague = (np.where(one_hot(truth) == 1, share, 1 - share) for share in (0.95, 0.7))
    for score in (soft_rand_score, soft_adjusted_rand_score, soft_normalized_mutual_info_score):
        assert score(truth, truth) == pytest.approx(1.0)
        assert score(truth, sharp) > score(truth, vague)


@pytest.mark.parametrize(
    ("degrees", "message"),
    [
        (
            [[0.5, 0.4], [1.0, 0.0]],
            r"must be at least 0 and sum to 1 .*; 1 of 2 do not, the first is row 0: \[0.5, 0.4\]",
        ),
        ([[1.5, -0.5], [1.0, 0.0]], r"must be at least 0 and sum to 1"),
        ([[np.nan, 1.0], [1.0, 0.0]], r"must be at least 0 and sum to 1"),
        (
            [["a", "b"], ["c", "d"]],
            r"must be labels, or numbers of shape \(n_samples, n_clusters\), got shape \(2, 2\)",
        ),
        ([[[1.0]], [[1.0]]], r"got shape \(2, 1, 1\)"),
        ([[1.0], [1.0], [1.0]], r"inconsistent numbers of samples: \[3, 2\]"),
        ([0.0, np.nan], "memberships_true contains NaN"),
    ],
    ids=str,
)
def test_what_is_no_membership(degrees, message):
    """Law: each way of being wrong has its own sentence."""
    with pytest.raises(InvalidData, match=message):
        soft_rand_score(degrees, [0, 1])


def test_mean_is_checked():
    """Law: the means are those of the hard measure."""
    with pytest.raises(InvalidParameter, match="average_method of soft_normalized_mutual_info_score must be"):
        soft_normalized_mutual_info_score([0, 1], [0, 1], average_method="median")


@pytest.mark.parametrize("seed", range(5))
def test_one_sample_has_no_pairs(seed):
    """Law: of one sample there are no pairs, not even by rounding, and two labelings of it agree."""
    one, other = np.random.default_rng(seed).dirichlet(np.ones(4), size=(2, 1))
    assert soft_pair_counts(one, other) == PairCounts(0.0, 0.0, 0.0, 0.0)
    assert soft_adjusted_rand_score(one, other) == 1.0
