"""``coterie watch``: a line for each new file of a folder, beside the groups that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie watch arriving --model groups.safetensors
  coterie watch arriving --model groups.safetensors --once      for cron: report new files, then exit
  coterie watch arriving --model groups.safetensors --update    add the rows to the model
  coterie watch arriving        fits the files already there first

Ctrl-C stops it. Reported files are listed in MODEL.seen.
"""


def watch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where new files appear.")],
    model: Annotated[
        Path | None,
        option(metavar="FILE", help="Model file from coterie fit --save [fits the files in FOLDER]"),
    ] = None,
    takes_in: Annotated[
        bool, option("--update", help="Add each file's rows to the model and save it.")
    ] = False,
    once: Annotated[bool, option("--once", help="Report new files, then exit.")] = False,
    every: Annotated[
        float, option(metavar="SECONDS", help="Seconds between two checks of the folder [10]")
    ] = 10.0,
    missing: options.MissingInUpdate = "refuse",
    as_json: options.AsJson = False,
) -> int:
    """Watch a folder: for each new file, report groups and drift."""
    from coterie.cli import watching
    from coterie.data import check_policy

    check_policy(missing)
    return watching.watch(
        folder, model, takes_in=takes_in, once=once, every=every, missing=missing, as_json=as_json
    )
