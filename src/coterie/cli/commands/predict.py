"""``coterie predict``: give new rows their group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import options

EXAMPLES = """
Examples:

\b
  coterie predict groups.safetensors new.csv -o new-groups.csv
  coterie predict groups.safetensors 'new/*.parquet' -o labels
  coterie predict groups.safetensors - < new.csv
  coterie predict groups.safetensors new.csv --json | jq .labels
"""


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file from coterie fit --save.")],
    data: options.Data,
    missing: options.MissingInNew = None,
    dates: options.Dates = None,
    sheet: options.Sheet = None,
    table: options.DatabaseTable = None,
    query: options.Query = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    output: options.Output = None,
    with_data: options.WithData = False,
    carry: options.Carry = [],  # noqa: B006
    with_file: options.WithFile = False,
    keep_layout: options.KeepLayout = False,
    escape_formulas: options.EscapeFormulas = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict the groups of new rows."""
    from coterie.cli import fitting, outputs
    from coterie.cli.render.machines import prediction_facts, print_json
    from coterie.data import check_policy, shown_name

    if missing is not None:
        check_policy(missing)
    files = outputs.Files(
        data, labels=output, force=force, with_data=with_data, escapes=escape_formulas,
        carry=tuple(options.names_of(carry)), with_file=with_file, keep_layout=keep_layout,
    )  # fmt: skip
    files.check(as_json=as_json)
    labels, n_rows = fitting.predict_files(
        model,
        data,
        files,
        as_json=as_json,
        header=header,
        encoding=encoding,
        missing=missing,
        reading=options.reading(dates, sheet, table, query),
    )
    if as_json:
        print_json(prediction_facts(shown_name(data), model, labels, output))
    elif output is not None and not files.labels_to_stdout:
        where = output / "part-*.parquet" if files.labels_to_folder else output
        print(f"{n_rows:,} rows: labels written to {where}" if n_rows else f"labels written to {where}")
