"""Cuts of the neighbour graph: few neighbours are divided by a gap, many by a cut through one cloud."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.distance import k_nearest
from coterie.pipeline.judge.density_valleys import Valleys
from coterie.pipeline.judge.sparse_cuts import elongations, evidence_of_cuts, shares_of_cuts

PAIR = np.array([0]), np.array([1])


def near(X):
    return np.asarray(k_nearest(X, None, 10).index)


def evidence(X, labels):
    """Return the evidence of the border between groups 0 and 1."""
    return evidence_of_cuts(X, labels, *PAIR, shares_of_cuts(labels, near(X), *PAIR, 2.0), 2.0)[0]


def slabs(seed, gap, n=600):
    """Return a uniform square with an empty band across its middle, and its halves."""
    X = np.random.default_rng(seed).uniform(size=(n, 2))
    half = (X[:, 0] > 0.5).astype(int)
    X[half == 1, 0] += gap
    return X, half


def test_the_share_by_counting_every_pair():
    """Law: the share is the number of neighbours across, plus one, over what a border of a cloud divides."""
    X, half = slabs(0, 0.02, n=120)
    found = near(X)
    across = sum(half[row] != half[other] for row in range(len(X)) for other in found[row])
    smaller = np.bincount(half).min()
    share = shares_of_cuts(half, found, *PAIR, 2.0)[0]
    assert share == pytest.approx((across + 1) / (2 * 10 * np.sqrt(smaller)))


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_gap_is_seen_and_none_is_not(seed):
    """Law: a band of two spacings is evidence; a cut through one cloud has no evidence."""
    for gap, is_seen in ((0.0, False), (0.09, True)):
        X, half = slabs(seed, gap)
        found = evidence(X, half)
        assert bool(found > 1) is is_seen, found
        if not is_seen:
            assert found == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_judge_believes_it(seed):
    """Law: two boxes with a gap that the density alone does not show for certain are apart."""
    X, half = slabs(seed, 0.09)
    assert Valleys(X).judge(half).score > 1.5
    whole, cut = slabs(seed, 0.0)
    assert Valleys(whole).judge(cut).score < 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(1.0, 20.0))
def test_elongation_of_a_stretched_cloud(seed, ratio):
    """Law: stretching one axis of a round cloud by r makes it sqrt(r) times longer than its mean width."""
    X = np.random.default_rng(seed).normal(size=(400, 2))
    X = np.linalg.qr(X - X.mean(axis=0))[0] * [ratio, 1.0]
    labels = np.arange(400) % 2
    assert elongations(X, labels, *PAIR, 2)[0] == pytest.approx(np.sqrt(ratio), rel=1e-6)


def test_flat_rows_have_no_elongation():
    """Law: rows on one line, which have no width, are left as they are."""
    X = np.c_[np.arange(60.0), np.zeros(60)]
    assert elongations(X, np.repeat([0, 1], 30), *PAIR, 2)[0] == 1.0


def test_a_small_group_says_nothing():
    """Law: the neighbours of a few rows are in other groups whatever divides them: no evidence."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(200, 2)), rng.normal(9, 0.1, (20, 2))]
    assert evidence(X, np.repeat([0, 1], [200, 20])) == 0
