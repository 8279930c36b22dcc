"""``coterie fit``: find the groups in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from coterie.cli import options
from coterie.cli.fit_blocks import fit_blocks, needs_blocks, refuse_options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie fit customers.csv             how many groups there are, and which
  coterie fit customers.csv -k 2..8 --method kmeans,mixture --budget fast
  coterie fit customers.csv -k 5 --drop age --scale robust -o groups.csv
  coterie fit customers.csv --save groups.safetensors
  coterie fit customers.csv --report groups.html --open
  coterie fit 'data/*.parquet' --report groups.html --checkpoint state -o labels
  coterie fit - -k 3 --json < points.csv | jq .sse
"""


def fit(
    data: options.Data,
    k: Annotated[str, option("-k", metavar="K", help="How many groups: N, A..B or auto [auto]")] = "auto",
    method: Annotated[str, option(metavar="NAME", help="See coterie methods [auto; -k N: kmeans]")] = "auto",
    distance: Annotated[str | None, option(metavar="NAME", help="See coterie distances [euclidean]")] = None,
    scale: Annotated[
        str | None,
        option(metavar="HOW", help="standard minmax robust none [auto; -k N: standard]"),
    ] = None,
    budget: Annotated[str, option(metavar="WORD", help="fast, normal, thorough [normal]")] = "normal",
    truth: Annotated[str | None, option(metavar="COLUMN", help="Classes to compare with.")] = None,
    drop: Annotated[list[str], option(metavar="COLUMN", help="Leave a column out (repeatable).")] = [],  # noqa: B006  # typer copies it
    keep: Annotated[list[str], option(metavar="COLUMN", help="Use a key or constant column too.")] = [],  # noqa: B006
    missing: options.Missing = "error",
    seed: Annotated[int, options.seed_option("Same seed, same groups [0]")] = 0,
    n_init: Annotated[
        int | None, options.number_option(least=1, help="Starts; the best wins [10; 1 with --improve]")
    ] = None,
    improve: Annotated[str | None, option(metavar="HOW", help="breathing: seek a better optimum.")] = None,
    settings: Annotated[
        list[str], option("--set", metavar="NAME=VALUE", help="Of the method, e.g. eps=0.5 (repeatable).")
    ] = [],  # noqa: B006
    header: options.Header = None,
    encoding: options.Encoding = None,
    output: options.Output = None,
    save: Annotated[Path | None, option(metavar="FILE", help="Save the model for coterie predict.")] = None,
    report: options.Report = None,
    opens: options.Open = False,
    as_json: options.AsJson = False,
    force: options.Force = False,
    scheduler: Annotated[
        str | None, option(metavar="URL", help="Of a Dask cluster, for data in blocks.")
    ] = None,
    checkpoint: Annotated[
        Path | None, option(metavar="FOLDER", help="Save every pass; go on from there.")
    ] = None,
) -> None:
    """Find the groups in a table and say what sets them apart."""
    from coterie.cli import fitting, outputs, reports

    request = fitting.Request(
        data, k, method, distance, scale, budget, truth, drop, keep, missing, seed, n_init, improve, settings
    )
    request.check()
    reports.check(report, opens=opens, force=force)
    if needs_blocks(data, scheduler, checkpoint):
        refuse_options(improve=improve, set=settings, encoding=encoding, header=header is not None)
        fit_blocks(
            request, scheduler=scheduler, checkpoint=checkpoint, output=output, save=save, report=report,
            force=force, as_json=as_json,
        )  # fmt: skip
        reports.tell(report, opens=opens, quiet=as_json)
        return
    outputs.check(data, labels=output, model=save, force=force)
    found = request.run(header=header, encoding=encoding)
    found.write(output, save, force=force)
    reports.write(found.clustering or found.groups, report, table=found.table, truth=truth, force=force)
    found.show(as_json=as_json, labels=output, model=save)
    reports.tell(report, opens=opens, quiet=as_json)
