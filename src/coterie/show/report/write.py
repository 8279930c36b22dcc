"""Facts gathered, page rendered, file written whole or not at all."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from coterie._support.files import atomic_path, check_output
from coterie.pipeline import Clustering
from coterie.show.report.build_facts import build_facts
from coterie.show.report.clusterings import subject_of_clustering
from coterie.show.report.page_budget import MOST_BYTES, USUAL
from coterie.show.report.render import plotly_script, render
from coterie.show.report.subject import ReportSubject


def write_report(
    clustering: Clustering,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    force: bool = False,
    command: str | None = None,
) -> Path:
    """Write the report of an answer as one HTML file that needs nothing else.

    Parameters
    ----------
    clustering : Clustering
        From `coterie.fit`.
    path : str or path
        Where to write the page, an .html file.
    title : str, default=None
        What the page is called; None: the name of the table.
    force : bool, default=False
        Whether an existing file may be replaced.
    command : str, default=None
        What was typed in the shell, for the page to say; None: what would have to be.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import coterie
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (30, 2)) for centre in ([0, 0], [9, 0])])
    >>> path = write_report(coterie.fit(X, budget="fast"), Path(tempfile.mkdtemp()) / "groups.html")
    >>> path.stat().st_size < 8_000_000
    True
    """
    check_output(path, force=force)
    return write_subject(subject_of_clustering(clustering, command=command), path, title=title, force=force)


def write_subject(
    subject: ReportSubject, path: str | os.PathLike[str], *, title: str | None = None, force: bool = False
) -> Path:
    """Write the report of a subject.

    Parameters
    ----------
    subject : Subject
        Rows, groups and evidence.
    path : str or path
        Where to write the page, an .html file.
    title : str, default=None
        What the page is called; None: the name of the table.
    force : bool, default=False
        Whether an existing file may be replaced.
    """
    check_output(path, force=force)  # before the work
    page = make_page(subject if title is None else replace(subject, title=title))
    with atomic_path(path, force=force) as temporary:
        temporary.write_bytes(page)
    return Path(path)


def make_page(subject: ReportSubject) -> bytes:
    """Return the page in UTF-8; a table that does not fit into 8 MB gets less until it does."""
    budget = USUAL
    page = render(build_facts(subject, budget)).encode()
    script = len(plotly_script().encode())
    while len(page) > MOST_BYTES and budget.rows > 1:
        budget = budget.smaller((len(page) - script) / (MOST_BYTES - script))
        page = render(build_facts(subject, budget)).encode()
    return page
