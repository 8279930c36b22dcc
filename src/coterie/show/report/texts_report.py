"""The report of groups of texts: their names, typical texts, and the map of the vectors that decided."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coterie._support.files import check_output
from coterie._support.typing import MatrixLike
from coterie.errors import InvalidData
from coterie.pipeline.partition import Partition, RowsAtHand, dense
from coterie.show.report.clusterings import versions
from coterie.show.report.subject import ReportSubject
from coterie.show.report.write import write_subject
from coterie.text import TextClustering


def report_texts(
    found: TextClustering,
    texts: Sequence[str],
    path: str | os.PathLike[str],
    *,
    vectors: MatrixLike | None = None,
    names: Sequence[str] | None = None,
    command: str | None = None,
    force: bool = False,
) -> Path:
    """Write the report of groups of texts as one HTML file.

    Parameters
    ----------
    found : TextClustering
        From `coterie.text.fit_texts`.
    texts : sequence of str
        The documents.
    path : str or path
        Where to write the page, an .html file.
    vectors : array-like, default=None
        The vectors that `fit_texts` was given, if it was.
    names : sequence of str, default=None
        What the texts are called, e.g. their files; None: how they begin.
    command : str, default=None
        What was typed in the shell.
    force : bool, default=False
        Whether an existing file may be replaced.
    """
    check_output(path, force=force)
    subject = subject_of_texts(found, texts, vectors=vectors, names=names, command=command)
    return write_subject(subject, path, force=force)


def subject_of_texts(
    found: TextClustering,
    texts: Sequence[str],
    *,
    vectors: MatrixLike | None = None,
    names: Sequence[str] | None = None,
    command: str | None = None,
) -> ReportSubject:
    """Return what a report of groups of texts is about; parameters as in `report_texts`."""
    if len(texts) != len(found.labels):
        raise InvalidData(
            f"report_texts needs the {len(found.labels):,} texts of the fit, got {len(texts):,}."
        )
    if found.encoder is None and vectors is None:
        raise InvalidData("report_texts needs the vectors that fit_texts was given: vectors=...")
    rows = dense(vectors if found.encoder is None else found.encoder.encode(list(texts)))
    columns = tuple(f"direction {at + 1}" for at in range(rows.shape[1]))
    at_hand = RowsAtHand(rows, rows, np.arange(len(texts)), columns, len(texts), metric="cosine")
    others = {int(layer.max()) + 1: Partition(at_hand, layer) for layer in found.layers.T}
    others.pop(found.k, None)
    return ReportSubject(
        title=Path(found.source).name,
        partition=Partition(at_hand, np.asarray(found.labels)),
        n_rows=len(texts),
        headline=found.headline,
        lead=found.tested or "not tested against shuffled words",
        others=others if found.k > 1 else {},
        levels=list(others) if found.k > 1 else (),
        row_names=list(names) if names is not None else [" ".join(text.split())[:80] for text in texts],
        group_names=found.names,
        typical=found.typical,
        linked=found.model,
        scaling="words of the texts" if found.encoder is not None else "vectors of the texts",
        notes=found.notes,
        made=[
            ("method", "communities of similar texts"),
            ("persistence", f"{found.persistence:.2f}"),
            *versions(),
        ],
        command=command,
        python="from coterie.text import fit_texts\n\nfound = fit_texts(texts)",
        used=("the texts",),
        units=("text", "texts"),
        extent="their words" if found.encoder is not None else "their vectors",
    )
