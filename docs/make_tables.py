"""Writes the tables of docs/, the README and the paper: ``python docs/make_tables.py [--check]``."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from coterie.distance import distances

    yield "name", "also", "is a metric", "for", "parameters", "what it measures"
    for distance in distances():
        parameters = ", ".join(f"`{parameter.name}`" for parameter in distance.parameters)
        is_metric = "yes" if distance.is_metric else "no"
        also = ", ".join(f"`{alias}`" for alias in distance.aliases)
        yield f"`{distance.name}`", also, is_metric, distance.domain, parameters, distance.summary


def series_distances() -> Lines:
    """Yield the catalogue of distances of time series."""
    from coterie.series import series_distances

    yield "name", "is a metric", "parameters", "what it measures", "formula"
    for distance in series_distances():
        parameters = ", ".join(f"`{parameter.name}`" for parameter in distance.parameters)
        is_metric = "yes" if distance.is_metric else "no"
        formula = distance.formula.replace("|", "\\|")
        yield f"`{distance.name}`", is_metric, parameters, distance.summary, formula


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


# rows of benchmarks/results.json that the pages show, and what they call them
SPEED = {
    "kmeans/plane": "k-means 1e6 x 2, k=100, 50 iterations",
    "kmeans/middle": "k-means 1e6 x 16, k=64, 50 iterations",
    "kmeans/wide": "k-means 1e5 x 128, k=256, to convergence",
    "kmeans/many": "k-means 5e5 x 16, k=1000, 20 iterations",
    "seeding/clustered": "greedy k-means++ 5e5 x 16, k=256, three seeds",
    "mixture/full": "Gaussian mixture 2e5 x 16, 16 components, 20 iterations",
    "tree/ward-2e4x10": "Ward 2e4 x 10",
    "tree/ward-1e5x50": "Ward 1e5 x 50 (measured with AVX2)",
    "tree/average-2e4x10": "average linkage 2e4 x 10",
    "tree/complete-2e4x10": "complete linkage 2e4 x 10",
    "density/plane": "DBSCAN 1e6 x 2",
    "density/middle": "DBSCAN 1e5 x 8",
    "density/hdbscan": "HDBSCAN 2e5 x 3",
    "medoids/matrix": "k-medoids 1e4, k=50, matrix given",
    "spectral/neighbours": "spectral clustering 1e4 x 8, 10 neighbours",
    "evaluate/silhouette": "silhouette of 4e4 x 16, 20 clusters",
    "evaluate/ari": "adjusted Rand index of 5e6 labels",
    "scale/kmeans": "k-means of a Dask array 1e6 x 16, k=64",
    "distances/mahalanobis": "Mahalanobis distances 4000 x 4000 x 32",
}
# those of them that the README shows; docs/overview.md shows all
SHORT = (
    "kmeans/middle",
    "mixture/full",
    "tree/ward-2e4x10",
    "density/plane",
    "density/hdbscan",
    "spectral/neighbours",
    "evaluate/silhouette",
    "scale/kmeans",
)
HARDLY_AHEAD = 1.45  # ratios below this are named under the table
READ_ALONE = {  # rows whose work is told by the row before
    "medoids/matrix-fortran": "k-medoids 1e4, k=50, matrix given in Fortran order",
    "medoids/random-fortran": "k-medoids 1e4, k=50, matrix given in Fortran order, one random start",
    "images/quantise-sample": "16 colours of 3 megapixels beside scikit-learn's k-means of 10,000 pixels",
}
NOT_OF_PEERS = ("memory", "scale", "select", "importing")  # families that compare with something else
OURS_AGAIN = ("seed", "order", "predict")  # with what contestants begin that are ours, started otherwise


def speed() -> str:
    """Return the figures of the overview, and the rows in which a peer is faster, or nearly as fast."""
    records = _records()
    close = _named(records, 1.0, HARDLY_AHEAD)
    ending = f"\nLess than {HARDLY_AHEAD}x: {'; '.join(close)}.\n" if close else ""
    return _as_markdown(_speed_rows(records, tuple(SPEED))) + _lost(records) + ending


def speed_short() -> str:
    """Return the figures of the README, and every row in which the fastest peer is faster."""
    records = _records()
    return _as_markdown(_speed_rows(records, SHORT)) + _lost(records)


def _lost(records: list[dict[str, Any]]) -> str:
    """Return a line that names the rows in which a peer is faster."""
    compared = {_work(record) for record in records if _is_of_peers(record)}  # on several processors one row
    lost = _named(records, 0.0, 1.0)
    says = f"Slower than the fastest peer in {len(lost)} of {len(compared)} measured rows: "
    return f"\n{says}{'; '.join(lost)}.\n" if lost else ""


def _named(records: list[dict[str, Any]], low: float, high: float) -> list[str]:
    return [
        f"{_work(record)} ({_times(record['ratio'])})"
        for record in records
        if _is_of_peers(record) and low <= record["ratio"] < high
    ]


def _work(record: dict[str, Any]) -> str:
    """Return what was measured, so that it can be read without the rows before it."""
    family, work = record["family"].replace("_", " "), record["work"]
    told = READ_ALONE.get(f"{record['family']}/{record['name']}")
    return told or (work if work.lower().startswith(family) else f"{family} {work}")


def _is_of_peers(record: dict[str, Any]) -> bool:
    rivals = [name for name in record["scores"] if name != "coterie"]
    is_own = all(name.startswith(OURS_AGAIN) for name in rivals)
    return record["ratio"] is not None and record["family"] not in NOT_OF_PEERS and not is_own


def _records() -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads((DOCS.parent / "benchmarks" / "results.json").read_text())[
        "rows"
    ]
    return records


def _speed_rows(records: list[dict[str, Any]], names: tuple[str, ...]) -> Lines:
    by_name = {f"{record['family']}/{record['name']}": record for record in records}
    yield "work", "Coterie", "fastest peer", "ratio"
    for name in names:
        record, title = by_name[name], SPEED[name]
        peers = {
            peer: score["best"]
            for peer, score in record["scores"].items()
            if peer != "coterie" and score["best"] is not None
        }
        fastest = min(peers, key=lambda peer: peers[peer])
        yield (
            title,
            _seconds(record["ours"]),
            f"{fastest} {_seconds(peers[fastest])}",
            _times(record["ratio"]),
        )


def _times(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def _seconds(value: float) -> str:
    return f"{1000 * value:.2g} ms" if value < 0.1 else f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def auto_families() -> Lines:
    """Yield the cross-validated scores of `coterie.fit` on each family of published sets, and on all."""
    kept = _kept()
    scores = kept.read_scores()
    found = {family: list(own.values()) for family, own in kept.cross_validated(scores).items()}
    found["all"] = [one for own in found.values() for one in own]
    yield "family", "sets", "right number", "mean adjusted Rand index"
    for family, own in found.items():
        mean = sum(one.rand for one in own) / len(own)
        yield family, str(len(own)), _share(own), f"{mean:.2f}"
    n_quiet, n_null = kept.quiet(scores)
    yield "no groups", str(n_null), f"{n_quiet:.4g} ({n_quiet / n_null:.0%})", ""


def auto_sets() -> Lines:
    """Yield the cross-validated scores of `coterie.fit` on each published set."""
    kept = _kept()
    yield "family", "set: groups found of groups there are, adjusted Rand index"
    for family, own in kept.cross_validated(kept.read_scores()).items():
        worst_first = sorted(own.items(), key=lambda item: (round(item[1].rand, 2), item[0]))
        yield family, "; ".join(f"{name} {one.found}/{one.true}, {one.rand:.2f}" for name, one in worst_first)


def auto_kinds() -> Lines:
    """Yield the scores of `coterie.fit` on generated sets of each kind, the worst kinds first."""
    kept = _kept()
    of_kinds = kept.by_kind(kept.read_scores()).items()
    means = {kind: (sum(one.rand for one in own) / len(own), own) for kind, own in of_kinds}
    yield "kind", "right number", "mean adjusted Rand index"
    for kind, (mean, own) in sorted(means.items(), key=lambda item: item[1][0]):
        yield kind, _share(own), f"{mean:.2f}"


def _kept() -> Any:
    """Return the module of the scores that ``python -m benchmarks.auto_cross`` keeps."""
    sys.path.insert(0, str(DOCS.parent))
    try:
        return importlib.import_module("benchmarks.auto_scores")
    finally:
        sys.path.pop(0)


def _share(own: Sequence[Any]) -> str:
    n_right = sum(one.is_right for one in own)
    return f"{n_right} of {len(own)} ({n_right / len(own):.0%})"


TABLES: dict[str, Callable[[], str]] = {
    "auto_families": lambda: _as_markdown(auto_families()),
    "auto_kinds": lambda: _as_markdown(auto_kinds()),
    "auto_sets": lambda: _as_markdown(auto_sets()),
    "criteria": lambda: _as_markdown(criteria()),
    "distances": lambda: _as_markdown(distances()),
    "series_distances": lambda: _as_markdown(series_distances()),
    "geometries": lambda: _as_markdown(geometries()),
    "measures": measures,
    "speed": speed,
    "speed_short": speed_short,
}


def with_tables(text: str) -> str:
    """Return a page with its tables updated."""
    return PLACE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def _as_markdown(lines: Lines) -> str:
    head, *rows = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *rows])


def main() -> None:
    """Write the pages, or tell which ones are old."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a table is old")
    check = parser.parse_args().check
    pages = [DOCS.parent / "README.md", DOCS.parent / "paper.md", *sorted(DOCS.glob("**/*.md"))]
    old = [page for page in pages if with_tables(page.read_text()) != page.read_text()]
    for page in old if not check else ():
        page.write_text(with_tables(page.read_text()))
    if check and old:
        sys.exit(
            f"old tables in {', '.join(page.name for page in old)}: python docs/make_tables.py writes them"
        )


if __name__ == "__main__":
    main()
