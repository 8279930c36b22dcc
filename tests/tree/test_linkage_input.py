"""Linkage: similarities, and input that is refused."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from coterie.distance import pairwise_distances
from coterie.errors import CoterieError, InvalidData, InvalidParameter, NotEnoughMemory
from coterie.tree import linkage

# LECTURES example: similarities of five items
SCORES = np.eye(5) / 2
SCORES[np.triu_indices(5, 1)] = [0.90, 0.10, 0.65, 0.20, 0.70, 0.60, 0.50, 0.40, 0.30, 0.80]
SCORES += SCORES.T


@pytest.mark.parametrize(
    ("method", "merges"),
    [
        ("single", [[0, 1, 0.90], [3, 4, 0.80], [2, 5, 0.70], [6, 7, 0.65]]),
        ("complete", [[0, 1, 0.90], [3, 4, 0.80], [2, 6, 0.30], [5, 7, 0.10]]),
    ],
)
def test_the_lectures_similarities(method, merges):
    """Law: the worked example of the lectures; heights are the similarities themselves, to the bit."""
    np.testing.assert_array_equal(linkage(SCORES, method, "similarity")[:, :3], merges)
    condensed = SCORES[np.triu_indices(5, 1)]
    np.testing.assert_array_equal(linkage(condensed, method, "similarity")[:, :3], merges)


def test_asymmetric_scores():
    """Law: scores that differ with the direction need a stated way to become one."""
    S = SCORES.copy()
    S[0, 1] = 0.5
    with pytest.raises(InvalidData, match=r"X\[0, 1\] = 0.5 and X\[1, 0\] = 0.9"):
        linkage(S, "single", "similarity")
    heights = {
        how: linkage(S, "single", "similarity", symmetrize=how)[0, 2] for how in ("mean", "min", "max")
    }
    assert heights == {"mean": 0.8, "min": 0.8, "max": 0.9}
    with pytest.raises(InvalidParameter, match="symmetrize of linkage is for metric="):
        linkage(SCORES, metric="euclidean", symmetrize="mean")
    with pytest.raises(CoterieError, match=r"must be a table of numbers, got 'scores.csv'"):
        linkage("scores.csv", metric="similarity", symmetrize="max")


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([1.0, 2.0, 3.0, 4.0], {}, r"the number for no n; near are 3 \(3 rows\) or 6 \(4 rows\)"),
        ([], {}, "the number for no n"),
        ([1.0, np.nan, 2.0], {}, r"got X\[1\] = nan, the pair of rows 0 and 2"),
        ([1.0, 2.0, -1.0], {}, r"got X\[2\] = -1, the pair of rows 1 and 2"),
        ([1.0, np.inf, 2.0], {}, r"got X\[1\] = inf"),
        ([[0.0, 1], [1, 0.5]], {"metric": "precomputed"}, r"zeros on the diagonal, got X\[1, 1\] = 0.5"),
        ([[0.0, -1], [-1, 0]], {"metric": "precomputed"}, r"at least 0, got X\[0, 1\] = -1"),
        ([[0.0, np.inf], [np.inf, 0]], {"metric": "precomputed"}, "contains infinity"),
        ([[0.0, np.nan], [np.nan, 0]], {"metric": "precomputed"}, "contains NaN"),
        ([[0.0, 1, 2]] * 2, {"metric": "precomputed"}, "square matrix"),
        (np.ones((4, 4)) - np.eye(4), {}, "looks like distances"),
        ([[0.0, 0], [1, 1]], {"metric": "cosine"}, "row 0 of X has length zero"),
        ([[1.0, 2.0]], {}, "at least 2 rows, got 1"),
        ([[0.0], [np.nan]], {}, "contains NaN"),
    ],
)
def test_bad_data(X, options, message):
    """Law: what cannot be linked is refused with the place."""
    with pytest.raises(InvalidData, match=message):
        linkage(X, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wrd"}, 'Did you mean "ward"'),
        ({"method": "ward", "metric": "manhattan"}, "requires the distance metric to be Euclidean"),
        ({"metric": "precomputed", "p": 3}, "takes no parameters, got p"),
    ],
)
def test_bad_parameters(options, message):
    """Law: methods and distances that do not go together are refused with the way out."""
    with pytest.raises(InvalidParameter, match=message):
        linkage([[0.0, 1], [1, 0]], **options)
    with pytest.raises(InvalidParameter, match="needs distances, got similarities"):
        linkage(SCORES, "ward", "similarity")


def test_memory(monkeypatch):
    """Law: a matrix that does not fit is refused before it is made; methods without one go on."""
    monkeypatch.setattr("coterie._support.validation.memory.available_memory", lambda: 10_000)
    monkeypatch.setattr("coterie._support.validation.memory.ALWAYS_FREE", 0)
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(NotEnoughMemory, match=r'complete linkage of 100 rows needs 78.1 KiB.*"ward"'):
        linkage(X, "complete")
    assert len(linkage(X, "ward")) == 99
    monkeypatch.setattr("coterie.tree.linkage_input.FEWEST_FOR_ROUNDS", 2)
    with pytest.raises(NotEnoughMemory, match=r"complete linkage of 1,000 rows needs 13\.1 KiB"):
        linkage(np.tile(X, (10, 1)), "complete")
    monkeypatch.setattr("coterie._support.validation.memory.available_memory", lambda: 50_000)
    many_columns = np.random.default_rng(0).normal(size=(1000, 50))
    with pytest.raises(
        NotEnoughMemory, match=r"complete linkage of 1,000 rows, of which \d+ clusters are left .* needs"
    ):
        linkage(many_columns, "complete")


def test_input_is_not_changed():
    """Law: rows and matrices stay as they are."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    D = np.abs(X[:, :1] - X[:, :1].T)
    kept = X.copy(), D.copy()
    for method in ("average", "ward", "minimax", "single"):
        linkage(X, method)
        linkage(D, method, "precomputed")
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(D, kept[1])


def test_sparse_graphs():
    """Law: a graph of all pairs is the matrix; what no path joins merges at infinity."""
    X = np.random.default_rng(4).normal(size=(25, 3))
    D = pairwise_distances(X)
    for method in ("single", "complete", "average", "weighted"):
        full = linkage(sparse.csr_array(D), method, "precomputed")
        np.testing.assert_allclose(full, linkage(D, method, "precomputed"))
    near = sparse.csr_array(np.where(D < 0.9, D, 0.0))
    Z = linkage(near, "single", "precomputed")
    np.testing.assert_allclose(Z[np.isfinite(Z[:, 2]), 2], linkage(X)[: np.isfinite(Z[:, 2]).sum(), 2])
    assert np.isinf(Z[:, 2]).sum() == connected_components(near)[0] - 1


def test_sparse_similarities():
    """Law: pairs without a score are not similar at all; one score of two is enough for "max" only."""
    S = sparse.csr_array((np.array([0.9, 0.5, 0.8]), ([0, 1, 3], [1, 0, 2])), shape=(4, 4))
    Z = linkage(S, "single", "similarity", symmetrize="max")
    np.testing.assert_array_equal(Z[:, 2], [0.9, 0.8, -np.inf])
    np.testing.assert_array_equal(
        linkage(S, metric="similarity", symmetrize="min")[:, 2], [0.5, -np.inf, -np.inf]
    )


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        ({(0, 1): 1.0}, {"metric": "precomputed"}, r"X\[0, 1\] = 1 and X\[1, 0\] missing"),
        ({(0, 1): 1.0, (1, 0): 2.0}, {"metric": "precomputed"}, r"X\[0, 1\] = 1 and X\[1, 0\] = 2"),
        ({(0, 1): -1.0, (1, 0): -1.0}, {"metric": "precomputed"}, r"X\[0, 1\] = -1"),
        ({(1, 1): 3.0}, {"metric": "precomputed"}, r"X\[1, 1\] = 3"),
        ({(0, 1): np.nan, (1, 0): 1.0}, {"metric": "similarity"}, r"X\[0, 1\] = nan"),
        ({(0, 1): 1.0, (1, 0): 1.0}, {}, "must be a graph of distances or similarities"),
        ({(0, 1): 1.0, (1, 0): 1.0}, {"method": "ward", "metric": "precomputed"}, "infinite distances"),
    ],
)
def test_bad_graphs(cells, options, message):
    """Law: a graph that is not a graph of distances is refused with the cell."""
    graph = sparse.csr_array((np.array(list(cells.values())), np.array(list(cells)).T), shape=(3, 3))
    with pytest.raises(CoterieError, match=message):
        linkage(graph, **options)
