"""What a person sees: the answer first, the evidence underneath; and the same as JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Table

from coterie.cli import reports
from coterie.cli.render.facts import facts
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console
from coterie.data import SCALINGS
from coterie.pipeline import Clustering, Groups

NO_GROUP = (
    "every row is noise. Lower --set min_samples=... or --set min_cluster_size=..., or take another --method."
)
SHOWN_GROUPS = 20
SHOWN_COLUMNS = 12
GROUPS_SIDE_BY_SIDE = 8
WIDTH_OF_NUMBERS = 42  # of the table of groups, without words and rules


def show(
    groups: Groups,
    *,
    as_json: bool = False,
    labels: Path | None = None,
    model: Path | None = None,
    commands: bool = True,
) -> None:
    """Print the groups for a person, or for a machine.

    Parameters
    ----------
    groups : Groups
        What was found.
    as_json : bool
        Print JSON instead.
    labels, model : Path or None
        Files that were written.
    commands : bool
        Whether to say how to write them when they were not.
    """
    if as_json:
        print_json(facts(groups, labels=labels, model=model))
        return
    out = console()
    out.print(_about_the_table(groups), soft_wrap=True)
    out.print()
    out.print(_answer(groups), soft_wrap=True)
    out.print()
    out.print(_group_table(groups, out.width))
    out.print()
    if groups.k:
        centers, n_hidden = _center_table(groups)
        out.print(centers)
        if n_hidden:
            out.print(f" and {n_hidden:,} more columns that differ less (--json has all)", style="dim")
        out.print()
    out.print(_how(groups), style="dim", soft_wrap=True)
    if not groups.k:
        out.print(f"  note: {NO_GROUP}", style="yellow", soft_wrap=True)
    for note in (*groups.notes, *filter(None, [groups.profile.rule_note])):
        out.print(f"  note: {escape(note)}", style="yellow", soft_wrap=True)
    if commands or labels or model:
        out.print()
        for line in _files(labels, model):
            out.print(line, soft_wrap=True)


def show_clustering(
    clustering: Clustering,
    *,
    labels: Path | None = None,
    model: Path | None = None,
    commands: bool = True,
    example: str = "groups.csv",
) -> None:
    """Print the answer of a comparison of methods; parameters as in `show`.

    `example` is where labels could be written.
    """
    out = console()
    about, _, rest = clustering.summary().partition("\n\n")
    answer, *others = rest.splitlines()
    out.print(escape(about), soft_wrap=True)
    out.print()
    out.print(escape(answer), style="bold green", soft_wrap=True)
    for line in others:
        out.print(escape(line), style="yellow" if line.startswith("  note:") else None, soft_wrap=True)
    if commands or labels or model:
        out.print()
        for line in _files(labels, model, example=example):
            out.print(line, soft_wrap=True)


def _about_the_table(groups: Groups) -> str:
    left_out = (
        f"; left out: {', '.join(str(column) for column in groups.left_out)}" if groups.left_out else ""
    )
    columns = f"{len(groups.columns)} column{'s' if len(groups.columns) > 1 else ''} used"
    return escape(f"{groups.source}   {groups.n_rows:,} rows; {columns}{left_out}")


def _answer(groups: Groups) -> str:
    method = groups.recipe.title
    has_distance = hasattr(groups.model, "geometry") or hasattr(groups.model, "metric")
    distance = f", {groups.recipe.distance or 'Euclidean'} distance" if has_distance else ""
    how = f"{method} on {SCALINGS[groups.recipe.scale]}{distance}"
    plural = "s" if groups.k != 1 else ""
    return f"  [bold green]{groups.k} group{plural}[/]   {escape(how)}"


def _group_table(groups: Groups, width: int) -> Table:
    """Return one row per group; the rule of each where the terminal is wide enough for it."""
    table = plain_table()
    table.add_column("group", justify="right", style="bold")
    table.add_column("rows", justify="right")
    table.add_column("share", justify="right")
    medoids, rules = groups.medoid_rows, groups.profile.rules
    has_rules = any(rules) and _width_with_rules(groups) <= width
    if medoids is not None:
        table.add_column("medoid", justify="right")
    table.add_column("what sets it apart from the average row")
    if has_rules:
        table.add_column("rule (precision, recall)")
    for group, (size, share) in enumerate(zip(groups.profile.sizes, groups.shares, strict=True)):
        if group == SHOWN_GROUPS:
            more = f"and {groups.k - SHOWN_GROUPS} more (--json has all)"
            table.add_row("...", "", "", *([] if medoids is None else [""]), more)
            break
        medoid = [] if medoids is None else [f"row {medoids[group] + 1}"]
        rule = [escape(str(rules[group] or ""))] if has_rules else []
        words = escape(groups.profile.words(group))
        table.add_row(str(group + 1), f"{size:,}", f"{share:.1%}", *medoid, words, *rule)
    if groups.n_noise:
        share = groups.n_noise / groups.n_rows
        nobody = [] if medoids is None else [""]
        table.add_row("noise", f"{groups.n_noise:,}", f"{share:.1%}", *nobody, "in no group (label -1)")
    return table


def _width_with_rules(groups: Groups) -> int:
    shown = range(min(groups.k, SHOWN_GROUPS))
    words = max(len(groups.profile.words(group)) for group in shown)
    return WIDTH_OF_NUMBERS + words + max(len(str(groups.profile.rules[group])) for group in shown)


def _center_table(groups: Groups) -> tuple[Table, int]:
    """Return the centres, groups side by side if they fit, else below each other; and the columns hidden."""
    telling = np.argsort(-np.abs(groups.profile.differences).max(axis=0), kind="stable")
    columns = sorted(telling[:SHOWN_COLUMNS].tolist())
    table = plain_table()
    if groups.k <= GROUPS_SIDE_BY_SIDE:
        table.add_column(_heading(groups))
        for group in range(groups.k):
            table.add_column(f"group {group + 1}", justify="right")
        for column in columns:
            table.add_row(escape(groups.columns[column]), *_formatted(groups.centers[:, column]))
    else:
        columns = sorted(telling[: SHOWN_COLUMNS // 2].tolist())
        table.add_column(f"{_heading(groups)} of", justify="right", style="bold")
        for column in columns:
            table.add_column(escape(groups.columns[column]), justify="right", overflow="fold")
        cells = [_formatted(groups.centers[:, column]) for column in columns]
        for group in range(min(groups.k, SHOWN_GROUPS)):
            table.add_row(str(group + 1), *(column[group] for column in cells))
    return table, len(groups.columns) - len(columns)


def _heading(groups: Groups) -> str:
    if groups.centers is groups.profile.means:
        return "mean"
    return "centre" if groups.medoid_rows is None else "medoid"


def _how(groups: Groups) -> str:
    model = groups.model
    parts = []
    if groups.objective is not None:
        words, value = groups.objective
        parts.append(f"{words} {value:,.6g}")
    if groups.explained is not None:
        parts.append(f"{groups.explained:.0%} of the variance is between groups")
    if hasattr(model, "n_iter_"):
        parts.append(f"{model.n_iter_} iteration{'s' * (model.n_iter_ != 1)}")
    if getattr(model, "exact_", True) is False and hasattr(model, "algorithm_used_"):
        parts.append(f"approximate ({model.algorithm_used_})")
    n_starts = getattr(model, "_n_init", groups.recipe.n_init)
    if n_starts is not None and n_starts > 1:
        parts.append(f"best of {n_starts} starts")
    parts += [f"seed {groups.recipe.seed}", f"{groups.seconds:.2f} s"]
    return "  " + ", ".join(parts)


def _files(labels: Path | None, model: Path | None, *, example: str = "groups.csv") -> list[str]:
    asked = reports.asked()
    lines = [
        f"labels   written to {labels}" if labels else f"labels   {asked} -o {example}",
        f"model    written to {model}" if model else f"model    {asked} --save groups.safetensors",
    ]
    return lines if reports.is_reported() else [*lines, f"report   {asked} --report groups.html"]


def plain_table() -> Table:
    """Return a table with nothing but a line under its head."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=True, padding=(0, 1))


def _formatted(values: Any) -> list[str]:
    """Round to three digits of the spread between groups: more would mean nothing."""
    spread = float(np.ptp(values)) or float(np.abs(values).max())
    decimals = max(0, 2 - math.floor(math.log10(spread))) if spread > 0 else 0
    return [f"{value:,.{min(decimals, 12)}f}" for value in values.tolist()]
