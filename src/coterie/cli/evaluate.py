"""``coterie evaluate``: compare the groups of a file with the truth, or judge them by the data."""

from __future__ import annotations

from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie evaluate groups.csv --truth truth.csv
  coterie evaluate groups.csv --data flowers.csv
  coterie evaluate flowers.csv --truth species --column group
  coterie evaluate groups.csv --truth truth.csv --measure ARI --measure NMI
  coterie evaluate groups.csv --truth truth.csv --json | jq .measures.purity_score
"""


def evaluate(
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Table with the group of each row, or -.")],
    truth: Annotated[
        str | None, option("--truth", metavar="T", help="A column of LABELS, or another file.")
    ] = None,
    data: Annotated[
        str | None, option("--data", metavar="DATA", help="File of the data: judge the groups by them.")
    ] = None,
    column: Annotated[str | None, option(metavar="NAME", help="Column of the groups [looks for it]")] = None,
    truth_column: Annotated[str | None, option(metavar="NAME", help="Column of the truth's file.")] = None,
    measure: Annotated[list[str], option(metavar="NAME", help="Only this one (repeatable).")] = [],  # noqa: B006  # typer copies it
    distance: Annotated[str, option(metavar="NAME", help="Between rows of --data [euclidean]")] = "euclidean",
    noise: Annotated[
        str | None, option(metavar="HOW", help="Rows labelled -1: cluster, exclude, singletons [cluster]")
    ] = None,
    missing: Annotated[
        str, option(metavar="HOW", help="Rows without a label: error, drop [error]")
    ] = "error",
    header: options.Header = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare the groups of a table with the truth, or judge them by the data."""
    from coterie.cli import verdict
    from coterie.errors import InvalidParameter
    from coterie.evaluate import find_measure
    from coterie.evaluate.labelings import check_noise

    policy = None if noise is None else check_noise(noise)
    for name in measure:
        find_measure(name)
    how = {"column": column, "missing": missing, "header": header, "encoding": encoding}
    if (truth is None) == (data is None):
        raise InvalidParameter(
            "evaluate needs --truth (compare with other labels) or --data (judge by the data), one of them."
        )
    if truth is not None:
        verdict.compare_with(labels, truth, truth_column, measure, policy, as_json=as_json, **how)
    elif data is not None:
        verdict.judge_by(labels, data, distance, measure, policy, as_json=as_json, **how)
