"""Mini-batch k-means over blocks of rows: a stream that is seen once, or a few times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from coterie._progress import ProgressOption, track
from coterie._typing import Centers, RandomState
from coterie._validation import (
    AnArray,
    Choice,
    Constraint,
    Flag,
    Function,
    Nothing,
    Number,
    Seed,
    check_n_clusters,
    check_seed,
)
from coterie._validation import Whole as WholeNumber
from coterie.cluster import MiniBatchKMeans as LocalMiniBatchKMeans
from coterie.cluster._minibatch_steps import BatchState, StepRules, step
from coterie.cluster._starts import check_centers
from coterie.scale import moments
from coterie.scale._coreset import draw_coreset, size_of_coreset
from coterie.scale._kmeans_passes import KMeansPasses
from coterie.scale._local import LocalPredictor, name_columns
from coterie.scale.blocks import Block, Blocks
from coterie.scale.lazy import lazy_array
from coterie.scale.passes import compute, read_weights, tasks
from coterie.scale.predict import label_block


class MiniBatchKMeans(LocalPredictor):
    """Mini-batch k-means on rows of any number: every batch moves the centres a little.

    Blocks follow one another in the order of the rows, a block's rows in a random order of its own; a batch
    is some of them. Each centre is the mean of all that it has seen. An approximation of `KMeans`, and said
    to be one (`exact_` is False); `inertia_` is exact, from one more pass.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups.
    init : "k-means++" or array, default="k-means++"
        First centres, as in `coterie.scale.KMeans`.
    batch_size : int, default=8192
        Rows per batch.
    max_iter : int, default=1
        How often all rows are seen.
    reassignment_ratio : float, default=0.01
        A centre that has seen less than this share of what the busiest one has seen restarts at a random row.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same rows: same result.
    progress : None, bool or callable, default=None
        True shows a line on a terminal; a callable is called with a `Progress` each time all rows were seen.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres.
    labels_ : Dask array of int32 of shape (n_samples,)
        The nearest centre of each row; lazy.
    cluster_sizes_ : array of shape (n_clusters,)
        Rows per group.
    inertia_ : float
        The weighted sum of squared distances of all rows to their nearest centres.
    n_steps_ : int
        Batches.
    exact_ : bool
        False: every step looks at one batch.
    start_ : str
        What the first centres were found on.
    local_ : coterie.cluster.MiniBatchKMeans
        The same model for rows in memory.

    Examples
    --------
    >>> from coterie.scale import MiniBatchKMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = MiniBatchKMeans(2, init=[[1, 2], [10, 2]]).fit(X)
    >>> model.labels_.compute()
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_clusters": WholeNumber(1),
        "init": Choice("k-means++") | AnArray(),
        "batch_size": WholeNumber(1),
        "max_iter": WholeNumber(1),
        "reassignment_ratio": Number(0),
        "random_state": Seed(),
        "progress": Nothing() | Flag() | Function(),
    }

    cluster_centers_: Centers
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        batch_size: int = 8192,
        max_iter: int = 1,
        reassignment_ratio: float = 0.01,
        random_state: RandomState = None,
        progress: ProgressOption = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.reassignment_ratio = reassignment_ratio
        self.random_state = random_state
        self.progress = progress

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> Mapping[str, Any]:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, blocks.n_rows, who=who)
        seed = check_seed(self.random_state)
        whole = moments.measure(blocks, weights, who=who)
        centers, start = self._start(blocks, weights, whole, seed)
        state, n_steps = BatchState(centers, np.zeros(len(centers))), 0
        with track(self.progress, "mini-batch k-means: pass", total=self.max_iter) as tracker:
            for epoch in range(self.max_iter):
                state, n_more = self._see_all(blocks, weights, state, [seed, epoch])
                n_steps += n_more
                tracker.report(epoch + 1)
        inertia, sums, _ = KMeansPasses(blocks, weights, whole, None).inertia(state.centers)
        local = self._local(state.centers, whole, inertia, n_steps, blocks)
        return {
            "cluster_centers_": state.centers,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": sums.counts.astype(np.intp),
            "inertia_": inertia,
            "n_steps_": n_steps,
            "exact_": False,
            "start_": start,
            "notes_": ("centres come from batches, an approximation of k-means; what they cost is exact",),
            "local_": local,
        }

    def _start(
        self, blocks: Blocks, weights: Blocks | None, whole: moments.Whole, seed: int
    ) -> tuple[Centers, str]:
        who = type(self).__name__
        if not isinstance(self.init, str):
            like = np.empty((0, blocks.n_columns), dtype=blocks.dtype)
            return check_centers(self.init, self.n_clusters, like, who=who), "given centres"
        coreset = draw_coreset(blocks, weights, whole, size_of_coreset(self.n_clusters), seed)
        how = f"a sample of {len(coreset.X):,} rows" if coreset.is_sample else "all rows"
        return coreset.start(self.n_clusters, 1, seed, who), how

    def _see_all(
        self, blocks: Blocks, weights: Blocks | None, state: BatchState, seed: list[int]
    ) -> tuple[BatchState, int]:
        """Return the state after all blocks, one after the other, and the number of steps."""
        rules = (self.batch_size, self.reassignment_ratio, seed)
        steps = tasks(blocks, _steps_of_block, rules, chain=(state, 0), weights=weights)
        result: tuple[BatchState, int] = compute(steps[-1])
        return result

    def _local(
        self, centers: Centers, whole: moments.Whole, inertia: float, n_steps: int, blocks: Blocks
    ) -> Any:
        local = LocalMiniBatchKMeans(
            self.n_clusters, batch_size=self.batch_size, random_state=self.random_state
        )
        found = {
            "cluster_centers_": centers,
            "inertia_": inertia,
            "n_iter_": self.max_iter,
            "n_steps_": n_steps,
            "_origin": whole.origin,
            "_n_features_out": len(centers),
        }
        local.__dict__.update(found)
        name_columns(local, blocks)
        return local


def _steps_of_block(
    block: Block, weights: Block | None, rules: tuple[int, float, list[int]], before: tuple[BatchState, int]
) -> tuple[BatchState, int]:
    batch_size, ratio, seed = rules
    state, n_steps = before
    X, weight = block.read(), read_weights(weights)
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
