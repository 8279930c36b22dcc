"""Scaling by name, as a small value that can also go back to the original units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.typing import CheckedRows, Data, FloatArray, SparseData, VectorLike
from coterie._support.validation import Choice, check_data, check_parameter, check_sparse, require_memory
from coterie._support.validation.schema import Tensor
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

AUTO = "auto"
ONE_SCALE = 5.0  # columns whose spreads differ by no more are taken to be in one unit, and left as they are
# of few columns each counts much: with another unit for one of them the answer should not change
FEW_COLUMNS, ONE_SCALE_OF_FEW = 5, 1.5
HARDLY_VARY = 0.25  # of many columns in one unit so many may hardly vary: the borders of pictures, rare words
MANY_COLUMNS = 30  # whose least and greatest values tell whether they are in one unit
NEAR_THE_END = 0.9  # of the greatest value of all
MOST_ROWS = 0.99  # that are as long as the others; the rest may be empty documents
SAME_LENGTH = 1e-3  # by which lengths may differ that are the same but for rounding
ROWS_AT_ONCE = 4_096  # whose squares are added up together
SCALINGS = {
    "standard": "standardised columns",  # mean 0, standard deviation 1
    "minmax": "columns scaled to [0, 1]",
    "robust": "columns scaled by median and quartiles",
    "none": "columns as they are",
}


def column_moments(X: Data) -> _core.ColumnMoments:
    """Return the `ColumnMoments` of a C-ordered matrix without missing values.

    Examples
    --------
    >>> column_moments(np.array([[1.0, 5.0], [3.0, 5.0]])).mean
    [2.0, 5.0]
    """
    first = np.array(X[0])
    sums = add_sums([_core.column_sums(X, first)])
    return _core.moments_of_sums(np.asarray(sums, dtype=np.float64), first)


def add_sums(tables: Sequence[FloatArray]) -> FloatArray:
    """Add the rows of tables of sums, one after the other as the engine does."""
    table = np.concatenate(tables)
    width = (table.shape[1] - 1) // 4
    added = np.add.accumulate(table, axis=0)[-1]
    added[2 * width : 3 * width] = table[:, 2 * width : 3 * width].min(axis=0)
    added[3 * width : 4 * width] = table[:, 3 * width : 4 * width].max(axis=0)
    return np.asarray(added)


@saved()
class Scaling:
    """Each column shifted and divided: ``(X - shift) / factor``.

    Parameters
    ----------
    shift, factor : arrays of shape (n_columns,)
        A column without spread has factor 1: it becomes zero, never NaN.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = fit_scaling(np.array([[1.0, 5.0], [3.0, 5.0]]), "minmax")
    >>> scaling.apply(np.array([[2.0, 5.0]]))
    array([[0.5, 0. ]])
    >>> scaling.invert(np.array([[0.5, 0.0]]))
    array([[2., 5.]])
    """

    how: str = held(Choice(*SCALINGS), "What it was fitted as.")
    shift: FloatArray = held(Tensor("columns", kind="f8", may_be_empty=True))
    factor: FloatArray = held(Tensor("columns", kind="f8", above=0, may_be_empty=True))

    @property
    def is_identity(self) -> bool:
        """Whether columns stay as they are; columns that were weighed do not, whatever `how` says."""
        return self.how == "none" and not self.shift.any() and bool((self.factor == 1.0).all())

    def apply(self, X: CheckedRows) -> CheckedRows:
        """Return the scaled data, in the type of `X`; sparse data stay sparse unless columns are shifted."""
        if self.is_identity:
            return X
        if issparse(X) and self.shift.any():
            X = _dense(X)  # zeros do not stay zero
        X = X.tocsr(copy=True) if issparse(X) else np.asarray(X)
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
        with _in_range("scaled"):
            shift, factor = self.shift.astype(X.dtype), self.factor.astype(X.dtype)
            if issparse(X):
                X.data = X.data / factor[X.indices]
                return X
            scaled = X - shift
            scaled /= factor
        return scaled

    def invert(self, scaled: FloatArray) -> FloatArray:
        """Return points, centroids for example, in the original units."""
        if self.is_identity:
            return scaled
        with _in_range("unscaled"):
            return scaled * self.factor + self.shift


def _dense(X: SparseData) -> Data:
    bytes_needed = X.shape[0] * X.shape[1] * 8
    require_memory(
        bytes_needed, "sparse rows for a scaling that shifts columns", "Pass fewer rows at a time."
    )
    return np.asarray(X.toarray())


@contextmanager
def _in_range(what: str) -> Iterator[None]:
    """Say that numbers became infinite, by NumPy's own notice of it: no pass over them is needed."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except FloatingPointError:
        raise InvalidData(
            f"{what} numbers overflow: they are too far from those that the scaling was fitted to. Fit it "
            f"again to rows like these, or take another scaling."
        ) from None


def fit_scaling(X: CheckedRows, how: str = "standard") -> Scaling:
    """Find shift and factor of each column.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_columns)
        Data without missing values.
    how : {"auto", "standard", "minmax", "robust", "none"}, default="standard"
        Mean and standard deviation; least and greatest value; median and quartiles; nothing. "auto" is
        "standard" for columns of different units (see `differ_in_scale`, `share_bounds`, `have_one_length`),
        else "none".
        Sparse data are never shifted, so that they stay sparse; of the scalings only "standard" takes them.

    Returns
    -------
    Scaling
    """
    check_parameter(how, Choice(AUTO, *SCALINGS), name="scale", who="fit_scaling")
    if issparse(X):
        X = check_sparse(X, who="fit_scaling")
        return _of_sparse(check_data(X, who="fit_scaling", accept_sparse=True, may_be_distances=True), how)
    X = check_data(X, who="fit_scaling", may_be_distances=True)
    if how == "robust":
        from sklearn.preprocessing import RobustScaler

        robust = RobustScaler().fit(X)
        return Scaling(how, np.asarray(robust.center_, float), np.asarray(robust.scale_, float))
    if how == "none":
        return no_scaling(X.shape[1])
    return scaling_of_rows(column_moments(X), how, X)


def scaling_of_rows(moments: _core.ColumnMoments, how: str, rows: CheckedRows) -> Scaling:
    """Return "auto", "standard", "minmax" or "none" from the moments of the columns, and all rows or some."""
    found = scaling_of_moments(moments, how)
    if how == AUTO and found.how == "standard" and have_one_length(rows):
        return no_scaling(len(found.shift))
    return found


def scaling_of_moments(moments: _core.ColumnMoments, how: str) -> Scaling:
    """Return "auto", "standard", "minmax" or "none" from the moments of the columns."""
    spread = np.sqrt(np.asarray(moments.variance))
    low, high = np.asarray(moments.low), np.asarray(moments.high)
    if how == AUTO:
        how = "standard" if differ_in_scale(spread) and not share_bounds(low, high) else "none"
    if how == "none":
        return no_scaling(spread.size)
    shift, factor = (low, high - low) if how == "minmax" else (np.asarray(moments.mean), spread)
    return Scaling(how, shift, np.where(factor > 0, factor, 1.0))


def scale_numbers(X: Data, levels: Sequence[object], how: str) -> Scaling:
    """Return the scaling of mixed rows: numbers by name, over the cells that are there; codes stay.

    "auto" is "standard": categories have no unit that numbers could share.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0]])
    >>> scale_numbers(X, [None, ("a", "b")], "auto").apply(X)[:2].tolist()
    [[-1.0, 0.0], [1.0, 1.0]]
    """
    how = "standard" if how == AUTO else how
    shift, factor = np.zeros(X.shape[1]), np.ones(X.shape[1])
    for at, known in enumerate(levels):
        values = X[~np.isnan(X[:, at]), at]
        if known is None and len(values):
            one = fit_scaling(values[:, None], how)
            shift[at], factor[at] = one.shift[0], one.factor[0]
    return Scaling(how, shift, factor)


def no_scaling(n_columns: int) -> Scaling:
    """Return the scaling that leaves every column as it is."""
    return Scaling("none", np.zeros(n_columns), np.ones(n_columns))


def share_bounds(low: VectorLike, high: VectorLike) -> bool:
    """Return whether many columns begin at one value and most of them end at about another.

    Pixels, shares and ratings are in one unit, however rarely a column uses all of it.

    Examples
    --------
    >>> share_bounds([0] * 40, [255] * 30 + [12] * 10), share_bounds([0] * 40, range(40))
    (True, False)
    """
    low, high = np.asarray(low), np.asarray(high)
    varies = high > low
    if varies.sum() < MANY_COLUMNS or np.ptp(low[varies]) > 0:
        return False
    reach = high[varies] - low[varies]
    return bool(np.mean(reach >= NEAR_THE_END * reach.max()) > 0.5)


def have_one_length(X: CheckedRows) -> bool:
    """Return whether rows are directions or shares: all have one length, or one sum.

    Weighted words and embeddings are divided by their length, compositions by their sum: only columns in one
    unit can be added up, and dividing each by its own spread would undo it. With more columns than one.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((50, 8)) ** 4
    >>> have_one_length(X), have_one_length(X / np.linalg.norm(X, axis=1, keepdims=True))
    (False, True)
    >>> have_one_length(X / X.sum(axis=1, keepdims=True))
    True
    """
    if X.shape[1] < 2 or not X.shape[0]:
        return False
    if issparse(X):
        squares, sums = np.asarray(X.multiply(X).sum(axis=1)).ravel(), np.asarray(X.sum(axis=1)).ravel()
        return _are_alike(np.sqrt(squares)) or (X.min() >= 0 and _are_alike(sums))
    parts = [X[first : first + ROWS_AT_ONCE] for first in range(0, len(X), ROWS_AT_ONCE)]
    lengths = np.sqrt(np.concatenate([np.einsum("ij,ij->i", one, one, dtype=np.float64) for one in parts]))
    if _are_alike(lengths):
        return True
    return bool(X.min() >= 0) and _are_alike(X.sum(axis=1, dtype=np.float64))


def _are_alike(lengths: FloatArray) -> bool:
    """Return whether almost all lengths are the same, and not 0."""
    middle = float(np.median(lengths))
    near = np.abs(lengths - middle) <= SAME_LENGTH * middle
    return middle > 0 and bool(near.mean() >= MOST_ROWS)


def differ_in_scale(spreads: VectorLike) -> bool:
    """Return whether columns with these standard deviations are in different units.

    The largest spread of five or more is compared with five times their lower quartile; of fewer, with one
    and a half times the least.

    Examples
    --------
    >>> differ_in_scale([1.0, 1.4]), differ_in_scale([1.0, 3.0]), differ_in_scale([1.0, 2.0, 3.0, 3.0, 3.0])
    (False, True, False)
    """
    spreads = np.sort(np.asarray(spreads))
    spreads = spreads[spreads > 0]
    small = spreads[int(HARDLY_VARY * (spreads.size - 1))] if spreads.size else 0.0
    most = ONE_SCALE_OF_FEW if spreads.size < FEW_COLUMNS else ONE_SCALE
    return bool(spreads.size and spreads[-1] > most * small)


def _of_sparse(X: SparseData, how: str) -> Scaling:
    if how in ("minmax", "robust"):
        text = "would make sparse data dense. Use"
        raise InvalidData(f'scale="{how}" {text} "standard" or "none".').in_shell(
            f"--scale {how} {text} standard or none."
        )
    if how == "none":
        return no_scaling(X.shape[1])
    from sklearn.preprocessing import StandardScaler

    factor = np.asarray(StandardScaler(with_mean=False).fit(X).scale_)
    if how == AUTO and (not differ_in_scale(factor) or have_one_length(X)):
        return no_scaling(X.shape[1])
    return Scaling("standard", np.zeros(X.shape[1]), factor)


def check_scale(name: object) -> str:
    """Return the name of a scaling, or refuse one that does not exist.

    Examples
    --------
    >>> check_scale("robust")
    'robust'
    """
    names = [AUTO, *SCALINGS]
    if isinstance(name, str) and name in names:
        return name
    near = did_you_mean(str(name), names)
    raise InvalidParameter(f'no such scale "{name}".{near} ({", ".join(names)})')
