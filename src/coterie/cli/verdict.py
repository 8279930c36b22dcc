"""What ``coterie evaluate`` prints: the answer first, then every measure, then the table."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from coterie._config import version
from coterie.evaluate import Assessment, Comparison, assess, compare
from coterie.evaluate.labelings import Noise
from coterie.read import LabelledData, LabelPair, read_label_pair, read_labelled_data


def compare_with(
    labels: str,
    truth: str,
    truth_column: str | None,
    names: list[str],
    noise: Noise | None,
    *,
    as_json: bool,
    **how: Any,
) -> None:
    """Print how groups agree with the truth."""
    pair = read_label_pair(labels, truth, truth_column=truth_column, **how)
    policy: Noise = noise or "cluster"
    comparison = compare(pair.true, pair.pred, measures=names or None, noise=policy)
    show(pair, comparison, noise=policy, as_json=as_json)


def judge_by(
    labels: str,
    data: str,
    distance: str,
    names: list[str],
    noise: Noise | None,
    *,
    as_json: bool,
    **how: Any,
) -> None:
    """Print how good groups are by the data alone."""
    found = read_labelled_data(labels, data, **how)
    assessment = assess(found.X, found.labels, metric=distance, measures=names or None, noise=noise)
    if as_json:
        print(json.dumps(data_facts(found, assessment, distance, noise), indent=2))
        return
    dropped = f"; {found.n_dropped:,} left out: a value or the label is missing" if found.n_dropped else ""
    shown = ", ".join(found.columns[:6]) + (" ..." if len(found.columns) > 6 else "")
    columns = "1 column" if len(found.columns) == 1 else f"{len(found.columns):,} columns"
    print(
        f"{found.source}   {len(found.labels):,} rows{dropped}; {found.label_name} by {columns} of "
        f"{found.data_source}, as they are: {shown}"
    )
    for note in (*found.notes, *(f"left out: {column}" for column in found.left_out)):
        print(f"  {note}")
    print()
    if "silhouette_score" in assessment:
        score = assessment["silhouette_score"]
        print(f"  silhouette {score:.2f} (1: far apart, 0: side by side, below: mixed up)\n")
    print(assessment)


def data_facts(
    found: LabelledData, assessment: Assessment, distance: str, noise: str | None
) -> dict[str, Any]:
    """Return everything that ``--data --json`` prints; infinite values are null."""
    return {
        "source": found.source,
        "labels": found.label_name,
        "data": found.data_source,
        "columns": list(found.columns),
        "rows": len(found.labels),
        "rows_left_out": found.n_dropped,
        "notes": list(found.notes),
        "distance": distance,
        "noise": noise,
        "clusters": assessment.n_clusters,
        "measures": {name: value if isfinite(value) else None for name, value in assessment.items()},
        "how": {each.measure.name: each.how for each in assessment.findings},
        "coterie": version(),
    }


def show(pair: LabelPair, comparison: Comparison, *, noise: str, as_json: bool) -> None:
    """Print a comparison for people or for machines."""
    if as_json:
        print(json.dumps(facts(pair, comparison, noise), indent=2))
        return
    dropped = f"; {pair.n_dropped:,} left out: no label" if pair.n_dropped else ""
    print(f"{pair.source}   {len(pair.pred):,} rows{dropped}; {pair.pred_name} against {pair.true_name}")
    for note in pair.notes:
        print(f"  {note}")
    print()
    has_everything = {"adjusted_rand_score", "matched_accuracy"} <= set(comparison)
    if has_everything:
        print(f"  {_answer(comparison)}\n")
    print(comparison)
    if has_everything:
        print(f"\n{comparison.table}")


def facts(pair: LabelPair, comparison: Comparison, noise: str) -> dict[str, Any]:
    """Return everything that ``--json`` prints."""
    pairs = comparison.pair_counts
    n_classes, n_clusters = comparison.table.shape
    return {
        "source": pair.source,
        "labels": pair.pred_name,
        "truth": pair.true_name,
        "rows": len(pair.pred),
        "rows_left_out": pair.n_dropped,
        "notes": list(pair.notes),
        "noise": noise,
        "classes": n_classes,
        "clusters": n_clusters,
        "pairs": {"tp": pairs.tp, "fp": pairs.fp, "fn": pairs.fn, "tn": pairs.tn},
        "measures": comparison.to_dict(),
        "coterie": version(),
    }


def _answer(comparison: Comparison) -> str:
    matched = comparison["matched_accuracy"]
    return (
        f"adjusted Rand {comparison['adjusted_rand_score']:.2f} (chance 0, equal 1); "
        f"{matched:.1%} of the rows are in the group that is matched with their class"
    )
