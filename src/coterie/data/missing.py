"""What to do about missing values: refuse, drop the rows, or fill in the median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import FloatArray, Indices
from coterie._support.validation import largest_safe, smallest_safe
from coterie._support.validation.schema import COUNT, Maybe, Schema, Tensor
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

MISSING_POLICIES = ("error", "drop", "median")
SHOWN = 3


@dataclass(frozen=True)
class Complete:
    """A matrix without holes, the rows of the table it comes from, and the medians that filled it."""

    _schema: ClassVar[Schema] = {
        "X": Tensor("rows", "columns", sparse=True, may_be_empty=True),
        "rows": Tensor("rows", kind="i8", low=0),
        "n_rows_in_table": COUNT,
        "medians": Maybe(Tensor("columns", kind="f8", allow="nan")),
    }

    X: Any
    rows: Indices
    n_rows_in_table: int
    medians: FloatArray | None

    @property
    def n_dropped(self) -> int:
        """How many rows were left out."""
        return self.n_rows_in_table - len(self.rows)


def settle_missing(
    X: Any,
    columns: Sequence[str],
    *,
    policy: str = "error",
    source: str = "the data",
    medians: FloatArray | None = None,
) -> Complete:
    """Return the matrix without missing values, by one of the policies.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_columns)
        NaN marks what is missing.
    columns : sequence of str
        Names for messages.
    policy : {"error", "drop", "median"}
        Refuse, leave out the rows, or fill in each column's median.
    source : str
        Name of the table in messages.
    medians : array of shape (n_columns,), default=None
        Fill with these instead of the medians of `X`: what an earlier fit used.

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
    if policy == "error":
        raise _refusal(is_missing, columns, source)
    if policy == "drop":
        kept = np.flatnonzero(~is_missing.any(axis=1))
        if kept.size == 0:
            raise InvalidData(
                f"{source}: every row has a missing value: nothing is left after dropping them."
            )
        return Complete(np.ascontiguousarray(X[kept]), kept, n_rows, None)
    if medians is None:
        _refuse_empty(is_missing, columns, source)
        medians = np.nanmedian(X, axis=0).astype(X.dtype)
    return Complete(np.where(is_missing, medians, X), everything, n_rows, medians)


def check_policy(policy: str) -> None:
    """Refuse the name of a policy that does not exist.

    Examples
    --------
    >>> check_policy("drop")
    """
    if policy not in MISSING_POLICIES:
        wrong = (
            f"missing must be one of {', '.join(MISSING_POLICIES)}, got {policy!r}."
            f"{did_you_mean(policy, MISSING_POLICIES)}"
        )
        raise InvalidParameter(wrong).in_shell(f"--{wrong}")


def _refuse_infinite(X: Any, columns: Sequence[str], source: str) -> None:
    values = X.data if issparse(X) else X
    if not np.isinf(values).any():
        return
    is_infinite = np.isinf(X.toarray() if issparse(X) else X)
    raise InvalidData(f"{source}: {_places(is_infinite, columns, 'infinite')}. Replace or remove them first.")


def _refuse_empty(is_missing: Any, columns: Sequence[str], source: str) -> None:
    """Refuse columns without any value: they have no median."""
    empty = np.flatnonzero(is_missing.all(axis=0))
    if empty.size:
        raise InvalidData(
            f'{source}: column "{columns[empty[0]]}" has no values, so it has no median. Leave it out.'
        )


def _refuse_sizes(X: Any, columns: Sequence[str], source: str) -> None:
    """Refuse columns whose squares overflow, or vanish although they have values."""
    sizes: Any = np.abs(X).max(axis=0) if issparse(X) else np.nanmax(np.abs(X), axis=0, initial=0.0)
    sizes = sizes.toarray().ravel() if issparse(sizes) else sizes
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


def _refusal(is_missing: Any, columns: Sequence[str], source: str) -> InvalidData:
    fact = f"{source}: {_places(is_missing, columns, 'missing')}."
    return InvalidData(f"{fact} Use missing='drop' or 'median', or fill them first.").in_shell(
        f"{fact} Use --missing drop|median, or fill them first."
    )


def _places(is_wrong: Any, columns: Sequence[str], kind: str) -> str:
    counts = is_wrong.sum(axis=0)
    affected = np.flatnonzero(counts)
    rows = np.flatnonzero(is_wrong.any(axis=1)) + 1
    shown = ", ".join(str(row) for row in rows[:SHOWN]) + (" ..." if rows.size > SHOWN else "")
    where = f"row{'s' if rows.size > 1 else ''} {shown}"
    if affected.size == 1:
        count = int(counts[affected[0]])
        return (
            f'column "{columns[affected[0]]}" has {count:,} {kind} value{"s" if count > 1 else ""} ({where})'
        )
    named = ", ".join(f'"{columns[column]}" ({int(counts[column]):,})' for column in affected[:SHOWN])
    more = f" and {affected.size - SHOWN} more" if affected.size > SHOWN else ""
    return f"columns {named}{more} have {kind} values ({where})"
