"""The loop of k-means over blocks: what the engine does with rows in memory, pass by pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from coterie._support.typing import Centers, FloatArray, ValuesByName
from coterie.cluster.kmeans import MOST_REPAIRS, Stopping, rows_for_empty
from coterie.scale.methods.kmeans_passes import KMeansPasses, Sums
from coterie.scale.runtime.checkpoint import Saved


@dataclass(frozen=True, eq=False)
class LloydState:
    """Where the loop stands after a pass; a run goes on from it as if it had never stopped."""

    centers: Centers  # the centres after the pass
    sums: Sums | None = None  # what the pass found; None before the first one
    n_iter: int = 0  # passes so far
    # how many of them came after the loop had ended, to fill a cluster that the last pass left empty
    n_repairs: int = 0
    is_ended: bool = False  # whether the loop has ended
    is_strict: bool = False  # whether it ended because no label changed any more


@dataclass(frozen=True, eq=False)
class LloydResult:
    """Where the loop ended."""

    centers: Centers
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    inertia: float
    n_iter: int
    is_strict: bool
    algorithm: str
    weights: FloatArray  # weight and mean of the rows of each centre, exact
    means: FloatArray


def save_state(state: LloydState, start: str) -> Saved:
    """Return what a checkpoint keeps of a state; `start` says what the first centres were found on."""
    arrays: ValuesByName = {"centers": state.centers}
    if state.sums is not None:
        arrays |= asdict(state.sums)
    names = ("n_iter", "n_repairs", "is_ended", "is_strict")
    return Saved(arrays, {"start": start} | {name: getattr(state, name) for name in names})


def load_state(saved: Saved) -> LloydState:
    """Return the state that a checkpoint kept."""
    arrays, facts = dict(saved.arrays), dict(saved.facts)
    centers = arrays.pop("centers")
    facts.pop("start")
    return LloydState(centers, Sums(**arrays) if arrays else None, **facts)


def run_lloyd(
    passes: KMeansPasses, state: LloydState, stopping: Stopping, after_pass: Callable[[LloydState], object]
) -> LloydResult:
    """Move the centres until nothing changes, and value them; `after_pass` hears of every pass."""
    tol = stopping.tol * passes.whole.mean_variance
    while True:
        while not state.is_ended:
            state = one_pass(passes, state, stopping.max_iter, tol)
            after_pass(state)
        inertia, sums, algorithm = passes.inertia(state.centers)
        is_whole = state.is_strict or bool(sums.counts.all()) or state.n_repairs >= MOST_REPAIRS
        if is_whole:
            break
        repaired = one_pass(passes, replace(state, sums=None), state.n_iter + 1, -1.0)
        if np.array_equal(repaired.centers, state.centers):
            break  # there are fewer different rows than centres
        state = replace(repaired, n_repairs=state.n_repairs + 1)
        after_pass(state)
    values = sums.values(passes.units)
    weights = values[:, -1]
    means = values[:, :-1] / np.where(weights > 0, weights, 1.0)[:, None]
    means += passes.whole.origin.astype(np.float64)
    return LloydResult(
        state.centers, sums.counts, inertia, state.n_iter, state.is_strict, algorithm, weights, means
    )


def one_pass(passes: KMeansPasses, state: LloydState, max_iter: int, tol: float) -> LloydState:
    """Return the state after one more pass."""
    found = passes.assign(state.centers)
    filled = _fill_empty(passes, state.centers, found)
    centers = _moved(passes, filled or found, state.centers)
    is_strict = filled is None and found.equals(state.sums)
    shift = _squared_shift(centers, state.centers, passes.whole.origin)
    n_iter = state.n_iter + 1
    is_ended = is_strict or shift <= tol or n_iter >= max_iter
    return LloydState(centers, filled or found, n_iter, state.n_repairs, is_ended, is_strict)


def _moved(passes: KMeansPasses, sums: Sums, before: Centers) -> Centers:
    """Return the means of the clusters; a cluster without weight stays where it is."""
    values = sums.values(passes.units)
    weight = values[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = values[:, :-1] / weight + passes.whole.origin.astype(np.float64)
    return np.where(weight > 0, means.astype(before.dtype), before)


def _squared_shift(centers: Centers, before: Centers, origin: Centers) -> float:
    step = (centers - origin).astype(np.float64) - (before - origin).astype(np.float64)
    return float(np.add.accumulate((step * step).ravel())[-1])


def _fill_empty(passes: KMeansPasses, centers: Centers, sums: Sums) -> Sums | None:
    """Return the sums after far rows went to clusters without weight, None if no row did."""
    empty = np.flatnonzero(~(sums.values(passes.units)[:, -1] > 0))
    if empty.size == 0:
        return None
    # each cluster filled takes one row, and at most one more is passed over: the last one of its cluster
    candidates = passes.farthest(centers, sums.counts, 2 * len(empty))
    coarse, fine, counts = sums.coarse.copy(), sums.fine.copy(), sums.counts.copy()
    labels, distances = (
        np.array([getattr(far, name) for far in candidates]) for name in ("label", "distance")
    )
    may_go = np.ones(len(candidates), dtype=bool)
    found = list(rows_for_empty(empty, counts, labels.astype(np.intp), distances, may_go))
    for cluster, position in found:
        far = candidates[position]
        for table, unit in zip((coarse, fine, counts), (*far.units(passes.units), 1), strict=True):
            table[far.label] -= unit
            table[cluster] += unit
    return Sums(coarse, fine, counts) if found else None
