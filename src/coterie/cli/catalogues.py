"""Catalogues as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table

from coterie.cli.terminal import console


def show(rows: Sequence[Mapping[str, str]], *, as_json: bool = False) -> None:
    """Print rows of equal keys as a table, or as JSON."""
    if as_json:
        print(json.dumps(list(rows), indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in rows[0]:
        table.add_column(name, style="bold" if name == "name" else None, no_wrap=name == "name")
    for row in rows:
        table.add_row(*row.values())
    console().print(table)
