"""What is asked of a table before its rows are grouped: enough rows, classes to compare with, dense cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from coterie._printing import count_of, listed
from coterie._support.typing import AnyArray
from coterie.cluster import find_method
from coterie.data import PreparedRows, Table, prepare_rows
from coterie.data.categories import is_category, is_yes_no
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput, did_you_mean
from coterie.pipeline.request import HAVERSINE, TAKE_CATEGORIES, FitRequest

LEAST_ROWS = 4  # to compare methods on
MOST_DENSE = 512 * 2**20  # bytes of a sparse matrix that is made dense


def prepare_table(
    table: Table,
    request: FitRequest,
    *,
    drop: Sequence[str] = (),
    scale: str | None = None,
    categories: bool = False,
    associated: bool = False,
) -> PreparedRows:
    """Return the rows of a table as a request has them prepared; `drop` names more columns to leave out."""
    return prepare_rows(
        table,
        scale=request.scaling if scale is None else scale,
        columns=request.columns,
        drop=[*request.drop, *drop],
        keep=request.keep,
        missing=request.missing,
        categories=categories,
        associated=associated,
        places=request.wanted_places,
        as_angles=request.distance == HAVERSINE,
    )


def columns_not_taken(table: Table, request: FitRequest) -> tuple[list[str], str]:
    """Return the columns that the methods asked for cannot use beside others, and a note on them.

    Methods for numbers, and distances of numbers, take no categories; k-modes takes nothing else.
    """
    if table.is_matrix or request.is_precomputed:
        return [], ""
    truth = request.truth if isinstance(request.truth, str) else None  # or a class per row
    left = [name for name in table.columns if name not in request.drop and name != truth]
    if request.columns:
        left = [name for name in left if name in request.columns]
    texts = [name for name in left if is_category(table.looks[name])]
    if not texts:
        return [], ""
    if request.takes_categories:
        if request.methods != ("kmodes",):
            return [], ""
        numbers = [name for name in left if table.looks[name].numbers is not None]
        return [name for name in numbers if not is_yes_no(table.looks[name])], ""
    has_others = any(is_plain_number(table, name) for name in left if name not in texts)
    kept = [name for name in texts if name in (*request.columns, *request.keep) or not has_others]
    texts = kept or texts
    who = f"{request.distance} distance" if request.distance is not None else ""
    titles = [find_method(name).title for name in request.methods or () if name not in TAKE_CATEGORIES]
    who = who or " and ".join(titles)
    what = "categories, which are" if len(texts) > 1 else "a category, which is"
    note = f"{listed(texts)}: {what} not used by {who}; k-prototypes, latent classes or gower use them"
    if kept:
        raise InvalidParameter(f"{table.source}: {note}.")
    return [], note


def note_on_categories(table: Table, request: FitRequest, who: str, remedy: str) -> str:
    """Return a note on categories of a table that are not used, and what uses them; nothing without any."""
    if table.is_matrix:
        return ""
    texts = [
        name
        for name in table.columns
        if name not in request.drop
        and (not request.columns or name in request.columns)
        and is_category(table.looks[name])
    ]
    if not texts:
        return ""
    what, them = ("categories, which are", "them") if len(texts) > 1 else ("a category, which is", "it")
    return f"{listed(texts)}: {what} not used by {who}; {remedy} {them}"


def is_plain_number(table: Table, name: str) -> bool:
    """Return whether nothing but a method speaks against a column of numbers, which may be constant."""
    return table.looks[name].reason_to_leave_out(is_kept=False) in (None, "constant")


def check_rows(request: FitRequest, n_rows: int, source: str, *, n_dropped: int = 0) -> None:
    """Refuse more groups than rows, or too few rows."""
    which = " without missing values" if n_dropped else ""
    if n_rows < LEAST_ROWS and not request.is_settled:
        raise InvalidData(f"{source}: coterie.fit needs at least {LEAST_ROWS} rows, got {n_rows}.").in_shell(
            f"{source}: has {count_of(n_rows, 'row')}{which}; choosing groups takes at least {LEAST_ROWS}. "
            f"--method kmeans -k 2 makes two all the same."
        )
    if request.ks is not None and request.ks[-1] > n_rows:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {n_rows}, the rows{which}, got {request.ks[-1]}."
        ).in_shell(f"{source}: -k must be at most {n_rows}, its rows{which}, got {request.ks[-1]}.")


def classes_of(table: Table, truth: object) -> tuple[AnyArray | None, list[str]]:
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
            f"than {MOST_DENSE // 2**20}. Use fewer columns, or coterie.cluster.KMeans in Python."
        )
    return replace(table, content=np.asarray(table.content.toarray(), dtype=np.float64))
