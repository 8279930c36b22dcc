"""``coterie update``: take new rows into groups that were found before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie update groups.safetensors may.csv
  coterie update groups.safetensors new/*.parquet --save groups-june.safetensors
  coterie update groups.safetensors may.csv --dry-run     compare only
"""


def update(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file from coterie fit --save.")],
    data: Annotated[
        list[str],
        typer.Argument(metavar="NEW...", help="Files with new rows only; folders and patterns too."),
    ],
    missing: options.MissingInUpdate = "refuse",
    header: options.Header = None,
    encoding: options.Encoding = None,
    save: Annotated[
        Path | None, option(metavar="FILE", help="Write the updated model here [replaces MODEL]")
    ] = None,
    dry_run: Annotated[
        bool, option("--dry-run", help="Compare the rows with the fit; write nothing.")
    ] = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Update a saved model with new rows, and report drift."""
    from coterie.cli import updating
    from coterie.cli.render.machines import print_json
    from coterie.data import check_policy

    check_policy(missing)
    how: updating.NewFiles = {"missing": missing, "header": header, "encoding": encoding}
    if dry_run:
        arrival = updating.examine_files(model, data, **how)
        print_json(arrival.to_dict()) if as_json else print(arrival)
        return
    found = updating.update_files(model, data, save=save, force=force, **how)
    if as_json:
        print_json({**found.to_dict(), "model": str(save or model)})
    else:
        print(found)
        print(f"model written to {save or model}")
