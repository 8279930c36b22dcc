"""Writes the tables of docs/ from the catalogues of the package: ``python docs/make_tables.py [--check]``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Lines = Iterator[Sequence[str]]


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


TABLES: dict[str, Callable[[], Lines]] = {
    "criteria": criteria,
    "distances": distances,
    "geometries": geometries,
}


def with_tables(text: str) -> str:
    """Return a page with its tables written anew."""
    return PLACE.sub(lambda found: f"{found[1]}{_as_markdown(TABLES[found[2]]())}{found[3]}", text)


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
