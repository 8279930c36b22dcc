"""What a report can be written about: groups of a table, or labels that a file gives the rows of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.config import configuration
from coterie._support.typing import Indices, Labels
from coterie.cluster import find_method
from coterie.data import SCALINGS, LabelledData, Table, fit_scaling
from coterie.pipeline import Groups
from coterie.pipeline.groups import group_name
from coterie.pipeline.other_numbers import tree_of
from coterie.show.report.means import GroupMeans
from coterie.show.report.numbers import count
from coterie.show.report.subject import Subject, shorten

LONGEST_ROW_NAME = 24  # characters of a column of text that names the rows
MOST_NAMES = 30
MOST_LED = 8  # names of groups that the head of a page has room for


def subject_of_rows(groups: Groups, rows: Any) -> Subject:
    """Return what a report of groups is about: the prepared rows of the answer.

    Parameters
    ----------
    groups : Groups
        The groups of the rows.
    rows : MemoryRows
        The rows, as they were prepared.
    """
    prepared = rows.prepared
    labels = np.asarray(groups.labels[prepared.rows])
    tree = tree_of(groups.model, len(prepared.rows))
    return Subject(
        title=Path(groups.source).name,
        X=prepared.complete.X,
        points=prepared.points,
        rows=prepared.rows,
        n_rows=groups.n_rows,
        columns=groups.columns,
        labels=labels,
        headline=count(groups.k, "group") if groups.k > 1 else "No groups",
        lead=lead_of(groups),
        metric=groups.recipe.distance or "euclidean",
        row_names=names_of_rows(prepared.table, prepared.rows),
        dendrogram=tree,
        profile=groups.profile,
        left_out=[(column.name, column.reason) for column in groups.left_out],
        scaling=SCALINGS[groups.recipe.scale],
        missing=_missing(prepared.table, groups.columns),
        notes=[*groups.notes, *filter(None, [groups.profile.rule_note])],
        made=made_of(groups),
        seed=groups.recipe.seed,
    )


def subject_of_blocks(groups: Groups, rows: Any) -> Subject:
    """Return the same for rows in blocks, of which a sample is at hand; sizes and means are of all rows."""
    profile = groups.profile
    overall = profile.means[0] - profile.differences[0] * profile.spread
    whole = GroupMeans(
        profile.columns, profile.sizes, profile.means, profile.differences, overall, profile.spread
    )
    return Subject(
        title=groups.source,
        X=rows.sample.X,
        points=rows.points,
        rows=rows.sample.rows,
        n_rows=groups.n_rows,
        columns=groups.columns,
        labels=np.asarray(groups.labels),
        headline=count(groups.k, "group") if groups.k > 1 else "No groups",
        lead=lead_of(groups),
        metric=groups.recipe.distance or "euclidean",
        profile=profile,
        left_out=[(column.name, column.reason) for column in groups.left_out],
        scaling=SCALINGS[groups.recipe.scale],
        notes=[*groups.notes],
        made=made_of(groups),
        seed=groups.recipe.seed,
        whole=whole,
    )


def _missing(table: Table, columns: Sequence[str]) -> list[tuple[str, int]]:
    """Return the columns with missing values and how many rows have none, the most first."""
    X = table.matrix(columns)
    if issparse(X):
        return []
    counts = np.isnan(X).sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    return [(columns[at], int(counts[at])) for at in order.tolist() if counts[at]]


def subject_of_labels(
    data: LabelledData,
    *,
    classes: Sequence[Any] | None = None,
    scale: str = "standard",
    command: str | None = None,
    python: str = "",
) -> Subject:
    """Return what a report of given labels is about: `coterie evaluate --data --report`.

    Parameters
    ----------
    data : LabelledData
        From `coterie.data.read_labelled_data`.
    classes : sequence, default=None
        The classes of the same rows.
    scale : {"standard", "minmax", "robust", "none"}, default="standard"
        What to do with the columns first.
    command : str, default=None
        What was typed in the shell.
    python : str, default=""
        The lines that make the same report.
    """
    labels, names = number_by_size(data.labels)
    scaling = fit_scaling(data.X, scale)
    scale = scaling.how
    is_plain = _count_by_size(names)
    numbered = ", ".join(f"{at + 1} is {shorten(name)}" for at, name in enumerate(names[:MOST_NAMES]))
    return Subject(
        title=Path(data.data_source).name,
        X=data.X,
        points=scaling.apply(data.X),
        rows=np.arange(len(data.X)),
        n_rows=len(data.X) + data.n_dropped,
        columns=data.columns,
        labels=labels,
        headline=count(len(names), "group"),
        lead=f"given by the column {data.label_name} of {data.source}"
        + ("" if is_plain or len(names) > MOST_LED else f": {numbered}"),
        classes=None if classes is None else [str(one) for one in classes],
        left_out=[(column.name, column.reason) for column in data.left_out],
        scaling=SCALINGS[scale],
        notes=[*data.notes, *([] if is_plain else [f"groups are numbered by size: {numbered}"])],
        made=[("groups", "given, not computed"), *versions()],
        command=command,
        python=python,
    )


def _count_by_size(names: Sequence[str]) -> bool:
    """Return whether groups are called as the page calls them: 1, 2, ..., or labels 0, 1, ..."""
    labels = range(len(names))
    ways = ([str(at + 1) for at in labels], [str(at) for at in labels], [group_name(at) for at in labels])
    return list(names) in ways


def number_by_size(labels: Any) -> tuple[Labels, list[str]]:
    """Return labels 0, 1, ... by falling size and the names they had; -1 stays noise.

    Examples
    --------
    >>> number_by_size(["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    given = np.asarray(labels)
    if given.dtype.kind not in "iu":  # whole numbers are sorted as they are: texts of a million take seconds
        given = given.astype(str)
    found, codes, sizes = np.unique(given, return_inverse=True, return_counts=True)
    names = found.astype(str)
    is_noise = np.isin(names, ["-1", "-1.0"])
    order = np.argsort(np.where(is_noise, 1, -sizes), kind="stable")
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    places[is_noise] = -1
    return places[codes], [str(name) for name in names[order] if name not in ("-1", "-1.0")]


def names_of_rows(table: Table, rows: Indices) -> list[str] | None:
    """Return what the table calls its rows: a column of keys, or of short texts of which none comes twice."""
    for name in (*table.key_columns(), *_texts(table)):
        values = table.content[name]
        if str(values.dtype) == "String" or not values.dtype.is_numeric():
            return [str(values[row]) for row in rows.tolist()]
    return None


def _texts(table: Table) -> list[str]:
    """Return the columns of text that could name the rows."""
    if table.is_matrix:
        return []
    texts = {
        name: table.content[name] for name in table.columns if str(table.content[name].dtype) == "String"
    }
    return [
        name
        for name, values in texts.items()
        if not values.null_count()
        and values.n_unique() == len(values)
        and values.str.len_chars().max() <= LONGEST_ROW_NAME
    ]


def text_of(one: Any) -> str:
    """Return a class as text; whole numbers without decimals, nothing where there is none.

    Examples
    --------
    >>> text_of(2.0), text_of(None), text_of("setosa")
    ('2', '', 'setosa')
    """
    if one is None or one != one or one == "None":
        return ""
    return str(int(one)) if isinstance(one, float) and one.is_integer() else str(one)


def lead_of(groups: Groups) -> str:
    """Say how the groups were found."""
    method = groups.recipe.title
    has_distance = hasattr(groups.model, "geometry") or hasattr(groups.model, "metric")
    distance = f", {groups.recipe.distance or 'Euclidean'} distance" if has_distance else ""
    return f"{method} on {SCALINGS[groups.recipe.scale]}{distance}"


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


def _shown(value: Any) -> str:
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
