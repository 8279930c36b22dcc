"""The silhouette as a value: per sample, per cluster, overall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from coterie._support.optional import require
from coterie._support.typing import Weights
from coterie._support.validation.schema import Maybe, Names, Schema, Sometimes, Tensor
from coterie.evaluate.internal.partitions import Codes, Partition
from coterie.evaluate.internal.spaces import GroupSums
from coterie.evaluate.labelings import AnyArray

MOST_SHOWN = 20  # clusters printed before the rest becomes "..."


def coefficients(parts: GroupSums, codes: Codes, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(b - a) / max(a, b); 0 for a sample alone in its cluster, and where all is at distance 0."""
    a, b = own_means(parts, codes, totals), parts.nearest_mean
    largest = np.maximum(a, b)
    return np.divide(b - a, largest, out=np.zeros_like(a), where=(totals[codes] > 1) & (largest > 0))


def own_means(parts: GroupSums, codes: Codes, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean distances to the others of the own cluster; 0 for a sample alone in its cluster."""
    others = totals[codes] - 1
    return np.divide(parts.own_sum, others, out=np.zeros_like(parts.own_sum), where=others > 0)


@dataclass(frozen=True, eq=False)
class Silhouette:
    """How much nearer samples are to their own cluster than to the next one.

    Parameters
    ----------
    values, a, b : ndarray of shape (n_samples,)
        The coefficient, the mean distance to the own cluster, and to the nearest other one.
    labels, neighbours : ndarray of shape (n_samples,)
        The cluster of each sample, and the nearest other one.
    rows : ndarray of shape (n_samples,)
        Which rows of the data these samples are; all but noise that was left out.
    clusters, sizes : ndarray of shape (n_clusters,)
        Labels and sizes of the clusters.
    codes : ndarray of shape (n_samples,)
        Position of each sample's cluster in `clusters`.
    sample_weight : ndarray of shape (n_samples,) or None
        How many times each sample counts in the means; None: once.

    Examples
    --------
    >>> from coterie.evaluate import silhouette
    >>> found = silhouette([[0.0], [1.0], [5.0], [6.0], [2.9]], ["l", "l", "r", "r", "r"])
    >>> found.neighbours.tolist(), found.misassigned.tolist()
    (['r', 'r', 'l', 'l', 'l'], [4])
    """

    _schema: ClassVar[Schema] = {
        "values": Tensor("samples", kind="f8", allow="nan"),
        "a": Tensor("samples", kind="f8", allow="nan"),
        "b": Tensor("samples", kind="f8", allow="nan"),
        "labels": Names("samples"),
        "neighbours": Names("samples"),
        "rows": Tensor("samples", kind="i8", low=0),
        "clusters": Names("clusters"),
        "sizes": Tensor("clusters", kind="i8", low=0),
        "codes": Tensor("samples", kind="i4", low=0, below="clusters"),
        "sample_weight": Sometimes(Maybe(Tensor("samples", kind="f8", low=0))),
    }

    values: npt.NDArray[np.float64]
    a: npt.NDArray[np.float64]
    b: npt.NDArray[np.float64]
    labels: AnyArray
    neighbours: AnyArray
    rows: npt.NDArray[np.intp]
    clusters: AnyArray
    sizes: npt.NDArray[np.int64]
    codes: Codes
    sample_weight: Weights | None = None

    @classmethod
    def of(cls, parts: GroupSums, partition: Partition) -> Silhouette:
        """Return the value from sums of distances."""
        codes, totals = partition.codes, partition.totals
        return cls(
            values=coefficients(parts, codes, totals),
            a=own_means(parts, codes, totals),
            b=parts.nearest_mean,
            labels=partition.names[codes],
            neighbours=partition.names[parts.neighbour],
            rows=np.arange(codes.size) if partition.rows is None else partition.rows,
            clusters=partition.names,
            sizes=partition.sizes,
            codes=codes,
            sample_weight=partition.sample_weight,
        )

    @property
    def score(self) -> float:
        """Mean over all samples."""
        return float(np.average(self.values, weights=self.sample_weight))

    @cached_property
    def cluster_values(self) -> npt.NDArray[np.float64]:
        """Mean over the samples of each cluster."""
        weights = np.ones(self.values.size) if self.sample_weight is None else self.sample_weight
        sums = np.bincount(self.codes, weights=weights * self.values, minlength=self.sizes.size)
        return np.asarray(sums / np.bincount(self.codes, weights=weights, minlength=self.sizes.size))

    @cached_property
    def misassigned(self) -> npt.NDArray[np.intp]:
        """Rows of the data that are nearer to another cluster than to their own, worst first."""
        worst = np.argsort(self.values, kind="stable")
        return self.rows[worst[self.values[worst] < 0]]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per sample."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = {
            "row": self.rows,
            "cluster": self.labels,
            "neighbour": self.neighbours,
            "a": self.a,
            "b": self.b,
            "silhouette": self.values,
        }
        return pandas.DataFrame(columns).set_index("row")

    def __repr__(self) -> str:
        wrong = np.bincount(self.codes[self.values < 0], minlength=self.sizes.size)
        rows = [("cluster", "size", "silhouette", "misassigned")]
        for at in range(min(self.sizes.size, MOST_SHOWN)):
            facts = f"{self.sizes[at]:,}", f"{self.cluster_values[at]:.4f}", f"{wrong[at]:,}"
            rows.append((str(self.clusters[at]), *facts))
        if self.sizes.size > MOST_SHOWN:
            rows.append(("...", "", "", ""))
        widths = [max(len(row[at]) for row in rows) for at in range(4)]
        lines = [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1] + 1}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}"
            for row in rows
        ]
        title = f"{self.values.size:,} samples, {self.sizes.size:,} clusters, silhouette {self.score:.4f}"
        return "\n".join([title, *(line.rstrip() for line in lines)])
