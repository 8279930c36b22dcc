"""Writes the tables of docs/ from the catalogues of the package: ``python docs/make_tables.py [--check]``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coterie.evaluate import Measure

DOCS = Path(__file__).resolve().parent
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Lines = Iterator[Sequence[str]]
NEEDS = {
    "labelings": "Against the truth: two labelings",
    "memberships": "Against the truth: soft memberships",
    "centers": "Against the truth: two sets of centres",
    "data": "By the data: data or distances, and a labeling",
    "graph": "Of a graph and a labeling",
    "tree": "Of a tree",
}  # of a measure, and the heading of those with these needs


def distances() -> Lines:
    """Yield the catalogue of distances."""
    from coterie.distance import catalogue

    yield "name", "also", "is a metric", "for", "parameters", "what it measures"
    for distance in catalogue().values():
        parameters = ", ".join(f"`{parameter.name}`" for parameter in distance.parameters)
        is_metric = "yes" if distance.is_metric else "no"
        also = ", ".join(f"`{alias}`" for alias in distance.aliases)
        yield f"`{distance.name}`", also, is_metric, distance.domain, parameters, distance.summary


def geometries() -> Lines:
    """Yield the catalogue of geometries."""
    from coterie.distance import geometries

    yield "geometry", "centre", "k-means then lowers"
    for name, geometry in geometries().items():
        yield f"`{name}`", geometry.barycentre.kind, geometry.barycentre.objective


def criteria() -> Lines:
    """Yield the catalogue of criteria for the number of clusters."""
    from coterie.select import criteria

    yield "name", "what it is", "better", "chooses", "needs", "votes", "can say none", "reference"
    for found in criteria():
        votes = str(found.votes) if found.echoes is None else f"with `{found.echoes}`"
        can = "yes" if found.can_choose_one else "no"
        reference = f"[{found.reference}](references.md#{found.reference})"
        rule = found.rule
        yield f"`{found.name}`", found.summary, found.direction, rule, found.needs, votes, can, reference


def measures() -> str:
    """Return the catalogue of measures: a heading per need, a table per group."""
    from coterie.evaluate import measures

    text = ""
    for needs, heading in NEEDS.items():
        text += f"\n### {heading}\n"
        for group, members in groupby(measures(needs), key=lambda measure: measure.group):
            text += f"\n**{group}**\n\n{_as_markdown(_facts_of_measures(members))}"
    return text + "\n"


def _facts_of_measures(members: Iterator[Measure]) -> Lines:
    yield "measure", "symbol", "what it is", "range", "better", "noise", "weights", "equal to", "reference"
    for measure in members:
        yield (
            f"`{measure.name}`",
            measure.symbol,
            measure.summary,
            measure.range,
            measure.direction,
            measure.noise or "",
            "yes" if measure.takes_sample_weight else "",
            "" if measure.peer is None else f"`{measure.peer}`",
            f"[{measure.reference}](references.md#{measure.reference})",
        )


TABLES: dict[str, Callable[[], str]] = {
    "criteria": lambda: _as_markdown(criteria()),
    "distances": lambda: _as_markdown(distances()),
    "geometries": lambda: _as_markdown(geometries()),
    "measures": measures,
}


def with_tables(text: str) -> str:
    """Return a page with its tables written anew."""
    return PLACE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def _as_markdown(lines: Lines) -> str:
    head, *rows = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *rows])


def main() -> None:
    """Write the pages, or tell which ones are old."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a table is old")
    check = parser.parse_args().check
    old = [page for page in sorted(DOCS.glob("**/*.md")) if with_tables(page.read_text()) != page.read_text()]
    for page in old if not check else ():
        page.write_text(with_tables(page.read_text()))
    if check and old:
        sys.exit(
            f"old tables in {', '.join(page.name for page in old)}: python docs/make_tables.py writes them"
        )


if __name__ == "__main__":
    main()
