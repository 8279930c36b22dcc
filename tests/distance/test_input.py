"""What methods are given: rows, matrices and graphs are told apart; what is wrong is told with its cell."""

import numpy as np
import pytest
from scipy import sparse

from coterie.cluster import KMedoids
from coterie.distance import (
    check_distance_matrix,
    check_similarity_matrix,
    distances_from_similarities,
    input_kind,
    pairwise_distances,
)
from coterie.distance.input import (
    GraphInput,
    InputRules,
    MatrixInput,
    RowsInput,
    SimilarityInput,
    resolve_input,
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


@pytest.mark.parametrize(
    ("given", "kind", "rules", "expected"),
    [
        (D[:, :3], "data", InputRules(), RowsInput),
        (sparse.csr_array(D[:, :3]), "data", InputRules(takes_sparse=True), RowsInput),
        (D, "distances", InputRules(), MatrixInput),
        (np.asfortranarray(D), "distances", InputRules(symmetry="noted"), MatrixInput),
        (D, "distances", InputRules(symmetry="free"), MatrixInput),
        (-D, "similarities", InputRules(), SimilarityInput),
        (sparse.csr_array(D), "distances", InputRules(takes_sparse=True), GraphInput),
        (sparse.csr_array(D), "similarities", InputRules(takes_sparse=True, symmetry="averaged"), GraphInput),
    ],
)
def test_input_is_resolved_to_what_it_is(given, kind, rules, expected):
    """Law: rows, matrices, similarities and graphs come back as such, with their numbers and their size."""
    found = resolve_input(given, kind, estimator=KMedoids(), rules=rules)
    assert type(found) is expected
    assert (found.kind, found.n) == (kind, 150)
    assert abs(found.values - given).max() == 0


def test_distances_of_a_resolved_matrix():
    """Law: similarities become how far they are from the largest one, distances stay."""
    given = np.array([[3.0, 1.0], [1.0, 3.0]])
    assert SimilarityInput(given).distances.tolist() == [[0.0, 2.0], [2.0, 0.0]]
    assert MatrixInput(np.arange(3.0)).n == 3  # condensed
    assert MatrixInput(3 - given).distances.tolist() == [[0.0, 2.0], [2.0, 0.0]]


@pytest.mark.parametrize(
    ("given", "kind", "rules", "error", "words"),
    [
        (-D, "similarities", InputRules(kinds=("data", "distances")), InvalidParameter, "must be a distance"),
        (D[:9], "distances", InputRules(not_square="{who}: {shape}"), InvalidData, r"KMedoids: \(9, 150\)"),
        (np.triu(D), "distances", InputRules(), InvalidData, "symmetric matrix of distances"),
        (-D, "distances", InputRules(symmetry="noted"), InvalidData, "at least 0, got -"),
        (
            sparse.csr_array(-D),
            "distances",
            InputRules(takes_sparse=True),
            InvalidData,
            "stored distances of",
        ),
        (
            sparse.csr_array(np.triu(D)),
            "similarities",
            InputRules(takes_sparse=True, symmetry="averaged"),
            InvalidData,
            "symmetric matrix of weights",
        ),
    ],
)
def test_what_a_method_does_not_take_is_refused(given, kind, rules, error, words):
    """Law: the rules of a method decide what is refused, in words that say what it takes."""
    with pytest.raises(error, match=words):
        resolve_input(given, kind, estimator=KMedoids(), rules=rules)


def test_rounding_between_mirrored_cells_is_averaged():
    """Law: where a method averages, cells that differ by rounding become one number, in arrays and graphs."""
    uneven = D + np.triu(np.full_like(D, 1e-9), 1)
    rules = InputRules(takes_sparse=True, symmetry="averaged")
    for given in (uneven, sparse.csr_array(uneven)):
        found = resolve_input(given, "similarities", estimator=KMedoids(), rules=rules).values
        assert abs(found - found.T).max() == 0
