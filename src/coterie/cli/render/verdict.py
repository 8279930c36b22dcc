"""What ``coterie evaluate`` finds: the answer first, then every measure; for people and for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypedDict, Unpack

import numpy as np

from coterie._printing import count_of
from coterie._support.config import version
from coterie._support.notes import render_notes
from coterie._support.typing import JsonObject
from coterie.cli.render.machines import print_json
from coterie.data import AUTO, SCALINGS, LabelledData, LabelPair, Table, read_rows
from coterie.distance import Distance, find_distance
from coterie.distance.mixed import columns_for, distance_of_levels
from coterie.errors import InvalidParameter
from coterie.evaluate import Assessment, Comparison, assess, compare, find_measure
from coterie.evaluate.labelings import Noise
from coterie.pipeline.request import EUCLIDEAN, GOWER, HAVERSINE

# what is printed first, with what it means; --all prints every measure
AGAINST_TRUTH = {
    "adjusted_rand_score": "agreement of pairs of rows: 0 by chance, 1 if equal",
    "normalized_mutual_info_score": "shared information: 0 if none, 1 if equal",
    "matched_accuracy": "share of rows in the group matched with their class",
}
BY_DATA = {
    "silhouette_score": "1: well separated, 0: touching, below 0: overlapping",
    "davies_bouldin_score": "spread within groups over distance between them: lower is better",
    "calinski_harabasz_score": "variance between groups over variance within: higher is better",
}
BY_PAIRS = {  # without means: tables with categories
    "silhouette_score": BY_DATA["silhouette_score"],
    "medoid_silhouette_score": "the same by the distance to the medoids",
    "dunn_score": "distance between groups over the widest group: higher is better",
}
NAMED = {
    "adjusted rand": "adjusted Rand",
    "dunn": "Dunn",
    "davies bouldin": "Davies-Bouldin",
    "calinski harabasz": "Calinski-Harabasz",
}
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
    shows_all: bool = False

    @classmethod
    def of(
        cls, pair: LabelPair, names: list[str] | None, noise: Noise | None, *, shows_all: bool = False
    ) -> Agreement:
        """Compare the groups with the truth."""
        policy: Noise = noise or "cluster"
        return cls(pair, compare(pair.true, pair.pred, measures=names, noise=policy), policy, shows_all)

    def facts(self) -> JsonObject:
        """Return everything that ``--json`` prints."""
        pair, pairs = self.pair, self.comparison.pair_counts
        n_classes, n_clusters = self.comparison.table.shape
        return {
            "source": pair.source,
            "labels": pair.pred_name,
            "truth": pair.true_name,
            "rows": len(pair.pred),
            "rows_left_out": pair.n_dropped,
            "notes": list(render_notes(pair.notes, "shell")),
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
        rows = f"{count_of(len(pair.pred), 'row')}{dropped}"
        lines = [f"{pair.source}   {rows}; {pair.pred_name} against {pair.true_name}"]
        lines += [*(f"  {note}" for note in render_notes(pair.notes, "shell")), ""]
        first = first_measures(dict(comparison), AGAINST_TRUTH)
        if not first:
            return "\n".join([*lines, str(comparison)])
        every = [str(comparison), ""] if self.shows_all else [more_measures(len(comparison), len(first)), ""]
        return "\n".join([*lines, *first, "", *every, str(comparison.table)])


@dataclass(frozen=True)
class Quality:
    """How good groups are by the data alone."""

    found: LabelledData
    assessment: Assessment
    distance: str
    scale: str
    noise: Noise | None
    shows_all: bool = False

    @classmethod
    def of(
        cls,
        found: LabelledData,
        names: list[str] | None,
        distance: str,
        scale: str,
        noise: Noise | None,
        *,
        shows_all: bool = False,
    ) -> Quality:
        """Judge the groups by the data, their columns scaled."""
        rows = found.scaled(scale, as_angles=distance == HAVERSINE)
        metric: str | Distance = distance
        if found.levels:
            metric = distance_of_levels(find_distance(distance), rows.levels)
        assessment = assess(rows.X, found.labels, metric=metric, measures=names, noise=noise)
        return cls(found, assessment, distance, rows.how, noise, shows_all)

    def facts(self) -> JsonObject:
        """Return everything that ``--json`` prints; infinite values are null."""
        found, assessment = self.found, self.assessment
        return {
            "source": found.source,
            "labels": found.label_name,
            "data": found.data_source,
            "columns": list(found.columns),
            "rows": len(found.labels),
            "rows_left_out": found.n_dropped,
            "notes": list(render_notes(found.notes, "shell")),
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
        by = f", {self.distance} distance" if found.levels else ""
        how = f"on {SCALINGS[self.scale]}{by}"
        columns = count_of(len(found.columns), "column")
        lines = [
            f"{found.source}   {count_of(len(found.labels), 'row')}{dropped}; {found.label_name} judged by "
            f"{columns} of {found.data_source} ({shown}), {how}"
        ]
        left_out = [f"left out: {each}" for each in found.left_out]
        lines += [f"  {note}" for note in render_notes([*found.notes, *left_out], "shell")]
        lines.append("")
        values = {name: float(value) for name, value in self.assessment.items()}
        values = {name: value for name, value in values.items() if not found.levels or not np.isnan(value)}
        first = first_measures(values, BY_PAIRS if found.levels else BY_DATA)
        if not first:
            return "\n".join([*lines, str(self.assessment)])
        every = str(self.assessment) if self.shows_all else more_measures(len(values), len(first))
        return "\n".join([*lines, *first, "", every])


class LabelColumn(TypedDict):
    """Which column holds the labels, and what is done about rows without one."""

    column: str | None
    missing: str


def read_judged(
    labelled: Table,
    rows: Table,
    pair: LabelPair | None,
    distance: str,
    *,
    places: str,
    **how: Unpack[LabelColumn],
) -> tuple[LabelledData, str]:
    """Return the rows that groups are judged by, and the distance: Gower's for "auto" of categories."""
    read = partial(read_rows, labelled, rows, pair, places=places, **how)
    if distance == AUTO:
        found = read(associated=True, **columns_for(GOWER))
        if found.levels:
            return found, GOWER
        distance = EUCLIDEAN
    return read(as_angles=distance == HAVERSINE, **columns_for(distance)), distance


def first_measures(values: Mapping[str, float], meanings: Mapping[str, str]) -> list[str]:
    """Return the measures that are printed first, a line each; none where some were named instead."""
    if not set(meanings) <= set(values):
        return []
    titles = {name: name.removesuffix("_score").replace("_", " ") for name in meanings}
    titles = {name: NAMED.get(title, title) for name, title in titles.items()}
    width = max(map(len, titles.values()))
    return [f"  {titles[name]:<{width}}  {_short(values[name]):<8}  {meanings[name]}" for name in meanings]


def _short(value: float) -> str:
    """Return a value with three digits, large ones in full: 0.527, 1,049."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def more_measures(n_all: int, n_shown: int) -> str:
    """Say that there are more."""
    return f"  --all prints {n_all - n_shown} more measures; coterie measures explains them"


def facts_of(parts: Sequence[Agreement | Quality]) -> JsonObject:
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
