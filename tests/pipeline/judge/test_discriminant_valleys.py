"""Valleys along lines, and rounded columns."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.pipeline.judge.density_valleys import PLACES, Valleys
from coterie.pipeline.judge.discriminant_valleys import (
    BENT,
    CLOUD,
    MOST_DIMENSIONS,
    NOTHING,
    Lines,
    distance_between,
    negentropy_of,
    valleys_between,
)
from coterie.pipeline.judge.rounding import spread_rounded

RNG = np.random.default_rng(0)
APART = np.repeat([0, 1], 100)


def two(d, distance=5.0):
    """Two normal clouds of 100 rows, so far apart in a direction that no column has."""
    X = RNG.normal(size=(200, d))
    X[100:] += distance / np.sqrt(d)
    return X


@pytest.mark.parametrize("d", [1, 8, 40, MOST_DIMENSIONS + 30])
def test_groups_are_apart_in_any_number_of_columns(d):
    """Law: what is apart has evidence above 0, also where neighbourhoods see nothing."""
    assert Lines(two(d)).of(APART, 2).evidence(0, 1) > 0


@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential"])
@pytest.mark.parametrize("d", [8, 30])
def test_halves_of_one_cloud_are_not_apart(kind, d):
    """Law: the halves that k-means makes of one cloud have none, in nearly all clouds."""
    found = []
    for seed in range(12):
        X = getattr(np.random.default_rng(seed), kind)(size=(150, d))
        labels = KMeans(2, n_init=2, random_state=0).fit(X).labels_
        found.append(Lines(X).of(labels, 2).evidence(0, 1))
    assert np.mean(np.array(found) > 0) < 0.1


@pytest.mark.parametrize(("n", "d", "distance"), [(10, 2, 9.0), (10, 300, 15.0), (16, 5, 8.0)])
def test_the_distance_between_few_rows_counts(n, d, distance):
    """Law: groups of few rows that are far apart have evidence, though no window of the density is filled."""
    found = []
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(2 * n, d))
        X[n:] += distance / np.sqrt(d)
        found.append(Lines(X).of(np.repeat([0, 1], n), 2).evidence(0, 1))
    assert np.mean(np.array(found) > 0) >= 0.9


@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential", "standard_cauchy"])
@pytest.mark.parametrize(("n", "d"), [(20, 2), (30, 10), (40, 200)])
def test_halves_of_a_cloud_of_few_rows_are_not_far_apart(kind, n, d):
    """Law: the best halves of one cloud of few rows have no evidence, in nearly all clouds."""
    found = []
    for seed in range(20):
        X = getattr(np.random.default_rng(seed), kind)(size=(n, d))
        cuts = [
            KMeans(2, n_init=2, random_state=0).fit(X).labels_,
            AgglomerativeClustering(2).fit(X).labels_,
            AgglomerativeClustering(2, linkage="average").fit(X).labels_,
        ]
        found.append(max(_evidence_of_cut(X, labels) for labels in cuts))
    assert np.mean(np.array(found) > 0) <= 0.1


def _evidence_of_cut(X, labels):
    smaller, larger = np.sort(np.bincount(labels))
    return Lines(X).of(labels, 2).evidence(0, 1) - PLACES * np.log(larger / smaller)


def test_copies_in_two_places_are_not_far_apart():
    """Edge: rows that are all equal within both groups tell no spread."""
    one = np.zeros((1, 10))
    assert distance_between(one, one + 1) == NOTHING


def test_unit_and_direction_do_not_matter():
    """Law: another unit, another origin and turned axes leave the evidence as it is."""
    X = two(6)
    value = Lines(X).of(APART, 2).evidence(0, 1)
    turn = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
    assert Lines(1e4 * X @ turn + 3.0).of(APART, 2).evidence(0, 1) == pytest.approx(value)
    assert Lines(X).of(1 - APART, 2).evidence(0, 1) == pytest.approx(value)


def test_more_columns_than_rows():
    """Law: the leading directions are the same whether found from columns or from rows."""
    X = two(90)
    tall, wide = Lines(np.r_[X, X]).rows[:200], Lines(np.c_[X, np.zeros((200, 150))]).rows
    assert wide.shape == tall.shape == (200, MOST_DIMENSIONS)
    np.testing.assert_allclose(wide @ wide.T, tall @ tall.T, atol=1e-6)


def test_too_few_rows_say_nothing():
    """Law: of a group of a few rows, and of rows that are all equal, nothing can be said."""
    few = np.r_[np.zeros(195, int), np.ones(5, int)]
    assert Lines(two(5)).of(few, 2).evidence(0, 1) == NOTHING
    assert Lines(np.ones((200, 3))).of(APART, 2).evidence(0, 1) == NOTHING


def test_depth_is_of_densities():
    """Law: the depth is the logarithm of peak over pass, in standard errors of the window."""
    one = np.linspace(0, 1, 80)[None]
    # windows of 40 rows: the densest spans 39.5 steps of 1 / 79, the gap's spans 2 more
    found = valleys_between(one, one + 3)[2]
    dense, pass_ = 40 / 79, 2 + 39 / 79
    assert found == pytest.approx(np.log(pass_ / dense) * np.sqrt(20), rel=0.05)


def test_rounded_values_are_spread():
    """Law: values stay within half a step; what is not rounded, and what few rows repeat, stays as it is."""
    stars, measured = RNG.integers(1, 6, (200, 3)).astype(float), RNG.normal(size=(200, 3))
    spread = spread_rounded(stars)
    assert np.abs(spread - stars).max() <= 0.5
    assert len(np.unique(spread)) == spread.size
    assert (spread_rounded(measured) == measured).all()
    copies = np.repeat(measured[:4], 50, axis=0)
    assert (spread_rounded(copies) == copies).all()
    mostly = np.c_[np.where(np.arange(200) < 190, 0.0, 7.0), measured]
    assert (spread_rounded(mostly) == mostly).all()


def test_bent_and_hollow_groups_are_no_clouds():
    """Law: lines count for clouds, boxes and long groups, not for crescents, rings and parts of them."""
    rng = np.random.default_rng(3)
    turn = rng.uniform(0, 2 * np.pi, 300)
    ring = np.c_[np.cos(turn), np.sin(turn)] + 0.05 * rng.normal(size=(300, 2))
    for rows in (
        rng.normal(size=(200, 2)),
        rng.uniform(size=(200, 2)),
        rng.normal(size=(200, 3)) * [9, 1, 1],
    ):
        assert negentropy_of(rows) < CLOUD
    for rows in (ring, ring[ring[:, 0] > 0], np.r_[ring, 2 * ring][np.r_[ring, ring][:, 0] > 0.3]):
        assert negentropy_of(rows) > BENT
    assert negentropy_of(np.ones((50, 2))) == np.inf  # nothing to tell


def test_lines_see_clouds_that_touch():
    """Law: in two columns, where neighbourhoods leave doubt, lines tell touching clouds from one cloud."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    touching = rng.normal(size=(300, 2)) + np.c_[3.4 * y, np.zeros(300)]
    assert Valleys(touching).judge(y).score > 0
    one = rng.normal(size=(300, 2))
    assert Valleys(one).judge((one[:, 0] > 0).astype(int)).score < 0


def test_a_bend_cut_in_two_is_one_group():
    """Law: a crescent is no two groups, although a line through its ends shows a valley."""
    rng = np.random.default_rng(1)
    for seed in range(5):
        turn = np.random.default_rng(seed).uniform(0, np.pi, 300)
        crescent = np.c_[np.cos(turn), np.sin(turn)] + 0.1 * rng.normal(size=(300, 2))
        assert Valleys(crescent).judge((crescent[:, 0] > 0).astype(int)).score < 0
