"""What ``--json`` prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from coterie._support.config import version
from coterie._support.facts import facts_of, finite
from coterie._support.notes import render_notes
from coterie._support.stores import shown
from coterie._support.typing import JsonObject, Labels
from coterie.pipeline import Clustering, Groups
from coterie.pipeline.groups import group_name


def print_json(facts: object) -> None:
    """Print facts as JSON: null for numbers that are not finite, which JSON does not know."""
    print(json.dumps(finite(facts), indent=2, allow_nan=False))


def answer_facts(found: Clustering, *, labels: Path | None, model: Path | None) -> JsonObject:
    """Return everything that ``coterie fit --json`` prints."""
    about = found.to_dict()
    for name in ("columns", "left_out", "seconds"):
        about.pop(name)
    about["notes"] = list(render_notes(found.notes, "shell"))
    groups = _facts(found.groups, labels=labels, model=model)
    in_blocks = {"n_blocks": found.blocks.n_blocks} if hasattr(found, "blocks") else {}
    return {**groups, **about, "seconds": round(found.seconds, 6), **in_blocks}


def _facts(groups: Groups, *, labels: Path | None, model: Path | None) -> JsonObject:
    recipe, fitted = groups.recipe, groups.model
    words, value = groups.objective or (None, None)
    return {
        "source": groups.source,
        "rows": groups.n_rows,
        "rows_grouped": groups.n_grouped,
        "columns": list(groups.table_columns),
        "left_out": [{"column": column.name, "reason": column.reason} for column in groups.left_out],
        **facts_of(recipe, "method", "distance", "scale"),
        "settings": recipe.settings or {},
        "seed": recipe.seed,
        "k": groups.k,
        "noise": groups.n_noise,
        "sse": value if words == "SSE" else None,
        "objective": {"name": words, "value": value} if words else None,
        "explained": groups.explained,
        "iterations": _number(getattr(fitted, "n_iter_", None)),
        "algorithm": getattr(fitted, "algorithm_used_", None),
        "seconds": round(groups.seconds, 6),
        "rule_note": groups.profile.rule_note or None,
        "groups": [_group_facts(groups, group) for group in range(groups.k)],
        "labels_file": shown(labels) if labels else None,
        "model_file": shown(model) if model else None,
        "coterie": version(),
    }


def prediction_facts(source: str, model: Path, labels: Labels | None, output: Path | None) -> JsonObject:
    """Return what ``coterie predict --json`` prints; rows that were left out have no label.

    Labels of data in blocks are in files only.
    """
    named = None if labels is None else np.ma.asarray(labels).tolist()
    return {
        "source": source,
        "model_file": shown(model),
        "rows": None if named is None else len(named),
        "labels": named,
        "labels_file": shown(output) if output else None,
        "coterie": version(),
    }


def _group_facts(groups: Groups, group: int) -> JsonObject:
    profile, rule = groups.profile, groups.profile.rules[group]
    return {
        "label": group,
        "name": group_name(group),
        "size": int(profile.sizes[group]),
        "share": float(groups.shares[group]),
        **({} if groups.medoid_rows is None else {"medoid_row": int(groups.medoid_rows[group]) + 1}),
        "center": dict(zip(profile.columns, groups.centers[group].tolist(), strict=True)),
        "apart": profile.apart_facts(group),
        "effects": dict(zip(profile.columns, profile.effects[group].tolist(), strict=True)),
        "typical_rows": (profile.typical[group] + 1).tolist(),
        **({"typical_names": list(profile.names[group])} if profile.names else {}),
        "borderline_rows": (profile.borderline[group] + 1).tolist(),
        "rule": None if rule is None else rule.to_dict(),
        **({"positions": [each.facts(group) for each in profile.positions]} if profile.positions else {}),
    }


def _number(value: object) -> object:
    return None if value is None else getattr(value, "item", lambda: value)()
