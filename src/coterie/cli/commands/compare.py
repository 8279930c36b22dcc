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


def compare(
    data: options.Data,
    methods: Annotated[str, option(metavar="A,B,C", help="See coterie methods [auto]")] = "auto",
    k: Annotated[str, option("-k", metavar="K", help="How many groups: N, A..B or auto [auto]")] = "auto",
    distance: Annotated[str, option(metavar="NAME", help="See coterie distances [euclidean]")] = "auto",
    scale: Annotated[str, option(metavar="HOW", help="standard, minmax, robust, none, auto [auto]")] = "auto",
    budget: Annotated[str, option(metavar="WORD", help="fast, normal, thorough [normal]")] = "normal",
    truth: Annotated[str | None, option(metavar="COLUMN", help="Classes to compare with.")] = None,
    drop: Annotated[list[str], option(metavar="COLUMN", help="Leave a column out (repeatable).")] = [],  # noqa: B006  # typer copies it
    keep: Annotated[list[str], option(metavar="COLUMN", help="Use a key or constant column too.")] = [],  # noqa: B006
    missing: options.Missing = "error",
    seed: Annotated[int, options.seed_option("Same seed, same answer [0]")] = 0,
    header: options.Header = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare what several methods find in a table, by one judge."""
    from coterie._support.progress import track
    from coterie.cli.render.contest import show_contest
    from coterie.cli.render.machines import print_json
    from coterie.cli.render.terminal import is_watched
    from coterie.data import read_table
    from coterie.pipeline.compare_methods import compare_methods
    from coterie.pipeline.request import check_asked

    check_asked(methods, k, distance, scale, budget)
    progress = is_watched()
    with track(progress, f"reading {data}"):
        table = read_table(data, header=header, encoding=encoding)
    found = compare_methods(
        table,
        methods,
        k,
        distance=distance,
        scale=scale,
        truth=truth,
        budget=budget,
        drop=drop,
        keep=keep,
        missing=missing,
        random_state=seed,
        progress=progress,
    )
    if as_json:
        print_json(found.to_dict())
    else:
        show_contest(found)
