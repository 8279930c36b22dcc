"""``coterie plot``: pictures of groups and trees in files; ``coterie plots`` lists the kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import completion, options
from coterie.cli.completion import offers
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie plot clusplot customers.csv -o groups.png
  coterie plot silhouette customers.csv -k 5 -o silhouette.png
  coterie plot dendrogram customers.csv --linkage ward -k 5 -o tree.svg
  coterie plot regions groups.safetensors --data customers.csv -o regions.pdf
  coterie plot kmeans-animation customers.csv -k 5 -o run.html
"""
NO_DISTANCES = (
    "plot draws rows of features, not distances. For those, coterie tree DATA --distance precomputed draws "
    "the tree, and coterie fit DATA --distance precomputed --report FILE a map."
)


@options.takes_rows
def plot(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="See coterie plots.", autocompletion=offers(completion.plots)),
    ],
    source: Annotated[
        str | None, typer.Argument(metavar="DATA|MODEL", help="A table, or a model from coterie fit --save.")
    ] = None,
    output: Annotated[
        Path | None, option("--output", "-o", metavar="FILE", help="Output file: .png .svg .pdf [KIND.png]")
    ] = None,
    data: Annotated[str | None, option(metavar="DATA", help="Rows to draw with a MODEL.")] = None,
    k: Annotated[
        int | None,
        options.number_option("-k", least=1, help="How many groups [as many as coterie fit finds]"),
    ] = None,
    method: Annotated[
        str, option(metavar="NAME", help="See coterie methods [auto]", offered=options.METHOD)
    ] = "auto",
    linkage: options.Linkage = options.LINKAGE,
    *,
    rows: options.Rows,
    labels: Annotated[
        str | None,
        option(metavar="COLUMN", help="Column with known group labels.", offered=completion.columns),
    ] = None,
    truth: options.Truth = None,
    seed: Annotated[int, options.seed_option("Same seed, same picture [0]")] = 0,
    dpi: Annotated[int, options.number_option(least=20, most=1200, help="Dots per inch of .png [160]")] = 160,
    show: Annotated[bool, option("--open", help="Open the picture in the browser.")] = False,
    force: options.Force = False,
) -> None:
    """Plot groups, a k-means run or a tree to a file."""
    from coterie.cli import plot_files
    from coterie.cli.plot_kinds import find_kind
    from coterie.cli.plot_subject import PlotRequest
    from coterie.errors import InvalidParameter
    from coterie.pipeline import make_request
    from coterie.pipeline.request import PRECOMPUTED

    found = find_kind(kind)
    options.check_linkage(linkage)
    if rows["distance"] == PRECOMPUTED:
        raise InvalidParameter(NO_DISTANCES)
    target = plot_files.check_target(found, output, (source, data), force=force)
    rows["drop"] += [] if labels is None else [labels]
    asked = make_request(
        found.method or method if method == "auto" else method, "auto" if k is None else k,
        **rows, truth=truth, random_state=seed, believe=False,
    )  # fmt: skip
    request = PlotRequest(asked, k, linkage, truth, labels)
    subject = plot_files.read_subject(found, request, source, data)
    plot_files.draw(found, subject, target, force=force, dpi=dpi)
    print(f"{target} written")
    if show:
        plot_files.open_in_browser(target)


def plots(as_json: options.AsJson = False) -> None:
    """List the kinds of coterie plot."""
    from coterie.cli.plot_kinds import KINDS
    from coterie.cli.render.summary import show_catalogue

    entries = [{"name": kind.name, "summary": kind.summary} for kind in KINDS]
    show_catalogue(entries, {"name": "name", "summary": "what it shows"}, as_json=as_json)
