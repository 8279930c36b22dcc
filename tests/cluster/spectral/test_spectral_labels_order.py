"""Numbers of the groups that `cluster_qr` finds."""

import numpy as np

from coterie.cluster.spectral.spectral import cluster_qr


def test_equal_groups_are_numbered_as_they_appear():
    """Law: groups of equal size, whose pivots are equal but for rounding, are numbered by their rows."""
    labels = np.repeat([0, 1, 2, 3], 25)
    random = np.random.default_rng(0)
    for _ in range(20):
        rotation = np.linalg.qr(random.normal(size=(4, 4)))[0]
        found = cluster_qr(np.eye(4)[labels] / 5 @ rotation)
        np.testing.assert_array_equal(found, labels)
