"""A labeling as internal measures need it: groups numbered from 0, none empty, noise settled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from coterie._support.typing import AnyArray, FloatArray, SparseData, VectorLike, Weights
from coterie._support.validation import check_sample_weight
from coterie.errors import InvalidData
from coterie.evaluate.external.tables import extend_labels, find_noise
from coterie.evaluate.labelings import Labeling, Noise, check_noise, read_labeling

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SampleGroups:
    """The group of every sample that is kept."""

    codes: Codes  # groups, numbered from 0
    names: AnyArray  # labels of the groups
    rows: npt.NDArray[np.intp] | None = None  # which samples are kept; None: all
    n_left_out: int = 0  # samples that are not kept
    sample_weight: Weights | None = None  # how many times each kept sample counts, more than 0; None: once

    @property
    def n_samples(self) -> int:
        """Number of samples that are kept."""
        return int(self.codes.size)

    @property
    def n_clusters(self) -> int:
        """Number of groups."""
        return int(self.names.size)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Samples of each group."""
        return np.bincount(self.codes, minlength=self.n_clusters).astype(np.int64)

    @cached_property
    def totals(self) -> npt.NDArray[np.float64]:
        """Weight of each group: its size, where no weights are given."""
        return self.sizes.astype(np.float64) if self.sample_weight is None else self.sums(1.0)

    @property
    def total(self) -> float:
        """Weight of all samples."""
        return float(self.totals.sum())

    @cached_property
    def members(self) -> list[npt.NDArray[np.intp]]:
        """Kept samples of each group, by their position among the kept ones."""
        order = np.argsort(self.codes, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    def sums(self, values: FloatArray | float) -> npt.NDArray[np.float64]:
        """Return the weighted sum of a value per sample over each group."""
        weighted = values if self.sample_weight is None else values * self.sample_weight
        sums: AnyArray = np.bincount(self.codes, weights=weighted, minlength=self.n_clusters)
        return np.asarray(sums, dtype=np.float64)

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean of a value per sample."""
        return float(np.average(values, weights=self.sample_weight))

    def indicator(self) -> SparseData:
        """Return the sparse matrix of samples x groups with the sample's weight in its group."""
        filled = np.ones(self.n_samples) if self.sample_weight is None else self.sample_weight
        starts = np.arange(self.n_samples + 1)
        return csr_array((filled, self.codes, starts), shape=(self.n_samples, self.n_clusters))

    def weigh(self, sample_weight: VectorLike | None, *, who: str) -> SampleGroups:
        """Return the partition with weights of all samples; those that weigh nothing are left out."""
        weights = check_sample_weight(sample_weight, self.n_samples + self.n_left_out, who=who)
        if weights is None:
            return self
        kept = np.flatnonzero(weights if self.rows is None else weights[self.rows])
        if kept.size == 0:
            raise InvalidData(f"sample_weight of {who} must be more than 0 for some sample, got none.")
        if kept.size == self.n_samples:
            return replace(self, sample_weight=weights if self.rows is None else weights[self.rows])
        part = self.take(kept)
        n_left_out = self.n_left_out + self.n_samples - kept.size
        return replace(part, n_left_out=n_left_out, sample_weight=weights[part.rows])

    def take(self, kept: npt.NDArray[np.intp]) -> SampleGroups:
        """Return the partition of some of the samples; groups that lose all of theirs are dropped."""
        left, codes = np.unique(self.codes[kept], return_inverse=True)
        rows = kept if self.rows is None else self.rows[kept]
        weights = None if self.sample_weight is None else self.sample_weight[kept]
        return SampleGroups(codes.astype(np.int32), self.names[left], rows, sample_weight=weights)

    def require_groups(self) -> SampleGroups:
        """Refuse one group, and as many groups as samples, where nothing can be compared."""
        if 1 < self.n_clusters < max(self.n_samples, self.total):
            return self
        raise InvalidData(
            f"Number of labels is {self.n_clusters}. Valid values are 2 to n_samples - 1 (inclusive), with "
            f"n_samples={self.n_samples}."
        )


def read_partition(labels: VectorLike, noise: Noise = "cluster") -> SampleGroups:
    """Return labels of any kind as a `SampleGroups`.

    Examples
    --------
    >>> read_partition(["b", "a", "b"]).codes
    array([1, 0, 1], dtype=int32)
    >>> read_partition([0, -1, 0, -1], noise="singletons").sizes
    array([2, 1, 1])
    """
    check_noise(noise)
    labeling = read_labeling(labels)
    if len(labeling) == 0:
        raise InvalidData("Found array with 0 sample(s): labels must name a group per sample, got none.")
    codes, names = _number(labeling)
    noisy = find_noise(names)
    if noise == "cluster" or noisy is None:
        return SampleGroups(codes, names)
    is_noise = codes == noisy
    codes = codes - (codes > noisy)
    names = np.delete(names, noisy)
    if noise == "exclude":
        if is_noise.all():
            raise InvalidData('labels are all -1: with noise="exclude" no sample is left.')
        return SampleGroups(
            codes[~is_noise].astype(np.int32), names, np.flatnonzero(~is_noise), int(is_noise.sum())
        )
    n_noise = int(is_noise.sum())
    codes[is_noise] = names.size + np.arange(n_noise)
    return SampleGroups(codes.astype(np.int32), extend_labels(names, names.size + n_noise))


def _number(labeling: Labeling) -> tuple[Codes, AnyArray]:
    integers = labeling.integers
    low, high = int(integers.min()), int(integers.max())
    wide = np.uint64 if integers.dtype.kind == "u" else np.int64
    if high - low < 4 * integers.size:  # few values: counting beats sorting
        offsets = (integers.astype(np.int64) - low) if low < 0 else integers - integers.dtype.type(low)
        offsets = offsets.astype(np.intp, copy=False)
        is_used = np.bincount(offsets, minlength=high - low + 1) > 0
        values = np.flatnonzero(is_used).astype(wide) + wide(low)
        codes = (np.cumsum(is_used) - 1).astype(np.int32)[offsets]
    else:
        values, found = np.unique(integers, return_inverse=True)
        codes = found.astype(np.int32)
    return codes, labeling.restore(values.astype(wide, copy=False).view(np.uint64))
