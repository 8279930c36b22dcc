"""Rows of the table as the page shows them: pages of cells, single columns as numbers or codes."""

from __future__ import annotations

import numpy as np

from coterie._printing import shortened, visible
from coterie._support.typing import AnyArray, FloatArray, Indices, JsonObject
from coterie.data import Table
from coterie.data.categories import texts_of
from coterie.errors import InvalidParameter, did_you_mean
from coterie.workbook.state import State

MOST_ROWS_OF_PAGE = 1_000
MOST_CODES = 200
LONGEST_CELL = 200


def check_column(table: Table, name: object) -> str:
    """Return the name of a column, or offer the nearest."""
    if not isinstance(name, str) or name not in table.columns:
        near = did_you_mean(name, table.columns[:1_000])
        raise InvalidParameter(f'{table.source}: there is no column "{shortened(name)}".{near}')
    return name


def numbers_of(table: Table, name: str) -> FloatArray | None:
    """Return a column as numbers, NaN where there is none; None: it holds no numbers."""
    if table.is_matrix:
        return np.asarray(table.content[:, table.columns.index(name)], dtype=np.float64).ravel()
    if table.looks[name].numbers is None:
        return None
    found: FloatArray = table.matrix([name])[:, 0].astype(np.float64)
    return found


def coded_column(table: Table, name: str) -> tuple[FloatArray, JsonObject]:
    """Return a column as numbers, or as codes of its most frequent texts, and what they mean."""
    numbers = numbers_of(table, name)
    if numbers is not None:
        known = numbers[np.isfinite(numbers)]
        ends = [float(known.min()), float(known.max())] if known.size else [None, None]
        return numbers, {"name": name, "kind": "number", "least": ends[0], "greatest": ends[1]}
    texts = texts_of(table.content[name]).fill_null("").alias("value")
    counts = texts.value_counts().sort(["count", "value"], descending=[True, False])
    names = [str(one) for one in counts["value"].to_list()[:MOST_CODES]]
    place = {one: at for at, one in enumerate(names)}
    codes = np.array([place.get(one, np.nan) for one in texts.to_list()])
    n_hidden = max(0, counts.height - MOST_CODES)
    return codes, {"name": name, "kind": "category", "names": names, "hidden": n_hidden}


def page_of_rows(state: State, rows: Indices, offset: int, limit: int, sort: object) -> JsonObject:
    """Return a page of the table: cells as text, numbers of rows, and how many there are."""
    table = state.data.table
    if sort is not None:
        rows = _sorted(state, rows, sort)
    shown = rows[offset : offset + limit]
    return {
        "total": len(rows),
        "columns": list(table.columns),
        "cells": cells_of(table, shown),
        "rows": shown.tolist(),
        "labels": state.labels[shown].tolist(),
    }


def _sorted(state: State, rows: Indices, sort: object) -> Indices:
    if not isinstance(sort, dict) or not set(sort) <= {"column", "descending"}:
        raise InvalidParameter('sort must be {"column": NAME, "descending": true or false}.')
    table, name = state.data.table, sort.get("column")
    if name == "group" and "group" not in table.columns:
        values: AnyArray = state.labels[rows]
    else:
        name = check_column(table, name)
        numbers = numbers_of(table, name)
        texts = (
            None if numbers is not None else np.array(texts_of(table.content[name]).fill_null("").to_list())
        )
        values = texts[rows] if texts is not None else numbers[rows]  # type: ignore[index]
    order = np.argsort(values, kind="stable")
    return rows[order[::-1] if sort.get("descending") else order]


def cells_of(table: Table, rows: Indices) -> list[list[str]]:
    """Return cells as text, nothing where a value is missing."""
    if table.is_matrix:
        return [[_number(value) for value in row] for row in np.asarray(table.content[rows]).tolist()]
    content = table.content[rows]
    return [[_text(value) for value in row] for row in content.iter_rows()]


def _number(value: float) -> str:
    return "" if value != value else f"{value:.6g}"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _number(value)
    return shortened(visible(str(value)), LONGEST_CELL)
