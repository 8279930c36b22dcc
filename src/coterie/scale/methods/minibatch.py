"""Mini-batch k-means over blocks of rows: a stream that is seen once, or a few times."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    Centers,
    FittedAttributes,
    Indices,
    Init,
    JsonObject,
    MatrixLike,
    Model,
    RandomState,
)
from coterie._support.validation import (
    AnArray,
    APath,
    Choice,
    Nothing,
    Number,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import COUNT, Real, Tensor, Text
from coterie.cluster import MiniBatchKMeans as LocalMiniBatchKMeans
from coterie.cluster.kmeans import BatchState, check_centers
from coterie.scale import moments
from coterie.scale.blocks import Blocks
from coterie.scale.methods.base import GrowingEstimator, weight_blocks
from coterie.scale.methods.coreset import draw_coreset, size_of_coreset
from coterie.scale.methods.growing import grow, steps_of_block
from coterie.scale.methods.kmeans_passes import KMeansPasses, add_numbers, inertia_of_block
from coterie.scale.methods.local_model import LocalCentres
from coterie.scale.predict import label_block
from coterie.scale.runtime.checkpoint import Checkpoint, Saved, open_checkpoint, rescaled, rows_before
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.runtime.passes import compute, fold, lazy_array, tasks

BLOCKS_PER_SAVE = 32  # estimate: half a GiB of rows between two saves


@dataclass(frozen=True, eq=False)
class Stream:
    """Where the stream of batches stands; it goes on from here as if it had never stopped."""

    state: BatchState  # the centres, and what they have seen
    start: str  # what the first centres were found on
    seed: int  # of the order of rows
    n_steps: int = 0  # batches, whole passes, and blocks of the pass that is going on
    n_passes: int = 0
    n_blocks: int = 0

    def saved(self) -> Saved:
        """Return what a checkpoint keeps."""
        names = ("start", "seed", "n_steps", "n_passes", "n_blocks")
        facts = {name: getattr(self, name) for name in names}
        arrays = {"centers": self.state.centers, "counts": self.state.counts}
        return Saved(arrays, facts | {"n_since_look": self.state.n_since_look})

    @classmethod
    def loaded(cls, saved: Saved) -> Stream:
        """Return the stream of a checkpoint."""
        facts = dict(saved.facts)
        state = BatchState(**saved.arrays, n_since_look=facts.pop("n_since_look"))
        return cls(state, **facts)


@estimator
class MiniBatchKMeans(GrowingEstimator, LocalCentres):
    """Out-of-core mini-batch k-means: every batch moves the centres a little.

    Blocks follow one another in the order of the rows, a block's rows in a random order of its own; a batch
    is some of them. Each centre is the mean of all that it has seen. An approximation of `KMeans`, and said
    to be one (`exact_` is False); `inertia_` is exact, from one more pass.

    Parameters
    ----------
    init : "k-means++" or array, default="k-means++"
        First centres, as in `coterie.scale.KMeans`.
    reassignment_ratio : float, default=0.01
        A centre that has seen less than this share of what the busiest one has seen restarts at a random row.
    checkpoint : path or None, default=None
        A folder where the state is saved after every 32 blocks and every pass. A fit that was interrupted
        goes on from there when it is repeated with the same data and parameters, to the same end.

    Attributes
    ----------
    labels_ : Dask array of int32 of shape (n_samples,)
        The nearest centre of each row; lazy.
    cluster_sizes_ : array of shape (n_clusters,)
        Rows per group; after `update`, each where it was nearest when it came.
    inertia_ : float
        The weighted sum of squared distances of all rows to their nearest centres; after `update`, of the new
        rows.
    exact_ : bool
        False: every step looks at one batch.
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

    n_clusters: int = parameter(WholeNumber(1), default=8)
    _: KW_ONLY
    init: Init = parameter(Choice("k-means++") | AnArray(), default="k-means++")
    batch_size: int = parameter(WholeNumber(1), "Rows per batch.", default=8192)
    max_iter: int = parameter(WholeNumber(1), "How often all rows are seen.", default=1)
    reassignment_ratio: float = parameter(Number(0), default=0.01)
    random_state: RandomState = None
    checkpoint: str | os.PathLike[str] | None = parameter(Nothing() | APath(), default=None)
    progress: ProgressOption = None

    cluster_centers_: Centers = fitted(Tensor("clusters", "columns"), "The centres.")
    inertia_: float = fitted(Real())
    n_steps_: int = fitted(COUNT, "Batches.")
    start_: str = fitted(Text(), "What the first centres were found on.")
    cluster_sizes_: Indices = fitted()

    def score(self, X: MatrixLike, y: None = None, sample_weight: object = None) -> float:
        """Return minus the weighted sum of squared distances of new rows to their nearest centres."""
        blocks = self._new_blocks(X)
        weights = weight_blocks(sample_weight, blocks, who=type(self).__name__)
        model = (self.cluster_centers_, self.cluster_centers_.mean(axis=0))
        return -float(compute(fold(tasks(blocks, inertia_of_block, model, weights=weights), add_numbers)))

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, blocks.n_rows, who=who)
        whole = moments.measure(blocks, weights, who=who, kept_in=self.checkpoint)
        checkpoint = open_checkpoint(self.checkpoint, "minibatch-kmeans", self._asked(blocks), blocks, whole)
        stream = self._first_stream(blocks, weights, whole, checkpoint)
        with (
            track(self.progress, "mini-batch k-means: pass", total=self.max_iter) as tracker,
            PASS_PROGRESS.shown_by(tracker),
        ):
            while stream.n_passes < self.max_iter:
                stream = self._see_more(blocks, weights, stream, is_whole=checkpoint is None)
                if checkpoint is not None:
                    checkpoint.save(stream.saved())
                if stream.n_blocks == 0:
                    tracker.report(stream.n_passes)
        centers, n_steps = stream.state.centers, stream.n_steps
        inertia, sums, _ = KMeansPasses(blocks, weights, whole, None).inertia(centers)
        local = self._local(stream, whole, inertia, blocks)
        return {
            "cluster_centers_": centers,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": sums.counts.astype(np.intp),
            "inertia_": inertia,
            "n_steps_": n_steps,
            "exact_": False,
            "start_": stream.start,
            "notes_": ("centres come from batches, an approximation of k-means; what they cost is exact",),
            "local_": local,
        }

    def _start(
        self, blocks: Blocks, weights: Blocks | None, whole: moments.BlockTotals, seed: int
    ) -> tuple[Centers, str]:
        who = type(self).__name__
        if not isinstance(self.init, str):
            like = np.empty((0, blocks.n_columns), dtype=blocks.dtype)
            return check_centers(self.init, self.n_clusters, like, who=who), "given centres"
        coreset = draw_coreset(blocks, weights, whole, size_of_coreset(self.n_clusters), seed)
        how = f"a sample of {len(coreset.X):,} rows" if coreset.is_sample else "all rows"
        return coreset.start(self.n_clusters, 1, seed, who), how

    def _first_stream(
        self,
        blocks: Blocks,
        weights: Blocks | None,
        whole: moments.BlockTotals,
        checkpoint: Checkpoint | None,
    ) -> Stream:
        saved = None if checkpoint is None else checkpoint.load()
        if saved is not None and checkpoint is not None:
            if not saved.grown_from:
                return Stream.loaded(saved)
            return self._grown_stream(blocks, saved, checkpoint)
        seed = check_seed(self.random_state)
        centers, start = self._start(blocks, weights, whole, seed)
        return Stream(BatchState(centers, np.zeros(len(centers))), start, seed)

    def _grown_stream(self, blocks: Blocks, saved: Saved, checkpoint: Checkpoint) -> Stream:
        """Return a stream that goes on with the blocks that hold rows of new files."""
        facts = {name: value for name, value in saved.facts.items() if name != "scaling"}
        before = Stream.loaded(Saved(saved.arrays, facts))
        centers = rescaled(before.state.centers.astype(np.float64), saved, blocks).astype(blocks.dtype)
        return replace(
            before,
            state=replace(before.state, centers=np.ascontiguousarray(centers)),
            start=saved.start_words(len(checkpoint.files)),
            n_passes=0,
            n_blocks=rows_before(blocks, checkpoint.files_before()) // blocks.block_rows,
        )

    def _see_more(self, blocks: Blocks, weights: Blocks | None, stream: Stream, *, is_whole: bool) -> Stream:
        """Return the stream after the blocks of this pass, all that are left or some, one after the other."""
        last = blocks.n_blocks if is_whole else min(stream.n_blocks + BLOCKS_PER_SAVE, blocks.n_blocks)
        rules = (int(self.batch_size), self.reassignment_ratio, [stream.seed, stream.n_passes])
        before = (stream.state, stream.n_steps)
        only = range(stream.n_blocks, last)
        steps = tasks(blocks, steps_of_block, rules, chain=before, weights=weights, only=only)
        state, n_steps = compute(steps[-1])
        ends = last == blocks.n_blocks
        return replace(
            stream,
            state=state,
            n_steps=n_steps,
            n_passes=stream.n_passes + int(ends),
            n_blocks=0 if ends else last,
        )

    def _asked(self, blocks: Blocks) -> JsonObject:
        """Return the parameters that tell this fit from others."""
        names = ("n_clusters", "batch_size", "max_iter", "reassignment_ratio")
        init = self.init if isinstance(self.init, str) else np.asarray(self.init, dtype=float)
        seed = self.random_state if isinstance(self.random_state, int) else None
        own = {name: getattr(self, name) for name in names} | {"init": init, "seed": seed}
        return own | {"block_rows": blocks.block_rows}

    def _grow(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        local = grow(copy(self.local_), blocks, weights)
        centers = local.cluster_centers_
        whole = moments.measure(blocks, weights, who=type(self).__name__)
        inertia, sums, _ = KMeansPasses(blocks, weights, whole, None).inertia(centers)
        local.inertia_ = inertia
        return {
            "cluster_centers_": centers,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": self.cluster_sizes_ + sums.counts.astype(np.intp),
            "inertia_": inertia,
            "n_steps_": local.n_steps_,
            "local_": local,
        }

    def _local(self, stream: Stream, whole: moments.BlockTotals, inertia: float, blocks: Blocks) -> Model:
        centers = stream.state.centers
        found = {
            "cluster_centers_": centers,
            "inertia_": inertia,
            "n_iter_": self.max_iter,
            "n_steps_": stream.n_steps,
            "exact_": False,
            "_counts": stream.state.counts,
            "_n_since_look": int(stream.state.n_since_look),
            "_seed": stream.seed,
            "_n_init": 1,
            "_init_size": min(size_of_coreset(self.n_clusters), blocks.n_rows),
            "_origin": whole.origin,
            "_n_features_out": len(centers),
        }
        return LocalMiniBatchKMeans.from_fitted(
            found,
            n_columns=blocks.n_columns,
            names=blocks.columns,
            n_clusters=self.n_clusters,
            batch_size=self.batch_size,
            reassignment_ratio=self.reassignment_ratio,
            random_state=self.random_state,
        )
