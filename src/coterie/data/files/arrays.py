"""Files of arrays: .npy, .npz with dense arrays or one sparse matrix, zarr. Never a pickle."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.optional import require
from coterie._support.typing import AnyArray, CheckedRows, SparseData
from coterie._support.validation import Damaged, require_memory, sound_sparse
from coterie.data.files.source import Source, check_size, zip_names
from coterie.errors import CoterieError, InvalidFile

BYTES_PER_NAME = 200  # of a column: a text, and its places in a tuple, a set and a dict
INDEX_ARRAYS = ("indices", "indptr", "row", "col", "offsets", "coords")
PREFERRED = ("X", "x", "data", "arr_0")  # the array to take from an .npz that holds several


def read_npy(source: Source) -> Any:
    """Return the two-dimensional array of an .npy file."""
    try:
        array = np.load(source.stream(), allow_pickle=False)
    except ValueError as error:
        if "Object arrays" in str(error):
            raise source.fail(
                "holds Python objects, which are never loaded because they could run code. "
                "Save it as numbers: numpy.save(path, array.astype(float))."
            ) from None
        raise source.fail(f"not a whole .npy file, cut off or damaged ({error}).") from None
    except MemoryError:  # a shape far beyond what the file holds, or the machine
        raise source.fail("not a whole .npy file: it promises more numbers than fit in memory.") from None
    except Exception as error:  # a header may be wrong in many ways
        reason = f" ({error})" if str(error) else ""
        raise source.fail(f"not a whole .npy file, cut off or damaged{reason}.") from None
    return as_matrix(source, array)


def read_zarr(path: str) -> AnyArray:
    """Return the two-dimensional array of a folder in zarr's format, as a whole."""
    zarr = require("zarr", extra="zarr", purpose="Reading zarr arrays")
    try:
        array = zarr.open_array(path, mode="r")
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise InvalidFile(
                f"{path}: must be a zarr array of numbers in 2 dimensions, got {array.dtype} in {array.ndim}."
            )
        check_size(path, array.size * array.dtype.itemsize)
        return np.asarray(array[:])
    except CoterieError:
        raise
    except Exception as error:  # a damaged store fails in many ways
        raise InvalidFile(f"{path}: not a whole zarr array, cut off or damaged ({error}).") from None


def read_npz(source: Source) -> CheckedRows:
    """Return the matrix of an .npz file: sparse (CSR) or the one dense array."""
    members = [name.removesuffix(".npy") for name in zip_names(source)]
    if "format" in members and "shape" in members:
        return _read_sparse(source)
    name = _choose(source, members)
    try:
        with np.load(source.stream(), allow_pickle=False) as arrays:
            array = arrays[name]
    except ValueError as error:
        kind = "holds Python objects" if "Object arrays" in str(error) else f"is damaged ({error})"
        raise source.fail(f'array "{name}" {kind}: it is not loaded.') from None
    except Exception as error:  # zipfile and zlib have many ways to say that a member is damaged
        raise source.fail(f'array "{name}" is cut off or damaged ({error}).') from None
    if not isinstance(array, np.ndarray):  # NumPy returns the bytes of what is not an array
        raise source.fail(f'"{name}" is not an array.')
    return as_matrix(source, array)


def as_matrix(source: Source, array: AnyArray) -> CheckedRows:
    """Return the array as rows and columns of numbers, or say what it is instead."""
    if array.dtype.names is not None:
        raise source.fail(
            f"holds records with fields {', '.join(array.dtype.names)}: save plain columns instead."
        )
    if array.dtype.kind not in "biuf":
        kind = {"c": "complex numbers", "U": "text", "S": "text", "M": "dates", "m": "durations"}
        raise source.fail(f"holds {kind.get(array.dtype.kind, array.dtype)}, not real numbers.")
    if array.ndim != 2:
        raise source.fail(
            f"has shape {array.shape}; rows and columns are needed. Reshape it first, e.g. "
            f"array.reshape({'-1, 1' if array.ndim < 2 else 'len(array), -1'})."
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise source.fail(f"has no {'rows' if array.shape[0] == 0 else 'columns'} (shape {array.shape}).")
    return array


def numbered_columns(n_columns: int, source: str) -> tuple[str, ...]:
    """Return names for columns that have none, if so many fit in memory: sparse ones cost nothing themselves.

    Examples
    --------
    >>> numbered_columns(2, "the data")
    ('column_1', 'column_2')
    """
    require_memory(
        BYTES_PER_NAME * n_columns,
        f"{source}, a table of {n_columns:,} columns,",
        "Leave out the columns that are empty.",
    )
    return tuple(f"column_{column + 1}" for column in range(n_columns))


def _choose(source: Source, members: list[str]) -> str:
    if len(members) == 1:
        return members[0]
    for name in PREFERRED:
        if name in members:
            return name
    raise source.fail(
        f"holds several arrays ({', '.join(members)}): name the one to use X, or save it alone."
    )


def _read_sparse(source: Source) -> SparseData:
    try:
        with np.load(source.stream(), allow_pickle=False) as arrays:
            names = [name for name in INDEX_ARRAYS if name in arrays.files]
            kinds = {name: arrays[name].dtype for name in names}
            shape = arrays["shape"]
            if arrays["format"].ndim or shape.shape != (2,) or shape.dtype.kind not in "iu":
                raise ValueError("format must be one word and shape two whole numbers")
        matrix = sparse.load_npz(source.stream())
    except Exception as error:  # SciPy lets through whatever NumPy or zipfile raise
        raise source.fail(f"not a whole sparse matrix ({error}).") from None
    for name, dtype in kinds.items():  # SciPy would cut fractions off
        if dtype.kind not in "iu":
            raise source.fail(f"not a valid sparse matrix: {name} must hold whole numbers, got {dtype}.")
    try:
        rows = sound_sparse(matrix, what=f"{source.name}").tocsr()
    except Damaged as damage:
        raise source.fail(f"not a valid sparse matrix: {damage}. Save it again.") from None
    return as_matrix(source, rows)
