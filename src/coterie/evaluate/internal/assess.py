"""A clustering by itself: every internal measure as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from inspect import signature
from itertools import groupby
from typing import Any

from coterie._support.optional import require
from coterie._support.typing import MatrixLike, RandomState, VectorLike
from coterie._support.validation import Nothing, Seed, Whole, check_parameter
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import Measure, find_measure, measures
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.internal.sampling import Estimate
from coterie.evaluate.internal.spaces import NeedsRows
from coterie.evaluate.labelings import Noise, check_noise

MOST_EXACT = 10_000  # samples up to which all pairs are put in order
MOST_SUMMED = 200_000  # samples up to which all pairs are summed
PAIR_SAMPLE = 3_000
NOT_DEFINED = "-"
NEEDS_ROWS = "needs data, not distances"
ALL_PAIRS = "compares all pairs: ask for it by name"


@dataclass(frozen=True)
class Finding:
    """The value of one measure, and how it was found."""

    measure: Measure
    value: float | None  # None: not defined for these data
    how: str  # "exact", "3,000 samples ...", or why there is no value


class Assessment(Mapping[str, float]):
    """Internal measures of a clustering, by name; those that are not defined for the data are left out.

    Parameters
    ----------
    findings : sequence of Finding
        Values and how they were found.
    n_samples, n_clusters : int
        What was assessed.

    Examples
    --------
    >>> from coterie.evaluate import assess
    >>> assess([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], measures=["sil", "DB"])
    4 samples, 2 clusters
    <BLANKLINE>
                               value  range     better  how
    silhouettes
      silhouette_score        0.7980  [-1, 1]   higher  exact
    separation
      davies_bouldin_score    0.2000  [0, inf)  lower   exact
    """

    def __init__(self, findings: Sequence[Finding], n_samples: int, n_clusters: int) -> None:
        self.findings = tuple(findings)
        self.n_samples, self.n_clusters = n_samples, n_clusters
        self._values = {found.measure.name: found.value for found in findings if found.value is not None}

    def __getitem__(self, name: str) -> float:
        return self._values[name if name in self._values else find_measure(name).name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_dict(self) -> dict[str, float]:
        """Return the values by the names of the measures."""
        return dict(self._values)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row per measure, its value and its facts."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        rows = [
            {
                "measure": found.measure.name,
                "symbol": found.measure.symbol,
                "value": found.value,
                "low": found.measure.low,
                "high": found.measure.high,
                "better": found.measure.direction,
                "group": found.measure.group,
                "how": found.how,
            }
            for found in self.findings
        ]
        return pandas.DataFrame(rows).set_index("measure")

    def __repr__(self) -> str:
        rows = [_cells(found) for found in self.findings]
        heads = ("", "value", "range", "better", "how")
        widths = [max([len(heads[at]), *(len(row[at]) for row in rows)]) for at in range(5)]
        widths[1] = max(widths[1], 8)
        lines = [f"{self.n_samples:,} samples, {self.n_clusters:,} clusters", ""]
        lines.append(_line("  " + heads[0], heads[1:], widths))
        for group, members in groupby(self.findings, key=lambda found: found.measure.group):
            lines.append(group)
            lines += [_line("  " + cells[0], cells[1:], widths) for cells in map(_cells, members)]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th title='{escape(found.measure.summary)}'>{escape(cells[0])}</th>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells[1:])
            + "</tr>"
            for found, cells in zip(self.findings, map(_cells, self.findings), strict=True)
        )
        head = "".join(f"<th>{name}</th>" for name in ("measure", "value", "range", "better", "how"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def assess(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    measures: Sequence[str] | None = None,
    sample_size: int | None = None,
    random_state: RandomState = 0,
    n_features: float | None = None,
    sample_weight: VectorLike | None = None,
    noise: Noise | None = None,
    **kwds: Any,
) -> Assessment:
    """Compute every internal measure of a clustering.

    Measures of pairs by their distances draw samples when there are more than 10,000; the silhouette does
    when there are more than 200,000, and then tells its standard error. What compares all pairs and cannot
    draw is left out beyond 200,000, unless it is asked for by name. The column "how" says so.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``: measures that need centroids are then left out.
    labels : array-like of shape (n_samples,)
        Labels of any kind.
    metric : str or callable, default="euclidean"
        Distance between rows, for the measures that take one.
    measures : sequence of str, default=None
        Names or symbols of the measures to compute; None: all.
    sample_size : int, default=None
        Samples to draw where samples are drawn; None: 3,000 for pairs and 10,000 for the silhouette.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    n_features : float, default=None
        Dimension of the data for `dbcv`, which does not know it from distances.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; measures that take no weights are then left out.
    noise : {"cluster", "exclude", "singletons"}, default=None
        What to do with samples labelled -1; None: what each measure does by default.
    **kwds
        Further parameters of the distance.

    Returns
    -------
    assessment : Assessment
        A mapping from names to values that prints as a table.

    Examples
    --------
    >>> assessment = assess([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> assessment["CH"], assessment["dunn_score"]
    (50.0, 4.0)
    """
    check_parameter(sample_size, Whole(3) | Nothing(), name="sample_size", who="assess")
    check_parameter(random_state, Seed(), name="random_state", who="assess")
    policy = check_noise("cluster" if noise is None else noise)
    partition = read_partition(labels, policy).weigh(sample_weight, who="assess").require_groups()
    known: dict[str, Any] = {"metric": metric, "random_state": random_state, "noise": noise}
    known |= {"n_features": n_features, "sample_weight": sample_weight}
    findings = []
    for chosen in _choose(measures):
        drawn = _draws(chosen, partition.n_samples, sample_size)
        is_long = chosen.compares_pairs and partition.n_samples > MOST_SUMMED and not drawn
        if is_long and measures is None:
            findings.append(Finding(chosen, None, ALL_PAIRS))
            continue
        findings.append(_find(chosen, X, labels, {**known, **drawn}, kwds))
    return Assessment(findings, partition.n_samples, partition.n_clusters)


def _choose(names: Sequence[str] | None) -> tuple[Measure, ...]:
    if names is None:
        return measures("data")
    chosen = tuple(find_measure(name) for name in ([names] if isinstance(names, str) else names))
    for found in chosen:
        if found.needs != "data":
            raise InvalidParameter(
                f"measures of assess must be measures of data and one labeling, got {found.name}, "
                f"which needs {found.needs}."
            )
    return chosen


def _draws(chosen: Measure, n_samples: int, sample_size: int | None) -> dict[str, Any]:
    """Parameters that make a measure draw samples, where it should."""
    accepted = signature(chosen.function).parameters
    if "sample" in accepted and n_samples > MOST_SUMMED:
        return {"sample": "stratified", "size": sample_size}
    if "sample" not in accepted and "sample_size" in accepted and n_samples > MOST_EXACT:
        return {"sample_size": sample_size or PAIR_SAMPLE}
    return {}


def _find(
    chosen: Measure, X: MatrixLike, labels: VectorLike, known: dict[str, Any], of_distance: dict[str, Any]
) -> Finding:
    accepted = signature(chosen.function).parameters
    if "metric" not in accepted and isinstance(known["metric"], str) and known["metric"] == "precomputed":
        return Finding(chosen, None, NEEDS_ROWS)
    if known["sample_weight"] is not None and not chosen.takes_sample_weight:
        return Finding(chosen, None, "takes no weights")
    given = {name: value for name, value in known.items() if name in accepted and value is not None}
    given |= of_distance if "kwds" in accepted else {}
    try:
        value = chosen.function(X, labels, **given)
    except NeedsRows:
        return Finding(chosen, None, NEEDS_ROWS)
    return Finding(chosen, float(value), value.how if isinstance(value, Estimate) else "exact")


def _cells(found: Finding) -> tuple[str, str, str, str, str]:
    value = NOT_DEFINED if found.value is None else _number(found.value)
    return found.measure.name, value, found.measure.range, found.measure.direction, found.how


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1e6 else f"{value:.6g}"


def _line(name: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    value, span, better, how = cells
    return f"{name:<{widths[0] + 2}}  {value:>{widths[1]}}  {span:<{widths[2]}}  {better:<{widths[3]}}  {how}"
