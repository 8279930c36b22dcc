"""Matrices: undefined rows, zeros over zeros, large and small numbers, shapes, memory, input kinds."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter, NotEnoughMemory, UnsupportedInput

X = np.random.default_rng(1).normal(size=(25, 3))


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("cosine", [0, 0, 0], r"row 7 of Y has length zero: its cosine distance is undefined\. Leave"),
        ("correlation", [2, 2, 2], r"row 7 of Y is constant: its correlation distance is undefined"),
        ("correlation", [0.1, 0.1, 0.1], r"row 7 of Y is constant"),
        ("spearman", [5, 5, 5], r"row 7 of Y is constant: its spearman distance is undefined"),
    ],
)  # fmt: skip
def test_rows_without_direction_are_told(name, row, message):
    """Law: where SciPy answers NaN, the row is named instead."""
    Y = X.copy()
    Y[7] = row
    with pytest.raises(InvalidData, match=message):
        pairwise_distances(X, Y, name)


def test_undefined_rows_are_counted_across_blocks():
    """Law: the row number is that of the input, however many rows are prepared at once."""
    many = np.ones((200_000, 3))
    many[150_000] = 0
    with pytest.raises(InvalidData, match="row 150000 of X has length zero"):
        pairwise_distances(many, X, "cosine")


@pytest.mark.parametrize("name", ["canberra", "braycurtis", "jaccard", "dice", "matching", "hamming"])
def test_nothing_over_nothing_is_zero(name):
    """Law: two rows of zeros are at distance 0 in every distance that counts or divides."""
    rows = np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 2]])
    D = pairwise_distances(rows, rows, name)
    assert D[0, 1] == 0
    assert D[0, 2] > 0


def test_bray_curtis_of_opposite_rows_is_refused():
    """Law: a total of zero with a difference, where SciPy says infinite, is refused with the two rows."""
    with pytest.raises(InvalidData, match="row 0 of X and row 0 of Y are opposite"):
        pairwise_distances([[1.0, -2]], [[-1.0, 2]], "braycurtis")


def test_boolean_distances_read_rows_as_sets():
    """Law: for jaccard, dice and matching every number but 0 is true."""
    A, B = np.array([[2.0, 0, -3, 0.5]]), np.array([[1.0, 7, 0, 1]])
    for name in ("jaccard", "dice", "matching"):
        np.testing.assert_array_equal(
            pairwise_distances(A, B, name), pairwise_distances(A != 0, B != 0, name)
        )


@pytest.mark.parametrize(
    "name", ["cosine", "correlation", "spearman", "manhattan", "chebyshev", "canberra", "braycurtis"]
)
@pytest.mark.parametrize("size", [1e-200, 1e200, 1e300])
def test_huge_and_tiny_numbers_are_measured(name, size):
    """Law: where no square is needed, numbers near the ends of float64 give what moderate ones give."""
    expected = pairwise_distances(X, metric=name) * (size if name in ("manhattan", "chebyshev") else 1)
    np.testing.assert_allclose(pairwise_distances(X * size, metric=name), expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "seuclidean", "mahalanobis", "minkowski"])
def test_squares_that_overflow_are_told(name):
    """Law: where squares overflow, the data are refused with the column."""
    with pytest.raises(
        InvalidData, match=r"value too large for float64: .* in X\[:, \d\]; squared distances overflow"
    ):
        pairwise_distances(X * 1e200, metric=name)


def test_powers_that_overflow_are_told():
    """Law: a large p is refused for numbers whose powers overflow."""
    match = r"too large for float64: .*; minkowski distances with p=50 overflow above"
    with pytest.raises(InvalidData, match=match):
        pairwise_distances(X * 1e7, metric="minkowski", p=50)


def test_nearly_equal_rows_keep_their_digits():
    """Law: distances between near-duplicates keep their digits, far from the origin and for cosine."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(1, 20)) * 1e3
    A, B = (base + 1e-5 * rng.normal(size=(40, 20)) for _ in range(2))
    np.testing.assert_allclose(pairwise_distances(A, B), cdist(A, B), rtol=1e-12)
    U, V = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (A, B))
    exact = ((U[:, None] - V) ** 2).sum(axis=2) / 2
    np.testing.assert_allclose(pairwise_distances(A, B, "cosine"), exact, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 47, 48, 49, 257, 600])
@pytest.mark.parametrize("d", [1, 2, 7, 33])
def test_condensed_is_pdist(n, d):
    """Law: the condensed form is SciPy's, for every size of the last tile."""
    rows = np.random.default_rng(n).normal(size=(n, d))
    for ours, theirs in (("euclidean", "euclidean"), ("manhattan", "cityblock")):
        expected = pdist(rows, theirs) if n > 1 else np.empty(0)
        np.testing.assert_allclose(
            pairwise_distances(rows, metric=ours, condensed=True), expected, rtol=1e-12
        )
        np.testing.assert_allclose(
            pairwise_distances(rows, metric=ours), cdist(rows, rows, theirs), rtol=1e-12, atol=1e-14
        )


def test_input_is_left_alone_and_layout_does_not_matter():
    """Law: read-only, strided and Fortran-ordered rows give the same; nothing is written to them."""
    frozen = X.copy()
    frozen.flags.writeable = False
    for name in ("euclidean", "cosine", "seuclidean", "jaccard"):
        expected = pairwise_distances(X, metric=name)
        for rows in (frozen, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist()):
            np.testing.assert_array_equal(pairwise_distances(rows, metric=name), expected)
    np.testing.assert_array_equal(frozen, X)


def test_too_large_a_matrix_is_refused_before_it_is_begun():
    """Law: the need is named, and the way out."""
    rows = np.zeros((3_000_000, 1), dtype=np.float32)
    with pytest.raises(
        NotEnoughMemory,
        match=r"distance matrix of 3,000,000 x 3,000,000 rows needs .* TiB, .* are free\. Use k_nearest",
    ):
        pairwise_distances(rows)
    with pytest.raises(NotEnoughMemory, match=r"needs 16\.4 TiB"):
        pairwise_distances(rows, condensed=True)


def test_precomputed_and_similarities_are_input_kinds():
    """Law: a matrix is checked and handed back; similarities become distances from the largest one."""
    D = pairwise_distances(X)
    np.testing.assert_array_equal(pairwise_distances(D, metric="precomputed"), D)
    np.testing.assert_array_equal(pairwise_distances(D, metric="precomputed", condensed=True), pdist_of(D))
    S = 5 - D
    np.testing.assert_allclose(pairwise_distances(S, metric="similarity"), D, atol=1e-14)
    for params, extra in (({"Y": X}, "Y"), ({"p": 3}, "p")):
        with pytest.raises(
            InvalidParameter,
            match=rf'metric="precomputed" of .* takes a matrix X and nothing else, got {extra}',
        ):
            pairwise_distances(D, metric="precomputed", **params)


def pdist_of(D):
    return D[np.triu_indices(len(D), 1)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pairwise_distances(X, X, condensed=True), InvalidParameter, "condensed=True .* leave Y out"),
        (lambda: pairwise_distances(X, n_jobs=0), InvalidParameter, "n_jobs must be None"),
        (lambda: pairwise_distances(np.empty((0, 3))), InvalidData, "0 sample"),
        (lambda: pairwise_distances([["a", "b"]]), InvalidData, "must be numbers, got text"),
        (lambda: pairwise_distances(X + 1j), InvalidData, "Complex data not supported"),
        (lambda: pairwise_distances(pairwise_distances(X)), InvalidData, "looks like distances"),
    ],
)
def test_bad_calls_are_told(call, error, message):
    """Law: what cannot be measured is refused with its reason."""
    with pytest.raises(error, match=message):
        call()


def test_sparse_rows_are_told():
    """Law: sparse rows are refused by name until the engine takes them."""
    from scipy.sparse import csr_array

    with pytest.raises((UnsupportedInput, InvalidData), match=r"[Ss]parse"):
        pairwise_distances(csr_array(X))


@pytest.mark.parametrize(
    ("function", "params"), [(len, {}), (lambda x: 0.0, {}), (lambda x, y: 0.0, {"p": 2})]
)
def test_a_function_that_does_not_take_two_rows(function, params):
    """Law: a function that cannot be called with two rows and its parameters is refused at once."""
    with pytest.raises(InvalidParameter, match=r"got the function .* which does not take two rows"):
        pairwise_distances([[0.0], [1.0]], metric=function, **params)
