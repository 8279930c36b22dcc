"""The command ``python -m benchmarks``: plays rows, prints the table, keeps the results."""

from __future__ import annotations

import argparse
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
    description, version = machine.describe(), machine.our_version()
    order = [entry.key for entry in entries]
    new: list[record.Record] = []
    try:
        for entry in chosen:
            outcome = _play(entry, options)
            date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            new.append(record.to_record(outcome, machine=description, version=version, date=date))
            if not options.print_only and options.only is None:
                _keep(options.results, new, order)
    finally:
        for clean in dict.fromkeys(entry.row.clean for entry in chosen if entry.row.clean is not None):
            print(clean())
    print("\n" + report.as_text(new))
    return int(any(row["failed"] for row in new))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--rows", type=_words, default=[], help="families or family/row (or its beginning), by commas"
    )
    parser.add_argument("--only", type=_words, help="contestants to run, by commas; nothing is written")
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
