"""What a report says about the answer of `coterie.fit`."""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coterie.errors import InvalidParameter
from coterie.pipeline import fit
from coterie.pipeline.other_numbers import other_labelings
from coterie.show.report.subject import Subject
from coterie.show.report.subjects import subject_of_blocks, subject_of_rows, text_of

OPTIONS = {"random_state": "seed"}  # what the command line calls otherwise


def subject_of_clustering(clustering: Any, *, command: str | None = None) -> Subject:
    """Return what the report of an answer is about.

    Parameters
    ----------
    clustering : Clustering
        From `coterie.fit`.
    command : str, default=None
        What was typed in the shell; None: what would have to be.
    """
    if clustering.rows is None:
        raise InvalidParameter(
            "a report needs the data, which a saved answer does not hold: fit again, then report."
        )
    groups, rows = clustering.groups, clustering.rows
    subject = subject_of_blocks(groups, rows) if hasattr(rows, "blocks") else subject_of_rows(groups, rows)
    fields = vars(subject)
    labelings, note = other_labelings(clustering)
    stored = clustering.arguments
    python = python_lines(groups.source, stored)
    changes = {
        "lead": subject.lead if clustering.k > 1 else _why_none(clustering.evidence),
        "headline": clustering.headline,
        "labelings": labelings,
        "classes": _classes(rows),
        "evidence": clustering.evidence,
        "stability": clustering.stability,
        "significance": clustering.significance,
        "runners_up": clustering.runners_up,
        "winner": clustering.winner,
        "notes": [*dict.fromkeys(filter(None, [*subject.notes, note]))],
        "made": [
            ("budget", clustering.budget),
            *subject.made,
            *((fact.name, str(fact).removeprefix(f"{fact.name} ")) for fact in clustering.facts),
            ("time in all", f"{clustering.seconds:.1f} s"),
        ],
        "command": command or shell_line(groups.source, stored),
        "python": python,
        "seed": clustering.seed,
    }
    return Subject(**(fields | changes))


def _classes(rows: Any) -> list[str] | None:
    """Return the classes of the rows at hand, as text."""
    if rows.classes is None:
        return None
    at_hand = rows.classes if hasattr(rows, "blocks") else np.asarray(rows.classes)[rows.prepared.rows]
    return _texts(at_hand)


def _why_none(evidence: Any) -> str:
    """Say why there are no groups."""
    reason = ", ".join(evidence.verdict.reasons)
    return f"{reason[:1].upper()}{reason[1:]}"


def _texts(classes: Any) -> list[str]:
    """Return classes as text; whole numbers without their decimals, nothing where there is none."""
    return [text_of(one) for one in classes.tolist()]


def told(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are not the defaults of `coterie.fit`."""
    defaults = inspect.signature(fit).parameters
    found = {}
    for name, value in arguments.items():
        default = defaults[name].default
        plain = tuple(value) if isinstance(value, list) else value
        if name == "k" and isinstance(plain, str):
            plain = _number_or_range(plain)
        if isinstance(plain, str | int | tuple | range) and plain == default:
            continue
        if plain is not None and plain != {}:
            found[name] = plain
    return found


def _number_or_range(typed: str) -> str | int | range:
    """Return what was typed for k as Python writes it: 3, or range(2, 9) for ``2..8``."""
    first, dots, last = typed.partition("..")
    if not first.isdecimal() or (dots and not last.isdecimal()):
        return typed
    return range(int(first), int(last) + 1) if dots else int(first)


def python_lines(source: str, arguments: Mapping[str, Any]) -> str:
    """Return the lines that make the same report.

    Examples
    --------
    >>> print(python_lines("iris.csv", {"k": 3, "truth": "species"}))
    import coterie
    <BLANKLINE>
    groups = coterie.fit("iris.csv", k=3, truth="species")
    groups.report("iris.html")
    """
    is_file = Path(source).suffix != ""
    data = _quoted(source) if is_file else "X"
    words = [f"{name}={_value(name, value)}" for name, value in told(arguments).items()]
    return (
        f"import coterie\n\ngroups = coterie.fit({', '.join([data, *words])})\n"
        f"groups.report({_quoted(page_name(source))})"
    )


def shell_line(source: str, arguments: Mapping[str, Any]) -> str | None:
    """Return what to type for the same report; None where the data or the truth are no file or column.

    Examples
    --------
    >>> shell_line("iris.csv", {"k": 3, "truth": "species", "drop": ["id"]})
    'coterie fit iris.csv -k 3 --truth species --drop id --report iris.html'
    """
    if Path(source).suffix == "":
        return None
    words = ["coterie", "fit", source]
    for name, value in told(arguments).items():
        if name == "truth" and not isinstance(value, str):
            return None
        if name == "believe":
            words.append("--no-believe")
            continue
        option = "-k" if name == "k" else f"--{OPTIONS.get(name, name).replace('_', '-')}"
        if isinstance(value, dict):
            value = tuple(f"{key}={json.dumps(one)}" for key, one in value.items())
        if isinstance(value, range):
            value = f"{value.start}..{value.stop - 1}"
        for one in value if isinstance(value, tuple) else [value]:
            words += [option, str(one)]
    return shlex.join([*words, "--report", page_name(source)])


def page_name(source: str) -> str:
    """Return what the page of a table is called: ``iris.html`` for ``iris.csv``."""
    stem = Path(source).name.split(".")[0].replace(" ", "_") if "." in source else ""
    return ("".join(sign for sign in stem if sign not in "*?[]") or "report") + ".html"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _value(name: str, value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | range | dict):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(_value(name, one) for one in value)}]"
    return "y" if name == "truth" else "..."
