"""``coterie compare``: what several methods make of a table, side by side."""

from __future__ import annotations

from typing import Annotated

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie compare customers.csv
  coterie compare customers.csv --methods kmeans,mixture,hdbscan -k 2..8
  coterie compare customers.csv --truth kind --json | jq '.candidates[0]'
"""


@options.takes_rows
def compare(
    data: options.Data,
    methods: Annotated[
        str, option(metavar="A,B,C", help="See coterie methods [auto]", offered=options.METHODS)
    ] = "auto",
    k: Annotated[str, option("-k", metavar="K", help="How many groups: N, A..B or auto [auto]")] = "auto",
    *,
    rows: options.Rows,
    budget: options.Budget = "normal",
    truth: options.Truth = None,
    seed: Annotated[int, options.seed_option("Same seed, same answer [0]")] = 0,
    as_json: options.AsJson = False,
) -> None:
    """Compare several clustering methods on a table."""
    from coterie.cli.fitting import read_rows
    from coterie.cli.render.machines import print_json
    from coterie.cli.render.summary import show_contest
    from coterie.cli.render.terminal import is_watched
    from coterie.pipeline import make_request
    from coterie.pipeline.compare_methods import compare_by

    request = make_request(methods, k, **rows, truth=truth, budget=budget, random_state=seed)
    read, request = read_rows(data, request)
    found = compare_by(request, read, is_watched())
    if as_json:
        print_json(found.to_dict())
    else:
        show_contest(found)
