"""Matrices: undefined rows, zeros over zeros, large and small numbers, shapes, memory, input kinds."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import nan_euclidean_distances

from coterie.distance import find_distance, pairwise_distances
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


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "manhattan", "cosine"])
def test_sparse_rows_of_every_format(form, name):
    """Law: sparse rows, matrices or arrays, give the bits that the same rows give dense."""
    rows = np.where(X > 0.5, X, 0) + np.eye(3)[0]
    for kind in ("array", "matrix"):
        made = getattr(sparse, f"{form}_{kind}")
        expected = pairwise_distances(rows, rows[:4], name)
        np.testing.assert_array_equal(pairwise_distances(made(rows), made(rows[:4]), name), expected)
        np.testing.assert_array_equal(pairwise_distances(made(rows), rows[:4], name), expected)


def test_sparse_rows_that_are_not_taken():
    """Law: other distances, and copies that do not fit in memory, are refused with the way out."""
    with pytest.raises(
        UnsupportedInput, match=r"X of .* is sparse, and the distance canberra takes dense .*toarray"
    ):
        pairwise_distances(sparse.csr_array(X), metric="canberra")
    wide = sparse.coo_array(([1.0], ([0], [0])), shape=(100_000, 1_000_000)).tocsr()
    with pytest.raises(NotEnoughMemory, match=r"needs .* free\. .*few"):
        pairwise_distances(wide)


def test_missing_cells_are_scikit_learns():
    """Law: nan_euclidean is scikit-learn's up to rounding, in the type of the rows, exact without gaps."""
    rng = np.random.default_rng(5)
    A, B = (np.where(rng.random((n, 6)) < 0.2, np.nan, rng.normal(size=(n, 6))) for n in (30, 11))
    A[:, 0], B[:, 0] = 0.5, rng.normal(size=11)
    for dtype, rtol in ((np.float64, 1e-9), (np.float32, 1e-4)):
        ours = pairwise_distances(A.astype(dtype), B.astype(dtype), "nan_euclidean")
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours, nan_euclidean_distances(A, B), rtol=rtol)
    D = pairwise_distances(A, metric="nan_euclidean")
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(np.diagonal(D), 0)
    np.testing.assert_array_equal(pairwise_distances(A, A, "nan_euclidean"), D)
    np.testing.assert_allclose(pairwise_distances(A, B, "nan_euclidean", squared=True), ours**2, rtol=1e-4)
    np.testing.assert_allclose(
        pairwise_distances(X + 1e8, metric="nan_euclidean"), pairwise_distances(X + 1e8)
    )


@pytest.mark.parametrize(
    ("rows", "others", "params", "message"),
    [
        ([[1, np.nan], [np.nan, 2]], None, {}, r"row 0 of X and row 1 of X have no column in which both"),
        ([[1, np.nan]], [[1, 2], [np.nan, 2]], {}, r"row 0 of X and row 1 of Y have no column"),
        ([[1, np.inf]], None, {}, r"X contains infinity"),
        ([[1, 1e200]], None, {}, r"too large for float64"),
        ([[1, 2]], [[1, 2, 3]], {}, r"as many columns as each other, got 2 and 3"),
        ([[1, 2]], None, {"squared": 2}, r"squared of nan_euclidean must be True or False, got 2"),
        ([[1, 2]], None, {"p": 2}, r"nan_euclidean takes squared, patterns, got p"),
    ],
)
def test_missing_cells_that_are_refused(rows, others, params, message):
    """Law: pairs without a common cell, and everything else that has no distance, are named."""
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        pairwise_distances(rows, others, "nan_euclidean", **params)


def test_names_that_only_scikit_learn_has():
    """Law: they are measured by scikit-learn; what it refuses is said in our words."""
    sets = X > 0
    np.testing.assert_array_equal(
        pairwise_distances(sets, sets[:5], "rogerstanimoto"), cdist(sets, sets[:5], "rogerstanimoto")
    )
    with pytest.raises(InvalidParameter, match=r"metric='yule' of pairwise_distances does not take"):
        pairwise_distances(sets, metric="yule", nonesuch=1)


def test_functions_get_text_and_booleans_as_they_are():
    """Law: a function of two rows sees the cells that were given; numbers next to text stay numbers."""

    def lengths(a, b):
        return abs(len(a) - len(b))

    def mixed(a, b):
        return float(a[0] != b[0]) + abs(a[1] - b[1])

    np.testing.assert_array_equal(pairwise_distances(["a", "abc"], ["ab"], lengths), [[1.0], [1.0]])
    np.testing.assert_array_equal(pairwise_distances(["a", "abc"], metric=lengths, condensed=True), [2.0])
    assert pairwise_distances([["a", 1], ["b", 3]], metric=mixed)[0, 1] == 3.0
    either = pairwise_distances(X > 0, X[:2] > 0, lambda a, b: (a ^ b).sum())
    np.testing.assert_array_equal(either, cdist(X > 0, X[:2] > 0, "hamming") * 3)
    with pytest.raises(InvalidData, match=r"as many columns as each other, got the shapes \(2,\) and"):
        pairwise_distances(["a", "b"], [["a", "b"]], lengths)


@pytest.mark.parametrize(("name", "parameter"), [("seuclidean", "V"), ("mahalanobis", "VI")])
def test_what_is_learned_must_not_be_ambiguous(name, parameter):
    """Law: with other rows, whose variances count is said; Y that is X is X alone."""
    with pytest.raises(InvalidParameter, match=rf"The '{parameter}' parameter is required for the {name} "):
        pairwise_distances(X, X[:5], name)
    fitted = find_distance(name).fit(X)
    expected = pairwise_distances(X, metric=name)
    np.testing.assert_array_equal(pairwise_distances(X, X, name), expected)
    np.testing.assert_allclose(pairwise_distances(X, X[:5], fitted), expected[:, :5], atol=1e-12)


def test_parameters_of_scikit_learns_euclidean():
    """Law: norms change nothing, and squared gives squares."""
    norms = {"X_norm_squared": (X**2).sum(axis=1), "Y_norm_squared": (X[:5] ** 2).sum(axis=1)}
    np.testing.assert_array_equal(pairwise_distances(X, X[:5], **norms), pairwise_distances(X, X[:5]))
    squares = pairwise_distances(X, X[:5], "l2", squared=True, **norms)
    np.testing.assert_array_equal(squares, pairwise_distances(X, X[:5], "sqeuclidean"))
    with pytest.raises(InvalidParameter, match=r"squared of euclidean must be True or False, got 'yes'"):
        pairwise_distances(X, squared="yes")
    with pytest.raises(InvalidParameter, match=r"manhattan takes w, got Y_norm_squared"):
        pairwise_distances(X, metric="manhattan", Y_norm_squared=norms["Y_norm_squared"])


@pytest.mark.parametrize(
    ("function", "params"), [(len, {}), (lambda x: 0.0, {}), (lambda x, y: 0.0, {"p": 2})]
)
def test_a_function_that_does_not_take_two_rows(function, params):
    """Law: a function that cannot be called with two rows and its parameters is refused at once."""
    with pytest.raises(InvalidParameter, match=r"got the function .* which does not take two rows"):
        pairwise_distances([[0.0], [1.0]], metric=function, **params)


@pytest.mark.parametrize(
    ("name", "dtype", "n"), [("gower", np.float64, 2101), ("cityblock", np.float32, 2903)]
)
def test_large_squares_are_those_of_two_tables(name, dtype, n):
    """Law: a square larger than the caches, its rows on no line of them, has the bits of X against X."""
    rows = np.random.default_rng(3).normal(size=(n, 2)).astype(dtype)
    square = pairwise_distances(rows, metric=name)
    assert square.dtype == dtype
    np.testing.assert_array_equal(square, pairwise_distances(rows, rows.copy(), name))
    np.testing.assert_array_equal(pairwise_distances(rows, metric=name, n_jobs=1), square)
