"""One pass of k-means: blocks find the nearest centres of their rows, sums add up in whole units."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import dask
import numpy as np
import numpy.typing as npt
from dask.system import CPU_COUNT

from coterie import _core
from coterie._support.threads import workers
from coterie._support.typing import Centers, Data, Distances, FloatArray, Labels
from coterie.distance import find_distance
from coterie.scale.blocks import Block, Blocks, finite_rows
from coterie.scale.moments import BlockTotals
from coterie.scale.runtime.cache import SHELF
from coterie.scale.runtime.passes import compute, fold, read_weights, tasks, uses_threads

PLAIN_PASSES = 8  # bounds are made when so many have gone by: centres then move little
MOST_PRODUCTS = 512  # per row, clusters times columns: fewer cost no more than looking at bounds
FEWEST_COLUMNS = 3  # with fewer the engine passes whole boxes of rows at once
BOUND_BYTES = 16  # per row: a label, two bounds, a place in a list
Units = npt.NDArray[np.int64]


def is_plain_cheaper(n_clusters: int, n_columns: int) -> bool:
    """Return whether a first pass over all centres costs less than bounds do while centres move much."""
    return n_columns >= FEWEST_COLUMNS and n_clusters * n_columns <= MOST_PRODUCTS


NativeBlock: TypeAlias = Any  # a block of the engine, of a class per precision, or `PlainFirst` around one
Found = TypeVar("Found")


class PlainFirst:
    """A block of the engine, made for an algorithm, that begins with plain passes; its sums are the same."""

    def __init__(self, make: Callable[[_core.KMeansAlgorithm], NativeBlock]) -> None:
        self._make = make
        self._native = make(_core.KMeansAlgorithm.lloyd)
        self._n_passes = 0

    def assign(self, centers: Centers) -> Units:
        """Return the sums of the nearest centres."""
        if self._n_passes == PLAIN_PASSES:
            self._native = self._make(_core.KMeansAlgorithm.auto)
        self._n_passes += 1
        table: Units = self._native.assign(centers)
        return table

    def own_distances(self) -> tuple[FloatArray, FloatArray]:
        """Return the squared distances to the own centres, and the sums of every 1024 of them."""
        found: tuple[FloatArray, FloatArray] = self._native.own_distances()
        return found

    @property
    def algorithm(self) -> str:
        """What found the nearest centres."""
        return str(self._native.algorithm)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of rows per cluster in whole units, which add up to the same in any order."""

    coarse: Units  # the weight comes last; `fine` is zero for float32
    fine: Units
    counts: Units  # rows per cluster

    @classmethod
    def of(cls, table: Units, n_clusters: int, n_columns: int) -> Sums:
        """Return the sums from the vector that the engine gives."""
        cells = n_clusters * (n_columns + 1)
        coarse, counts = table[:cells].reshape(n_clusters, -1), table[-n_clusters:]
        fine = (
            table[cells:-n_clusters].reshape(n_clusters, -1)
            if len(table) > cells + n_clusters
            else coarse * 0
        )
        return cls(coarse, fine, counts)

    def values(self, units: tuple[FloatArray, float]) -> FloatArray:
        """Return the sums as numbers."""
        scale, fine_scale = units
        values: FloatArray = (
            self.coarse.astype(np.float64) + self.fine.astype(np.float64) / fine_scale
        ) / scale
        return values

    def equals(self, other: Sums | None) -> bool:
        """Return whether all sums are the same: then all labels are."""
        return other is not None and all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.coarse, other.coarse),
                (self.fine, other.fine),
                (self.counts, other.counts),
            )
        )


@dataclass(frozen=True, eq=False)
class KMeansPasses:
    """The passes of one run."""

    blocks: Blocks  # rows, and their weights or None
    weights: Blocks | None
    whole: BlockTotals  # what all blocks agree on
    run: Hashable | None  # the name under which workers keep bounds; None: they keep none

    @property
    def units(self) -> tuple[FloatArray, float]:
        """How sums count: per column and weight, and how much finer the fine ones are."""
        scale, fine_scale = _core.kmeans_units(self.whole.native(), self.whole.origin)
        return scale, fine_scale

    def assign(self, centers: Centers) -> Sums:
        """Return the sums of the rows by their nearest centre."""
        kept = self._at_hand()
        if kept is not None:
            return Sums.of(_add(None, _each(lambda block: block.assign(centers), kept)), *centers.shape)
        made = tasks(self.blocks, _assign_block, self.whole, centers, self.run, weights=self.weights)
        return Sums.of(compute(fold(made, _add)), *centers.shape)

    def inertia(self, centers: Centers) -> tuple[float, Sums, str]:
        """Return the weighted sum of squared distances to the nearest centres, the sums, the algorithm."""
        kept = self._at_hand()
        if kept is not None:
            found = _add_values(None, _each(lambda block: _value(block, centers), kept))
        else:
            made = tasks(self.blocks, _value_block, self.whole, centers, self.run, weights=self.weights)
            found = compute(fold(made, _add_values))
        inertia, table, algorithm = found
        return float(inertia), Sums.of(table, *centers.shape), algorithm

    def farthest(self, centers: Centers, counts: Units, n_rows: int) -> list[FarRow]:
        """Return the rows farthest from their centre, among those that their cluster can spare."""
        made = tasks(
            self.blocks, _far_rows_of_block, self.whole, centers, counts, n_rows, weights=self.weights
        )
        found: list[FarRow] = compute(fold(made, partial(_add_far_rows, n_rows=n_rows)))
        return found

    def _at_hand(self) -> list[NativeBlock] | None:
        """Return all blocks if this process has kept them: then a pass needs no graph of tasks."""
        if self.run is None or not uses_threads():
            return None
        return SHELF.all_of(self.run, self.blocks.n_blocks)


@dataclass(frozen=True, eq=False)
class FarRow:
    """A row that can begin a cluster of its own."""

    distance: float
    row: int
    label: int
    values: Data  # relative to the origin
    weight: float

    def units(self, units: tuple[FloatArray, float]) -> tuple[Units, Units]:
        """Return what the row contributes to sums, coarse and fine."""
        scale, fine_scale = units
        scaled = np.append(self.values.astype(np.float64) * self.weight, self.weight) * scale
        coarse = np.rint(scaled)
        is_fine = self.values.dtype == np.float64
        fine = np.rint((scaled - coarse) * fine_scale) if is_fine else np.zeros_like(coarse)
        return coarse.astype(np.int64), fine.astype(np.int64)


def fits_on_shelf(blocks: Blocks) -> bool:
    """Return whether all rows and bounds can be kept in memory, and are not read in every pass."""
    per_row = blocks.n_columns * blocks.dtype.itemsize * (2 if blocks.n_columns <= 2 else 1) + BOUND_BYTES
    return blocks.n_rows * per_row <= SHELF.room


def _assign_block(
    block: Block, weights: Block | None, whole: BlockTotals, centers: Centers, run: Hashable | None
) -> Units:
    table: Units = _native_block(block, weights, whole, centers, run).assign(centers)
    return table


def _value_block(
    block: Block, weights: Block | None, whole: BlockTotals, centers: Centers, run: Hashable | None
) -> tuple[FloatArray, Units, str]:
    return _value(_native_block(block, weights, whole, centers, run), centers)


def _value(native: NativeBlock, centers: Centers) -> tuple[FloatArray, Units, str]:
    table = native.assign(centers)
    return native.own_distances()[1], table, native.algorithm


def _each(function: Callable[[NativeBlock], Found], kept: list[NativeBlock]) -> list[Found]:
    """Return what a function finds in blocks, as many at once as Dask would take."""
    with workers(dask.config.get("num_workers", None) or CPU_COUNT) as pool:
        return list(pool.map(function, kept))


def _native_block(
    block: Block, weights: Block | None, whole: BlockTotals, centers: Centers, run: Hashable | None
) -> NativeBlock:
    """Return the block as the engine knows it: with what it kept, if it did, or a new one."""
    kept = None if run is None else SHELF.get(run, block.index)
    if kept is not None:
        return kept
    X, weight = block.read(), read_weights(weights)
    is_held = bool(getattr(block, "held", ""))  # then the rows are in memory whether they are here or not
    is_copy = not is_held and (X.base is None or block.scaling is not None or block.is_kept)
    size = X.nbytes * (2 if X.shape[1] <= 2 else is_copy) + BOUND_BYTES * len(X)
    has_room = run is not None and SHELF.reserve(run, block.index, size)
    kind: Any = _core.KMeansBlock32 if X.dtype == np.float32 else _core.KMeansBlock64
    make = partial(kind, X, weight, whole.native(), len(centers))
    if not has_room or run is None:
        return make(_core.KMeansAlgorithm.lloyd)
    native = PlainFirst(make) if is_plain_cheaper(*centers.shape) else make(_core.KMeansAlgorithm.auto)
    SHELF.keep(run, block.index, native)
    return native


def _far_rows_of_block(
    block: Block, weights: Block | None, whole: BlockTotals, centers: Centers, counts: Units, n_rows: int
) -> list[FarRow]:
    X, weight = block.read(), read_weights(weights)
    native = _native_block(block, weights, whole, centers, None)
    native.assign(centers)
    distances, labels = native.own_distances()[0], native.labels()
    can_go = (distances > 0) & (counts[labels] > 1) & (True if weight is None else weight > 0)
    rows = np.flatnonzero(can_go)
    rows = rows[np.argsort(-distances[rows], kind="stable")[:n_rows]]
    return [
        FarRow(
            float(distances[row]),
            block.first_row + int(row),
            int(labels[row]),
            X[row] - whole.origin,
            1.0 if weight is None else float(weight[row]),
        )
        for row in rows
    ]


def _add(total: Units | None, found: list[Units]) -> Units:
    added: Units = np.sum(found if total is None else [total, *found], axis=0)
    return added


def _add_values(
    total: tuple[float, Units, str] | None, found: list[tuple[FloatArray, Units, str]]
) -> tuple[float, Units, str]:
    inertia, table = (0.0, found[0][1] * 0) if total is None else total[:2]
    for sums, more, _ in found:
        inertia = np.add.accumulate(np.append(inertia, sums))[-1]  # one after the other, as the engine adds
        table = table + more
    return inertia, table, found[-1][2]


def _add_far_rows(total: list[FarRow] | None, found: list[list[FarRow]], n_rows: int) -> list[FarRow]:
    rows = (total or []) + [row for rows in found for row in rows]
    return sorted(rows, key=lambda far: (-far.distance, far.row))[:n_rows]


def _in_type_of(centers: Centers, X: Data, origin: FloatArray) -> tuple[Data, Centers, FloatArray]:
    """Return rows and model in the wider of their types: a float64 model places float32 rows in its own."""
    dtype = np.promote_types(X.dtype, centers.dtype)
    return (X.astype(dtype, copy=False), centers.astype(dtype, copy=False), origin.astype(dtype, copy=False))


def label_block(block: Block, _weights: Block | None, model: tuple[Centers, FloatArray]) -> Labels:
    """Return the nearest centre of each row of a block."""
    X, centers, origin = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    labels: Labels = _core.kmeans_labels(X, centers, origin, None, 1)[0]
    return labels


def inertia_of_block(block: Block, weights: Block | None, model: tuple[Centers, FloatArray]) -> float:
    """Return the weighted sum of squared distances of the rows of a block to their nearest centres."""
    X, centers, origin = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    return float(_core.kmeans_labels(X, centers, origin, read_weights(weights), 1)[1])


def distances_of_block(block: Block, _weights: Block | None, model: tuple[Centers, FloatArray]) -> Distances:
    """Return the distance of each row of a block to each centre."""
    X, centers, _ = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    distances: Distances = _core.pairwise(X, centers, find_distance("euclidean").metric, 1)
    return distances


def add_numbers(total: float | None, found: list[float]) -> float:
    """Add numbers, one after the other."""
    for number in found:
        total = number if total is None else total + number
    return 0.0 if total is None else total
