"""From the order of OPTICS to clusters: a cut at one radius, or the valleys of the reachability plot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from coterie._support.typing import AnyArray, Indices, Labels, VectorLike, Weights
from coterie._support.validation import (
    Constraint,
    Flag,
    Nothing,
    Number,
    Whole,
    check_parameter,
    check_sample_weight,
)
from coterie._support.validation.parameters import is_number, is_whole
from coterie.cluster.density.optics_order import DECIMALS
from coterie.errors import InvalidData, InvalidParameter


class Share(Constraint):
    """A float from 0 to 1; whole numbers count rows instead."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return is_number(value) and not is_whole(value) and 0.0 <= value <= 1.0

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "a float from 0 to 1 (a share of the rows)"


class Infinity(Constraint):
    """Positive infinity."""

    def accepts(self, value: object) -> bool:
        """Return whether the value is allowed."""
        return is_number(value) and value == math.inf

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "infinity"


SIZE = Whole(2) | Share()
UNBOUNDED = Number(0.0) | Infinity()


def resolve_size(size: float, n_rows: int, name: str, weights: Weights | None = None) -> int:
    """Return a number of rows, or their weight, at least 2 if it was given as a share of all."""
    total = n_rows if weights is None else float(weights.sum())
    count = int(size) if is_whole(size) else max(2, int(size * total))
    if count > total:
        what = f"number of rows, n_samples={n_rows}" if weights is None else f"total weight, {total:g}"
        text = f"{name} must be no greater than the {what}, got {size}. Lower it"
        raise InvalidParameter(f"{text}.").in_shell(f"{text}: --set {name}=2.")
    return count


Mask = npt.NDArray[np.bool_]


class XiClusters(NamedTuple):
    """Labels of the smallest clusters, noise -1, and all clusters as first and last place in the ordering."""

    labels: Labels
    clusters: Indices


def cluster_optics_dbscan(
    *, reachability: VectorLike, core_distances: VectorLike, ordering: VectorLike, eps: float
) -> Labels:
    """Return the labels of DBSCAN at one radius from the order of OPTICS; border points may differ.

    Parameters
    ----------
    reachability, core_distances, ordering : array-like of shape (n_samples,)
        As in `OPTICS`.
    eps : float
        The radius, at most the `max_eps` of the order.

    Examples
    --------
    >>> from coterie.cluster import cluster_optics_dbscan, compute_optics_graph
    >>> graph = compute_optics_graph([[0.0], [0.1], [0.2], [9.0]], min_samples=2)
    >>> cluster_optics_dbscan(
    ...     reachability=graph.reachability,
    ...     core_distances=graph.core_distances,
    ...     ordering=graph.ordering,
    ...     eps=1.0,
    ... )
    array([ 0,  0,  0, -1])
    """
    who = "cluster_optics_dbscan"
    check_parameter(eps, UNBOUNDED, name="eps", who=who)
    order = check_ordering(ordering, who=who)
    is_far = check_heights(reachability, len(order), name="reachability", who=who) > eps
    is_core = check_heights(core_distances, len(order), name="core_distances", who=who) <= eps
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = np.cumsum((is_far & is_core)[order]) - 1
    labels[is_far & ~is_core] = -1
    return labels


def cluster_optics_xi(
    *,
    reachability: VectorLike,
    predecessor: VectorLike,
    ordering: VectorLike,
    min_samples: float,
    min_cluster_size: float | None = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
    core_distances: VectorLike | None = None,
    sample_weight: VectorLike | None = None,
) -> XiClusters:
    """Return the clusters that are valleys of the reachability plot with steep sides.

    Parameters
    ----------
    reachability, predecessor, ordering : array-like of shape (n_samples,)
        As in `OPTICS`.
    min_samples : int or float
        Most places in a row within a steep side that are not steep; a float is a share of the rows.
    min_cluster_size : int or float, default=None
        Least rows of a cluster, by weight; None is `min_samples`.
    xi : float, default=0.05
        Least relative change from one place to the next that is steep.
    predecessor_correction : bool, default=True
        Whether rows at the end of a cluster that were reached from outside are left out.
    core_distances : array-like of shape (n_samples,), default=None
        As in `OPTICS`; needed for weights.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row: a row of weight w has the places of its w copies, which follow each other at its
        core distance. It is in the clusters that its first copy is in.

    Examples
    --------
    >>> from coterie.cluster import cluster_optics_xi, compute_optics_graph
    >>> graph = compute_optics_graph([[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]], min_samples=2)
    >>> found = cluster_optics_xi(
    ...     reachability=graph.reachability,
    ...     predecessor=graph.predecessor,
    ...     ordering=graph.ordering,
    ...     min_samples=2,
    ... )
    >>> found.labels
    array([0, 0, 0, 1, 1, 1])
    """
    who = "cluster_optics_xi"
    check_parameter(min_samples, SIZE, name="min_samples", who=who)
    check_parameter(min_cluster_size, SIZE | Nothing(), name="min_cluster_size", who=who)
    check_parameter(xi, Number(0.0, 1.0), name="xi", who=who)
    check_parameter(predecessor_correction, Flag(), name="predecessor_correction", who=who)
    order = check_ordering(ordering, who=who)
    reach = check_heights(reachability, len(order), name="reachability", who=who)
    weights = check_sample_weight(sample_weight, len(order), who=who)
    samples = resolve_size(min_samples, len(order), "min_samples", weights)
    least = samples
    if min_cluster_size is not None:
        least = resolve_size(min_cluster_size, len(order), "min_cluster_size", weights)
    places = _places(reach, check_predecessor(predecessor, len(order), who=who), order)
    if weights is not None:
        core = check_heights(_need(core_distances, who), len(order), name="core_distances", who=who)
        places = with_copies(places.reach, places.came_from, core[order], weights[order])
    plot = _ReachabilityPlot(places, float(xi), samples)
    with np.errstate(invalid="ignore"):  # infinity times 1 - xi = 0 is not steep
        valleys = list(plot.clusters(least, places.came_from if predecessor_correction else None))
    clusters = np.array(valleys, dtype=np.intp).reshape(-1, 2)
    labels = _label_smallest(places, clusters, order)
    return XiClusters(labels, places.visit[clusters])


def _places(reach: Plot, predecessor: Indices, order: Indices) -> Stretches:
    place = np.empty(len(order) + 1, dtype=np.intp)
    place[order] = np.arange(len(order))
    place[-1] = -1  # of no predecessor
    return one_by_one(reach[order], place[predecessor[order]])


def _need(core_distances: VectorLike | None, who: str) -> VectorLike:
    if core_distances is None:
        raise InvalidParameter(
            f"{who} needs core_distances together with sample_weight: copies of a row reach each other there."
        )
    return core_distances


@dataclass
class _Descent:
    """A steep side on the left of a valley, and the highest place since."""

    start: int
    end: int
    peak_since: float = 0.0


class _ReachabilityPlot:
    """Reachabilities in the order of visits, with an endless wall behind the last."""

    def __init__(self, places: Stretches, xi: float, patience: int) -> None:
        self.reach: Plot = np.append(places.reach, np.inf)
        self.weight_before: Plot = np.append(0.0, np.cumsum(places.length))
        self.flat: Plot = np.maximum(places.length - 1.0, 0.0)  # of equals that come before the last
        self.last: Plot = np.minimum(places.length, 1.0)
        self.keep = 1.0 - xi
        self.patience = patience
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = self.reach[:-1] / self.reach[1:]
            self.rises_steeply: Mask = ratio <= self.keep
            self.falls_steeply: Mask = ratio >= np.divide(1.0, self.keep)
            self.falls: Mask = ratio > 1
            self.rises: Mask = ratio < 1

    def clusters(self, least: int, came_from: Indices | None) -> Iterator[tuple[int, int]]:
        """Yield the first and last places of clusters by their ends, smaller ones first."""
        descents: list[_Descent] = []
        at, peak = 0, 0.0
        for steep in map(int, np.flatnonzero(self.rises_steeply | self.falls_steeply)):
            if steep < at:
                continue
            peak = max(peak, float(self.reach[at : steep + 1].max()))
            descents = self._still_deep(descents, peak)
            if self.falls_steeply[steep]:
                end = self._side_end(self.falls_steeply, self.rises, steep)
                descents.append(_Descent(steep, end))
            else:
                end = self._side_end(self.rises_steeply, self.falls, steep)
                for descent in reversed(descents):
                    found = self._valley(descent, steep, end, came_from)
                    if found is None:
                        continue
                    start, last = found
                    if self.weight_before[last + 1] - self.weight_before[start] >= least:
                        yield found
            at = end + 1
            peak = float(self.reach[at])

    def _still_deep(self, descents: list[_Descent], peak: float) -> list[_Descent]:
        """Return the descents that begin well above everything since."""
        if np.isinf(peak):
            return []
        kept = [descent for descent in descents if peak <= self.reach[descent.start] * self.keep]
        for descent in kept:
            descent.peak_since = max(descent.peak_since, peak)
        return kept

    def _side_end(self, is_steep: Mask, turns_back: Mask, start: int) -> int:
        """Return the last steep place of a side, which may pause for as many places as `patience`."""
        end, pause = start, 0.0
        for place in range(start + 1, len(is_steep)):
            pause += self.flat[place]
            if pause > self.patience:
                break
            if is_steep[place]:
                end, pause = place, 0.0
            elif turns_back[place]:
                break
            else:
                pause += self.last[place]
                if pause > self.patience:
                    break
        return end

    def _valley(
        self, descent: _Descent, rise: int, end: int, came_from: Indices | None
    ) -> tuple[int, int] | None:
        """Return the valley between two sides, cut to the height of the lower one; None if there is none."""
        start, right, left = descent.start, self.reach[end + 1], self.reach[descent.start]
        if right * self.keep < descent.peak_since:
            return None
        if left * self.keep >= right:
            while start < descent.end and self.reach[start + 1] > right:
                start += 1
        elif right * self.keep >= left:
            while end > rise and self.reach[end - 1] > left:
                end -= 1
        if came_from is not None:
            while end > start and self.reach[start] <= self.reach[end]:
                if start <= came_from[end] < end:
                    break
                end -= 1
            if end <= start:
                return None
        return (start, end) if start <= descent.end and end >= rise else None


def _label_smallest(places: Stretches, clusters: Indices, order: Indices) -> Labels:
    """Return the labels of the clusters that hold no other, numbered in their order."""
    labels: Indices = np.full(len(places.visit), -1, dtype=np.intp)
    n_labels = 0
    for first, last in clusters:
        inside = labels[first : last + 1]
        if (inside == -1).all():
            inside[:] = n_labels
            n_labels += 1
    of_rows: Indices = np.full(len(order), -1, dtype=np.intp)
    visits, first_copies = np.unique(places.visit, return_index=True)
    of_rows[order[visits]] = labels[first_copies]
    return of_rows


Plot = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of equal reachability in the order of visits: of a row its first copy, then all others."""

    reach: Plot  # height of each stretch, and the weight that it stands for
    length: Plot
    came_from: Indices  # the stretch that each was reached from, or -1
    visit: Indices  # place of its row in the order of visits


def one_by_one(reach: Plot, came_from: Indices) -> Stretches:
    """Return the plot of rows that all weigh 1."""
    n = len(reach)
    return Stretches(reach, np.ones(n), came_from, np.arange(n))


def with_copies(reach: Plot, came_from: Indices, core: Plot, weights: Weights) -> Stretches:
    """Return the plot of weighted rows, all arguments in the order of visits: one of weight w has w places.

    The first copy has the reachability of the row. The others come right after it, reached from it at its
    core distance, or from where it was reached itself if that is nearer.
    """
    counts = np.where(weights > 0, 1 + (weights > 1), 0)
    visit = np.repeat(np.arange(len(reach)), counts)
    first = np.append(np.cumsum(counts) - counts, -1)  # the last: of no predecessor
    is_rest = np.arange(len(visit)) > first[visit]
    own = np.around(core, DECIMALS)  # rounded as an offer
    is_from_itself = is_rest & (own < reach)[visit]
    return Stretches(
        np.where(is_from_itself, own[visit], reach[visit]),
        np.where(is_rest, weights[visit] - 1, np.minimum(weights[visit], 1)),
        np.where(is_from_itself, first[visit], first[came_from[visit]]),
        visit,
    )


def check_ordering(ordering: VectorLike, *, who: str) -> Indices:
    """Return the order of visits, or say which row it does not visit once.

    Examples
    --------
    >>> check_ordering([2, 0, 1], who="cluster_optics_xi")
    array([2, 0, 1])
    """
    order = _rows(ordering, "ordering", who)
    _refuse_outside(order, 0, len(order), "ordering", who)
    visits = np.bincount(order, minlength=len(order))
    if (visits != 1).any():
        row = int(np.argmax(visits != 1))
        raise InvalidData(
            f"ordering of {who} must name every row once, got row {row} {visits[row]} times. "
            f"Pass the ordering_ of OPTICS as it is."
        )
    return order


def check_predecessor(predecessor: VectorLike, n_rows: int, *, who: str) -> Indices:
    """Return the row that each row was reached from, -1 for none.

    Examples
    --------
    >>> check_predecessor([-1, 0, 1], 3, who="cluster_optics_xi")
    array([-1,  0,  1])
    """
    rows = _rows(predecessor, "predecessor", who)
    _refuse_length(rows, n_rows, "predecessor", who)
    _refuse_outside(rows, -1, n_rows, "predecessor", who)
    return rows


def check_heights(values: VectorLike, n_rows: int, *, name: str, who: str) -> npt.NDArray[np.float64]:
    """Return reachabilities or core distances: numbers or infinity.

    Examples
    --------
    >>> check_heights([np.inf, 1, 2], 3, name="reachability", who="cluster_optics_xi")
    array([inf,  1.,  2.])
    """
    try:
        heights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{name} of {who} must be one number per row, got {_kind(values)}.") from None
    _refuse_length(heights, n_rows, name, who)
    if np.isnan(heights).any():
        row = int(np.argmax(np.isnan(heights)))
        raise InvalidData(f"{name} of {who} must be numbers or infinity, got NaN for row {row}.")
    return heights


def _rows(values: VectorLike, name: str, who: str) -> Indices:
    try:
        rows = np.asarray(values)
    except ValueError:
        rows = np.empty(0, dtype=object)
    is_empty_list = rows.size == 0 and rows.dtype == np.float64
    if rows.ndim != 1 or not (rows.dtype.kind in "iu" or is_empty_list):
        raise InvalidData(f"{name} of {who} must be one whole number per row, got {_kind(values)}.")
    return rows if rows.dtype == np.uint64 else rows.astype(np.intp, copy=False)  # these may not fit


def _refuse_outside(rows: AnyArray, least: int, n_rows: int, name: str, who: str) -> None:
    is_outside = (rows < least) | (rows >= n_rows)
    if is_outside.any():
        at = int(np.argmax(is_outside))
        raise InvalidData(
            f"{name} of {who} must be rows from {least} to {n_rows - 1}, got {rows[at]} at {name}[{at}]."
        )


def _refuse_length(values: AnyArray, n_rows: int, name: str, who: str) -> None:
    if values.shape != (n_rows,):
        raise InvalidData(
            f"{name} of {who} must be one number per row, {n_rows} as ordering has, got the shape "
            f"{values.shape}."
        )


def _kind(values: object) -> str:
    dtype, shape = getattr(values, "dtype", None), getattr(values, "shape", None)
    return f"a {type(values).__name__}" if dtype is None else f"{dtype} of shape {shape}"
