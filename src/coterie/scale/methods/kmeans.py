"""K-means over blocks of rows."""

from __future__ import annotations

import uuid
from contextlib import ExitStack
from copy import copy
from typing import Literal

import numpy as np
from dask.array import Array as DaskArray

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import track
from coterie._support.typing import (
    Centers,
    FittedAttributes,
    FloatArray,
    Indices,
    Init,
    JsonObject,
    MatrixLike,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import COUNT, Real, Tensor, Text
from coterie.cluster import KMeans as LocalKMeans
from coterie.cluster.kmeans import (
    ClusteringFeatures,
    Stopping,
    check_centers,
    n_features_kept,
    warn_if_fewer,
)
from coterie.scale import moments
from coterie.scale.blocks import Blocks, decoded_once
from coterie.scale.methods.base import GrowingEstimator, PassingEstimator, weight_blocks
from coterie.scale.methods.coreset import Coreset, draw_coreset, draw_rows, size_of_coreset
from coterie.scale.methods.growing import DRAWN_PER_FEATURE, grow
from coterie.scale.methods.kmeans_passes import (
    KMeansPasses,
    add_numbers,
    distances_of_block,
    fits_on_shelf,
    inertia_of_block,
    label_block,
)
from coterie.scale.methods.lloyd import LloydResult, LloydState, load_state, run_lloyd, save_state
from coterie.scale.runtime.cache import forget_everywhere
from coterie.scale.runtime.checkpoint import Checkpoint, open_checkpoint, rescaled
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.runtime.passes import compute, fold, lazy_array, tasks


@estimator
class KMeans(PassingEstimator, GrowingEstimator):
    """Out-of-core k-means: rows in files or Dask collections, on one machine or many.

    The same as `coterie.cluster.KMeans`, pass by pass over blocks of rows. From the same start it gives the
    same centres, to the bit, for any partitioning of the data and any number of workers: sums are kept in
    whole units, which add up to the same in any order. Blocks keep their bounds from pass to pass where they
    are, as far as there is room.

    Parameters
    ----------
    init : "k-means++" or array, default="k-means++"
        First centres. "k-means++": if the rows are few (32768, or 128 per group), greedy k-means++ on all of
        them, as the local class does. If not, local k-means on a weighted sample of so many rows, drawn in
        one pass. An array gives the centres.
    n_init : "auto" or int, default="auto"
        Starts of the local k-means on the sample; the best one is used. "auto": 10 on a sample, where they
        cost little against one pass over all rows; 1 where the rows are so few that no sample is drawn, as
        in the local class.
    tol : float, default=1e-4
        Stop when the squared shift of all centres together is at most this share of the mean variance of the
        columns.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres. Fewer than `n_clusters`, with a warning, when there are fewer different rows.
    labels_ : Dask array of int32 of shape (n_samples,)
        The nearest centre of each row; lazy, made block by block.
    cluster_sizes_ : array of shape (n_clusters,)
        Rows per group.
    cluster_means_ : array of shape (n_clusters, n_features)
        The mean of the rows of each group in float64; where `tol` ended the passes it is next to the centre.
    inertia_ : float
        The weighted sum of squared distances of the rows to their centres; after `update`, estimated for all
        rows seen from clustering features.
    local_ : coterie.cluster.KMeans
        The same model for rows in memory, which can be saved; it has no `labels_`.
    feature_names_in_ : array of str
        Names of the columns, when there are any.

    Examples
    --------
    >>> import dask.array
    >>> from coterie.scale import KMeans
    >>> X = dask.array.from_array(np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]), chunks=2)
    >>> model = KMeans(n_clusters=2, init=[[1, 2], [10, 2]]).fit(X)
    >>> model.labels_.compute()
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.inertia_
    16.0
    """

    n_clusters: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    init: Init = parameter(Choice("k-means++") | AnArray(), default="k-means++")
    n_init: int | Literal["auto"] = parameter(Choice("auto") | Whole(1), default="auto")
    max_iter: int = parameter(Whole(1), "Most passes.", default=300)
    tol: float = parameter(Number(0), default=1e-4)

    cluster_centers_: Centers = fitted(Tensor("clusters", "columns"))
    cluster_means_: FloatArray = fitted(Tensor("clusters", "columns", kind="f8"))
    inertia_: float = fitted(Real())
    n_iter_: int = fitted(COUNT, "Passes.")
    start_: str = fitted(Text(), "What the first centres were found on.")
    algorithm_used_: str = fitted(Text(), "What found the nearest centres.")
    _origin: FloatArray = fitted(Tensor("columns"))
    cluster_sizes_: Indices = fitted()
    exact_: bool = fitted(meaning="True: every pass took every row into account; False after `update`.")
    local_: LocalKMeans = fitted()
    _coreset: Coreset | None = fitted()
    _blocks: Blocks = fitted()

    def predict(self, X: MatrixLike) -> DaskArray:
        """Return the nearest centre of each row of new data, as a lazy Dask array of int32."""
        return lazy_array(self._new_blocks(X), label_block, self._model(), dtype=np.int32)

    def transform(self, X: MatrixLike) -> DaskArray:
        """Return the distance of each row of new data to each centre, as a lazy Dask array."""
        blocks = self._new_blocks(X)
        dtype = np.promote_types(blocks.dtype, self.cluster_centers_.dtype)
        n_columns = len(self.cluster_centers_)
        return lazy_array(blocks, distances_of_block, self._model(), dtype=dtype, n_columns=n_columns)

    def score(self, X: MatrixLike, y: None = None, sample_weight: object = None) -> float:
        """Return minus the weighted sum of squared distances of new rows to their nearest centres."""
        blocks = self._new_blocks(X)
        weights = weight_blocks(sample_weight, blocks, who=type(self).__name__)
        made = tasks(blocks, inertia_of_block, self._model(), weights=weights)
        return -float(compute(fold(made, add_numbers)))

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, blocks.n_rows, who=who)
        with ExitStack() as inside:
            tracker = inside.enter_context(track(self.progress, "k-means: measuring columns"))
            inside.enter_context(PASS_PROGRESS.shown_by(tracker))
            fits = fits_on_shelf(blocks)
            kept = inside.enter_context(decoded_once(blocks, spill=self.spill, hold=fits))
            whole = moments.measure(kept, weights, who=who, kept_in=self.checkpoint)
            checkpoint = open_checkpoint(self.checkpoint, "kmeans", self._asked(), blocks, whole)
            state, start, coreset = self._first_state(kept, weights, whole, checkpoint)
            passes = KMeansPasses(kept, weights, whole, uuid.uuid4().hex)

            def after_pass(state: LloydState) -> None:
                if checkpoint is not None:
                    checkpoint.save(save_state(state, start))
                tracker.report(state.n_iter, stage="k-means: pass")

            try:
                run = run_lloyd(passes, state, Stopping(self.max_iter, self.tol), after_pass)
            finally:
                forget_everywhere(passes.run)
        return {**self._found(blocks, whole, run, start), "_coreset": coreset}

    def _found(
        self, blocks: Blocks, whole: moments.BlockTotals, run: LloydResult, start: str
    ) -> FittedAttributes:
        centers = run.centers[run.counts > 0]
        warn_if_fewer(len(centers), self.n_clusters)
        model = (centers, whole.origin)
        return {
            "cluster_centers_": centers,
            "labels_": lazy_array(blocks, label_block, model, dtype=np.int32),
            "cluster_sizes_": run.counts[run.counts > 0].astype(np.intp),
            "cluster_means_": run.means[run.counts > 0],
            "inertia_": run.inertia,
            "n_iter_": run.n_iter,
            "exact_": True,
            "start_": start,
            "algorithm_used_": run.algorithm,
            "local_": _local_model(self, centers, whole.origin, run, blocks),
            "_origin": whole.origin,
            "_blocks": blocks,
        }

    def _grow(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        local = grow(self.summarised(), blocks, weights)
        model = (local.cluster_centers_, local._origin)
        return {
            "cluster_centers_": local.cluster_centers_,
            "labels_": lazy_array(blocks, label_block, model, dtype=np.int32),
            "cluster_sizes_": np.rint(local._cluster_weights).astype(np.intp),
            "cluster_means_": local.cluster_centers_.astype(np.float64),
            "inertia_": local.inertia_,
            "n_iter_": local.n_iter_,
            "exact_": False,
            "local_": local,
            "_origin": local._origin,
        }

    def __coterie_stand_in__(self) -> KMeans:
        """Return what a file holds: the local model knows its rows as features, so that it can be updated."""
        kept = copy(self)
        kept.local_ = self.summarised()
        return kept

    def summarised(self) -> LocalKMeans:
        """Return a copy of `local_` that knows its rows as clustering features, so that it can take in more.

        They are made from the sample of the start; where there was none, rows are drawn in one pass.
        """
        local = copy(self.local_)
        if hasattr(local, "features_"):
            return local
        n = n_features_kept(len(local.cluster_centers_), self.n_features_in_)
        seed, coreset = check_seed(self.random_state), getattr(self, "_coreset", None)
        if coreset is None:
            coreset = Coreset(draw_rows(self._blocks, DRAWN_PER_FEATURE * n, seed), None, True)
        sample = ClusteringFeatures.of_rows(coreset.X, coreset.weights, n=n, seed=seed)
        local.features_ = sample.calibrated(self._exact_features(local), local.cluster_centers_)
        return local

    def _exact_features(self, local: LocalKMeans) -> ClusteringFeatures:
        """Return a feature per group, from the sums of the last pass."""
        weights = local._cluster_weights
        away = ((self.cluster_means_ - local.cluster_centers_) ** 2).sum(axis=1)
        within = max(0.0, self.inertia_ - float(weights @ away))
        return ClusteringFeatures(weights, self.cluster_means_, within * weights / weights.sum())

    def _first_state(
        self,
        blocks: Blocks,
        weights: Blocks | None,
        whole: moments.BlockTotals,
        checkpoint: Checkpoint | None,
    ) -> tuple[LloydState, str, Coreset | None]:
        saved = None if checkpoint is None else checkpoint.load()
        if saved is not None and not saved.grown_from:
            return load_state(saved), str(saved.facts["start"]), None
        who, coreset = type(self).__name__, None
        if saved is not None and checkpoint is not None:
            centers = rescaled(saved.arrays["centers"].astype(np.float64), saved, blocks)
            centers = np.ascontiguousarray(centers, dtype=blocks.dtype)
            start = saved.start_words(len(checkpoint.files))
        elif isinstance(self.init, str):
            n_rows = size_of_coreset(self.n_clusters)
            coreset = draw_coreset(blocks, weights, whole, n_rows, seed := check_seed(self.random_state))
            centers = coreset.start(self.n_clusters, self.n_init, seed, who)
            start = f"a sample of {len(coreset.X):,} rows" if coreset.is_sample else "all rows"
        else:
            like = np.empty((0, blocks.n_columns), dtype=blocks.dtype)
            centers, start = check_centers(self.init, self.n_clusters, like, who=who), "given centres"
        state = LloydState(centers)
        if checkpoint is not None:
            checkpoint.save(save_state(state, start))
        return state, start, coreset

    def _asked(self) -> JsonObject:
        init = self.init if isinstance(self.init, str) else np.asarray(self.init, dtype=float)
        return super()._asked() | {"init": init}

    def _model(self) -> tuple[Centers, FloatArray]:
        return self.cluster_centers_, self._origin


def _local_model(
    model: KMeans, centers: Centers, origin: FloatArray, run: LloydResult, blocks: Blocks
) -> LocalKMeans:
    found = {
        "cluster_centers_": centers,
        "inertia_": run.inertia,
        "n_iter_": run.n_iter,
        "algorithm_used_": run.algorithm,
        "exact_": True,
        "history_": None,
        "_n_init": 1,
        "_n_features_out": len(centers),
        "_cluster_weights": run.weights[run.counts > 0],
        "_origin": origin,
        "_prepared_centers": None,
        "_geometry_values": {},
        "_geometry_offset": None,
    }
    return LocalKMeans.from_fitted(
        found,
        n_columns=blocks.n_columns,
        names=blocks.columns,
        n_clusters=model.n_clusters,
        init=model.init,
        max_iter=model.max_iter,
        tol=model.tol,
        random_state=model.random_state,
    )
