"""Kinds of data that automatic clustering gets wrong elsewhere: how often `coterie.fit` is right on each."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import coterie
from benchmarks.auto_kinds import KINDS

N_DRAWS = 3
# mean adjusted Rand index over the draws; less where groups overlap or noise has no group of its own
LEAST = {
    "trajectories": 0.6,
    "rings": 0.6,
    "few rows": 0.8,
    "lines": 0.7,
    "spirals": 0.6,
    "overlapping ellipses": 0.6,
    "noisy": 0.75,
    "touching clouds": 0.75,
    "dominant direction": 0.8,
    "crossing lines": 0.0,  # "no groups": one shape, which no valley divides
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_a_kind(kind):
    """Law: the mean adjusted Rand index over draws of each kind is at least what docs/fit.md promises."""
    found = []
    for draw in range(N_DRAWS):
        X, y = KINDS[kind](np.random.default_rng([2026, list(KINDS).index(kind), draw]))
        is_one_shape = kind == "crossing lines"
        answer = coterie.fit(X, budget="fast", believe=is_one_shape)
        found.append(adjusted_rand_score(y, answer.labels))
        if is_one_shape:
            assert not answer.convincing  # pieces of it are a best guess at most
    assert np.mean(found) >= LEAST.get(kind, 0.85), np.round(found, 2)
