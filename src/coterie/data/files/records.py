"""JSON: an array of records, one record per line, columns by name, or rows of numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.panics import quiet_panics
from coterie._support.typing import JsonObject, PolarsFrame, PolarsSeries, ValuesByName
from coterie._support.validation import format_bytes, require_memory
from coterie.data.files.source import Source

SHAPES = 'an array of records [{"x": 1}, ...], one record per line, or columns {"x": [1, ...]}'
WRAPPERS = ("data", "rows", "records", "results", "result", "response", "hits", "docs", "features")
MOST_WRAPPED = 3  # of them around the records
DEEPEST = 8  # records within records that become columns; what is deeper stays text
MOST_FIELDS = 10_000  # of a record that becomes columns
BYTES_OF_OBJECTS = {
    b"{": 232,
    b"[": 80,
    b",": 64,
}  # a dict, a list, a value and its cell
BYTES_PER_CELL = 24  # in a list, and in a column
IN_BLOCKS = "Save the rows as Parquet files in a folder, which are read block by block."
LARGEST = 1e300  # whole numbers of JSON may be beyond floats


class JsonTable(NamedTuple):
    """The table of a JSON text."""

    frame: PolarsFrame
    has_names: bool
    is_network: bool = False  # its rows are the links of a network
    notes: tuple[str, ...] = ()


def read_json(source: Source) -> JsonTable:
    """Return the table of a JSON text.

    Parameters
    ----------
    source : Source
        The text: an array of objects, an object per line, an object of arrays, an array of arrays, the
        nodes and links of a network, or an object that holds an array of objects under a usual name.
    """
    _check_size(source)
    text = source.content.decode("utf-8-sig", "replace").strip()
    try:
        value = _parsed(text)
    except RecursionError:
        raise source.fail("is JSON that is nested too deeply to be a table.") from None
    except json.JSONDecodeError as problem:
        value = _lines(source, text, problem)
    links = _links(source, value) if isinstance(value, dict) else None
    if links is not None:
        return JsonTable(_frame(source, links, is_rows=False), True, is_network=True)
    notes: tuple[str, ...] = ()
    if isinstance(value, dict):
        _refuse_split(source, value)
        wrapped = _wrapped(value) if len(value) > 1 or not _is_table(value) else []
        if len(wrapped) > 1:
            names = ", ".join(".".join(way) for way, _ in wrapped)
            raise source.fail(f"holds several arrays of records ({names}). Write one of them to a file.")
        if wrapped:
            way, value = wrapped[0]
            notes = (f"the records under {'.'.join(way)} are read",)
        else:
            value = _columns(source, value)
    is_rows = isinstance(value, list) and all(isinstance(row, list) for row in value)
    if not value or not (is_rows or isinstance(value, dict) or all(isinstance(row, dict) for row in value)):
        raise source.fail(f"is JSON, but not a table: {SHAPES} is needed.")
    return JsonTable(_frame(source, value, is_rows=is_rows), not is_rows, notes=notes)


def _is_table(value: ValuesByName) -> bool:
    """Return whether an object holds columns of equal length, or an only table."""
    lists = [column for column in value.values() if isinstance(column, list)]
    return len(lists) == len(value) and len({*map(len, lists)}) == 1


def _wrapped(value: ValuesByName, above: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], list[Any]]]:
    """Return the arrays of records under usual names, and the way to each, as services answer.

    Examples
    --------
    >>> _wrapped({"total": 2, "data": {"rows": [{"x": 1}, {"x": 2}]}})
    [(('data', 'rows'), [{'x': 1}, {'x': 2}])]
    """
    found = []
    for name, part in value.items():
        way = (*above, name)
        if name.lower() in WRAPPERS and _records(part):
            found.append((way, _records(part)))
        elif name.lower() in WRAPPERS and isinstance(part, dict) and len(way) <= MOST_WRAPPED:
            found += _wrapped(part, way)
    return found


def _check_size(source: Source) -> None:
    """Refuse text whose objects do not fit in memory: they take many times the bytes of short text."""
    need = sum(source.content.count(sign) * n_bytes for sign, n_bytes in BYTES_OF_OBJECTS.items())
    require_memory(
        need + len(source.content),
        f"{source.name}, JSON of {format_bytes(len(source.content))},",
        IN_BLOCKS,
    )


def _parsed(text: str) -> Any:
    """Return the value of JSON; whole numbers of thousands of digits, which Python refuses, become floats."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=float)


def _links(source: Source, value: ValuesByName) -> list[JsonObject] | None:
    """Return the links of nodes and links, ends by the names of nodes; None: the object is something else.

    Links name nodes by their "id", or count them where nodes have none; both are common, and networkx and D3
    write them.
    """
    nodes, links = _records(value.get("nodes")), _records(value.get("links", value.get("edges")))
    if not nodes or not links or not all({"source", "target"} <= link.keys() for link in links):
        return None
    if all("id" in node for node in nodes):
        return links
    names = [node.get("name", node.get("label")) for node in nodes]
    if None in names or len(set(map(str, names))) < len(names):
        names = list(range(len(nodes)))
    return [
        {**link, **{end: _named(source, link[end], names) for end in ("source", "target")}} for link in links
    ]


def _records(part: Any) -> list[dict[str, Any]]:
    is_list = isinstance(part, list) and all(isinstance(one, dict) for one in part)
    return part if is_list else []


def _named(source: Source, end: object, names: Sequence[object]) -> object:
    if not isinstance(end, int):
        return end
    if not 0 <= end < len(names):
        raise source.fail(f"a link names node {end:,}, but there are {len(names):,} nodes, counted from 0.")
    return names[end]


def _refuse_split(source: Source, value: ValuesByName) -> None:
    """Refuse what pandas writes with orient="split" or "table": names, rows and cells apart."""
    keys, rows = value.keys(), value.get("data")
    orient = "split" if {"columns", "data"} <= keys else "table" if {"schema", "data"} <= keys else None
    is_nested = isinstance(rows, list) and all(isinstance(row, list | dict) for row in rows)
    if orient is not None and is_nested:
        raise source.fail(
            f'is JSON as pandas writes it with orient="{orient}", which is not read. Write it with '
            f'orient="records": {SHAPES} is needed.'
        )


def _lines(source: Source, text: str, problem: json.JSONDecodeError) -> list[object]:
    """Return the records of a text that has one per line."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            rows.append(_parsed(line))
        except (json.JSONDecodeError, RecursionError) as error:
            if not rows:  # not one record per line: where the whole text breaks off says more
                raise source.fail(
                    f"is not whole JSON: line {problem.lineno}, column {problem.colno} ({problem.msg})."
                ) from None
            raise source.fail(f"line {number} is not a whole JSON record ({error}).") from None
    return rows


def _columns(source: Source, value: ValuesByName) -> Any:
    """Return an object as columns (lists, or by row as in pandas), as its only table, or as one record."""
    if value and all(isinstance(column, list) for column in value.values()):
        lengths = {name: len(column) for name, column in value.items()}
        if len(set(lengths.values())) > 1:
            first, second = sorted(lengths, key=lambda name: lengths[name])[:: len(lengths) - 1]
            raise source.fail(
                f'the columns must be equally long; "{shortened(first)}" has {lengths[first]:,} values, '
                f'"{shortened(second)}" {lengths[second]:,}.'
            )
        only = next(iter(value.values()))
        is_records = len(value) == 1 and only and all(isinstance(row, dict) for row in only)
        return only if is_records else value
    if value and all(isinstance(column, dict) and column for column in value.values()):
        rows = [*next(iter(value.values()))]
        if all(column.keys() == dict.fromkeys(rows).keys() for column in value.values()):
            return {name: [column[row] for row in rows] for name, column in value.items()}
    return [value]


def _frame(source: Source, value: Any, *, is_rows: bool) -> Any:
    polars = require("polars", extra="cli", purpose="Reading tables")
    if is_rows:
        widths = {len(row) for row in value}
        if len(widths) > 1 or not max(widths):
            raise source.fail("the rows must be equally long and have values.")
        names = [f"column_{at + 1}" for at in range(max(widths))]
        value = {name: [row[at] for row in value] for at, name in enumerate(names)}
    if not isinstance(value, dict):
        names = list(dict.fromkeys(name for row in value for name in row))
        require_memory(  # each record may have fields that no other has
            BYTES_PER_CELL * len(names) * len(value),
            f"{source.name}, a table of {len(value):,} records and {len(names):,} fields,",
            "Write the fields as rows: a record for each value, with its name in a field.",
        )
        value = {name: [row.get(name) for row in value] for name in names}
    with quiet_panics():
        return polars.DataFrame([_series(polars, name, cells) for name, cells in _fields(value).items()])


def _fields(columns: dict[str, list[object]], depth: int = 0) -> dict[str, list[object]]:
    """Return columns of objects as a column per field, ``name.field``; other columns as they are."""
    found: dict[str, list[object]] = {}
    for name, cells in columns.items():
        fields = _records([cell for cell in cells if cell is not None])
        if not fields or depth == DEEPEST:
            found[name] = cells
            continue
        keys = dict.fromkeys(key for one in fields for key in one)
        inside = {
            f"{name}.{key}": [cell.get(key) if isinstance(cell, dict) else None for cell in cells]
            for key in keys
        }
        is_free = len(keys) <= MOST_FIELDS and not inside.keys() & (columns.keys() | found.keys())
        found |= _fields(inside, depth + 1) if is_free else {name: cells}
    return found


def _series(polars: ModuleType, name: str, cells: list[object]) -> PolarsSeries:
    """Return a column; cells of different kinds become text."""
    name = _whole(name)
    cells = [_whole(cell) if isinstance(cell, str) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float} or kinds in ({bool}, {str}):
        try:
            return polars.Series(name, cells, strict=False)
        except (OverflowError, TypeError, polars.exceptions.PolarsError):
            pass  # whole numbers of very many digits: as text they become floats
    if kinds == {list} and all(_is_numbers(cell) for cell in cells if cell is not None):
        return polars.Series(name, cells, dtype=polars.List(polars.Float64), strict=False)
    texts = [
        None
        if cell is None
        else cell
        if isinstance(cell, str)
        else _whole(json.dumps(cell, ensure_ascii=False))
        for cell in cells
    ]
    return polars.Series(name, texts, dtype=polars.String)


def _is_numbers(cell: Any) -> bool:
    """Return whether a list holds plain numbers, as an embedding does."""
    return all(isinstance(one, int | float) and not abs(one) > LARGEST for one in cell if one is not None)


def _whole(text: str) -> str:
    r"""Return text with a question mark for every half of a character, which JSON's \uD83E alone is.

    Examples
    --------
    >>> _whole("a\ud83e")
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")
