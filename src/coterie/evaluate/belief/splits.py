"""Splits in two: whether one Gaussian would have been split as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.progress import ProgressOption, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyFunction,
    Data,
    Indices,
    Labels,
    MatrixLike,
    Model,
    RandomState,
    VectorLike,
)
from coterie._support.validation import Seed, Whole, check_data, check_parameter, check_seed, shift_seed
from coterie.errors import InvalidData
from coterie.evaluate.belief.null_models import fit_null
from coterie.evaluate.belief.refitting import Refitter, labels_of, run_all, seed_from
from coterie.evaluate.belief.significance import Significance
from coterie.evaluate.internal.partitions import read_partition

_WHO = "split_significance"
STARTS = 5  # 2-means of a cloud has few optima; a worse one would make the data look better


def split_significance(
    X: MatrixLike,
    labels: VectorLike,
    *,
    estimator: Model = None,
    null: str | AnyFunction = "gaussian",
    n_draws: int = 199,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> Significance:
    """Test whether two clusters are one Gaussian cut in two, in the manner of SigClust.

    The statistic is the cluster index, the share of the sum of squares that lies within the two clusters;
    small is good. It is compared with that of draws without clusters, each split in two.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        Two clusters; rows labelled -1 are left out.
    estimator : estimator, default=None
        What splits the draws, which should be what split the data; None: the best of 5 runs of 2-means, which
        makes the index least.
    null : str or callable, default="gaussian"
        As in `significance`.
    n_draws : int, default=199
        How many.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer, whatever the number of threads.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Returns
    -------
    significance : Significance
        `p_normal` tells apart p-values that are too small for the number of draws.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(5, 1, (40, 2))])
    >>> split_significance(X, np.repeat([0, 1], 40), n_draws=99, random_state=0).p_value
    0.01
    """
    check_parameter(n_draws, Whole(1), name="n_draws", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    data = check_data(X, who=_WHO, min_rows=4)
    rows, halves = _two_clusters(labels, len(data))
    data = data if len(rows) == len(data) else np.ascontiguousarray(data[rows])
    model = fit_null(null, data, who=_WHO)
    split = _splitter(estimator, data)

    def play(rng: np.random.Generator) -> float:
        drawn = model.draw(rng)
        return cluster_index(drawn, split(drawn, seed_from(rng)))

    with track(progress, "chance: split", total=n_draws) as tracker:
        draws = run_all(play, check_seed(random_state), n_draws, n_rows=len(data), tracker=tracker)
    observed = cluster_index(data, halves)
    return Significance("cluster index", model.name, model.words, observed, np.array(draws), False)


def cluster_index(X: Data, labels: Labels) -> float:
    """Return the share of the sum of squares that lies within clusters; nan for equal rows.

    Examples
    --------
    >>> cluster_index(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 0, 1]))
    0.6666666666666667
    """
    rows = X - X.mean(axis=0, dtype=np.float64)
    total = float(np.einsum("ij,ij->", rows, rows))
    if total == 0:
        return float("nan")
    between = 0.0
    for label in np.unique(labels):
        part = rows[labels == label]
        mean = part.mean(axis=0)
        between += len(part) * float(mean @ mean)
    return 1.0 - between / total


def two_means(X: Data, seed: int) -> Labels:
    """Return the best of a few runs of 2-means."""
    threads = resolve_threads()
    columns = _core.column_moments(X, None, threads)
    options = _core.KMeansOptions(max_iter=300, tol=0.0, n_threads=threads)
    best: _core.KMeansFit | None = None
    for start in range(STARTS):
        seeds: Any = _core.kmeans_seed(X, 2, None, 2, shift_seed(seed, start), False, threads)
        run = _core.kmeans_fit(X, X[seeds.indices], None, options, None, columns)
        if best is None or is_lower(run.inertia, best.inertia):
            best = run
    assert best is not None
    return np.asarray(best.labels)


def _splitter(estimator: object, X: Data) -> Callable[[Data, int], Labels]:
    if estimator is None:
        return two_means
    refitter = Refitter(estimator, X, who=_WHO)
    return lambda drawn, seed: labels_of(refitter.fit(drawn, seed=seed), drawn, who=_WHO)


def _two_clusters(labels: VectorLike, n_rows: int) -> tuple[Indices, Labels]:
    partition = read_partition(labels, "exclude")
    n_labels = partition.n_samples + partition.n_left_out
    if n_labels != n_rows:
        raise InvalidData(
            f"labels of {_WHO} must name a cluster for each of the {n_rows} rows, got {n_labels}."
        )
    if partition.n_clusters != 2 or partition.n_samples < 4:
        raise InvalidData(
            f"labels of {_WHO} must name two clusters of at least four rows together, got "
            f"{partition.n_clusters} clusters of {partition.n_samples} rows. For more clusters use "
            f"significance; for a tree use node_significance."
        )
    return (np.arange(n_rows) if partition.rows is None else partition.rows), partition.codes
