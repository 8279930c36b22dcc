"""Mean shift: every seed climbs to a peak of the density, and rows belong to the nearest peak."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    Centers,
    Data,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Flag,
    Nothing,
    Number,
    Seed,
    Whole,
    check_data,
    check_parameter,
)
from coterie._support.validation.parameters import engine_count, legacy_draws
from coterie._support.validation.schema import COUNT, Tensor, check_squares
from coterie.cluster.base import Clusterer, Listener
from coterie.distance import Nearest, find_distance, nearest
from coterie.distance.engines import TREE_MOST_FEATURES
from coterie.errors import DataNotice, InvalidParameter

PAIRS_AT_ONCE = 1 << 19  # distances that are held together
TREE_SHARE = (
    6  # rows per neighbour beyond which lists from the tree are faster than all pairs: measured in 2 columns
)


@estimator
class MeanShift(Clusterer):
    """Mean shift: groups around the peaks of the density; finds the number of groups.

    Every seed moves to the mean of the rows within `bandwidth` of it, again and again, until it moves by less
    than a thousandth of the bandwidth. Of peaks within the bandwidth of each other the one with most rows
    stays, and every row goes to the nearest peak. A drop-in for scikit-learn's class with the same labels.

    Parameters
    ----------
    bandwidth : float, default=None
        Radius about a seed. None: `estimate_bandwidth` with its defaults.
    seeds : array-like of shape (n_seeds, n_features), default=None
        Where to begin. None: at every row, or as `bin_seeding` says.
    bin_seeding : bool, default=False
        Begin at the points of a grid as wide as the bandwidth that have rows about them: faster, with nearly
        the same peaks.
    cluster_all : bool, default=True
        False: rows farther than the bandwidth from every peak are noise, -1.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The peaks, those with most rows within the bandwidth first.
    labels_ : array of int of shape (n_samples,)
        The nearest peak of each row.

    Notes
    -----
    Seeds move together over a tree of the rows, and seeds that meet go on as one. Sums are exact, so that the
    peaks do not depend on the order of the rows; ties between peaks go by their coordinates. After
    comaniciu-2002 of docs/references.md.

    Examples
    --------
    >>> from coterie.cluster import MeanShift
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = MeanShift(bandwidth=2).fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0])
    >>> model.predict([[0, 0], [5, 5]])
    array([1, 0])
    """

    _: KW_ONLY
    bandwidth: float | None = parameter(Nothing() | Number(0.0, open_below=True), default=None)
    seeds: MatrixLike | None = parameter(Nothing() | AnArray(), default=None)
    bin_seeding: bool = parameter(Flag(), default=False)
    min_bin_freq: int = parameter(Whole(1), "Rows that a point of the grid needs to be a seed.", default=1)
    cluster_all: bool = parameter(Flag(), default=True)
    n_jobs: int | None = parameter(Nothing() | Whole(), default=None)
    max_iter: int = parameter(Whole(0), "Most steps of a seed.", default=300)

    cluster_centers_: Centers = fitted(Tensor("clusters", "columns"))
    labels_: Labels = fitted(Tensor("rows", kind="i8", low=-1, below="clusters"))
    n_iter_: int = fitted(COUNT, "Steps of the seed that took most.")
    bandwidth_: float = fitted(Number(0.0), "The radius that was used.")

    row_attributes = ("labels_",)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_squares(state["cluster_centers_"], who=cls.__name__, name="cluster_centers_")

    def predict(self, X: MatrixLike) -> Labels:
        """Return the nearest peak of each row, however far."""
        scikit_learn.check_is_fitted(self)
        return _nearest_peaks(self._check_new(X), self.cluster_centers_, self.n_jobs).index

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        rows: Data = X
        bandwidth = self.bandwidth if self.bandwidth is not None else _bandwidth(rows, 0.3, self.n_jobs)
        seeds = self._seeds(rows, bandwidth)
        threads = resolve_threads(self.n_jobs)
        tree = _core.KDTree(_wide(rows), n_threads=threads)
        moving = _core.move_seeds(
            tree,
            _wide(seeds),
            float(bandwidth),
            rows.dtype == np.float32,
            threads,
        )
        last = engine_count(self.max_iter)
        with track(None, "mean shift: step", total=last).also(listener) as tracker:
            step = 0
            while moving.step(step == last, threads):
                step += 1
                tracker.report(step)
        places, counts, steps = moving.read()
        if not counts.any():
            raise InvalidParameter(
                f"No point was within bandwidth={bandwidth:f} of any seed. Choose other seeds or a larger "
                f"bandwidth for {type(self).__name__}."
            )
        centers = peaks(places[counts > 0], counts[counts > 0], float(bandwidth), threads).astype(rows.dtype)
        near = _nearest_peaks(rows, centers, self.n_jobs)
        is_in = self.cluster_all | (near.distance <= bandwidth)
        return {
            "cluster_centers_": centers,
            "labels_": np.where(is_in, near.index, -1),
            "n_iter_": int(steps.max()),
            "bandwidth_": float(bandwidth),
        }

    def _seeds(self, X: Data, bandwidth: float) -> Data:
        if self.seeds is None:
            return get_bin_seeds(X, bandwidth, self.min_bin_freq) if self.bin_seeding else X
        who = type(self).__name__
        seeds: Data = check_data(self.seeds, who=who, name="seeds", may_be_distances=True)
        if seeds.shape[1] != X.shape[1]:
            raise InvalidParameter(
                f"seeds of {who} must have as many columns as X, {X.shape[1]}, got {seeds.shape[1]}."
            )
        checked: Data = seeds
        return checked


def mean_shift(
    X: MatrixLike,
    *,
    bandwidth: float | None = None,
    seeds: MatrixLike | None = None,
    bin_seeding: bool = False,
    min_bin_freq: int = 1,
    cluster_all: bool = True,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> tuple[Centers, Labels]:
    """Return the peaks and the labels of the rows: `MeanShift` as a function.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    bandwidth, seeds, bin_seeding, min_bin_freq, cluster_all, max_iter, n_jobs
        As in `MeanShift`.

    Examples
    --------
    >>> centers, labels = mean_shift([[1.0], [2.0], [8.0]], bandwidth=2)
    >>> centers.tolist(), labels.tolist()
    ([[1.5], [8.0]], [0, 0, 1])
    """
    model = MeanShift(
        bandwidth=bandwidth,
        seeds=seeds,
        bin_seeding=bin_seeding,
        min_bin_freq=min_bin_freq,
        cluster_all=cluster_all,
        n_jobs=n_jobs,
        max_iter=max_iter,
    ).fit(X)
    return model.cluster_centers_, model.labels_


def estimate_bandwidth(
    X: MatrixLike,
    *,
    quantile: float = 0.3,
    n_samples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> np.float64:
    """Return the mean distance of a row to its neighbour at that share of all rows: a radius for `MeanShift`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. Time grows with the square of their number.
    quantile : float, default=0.3
        Share of the rows that are nearer, from 0 to 1.
    n_samples : int, default=None
        How many rows to draw; None: all.
    random_state : int, RandomState, Generator or None, default=0
        Of the draw.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.

    Examples
    --------
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> round(estimate_bandwidth(X, quantile=0.5), 2)
    np.float64(1.62)
    """
    who = "estimate_bandwidth"
    check_parameter(quantile, Number(0.0, 1.0), name="quantile", who=who)
    check_parameter(n_samples, Nothing() | Whole(1), name="n_samples", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    rows: Data = check_data(X, who=who, may_be_distances=True)
    if n_samples is not None:
        rows = rows[legacy_draws(random_state).permutation(len(rows))[:n_samples]]
    return _bandwidth(rows, quantile, n_jobs)


def get_bin_seeds(X: MatrixLike, bin_size: float, min_bin_freq: int = 1) -> Data:
    """Return the points of a grid that have rows about them, as seeds of `MeanShift`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    bin_size : float
        Width of the grid, usually the bandwidth; 0: the rows themselves are returned.
    min_bin_freq : int, default=1
        Rows that a point needs.

    Returns
    -------
    array of shape (n_seeds, n_features)
        In the order of their first rows; the rows themselves, with a warning, if each has a point of its own.

    Examples
    --------
    >>> get_bin_seeds([[1.8], [2.2], [5.9], [6.1]], 2.0).ravel().tolist()
    [2.0, 6.0]
    """
    check_parameter(bin_size, Number(0.0), name="bin_size", who="get_bin_seeds")
    check_parameter(min_bin_freq, Whole(1), name="min_bin_freq", who="get_bin_seeds")
    given: Any = X
    if bin_size == 0:
        unchanged: Data = given
        return unchanged
    rows: Data = check_data(X, who="get_bin_seeds", may_be_distances=True)
    with np.errstate(all="ignore"):  # looked at below
        bins = np.round(rows / bin_size) + 0.0  # one zero, not two
        seeds = _frequent(bins, min_bin_freq).astype(np.float32)
    if len(seeds) == len(rows) or not np.isfinite(seeds).all():
        warn_caller(
            f"Binning data failed with provided bin_size={bin_size:f}, using data points as seeds.",
            DataNotice,
        )
        return given if isinstance(given, np.ndarray) else rows
    if not len(seeds):
        most = int(np.unique(bins, axis=0, return_counts=True)[1].max())
        raise InvalidParameter(
            f"min_bin_freq must be at most {most}, the rows of the fullest bin of size "
            f"{bin_size:g}, got {min_bin_freq}."
        )
    with np.errstate(all="ignore"):
        placed: Data = seeds * bin_size
    return placed if np.isfinite(placed).all() else seeds.astype(np.float64) * bin_size


def _frequent(bins: FloatArray, least: int) -> FloatArray:
    """Return the rows that occur so often, in the order of their first occurrence."""
    different, first, counts = np.unique(bins, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    found: FloatArray = different[order][counts[order] >= least]
    return found


def peaks(places: FloatArray, counts: AnyArray, bandwidth: float, threads: int) -> Centers:
    """Return where seeds stand that have most rows about them, none within the bandwidth of another.

    Of several counts at one place, that of the last seed counts, as in scikit-learn. Peaks come by falling
    counts, equal ones by falling coordinates.

    Examples
    --------
    >>> peaks(np.array([[0.0], [1.0], [9.0]]), np.array([2, 5, 1]), 3.0, 1)
    array([[1.],
           [9.]])
    """
    centers, last = np.unique(places[::-1], axis=0, return_index=True)
    intensity = counts[::-1][last]
    centers = np.ascontiguousarray(centers[np.lexsort((*centers.T[::-1], intensity))[::-1]])
    tree = _core.KDTree(centers, n_threads=threads)
    is_open, is_peak = np.ones(len(centers), dtype=bool), np.zeros(len(centers), dtype=bool)
    at_once = 1
    while is_open.any():
        asked = np.flatnonzero(is_open)[:at_once]
        starts, near, _ = tree.radius(centers[asked], bandwidth, "none", threads)
        for i, center in enumerate(asked):
            if is_open[center]:
                is_peak[center] = True
                is_open[near[starts[i] : starts[i + 1]]] = False
        at_once = max(1, min(2 * at_once, PAIRS_AT_ONCE * len(asked) // max(1, len(near))))
    return np.asarray(centers[is_peak])


def _nearest_peaks(X: Data, centers: Centers, n_jobs: int | None) -> Nearest:
    return nearest(_wide(X), _wide(centers), n_jobs=n_jobs)


def _wide(X: Data) -> npt.NDArray[np.float64]:
    """Return rows in float64: scikit-learn's trees measure them so, whatever their type."""
    return np.ascontiguousarray(X, dtype=np.float64)


def _bandwidth(X: Data, quantile: float, n_jobs: int | None) -> np.float64:
    """Return the mean distance of all rows to their k-th neighbour, k a share of the rows."""
    rows, n, threads = _wide(X), len(X), resolve_threads(n_jobs)
    k = max(1, int(n * quantile))
    by_tree = rows.shape[1] <= TREE_MOST_FEATURES and TREE_SHARE * k <= n
    squares, tree = (
        find_distance("sqeuclidean").metric,
        _core.KDTree(rows, n_threads=threads) if by_tree else None,
    )
    distances: list[float] = []
    at_once = max(1, PAIRS_AT_ONCE // (k if by_tree else n))
    for first in range(0, n, at_once):
        asked = rows[first : first + at_once]
        if tree is not None:
            distances.extend(np.asarray(tree.query(asked, k, n_threads=threads)[1])[:, -1].tolist())
            continue
        D = np.asarray(_core.pairwise(asked, rows, squares, threads))
        D[np.arange(len(D)), np.arange(first, first + len(D))] = 0.0  # to the last bit
        D.partition(k - 1, axis=1)
        distances.extend(np.sqrt(D[:, k - 1]).tolist())
    return np.float64(math.fsum(distances) / n)
