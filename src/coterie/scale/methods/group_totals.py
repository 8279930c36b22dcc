"""Sums over the rows of groups, and the measures that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.sphere import arcs_to, places_of, vectors_of
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, Data, FloatArray, Indices
from coterie.data.geography.places import AXES
from coterie.data.sampling import uniform_of_rows
from coterie.distance import find_distance
from coterie.errors import InvalidData
from coterie.evaluate.internal import Estimate, GroupSums, coefficients, reduce_sums, squared_between
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.local_model import add_arrays
from coterie.scale.runtime.passes import compute, fold, tasks

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
# sums of the groups; and rows that were drawn, with their groups
SumsAndSample = tuple[tuple[AnyArray, ...], tuple[AnyArray, ...]]
Labeller = tuple[Any, ...]  # a function of a block, and its arguments, that gives the labels of its rows
ROWS_AT_ONCE = 8192  # of eight columns half a MiB
LARGEST_LABEL = 2.0**53  # labels are read as floats: these are exact


@dataclass(frozen=True, eq=False)
class GroupTotals:
    """What sums over all rows say about groups."""

    sizes: Numbers  # rows per group
    means: Numbers  # their means
    # measures by name, exact but for the silhouette; empty unless there are groups of several rows
    values: dict[str, float]

    def with_silhouette(self, estimate: Estimate | None) -> GroupTotals:
        """Return the same with an estimate of the silhouette, if there is one."""
        if estimate is None or not self.values:
            return self
        return replace(self, values={**self.values, "silhouette_score": estimate})


def total_groups(
    blocks: Blocks,
    groups: Blocks | Labeller,
    names: Indices,
    origin: FloatArray,
    silhouette_rows: int,
    seed: int,
    known: tuple[Numbers, Numbers] | None = None,
) -> GroupTotals:
    """Sum up the rows of the groups that are called `names`, in two passes, or one where sums are known.

    Parameters
    ----------
    blocks : Blocks
        The rows.
    groups : Blocks, or tuple of a function and its arguments
        Labels of the rows, or ``function(block, None, *arguments)`` that gives those of a block.
    names : array
        The labels that are groups.
    origin : array of shape (n_columns,)
        A point amid the rows.
    silhouette_rows : int
        About how many rows to draw for the silhouette; 0: none.
    seed : int
        Of the draw.
    known : tuple of arrays, default=None
        Sizes and means of the groups, exact, where a fit has found them and no rows are to be drawn.
    """
    labels, label = (groups, None) if isinstance(groups, Blocks) else (None, groups)
    if known is None:
        drawing = (min(1.0, silhouette_rows / blocks.n_rows), seed)
        made = tasks(blocks, _sums_of_groups, label, names, origin, drawing, weights=labels)
        (sizes, sums), (sample, sample_codes) = compute(fold(made, _add_sums))
        centroids = sums / np.maximum(sizes, 1)[:, None]  # relative to the origin
    else:
        sizes, centroids = known[0].astype(np.float64), known[1] - origin.astype(np.float64)
        sample, sample_codes = np.zeros((0, blocks.n_columns), blocks.dtype), np.zeros(0, np.int32)
    means = centroids + origin.astype(np.float64)
    if not 2 <= len(sizes) < sizes.sum():
        return GroupTotals(sizes, means, {})
    made = tasks(blocks, _scatter_of_block, label, names, origin, centroids, sample, weights=labels)
    within, distances, simplified, to_sample = compute(fold(made, add_arrays))
    values = _values(sizes, centroids, within, distances, simplified)
    if len(sample) and silhouette_rows:
        values["silhouette_score"] = _silhouette(to_sample, sample_codes, sizes, sizes.sum())
    return GroupTotals(sizes, means, values)


@dataclass(frozen=True, eq=False)
class CellTotals:
    """Sizes of groups, and means over the cells that are there: of the groups, and of all rows."""

    sizes: Numbers
    means: Numbers
    center: Numbers
    spread: Numbers


def total_positions(
    blocks: Blocks, groups: Blocks, n_groups: int, axes: Sequence[int], radii: FloatArray
) -> tuple[Numbers, Numbers]:
    """Return the centre of each group in degrees, and its radii in km, in two passes.

    Parameters
    ----------
    blocks, groups : Blocks
        Rows, and their groups.
    n_groups : int
        How many.
    axes : sequence of int
        The columns that are x, y and z; or latitude and longitude in radians.
    radii : array of shape (n_groups, 2)
        Of rows that were drawn: the first, within which half of them are, is kept.
    """
    sums, counts = compute(fold(tasks(blocks, _axes_of_block, n_groups, axes, weights=groups), add_arrays))
    middles = np.divide(sums, counts[:, None], out=np.full_like(sums, np.nan), where=counts[:, None] > 0)
    most = compute(fold(tasks(blocks, _arcs_of_block, middles, axes, weights=groups), _largest))
    centers: Numbers = np.asarray(places_of(middles), dtype=np.float64)
    return centers, np.column_stack([np.fmin(radii[:, 0], most), most])


def _axes_of_block(
    block: Block, labels: Block | None, n_groups: int, axes: Sequence[int]
) -> tuple[AnyArray, ...]:
    vectors, codes = _known_places(block, labels, axes)
    sums = np.stack([np.bincount(codes, column, minlength=n_groups) for column in vectors.T], axis=1)
    return sums, np.bincount(codes, minlength=n_groups)


def _arcs_of_block(block: Block, labels: Block | None, middles: Numbers, axes: Sequence[int]) -> Numbers:
    vectors, codes = _known_places(block, labels, axes)
    most = np.full(len(middles), np.nan)
    for group in np.unique(codes).tolist():
        most[group] = arcs_to(vectors[codes == group], middles[group]).max()
    return most


def _known_places(block: Block, labels: Block | None, axes: Sequence[int]) -> tuple[Numbers, Indices]:
    """Return the positions of the rows that are in a group and have one, and their groups."""
    assert labels is not None
    vectors, codes = place_vectors(block.read(), axes), whole_numbers(labels)
    kept = (codes >= 0) & ~np.isnan(vectors).any(axis=1)
    return vectors[kept], codes[kept]


def place_vectors(X: Data, axes: Sequence[int]) -> Numbers:
    """Return the directions of rows: of x, y and z, or of latitude and longitude in radians."""
    cells = X[:, list(axes)].astype(np.float64)
    return cells if len(axes) == len(AXES) else np.asarray(vectors_of(cells, in_degrees=False))


def _largest(total: Numbers | None, found: list[Numbers]) -> Numbers:
    largest: Numbers = np.fmax.reduce(found if total is None else [total, *found])
    return largest


class Describing(Protocol):
    """What makes rows the columns that groups are described by."""

    def indicators(self, X: Data, /) -> Data:
        """Return the rows as they are described."""


def total_cells(blocks: Blocks, groups: Blocks, n_groups: int, columns: Describing) -> CellTotals:
    """Sum up the cells of groups as they are described, categories as columns of 0 and 1, in two passes."""
    made = tasks(blocks, _cells_of_block, n_groups, columns, weights=groups)
    sizes, sums, known, total, n_known = compute(fold(made, add_arrays))
    center = total / np.maximum(n_known, 1)
    means = np.where(known > 0, sums / np.maximum(known, 1), center)
    squares = compute(fold(tasks(blocks, _squares_of_block, columns, center), add_arrays))
    return CellTotals(sizes.astype(np.float64), means, center, np.sqrt(squares / np.maximum(n_known, 1)))


def _cells_of_block(
    block: Block, labels: Block | None, n_groups: int, columns: Describing
) -> tuple[AnyArray, ...]:
    assert labels is not None
    cells, found = columns.indicators(block.read()), whole_numbers(labels)
    is_there = ~np.isnan(cells)
    filled, kept = np.where(is_there, cells, 0.0), np.flatnonzero(found >= 0)
    codes = found[kept]
    sums, known = (
        np.stack([np.bincount(codes, column, minlength=n_groups) for column in table[kept].T], axis=1)
        for table in (filled, is_there)
    )
    sizes = np.bincount(codes, minlength=n_groups)
    return sizes, sums, known, filled.sum(axis=0), is_there.sum(axis=0).astype(np.float64)


def _squares_of_block(block: Block, _weights: Block | None, columns: Describing, center: Numbers) -> Numbers:
    cells = columns.indicators(block.read())
    squares: Numbers = np.where(np.isnan(cells), 0.0, np.square(cells - center)).sum(axis=0)
    return squares


def _values(
    sizes: Numbers, centroids: Numbers, within: Numbers, distances: Numbers, simplified: Numbers
) -> dict[str, float]:
    """Return the exact measures from sums per group."""
    n, k = float(sizes.sum()), len(sizes)
    mean = sizes @ centroids / n
    between = float(sizes @ ((centroids - mean) ** 2).sum(axis=1))
    total_within = float(within.sum())
    spread = distances / sizes
    apart = np.sqrt(squared_between(centroids))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(apart > 0, (spread[:, None] + spread) / apart, 0.0)
    compact = 1.0 if total_within == 0 else between * (n - k) / (total_within * (k - 1))
    return {
        "sse": total_within,
        "bss": between,
        "calinski_harabasz_score": compact,
        "davies_bouldin_score": float(ratios.max(axis=1).mean()),
        "simplified_silhouette_score": float(simplified[sizes > 1].sum()) / n,
    }


def estimate_silhouette(
    X: Data, codes: Codes, k: int, n_drawn: int, n_rows: int, seed: int
) -> Estimate | None:
    """Return the silhouette from rows at hand: some of them against all of them; None without two groups.

    Parameters
    ----------
    X : array of shape (n, n_columns)
        Rows drawn alike.
    codes : array of shape (n,)
        Their groups, 0..k-1; below 0: in none.
    k : int
        Groups.
    n_drawn : int
        How many of the rows are valued.
    n_rows : int
        Rows of the whole.
    seed : int
        Of the choice among the rows.
    """
    grouped = np.flatnonzero(codes >= 0)
    X, codes = np.ascontiguousarray(X[grouped]), codes[grouped].astype(np.int32)
    sizes = np.bincount(codes, minlength=k).astype(np.float64)
    if not 2 <= np.count_nonzero(sizes) < len(X):
        return None
    kept = np.flatnonzero(sizes > 0)  # a group that none of these rows is in is nobody's neighbour
    codes = np.searchsorted(kept, codes).astype(np.int32)
    drawn = np.random.default_rng(seed).choice(len(X), min(n_drawn, len(X)), replace=False)
    drawn.sort()
    metric = find_distance("euclidean").metric
    sums = _core.group_sums(np.ascontiguousarray(X[drawn]), X, codes, len(kept), metric, resolve_threads())
    return _silhouette(sums, codes[drawn], sizes[kept], n_rows)


def _silhouette(sums: Numbers, codes: Codes, sizes: Numbers, n_rows: float) -> Estimate:
    """Return the mean silhouette of drawn rows, with its standard error as an estimate for `n_rows`."""
    own, nearest, neighbour = reduce_sums(sums, codes, sizes)
    values = coefficients(GroupSums(own, nearest, neighbour), codes, sizes)
    estimate = Estimate(values.mean())
    left = 1 - len(values) / n_rows  # a draw of all rows has no error
    error = np.sqrt(max(0.0, left) * values.var(ddof=1) / len(values)) if len(values) > 1 else None
    estimate.standard_error, estimate.n_drawn = None if error is None else float(error), len(values)
    return estimate


def whole_numbers(block: Block) -> Indices:
    """Return the labels in a block of one column, or say which is none."""
    values = block.read()[:, 0]
    is_wrong = ~(np.abs(values) < LARGEST_LABEL) | (np.trunc(values) != values)
    if is_wrong.any():
        at = int(np.argmax(is_wrong))
        raise InvalidData(
            f"labels in blocks must be whole numbers below 2**53, got {values[at]:g} at row "
            f"{block.first_row + at}. Number the groups from 0, noise -1."
        )
    return values.astype(np.int64)


def _grouped(
    block: Block, labels: Block | None, label: Labeller | None, names: Indices
) -> tuple[Data, Codes, Indices]:
    """Return the rows of known groups, their groups as 0..k-1, and which rows of the block they are."""
    if label is not None:
        found = np.asarray(label[0](block, None, *label[1:]))
    else:
        assert labels is not None
        found = whole_numbers(labels)
    X = block.read()
    are_first = np.array_equal(names, np.arange(len(names)))
    if len(found) and are_first and found.min() >= 0 and found.max() < len(names):
        return X, found.astype(np.int32, copy=False), np.arange(len(found))
    codes = np.searchsorted(names, found)
    kept = np.flatnonzero(np.isin(found, names))
    return (X if len(kept) == len(X) else X[kept]), codes[kept].astype(np.int32), kept


def _sums_of_groups(
    block: Block,
    labels: Block | None,
    label: Labeller | None,
    names: Indices,
    origin: FloatArray,
    drawing: tuple[float, int],
) -> SumsAndSample:
    X, codes, kept = _grouped(block, labels, label, names)
    k = len(names)
    sums = np.zeros((k, X.shape[1]))
    for rows in _chunks(len(X)):
        away = (X[rows] - origin).astype(np.float64)
        sums += np.stack([np.bincount(codes[rows], column, minlength=k) for column in away.T], axis=1)
    chance, seed = drawing
    drawn = np.zeros(0, dtype=np.intp)
    if chance > 0:
        drawn = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed])[kept] < chance)
    return (np.bincount(codes, minlength=k).astype(float), sums), (X[drawn], codes[drawn])


def _chunks(n_rows: int) -> Iterator[slice]:
    """Yield parts of a block that stay in cache while several things are done with them."""
    for first in range(0, n_rows, ROWS_AT_ONCE):
        yield slice(first, first + ROWS_AT_ONCE)


def _add_sums(total: SumsAndSample | None, found: list[SumsAndSample]) -> SumsAndSample:
    parts = found if total is None else [total, *found]
    samples = [part[1] for part in parts]
    sample = tuple(np.concatenate(column) for column in zip(*samples, strict=True))
    return add_arrays(None, [part[0] for part in parts]), sample


def _scatter_of_block(
    block: Block,
    labels: Block | None,
    label: Labeller | None,
    names: Indices,
    origin: FloatArray,
    centroids: Numbers,
    sample: Data,
) -> tuple[AnyArray, ...]:
    """Return sums per group: of squares, distances, simplified silhouettes; and distances of the sample."""
    X, codes, _ = _grouped(block, labels, label, names)
    k, centroids = len(names), np.ascontiguousarray(centroids)
    metric = find_distance("euclidean").metric
    to_sample = np.zeros((0, k))
    if len(sample):
        to_sample = _core.group_sums(sample, np.ascontiguousarray(X), codes, k, metric, 1)
    totals = np.zeros((3, k))
    for rows in _chunks(len(X)):
        mine = codes[rows]
        away = np.ascontiguousarray((X[rows] - origin).astype(np.float64))
        own, other = _core.own_and_other(away, centroids, mine, metric, 1)
        squared = np.square(own)
        largest = np.maximum(own, other)
        widths = np.divide(other - own, largest, out=np.zeros_like(own), where=largest > 0)
        for total, values in zip(totals, (squared, own, widths), strict=True):
            total += np.bincount(mine, values, minlength=k)
    return (*totals, to_sample)
