"""K-means, and k-means++ on its own, as functions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Centers, Indices, Init, Labels, MatrixLike, RandomState, VectorLike
from coterie._support.validation import (
    Nothing,
    Seed,
    Whole,
    check_data,
    check_n_clusters,
    check_parameters,
    check_sample_weight,
    check_seed,
)
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.kmeans.spaces import points_of
from coterie.cluster.kmeans.starts import n_candidates
from coterie.errors import InvalidData


def k_means(
    X: MatrixLike,
    n_clusters: int,
    *,
    sample_weight: VectorLike | None = None,
    init: Init = "k-means++",
    n_init: int | str = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: RandomState = None,
    copy_x: bool = True,
    algorithm: str = "auto",
    return_n_iter: bool = False,
) -> tuple[Centers, Labels, float] | tuple[Centers, Labels, float, int]:
    """Return the centres, labels and inertia of k-means: `KMeans` as a function, as scikit-learn has it.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        The rows.
    n_clusters : int
        How many groups.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row.
    init, n_init, max_iter, verbose, tol, random_state, copy_x, algorithm
        As in `KMeans`.
    return_n_iter : bool, default=False
        Whether the number of iterations is returned as well.

    Examples
    --------
    >>> centers, labels, inertia = k_means([[0.0], [1.0], [9.0]], 2, init=[[0.0], [9.0]])
    >>> labels, inertia
    (array([0, 0, 1], dtype=int32), 0.5)
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = (model.cluster_centers_, model.labels_, model.inertia_)
    return (*found, model.n_iter_) if return_n_iter else found


def kmeans_plusplus(
    X: MatrixLike,
    n_clusters: int,
    *,
    sample_weight: VectorLike | None = None,
    x_squared_norms: VectorLike | None = None,
    random_state: RandomState = None,
    n_local_trials: int | None = None,
) -> tuple[Centers, Indices]:
    """Pick rows as first centres by greedy k-means++.

    The first row is drawn by weight. For every further one, candidates are drawn with probability
    ``P(j) = w_j D_j^2 / sum_i w_i D_i^2``, D the distance of a row to its nearest centre so far, and the
    candidate that leaves the least sum is taken. `KMeans` with the same `random_state` begins with these
    rows.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        The rows to pick from.
    n_clusters : int
        How many rows.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; a row of weight 0 is never picked.
    x_squared_norms : array-like of shape (n_samples,), default=None
        Kept for scikit-learn's sake: only its length is checked, the distances need no norms here.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same picks.
    n_local_trials : int or None, default=None
        Candidates per pick; None is 2 + ln(n_clusters), 1 is k-means++ without greed.

    Returns
    -------
    centers : array of shape (n_clusters, n_features)
        The rows. When `X` has fewer different rows than `n_clusters`, the last ones repeat earlier ones.
    indices : array of int of shape (n_clusters,)
        Where they are in `X`.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 9.0]]
    >>> centers, indices = kmeans_plusplus(X, 2, random_state=0)
    >>> 2 in indices
    True
    """
    who = "kmeans_plusplus"
    values = {"n_clusters": n_clusters, "random_state": random_state, "n_local_trials": n_local_trials}
    allowed = {"n_clusters": Whole(1), "random_state": Seed(), "n_local_trials": Nothing() | Whole(1)}
    check_parameters(values, allowed, who=who)
    data = check_data(X, who=who, accept_sparse=True)
    weights = check_sample_weight(sample_weight, data.shape[0], who=who)
    check_n_clusters(n_clusters, data.shape[0], who=who)
    _check_norms(x_squared_norms, data.shape[0])
    points = points_of(data, weights)
    trials = n_candidates(n_clusters) if n_local_trials is None else n_local_trials
    seeds = points.seed(n_clusters, trials, check_seed(random_state), record=False)
    indices = np.resize(seeds.indices, n_clusters)  # starts over where there were too few different rows
    return points.rows(indices), indices


def _check_norms(x_squared_norms: npt.ArrayLike | None, n_rows: int) -> None:
    if x_squared_norms is None:
        return
    length = len(np.atleast_1d(np.asarray(x_squared_norms)))
    if length != n_rows:
        raise InvalidData(
            f"The length of x_squared_norms {length} should be equal to the length of n_samples {n_rows}."
        )
