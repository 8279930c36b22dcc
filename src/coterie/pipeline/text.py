"""What a fit found, as text: the answer first, the evidence underneath. The shell only adds colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of, one_line
from coterie._support.notes import Note, render_notes
from coterie._support.typing import AnyArray
from coterie.data.schema import are_years
from coterie.evaluate.belief import EXACT
from coterie.pipeline.groups import Groups, group_name
from coterie.pipeline.levels import describe_level
from coterie.pipeline.many_columns import names_of_rows, text_of_left_out
from coterie.pipeline.verdict import stability_text

if TYPE_CHECKING:
    from coterie.pipeline.answer import Clustering

SHOWN_GROUPS = 20
SHOWN_COLUMNS = 12  # of the table of means
GROUPS_SIDE_BY_SIDE = 8
SHOWN_SERIES = 3  # typical ones of a group
APART, LIKE = "what sets it apart", "what it is like"
INDENT = "  "
LABEL = 24  # columns of a label and the space after it, or more where one is longer
SEPARATOR = "\0"  # between a label and its text until the width is known
NO_GROUP = Note(
    "every row is noise. Try another method, or smaller min_samples or min_cluster_size.",
    "every row is noise. Try another --method, or smaller --set min_samples=N or min_cluster_size=N.",
    "every row is noise. Try another method in Method, or smaller values there.",
)


def summary(found: Clustering, *, shell: bool = False) -> str:
    """Return the answer in a line, the evidence in a few, and what sets the groups apart.

    Notes name options as Python writes them, or as the shell does.
    """
    lines = [_about(found), "", *_answer(found), ""]
    if found.k > 1:
        lines += [*_groups(found), ""]
        lines += [] if _is_series(found) else _centres(found.groups)
    lines += _close_calls(found)
    if found.comparison is not None:
        value = found.comparison["adjusted_rand_score"]
        lines.append(f"{INDENT}agreement with the truth: adjusted Rand {value:.2f}")
    lines += _facts(found)
    lines.append(f"{INDENT}{_how(found)}")
    notes = [*found.notes, *([NO_GROUP] if not found.k else [])]
    lines += [f"{INDENT}note: {note}" for note in render_notes(notes, "shell" if shell else "python")]
    return "\n".join(one_line(line) for line in lines).rstrip()


def _is_square(found: Clustering) -> bool:
    """Return whether the data are distances."""
    return getattr(found.rows, "distances", None) is not None


def _is_series(found: Clustering) -> bool:
    """Return whether rows are time series."""
    return getattr(found.rows, "series", None) is not None


def _about(found: Clustering) -> str:
    groups = found.groups
    rows = f"{groups.n_rows:,} rows"
    if groups.n_grouped < groups.n_rows:
        rows += f", {groups.n_grouped:,} grouped"
    n_columns = len(groups.table_columns)
    columns = f"{count_of(n_columns, 'column')} used"
    if _is_square(found):
        columns = "a square of distances"
    if _is_series(found):
        rows, columns = f"{groups.n_rows:,} series", found.rows.told
    return f"{groups.source}   {rows}; {columns}{text_of_left_out(groups.left_out)}"


def _answer(found: Clustering) -> list[str]:
    verdict, stability, significance = found.verdict, found.stability, found.significance
    if found.k == 1 and found.evidence.labelings:
        lines = [_line(verdict.count, found.evidence.verdict.reasons[0])]
    elif verdict.announcement != verdict.count:
        lines = [f"{INDENT}{verdict.headline}", _line("best guess", _method(found))]
    else:
        lines = [_line(verdict.count, _method(found))]
    if stability is not None:
        each = stability.per_cluster
        at = int(np.nanargmin(each)) if not np.isnan(each).all() else 0
        is_known = found.k > 1 and f"{each[at]:.2f}" != f"{np.nanmax(each, initial=0.0):.2f}"
        weakest = f"; weakest is {group_name(at)} ({stability_text(each[at])})" if is_known else ""
        rule = f", {verdict.why_unstable}" if verdict.why_unstable else ""
        text = f"mean Jaccard {verdict.stability_text} over {stability.n_resamples} resamples{rule}{weakest}"
        lines.append(_line("stable" if verdict.is_stable else "not stable", text))
    if significance is not None:
        how = "" if significance.how == EXACT else f" ({significance.how})"
        lines.append(_line(significance.verdict, significance.p_in_words + how))
    if verdict.is_asked and verdict.convincing is False and found.k > 1:
        lines.append(_line("not convincing", "; ".join(verdict.failed)))
    return _aligned(lines)


def _method(found: Clustering) -> str:
    recipe = found.groups.recipe
    if _is_square(found):
        return f"{recipe.title}, from the distances"
    has_distance = hasattr(found.model, "geometry") or hasattr(found.model, "metric")
    distance = f", {recipe.distance or 'Euclidean'} distance" if has_distance else ""
    return f"{recipe.title} on {found.groups.prepared_as}{distance}"


def _groups(found: Clustering) -> list[str]:
    groups, profile = found.groups, found.profile
    shown = range(min(found.k, SHOWN_GROUPS))
    medoids = groups.medoid_rows
    by_rows = profile.tells_by_rows or _is_series(found)
    words = [_typical(found, at) if _is_series(found) else profile.words(at) for at in shown]
    if medoids is not None:
        words = [
            f"medoid {_name_of(found, int(medoids[at]))}; {each}"
            for at, each in zip(shown, words, strict=True)
        ]
    has_rules = profile.rules and not by_rows
    rules = [str(rule or "") for rule in profile.rules] if has_rules else [""] * found.k
    apart = LIKE if by_rows else APART
    width = max(map(len, [*words, apart]))
    head = "rule (precision, recall)" if any(rules) else ""
    things = "series" if _is_series(found) else "rows"
    lines = [f"{INDENT}group    {things:>6}   share   {apart:<{width}}  {head}".rstrip()]
    for at in shown:
        size = f"{INDENT}{at + 1:<5}  {profile.sizes[at]:>8,}  {groups.shares[at]:>6.1%}"
        lines.append(f"{size}   {words[at]:<{width}}  {rules[at]}".rstrip())
    if found.k > SHOWN_GROUPS:
        hidden = found.k - SHOWN_GROUPS
        lines.append(f"{INDENT}and {count_of(hidden, 'more group')}")
    if groups.n_noise:
        share = groups.n_noise / groups.n_grouped
        lines.append(f"{INDENT}noise  {groups.n_noise:>8,}  {share:>6.1%}   in no group (label -1)")
    return lines


def _name_of(found: Clustering, row: int) -> str:
    """Return what a row is called; only time series are known by their names."""
    names = names_of_rows(found.rows.prepared.table, np.array([row])) if _is_series(found) else None
    return f"row {row + 1:,}" if names is None else names[0]


def _typical(found: Clustering, group: int) -> str:
    """Name the most typical series of a group."""
    rows = found.profile.typical[group][:SHOWN_SERIES] if found.profile.typical else ()
    return f"typical: {', '.join(_name_of(found, int(row)) for row in rows)}" if len(rows) else ""


def _centres(groups: Groups) -> list[str]:
    """Return the centres of few groups side by side, in the columns that tell them apart most."""
    if groups.k > GROUPS_SIDE_BY_SIDE or groups.profile.tells_by_rows:
        return []
    telling = np.argsort(-np.abs(groups.profile.differences).max(axis=0), kind="stable")
    columns = sorted(telling[:SHOWN_COLUMNS].tolist())
    described, category_of = groups.profile.columns, groups.profile.category_of
    cells = [
        [f"{value:.0%}" for value in groups.centers[:, column].tolist()]
        if category_of and category_of[column]
        else _rounded(groups.centers[:, column], groups.profile.differences[:, column], described[column])
        for column in columns
    ]
    names = [described[column] for column in columns]
    first = max(map(len, [*names, "column"]))
    heads = [group_name(label) for label in range(groups.k)]
    widths = [max(len(heads[at]), *(len(row[at]) for row in cells)) for at in range(groups.k)]
    title = "mean" if groups.centers is groups.profile.means else "centre"
    lines = [
        f"{INDENT}{title:<{first}}  " + "  ".join(f"{h:>{w}}" for h, w in zip(heads, widths, strict=True))
    ]
    for name, row in zip(names, cells, strict=True):
        values = "  ".join(f"{value:>{width}}" for value, width in zip(row, widths, strict=True))
        lines.append(f"{INDENT}{name:<{first}}  {values}")
    hidden = len(described) - len(columns)
    if hidden:
        columns_that = "column that differs" if hidden == 1 else "columns that differ"
        lines.append(f"{INDENT}and {hidden:,} more {columns_that} less")
    return [*lines, ""]


def _rounded(values: AnyArray, differences: AnyArray, name: str) -> list[str]:
    """Round to three digits of the spread between groups, or of the column where that is more.

    Parameters
    ----------
    values : array
        One number per group.
    differences : array
        The same in standard deviations of the column.
    name : str
        The column: years have no comma.
    """
    spread = float(np.ptp(values)) or float(np.abs(values).max())
    in_deviations = float(np.ptp(differences))
    if 0 < in_deviations < 1:
        spread /= in_deviations
    decimals = max(0, 2 - math.floor(math.log10(spread))) if 0 < spread < math.inf else 0
    comma = "" if are_years(name, float(values.min()), float(values.max())) else ","
    return [f"{value:{comma}.{min(decimals, 12)}f}" for value in values.tolist()]


def _how(found: Clustering) -> str:
    """Say what was optimised, how long it took, and from which seed."""
    groups, model, parts = found.groups, found.model, []
    if groups.objective is not None:
        words, value = groups.objective
        parts.append(f"{words} {value:,.6g}")
    if groups.explained is not None and found.k > 1:
        parts.append(f"{groups.explained:.0%} of the variance is between groups")
    if hasattr(model, "n_iter_"):
        parts.append(count_of(model.n_iter_, "iteration"))
    if getattr(model, "exact_", True) is False and hasattr(model, "algorithm_used_"):
        parts.append(f"approximate ({model.algorithm_used_})")
    n_starts = getattr(model, "_n_init", groups.recipe.n_init)
    if n_starts is not None and n_starts > 1:
        parts.append(f"best of {n_starts} starts")
    return ", ".join([*parts, f"seed {found.seed}", f"{found.seconds:.2f} s"])


def _facts(found: Clustering) -> list[str]:
    """Say which numbers are exact, in one line, and how far others can be off, in a line each."""
    exact = [f"{fact.name} {fact.value:.4g}" for fact in found.facts if fact.is_exact]
    lines = [f"{INDENT}exact: {'; '.join(['sizes and means of the groups', *exact])}"] if exact else []
    return lines + [f"{INDENT}{fact}" for fact in found.facts if not fact.is_exact]


def _close_calls(found: Clustering) -> list[str]:
    against = found.evidence.verdict.disagreements
    lines = [f"{INDENT}{describe_level(one, found.k)}" for one in found.levels if one.k != found.k]
    lines += [f"{INDENT}{'; '.join(against)}"] if against else []
    if found.runners_up:
        best = found.runners_up[0]
        lines.append(f"{INDENT}next best: {best.title} ({best.reason})")
    return lines


def _line(label: str, text: str) -> str:
    return f"{INDENT}{label}{SEPARATOR}{text}"


def _aligned(lines: list[str]) -> list[str]:
    """Return lines whose texts begin in one column, beyond the longest label."""
    labels = [line.partition(SEPARATOR)[0] for line in lines if SEPARATOR in line]
    width = max([len(INDENT) + LABEL, *(len(label) + 2 for label in labels)])
    return [
        f"{label:<{width}}{text}" if mark else line
        for line, (label, mark, text) in ((line, line.partition(SEPARATOR)) for line in lines)
    ]
