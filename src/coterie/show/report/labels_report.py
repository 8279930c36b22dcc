"""The report of labels that were given, not found, and the lines that make it again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coterie._printing import count_of
from coterie._support.notes import render_notes
from coterie._support.typing import JsonObject, Settings
from coterie.data import SCALINGS, LabelledData, Table, read_labels_table, read_rows, read_table, read_truth
from coterie.pipeline.groups import group_name
from coterie.pipeline.partition import given_groups
from coterie.show.report.clusterings import page_name, versions
from coterie.show.report.subject import ReportSubject, shorten
from coterie.show.report.write import write_subject

MOST_NAMES = 30
MOST_LED = 8  # names of groups that the head of a page has room for
USUAL = {"missing": "error", "scale": "auto", "places": "auto"}  # what need not be said


def report_labels(
    labels: str | os.PathLike[str] | Table,
    data: str | os.PathLike[str] | Table,
    path: str | os.PathLike[str],
    *,
    truth: str | None = None,
    column: str | None = None,
    truth_column: str | None = None,
    missing: str = "error",
    scale: str = "auto",
    places: str = "auto",
    header: bool | None = None,
    encoding: str | None = None,
    force: bool = False,
    command: str | None = None,
) -> Path:
    r"""Write the report of groups that a file gives the rows of a table.

    Parameters
    ----------
    labels : str, path or Table
        The table that holds the group of each row.
    data : str, path or Table
        The table that holds the rows; may be the same.
    path : str or path
        Where to write the page, an .html file.
    truth : str, default=None
        The classes of the rows: a column of either table, or a file.
    column, truth_column : str, default=None
        Columns of the groups and, in a file of its own, of the classes; None looks for a usual name.
    missing : {"error", "drop"}, default="error"
        What to do with rows that lack a value or a label.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        What to do with the columns before anything is measured.
    places : str, default="auto"
        "auto": columns of latitude and longitude are positions; "LAT,LON": these two are; "off": none.
    header, encoding
        As in `coterie.data.read_table`, for all files.
    force : bool, default=False
        Whether an existing page may be replaced.
    command : str, default=None
        What was typed in the shell, for the page to say.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "flowers.csv").write_text("width,group\n1.5,1\n2.5,1\n7,2\n8,2\n")
    >>> report_labels(folder / "flowers.csv", folder / "flowers.csv", folder / "flowers.html").name
    'flowers.html'
    """
    files = {"header": header, "encoding": encoding}
    how: JsonObject = {"column": column, "missing": missing}
    table = read_labels_table(labels, header, encoding)
    rows = data if isinstance(data, Table) else read_table(data, header=header, encoding=encoding)
    pair = None if truth is None else read_truth(table, truth, rows, truth_column, **how, **files)
    found = read_rows(table, rows, pair, places=places, **how)
    classes = None
    if pair is not None and np.array_equal(pair.pred, found.labels):  # where every row has a class
        classes = pair.true.tolist()
    asked = {
        "truth": truth,
        "column": column,
        "truth_column": truth_column,
        "missing": missing,
        "scale": scale,
        "places": places,
        **files,
    }
    lines = lines_of_labels(table.source, rows.source, asked)
    return write_subject(
        subject_of_labels(found, classes=classes, scale=scale, command=command, python=lines),
        path,
        force=force,
    )


def subject_of_labels(
    data: LabelledData,
    *,
    classes: Sequence[object] | None = None,
    scale: str = "standard",
    command: str | None = None,
    python: str = "",
) -> ReportSubject:
    """Return what a report of given labels is about: `coterie evaluate --data --report`.

    Parameters
    ----------
    data : LabelledData
        From `coterie.data.read_labelled_data`.
    classes : sequence, default=None
        The classes of the same rows.
    scale : {"standard", "minmax", "robust", "none"}, default="standard"
        What to do with the columns first.
    command : str, default=None
        What was typed in the shell.
    python : str, default=""
        The lines that make the same report.
    """
    given = given_groups(data, classes, scale)
    names = given.names
    is_plain = _count_by_size(names)
    numbered = ", ".join(f"{at + 1} is {shorten(name)}" for at, name in enumerate(names[:MOST_NAMES]))
    return ReportSubject(
        title=Path(data.data_source).name,
        partition=given.partition,
        n_rows=len(data.X) + data.n_dropped,
        headline=count_of(len(names), "group"),
        called=() if is_plain else names,
        lead=f"given by the column {data.label_name} of {data.source}"
        + ("" if is_plain or len(names) > MOST_LED else f": {numbered}"),
        left_out=[(column.name, column.reason) for column in data.left_out],
        scaling=SCALINGS[given.scale],
        notes=render_notes(
            [*data.notes, "" if is_plain else f"groups are numbered by size: {numbered}"],
            "python" if command is None else "shell",
        ),
        made=[("groups", "given, not computed"), *versions()],
        command=command,
        python=python,
    )


def _count_by_size(names: Sequence[str]) -> bool:
    """Return whether groups are called as the page calls them: 1, 2, ..., or labels 0, 1, ..."""
    labels = range(len(names))
    ways = ([str(at + 1) for at in labels], [str(at) for at in labels], [group_name(at) for at in labels])
    return list(names) in ways


def lines_of_labels(labels: str, data: str, asked: Settings) -> str:
    """Return the lines that make the same report; none where labels or data came from no file.

    Examples
    --------
    >>> print(lines_of_labels("groups.csv", "flowers.csv", {"truth": "species", "missing": "error"}))
    from coterie.show.report import report_labels
    <BLANKLINE>
    report_labels("groups.csv", "flowers.csv", "flowers.html", truth="species")
    """
    if not (Path(labels).suffix and Path(data).suffix):
        return ""
    told = {name: value for name, value in asked.items() if value is not None and value != USUAL.get(name)}
    words = [_said(labels), _said(data), _said(page_name(data))]
    words += [f"{name}={_said(value)}" for name, value in told.items()]
    return f"from coterie.show.report import report_labels\n\nreport_labels({', '.join(words)})"


def _said(value: object) -> str:
    """Return a value as Python reads it; what JSON makes of a text is Python too."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
