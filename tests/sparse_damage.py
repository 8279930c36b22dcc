"""Sparse matrices that contradict themselves, in every format of SciPy and every way we know of."""

import numpy as np
from scipy import sparse

FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")
X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 6.0]])
FAR = 10**8


def sound(form, kind="array", values=X):
    """Return the values in a format; blocks of one cell."""
    make = getattr(sparse, f"{form}_{kind}")
    return make(values, blocksize=(1, 1)) if form == "bsr" else make(values)


def damaged(case, values=X):
    """Return a matrix with damage."""
    form, spoil, _ = DAMAGE[case]
    matrix = sound(form, values=values)
    spoil(matrix)
    return matrix


def _write(name, at, value):
    def spoil(matrix):
        getattr(matrix, name)[at] = value

    return spoil


def _replace(name, change):
    def spoil(matrix):
        setattr(matrix, name, change(getattr(matrix, name)))

    return spoil


def _coordinate(axis, value):
    return lambda matrix: matrix.coords[axis].__setitem__(1, value)


DAMAGE = {
    **{
        f"{form}: {word}": (form, _write("indices", 1, value), rf"entry 1 has (block )?(row|column) {value}")
        for form in ("csr", "csc", "bsr")
        for word, value in (("far index", FAR), ("negative index", -FAR), ("one too far", 9), ("-1", -1))
    },
    **{
        f"{form}: {word}": (form, spoil, words)
        for form in ("csr", "csc", "bsr")
        for word, spoil, words in (
            ("indptr falls", _write("indptr", 1, FAR), "indptr falls from"),
            ("indptr below 0", _write("indptr", 1, -FAR), "indptr falls from"),
            ("indptr starts late", _write("indptr", 0, 1), "indptr starts at 1"),
            ("indptr ends late", _write("indptr", -1, FAR), f"indptr ends at {FAR}, but indices"),
            ("indptr short", _replace("indptr", lambda old: old[:-1]), "indptr has . entries"),
            ("indices short", _replace("indices", lambda old: old[:-1]), "but indices has 5 entries"),
            ("data short", _replace("data", lambda old: old[:-1]), "but data has 5 entries"),
            (
                "fractions",
                _replace("indices", lambda old: old + 0.5),
                "indices must be a vector of whole numbers",
            ),
            ("indices in rows", _replace("indices", lambda old: old[None]), "indices must be a vector"),
        )
    },
    "csr: data in rows": ("csr", _replace("data", lambda old: old[None]), "data must be a vector"),
    "bsr: blocks that do not tile": (
        "bsr",
        _replace("data", lambda old: np.repeat(old, 3, axis=1)),
        "blocks of 3 x 1 do not tile",
    ),
    "bsr: flat data": ("bsr", _replace("data", np.ravel), "data must be blocks"),
    "coo: far row": ("coo", _coordinate(0, FAR), f"entry 1 has row {FAR}, but there are 4 rows, 0 to 3"),
    "coo: negative column": ("coo", _coordinate(1, -2), "entry 1 has column -2"),
    "coo: data short": (
        "coo",
        _replace("data", lambda old: old[:-1]),
        r"6 rows for data of the shape \(5,\)",
    ),
    "dia: far offset": ("dia", _write("offsets", 0, FAR), f"offset {FAR} names no diagonal"),
    "dia: double offset": (
        "dia",
        lambda matrix: matrix.offsets.__setitem__(0, matrix.offsets[1]),
        "a diagonal more than once",
    ),
    "dia: data short": ("dia", _replace("data", lambda old: old[:-1]), "offsets for data of the shape"),
    "lil: far column": ("lil", lambda matrix: matrix.rows[0].__setitem__(0, FAR), f"column {FAR}"),
    "lil: negative column": ("lil", lambda matrix: matrix.rows[0].__setitem__(0, -FAR), f"column -{FAR}"),
    "lil: columns without values": (
        "lil",
        lambda matrix: matrix.rows[0].append(1),
        "row 0 has 3 columns, but 2 values",
    ),
    "lil: no whole number": ("lil", lambda matrix: matrix.rows[0].__setitem__(0, "a"), "whole number"),
    "dok: far row": ("dok", lambda matrix: matrix._dict.__setitem__((FAR, 0), 1.0), f"row {FAR}"),
    "dok: negative column": ("dok", lambda matrix: matrix._dict.__setitem__((0, -1), 1.0), "column -1"),
}
