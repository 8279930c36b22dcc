"""What a report says about the answer of `coterie.fit`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from coterie._printing import count_of
from coterie._support.config import configuration
from coterie._support.notes import render_notes
from coterie._support.typing import JsonObject, Model, Settings
from coterie.cluster import find_method
from coterie.errors import InvalidParameter
from coterie.pipeline import Clustering, Groups
from coterie.pipeline.levels import describe_level
from coterie.pipeline.many_columns import names_of_rows
from coterie.pipeline.other_numbers import tree_of
from coterie.pipeline.request import told
from coterie.select import Evidence
from coterie.series import SeriesCollection
from coterie.show.report.subject import ReportSubject

OPTIONS = {"random_state": "seed"}  # what the command line calls otherwise


def subject_of_clustering(clustering: Clustering, *, command: str | None = None) -> ReportSubject:
    """Return what the report of an answer is about."""
    if clustering.rows is None:
        raise InvalidParameter(
            "a report needs the data, which a saved answer does not hold: fit again, then report."
        )
    groups, rows, found = clustering.groups, clustering.rows, clustering.partitions()
    prepared = getattr(rows, "prepared", None)  # of rows in blocks, a sample is at hand
    rule_note = "" if prepared is None else groups.profile.rule_note
    stored, is_series = clustering.arguments, getattr(rows, "series", None) is not None
    return ReportSubject(
        title=groups.source if prepared is None else Path(groups.source).name,
        partition=found.chosen,
        others=found.others,
        n_rows=groups.n_rows,
        headline=clustering.headline,
        verdict=clustering.verdict,
        lead=_lead(clustering),
        levels=[level.k for level in clustering.levels if level.k != clustering.k],
        row_names=None if prepared is None else names_of_rows(prepared.table, prepared.rows),
        profile=groups.profile,
        called=groups.names,
        evidence=clustering.evidence,
        stability=clustering.stability,
        significance=clustering.significance,
        dendrogram=None if prepared is None else tree_of(groups.model, len(prepared.rows)),
        runners_up=clustering.runners_up,
        winner=clustering.winner,
        left_out=[(column.name, column.reason) for column in groups.left_out],
        scaling=rows.told if is_series else groups.prepared_as,
        missing=[] if prepared is None else prepared.missing_counts(),
        notes=render_notes(
            [*clustering.notes, rule_note, found.note], "python" if command is None else "shell"
        ),
        made=[
            ("budget", clustering.budget),
            *made_of(groups),
            *((fact.name, str(fact).removeprefix(f"{fact.name} ")) for fact in clustering.facts),
            ("time in all", f"{clustering.seconds:.1f} s"),
        ],
        command=command or shell_line(groups.source, stored),
        python=python_lines(groups.source, stored),
        seed=clustering.seed,
        linked=None if prepared is None else _linked(groups.model, len(prepared.rows)),
        used=("the series",) if is_series else groups.table_columns if groups.levels else None,
        series=rows if is_series else None,
        units=("series", "series") if is_series else ("row", "rows"),
        extent=_points_of(rows.series) if is_series else None,
    )


def _points_of(series: SeriesCollection) -> str:
    least, most = int(series.lengths.min()), int(series.lengths.max())
    return f"{least:,} to {most:,} points" if least < most else count_of(most, "point")


def _linked(model: Model, n_rows: int) -> Model | None:
    """Return the estimator where it has linked all rows to near ones; else None."""
    return model if hasattr(model, "map") and len(model.labels_) == n_rows else None


def _lead(clustering: Clustering) -> str:
    """Say how the groups were found, and which other numbers of groups the slider shows as levels."""
    if clustering.k < 2:
        return _why_none(clustering.evidence)
    k, told = clustering.k, getattr(clustering.rows, "told", "")
    how = f"{clustering.groups.recipe.title} from {told}" if told else lead_of(clustering.groups)
    also = [describe_level(level, k) for level in clustering.levels if level.k != k]
    return "; ".join([how, *also])


def _why_none(evidence: Evidence) -> str:
    """Say why there are no groups."""
    reason = ", ".join(evidence.verdict.reasons)
    return f"{reason[:1].upper()}{reason[1:]}"


def _told(arguments: Settings) -> JsonObject:
    """Return the arguments that are not the defaults of `coterie.fit`, k as Python writes it."""
    found = told(arguments)
    return found | ({"k": _number_or_range(found["k"])} if isinstance(found.get("k"), str) else {})


def _number_or_range(typed: str) -> str | int | range:
    """Return what was typed for k as Python writes it: 3, or range(2, 9) for ``2..8``."""
    first, dots, last = typed.partition("..")
    if not first.isdecimal() or (dots and not last.isdecimal()):
        return typed
    return range(int(first), int(last) + 1) if dots else int(first)


def python_lines(source: str, arguments: Settings) -> str:
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
    words = [f"{name}={_value(name, value)}" for name, value in _told(arguments).items()]
    return (
        f"import coterie\n\ngroups = coterie.fit({', '.join([data, *words])})\n"
        f"groups.report({_quoted(page_name(source))})"
    )


def shell_line(source: str, arguments: Settings) -> str | None:
    """Return what to type for the same report; None where the data or the truth are not a file or column.

    Examples
    --------
    >>> shell_line("iris.csv", {"k": 3, "truth": "species", "drop": ["id"]})
    'coterie fit iris.csv -k 3 --truth species --drop id --report iris.html'
    """
    if Path(source).suffix == "":
        return None
    words = ["coterie", "fit", source]
    for name, value in _told(arguments).items():
        if name in ("truth", "together", "apart") and not isinstance(value, str):
            return None
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
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


def _value(name: str, value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | range | dict):
        return repr(value)
    if isinstance(value, tuple) and name in ("together", "apart"):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, tuple):
        return f"[{', '.join(_value(name, one) for one in value)}]"
    return "y" if name == "truth" else "..."


def lead_of(groups: Groups) -> str:
    """Say how the groups were found."""
    method = groups.recipe.title
    has_distance = hasattr(groups.model, "geometry") or hasattr(groups.model, "metric")
    distance = f", {groups.recipe.distance or 'Euclidean'} distance" if has_distance else ""
    return f"{method} on {groups.prepared_as}{distance}"


def made_of(groups: Groups) -> list[tuple[str, str]]:
    """Return method, parameters, algorithm, exactness, time and versions."""
    model = groups.model
    parameters = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in ("progress", "verbose") and value is not None
    }
    facts = [
        ("method", find_method(groups.recipe.method).title),
        ("parameters", ", ".join(f"{name}={_shown(value)}" for name, value in parameters.items())),
    ]
    if hasattr(model, "algorithm_used_"):
        facts.append(("algorithm", str(model.algorithm_used_)))
    facts.append(("exact or sampled", "sampled" if getattr(model, "exact_", True) is False else "exact"))
    facts += [("seed", str(groups.recipe.seed)), ("time", f"{groups.seconds:.2f} s for the fit")]
    return [*facts, *versions()]


def _shown(value: object) -> str:
    """Return the value of a parameter; of an array its shape."""
    shape = getattr(value, "shape", ())
    return f"array of {' x '.join(map(str, shape))}" if shape else repr(value)


def versions() -> list[tuple[str, str]]:
    """Return what it was computed with."""
    known = configuration()
    packages = ", ".join(f"{name} {known['packages'][name]}" for name in ("numpy", "scipy", "scikit-learn"))
    return [
        ("versions", f"coterie {known['engine']['coterie']}, python {known['system']['python']}, {packages}"),
        ("machine", f"{known['system']['platform']}, instruction set {known['engine']['instruction_set']}"),
    ]
