"""What a person sees of the evidence: the answer first, then who says so, then the numbers."""

from __future__ import annotations

import shlex

import numpy as np
from rich.markup import escape
from rich.table import Table

from coterie._printing import count_of
from coterie._support.notes import render_notes
from coterie.cli import options
from coterie.cli.render.machines import print_json
from coterie.cli.render.summary import plain_table
from coterie.cli.render.terminal import console
from coterie.cli.selection import Selection
from coterie.cluster import find_method
from coterie.data import SCALINGS
from coterie.pipeline.many_columns import text_of_left_out
from coterie.select import Curve, find_criterion

COLUMN_WIDTH = 10  # of one criterion's numbers
SHOWN_FLAGS = 3


def show(found: Selection, *, as_json: bool = False) -> None:
    """Print the evidence for a person, or for a machine."""
    if as_json:
        print_json(found.facts())
        return
    out = console()
    out.print(_about(found), soft_wrap=True)
    out.print()
    for line in _answer(found):
        out.print(line, soft_wrap=True)
    out.print()
    out.print(_choices(found))
    out.print()
    numbers, n_hidden = _numbers(found, out.width)
    out.print(numbers)
    if n_hidden:
        out.print(f" and {n_hidden} more criteria (--json has all numbers)", style="dim")
    for note in _notes(found):
        out.print(f"  note: {escape(note)}", style="yellow", soft_wrap=True)
    out.print()
    out.print(f"groups   {escape(_next_command(found))}", soft_wrap=True)


def _about(found: Selection) -> str:
    columns = f"{count_of(len(found.columns), 'column')} used"
    if found.request.is_precomputed:
        columns = "a square of distances"
    return escape(f"{found.source}   {found.n_rows:,} rows; {columns}{text_of_left_out(found.left_out)}")


def _answer(found: Selection) -> list[str]:
    evidence, verdict = found.evidence, found.evidence.verdict
    title = find_method(found.method).title
    distance = f", {found.distance} distance" if found.distance else ""
    columns = f"{SCALINGS[found.scale]} and categories" if found.has_categories else SCALINGS[found.scale]
    scaled = f"{title} on {columns}{distance}"
    how = escape(f"{title}, from the distances" if found.request.is_precomputed else scaled)
    answer = "no groups" if verdict.k == 1 else f"{verdict.k} groups"
    total = sum(verdict.votes.values())
    others = sorted((k for k in verdict.votes if k != verdict.k), key=lambda k: (-verdict.votes[k], k))
    close = ", ".join(f"{verdict.votes[k]} for {_words(k)}" for k in others[:3])
    tried = f"{evidence.ks[0]} to {evidence.ks[-1]}"
    return [
        f"  [bold green]{answer}[/]   {how}, {tried} compared",
        f"  {verdict.votes.get(verdict.k, 0)} of {total} votes{f'; {close}' if close else ''}",
    ]


def _said(votes: int) -> str:
    return str(votes) if votes else "-"


def _words(k: int) -> str:
    return "none" if k == 1 else str(k)


def _choices(found: Selection) -> Table:
    table = plain_table()
    table.add_column("criterion")
    table.add_column("chooses", justify="right")
    table.add_column("votes", justify="right")
    table.add_column("because")
    for curve in found.evidence.curves:
        style = "bold green" if curve.choice == found.evidence.k else None
        chosen = "-" if curve.choice is None else _words(curve.choice)
        votes = _said(found.evidence.votes_of(curve))
        table.add_row(escape(_title(curve)), chosen, votes, escape(curve.reason), style=style)
    return table


def _title(curve: Curve) -> str:
    return curve.title + (" ~" if curve.is_estimate else "")


def _numbers(found: Selection, width: int) -> tuple[Table, int]:
    """Return values by number of groups, for as many criteria as fit, and how many do not."""
    evidence = found.evidence
    names = {curve.name for curve in evidence.curves}
    curves = [curve for curve in evidence.curves if find_criterion(curve.name).echoes not in names]
    shown = curves[: max(1, (width - 6) // COLUMN_WIDTH)]
    table = plain_table()
    table.add_column("k", justify="right", style="bold")
    for curve in shown:
        table.add_column(find_criterion(curve.name).symbol, justify="right", no_wrap=True)
    for at, k in enumerate(evidence.ks):
        cells = [_number(curve.values[at], is_choice=curve.choice == k) for curve in shown]
        table.add_row(str(k), *cells)
    return table, len(evidence.curves) - len(shown)


def _number(value: float, *, is_choice: bool) -> str:
    if np.isnan(value):
        return ""
    text = f"{value:.3g}" if abs(value) < 1e4 else f"{value:.2e}"
    return f"[bold green]{text}[/]" if is_choice else text


def _notes(found: Selection) -> tuple[str, ...]:
    flags = found.evidence.flags
    more = [f"and {len(flags) - SHOWN_FLAGS} more like these"] if len(flags) > SHOWN_FLAGS else []
    return render_notes([*found.notes, *flags[:SHOWN_FLAGS], *more, *found.evidence.notes], "shell")


def _next_command(found: Selection) -> str:
    if found.evidence.k == 1:
        return "none to fit; coterie fit with -k would make some all the same"
    method = [] if found.method == "kmeans" else ["--method", found.method]
    told = options.typed(found.request.arguments, *options.OF_ROWS)
    return shlex.join(["coterie", "fit", found.data, "-k", str(found.evidence.k), *method, *told])
