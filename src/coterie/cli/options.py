"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from coterie.errors import shown_in_shell

LARGEST_SEED = 2**64 - 1  # of the counter-based generator


def option(*names: str, metavar: str | None = None, help: str, parser: Any = None) -> Any:
    """Return an option whose default, if worth knowing, is in square brackets in its help."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, parser=parser)


def number_option(*names: str, least: int, most: int | None = None, help: str) -> Any:
    """Return an option that takes a whole number from `least`, up to `most` if there is a limit."""

    def number(text: str) -> int:
        """Return the number, or say what is allowed."""
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            limit = {None: "", LARGEST_SEED: " to 2**64 - 1"}.get(most, f" to {most}")
            got = shown_in_shell(text)
            raise typer.BadParameter(f"must be a whole number from {least}{limit}, got {got}.")
        return value

    return option(*names, metavar="N", help=help, parser=number)


def seed_option(help: str) -> Any:
    """Return the option of a seed."""
    return number_option(least=0, most=LARGEST_SEED, help=help)


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
