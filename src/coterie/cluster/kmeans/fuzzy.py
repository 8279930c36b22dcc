"""Fuzzy c-means: groups about a centre, with a membership of every row in every group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Centers,
    Data,
    Distances,
    Doubles,
    FittedAttributes,
    FloatArray,
    Init,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    VectorLike,
    Weights,
)
from coterie._support.validation import Constraint, Number, check_n_clusters, check_seed
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    Maybe,
    Size,
    Sometimes,
    Tensor,
    check_squares,
    wrong,
)
from coterie.cluster.base import DistanceTransformer, Listener, about_one
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.cluster.kmeans.points import DensePoints, with_team
from coterie.cluster.kmeans.starts import (
    START_CONSTRAINTS,
    check_init,
    count_starts,
    make_start,
    seed_of_restart,
)

RESTARTS = 10  # of starts that are merely random
NOT_WHOLE = 1e-3  # memberships may be in float32, and of many groups


@dataclass(frozen=True, eq=False)
class _Run:
    """Where iterations ended."""

    centers: FloatArray  # float64
    objectives: list[float]  # before every iteration, and at the end
    converged: bool


@estimator
class FuzzyCMeans(DistanceTransformer):
    """Fuzzy c-means: groups around centroids, with soft memberships.

    Memberships u and centres c minimise

        J = sum over rows i, groups k of  w_i u_ik^m |x_i - c_k|^2,    the u_ik of a row adding up to 1,

    by turns: ``u_ik`` is proportional to ``|x_i - c_k|^(-2 / (m - 1))``, and every centre is the mean of all
    rows weighted by ``u_ik^m``. Neither step can raise J. With m near 1 the memberships become 0 and 1 and
    the steps those of k-means; with a large m every row belongs to all groups alike.

    Parameters
    ----------
    m : float, default=2.0
        The fuzzifier, above 1: how much groups share their rows.
    init : {"k-means++", "random", "random partition"}, array or callable, default="k-means++"
        First centres, as in `KMeans`.
    n_init : "auto" or int, default="auto"
        How many starts; the run of the least objective is kept. "auto" is 10 for starts that are merely
        random or a callable's, else 1.
    tol : float, default=1e-6
        Stop when the squared shift of all centres together is at most this share of the mean variance of the
        columns.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres; fewer where there are fewer different rows.
    memberships_ : array of shape (n_samples, n_clusters)
        The share of every row in every group; every row adds up to 1. Also called `u_`.
    labels_ : array of int32 of shape (n_samples,)
        The group with the largest share of each row: the nearest centre.
    objectives_ : array of shape (n_iter_ + 1,)
        J before each iteration and at the end; never rises.
    partition_coefficient_ : float
        Mean of the sum of squared memberships: 1 where every row belongs to one group, 1 / n_clusters where
        nothing is divided.
    xie_beni_ : float or None
        J over the squared distance of the two nearest centres times the weight of the rows: the lower the
        better. None with one group, and where centres coincide.

    Examples
    --------
    >>> from coterie.cluster import FuzzyCMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = FuzzyCMeans(2, init=[[1, 2], [10, 2]]).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.membership([[5.5, 2.0], [1.0, 2.0]]).round(2)
    array([[0.5, 0.5],
           [1. , 0. ]])
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = START_CONSTRAINTS

    n_clusters: int = 8
    _: KW_ONLY
    m: float = parameter(Number(1, open_below=True), default=2.0)
    init: Init = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    tol: float = 1e-6
    random_state: RandomState = None
    progress: ProgressOption = None

    cluster_centers_: Centers = fitted(Tensor("clusters", "columns"))
    memberships_: FloatArray = fitted(Tensor("rows", "clusters", low=0, high=1))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"))
    objective_: float = fitted(Number(0), "J at the end.")
    objectives_: FloatArray = fitted(Tensor(None, kind="f8", low=0))
    partition_coefficient_: float = fitted(Number(0))
    xie_beni_: float | None = fitted(Maybe(Number(0)))
    n_iter_: int = fitted(COUNT, "Iterations of the best run.")
    converged_: bool = fitted(FLAG)
    _origin: Doubles = fitted(Tensor("columns", kind="f8"))
    _n_features_out: int = fitted(Sometimes(Size("clusters")))

    _objective_words: ClassVar[str] = "fuzzy sum of squared distances"
    row_attributes = ("labels_", "memberships_")

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        for name in ("cluster_centers_", "_origin"):
            check_squares(state[name], who=cls.__name__, name=name)
        totals = state["memberships_"].sum(axis=1, dtype=np.float64)
        if (np.abs(totals - 1) > NOT_WHOLE).any():
            raise wrong("memberships_", cls.__name__, "add up to 1 in each row", float(totals.min()))

    @property
    def u_(self) -> FloatArray:
        """The memberships of the rows of `fit`, as the literature calls them."""
        scikit_learn.check_is_fitted(self)
        return self.memberships_

    def membership(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each group, of shape (n_samples, n_clusters)."""
        return self._place(self._check_new(X))[1]

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group with the largest share of each row: its nearest centre."""
        return self._place(self._check_new(X))[0]

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to each centre."""
        from coterie.distance import find_distance

        data, metric = self._check_new(X), find_distance("euclidean").metric
        found: Distances = _core.pairwise(
            data, self.cluster_centers_.astype(data.dtype), metric, resolve_threads()
        )
        return found

    def score(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> float:
        """Return minus the objective of new rows with these centres."""
        data = self._check_new(X)
        weights = self._check_weights(sample_weight, len(data))
        centers = self.cluster_centers_.astype(np.float64)
        return -_Rows(data, weights, self._origin, self.m).sums(centers)[0]

    def _check_new(self, X: MatrixLike) -> Data:
        data: Data = super()._check_new(X)
        # a float64 model places float32 rows in its own precision
        return data.astype(np.promote_types(data.dtype, self.cluster_centers_.dtype), copy=False)

    def _place(self, X: Data) -> tuple[Labels, FloatArray]:
        return _Rows(X, None, self._origin, self.m).place(self.cluster_centers_)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, len(X), who=who)
        scaled, power = (None, 0) if weights is None else about_one(weights)
        points = with_team(DensePoints.of(X, scaled, resolve_threads()), self.n_clusters)
        assert isinstance(points, DensePoints)
        rows = _Rows(X, scaled, np.asarray(points.columns.mean, dtype=np.float64), self.m, points.n_threads)
        with track(self.progress, "fuzzy c-means: iteration").also(listener) as tracker:
            best = self._best_run(points, rows, tracker)
        warn_if_fewer(len(best.centers), self.n_clusters)
        if not best.converged:
            scikit_learn.warn_not_converged(who, self.max_iter)
        return self._found(rows, best, power)

    def _best_run(self, points: DensePoints, rows: _Rows, tracker: Tracker) -> _Run:
        who, seed = type(self).__name__, check_seed(self.random_state)
        init = check_init(self.init, self.n_clusters, points.X, who=who)
        best: _Run | None = None
        for restart in range(count_starts(self.n_init, init, RESTARTS, who=who)):
            start = make_start(points, init, int(self.n_clusters), seed_of_restart(seed, restart), who=who)
            run = self._run(rows, start.centers.astype(np.float64), self.tol * points.mean_variance, tracker)
            best = run if best is None or is_lower(run.objectives[-1], best.objectives[-1]) else best
        assert best is not None
        return best

    def _run(self, rows: _Rows, centers: FloatArray, tolerance: float, tracker: Tracker) -> _Run:
        objectives, converged = [], False
        for iteration in range(1, self.max_iter + 1):
            objective, moved = rows.sums(centers)
            objectives.append(objective)
            shift = float(np.square(moved - centers).sum())
            centers = moved
            tracker.report(iteration)
            if shift <= tolerance:
                converged = True
                break
        return _Run(centers, [*objectives, rows.sums(centers)[0]], converged)

    def _found(self, rows: _Rows, best: _Run, power: int) -> FittedAttributes:
        centers = best.centers.astype(rows.X.dtype)
        labels, memberships = rows.place(centers)
        certainty = np.square(memberships, dtype=np.float64).sum(axis=1)
        total = float(len(labels)) if rows.weights is None else float(rows.weights.sum())
        nearest = _least_squared_distance(best.centers)
        return {
            "cluster_centers_": centers,
            "memberships_": memberships,
            "labels_": labels,
            "objective_": float(np.ldexp(best.objectives[-1], power)),
            "objectives_": np.ldexp(np.array(best.objectives), power),
            "partition_coefficient_": float(np.average(certainty, weights=rows.weights)),
            "xie_beni_": best.objectives[-1] / (total * nearest) if 0 < nearest < np.inf else None,
            "n_iter_": len(best.objectives) - 1,
            "converged_": best.converged,
            "_origin": rows.shift,
            "_n_features_out": len(centers),
        }


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as the engine sees them."""

    X: Data
    weights: Weights | None
    shift: Doubles  # a point amid the rows, in float64
    m: float
    n_threads: int | None = None

    @property
    def _threads(self) -> int:
        return resolve_threads() if self.n_threads is None else self.n_threads

    def sums(self, centers: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective with these centres, and the centres for their memberships."""
        objective, weights, deviations = _core.fuzzy_sums(
            self.X, _contiguous(centers - self.shift), self.shift, float(self.m), self.weights, self._threads
        )
        is_empty = ~(weights > 0)[:, None]  # m is so near 1 that nothing is left: such a centre stays
        moved = self.shift + deviations / np.where(is_empty, 1.0, weights[:, None])
        return float(objective), np.where(is_empty, centers, moved)

    def place(self, centers: Centers) -> tuple[Labels, FloatArray]:
        """Return the nearest centre and the memberships of each row."""
        away = _contiguous(centers.astype(np.float64) - self.shift)
        labels, memberships = _core.fuzzy_rows(self.X, away, self.shift, float(self.m), self._threads)
        return labels, memberships


def _contiguous(centers: Centers) -> Doubles:
    return np.ascontiguousarray(centers, dtype=np.float64)


def _least_squared_distance(centers: FloatArray) -> float:
    between = np.square(centers[:, None, :] - centers[None, :, :]).sum(axis=2)
    return float(between[~np.eye(len(centers), dtype=bool)].min(initial=np.inf))
