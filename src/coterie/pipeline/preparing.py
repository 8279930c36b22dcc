"""From what a user gives to points: the classes aside, columns chosen and scaled, rows drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie.data import Table
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput, did_you_mean
from coterie.pipeline.describe import Prepared, prepare_table
from coterie.pipeline.judge.rounding import FEW_ROWS
from coterie.pipeline.recipe import usual_scale
from coterie.pipeline.request import Asked

ONE_SCALE = 5.0  # columns whose spreads differ by no more are taken to be in one unit, and left as they are
HARDLY_VARY = 0.25  # of many columns in one unit so many may hardly vary: the borders of pictures, rare words
LEAST_ROWS = 4
FEW_COPIES = 0.1  # of the rows: so many change no density
SHARED = 0.9  # of the different rows that a column which is not rounded tells apart
MOST_DENSE = 512 * 2**20  # bytes of a sparse matrix that is made dense


def classes_of(table: Table, truth: Any) -> tuple[Any, list[str]]:
    """Return the class of each row, and the column to leave out because it holds them."""
    if truth is None:
        return None, []
    if isinstance(truth, str):
        if truth not in table.columns:
            near = did_you_mean(truth, table.columns)
            raise InvalidParameter(f'{table.source}: no column "{truth}" to compare with.{near}')
        if table.is_matrix:
            return np.asarray(table.content)[:, table.columns.index(truth)], [truth]
        return np.array([str(value) for value in table.content[truth]]), [truth]
    classes = np.asarray(truth)
    if classes.shape != (table.n_rows,):
        raise InvalidData(f"truth must have one class per row, {table.n_rows}, got shape {classes.shape}.")
    return classes, []


def dense(table: Table) -> Table:
    """Return the table with a sparse matrix made dense, where that takes little memory."""
    if not issparse(table.content):
        return table
    n_bytes = 8 * table.content.shape[0] * table.content.shape[1]
    if n_bytes > MOST_DENSE:
        raise UnsupportedInput(
            f"{table.source}: coterie.fit makes sparse matrices dense up to {MOST_DENSE // 2**20} MiB, this "
            f"one would take {n_bytes / 2**20:,.0f}. Use coterie.cluster.KMeans, which takes sparse ones, or "
            "fewer columns (sklearn.decomposition.TruncatedSVD)."
        ).in_shell(
            f"{table.source}: a sparse matrix that would take {n_bytes / 2**20:,.0f} MiB when dense, more "
            f"than {MOST_DENSE // 2**20}. Use --method kmeans -k N, or fewer columns."
        )
    return replace(table, content=np.asarray(table.content.toarray(), dtype=np.float64))


def column_names(names: str | Sequence[str]) -> list[str]:
    """Return the names of columns; one may be given by itself."""
    return [names] if isinstance(names, str) else list(names)


def prepare(table: Table, asked: Asked, drop: Sequence[str], keep: Sequence[str], missing: str) -> Prepared:
    """Return the data ready to be clustered; "auto" scales columns only if their spreads differ much."""
    scale = "none" if asked.scale is None else asked.scale
    prepared = prepare_table(table, scale=scale, drop=drop, keep=keep, missing=missing)
    n_rows = len(prepared.complete.rows)
    if n_rows < LEAST_ROWS:
        raise InvalidData(f"{table.source}: coterie.fit needs at least {LEAST_ROWS} rows, got {n_rows}.")
    if asked.ks is not None and asked.ks[-1] > n_rows:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {n_rows}, the rows, got {asked.ks[-1]}."
        ).in_shell(f"{table.source}: -k must be at most {n_rows}, its rows, got {asked.ks[-1]}.")
    may_scale = asked.scale is None and usual_scale(asked.distance) != "none"
    if may_scale and differ_in_scale(prepared.complete.X.std(axis=0, dtype=np.float64)):
        prepared = prepare_table(table, scale="standard", drop=drop, keep=keep, missing=missing)
    return prepared


def differ_in_scale(spreads: Any) -> bool:
    """Return whether columns with these standard deviations are in different units."""
    spreads = np.sort(np.asarray(spreads))
    spreads = spreads[spreads > 0]
    small = spreads[int(HARDLY_VARY * (spreads.size - 1))] if spreads.size else 0.0
    return bool(spreads.size and spreads[-1] > ONE_SCALE * small)


def sample_rows(prepared: Prepared, asked: Asked, seed: int) -> Any:
    """Return the rows that methods are compared on, in order: without copies, up to the budget."""
    rows = without_copies(prepared.points)
    if asked.ks is not None and asked.ks[-1] > len(rows):
        rows = np.arange(len(prepared.points))
    if len(rows) <= asked.budget.rows:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, asked.budget.rows, replace=False))


def without_copies(X: Any) -> Any:
    """Return the rows to judge by: the first of equal ones, unless rounding made them equal.

    A row that was copied (by a join, by drawing with replacement) is one observation. Where every column has
    values that different rows share, equal rows are what rounding makes of near ones, and stay.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> len(without_copies(np.repeat(X, 6, axis=0))), len(without_copies(np.repeat(X.round(), 6, axis=0)))
    (50, 300)
    """
    everything = np.arange(len(X))
    codes = (X * np.random.default_rng(0).uniform(1.0, 2.0, X.shape[1])).sum(axis=1)
    first = np.sort(np.unique(codes, return_index=True)[1])
    if len(first) > (1.0 - FEW_COPIES) * len(X) or len(first) <= FEW_ROWS:
        return everything
    rows = X[first]
    return first if any(len(np.unique(column)) > SHARED * len(rows) for column in rows.T) else everything


def points_of(prepared: Prepared, rows: Any, asked: Asked) -> Any:
    """Return the points to compare methods on; of more columns than rows, turned so that few are left.

    Any n points lie in n - 1 dimensions: Euclidean distances do not change.
    """
    points = np.ascontiguousarray(prepared.points[rows])
    n_rows, n_columns = points.shape
    if n_columns <= n_rows or asked.distance is not None:
        return points
    centred = points - points.mean(axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred @ centred.T)
    kept = variances > variances[-1] * np.finfo(np.float64).eps * n_rows
    turned = axes[:, kept] * np.sqrt(variances[kept])
    return np.ascontiguousarray(turned if kept.any() else points[:, :1])
