"""``coterie evaluate``: compare the groups of a file with the truth, or judge them by the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coterie.cli import completion, options
from coterie.cli.completion import offers
from coterie.cli.options import option, word_option

if TYPE_CHECKING:
    from coterie._support.typing import Settings

EXAMPLES = """
Examples:

\b
  coterie evaluate groups.csv --truth truth.csv
  coterie evaluate groups.csv --data flowers.csv
  coterie evaluate groups.csv --data flowers.csv --truth species
  coterie evaluate groups.csv --data flowers.csv --scale standard --distance manhattan
  coterie evaluate flowers.csv --truth species --column group
  coterie evaluate groups.csv --truth truth.csv --measure ARI --measure NMI
  coterie evaluate groups.csv --data flowers.csv --truth species --report flowers.html --open
  coterie evaluate groups.csv --truth truth.csv --json | jq .measures.purity_score
"""


def evaluate(
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="Table with the group of each row, or -.")],
    truth: Annotated[
        str | None,
        option(
            "--truth", metavar="T", help="A column of LABELS or DATA, or a file.", offered=completion.columns
        ),
    ] = None,
    data: Annotated[
        str | None, option("--data", metavar="DATA", help="The clustered data, for internal measures.")
    ] = None,
    column: Annotated[
        str | None,
        option(metavar="NAME", help="Column of the groups [found by name]", offered=completion.columns),
    ] = None,
    truth_column: Annotated[str | None, option(metavar="NAME", help="Column of the truth's file.")] = None,
    measure: Annotated[
        list[str],
        option(metavar="NAME", help="Only this one (repeatable).", offered=offers(completion.measures)),
    ] = [],  # noqa: B006  # typer copies it
    distance: Annotated[
        str,
        option(
            metavar="NAME",
            help="Distance between rows of --data [euclidean, with categories gower]",
            offered=options.DISTANCE,
        ),
    ] = "auto",
    scale: Annotated[
        str | None, word_option(*options.SCALES, otherwise="auto", about="Columns of --data: ")
    ] = None,
    noise: Annotated[
        str | None,
        word_option("cluster", "exclude", "singletons", otherwise="cluster", about="Rows labelled -1: "),
    ] = None,
    missing: Annotated[
        str, word_option("error", "drop", otherwise="error", about="Rows without a label: ")
    ] = "error",
    dates: options.Dates = None,
    sheet: options.Sheet = None,
    table: options.DatabaseTable = None,
    query: options.Query = None,
    places: options.Places = "auto",
    shows_all: Annotated[bool, option("--all", help="Print all measures instead of the main three.")] = False,
    header: options.Header = None,
    encoding: options.Encoding = None,
    report: options.Report = None,
    opens: options.Open = False,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Evaluate groups: against true classes, by the data, or both."""
    from coterie.cli import reports
    from coterie.cli.render import verdict
    from coterie.cli.sampled import read_evaluated
    from coterie.data import AUTO, check_scale, read_truth
    from coterie.data.geography.places import check_places
    from coterie.errors import InvalidParameter
    from coterie.evaluate.labelings import check_noise
    from coterie.pipeline.request import scale_for

    policy = None if noise is None else check_noise(noise)
    given = [need for need, value in (("labelings", truth), ("data", data)) if value is not None]
    if not given:
        raise InvalidParameter(
            "evaluate needs --truth (compare with other labels), --data (judge by the data), or both."
        )
    reading = options.reading(dates, sheet, table, query)
    if data is None:
        options.refuse_without_data(scale=scale, report=report, **reading)
    located, scaled = check_places(places), check_scale(scale or AUTO)
    scaled = scaled if distance == AUTO else scale_for(scaled, distance)
    reports.check(report, opens=opens, force=force)
    chosen = verdict.measures_by_need(measure, given)
    how: verdict.LabelColumn = {"column": column, "missing": missing}
    files: Settings = {"header": header, "encoding": encoding}
    labelled, rows, classes, files = read_evaluated(labels, data, truth, files, reading)
    parts: list[verdict.Agreement | verdict.Quality] = []
    pair = None
    if classes is not None:
        pair = read_truth(labelled, classes, rows, truth_column, **how, **files)
    if pair is not None and "labelings" in chosen:
        parts.append(verdict.Agreement.of(pair, chosen["labelings"], policy, shows_all=shows_all))
    if rows is not None and "data" in chosen:
        found, distance = verdict.read_judged(labelled, rows, pair, distance, places=located, **how)
        wanted = chosen["data"], distance, scale_for(scale or AUTO, distance), policy
        parts.append(verdict.Quality.of(found, *wanted, shows_all=shows_all))
    if rows is not None and report is not None:
        asked = {"truth": classes, "truth_column": truth_column, "scale": scaled, "places": places}
        reports.write_labelled(labelled, rows, report, force=force, **asked, **how, **files)
    verdict.show(parts, as_json=as_json)
    reports.tell(report, opens=opens, quiet=as_json)
