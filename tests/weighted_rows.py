"""Rows of four clouds of different densities, and whole weights for them."""

import numpy as np
from scipy import sparse
from sklearn.metrics.cluster import contingency_matrix


def clouds(n=60, d=2, seed=0):
    """Return rows of four clouds."""
    random = np.random.default_rng(seed)
    centres, spread = random.uniform(-4, 4, size=(4, d)), random.uniform(0.1, 0.7, size=(4, 1))
    group = random.integers(0, 4, n)
    return centres[group] + spread[group] * random.normal(size=(n, d))


def some_weights(n=60, seed=0, least=0, most=4):
    """Return whole weights."""
    return np.random.default_rng(seed + 100).integers(least, most + 1, n)


def assert_same_groups(ours, theirs):
    """Check for the same noise, and clusters that are the same up to their numbers."""
    np.testing.assert_array_equal(ours < 0, theirs < 0)
    if (ours >= 0).any():
        table = contingency_matrix(ours[ours >= 0], theirs[theirs >= 0])
        assert (np.count_nonzero(table, axis=0) == 1).all()
        assert (np.count_nonzero(table, axis=1) == 1).all()


def with_zeros(D):
    """Return a sparse matrix that stores every pair but a row with itself."""
    rows, columns = np.nonzero(~np.eye(len(D), dtype=bool))
    return sparse.csr_array((D[rows, columns], (rows, columns)), shape=D.shape)
