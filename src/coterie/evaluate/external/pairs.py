"""Pairs of samples: together or apart in each of two labelings."""

from __future__ import annotations

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.typing import AnyArray, VectorLike
from coterie._support.validation.schema import Real
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import shares_parameters
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.labelings import Noise

LARGEST_SQUARE_ROOT = 3_037_000_499  # its square is the last that fits 64 bits with a sign


@saved()
class PairCounts:
    """How many pairs of samples the two labelings put together or apart.

    Parameters
    ----------
    tp, fp, fn, tn : int
        Same class and same cluster; different classes in one cluster; one class in different clusters;
        different classes in different clusters. Exact however large; soft measures use expected numbers,
        which are floats.

    Examples
    --------
    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(tp=1, fp=2, fn=1, tn=2)
    """

    tp: float = held(Real(0))
    fp: float = held(Real(0))
    fn: float = held(Real(0))
    tn: float = held(Real(0))

    @classmethod
    def of(cls, table: ContingencyTable) -> PairCounts:
        """Count the pairs of a contingency table in time proportional to its cells.

        Examples
        --------
        >>> PairCounts.of(ContingencyTable.from_matrix([[3_000_000_000, 0], [0, 3_000_000_000]])).tp
        8999999997000000000
        """
        if table.is_weighted:
            raise InvalidParameter("Pairs are counted from numbers of samples, got a table of weights.")
        n = int(table.n_samples)
        together = _pairs_within(table.counts, n)
        in_classes, in_clusters = _pairs_within(table.class_sizes, n), _pairs_within(table.cluster_sizes, n)
        apart = n * (n - 1) // 2 - in_classes - in_clusters + together
        return cls(together, in_clusters - together, in_classes - together, apart)

    @property
    def total(self) -> float:
        """All pairs."""
        return self.tp + self.fp + self.fn + self.tn


@shares_parameters
def pair_counts(labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster") -> PairCounts:
    """Count the pairs of samples that two labelings put together or apart.

    With n_ij samples of class i in cluster j, TP = Σ n_ij (n_ij - 1) / 2; the others follow from the margins.

    Returns
    -------
    counts : PairCounts
        Python integers, exact for any number of samples.

    Examples
    --------
    >>> counts = pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    >>> counts.tp, counts.fp, counts.fn, counts.tn
    (1, 2, 1, 2)
    """
    return PairCounts.of(contingency_table(labels_true, labels_pred, noise=noise))


@shares_parameters
def pair_confusion_matrix(
    labels_true: VectorLike, labels_pred: VectorLike, *, noise: Noise = "cluster"
) -> AnyArray:
    """Count ordered pairs of samples: [[2 TN, 2 FP], [2 FN, 2 TP]].

    Returns
    -------
    matrix : ndarray of shape (2, 2)
        int64, or Python integers (dtype object) when they do not fit.

    Examples
    --------
    >>> pair_confusion_matrix([0, 0, 1, 2], [0, 0, 1, 1])
    array([[8, 2],
           [0, 2]])
    """
    return _confusion(pair_counts(labels_true, labels_pred, noise=noise))


def _confusion(counts: PairCounts) -> AnyArray:
    cells = [[2 * int(counts.tn), 2 * int(counts.fp)], [2 * int(counts.fn), 2 * int(counts.tp)]]
    fits = 2 * int(counts.total) <= np.iinfo(np.int64).max
    return np.array(cells, dtype=np.int64 if fits else object)


def _pairs_within(sizes: AnyArray, n: int) -> int:
    if n <= LARGEST_SQUARE_ROOT:  # the sum of squares is at most n squared
        return (int(np.dot(sizes, sizes)) - n) // 2
    return (sum(int(size) ** 2 for size in sizes.tolist()) - n) // 2
