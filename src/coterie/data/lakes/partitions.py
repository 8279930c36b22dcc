"""Columns that folders tell (year=2024/month=01), or a table's log: one value for all rows of a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from coterie._support.stores import absolute, shown

MISSING = "__HIVE_DEFAULT_PARTITION__"  # how Hive and Spark write a value that is not there
WHOLE, NUMBER, DATE, TEXT = "whole number", "number", "date", "text"
_FOLDER = re.compile(r"([A-Za-z_][\w .-]*)=(.*)")
_WHOLE, _NUMBER = re.compile(r"[+-]?\d{1,18}"), re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
Texts = Mapping[str, str | None]
Told = tuple[tuple[str, str | None, str], ...]  # name, value as it is written, and kind of columns


@dataclass(frozen=True)
class Partitions:
    """Values by file and column, as they are written, and what each column holds in all files."""

    texts: Mapping[str, Texts] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)

    def of(self, path: str) -> Told:
        """Return name, value and kind of the columns of a file."""
        return tuple((name, text, self.kinds[name]) for name, text in self.texts.get(path, {}).items())

    def __or__(self, other: Partitions) -> Partitions:
        return joined_partitions([self, other])


def joined_partitions(every: Iterable[Partitions]) -> Partitions:
    """Return the columns of the files of several places; kinds that differ are text."""
    texts: dict[str, Texts] = {}
    kinds: dict[str, str] = {}
    for one in every:
        texts |= one.texts
        kinds |= {name: kind if kinds.get(name, kind) == kind else TEXT for name, kind in one.kinds.items()}
    return Partitions(texts, kinds)


def folder_partitions(paths: Iterable[str]) -> Partitions:
    """Return the columns that the folders of files tell, in the way of Hive.

    Examples
    --------
    >>> found = folder_partitions(["/d/year=2024/month=01/a.csv", "/d/year=2024/month=02/a.csv"])
    >>> found.of("/d/year=2024/month=02/a.csv")
    (('year', '2024', 'whole number'), ('month', '02', 'whole number'))
    """
    texts = {path: found for path in paths if (found := _folders_of(path))}
    values: dict[str, list[str]] = {}
    for found in texts.values():
        for name, text in found.items():
            values.setdefault(name, []).extend([] if text is None else [text])
    return Partitions(texts, {name: _kind(texts) for name, texts in values.items()})


def _folders_of(path: str) -> dict[str, str | None]:
    """Return the values in the folders right above a file, from the outermost to the innermost."""
    whole = absolute(path)
    if "=" not in whole:
        return {}
    found: dict[str, str | None] = {}
    for folder in reversed(shown(whole).replace(os.sep, "/").split("/")[:-1]):
        match = _FOLDER.fullmatch(folder)
        if match is None:
            break
        text = unquote(match[2])
        found[unquote(match[1])] = None if text == MISSING else text
    return dict(reversed(found.items()))


def _kind(texts: Iterable[str]) -> str:
    """Return what texts are, all of them."""
    distinct = set(texts)
    for kind, pattern in ((WHOLE, _WHOLE), (NUMBER, _NUMBER), (DATE, _DATE)):
        if (
            distinct
            and all(map(pattern.fullmatch, distinct))
            and (kind != DATE or all(map(_is_day, distinct)))
        ):
            return kind
    return TEXT


def _is_day(text: str) -> bool:
    import datetime

    try:
        datetime.date.fromisoformat(text)
    except ValueError:  # the 30th of February
        return False
    return True


def value_of(text: str | None, kind: str) -> Any:
    """Return a value as Python has it.

    Examples
    --------
    >>> value_of("07", WHOLE), value_of("2024-01-31", DATE), value_of(None, TEXT)
    (7, datetime.date(2024, 1, 31), None)
    """
    import datetime

    if text is None:
        return None
    if kind == DATE:
        return datetime.date.fromisoformat(text)
    return int(text) if kind == WHOLE else float(text) if kind == NUMBER else text


def written(value: Any) -> tuple[str | None, str]:
    """Return a value as it is written in a folder's name, and its kind.

    Examples
    --------
    >>> written(7), written("a")
    (('7', 'whole number'), ('a', 'text'))
    """
    import datetime

    kinds = {int: WHOLE, float: NUMBER, datetime.date: DATE}
    return None if value is None else str(value), kinds.get(type(value), TEXT)


def arrow_type(kind: str) -> Any:
    """Return the Arrow type of a kind."""
    import pyarrow

    kinds = {WHOLE: pyarrow.int64(), NUMBER: pyarrow.float64(), DATE: pyarrow.date32()}
    return kinds.get(kind, pyarrow.string())


def with_partitions(frame: Any, columns: Iterable[tuple[str, str | None, str]]) -> Any:
    """Return a polars frame with the columns that its file's folders tell, which replace its own."""
    import polars

    types = {WHOLE: polars.Int64, NUMBER: polars.Float64, DATE: polars.Date}
    return frame.with_columns(
        polars.lit(value_of(text, kind), dtype=types.get(kind, polars.String)).alias(name)
        for name, text, kind in columns
    )
