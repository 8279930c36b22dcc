"""Precision, recall and F of every single cluster, against the class it holds most of."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import numpy as np
import numpy.typing as npt

from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import AnyArray, PandasFrame, VectorLike
from coterie._support.validation import Number, check_parameter
from coterie._support.validation.schema import Names, Tensor, Text
from coterie.evaluate.catalogue import measure, shares_parameters
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.external.sets import AVERAGES, Average, squared_beta
from coterie.evaluate.labelings import Noise

cluster_measure = partial(
    measure, group="clusters", needs="labelings", low=0, high=1, reference="simovici-lectures"
)


@saved(eq=False)
class ClusterScores:
    """One score per cluster, with the class that the cluster is compared with.

    Parameters
    ----------
    clusters, classes : ndarray of shape (n_clusters,)
        Label of each cluster, and of the class that it shares most samples with; the larger class when it
        shares as many with several, the first of those when they are equally large.
    values : ndarray of shape (n_clusters,)
        The scores.

    Examples
    --------
    >>> cluster_precision(["x", "x", "y", "y"], [0, 0, 0, 1])
    cluster   class  size  precision
    0         x         3     0.6667
    1         y         1     1.0000
    weighted            4     0.7500
    macro               4     0.8333
    """

    score: str = held(Text(), "What is measured.")
    clusters: AnyArray = held(Names("clusters"))
    classes: AnyArray = held(Names("clusters"))
    sizes: AnyArray = held(Tensor("clusters", kind="n", low=0, may_be_empty=True), "Samples in each cluster.")
    values: npt.NDArray[np.float64] = held(Tensor("clusters", kind="f8", allow="nan", may_be_empty=True))

    @property
    def macro(self) -> float:
        """Plain mean over clusters; 1 when there are none."""
        return float(self.values.mean()) if self.values.size else 1.0

    @property
    def weighted(self) -> float:
        """Mean over clusters, weighted by their sizes; 1 when there are none."""
        return float(np.average(self.values, weights=self.sizes)) if self.values.size else 1.0

    def average(self, kind: Average) -> float:
        """Return the "macro" or the "weighted" mean."""
        check_parameter(kind, AVERAGES, name="average", who=f"cluster {self.score}")
        return self.macro if kind == "macro" else self.weighted

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.values, dtype=dtype) if copy or copy is None else np.asarray(self.values, dtype)

    def to_dict(self) -> dict[Hashable, float]:
        """Return the score of each cluster by its label."""
        return dict(zip(self.clusters.tolist(), self.values.tolist(), strict=True))

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame with one row per cluster."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = {
            "cluster": self.clusters,
            "class": self.classes,
            "size": self.sizes,
            self.score: self.values,
        }
        return pandas.DataFrame(columns).set_index("cluster")

    def __repr__(self) -> str:
        rows = [("cluster", "class", "size", self.score)]
        for cluster, matched, size, value in zip(
            self.clusters, self.classes, self.sizes, self.values, strict=True
        ):
            rows.append((str(cluster), str(matched), f"{size:,}", f"{value:.4f}"))
        total = f"{self.sizes.sum():,}"
        rows.append(("weighted", "", total, f"{self.weighted:.4f}"))
        rows.append(("macro", "", total, f"{self.macro:.4f}"))
        widths = [max(len(row[at]) for row in rows) for at in range(4)]
        return "\n".join(
            f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}"
            for row in rows
        )


def precision_of(table: ContingencyTable) -> ClusterScores:
    """Largest overlap over size of the cluster."""
    cells = _matched_cells(table)
    return _scores("precision", table, cells, table.counts[cells] / table.cluster_sizes)


def recall_of(table: ContingencyTable) -> ClusterScores:
    """Largest overlap over size of the matched class."""
    cells = _matched_cells(table)
    return _scores("recall", table, cells, table.counts[cells] / table.class_sizes[table.rows[cells]])


def f_of(table: ContingencyTable, beta: float = 1.0) -> ClusterScores:
    """Weighted harmonic mean of the two."""
    cells = _matched_cells(table)
    recall_counts = squared_beta(beta)
    sizes = table.cluster_sizes + recall_counts * table.class_sizes[table.rows[cells]]
    return _scores("F", table, cells, (1 + recall_counts) * table.counts[cells] / sizes)


def _matched_cells(table: ContingencyTable) -> npt.NDArray[np.intp]:
    rows = table.rows
    order = np.lexsort((-rows, table.class_sizes[rows], table.counts, table.columns))
    ends = np.cumsum(np.bincount(table.columns, minlength=table.clusters.size)) - 1
    return order[ends.astype(np.intp)]


def _scores(
    score: str, table: ContingencyTable, cells: npt.NDArray[np.intp], values: AnyArray
) -> ClusterScores:
    return ClusterScores(score, table.clusters, table.classes[table.rows[cells]], table.cluster_sizes, values)


@shares_parameters
def cluster_precision(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> ClusterScores:
    """Share of each cluster that is of its largest class: max_i n_ij / |C_j|.

    Examples
    --------
    >>> cluster_precision([0, 0, 1, 1], ["a", "a", "a", "b"]).to_dict()["b"]
    1.0
    """
    return precision_of(contingency_table(labels_true, labels_pred, noise=noise))


@shares_parameters
def cluster_recall(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> ClusterScores:
    """Share of the matched class that is in the cluster: n_ij / |T_i| for the class i matched with cluster j.

    Examples
    --------
    >>> cluster_recall([0, 0, 1, 1], ["a", "a", "a", "b"]).values
    array([1. , 0.5])
    """
    return recall_of(contingency_table(labels_true, labels_pred, noise=noise))


@shares_parameters
def cluster_f(
    labels_true: VectorLike, labels_pred: VectorLike, *, beta: float = 1.0, noise: Noise = "cluster"
) -> ClusterScores:
    """Harmonic mean of the precision and the recall of each cluster: 2 n_ij / (|C_j| + |T_i|) for beta = 1.

    Examples
    --------
    >>> cluster_f([0, 0, 1, 1], ["a", "a", "a", "b"]).values.round(4)
    array([0.8   , 0.6667])
    """
    check_parameter(beta, Number(0.0), name="beta", who="cluster_f")
    return f_of(contingency_table(labels_true, labels_pred, noise=noise), beta)


@cluster_measure(symbol="cluster P", of_table=lambda table: precision_of(table).weighted)
def cluster_precision_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Average of the precisions of the clusters, weighted by size: the purity.

    Examples
    --------
    >>> cluster_precision_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return cluster_precision(labels_true, labels_pred, noise=noise).average(average)


@cluster_measure(symbol="cluster R", of_table=lambda table: recall_of(table).weighted)
def cluster_recall_score(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    average: Average = "weighted",
    noise: Noise = "cluster",
) -> float:
    """Average of the recalls of the clusters, weighted by size.

    Examples
    --------
    >>> cluster_recall_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.875
    """
    return cluster_recall(labels_true, labels_pred, noise=noise).average(average)


@cluster_measure(symbol="cluster F", of_table=lambda table: f_of(table).macro)
def cluster_f_score(
    labels_true: VectorLike, labels_pred: VectorLike, *, average: Average = "macro", noise: Noise = "cluster"
) -> float:
    """Plain mean of the F of the clusters: (1/m) Σ_j F(C_j).

    Parameters
    ----------
    average : {"weighted", "macro"}, default="macro"
        Whether large clusters count more.

    Examples
    --------
    >>> round(cluster_f_score([0, 0, 1, 1], [0, 0, 0, 1]), 4)
    0.7333
    """
    return cluster_f(labels_true, labels_pred, noise=noise).average(average)
