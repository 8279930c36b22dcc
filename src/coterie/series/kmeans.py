"""K-means for time series: barycentres under DTW, soft-DTW or the Euclidean distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, parameter
from coterie._support.progress import Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, FittedAttributes, Init, Labels, Settings, Weights
from coterie._support.validation import (
    AnArray,
    Choice,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
    shift_seed,
)
from coterie._support.validation.schema import wrong
from coterie.cluster.base import Listener
from coterie.cluster.kmeans import refill, warn_if_fewer
from coterie.errors import InvalidData, InvalidParameter
from coterie.series.barycentres import average, soft_average
from coterie.series.base import SeriesClusterer, stack_centers
from coterie.series.catalogue import SeriesDistance, find_series_distance, radius_of
from coterie.series.collection import Points, SeriesCollection, collect, read_series
from coterie.series.distances import matrix_of

DBA_TOLERANCE = 1e-5  # of the cost, within one update
SOFT_TOLERANCE = 1e-3
METRICS = ("euclidean", "dtw", "softdtw")


@dataclass(frozen=True, eq=False)
class _Run:
    """One run from its start to its end."""

    centers: list[Points]
    labels: Labels
    inertia: float
    n_iter: int


@estimator
class TimeSeriesKMeans(SeriesClusterer):
    """Groups of time series about barycentres, which are series themselves.

    Lowers J, the sum over series of d(x, c)^2 to the nearest centre (of soft-DTW itself with "softdtw"), by
    turns: every series goes to its nearest centre, every centre to the barycentre of its series.

    Parameters
    ----------
    metric : {"dtw", "softdtw", "euclidean"}, default="dtw"
        "dtw": time may stretch, barycentres by DBA. "softdtw": the same with a smooth minimum, barycentres by
        L-BFGS. "euclidean": point by point, for series of one length.
    window : int, default=None
        Of DTW: most steps in time between matched points, beyond the difference of lengths. None: any.
    init : {"k-means++", "random"} or series, default="k-means++"
        First centres: series far from those so far are likely; random series; or the centres themselves.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_points, n_columns)
        The barycentres; NaN behind the end of a shorter one.
    labels_ : array of int32 of shape (n_series,)
        The nearest centre of each series.
    inertia_ : float
        The value of J.

    Examples
    --------
    >>> X = [[0, 1, 2, 1, 0], [0, 0, 1, 2, 1, 0], [2, 1, 0, 1, 2], [2, 1, 0, 0, 1, 2]]
    >>> model = TimeSeriesKMeans(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> model.predict([[0, 2, 0]])[0] == model.labels_[0]
    np.True_
    """

    _: KW_ONLY
    metric: str = parameter(Choice(*METRICS), default="dtw")
    window: int | None = parameter(Nothing() | Whole(0), default=None)
    gamma: float = parameter(Number(1e-100, 1e100), "Smoothness of soft-DTW, above 0.", default=1.0)
    init: Init = parameter(Choice("k-means++", "random") | AnArray(), default="k-means++")
    n_init: int = parameter(Whole(1), "How many starts; the run of least inertia is kept.", default=1)
    max_iter: int = parameter(Whole(1), default=50)
    tol: float = parameter(Number(0), "Stop when J falls by at most this share.", default=1e-6)
    max_iter_barycenter: int = parameter(Whole(1), "Most iterations of one barycentre.", default=100)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        if state["metric"] == "euclidean" and np.isnan(state["cluster_centers_"]).any():
            raise wrong("cluster_centers_", cls.__name__, "hold series of one length", "shorter ones")

    def _compute(self, X: Any, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, len(X), who=who)
        if self.metric == "euclidean" and not X.has_one_length:
            raise InvalidData(
                f"X of {who} must have series of one length for metric='euclidean', got {X.lengths.min()} to "
                f"{X.lengths.max()} points. Take metric='dtw', or coterie.series.resample."
            )
        given = None if isinstance(self.init, str) else self._given(X)
        seed, best = check_seed(self.random_state), None
        n_init = 1 if given is not None else int(self.n_init)
        with track(self.progress, "k-means of series: iteration").also(listener) as tracker:
            for start in range(n_init):
                rng = np.random.default_rng(shift_seed(seed, start))
                centers = given if given is not None else self._start(X, rng)
                run = self._run(X, centers, tracker)
                if best is None or is_lower(run.inertia, best.inertia):
                    best = run
        assert best is not None
        return self._fitted(X, best)

    def _fitted(self, X: SeriesCollection, run: _Run) -> FittedAttributes:
        sizes = np.bincount(run.labels, minlength=len(run.centers))
        kept = [centre for centre, size in zip(run.centers, sizes, strict=True) if size]
        number = (np.cumsum(sizes > 0) - 1).astype(np.int32)
        warn_if_fewer(len(kept), self.n_clusters)
        return {
            "cluster_centers_": stack_centers(kept),
            "labels_": number[run.labels],
            "inertia_": run.inertia,
            "n_iter_": run.n_iter,
            "_n_columns": X.n_columns,
            "_n_features_out": len(kept),
        }

    def _given(self, X: SeriesCollection) -> list[Points]:
        who = type(self).__name__
        centers = read_series(self.init, who=who, name="init")
        if len(centers) != self.n_clusters or centers.n_columns != X.n_columns:
            raise InvalidParameter(
                f"init of {who} must hold n_clusters={self.n_clusters} series of {X.n_columns} columns, got "
                f"{len(centers)} of {centers.n_columns}."
            )
        if self.metric == "euclidean" and set(centers.lengths.tolist()) != {X.shape[1]}:
            raise InvalidParameter(f"init of {who} must hold series of {X.shape[1]} points.")
        return list(centers)

    def _start(self, X: SeriesCollection, rng: np.random.Generator) -> list[Points]:
        """Return first centres: series that are drawn one after the other."""
        if self.init == "random":
            return [X[int(at)] for at in rng.choice(len(X), int(self.n_clusters), replace=False)]
        chosen = [int(rng.integers(len(X)))]
        near = self._costs(X, X.take(np.array(chosen)))[:, 0]
        n_candidates = 2 + int(np.log(self.n_clusters))
        while len(chosen) < self.n_clusters:
            total = np.cumsum(near)
            if not total[-1] > 0:  # fewer different series than clusters
                rest = [at for at in range(len(X)) if at not in set(chosen)]
                chosen += rest[: int(self.n_clusters) - len(chosen)]
                break
            drawn = np.searchsorted(total, rng.random(n_candidates) * total[-1], side="right")
            drawn = np.minimum(drawn, len(X) - 1)
            after = np.minimum(near[:, None], self._costs(X, X.take(drawn)))
            best = int(after.sum(axis=0).argmin())
            chosen.append(int(drawn[best]))
            near = after[:, best]
        return [X[at] for at in chosen]

    def _run(self, X: SeriesCollection, start: list[Points], tracker: Tracker) -> _Run:
        """Alternate between assigning series and moving centres until neither changes anything."""
        centers, before = start, np.inf
        labels: Labels = np.full(len(X), -1, dtype=np.int32)
        for n_iter in range(1, int(self.max_iter) + 1):
            apart = self._objective(X, collect(centers))
            found = refill(apart.argmin(axis=1).astype(np.int32), apart.min(axis=1), len(centers), None)
            inertia = float(apart.min(axis=1).sum())
            tracker.report(n_iter)
            if np.array_equal(found, labels) or before - inertia <= self.tol * abs(inertia):
                break
            labels, before = found, inertia
            centers = [
                self._moved(X.take(labels == at), centre) if (labels == at).any() else centre
                for at, centre in enumerate(centers)
            ]
        apart = self._objective(X, collect(centers))
        return _Run(centers, apart.argmin(axis=1).astype(np.int32), float(apart.min(axis=1).sum()), n_iter)

    def _moved(self, members: SeriesCollection, centre: Points) -> Points:
        """Return the barycentre of the members of a group, from the centre that it had."""
        if self.metric == "euclidean":
            return np.ascontiguousarray(members.to_array().mean(axis=0))
        threads, ones, most = resolve_threads(), np.ones(len(members)), int(self.max_iter_barycenter)
        if self.metric == "softdtw":
            gamma = float(self.gamma)
            return soft_average(
                members, centre, ones, gamma, max_iter=most, tol=SOFT_TOLERANCE, threads=threads
            ).values
        radius = radius_of(self.window)
        return average(
            members, centre, ones, radius, max_iter=most, tol=DBA_TOLERANCE, threads=threads
        ).values

    @property
    def _distance(self) -> SeriesDistance:
        if self.metric == "softdtw":
            return find_series_distance("soft_dtw", gamma=self.gamma)
        return find_series_distance("dtw", window=0 if self.metric == "euclidean" else self.window)

    def _apart(self, series: SeriesCollection) -> Distances:
        if self.metric == "euclidean" and set(series.lengths.tolist()) != {self.cluster_centers_.shape[1]}:
            raise InvalidData(
                f"X of {type(self).__name__} must have series of {self.cluster_centers_.shape[1]} points, as "
                f"in fit, for metric='euclidean'. Take metric='dtw', or coterie.series.resample."
            )
        return matrix_of(self._distance, series, self._centers, threads=resolve_threads())

    def _objective(self, X: SeriesCollection, centers: SeriesCollection) -> Distances:
        """Return what J sums: squared distances, or soft-DTW."""
        apart = matrix_of(self._distance, X, centers, threads=resolve_threads())
        return apart if self.metric == "softdtw" else np.asarray(apart**2)

    def _costs(self, X: SeriesCollection, others: SeriesCollection) -> Distances:
        """Return what k-means++ draws by: never negative."""
        if self.metric == "softdtw":
            distance = find_series_distance("soft_dtw_divergence", gamma=self.gamma)
            return matrix_of(distance, X, others, threads=resolve_threads())
        return self._objective(X, others)
