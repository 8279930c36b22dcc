"""Reports that commands write, and how they are opened."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from pathlib import Path
from typing import Any

from coterie._support.files import check_output
from coterie._support.optional import require
from coterie._support.stores import is_url, scrubbed
from coterie.data import Table, shown_name
from coterie.errors import InvalidParameter
from coterie.pipeline import Clustering

SUFFIXES = (".html", ".htm")
FILE_OPTIONS = ("-o", "--output", "--save", "--report", "--carry")
FLAGS = (
    "--open",
    "--force",
    "--with-data",
    "--with-file",
    "--keep-layout",
    "--escape-formulas",
)  # of those files: refused or idle without them


def check(report: Path | None, *, opens: bool, force: bool) -> None:
    """Refuse, before anything is read, a report that cannot be written."""
    if report is None:
        if opens:
            raise InvalidParameter("--open needs --report FILE: there is nothing else to open.")
        return
    if opens and is_url(report):
        raise InvalidParameter("--open is for a report on this machine. Leave it out, or write to a file.")
    if report.suffix.lower() not in SUFFIXES:
        raise InvalidParameter(
            f"{shown_name(report)}: the name of a report must end in .html, got "
            f"{report.suffix or 'no ending'}."
        )
    check_output(report, force=force)
    for package in ("plotly", "jinja2"):
        require(package, extra="report", purpose="The report")


def write(found: Clustering, report: Path | None, *, force: bool) -> None:
    """Write the report of an answer."""
    if report is not None:
        from coterie.show.report import write_report

        write_report(found, report, force=force, command=said())


def write_labelled(table: Table, rows: Table, report: Path, *, force: bool, **asked: Any) -> None:
    """Write the report of labels that were given."""
    from coterie.show.report import report_labels

    report_labels(table, rows, report, force=force, command=said(), **asked)


def said() -> str:
    """Return what was typed."""
    return shlex.join(["coterie", *map(_shown_word, sys.argv[1:])])


def _shown_word(word: str) -> str:
    """Return a word that was typed without anything secret, also in ``--truth=ADDRESS``."""
    return scrubbed(shown_name(word))


def asked() -> str:
    """Return what was typed, without the files that were written: it can be typed again."""
    kept, words = ["coterie"], iter(sys.argv[1:])
    for word in words:
        if word in FILE_OPTIONS:
            next(words, None)
        elif word not in FLAGS and not word.startswith(("-o", *(f"{name}=" for name in FILE_OPTIONS))):
            kept.append(_shown_word(word))
    return shlex.join(kept)


def is_reported() -> bool:
    """Return whether a report was asked for."""
    return any(word == "--report" or word.startswith("--report=") for word in sys.argv)


def tell(report: Path | None, *, opens: bool, quiet: bool = False) -> None:
    """Say where the report is, and open it when asked."""
    if report is None:
        return
    if not quiet:
        print(f"report   written to {shown_name(report)}")
    if opens and not is_url(report):
        webbrowser.open(report.resolve().as_uri())
