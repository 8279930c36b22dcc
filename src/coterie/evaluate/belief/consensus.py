"""The consensus matrix of an estimator: which rows it puts together whatever the resample."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.progress import ProgressOption, track
from coterie._support.typing import MatrixLike, RandomState
from coterie._support.validation import Number, Seed, Whole, check_parameter, check_seed
from coterie.evaluate.belief.consensus_matrix import ABSENT, Consensus
from coterie.evaluate.belief.refitting import Refitter, draw_subsample, fill_labels, run_all, seed_from

_WHO = "consensus_matrix"


def consensus_matrix(
    estimator: Any,
    X: MatrixLike,
    *,
    n_resamples: int = 50,
    fraction: float = 0.8,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> Consensus:
    """Fit an estimator to many subsamples and count how often two rows are in one cluster.

    Parameters
    ----------
    estimator : estimator
        Anything with ``fit`` and then ``labels_`` or ``predict``. It is copied, not fitted.
    X : array-like, DataFrame, sparse matrix, or square matrix where the estimator takes one
        The data.
    n_resamples : int, default=50
        How many subsamples.
    fraction : float, default=0.8
        Share of the rows in each.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer, whatever the number of threads.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Returns
    -------
    consensus : Consensus
        Keeps the labels of the resamples, and computes the matrix, or tiles of it, on demand.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> found = consensus_matrix(KMeans(2, n_init=5), X, n_resamples=20, random_state=0)
    >>> found.tile(slice(0, 2), slice(2, 4))
    array([[1., 0.],
           [1., 0.]])
    """
    check_parameter(n_resamples, Whole(1), name="n_resamples", who=_WHO)
    check_parameter(fraction, Number(0, 1, open_below=True), name="fraction", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    refitter = Refitter(estimator, X, who=_WHO)
    n_rows = refitter.n_rows

    def resample(rng: np.random.Generator) -> Any:
        draw = draw_subsample(n_rows, fraction, rng)
        return fill_labels(n_rows, draw.rows, refitter.fit_draw(draw, seed_from(rng))[1], ABSENT)

    with track(progress, "consensus: resample", total=n_resamples) as tracker:
        found = run_all(resample, check_seed(random_state), n_resamples, n_rows=n_rows, tracker=tracker)
    return Consensus(np.array(found))
