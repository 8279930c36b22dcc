"""K-means and k-prototypes over blocks in which cells are missing: only cells that are there count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import AnyArray, Centers, Data, FloatArray, Indices, Model, ValuesByName
from coterie.cluster import KMeans as LocalKMeans
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.local_model import add_arrays
from coterie.scale.runtime.passes import compute, fold, tasks

OBSERVED = _core.Metric(_core.Kernel.observed, _core.Finish.identity)


@dataclass(frozen=True, eq=False)
class ObservedRun:
    """Where k-means over observed cells ended."""

    centers: Centers
    sizes: Indices
    inertia: float
    n_iter: int


def run_observed(
    blocks: Blocks, start: Centers, origin: FloatArray, max_iter: int, shift: float
) -> ObservedRun:
    """Move centres to the means of the observed cells of their rows, until they move by less than `shift`.

    Parameters
    ----------
    blocks : Blocks
        Scaled rows; NaN marks what is missing.
    start : array of shape (k, d)
        First centres.
    origin : array of shape (d,)
        About the mean of each column: sums are taken relative to it.
    max_iter : int
        Most passes.
    shift : float
        Squared length of all moves together below which it ends.
    """
    centers, before = np.asarray(start, dtype=blocks.dtype), None
    n_iter = 0
    for n_iter in range(1, max_iter + 1):  # noqa: B007  # the last one is told
        sizes, sums, counts, _ = _pass(blocks, centers, origin)
        moved = np.where(counts > 0, sums / np.maximum(counts, 1) + origin, centers).astype(blocks.dtype)
        way = float(np.square(moved.astype(np.float64) - centers).sum())
        is_same = before is not None and np.array_equal(sums, before)
        centers, before = moved, sums
        if is_same or way <= shift:
            break
    sizes, _, _, inertia = _pass(blocks, centers, origin)
    return ObservedRun(centers, sizes.astype(np.intp), float(inertia), n_iter)


def _pass(blocks: Blocks, centers: Centers, origin: FloatArray) -> tuple[Any, ...]:
    found: tuple[Any, ...] = compute(fold(tasks(blocks, _sums_of_block, centers, origin), add_arrays))
    return found


def _sums_of_block(
    block: Block, _weights: Block | None, centers: Centers, origin: FloatArray
) -> tuple[Any, ...]:
    X, k = block.read(), len(centers)
    labels = _core.nearest(X, centers, OBSERVED, 1)[0]
    is_there = ~np.isnan(X)
    away = np.where(is_there, X.astype(np.float64) - origin, 0.0)
    sums = np.stack([np.bincount(labels, column, minlength=k) for column in away.T], axis=1)
    counts = np.stack([np.bincount(labels, column, minlength=k) for column in is_there.T], axis=1)
    apart = np.where(is_there, X.astype(np.float64) - centers[labels], 0.0)
    return np.bincount(labels, minlength=k), sums, counts, np.float64(np.square(apart).sum())


def observed_model(run: ObservedRun, parameters: ValuesByName, origin: FloatArray) -> LocalKMeans:
    """Return the local class as if it had been fitted to all rows."""
    centers = run.centers[run.sizes > 0]
    found = {
        "cluster_centers_": centers,
        "inertia_": run.inertia,
        "n_iter_": run.n_iter,
        "algorithm_used_": "lloyd",
        "exact_": True,
        "history_": None,
        "_n_init": 1,
        "_n_features_out": len(centers),
        "_origin": origin.astype(centers.dtype),
        "_prepared_centers": None,
        "_geometry_values": {},
        "_geometry_offset": None,
    }
    return LocalKMeans.from_fitted(found, n_columns=centers.shape[1], **parameters)


@dataclass(frozen=True, eq=False)
class PrototypesRun:
    """Where k-prototypes ended."""

    means: Data
    modes: Indices
    sizes: Indices
    costs: FloatArray


def run_prototypes(blocks: Blocks, model: Model, max_iter: int) -> PrototypesRun:
    """Move the prototypes of a model fitted to some rows to those of all rows, until the cost stops falling.

    Parameters
    ----------
    blocks : Blocks
        Scaled numbers and codes of categories; NaN marks what is missing.
    model : KPrototypes or KModes
        Fitted: it tells columns of numbers from those of categories.
    max_iter : int
        Most passes.
    """
    means, modes = model._means, model._modes
    costs: list[float] = []
    best = means, modes
    for _ in range(max_iter + 1):
        found = compute(fold(tasks(blocks, _prototypes_of_block, model, means, modes), add_arrays))
        sizes, sums, known, cost, *levels = found
        if costs and not cost < costs[-1]:
            break
        costs.append(float(cost))
        best, best_sizes = (means, modes), sizes
        means = np.where(known > 0, sums / np.maximum(known, 1), means)
        chosen = [
            np.where(table.sum(axis=1) > 0, table.argmax(axis=1), modes[:, at])
            for at, table in enumerate(levels)
        ]
        modes = np.stack(chosen, axis=1).astype(np.int32) if chosen else modes
        means, modes = np.ascontiguousarray(means), np.ascontiguousarray(modes)
    return PrototypesRun(best[0], best[1], best_sizes, np.array(costs))


def _prototypes_of_block(
    block: Block, _weights: Block | None, model: Model, means: AnyArray, modes: AnyArray
) -> tuple[Any, ...]:
    rows, k = model._split(block.read()), len(means)
    labels, cost = _core.label_by_prototypes(
        rows.numbers, rows.codes, rows.n_levels, means, modes, model.gamma_, 1
    )
    there = ~np.isnan(rows.numbers)
    filled = np.where(there, rows.numbers, 0.0)
    sums = (
        np.stack([np.bincount(labels, c, minlength=k) for c in filled.T], axis=1) if means.shape[1] else means
    )
    known = (
        np.stack([np.bincount(labels, c, minlength=k) for c in there.T], axis=1) if means.shape[1] else means
    )
    tables = []
    for codes, n_levels in zip(rows.codes.T, rows.n_levels.tolist(), strict=True):
        is_known = codes >= 0
        places = labels[is_known].astype(np.int64) * n_levels + codes[is_known]
        tables.append(np.bincount(places, minlength=k * n_levels).reshape(k, n_levels))
    return np.bincount(labels, minlength=k), sums, known, np.float64(cost.sum()), *tables


def prototypes_model(run: PrototypesRun, model: Model) -> Model:
    """Return the model with the prototypes of all rows; clusters without rows are left out."""
    is_used = run.sizes > 0
    state = {name: value for name, value in vars(model).items() if name in type(model)._schema}
    state.pop("labels_", None)
    found = state | {
        "_means": np.ascontiguousarray(run.means[is_used]),
        "_modes": np.ascontiguousarray(run.modes[is_used]),
        "inertia_": float(run.costs[-1]),
        "epoch_costs_": run.costs,
        "n_iter_": len(run.costs) - 1,
    }
    return type(model).from_fitted(found, n_columns=model.n_features_in_, **model.get_params(deep=False))
