"""``coterie predict``: give new rows their group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.fit_blocks import needs_blocks, predict_blocks, refuse_options

EXAMPLES = """
Examples:

\b
  coterie predict groups.safetensors new.csv -o new-groups.csv
  coterie predict groups.safetensors 'new/*.parquet' -o labels
  coterie predict groups.safetensors - < new.csv
  coterie predict groups.safetensors new.csv --json | jq .labels
"""


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What coterie fit --save wrote.")],
    data: options.Data,
    missing: options.Missing = "error",
    header: options.Header = None,
    encoding: options.Encoding = None,
    output: options.Output = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Give the rows of a new table their group."""
    from coterie._support.progress import track
    from coterie.cli import outputs
    from coterie.cli.render.facts import prediction_facts
    from coterie.cli.render.machines import print_json
    from coterie.cli.render.terminal import is_watched
    from coterie.data import check_policy, read_table
    from coterie.persist import load
    from coterie.pipeline import predict_table

    check_policy(missing)
    if needs_blocks(data, None, None):
        refuse_options(encoding=encoding, header=header is not None, missing=missing != "error")
        predict_blocks(model, data, output, force=force, as_json=as_json)
        return
    outputs.check(data, labels=output, force=force)
    fitted = load(model)
    with track(is_watched(), f"reading {data}"):
        table = read_table(data, header=header, encoding=encoding)
    labels = predict_table(fitted, table, missing=missing)
    if output is not None:
        outputs.write_labels(table, labels, output, force=force)
    if as_json:
        print_json(prediction_facts(table.source, model, labels, output))
    elif output is None:
        outputs.print_labels(table, labels)
    else:
        print(f"{len(labels):,} rows: groups written to {output}")
