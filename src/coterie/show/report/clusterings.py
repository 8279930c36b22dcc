"""What a report says about the answer of `coterie.fit`."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.typing import Labels
from coterie.cluster import KMeans
from coterie.errors import InvalidParameter
from coterie.show.report.beliefs import other_numbers
from coterie.show.report.means import GroupMeans
from coterie.show.report.subject import Subject
from coterie.show.report.subjects import number_by_size, subject_of_groups, text_of

LEARNING_ROWS = 4_000  # that other numbers of groups are learnt from, where they were found in a sample
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
    if clustering.table is None:
        raise InvalidParameter(
            "a report needs the data, which a saved answer does not hold: fit again, then report."
        )
    groups = clustering.groups
    subject = subject_of_groups(groups, clustering.table)
    fields = vars(subject)
    labelings, note = _labelings(clustering, subject)
    stored = clustering.arguments
    python = python_lines(clustering.table.source, stored)
    changes = {
        "lead": subject.lead if clustering.k > 1 else _why_none(clustering.evidence),
        "headline": clustering.headline.replace("<=", "≤"),
        "labelings": labelings,
        "classes": None
        if clustering.classes is None
        else _texts(np.asarray(clustering.classes)[subject.rows]),
        "evidence": clustering.evidence,
        "stability": clustering.stability,
        "significance": clustering.significance,
        "runners_up": clustering.runners_up,
        "notes": [*dict.fromkeys([*clustering.notes, *note])],
        "made": [
            ("budget", clustering.budget),
            *subject.made,
            *((fact.name, str(fact).removeprefix(f"{fact.name} ")) for fact in clustering.facts),
            ("time in all", f"{clustering.seconds:.1f} s"),
        ],
        "command": command or shell_line(clustering.table.source, stored),
        "python": python,
        "seed": clustering.seed,
    }
    return Subject(**(fields | changes | _in_blocks(clustering)))


def _in_blocks(clustering: Any) -> dict[str, Any]:
    """Return what is different where the rows at hand are a sample of rows in blocks."""
    rows = getattr(clustering, "sampled_rows", None)
    if rows is None:
        return {}
    profile = clustering.profile
    overall = profile.means[0] - profile.differences[0] * profile.spread
    whole = GroupMeans(
        profile.columns, profile.sizes, profile.means, profile.differences, overall, profile.spread
    )
    return {"title": clustering.groups.source, "rows": rows, "whole": whole}


def _why_none(evidence: Any) -> str:
    """Say why there are no groups."""
    reason = ", ".join(evidence.verdict.reasons)
    return f"{reason[:1].upper()}{reason[1:]}"


def _labelings(clustering: Any, subject: Subject) -> tuple[Mapping[int, Labels], list[str]]:
    """Return other numbers of groups for every row; those of the tree, where there is one."""
    if subject.dendrogram is not None:
        return subject.labelings, []
    kept = {k: labels for k, labels in clustering.evidence.labelings.items() if labels is not None and k > 1}
    if set(kept) == {subject.k}:  # the only number that was asked for: the slider has its neighbours
        return other_numbers(subject, clustering.groups), []
    n_rows = subject.n_grouped
    if all(len(labels) == n_rows for labels in kept.values()):
        return {k: number_by_size(labels)[0] for k, labels in kept.items()}, []
    drawn = np.random.default_rng(subject.seed).permutation(n_rows)[:LEARNING_ROWS]
    points = np.ascontiguousarray(subject.points[np.sort(drawn)])
    learnt = {k: KMeans(k, n_init=3, random_state=subject.seed).fit(points) for k in kept}
    found = {k: number_by_size(model.predict(subject.points))[0] for k, model in learnt.items()}
    return found, [f"other numbers of groups than {subject.k} are shown by k-means of {len(points):,} rows"]


def _texts(classes: Any) -> list[str]:
    """Return classes as text; whole numbers without their decimals, nothing where there is none."""
    return [text_of(one) for one in classes.tolist()]


def told(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are not the defaults of `coterie.fit`."""
    defaults = inspect.signature(import_module("coterie.select").fit).parameters
    found = {}
    for name, value in arguments.items():
        default = defaults[name].default
        plain = tuple(value) if isinstance(value, list) else value
        if name == "k" and isinstance(plain, str):
            plain = _number_or_range(plain)
        if isinstance(plain, str | int | tuple | range) and plain == default:
            continue
        if plain is not None:
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
        option = "-k" if name == "k" else f"--{OPTIONS.get(name, name)}"
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
    if isinstance(value, int | range):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(_value(name, one) for one in value)}]"
    return "y" if name == "truth" else "..."
