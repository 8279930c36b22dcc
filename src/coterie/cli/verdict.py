"""What ``coterie evaluate`` prints: the answer first, then every measure, then the table."""

from __future__ import annotations

import json
from typing import Any

from coterie._config import version
from coterie.evaluate import Comparison
from coterie.read import LabelPair


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
