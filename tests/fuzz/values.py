"""Random values of every kind that people and accidents hand over: rows, weights, labels, matrices."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from tests.fuzz.case import Draw

ROW_COUNTS = (1, 2, 3, 5, 8, 13, 21, 40, 40, 60, 90)
COLUMN_COUNTS = (1, 1, 2, 2, 3, 4, 7, 17, 33)
SPARSE_FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


@dataclass(frozen=True)
class Rows:
    """Data to hand over, and how to name them in a report."""

    value: Any
    shape: tuple[int, ...]
    words: str
    is_hostile: bool = False


def draw_rows(draw: Draw, *, n: int | None = None, d: int | None = None, hostile: float = 0.35) -> Rows:
    """Return rows of random content in a random container."""
    n = draw.choice(ROW_COUNTS) if n is None else n
    d = draw.choice(COLUMN_COUNTS) if d is None else d
    is_hostile = draw.chance(hostile)
    if is_hostile and draw.chance(0.1):
        n, d = draw.choice([(0, d), (n, 0), (0, 0), (1, d), (n, 1)])
    make = draw.choice(HOSTILE_CONTENTS if is_hostile else CONTENTS)
    matrix = make(draw, n, d)
    dress = draw.choice(HOSTILE_CONTAINERS if is_hostile and draw.chance(0.4) else CONTAINERS)
    with np.errstate(all="ignore"):
        value, container = dress(draw, matrix)
    return Rows(value, (n, d), f"{make.__name__[1:]} {n}x{d} as {container}", is_hostile)


# --- contents -----------------------------------------------------------------------------------------------


def _blobs(draw: Draw, n: int, d: int) -> Any:
    centers = 8 * draw.random.normal(size=(draw.whole(1, 4), d))
    return centers[draw.random.integers(len(centers), size=n)] + draw.random.normal(size=(n, d))


def _small_wholes(draw: Draw, n: int, d: int) -> Any:
    return draw.random.integers(0, draw.whole(1, 4), size=(n, d), endpoint=True).astype(float)


def _copies(draw: Draw, n: int, d: int) -> Any:
    few = draw.random.normal(size=(draw.whole(1, 3), d))
    return few[draw.random.integers(len(few), size=n)]


def _positive(draw: Draw, n: int, d: int) -> Any:
    return draw.random.exponential(size=(n, d))


def _constant_columns(draw: Draw, n: int, d: int) -> Any:
    rows = _blobs(draw, n, d)
    rows[:, draw.random.random(d) < 0.5] = draw.choice([0.0, 1.0, -3.5, 1e9])
    return rows


def _zeros(draw: Draw, n: int, d: int) -> Any:
    return np.zeros((n, d))


def _mostly_zero(draw: Draw, n: int, d: int) -> Any:
    return _blobs(draw, n, d) * (draw.random.random((n, d)) < 0.2)


def _far_away(draw: Draw, n: int, d: int) -> Any:
    return _blobs(draw, n, d) + draw.choice([1e6, 1e9, -1e12, 1e16])


def _line(draw: Draw, n: int, d: int) -> Any:
    return np.outer(np.arange(n), np.arange(1.0, d + 1))


def _huge(draw: Draw, n: int, d: int) -> Any:
    size = draw.choice([1e30, 1e150, 1e154, 1e200, 1.7e308])
    return size * draw.choice([draw.random.choice([-1.0, 1.0], (n, d)), draw.random.uniform(-1, 1, (n, d))])


def _tiny(draw: Draw, n: int, d: int) -> Any:
    return draw.choice([1e-30, 1e-150, 1e-200, 1e-310, 5e-324]) * _small_wholes(draw, n, d)


def _mixed_sizes(draw: Draw, n: int, d: int) -> Any:
    return draw.random.normal(size=(n, d)) * 10.0 ** draw.random.integers(-150, 150, size=d)


def _with_missing(draw: Draw, n: int, d: int) -> Any:
    rows = _blobs(draw, n, d)
    rows[draw.random.random((n, d)) < draw.choice([0.02, 0.3, 1.0])] = np.nan
    return rows


def _with_infinity(draw: Draw, n: int, d: int) -> Any:
    rows = _blobs(draw, n, d)
    rows[draw.random.random((n, d)) < 0.1] = draw.choice([np.inf, -np.inf])
    return rows


def _one_outlier(draw: Draw, n: int, d: int) -> Any:
    rows = _blobs(draw, n, d)
    if rows.size:
        rows[0, 0] = draw.choice([1e8, 1e100, 1e150, 1.7e308, -1e16])
    return rows


def _places(draw: Draw, n: int, d: int) -> Any:
    """Return latitudes, then longitudes: at poles, antipodes and the date line too; degrees now and then."""
    rows = draw.random.uniform(-1, 1, size=(n, d)) * np.where(np.arange(d) == 0, np.pi / 2, np.pi)
    rows[draw.random.random((n, d)) < 0.1] = draw.choice([0.0, np.pi / 2, -np.pi / 2, 1e-12])
    rows[:, 1:][draw.random.random((n, max(d - 1, 0))) < 0.1] = draw.choice([np.pi, -np.pi])
    return np.degrees(rows) if draw.chance(0.2) else rows


CONTENTS = (
    _places,
    _blobs,
    _blobs,
    _blobs,
    _small_wholes,
    _copies,
    _positive,
    _constant_columns,
    _zeros,
    _mostly_zero,
    _far_away,
    _line,
)
HOSTILE_CONTENTS = (
    _blobs,
    _huge,
    _huge,
    _tiny,
    _mixed_sizes,
    _with_missing,
    _with_infinity,
    _one_outlier,
    _small_wholes,
)


# --- containers ---------------------------------------------------------------------------------------------


def _plain(draw: Draw, matrix: Any) -> tuple[Any, str]:
    return matrix, "float64"


def _single(draw: Draw, matrix: Any) -> tuple[Any, str]:
    return matrix.astype(np.float32), "float32"


def _by_columns(draw: Draw, matrix: Any) -> tuple[Any, str]:
    return np.asfortranarray(matrix), "Fortran order"


def _strided(draw: Draw, matrix: Any) -> tuple[Any, str]:
    wide = np.zeros((2 * matrix.shape[0], 3 * matrix.shape[1]))
    view = wide[::2, ::3]
    view[...] = matrix
    return (view, "strided") if draw.chance(0.5) else (view[::-1, ::-1], "backwards")


def _read_only(draw: Draw, matrix: Any) -> tuple[Any, str]:
    matrix = matrix.copy()
    matrix.flags.writeable = False
    return matrix, "read-only"


def _numbers(draw: Draw, matrix: Any) -> tuple[Any, str]:
    kind = draw.choice(["int8", "int64", "uint8", "uint64", "bool", "float16", "longdouble", ">f8", ">i4"])
    return np.nan_to_num(matrix, posinf=9, neginf=-9).clip(-1e4, 1e4).astype(kind), kind


def _objects(draw: Draw, matrix: Any) -> tuple[Any, str]:
    return matrix.astype(object), "objects"


def _lists(draw: Draw, matrix: Any) -> tuple[Any, str]:
    return matrix.tolist(), "lists"


def _pandas(draw: Draw, matrix: Any) -> tuple[Any, str]:
    import pandas

    frame = pandas.DataFrame(matrix, columns=[f"c{i}" for i in range(matrix.shape[1])])
    return frame, "a pandas frame"


def _polars(draw: Draw, matrix: Any) -> tuple[Any, str]:
    import polars

    return polars.DataFrame({f"c{i}": matrix[:, i] for i in range(matrix.shape[1])}), "a polars frame"


def _sparse(draw: Draw, matrix: Any) -> tuple[Any, str]:
    name = draw.choice(SPARSE_FORMATS)
    kind = draw.choice([sparse.csr_array, sparse.csr_matrix])
    made = kind(matrix.astype(draw.choice([np.float32, np.float64, np.float64])))
    if draw.chance(0.2) and name in ("csr", "csc"):
        made = made.asformat(name)
        made.indices, made.indptr = made.indices.astype(np.int64), made.indptr.astype(np.int64)
        return made, f"{name} with 64-bit indices"
    return made.asformat(name), name


def _duplicate_entries(draw: Draw, matrix: Any) -> tuple[Any, str]:
    rows, columns = np.nonzero(matrix)
    twice = (np.tile(rows, 2), np.tile(columns, 2))
    return sparse.coo_array((np.tile(matrix[rows, columns], 2), twice), shape=matrix.shape), "coo, twice"


def _corrupt_sparse(draw: Draw, matrix: Any) -> tuple[Any, str]:
    name = draw.choice(["csr", "csr", "csc", "bsr", "coo"])
    made = sparse.csr_array(np.where(np.isfinite(matrix), matrix, 1.0)).asformat(name)
    return corrupted(draw, made), f"corrupt {name}"


def corrupted(draw: Draw, made: Any) -> Any:
    """Return a sparse matrix one of whose parts says what cannot be."""
    wrong = draw.choice([-1, -(10**6), made.shape[1], made.shape[1] + 1, 10**6, 10**8, 2**31 - 1])
    if made.format == "coo":
        parts = [made.row.copy(), made.col.copy()]
        part = draw.choice(parts)
        if part.size:
            part[draw.whole(0, part.size - 1)] = wrong
        made.coords = tuple(parts)
        return made
    how = draw.choice(["index", "index", "pointer", "last pointer", "short", "unsorted"])
    if how == "index" and made.indices.size:
        made.indices[draw.whole(0, made.indices.size - 1)] = wrong
    elif how == "pointer":
        made.indptr[draw.whole(0, made.indptr.size - 1)] = wrong
    elif how == "last pointer":
        made.indptr[-1] = draw.choice([0, made.indices.size + 5, 10**8])
    elif how == "short" and made.indices.size:
        made.data = made.data[:-1]
    elif made.indices.size > 1:
        made.indices[:] = made.indices[::-1].copy()
        made.has_sorted_indices = True
    return made


def _odd(draw: Draw, matrix: Any) -> tuple[Any, str]:
    odd = {
        "None": None,
        "text": "data.csv",
        "a number": 3.0,
        "one dimension": matrix.reshape(-1),
        "three dimensions": matrix[:, :, None],
        "cells of text": matrix.astype(str),
        "ragged lists": [*matrix.tolist(), [1.0], [1.0] * (matrix.shape[1] + 2)],
        "complex": matrix.astype(complex),
        "dates": np.zeros(matrix.shape, "datetime64[s]"),
        "masked": np.ma.masked_less(matrix, 0),
        "a dict": {"a": [1, 2]},
        "an empty list": [],
        "empty lists": [[], []],
        "None cells": [[None] * max(1, matrix.shape[1])] * max(1, matrix.shape[0]),
        "a generator": (row for row in matrix),
        "whole numbers beyond floats": [[10**400] * max(1, matrix.shape[1])] * 3,
        "records": np.zeros(4, dtype=[("a", float), ("b", float)]),
        "a set": {1.0, 2.0},
        "an object": object(),
    }
    name = draw.choice(odd)
    return odd[name], name


CONTAINERS = (
    _plain,
    _plain,
    _plain,
    _single,
    _single,
    _by_columns,
    _strided,
    _read_only,
    _numbers,
    _objects,
    _lists,
    _pandas,
    _polars,
    _sparse,
    _sparse,
)
HOSTILE_CONTAINERS = (_corrupt_sparse, _corrupt_sparse, _duplicate_entries, _odd, _odd)


# --- matrices, weights, labels ------------------------------------------------------------------------------


def draw_square(draw: Draw, n: int | None = None) -> Rows:
    """Return a matrix of distances or similarities, mostly a proper one."""
    n = draw.choice(ROW_COUNTS) if n is None else n
    rows = _blobs(draw, n, 2)
    square = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    words = "distances"
    if draw.chance(0.3):
        square, words = np.exp(-square), "similarities"
    if draw.chance(0.3) and n:
        wrong = draw.choice([np.nan, np.inf, -1.0, 1e308, 0.0, 5e-324])
        square[draw.whole(0, n - 1), draw.whole(0, n - 1)] = wrong
        words += f" with {wrong}"
        if draw.chance(0.5):
            square = np.maximum(square, square.T)
    if draw.chance(0.1):
        square, words = square * draw.choice([1e200, 1.7e308, 1e-200, 0.0]), f"scaled {words}"
    container = draw.choice([_plain, _plain, _single, _by_columns, _sparse, _lists, _read_only, _pandas])
    if draw.chance(0.08):
        container = _corrupt_sparse
    if draw.chance(0.1):
        square, words = square[:, :-1], f"not square {words}"
    with np.errstate(all="ignore"):
        value, name = container(draw, square)
    return Rows(value, (n, n), f"{words} {n}x{n} as {name}", True)


def draw_weights(draw: Draw, n: int, hostile: float = 0.4) -> tuple[Any, str]:
    """Return weights of rows, often None."""
    is_hostile = draw.chance(hostile)
    if not is_hostile and draw.chance(0.6):
        return None, "no weights"
    random = draw.random
    weights = {
        "ones": np.ones(n),
        "random weights": random.random(n),
        "whole weights": random.integers(0, 4, n),
        "some zero weights": random.random(n) * (random.random(n) < 0.5),
        "one weight": np.eye(1, max(n, 1))[0][:n],
        "zero weights": np.zeros(n),
        "huge weights": np.full(n, draw.choice([1e150, 1e300, 1.7e308])),
        "tiny weights": np.full(n, draw.choice([1e-150, 1e-300, 5e-324])),
        "weights of all sizes": 10.0 ** random.integers(-300, 300, n),
        "a negative weight": np.where(np.arange(n) == 0, -1.0, 1.0),
        "missing weights": np.where(np.arange(n) == n // 2, np.nan, 1.0),
        "infinite weights": np.where(np.arange(n) == n // 2, np.inf, 1.0),
        "too few weights": np.ones(max(0, n - 1)),
        "weights of two columns": np.ones((n, 2)),
        "weights as text": ["1"] * n,
        "weights as objects": np.ones(n, dtype=object),
        "float32 weights": random.random(n).astype(np.float32),
        "booleans": random.random(n) < 0.7,
        "one number": 2.5,
        "weights as a list": [1.5] * n,
    }
    usual = ["ones", "random weights", "whole weights", "some zero weights", "float32 weights"]
    name = draw.choice(weights if is_hostile else usual)
    return weights[name], name


def draw_labels(draw: Draw, n: int) -> tuple[Any, str]:
    """Return a labeling of n rows, mostly a proper one."""
    k = draw.choice([1, 2, 3, 5, max(1, n)])
    plain = draw.random.integers(0, k, n)
    labels = {
        "labels": plain,
        "labels with noise": np.where(draw.random.random(n) < 0.3, -1, plain),
        "all noise": np.full(n, -1),
        "all alone": np.arange(n),
        "text labels": np.array([f"g{label}" for label in plain], dtype=object),
        "labels in a list": plain.tolist(),
        "float labels": plain.astype(float),
        "missing labels": np.where(plain == 0, np.nan, plain),
        "huge labels": plain * (2**62),
        "labels of 8 bits": plain.astype(np.int8),
        "unsigned labels": plain.astype(np.uint64) + np.uint64(2**63),
        "boolean labels": plain > 0,
        "too few labels": plain[:-1],
        "labels of two columns": np.stack([plain, plain], axis=1),
        "no labels": [],
        "None": None,
        "mixed labels": [None if label == 0 else str(label) for label in plain],
        "whole numbers beyond 64 bits": [2**70 + int(label) for label in plain],
        "dates": np.datetime64("2020-01-01") + plain,
        "infinite labels": np.where(plain == 0, np.inf, plain),
        "labels out of nowhere": 7,
        "fractions": plain / 2.0,
    }
    usual = ["labels", "labels", "labels with noise", "text labels", "labels in a list", "all alone"]
    name = draw.choice(usual if draw.chance(0.7) else labels)
    return labels[name], f"{name} (k={k})"


def draw_wild(draw: Draw) -> Any:
    """Return a value that few parameters can take."""
    return draw.choice(
        [
            None,
            True,
            -1,
            0,
            0.0,
            -0.0,
            1.5,
            float("nan"),
            float("inf"),
            -float("inf"),
            1e-320,
            1e308,
            10**30,
            2**31,
            2**63 - 1,
            2**63,
            -(2**63) - 1,
            "",
            "auto",
            "precomputed",
            "é\x1b[31m\u202e",
            "x" * 5000,
            b"bytes",
            [],
            [[]],
            {},
            {"p": 3},
            (1, 2),
            object(),
            len,
            np.float32(2.5),
            np.int8(3),
            np.bool_(True),
            np.array(3),
            np.array([1.0, 2.0]),
            np.array([[np.nan]]),
            np.array("text"),
            Fraction(1, 2),
            1 + 2j,
            np.datetime64("2020-01-01"),
            np.nan,
            range(3),
        ]
    )
