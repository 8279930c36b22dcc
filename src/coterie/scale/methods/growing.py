"""New rows in blocks for local models: one pass, or a few, over the new rows alone."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.threads import one_thread
from coterie._support.typing import Centers, Data, FloatArray, Labels, Model, Weights
from coterie._support.validation import check_seed, shift_seed
from coterie.cluster.kmeans import BatchState, ClusteringFeatures, StepRules, n_features_kept, step
from coterie.cluster.mixture import Parameters, Statistics, grow_mixture, statistics_of
from coterie.data.sampling import uniform_of_rows
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.blocks import Block, Blocks, finite_rows
from coterie.scale.methods.local_model import add_arrays
from coterie.scale.runtime.passes import compute, fold, read_weights, tasks

DRAWN_PER_FEATURE = 16  # rows that features are made of
SEED_OF_GROWTH = 7919  # apart from the streams of a fit


@dataclass(frozen=True, eq=False)
class NewRowTotals:
    """What one pass over new rows finds: sums per cluster, and a weighted sample."""

    exact: ClusteringFeatures  # one per centre, of weight 0 where a centre has none
    X: Data  # the sample
    weights: Weights  # how much weight each of its rows stands for
    n_rows: int


def grow(model: Model, blocks: Blocks, weights: Blocks | None = None) -> Model:
    """Let a local model take in new rows; it is changed, and returned.

    Parameters
    ----------
    model : KMeans, MiniBatchKMeans, GaussianMixture or Birch of `coterie.cluster`
        Fitted.
    blocks : Blocks
        The new rows, in the columns of the fit.
    weights : Blocks, default=None
        Their weights.
    """
    growers = {
        "KMeans": _grow_kmeans,
        "MiniBatchKMeans": _grow_minibatch,
        "GaussianMixture": _grow_mixture,
        "Birch": _grow_birch,
    }
    name = type(model).__name__
    if name not in growers:
        raise InvalidParameter(
            f"a {name} cannot be updated with new rows; {', '.join(growers)} can. Fit old and new rows "
            f"together."
        )
    growers[name](model, blocks, weights)
    return model


def look_at_new(
    blocks: Blocks, weights: Blocks | None, centers: Centers, typical: float, n_drawn: int, seed: int
) -> NewRowTotals:
    """Sum up new rows by their nearest centre and draw about `n_drawn` of them, in one pass.

    Half of the chance of a row is its weight, the other half its squared distance to its centre: rows far
    from all centres are what a fit has not seen yet. `typical` is that squared distance in the fit.
    """
    args = (np.asarray(centers, dtype=np.float64), typical, n_drawn / blocks.n_rows, seed)
    made = tasks(blocks, _look_at_block, *args, weights=weights)
    found: NewRowTotals = compute(fold(made, _add_looks))
    return found


def _grow_kmeans(model: Model, blocks: Blocks, weights: Blocks | None) -> None:
    centers, seen = model.cluster_centers_, model.seen_features()
    n = n_features_kept(int(model.n_clusters), blocks.n_columns)
    seed = shift_seed(check_seed(model.random_state), SEED_OF_GROWTH + int(seen.total_weight) % 2**31)
    typical = model.inertia_ / seen.total_weight
    new = look_at_new(blocks, weights, centers, typical, DRAWN_PER_FEATURE * n, seed)
    if not new.exact.total_weight > 0:
        return  # nothing but rows without weight
    sample = ClusteringFeatures.of_rows(new.X, new.weights, n=n, seed=seed)
    model.take_in(sample.calibrated(new.exact, centers))


def _grow_mixture(model: Model, blocks: Blocks, weights: Blocks | None) -> None:
    total = float(blocks.n_rows) if weights is None else _sum_of(weights)

    def evaluate(parameters: Parameters) -> tuple[float, Statistics]:
        return expectation_of_blocks(blocks, weights, parameters, model._shift)

    model.take_in(grow_mixture(model, evaluate, total))


def expectation_of_blocks(
    blocks: Blocks, weights: Blocks | None, parameters: Parameters, shift: FloatArray
) -> tuple[float, Statistics]:
    """Return the log-likelihood of rows in blocks, and the statistics of their shares."""
    made = tasks(blocks, _shares_of_block, parameters, shift, weights=weights)
    total, sizes, deviations, scatter = compute(fold(made, add_arrays))
    if not np.isfinite(total):
        raise InvalidData(
            "the likelihood of the mixture is not a number: some rows are too far from every component "
            f"for {blocks.dtype} numbers. Scale the columns, or increase reg_covar."
        )
    if parameters.family.kernel_shape != "diag":
        scatter = scatter.reshape(len(sizes), blocks.n_columns, -1)
    return float(total), statistics_of(sizes, deviations, scatter, parameters.means)


def _grow_minibatch(model: Model, blocks: Blocks, weights: Blocks | None) -> None:
    state = BatchState(model.cluster_centers_, model._counts, model._n_since_look)
    seed = [int(model._seed), SEED_OF_GROWTH, int(model.n_steps_)]
    rules = (int(model.batch_size), float(model.reassignment_ratio), seed)
    steps = tasks(blocks, steps_of_block, rules, chain=(state, int(model.n_steps_)), weights=weights)
    state, n_steps = compute(steps[-1])
    model.__dict__.pop("labels_", None)
    model.__dict__.update(
        cluster_centers_=state.centers,
        _counts=state.counts,
        _n_since_look=state.n_since_look,
        _origin=state.centers.mean(axis=0),
        n_steps_=n_steps,
    )


def _grow_birch(model: Model, blocks: Blocks, weights: Blocks | None) -> None:
    grown = compute(tasks(blocks, _birch_of_block, chain=model, weights=weights)[-1])
    for name in ("labels_", "_nearest"):
        model.__dict__.pop(name, None)
    model.__dict__.update(vars(grown))


def _birch_of_block(block: Block, weights: Block | None, before: Model) -> Model:
    """Return BIRCH after the rows of a block, which enter the tree one after the other."""
    return copy(before).partial_fit(finite_rows(block, "Birch"), sample_weight=read_weights(weights))


def _shares_of_block(
    block: Block, weights: Block | None, parameters: Parameters, shift: FloatArray
) -> tuple[Any, ...]:
    X = finite_rows(block, "GaussianMixture")
    return _core.mixture_sums(X, parameters.native(shift), read_weights(weights), 1)[:4]


def _look_at_block(
    block: Block, weights: Block | None, centers: FloatArray, typical: float, chance: float, seed: int
) -> NewRowTotals:
    X, weight = finite_rows(block, "KMeans"), read_weights(weights)
    weight = np.ones(len(X)) if weight is None else weight
    rows: Any = X.astype(np.float64, copy=False)
    with one_thread("openmp"):
        labels: Labels = _core.kmeans_labels(rows, centers, centers.mean(axis=0), None, 1)[0]
    squared = ((rows - centers[labels]) ** 2).sum(axis=1)
    features = ClusteringFeatures(weight, rows, np.zeros(len(rows)))
    exact = features.merged(labels, len(centers), keeps_empty=True)
    # where all rows are far, no more of them are drawn than elsewhere
    scale = max(typical, float(squared.mean()), np.finfo(float).tiny)
    mean = float(weight.mean()) or 1.0
    chances = np.minimum(1.0, chance * (weight / mean) * (0.5 + 0.5 * squared / scale))
    taken = np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed]) < chances)
    return NewRowTotals(exact, X[taken], weight[taken] / chances[taken], len(X))


def _add_looks(total: NewRowTotals | None, found: list[NewRowTotals]) -> NewRowTotals:
    parts = found if total is None else [total, *found]
    k = len(parts[0].exact.weights)
    every = ClusteringFeatures(
        np.concatenate([part.exact.weights for part in parts]),
        np.concatenate([part.exact.means for part in parts]),
        np.concatenate([part.exact.squares for part in parts]),
    )
    return NewRowTotals(
        every.merged(np.tile(np.arange(k, dtype=np.int32), len(parts)), k, keeps_empty=True),
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.weights for part in parts]),
        sum(part.n_rows for part in parts),
    )


def steps_of_block(
    block: Block, weights: Block | None, rules: tuple[int, float, list[int]], before: tuple[BatchState, int]
) -> tuple[BatchState, int]:
    """Return centres and number of steps after the batches of a block, whose rows come in random order."""
    batch_size, ratio, seed = rules
    state, n_steps = before
    X, weight = finite_rows(block, "MiniBatchKMeans"), read_weights(weights)
    X = X.astype(state.centers.dtype, copy=False)
    random = np.random.default_rng([*seed, block.index])
    order = random.permutation(len(X))
    step_rules = StepRules(ratio, 1, _say_nothing)
    for first in range(0, len(X), batch_size):
        rows = order[first : first + batch_size]
        batch_weight = None if weight is None else weight[rows]
        state, _ = step(state, np.ascontiguousarray(X[rows]), batch_weight, random, step_rules)
        n_steps += 1
    return state, n_steps


def _say_nothing(_text: str) -> None:
    pass


def _sum_of(weights: Blocks) -> float:
    return float(compute(fold(tasks(weights, _weight_of_block), add_arrays)))


def _weight_of_block(block: Block, _weights: Block | None) -> float:
    read = read_weights(block)
    assert read is not None
    return float(read.sum())
