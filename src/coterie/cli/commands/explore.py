"""``coterie explore``: see the groups in the browser, correct them, test again, take them away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli.options import number_option, option

EXAMPLES = """
Examples:

\b
  coterie explore                              built-in data sets, or drop a file
  coterie explore customers.csv                finds groups for you to edit
  coterie explore groups.safetensors           an answer saved by coterie fit --save
  coterie explore customers.coterie.json       a workbook that you saved
"""


def explore(
    what: Annotated[
        str | None,
        typer.Argument(metavar="DATA|ANSWER|WORKBOOK", help="A table, a saved answer or workbook."),
    ] = None,
    data: Annotated[
        Path | None, option(metavar="FILE", help="The data of an answer or workbook, if moved.")
    ] = None,
    port: Annotated[int, number_option(least=0, most=65535, help="Port on this machine [a free one].")] = 0,
    no_open: Annotated[bool, option("--no-open", help="Only print the address, open no browser.")] = False,
) -> None:
    """Explore groups in the browser: see, edit, test, export."""
    from coterie.show.explorer.launch import serve

    serve(what, data=data, port=port, opens=not no_open)
