"""Pairs of rows that must be together, or apart: read by row number or key, for the rows of a fit."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coterie._printing import count_of, shortened
from coterie._support.optional import require
from coterie._support.typing import Indices, PolarsSeries
from coterie.data import ColumnReading, PreparedRows, Table, read_table
from coterie.data.frames import materialised
from coterie.data.schema import is_text
from coterie.errors import EmptyFile, InvalidParameter, UnmetConstraints, did_you_mean
from coterie.pipeline.request import FitRequest

SETTING = {"together": "must_link", "apart": "cannot_link"}
NAMES_BESIDE = 5_000  # keys among which a misspelled one is looked for
SHOWN = 3  # rows of a key that is not one
ROW = "row"
_SUFFIX = re.compile(r"[ _.]?([0-9]|[abxy]|left|right)$", re.IGNORECASE)  # of the two columns of one key

Names: TypeAlias = Sequence[tuple[str, str]]
Places: TypeAlias = dict[str, list[int]]  # the rows of a name, counted from 0


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


def as_given(
    error: UnmetConstraints, request: FitRequest, prepared: PreparedRows, fitted: Indices
) -> InvalidParameter:
    """Return an error about sizes or pairs in the words of the request: with its names of the rows.

    Parameters
    ----------
    error : UnmetConstraints
        Whose rows are numbers of those fitted.
    request : FitRequest
        With `together` or `apart`, or sizes.
    prepared : PreparedRows
        The rows that are grouped.
    fitted : array of int
        Which of them were fitted.
    """
    table, kept = prepared.table, prepared.rows
    if error.option is not None and error.option in request.pairs:
        pairs = read_pairs(request.pairs[error.option], table, error.option)
        name_of = {
            int(row): name
            for names, rows in zip(pairs.names, pairs.rows, strict=True)
            for name, row in zip(names, rows, strict=True)
        }
        names = [f'"{shortened(name_of[int(kept[fitted[row]])])}"' for row in error.rows]
        listed = " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
        fact = f"{table.source}: {{}}: {listed} {error.reason}. {{}} or leave out a pair."
        larger = {"apart": ("Raise k", "Raise -k"), "together": ("Raise size_max", "Raise --sizes")}
        in_python, in_shell = larger[error.option]
        return InvalidParameter(fact.format(error.option, in_python)).in_shell(
            fact.format(f"--{error.option}", in_shell)
        )
    if len(kept) == table.n_rows:
        return error
    left = f"{table.n_rows - len(kept):,} of {table.n_rows:,} rows are left out for missing values"
    return InvalidParameter(f'{error} {left}; missing="observed" uses them.').in_shell(
        f"{error.shell_text or error} {left}; --missing observed uses them."
    )


def read_pairs(given: object, table: Table, option: str) -> Pairs:
    """Return pairs of rows from a file of two columns, a frame, or a sequence of pairs.

    In a file or a frame, names are keys of the table, or row numbers from 1; columns called like one of the
    table, or "row", say which. In a sequence, whole numbers are row numbers from 0, as in arrays, and
    everything else is a key.
    """
    given = materialised(given)
    if isinstance(given, str | os.PathLike) or hasattr(given, "columns"):
        header, cells = _cells_of_table(given, table, option)
    else:
        header, cells = [], _cells_of_sequence(given, option)
        if all(isinstance(cell, int | np.integer) for pair in cells for cell in pair):
            return _counted_from_0(cells, table, option)
    names = [(_text(a), _text(b)) for a, b in cells]
    key, places = _find(names, table, _named_by(header, table), option)
    rows = np.array([[places[a][0], places[b][0]] for a, b in names], dtype=np.intp).reshape(-1, 2)
    told = [(f"row {a}", f"row {b}") for a, b in names] if key == ROW else names
    return Pairs(tuple(told), rows, None if key == ROW else key)


def _counted_from_0(cells: Sequence[tuple[Any, Any]], table: Table, option: str) -> Pairs:
    strange = next((cell for pair in cells for cell in pair if not 0 <= cell < table.n_rows), None)
    if strange is not None:
        keys = [key for tier in _tiers(table) for key in tier if _places(table, key, {_text(strange)})]
        way_out = f' For values of {keys[0]} write texts: ("{strange}", ...).' if keys else ""
        raise InvalidParameter(
            f"{option} of coterie.fit must name rows from 0 to {table.n_rows - 1}, got {strange}.{way_out}"
        )
    rows = np.array(cells, dtype=np.intp).reshape(-1, 2)
    return Pairs(tuple((f"row {a}", f"row {b}") for a, b in cells), rows, None)


def _find(names: Names, table: Table, named: str | None, option: str) -> tuple[str, Places]:
    """Return what names the rows, and the rows of each name: keys come before other columns and numbers."""
    lacking = next((at for at, pair in enumerate(names) if "" in pair), None)
    if lacking is not None:
        raise _refused(f"pair {lacking + 1} lacks a name.", table, option)
    wanted = {name for pair in names for name in pair}
    numbers = {name: [int(name) - 1] for name in wanted if _is_row_number(name, table.n_rows)}
    tiers = _tiers(table) if named is None else [[] if named == ROW else [named]]
    are_keys = False  # some names are keys: then the others are not row numbers
    for at, tier in enumerate(tiers):
        found = {key: _places(table, key, wanted) for key in tier}
        is_last = at == len(tiers) - 1
        are_keys |= not is_last and any(found.values())
        if is_last and not are_keys and named in (None, ROW):
            found[ROW] = numbers
        whole = {key: places for key, places in found.items() if len(places) == len(wanted)}
        sure = {key: places for key, places in whole.items() if all(len(one) == 1 for one in places.values())}
        if sure:
            key, places = next(iter(sure.items()))
            other = next((other for other, rows in sure.items() if rows != places), None)
            if other is not None:
                both = f"the names are {_values_of(key)} and {_values_of(other)}, of other rows."
                raise _refused(f"{both} {_headed(key, other)}", table, option)
            return key, places
        if whole:
            raise _repeated(names, *next(iter(whole.items())), table, option)
    raise _unknown(names, table, tiers, named, option)


def _tiers(table: Table) -> list[list[str]]:
    """Return the columns that may name rows: keys, other texts, counted rows, other whole numbers."""
    if table.is_matrix:
        return [[]]
    polars = require("polars", extra="cli", purpose="Reading tables")
    counted = [
        key
        for key in table.key_columns()
        if table.looks[key].reason_to_leave_out(is_kept=False) == "row numbers"
    ]
    keys = [key for key in table.key_columns() if key not in counted]
    index = [] if table.index is None or table.index.name in table.columns else [table.index.name]
    unique = [
        name
        for name in table.columns
        if name not in table.key_columns() and table.content[name].n_unique() == table.n_rows
    ]
    texts = [  # money, say, is written as text
        name
        for name in unique
        if table.looks[name].numbers is None and table.content[name].dtype == polars.String
    ]
    whole = [
        name for name in unique if table.content[name].dtype.is_numeric() and _is_whole(table.content[name])
    ]
    return [[*index, *keys], texts, counted, whole]


def _series(table: Table, key: str) -> PolarsSeries:
    return table.content[key] if key in table.columns else table.index


def _is_whole(series: PolarsSeries) -> bool:
    return bool(series.dtype.is_integer() or (series == series.round()).all())


def _places(table: Table, key: str, wanted: set[str]) -> Places:
    """Return the rows, counted from 0, of those names that a column holds."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    series = _series(table, key)
    meant = {name: [name] for name in wanted}
    if series.dtype.is_numeric():
        meant = {}
        for name in wanted:
            number = name.lstrip("0") or "0" if name.isdecimal() else name
            meant.setdefault(number, []).append(name)
        if series.dtype.is_float():
            whole = series.cast(polars.Int64, strict=False)
            series = polars.select(polars.when(whole == series).then(whole)).to_series()
    texts = series.cast(polars.String).str.strip_chars()
    rows = texts.is_in(list(meant)).fill_null(False).arg_true().to_list()
    places: Places = {}
    for row, text in zip(rows, texts.gather(rows), strict=True):
        for name in meant[text]:
            places.setdefault(name, []).append(row)
    return places


def _named_by(header: Sequence[str], table: Table) -> str | None:
    """Return which column of the table, or "row", the names of the columns of pairs tell; None: none."""
    known = [*table.columns, *([] if table.index is None else [table.index.name]), ROW]
    told = {name if name in known else _SUFFIX.sub("", name) for name in header} & {*known}
    return told.pop() if len(told) == 1 else None


def _is_row_number(name: str, n_rows: int) -> bool:
    return name.isdecimal() and 1 <= int(name) <= n_rows


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    is_whole = isinstance(cell, float | np.floating) and cell == int(cell)
    return str(int(cell)) if is_whole else str(cell).strip()


def _cells_of_table(given: Any, table: Table, option: str) -> tuple[list[str], list[tuple[Any, Any]]]:
    """Return the names of two columns, and their cells."""
    source = _read_file(given) if isinstance(given, str | os.PathLike) else None
    frame = given if source is None else source.content
    columns = [*map(str, given.columns)] if source is None else list(source.columns)
    if source is not None and source.is_matrix:
        frame = {name: np.asarray(source.content)[:, at] for at, name in enumerate(columns)}
    if len(columns) != 2:
        what = "the pairs" if source is None else source.source
        raise InvalidParameter(
            f"{what}: {option} needs two columns, one row for each pair, got {len(columns)}."
        ).in_shell(f"{what}: --{option} needs two columns, one row for each pair, got {len(columns)}.")
    first, second = ([*frame[name]] for name in (columns if source is not None else given.columns))
    cells = [*zip(first, second, strict=True)]
    if source is None or not source.has_names:
        return (columns if source is None else []), cells
    # the first pair of a file without a header may have been taken for one
    is_pair = _named_by(columns, table) is None and _are_rows(columns, table)
    return ([], [(columns[0], columns[1]), *cells]) if is_pair else (columns, cells)


def _read_file(path: str | os.PathLike[str]) -> Table:
    """Return the table of pairs; where cells are text, as they are written: "007" is not 7."""
    header = None
    try:
        table = read_table(path)
    except EmptyFile:  # one line is a pair, not a header
        header = False
        table = read_table(path, header=header)
    if table.is_matrix:
        return table
    as_written = {name: ColumnReading(is_category=True) for name in table.columns}
    return read_table(path, header=header, readings=as_written)


def _are_rows(names: Sequence[str], table: Table) -> bool:
    """Return whether names of columns are row numbers or keys: then they are the first pair."""
    if all(name.isdecimal() for name in names):
        return True
    return any(len(_places(table, key, {*names})) == len({*names}) for tier in _tiers(table) for key in tier)


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


def _refused(fact: str, table: Table, option: str) -> InvalidParameter:
    return InvalidParameter(f"{table.source}: {option}: {fact}").in_shell(
        f"{table.source}: --{option}: {fact}"
    )


def _values_of(key: str) -> str:
    return "row numbers" if key == ROW else f"values of {shortened(key)}"


def _headed(*keys: str) -> str:
    """Return how to say what the names of pairs are."""
    ways = [f'"{shortened(key)}" and "{shortened(key)}_2"' for key in keys]
    why = "to name rows by number" if keys == (ROW,) else "to say which"
    return f"Call the two columns of the pairs {' or '.join(ways)} {why}."


def _repeated(names: Names, key: str, places: Places, table: Table, option: str) -> InvalidParameter:
    at, name = next((at, name) for at, pair in enumerate(names) for name in pair if len(places[name]) > 1)
    rows = places[name]
    listed = ", ".join(f"{row + 1:,}" for row in rows[:SHOWN]) + (" ..." if len(rows) > SHOWN else "")
    return _refused(
        f'pair {at + 1} names "{shortened(name)}", which is in {len(rows):,} rows of {shortened(key)} '
        f"(rows {listed}). {_headed(ROW)}",
        table,
        option,
    )


def _unknown(
    names: Names, table: Table, tiers: Sequence[Sequence[str]], named: str | None, option: str
) -> InvalidParameter:
    """Return the error about the first name that is neither a key nor a row number, with the nearest key."""
    wanted = {name for pair in names for name in pair}
    found = {key: _places(table, key, wanted) for tier in tiers for key in tier}
    keys = [key for tier in tiers for key in tier if tier is not tiers[-1] or found[key] or named]
    held = {name for key in keys for name in found[key]}
    best = max((found[key] for key in keys), key=len, default={})
    may_count = named in (None, ROW)
    strange = [name for name in wanted - held if not (may_count and _is_row_number(name, table.n_rows))]
    among = strange or wanted - {*best}
    at, name = next((at, name) for at, pair in enumerate(names) for name in pair if name in among)
    for column in () if table.is_matrix else table.columns:
        places = _places(table, column, {name}) if is_text(table.content[column].dtype) else {}
        if len(places.get(name, ())) > 1:
            return _repeated([(name, name)], column, places, table, option)
    known = [value for key in keys for value in _series(table, key).drop_nulls()] if keys else []
    near = did_you_mean(name, sorted({_text(value) for value in known})) if len(known) <= NAMES_BESIDE else ""
    kinds = [f"a key ({', '.join(map(shortened, keys))})"] if keys else []
    kinds += [f"a row number from 1 to {table.n_rows:,}"] if may_count else []
    neither = "neither" if len(kinds) == 2 else "not"
    mixed = f" {_headed(ROW)}" if may_count and keys and not strange else ""
    fact = f'pair {at + 1} names "{shortened(name)}", which is {neither} {" nor ".join(kinds)}.{near}{mixed}'
    return _refused(fact, table, option)


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
            fact = f'must name two different rows, got "{a}" twice.'
            raise InvalidParameter(f"apart {fact}").in_shell(f"--apart {fact}")
        if group[i] == group[j]:
            is_direct = (np.sort(links, axis=1) == sorted((i, j))).all(axis=1).any()
            through = "" if is_direct else " through other rows"
            pair = f'"{a}" and "{b}" must not be together'
            raise InvalidParameter(
                f"apart says that {pair}, together says that they must{through}."
            ).in_shell(f"--apart says that {pair}, --together says that they must{through}.")
