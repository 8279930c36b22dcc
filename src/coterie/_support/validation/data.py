"""Data matrices: every way of being wrong gets its own sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie._support import scikit_learn
from coterie._support.typing import CheckedRows, Data, Indices, MatrixLike, Model, SparseData, ValuesByName
from coterie._support.validation import explain
from coterie._support.validation.sparse import check_sparse
from coterie.errors import CoterieError, InvalidData, InvalidParameter, UnsupportedInput

FLOATS = [np.float64, np.float32]
SAFE_SHARE = 8  # a squared distance is at most four sums of squares; twice that leaves room for rounding
FIRST_VALUES = 64
FEWEST_OF_SQUARE = 3  # rows from which a square of distances can be recognised
# how far two mirrored distances may be apart, as a share of the largest: rounding, no more
TOLERANCE = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}
FEW_VALUES = 1 << 17  # below, the threads that a BLAS wakes cost more than they save


def check_data(
    X: MatrixLike,
    *,
    estimator: Model = None,
    who: str | None = None,
    name: str = "X",
    reset: bool = True,
    accept_sparse: bool = False,
    min_rows: int = 1,
    min_columns: int = 1,
    squares: bool = True,
    may_be_distances: bool = False,
    may_be_missing: bool = False,
    may_have_gaps: bool = False,
    is_graph: bool = False,
) -> Data | SparseData:
    """Return the data as a C-ordered float32 or float64 matrix (or CSR), or say what is wrong with them.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix
        Floats of 32 and 64 bits keep their type, other numbers and booleans become float64.
    estimator : object, default=None
        When given, its `n_features_in_` and `feature_names_in_` are set (`reset=True`) or compared.
    who : str, default=None
        Name to use in messages when there is no estimator.
    name : str, default="X"
        What the caller's parameter is called.
    accept_sparse : bool, default=False
        Whether a sparse matrix may pass (as CSR).
    min_rows, min_columns : int, default=1
        Least shape.
    squares : bool, default=True
        Whether the caller squares differences: values whose squares overflow are then refused, and rows to
        fit to whose squares all vanish.
    may_be_distances : bool, default=False
        Whether a symmetric matrix with a zero diagonal may pass.
    may_be_missing : bool, default=False
        Whether values that are not finite may pass, because the caller settles them itself.
    may_have_gaps : bool, default=False
        Whether NaN may pass as a missing cell; infinite and too large values are refused. So it is also for
        an estimator whose `_takes_gaps` is True.
    is_graph : bool, default=False
        Whether a sparse matrix holds pairs of rows: it may have more entries than 32 bits count, and keeps
        those of a row in their order.

    Examples
    --------
    >>> check_data([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    who = who or (type(estimator).__name__ if estimator is not None else "this function")
    if (
        getattr(estimator, "_table", None) is not None
    ):  # it knows how a table of mixed columns becomes numbers
        return _of_table(estimator, X, reset, min_rows)
    explain.refuse_kinds(X, who, name)
    if _is_plain(X, estimator, reset, min_rows, min_columns):
        checked, columns = X, None
    else:
        checked, columns = _converted(
            X, estimator, who, name, reset, accept_sparse, min_rows, min_columns, is_graph
        )
    may_have_gaps = may_have_gaps or getattr(estimator, "_takes_gaps", False)
    values = _without_gaps(checked) if may_have_gaps else checked
    if not may_be_missing or may_have_gaps:
        _refuse_unsafe_values(values, columns, who, name, squares)
    if not may_be_distances:
        _refuse_distances(values, who, name)
    if squares and estimator is not None and reset and not (may_be_missing or may_be_distances):
        refuse_tiny(values, columns, name)
    return checked


def _is_plain(X: MatrixLike, estimator: Model, reset: bool, min_rows: int, min_columns: int) -> bool:
    """Return whether the rows are as methods take them: then scikit-learn has nothing to convert or refuse.

    An estimator that they are to be fitted to is told their columns, as scikit-learn would tell it.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in FLOATS or not X.flags.c_contiguous:
        return False
    if X.shape[0] < max(1, min_rows) or X.shape[1] < max(1, min_columns):
        return False
    known = {} if estimator is None else vars(estimator)
    if estimator is None or not reset:
        return estimator is None or (
            "feature_names_in_" not in known and known.get("n_features_in_") == X.shape[1]
        )
    estimator.__dict__.pop("feature_names_in_", None)
    estimator.n_features_in_ = X.shape[1]
    return True


def _converted(
    X: MatrixLike,
    estimator: Model,
    who: str,
    name: str,
    reset: bool,
    accept_sparse: bool,
    min_rows: int,
    min_columns: int,
    is_graph: bool,
) -> tuple[CheckedRows, list[str] | None]:
    """Return the data as scikit-learn converts them, and the names of their columns."""
    columns = explain.column_names(X)
    if accept_sparse and issparse(X):
        X = check_sparse(X, who=who, name=name, keep_order=is_graph)
    options: ValuesByName = {
        "accept_sparse": "csr" if accept_sparse else False,
        "accept_large_sparse": is_graph,
        "dtype": FLOATS,
        "order": "C",
        "ensure_all_finite": False,  # checked below, together with overflow, in one pass
        "ensure_min_samples": min_rows,
        "ensure_min_features": min_columns,
    }
    scikit_learn.load()
    from sklearn.utils.validation import check_array, validate_data

    try:
        with np.errstate(over="ignore"):  # numbers of more bits than 64 become infinite, and are refused
            if estimator is None:
                checked = check_array(X, input_name=name, estimator=who, **options)
            else:
                checked = validate_data(estimator, X, reset=reset, **options)
    except CoterieError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise explain.explained(error, X, who, name) from None
    return checked, columns


def _without_gaps(X: CheckedRows) -> CheckedRows:
    """Return rows with 0 in place of missing cells, for checks of the others."""
    if issparse(X) or not np.isnan(X).any():
        return X
    return np.where(np.isnan(X), np.zeros((), dtype=X.dtype), X)


def _of_table(estimator: Model, X: MatrixLike, reset: bool, min_rows: int) -> Data:
    explain.refuse_queries(X, f"X of {type(estimator).__name__}")
    if X is None or (isinstance(X, dict | str | bytes) and not issparse(X)):
        raise UnsupportedInput(
            f"X of {type(estimator).__name__} must be a table of rows and columns, got {type(X).__name__}."
        )
    if isinstance(X, list | tuple) and not len(X):
        raise InvalidData(
            f"Found array with 0 sample(s) while a minimum of {min_rows} is required: X is empty."
        )
    if len(getattr(X, "shape", (0, 0))) != 2:
        raise explain.explained(ValueError("Reshape your data"), X, type(estimator).__name__, "X")
    scikit_learn.load()
    from sklearn.utils.validation import validate_data

    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    except (ValueError, TypeError) as error:
        raise explain.explained(error, X, type(estimator).__name__, "X") from None
    coded: Data = estimator._read_table(X)
    if len(coded) < min_rows:
        raise InvalidData(
            f"Found array with {len(coded)} sample(s) (shape={coded.shape}) while a minimum of {min_rows} is "
            f"required by {type(estimator).__name__}."
        )
    return coded


def check_n_clusters(n_clusters: int, n_samples: int, *, who: str, name: str = "n_clusters") -> None:
    """Refuse more clusters than rows.

    Examples
    --------
    >>> check_n_clusters(3, 12, who="KMeans")
    """
    if n_clusters > n_samples:
        raise InvalidParameter(
            f"{name} of {who} must be at most n_samples={n_samples}, got {n_clusters}: "
            f"n_samples={n_samples} should be >= {name}={n_clusters}."
        )


def _refuse_unsafe_values(
    X: CheckedRows, columns: list[str] | None, who: str, name: str, squares: bool
) -> None:
    values = X.data if issparse(X) else X.reshape(-1)
    if values.size == 0:
        return
    limit = np.finfo(values.dtype).max
    with np.errstate(all="ignore"):
        # not finite as soon as one value is not: one pass for all
        sum_of_squares = (
            np.dot(values, values) if values.size > FEW_VALUES else np.einsum("i,i->", values, values)
        )
    if sum_of_squares < limit / SAFE_SHARE:
        return
    low, high = values.min(), values.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise explain.not_finite(X, columns, who, name)
    if not squares:
        return
    safe = largest_safe(values.dtype, X.shape)
    if max(abs(float(low)), abs(float(high))) > safe:
        raise explain.too_large(X, columns, name, safe)


def largest_safe(dtype: npt.DTypeLike, shape: tuple[int, int]) -> float:
    """Return the largest value whose squared differences cannot overflow when they are summed.

    Examples
    --------
    >>> largest_safe(np.dtype("float32"), (1000, 4)) < 1e19 < largest_safe(np.dtype("float64"), (1000, 4))
    True
    """
    # float32: one squared distance must fit; sums are kept in float64, so there the whole sum must
    kind = np.dtype(dtype)
    terms = shape[1] if kind == np.float32 else shape[0] * shape[1]
    return float(np.sqrt(float(np.finfo(kind).max) / (4.0 * max(1, terms))))


def smallest_safe(dtype: npt.DTypeLike) -> float:
    """Return the least size that the largest value of a column may have, for differences to be squared.

    Examples
    --------
    >>> smallest_safe(np.dtype("float64")) < 1e-140 < smallest_safe(np.dtype("float32"))
    True
    """
    kind = np.dtype(dtype)
    return float(np.sqrt(float(np.finfo(kind).tiny) / float(np.finfo(kind).eps)))


def refuse_tiny(X: CheckedRows, columns: list[str] | None, name: str) -> None:
    """Refuse rows to fit to whose squares all vanish; new rows may well be next to nothing.

    Examples
    --------
    >>> refuse_tiny(np.array([[0.0, 1e-9]]), None, "X")
    """
    values = X.data if issparse(X) else X.reshape(-1)
    safe = smallest_safe(values.dtype)
    # one of the first values nearly always settles it, and else one of some from everywhere
    for some in (values[:FIRST_VALUES], values[:: values.size // FIRST_VALUES | 1]):
        if some.size == 0 or (np.abs(some) >= safe).any():
            return
    largest = float(np.abs(values).max())
    if 0 < largest < safe:
        raise explain.too_small(X, columns, name, safe)


def check_answer(answer: Any, *, what: str, way_out: str) -> Any:
    """Return numbers made of finite ones, or say that they left the range of numbers.

    Examples
    --------
    >>> check_answer(np.array([np.inf]), what="the scaled rows", way_out="Divide them by a constant.")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: the scaled rows overflow float64. Divide them by a constant.
    """
    values = answer.data if issparse(answer) else answer
    if not np.isfinite(values).all():
        raise InvalidData(f"{what} overflow {values.dtype}. {way_out}")
    return answer


def looks_like_distances(X: Data) -> bool:
    """Return whether a square is nowhere negative, zero on the diagonal and symmetric, up to rounding.

    Examples
    --------
    >>> looks_like_distances(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0 + 1e-15, 0.0]]))
    True
    """
    n_rows, n_columns = X.shape
    if n_rows != n_columns or n_rows < FEWEST_OF_SQUARE or not np.isfinite(X).all():
        return False
    limit = TOLERANCE.get(X.dtype, 0.0) * X.max()
    if np.abs(np.diagonal(X)).max() > limit or X.min() < 0 or np.abs(X[0] - X[:, 0]).max() > limit:
        return False
    return bool(np.abs(X - X.T).max() <= limit)


def _refuse_distances(X: CheckedRows, who: str, name: str) -> None:
    n_rows, n_columns = X.shape
    if n_rows != n_columns or n_rows < FEWEST_OF_SQUARE or issparse(X):
        return
    if X[0, 1:].min() > 0 and looks_like_distances(X):
        raise InvalidData(
            f"{name} of {who} must be rows of features, got a symmetric {n_rows} x {n_rows} matrix with a "
            f"zero diagonal: that looks like distances. A method that takes them has metric='precomputed'; "
            f"if these really are features, add a constant column."
        )


def check_pairs(pairs: MatrixLike | None, n: int, *, name: str, who: str) -> Indices:
    """Return pairs of rows as an array of shape (n_pairs, 2); None: no pairs."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.intp)
    found = np.asarray(pairs)
    if found.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InvalidParameter(
            f"{name} of {who} must be pairs of row numbers, an array of shape (n_pairs, 2), got shape "
            f"{found.shape} of {found.dtype}."
        )
    wrong = (found < 0) | (found >= n)
    if wrong.any():
        raise InvalidParameter(
            f"{name} of {who} must name rows from 0 to {n - 1}, got {int(found[wrong][0])}."
        )
    return found.astype(np.intp)
