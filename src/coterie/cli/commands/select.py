"""``coterie select``: how many groups there are, with the evidence."""

from __future__ import annotations

from typing import Annotated

from coterie.cli import completion, options
from coterie.cli.completion import offers
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie select customers.csv
  coterie select customers.csv -k 2..20 --method agglomerative
  coterie select customers.csv --criterion silhouette --criterion gap_pca
  coterie select customers.csv --json | jq .k
"""


@options.takes_rows
def select(
    data: options.Data,
    k: Annotated[
        str | None, option("-k", metavar="A..B", help="Numbers of groups to compare [1..15]")
    ] = None,
    method: Annotated[
        str,
        option(
            metavar="NAME",
            help="See coterie methods [kmeans, with categories kprototypes]",
            offered=options.METHOD,
        ),
    ] = "auto",
    criterion: Annotated[
        list[str],
        option(metavar="NAME", help="Only this one (repeatable).", offered=offers(completion.criteria)),
    ] = [],  # noqa: B006  # typer copies it
    *,
    rows: options.Rows,
    seed: Annotated[int, options.seed_option("Same seed, same evidence [0]")] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Choose the number of groups, and show the evidence."""
    from coterie.cli import selection
    from coterie.cli.fitting import read_rows
    from coterie.cli.render import selection_summary
    from coterie.cli.render.terminal import is_watched
    from coterie.data import AUTO
    from coterie.pipeline import make_request
    from coterie.select import find_criterion
    from coterie.select.partitioners import find_partitioner

    if method != AUTO:
        find_partitioner(method)
    request = make_request(method, k, **rows, random_state=seed)
    for name in criterion:
        find_criterion(name)
    read, request = read_rows(data, request)
    if isinstance(read, str) or request.is_precomputed:
        found = selection.find_as_fit_does(data, read, request, criterion, progress=is_watched())
    else:
        found = selection.find(data, read, request, criterion, progress=is_watched())
    selection_summary.show(found, as_json=as_json)
