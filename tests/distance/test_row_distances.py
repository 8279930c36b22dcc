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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", ["normal", "whole numbers", "copies"])
@pytest.mark.parametrize("n_known", [3, 20, 90])
def test_trees_of_known_neighbours_are_the_same(dtype, rows, n_known):
    """Law: neighbours that are known change no edge of the tree, nor do equal distances and copies."""
    X = RNG.normal(size=(700, 3))
    X = {"normal": X, "whole numbers": np.round(2 * X), "copies": np.repeat(X[:70], 10, axis=0)}[rows]
    X = X.astype(dtype)
    known = RowDistances(X)
    radii = np.asarray(known.k_nearest(n_known).distance)[:, -1]
    for core in (None, radii, np.sqrt(radii)):
        tree, wanted = known.spanning_tree(core), spanning_tree(X, core_distances=core)
        np.testing.assert_array_equal(tree.edges, wanted.edges)
        np.testing.assert_array_equal(tree.distance, wanted.distance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_a_number_comes_last(dtype):
    """Law: NaN counts as infinitely far, and so does the row itself."""
    D = np.array([[0, 2, np.nan], [2, 0, np.inf], [1, np.nan, 0]], dtype=dtype)
    found = smallest_of_matrix(D, 2, True)
    np.testing.assert_array_equal(found.index, [[1, 0], [0, 1], [0, 1]])
    np.testing.assert_array_equal(found.distance, [[2, np.inf], [2, np.inf], [1, np.inf]])
    assert smallest_of_matrix(D, 0, True).index.shape == (3, 0)


def test_equally_near_rows_come_by_index():
    """Law: of entries as far away as the last one that is wanted, the first ones are taken."""
    D = pairwise_distances(RNG.integers(0, 3, (80, 3)).astype(float))
    slow = D.copy()
    np.fill_diagonal(slow, np.inf)
    for k in (1, 5, 79):
        found = smallest_of_matrix(D, k, True)
        np.testing.assert_array_equal(found.index, np.argsort(slow, axis=1, kind="stable")[:, :k])
        np.testing.assert_array_equal(found.distance, np.sort(slow, axis=1)[:, :k])


@pytest.mark.parametrize("n_columns", [2, 40], ids=["kd-tree", "matrix"])
def test_fewer_neighbours_than_before_are_the_first_of_these(n_columns):
    """Law: what was asked for before does not change an answer, ties of whole numbers included."""
    X = np.random.default_rng(0).integers(0, 4, (700, n_columns)).astype(float)
    asked = RowDistances(X)
    assert (asked.matrix is None) == (n_columns == 2)
    for k in (30, 7, 12, 40):
        found, alone = asked.k_nearest(k), RowDistances(X).k_nearest(k)
        np.testing.assert_array_equal(found.index, alone.index)
        np.testing.assert_array_equal(found.distance, alone.distance)
        assert found.algorithm_used == alone.algorithm_used
