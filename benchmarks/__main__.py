"""The command ``python -m benchmarks``: plays rows, prints the table, keeps the results."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import catalogue, machine, match, record, report

HERE = Path(__file__).resolve().parent


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all answers agree, 1 if not, 2 for a wrong command line."""
    options = _parser().parse_args(words)
    entries = catalogue.all_entries()
    try:
        chosen = catalogue.select(entries, options.rows)
    except catalogue.UnknownRowError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{entry.key:40} {entry.row.work}" for entry in chosen))
        return 0
    sets: list[str | None] = options.instruction_set or [None]
    have = machine.available_instruction_sets() if sets != [None] else []
    if unknown := [name for name in sets if name is not None and name not in have]:
        print(f"benchmarks: this machine has {', '.join(have)}, got {', '.join(unknown)}", file=sys.stderr)
        return 2
    order = [entry.key for entry in entries]
    played: list[record.Record] = []
    try:
        for instruction_set in sets:
            played += _play_all(chosen, options, order, instruction_set)
    finally:
        for clean in dict.fromkeys(entry.row.clean for entry in chosen if entry.row.clean is not None):
            print(clean())
    return int(any(row["failed"] for row in played))


def _play_all(
    chosen: Sequence[catalogue.Entry],
    options: argparse.Namespace,
    order: list[str],
    instruction_set: str | None,
) -> list[record.Record]:
    """Play the rows on one instruction set (None: the one that Coterie chooses), keep and print them."""
    if instruction_set is not None:
        os.environ["COTERIE_INSTRUCTION_SET"] = instruction_set  # for the players
    description, version = machine.describe(instruction_set), machine.our_version()
    new: list[record.Record] = []
    for entry in chosen:
        outcome = _play(entry, options)
        date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        new.append(record.to_record(outcome, machine=description, version=version, date=date))
        if not options.print_only and options.only is None:
            _keep(options.results, new, order)
    print("\n" + report.as_text(new))
    return new


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--rows", type=_words, default=[], help="families or family/row (or its beginning), by commas"
    )
    parser.add_argument("--only", type=_words, help="contestants to run, by commas; nothing is written")
    parser.add_argument(
        "--instruction-set",
        type=_words,
        help="play on each of these, by commas: v2,v3,v4 (default: best)",
    )
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of play per row (default 60)")
    parser.add_argument("--results", type=Path, default=HERE, help="folder of RESULTS.md and results.json")
    parser.add_argument("--print-only", action="store_true", help="print the table, write nothing")
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    return parser


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _play(entry: catalogue.Entry, options: argparse.Namespace) -> match.Outcome:
    print(f"{entry.key}: {entry.row.work} ... ", end="", flush=True)
    outcome = match.play(entry.family, entry.module, entry.row, budget=options.budget, names=options.only)
    figures = ", ".join(f"{name} {s.best:.4g}" for name, s in outcome.scores.items() if s.best is not None)
    print(f"{figures} {outcome.unit}; {outcome.verdict}" if figures else outcome.verdict, flush=True)
    for note in outcome.agreements + outcome.disagreements:
        print(f"    {note}", flush=True)
    return outcome


def _keep(folder: Path, new: list[record.Record], order: list[str]) -> None:
    merged = record.merge(record.read(folder / "results.json"), new, order)
    record.write(folder / "results.json", record.as_json(merged))
    record.write(folder / "RESULTS.md", report.as_markdown(merged))


if __name__ == "__main__":
    sys.exit(main())
