"""What to do about missing values: use what was observed, leave out rows, fill in the median, or refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._printing import count_of, shortened
from coterie._support.declarations import held, saved
from coterie._support.notes import Note
from coterie._support.threads import resolve_threads
from coterie._support.typing import CheckedRows, Data, FloatArray, Indices, Mask
from coterie._support.validation import largest_safe, smallest_safe
from coterie._support.validation.schema import COUNT, FLAG, Maybe, Sometimes, Tensor
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

MISSING_POLICIES = ("auto", "observed", "drop", "median", "refuse")
REFUSE = ("refuse", "error")  # the second is the older name
WAYS_OUT = ("observed", "drop", "median")  # policies that treat missing values
MOSTLY_COMPLETE = 0.5  # share of complete rows from which "auto" leaves out the others
MOSTLY_EMPTY = 0.5  # share of missing values above which "auto" leaves out a column
SHOWN = 3
SHOWN_COLUMNS = 5
MOST_DONORS = 5_000  # rows that values are taken from: those with the fewest gaps
NUMBERS_AT_ONCE = 1 << 22  # distances in a block
OBSERVED = _core.Metric(_core.Kernel.observed, _core.Finish.identity)


@saved()
class Complete:
    """A matrix without holes, the rows of the table it comes from, and how it was filled.

    `medians` are those of the columns, where values were filled. `is_observed`: values were taken from the
    most similar rows, for all that needs complete rows; methods that take gaps count observed cells only.
    """

    X: Any = held(Tensor("rows", "columns", sparse=True, may_be_empty=True))
    rows: Indices = held(Tensor("rows", kind="i8", low=0))
    n_rows_in_table: int = held(COUNT)
    medians: FloatArray | None = held(Maybe(Tensor("columns", kind="f8", allow="nan")))
    is_observed: bool = held(Sometimes(FLAG), default=False)

    @property
    def n_dropped(self) -> int:
        """How many rows were left out."""
        return self.n_rows_in_table - len(self.rows)


def settle_missing(
    X: CheckedRows,
    columns: Sequence[str],
    *,
    policy: str = "error",
    source: str = "the data",
    medians: FloatArray | None = None,
    ways_out: Sequence[str] = WAYS_OUT,
) -> Complete:
    """Return the matrix without missing values, by one of the policies.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_columns)
        NaN marks what is missing.
    columns : sequence of str
        Names for messages.
    policy : {"auto", "observed", "drop", "median", "refuse"}
        Use observed values and take the others from the most similar row, leave out the rows, fill in each
        column's median, or refuse. "auto" leaves out rows with missing values if at least half of all rows
        are complete, and is "observed" otherwise. "error" is "refuse".
    source : str
        Name of the table in messages.
    medians : array of shape (n_columns,), default=None
        Fill with these instead of the medians of `X`: what an earlier fit used.
    ways_out : sequence of str
        The policies that the error of a refusal names.

    Examples
    --------
    >>> import numpy as np
    >>> settle_missing(np.array([[1.0, 2.0], [np.nan, 3.0]]), ["a", "b"], policy="drop").X
    array([[1., 2.]])
    """
    check_policy(policy)
    n_rows = X.shape[0]
    everything = np.arange(n_rows)
    _refuse_infinite(X, columns, source)
    _refuse_sizes(X, columns, source)
    is_missing = np.isnan(X.data if issparse(X) else X)
    if not is_missing.any():
        return Complete(X, everything, n_rows, medians if policy == "median" else None)
    if issparse(X):
        raise InvalidData(
            f"{source}: {int(is_missing.sum()):,} stored values are NaN. Remove them from the matrix."
        )
    if policy in REFUSE:
        raise refusal(is_missing, columns, source, ways_out)
    kept = np.flatnonzero(~is_missing.any(axis=1))
    if policy == "auto":
        policy = "drop" if len(kept) >= max(2, MOSTLY_COMPLETE * n_rows) else "observed"
    if policy == "drop":
        if kept.size == 0:
            raise InvalidData(
                f"{source}: every row has a missing value: nothing is left after dropping them."
            )
        return Complete(np.ascontiguousarray(X[kept]), kept, n_rows, None)
    if medians is None:
        _refuse_empty(is_missing, columns, source)
        medians = np.nanmedian(X, axis=0).astype(X.dtype)
    if policy == "observed":
        rows = np.flatnonzero(~is_missing.all(axis=1))
        return Complete(fill_from_similar(np.ascontiguousarray(X[rows])), rows, n_rows, medians, True)
    return Complete(np.where(is_missing, medians, X), everything, n_rows, medians)


def settle_mixed(
    X: CheckedRows, columns: Sequence[str], levels: Sequence[object], *, policy: str, source: str
) -> Complete:
    """Return rows of numbers and codes by one of the policies; "auto" leaves missing cells as they are.

    Methods for mixed rows compare the cells that are there. Rows without any are left out. "median" fills
    numbers; a missing category stays missing.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [np.nan, 1.0], [np.nan, np.nan]])
    >>> settle_mixed(X, ["age", "plan"], [None, ("a", "b")], policy="auto", source="the data").rows
    array([0, 1])
    """
    check_policy(policy)
    numbers = [at for at, known in enumerate(levels) if known is None]
    _refuse_infinite(X[:, numbers], [columns[at] for at in numbers], source)
    if numbers:
        _refuse_sizes(X[:, numbers], [columns[at] for at in numbers], source)
    is_missing = np.isnan(X)
    if policy in REFUSE and is_missing.any():
        fact = f"{source}: {_places(is_missing, columns, 'missing')}."
        raise InvalidData(
            f"{fact} Use missing='auto', which uses observed cells only, 'drop' or 'median'."
        ).in_shell(f"{fact} Use --missing auto, which uses observed cells only, drop or median.")
    kept = np.flatnonzero(~(is_missing.any(axis=1) if policy == "drop" else is_missing.all(axis=1)))
    if kept.size == 0:
        raise InvalidData(f"{source}: every row has a missing value: nothing is left after dropping them.")
    if policy != "median" or not is_missing[:, numbers].any():
        return Complete(np.ascontiguousarray(X[kept]), kept, len(X), None)
    _refuse_empty(is_missing[:, numbers], [columns[at] for at in numbers], source)
    medians = np.full(X.shape[1], np.nan)
    medians[numbers] = np.nanmedian(X[:, numbers], axis=0)
    return Complete(np.where(is_missing[kept], medians, X[kept]), kept, len(X), medians)


def mostly_empty(X: CheckedRows, columns: Sequence[str]) -> dict[str, float]:
    """Return the columns in which more than half of the values are missing, and which share; not all columns.

    Examples
    --------
    >>> mostly_empty(np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 1.0]]), ["a", "b"])
    {'b': 0.6666666666666666}
    """
    if issparse(X):
        return {}
    shares = np.isnan(X).mean(axis=0)
    found = {columns[at]: float(shares[at]) for at in np.flatnonzero(shares > MOSTLY_EMPTY).tolist()}
    return found if len(found) < len(columns) else {}


def note_missing(complete: Complete, counts: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Return what to say about missing values: in which columns, how many, and what was done.

    Parameters
    ----------
    complete : Complete
        What was done.
    counts : sequence of (str, int)
        Columns that lack values, and in how many rows, the most first.
    """
    if not counts:
        return ()
    n_rows = complete.n_rows_in_table
    shares = [f"{shortened(name)} {100 * count / n_rows:.2g} %" for name, count in counts[:SHOWN_COLUMNS]]
    more = f" and {len(counts) - SHOWN_COLUMNS} more columns" if len(counts) > SHOWN_COLUMNS else ""
    missing = f"missing values: {', '.join(shares)}{more}"
    if complete.is_observed:
        filled = sum(count for _, count in counts) - complete.n_dropped * complete.X.shape[1]
        cells, rows = count_of(filled, "cell"), count_of(complete.n_dropped, "row")
        how = [f"where a method needs the {cells}, they are those of the most similar row"] * (filled > 0)
        empty = [f"{rows} without any value left out"] * (complete.n_dropped > 0)
        return ("; ".join([missing, *how, *empty]),)
    if complete.n_dropped:
        rows = f"{complete.n_dropped:,} of {n_rows:,} rows"
        if sum(count for _, count in counts) == complete.n_dropped * complete.X.shape[1]:
            return (f"{missing}; {rows} without any value left out",)
        hints = ('missing="observed"', "--missing observed", '"observed" in Data')
        return (Note(*(f"{missing}; {rows} left out ({hint} uses them)" for hint in hints)),)
    filled = sum(count for _, count in counts)
    cells = count_of(filled, "cell")
    if complete.medians is None:
        return (f"{missing}; rows are compared on their observed cells",)
    return (f"{missing}; {cells} filled with the column's median, which can look like a group",)


def check_policy(policy: str) -> None:
    """Refuse the name of a policy that does not exist.

    Examples
    --------
    >>> check_policy("drop")
    """
    if not isinstance(policy, str) or policy not in (*MISSING_POLICIES, *REFUSE):
        wrong = (
            f"missing must be one of {', '.join(MISSING_POLICIES)}, got {shortened(repr(policy))}."
            f"{did_you_mean(policy, MISSING_POLICIES)}"
        )
        raise InvalidParameter(wrong).in_shell(f"--{wrong}")


def _refuse_infinite(X: CheckedRows, columns: Sequence[str], source: str) -> None:
    values = X.data if issparse(X) else X
    if not np.isinf(values).any():
        return
    is_infinite = np.isinf(X.toarray() if issparse(X) else X)
    raise InvalidData(f"{source}: {_places(is_infinite, columns, 'infinite')}. Replace or remove them first.")


def _refuse_empty(is_missing: Mask, columns: Sequence[str], source: str) -> None:
    """Refuse columns without any value: they have no median."""
    empty = np.flatnonzero(is_missing.all(axis=0))
    if empty.size:
        raise InvalidData(
            f'{source}: column "{columns[empty[0]]}" has no values, so it has no median. Leave it out.'
        )


def _refuse_sizes(X: CheckedRows, columns: Sequence[str], source: str) -> None:
    """Refuse columns whose squares overflow, or vanish although they have values."""
    if issparse(X):
        sizes = np.abs(X).max(axis=0).toarray().ravel()
    else:
        sizes = np.maximum(np.fmax.reduce(X, axis=0, initial=0.0), -np.fmin.reduce(X, axis=0, initial=0.0))
    column = int(np.argmax(sizes))
    if sizes[column] > largest_safe(X.dtype, X.shape):
        raise InvalidData(
            f'{source}: column "{columns[column]}" has values up to {float(sizes[column]):.3g}, whose '
            f"squares overflow {X.dtype}. Divide the column by a constant first."
        )
    tiny = np.flatnonzero((sizes > 0) & (sizes < smallest_safe(X.dtype)))
    if tiny.size:
        raise InvalidData(
            f'{source}: column "{columns[tiny[0]]}" has no value above {float(sizes[tiny[0]]):.3g}; their '
            f"squares vanish in {X.dtype}. Multiply the column by a constant first, or leave it out."
        )


def refusal(
    is_missing: Mask,
    columns: Sequence[str],
    source: str,
    policies: Sequence[str] = WAYS_OUT,
) -> InvalidData:
    """Return an error that names the first missing value, and the policies that would treat it."""
    fact = f"{source}: {_places(is_missing, columns, 'missing')}."
    *others, last = map(repr, policies)
    named = f"{', '.join(others)} or {last}" if others else last
    return InvalidData(f"{fact} Use missing={named}, or fill them first.").in_shell(
        f"{fact} Use --missing {'|'.join(policies)}, or fill them first."
    )


def _places(is_wrong: Mask, columns: Sequence[str], kind: str) -> str:
    counts = is_wrong.sum(axis=0)
    affected = np.flatnonzero(counts)
    rows = np.flatnonzero(is_wrong.any(axis=1)) + 1
    shown = ", ".join(str(row) for row in rows[:SHOWN]) + (" ..." if rows.size > SHOWN else "")
    where = f"row{'s' if rows.size > 1 else ''} {shown}"
    if affected.size == 1:
        count = int(counts[affected[0]])
        return f'column "{columns[affected[0]]}" has {count_of(count, f"{kind} value")} ({where})'
    named = ", ".join(f'"{columns[column]}" ({int(counts[column]):,})' for column in affected[:SHOWN])
    more = f" and {affected.size - SHOWN} more" if affected.size > SHOWN else ""
    return f"columns {named}{more} have {kind} values ({where})"


def fill_from_similar(X: Data) -> Data:
    """Return the rows with each gap filled from the most similar row that has a value.

    Rows are compared by standardised columns in which both have a value. A row that shares none with any
    other gets the column's median. The rows must have a value in every column at least once.

    Parameters
    ----------
    X : array of shape (n, d)
        NaN marks what is missing.

    Examples
    --------
    >>> fill_from_similar(np.array([[1.0, 10.0], [1.1, np.nan], [5.0, 50.0], [np.nan, 49.0]])).tolist()
    [[1.0, 10.0], [1.1, 10.0], [5.0, 50.0], [5.0, 49.0]]
    """
    if not np.isnan(X).any():
        return X
    return Donors.of(X).fill(X)


@dataclass(frozen=True, eq=False)
class Donors:
    """Rows that missing values are taken from: those with the fewest gaps."""

    rows: Data  # (n, d): the rows, in their order
    # medians, means, spreads: (d,): of the columns of all rows: what a cell gets that no donor has, and how
    # columns are standardised
    medians: Data
    means: Data
    spreads: Data

    @classmethod
    def of(cls, X: Data, most: int = MOST_DONORS) -> Donors:
        """Return the donors among some rows.

        Examples
        --------
        >>> Donors.of(np.array([[1.0, 2.0], [np.nan, 3.0]]), 1).rows.tolist()
        [[1.0, 2.0]]
        """
        order = np.argsort(np.isnan(X).sum(axis=1), kind="stable")[:most]
        means, spreads = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        return cls(X[np.sort(order)], np.nanmedian(X, axis=0), means, np.where(spreads > 0, spreads, 1.0))

    def fill(self, X: Data) -> Data:
        """Return rows with each gap filled from the most similar donor that has a value."""
        is_missing = np.isnan(X)
        filled, gappy = X.copy(), np.flatnonzero(is_missing.any(axis=1))
        donors = self._standard(self.rows)
        step = max(1, NUMBERS_AT_ONCE // len(donors))
        for first in range(0, len(gappy), step):
            rows = gappy[first : first + step]
            apart = _core.pairwise(self._standard(X[rows]), donors, OBSERVED, resolve_threads())
            for column in np.flatnonzero(is_missing[rows].any(axis=0)).tolist():
                self._fill_column(X, filled, rows, apart, column)
        return filled

    def _fill_column(self, X: Data, filled: Data, rows: Indices, apart: FloatArray, column: int) -> None:
        wants, has = np.isnan(X[rows, column]), ~np.isnan(self.rows[:, column])
        if not has.any():
            filled[rows[wants], column] = self.medians[column]
            return
        among = apart[np.ix_(wants, has)]
        nearest = np.argmin(among, axis=1)
        values = self.rows[has, column][nearest]
        is_alone = np.isinf(among[np.arange(len(nearest)), nearest])
        filled[rows[wants], column] = np.where(is_alone, self.medians[column], values)

    def _standard(self, X: Data) -> Data:
        """Return columns of mean 0 and variance 1; constant ones 0."""
        return np.ascontiguousarray((X - self.means) / self.spreads, dtype=X.dtype)
