"""What the tests of measures share."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def blobs():
    """Forty rows in four uneven clusters that overlap, one of them a single row, one pair of equal rows."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 3], [20, 12, 7, 1])
    X = rng.normal(size=(40, 3)) + 2.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [2, 2, 0]])[labels]
    X[1] = X[0]
    order = rng.permutation(40)
    return X[order], labels[order]
