"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer


def option(*names: str, metavar: str | None = None, help: str) -> Any:
    """Return an option whose default, if worth knowing, is in square brackets in its help."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


Data: TypeAlias = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, Arrow, npy, npz, or - (stdin).")
]
Missing: TypeAlias = Annotated[str, option(metavar="HOW", help="Missing values: error, drop, median [error]")]
Header: TypeAlias = Annotated[
    bool | None, option("--header/--no-header", help="Does line 1 name the columns?")
]
Encoding: TypeAlias = Annotated[str | None, option(metavar="NAME", help="Of text, e.g. cp1252 [utf-8]")]
Output: TypeAlias = Annotated[
    Path | None,
    option("--output", "-o", metavar="FILE", help="Write each row's group: .csv .tsv .parquet .npy"),
]
Report: TypeAlias = Annotated[
    Path | None, option("--report", metavar="FILE", help="Write a page to look at: out.html")
]
Open: TypeAlias = Annotated[bool, option("--open", help="Open the report in the browser.")]
AsJson: TypeAlias = Annotated[bool, option("--json", help="Print facts for machines instead.")]
Force: TypeAlias = Annotated[bool, option("--force", help="Replace files that exist.")]
