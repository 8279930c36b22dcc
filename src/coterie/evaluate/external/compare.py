"""Two labelings side by side: every external measure from one contingency table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from coterie._support.typing import VectorLike
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import Measure, find_measure, measures, shares_parameters
from coterie.evaluate.external.clusters import ClusterScores, f_of
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.pairs import PairCounts
from coterie.evaluate.labelings import Noise
from coterie.evaluate.measure_table import Entry, MeasureTable


class Comparison(MeasureTable):
    """All external measures of a contingency table, by name.

    Parameters
    ----------
    table : ContingencyTable
        What the measures are computed from, once.
    names : sequence of str, default=None
        Names or symbols of the measures; None: every measure of two labelings.

    Examples
    --------
    >>> comparison = compare([0, 0, 1, 1], [0, 0, 1, 2], measures=["ARI", "purity"])
    >>> comparison
    4 samples, 2 classes, 3 clusters
    <BLANKLINE>
                              value  range      better
    pairs of samples
      adjusted_rand_score    0.5714  [-0.5, 1]  higher
    sets of samples
      purity_score           1.0000  [0, 1]     higher
    """

    def __init__(self, table: ContingencyTable, names: Sequence[str] | None = None) -> None:
        self.table = table
        self.measures: tuple[Measure, ...] = measures("labelings") if names is None else _choose(names)
        self._values = {chosen.name: _value(chosen, table) for chosen in self.measures}

    def _title(self) -> str:
        n_classes, n_clusters = self.table.shape
        return f"{self.table.n_samples:,} samples, {n_classes:,} classes, {n_clusters:,} clusters"

    def _entries(self) -> Iterable[Entry]:
        return ((chosen, self._values[chosen.name], {}) for chosen in self.measures)

    @cached_property
    def pair_counts(self) -> PairCounts:
        """Pairs of samples together or apart."""
        return PairCounts.of(self.table)

    @cached_property
    def clusters(self) -> ClusterScores:
        """F of every cluster with the class it is matched with."""
        return f_of(self.table)


@shares_parameters
def compare(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    measures: Sequence[str] | None = None,
    noise: Noise = "cluster",
) -> Comparison:
    """Compute every external measure of two labelings, reading them once.

    Parameters
    ----------
    measures : sequence of str, default=None
        Names or symbols of the measures to compute; None: all.

    Returns
    -------
    comparison : Comparison
        A mapping from names to values that prints as a table.

    Examples
    --------
    >>> comparison = compare([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(comparison["adjusted_rand_score"], 4), comparison["CI"]
    (0.5714, 1.0)
    """
    return Comparison(contingency_table(labels_true, labels_pred, noise=noise), measures)


def _choose(names: Sequence[str]) -> tuple[Measure, ...]:
    chosen = tuple(find_measure(name) for name in ([names] if isinstance(names, str) else names))
    for found in chosen:
        if found.of_table is None:
            raise InvalidParameter(
                f"measures of compare must be measures of two labelings, "
                f"got {found.name}, which needs {found.needs}."
            )
    return chosen


def _value(chosen: Measure, table: ContingencyTable) -> float:
    assert chosen.of_table is not None, chosen.name
    return float(chosen.of_table(table))
