"""Steps of the density: a dense group within a sparse one, and nothing in a single cluster."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.pipeline.judge.density_steps import LEAST_NEIGHBOURS, NOTHING, evidence_of_step
from coterie.pipeline.judge.density_valleys import Valleys


def discs(seed, ratio, n=900):
    """Return rows of a disc in another of twice the radius, so many times denser."""
    rng = np.random.default_rng(seed)
    inner = rng.uniform(size=n) < ratio / (ratio + 3.0)
    radius = np.where(inner, np.sqrt(rng.uniform(size=n)), np.sqrt(rng.uniform(1.0, 4.0, n)))
    turn = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(turn), np.sin(turn)] * radius[:, None], (~inner).astype(int)


def evidence(X, labels):
    densities = [tree.log_density for tree in Valleys(X).trees if tree.n_neighbors >= LEAST_NEIGHBOURS]
    return evidence_of_step(X, densities, labels)


@pytest.mark.parametrize("seed", range(3))
def test_a_denser_disc_is_seen(seed):
    """Law: a disc six times denser than the ring around it counts; the same disc of one density does not."""
    X, y = discs(seed, 6.0)
    assert evidence(X, y) > 0.5
    even, cut = discs(seed, 1.0)
    assert evidence(even, cut) < 0


@pytest.mark.parametrize("kind", ["normal", "standard_t", "uniform", "exponential"])
def test_one_cluster_has_no_step(kind):
    """Law: the density of one cluster falls smoothly, however heavy its tails: core and rim are one."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.standard_t(3, (500, 2)) if kind == "standard_t" else getattr(rng, kind)(size=(500, 2))
        radius = np.linalg.norm(X - np.median(X, axis=0), axis=1)
        assert evidence(X, (radius > np.median(radius)).astype(int)) < 0


def test_side_by_side_is_not_within():
    """Law: a dense cloud beside a sparse one is a matter of valleys, not of steps."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 0.2, (200, 2)), rng.normal(6, 1.5, (200, 2))]
    assert evidence(X, np.repeat([0, 1], 200)) == NOTHING


def test_rows_in_the_wrong_group_take_away():
    """Law: of two partitions that show the same step, the sharper has more evidence."""
    X, y = discs(0, 6.0)
    blurred = np.where(np.random.default_rng(1).uniform(size=len(y)) < 0.1, 1 - y, y)
    assert evidence(X, y) > evidence(X, blurred) + 0.3


def test_equal_rows_are_no_step():
    """Law: densities that are not finite, or all equal, show nothing."""
    X = np.zeros((40, 2))
    assert evidence_of_step(X, [np.full(40, np.inf)], np.arange(40) % 2) == NOTHING
    assert evidence_of_step(X, [np.zeros(40)], np.arange(40) % 2) <= 0


def test_fit_finds_the_disc():
    """Law: `coterie.fit` answers two groups, the dense disc and what is around it."""
    from sklearn.metrics import adjusted_rand_score

    X, y = discs(5, 6.0)
    found = coterie.fit(X, budget="fast", believe=False)
    assert found.k == 2
    assert adjusted_rand_score(y, found.labels) > 0.8
