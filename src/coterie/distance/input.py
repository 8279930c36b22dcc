"""What a method is given, resolved: rows, a matrix of distances or similarities, or a sparse graph of pairs.

The parameter `metric` says which (`input_kind`). `resolve_input` checks what `fit` is given, and
`check_new_input` what `predict` is; both say what is wrong in the same words for all methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    MatrixLike,
    MetricLike,
    Model,
    Settings,
    SparseData,
)
from coterie._support.validation import check_data, require_memory
from coterie._support.validation.data import TOLERANCE
from coterie.distance.catalogue import Distance, find_distance
from coterie.distance.matrices import (
    NEARLY_SYMMETRIC,
    check_distance_matrix,
    check_similarity_matrix,
    is_exact,
    mirrored,
    nearly_symmetric,
    reverse_similarities,
    symmetric,
)
from coterie.errors import DataNotice, InvalidData, InvalidParameter, UnsupportedInput

InputKind: TypeAlias = Literal["data", "distances", "similarities"]

_KINDS: dict[str, InputKind] = {"precomputed": "distances", "similarity": "similarities"}
SPARSE_DISTANCES = ("euclidean", "sqeuclidean", "manhattan", "cosine")  # scikit-learn's, and the square


@dataclass(frozen=True, eq=False)
class RowsInput:
    """Rows, and the distance between them where it is one of the catalogue."""

    kind: ClassVar[InputKind] = "data"
    values: CheckedRows
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


def input_kind(metric: MetricLike) -> InputKind:
    """Return what a `metric=` says about the input.

    Examples
    --------
    >>> input_kind("precomputed"), input_kind("similarity"), input_kind("euclidean")
    ('distances', 'similarities', 'data')
    """
    return _KINDS.get(metric, "data") if isinstance(metric, str) else "data"


def distance_of_rows(metric: MetricLike, params: Settings | None = None) -> Distance | None:
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
    estimator: Model,
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
    given: MatrixLike = data if turned is X else X
    if rules.symmetry in ("noted", "free"):
        # a matrix that equals its transpose is not turned: that takes longer than most methods read it
        return MatrixInput(_check_loosely(data if given is data or is_exact(data) else X, rules, who))
    if rules.symmetry == "averaged" and kind == "similarities":
        given = nearly_symmetric(check_data(given, who=who, squares=False, may_be_distances=True))
    return resolve_matrix(given, kind, who=who, symmetrize=symmetrize)


def resolve_matrix(
    X: MatrixLike, kind: InputKind, *, who: str, symmetrize: str | None = None, n_jobs: int | None = None
) -> MatrixInput:
    """Return a matrix of distances or similarities, symmetric and checked."""
    if kind == "distances":
        return MatrixInput(check_distance_matrix(X, who=who, n_jobs=n_jobs))
    return SimilarityInput(check_similarity_matrix(symmetric(X, symmetrize), who=who, n_jobs=n_jobs))


def check_new_input(
    X: MatrixLike, kind: InputKind, *, estimator: Model, takes_sparse: bool = False, squares: bool = True
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


def resolve_cells(X: object) -> AnyArray | None:
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


def dense_rows(X: CheckedRows, *, who: str, needs: str = "this distance of ", way_out: str = "") -> Data:
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
        warn_caller(
            f"X of {who} is not symmetric: distances from a row are read in its row of the matrix, and may "
            f"differ from distances to it.",
            DataNotice,
        )
    return checked


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
