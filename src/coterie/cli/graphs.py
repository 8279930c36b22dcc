"""``coterie fit --graph``: communities of the network that a file of edges holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.markup import escape

from coterie._support.config import version
from coterie._support.progress import track
from coterie.cli import reports
from coterie.cli.outputs import Files
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console, is_watched
from coterie.data import read_table, shown_name
from coterie.errors import InvalidParameter
from coterie.pipeline import FitRequest, GraphClustering, fit_graph
from coterie.pipeline.graph import graph_of

METHOD = "leiden"


def find(
    data: str,
    request: FitRequest,
    files: Files,
    is_graph: bool,
    is_directed: bool,
    report: Path | None,
    *,
    header: bool | None,
    encoding: str | None,
) -> GraphClustering:
    """Return the communities of a file of edges, after writing the labels of the nodes."""
    if not is_graph:
        raise InvalidParameter("--directed goes with --graph: it says that edges have a direction.")
    if files.model is not None:
        raise InvalidParameter(
            "--save needs rows: the communities of a graph cannot predict new ones. Write labels with "
            "-o FILE."
        )
    with track(is_watched(), f"reading {shown_name(data)}"):
        table = read_table(data, header=header, encoding=encoding, **request.reading)
    graph = graph_of(table, request, is_directed or dict(request.settings).get("directed"))
    found = fit_graph(graph, request, source=table.source, progress=is_watched())
    if report is not None:
        from coterie.show.report import report_graph

        report_graph(found, graph, report, command=f"{reports.asked()} --report {report}", force=files.force)
    if files.labels is not None:
        replace(files, with_data=True).write_labels(found.table(), found.labels)
    return found


def show(found: GraphClustering, files: Files, *, as_json: bool) -> None:
    """Print the answer, for a person or for a program."""
    if as_json:
        labels = str(files.labels) if files.labels else None
        print_json({**found.to_dict(), "labels_file": labels, "coterie": version()})
        return
    if files.labels_to_stdout:
        return
    out = console()
    about, _, rest = found.summary().partition("\n\n")
    answer, *others = rest.splitlines()
    out.print(escape(about), soft_wrap=True)
    out.print()
    out.print(
        escape(answer), style="bold yellow" if found.convincing is False else "bold green", soft_wrap=True
    )
    for line in others:
        out.print(escape(line), style="yellow" if line.startswith("  note:") else None, soft_wrap=True)
    out.print()
    written = f"written to {files.labels}" if files.labels else f"{reports.asked()} -o groups.csv"
    out.print(escape(f"labels   {written}"), soft_wrap=True)
