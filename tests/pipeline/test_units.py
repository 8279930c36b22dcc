"""Answers that depend on the units of the columns have a note; others have none."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.pipeline.units import may_scale_otherwise

UNITS = "depends on the units of the columns"


def two_groups(gap: float, noise: float) -> np.ndarray:
    """Two groups along the first column, and a second one that has nothing to do with them."""
    rng = np.random.default_rng(0)
    return np.c_[np.repeat([0.0, gap], 60) + rng.normal(0, 0.25, 120), rng.normal(0, noise, 120)]


def fit(X, scale="auto"):
    return coterie.fit(X, scale=scale, budget="fast", believe=False)


def test_a_split_that_only_one_scaling_shows_is_noted():
    """Law: the note names the other scaling, and with that scaling the answer is another one."""
    X = two_groups(1.0, 2.0)
    found = fit(X)
    (note,) = (note for note in found.notes if UNITS in note)
    assert 'compared standardised: as they are (scale "none")' in note
    assert found.k == fit(X, "standard").k == 2
    assert fit(X, "none").k == 1
    assert note in str(found)


@pytest.mark.parametrize("scale", ["standard", "none"])
def test_a_scaling_that_was_asked_for_is_not_questioned(scale):
    """Law: who says how columns are scaled has settled their units."""
    assert not [note for note in fit(two_groups(1.0, 2.0), scale).notes if UNITS in note]


def test_groups_that_both_scalings_show_need_no_note():
    """Law: clear groups are the same in other units, and the answer is silent about it."""
    X = two_groups(9.0, 1.0)
    assert may_scale_otherwise(X.std(axis=0))
    assert not [note for note in fit(X).notes if UNITS in note]
    np.testing.assert_array_equal(fit(X, "none").labels, fit(X, "standard").labels)
