"""What a person sees of an answer: its own text, in colour, and how to write the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from rich import box
from rich.markup import escape
from rich.table import Table

from coterie._support.config import version
from coterie._support.stores import shown
from coterie._support.typing import JsonObject, Settings
from coterie.cli import reports
from coterie.cli.outputs import Files
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console
from coterie.cluster import find_method
from coterie.data.inspection import HEADINGS, USED, Inspection
from coterie.pipeline import Clustering
from coterie.pipeline.compare_methods import MethodComparison


def show_clustering(
    found: Clustering, *, labels: Path | None = None, model: Path | None = None, commands: bool = True
) -> None:
    """Print an answer."""
    print_answer(found.summary(shell=True), is_doubtful=found.convincing is False and found.k > 1)
    if commands or labels or model:
        out = console()
        out.print()
        example = "labels" if hasattr(found, "write_labels") else "groups.csv"
        for line in _files(labels, model, example=example):
            out.print(escape(line), soft_wrap=True)


def show_other(found: _Answer, text: str, files: Files, *, as_json: bool) -> None:
    """Print an answer about texts or a network, for a person or for a program."""
    if as_json:
        labels = str(files.labels) if files.labels else None
        print_json({**found.to_dict(), "labels_file": labels, "coterie": version()})
        return
    if files.labels_to_stdout:
        return
    print_answer(text, is_doubtful=found.convincing is False)
    out = console()
    out.print()
    written = f"written to {shown(files.labels)}" if files.labels else f"{reports.asked()} -o groups.csv"
    out.print(escape(f"labels   {written}"), soft_wrap=True)
    if files.model:
        out.print(escape(f"model    written to {shown(files.model)}"), soft_wrap=True)


def print_answer(text: str, *, is_doubtful: bool) -> None:
    """Print a summary: what it is about, an empty line, the answer in colour, the rest."""
    out = console()
    about, _, rest = text.partition("\n\n")
    answer, *others = rest.splitlines()
    out.print(escape(about), soft_wrap=True)
    out.print()
    out.print(escape(answer), style="bold yellow" if is_doubtful else "bold green", soft_wrap=True)
    for line in others:
        out.print(escape(line), style="yellow" if line.startswith("  note:") else None, soft_wrap=True)


class _Answer(Protocol):
    """What is said of groups of texts or of nodes."""

    @property
    def convincing(self) -> bool | None: ...

    def to_dict(self) -> JsonObject: ...


def _files(labels: Path | None, model: Path | None, *, example: str) -> list[str]:
    asked = reports.asked()
    lines = [
        f"labels   written to {shown(labels)}" if labels else f"labels   {asked} -o {example}",
        f"model    written to {shown(model)}" if model else f"model    {asked} --save groups.safetensors",
    ]
    return lines if reports.is_reported() else [*lines, f"report   {asked} --report groups.html"]


def plain_table() -> Table:
    """Return a table with nothing but a line under its head."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True, padding=(0, 1))


def show_contest(found: MethodComparison) -> None:
    """Print the answer, then one line per method."""
    out = console()
    out.print(
        escape(f"{found.source}   {found.n_rows:,} rows; compared on {found.n_compared:,}"), soft_wrap=True
    )
    out.print()
    out.print(f"  [bold green]{escape(found.headline)}[/]", soft_wrap=True)
    out.print()
    out.print(_contest_table(found))


def _contest_table(found: MethodComparison) -> Table:
    table = plain_table()
    has_truth = found.agreement is not None
    for name in ("method", "groups", "separation", "weakest border", "borders cut", "noise"):
        table.add_column(name, justify="left" if name == "method" else "right")
    if has_truth:
        table.add_column("adjusted Rand", justify="right")
    table.add_column("what speaks for or against it")
    for at, candidate in enumerate(found.candidates):
        scores = candidate.scores
        table.add_row(
            find_method(candidate.method).title,
            str(candidate.k),
            f"{scores['separation']:.1f}",
            f"{scores['weakest_valley']:.1f}",
            f"{scores['crossing']:.1%}",
            f"{scores['noise']:.1%}",
            *([] if found.agreement is None else [f"{found.agreement[at]:.2f}"]),
            escape(candidate.reason),
        )
    return table


def show_inspection(found: Inspection) -> None:
    """Print what is known about the columns of a table."""
    out = console()
    out.print(escape(found.title), soft_wrap=True)
    out.print()
    table = plain_table()
    for heading in HEADINGS:
        table.add_column(
            heading, justify="right" if heading == "missing" else "left", no_wrap=heading == "column"
        )
    for facts in found.columns:
        style = None if facts.role == USED else "dim"
        table.add_row(*map(escape, facts.cells()), style=style)
    out.print(table)
    for note in found.notes:
        out.print(escape(f"  note: {note}"), style="yellow", soft_wrap=True)


def show_catalogue(
    entries: Sequence[Settings], headings: Mapping[str, str], *, as_json: bool = False
) -> None:
    """Print facts of entries: all as JSON, or those that have a heading as a table."""
    if as_json:
        print_json(list(entries))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for fact, heading in headings.items():
        table.add_column(heading, style="bold" if fact == "name" else None, no_wrap=fact == "name")
    for entry in entries:
        table.add_row(*(_words(entry[fact]) for fact in headings))
    console().print(table)


def _words(value: bool | str | Iterable[str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ", ".join(value)
