"""What a person sees of an answer: its own text, in colour, and how to write the files."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.markup import escape
from rich.table import Table

from coterie.cli import reports
from coterie.cli.render.terminal import console
from coterie.pipeline import Clustering


def show_clustering(
    found: Clustering, *, labels: Path | None = None, model: Path | None = None, commands: bool = True
) -> None:
    """Print an answer.

    Parameters
    ----------
    found : Clustering
        What was found.
    labels, model : Path or None
        Files that were written.
    commands : bool
        Whether to say how to write them when they were not.
    """
    out = console()
    about, _, rest = found.summary().partition("\n\n")
    answer, *others = rest.splitlines()
    out.print(escape(about), soft_wrap=True)
    out.print()
    out.print(escape(answer), style="bold green", soft_wrap=True)
    for line in others:
        out.print(escape(line), style="yellow" if line.startswith("  note:") else None, soft_wrap=True)
    if commands or labels or model:
        out.print()
        example = "labels" if hasattr(found, "write_labels") else "groups.csv"
        for line in _files(labels, model, example=example):
            out.print(escape(line), soft_wrap=True)


def _files(labels: Path | None, model: Path | None, *, example: str) -> list[str]:
    asked = reports.asked()
    lines = [
        f"labels   written to {labels}" if labels else f"labels   {asked} -o {example}",
        f"model    written to {model}" if model else f"model    {asked} --save groups.safetensors",
    ]
    return lines if reports.is_reported() else [*lines, f"report   {asked} --report groups.html"]


def plain_table() -> Table:
    """Return a table with nothing but a line under its head."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True, padding=(0, 1))
