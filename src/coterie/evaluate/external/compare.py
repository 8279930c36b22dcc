"""Two labelings side by side: every external measure from one contingency table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import groupby
from typing import Any

from coterie._support.optional import require
from coterie._support.typing import VectorLike
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import Measure, find_measure, measures
from coterie.evaluate.external.clusters import ClusterScores, f_of
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.pairs import PairCounts
from coterie.evaluate.labelings import Noise


class Comparison(Mapping[str, float]):
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

    def __getitem__(self, name: str) -> float:
        return self._values[name if name in self._values else find_measure(name).name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @cached_property
    def pair_counts(self) -> PairCounts:
        """Pairs of samples together or apart."""
        return PairCounts.of(self.table)

    @cached_property
    def clusters(self) -> ClusterScores:
        """F of every cluster with the class it is matched with."""
        return f_of(self.table)

    def to_dict(self) -> dict[str, float]:
        """Return the values by the names of the measures."""
        return dict(self._values)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row per measure, its value and its facts."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        rows = [
            {
                "measure": chosen.name,
                "symbol": chosen.symbol,
                "value": self._values[chosen.name],
                "low": chosen.low,
                "high": chosen.high,
                "better": chosen.direction,
                "group": chosen.group,
            }
            for chosen in self.measures
        ]
        return pandas.DataFrame(rows).set_index("measure")

    def __repr__(self) -> str:
        n_classes, n_clusters = self.table.shape
        width = max((len(chosen.name) for chosen in self.measures), default=0) + 2
        span = max((len(chosen.range) for chosen in self.measures), default=0)
        lines = [
            f"{self.table.n_samples:,} samples, {n_classes:,} classes, {n_clusters:,} clusters",
            "",
            f"{'':{width}}  {'value':>8}  {'range':<{span}}  better",
        ]
        for group, members in groupby(self.measures, key=lambda chosen: chosen.group):
            lines.append(group)
            for chosen in members:
                value = f"{self._values[chosen.name]:8.4f}"
                lines.append(
                    f"  {chosen.name:<{width - 2}}  {value}  {chosen.range:<{span}}  {chosen.direction}"
                )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th title='{escape(chosen.summary)}'>{escape(chosen.name)}</th><td>{value:.4f}</td>"
            f"<td>{escape(chosen.range)}</td><td>{chosen.direction}</td></tr>"
            for chosen, value in zip(self.measures, self.values(), strict=True)
        )
        head = "<tr><th>measure</th><th>value</th><th>range</th><th>better</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


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
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label.
    measures : sequence of str, default=None
        Names or symbols of the measures to compute; None: all.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.

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
