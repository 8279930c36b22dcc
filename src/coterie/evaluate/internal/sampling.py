"""Samples drawn from every cluster, and what they say about the whole."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from coterie._support.typing import RandomState
from coterie._support.validation import check_seed
from coterie.evaluate.internal.partitions import Codes, SampleGroups

LEAST_PER_CLUSTER = 2  # one sample has no variance


class Estimate(float):
    """A number that was found from some of the samples: how many, and its standard error where it is known.

    Exact values are plain floats.

    Examples
    --------
    >>> estimate = Estimate.of_strata(np.array([0.5, 0.7, 0.6]), np.array([0, 0, 0]), np.array([10]))
    >>> estimate
    0.6 (from 3 samples, standard error 0.048)
    >>> round(estimate.standard_error, 4), estimate.n_drawn
    (0.0483, 3)
    """

    standard_error: float | None
    n_drawn: int

    @classmethod
    def of_draw(cls, value: float, n_drawn: int) -> Self:
        """Return the value of the drawn samples alone, whose error is not known."""
        estimate = cls(value)
        estimate.standard_error, estimate.n_drawn = None, n_drawn
        return estimate

    @classmethod
    def of_strata(cls, values: npt.NDArray[np.float64], strata: Codes, sizes: npt.NDArray[np.int64]) -> Self:
        """Return the estimate of the mean of all from values of samples of every stratum."""
        drawn = np.bincount(strata, minlength=sizes.size)
        means = np.bincount(strata, weights=values, minlength=sizes.size) / drawn
        squares = np.bincount(strata, weights=(values - means[strata]) ** 2, minlength=sizes.size)
        shares = sizes / sizes.sum()
        variances = squares / np.maximum(drawn - 1, 1)
        estimate = cls(shares @ means)
        estimate.standard_error = float(np.sqrt(np.sum(shares**2 * (1 - drawn / sizes) * variances / drawn)))
        estimate.n_drawn = int(drawn.sum())
        return estimate

    @property
    def how(self) -> str:
        """How it was found, in words."""
        error = "" if self.standard_error is None else f", standard error {self.standard_error:.2g}"
        return f"from {self.n_drawn:,} samples{error}"

    def __repr__(self) -> str:
        return f"{float(self):.6g} ({self.how})"


def draw_from_each(partition: SampleGroups, size: int, random_state: RandomState) -> npt.NDArray[np.intp]:
    """Return about `size` samples, sorted: as many of each cluster as its share, but at least a few.

    Examples
    --------
    >>> from coterie.evaluate.internal.partitions import read_partition
    >>> draw_from_each(read_partition([0] * 98 + [1] * 2), 10, 0).size
    12
    """
    rng = np.random.default_rng(check_seed(random_state))
    wanted = np.ceil(partition.sizes * (size / partition.n_samples)).astype(np.int64)
    counts = np.minimum(np.maximum(wanted, LEAST_PER_CLUSTER), partition.sizes)
    drawn = [
        rng.choice(members, count, replace=False)
        for members, count in zip(partition.members, counts, strict=True)
    ]
    return np.sort(np.concatenate(drawn))
