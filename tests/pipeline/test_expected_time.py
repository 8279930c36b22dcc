"""What is told about the time of a long fit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from coterie.pipeline import make_request, run
from coterie.pipeline.request import BUDGETS, expected_seconds, tell_long


@pytest.mark.parametrize(("in_shell", "option"), [(True, "--budget fast"), (False, 'budget="fast"')])
def test_a_long_fit_names_the_sooner_one(in_shell, option):
    """Law: what takes long says how long, and how long less would take, in the words of the door."""
    words = tell_long(20_000, 784, BUDGETS["normal"], in_shell=in_shell)
    assert re.fullmatch(rf"about \d+ s; {option} takes \d+ s", words)
    assert "budget" not in tell_long(200_000, 784, BUDGETS["fast"], in_shell=in_shell)
    assert tell_long(300, 5, BUDGETS["normal"], in_shell=in_shell) == ""


def test_more_takes_longer():
    """Law: more rows, more columns and a larger budget are never expected to take less."""
    for budget in BUDGETS.values():
        assert expected_seconds(4_000, 9, budget) > expected_seconds(2_000, 9, budget)
        assert expected_seconds(2_000, 90, budget) > expected_seconds(2_000, 9, budget)
    fast, normal, thorough = (expected_seconds(9_000, 9, BUDGETS[name]) for name in BUDGETS)
    assert fast < normal < thorough


def test_the_estimate_is_told_first(monkeypatch):
    """Law: reports carry the words until the time left can be guessed, and no words where it is short."""
    heard = []
    X = np.random.default_rng(0).normal(size=(40, 2))
    run(X, make_request(budget="fast", believe=False), heard.append, in_shell=True)
    assert all(not each.expected for each in heard)
    monkeypatch.setattr("coterie.pipeline.request.LONG", 0.0)
    heard.clear()
    run(X, make_request(believe=False), heard.append, in_shell=True)
    first = next(each for each in heard if each.total)
    assert "--budget fast takes" in str(first)
    assert all("takes" not in str(each) for each in heard if each.seconds_left is not None)
