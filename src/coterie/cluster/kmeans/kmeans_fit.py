"""The work of k-means: a start, runs from it, and what a fitted `KMeans` keeps of them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from coterie._support.caller import warn_caller
from coterie._support.progress import track
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, FittedAttributes, SparseData, Weights
from coterie._support.validation import check_n_clusters, check_seed
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer, without_empty
from coterie.cluster.kmeans.history import record_history
from coterie.cluster.kmeans.kmeans import ALGORITHMS, KMeans
from coterie.cluster.kmeans.observed import (
    ObservedPoints,
    refuse_empty_columns,
    refuse_empty_rows,
    refuse_options,
)
from coterie.cluster.kmeans.points import Stopping
from coterie.cluster.kmeans.runs import (
    IterationReporter,
    KMeansPlan,
    best_of_restarts,
    check_improve,
    prepared_init,
)
from coterie.cluster.kmeans.spaces import FittedGeometry, fit_space, learned
from coterie.cluster.kmeans.starts import check_init, count_starts
from coterie.errors import ParameterNotice

RESTARTS = 10  # of starts that are merely random


def fit_k_means(
    model: KMeans, X: Data | SparseData, weights: Weights | None, listener: Listener | None
) -> FittedAttributes:
    """Return the fitted attributes for checked rows."""
    check_n_clusters(model.n_clusters, X.shape[0], who=type(model).__name__)
    space = fit_space(model.geometry, X, who=type(model).__name__)
    plan = _plan(model, X, space)
    has_gaps = model._takes_gaps and not issparse(X) and bool(np.isnan(X).any())
    points = _observed(model, X, weights) if has_gaps else space.points(space.prepare(X), weights)
    with track(model.progress, "k-means: iteration").also(listener) as tracker:
        reporter = IterationReporter(
            tracker, is_verbose=bool(model.verbose), tolerance=plan.stopping.tol * points.mean_variance
        )
        best = best_of_restarts(points, plan, reporter)
        run = best.way.run
        history = record_history(points, best, space.geometry.restore) if model.history else None
    centers, labels = without_empty(run.centers, run.labels)
    warn_if_fewer(len(centers), model.n_clusters)
    return {
        "cluster_centers_": space.geometry.restore(centers),
        "labels_": labels,
        "inertia_": run.inertia,
        "n_iter_": sum(phase.n_iter for phase in best.way.phases),
        "algorithm_used_": run.algorithm,
        "exact_": True,
        "history_": history,
        "_n_init": plan.n_init,
        "_n_features_out": len(centers),
        "_cluster_weights": np.bincount(labels, weights, minlength=len(centers)).astype(np.float64),
        "_origin": points.origin,
        "_prepared_centers": None if space.geometry.distance.transform is None else centers,
        **({"_has_gaps": has_gaps} if model._takes_gaps else {}),
        **learned(space),
    }


def _observed(model: KMeans, X: Data, weights: Weights | None) -> ObservedPoints:
    who = type(model).__name__
    refuse_empty_columns(X, who=who)
    refuse_empty_rows(X, who=who)
    return ObservedPoints(X, weights, resolve_threads())


def _plan(model: KMeans, X: Data | SparseData, space: FittedGeometry) -> KMeansPlan:
    who = type(model).__name__
    init = prepared_init(check_init(model.init, model.n_clusters, X, who=who), X, space, who=who)
    check_improve(model.improve, space, who=who)
    if model._takes_gaps:
        refuse_options(model, who=who)
    algorithm = ALGORITHMS[model.algorithm]
    if model.algorithm == "elkan" and model.n_clusters == 1:
        warn_caller(
            "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
            ParameterNotice,
        )
        algorithm = "lloyd"
    return KMeansPlan(
        n_clusters=int(model.n_clusters),  # of NumPy it may be of 8 bits
        init=init,
        n_init=count_starts(model.n_init, init, 1 if model.improve else RESTARTS, who=who),
        stopping=Stopping(model.max_iter, model.tol, model.tol_inertia),
        algorithm=algorithm,
        seed=check_seed(model.random_state),
        who=who,
        improve=model.improve,
        record=model.history,
    )
