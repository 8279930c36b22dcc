"""Sparse matrices: what contradicts itself is refused in words, what is sound passes without a copy."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from coterie._support.validation import check_data, check_sparse, memory
from coterie._support.validation import sparse as checks
from coterie.errors import InvalidData, NotEnoughMemory
from sparse_damage import DAMAGE, FORMATS, damaged, sound


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_sound_matrices_pass(form, kind):
    """Law: every format of SciPy passes with the same values."""
    matrix = sound(form, kind)
    np.testing.assert_array_equal(check_sparse(matrix, who="this").toarray(), matrix.toarray())
    np.testing.assert_array_equal(check_data(matrix, accept_sparse=True).toarray(), matrix.toarray())


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_sound_matrices_are_not_copied(form):
    """Law: checking costs no memory of the size of the matrix."""
    matrix = sound(form)
    checked = check_sparse(matrix, who="this")
    assert np.shares_memory(checked.data, matrix.data)
    assert np.shares_memory(checked.indices, matrix.indices)


@pytest.mark.parametrize("case", DAMAGE)
def test_damaged_matrices_are_refused(case):
    """Law: the message names the format, the place and what is allowed, and the matrix stays as it is."""
    form, _, words = DAMAGE[case]
    with pytest.raises(InvalidData, match=rf"X of this is not a valid {form.upper()} matrix: .*{words}"):
        check_sparse(damaged(case), who="this")


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_cells_that_occur_twice_are_summed(form):
    """Law: SciPy's meaning of double cells holds, and the caller's matrix is not touched."""
    kind = getattr(sparse, f"{form}_array")
    values = np.arange(1.0, 6.0)
    values = values[:, None, None] if form == "bsr" else values
    matrix = kind((values, np.array([1, 1, 0, 2, 0]), np.array([0, 2, 4, 5])), shape=(3, 3))
    checked = check_sparse(matrix, who="this")
    np.testing.assert_array_equal(checked.toarray(), matrix.toarray())
    assert (len(checked.indices), len(matrix.indices)) == (4, 5)


def test_order_of_entries():
    """Law: rows are put in the order of their columns, but for graphs, where the order means something."""
    graph = sparse.csr_array((np.array([3.0, 1.0, 2.0]), np.array([2, 0, 1]), np.array([0, 2, 3, 3])), (3, 3))
    assert check_sparse(graph, who="this").indices.tolist() == [0, 2, 1]
    assert check_sparse(graph, who="this", keep_order=True).indices.tolist() == [2, 0, 1]


def test_a_flag_of_earlier_contents_is_not_believed():
    """Law: that SciPy once found the columns sorted says nothing after they were written to."""
    matrix = sparse.csr_array(np.eye(3))
    assert matrix.has_canonical_format
    matrix.indices, matrix.indptr = np.array([1, 1, 0], np.int32), np.array([0, 2, 3, 3], np.int32)
    assert check_sparse(matrix, who="this").nnz == 2


def test_long_indices_become_short_ones():
    """Law: 64-bit indices are taken where 32 bits suffice, as SciPy's own routines return them."""
    matrix = sound("csr")
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert check_data(matrix, accept_sparse=True).indices.dtype == np.int32


def test_more_columns_than_32_bits_count(monkeypatch):
    """Law: the message says how many there may be, not whom to write to."""
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    matrix = sparse.csr_array(([1.0], [2**31], [0, 1]), shape=(1, 2**32))
    with pytest.raises(InvalidData, match=r"at most 2,147,483,647 rows, columns, and entries, got the shape"):
        check_data(matrix, accept_sparse=True)


def test_room_behind_the_last_entry():
    """Law: entries that no row owns are left out."""
    matrix = sound("csr")
    matrix.data, matrix.indices = np.append(matrix.data, np.nan), np.append(matrix.indices, 10**6)
    np.testing.assert_array_equal(check_data(matrix, accept_sparse=True).toarray(), sound("csr").toarray())


@pytest.mark.parametrize("shape", [(3, 2 * 10**9), (2 * 10**9, 3)])
def test_shapes_that_do_not_fit(shape, monkeypatch):
    """Law: a matrix of next to no entries is refused before its rows and columns take all memory."""
    monkeypatch.setattr(memory, "available_memory", lambda: 4 * 2**30)
    tiny = sparse.coo_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=shape)
    with pytest.raises(
        NotEnoughMemory, match=r"X of this, a sparse matrix of .* needs .*are free\. Leave out"
    ):
        check_sparse(tiny, who="this")


def test_small_shapes_are_not_weighed(monkeypatch):
    """Law: asking the system for its memory costs more than checking a small matrix."""
    monkeypatch.setattr(checks, "require_memory", lambda *_: pytest.fail("asked"))
    check_sparse(sound("csr"), who="this")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_entries_that_are_not_finite(value):
    """Law: the column and the row are named, whatever the number of columns."""
    matrix = sparse.csr_array(([1.0, value, 2.0], ([0, 1, 2], [5, 10**6, 7])), shape=(3, 10**8))
    with pytest.raises(InvalidData, match=r"1 (missing|infinite) value in X\[:, 1000000\] \(row 1\)"):
        check_data(matrix, accept_sparse=True)


def test_sparse_frames_of_pandas():
    """Law: a frame of sparse columns is rows, and what is missing in it is named."""
    frame = pd.DataFrame.sparse.from_spmatrix(sound("csr"), columns=["a", "b", "c"])
    np.testing.assert_array_equal(check_data(frame, accept_sparse=True).toarray(), sound("csr").toarray())
    frame["b"] = pd.arrays.SparseArray([0.0, np.nan, 1.0, 0.0], fill_value=0.0)
    with pytest.raises(InvalidData, match='1 missing value in column "b"'):
        check_data(frame, accept_sparse=True)
