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
  coterie watch arriving --model groups.safetensors --once      for cron: new files, then the end
  coterie watch arriving --model groups.safetensors --update    take the rows in as well
  coterie watch arriving        fits the files that are there first

Ctrl-C ends it. Files that were reported are remembered in MODEL.seen.
"""


def watch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where new files appear.")],
    model: Annotated[
        Path | None, option(metavar="FILE", help="What coterie fit --save wrote [fit the files there now]")
    ] = None,
    takes_in: Annotated[
        bool, option("--update", help="Take each file's rows in and save the model.")
    ] = False,
    once: Annotated[bool, option("--once", help="Report the files that are new, then end.")] = False,
    every: Annotated[
        float, option(metavar="SECONDS", help="Time between two looks at the folder [10]")
    ] = 10.0,
    missing: options.MissingInUpdate = "refuse",
    as_json: options.AsJson = False,
) -> int:
    """Print a line for each new file: rows, share of each group, distance to the centres, drift."""
    from coterie.cli import watching
    from coterie.data import check_policy

    check_policy(missing)
    return watching.watch(
        folder, model, takes_in=takes_in, once=once, every=every, missing=missing, as_json=as_json
    )
