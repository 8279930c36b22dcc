"""Rows ready to be clustered: columns chosen, missing values settled, scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import Indices
from coterie.data.columns import ColumnChoice, check_names
from coterie.data.missing import Complete, settle_missing
from coterie.data.scaling import AUTO, SCALINGS, Scaling, fit_scaling
from coterie.data.table import Table
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

NOT_NAMED = "not named"  # why a column is left out where the columns to use are named


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A table ready to be clustered.

    Parameters
    ----------
    table : Table
        Where the rows come from.
    choice : ColumnChoice
        The columns used, and those left out.
    complete : Complete
        Their values without missing ones.
    scaling : Scaling
        How they were scaled.
    points : array or CSR matrix
        The scaled values.
    """

    table: Table
    choice: ColumnChoice
    complete: Complete
    scaling: Scaling
    points: Any

    @property
    def rows(self) -> Indices:
        """Rows of the table that are left, counted from 0."""
        return self.complete.rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the table."""
        if self.complete.n_dropped:
            missing: tuple[str, ...] = (f"rows with missing values left out: {self.complete.n_dropped:,}",)
        else:
            filled = self.complete.medians is not None
            missing = ("missing values filled with the column's median",) if filled else ()
        return (*self.table.notes, *missing)

    def missing_counts(self) -> list[tuple[str, int]]:
        """Return the columns used that lack values, and in how many rows of the table, the most first."""
        X = self.table.matrix(self.choice.used)
        if issparse(X):
            return []
        counts = np.isnan(X).sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        return [(self.choice.used[at], int(counts[at])) for at in order.tolist() if counts[at]]


def prepare_rows(
    table: Table,
    *,
    scale: str = AUTO,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
) -> PreparedRows:
    """Choose columns, settle missing values and scale.

    Parameters
    ----------
    table : Table
        From `read_table` or `as_table`.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        See `fit_scaling`.
    columns : sequence of str
        The only columns to use; none: all that can be used.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values.
    """
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; groups need at least two.")
    choice = choose_named(table, columns, drop, keep)
    complete = settle_missing(table.matrix(choice.used), choice.used, policy=missing, source=table.source)
    scaling = fit_scaling(complete.X, scale)
    return PreparedRows(table, choice, complete, scaling, scaling.apply(complete.X))


def choose_named(
    table: Table, columns: Sequence[str], drop: Sequence[str], keep: Sequence[str]
) -> ColumnChoice:
    """Choose columns; where some are named, those alone, and they are kept although constant or a key."""
    check_names(table.source, table.columns, columns)
    others = [name for name in table.columns if columns and name not in columns and name not in drop]
    kept = [*keep, *(name for name in columns if name not in drop)]
    choice = table.choose(drop=[*drop, *others], keep=kept)
    for name in others:
        choice = choice.renamed_reason(name, NOT_NAMED)
    return choice


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
