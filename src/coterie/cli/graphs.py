"""``coterie fit --graph``: communities of the network that a file of edges holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from coterie._support.progress import track
from coterie.cli import reports
from coterie.cli.outputs import Files
from coterie.cli.render.terminal import is_watched
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
        table = read_table(data, **request.reading)
    graph = graph_of(table, request, is_directed or dict(request.settings).get("directed"))
    found = fit_graph(graph, request, source=table.source, progress=is_watched())
    if report is not None:
        from coterie.show.report import report_graph

        report_graph(found, graph, report, command=f"{reports.asked()} --report {report}", force=files.force)
    if files.labels is not None:
        replace(files, with_data=True).write_labels(found.table(), found.labels)
    return found
