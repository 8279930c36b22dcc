"""What ``coterie evaluate`` finds: the answer first, then every measure; for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any

from coterie._support.config import version
from coterie.cli.render.machines import print_json
from coterie.data import SCALINGS, LabelledData, LabelPair, fit_scaling
from coterie.errors import InvalidParameter
from coterie.evaluate import Assessment, Comparison, assess, compare, find_measure
from coterie.evaluate.labelings import Noise

OPTIONS = {"labelings": "--truth", "data": "--data"}  # what gives a measure its input


def measures_by_need(names: Sequence[str], given: Sequence[str]) -> dict[str, list[str] | None]:
    """Return the names of the measures of each kind that is asked for; None: all of that kind."""
    if not names:
        return dict.fromkeys(given)
    chosen: dict[str, list[str] | None] = {}
    for found in map(find_measure, names):
        if found.needs not in OPTIONS:
            raise InvalidParameter(f"evaluate has no {found.needs}, which {found.name} needs.")
        if found.needs not in given:
            raise InvalidParameter(f"{found.name} needs {OPTIONS[found.needs]}.")
        chosen[found.needs] = [*(chosen.get(found.needs) or []), found.name]
    return chosen


@dataclass(frozen=True)
class Agreement:
    """How groups agree with the truth."""

    pair: LabelPair
    comparison: Comparison
    noise: Noise

    @classmethod
    def of(cls, pair: LabelPair, names: list[str] | None, noise: Noise | None) -> Agreement:
        """Compare the groups with the truth."""
        policy: Noise = noise or "cluster"
        return cls(pair, compare(pair.true, pair.pred, measures=names, noise=policy), policy)

    def facts(self) -> dict[str, Any]:
        """Return everything that ``--json`` prints."""
        pair, pairs = self.pair, self.comparison.pair_counts
        n_classes, n_clusters = self.comparison.table.shape
        return {
            "source": pair.source,
            "labels": pair.pred_name,
            "truth": pair.true_name,
            "rows": len(pair.pred),
            "rows_left_out": pair.n_dropped,
            "notes": list(pair.notes),
            "noise": self.noise,
            "classes": n_classes,
            "clusters": n_clusters,
            "pairs": {"tp": pairs.tp, "fp": pairs.fp, "fn": pairs.fn, "tn": pairs.tn},
            "measures": self.comparison.to_dict(),
            "coterie": version(),
        }

    def __str__(self) -> str:
        pair, comparison = self.pair, self.comparison
        dropped = f"; {pair.n_dropped:,} left out: no label" if pair.n_dropped else ""
        rows = f"{_rows(pair.pred)}{dropped}"
        lines = [f"{pair.source}   {rows}; {pair.pred_name} against {pair.true_name}"]
        lines += [*(f"  {note}" for note in pair.notes), ""]
        if not {"adjusted_rand_score", "matched_accuracy"} <= set(comparison):
            return "\n".join([*lines, str(comparison)])
        answer = (
            f"  adjusted Rand {comparison['adjusted_rand_score']:.2f} (chance 0, equal 1); "
            f"{comparison['matched_accuracy']:.1%} of the rows are in the group that is matched with their "
            f"class"
        )
        return "\n".join([*lines, answer, "", str(comparison), "", str(comparison.table)])


@dataclass(frozen=True)
class Quality:
    """How good groups are by the data alone."""

    found: LabelledData
    assessment: Assessment
    distance: str
    scale: str
    noise: Noise | None

    @classmethod
    def of(
        cls, found: LabelledData, names: list[str] | None, distance: str, scale: str, noise: Noise | None
    ) -> Quality:
        """Judge the groups by the data, their columns scaled."""
        scaling = fit_scaling(found.X, scale)
        X = scaling.apply(found.X)
        assessment = assess(X, found.labels, metric=distance, measures=names, noise=noise)
        return cls(found, assessment, distance, scaling.how, noise)

    def facts(self) -> dict[str, Any]:
        """Return everything that ``--json`` prints; infinite values are null."""
        found, assessment = self.found, self.assessment
        return {
            "source": found.source,
            "labels": found.label_name,
            "data": found.data_source,
            "columns": list(found.columns),
            "rows": len(found.labels),
            "rows_left_out": found.n_dropped,
            "notes": list(found.notes),
            "distance": self.distance,
            "scale": self.scale,
            "noise": self.noise,
            "clusters": assessment.n_clusters,
            "measures": dict(assessment.items()),
            "how": {each.measure.name: each.how for each in assessment.findings},
            "coterie": version(),
        }

    def __str__(self) -> str:
        found = self.found
        why = "a value or the label is missing"
        dropped = f"; {found.n_dropped:,} left out: {why}" if found.n_dropped else ""
        shown = ", ".join(found.columns[:6]) + (" ..." if len(found.columns) > 6 else "")
        how = f"judged on {SCALINGS[self.scale]}"
        columns = "1 column" if len(found.columns) == 1 else f"{len(found.columns):,} columns"
        lines = [
            f"{found.source}   {_rows(found.labels)}{dropped}; {found.label_name} by {columns} of "
            f"{found.data_source} ({shown}), {how}"
        ]
        lines += [f"  {note}" for note in (*found.notes, *(f"left out: {each}" for each in found.left_out))]
        lines.append("")
        if "silhouette_score" in self.assessment:
            score = float(self.assessment["silhouette_score"])
            lines += [f"  silhouette {score:.2f} (1: far apart, 0: side by side, below: mixed up)", ""]
        return "\n".join([*lines, str(self.assessment)])


def _rows(labels: Sized) -> str:
    return "1 row" if len(labels) == 1 else f"{len(labels):,} rows"


def facts_of(parts: Sequence[Agreement | Quality]) -> dict[str, Any]:
    """Return what ``--json`` prints: of two parts both, and the measures of both together."""
    facts = [part.facts() for part in parts]
    if len(facts) == 1:
        return facts[0]
    against, by_data = facts
    together = against["measures"] | by_data["measures"]
    return {"measures": together, "against_truth": against, "by_data": by_data, "coterie": version()}


def show(parts: Sequence[Agreement | Quality], *, as_json: bool) -> None:
    """Print what was found, for people or for machines."""
    if as_json:
        print_json(facts_of(parts))
    else:
        print("\n\n".join(map(str, parts)))
