"""Sparse matrices: their indices are checked before SciPy's compiled code or ours follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np
from scipy import sparse

from coterie._printing import count_of
from coterie._support.typing import AnyArray, CheckedRows, SparseData
from coterie._support.validation.memory import require_memory
from coterie.errors import InvalidData

COMPRESSED = ("csr", "csc", "bsr")
BYTES_PER_ROW = 64  # where it starts, in two formats while converting, and what any method keeps of a row
BYTES_PER_COLUMN = 16  # where it starts, in two formats
FEW_LINES = 1 << 20  # rows and columns that fit in any memory


class Damaged(Exception):
    """A sparse matrix contradicts itself; the text ends the sentence "it is not a valid CSR matrix: ..."."""


def check_sparse(matrix: SparseData, *, who: str, name: str = "X", keep_order: bool = False) -> CheckedRows:
    """Return a sparse matrix whose indices lie inside it, each cell once, or say what is wrong with it.

    Parameters
    ----------
    matrix : sparse matrix or array
        Of any of SciPy's formats; CSR, CSC and BSR keep theirs, others become CSR. The matrix itself is never
        changed, and its arrays are copied only where cells occur twice or columns are out of order.
    who, name : str
        Names of the caller and of its parameter, for messages.
    keep_order : bool, default=False
        Whether the cells of a row stay in their order, which means something in graphs of neighbours.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> matrix = csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> matrix.indices[1] = 9
    >>> check_sparse(matrix, who="KMeans")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: X of KMeans is not a valid CSR matrix: entry 1 has column 9, but there are 2 \
columns, 0 to 1. Its arrays were damaged or put together wrongly: build it again.
    """
    try:
        return sound_sparse(matrix, what=f"{name} of {who}", keep_order=keep_order)
    except Damaged as damage:
        raise InvalidData(
            f"{name} of {who} is not a valid {matrix.format.upper()} matrix: {damage}. Its arrays were "
            f"damaged or put together wrongly: build it again."
        ) from None


def sound_sparse(matrix: SparseData, *, what: str, keep_order: bool = False) -> SparseData:
    """Do what `check_sparse` does, but raise `Damaged`, for callers with a sentence of their own."""
    if matrix.ndim != 2:
        raise Damaged(f"it has {count_of(matrix.ndim, 'dimension')}, but must have 2")
    if matrix.dtype.kind not in "biufc":
        raise Damaged(f"its values must be numbers, got {matrix.dtype}")
    if sum(matrix.shape) > FEW_LINES:
        require_memory(  # before any conversion: rows and columns cost memory even where they are empty
            BYTES_PER_ROW * matrix.shape[0] + BYTES_PER_COLUMN * matrix.shape[1],
            f"{what}, a sparse matrix of {matrix.shape[0]:,} rows and {matrix.shape[1]:,} columns,",
            "Leave out the rows and columns that are empty.",
        )
    if matrix.format in COMPRESSED:
        _check_compressed(matrix)
        return _each_cell_once(matrix, keep_order)
    check = _CHECKS.get(matrix.format)
    if check is None:
        raise Damaged(f"the format {matrix.format!r} is unknown here; use CSR")
    check(matrix)
    return _each_cell_once(matrix.tocsr(), keep_order)


def _check_compressed(matrix: SparseData) -> None:
    """Check the arrays of CSR, CSC or BSR."""
    if matrix.format == "bsr":
        lengths, lines = _blocks_of(matrix), ("block row", "block column")
    else:
        lengths, lines = matrix.shape, ("row", "column")
        if np.ndim(matrix.data) != 1:
            raise Damaged(f"data must be a vector, got the shape {np.shape(matrix.data)}")
    if matrix.format == "csc":
        lengths, lines = lengths[::-1], lines[::-1]
    _check_starts(matrix.indptr, lengths[0], lines[0])
    _check_whole_numbers(matrix.indices, "indices")
    n_stored = int(matrix.indptr[-1])
    for name, size in (("indices", len(matrix.indices)), ("data", len(matrix.data))):
        if size < n_stored:
            raise Damaged(f"indptr ends at {n_stored}, but {name} has {size} entries")
    _check_range(matrix.indices[:n_stored], lengths[1], lines[1])


def _blocks_of(matrix: SparseData) -> tuple[int, int]:
    """Return the numbers of rows and of columns of blocks."""
    if np.ndim(matrix.data) != 3:
        raise Damaged(f"data must be blocks of rows and columns, got the shape {np.shape(matrix.data)}")
    height, width = matrix.data.shape[1:]
    if height < 1 or width < 1 or matrix.shape[0] % height or matrix.shape[1] % width:
        raise Damaged(f"blocks of {height} x {width} do not tile its shape {matrix.shape}")
    return matrix.shape[0] // height, matrix.shape[1] // width


def _check_starts(starts: AnyArray, n_lines: int, line: str) -> None:
    _check_whole_numbers(starts, "indptr")
    if len(starts) != n_lines + 1:
        raise Damaged(f"indptr has {len(starts)} entries, but {n_lines} {line}s need one more, {n_lines + 1}")
    if starts[0] != 0:
        raise Damaged(f"indptr starts at {starts[0]}, but must start at 0")
    falls = starts[1:] < starts[:-1]
    if falls.any():
        at = int(np.argmax(falls))
        raise Damaged(f"indptr falls from {starts[at]} to {starts[at + 1]} at {line} {at}, but must not fall")


def _check_whole_numbers(numbers: AnyArray, name: str) -> None:
    if not isinstance(numbers, np.ndarray) or numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        kind = getattr(numbers, "dtype", type(numbers).__name__)
        raise Damaged(f"{name} must be a vector of whole numbers, got {kind} of shape {np.shape(numbers)}")


def _check_range(numbers: AnyArray, n_lines: int, line: str) -> None:
    if numbers.size == 0 or (numbers.min() >= 0 and numbers.max() < n_lines):
        return
    at = int(np.argmax((numbers < 0) | (numbers >= n_lines)))
    allowed = f"{n_lines:,} {line}s, 0 to {n_lines - 1:,}" if n_lines else f"no {line}s"
    raise Damaged(f"entry {at} has {line} {numbers[at]}, but there are {allowed}")


def _each_cell_once(matrix: SparseData, keep_order: bool) -> CheckedRows:
    """Return a compressed matrix without double cells, on the same arrays where it has none."""
    blocks = {"blocksize": matrix.data.shape[1:]} if matrix.format == "bsr" else {}
    n_stored = int(matrix.indptr[-1])
    parts = matrix.indices[:n_stored], matrix.indptr
    if max(*matrix.shape, n_stored) <= np.iinfo(np.int32).max:  # SciPy's own routines often return 64 bits
        parts = tuple(part.astype(np.int32, copy=False) for part in parts)
    # made again, without room behind the last entry, and without what SciPy noted of earlier contents
    kind = getattr(sparse, f"{matrix.format}_{'array' if isinstance(matrix, sparse.sparray) else 'matrix'}")
    fresh = kind((matrix.data[:n_stored], *parts), shape=matrix.shape, **blocks)
    if fresh.has_canonical_format:
        return fresh
    summed = fresh.copy()
    summed.sum_duplicates()
    return fresh if keep_order and len(summed.indices) == len(fresh.indices) else summed


def _check_coordinates(matrix: SparseData) -> None:
    for numbers, n_lines, line in zip(matrix.coords, matrix.shape, ("row", "column"), strict=True):
        _check_whole_numbers(numbers, f"{line}s")
        if numbers.shape != np.shape(matrix.data):
            raise Damaged(f"it has {len(numbers)} {line}s for data of the shape {np.shape(matrix.data)}")
        _check_range(numbers, n_lines, line)


def _check_diagonals(matrix: SparseData) -> None:
    _check_whole_numbers(matrix.offsets, "offsets")
    if np.ndim(matrix.data) != 2 or len(matrix.data) != len(matrix.offsets):
        raise Damaged(f"it has {len(matrix.offsets)} offsets for data of the shape {np.shape(matrix.data)}")
    n_rows, n_columns = matrix.shape
    is_outside = (matrix.offsets <= -n_rows) | (matrix.offsets >= n_columns)
    if is_outside.any():
        raise Damaged(
            f"offset {matrix.offsets[np.argmax(is_outside)]} names no diagonal of its shape {matrix.shape}"
        )
    if len(np.unique(matrix.offsets)) < len(matrix.offsets):
        raise Damaged("its offsets hold a diagonal more than once")


def _check_lists(matrix: SparseData) -> None:
    n_rows, n_columns = matrix.shape
    if len(matrix.rows) != n_rows or len(matrix.data) != n_rows:
        raise Damaged(f"it has {len(matrix.rows)} lists of columns and {len(matrix.data)} of values")
    for row, (columns, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
        if len(columns) != len(values):
            raise Damaged(f"row {row} has {len(columns)} columns, but {len(values)} values")
    _check_range(_whole_numbers(chain.from_iterable(matrix.rows), "column"), n_columns, "column")


def _check_keys(matrix: SparseData) -> None:
    for axis, line in enumerate(("row", "column")):
        places = _whole_numbers((key[axis] for key in matrix.keys()), line)  # noqa: SIM118  # no plain dict
        _check_range(places, matrix.shape[axis], line)


def _whole_numbers(numbers: Iterable[int], line: str) -> AnyArray:
    try:
        return np.fromiter(numbers, dtype=np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise Damaged(f"each {line} must be a whole number ({error})") from None


_CHECKS: dict[str, Callable[[SparseData], None]] = {
    "coo": _check_coordinates,
    "dia": _check_diagonals,
    "lil": _check_lists,
    "dok": _check_keys,
}
