"""Catalogues as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console


def show(entries: Sequence[Mapping[str, Any]], headings: Mapping[str, str], *, as_json: bool = False) -> None:
    """Print facts of entries: all as JSON, or those that have a heading as a table."""
    if as_json:
        print_json(list(entries))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for fact, heading in headings.items():
        table.add_column(heading, style="bold" if fact == "name" else None, no_wrap=fact == "name")
    for entry in entries:
        table.add_row(*(_words(entry[fact]) for fact in headings))
    console().print(table)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ", ".join(value)
