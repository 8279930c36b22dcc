"""Keeps results: rows played now replace their older versions in ``results.json``, others stay."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.match import Outcome

Record = dict[str, Any]


def to_record(outcome: Outcome, *, machine: dict[str, str], version: str, date: str) -> Record:
    """Make the stored form of an outcome."""
    stored = asdict(outcome) | {
        "ours": outcome.ours,
        "ratio": outcome.ratio,
        "verdict": outcome.verdict,
        "failed": outcome.failed,
        "coterie": version,
        "date": date,
        "machine": machine,
    }
    for name, score in outcome.scores.items():
        stored["scores"][name]["best"] = score.best
    return stored


def merge(old: Sequence[Record], new: Sequence[Record], order: Sequence[str]) -> list[Record]:
    """Replace old rows by new ones of the same key and place; sort by place, then by ``order``.

    Rows that ``order`` does not name are dropped. A processor and an instruction set make a place.
    """
    by_key = {(place(record), key(record)): record for record in [*old, *new]}
    places = dict.fromkeys(where for where, _ in by_key)
    return [by_key[where, name] for where in places for name in order if (where, name) in by_key]


def key(record: Record) -> str:
    """Return the name of a row in the whole table."""
    return f"{record['family']}/{record['name']}"


def place(record: Record) -> tuple[str, ...]:
    """Return where a row was played: results of other processors and instruction sets stand beside it."""
    machine = record.get("machine", {})
    return tuple(machine.get(fact, "") for fact in ("processor", "cores", "instruction set"))


def read(path: Path) -> list[Record]:
    """Return the stored rows, none if there is no file yet."""
    if not path.exists():
        return []
    rows: list[Record] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows


def write(path: Path, text: str) -> None:
    """Write by a temporary name and a rename: a broken run leaves the old file."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def as_json(records: Sequence[Record]) -> str:
    """Return the text of ``results.json``."""
    return json.dumps({"rows": list(records)}, indent=1) + "\n"
