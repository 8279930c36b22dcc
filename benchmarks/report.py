"""Tables of results: aligned text for the terminal, Markdown for ``RESULTS.md``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.record import Record

INTRODUCTION = """\
# Measured side by side

Written by `make bench` (`python -m benchmarks`); `benchmarks/README.md` says how it is done. Every figure is
the best of several rounds in which the contestants took turns, each in a process of its own, from the same
data and the same start. *Ratio* is the fastest peer's figure divided by ours; (n x) behind a peer's figure is
that peer's own ratio. A peer's answer that differs from ours makes the row fail; one that is worse than
the row asks for is shown with * and does not count for the ratio.
"""


def family_table(records: Sequence[Record]) -> list[list[str]]:
    """Return the header and one line per row; contestants are columns, in order of appearance."""
    names = list(dict.fromkeys(name for record in records for name in record["scores"]))
    header = ["work", *names, "ratio", "bar", "aim", "verdict"]
    return [header, *([r["work"], *(_cell(r, n) for n in names), *_judgement(r)] for r in records)]


def as_text(records: Sequence[Record]) -> str:
    """Return one aligned table per family and, below each, what did not go well."""
    parts = []
    for family, rows in _grouped(records, lambda r: str(r["family"])):
        remarks = [f"  {remark}" for remark in _remarks(rows)]
        parts.append("\n".join([family, *_aligned(family_table(rows)), *remarks]))
    return "\n\n".join(parts)


def as_markdown(records: Sequence[Record]) -> str:
    """Return the text of ``RESULTS.md``: one chapter per machine, one table per family."""
    parts = [INTRODUCTION]
    for _, rows in _grouped(records, lambda r: repr(sorted(r["machine"].items()))):
        machine = rows[0]["machine"]
        level = machine["instruction set"].split(";")[0]
        parts.append(f"## {machine['processor']}, {machine['cores']} cores, {level}\n")
        parts.append("\n".join(f"- {name}: {value}" for name, value in machine.items()) + "\n")
        for family, members in _grouped(rows, lambda r: str(r["family"])):
            lines = [f"### {family}", "", *_markdown_lines(family_table(members)), ""]
            lines += [f"- {remark}" for remark in _remarks(members)]
            lines += [f"- {run}" for run, _ in _grouped(members, _run)]
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(record: Record, name: str) -> str:
    score = record["scores"].get(name)
    if score is None:
        return "-"
    if score["best"] is None:
        return str(score["state"])
    figure = _figure(score["best"], record["unit"])
    ours = record["ours"]
    if ours is None or name == "coterie":
        return figure
    mark = "*" if name in record.get("uncounted", ()) else ""
    return f"{figure}{mark} ({score['best'] / ours:.1f}x)"


def _judgement(record: Record) -> list[str]:
    bar = "" if record["bar"] is None else f"{record['bar']:.3g}x"
    if record["limit"] is not None:
        bar = f"{bar} <= {_figure(record['limit'], record['unit'])}".strip()
    return [
        "" if record["ratio"] is None else f"{record['ratio']:.{1 if record['ratio'] >= 1 else 2}f}x",
        bar,
        "" if record["aim"] is None else f"{record['aim']:g}x",
        record["verdict"],
    ]


def _figure(value: float, unit: str) -> str:
    if unit == "s" and value < 0.1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"


def _remarks(records: Sequence[Record]) -> list[str]:
    """Say which answers differ and why contestants have no figure, each reason once."""
    remarks = [f"{r['name']}: DISAGREES with {text}" for r in records for text in r["disagreements"]]
    quality = [(r["name"], "; ".join(r.get("agreements", ()))) for r in records if r.get("uncounted")]
    remarks += [f"{name}: {notes}" for name, notes in quality]
    absent: dict[str, list[Record]] = {}
    for record in records:
        for name, score in record["scores"].items():
            if score["state"] != "ready":
                reason = f"{name} {score['state']}: {score['note']}"
                absent.setdefault(reason, []).append(record)
    for reason, rows in absent.items():
        remarks.append(f"{reason} ({_names(rows, records)})")
    busy = [
        r for r in records if r["load"] > int(r["machine"]["cores"]) + 1
    ]  # the rows before make up the cores
    if busy:
        most = max(r["load"] for r in busy)
        remarks.append(f"rough: others used the machine, load up to {most:.1f} ({_names(busy, records)})")
    return remarks


def _names(some: Sequence[Record], records: Sequence[Record]) -> str:
    return "all rows" if len(some) == len(records) else ", ".join(record["name"] for record in some)


def _run(record: Record) -> str:
    return f"{record['date'].partition(' ')[0]}, coterie {record['coterie']}"


def _aligned(table: list[list[str]]) -> list[str]:
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in table]
    return ["  ".join(line).rstrip() for line in padded]


def _markdown_lines(table: list[list[str]]) -> list[str]:
    rows = ["| " + " | ".join(line) + " |" for line in table]
    return [rows[0], "|" + "---|" * len(table[0]), *rows[1:]]


def _grouped(records: Sequence[Record], by: Callable[[Any], str]) -> list[tuple[str, list[Record]]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(by(record), []).append(record)
    return list(groups.items())
