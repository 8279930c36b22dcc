"""k-Shape: groups of series that have one shape, wherever in time it lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Distances,
    FittedAttributes,
    Labels,
    RandomState,
    Settings,
    Weights,
)
from coterie._support.validation import PROGRESS, Choice, Constraint, check_n_clusters, check_seed, shift_seed
from coterie._support.validation.schema import wrong
from coterie.cluster.base import Listener
from coterie.cluster.kmeans import refill, warn_if_fewer
from coterie.errors import InvalidData
from coterie.series.base import STOPS, SeriesClusterer
from coterie.series.collection import Points, SeriesCollection, collect
from coterie.series.scaling import normalise
from coterie.series.shape import Spectra, best_shifts, extract_shape, shape_distances, shifted


class KShape(SeriesClusterer):
    """Groups of time series by shape: each series is compared at its best shift.

    By turns, every series goes to the shape with the least shape-based distance, and every shape becomes the
    leading axis of its series, shifted to the shape before. Series are z-normalised first: level and
    amplitude do not count.

    Parameters
    ----------
    n_clusters : int, default=3
        How many groups.
    n_init : int, default=1
        How many starts; the run of least inertia is kept.
    max_iter : int, default=100
        Most iterations of one run.
    tol : float, default=1e-4
        Stop when no label changes and the inertia changes by at most this share.
    init : {"k-means++", "random"}, default="k-means++"
        First groups: about series far from each other, or a random partition.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same result, whatever the number of threads.
    progress : None, bool or callable, default=None
        True shows a line on a terminal; a callable is called with a `Progress` after every iteration.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_points, n_columns)
        The shapes, with mean 0 and standard deviation 1.
    labels_ : array of int32 of shape (n_series,)
        The nearest shape of each series.
    inertia_ : float
        Sum of the shape-based distances to the nearest shape.
    n_iter_ : int
        Iterations of the best run.
    n_features_in_ : int
        Points of a series.
    feature_names_in_ : array of str
        Names of the columns of a wide frame.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 2 * np.pi, 40)
    >>> X = [np.sin(t), 3 * np.sin(t + 0.4), np.sign(np.sin(2 * t)), np.sign(np.sin(2 * t + 0.3))]
    >>> model = KShape(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **STOPS,
        "init": Choice("k-means++", "random"),
        "progress": PROGRESS,
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-4,
        init: str = "k-means++",
        random_state: RandomState = None,
        progress: ProgressOption = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.progress = progress

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        if np.isnan(state["cluster_centers_"]).any():
            raise wrong("cluster_centers_", cls.__name__, "hold series of one length", "shorter ones")

    def _compute(self, X: Any, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, len(X), who=who)
        self._require_one_length(X)
        series = normalise(X)
        block, spectra = series.to_array(), Spectra.of(series)
        seed, best = check_seed(self.random_state), None
        with track(self.progress, "k-Shape: iteration").also(listener) as tracker:
            for start in range(int(self.n_init)):
                rng = np.random.default_rng(shift_seed(seed, start))
                run = self._run(series, block, spectra, rng, tracker)
                if best is None or run[2] < best[2]:
                    best = run
        assert best is not None
        shapes, labels, inertia, n_iter = best
        sizes = np.bincount(labels, minlength=len(shapes))
        number = (np.cumsum(sizes > 0) - 1).astype(np.int32)
        warn_if_fewer(int((sizes > 0).sum()), self.n_clusters)
        return {
            "cluster_centers_": np.ascontiguousarray(shapes[sizes > 0]),
            "labels_": number[labels],
            "inertia_": inertia,
            "n_iter_": n_iter,
            "_n_columns": X.n_columns,
            "_n_features_out": int((sizes > 0).sum()),
        }

    def _run(
        self,
        series: SeriesCollection,
        block: Points,
        spectra: Spectra,
        rng: np.random.Generator,
        tracker: Tracker,
    ) -> tuple[Points, Labels, float, int]:
        k, before = int(self.n_clusters), np.inf
        shapes = np.zeros((k, *block.shape[1:]))
        labels = self._start(series, rng, shapes)
        for n_iter in range(1, int(self.max_iter) + 1):
            for group in range(k):
                members = np.flatnonzero(labels == group)
                if len(members):
                    shapes[group] = extract_shape(_aligned(block, spectra, members, shapes[group]))
            apart = spectra.distances(collect(list(shapes)))
            found = refill(apart.argmin(axis=1).astype(np.int32), apart.min(axis=1), k, None)
            inertia = float(apart.min(axis=1).sum())
            tracker.report(n_iter)
            if np.array_equal(found, labels) and abs(before - inertia) <= self.tol * inertia:
                break
            labels, before = found, inertia
        apart = shape_distances(series, collect(list(shapes)), is_same=False, threads=resolve_threads())
        return shapes, apart.argmin(axis=1).astype(np.int32), float(apart.min(axis=1).sum()), n_iter

    def _start(self, series: SeriesCollection, rng: np.random.Generator, shapes: Points) -> Labels:
        """Return the first partition; with k-means++ `shapes` become the series that it is about."""
        k, n = int(self.n_clusters), len(series)
        if self.init == "random":
            labels = rng.integers(k, size=n).astype(np.int32)
            labels[rng.permutation(n)[:k]] = np.arange(k)  # none is empty
            return labels
        chosen = [int(rng.integers(n))]
        apart = self._to(series, chosen[0])[:, None]
        while len(chosen) < k:
            squares = apart.min(axis=1) ** 2
            total = np.cumsum(squares)
            if total[-1] > 0:
                drawn = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
                chosen.append(min(drawn, n - 1))
            else:  # fewer different shapes than clusters
                chosen.append(next(at for at in range(n) if at not in set(chosen)))
            apart = np.column_stack([apart, self._to(series, chosen[-1])])
        for group, at in enumerate(chosen):
            shapes[group] = series[at]
        return np.asarray(refill(apart.argmin(axis=1).astype(np.int32), apart.min(axis=1), k, None))

    @staticmethod
    def _to(series: SeriesCollection, at: int) -> Distances:
        other = series.take(np.array([at]))
        return shape_distances(series, other, is_same=False, threads=resolve_threads())[:, 0]

    def _apart(self, series: SeriesCollection) -> Distances:
        self._require_one_length(series)
        if series.shape[1] != self.cluster_centers_.shape[1]:
            raise InvalidData(
                f"X of {type(self).__name__} must have series of {self.cluster_centers_.shape[1]} points, as "
                f"in fit, got {series.shape[1]}. coterie.series.resample changes lengths."
            )
        return shape_distances(normalise(series), self._centers, is_same=False, threads=resolve_threads())

    def _require_one_length(self, X: SeriesCollection) -> None:
        if not X.has_one_length:
            raise InvalidData(
                f"X of {type(self).__name__} must have series of one length, got {X.lengths.min()} to "
                f"{X.lengths.max()} points. coterie.series.resample makes them so; TimeSeriesKMeans takes "
                f"any."
            )


def _aligned(block: Points, spectra: Spectra, members: Any, shape: Points) -> Points:
    """Return the members of a group, shifted to its shape; as they are while it has none."""
    rows: Points = block[members]
    if not shape.any():
        return rows
    own = Spectra.of(collect([shape]), spectra.longest).values[0]
    correlations = Spectra(spectra.values[members], spectra.size, spectra.longest).correlations(own)
    return shifted(rows, -best_shifts(correlations, spectra.longest)[1])
