"""The consensus matrix of an estimator: which rows it puts together whatever the resample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from coterie._support.declarations import held, saved
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import AnyArray, Indices, MatrixLike, RandomState
from coterie._support.validation import Number, Seed, Whole, check_parameter, check_seed, require_memory
from coterie._support.validation.schema import Tensor
from coterie.distance import pairwise_distances
from coterie.evaluate.belief.refitting import Refitter, draw_subsample, fill_labels, run_all, seed_from

ABSENT = -2  # a row that was not drawn; -1 is noise
TILE_ROWS = 1024
_WHO = "consensus_matrix"


@saved(eq=False)
class Consensus:
    """The share of resamples with both rows in which they were in one cluster, for every pair of rows.

    The matrix is not kept, only the labels of the resamples: tiles are computed when they are asked for.

    Parameters
    ----------
    labels : array of int32 of shape (n_resamples, n_samples)
        Clusters of each resample; -1 is noise, which is together with nothing, -2 a row that was not drawn.

    Examples
    --------
    >>> Consensus(np.array([[0, 0, 1], [0, 1, 1], [0, 0, -2]], dtype=np.int32)).toarray()
    array([[1.        , 0.66666667, 0.        ],
           [0.66666667, 1.        , 0.5       ],
           [0.        , 0.5       , 1.        ]])
    """

    labels: npt.NDArray[np.int32] = held(Tensor("resamples", "rows", kind="i4", low=ABSENT, below="rows"))

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return self.labels.shape[1], self.labels.shape[1]

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return int(self.labels.shape[0])

    def tile(self, rows: slice | Indices, columns: slice | Indices) -> npt.NDArray[np.float64]:
        """Return a part of the matrix: rows and columns as slices or indices.

        A pair that was never drawn together has 0; a row with itself has 1.
        """
        first, second = np.arange(self.shape[0])[rows], np.arange(self.shape[0])[columns]
        together, both = self._together(first, second), self._both(first, second)
        tile = np.divide(together, both, out=np.zeros(both.shape), where=both > 0)
        tile[first[:, None] == second] = 1.0
        return tile

    def tiles(self, n_rows: int = TILE_ROWS) -> Iterator[tuple[slice, npt.NDArray[np.float64]]]:
        """Yield the matrix in stripes of some rows, each with the slice of its rows."""
        for start in range(0, self.shape[0], n_rows):
            rows = slice(start, min(start + n_rows, self.shape[0]))
            yield rows, self.tile(rows, slice(None))

    def toarray(self) -> npt.NDArray[np.float64]:
        """Return the whole matrix, if it fits in memory."""
        n = self.shape[0]
        require_memory(8 * n * n, f"the consensus matrix of {n:,} rows", "Use tiles().")
        matrix = np.empty(self.shape)
        for rows, tile in self.tiles():
            matrix[rows] = tile
        return matrix

    @property
    def ambiguity(self) -> float:
        """Share of pairs that are together in 10 % to 90 % of the resamples: 0 when all agree.

        Examples
        --------
        >>> Consensus(np.array([[0, 0, 1], [1, 1, 0]], dtype=np.int32)).ambiguity
        0.0
        """
        n = self.shape[0]
        unsure = sum(int(((tile > 0.1) & (tile < 0.9)).sum()) for _, tile in self.tiles())
        return unsure / max(1, n * (n - 1))

    def _together(self, first: Indices, second: Indices) -> npt.NDArray[np.float64]:
        """Count the resamples in which two rows have one label: equal columns of a Hamming distance."""
        codes = self._codes()
        unequal = pairwise_distances(codes[first], codes[second], metric="hamming").astype(np.float64)
        n_equal = self.n_resamples - np.rint(unequal * self.n_resamples)
        outside = (self.labels < 0).T.astype(np.float32)  # noise and absent rows share a code: take them out
        return np.asarray(n_equal - outside[first] @ outside[second].T)

    def _both(self, first: Indices, second: Indices) -> npt.NDArray[np.float64]:
        drawn = (self.labels != ABSENT).T.astype(np.float32)
        return np.asarray(drawn[first] @ drawn[second].T, dtype=np.float64)

    def _codes(self) -> npt.NDArray[np.float32]:
        return np.ascontiguousarray(np.maximum(self.labels, -1).T, dtype=np.float32)

    def __repr__(self) -> str:
        return f"<consensus of {self.shape[0]:,} rows over {self.n_resamples} resamples>"


def consensus_matrix(
    estimator: object,
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

    def resample(rng: np.random.Generator) -> AnyArray:
        draw = draw_subsample(n_rows, fraction, rng)
        return fill_labels(n_rows, draw.rows, refitter.fit_draw(draw, seed_from(rng))[1], ABSENT)

    with track(progress, "consensus: resample", total=n_resamples) as tracker:
        found = run_all(resample, check_seed(random_state), n_resamples, n_rows=n_rows, tracker=tracker)
    return Consensus(np.array(found))
