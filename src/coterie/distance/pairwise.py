"""Distance matrices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    CheckedRows,
    Data,
    Distances,
    FloatArray,
    MatrixLike,
    MetricLike,
    ValuesByName,
)
from coterie._support.validation import require_memory
from coterie.distance.catalogue import Distance, RowFunction, find_distance
from coterie.distance.input import input_kind, resolve_cells, resolve_matrix, resolve_rows
from coterie.distance.rows import RowSets, prepare_rows
from coterie.distance.scikit_learn import (
    is_scikit_learns,
    pairwise_by_scikit_learn,
    translate_parameters,
)
from coterie.errors import InvalidData, InvalidParameter

_WHO = "pairwise_distances"
PAIRS_TURNED = 10  # of a function of two rows: looked at in both orders
SAME = 1e-5  # share by which two answers may differ: functions round


def pairwise_distances(
    X: MatrixLike,
    Y: MatrixLike | None = None,
    metric: str | RowFunction | Distance = "euclidean",
    *,
    condensed: bool = False,
    n_jobs: int | None = None,
    **params: object,
) -> Distances:
    """Return the distances between all rows of X and all rows of Y, or among the rows of X.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Rows; float32 gives float32 distances, everything else float64. Sparse rows of any format are taken by
        "euclidean", "sqeuclidean", "manhattan", "cosine" and functions, which get dense copies. A function
        also takes text, shape (n,) or (n, d), and gets booleans as booleans.
    Y : array-like or sparse matrix of shape (m, d), default=None
        Other rows. None, or the same object as X: X itself; the matrix is then exactly symmetric with zeros
        on the diagonal, and each pair is computed once.
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`; or a function of two rows (slow: Python runs once per pair;
        without Y it is taken to be symmetric and zero for equal rows); or a distance. "nan_euclidean": over
        the cells that neither row misses, scaled up to all columns. Other names of scikit-learn, such as
        "yule" and "rogerstanimoto": computed by scikit-learn. "precomputed": X is a
        distance matrix, which is checked and returned. "similarity": X is a similarity matrix; the distance
        of a pair is how far it is from the largest similarity.
    condensed : bool, default=False
        Return the n (n - 1) / 2 distances above the diagonal row by row, as `scipy.spatial.distance.pdist`
        does. Only without Y.
    n_jobs : int, default=None
        Threads; None is what OpenMP would use, -1 all processors. The answer does not depend on it.
    **params
        Parameters of the distance, such as ``p=3``. "mahalanobis" and "seuclidean" learn VI and V from X if
        there is no Y, and need them otherwise. "euclidean" also takes scikit-learn's `squared`,
        `X_norm_squared` and `Y_norm_squared`; the norms are not used.

    Returns
    -------
    ndarray of shape (n, m), or (n (n - 1) / 2,) if condensed

    Examples
    --------
    >>> pairwise_distances([[0, 0], [3, 4]])
    array([[0., 5.],
           [5., 0.]])
    >>> pairwise_distances([[0, 0], [3, 4], [3, 0]], metric="manhattan", condensed=True)
    array([7., 3., 4.])
    """
    threads = resolve_threads(n_jobs)
    if condensed and Y is not None:
        raise InvalidParameter(
            "condensed=True of pairwise_distances is for the rows of X among themselves: leave Y out."
        )
    if input_kind(metric) != "data":
        D = matrix_as_distances(X, Y, metric, params, who=_WHO, threads=threads)
        return _condensed(D) if condensed else D
    if is_scikit_learns(metric):
        D = pairwise_by_scikit_learn(X, Y, str(metric), params, who=_WHO)
        return _condensed(D) if condensed else D
    metric, params = translate_parameters(metric, params)
    distance = find_distance(metric, **params)
    if Y is X and distance.function is None:
        Y = None
    rows = (
        _cells(X, Y, distance)
        if distance.function is not None
        else prepare_rows(X, Y, distance, {}, who=_WHO, takes_sparse=True)
    )
    _refuse_ambiguous(distance, Y)
    return distance_matrix(rows, condensed=condensed, threads=threads)


def _refuse_ambiguous(distance: Distance, Y: MatrixLike | None) -> None:
    """Refuse to guess whether variances are those of X, of Y or of both."""
    if Y is None or not distance.unlearned:
        return
    name = distance.unlearned[0]
    raise InvalidParameter(
        f"The '{name}' parameter is required for the {distance.name} metric when {_WHO} gets Y: it could be "
        f"learned from X, from Y or from both. Pass {name}, or choose the rows: "
        f'metric=find_distance("{distance.name}").fit(X).'
    )


def _cells(X: MatrixLike, Y: MatrixLike | None, distance: Distance) -> RowSets:
    """Return rows for a function: text and booleans as they are, everything else as numbers."""
    cells = resolve_cells(X)
    others: CheckedRows = resolve_cells(Y)
    if cells is None and others is None:
        return prepare_rows(X, Y, distance, {}, who=_WHO, takes_sparse=True)
    cells = resolve_rows(X, distance, who=_WHO, takes_sparse=True) if cells is None else cells
    if Y is not None and others is None:
        others = resolve_rows(Y, distance, who=_WHO, name="Y", takes_sparse=True)
    if others is not None and cells.shape[1:] != others.shape[1:]:
        raise InvalidData(
            f"X and Y of {_WHO} must have as many columns as each other, got the shapes {cells.shape} and "
            f"{others.shape}."
        )
    return RowSets(cells, others, distance)


def distance_matrix(rows: RowSets, *, condensed: bool = False, threads: int = 0) -> Distances:
    """Return the matrix of prepared rows, if it fits in memory."""
    n, m = len(rows.X), len(rows.others)
    cells = n * (n - 1) // 2 if condensed else n * m
    require_memory(
        cells * rows.X.itemsize,
        f"the distance matrix of {n:,} x {m:,} rows",
        "Use k_nearest or neighbours_within, which keep no matrix, fewer rows, or float32.",
    )
    if rows.distance.function is not None:
        D = _by_function(rows.X, rows.Y, rows.distance)
        return _condensed(D) if condensed else D
    metric = rows.distance.metric
    if condensed:
        return np.asarray(_core.pairwise_condensed(rows.X, metric, threads))
    if rows.Y is None:
        return np.asarray(_core.pairwise_self(rows.X, metric, threads))
    return np.asarray(_core.pairwise(rows.X, rows.Y, metric, threads))


def matrix_as_distances(
    X: MatrixLike, Y: MatrixLike | None, metric: MetricLike, params: ValuesByName, *, who: str, threads: int
) -> Distances:
    """Return the distances that a given matrix of distances or similarities holds."""
    if Y is not None or params:
        extra = "Y" if Y is not None else ", ".join(params)
        raise InvalidParameter(f'metric="{metric}" of {who} takes a matrix X and nothing else, got {extra}.')
    return resolve_matrix(X, input_kind(metric), who=who, n_jobs=threads).distances


def _condensed(D: Distances) -> Distances:
    from scipy.spatial.distance import squareform

    return np.asarray(squareform(D, checks=False))


def _by_function(X: Data, Y: Data | None, distance: Distance) -> Distances:
    """Call a user's function once per pair."""
    dtype = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)  # text and booleans have none
    if Y is not None:
        return np.array(
            [[called(distance, x, y, (i, j)) for j, y in enumerate(Y)] for i, x in enumerate(X)],
            dtype=dtype,
        )
    D = np.zeros((len(X), len(X)), dtype=dtype)
    for i, j in combinations(range(len(X)), 2):
        D[i, j] = D[j, i] = called(distance, X[i], X[j], (i, j))
    return D


def called(distance: Distance, x: Data, y: Data, pair: tuple[int, int]) -> float:
    """Return what a user's function says of two rows, if it is a distance."""
    assert distance.function is not None
    answer = distance.function(x, y)
    try:
        value = float(answer)
    except (TypeError, ValueError, OverflowError):
        value = np.nan
    if not value >= 0:
        raise InvalidData(
            f"the distance function {distance.name} must return a number of at least 0, got {answer!r} for "
            f"the rows {pair[0]} and {pair[1]}."
        )
    return value


def refuse_order(between: Callable[[Data, Data], FloatArray], X: Data, what: str) -> None:
    """Refuse a function for which the order of its two rows matters, as far as a few pairs tell.

    Examples
    --------
    >>> refuse_order(lambda X, Y: X @ Y.T, np.eye(3), "kernel")
    """
    last = X[-PAIRS_TURNED - 1 : -1]
    if len(last) == 0:
        return
    there, back = between(X[-1:], last)[0], between(last, X[-1:])[:, 0]
    is_apart = np.abs(there - back) > SAME * np.maximum(np.abs(there), np.abs(back))
    if is_apart.any():
        at, row = int(np.argmax(is_apart)), len(X) - 1
        raise InvalidData(
            f"the {what} function must not depend on the order of its two rows, got {there[at]:g} for the "
            f"rows {row} and {row - len(last) + at}, and {back[at]:g} when they are swapped."
        )
