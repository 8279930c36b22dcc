"""A fit of kernel k-means: the best of some starts, by the kernel itself or by Nystroem features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.progress import Tracker
from coterie._support.rounding import is_lower
from coterie._support.typing import Data, FloatArray, Init, Labels, Settings, ValuesByName, Weights
from coterie._support.validation import available_memory, require_memory
from coterie._support.validation.schema import FloatType, Instance, Maybe, Record, Tensor
from coterie.cluster.kernel.functions import (
    BLOCK_BYTES,
    KernelBlocks,
    KernelFunction,
    KernelMatrix,
    KernelRows,
    inner_products,
    kernel_matrix,
    least_eigenvalue_share,
)
from coterie.cluster.kernel.runs import Centre, KernelLloyd, KernelRun, first_labels
from coterie.cluster.kmeans.empty_clusters import refill
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.kmeans.starts import seed_of_restart
from coterie.errors import DataNotice

LEAST_SHARE = 1e-10  # of the largest eigenvalue: directions below it are noise
SHARE_OF_MEMORY = 2  # a matrix is kept if it takes at most this part of what is free
ROWS_JUDGED = 300  # of a kernel that may be no inner product
NEGATIVE_SHARE = -1e-6  # of the largest eigenvalue: kernels of float32 are rounded


@dataclass(frozen=True, eq=False)
class Nystroem:
    """Landmark rows and the map from kernels with them to features."""

    kernel: KernelFunction
    landmarks: Data
    projection: FloatArray  # (n_landmarks, n_features)
    least_share: float = 0.0  # least / largest eigenvalue among the landmarks: below 0, no inner product

    def features(self, X: Data) -> FloatArray:
        """Return the features of rows, block by block."""
        n_features = self.projection.shape[1]
        require_memory(
            len(X) * n_features * X.itemsize,
            f"the Nystroem features of {len(X):,} rows",
            "Choose a smaller n_components, or float32.",
        )
        out = np.empty((len(X), n_features), dtype=X.dtype)
        axes = np.ascontiguousarray(self.projection.T, dtype=X.dtype)
        step = max(1, BLOCK_BYTES // (len(self.landmarks) * X.itemsize))
        for first in range(0, len(X), step):
            block = self.kernel.between(X[first : first + step], self.landmarks)
            # by the engine, which gives equal rows equal bits wherever they stand: a BLAS need not
            out[first : first + step] = inner_products(block, axes)
        return out


def fit_nystroem(
    kernel: KernelFunction, X: Data, weights: Weights | None, n_components: int, seed: int
) -> Nystroem:
    """Return features from random landmark rows: K(X, L) K(L, L)^(-1/2)."""
    heavy = np.arange(len(X)) if weights is None else np.flatnonzero(weights)
    size = min(n_components, len(heavy))
    landmarks = np.ascontiguousarray(
        X[np.sort(np.random.default_rng(seed).choice(heavy, size, replace=False))]
    )
    among = kernel.between(landmarks, landmarks).astype(np.float64)
    values, vectors = symmetric_axes((among + among.T) / 2)
    largest = max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    kept = values > LEAST_SHARE * max(values[-1], np.finfo(np.float64).tiny)
    projection = vectors[:, kept] / np.sqrt(values[kept]) if kept.any() else np.zeros((size, 1))
    return Nystroem(kernel, landmarks, projection, float(values[0]) / largest)


@dataclass(frozen=True)
class KernelPlan:
    """What `KernelKMeans` was told, checked."""

    n_clusters: int
    init: Init
    n_init: int
    max_iter: int
    tol: float
    n_components: int
    seed: int


def rows_of(kernel: KernelFunction | None, X: Data) -> KernelRows:
    """Return the kernel of rows, as a matrix if it fits, else in blocks; without a kernel `X` is it."""
    if kernel is None:
        return KernelMatrix(X, np.diagonal(X).astype(np.float64))
    needed, free = len(X) ** 2 * X.itemsize, available_memory()
    diagonal = kernel.of_itself(X)
    if kernel.function is not None:
        require_memory(
            needed,
            f"the kernel matrix of {len(X):,} rows",
            'Use a kernel by name, which needs no matrix, fewer rows, or method="nystroem".',
        )
    elif free is not None and needed > free // SHARE_OF_MEMORY:
        return KernelBlocks(kernel, X, X, diagonal)
    return KernelMatrix(kernel_matrix(kernel, X), diagonal)


def fit_exact(
    rows: KernelRows,
    kernel: KernelFunction | None,
    weights: Weights | None,
    plan: KernelPlan,
    tracker: Tracker,
) -> KernelRun:
    """Return the best of the plan's starts."""
    lloyd = KernelLloyd(rows, weights, plan.n_clusters)
    n_done = 0

    def report() -> None:
        nonlocal n_done
        n_done += 1
        tracker.report(n_done)

    best: KernelRun | None = None
    for restart in range(plan.n_init):
        seed = seed_of_restart(plan.seed, restart)
        start = first_labels(rows, weights, plan.init, plan.n_clusters, seed)
        run = lloyd.run(start, plan.max_iter, plan.tol, report if tracker.is_watched else None)
        best = run if best is None or is_lower(run.inertia, best.inertia) else best
    assert best is not None  # n_init is at least 1
    if kernel is None or not kernel.is_surely_positive:
        share = least_eigenvalue_share(rows, len(rows.diagonal), plan.seed, ROWS_JUDGED)
        if share < NEGATIVE_SHARE or best.has_risen:
            _warn_of_no_inner_product(share, "the inertia need not fall. The best groups seen are kept")
    return best


def fit_features(
    kernel: KernelFunction, X: Data, weights: Weights | None, plan: KernelPlan, tracker: Tracker
) -> tuple[KMeans, Nystroem]:
    """Return k-means of the Nystroem features, and the features."""
    features = fit_nystroem(kernel, X, weights, plan.n_components, plan.seed)
    if features.least_share < NEGATIVE_SHARE:
        _warn_of_no_inner_product(features.least_share, "its features leave the negative part out")
    Z = features.features(X)
    init = plan.init
    if not isinstance(init, str):
        init = _first_means(Z, np.ones(len(Z)) if weights is None else weights, init, plan.n_clusters)
    listen = (lambda step: tracker.report(step.done)) if tracker.is_watched else None
    model = KMeans(
        plan.n_clusters,
        init=init,
        n_init=plan.n_init,
        max_iter=plan.max_iter,
        tol=0,
        tol_inertia=plan.tol or None,
        random_state=plan.seed,
        progress=listen,
    )
    model.fit(Z, sample_weight=weights)
    model.set_params(init="k-means++", progress=None)
    return model, features


def _first_means(Z: FloatArray, weights: Weights, labels: Labels, k: int) -> FloatArray:
    """Return the mean of each group; one without rows takes one first."""

    def means(labels: Labels) -> FloatArray:
        sizes = np.bincount(labels, weights, minlength=k)
        sums = np.stack([np.bincount(labels, weights * column, minlength=k) for column in Z.T], axis=1)
        return np.asarray(sums / np.where(sizes > 0, sizes, 1.0)[:, None])

    squared = ((Z - means(labels)[labels]) ** 2).sum(axis=1)
    return means(refill(labels, squared, k, weights)).astype(Z.dtype)


# what `found_exactly` and `found_by_features` keep for `place`
EXACTLY = Record(
    X=Maybe(Tensor("rows", "columns")),
    members=Tensor("rows", kind="i4", low=-1, below="clusters"),
    weights=Maybe(Tensor("rows", kind="f8", low=0)),
    group_weights=Tensor("clusters", kind="f8", above=1e-290),  # sums are divided by them
    norms=Tensor("clusters", kind="f8"),
    dtype=FloatType(),
)
BY_FEATURES = Record(
    kmeans=Instance(KMeans, n_features_in_="features"),
    landmarks=Tensor("landmarks", "columns"),
    projection=Tensor("landmarks", "features", kind="f8"),
    dtype=FloatType(),
)


def found_exactly(
    run: KernelRun, rows: KernelRows, kernel: KernelFunction | None, X: Data, weights: Weights | None
) -> ValuesByName:
    """Return the fitted attributes of a run by the kernel itself."""
    return {
        "labels_": run.labels,
        "inertia_": run.inertia,
        "n_iter_": run.n_iter,
        "algorithm_used_": "matrix" if isinstance(rows, KernelMatrix) else "blocks",
        "exact_": True,
        "gamma_": 1.0 if kernel is None else kernel.gamma,
        "_n_features_out": len(run.centre.weights),
        "_fitted": {
            "X": None if kernel is None else X,
            "members": run.members,
            "weights": weights,
            "group_weights": run.centre.weights,
            "norms": run.centre.norms,
            "dtype": X.dtype,
        },
    }


def found_by_features(model: KMeans, features: Nystroem) -> ValuesByName:
    """Return the fitted attributes of k-means on features."""
    return {
        "labels_": model.labels_,
        "inertia_": model.inertia_,
        "n_iter_": model.n_iter_,
        "algorithm_used_": "nystroem",
        "exact_": False,
        "gamma_": features.kernel.gamma,
        "_n_features_out": len(model.cluster_centers_),
        "_fitted": {
            "kmeans": model,
            "landmarks": features.landmarks,
            "projection": features.projection,
            "dtype": features.landmarks.dtype,
        },
    }


def place(kernel: KernelFunction | None, fitted: Settings, X: Data) -> FloatArray:
    """Return squared distances of new rows to the means, less their kernel with themselves; (k, n)."""
    rows: KernelRows
    if kernel is None:
        rows = KernelMatrix(np.ascontiguousarray(X.T), np.zeros(0))
    else:
        rows = KernelBlocks(kernel, fitted["X"].astype(X.dtype, copy=False), X, np.zeros(0))
    sums = np.zeros((len(fitted["norms"]), len(X)))
    members = fitted["members"]
    weights = np.ones(len(members)) if fitted["weights"] is None else fitted["weights"]
    heavy = np.flatnonzero((weights > 0) & (members >= 0))
    rows.add(sums, heavy, members[heavy], weights[heavy])
    return Centre(fitted["group_weights"], fitted["norms"]).scores(sums)


def _warn_of_no_inner_product(share: float, consequence: str) -> None:
    warn_caller(
        f"the kernel is not positive semi-definite (smallest eigenvalue {share:.1g} of the largest): it is "
        f"not an inner product, and {consequence}.",
        DataNotice,
    )
