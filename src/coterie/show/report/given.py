"""The report of labels that were given, not found, and the lines that make it again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coterie.data import Table, read_labels_table, read_rows, read_table, read_truth
from coterie.show.report.clusterings import page_name
from coterie.show.report.subjects import subject_of_labels
from coterie.show.report.write import write_subject

USUAL = {"missing": "error", "scale": "auto"}  # what need not be said


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
        Where the page shall go, an .html file.
    truth : str, default=None
        The classes of the rows: a column of either table, or a file.
    column, truth_column : str, default=None
        Columns of the groups and, in a file of its own, of the classes; None looks for a usual name.
    missing : {"error", "drop"}, default="error"
        What to do with rows that lack a value or a label.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        What to do with the columns before anything is measured.
    header, encoding
        As in `coterie.data.read_table`, for all files.
    force : bool, default=False
        Whether an existing page may be replaced.
    command : str, default=None
        What was typed in the shell, for the page to say.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "flowers.csv").write_text("width,group\n1.5,1\n2.5,1\n7,2\n8,2\n")
    >>> report_labels(folder / "flowers.csv", folder / "flowers.csv", folder / "flowers.html").name
    'flowers.html'
    """
    files = {"header": header, "encoding": encoding}
    how: dict[str, Any] = {"column": column, "missing": missing}
    table = read_labels_table(labels, header, encoding)
    rows = data if isinstance(data, Table) else read_table(data, header=header, encoding=encoding)
    pair = None if truth is None else read_truth(table, truth, rows, truth_column, **how, **files)
    found = read_rows(table, rows, pair, **how)
    classes = None
    if pair is not None and np.array_equal(pair.pred, found.labels):  # where every row has a class
        classes = pair.true.tolist()
    asked = {
        "truth": truth,
        "column": column,
        "truth_column": truth_column,
        "missing": missing,
        "scale": scale,
        **files,
    }
    lines = lines_of_labels(table.source, rows.source, asked)
    return write_subject(
        subject_of_labels(found, classes=classes, scale=scale, command=command, python=lines),
        path,
        force=force,
    )


def lines_of_labels(labels: str, data: str, asked: Mapping[str, Any]) -> str:
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


def _said(value: Any) -> str:
    """Return a value as Python reads it; what JSON makes of a text is Python too."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
