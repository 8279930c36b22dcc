"""Minimum spanning trees against SciPy's and against each other."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from coterie.distance import distances, pairwise_distances, spanning_tree
from coterie.errors import InvalidData, InvalidParameter
from places import as_places

DISTANCES = {distance.name: distance for distance in distances()}

RANDOM = np.random.default_rng(5)
POINTS = {
    "uniform": RANDOM.random((700, 3)),
    "clustered": RANDOM.normal(size=(700, 2)) + 10 * RANDOM.integers(0, 4, size=(700, 1)),
    "whole": RANDOM.integers(0, 9, size=(600, 3)).astype(float),
    "wide": RANDOM.normal(size=(300, 40)),
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_total_is_the_least(name, metric):
    """Law: the tree is as short as SciPy's, by either engine, and joins all rows."""
    X = POINTS[name]
    D = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    # SciPy takes zeros for missing edges
    expected = np.sort(minimum_spanning_tree(D + 1.0 - np.eye(len(X))).data) - 1.0
    for algorithm in ("kd_tree", "tiles"):
        tree = spanning_tree(X, metric, algorithm=algorithm)
        assert tree.algorithm_used == algorithm
        np.testing.assert_allclose(tree.distance, expected, atol=1e-9)
        np.testing.assert_allclose(D[tuple(tree.edges.T)], tree.distance, atol=1e-9)
        assert (tree.edges[:, 0] < tree.edges[:, 1]).all()


@pytest.mark.parametrize("name", POINTS)
def test_mutual_reachability(name):
    """Law: with core distances, all engines find the tree of max(core, core, distance / alpha)."""
    X = POINTS[name]
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, 4]
    reach = np.maximum(np.maximum(core[:, None], core), D / 1.2)
    expected = np.sort(minimum_spanning_tree(reach + 1.0 - np.eye(len(X))).data) - 1.0
    for options in ({"algorithm": "kd_tree"}, {"algorithm": "tiles"}):
        tree = spanning_tree(X, core_distances=core, alpha=1.2, **options)
        np.testing.assert_allclose(tree.distance, expected, atol=1e-9)
    given = spanning_tree(D, "precomputed", core_distances=core, alpha=1.2)
    np.testing.assert_allclose(given.distance, expected, atol=1e-9)


def first_edges(D, core):
    """Return the edges of the tree the slow way: all pairs in order, each that joins two parts."""
    low, high = np.triu_indices(len(D), 1)
    length = np.maximum(np.maximum(core[low], core[high]), D[low, high])
    part, edges = np.arange(len(D)), []
    for at in np.lexsort([high, low, length]):
        one, other = part[low[at]], part[high[at]]
        if one != other:
            part[part == other] = one
            edges.append((low[at], high[at]))
    return np.array(edges)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [2, 9, 33, 70])
@pytest.mark.parametrize("has_cores", [False, True])
def test_ties_of_a_matrix_go_to_the_lower_rows(dtype, n_rows, has_cores):
    """Law: of equally long edges, the one of the lower row comes first, then the one to the lower other."""
    X = np.random.default_rng(n_rows).integers(0, 4, size=(n_rows, 2))
    D = cdist(X, X, "cityblock").astype(dtype)
    core = np.sort(D, axis=1)[:, min(3, n_rows - 1)] if has_cores else np.zeros(n_rows, dtype)
    found = spanning_tree(D, "precomputed", core_distances=core if has_cores else None)
    np.testing.assert_array_equal(found.edges, first_edges(D, core))


@pytest.mark.parametrize("metric", DISTANCES)
def test_every_distance(metric):
    """Law: the tree of rows is the tree of their matrix, for every distance of the catalogue."""
    X = np.random.default_rng(1).random((60, 5)) + 0.1
    X = as_places(X) if DISTANCES[metric].domain == "places" else X
    D = pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(
        spanning_tree(X, metric).distance, spanning_tree(D, "precomputed").distance, atol=1e-12
    )


def test_threads_do_not_matter():
    """Law: the same edges for any number of threads, ties included."""
    X = np.random.default_rng(2).integers(0, 30, size=(4000, 2)).astype(np.float32)
    one, many = spanning_tree(X, n_jobs=1), spanning_tree(X, n_jobs=5)
    np.testing.assert_array_equal(one.edges, many.edges)
    np.testing.assert_array_equal(one.distance, many.distance)


def test_one_row_has_no_edges():
    """Law: one row, no edge."""
    assert spanning_tree([[1.0, 2.0]]).edges.shape == (0, 2)


def test_wrong_input():
    """Law: core distances and alpha are checked."""
    with pytest.raises(InvalidData, match="core_distances of spanning_tree must be one number"):
        spanning_tree([[0.0], [1.0]], core_distances=[1.0])
    with pytest.raises(InvalidData, match=r"one number of at least 0 per row, 1, got the shape \(\)\."):
        spanning_tree([[0.0]], core_distances=2.5)
    with pytest.raises(InvalidData, match=r"per row, 2, got the shape \(2,\) of type <U1"):
        spanning_tree([[0.0], [1.0]], core_distances=["a", "b"])
    with pytest.raises(InvalidParameter, match="alpha of spanning_tree must be a number greater than 0"):
        spanning_tree([[0.0], [1.0]], alpha=0.0)


def test_core_distances_beyond_the_type_of_the_rows_are_refused():
    X = np.arange(8, dtype=np.float32)[:, None]
    with pytest.raises(InvalidData, match=r"core_distances of spanning_tree must fit in float32.*1e\+300"):
        spanning_tree(X, core_distances=np.full(8, 1e300))
    assert np.isfinite(spanning_tree(X.astype(np.float64), core_distances=np.full(8, 1e300)).distance).all()
