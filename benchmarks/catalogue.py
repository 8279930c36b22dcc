"""Finds the families of rows: every module of ``benchmarks/rows`` is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass

import benchmarks.rows
from benchmarks.problem import Row


@dataclass(frozen=True)
class Entry:
    """A row and where a worker finds it."""

    family: str
    module: str
    row: Row

    @property
    def key(self) -> str:
        """``family/name``, unique in the whole table."""
        return f"{self.family}/{self.row.name}"


class UnknownRowError(ValueError):
    """A selection that matches nothing."""


def all_entries() -> list[Entry]:
    """List every row of every family, families by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(benchmarks.rows.__path__))
    return [entry for name in names for entry in entries_of(f"{benchmarks.rows.__name__}.{name}")]


def entries_of(module: str) -> list[Entry]:
    """List the rows of one module; its last name is the family."""
    family = module.rpartition(".")[2]
    return [Entry(family, module, row) for row in importlib.import_module(module).ROWS]


def select(entries: Sequence[Entry], wanted: Sequence[str]) -> list[Entry]:
    """Keep the rows whose family or ``family/name`` (or its beginning) is wanted; all if none is named."""
    if not wanted:
        return list(entries)
    for word in wanted:
        if not any(_matches(entry, word) for entry in entries):
            families = ", ".join(dict.fromkeys(entry.family for entry in entries))
            raise UnknownRowError(f'no row "{word}". Families: {families} (--list shows every row)')
    return [entry for entry in entries if any(_matches(entry, word) for word in wanted)]


def _matches(entry: Entry, word: str) -> bool:
    is_family = entry.family == word or entry.family.startswith(f"{word}_")  # "tree" also names tree_walks
    return is_family or ("/" in word and entry.key.startswith(word))
