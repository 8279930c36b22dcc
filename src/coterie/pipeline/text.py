"""What a fit found, in words: the answer first, the evidence underneath."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie.cluster import find_method
from coterie.data import SCALINGS

if TYPE_CHECKING:
    from coterie.pipeline.answer import Clustering

SHOWN_GROUPS = 20
SHOWN_LEFT_OUT = 5
WEAK = 0.75  # mean Jaccard below which a group is called weak
LEVEL = 0.05
APART = "what sets it apart"
INDENT = "  "
LABEL = 15


def headline(found: Clustering) -> str:
    """Say it in one sentence: how many groups, how stable, whether by chance, which one is weak."""
    parts = [_count(found), *_stable(found), *_chance(found)]
    weak = weak_groups(found)
    if weak:
        parts.append(
            f"group{'s' if len(weak) > 1 else ''} {_listed(weak)} {'are' if len(weak) > 1 else 'is'} weak"
        )
    return "; ".join(parts)


def weak_groups(found: Clustering) -> list[int]:
    """Return the groups, counted from 1, that do not come back in resamples."""
    if found.stability is None:
        return []
    return [int(at) + 1 for at in np.flatnonzero(found.stability.per_cluster < WEAK)]


def summary(found: Clustering) -> str:
    """Return the answer in a line, the evidence in a few, and what sets the groups apart."""
    lines = [_about(found), "", *_answer(found), ""]
    if found.k > 1:
        lines += [*_groups(found), ""]
    lines += _close_calls(found)
    if found.comparison is not None:
        lines.append(f"{INDENT}truth: adjusted Rand {found.comparison['adjusted_rand_score']:.2f}")
    lines += _facts(found)
    lines += [f"{INDENT}note: {note}" for note in found.notes]
    return "\n".join(lines).rstrip()


def _about(found: Clustering) -> str:
    groups = found.groups
    shown = ", ".join(str(column) for column in groups.left_out[:SHOWN_LEFT_OUT])
    more = " ..." if len(groups.left_out) > SHOWN_LEFT_OUT else ""
    left_out = f"; left out: {shown}{more}" if groups.left_out else ""
    columns = f"{len(groups.columns):,} column{'s' if len(groups.columns) > 1 else ''} used"
    return f"{groups.source}   {groups.n_rows:,} rows; {columns}{left_out}"


def _answer(found: Clustering) -> list[str]:
    recipe = found.groups.recipe
    if found.k == 1:
        lines = [_line("no groups", found.evidence.verdict.reasons[0])]
    else:
        distance = recipe.distance or "Euclidean"
        how = f"{find_method(found.method).title} on {SCALINGS[recipe.scale]}, {distance}"
        lines = [_line(f"{found.k} groups", how)]
    if found.stability is not None:
        stability = found.stability
        each = stability.per_cluster
        at = int(np.nanargmin(each)) if not np.isnan(each).all() else 0
        is_known = found.k > 1 and f"{each[at]:.2f}" != f"{np.nanmax(each, initial=0.0):.2f}"
        weakest = f"; weakest is group {at + 1} ({each[at]:.2f})" if is_known else ""
        words = f"mean Jaccard {stability.overall:.2f} over {stability.n_resamples} resamples{weakest}"
        lines.append(_line(_stable(found)[0].split(" (")[0], words))
    if found.significance is not None:
        chance = found.significance
        word = "by chance?" if chance.p_value > LEVEL else "not by chance"
        lines.append(
            _line(
                "best division" if found.k == 1 else word,
                f"{_p(found)} against {chance.against} ({chance.n_draws} draws)",
            )
        )
    return lines


def _groups(found: Clustering) -> list[str]:
    profile, shares = found.profile, found.groups.shares
    shown = range(min(found.k, SHOWN_GROUPS))
    words = [profile.words(at) for at in shown]
    rules = [str(rule or "") for rule in profile.rules] or [""] * found.k
    width = max(map(len, [*words, APART]))
    head = "rule (precision, recall)" if any(rules) else ""
    lines = [f"{INDENT}group      size           {APART:<{width}}  {head}".rstrip()]
    for at in shown:
        size = f"{INDENT}{at + 1:<5}  {profile.sizes[at]:>8,}  {shares[at]:>6.1%}"
        lines.append(f"{size}   {words[at]:<{width}}  {rules[at]}".rstrip())
    if found.k > SHOWN_GROUPS:
        lines.append(f"{INDENT}... and {found.k - SHOWN_GROUPS} more")
    if found.groups.n_noise:
        share = found.groups.n_noise / found.groups.n_rows
        lines.append(f"{INDENT}noise  {found.groups.n_noise:>8,}  {share:>6.1%}   in no group (label -1)")
    return lines


def _facts(found: Clustering) -> list[str]:
    """Say which numbers are exact, in one line, and how far others can be off, in a line each."""
    exact = [f"{fact.name} {fact.value:.4g}" for fact in found.facts if fact.is_exact]
    lines = [f"{INDENT}exact: {'; '.join(['sizes and means of the groups', *exact])}"] if exact else []
    return lines + [f"{INDENT}{fact}" for fact in found.facts if not fact.is_exact]


def _close_calls(found: Clustering) -> list[str]:
    against = found.evidence.verdict.disagreements
    lines = [f"{INDENT}{'; '.join(against)}"] if against else []
    if found.runners_up:
        best = found.runners_up[0]
        lines.append(f"{INDENT}next best: {best.title} ({best.reason})")
    return lines


def _count(found: Clustering) -> str:
    return "no groups" if found.k == 1 else f"{found.k} groups"


def _stable(found: Clustering) -> list[str]:
    if found.stability is None:
        return []
    overall = found.stability.overall
    word = "stable" if overall >= WEAK else "not stable"
    return [f"{word} ({overall:.2f})"]


def _chance(found: Clustering) -> list[str]:
    if found.significance is None or found.k == 1:
        return []
    word = "not by chance" if found.significance.p_value <= LEVEL else "could be chance"
    return [f"{word} ({_p(found)})"]


def _p(found: Clustering) -> str:
    assert found.significance is not None
    chance = found.significance
    least = 1.0 / (chance.n_draws + 1)
    return f"p <= {least:.2g}" if chance.p_value <= least * 1.001 else f"p = {chance.p_value:.2g}"


def _line(label: str, text: str) -> str:
    return f"{INDENT}{label:<{LABEL}}{text}"


def _listed(numbers: list[int]) -> str:
    shown = [str(number) for number in numbers[:5]]
    *most, last = [*shown, f"{len(numbers) - 5} more"] if len(numbers) > 5 else shown
    return f"{', '.join(most)} and {last}" if most else last
