"""Mini-batch k-means: a few rows at a time, also from a stream."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Data,
    FittedAttributes,
    Init,
    MatrixLike,
    RandomState,
    SparseData,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Flag,
    Nothing,
    Number,
    Seed,
    Whole,
    check_data,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import COUNT, FLAG, Tensor
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.minibatch_fit import (
    BatchState,
    MiniBatchPlan,
    StepRules,
    first_state,
    resolve_init_size,
    run_batches,
    step,
)
from coterie.cluster.kmeans.spaces import label_rows
from coterie.cluster.kmeans.starts import check_init, count_starts

RESTARTS = 3  # of starts that are merely random


@estimator
class MiniBatchKMeans(CenterClusterer):
    """Mini-batch k-means: each step uses a few random rows.

    At each step a batch is drawn, its rows go to their nearest centres, and every centre moves to the mean of
    all rows it has seen so far. Faster than `KMeans` per pass but only close to its optimum; with
    `partial_fit` the rows may come from a stream. A drop-in for scikit-learn's class.

    Parameters
    ----------
    init : {"k-means++", "random", "random partition"}, array or callable, default="k-means++"
        First centres, as in `KMeans`, picked from `init_size` rows.
    max_iter : int, default=100
        Most passes: at most ``max_iter * n_samples // batch_size`` steps are made.
    tol : float, default=0.0
        Stop when the squared shift of all centres together is at most this share of the mean variance of the
        columns; 0 never stops.
    max_no_improvement : int or None, default=10
        Stop when a running mean of the inertia has not fallen for so many steps; None never stops.
    init_size : int or None, default=None
        Rows that starts are picked from and compared on; None is three batches, or three times `n_clusters`
        if that is more than a batch.
    n_init : "auto" or int, default="auto"
        How many starts are compared. "auto" is 3 for starts that are merely random or a callable's, 1
        otherwise.
    reassignment_ratio : float, default=0.01
        Centres that have seen less than this share of the largest count are moved to random rows now and
        then.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres.
    labels_ : array of int32 of shape (n_samples,)
        The nearest centre of each row, if `compute_labels`; of the last batch after `partial_fit`.
    inertia_ : float
        The weighted sum of squared distances to the nearest centre; without `compute_labels` an estimate from
        the batches.
    n_iter_ : int
        Passes over the data, the last one rounded up.

    Examples
    --------
    >>> from coterie.cluster import MiniBatchKMeans
    >>> stream = [[[0.0], [10.0]], [[1.0], [11.0]], [[2.0], [12.0]]]
    >>> model = MiniBatchKMeans(2, init=[[0.0], [10.0]])
    >>> for batch in stream:
    ...     model = model.partial_fit(batch)
    >>> model.cluster_centers_
    array([[ 1.],
           [11.]])
    >>> model.n_steps_
    3
    """

    _sometimes = ("labels_",)

    n_clusters: int = 8
    _: KW_ONLY
    init: Init = "k-means++"
    max_iter: int = 100
    batch_size: int = parameter(Whole(1), "Rows per step.", default=1024)
    verbose: int = parameter(meaning="Whether to print every step.", default=0)
    compute_labels: bool = parameter(Flag(), "Whether to label all rows at the end.", default=True)
    random_state: RandomState = None
    tol: float = 0.0
    max_no_improvement: int | None = parameter(Whole(0) | Nothing(), default=10)
    init_size: int | None = parameter(Whole(1) | Nothing(), default=None)
    n_init: int | str = "auto"
    reassignment_ratio: float = parameter(Number(0), default=0.01)
    progress: ProgressOption = None

    exact_: bool = fitted(FLAG, "False: centres are moved by samples.")
    _counts: Weights = fitted(Tensor("clusters", kind="f8", low=0))
    _n_since_look: int = fitted(COUNT)
    _seed: int = fitted(Seed())
    _n_init: int = fitted(COUNT)
    _init_size: int = fitted(COUNT)
    n_steps_: int = fitted(COUNT, "Batches used.")

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        plan = self._plan(X)
        with track(self.progress, "mini-batch k-means: step").also(listener) as tracker:
            fit = run_batches(X, weights, plan, tracker)
        total = X.shape[0] if weights is None else float(weights.sum())
        return {
            "inertia_": fit.inertia_per_row * total,
            **self._state_attributes(fit.state, X, weights),
            **_plan_attributes(plan),
            "n_steps_": fit.n_steps,
            "n_iter_": math.ceil(fit.n_steps * plan.batch_size / X.shape[0]),
        }

    @fitting
    def partial_fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Make one step with the rows of `X` as the batch; the first call picks the centres from them.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The batch.
        """
        self._check_parameters()
        is_first = not hasattr(self, "cluster_centers_")
        data = check_data(X, estimator=self, reset=is_first, accept_sparse=True)
        self._require_centers(data)
        weights = self._check_weights(sample_weight, data.shape[0])
        if is_first:
            plan = self._plan(data)
            state = first_state(data, weights, plan)
            self.__dict__.update(_plan_attributes(plan))
            self.n_steps_ = 0
        else:
            data = data.astype(self.cluster_centers_.dtype, copy=False)
            state = BatchState(self.cluster_centers_, self._counts, self._n_since_look)
        # a stream of its own for every step: a model that was saved in between goes on in the same way
        random = np.random.default_rng([self._seed, 3, self.n_steps_])
        rules = StepRules(self.reassignment_ratio, resolve_threads(), self._say)
        state, _ = step(state, data, weights, random, rules)
        self.__dict__.update(self._state_attributes(state, data, weights))
        self.n_steps_ += 1
        return self

    def _say(self, text: str) -> None:
        if self.verbose:
            print(text)

    def _plan(self, X: Data | SparseData) -> MiniBatchPlan:
        who, n_rows = type(self).__name__, X.shape[0]
        check_n_clusters(self.n_clusters, n_rows, who=who)
        init = check_init(self.init, self.n_clusters, X, who=who)
        # of NumPy they may be of 8 bits
        n_clusters, batch_size = int(self.n_clusters), min(int(self.batch_size), n_rows)
        return MiniBatchPlan(
            n_clusters=n_clusters,
            init=init,
            n_init=count_starts(self.n_init, init, RESTARTS, who=who),
            init_size=resolve_init_size(self.init_size, batch_size, n_clusters, n_rows),
            batch_size=batch_size,
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            max_no_improvement=self.max_no_improvement,
            reassignment_ratio=self.reassignment_ratio,
            seed=check_seed(self.random_state),
            who=who,
            say=self._say,
        )

    def _state_attributes(
        self, state: BatchState, X: Data | SparseData, weights: Weights | None
    ) -> ValuesByName:
        origin = state.centers.mean(axis=0)
        found: ValuesByName = {
            "cluster_centers_": state.centers,
            "exact_": False,
            "_counts": state.counts,
            "_n_since_look": state.n_since_look,
            "_n_features_out": len(state.centers),
            "_origin": origin,
        }
        if self.compute_labels:
            found["labels_"], found["inertia_"] = label_rows(X, state.centers, origin, weights)
        return found


def _plan_attributes(plan: MiniBatchPlan) -> ValuesByName:
    return {"_seed": plan.seed, "_n_init": plan.n_init, "_init_size": plan.init_size}
