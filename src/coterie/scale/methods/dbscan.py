"""Out-of-core DBSCAN: boxes of space with halos, joined where they meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import dask.array
import numpy as np
import numpy.typing as npt
from dask.delayed import delayed
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import one_thread
from coterie._support.typing import (
    AnyArray,
    Data,
    Distances,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    Weights,
)
from coterie._support.validation import Anything, Number
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import COUNT, Tensor
from coterie.cluster.density import find_in_rows, read_curve
from coterie.distance import Distance, find_distance, k_nearest
from coterie.distance.catalogue import DistanceLike
from coterie.distance.engines import tree_form
from coterie.distance.rows import RowSets
from coterie.errors import InvalidParameter
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.base import KnownLabels
from coterie.scale.methods.coreset import draw_rows
from coterie.scale.runtime.passes import compute, fold, read_weights, tasks
from coterie.scale.sampling import draw_sample

THINNEST = 8  # times the reach: a box that is thinner would be mostly halo
FEWEST_ROWS = 16  # of the sample; fewer tell nothing about a median
EPS_ROWS = 2000  # whose neighbours are looked for
SAMPLE_ROWS = 50_000  # to find where to cut
ROWS_AT_ONCE = 1 << 20  # of labels that are renumbered
Numbers: TypeAlias = Labels  # as narrow as the number of rows allows
NOTHING: Numbers = np.empty(0, dtype=np.intp)
ROUNDING = 1e-6  # halos are wider by this share than they need be


RowsOfBox: TypeAlias = tuple[AnyArray, Data, Weights | None]  # number, values, weight


@dataclass(frozen=True, eq=False)
class Box:
    """Rows with ``low <= x < high`` in every column."""

    low: FloatArray
    high: FloatArray

    def owns(self, X: Data) -> npt.NDArray[np.bool_]:
        """Return which rows are in the box; each row is in one box."""
        inside: Any = ((self.low <= X) & (self.high > X)).all(axis=1)
        return np.asarray(inside)

    def reaches(self, X: Data, reach: float) -> npt.NDArray[np.bool_]:
        """Return which rows are in the box or at most `reach` away in every column."""
        inside: Any = ((self.low - reach <= X) & (self.high + reach >= X)).all(axis=1)
        return np.asarray(inside)


def cut_space(sample: Data, n_boxes: int, reach: float) -> list[Box]:
    """Cut space at medians of a sample, always the fullest box, along its longest side.

    Examples
    --------
    >>> [box.high.tolist() for box in cut_space(np.arange(100.0)[:, None], 2, reach=1.0)]
    [[49.5], [inf]]
    """
    d = sample.shape[1]
    parts: list[tuple[Box, FloatArray]] = [
        (Box(np.full(d, -np.inf), np.full(d, np.inf)), sample.astype(np.float64))
    ]
    while len(parts) < n_boxes:
        fullest = max(range(len(parts)), key=lambda i: len(parts[i][1]))
        halves = _halve(*parts[fullest], reach)
        if halves is None:
            break
        parts[fullest : fullest + 1] = halves
    return [box for box, _ in parts]


def _halve(box: Box, rows: FloatArray, reach: float) -> list[tuple[Box, FloatArray]] | None:
    if len(rows) < FEWEST_ROWS:
        return None
    extent = rows.max(axis=0) - rows.min(axis=0)
    column = int(np.argmax(extent))
    if extent[column] < THINNEST * reach:
        return None
    middle = float(np.median(rows[:, column]))
    below = rows[:, column] < middle
    if below.all() or not below.any():
        return None
    high, low = box.high.copy(), box.low.copy()
    high[column], low[column] = middle, middle
    return [(Box(box.low, high), rows[below]), (Box(low, box.high), rows[~below])]


def suggest_eps(
    blocks: Blocks, min_samples: int, metric: DistanceLike, seed: int
) -> tuple[float, tuple[str, ...]]:
    """Return the knee of the distances to the neighbour that makes a row dense, and what it comes from.

    Some rows are drawn; their neighbours are looked for among all rows, so that the radius suits the density
    of the whole. `coterie.cluster.suggest_eps` does the same for rows in memory.
    """
    sample = draw_sample(blocks, EPS_ROWS, seed)
    n_neighbors = min(max(2, min_samples), blocks.n_rows)  # every row is its own first neighbour
    made = tasks(blocks, _nearest, sample.X, n_neighbors, metric)
    nearest: Distances = compute(fold(made, _Joiner(n_neighbors)))
    eps = read_curve(np.sort(nearest[:, -1]), min_samples).radius
    note = f"eps = {eps:.4g}, the knee of the distances of {sample} to their neighbours among all rows"
    return eps, (note,)


def _nearest(block: Block, _weights: Block | None, queries: Data, n: int, metric: DistanceLike) -> Distances:
    with one_thread("openmp"):
        X = block.read()
        distance = k_nearest(queries, X, n_neighbors=min(n, len(X)), metric=metric).distance
    return np.asarray(distance, dtype=np.float64)


class _Joiner:
    """Keeps the least distances."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, total: Distances | None, found: list[Distances]) -> Distances:
        joined = np.concatenate(found if total is None else [total, *found], axis=1)
        return np.sort(joined, axis=1)[:, : self.n]


@dataclass(frozen=True, eq=False)
class BoxResult:
    """What the rows of one box tell."""

    n_clusters: int  # clusters found in the box and its halo: parts of clusters of the whole
    core: Numbers  # the core points that the box owns, and their cluster
    core_cluster: Numbers
    # core points of other boxes in the halo, and their cluster here: what joins clusters of boxes
    halo: Numbers
    halo_cluster: Numbers
    border: Numbers  # rows near a core point without being one, once for each cluster they are near to
    border_cluster: Numbers


@estimator
class DBSCAN(KnownLabels):
    """Out-of-core DBSCAN: exactly the labels of the local class.

    Space is cut into boxes with about as many rows each. A task per box takes its rows and those at most
    twice `eps` around it, runs the local method, and tells which clusters it shares with its neighbours;
    these are joined. All rows pass through memory once, on the workers if there are any. Where `fit` was
    called, about 30 bytes per row are kept while clusters are joined, and 12 afterwards (labels and core
    points), whatever the number of columns. One pass is all there is: no checkpoint.

    Parameters
    ----------
    min_samples : int, default=5
        Rows, or weight, that make a neighbourhood dense.
    metric : {"euclidean", "manhattan", "chebyshev"} or Distance, default="euclidean"
        A distance that is never less than the difference in any column.
    box_rows : int, default=500_000
        Rows per box, about; the labels do not depend on it.

    Attributes
    ----------
    labels_ : Dask array of int of shape (n_samples,)
        Cluster of each row, numbered by their lowest core point; noise is -1.
    core_sample_indices_ : array
        The core points.
    cluster_sizes_ : array
        Rows per cluster.
    exact_ : bool
        True.

    Examples
    --------
    >>> from coterie.scale import DBSCAN
    >>> X = np.array([[1.0], [1.2], [1.4], [8.0], [8.2], [8.4], [50.0]])
    >>> DBSCAN(eps=0.5, min_samples=2).fit(X).labels_.compute()
    array([ 0,  0,  0,  1,  1,  1, -1], dtype=int32)
    """

    eps: float = parameter(Number(0.0, open_below=True), "Radius of a neighbourhood, inclusive.", default=0.5)
    _: KW_ONLY
    min_samples: int = parameter(WholeNumber(1), default=5)
    metric: DistanceLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    box_rows: int = parameter(WholeNumber(1), default=500_000)
    progress: ProgressOption = None

    core_sample_indices_: Labels = fitted(Tensor("core", kind="i", low=0, below="rows", may_be_empty=True))
    n_boxes_: int = fitted(COUNT, "Boxes that space was cut into.")

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        distance = _checked_distance(self.metric, who)
        with track(self.progress, "DBSCAN: measuring columns") as tracker:
            moments.measure(blocks, weights, who=who)
            sample = draw_rows(blocks, min(SAMPLE_ROWS, blocks.n_rows), seed=0)
            boxes = cut_space(sample, -(-blocks.n_rows // int(self.box_rows)), float(self.eps))
            tracker.report(0, stage=f"DBSCAN: {len(boxes)} boxes")
            results = self._results(blocks, weights, boxes, distance)
        labels, core = _joined(results, blocks.n_rows)
        *sizes, n_noise = _sizes(labels).tolist()
        return {
            "labels_": dask.array.from_array(labels, chunks=blocks.block_rows),
            "core_sample_indices_": core,
            "cluster_sizes_": np.array(sizes, dtype=np.intp),
            "n_boxes_": len(boxes),
            "exact_": True,
            "notes_": (f"{n_noise:,} rows are noise, label -1",) if n_noise else (),
        }

    def _results(
        self, blocks: Blocks, weights: Blocks | None, boxes: list[Box], distance: Distance
    ) -> list[BoxResult]:
        index_type = np.dtype(np.uint32 if blocks.n_rows <= 2**32 else np.int64)
        reach = 2 * self.eps * (1 + ROUNDING)
        splits = tasks(blocks, _split_block, boxes, reach, index_type, weights=weights)
        pick, run = delayed(_pick, pure=False), delayed(_cluster_box, pure=False)
        rules = (distance, float(self.eps), float(self.min_samples))
        made = [
            run([pick(split, number) for split in splits], box, *rules) for number, box in enumerate(boxes)
        ]
        found: list[BoxResult] = compute(fold(made, _listed))
        return found


def _checked_distance(metric: DistanceLike, who: str) -> Distance:
    distance = find_distance(metric)
    form = tree_form(distance)
    is_wide = form is not None and form.factor == 1.0 and form.metric != "sqeuclidean"
    if not is_wide or distance.learn is not None or distance.transform is not None:
        raise InvalidParameter(
            f"metric of {who} must be euclidean, manhattan, chebyshev or minkowski with p of at least 1: "
            f"boxes bound no other distance, got {metric!r}."
        )
    return distance


def _split_block(
    block: Block,
    weights: Block | None,
    boxes: list[Box],
    reach: float,
    index_type: np.dtype[np.signedinteger],
) -> list[RowsOfBox]:
    """Return for each box the rows of a block that it needs: number, values, weight."""
    X, weight = block.read(), read_weights(weights)
    wide = X.astype(np.float64, copy=False)
    parts = []
    for box in boxes:
        rows = np.flatnonzero(box.reaches(wide, reach))
        numbers = (rows + block.first_row).astype(index_type)
        parts.append((numbers, X[rows], None if weight is None else weight[rows]))
    return parts


def _pick(parts: list[RowsOfBox], number: int) -> RowsOfBox:
    return parts[number]


def _cluster_box(
    parts: list[RowsOfBox], box: Box, distance: Distance, eps: float, min_samples: float
) -> BoxResult:
    rows = np.concatenate([part[0] for part in parts])
    X = np.ascontiguousarray(np.concatenate([part[1] for part in parts]))
    weights = None if parts[0][2] is None else np.concatenate([part[2] for part in parts])
    if len(rows) == 0:
        return BoxResult(0, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)
    found = find_in_rows(RowSets(X, None, distance), eps, min_samples, weights, 1)
    wide = X.astype(np.float64, copy=False)
    is_owned = box.owns(wide)
    labels = found.labels.astype(np.int32)
    core = np.flatnonzero(found.is_core & is_owned)
    near = box.reaches(wide, eps * (1 + ROUNDING))
    halo = np.flatnonzero(found.is_core & ~is_owned & near)
    border = np.flatnonzero(~found.is_core & is_owned & (found.labels >= 0))
    of_border, clusters = _clusters_near(X, border, np.flatnonzero(found.is_core), labels, distance, eps)
    return BoxResult(
        int(found.labels.max(initial=-1)) + 1,
        rows[core],
        labels[core],
        rows[halo],
        labels[halo],
        rows[of_border],
        clusters,
    )


def _clusters_near(
    X: Data, border: Indices, core: Indices, labels: Labels, distance: Distance, eps: float
) -> tuple[Indices, Indices]:
    """Return border rows and the clusters they are near to; a row has few neighbours, or it were core."""
    if len(border) == 0:
        return border, border
    form = tree_form(distance)
    assert form is not None
    tree = _core.KDTree(np.ascontiguousarray(X[core]), form.metric, distance.p, n_threads=1)
    starts, index, _ = tree.radius(np.ascontiguousarray(X[border]), eps, n_threads=1)
    pairs = np.stack([np.repeat(border, np.diff(starts)), labels[core][index]], axis=1)
    pairs = np.unique(pairs, axis=0)
    return pairs[:, 0], pairs[:, 1]


def _listed(total: list[BoxResult] | None, found: list[BoxResult]) -> list[BoxResult]:
    return (total or []) + found


def _joined(results: list[BoxResult], n_rows: int) -> tuple[Labels, Indices]:
    """Return the labels of all rows and the core points; clusters that share a core point are one.

    `results` is emptied: what was used is let go, so that labels and core points are most of what is held.
    """
    offsets = np.cumsum([0, *(result.n_clusters for result in results)])
    n_parts = int(offsets[-1])
    labels: Labels = np.full(n_rows, -1, dtype=np.int32 if n_parts < 2**31 else np.int64)
    no_cluster = np.iinfo(labels.dtype).max
    first = np.full(n_parts, n_rows, dtype=np.int64)  # the lowest core point of each part
    for index, offset in enumerate(offsets[:-1]):
        part = results[index].core_cluster.astype(labels.dtype) + labels.dtype.type(offset)
        labels[results[index].core] = part  # for now, the part that a core point is in
        found, at = np.unique(part, return_index=True)  # core points of a box are in order
        first[found] = results[index].core[at]
        results[index] = replace(results[index], core=NOTHING, core_cluster=NOTHING)
    number = _numbers(results, offsets, labels, first)
    core = np.flatnonzero(labels >= 0)
    for some in _slices(n_rows):
        parts = labels[some]
        labels[some] = np.where(parts >= 0, number[parts], no_cluster)  # for the least of those nearby
    for offset in offsets[-2::-1]:
        result = results.pop()
        np.minimum.at(labels, result.border, number[offset + result.border_cluster])
    for some in _slices(n_rows):
        labels[some][labels[some] == no_cluster] = -1
    return labels, core


def _numbers(results: list[BoxResult], offsets: Indices, part_of_core: Labels, first: Indices) -> AnyArray:
    """Return the number of the cluster that each part belongs to; the lowest core points decide."""
    n_parts = len(first)
    if n_parts == 0:
        return np.full(1, -1, dtype=part_of_core.dtype)
    halos = zip(offsets, results, strict=False)
    here = np.concatenate([offset + result.halo_cluster for offset, result in halos])
    there = part_of_core[np.concatenate([result.halo for result in results])]
    links = coo_array((np.ones(len(here), dtype=bool), (here, there)), shape=(n_parts, n_parts))
    n_clusters, cluster_of = connected_components(links, directed=False)
    lowest = np.full(n_clusters, np.iinfo(np.int64).max)
    np.minimum.at(lowest, cluster_of, first)
    rank = np.empty(n_clusters, dtype=part_of_core.dtype)
    rank[np.argsort(lowest, kind="stable")] = np.arange(n_clusters)
    numbers: AnyArray = rank[cluster_of]
    return numbers


def _sizes(labels: Labels) -> Indices:
    """Return the rows of each cluster, and last those of none."""
    n_clusters = int(labels.max(initial=-1)) + 1
    sizes = np.zeros(n_clusters + 1, dtype=np.intp)
    for some in _slices(len(labels)):
        sizes += np.bincount(labels[some] + 1, minlength=n_clusters + 1)
    return np.roll(sizes, -1)


def _slices(n_rows: int) -> list[slice]:
    return [slice(first, first + ROWS_AT_ONCE) for first in range(0, n_rows, ROWS_AT_ONCE)]
