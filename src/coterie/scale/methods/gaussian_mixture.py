"""Gaussian mixtures over blocks of rows: expectation by summed statistics."""

from __future__ import annotations

import json
import warnings
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from dask.array import Array as DaskArray

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import track
from coterie._support.typing import (
    FittedAttributes,
    FloatArray,
    Indices,
    JsonObject,
    MatrixLike,
    VectorLike,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Nothing,
    Number,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import COUNT, FLAG, ListOf, Real, Schema, Tensor, Text
from coterie.cluster import GaussianMixture as LocalMixture
from coterie.cluster.mixture import (
    FAMILIES,
    STARTS,
    Draws,
    EMRun,
    GivenStart,
    Parameters,
    Problem,
    StartRows,
    Statistics,
    continue_run,
)
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks, decoded_once
from coterie.scale.methods.base import GrowingEstimator, PassingEstimator
from coterie.scale.methods.coreset import draw_coreset, size_of_coreset
from coterie.scale.methods.growing import expectation_of_blocks, grow
from coterie.scale.methods.local_model import LocalPredictor, add_arrays, count_rows
from coterie.scale.predict import label_block, per_row
from coterie.scale.runtime.checkpoint import Checkpoint, Saved, open_checkpoint
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.runtime.passes import compute, fold, lazy_array, tasks

_ARRAYS = ("weights", "means", "covariances", "factors")
_PARAMETERS = ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_")


@dataclass(frozen=True, eq=False)
class BlockProblem(Problem):
    """A mixture to be fitted to rows in blocks; `X` has no rows and tells the type alone."""

    blocks: Blocks
    weight_blocks: Blocks | None
    weight: float

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return self.weight

    def evaluate(self, parameters: Parameters) -> tuple[float, Statistics]:
        """Return the mean log-likelihood, and the statistics for the next parameters."""
        total, statistics = expectation_of_blocks(self.blocks, self.weight_blocks, parameters, self.shift)
        return total / self.weight, statistics


def saved_run(run: EMRun, start: str) -> Saved:
    """Return what a checkpoint keeps after an iteration."""
    which = {"next": run.parameters, "last": run.previous}
    arrays = {f"{at} {name}": getattr(which[at], name) for at in which for name in _ARRAYS}
    return Saved(arrays, {"start": start, "bounds": run.bounds})


def loaded_run(saved: Saved, problem: BlockProblem) -> EMRun:
    """Return the run that was saved after an iteration; it may have been the last one."""
    last, following = (
        Parameters(problem.family, *(saved.arrays[f"{which} {name}"] for name in _ARRAYS))
        for which in ("last", "next")
    )
    bounds = [float(bound) for bound in saved.facts["bounds"]]
    gain = abs(bounds[-1] - bounds[-2]) if len(bounds) > 1 else np.inf
    return EMRun(following, bounds, bool(gain < problem.tol), kind="step", previous=last)


@estimator
class GaussianMixture(PassingEstimator, GrowingEstimator, LocalPredictor):
    """Out-of-core Gaussian mixtures: expectation-maximisation by sums over blocks.

    The same as `coterie.cluster.GaussianMixture`, with one pass over the blocks per iteration. Sums are added
    in the order of the blocks, so that the result depends on the rows alone; it is that of the local class up
    to rounding where they start from the same parameters.

    Parameters
    ----------
    covariance_type : str, default="full"
        Family of covariances, as in the local class: "full", "tied", "diag", "spherical", or mclust's names.
    weights_init, means_init, precisions_init : arrays, default=None
        First parameters, as in the local class; what is not given is found as `random_state` says.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same rows: same result. If the rows are few (32768, or 128 per component), the start is
        that of the local class; if not, a local mixture is fitted to a weighted sample of so many rows.

    Attributes
    ----------
    weights_, means_, covariances_ : arrays
        The parameters.
    labels_ : Dask array of int32 of shape (n_samples,)
        The likeliest component of each row; lazy.
    cluster_sizes_ : array of shape (n_components,)
        Rows per component, each counted where it is likeliest.
    exact_ : bool
        True: every iteration took every row into account; False after `update`, where rows seen before keep
        their shares. `lower_bound_` then is a lower bound for all rows seen, `cluster_sizes_` counts each row
        where it was likeliest when it came.
    local_ : coterie.cluster.GaussianMixture
        The same model for rows in memory.

    Examples
    --------
    >>> from coterie.scale import GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 9])
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> model.cluster_sizes_
    array([50, 50])
    """

    _schema: ClassVar[Schema] = {name: LocalMixture._schema[name] for name in _PARAMETERS}

    n_components: int = parameter(WholeNumber(1), "How many components.", default=1)
    _: KW_ONLY
    covariance_type: str = parameter(Choice(*FAMILIES), default="full")
    tol: float = parameter(Number(0), "Stop when the mean log-likelihood gains less.", default=1e-3)
    reg_covar: float = parameter(Number(0), "Added to the variances.", default=1e-6)
    max_iter: int = parameter(WholeNumber(1), "Most iterations, each of one pass.", default=100)
    weights_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    means_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)
    precisions_init: VectorLike | None = parameter(Nothing() | AnArray(), default=None)

    cluster_sizes_: Indices = fitted(Tensor("components", kind="i", low=0))
    converged_: bool = fitted(FLAG, "Whether the gain fell below `tol`.")
    n_iter_: int = fitted(COUNT, "Iterations.")
    lower_bound_: float = fitted(Real(), "Mean log-likelihood.")
    lower_bounds_: list[float] = fitted(ListOf(Real()), "Of every iteration.")
    start_: str = fitted(Text(), "What the first parameters were found on.")
    weights_: FloatArray = fitted()
    means_: FloatArray = fitted()
    covariances_: FloatArray = fitted()

    _objective_words: ClassVar[str] = "mean log-likelihood"

    def predict_proba(self, X: MatrixLike) -> DaskArray:
        """Return the share of each row in each component, as a lazy Dask array."""
        blocks = self._new_blocks(X)
        dtype = np.promote_types(blocks.dtype, self.means_.dtype)
        return lazy_array(
            blocks, per_row, self.local_, "predict_proba", dtype=dtype, n_columns=self.n_components
        )

    def score(self, X: MatrixLike, y: None = None) -> float:
        """Return the mean log-likelihood of new rows."""
        blocks = self._new_blocks(X)
        made = tasks(blocks, _likelihood_of_block, self.local_)
        return float(compute(fold(made, add_arrays))) / blocks.n_rows

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_components, blocks.n_rows, who=who, name="n_components")
        with (
            track(self.progress, "mixture: measuring columns") as tracker,
            PASS_PROGRESS.shown_by(tracker),
            decoded_once(blocks, spill=self.spill) as kept,
        ):
            whole = moments.measure(kept, weights, who=who, kept_in=self.checkpoint)
            problem = self._problem(kept, weights, whole)
            checkpoint = open_checkpoint(self.checkpoint, "mixture", self._asked(), blocks, whole)
            run, start = self._first_run(problem, whole, checkpoint)

            def after_pass(iteration: int, *_: float) -> None:
                if checkpoint is not None:
                    checkpoint.save(saved_run(run, start))
                tracker.report(iteration, stage="mixture: iteration")

            if not run.converged:
                continue_run(problem, run, -np.inf, after_pass)
            found = self._found(problem, run, start, blocks)
        if not run.converged:
            scikit_learn.warn_not_converged(who, self.max_iter)
        return found

    def _problem(self, blocks: Blocks, weights: Blocks | None, whole: moments.BlockTotals) -> BlockProblem:
        spread = np.sqrt(whole.columns.variance)
        return BlockProblem(
            X=np.empty((0, blocks.n_columns), dtype=blocks.dtype),
            weights=None,
            family=FAMILIES[self.covariance_type],
            reg_covar=self.reg_covar,
            tol=self.tol,
            max_iter=self.max_iter,
            accelerate=False,
            record=False,
            shift=np.asarray(whole.columns.mean),
            spread=np.where(spread > 0, spread, 1.0),
            blocks=blocks,
            weight_blocks=weights,
            weight=whole.columns.total_weight,
        )

    def _first_run(
        self, problem: BlockProblem, whole: moments.BlockTotals, checkpoint: Checkpoint | None
    ) -> tuple[EMRun, str]:
        """Return where the iterations begin, or go on, and what the first parameters were found on."""
        saved = None if checkpoint is None else checkpoint.load()
        if saved is not None and checkpoint is not None:
            if not saved.grown_from:
                return loaded_run(saved, problem), str(saved.facts["start"])
            if (
                json.dumps(saved.facts["scaling"]) == checkpoint.scaling
            ):  # else covariances are in other units
                parts = (saved.arrays[f"next {name}"] for name in _ARRAYS)
                return EMRun(Parameters(problem.family, *parts)), saved.start_words(len(checkpoint.files))
        first, start = self._start(problem, whole)
        return EMRun(first), start

    def _asked(self) -> JsonObject:
        own = super()._asked()
        given = {name: own.pop(name) for name in _GIVEN}
        arrays = {name: np.asarray(given[name], dtype=float) for name in _GIVEN if given[name] is not None}
        return own | arrays

    def _start(self, problem: BlockProblem, whole: moments.BlockTotals) -> tuple[Parameters, str]:
        shape = (self.n_components, problem.blocks.n_columns)
        parts = {name: getattr(self, name) for name in _GIVEN}
        given = GivenStart.checked(**parts, family=problem.family, shape=shape)
        if given.is_complete:
            return given.complete(None, problem.family, self.reg_covar), "given parameters"
        draws = Draws(self.random_state)
        seed = check_seed(self.random_state) if isinstance(self.random_state, int) else draws.seed()
        n_rows = size_of_coreset(self.n_components)
        coreset = draw_coreset(problem.blocks, problem.weight_blocks, whole, n_rows, seed)
        if not coreset.is_sample:
            rows = StartRows(coreset.X, coreset.weights, self.n_components, problem.family)
            statistics = STARTS["kmeans"](rows, draws)
            return given.complete(statistics, problem.family, self.reg_covar), "all rows"
        local = LocalMixture(
            self.n_components,
            covariance_type=self.covariance_type,
            reg_covar=self.reg_covar,
            random_state=seed % 2**32,
            **parts,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scikit_learn.ConvergenceWarning)  # a start need not be an optimum
            local.fit(coreset.X, sample_weight=coreset.weights)
        return local._parameters(np.dtype(np.float64)), f"a sample of {len(coreset.X):,} rows"

    def _found(self, problem: BlockProblem, run: EMRun, start: str, blocks: Blocks) -> FittedAttributes:
        parameters = run.parameters.astype(problem.blocks.dtype)
        found = {
            "weights_": parameters.weights,
            "means_": parameters.means,
            "covariances_": parameters.covariances,
            "precisions_": parameters.precisions,
            "precisions_cholesky_": parameters.factors,
            "converged_": run.converged,
            "n_iter_": len(run.bounds),
            "lower_bound_": run.bound,
            "lower_bounds_": run.bounds,
        }
        local = LocalMixture.from_fitted(
            found | {"_shift": problem.shift, "history_": None, "_total_weight": float(problem.weight)},
            n_columns=problem.blocks.n_columns,
            names=problem.blocks.columns,
            n_components=self.n_components,
            covariance_type=self.covariance_type,
            tol=self.tol,
            reg_covar=self.reg_covar,
            max_iter=self.max_iter,
        )
        return {
            **found,
            "exact_": True,
            "start_": start,
            "local_": local,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": count_rows(problem.blocks, local, self.n_components),
        }

    def _grow(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        local = grow(copy(self.local_), blocks, weights)
        more = ("converged_", "n_iter_", "lower_bound_", "lower_bounds_")
        return {
            **{name: getattr(local, name) for name in (*_PARAMETERS, *more)},
            "exact_": False,
            "local_": local,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": self.cluster_sizes_ + count_rows(blocks, local, self.n_components),
        }


_GIVEN = ("weights_init", "means_init", "precisions_init")


def _likelihood_of_block(block: Block, weights: Block | None, model: object) -> float:
    total: float = per_row(block, weights, model, "score_samples").sum(dtype=np.float64)
    return total
