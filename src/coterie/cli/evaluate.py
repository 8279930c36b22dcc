"""``coterie evaluate``: compare the groups of a file with the truth."""

from __future__ import annotations

from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie evaluate groups.csv --truth truth.csv
  coterie evaluate flowers.csv --truth species --column group
  coterie evaluate groups.csv --truth truth.csv --measure ARI --measure NMI
  coterie evaluate groups.csv --truth truth.csv --json | jq .measures.purity_score
"""


def evaluate(
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Table with the group of each row, or -.")],
    truth: Annotated[str, option("--truth", metavar="T", help="A column of LABELS, or another file.")],
    column: Annotated[str | None, option(metavar="NAME", help="Column of the groups [looks for it]")] = None,
    truth_column: Annotated[str | None, option(metavar="NAME", help="Column of the truth's file.")] = None,
    measure: Annotated[list[str], option(metavar="NAME", help="Only this one (repeatable).")] = [],  # noqa: B006  # typer copies it
    noise: Annotated[
        str, option(metavar="HOW", help="Rows labelled -1: cluster, exclude, singletons [cluster]")
    ] = "cluster",
    missing: Annotated[
        str, option(metavar="HOW", help="Rows without a label: error, drop [error]")
    ] = "error",
    header: options.Header = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare the groups of a table with the truth, or with other groups."""
    from coterie.cli import verdict
    from coterie.evaluate import compare, find_measure
    from coterie.evaluate.labelings import check_noise
    from coterie.read import read_label_pair

    policy = check_noise(noise)
    for name in measure:
        find_measure(name)
    pair = read_label_pair(
        labels,
        truth,
        column=column,
        truth_column=truth_column,
        missing=missing,
        header=header,
        encoding=encoding,
    )
    comparison = compare(pair.true, pair.pred, measures=measure or None, noise=policy)
    verdict.show(pair, comparison, noise=policy, as_json=as_json)
