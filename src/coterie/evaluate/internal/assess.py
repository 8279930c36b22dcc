"""A clustering by itself: every internal measure as one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import signature

from coterie._support.typing import MatrixLike, RandomState, ValuesByName, VectorLike
from coterie._support.validation import Nothing, Seed, Whole, check_parameter
from coterie.distance.catalogue import DistanceLike
from coterie.distance.mixed import holds_categories
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import Measure, find_measure, measures, shares_parameters
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.internal.sampling import Estimate
from coterie.evaluate.internal.spaces import NeedsRows
from coterie.evaluate.labelings import Noise, check_noise
from coterie.evaluate.measure_table import Entry, MeasureTable

MOST_EXACT = 10_000  # samples up to which all pairs are put in order
MOST_SUMMED = 200_000  # samples up to which all pairs are summed
PAIR_SAMPLE = 3_000
NEEDS_ROWS = "needs data, not distances"
ALL_PAIRS = "compares all pairs: ask for it by name"


@dataclass(frozen=True)
class Finding:
    """The value of one measure, and how it was found."""

    measure: Measure
    value: float | None  # None: not defined for these data
    how: str  # "exact", "3,000 samples ...", or why there is no value


class Assessment(MeasureTable):
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

    def _title(self) -> str:
        return f"{self.n_samples:,} samples, {self.n_clusters:,} clusters"

    def _entries(self) -> Iterable[Entry]:
        return ((found.measure, found.value, {"how": found.how}) for found in self.findings)


@shares_parameters
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
    **kwds: object,
) -> Assessment:
    """Compute every internal measure of a clustering.

    Measures of pairs by their distances draw samples when there are more than 10,000; the silhouette does
    when there are more than 200,000, and then tells its standard error. What compares all pairs and cannot
    draw is left out beyond 200,000, unless it is asked for by name. The column "how" says so.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``. Measures that need centroids are left out for
        distances and for tables with categories (with "gower", "hamming", "jaccard" or "dice").
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
    known: ValuesByName = {"metric": metric, "random_state": random_state, "noise": noise}
    known |= {"n_features": n_features, "sample_weight": sample_weight}
    is_matrix = isinstance(metric, str) and metric == "precomputed"
    has_means = not is_matrix and not holds_categories(metric, X)
    findings = []
    for chosen in _choose(measures):
        drawn = _draws(chosen, partition.n_samples, sample_size)
        is_long = chosen.compares_pairs and partition.n_samples > MOST_SUMMED and not drawn
        if is_long and measures is None:
            findings.append(Finding(chosen, None, ALL_PAIRS))
            continue
        findings.append(_find(chosen, X, labels, {**known, **drawn}, kwds, has_means=has_means))
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


def _draws(chosen: Measure, n_samples: int, sample_size: int | None) -> ValuesByName:
    """Parameters that make a measure draw samples, where it should."""
    accepted = signature(chosen.function).parameters
    if "sample" in accepted and n_samples > MOST_SUMMED:
        return {"sample": "stratified", "size": sample_size}
    if "sample" not in accepted and "sample_size" in accepted and n_samples > MOST_EXACT:
        return {"sample_size": sample_size or PAIR_SAMPLE}
    return {}


def _find(
    chosen: Measure,
    X: MatrixLike,
    labels: VectorLike,
    known: ValuesByName,
    of_distance: ValuesByName,
    *,
    has_means: bool,
) -> Finding:
    accepted = signature(chosen.function).parameters
    if "metric" not in accepted and not has_means:
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
