"""Square matrices of distances or similarities: checked, made symmetric, turned into each other."""

from __future__ import annotations

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Distances,
    Mask,
    MatrixLike,
)
from coterie._support.validation import check_data
from coterie._support.validation.data import TOLERANCE
from coterie.errors import InvalidData

NEARLY_SYMMETRIC = 1e-5  # as TOLERANCE, where mirrored cells are averaged; scikit-learn takes as much


def mirrored(D: MatrixLike) -> MatrixLike:
    """Return the transpose of a square matrix in Fortran order, which is in C order; others as they are.

    Examples
    --------
    >>> mirrored(np.asfortranarray([[0.0, 1.0], [2.0, 0.0]])).flags.c_contiguous
    True
    """
    if not isinstance(D, np.ndarray) or D.ndim != 2 or D.shape[0] != D.shape[1] or D.dtype not in TOLERANCE:
        return D
    is_by_columns = D.flags.f_contiguous and not D.flags.c_contiguous
    return D.T if is_by_columns else D


def check_distance_matrix(
    D: MatrixLike, *, who: str = "this function", name: str = "X", n_jobs: int | None = None
) -> Distances:
    """Return a distance matrix as C-ordered floats, or say which cell is wrong.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Square, symmetric up to rounding, zero on the diagonal, nowhere negative, NaN or infinite.
    who, name : str
        The caller and its parameter, for messages.
    n_jobs : int, default=None
        Threads, as in `pairwise_distances`.

    Examples
    --------
    >>> check_distance_matrix([[0, 1], [1, 0]])
    array([[0., 1.],
           [1., 0.]])
    >>> check_distance_matrix([[0, 1], [2, 0]])
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: X of this function must be a symmetric matrix of distances,
    got X[0, 1] = 1 and X[1, 0] = 2.
    """
    turned = mirrored(D)
    if turned is not D and is_exact(np.asarray(turned), n_jobs):
        return np.asarray(turned)
    checked = _square(D, "distances", who, name, may_be_missing=True)  # the facts tell, in the same pass
    facts = _core.matrix_facts(checked, resolve_threads(n_jobs))
    what = f"{name} of {who} must be"
    limit = TOLERANCE[checked.dtype] * facts.largest
    if not facts.is_nonnegative:
        _square(D, "distances", who, name)  # says where a number is missing or infinite
        refuse_negative(checked, who=who, name=name)
        _refuse_overflow(checked, what, name)
    if facts.largest_diagonal > limit:
        cell = _first_cell(np.diag(np.abs(np.diagonal(checked)) > limit))
        raise InvalidData(
            f"{what} a matrix of distances with zeros on the diagonal, got {_shown(checked, cell, name)}. If "
            f"these are similarities, say metric='similarity'."
        )
    _refuse_asymmetry(checked, facts, limit, f"{what} a symmetric matrix of distances", name)
    return checked


def refuse_negative(D: Distances, *, who: str = "this function", name: str = "X") -> None:
    """Refuse numbers that cannot be distances, naming the first.

    Examples
    --------
    >>> refuse_negative(np.array([[0.0, 1.0]]))
    >>> refuse_negative(np.array([[0.0, -1.0]]))
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: X of this function must be a matrix of distances, which are at least 0,
    got X[0, 1] = -1. If these are similarities, say metric='similarity'.
    """
    if D.size and D.min() < 0:
        raise InvalidData(
            f"{name} of {who} must be a matrix of distances, which are at least 0, got "
            f"{_shown(D, _first_cell(D < 0), name)}. If these are similarities, say metric='similarity'."
        )


def check_similarity_matrix(
    S: MatrixLike, *, who: str = "this function", name: str = "X", n_jobs: int | None = None
) -> Distances:
    """Return a similarity matrix as C-ordered floats, or say which cell is wrong.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Square, symmetric up to rounding, finite; the larger, the more alike.
    who, name : str
        The caller and its parameter, for messages.
    n_jobs : int, default=None
        Threads, as in `pairwise_distances`.

    Examples
    --------
    >>> check_similarity_matrix([[1, 0.5], [0.5, 1]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    checked = _square(S, "similarities", who, name)
    low, high = float(checked.min()), float(checked.max())
    what = f"{name} of {who} must be a symmetric matrix of similarities"
    most = float(np.finfo(checked.dtype).max) / 2
    if high / 2 - low / 2 > most / 2:  # as distances, two of them would add up to infinity
        raise InvalidData(
            f"{what} that are at most {most:.1g} apart, got {low:.3g} to {high:.3g}. Divide {name} by a "
            f"constant first."
        )
    facts = _core.matrix_facts(checked, resolve_threads(n_jobs))
    limit = TOLERANCE[checked.dtype] * max(abs(low), abs(high))
    _refuse_asymmetry(checked, facts, limit, what, name)
    return checked


def distances_from_similarities(S: MatrixLike) -> Distances:
    """Return how far each similarity is from the largest one, zero on the diagonal.

    The order of the pairs is reversed and nothing else: most similar becomes nearest.

    Parameters
    ----------
    S : array-like of shape (n, n)
        As `check_similarity_matrix` takes it.

    Examples
    --------
    >>> distances_from_similarities(np.array([[9.0, 7.0], [7.0, 8.0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    return reverse_similarities(check_similarity_matrix(S, who="distances_from_similarities", name="S"))


def reverse_similarities(S: Distances) -> Distances:
    """Return the distances of similarities that have been checked.

    Examples
    --------
    >>> reverse_similarities(np.array([[9.0, 7.0], [7.0, 8.0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    D = np.asarray(S.max() - S)
    np.fill_diagonal(D, 0.0)
    return D


def symmetric(S: MatrixLike, how: str | None) -> MatrixLike:
    """Return one number for each pair of mirrored scores; no numbers are left for the check to refuse."""
    if how is None:
        return S
    try:
        scores = np.asarray(S, dtype=None if getattr(S, "dtype", None) == np.float32 else np.float64)
    except (TypeError, ValueError, OverflowError):
        return S
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1]:
        return scores
    if how == "mean":
        return (scores + scores.T) / 2
    return np.minimum(scores, scores.T) if how == "min" else np.maximum(scores, scores.T)


def nearly_symmetric(S: Distances) -> Distances:
    """Return a matrix that is symmetric but for rounding in float32 as a symmetric one."""
    gap = np.abs(S - S.T).max(initial=0.0)
    is_rounding = 0 < gap <= NEARLY_SYMMETRIC * np.abs(S).max()
    return (S + S.T) / 2 if is_rounding else S


def is_exact(D: Distances, n_jobs: int | None = None) -> bool:
    facts = _core.matrix_facts(D, resolve_threads(n_jobs))
    return bool(facts.is_nonnegative and facts.largest_asymmetry == 0 and facts.largest_diagonal == 0)


def _square(M: MatrixLike, what: str, who: str, name: str, *, may_be_missing: bool = False) -> Distances:
    checked: Distances = check_data(
        M, who=who, name=name, squares=False, may_be_distances=True, may_be_missing=may_be_missing
    )
    if checked.shape[0] != checked.shape[1]:
        raise InvalidData(
            f"{name} of {who} must be a square matrix of {what}, got the shape {checked.shape}. If these are "
            f"rows of features, name a distance: metric='euclidean'."
        )
    return checked


def _refuse_asymmetry(M: Distances, facts: _core.MatrixFacts, limit: float, what: str, name: str) -> None:
    if facts.largest_asymmetry <= limit:
        return
    for row in range(len(M)):
        is_apart = np.abs(M[row] - M[:, row]) > limit
        if is_apart.any():
            column = int(np.argmax(is_apart))
            pair = (_shown(M, cell, name) for cell in ((row, column), (column, row)))
            raise InvalidData(f"{what}, got {' and '.join(pair)}.")


def _refuse_overflow(D: Distances, what: str, name: str) -> None:
    """Refuse distances of which two add up to infinity."""
    most = float(np.finfo(D.dtype).max) / 2
    raise InvalidData(
        f"{what} a matrix of distances of at most {most:.1g}, got {_shown(D, _first_cell(most < D), name)}. "
        f"Divide {name} by a constant first."
    )


def _first_cell(is_wrong: Mask) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.argmax(is_wrong)), is_wrong.shape)
    return int(row), int(column)


def _shown(M: Distances, cell: tuple[int, int], name: str) -> str:
    return f"{name}[{cell[0]}, {cell[1]}] = {M[cell]:g}"
