"""The likelihood of groups as normal clouds, against SciPy's densities; and which groups are the same."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal

from coterie.pipeline.judge.cloud_likelihood import are_same_groups, log_likelihood
from coterie.pipeline.judge.density_valleys import Valleys


def by_densities(X, labels):
    """Return the log-likelihood, row by row."""
    total = 0.0
    for group in np.unique(labels):
        own = X[labels == group]
        density = multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=True))
        total += density.logpdf(own).sum() + len(own) * np.log(len(own) / len(X))
    return total


def test_likelihoods_differ_as_densities_do():
    """Law: differences of log-likelihood between partitions are those of the normal densities of the rows."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (80, 3)), rng.normal(2, [1, 2, 0.3], (120, 3))]
    one, other = np.repeat([0, 1], [80, 120]), (X[:, 0] > 1).astype(int)
    ours = log_likelihood(X, one) - log_likelihood(X, other)
    assert np.isclose(ours, by_densities(X, one) - by_densities(X, other))


def test_groups_without_a_covariance_are_not_likely():
    """Law: groups of few rows, and flat ones, are no clouds, whatever their variance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    assert log_likelihood(X, np.r_[np.zeros(57, int), np.ones(3, int)]) == -np.inf
    flat = np.r_[X, np.c_[rng.normal(size=30), np.full(30, 9.0)]]
    assert log_likelihood(flat, np.repeat([0, 1], [60, 30])) == -np.inf


def test_the_same_groups_share_most_rows():
    """Law: names and rows at borders do not matter; groups that are joined or cut elsewhere do."""
    one = np.repeat([0, 1, 2], 40)
    renamed = np.repeat([2, 0, 1], 40)
    at_border = np.repeat([2, 0, 1], [35, 50, 35])
    elsewhere = np.repeat([0, 1, 2], [80, 20, 20])
    assert are_same_groups(one, renamed)
    assert are_same_groups(one, at_border)
    assert not are_same_groups(one, elsewhere)
    assert not are_same_groups(one, np.repeat([0, 1], [80, 40]))


def test_clouds_are_told_from_rings():
    """Law: a partition is one of clouds where no group is bent or hollow, and none is noise."""
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, 150)
    ring = np.c_[np.cos(turn), np.sin(turn)] * 9 + rng.normal(0, 0.3, (150, 2))
    cloud = rng.normal(size=(150, 2))
    labels = np.repeat([0, 1], 150)
    assert Valleys(np.r_[cloud, cloud + 7]).are_clouds(labels)
    assert not Valleys(np.r_[cloud, ring]).are_clouds(labels)
    assert not Valleys(np.r_[cloud, cloud + 7]).are_clouds(labels - 1)
