"""Which of several partitions wins that the judge cannot tell apart."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.choose_method import _are_any_apart
from coterie.pipeline.judge.density_valleys import Separation
from coterie.pipeline.reasons import explain
from coterie.pipeline.ties import _prefer_all_rows, _prefer_finer

HALVES, QUARTERS = np.repeat([0, 1], 20), np.repeat([0, 1, 2], [20, 10, 10])
ACROSS = np.repeat([0, 1, 2], [10, 20, 10])  # its second group has rows of both halves


def judged(labels, evidence, crossing=0.0, method="genie", likelihood=np.nan):
    """Return a candidate and what the judge says of it."""
    evidence = np.array(evidence)
    separation = Separation(float(np.minimum(evidence, 3.0).sum()), evidence, crossing, likelihood)
    return Candidate(method, int(labels.max()) + 1, labels, {}, "", {}), separation


@pytest.mark.parametrize(
    ("evidence", "is_apart"),
    [([0.3], False), ([0.6], True), ([0.2, 0.2], True), ([0.4, -0.01], False), ([2.0, -0.5], False)],
)
def test_one_border_needs_a_lead_and_several_significance(evidence, is_apart):
    """Law: one border counts from half a standard error on, several where each of them is significant."""
    labels = np.arange(len(evidence) + 1).repeat(20)
    assert _are_any_apart([judged(labels, evidence)], is_mixed=False) is is_apart


def test_nothing_is_apart_from_nothing():
    """Law: where no method proposed a split, there are no groups."""
    assert _are_any_apart([], is_mixed=False) is False


def test_noise_must_be_worth_it():
    """Law: rows are left out as noise only where the rest is clearly better separated for it."""
    noisy, whole = np.where(np.arange(40) % 5 == 0, -1, HALVES), HALVES
    close = [judged(noisy, [2.0], method="hdbscan"), judged(whole, [1.6])]
    far = [judged(noisy, [2.0], method="hdbscan"), judged(whole, [1.4])]
    _prefer_all_rows(close)
    _prefer_all_rows(far)
    assert close[0][0].method == "genie"
    assert far[0][0].method == "hdbscan"


@pytest.mark.parametrize(
    ("clearest", "finer", "k"),
    [(4.0, QUARTERS, 3), (4.0, ACROSS, 2), (2.9, ACROSS, 3)],
)
def test_more_groups_do_not_join_what_is_divided_for_certain(clearest, finer, k):
    """Law: of partitions that cannot be told apart the finer wins, unless it lies across certain borders."""
    pairs = [judged(HALVES, [clearest]), judged(finer, [0.3, 2.4])]
    _prefer_finer(pairs)
    assert pairs[0][0].k == k


def test_less_likely_groups_are_told_so():
    """Law: a partition that is better separated, but lost by likelihood, is told that."""
    winner = judged(HALVES, [2.0], 0.03, "kmeans", likelihood=-10.0)
    loser = judged(HALVES, [2.2], 0.03, "mixture", likelihood=-30.0)
    reason = "better separated, but its groups are less likely as normal clouds"
    assert explain(loser, winner, is_best=False).reason == reason


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_an_overlap_go_to_the_likelier_cloud(seed):
    """Law: of clouds that overlap, rows are told nearly as well as by the clouds they were drawn from."""
    rng = np.random.default_rng(seed)
    centres = 3.7 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    X = np.concatenate([rng.normal(centre, 1, (250, 2)) for centre in centres])
    truth = np.repeat(np.arange(4), 250)
    nearest = np.linalg.norm(X[:, None] - centres, axis=2).argmin(axis=1)
    found = coterie.fit(X, budget="fast", believe=False)
    assert found.k == 4
    best = adjusted_rand_score(truth, nearest)
    assert adjusted_rand_score(truth, found.labels) > best - 0.03
