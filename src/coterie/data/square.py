"""Tables that are a square of distances or similarities between their rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import Data
from coterie._support.validation.data import looks_like_distances
from coterie.data.table import Table
from coterie.errors import InvalidData

MOST = 20_000  # columns up to which tables are looked at


def square_columns(table: Table, *, drop: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns of numbers that the square consists of: any other names the rows."""
    kept = [name for name in table.columns if name not in drop]
    if not table.is_matrix:
        kept = [name for name in kept if table.looks[name].reason is None]
    return tuple(kept)


def square_of(table: Table, *, drop: Sequence[str] = (), what: str = "distances") -> Data:
    """Return a table as a square matrix, or say why it is not one."""
    kept = square_columns(table, drop=drop)
    if len(kept) != table.n_rows:
        has_numbers_for_names = not table.has_names and table.n_rows == len(kept) + 1
        hint = " If line 1 names the columns, say --header." if has_numbers_for_names else ""
        raise InvalidData(
            f"{table.source}: a square of {what} has as many columns of numbers as rows, "
            f"got {len(kept)} columns and {table.n_rows} rows.{hint}"
        )
    matrix = table.matrix(kept, keep=kept)
    return np.asarray(matrix.toarray() if issparse(matrix) else matrix)


def names_of_square(table: Table, columns: Sequence[str]) -> list[str]:
    """Return what the rows of a square are called: by another column, by its header, or by number."""
    others = [] if table.is_matrix else [name for name in table.columns if name not in columns]
    if others:
        return [str(value) for value in table.content[others[0]].to_list()]
    return list(columns) if table.has_names else [str(row + 1) for row in range(table.n_rows)]


def refuse_distances(table: Table) -> None:
    """Refuse a table that looks like distances where rows of features are expected."""
    if table.n_rows > MOST or table.n_rows > len(table.columns):
        return
    columns = square_columns(table)
    if len(columns) != table.n_rows:
        return
    if not looks_like_distances(square_of(table)):
        return
    size = f"{table.n_rows:,} x {table.n_rows:,}"
    fact = f"{table.source}: a symmetric {size} table with a zero diagonal looks like distances."
    features = "If these are features, leave one column out or add a constant one."
    raise InvalidData(f"{fact} If so, use distance='precomputed'. {features}").in_shell(
        f"{fact} If so, use --distance precomputed. {features}"
    )
