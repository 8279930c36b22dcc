"""``coterie inspect``: what the columns of a table hold."""

from __future__ import annotations

from coterie.cli import options

EXAMPLES = """
Examples:

\b
  coterie inspect customers.csv
  coterie inspect customers.csv --dates year --keep zip
  coterie inspect customers.csv --json | jq '.columns[] | select(.role != "used")'
"""


def inspect(
    data: options.Data,
    drop: options.Drop = [],  # noqa: B006  # typer copies it
    keep: options.Keep = [],  # noqa: B006
    dates: options.Dates = None,
    sheet: options.Sheet = None,
    table: options.DatabaseTable = None,
    query: options.Query = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the columns of a table, which are used, and why."""
    from coterie.cli.render.machines import print_json
    from coterie.cli.render.summary import show_inspection
    from coterie.data import inspect as look_at_columns

    found = look_at_columns(
        data, drop=options.names_of(drop), keep=options.names_of(keep), header=header, encoding=encoding,
        **options.reading(dates, sheet, table, query),
    ).in_shell()  # fmt: skip
    if as_json:
        print_json(found.to_dict())
    else:
        show_inspection(found)
