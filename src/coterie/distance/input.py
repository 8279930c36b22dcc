"""What a method is given, resolved: rows, a matrix of distances or similarities, or a sparse graph of pairs.

The parameter `metric` says which (`input_kind`). `resolve_input` checks what `fit` is given, and
`check_new_input` what `predict` is; both say what is wrong in the same words for all methods.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie import _core
from coterie._support.caller import caller_level
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, Data, Distances, MatrixLike, SparseData
from coterie._support.validation import check_data, require_memory
from coterie.distance.catalogue import Distance, find_distance
from coterie.errors import DataNotice, InvalidData, InvalidParameter, UnsupportedInput

InputKind: TypeAlias = Literal["data", "distances", "similarities"]

_KINDS: dict[str, InputKind] = {"precomputed": "distances", "similarity": "similarities"}
# how far two mirrored cells may be apart, as a share of the largest: rounding, no more
TOLERANCE = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}
NEARLY_SYMMETRIC = 1e-5  # the same where mirrored cells are averaged; scikit-learn takes as much
SPARSE_DISTANCES = ("euclidean", "sqeuclidean", "manhattan", "cosine")  # scikit-learn's, and the square


@dataclass(frozen=True, eq=False)
class RowsInput:
    """Rows, and the distance between them where it is one of the catalogue."""

    kind: ClassVar[InputKind] = "data"
    values: Any  # Data | SparseData
    distance: Distance | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])


@dataclass(frozen=True, eq=False)
class MatrixInput:
    """The distances of all pairs of rows, square or condensed."""

    kind: ClassVar[InputKind] = "distances"
    values: Distances

    @property
    def n(self) -> int:
        """Number of rows."""
        length = len(self.values)
        return length if self.values.ndim == 2 else (1 + math.isqrt(1 + 8 * length)) // 2

    @property
    def distances(self) -> Distances:
        """The distances of all pairs."""
        return self.values


class SimilarityInput(MatrixInput):
    """The similarities of all pairs of rows, square or condensed."""

    kind: ClassVar[InputKind] = "similarities"

    @property
    def distances(self) -> Distances:
        """How far each similarity is from the largest one."""
        return reverse_similarities(self.values)


@dataclass(frozen=True, eq=False)
class GraphInput:
    """The distances or similarities of some pairs of rows: the others are infinitely far."""

    values: SparseData
    kind: InputKind = "distances"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])


Input: TypeAlias = RowsInput | MatrixInput | GraphInput


@dataclass(frozen=True)
class InputRules:
    """What a method takes."""

    kinds: tuple[InputKind, ...] = ("data", "distances", "similarities")  # rows, distances, similarities
    takes_sparse: bool = False  # whether rows may be sparse, and a matrix a graph
    min_rows: int = 1  # fewest rows
    # what becomes of mirrored cells that differ: they are refused; averaged where only rounding can be the
    # reason, else refused; told of; or left to the caller, like everything but the shape
    symmetry: Literal["required", "averaged", "noted", "free"] = "required"
    # what is said of a matrix that is not, with places for `who`, `kind` and `shape`
    not_square: str = (
        "X of {who} must be a square matrix of {kind}, got the shape {shape}. If these are rows of features, "
        "name a distance: metric='euclidean'."
    )
    # what is said first of a dense matrix with missing values, by a method that may take infinite ones
    missing: str | None = None


ANY_MATRIX = InputRules()


def input_kind(metric: Any) -> InputKind:
    """Return what a `metric=` says about the input.

    Examples
    --------
    >>> input_kind("precomputed"), input_kind("similarity"), input_kind("euclidean")
    ('distances', 'similarities', 'data')
    """
    return _KINDS.get(metric, "data") if isinstance(metric, str) else "data"


def distance_of_rows(metric: Any, params: Any = None) -> Distance | None:
    """Return the distance that a `metric=` names; None where it says that the input is a matrix.

    Examples
    --------
    >>> distance_of_rows("l1").name, distance_of_rows("precomputed")
    ('manhattan', None)
    """
    return find_distance(metric, **(params or {})) if input_kind(metric) == "data" else None


def resolve_input(
    X: MatrixLike,
    kind: InputKind,
    *,
    estimator: Any,
    rules: InputRules = ANY_MATRIX,
    distance: Distance | None = None,
    symmetrize: str | None = None,
) -> Input:
    """Return what the `fit` of an estimator is given, checked.

    Parameters
    ----------
    X : array-like or sparse matrix
        Rows, or the matrix that `kind` says.
    kind : {"data", "distances", "similarities"}
        What it holds, as `input_kind` says of a metric.
    estimator : object
        Whose columns are counted and named.
    rules : InputRules
        What it takes.
    distance : Distance or None, default=None
        Of rows: one that squares no numbers takes larger ones.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What two mirrored similarities become, as in `symmetric`.

    Examples
    --------
    >>> from coterie.cluster import KMedoids
    >>> resolve_input([[0.0, 2.0], [2.0, 0.0]], "distances", estimator=KMedoids())
    MatrixInput(values=array([[0., 2.],
           [2., 0.]]))
    """
    who = type(estimator).__name__
    if kind not in rules.kinds:
        raise InvalidParameter(
            f'metric of {who} must be a distance or "precomputed", got "similarity". Turn similarities into '
            f"distances first: coterie.distance.distances_from_similarities."
        )
    if kind == "data":
        squares = distance is None or distance.squares_numbers
        options: Any = {
            "accept_sparse": rules.takes_sparse,
            "min_rows": rules.min_rows,
            "squares": squares,
            "may_have_gaps": distance is not None and distance.takes_gaps,
        }
        return RowsInput(check_data(X, estimator=estimator, **options), distance)
    turned = X if rules.takes_sparse and issparse(X) else mirrored(X)
    # columns are counted and named here; the matrix itself is looked at below
    data: Any = check_data(
        turned,
        estimator=estimator,
        accept_sparse=rules.takes_sparse,
        min_rows=rules.min_rows,
        squares=False,
        may_be_distances=True,
        may_be_missing=True,
        is_graph=rules.symmetry != "averaged",
    )
    if rules.missing is not None and not issparse(data) and np.isnan(data).any():
        raise InvalidData(rules.missing)
    if data.shape[0] != data.shape[1]:
        raise InvalidData(rules.not_square.format(who=who, kind=kind, shape=data.shape))
    if issparse(data):
        return GraphInput(_check_graph(data, kind, rules, who), kind)
    given: Any = data if turned is X else X
    if rules.symmetry in ("noted", "free"):
        # a matrix that equals its transpose is not turned: that takes longer than most methods read it
        return MatrixInput(_check_loosely(data if given is data or _is_exact(data) else X, rules, who))
    if rules.symmetry == "averaged" and kind == "similarities":
        given = _nearly_symmetric(check_data(given, who=who, squares=False, may_be_distances=True))
    return resolve_matrix(given, kind, who=who, symmetrize=symmetrize)


def resolve_matrix(
    X: MatrixLike, kind: InputKind, *, who: str, symmetrize: str | None = None, n_jobs: int | None = None
) -> MatrixInput:
    """Return a matrix of distances or similarities, symmetric and checked."""
    if kind == "distances":
        return MatrixInput(check_distance_matrix(X, who=who, n_jobs=n_jobs))
    return SimilarityInput(check_similarity_matrix(symmetric(X, symmetrize), who=who, n_jobs=n_jobs))


def check_new_input(
    X: MatrixLike, kind: InputKind, *, estimator: Any, takes_sparse: bool = False, squares: bool = True
) -> Any:
    """Return what `predict` is given, checked: new rows, or their distances to the rows of the fit."""
    return check_data(
        X,
        estimator=estimator,
        reset=False,
        accept_sparse=takes_sparse,
        squares=squares and kind == "data",
        may_be_distances=True,
    )


def resolve_rows(
    X: MatrixLike, distance: Distance, *, who: str, name: str = "X", takes_sparse: bool = False
) -> Data:
    """Return rows to measure, checked and dense; sparse ones of any format where the caller takes them.

    Examples
    --------
    >>> from scipy.sparse import dok_array
    >>> resolve_rows(dok_array([[0, 2]]), find_distance("cosine"), who="this function", takes_sparse=True)
    array([[0., 2.]])
    """
    if takes_sparse and issparse(X) and distance.function is None and distance.name not in SPARSE_DISTANCES:
        raise UnsupportedInput(
            f"{name} of {who} is sparse, and the distance {distance.name} takes dense rows only. Pass "
            f"{name}.toarray(), or choose one of {', '.join(SPARSE_DISTANCES)}."
        )
    checked = check_data(
        X,
        who=who,
        name=name,
        accept_sparse=takes_sparse,
        squares=distance.squares_numbers,
        may_have_gaps=distance.takes_gaps,
    )
    few = "Pass fewer rows, or fewer columns: sklearn.decomposition.TruncatedSVD makes them."
    return dense_rows(checked, who=who, needs="", way_out=few)


def resolve_cells(X: Any) -> AnyArray | None:
    """Return text or booleans as a function of two rows gets them, unchanged; None for everything else.

    Examples
    --------
    >>> resolve_cells(["a", "ab"])
    array(['a', 'ab'], dtype=object)
    >>> resolve_cells([[1.0, 2.0]]) is None
    True
    """
    if X is None or issparse(X):
        return None
    try:
        cells = np.asarray(X)
        if cells.dtype.kind == "U" and not hasattr(X, "dtype"):
            cells = np.asarray(X, dtype=object)  # so that numbers next to text stay numbers
    except (TypeError, ValueError):  # rows of different lengths: said by the check of numbers
        return None
    if cells.ndim not in (1, 2) or cells.size == 0 or (cells.ndim == 1 and cells.dtype.kind == "b"):
        return None
    is_text = cells.dtype.kind == "U" or (
        cells.dtype.kind == "O" and any(isinstance(cell, str) for cell in cells.flat)
    )
    return cells if is_text or cells.dtype.kind == "b" else None


def dense_rows(X: Any, *, who: str, needs: str = "this distance of ", way_out: str = "") -> Data:
    """Return sparse rows as a matrix, if it fits in memory; others as they are."""
    if not issparse(X):
        rows: Data = X
        return rows
    require_memory(
        X.shape[0] * X.shape[1] * X.dtype.itemsize,
        f"a dense copy of {X.shape[0]:,} sparse rows, which {needs}{who} needs,",
        way_out or "Use metric='euclidean', 'manhattan' or 'cosine', which take sparse rows as they are.",
    )
    return np.ascontiguousarray(X.toarray())


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
    if turned is not D and _is_exact(np.asarray(turned), n_jobs):
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


def _check_graph(graph: SparseData, kind: InputKind, rules: InputRules, who: str) -> SparseData:
    """Return a graph of numbers that are finite, distances at least 0, mirrored ones as the rules say."""
    is_wrong = ~np.isfinite(graph.data)
    if kind == "distances":
        is_wrong |= graph.data < 0
    if is_wrong.any():
        at = int(np.argmax(is_wrong))
        row, value = int(np.searchsorted(graph.indptr, at, side="right")) - 1, graph.data[at]
        what = "NaN" if np.isnan(value) else "infinity" if np.isinf(value) else "negative values"
        least = " and at least 0" if kind == "distances" else ""
        raise InvalidData(
            f"Input X contains {what}: stored {kind} of {who} must be finite{least}, got "
            f"X[{row}, {graph.indices[at]}] = {value:g}. Leave out pairs that have none: what is not stored "
            f"is infinitely far."
        )
    if kind == "distances" or rules.symmetry != "averaged" or not graph.nnz:
        return graph
    gap = abs(graph - graph.T).max()
    if gap > NEARLY_SYMMETRIC * abs(graph.data).max():
        raise InvalidData(
            f"X of {who} must be a symmetric matrix of weights, got X and its transpose apart by "
            f"{gap:.3g}. Pass (X + X.T) / 2."
        )
    return graph if gap == 0 else (graph + graph.T) / 2


def _check_loosely(D: MatrixLike, rules: InputRules, who: str) -> Distances:
    """Return distances from rows to rows; what is wrong with the values alone is refused, if at all."""
    is_free = rules.symmetry == "free"
    options: Any = {"squares": False, "may_be_distances": True, "may_be_missing": is_free}
    checked: Distances = check_data(D, who=who, **options)
    if is_free:
        return checked
    if checked.size and checked.min() < 0:
        raise InvalidData(
            f"Negative values in data passed to `X`: distances of {who} must be at least 0, got "
            f"{checked.min():g}."
        )
    facts = _core.matrix_facts(checked)
    if facts.largest_asymmetry > TOLERANCE[checked.dtype] * facts.largest:
        warnings.warn(
            f"X of {who} is not symmetric: distances from a row are read in its row of the matrix, and may "
            f"differ from distances to it.",
            DataNotice,
            stacklevel=caller_level(),
        )
    return checked


def _nearly_symmetric(S: Any) -> Any:
    """Return a matrix that is symmetric but for rounding in float32 as a symmetric one."""
    gap = np.abs(S - S.T).max(initial=0.0)
    is_rounding = 0 < gap <= NEARLY_SYMMETRIC * np.abs(S).max()
    return (S + S.T) / 2 if is_rounding else S


def with_explicit_diagonal(graph: SparseData) -> SparseData:
    """Return a graph in which every row is its own neighbour, at distance 0 if unsaid."""
    rows = csr_array(graph, copy=True)
    n = rows.shape[0]
    counts = np.diff(rows.indptr)
    row_of = np.repeat(np.arange(n), counts)
    has_own = np.zeros(n, dtype=bool)
    has_own[row_of[rows.indices == row_of]] = True
    absent = np.flatnonzero(~has_own)
    order = np.argsort(np.concatenate([row_of, absent]), kind="stable")
    indices = np.concatenate([rows.indices, absent])[order]
    data = np.concatenate([rows.data, np.zeros(len(absent), dtype=rows.data.dtype)])[order]
    starts = np.concatenate([[0], np.cumsum(counts + ~has_own)])
    return csr_array((data, indices, starts), shape=rows.shape)


def far_unless_stored(graph: SparseData) -> Distances:
    """Return some rows of a graph of distances as dense ones: what is not stored is infinite."""
    stored = graph.tocoo()
    dense = np.full(graph.shape, np.inf)
    dense[stored.row, stored.col] = stored.data
    return dense


def _is_exact(D: Distances, n_jobs: int | None = None) -> bool:
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


def _refuse_asymmetry(M: Distances, facts: Any, limit: float, what: str, name: str) -> None:
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


def _first_cell(is_wrong: Any) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.argmax(is_wrong)), is_wrong.shape)
    return int(row), int(column)


def _shown(M: Distances, cell: tuple[int, int], name: str) -> str:
    return f"{name}[{cell[0]}, {cell[1]}] = {M[cell]:g}"
