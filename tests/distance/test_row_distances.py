"""Rows whose distances are asked for several times."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.distance import k_nearest, pairwise_distances, spanning_tree
from coterie.distance.neighbours import smallest_of_matrix
from coterie.distance.row_distances import RowDistances

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(60, 3), (700, 3), (300, 30)])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_the_same_as_asking_each_time(shape, metric):
    """Law: neighbours and trees are those of the public functions, with a matrix or with a kd-tree."""
    X = RNG.normal(size=shape)
    rows = RowDistances(X, metric)
    assert (rows.matrix is None) == (shape == (700, 3))
    near, expected = rows.k_nearest(7), k_nearest(X, None, 7, metric)
    np.testing.assert_array_equal(near.index, expected.index)
    np.testing.assert_allclose(near.distance, expected.distance)
    radii = np.asarray(near.distance)[:, -1]
    for core in (None, radii):
        tree, wanted = rows.spanning_tree(core), spanning_tree(X, metric, core_distances=core)
        np.testing.assert_allclose(np.sort(tree.distance), np.sort(wanted.distance))


def test_equally_near_rows_come_by_index():
    """Law: of entries as far away as the last one that is wanted, the first ones are taken."""
    D = pairwise_distances(RNG.integers(0, 3, (80, 3)).astype(float))
    slow = D.copy()
    np.fill_diagonal(slow, np.inf)
    for k in (1, 5, 79):
        found = smallest_of_matrix(D, k, True)
        np.testing.assert_array_equal(found.index, np.argsort(slow, axis=1, kind="stable")[:, :k])
        np.testing.assert_array_equal(found.distance, np.sort(slow, axis=1)[:, :k])
