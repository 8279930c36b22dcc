"""Approximate neighbours: cells and NN-descent on rounded rows, exact distances at the end, recall measured.

Rows are rounded to 8 bits, or to 16 where that is too coarse, and compared in whole numbers: every processor
and any number of threads find the same neighbours. A sample of rows, which are compared with all others, says
when the wanted recall is reached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, CheckedRows, Data, Distances, FloatArray, Indices, SparseData
from coterie._support.validation import check_data
from coterie.distance.catalogue import Distance
from coterie.distance.engines import TREE_MOST_FEATURES, tree_form
from coterie.distance.rows import RowSets
from coterie.errors import InvalidData, InvalidParameter, ParameterNotice, UnsupportedInput

INNER_PRODUCT = Distance(
    name="inner_product",
    summary="Minus the inner product: the largest products first. Neighbours only.",
    formula="-x.y",
    kernel=_core.Kernel.dot,
    finish=_core.Finish.identity,
    is_metric=False,
)

SEED = 20110328  # any: the answer is the same each time
SAMPLE = 400  # rows that are compared with all others
SAMPLE_ERROR = 0.006  # of the recall that they tell, about
LEAF = 1000  # rows that are all compared: larger leaves find more per second, up to about this
PROBES = (4, 2, 2, 8, 8, 8, 16, 16, 16, 16)  # cells that rows look into between two looks at the recall
FEWEST_GAIN_PER_PROBE = 0.0004  # of recall: below, a round of the descent finds more in the same time
PARTITIONS_AT_ONCE = 4  # between two looks at the recall
MOST_PARTITIONS = 32
FEWEST_GAIN = 0.04  # of recall, by that many partitions: below, a round finds more in the same time
MOST_CANDIDATES = 60  # PyNNDescent's
FEWEST_NEW = 0.002  # share of the entries of lists that are new: below, another round finds nothing
MOST_ROUNDS = 12  # with lists of one length
MOST_WIDENINGS = 3
LONGEST_CODE = 23000.0  # below 2^14.5: sums of squares of differences stay below 2^31
UNIT_SCALE = 2.0**14
FAR = 16.0  # rows longer than this many median lengths are shortened: they would coarsen all others
SPARE = 8  # rows, or a half of the neighbours, whose exact distances are computed beside those of the nearest
MOST_SMALL_CODE = 127
MOST_SMALL_COLUMNS = 8192
COARSEST = 0.5  # rounding of a squared distance, over how much farther the last spare neighbour is
CENTRE_ROWS = 1000  # whose medians are the centre
MOST_CODES = 2**15 - 1
PAIRS_AT_ONCE = 2**16  # of sparse rows
SPARSE_EXACT_ROWS = 2000

# Seconds per row on one core of 2026, for 16 neighbours: what exact tiles and the descent take.
EXACT_SECONDS = 2e-11  # per other row and column
DESCENT_SECONDS = 2.5e-5
DESCENT_SECONDS_PER_COLUMN = 2e-8


@dataclass(frozen=True)
class ApproximateNeighbours:
    """Near rows of each row, nearest first, their distances, and the share of the true ones among them."""

    index: Indices
    distance: Distances
    recall: float


@dataclass(frozen=True)
class IntegerCoding:
    """How rows become whole numbers: (row - shift) * scale, rounded."""

    kind: str
    scale: float = 1.0
    longest: float = 1.0
    shift: Data | None = None
    is_small: bool = False

    def encode(self, rows: Data, threads: int) -> _core.CodedRows:
        """Return the rows as the engine compares them."""
        return _core.CodedRows(rows, self.kind, self.scale, self.longest, self.shift, self.is_small, threads)


class SearchSpace(Protocol):
    """Rows among which neighbours are sought."""

    @property
    def n(self) -> int: ...

    def coded(self, sample: Indices, k: int, threads: int) -> tuple[_core.CodedRows, Distances]:
        """Return the rows as whole numbers, and the k smallest distances of a sample of them, rising."""

    def along(self, at: Indices, near: AnyArray, threads: int) -> Distances:
        """Return the exact distances of some rows to the rows that `near` lists for each."""

    def exact(self, at: Indices, k: int, threads: int) -> tuple[Indices, Distances]:
        """Return the k nearest of some rows, themselves left out."""

    def nearest_of(self, lists: _core.NeighbourDescent, k: int, threads: int) -> tuple[Indices, Distances]:
        """Return the k nearest of each row's list by exact distances; -1 where a list is short."""


def is_codable(distance: Distance) -> bool:
    """Return whether the descent knows the distance.

    Examples
    --------
    >>> from coterie.distance import find_distance
    >>> is_codable(find_distance("cosine")), is_codable(find_distance("canberra"))
    (True, False)
    """
    is_equality = (distance.kernel, distance.finish) == (_core.Kernel.hamming, _core.Finish.mean)
    return distance is INNER_PRODUCT or is_equality or distance.euclidean_form is not None


def refuse_uncodable(distance: Distance, who: str) -> None:
    """Refuse a distance that the descent does not know."""
    if not is_codable(distance):
        raise InvalidParameter(
            f"recall of {who} must be None for the distance {distance.name}: approximate neighbours know "
            f"cosine, hamming, inner_product and the Euclidean distances."
        )


def exact_is_faster(n: int, k: int, distance: Distance, n_columns: int) -> bool:
    """Return whether comparing all pairs, or a kd-tree, takes less time than the descent."""
    if n <= 2 * LEAF or 4 * k > n:
        return True
    if n_columns <= TREE_MOST_FEATURES and tree_form(distance) is not None:
        return True
    descent = (DESCENT_SECONDS + DESCENT_SECONDS_PER_COLUMN * n_columns) * max(1.0, k / 16) ** 1.5
    return bool(n * max(n_columns, 16) * EXACT_SECONDS <= descent)


def sparse_exact_is_faster(n: int, k: int) -> bool:
    """Return whether all pairs of sparse rows are compared in less time than the descent takes."""
    return n <= SPARSE_EXACT_ROWS or 4 * k > n


def sparse_unit_rows(X: SparseData, distance: Distance, *, who: str) -> SparseData:
    """Return sparse rows divided by their lengths, as CSR of float64."""
    if distance.name != "cosine":
        raise UnsupportedInput(
            f"X of {who} is sparse, and the distance {distance.name} takes dense rows only. Pass "
            f"X.toarray(), or choose cosine."
        )
    rows: CheckedRows = csr_array(
        check_data(X, who=who, accept_sparse=True, squares=False), dtype=np.float64, copy=True
    )
    rows.sum_duplicates()
    peaks = abs(rows).max(axis=1).toarray().ravel()
    if not peaks.all():
        raise InvalidData(
            f"row {int(np.argmin(peaks))} of X has length zero: its cosine distance is undefined. Leave such "
            f"rows out, or choose another distance."
        )
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    rows.data /= peaks[row]  # so that no square overflows or vanishes
    rows.data /= np.sqrt(np.bincount(row, rows.data**2, minlength=rows.shape[0]))[row]
    return rows


def choose_coding(rows: Data, distance: Distance) -> IntegerCoding | None:
    """Return how rows become whole numbers; None where they cannot: too many values for a column."""
    if distance.kernel == _core.Kernel.hamming:
        is_small = np.abs(rows).max(initial=0) <= MOST_CODES and bool((rows == np.rint(rows)).all())
        return IntegerCoding("equality") if is_small else None
    if distance.euclidean_form == "half square":  # unit rows
        return IntegerCoding("euclidean", UNIT_SCALE, 1.01)
    shift = None
    kind = "product"
    if distance is not INNER_PRODUCT:
        kind = "euclidean"
        some = rows[:: max(1, len(rows) // CENTRE_ROWS)]
        shift = np.ascontiguousarray(np.median(some, axis=0), dtype=rows.dtype)  # few far rows do not move it
    lengths = _lengths(rows, shift)
    longest = min(float(lengths.max(initial=0)), FAR * float(np.median(lengths)) or math.inf)
    if longest == 0 or not math.isfinite(longest):
        return IntegerCoding(kind, 1.0, 1.0, shift)
    scale = 2.0 ** max(-1000, min(1000, math.floor(math.log2(LONGEST_CODE / longest))))
    return IntegerCoding(kind, scale, longest, shift)


def _lengths(rows: Data, shift: Data | None) -> FloatArray:
    out = np.empty(len(rows))
    step = max(1, 2**18 // rows.shape[1])
    for first in range(0, len(rows), step):
        block = rows[first : first + step].astype(np.float64)
        if shift is not None:
            block -= shift
        out[first : first + step] = np.sqrt(np.einsum("ij,ij->i", block, block))
    return out


@dataclass(frozen=True, eq=False)
class DenseSpace:
    """Rows as the engine takes them, and how they are coded."""

    rows: Data
    distance: Distance
    coding: IntegerCoding

    @property
    def n(self) -> int:
        return len(self.rows)

    def coded(self, sample: Indices, k: int, threads: int) -> tuple[_core.CodedRows, Distances]:
        if self.coding.kind == "equality":
            return self.coding.encode(self.rows, threads), truth_of(self, sample, k, threads)
        small = self._small_coding()
        if small is not None:
            codes = small.encode(self.rows, threads)
            nearest = self._nearest_by_codes(codes, sample, k + SPARE, threads)
            if self._is_fine_enough(small, nearest, k):
                return codes, nearest[:, :k]
        codes = self.coding.encode(self.rows, threads)
        return codes, self._nearest_by_codes(codes, sample, k + SPARE, threads)[:, :k]

    def _small_coding(self) -> IntegerCoding | None:
        """Return a coding in 8 bits; None where there is none."""
        if self.coding.kind != "euclidean" or self.rows.shape[1] > MOST_SMALL_COLUMNS:
            return None
        some = self.rows[:: max(1, self.n // CENTRE_ROWS)]
        shift = self.coding.shift
        largest = float(np.abs(some if shift is None else some - shift).max(initial=0))
        if not 0 < largest < math.inf:
            return None
        return IntegerCoding("euclidean", MOST_SMALL_CODE / largest, 1.0, shift, is_small=True)

    def _nearest_by_codes(self, codes: _core.CodedRows, sample: Indices, k: int, threads: int) -> Distances:
        """Return the smallest distances of a sample: the nearest by codes among all rows, and many more."""
        near = codes.nearest(sample, min(self.n - 1, 3 * k), threads)
        distance = self.along(sample, near, threads)
        return np.sort(np.where(near == sample[:, None], np.inf, distance), axis=1)[:, :k]

    def _is_fine_enough(self, coding: IntegerCoding, nearest: Distances, k: int) -> bool:
        """Return whether rounding hardly moves a neighbour behind the spare ones."""
        squares = self._squares(nearest.astype(np.float64))
        last, behind = squares[:, k - 1], squares[:, -1]
        rounding = 2 * np.sqrt(last / 6) / coding.scale  # of the difference of two rows, along it
        return bool(np.median(rounding) <= COARSEST * np.median(behind - last) or not last.any())

    def _squares(self, distance: Distances) -> Distances:
        form = self.distance.euclidean_form
        return distance**2 if form == "distance" else distance * (2 if form == "half square" else 1)

    def along(self, at: Indices, near: AnyArray, threads: int) -> Distances:
        rows = self.rows if len(at) == self.n else self.rows[at]
        return distances_along(rows, self.rows, near, self.distance, threads)

    def exact(self, at: Indices, k: int, threads: int) -> tuple[Indices, Distances]:
        index, distance = _core.smallest(
            self.rows[at], self.rows, self.distance.metric, k + 1, False, threads
        )
        return without_self(index.astype(np.intp), distance, at)

    def nearest_of(self, lists: _core.NeighbourDescent, k: int, threads: int) -> tuple[Indices, Distances]:
        if self.coding.kind != "euclidean":
            return nearest_of_lists(self, lists, k, threads)
        index, value = lists.rerank(self.rows, min(lists.size, with_spare(k)), k, threads)
        form = self.distance.euclidean_form
        if form == "half square":
            value *= 0.5
        elif form == "distance":
            np.sqrt(value, out=value)
        return index, value


@dataclass(frozen=True, eq=False)
class SparseSpace:
    """Sparse rows of length 1 under the cosine distance."""

    rows: SparseData

    @property
    def n(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def _single(self) -> SparseData:
        return self.rows.astype(np.float32)

    def coded(self, sample: Indices, k: int, threads: int) -> tuple[_core.CodedRows, Distances]:
        rows = self._single
        codes = _core.CodedRows.from_sparse(
            rows.data,
            rows.indices.astype(np.int32),
            rows.indptr.astype(np.int64),
            rows.shape[1],
            UNIT_SCALE,
        )
        return codes, truth_of(self, sample, k, threads)

    def along(self, at: Indices, near: AnyArray, threads: int) -> Distances:
        return sparse_along(self.rows[at], self.rows, near)

    def exact(self, at: Indices, k: int, threads: int) -> tuple[Indices, Distances]:
        index, distance = sparse_nearest(self.rows[at], self.rows, k + 1)
        return without_self(index, distance, at)

    def nearest_of(self, lists: _core.NeighbourDescent, k: int, threads: int) -> tuple[Indices, Distances]:
        return nearest_of_lists(self, lists, k, threads)


def truth_of(space: SearchSpace, sample: Indices, k: int, threads: int) -> Distances:
    """Return the k smallest distances of some rows, measured as those that are found are."""
    nearest, _ = space.exact(sample, k, threads)
    return np.sort(space.along(sample, nearest, threads), axis=1)


def with_spare(k: int) -> int:
    """Return how many neighbours by codes hold the k nearest: rounding changes their order a little."""
    return k + max(SPARE, k // 2)


def nearest_of_lists(
    space: SearchSpace, lists: _core.NeighbourDescent, k: int, threads: int
) -> tuple[Indices, Distances]:
    """Return the k nearest of each row's list, for any distance."""
    near = np.ascontiguousarray(lists.lists()[:, : with_spare(k)])
    distance = space.along(np.arange(space.n), near, threads)
    return _core.keep_nearest(near, distance, k, threads)


def distances_along(X: Data, Y: Data, near: AnyArray, distance: Distance, threads: int) -> Distances:
    """Return the distances of each row of X to the rows of Y that `near` lists; infinite where it has -1."""
    n, m = near.shape
    columns = np.where(near < 0, 0, near).astype(np.int32, copy=False).ravel()
    starts = np.arange(n + 1, dtype=np.int64) * m
    Y_or_none = None if Y is X else Y
    found = _core.pairwise_along(X, columns, starts, distance.metric, threads, Y_or_none).reshape(n, m)
    if near.size and near.min() < 0:
        found[near < 0] = np.inf
    return np.asarray(found)


def sparse_along(X: SparseData, Y: SparseData, near: AnyArray) -> Distances:
    """Return the cosine distances of sparse rows of length 1, as `distances_along` does."""
    n, m = near.shape
    out = np.empty(n * m)
    flat = np.where(near < 0, 0, near).ravel()
    for first in range(0, n * m, PAIRS_AT_ONCE):
        pairs = np.arange(first, min(first + PAIRS_AT_ONCE, n * m))
        out[pairs] = np.asarray(X[pairs // m].multiply(Y[flat[pairs]]).sum(axis=1)).ravel()
    out = np.maximum(1.0 - out, 0.0).reshape(n, m)
    out[near < 0] = np.inf
    return out


def sparse_nearest(X: SparseData, Y: SparseData, k: int) -> tuple[Indices, Distances]:
    """Return the k nearest sparse rows of Y, all of length 1, by comparing all pairs."""
    step = max(1, PAIRS_AT_ONCE * 16 // max(1, Y.shape[0]))
    index, distance = np.empty((X.shape[0], k), dtype=np.intp), np.empty((X.shape[0], k))
    turned = csr_array(Y.T)
    for first in range(0, X.shape[0], step):
        block = np.maximum(1.0 - (X[first : first + step] @ turned).toarray(), 0.0)
        order = np.argsort(block, axis=1, kind="stable")[:, :k]
        index[first : first + step] = order
        distance[first : first + step] = np.take_along_axis(block, order, axis=1)
    return index, distance


def without_self(index: Indices, distance: Distances, at: Indices) -> tuple[Indices, Distances]:
    """Return lists without the row itself, or without the last entry where it is not there."""
    is_other = index != at[:, None]
    is_other[is_other.all(axis=1), -1] = False
    shape = (len(index), index.shape[1] - 1)
    return index[is_other].reshape(shape), distance[is_other].reshape(shape)


def measure_recall(distance: Distances, exact: Distances) -> float:
    """Return the share of the nearest rows that were found; equally near ones are as good.

    Examples
    --------
    >>> measure_recall(np.array([[1.0, 2.0, 5.0]]), np.array([[1.0, 2.0, 3.0]])).__round__(3)
    0.667
    """
    k = exact.shape[1]
    ordered = np.sort(distance, axis=1)[:, :k].astype(np.float64)
    last = exact[:, -1:].astype(np.float64)
    return float((ordered <= last).sum() / max(1, exact.size))


class Descent:
    """Lists of near rows, made better until the sample says that they are good enough."""

    def __init__(self, space: SearchSpace, k: int, recall: float, threads: int) -> None:
        # the sample may be luckier than other rows by as much; beyond that, half of what is missing is enough
        self.wanted = min(recall + SAMPLE_ERROR, (1 + recall) / 2)
        self.space, self.k, self.threads = space, k, threads
        draw = np.random.default_rng(SEED)
        self.sample = np.sort(draw.choice(space.n, min(SAMPLE, space.n), replace=False)).astype(np.int64)
        codes, self.truth = space.coded(self.sample, k, threads)
        self.size = min(space.n - 1, max(16, with_spare(k)))
        self.lists = _core.NeighbourDescent(codes, self.size, LEAF, SEED, threads)
        self.recall = 0.0

    def run(self) -> None:
        """Improve the lists until the wanted recall is reached, or nothing more is found."""
        if self.lists.has_cells:
            self._probe()
        else:
            self._plant(MOST_PARTITIONS)
        for widening in range(MOST_WIDENINGS + 1):
            self._improve()
            if self.recall >= self.wanted or widening == MOST_WIDENINGS or self.size >= self.space.n - 1:
                return
            self.size = min(self.space.n - 1, self.size * 3 // 2)
            self.lists.widen(self.size, self.threads)
            self._plant(PARTITIONS_AT_ONCE)

    def _probe(self) -> None:
        """Look into more and more of the nearest cells of each row."""
        for n_cells in PROBES:
            before = self.recall
            n_pairs = self.lists.probe(n_cells, self.threads)
            self._look()
            gain = (self.recall - before) / n_cells
            if self.recall >= self.wanted or n_pairs == 0 or gain < FEWEST_GAIN_PER_PROBE:
                return

    def _plant(self, most: int) -> None:
        for _ in range(most // PARTITIONS_AT_ONCE):
            before = self.recall
            for _ in range(PARTITIONS_AT_ONCE):
                self.lists.plant(self.threads)
            self._look()
            if self.recall >= self.wanted or self.recall - before < FEWEST_GAIN:
                return

    def _improve(self) -> None:
        for _ in range(MOST_ROUNDS):
            if self.recall >= self.wanted:
                return
            n_new = self.lists.improve(min(self.size, MOST_CANDIDATES), self.threads)
            self._look()
            if n_new <= FEWEST_NEW * self.space.n * self.size:
                return

    def _look(self) -> None:
        """Measure the recall on the sample."""
        near = self.lists.lists(self.sample)
        self.recall = measure_recall(self.space.along(self.sample, near, self.threads), self.truth)

    def found(self) -> ApproximateNeighbours:
        """Return the k nearest of each row by exact distances."""
        index, value = self.space.nearest_of(self.lists, self.k, self.threads)
        is_short = np.flatnonzero((index < 0).any(axis=1))
        if len(is_short):
            index[is_short], value[is_short] = self.space.exact(is_short, self.k, self.threads)
        reached = measure_recall(self.space.along(self.sample, index[self.sample], self.threads), self.truth)
        return ApproximateNeighbours(index.astype(np.intp, copy=False), value, reached)


def descend(
    space: SearchSpace, k: int, recall: float, threads: int, *, who: str
) -> tuple[ApproximateNeighbours, Descent]:
    """Return the k nearest rows of each row, and what a search for new rows begins with."""
    descent = Descent(space, k, recall, threads)
    descent.run()
    found = descent.found()
    if found.recall < recall:
        warn_caller(
            f"{who} reached a recall of {found.recall:.3f}, below recall={recall:g}: neighbours of "
            f"neighbours do not lead to the rest in these rows. Use recall=None for exact neighbours.",
            ParameterNotice,
        )
    return found, descent


def dense_space(rows: RowSets) -> DenseSpace | None:
    """Return prepared rows with their coding; None where they cannot be coded."""
    coding = choose_coding(rows.X, rows.distance)
    return None if coding is None else DenseSpace(rows.X, rows.distance, coding)
