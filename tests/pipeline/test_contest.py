"""The contest: one thread judges what methods have proposed while the next proposal is made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from coterie._support.progress import track
from coterie.pipeline import choose_method
from coterie.pipeline.candidates import Task, propose
from coterie.pipeline.judge.density_valleys import Valleys, compact
from coterie.pipeline.request import make_request

X, _ = make_blobs(150, 3, centers=4, random_state=3)


def task_of(valleys: Valleys) -> Task:
    return Task(valleys, tuple(range(2, 8)), make_request(budget="fast"))


def judge_all(task: Task):
    with track(None, "methods", total=None) as tracker:
        return choose_method._judge_all(task, tracker, 0)


def test_proposals_are_judged_as_if_one_by_one():
    """Law: every proposal is judged, in the order of the proposals, as by a judge who does nothing else."""
    judged, alone = judge_all(task_of(Valleys(X))), Valleys(X)
    task = task_of(alone)
    expected = [
        (method, compact(np.asarray(labels)))
        for method in task.request.methods_to_compare()
        for _, labels in propose(method, task)
    ]
    expected = [(method, labels) for method, labels in expected if 2 <= labels.max() + 1 <= 7]
    assert len(judged) == len(expected) > 20
    for (candidate, separation), (method, labels) in zip(judged, expected, strict=True):
        assert candidate.method == method
        np.testing.assert_array_equal(candidate.labels, labels)
        np.testing.assert_array_equal(separation.evidence, alone.judge(labels).evidence)


def test_an_error_of_the_judge_is_raised(monkeypatch):
    """Law: what goes wrong in the thread of the judge reaches the caller."""

    def fail(self, labels):
        raise FloatingPointError("the judge")

    monkeypatch.setattr(Valleys, "judge", fail)
    with pytest.raises(FloatingPointError, match="the judge"):
        judge_all(task_of(Valleys(X)))
