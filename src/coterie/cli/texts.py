"""``coterie fit --text``: groups of the texts in a column, or in a folder of text files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars

from coterie._support.progress import track
from coterie.cli import reports
from coterie.cli.outputs import Files
from coterie.cli.render.terminal import is_watched
from coterie.data import Table, read_table, shown_name
from coterie.data.paths import expand, is_several
from coterie.errors import InvalidParameter, MissingFile, did_you_mean
from coterie.persist import save as save_model
from coterie.pipeline import FitRequest
from coterie.pipeline.many_columns import names_of_rows
from coterie.text import TextClustering, fit_texts

SUFFIXES = (".txt", ".md", ".text")
LARGEST_FILE = 1 << 24  # bytes of one text


def find(
    data: str,
    column: str,
    language: str,
    request: FitRequest,
    files: Files,
    report: Path | None,
) -> tuple[TextClustering, list[str], list[str] | None]:
    """Return the groups, the texts and what they are called, after writing labels, model and report."""
    if request.methods is not None:
        raise InvalidParameter("--text has a method of its own: leave --method out.")
    with track(is_watched(), f"reading {shown_name(data)}"):
        table, texts = _read(data, column, request)
    found = fit_texts(
        texts,
        k=_one_number(request),
        language=language,
        believe=request.believe,
        random_state=request.seed,
        source=table.source,
        progress=is_watched(),
    )
    found = replace(found, column="" if is_several(data) else column)
    if files.labels is not None:
        replace(files, with_data=True).write_labels(_named(table, found, files), found.labels)
    if files.model is not None:
        save_model(found, files.model, force=files.force)
    names = names_of_rows(table, np.arange(table.n_rows))
    if report is not None:
        from coterie.show.report import report_texts

        report_texts(found, texts, report, names=names, command=reports.asked(), force=files.force)
    return found, texts, names


def _one_number(request: FitRequest) -> int | None:
    if request.ks is None:
        return None
    if len(request.ks) > 1:
        raise InvalidParameter("--text takes one number of groups, as in -k 8.")
    return request.ks[0]


def _read(data: str, column: str, request: FitRequest) -> tuple[Table, list[str]]:
    if is_several(data):
        return _read_files(data, request.reading.get("encoding", "utf-8"))
    table = read_table(data, **request.reading)
    if table.is_matrix or column not in table.columns:
        known = () if table.is_matrix else table.columns
        near = did_you_mean(column, known)
        shown = f" Its columns are {', '.join(known[:10])}." if known and not near else ""
        raise InvalidParameter(f'{table.source} has no column "{column}".{near}{shown}')
    values: list[object] = table.content[column].to_list()
    return table, ["" if value is None else str(value) for value in values]


def _read_files(data: str, encoding: str) -> tuple[Table, list[str]]:
    paths = [path for path in map(Path, expand(data)) if path.suffix.lower() in SUFFIXES]
    if not paths:
        raise MissingFile(f"{data}: there is no text file in it ({', '.join(SUFFIXES)}).")
    texts = []
    for path in paths:
        if path.stat().st_size > LARGEST_FILE:
            raise InvalidParameter(f"{path}: is larger than {LARGEST_FILE >> 20} MB, too long for one text.")
        texts.append(path.read_text(encoding=encoding, errors="replace"))
    frame = polars.DataFrame({"file": [path.name for path in paths]})
    return Table(shown_name(data), ("file",), True, len(texts), frame), texts


def _named(table: Table, found: TextClustering, files: Files) -> Table:
    """Return what is written beside the labels: the names of the groups, and the data if asked for."""
    names = [found.names[label] if label >= 0 else None for label in found.labels.tolist()]
    keeps = files.with_data or table.columns == ("file",)
    column = "name" if "name" not in table.columns else "group_name"
    frame = polars.DataFrame({column: polars.Series(names, dtype=polars.String)})
    frame = polars.concat([table.content, frame], how="horizontal") if keeps else frame
    return Table(table.source, tuple(frame.columns), True, table.n_rows, frame)
