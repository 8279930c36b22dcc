"""The test against null data: draws look like the rows and are searched like them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import coterie
from coterie._support.progress import track
from coterie.evaluate.belief import step_of
from coterie.pipeline.null_test import NullRows, compare_with_null, rows_to_draw
from coterie.pipeline.request import make_request


def p_of(X, seed=0, labels=None, **options):
    request = make_request(budget="fast", random_state=seed)
    labels = np.zeros(len(X), int) if labels is None else labels
    with track(None, "draws", total=None) as tracker:
        return compare_with_null(X, labels, request, tracker, **options)


def test_draws_have_the_rounding_of_the_rows():
    """Law: rounded columns are rounded in draws, within their range; others are not."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(1, 6, 80), rng.normal(size=80), rng.integers(0, 2, 80) * 3.0]
    drawn = NullRows(X).draw(rng)
    assert set(drawn[:, 0]) <= set(range(1, 6))
    assert set(drawn[:, 2]) <= {0.0, 3.0}
    assert len(np.unique(drawn[:, 1])) == 80
    assert (step_of(X[:, 0]), step_of(X[:, 1]), step_of(X[:, 2])) == (1.0, 0.0, 3.0)
    assert step_of(np.array([0.1, 0.2, 0.4, 0.4])) == pytest.approx(0.1)


def test_draws_have_the_gaps_of_the_rows():
    """Law: values that were missing are filled in draws as in the rows: from similar ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) @ np.diag([1.0, 2.0, 3.0])
    filled = rng.random(X.shape) < 0.3
    filled[:, 0] = False
    X[filled] = 0.0
    drawn = NullRows(X, filled).draw(rng)
    for at in (1, 2):
        own = drawn[filled[:, at], at]
        assert set(own) <= set(drawn[~filled[:, at], at])
        assert own.std() == pytest.approx(at + 1, rel=0.3)
        assert drawn[~filled[:, at], at].std() == pytest.approx(at + 1, rel=0.2)


def test_the_sample_sees_every_group():
    """Law: the sample has twenty rows of the smallest group where there are as many."""
    labels = np.repeat(np.arange(60), 50)
    assert rows_to_draw(labels, 300) == 1200
    assert rows_to_draw(np.repeat([0, 1], [90, 10]), 30) == 100
    assert rows_to_draw(np.full(40, -1), 30) == 30


def test_draws_stop_where_p_is_large():
    """Law: of one Gaussian few draws tell that p is large; of clear groups all draws are made."""
    rng = np.random.default_rng(0)
    one = p_of(rng.normal(size=(80, 2)))
    assert one.p_value > 0.1
    assert one.n_draws < 39
    two = p_of(np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(7, 1, (40, 2))]))
    assert (two.n_draws, two.p_value) == (39, 1 / 40)


def test_p_values_of_one_gaussian_are_uniform_or_larger():
    """Law: of thirty sets of one Gaussian few have p at or below 0.05; the mean is not below 0.4."""
    found = [p_of(np.random.default_rng([5, at]).normal(size=(60, 2)), at).p_value for at in range(30)]
    assert sum(p <= 0.05 for p in found) <= 6
    assert np.mean(found) > 0.4


def test_no_groups_never_stand_beside_a_small_p():
    """Law: rows that are not Gaussian and have no groups have no p-value, and a note says why."""
    for seed in range(3):
        X = np.random.default_rng(seed).exponential(size=(150, 2)) ** 2
        found = coterie.fit(X, "kmeans,modes", budget="fast", random_state=seed)
        if found.k == 1:
            assert found.significance is None or found.significance.p_value > 0.05
            assert "p = 0.0" not in found.summary()


def test_many_clear_groups_are_all_found():
    """Law: a budget does not cap the number of groups while the evidence rises."""
    rng = np.random.default_rng(0)
    centres = 10.0 * np.array([(at // 6, at % 6) for at in range(36)])
    X = np.concatenate([rng.normal(centre, 1, (12, 2)) for centre in centres])
    assert coterie.fit(X, "modes", budget="fast", believe=False).k == 36


def test_draws_in_which_a_method_finds_nothing_count_as_worse():
    """Law: three clear clouds are told from one Gaussian by a method that leaves null data alone."""
    X = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)[0]
    found = coterie.fit(X, method="mean-shift", random_state=0)
    assert found.significance.n_draws == 59
    assert found.significance.p_value == 1 / 60


def test_groups_made_by_hand_are_tested_themselves():
    """Law: halves of one Gaussian are rarely significant; clear groups are, a cut through one is not."""
    small = 0
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(100, 2))
        halves = (X @ [1.0, 0.3] > 0.2).astype(int)
        small += p_of(X, seed, halves, is_given=True).p_value <= 0.05
    assert small <= 1
    X, groups = make_blobs(150, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    assert p_of(X, labels=groups, is_given=True).p_value <= 0.05
    cut = np.where((groups == 0) & (X[:, 1] > 0), 3, groups)
    found = p_of(X, labels=cut, is_given=True)
    assert found.p_value > 0.05
    assert found.measure == "weakest border"
