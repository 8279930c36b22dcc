"""Given matrices: what is wrong is told with its cell."""

import numpy as np
import pytest
from scipy import sparse

from coterie.distance import (
    check_distance_matrix,
    check_similarity_matrix,
    distances_from_similarities,
    input_kind,
    pairwise_distances,
)
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput

D = pairwise_distances(np.random.default_rng(5).normal(size=(150, 3)))


def changed(cells, value, matrix=D):
    copy = matrix.copy()
    for cell in cells:
        copy[cell] = value
    return copy


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_good_matrices_pass_uncopied(dtype):
    """Law: a distance matrix in C order goes through as it is; rounding of the mirror is forgiven."""
    good = D.astype(dtype)
    assert np.shares_memory(check_distance_matrix(good), good)
    nearly = good * (1 + np.triu(np.ones_like(good)) * np.finfo(dtype).eps)
    np.testing.assert_array_equal(check_distance_matrix(nearly), nearly)
    np.testing.assert_array_equal(check_distance_matrix(np.zeros((4, 4))), np.zeros((4, 4)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_good_matrices_in_fortran_order_pass_uncopied(dtype):
    """Law: a matrix that equals its transpose is read by columns; otherwise it is turned, cell by cell."""
    good = np.asfortranarray(D, dtype=dtype)
    checked = check_distance_matrix(good)
    assert np.shares_memory(checked, good)
    assert checked.flags.c_contiguous
    np.testing.assert_array_equal(checked, good)
    nearly = np.asfortranarray(good * (1 + np.triu(np.ones_like(good)) * np.finfo(dtype).eps))
    np.testing.assert_array_equal(check_distance_matrix(nearly), nearly)
    with pytest.raises(InvalidData, match=r"got X\[3, 140\] = 9 and X\[140, 3\] = "):
        check_distance_matrix(np.asfortranarray(changed([(3, 140)], 9)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            D[:20],
            r"X of KMedoids must be a square matrix of distances, got the shape \(20, 150\)\. If these are",
        ),
        (
            changed([(3, 140), (140, 3)], -1),
            r"which are at least 0, got X\[3, 140\] = -1\. If these are similarities",
        ),
        (changed([(77, 77)], 0.5), r"with zeros on the diagonal, got X\[77, 77\] = 0\.5"),
        (changed([(3, 140)], 9), r"a symmetric matrix of distances, got X\[3, 140\] = 9 and X\[140, 3\] = "),
        (changed([(149, 0)], 9), r"got X\[0, 149\] = .* and X\[149, 0\] = 9"),
        (
            changed([(3, 140), (140, 3)], np.nan),
            r"Input X contains NaN: 1 missing value in X\[:, 3\] \(row 140\)",
        ),
        (changed([(3, 140), (140, 3)], np.inf), r"Input X contains infinity"),
    ],
)
def test_wrong_distances_are_told_with_their_cell(wrong, message):
    """Law: the first wrong cell is named, whatever is wrong with it."""
    with pytest.raises(InvalidData, match=message):
        check_distance_matrix(wrong, who="KMedoids")


def test_similarities_may_be_negative_but_must_be_symmetric():
    """Law: any finite symmetric matrix is a similarity; most similar becomes nearest."""
    S = -D - 3
    np.testing.assert_array_equal(check_similarity_matrix(S), S)
    far = distances_from_similarities(S)
    check_distance_matrix(far)
    off = ~np.eye(len(D), dtype=bool)
    np.testing.assert_array_equal(np.argsort(far[off], kind="stable"), np.argsort(-S[off], kind="stable"))
    with pytest.raises(
        InvalidData, match=r"symmetric matrix of similarities, got X\[2, 9\] = 1 and X\[9, 2\]"
    ):
        check_similarity_matrix(changed([(2, 9)], 1.0, S))
    with pytest.raises(InvalidData, match="square matrix of similarities"):
        check_similarity_matrix(S[1:])


def test_kinds():
    """Law: only two names say that X is no data; everything else does."""
    assert input_kind("precomputed") == "distances"
    assert input_kind("similarity") == "similarities"
    assert {input_kind(metric) for metric in ("euclidean", "nonesuch", max, None, 3)} == {"data"}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (sparse.csr_array(np.eye(3)), UnsupportedInput, "Sparse data was passed for S, but dense data"),
        ([[1.0, np.nan], [np.nan, 1.0]], InvalidData, "Input S contains NaN"),
        ([[1.0, 2.0, 3.0]], InvalidData, "S of distances_from_similarities must be a square matrix"),
        ([[1.0, 2.0], [3.0, 1.0]], InvalidData, "must be a symmetric matrix of similarities"),
        ([[1e308, -1e308], [-1e308, 1e308]], InvalidData, r"at most 9e\+307 apart, got -1e\+308 to 1e\+308"),
        (None, InvalidData, "must be a table of numbers, got None"),
    ],
)
def test_what_is_no_similarity_becomes_no_distance(wrong, error, message):
    """Law: similarities are checked before they are reversed, and lists of them are taken."""
    with pytest.raises(error, match=message):
        distances_from_similarities(wrong)
    assert distances_from_similarities([[3, 1], [1, 2]]).tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize("check", [check_distance_matrix, check_similarity_matrix])
def test_any_number_of_threads_may_check(check):
    """Law: n_jobs means what it means everywhere, and is refused as everywhere."""
    for n_jobs in (None, 1, -1, 2**63, -(2**70)):
        np.testing.assert_array_equal(check(D, n_jobs=n_jobs), D)
    with pytest.raises(InvalidParameter, match="n_jobs must be None"):
        check(D, n_jobs=0)
