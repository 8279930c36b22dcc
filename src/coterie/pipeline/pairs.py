"""Pairs of rows that must be together, or apart: read by row number or key, for the rows of a fit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coterie._printing import count_of, shortened
from coterie._support.typing import Indices
from coterie.data import Table, read_table
from coterie.errors import EmptyFile, InvalidParameter, did_you_mean
from coterie.pipeline.request import FitRequest

SETTING = {"together": "must_link", "apart": "cannot_link"}
NAMES_BESIDE = 5_000  # keys among which a misspelled one is looked for


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of rows of a table: their names, as they were given, and their numbers from 0."""

    names: tuple[tuple[str, str], ...]
    rows: Indices  # (n_pairs, 2)
    key: str | None  # the column that they were found by; None: row numbers


def with_pairs(request: FitRequest, table: Table, kept: Indices) -> FitRequest:
    """Return the request with pairs as settings of its methods, and notes on how they were read.

    Parameters
    ----------
    request : FitRequest
        With `together` or `apart`.
    table : Table
        Whose rows they name.
    kept : array of int
        Rows of the table that are grouped.
    """
    given = {option: read_pairs(value, table, option) for option, value in request.pairs.items()}
    _refuse_contradictions(given, table.n_rows)
    place = np.full(table.n_rows, -1)
    place[kept] = np.arange(len(kept))
    settings, notes = dict(request.settings), []
    for option, pairs in given.items():
        moved = place[pairs.rows]
        is_there = (moved >= 0).all(axis=1)
        settings[SETTING[option]] = moved[is_there].tolist()
        how = "row number" if pairs.key is None else f"{shortened(pairs.key)}"
        left = int((~is_there).sum())
        gone = f"; {left:,} with rows that were left out are not used" if left else ""
        count = count_of(len(pairs.rows), "pair")
        notes.append(f"{count} {option}, by {how}{gone}")
    return replace(request, settings=settings, notes=(*request.notes, *notes))


def read_pairs(given: object, table: Table, option: str) -> Pairs:
    """Return pairs of rows from a file of two columns, a frame, or a sequence of pairs.

    In a file or a frame, names are keys of the table, or row numbers from 1; in a sequence, whole numbers are
    row numbers from 0, as in arrays, and everything else is a key.
    """
    is_table = isinstance(given, str | os.PathLike) or hasattr(given, "columns")
    cells = _cells_of_table(given, table, option) if is_table else _cells_of_sequence(given, option)
    if not is_table and all(isinstance(cell, int | np.integer) for pair in cells for cell in pair):
        rows = _numbers([(str(a), str(b)) for a, b in cells], table.n_rows, first=0)
        if rows is None:
            raise InvalidParameter(
                f"{option} of coterie.fit must name rows from 0 to {table.n_rows - 1}, got "
                f"{next(c for pair in cells for c in pair if not 0 <= c < table.n_rows)}."
            )
        return Pairs(tuple((f"row {a}", f"row {b}") for a, b in cells), rows, None)
    names = tuple((_text(a), _text(b)) for a, b in cells)
    for key in _keys(table):
        found = _by_key(names, table, key)
        if found is not None:
            return Pairs(names, found, key)
    rows = _numbers(names, table.n_rows, first=1)
    if rows is not None:
        return Pairs(tuple((f"row {a}", f"row {b}") for a, b in names), rows, None)
    raise _unknown(names, table, option)


def _cells_of_table(given: Any, table: Table, option: str) -> list[tuple[Any, Any]]:
    source = _read_file(given) if isinstance(given, str | os.PathLike) else None
    frame = given if source is None else source.content
    columns = list(frame.columns) if source is None else list(source.columns)
    if source is not None and source.is_matrix:
        frame = {name: np.asarray(source.content)[:, at] for at, name in enumerate(columns)}
    if len(columns) != 2:
        what = "the pairs" if source is None else source.source
        raise InvalidParameter(
            f"{what}: {option} needs two columns, one row for each pair, got {len(columns)}."
        ).in_shell(f"{what}: --{option} needs two columns, one row for each pair, got {len(columns)}.")
    first, second = ([*frame[name]] for name in columns)
    cells = [*zip(first, second, strict=True)]
    # the first pair of a file without a header may have been taken for one
    if source is None or not source.has_names or not _are_rows(columns, table):
        return cells
    return [(columns[0], columns[1]), *cells]


def _read_file(path: str | os.PathLike[str]) -> Table:
    try:
        return read_table(path)
    except EmptyFile:
        return read_table(path, header=False)  # one line is a pair, not a header


def _are_rows(names: Sequence[str], table: Table) -> bool:
    """Return whether names of columns are row numbers or keys: then they are the first pair."""
    if all(name.isdecimal() for name in names):
        return True
    return any(set(names) <= {_text(value) for value in table.content[key]} for key in _keys(table))


def _cells_of_sequence(given: Any, option: str) -> list[tuple[Any, Any]]:
    try:
        pairs = [tuple(pair) for pair in given]
    except TypeError:
        pairs = [()]
    if not all(len(pair) == 2 for pair in pairs) or any(isinstance(pair, str) for pair in given):
        raise InvalidParameter(
            f"{option} of coterie.fit must be pairs of row numbers or keys, or a file of two columns, got "
            f"{shortened(repr(given))}."
        )
    return [(pair[0], pair[1]) for pair in pairs]


def _text(cell: Any) -> str:
    is_whole = isinstance(cell, float | np.floating) and cell == int(cell) if cell == cell else False
    return str(int(cell)) if is_whole else str(cell).strip()


def _keys(table: Table) -> tuple[str, ...]:
    """Return the columns whose values name one row each, keys first."""
    if table.is_matrix:
        return ()
    others = [name for name in table.columns if name not in table.key_columns()]
    unique = [name for name in others if table.content[name].n_unique() == table.n_rows]
    is_text = [table.looks[name].numbers is None for name in unique]  # money, say, is written as text
    texts = [
        name
        for name, is_name in zip(unique, is_text, strict=True)
        if is_name and str(table.content[name].dtype) == "String"
    ]
    return (*table.key_columns(), *texts)


def _by_key(names: Sequence[tuple[str, str]], table: Table, key: str) -> Indices | None:
    place = {_text(value): row for row, value in enumerate(table.content[key])}
    if not all(name in place for pair in names for name in pair):
        return None
    return np.array([[place[a], place[b]] for a, b in names], dtype=np.intp).reshape(-1, 2)


def _numbers(names: Sequence[tuple[str, str]], n_rows: int, *, first: int) -> Indices | None:
    if not all(name.isdecimal() and first <= int(name) < n_rows + first for pair in names for name in pair):
        return None
    return np.array([[int(a) - first, int(b) - first] for a, b in names], dtype=np.intp).reshape(-1, 2)


def _unknown(names: Sequence[tuple[str, str]], table: Table, option: str) -> InvalidParameter:
    keys = _keys(table)
    known = {_text(value) for key in keys for value in table.content[key]}
    places = [(at, name) for at, pair in enumerate(names) for name in pair]
    is_number = [name.isdecimal() and 1 <= int(name) <= table.n_rows for _, name in places]
    strange = [
        place for place, number in zip(places, is_number, strict=True) if place[1] not in known and not number
    ]
    at, name = next(iter([*strange, *(place for place in places if place[1] not in known), places[0]]))
    near = did_you_mean(name, sorted(known)) if len(known) <= NAMES_BESIDE else ""
    by = f"a key ({', '.join(map(shortened, keys))}) or " if keys else ""
    neither = "neither" if by else "not"
    fact = (
        f'pair {at + 1} names "{shortened(name)}", which is {neither} {by}a row number from 1 to '
        f"{table.n_rows:,}.{near}"
    ).replace(") or a", ") nor a")
    return InvalidParameter(f"{table.source}: {option}: {fact}").in_shell(
        f"{table.source}: --{option}: {fact}"
    )


def _refuse_contradictions(given: dict[str, Pairs], n_rows: int) -> None:
    """Refuse pairs that must be apart and together, also through other rows, by their names."""
    together, apart = given.get("together"), given.get("apart")
    if apart is None:
        return
    links = np.empty((0, 2), dtype=np.intp) if together is None else together.rows
    graph = coo_array((np.ones(len(links)), links.T), shape=(n_rows, n_rows))
    group = connected_components(graph, directed=False)[1]
    for (a, b), (i, j) in zip(apart.names, apart.rows, strict=True):
        if i == j:
            raise InvalidParameter(f'apart must name two different rows, got "{a}" twice.')
        if group[i] == group[j]:
            is_direct = (np.sort(links, axis=1) == sorted((i, j))).all(axis=1).any()
            through = "" if is_direct else " through other rows"
            pair = f'"{a}" and "{b}" must not be together'
            raise InvalidParameter(
                f"apart says that {pair}, together says that they must{through}."
            ).in_shell(f"--apart says that {pair}, --together says that they must{through}.")
