"""Measures of soft labelings: every sample belongs to every cluster to some degree.

A soft labeling is read as a distribution over labelings: each sample draws its cluster from its memberships.
Pairs are then counted as expected under independent draws, and the contingency table holds expected numbers.
Memberships of 0 and 1 give the values of the hard measures. Two equal soft labelings score below 1 as far as
the draws would differ.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, MatrixLike
from coterie._support.validation import check_parameter
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.external.contingency import ContingencyTable
from coterie.evaluate.external.entropies import AVERAGE_METHODS, AverageMethod
from coterie.evaluate.external.information import normalized_information_of
from coterie.evaluate.external.pair_scores import adjusted_rand_of, rand_of
from coterie.evaluate.external.pairs import PairCounts
from coterie.evaluate.labelings import read_labeling

Memberships: TypeAlias = npt.NDArray[np.float64]  # (n_samples, n_clusters), rows sum to 1
ROUNDING = 1e-15  # of a count of pairs, per square of the number of samples
SUM_TOLERANCE = 1e-4  # float32 memberships of a thousand clusters are off by this much

soft_measure = partial(
    measure, group="soft labelings", needs="memberships", high=1, is_symmetric=True, reference="anderson-2010"
)


def soft_pair_counts(memberships_true: MatrixLike, memberships_pred: MatrixLike) -> PairCounts:
    """Return the expected numbers of pairs together or apart, when every sample draws its clusters.

    With p_ab = Σ_k u_ak u_bk the chance that samples a and b are together, TP = Σ_{a<b} p_ab q_ab, and so on;
    computed from the table UᵀV without looking at pairs.

    Parameters
    ----------
    memberships_true, memberships_pred : array-like of shape (n_samples, n_clusters) or (n_samples,)
        Degrees that sum to 1 for each sample, or labels.

    Examples
    --------
    >>> soft_pair_counts([[1.0, 0.0], [0.5, 0.5]], [0, 0])
    PairCounts(tp=0.5, fp=0.5, fn=0.0, tn=0.0)
    """
    first, second = _read_memberships(memberships_true, memberships_pred)
    return _expected_pairs(first, second)


@soft_measure(symbol="soft RI", low=0)
def soft_rand_score(memberships_true: MatrixLike, memberships_pred: MatrixLike) -> float:
    """Share of the pairs of samples on which two soft labelings are expected to agree.

    Examples
    --------
    >>> round(soft_rand_score([0, 0, 1], [[0.9, 0.1], [0.9, 0.1], [0.0, 1.0]]), 4)
    0.8733
    """
    return _clip(rand_of(soft_pair_counts(memberships_true, memberships_pred)), 0.0)


@soft_measure(symbol="soft ARI", low=-1, is_adjusted=True)
def soft_adjusted_rand_score(memberships_true: MatrixLike, memberships_pred: MatrixLike) -> float:
    """Rand index of two soft labelings adjusted for chance, from the expected numbers of pairs.

    Examples
    --------
    >>> soft_adjusted_rand_score([0, 0, 1, 1], [[1, 0], [1, 0], [0, 1], [0, 1]])
    1.0
    """
    return _clip(adjusted_rand_of(soft_pair_counts(memberships_true, memberships_pred)), -1.0)


@soft_measure(symbol="soft NMI", low=0)
def soft_normalized_mutual_info_score(
    memberships_true: MatrixLike,
    memberships_pred: MatrixLike,
    *,
    average_method: AverageMethod = "arithmetic",
) -> float:
    """Mutual information of two soft labelings, from the expected table UᵀV, over a mean of the entropies.

    Parameters
    ----------
    average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"
        Which mean of the entropies.

    Examples
    --------
    >>> soft_normalized_mutual_info_score([0, 0, 1, 1], [[1, 0], [1, 0], [0, 1], [0, 1]])
    1.0
    """
    who = "soft_normalized_mutual_info_score"
    check_parameter(average_method, AVERAGE_METHODS, name="average_method", who=who)
    first, second = _read_memberships(memberships_true, memberships_pred)
    return normalized_information_of(ContingencyTable.from_matrix(first.T @ second), average_method)


def _expected_pairs(first: Memberships, second: Memberships) -> PairCounts:
    n = first.shape[0]
    squares_first, squares_second = np.einsum("ij,ij->i", first, first), np.einsum("ij,ij->i", second, second)
    both = (float(np.sum((first.T @ second) ** 2)) - float(np.dot(squares_first, squares_second))) / 2
    in_first = (float(np.sum(first.sum(axis=0) ** 2)) - float(squares_first.sum())) / 2
    in_second = (float(np.sum(second.sum(axis=0) ** 2)) - float(squares_second.sum())) / 2
    counts = (both, in_second - both, in_first - both, n * (n - 1) / 2 - in_first - in_second + both)
    least = ROUNDING * n * n  # differences of sums of so many squares: less is nothing, or less than nothing
    return PairCounts(*(count if count > least else 0.0 for count in counts))


def _read_memberships(
    memberships_true: MatrixLike, memberships_pred: MatrixLike
) -> tuple[Memberships, Memberships]:
    first = _as_memberships(memberships_true, "memberships_true")
    second = _as_memberships(memberships_pred, "memberships_pred")
    if first.shape[0] != second.shape[0]:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: "
            f"[{first.shape[0]}, {second.shape[0]}]. "
            f"memberships_true and memberships_pred must describe the same samples."
        )
    return first, second


def _as_memberships(memberships: MatrixLike, name: str) -> Memberships:
    array: AnyArray = np.asarray(memberships)
    if array.ndim == 1:
        return _one_hot(array, name)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidData(
            f"{name} must be labels, or numbers of shape (n_samples, n_clusters), "
            f"got shape {array.shape} of {array.dtype}."
        )
    degrees = array.astype(np.float64)
    is_wrong = ~(np.abs(degrees.sum(axis=1) - 1) <= SUM_TOLERANCE) | (degrees < 0).any(axis=1)
    if is_wrong.any():
        first = int(np.argmax(is_wrong))
        raise InvalidData(
            f"{name} must be at least 0 and sum to 1 for each sample; {int(is_wrong.sum()):,} of "
            f"{is_wrong.size:,} do not, the first is row {first}: {degrees[first][:6].tolist()}. "
            f"Divide each row by its sum."
        )
    used = degrees[:, degrees.any(axis=0)]  # a cluster that nothing belongs to is none
    normalised: Memberships = used / used.sum(axis=1, keepdims=True)
    return normalised


def _one_hot(labels: AnyArray, name: str) -> Memberships:
    codes, names = _core.encode_integers(read_labeling(labels, name).integers)
    return np.asarray(codes[:, None] == np.arange(names.size), dtype=np.float64)


def _clip(value: float, low: float) -> float:
    return min(1.0, max(low, value))
