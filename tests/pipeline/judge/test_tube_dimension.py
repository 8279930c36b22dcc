"""In how many directions two groups extend together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie.pipeline.judge.tube_dimension import Extents, KnownExtents, is_curve_cut_across


def extent(X, labels):
    return Extents(X, labels, np.random.default_rng(0).permutation(len(X))).of([0], [1])[0]


def test_a_bent_tube_cut_across_is_a_tube():
    """A moon or a ring in two halves extends in one direction, as a line does."""
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, 600)
    ring = np.c_[np.cos(turn), np.sin(turn)] + rng.normal(0, 0.05, (600, 2))
    assert extent(ring, (turn > np.pi).astype(int)) < 1.2
    X, y = make_moons(800, noise=0.06, random_state=0)
    moon = X[y == 0]
    assert extent(moon, (moon[:, 0] > 0).astype(int)) < 1.2
    assert extent(moon, (moon[:, 0] > 0.9).astype(int)) < 1.3


@pytest.mark.parametrize("shares", [(300, 300), (400, 60)])
def test_tubes_side_by_side_are_no_tube(shares):
    """Two long groups next to each other extend in more than one direction, however many rows each has."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal([0, 6 * at], [12, 1], (n, 2)) for at, n in enumerate(shares)])
    assert extent(X, np.repeat([0, 1], shares)) > 1.4


def test_few_or_equal_rows_tell_nothing():
    """Of a handful of rows, or of copies of one, the extent is unknown."""
    assert extent(np.zeros((4, 2)), np.array([0, 0, 1, 1])) == np.inf
    assert extent(np.zeros((50, 2)), np.arange(50) % 2) == np.inf


def test_what_is_known_of_two_groups_holds_in_any_partition():
    """Law: pairs that another partition had, under other numbers, are answered as if they were new."""
    rng = np.random.default_rng(0)
    X, order = rng.normal(size=(300, 3)), rng.permutation(300)
    four = rng.integers(0, 4, 300)
    three = np.array([2, 2, 0, 1])[four]  # the last two of the four groups, and the others together
    known = KnownExtents(X)
    for labels, (low, high) in ((four, ([0, 2, 2], [1, 3, 0])), (three, ([0, 0, 1], [1, 2, 2]))):
        asked, alone = Extents(X, labels, order, known), Extents(X, labels, order)
        assert (asked.of(low, high) == alone.of(low, high)).all()
        assert (asked.at_border(low, high) == alone.at_border(low, high)).all()
    assert len(known.joint) == 5  # of six, one was known


@pytest.mark.parametrize("seed", range(5))
def test_a_curve_cut_across_is_told_from_one_cut_along_and_from_a_cloud(seed):
    """Law: rows next to a cut across a curve fill a thin line; not along it, in a cloud, or with a gap."""
    rng = np.random.default_rng(seed)
    turn, place = rng.uniform(0, np.pi, 300), rng.normal(size=(300, 2))
    away = rng.normal(0, 0.03, 300)
    arc = np.c_[np.cos(turn), np.sin(turn)] * (1 + away[:, None])
    torn = place + [[8.0, 0.0]] * np.sign(place[:, :1])
    cases = (arc, turn - 1, True), (arc, away, False), (place, place[:, 0], False), (torn, torn[:, 0], False)
    for rows, side, expected in cases:
        order = np.argsort(((rows - rows[np.abs(side).argmin()]) ** 2).sum(axis=1))
        assert is_curve_cut_across(rows[order], side[order] < 0) == expected
